"""Labels of ordinary size: an added number taken off, and a power of ten divided out.

Any invertible map of the label leaves the law of w given the label as it is. But labels are compared in
double precision: those near 1e-13 or 1e9, or of 1e9 with fluctuations of 1, would lose digits.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import sympy
from flint import arb
from sympy import Expr, Rational, S

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.gaussian.enclosure.precision import working_precision
from hermite_analytics.gaussian.enclosure.program import Program

__all__ = ["NormalLabel", "normal_label"]

_POINTS = 255
_BITS = 64
_ORDINARY = 1  # exponent of ten up to which labels stay as they are
_FAR = 100  # sizes from 0 beyond which an added number is taken off


@dataclass(frozen=True, slots=True, kw_only=True)
class NormalLabel:
    """y = offset + scale * signal.

    Attributes
    ----------
    signal : sympy expression
    offset : exact number
    scale : positive rational number
        A power of ten.
    """

    signal: Expr
    offset: Expr = S.Zero
    scale: Expr = S.One


def normal_label(label: Expr) -> NormalLabel:
    """The label in a unit in which its typical deviation is near 1; as it is where that is no gain.

    Examples
    --------
    >>> z1, z2 = sympy.symbols("z1 z2", real=True)
    >>> normal_label(1 + z1 * z2 / 10**8)
    NormalLabel(signal=z1*z2, offset=1, scale=1/100000000)
    >>> normal_label(z1**2 - 1)
    NormalLabel(signal=z1**2 - 1, offset=0, scale=1)
    """
    if not label.free_symbols:
        return NormalLabel(signal=label)
    terms = _terms(label)
    offset = sympy.Add(*(a for a in terms if not a.free_symbols))
    rest = sympy.Add(*(a for a in terms if a.free_symbols))
    size = _size(rest)
    exponent = round(size)
    far = offset != 0 and math.log10(abs(offset.evalf())) > size + math.log10(_FAR)
    if abs(exponent) <= _ORDINARY and not far:
        return NormalLabel(signal=label)
    scale = Rational(10) ** exponent if abs(exponent) > _ORDINARY else S.One
    signal = sympy.Add(*(a / scale for a in sympy.Add.make_args(rest)))
    return NormalLabel(signal=signal, offset=offset, scale=scale)


def _terms(label: Expr) -> tuple[Expr, ...]:
    """Of the sum, a number in front of it multiplied out."""
    factor, rest = label.as_independent(*label.free_symbols, as_Add=False)
    return tuple(factor * a for a in rest.args) if rest.is_Add else sympy.Add.make_args(label)


def _size(signal: Expr) -> float:
    """log10 of the upper quartile of deviations from the median, or of the content where that is 0."""
    values = _values(signal)
    if len(values):
        deviations = np.abs(values - np.median(values))
        for size in (float(np.quantile(deviations, 0.75)), float(deviations.mean())):
            if 0 < size < math.inf:
                return math.log10(size)
    content = signal.primitive()[0] if signal.is_Add else signal.as_independent(*signal.free_symbols)[0]
    return float(sympy.log(abs(content), 10).evalf()) if content != 0 else 0.0


def _values(signal: Expr) -> Array:
    """At random points, where they are found."""
    names = sorted(signal.free_symbols, key=str)
    try:
        program = Program(signal, names, _BITS)
    except UnsupportedExpression:
        return np.zeros(0)
    points = np.random.default_rng(0).standard_normal((_POINTS, len(names)))
    with working_precision(_BITS):
        found = np.array([float(program(*map(arb, row))) for row in points.tolist()])
    return np.asarray(found[np.isfinite(found)])
