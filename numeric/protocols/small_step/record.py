"""The record of the protocol `small-step`."""

from __future__ import annotations

from dataclasses import replace

from hermite_analytics.numeric.models.parameter import Kind, Parameter
from hermite_analytics.numeric.models.record import Record, Result
from hermite_analytics.numeric.protocols.network import mean
from hermite_analytics.numeric.protocols.shared import (
    ACTIVATION,
    ALPHA0,
    FEATURES,
    N0,
    READOUT,
    RUN,
    TARGET,
    size,
    swept,
)

__all__ = ["SMALL_STEP"]

_WEIGHTS = (
    "theta1",
    "theta2",
    "singular_value",
    "alignment",
    "second_value",
    "resolvent",
    "remainder_operator",
    "remainder_frobenius",
)


SMALL_STEP = Record(
    name="small-step",
    summary="A network after gradient steps of order 1.",
    help="Gradient steps on the first layer, then ridge regression on fresh data, without and with them.",
    factory="protocols.small_step.protocol:SmallStepProtocol",
    parameters=(
        ACTIVATION,
        TARGET,
        *RUN,
        *READOUT,
        swept("eta", "Step size, of order 1", required=True),
        replace(ALPHA0, help=f"{ALPHA0.help}; as many as the readout's by default"),
        N0,
        size("steps", "Number of steps; 1 by default", default=1),
        Parameter(
            name="batches",
            help="Whether several steps use one batch or a new one each",
            kind=Kind.CHOICE,
            accepted=("same", "fresh"),
            to="model",
            default="same",
            is_filled=True,
        ),
        swept("eta_power", "a: steps of size eta p^a; 1/2 is the large step", default=0.0),
        size("gradient_factor", "2 for the gradient of the undivided loss", default=1),
        FEATURES,
    ),
    results=(
        Result(name="weights", shape=tuple(mean(name, always=False) for name in _WEIGHTS)),
        Result(
            name="kernel", shape=tuple(mean(name) for name in ("singular_value", "alignment", "second_value"))
        ),
        mean("risk_before", "test error of the random features"),
        mean("risk_after", "test error after the steps"),
        mean("gain", "their difference"),
        mean("train_before", "training error of the random features"),
        mean("train_after", "training error after the steps"),
        mean("misclassification_before", "the share of wrong signs without the steps", always=False),
        mean("misclassification_after", "the share of wrong signs after the steps", always=False),
    ),
)
