"""Documents about one target, one expression or one activation."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict

from hermite_analytics.foundation.shapes import Count, Keywords, Number, Positive
from hermite_analytics.schemas.document import ABSENT, Document, NotNegative, Part
from hermite_analytics.schemas.facts import Argument
from hermite_analytics.schemas.quantities import (
    Basis,
    Evidence,
    Exponent,
    Quantity,
    Staircase,
    UnboundedQuantity,
    Value,
)

__all__ = [
    "Analysed",
    "Analysis",
    "Complexities",
    "Complexity",
    "Design",
    "Expectation",
    "Failure",
    "Hermite",
    "Mu",
    "ParametricAnalysis",
    "SecondLayer",
    "StaircaseDocument",
]


class FirstSubspace(Part):
    order: Exponent
    basis: Annotated[Basis | None, Keywords(description="null: not decided")]


class Stage(Part):
    dimension: Count
    alpha_c: Quantity


class WeakRecovery(Part):
    trivial_dimension: Annotated[
        Count | None, Keywords(description="directions learned at any n = alpha d, alpha > 0")
    ]
    easy_dimension: Annotated[Count | None, Keywords(description="directions learned beyond a finite alpha")]
    hard_dimension: Annotated[Count | None, Keywords(description="directions not learned at n ~ d")]
    alpha_c: Annotated[Quantity, Keywords(description="of the first stage")]
    stages: Annotated[
        list[Stage], Keywords(description="one a step of the grand staircase; empty: not known")
    ]


class Staircases(Part):
    """What `staircase` prints, and `analyze` among others."""

    leap_complexity: Exponent
    isotropic_leap: Exponent
    generative_exponent: Exponent
    staircase: Staircase
    leap_decomposition: Staircase
    grand_staircase: Staircase


class Analysed(Staircases):
    """Everything about a target."""

    target: str
    dimension: Positive
    intrinsic_dimension: Count | None
    mean: Quantity
    second_moment: Quantity
    first_subspace: FirstSubspace
    information_exponent: Exponent
    leap_index: Exponent
    weak_recovery: WeakRecovery
    arguments: Annotated[list[Argument], Keywords(description="why: one argument a claim")]
    activation: Annotated[str, Keywords(description="where one was given")] = ABSENT
    learns: Annotated[
        dict[str, object] | None,
        Keywords(description="which steps a network with this activation learns; null: not known"),
    ] = ABSENT
    learns_full_batch: Annotated[
        dict[str, object] | None,
        Keywords(description="the same for gradient descent on one batch; null: not known"),
    ] = ABSENT


class Analysis(Analysed, Document):
    """`analyze`."""


class Failure(Document):
    """A line of --file that cannot be analysed."""

    target: str
    error: str


class Condition(Part):
    text: Annotated[str, Keywords(description="an exact relation between parameters")]
    latex: str


class ParameterValue(Part):
    name: str
    value: str


class Case(Part):
    """The exponents where all conditions hold."""

    conditions: Annotated[list[Condition], Keywords(description="beside where; none: all parameters")]
    example: Annotated[
        list[ParameterValue] | None,
        Keywords(description="values of all parameters in the case; null: none found, it may be empty"),
    ]
    target: Annotated[str, Keywords(description="with the parameters put in that the conditions fix")]
    information_exponent: Exponent
    isotropic_leap: Exponent
    generative_exponent: Exponent


class ParametricAnalysis(Document):
    """`analyze` of a target with parameters."""

    target: str
    dimension: Positive
    parameters: list[str]
    where: Annotated[list[str], Keywords(description="the conditions that were asked for")]
    cases: Annotated[
        list[Case], Keywords(minItems=1, description="without overlaps; together all that where allows")
    ]


class StaircaseDocument(Staircases, Document):
    """`staircase`."""


class Coefficient(UnboundedQuantity):
    index: Annotated[list[Count], Keywords(minItems=1)]


class Hermite(Document):
    """`hermite`."""

    coefficients: Annotated[list[Coefficient], Keywords(description="those not shown to be 0")]
    second_moment: UnboundedQuantity
    tail: UnboundedQuantity


class Expectation(Document):
    """`expect`."""

    model_config = ConfigDict(json_schema_extra={"dependentRequired": {"digits": ["error", "evidence"]}})

    exact: Annotated[
        str | None, Keywords(description="closed form in the parameters; null where there is none")
    ]
    latex: str
    value: Annotated[Number, Keywords(description="null: not known")]
    digits: Annotated[str, Keywords(description="decimal digits, at a point or without parameters")] = ABSENT
    error: Annotated[
        NotNegative | Literal["inf"] | None,
        Keywords(description="bound on |value - truth|, rigorous unless estimated"),
    ] = ABSENT
    evidence: Evidence = ABSENT


class Conditional(Part):
    exact: Annotated[str | None, Keywords(description="closed form; null where there is none")]
    latex: str
    value: Annotated[float | None, Keywords(description="null where no point is given")]


class Mu(Document):
    """`mu`."""

    mu0: Conditional
    mu1: Conditional
    mu2_squared: Conditional


class LeftError(Value):
    error: Annotated[
        NotNegative | Literal["inf"],
        Keywords(description="bound on |value - truth|, rigorous unless estimated"),
    ]


class SecondLayer(Document):
    """`second-layer`."""

    target: str
    samples_power: Annotated[str, Keywords(description="k1 in n ~ d^k1, exact")]
    width_power: Annotated[str, Keywords(description="k2 in p ~ d^k2, exact")]
    kappa: Annotated[Count, Keywords(description="floor of the smaller power")]
    learned: Annotated[
        Basis | None,
        Keywords(description="reduced row echelon basis in z-coordinates; null: not decided"),
    ]
    fitted: Annotated[
        str | None,
        Keywords(description="f = fitted + unfitted; null: what is learned is not decided"),
    ]
    unfitted: str | None
    error: LeftError
    status: Annotated[str, Keywords(description="theorem or conjecture")]
    remarks: list[str]


class Complexity(Part):
    algorithm: str
    samples: Annotated[
        str, Keywords(pattern=r"^(not learned|(at least )?d( log d|\^[0-9]+|\^\([0-9]+/2\))?)$")
    ]
    exponent: Exponent
    status: Literal["theorem", "conjecture", "lower bound"]
    source: str
    remark: str


class Complexities(Document):
    """`complexities`."""

    target: str
    complexities: list[Complexity]


class Request(Part):
    """The properties asked for."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1})

    dimension: Count = ABSENT
    information_exponent: Count = ABSENT
    leap_complexity: Count = ABSENT
    isotropic_leap: Count = ABSENT
    generative_exponent: Count = ABSENT
    leap_orders: list[Count] = ABSENT
    staircase: list[Count] = ABSENT
    grand_staircase: list[Count] = ABSENT
    grand_orders: list[Count] = ABSENT
    polynomial: bool = ABSENT
    discrete: bool = ABSENT
    alpha_c: Annotated[list[str], Keywords(minItems=2, maxItems=2, description="from, to; exact, or inf")] = (
        ABSENT
    )
    activation: str = ABSENT
    steps: Count = ABSENT
    samples_power: str = ABSENT


class Property(Part):
    name: str
    found: str
    evidence: Literal["exact", "proved"]
    reason: str


class Designed(Part):
    target: str
    size: Count
    properties: Annotated[list[Property], Keywords(minItems=1)]


class Met(Part):
    count: Count
    first: str


class Search(Part):
    candidates: Count
    excluded: Annotated[
        dict[str, Count],
        Keywords(description="by the first property that a candidate is proved to lack"),
    ]
    undecided: Count
    met: dict[str, Met]
    largest_size: Count
    dimension: Count
    end: str


class Design(Document):
    """`design`."""

    request: Request
    designs: Annotated[list[Designed], Keywords(description="smallest first")]
    is_smallest: Annotated[
        bool, Keywords(description="all smaller sums of the grammar are proved to lack a property")
    ]
    search: Search
