"""Parameters that several models have."""

from __future__ import annotations

from dataclasses import replace

from hermite_analytics.foundation.ranges import FLIPS as BELOW_HALF
from hermite_analytics.foundation.ranges import NOT_NEGATIVE, POSITIVE, Range
from hermite_analytics.foundation.shapes import Numbers
from hermite_analytics.losses.registry import FORMS
from hermite_analytics.numeric.models.parameter import Kind, Knob, Parameter
from hermite_analytics.numeric.models.record import ModelRecord, Result

__all__ = [
    "ACTIVATION",
    "ALPHA",
    "ALPHA0",
    "ALTERNATIVES",
    "BEST_RIDGE",
    "BETA",
    "BIAS",
    "CALIBRATION",
    "CONVENTION",
    "ERRORS",
    "ETA",
    "FLIPS",
    "GAMMA",
    "LETTERS",
    "LOSS",
    "NOISE",
    "RIDGE",
    "SCHEDULER",
    "SECONDS",
    "TARGET",
    "WORKERS",
    "C",
    "R",
    "flags_of",
    "given",
]


ACTIVATION = Parameter(
    name="activation",
    help='Activation, such as "tanh(z)"',
    kind=Kind.EXPRESSION,
    to="model",
    required=True,
)
TARGET = Parameter(
    name="target",
    help='Target of one direction, such as "sin(z1)"',
    kind=Kind.EXPRESSION,
    to="model",
    required=True,
)
ALPHA = Parameter(
    name="alpha",
    symbol="α",
    formula="n/d",
    help="n/d, samples",
    required=True,
    range=POSITIVE,
    knob=Knob(start=5, low=0.1, high=100, least=1e-6, logarithmic=True),
    in_rows="always",
)
BETA = Parameter(
    name="beta",
    symbol="β",
    formula="p/d",
    help="p/d, neurons",
    required=True,
    range=POSITIVE,
    knob=Knob(start=1, low=0.1, high=10, least=1e-6, logarithmic=True),
    in_rows="always",
)
RIDGE = Parameter(
    name="ridge",
    symbol="λ",
    help="lambda of sum (y - a.phi/sqrt p)^2 + lambda |a|^2",
    required=True,
    range=NOT_NEGATIVE,
    knob=Knob(start=0.1, low=1e-4, high=10, logarithmic=True),
    in_rows="always",
)
BEST_RIDGE = replace(
    RIDGE,
    help=f"{RIDGE.help}; optimal is that of the smallest test error, optimal:misclassification and "
    "optimal:square_error of these",
    words=("optimal", "optimal:misclassification", "optimal:square_error"),
)
LOSS = Parameter(
    name="loss",
    help=f'{FORMS}, or a convex function of y and x such as "log(cosh(y - x))"; of a comma list each',
    kind=Kind.TEXTS,
    to="model",
    default="square",
    is_filled=True,
    in_rows="sometimes",
    shape=str,
)
ERRORS = (
    Result(
        name="test_error",
        help="E (E[y|x] - yhat)^2, noise excluded; the share of wrong signs for a loss of y x",
    ),
    Result(name="train_error", help="mean training loss without the penalty"),
    Result(name="square_error", help="E (E[y|x] - yhat)^2, whatever the loss"),
    Result(
        name="misclassification", help="P(f yhat <= 0), for a target f of the values 1 and -1", always=False
    ),
)
ALTERNATIVES = Result(
    name="alternatives",
    help="local minima of what was optimised: the ridge, or the bias",
    shape=[
        (
            Result(name="ridge", always=False),
            Result(name="bias", always=False),
            Result(name="objective", always=False),
            Result(name="test_error", always=False),
            Result(name="square_error", always=False),
            Result(name="misclassification", always=False),
        )
    ],
    always=False,
)
CALIBRATION = Result(
    name="calibration_error", help="of the probabilities of a smooth loss of y x", always=False
)
NOISE = Parameter(
    name="noise",
    symbol="Δ",
    help="Variance of the label noise",
    default=0.0,
    range=NOT_NEGATIVE,
    knob=Knob(start=0, low=0, high=1),
    in_rows="always",
)
FLIPS = Parameter(
    name="flips",
    help="Share of training labels 1 and -1 that have the other sign",
    kind=Kind.NUMBER,
    to="model",
    default=0.0,
    range=BELOW_HALF,
    is_filled=True,
)
ALPHA0 = Parameter(
    name="alpha0",
    symbol="α₀",
    formula="n_0/d",
    help="n0/d, samples of the step",
    required=True,
    range=Range(low=0.0, infinite="inf is accepted"),
    knob=Knob(start=4, low=0.1, high=100, logarithmic=True),
    in_rows="always",
)
ETA = Parameter(
    name="eta",
    symbol="η",
    help="Step size over d",
    required=True,
    range=NOT_NEGATIVE,
    knob=Knob(start=2, low=0, high=8),
    in_rows="always",
)
CONVENTION = Parameter(
    name="step_convention",
    help="Effective step eta/beta, or eta",
    kind=Kind.CHOICE,
    accepted=("paper", "notebook"),
    default="paper",
    is_filled=True,
)
R = Parameter(
    name="r",
    symbol="r",
    help="Strength of the spike",
    knob=Knob(start=1, low=0, high=4),
    in_rows="always",
)
C = Parameter(
    name="c",
    symbol="c",
    help="Squared norm of a bulk row",
    range=POSITIVE,
    knob=Knob(start=1, low=0.1, high=4, least=1e-12),
    in_rows="always",
    shape=Numbers,
)
GAMMA = Parameter(
    name="gamma",
    symbol="γ",
    help="Overlap of spike and target",
    range=Range(low=-1.0, high=1.0),
    knob=Knob(start=0.9, low=0, high=1),
    in_rows="always",
)
LETTERS = Parameter(
    name="letters",
    help="Values of the first readout with their fractions",
    kind=Kind.WORDS,
    metavar="W:FRACTION,...",
    to="model",
)
BIAS = Parameter(
    name="bias",
    help="Bias of all neurons, one a letter, or learned by the readout",
    kind=Kind.WORDS,
    metavar="B|learned",
    to="model",
    default=0.0,
)

SECONDS = Parameter(
    name="seconds",
    help="Time for all points, of the processor: those that are not found in it are null, time_ended",
    kind=Kind.WORDS,
    metavar="S",
    to="run",
    is_echoed=False,
)
DEVICE = Parameter(
    name="device",
    help="cpu, torch, cuda or cupy",
    kind=Kind.WORDS,
    to="model",
    default="cpu",
    is_filled=True,
)
WORKERS = Parameter(
    name="workers",
    help="Processes that share the points; one of its own where it is 1",
    kind=Kind.INTEGER,
    to="run",
    range=Range(low=1.0),
    is_echoed=False,
)
SCHEDULER = Parameter(
    name="scheduler",
    help="Address of a Dask scheduler whose workers share the points",
    kind=Kind.WORDS,
    metavar="ADDRESS",
    to="run",
    is_echoed=False,
)


def given(parameter: Parameter) -> Parameter:
    """The same where it need not be given, and stands in a result only where it was."""
    return replace(parameter, required=False, in_rows="sometimes")


def flags_of(record: ModelRecord) -> tuple[Parameter, ...]:
    """What a model takes on the command line: its own, and how any grid of points is solved."""
    own = {parameter.name for parameter in record.parameters}
    return (*record.parameters, *(p for p in (SECONDS, WORKERS, SCHEDULER) if p.name not in own))
