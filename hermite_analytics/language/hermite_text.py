"""The text of a polynomial that is given by its Hermite coefficients."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.errors import InputError

__all__ = ["polynomial_text"]


def polynomial_text(coefficients: NDArray[Any]) -> str:
    """The polynomial with these Hermite coefficients c_k = E[f He_k], one axis a coordinate."""
    if (
        coefficients.size == 0
        or coefficients.ndim == 0
        or coefficients.dtype.kind not in "iuf"
        or not np.isfinite(coefficients).all()
    ):
        raise InputError(
            f"an array of shape {coefficients.shape} and type {coefficients.dtype} is given as a target: "
            "finite real Hermite coefficients c_k = E[f He_k] are accepted, one axis for each coordinate"
        )
    terms = []
    for index in zip(*np.nonzero(coefficients), strict=True):
        value = Fraction(str(coefficients[index])) / math.prod(math.factorial(k) for k in index)
        factors = [f"He({k}, z{i + 1})" for i, k in enumerate(index) if k]
        terms.append("*".join([f"({value})", *factors]))
    return " + ".join(terms) or "0"
