"""Formulas for the page: MathML from the library's LaTeX."""

from __future__ import annotations

import dataclasses
import functools
import math

import sympy
from latex2mathml.converter import convert
from sympy import Expr

from hermite_analytics.evidence import Quantity
from hermite_analytics.foundation.json import Document
from hermite_analytics.language import display

__all__ = ["formula", "mathml", "quantity"]

_LONGEST = 6000  # characters of LaTeX; beyond it a formula is no help to a reader
_MOST_BITS = 3000
_KEPT = 1024


@functools.lru_cache(maxsize=_KEPT)
def mathml(latex: str) -> str | None:
    """One <math> element, or None where the formula is too long or is not understood.

    Examples
    --------
    >>> mathml(r"\\pi^{2}").startswith("<math")
    True
    """
    if len(latex) > _LONGEST:
        return None
    try:
        return str(convert(latex))
    except Exception:  # its errors have no common class; the page shows the text instead
        return None


def formula(expression: Expr) -> dict[str, str | None]:
    """An expression as text of the language, LaTeX and MathML."""
    latex = display.latex(expression)
    return {"text": display.text(expression), "latex": latex, "mathml": mathml(latex)}


def quantity(q: Quantity) -> Document:
    """A number with its evidence, its closed form also as MathML; none where nobody could read it."""
    readable = q.exact if _is_readable(q.exact) and math.isfinite(q.value) else None
    return dataclasses.replace(q, exact=readable).to_dict() | {
        "mathml": None if readable is None else mathml(display.latex(readable)),
        "error": q.error if math.isfinite(q.error) else None,
        "zero": q.zero,
    }


def _is_readable(expression: Expr | None) -> bool:
    """Whether its integers are not thousands of digits long."""
    if expression is None:
        return False
    rationals = expression.atoms(sympy.Rational)
    return all(max(int(r.p).bit_length(), int(r.q).bit_length()) <= _MOST_BITS for r in rationals)
