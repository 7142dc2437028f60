"""`Loss`: a convex loss by its name or its text."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from hermite_analytics.activation import text_of_symbolic
from hermite_analytics.errors import InputError, ParseError
from hermite_analytics.foundation.arrays import Floats, Numbers
from hermite_analytics.foundation.ranges import NOT_NEGATIVE
from hermite_analytics.language.text import callable_refusal
from hermite_analytics.losses.named.square import SQUARE
from hermite_analytics.losses.record import Corners, LossRecord, Proximal
from hermite_analytics.losses.registry import FORMS, named_loss
from hermite_analytics.numeric.checks import checked
from hermite_analytics.numeric.frozen import frozen_numbers
from hermite_analytics.numeric.losses.interface import compiled_record, no_corners, proximal_arrays

__all__ = ["Loss"]

_Attributes: TypeAlias = tuple[
    LossRecord | None, float, bool, bool, Callable[..., object], Callable[..., object]
]


@dataclass(frozen=True, slots=True)
class Loss:
    """A convex loss l(y, x) of a label y and a prediction x.

    Parameters
    ----------
    text : str
        The name of a loss of `losses.registry`, with its parameter after a colon: "square", "huber:0.7",
        "quantile:0.9", "logistic", "hinge"; or an expression in y and x that is convex in x, such as
        "log(cosh(y - x))", also of sympy.

    Attributes
    ----------
    record : LossRecord or None
        Of a loss with a name.
    parameter : float
        The number after the colon, else 0.
    of_margin, of_residual : bool
        Whether the loss depends on y x alone (labels are then classes), or on y - x alone.
    proximal, corners : compiled functions
        For compiled solvers: see `losses.interface`.

    Raises
    ------
    InputError
        An unknown name, a parameter outside its range.
    ParseError, NonConvexLoss
        Of an expression.

    Examples
    --------
    >>> loss = Loss("logistic")
    >>> print(f"{loss.prox(1.0, 0.0, 2.0):.12f} {loss.prox_derivative(1.0, 0.0, 2.0):.12f}")
    0.674831614342 0.691021603067
    >>> Loss("softplus(-y*x)").prox([1, -1], 0.0, 2.0).round(8)
    array([ 0.67483161, -0.67483161])
    """

    text: str = "square"
    record: LossRecord | None = field(init=False, repr=False, compare=False)
    parameter: float = field(init=False, repr=False, compare=False)
    of_margin: bool = field(init=False, repr=False, compare=False)
    of_residual: bool = field(init=False, repr=False, compare=False)
    proximal: Proximal = field(init=False, repr=False, compare=False)
    corners: Corners = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if hasattr(self.text, "free_symbols"):
            object.__setattr__(self, "text", text_of_symbolic(self.text))
        if callable(self.text):
            raise InputError(
                callable_refusal(self.text, 'as text in y and x, for example "log(1 + exp(-y*x))"')
            )
        if not isinstance(self.text, str):
            raise InputError(f"the loss is {self.text!r}; accepted: {FORMS} or a text in y and x")
        named = named_loss(self.text)
        values = _from_text(self.text) if named is None else _of_record(*named)
        names = ("record", "parameter", "of_margin", "of_residual", "proximal", "corners")
        for attribute, value in zip(names, values, strict=True):
            object.__setattr__(self, attribute, value)

    def __str__(self) -> str:
        return self.text

    def __reduce__(self) -> tuple[type[Loss], tuple[str]]:
        return Loss, (self.text,)

    @property
    def needs_signs(self) -> bool:
        """Whether only labels +-1 are accepted."""
        return self.record is not None and self.record.needs_signs

    @property
    def is_square(self) -> bool:
        """Whether it is the square loss, which has equations of its own."""
        return self.record is SQUARE

    @property
    def is_piecewise_quadratic(self) -> bool:
        """Whether its prox is linear between its bends: a readout is a quadratic problem in a box then."""
        return self.record is not None and self.record.dual is not None

    @property
    def scaling(self) -> float:
        """What reports of training errors multiply it by."""
        return 1.0 if self.record is None else self.record.scaling

    def value(self, y: ArrayLike, x: ArrayLike) -> Numbers:
        """l(y, x)."""
        return frozen_numbers(self._outputs(y, x, 0.0)[4])

    def slope(self, y: ArrayLike, x: ArrayLike) -> Numbers:
        """dl/dx; at a kink one of the slopes beside it."""
        return frozen_numbers(-self._outputs(y, x, 0.0)[2])

    def derivatives(self, y: ArrayLike, x: ArrayLike) -> tuple[Numbers, Numbers]:
        """dl/dx and d2l/dx2."""
        found = self._outputs(y, x, 0.0)
        return frozen_numbers(-found[2]), frozen_numbers(found[3])

    @property
    def has_probabilities(self) -> bool:
        """Whether a prediction stands for a probability of the label 1: a smooth loss of the margin."""
        smooth = self.corners is no_corners if self.record is None else self.record.is_analytic
        return self.of_margin and smooth

    def prox(self, y: ArrayLike, field: ArrayLike, variance: ArrayLike) -> Numbers:
        """argmin_x [(x - field)^2/(2 variance) + l(y, x)]; arguments broadcast.

        Parameters
        ----------
        y : array_like
            Labels.
        field : array_like
        variance : array_like >= 0
        """
        return frozen_numbers(self._outputs(y, field, variance)[0])

    def prox_derivative(self, y: ArrayLike, field: ArrayLike, variance: ArrayLike) -> Numbers:
        """d prox/d field, in [0, 1]; 0 where the prox stands at a kink."""
        return frozen_numbers(self._outputs(y, field, variance)[1])

    def envelope(self, y: ArrayLike, field: ArrayLike, variance: ArrayLike) -> Numbers:
        """The Moreau envelope: min_x [(x - field)^2/(2 variance) + l(y, x)]."""
        _, _, slope, _, loss = self._outputs(y, field, variance)
        return frozen_numbers(loss + 0.5 * np.asarray(variance, dtype=np.float64) * slope**2)

    def _outputs(self, y: ArrayLike, field: ArrayLike, variance: ArrayLike) -> Floats:
        arrays = np.broadcast_arrays(
            checked("y", y), checked("field", field), checked("variance", variance, NOT_NEGATIVE)
        )
        if self.needs_signs and not np.all(np.abs(arrays[0]) == 1.0):
            raise InputError(f"the loss {self.text} takes labels 1 and -1 only")
        labels, fields, variances = (np.array(a, dtype=np.float64).reshape(-1) for a in arrays)
        out = np.empty((5, labels.size))
        proximal_arrays(self.proximal, labels, fields, variances, self.parameter, out)
        return out.reshape(5, *arrays[0].shape)


def _of_record(record: LossRecord, parameter: float) -> _Attributes:
    return record, parameter, record.needs_signs, not record.needs_signs, *compiled_record(record)


@functools.lru_cache(maxsize=32)
def _from_text(text: str) -> _Attributes:
    from hermite_analytics.losses.expression import LossExpression
    from hermite_analytics.numeric.losses.generated import generated_corners, generated_proximal

    if text.strip().isidentifier() and text.strip() not in ("x", "y"):
        raise InputError(
            f"unknown loss {text!r}; accepted: {FORMS}, or an expression in y and x, convex in x"
        )
    try:
        expression = LossExpression(text)
    except ParseError as error:
        if ":" not in text:
            raise
        raise InputError(f"unknown loss {text[:40]!r}; accepted: {FORMS}") from error
    proximal, corners = generated_proximal(expression), generated_corners(expression)
    return None, 0.0, expression.of_margin, expression.of_residual, proximal, corners
