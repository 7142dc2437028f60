"""Answers of the explorer."""

from __future__ import annotations

from typing import Annotated, Literal

from hermite_analytics.foundation.shapes import Keywords, Number
from hermite_analytics.schemas.document import Part, Sent
from hermite_analytics.schemas.quantities import Evidence, Exponent
from hermite_analytics.schemas.targets import Analysed

__all__ = [
    "About",
    "Activation",
    "Coefficients",
    "Curve",
    "Drawing",
    "Error",
    "Explanation",
    "Learns",
    "Points",
    "TargetAnswer",
]


class TextParameter(Part):
    name: str
    kind: Literal["text"]
    help: str
    default: str | None


class NumberParameter(Part):
    kind: Literal["number"]
    name: str
    symbol: str
    help: str
    default: float
    low: float
    high: float
    least: float
    most: float
    logarithmic: bool
    whole: bool


class ChoiceParameter(Part):
    name: str
    kind: Literal["choice"]
    help: str
    accepted: list[str]


Parameter = TextParameter | NumberParameter | ChoiceParameter


class Endpoint(Part):
    path: str
    help: str
    parameters: list[Parameter]


class Drawn(Part):
    name: str
    label: str
    help: str


class Model(Part):
    name: str
    title: str
    help: str
    source: str
    inputs: list[str]
    knobs: list[Parameter]
    span: list[Parameter]
    abscissa: str
    ordinate: str
    curves: list[Drawn]
    levels: list[Drawn]


class Example(Part):
    text: str
    why: str


class About(Sent):
    """What the page is built from."""

    version: str
    seconds: Annotated[float, Keywords(description="time budget of an answer")]
    workers: int
    endpoints: list[Endpoint]
    models: list[Model]
    definitions: dict[str, str]
    examples: dict[str, list[Example]]
    start: dict[str, str]


class Formula(Part):
    text: str
    latex: str
    mathml: Annotated[str | None, Keywords(description="null where the formula is too long")]


class Shown(Part):
    exact: str | None
    value: Number
    error: float | None
    evidence: Evidence
    mathml: str | None
    zero: bool | None


class Norm(Shown):
    degree: int


class Coefficient(Shown):
    index: list[int]


class Expansion(Part):
    degree: int
    whole: Shown
    norms: list[Norm]
    tail: Shown
    coefficients: list[Coefficient]
    more_coefficients: int


class Moments(Part):
    mean: Shown
    second_moment: Shown


class Piece(Part):
    text: str
    mathml: str | None


class Threshold(Part):
    dimension: int | None
    alpha_c: Shown
    reason: Annotated[list[Piece], Keywords(description="words and formulas, one behind the other")]


class Rung(Part):
    dimension: int
    basis: str
    order: int | None
    unlocked_by: str


class Ladder(Part):
    title: str
    rungs: list[Rung]
    end: str
    is_open: bool


class Complexity(Part):
    algorithm: str
    samples: str | None
    exponent: Exponent | None
    status: str
    source: str
    remark: str


class Lines(Part):
    python: str
    command: str


class LinesAndFormula(Lines):
    latex: str


class TargetAnswer(Sent):
    """GET /api/target."""

    target: str
    formula: Formula
    analysis: Annotated[
        Analysed, Keywords(description="the document of analyze --json, without its schema_version")
    ]
    expansion: Annotated[Expansion | None, Keywords(description="of E[y|z]; norms are |C_k|^2/k!")]
    moments: Moments
    reasons: Annotated[
        dict[str, list[Piece]],
        Keywords(description="of the exponents, by name: words and formulas, one behind the other"),
    ]
    thresholds: Annotated[list[Threshold], Keywords(description="one a stage of the grand staircase")]
    ladders: list[Ladder]
    complexities: list[Complexity]
    exports: Lines


class ActivationFormula(Part):
    text: str
    latex: str
    mathml: str | None
    closed: Annotated[bool, Keywords(description="whether it is free of expectations")]


class ActivationFormulas(Part):
    mu0: ActivationFormula
    mu1: ActivationFormula
    mu2_squared: ActivationFormula


class Activation(Sent):
    """GET /api/activation."""

    activation: str
    formula: Formula
    is_odd: bool
    has_jumps: bool | None
    coefficients: ActivationFormulas
    exports: LinesAndFormula


class CoefficientCurves(Part):
    mu0: list[Number]
    mu1: list[Number]
    mu2_squared: list[Number]


class Coefficients(Sent):
    """GET /api/coefficients."""

    activation: str
    c: float
    r: float
    kappa: list[float]
    curves: CoefficientCurves


class Abscissa(Part):
    name: str
    values: list[float]
    logarithmic: bool


class Mark(Part):
    at: float
    label: str


class Curve(Sent):
    """GET /api/curve."""

    model: str
    parameters: dict[str, float | str]
    abscissa: Abscissa
    curves: dict[str, list[Number]]
    levels: dict[str, Number]
    facts: dict[str, Number]
    marks: list[Mark]
    missing: Annotated[int, Keywords(description="points that are left; who asks again gets more of them")]
    not_converged: Annotated[
        int, Keywords(description="points without an answer; they are null in the curves")
    ]
    note: str
    source: str
    exports: LinesAndFormula


class Drawing(Sent):
    """GET /api/drawing."""

    model: str
    pdf: Annotated[str, Keywords(description="the file in base 64")]


class Point(Part):
    mean: Number
    stderr: Number


class Points(Sent):
    """GET /api/points."""

    model: str
    parameters: dict[str, float | str]
    alpha: float
    points: Annotated[dict[str, Point], Keywords(description="by the name of the curve")]
    ridge: Annotated[float | None, Keywords(description="of a curve with the best ridge: that of this place")]


class Block(Part):
    kind: Literal["paragraph", "steps"]
    items: list[list[Piece]]


class Section(Part):
    title: str
    blocks: list[Block]


class ExplanationExports(Part):
    text: str
    latex: str
    svg: str


class Explanation(Sent):
    """GET /api/explanation."""

    title: str
    sections: list[Section]
    exports: ExplanationExports


class Step(Part):
    step: int
    order: int
    verdict: str
    status: str
    reason: str
    realised_dimension: int | None
    wanted_dimension: int | None


class Learns(Sent):
    """GET /api/learns."""

    target: str
    activation: str
    is_realised: bool | None
    steps: list[Step]
    end: str


class Error(Sent):
    """An answer with a status of 400 or more."""

    error: Annotated[str, Keywords(description="one line")]
    kind: Annotated[
        str,
        Keywords(
            description="the class of the library's error, or request, time, busy, process, memory, internal"
        ),
    ]
    field: Annotated[str | None, Keywords(description="the parameter that is at fault")]
    position: Annotated[int | None, Keywords(description="zero-based column of the fault in it")]
    known: Annotated[dict[str, object] | None, Keywords(description="what was found before the time ended")]
