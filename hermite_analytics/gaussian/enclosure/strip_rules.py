"""Bounds of the functions of the language on a strip, each from its addition theorem.

Throughout w = x + iy; x and y stand for the real and imaginary part of the argument.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import sympy
from flint import arb
from sympy import Expr

from hermite_analytics.gaussian.enclosure.constants import ball_of
from hermite_analytics.gaussian.enclosure.envelope import Envelope, EnvelopeTerm, Quadratic
from hermite_analytics.gaussian.enclosure.precision import BOUND_BITS
from hermite_analytics.gaussian.enclosure.strip_algebra import (
    NoStripBound,
    StripBounds,
    bounded,
    from_size,
)
from hermite_analytics.language import functions as own
from hermite_analytics.language.functions import Record, record_of

__all__ = ["analytic_rule"]


def _height(w: StripBounds, limit: arb) -> arb:
    height = w.height()
    if not height < limit:
        raise NoStripBound("a pole or a branch point may lie in the strip")
    return height


def _bounded(record: Record, w: StripBounds) -> StripBounds:
    """By the bounds of the record; where the argument has one sign, so has the real part of some."""
    assert record.on_strip is not None and record.strip is not None
    size, low, high, imaginary = record.on_strip(_height(w, ball_of(record.strip, BOUND_BITS)))
    if record.has_sign_of_argument:
        low = arb(0) if w.bottom() >= 0 else low
        high = arb(0) if w.top() <= 0 else high
    return bounded(w, size, low, high, imaginary)


def _softplus(w: StripBounds) -> StripBounds:
    """log(1 + e^w): Re <= log 2 + max(0, x), Re >= 0 (|y| <= pi/2) or log sin|y|; |arg(1 + e^w)| <= |y|."""
    y = _height(w, arb.pi())
    if w.upper is None:
        raise NoStripBound("softplus of a part that is not bounded by a quadratic")
    count = w.count
    upper = w.upper.largest(Quadratic.of(arb(0), count)).plus(Quadratic.of(arb(2).log(), count))
    low = arb(0) if y <= arb.pi() / 2 else y.sin().log()
    size = upper.plus(Quadratic.of(y - low, count)).absolute()
    return StripBounds(size, upper, Quadratic.of(low, count), Quadratic.of(y, count), arb(0))


def _exp_square(height: Quadratic) -> Envelope:
    """exp(y^2) for |y| <= height of at most linear growth."""
    count = len(height.linear)
    if not all(s <= 0 for s in height.square):
        raise NoStripBound("the imaginary part of the argument grows too fast")
    # (c + sum r_i t_i)^2 <= (n+1) (c^2 + sum r_i^2 t_i^2), exact for constants
    factor = 1 + sum(1 for r in height.linear if not r.is_zero())
    constant = height.constant.max(arb(0))
    slopes = [r.max(arb(0)) for r in height.linear]
    square = tuple(factor * r * r for r in slopes)
    return Quadratic(factor * constant * constant, (arb(0),) * count, square).exponential()


def _need_imaginary(w: StripBounds) -> Quadratic:
    if w.imaginary is None:
        raise NoStripBound("the imaginary part of an argument is not bounded by a quadratic")
    return w.imaginary


def _cdf(w: StripBounds) -> StripBounds:
    """|Phi(x+iy)| <= e^(y^2/2) Phi(x) (shift the contour to Im = y), and Phi(-u) <= e^(-u^2/2)/2 for u >= 0.

    Where Re w <= -(c + l.t), l >= 0: Phi(Re w) <= C exp(-(c + l.t)^2/2), C = 1/2 or, for c < 0, e^(c^2/2).
    """
    imaginary = _need_imaginary(w)
    if w.is_real():
        growth = Envelope.of(arb(1), w.count)
    else:
        growth = _exp_square(imaginary.scaled(1 / arb(2).sqrt()))
    decay = _lower_tail(w.upper)
    size = growth if decay is None else growth.times(decay)
    bounds = from_size(size, w.is_real())
    if w.is_real():
        zero, one = Quadratic.of(arb(0), w.count), Quadratic.of(arb(1), w.count)
        bounds = replace(bounds, lower=zero, upper=one)
    return bounds


def _lower_tail(upper: Quadratic | None) -> Envelope | None:
    """exp(-u^2/2) as an envelope for u = -upper of the form c + l_i t_i, one l_i > 0, no other terms."""
    if upper is None or not all(s <= 0 for s in upper.square):
        return None
    slopes = [(i, -x) for i, x in enumerate(upper.linear) if not x.is_zero()]
    if len(slopes) != 1 or not slopes[0][1] > 0:
        return None
    ((index, slope),) = slopes
    c = -upper.constant
    constant = arb(1) if c >= 0 else (c * c / 2).exp()
    count = len(upper.linear)
    linear = tuple(-c * slope if i == index else arb(0) for i in range(count))
    square = tuple(-slope * slope / 2 if i == index else arb(0) for i in range(count))
    none = (0,) * count
    return Envelope((EnvelopeTerm({none: constant * (-c * c / 2).exp()}, linear, square),))


def _erf(w: StripBounds) -> StripBounds:
    """|erf w| <= 1 + e^(y^2): erf = 1 - erfc, |erfc w| <= e^(y^2) erfc(x) for x >= 0; odd; 1 on the axis."""
    if w.is_real():
        low = arb(0) if w.bottom() >= 0 else arb(-1)
        high = arb(0) if w.top() <= 0 else arb(1)
        return bounded(w, arb(1), low, high, arb(0))
    growth = _exp_square(_need_imaginary(w))
    return from_size(growth.plus(Envelope.of(arb(1), w.count)), False)


def _circular(w: StripBounds) -> StripBounds:
    """Means of sin(t w) or cos(t w), 0 <= t <= 1: |f|, |Re| <= cosh Im w <= e^|Im w|; |Im| <= sinh |Im w|."""
    height = w.height()
    if height.is_finite():
        size = height.cosh()
        return bounded(w, size, -size, size, height.sinh())
    return from_size(_need_imaginary(w).exponential(), False)


def _cosh(w: StripBounds) -> StripBounds:
    """|cosh w|, |sinh w| <= cosh Re w; Re cosh w = cosh x cos y >= cos y for |y| <= pi/2."""
    bounds = _sinh(w)
    height = w.height()
    if height < arb.pi() / 2:
        bounds = replace(bounds, lower=Quadratic.of(height.cos(), w.count))
    return bounds


def _sinh(w: StripBounds) -> StripBounds:
    if w.upper is None or w.lower is None:
        raise NoStripBound("sinh or cosh of a part that is not bounded by quadratics")
    rise, fall = w.upper.exponential(), w.lower.scaled(arb(-1)).exponential()
    return from_size(rise.plus(fall).scaled(arb(1) / 2), w.is_real())


def _log(w: StripBounds) -> StripBounds:
    """Analytic for Re w > 0: |arg w| < pi/2, log away <= log|w| <= log size."""
    if not w.bottom() > 0:
        raise NoStripBound("the argument of a logarithm is not shown to be positive")
    upper = w.size.logarithm()
    low = w.away.log()
    angle = arb(0) if w.is_real() else arb.pi() / 2
    size = upper.plus(Quadratic.of(abs(low) + angle, w.count)).absolute()
    return StripBounds(size, upper, Quadratic.of(low, w.count), Quadratic.of(angle, w.count), arb(0))


_RULES: dict[type, Callable[[StripBounds], StripBounds]] = {
    own.softplus: _softplus,
    own.Phi: _cdf,
    sympy.erf: _erf,
    sympy.sinh: _sinh,
    sympy.cosh: _cosh,
    sympy.log: _log,
}


def analytic_rule(expr: Expr) -> Callable[[StripBounds], StripBounds] | None:
    """The bounds of a function of one argument by its own theorem, or by what its record says.

    Examples
    --------
    >>> x = sympy.Symbol("x", real=True)
    >>> [analytic_rule(f(x)) is None for f in (sympy.sin, sympy.tanh, own.mish)]
    [False, False, True]
    """
    record = record_of(expr)
    if record.is_wave:
        return _circular
    return _RULES.get(expr.func) if record.on_strip is None else partial(_bounded, record)
