"""What `Bounds` gives: bounds on the test error, and where they are attained."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.foundation.arrays import Numbers
from hermite_analytics.numeric.frozen import ReadOnly
from hermite_analytics.numeric.solution import Solution

__all__ = ["BoundsSolution"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class BoundsSolution(Solution):
    """lower <= inf over the ridge of the test error <= upper.

    Attributes
    ----------
    upper, lower : float or ndarray
    linear_floor : float
        Error of the best affine predictor.
    r_upper, r_lower : float or None
        With an optimised step: the spike strengths at which the bounds are attained.
    c_upper, c_lower : float, ndarray or None
        Where c moved with r: its values there.
    bias_upper, bias_lower : float, ndarray or None
        With a learned bias: where the bounds are attained.
    minima : mapping of str to tuple of (place, value)
        Of what was optimised: all local minima of "upper" and "lower", the lowest first.
    coefficients : mapping of str to ndarray
        Of the functions that attain the bounds: "upper" of the mu0 of the letters, "lower" of mu0, of
        kappa mu1 and of mu1 z.
    numerical_error : float or ndarray
        Change when the quadrature was refined last.
    """

    upper: Numbers
    lower: Numbers
    linear_floor: float
    numerical_error: Numbers
    coefficients: Mapping[str, NDArray[np.float64]]
    r_upper: float | None = None
    r_lower: float | None = None
    c_upper: Numbers | None = None
    c_lower: Numbers | None = None
    bias_upper: Numbers | None = None
    bias_lower: Numbers | None = None
    minima: Mapping[str, tuple[tuple[float, float], ...]] = field(default_factory=lambda: ReadOnly({}))
    model: str = "bounds"

    columns: ClassVar[tuple[str, ...]] = (
        *("r", "c", "gamma", "upper", "lower", "linear_floor"),
        *("r_upper", "r_lower", "c_upper", "c_lower", "bias_upper", "bias_lower"),
        *("status", "residual", "iterations", "numerical_error"),
    )
    shaped: ClassVar[str] = "upper"
