"""What a target is made from."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from sympy import Expr

from hermite_analytics.activation import text_of_symbolic
from hermite_analytics.language.hermite_text import polynomial_text

__all__ = ["TargetText", "text_of"]

TargetText: TypeAlias = str | Expr | npt.NDArray[Any]


def text_of(given: TargetText) -> str:
    """What our own parser then reads: the text, that of a sympy expression, or of Hermite coefficients."""
    if isinstance(given, np.ndarray):
        return polynomial_text(given)
    return text_of_symbolic(given) if isinstance(given, Expr) else given
