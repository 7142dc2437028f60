"""The record of a loss: its value, its proximal operator and what is known of it, each said once.

Records import neither numpy nor numba: help and schemas read them. `Loss` compiles their functions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from hermite_analytics.foundation.ranges import Range

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Array", "Corners", "Dual", "LossParameter", "LossRecord", "Proximal", "Values"]

Array: TypeAlias = "NDArray[np.float64]"
Values: TypeAlias = tuple[float, float, float, float, float]
Proximal: TypeAlias = Callable[[float, float, float, float], Values]
Corners: TypeAlias = "Callable[[float, float, float, Array], int]"


@dataclass(frozen=True, slots=True, kw_only=True)
class LossParameter:
    """The number after the colon.

    Attributes
    ----------
    symbol : str
        As in the name's form "huber:D" and in the text of the value.
    word : str
        What it is, as "threshold".
    range : Range
    """

    symbol: str
    word: str
    range: Range


@dataclass(frozen=True, slots=True, kw_only=True)
class Dual:
    """l = max over low <= u <= high of u g - bend u^2/2, with g = 1 - y x, or y - x.

    A readout by such a loss is a quadratic problem in a box.
    """

    low: float
    high: float
    bend: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LossRecord:
    """A loss l(y, x) with a name, convex in the prediction x.

    Attributes
    ----------
    name : str
    text : str
        The value, in the language, in y, x and the parameter's symbol.
    help : str
        What it is for, in a line without a full stop.
    source : str
        Where its proximal operator is from.
    proximal : callable
        (y, field, variance, parameter) -> (prox, derivative, slope, curvature, loss): see
        `losses.interface`. Plain Python on floats that numba compiles, without helpers.
    corners : callable, optional
        (y, variance, parameter, out) -> count, the fields around which the prox bends: see there.
    parameter : LossParameter, optional
    needs_signs : bool
        Whether it depends on y x alone and takes labels 1 and -1; if not, it depends on y - x alone.
    is_analytic : bool
        Whether the slope is analytic in x.
    has_bounded_slope : bool
        Whether |dl/dx| is bounded for bounded y.
    scaling : float
        What reports of training errors multiply l by.
    counts_from : bool
        Whether the parameter of the compiled functions is the place from which x is counted.
    dual : callable, optional
        The `Dual` at a value of the parameter (0 without one).
    """

    name: str
    text: str
    help: str
    source: str
    proximal: Proximal
    corners: Corners | None = None
    parameter: LossParameter | None = None
    needs_signs: bool = False
    is_analytic: bool = False
    has_bounded_slope: bool = False
    scaling: float = 1.0
    counts_from: bool = False
    dual: Callable[[float], Dual] | None = None

    @property
    def form(self) -> str:
        """As users write it: "huber:D"."""
        return f"{self.name}:{self.parameter.symbol}" if self.parameter else self.name
