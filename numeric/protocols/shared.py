"""Parameters and shapes that several protocols have."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal

from hermite_analytics.foundation.ranges import ANY, POSITIVE, Range
from hermite_analytics.foundation.shapes import Keywords, Number, Positive
from hermite_analytics.losses.registry import FORMS
from hermite_analytics.numeric.models import shared
from hermite_analytics.numeric.models.parameter import Kind, Parameter

__all__ = [
    "ACTIVATION",
    "ALPHA",
    "ALPHA0",
    "BETA",
    "BIAS",
    "CHUNK_ROWS",
    "FEATURES",
    "LETTERS",
    "LOSS",
    "N0",
    "NOISE",
    "N_TEST",
    "READOUT",
    "RIDGE",
    "RUN",
    "TARGET",
    "Decision",
    "Estimate",
    "Estimates",
    "N",
    "P",
    "Verdicts",
    "size",
    "swept",
]

_AT_LEAST_1 = Range(low=1)


@dataclass(frozen=True, slots=True)
class Estimate:
    """The shape of a mean over seeds."""

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    mean: Number
    stderr: Annotated[Number, Keywords(description="null for one seed")]
    seeds: Positive


@dataclass(frozen=True, slots=True)
class Decision:
    """The shape of what all seeds say about one direction."""

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    verdict: Literal["learned", "not learned", "undecided"]
    p_value: Annotated[float, Keywords(minimum=0, maximum=1, description="of: nothing is learned; all seeds")]
    scaled_overlap: Annotated[Number, Keywords(description="d times the mean squared cosine; 1 by chance")]
    seeds: Positive


Estimates = Estimate | list[Estimate] | list[list[Estimate]] | list[list[list[Estimate]]]
"""A mean, or one for each step, direction or entry."""
Verdicts = Decision | list[Decision] | list[list[Decision]] | list[list[list[Decision]]]
"""A decision, or one for each time or step, direction and neuron."""


def swept(name: str, help: str, **rest: object) -> Parameter:
    """A real number; of a comma list, each in turn."""
    made = Parameter(name=name, help=help, to="model", in_rows="sometimes")
    return replace(made, **rest)  # type: ignore[arg-type]


def _of(parameter: Parameter) -> Parameter:
    """What a model takes too; without a knob, and not required."""
    return replace(parameter, to="model", in_rows="sometimes", required=False, knob=None)


def size(name: str, help: str, **rest: object) -> Parameter:
    """An integer; of a comma list, each in turn."""
    made = Parameter(name=name, help=help, kind=Kind.SIZES, to="model", in_rows="sometimes", shape=int)
    return replace(made, **rest)  # type: ignore[arg-type]


ACTIVATION = shared.ACTIVATION
TARGET = replace(shared.TARGET, help='Target, such as "sin(z1)"')
RUN = (
    Parameter(
        name="d",
        help="Dimension of the input",
        kind=Kind.SIZES,
        symbol="d",
        in_rows="sometimes",
        shape=int,
        to="model",
        required=True,
        range=_AT_LEAST_1,
    ),
    Parameter(
        name="seeds",
        help="",
        kind=Kind.INTEGER,
        to="run",
        default=8,
        is_filled=True,
        range=_AT_LEAST_1,
    ),
    Parameter(
        name="first_seed",
        help="",
        kind=Kind.INTEGER,
        to="run",
        default=0,
        is_filled=True,
        range=Range(low=0),
    ),
    Parameter(
        name="seeds_together",
        help="Seeds that run at once; by default what suits the sizes and the device",
        kind=Kind.INTEGER,
        to="run",
        range=_AT_LEAST_1,
    ),
    shared.DEVICE,
    Parameter(
        name="dtype",
        help="float64 or float32",
        kind=Kind.WORDS,
        to="model",
        default="float64",
        is_filled=True,
    ),
)
"""What every protocol takes."""

ALPHA = replace(_of(shared.ALPHA), help="n/d, samples of the readout")
N = size("n", "Samples of the readout, instead of --alpha")
BETA = _of(shared.BETA)
P = size("p", "Neurons, instead of --beta")
RIDGE = replace(_of(shared.RIDGE), range=POSITIVE)
NOISE = _of(shared.NOISE)
N_TEST = Parameter(
    name="n_test",
    help="Fresh samples for the test error",
    kind=Kind.INTEGER,
    to="model",
    range=_AT_LEAST_1,
)
CHUNK_ROWS = Parameter(
    name="chunk_rows", help="Samples held at once", kind=Kind.INTEGER, to="model", range=_AT_LEAST_1
)
READOUT = (ALPHA, N, BETA, P, RIDGE, NOISE, N_TEST, CHUNK_ROWS)
"""p neurons with a ridge readout."""

LOSS = replace(
    shared.LOSS,
    help=f"{FORMS}, each of a comma list; all but square with the penalty (lambda/2) |a|^2",
)

ALPHA0 = replace(_of(shared.ALPHA0), help="n0/d, samples of a step", range=ANY)
N0 = size("n0", "Samples of a step, instead of --alpha0")
LETTERS = shared.LETTERS
BIAS = replace(
    shared.BIAS, help="Bias of all neurons, or one a letter", metavar="B,...", default=0.0, is_echoed=False
)
FEATURES = Parameter(
    name="features",
    help="Of the network, of its Gaussian equivalent, or of the tangent kernel",
    kind=Kind.CHOICE,
    accepted=("network", "equivalent", "tangent"),
    to="model",
    default="network",
    is_filled=True,
)
