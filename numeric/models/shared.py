"""Parameters that several models have."""

from __future__ import annotations

from dataclasses import replace

from hermite_analytics.foundation.shapes import Numbers
from hermite_analytics.numeric.models.record import Kind, Knob, Parameter
from hermite_analytics.numeric.ranges import NOT_NEGATIVE, POSITIVE, Range

__all__ = [
    "ACTIVATION",
    "ALPHA",
    "ALPHA0",
    "BETA",
    "BIAS",
    "CONVENTION",
    "ETA",
    "GAMMA",
    "LETTERS",
    "NOISE",
    "RIDGE",
    "TARGET",
    "C",
    "R",
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
NOISE = Parameter(
    name="noise",
    symbol="Δ",
    help="Variance of the label noise",
    default=0.0,
    range=NOT_NEGATIVE,
    knob=Knob(start=0, low=0, high=1),
    in_rows="always",
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


def given(parameter: Parameter) -> Parameter:
    """The same where it need not be given, and stands in a result only where it was."""
    return replace(parameter, required=False, in_rows="sometimes")
