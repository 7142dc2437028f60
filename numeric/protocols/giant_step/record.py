"""The record of the protocol `giant-step`."""

from __future__ import annotations

from dataclasses import replace

from hermite_analytics.foundation.ranges import Range
from hermite_analytics.numeric.models.parameter import Kind, Parameter
from hermite_analytics.numeric.models.readings import directions
from hermite_analytics.numeric.models.record import Record, Result
from hermite_analytics.numeric.protocols.network import MEASURES, TEST, TRAIN, mean, ridge_by_default
from hermite_analytics.numeric.protocols.shared import (
    ACTIVATION,
    ALPHA0,
    BIAS,
    LETTERS,
    LOSS,
    N0,
    RUN,
    TARGET,
    Verdicts,
    swept,
)

__all__ = ["GIANT_STEP"]

GIANT_STEP = Record(
    name="giant-step",
    summary="A network after one or several gradient steps of order d.",
    help="Gradient steps on the first layer, then (with --n or --alpha) a readout.",
    factory="protocols.giant_step.protocol:GiantStepProtocol",
    reading="models.spiked.vocabulary:of_network",
    parameters=(
        ACTIVATION,
        TARGET,
        *RUN,
        *ridge_by_default(0.01),
        LOSS,
        swept("eta", "Step size over d; by default an effective step of d^((l-1)/2) for n0 >= d^l"),
        ALPHA0,
        replace(N0, help=f"{N0.help}; by default those of the readout"),
        Parameter(
            name="step_convention",
            help="Effective step eta/beta, eta, or eta/p",
            kind=Kind.CHOICE,
            accepted=("paper", "notebook", "mean-field"),
            to="model",
            default="paper",
            is_filled=True,
        ),
        Parameter(
            name="steps",
            help="",
            kind=Kind.INTEGER,
            to="model",
            default=1,
            is_filled=True,
            range=Range(low=1),
        ),
        Parameter(
            name="batch",
            help="",
            kind=Kind.CHOICE,
            accepted=("fresh", "reused"),
            to="model",
            default="fresh",
            is_filled=True,
        ),
        Parameter(
            name="init",
            help="Neurons alike, or in pairs that cancel (the default for several steps)",
            kind=Kind.CHOICE,
            accepted=("equal", "symmetric"),
            to="model",
        ),
        LETTERS,
        BIAS,
        Parameter(
            name="bias_from",
            help="Whether the steps know the biases, or the readout alone",
            kind=Kind.CHOICE,
            accepted=("start", "readout"),
            to="model",
            default="start",
            is_filled=True,
        ),
        Parameter(
            name="directions",
            help="Measure overlaps along these, not along the axes",
            kind=Kind.WORDS,
            metavar="ROW;ROW",
            read=directions,
            to="model",
            is_echoed=False,
        ),
    ),
    results=(
        mean("r", "strength of the spike", always=False),
        mean("c", "squared norm of a bulk row", always=False),
        mean("gamma", "overlap of spike and target", always=False),
        mean("c_spike", "d Var of a bulk row along the spike", always=False),
        mean("c_target", "d Var of a bulk row along the target", always=False),
        replace(TEST, always=False),
        replace(TRAIN, always=False),
        *(replace(measure, always=False) for measure in MEASURES),
        mean("overlap", "mean squared cosine of neurons and a direction, a step"),
        mean("exceedance", "its rank among control directions"),
        mean("span", "eigenvalues of the neurons in the span of the target"),
        Result(name="learned", shape=Verdicts),
    ),
)
