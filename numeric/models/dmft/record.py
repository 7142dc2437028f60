"""The record of `DMFT`."""

from __future__ import annotations

from dataclasses import replace

from hermite_analytics.foundation.ranges import NOT_NEGATIVE, Range
from hermite_analytics.foundation.shapes import Count, Number, listed, one_of
from hermite_analytics.numeric.models.parameter import Kind, Knob, Menu, Parameter
from hermite_analytics.numeric.models.readings import rows
from hermite_analytics.numeric.models.record import STATUSES, ModelRecord, Result
from hermite_analytics.numeric.models.shared import ACTIVATION, ALPHA, DEVICE, NOISE, SECONDS, TARGET

__all__ = [
    "DMFT",
    "LOSS",
    "MOMENTUM",
    "OVERLAP",
    "READOUT",
    "READOUT_STEP",
    "REUSE",
    "SCHEDULE",
    "SHRINKAGE",
    "SPHERICAL",
    "STEPS",
    "STEP_SIZE",
    "TOLERANCE",
]

READOUT = Parameter(
    name="readout",
    help="a_j of f = sum_j a_j sigma(h_j), one a neuron, at the start",
    kind=Kind.LIST,
    to="model",
    default=(1.0,),
    shape=listed(Number, least=1),
    menu=Menu(words=("1", "1,-1", "1,1"), help="a of f = Σ aⱼσ(wⱼ·x) at the start: one neuron or two"),
)
LOSS = Parameter(
    name="loss",
    help='"square" (f - y)^2/2, "correlation" -y f, or a text as "logistic", "huber:1", in y and x',
    kind=Kind.EXPRESSION,
    to="model",
    default="square",
    is_filled=True,
    menu=Menu(
        words=("square", "correlation", "logistic", "huber:1"),
        help="what is descended; logistic takes targets with the values 1 and -1",
    ),
)
REUSE = Parameter(
    name="reuse",
    help="kappa: a sample's gradient is taken at the fields h - kappa dl/dh, after a step of its own",
    kind=Kind.NUMBER,
    to="model",
    default=0.0,
)
STEP_SIZE = Parameter(
    name="eta",
    symbol="η",
    help="Step size: a step moves w_j by -(eta/d) sum_i of the gradients",
    required=True,
    knob=Knob(start=0.2, low=0, high=2),
    in_rows="always",
)
STEPS = Parameter(
    name="steps",
    help="How many are made",
    kind=Kind.INTEGER,
    required=True,
    range=Range(low=1),
    knob=Knob(start=4, low=1, high=12, most=40),
)
SHRINKAGE = Parameter(
    name="ridge",
    symbol="λ",
    help="Weight decay: a step multiplies the weights by 1 - eta ridge",
    default=0.0,
    range=NOT_NEGATIVE,
    knob=Knob(start=0, low=0, high=1),
    in_rows="always",
)
MOMENTUM = Parameter(
    name="momentum",
    help="Of the heavy ball",
    default=0.0,
    range=Range(low=0.0, high=1.0),
    knob=Knob(start=0, low=0, high=0.95),
    in_rows="always",
)
SCHEDULE = Parameter(
    name="schedule",
    help="Which samples a step sees: full, minibatch:b, epochs:B, twice, one-pass:alpha_b, or "
    "extra-gradient:eta for all, after a look-ahead",
    kind=Kind.WORDS,
    default="full",
    is_filled=True,
    menu=Menu(
        words=("full", "minibatch:0.5", "epochs:2", "twice", "one-pass", "extra-gradient:0.2"),
        help="the samples that a step sees: all; each with probability 1/2; two halves in turn; blocks, each "
        "for two steps; αd fresh ones; all, after a look-ahead with step 0.2",
    ),
)
READOUT_STEP = Parameter(
    name="readout_eta",
    help="Step size of the readout: a step moves a_j by -readout_eta times the mean of its gradients",
    default=0.0,
    knob=Knob(start=0, low=0, high=1, help="step of the readout a; 0 keeps it as it is"),
    in_rows="sometimes",
)
SPHERICAL = Parameter(
    name="spherical",
    help="Divide each w_j by its norm after every step",
    kind=Kind.FLAG,
    default=False,
)
OVERLAP = Parameter(
    name="overlap",
    help="Overlap at the start, one row a neuron, as 0.4,0.4;0.4,-0.4. By default 0",
    kind=Kind.WORDS,
    metavar="M1,M2,...[;...]",
    read=rows,
)

TOLERANCE = Parameter(
    name="tolerance",
    help="Of numerical_error: more points are taken until it is met, or --seconds are over",
    kind=Kind.NUMBER,
    default=1e-3,
    range=Range(low=0.0, high=1.0, open_low=True),
    is_echoed=False,
)

_MATRIX = listed(listed(Number, least=1), least=1)

DMFT = ModelRecord(
    name="dmft",
    summary="Overlaps under full-batch gradient descent, step by step.",
    help="Overlaps and errors after each step of gradient descent that sees its samples again.",
    factory="models.dmft.model:DMFT",
    parameters=(
        ACTIVATION,
        replace(TARGET, help='Target, such as "He3(z1)" or "z1 + z1*z2"'),
        READOUT,
        LOSS,
        REUSE,
        replace(
            ALPHA,
            required=False,
            help="n/d, samples; all that is seen for a schedule one-pass",
            knob=Knob(start=3, low=0.1, high=20, least=1e-6, logarithmic=True, help="n/d, samples"),
        ),
        STEP_SIZE,
        STEPS,
        SHRINKAGE,
        NOISE,
        SCHEDULE,
        MOMENTUM,
        READOUT_STEP,
        SPHERICAL,
        OVERLAP,
        TOLERANCE,
        replace(
            DEVICE,
            to="solve",
            help=f"Where sampled rows stand: {DEVICE.help}",
            is_filled=False,
            is_echoed=False,
        ),
        replace(SECONDS, to="solve", default=30.0),
    ),
    results=(
        Result(name="step", help="steps made", shape=Count),
        Result(name="overlap", help="<w_j, w*_k>, one row a neuron", shape=_MATRIX),
        Result(name="norm", help="<w_j, w_l>, one row a neuron", shape=_MATRIX),
        Result(name="trained_readout", help="a_j", shape=listed(Number, least=1), always=False),
        Result(name="test_error", help="E (g - f)^2 on a fresh sample, label noise excluded"),
        Result(name="train_error", help="E (y - f)^2 on a training sample, label noise included"),
        Result(name="test_loss", help="E l(f, y) on a fresh sample, label noise included"),
        Result(name="train_loss", help="E l(f, y) on a training sample, label noise included"),
        Result(name="averages", help="how those of the step were taken", shape=one_of("quadrature", "sobol")),
        Result(name="numerical_error", help="of overlap, norm, readout and errors; relative above 1"),
        Result(
            name="status",
            help="how the run ended; before a divergence converged",
            shape=one_of(*map(str, STATUSES)),
        ),
    ),
    sources="arXiv 2006.08098, 2112.07572, 2210.06591, 2402.03220; docs/dmft.md",
    drawn=("overlap",),
    against="step",
    ordinate="overlap",
    python_only=("correlations",),
)
