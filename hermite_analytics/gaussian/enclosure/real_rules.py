"""Bounds of kinked functions on the real axes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import sympy
from flint import arb
from sympy import Expr

from hermite_analytics.gaussian.enclosure.constants import ball_of
from hermite_analytics.gaussian.enclosure.envelope import Envelope, Quadratic
from hermite_analytics.gaussian.enclosure.precision import BOUND_BITS
from hermite_analytics.gaussian.enclosure.strip_algebra import StripBounds, bounded, from_size, negated
from hermite_analytics.language import functions as own
from hermite_analytics.language.functions import record_of

__all__ = ["real_rule"]

Polynomial = dict[tuple[int, ...], arb] | None
Rule = Callable[[list[StripBounds], Polynomial], StripBounds]


def _absolute(parts: list[StripBounds], polynomial: Polynomial) -> StripBounds:
    (w,) = parts
    if w.bottom() >= 0:
        return w
    bounds = replace(from_size(w.size, True), lower=Quadratic.of(arb(0), w.count))
    if polynomial is not None and all(sum(p) <= 1 for p in polynomial) and w.count == 1:
        # |m + s z| >= |s| t - |m|
        slope = abs(polynomial.get((1,), arb(0)))
        constant = abs(polynomial.get((0,), arb(0)))
        bounds = replace(bounds, lower=Quadratic(-constant, (slope,), (arb(0),)))
    return bounds


def _between(low: arb, high: arb, parts: list[StripBounds], polynomial: Polynomial) -> StripBounds:
    return bounded(parts[0], low.abs_upper().max(high.abs_upper()), low, high, arb(0))


def _relu(parts: list[StripBounds], polynomial: Polynomial) -> StripBounds:
    (w,) = parts
    zero = Quadratic.of(arb(0), w.count)
    upper = None if w.upper is None else w.upper.largest(zero)
    size = w.size if upper is None else upper.absolute()
    return StripBounds(size, upper, zero, zero, arb(0))


def _leaky(parts: list[StripBounds], polynomial: Polynomial) -> StripBounds:
    w, slope = parts
    return from_size(w.size.times(slope.size.plus(Envelope.of(arb(1), w.count))), True)


def _stairs(parts: list[StripBounds], polynomial: Polynomial) -> StripBounds:
    """x - 1 <= floor(x) <= x, and 1/2 more between the integers."""
    (w,) = parts
    return from_size(w.size.plus(Envelope.of(arb(1), w.count)), True)


def _maximum(parts: list[StripBounds], polynomial: Polynomial) -> StripBounds:
    """max(a, b, ..): |max| <= sum |.|, above each of its arguments."""
    size = parts[0].size.plus(*(p.size for p in parts[1:]))
    uppers = [p.upper for p in parts]
    upper = (
        None if None in uppers else functools.reduce(Quadratic.largest, [u for u in uppers if u is not None])
    )
    lowers = sorted((p for p in parts if p.lower is not None), key=lambda p: bool(p.bottom().is_finite()))
    lower = lowers[-1].lower if lowers else None
    return StripBounds(size, upper, lower, Quadratic.of(arb(0), parts[0].count), arb(0))


def _minimum(parts: list[StripBounds], polynomial: Polynomial) -> StripBounds:
    return negated(_maximum([negated(p) for p in parts], None))


_RULES: dict[type, Rule] = {
    sympy.Abs: _absolute,
    own.relu: _relu,
    own.leaky_relu: _leaky,
    sympy.Max: _maximum,
    sympy.Min: _minimum,
}


def real_rule(expr: Expr) -> Rule | None:
    """The bounds of a kinked function: jumps and stairs by what the record says.

    Examples
    --------
    >>> x = sympy.Symbol("x", real=True)
    >>> [real_rule(f(x)) is None for f in (sympy.sign, own.floor, sympy.Abs, sympy.exp)]
    [False, False, False, True]
    """
    record = record_of(expr)
    if record.stairs is not None:
        return _stairs
    if record.kink is not None and record.kink.is_jump:
        return partial(_between, ball_of(record.low, BOUND_BITS), ball_of(record.high, BOUND_BITS))
    return _RULES.get(expr.func)
