"""Parameters and numbers of the protocols of a two-layer network."""

from __future__ import annotations

from dataclasses import replace

from hermite_analytics.numeric.models.parameter import Parameter
from hermite_analytics.numeric.models.record import Result
from hermite_analytics.numeric.protocols.shared import READOUT, RIDGE, Estimates

__all__ = ["MEASURES", "TEST", "TRAIN", "mean", "ridge_by_default"]


def mean(name: str, help: str = "", *, always: bool = True) -> Result:
    """A mean over seeds."""
    return Result(name=name, help=help, shape=Estimates, always=always)


def ridge_by_default(ridge: float) -> tuple[Parameter, ...]:
    """Those of the readout, with another ridge where none is given."""
    return tuple(replace(p, default=ridge) if p is RIDGE else p for p in READOUT)


TEST = mean("test_error", "E (E[y|x] - yhat)^2 on fresh samples")


TRAIN = mean("train_error", "mean training loss")


MEASURES = (
    mean("square_error", "E (E[y|x] - yhat)^2 on fresh samples, whatever the loss"),
    mean("misclassification", "the share of wrong signs, for labels 1 and -1", always=False),
)
