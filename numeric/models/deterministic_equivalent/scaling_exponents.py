"""What `ScalingLaw` answers: exponents at points, and the best of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.foundation.arrays import Numbers
from hermite_analytics.numeric.solution import Solution

__all__ = ["OptimalExponents", "ScalingExponents"]

_MODEL = "scaling-law"
_LAW = ("capacity", "source", "ridge_exponent", "features_exponent")
_STATISTICS = ("status", "residual", "iterations")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ScalingExponents(Solution):
    """Decay exponents at all points; arrays have the broadcast shape of the two exponents given.

    Attributes
    ----------
    bias_exponent, variance_exponent, exponent : float or ndarray
        B, V and min(B, V): errors fall like n^-exponent.
    region : str or ndarray of str
        "ridge-limited", "features-limited", "interpolating" or "interpolation-peak".
    dominant : str or ndarray of str
        "bias", "variance" or "both": what the test error consists of.
    bias_from : str or ndarray of str
        "kernel" or "features": the bias of the kernel itself, or of the randomness of finitely many features.
    logarithm : bool or ndarray of bool
        Whether a logarithm of n multiplies the power in the bias (r = 1/2 or r = 1).
    parameters : mapping
        capacity, source, ridge_exponent, features_exponent.
    """

    bias_exponent: Numbers
    variance_exponent: Numbers
    exponent: Numbers
    region: str | NDArray[np.str_]
    dominant: str | NDArray[np.str_]
    bias_from: str | NDArray[np.str_]
    logarithm: bool | NDArray[np.bool_]
    model: str = _MODEL

    columns: ClassVar[tuple[str, ...]] = (
        *_LAW,
        *("bias_exponent", "variance_exponent", "exponent", "region", "dominant", "bias_from", "logarithm"),
        *_STATISTICS,
    )
    shaped: ClassVar[str] = "exponent"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class OptimalExponents(Solution):
    """The fastest decay of the test error with label noise, and the least that reaches it.

    Attributes
    ----------
    exponent : float
    ridge_exponent : float
        l of the ridge n^(1-l).
    features_exponent : float
        The smallest q, p = n^q, that reaches the exponent.
    exact : mapping of str to Fraction
        The three in exact arithmetic.
    """

    exponent: float
    ridge_exponent: float
    features_exponent: float
    exact: Mapping[str, Fraction]
    model: str = _MODEL

    columns: ClassVar[tuple[str, ...]] = (*_LAW, "exponent", *_STATISTICS)
    shaped: ClassVar[str] = "exponent"
