"""The loss that is trained on: its value and its slope in the prediction, of arrays of any namespace."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from array_api_compat import array_namespace, device

from hermite_analytics.errors import InputError
from hermite_analytics.losses.registry import FORMS, LOSSES
from hermite_analytics.numeric.losses.interface import proximal_arrays
from hermite_analytics.numeric.losses.loss import Loss
from hermite_analytics.numeric.simulator.backend import on_host

__all__ = ["TrainingLoss"]

Array = Any
_PLAIN = ("square", "correlation")


@dataclass(frozen=True, slots=True)
class TrainingLoss:
    """A loss l(f, y) by its name or its text.

    Parameters
    ----------
    text : str
        "square" (f - y)^2/2, "correlation" -y f, or a text of `Loss`.

    Raises
    ------
    InputError
        An unknown name, or what `Loss` refuses.
    """

    text: str
    _loss: Loss | None = field(init=False, repr=False)

    def __post_init__(self) -> None:
        text = self.text
        if not isinstance(text, str) or (
            text.strip().isidentifier() and text not in ("correlation", *LOSSES, "x", "y")
        ):
            raise InputError(
                f"loss is {text!r}; accepted: correlation, {FORMS}, or an expression in y and x, convex in x"
            )
        object.__setattr__(self, "_loss", None if text in _PLAIN else Loss(text))

    @property
    def is_analytic(self) -> bool:
        """Whether the slope is known to be analytic in the prediction."""
        record = self._loss.record if self._loss is not None else None
        return self.is_quadratic or (record is not None and record.is_analytic)

    @property
    def is_quadratic(self) -> bool:
        """Whether the slope is affine in the label and the prediction."""
        return self.text in _PLAIN

    @property
    def needs_signs(self) -> bool:
        """Whether only labels 1 and -1 are accepted."""
        return self._loss is not None and self._loss.needs_signs

    def check_labels(self, label: Array) -> None:
        """Refuse labels that the loss does not take."""
        if self.needs_signs and not bool((abs(label) == 1.0).all()):
            raise InputError(
                f"the loss {self.text} takes labels 1 and -1 only; a target such as sign(z1) is accepted"
            )

    def slope(self, label: Array, prediction: Array) -> Array:
        """dl/df, almost everywhere; shape (n,)."""
        if self.text == "square":
            return prediction - label
        if self.text == "correlation":
            return -label
        return self._output(2, label, prediction, -1.0)

    def value(self, label: Array, prediction: Array) -> Array:
        """l(f, y), shape (n,)."""
        if self.text == "square":
            return 0.5 * (prediction - label) ** 2
        if self.text == "correlation":
            return -label * prediction
        return self._output(4, label, prediction, 1.0)

    def _output(self, which: int, label: Array, prediction: Array, sign: float) -> Array:
        """One of the compiled loop, which is the processor's: arrays of a device go there and back."""
        assert self._loss is not None
        y, f = np.array(on_host(label)), np.array(on_host(prediction))  # the loop takes writeable arrays
        out = np.empty((5, y.size))
        proximal_arrays(self._loss.proximal, y, f, np.zeros(y.size), self._loss.parameter, out)
        found = sign * out[which]
        if isinstance(prediction, np.ndarray):
            return found
        return array_namespace(prediction).asarray(found, device=device(prediction))
