"""Bounds of exponentials and powers on a strip."""

from __future__ import annotations

from dataclasses import replace

from flint import arb
from sympy import Expr

from hermite_analytics.gaussian.enclosure.envelope import Envelope, Quadratic
from hermite_analytics.gaussian.enclosure.operations import integer_power as whole_power
from hermite_analytics.gaussian.enclosure.strip_algebra import NoStripBound, StripBounds, from_size, with_away

__all__ = ["exponential", "integer_power", "real_power"]


def exponential(w: StripBounds) -> StripBounds:
    """|exp w| = exp(Re w); Re exp w >= 0 where |Im w| <= pi/2; |exp w| >= exp(inf Re w)."""
    if w.upper is None:
        raise NoStripBound("the exponential of a part that is not bounded by a quadratic from above")
    bounds = from_size(w.upper.exponential(), w.is_real())
    height, bottom = w.height(), w.bottom()
    if height < arb.pi() / 2:
        low = bottom.exp() * height.cos() if bottom.is_finite() else arb(0)
        bounds = replace(bounds, lower=Quadratic.of(low.lower(), w.count))
    top = w.top()
    if top.is_finite():
        bounds = replace(bounds, upper=Quadratic.of(top.exp(), w.count))
        if not w.is_real():
            sine = height.sin() if height < arb.pi() / 2 else arb(1)
            bounds = replace(bounds, imaginary=Quadratic.of(top.exp() * sine, w.count))
    away = bottom.exp().lower() if bottom.is_finite() else arb(0)
    return with_away(replace(bounds, away=away))


def integer_power(w: StripBounds, exponent: int, expr: Expr) -> StripBounds:
    if exponent < 0:
        if not w.away > 0:
            raise NoStripBound(f"the denominator of {expr} may vanish")
        base = _reciprocal(w)
        return base if exponent == -1 else integer_power(base, -exponent, expr)
    bounds = from_size(w.size.power(exponent), w.is_real())
    height = w.height()
    if exponent % 2 == 0 and height.is_finite():
        if exponent == 2:
            low = -height * height  # Re w^2 = (Re w)^2 - (Im w)^2
            bounds = replace(bounds, lower=Quadratic.of(low, w.count))
        elif height == 0:
            bounds = replace(bounds, lower=Quadratic.of(arb(0), w.count))
    if w.is_real() and w.bottom() >= 0:
        bounds = replace(bounds, lower=Quadratic.of(whole_power(w.bottom(), exponent), w.count))
    return with_away(replace(bounds, away=whole_power(w.away, exponent).lower()))


def _reciprocal(w: StripBounds) -> StripBounds:
    """1/w for |w| >= away > 0; Re 1/w has the sign of Re w."""
    bounds = from_size(Envelope.of(1 / w.away, w.count), w.is_real())
    if w.bottom() >= 0:
        bounds = replace(bounds, lower=Quadratic.of(arb(0), w.count))
    if w.top() <= 0:
        bounds = replace(bounds, upper=Quadratic.of(arb(0), w.count))
    size = w.size.quadratic()
    largest = arb("inf") if size is None else size.supremum()
    return replace(bounds, away=(1 / largest).lower() if largest.is_finite() else arb(0))


def real_power(w: StripBounds, exponent: arb, expr: Expr) -> StripBounds:
    """|w^s| = |w|^s, analytic where Re w > 0; for s > 0 |w|^s <= |w|^floor(s) (1 + (s - floor(s)) |w|).

    The principal branch keeps Re w^s >= 0 and |Im w^s| <= |w^s| for 0 < |s| <= 1.
    """
    real_root = w.is_real() and exponent > 0 and (w.bottom() >= 0 or expr.base.is_nonnegative)
    if not (w.bottom() > 0 or real_root):
        raise NoStripBound(f"the base of {expr} is not shown to be positive")
    if exponent < 0:
        size = Envelope.of((exponent * w.away.log()).exp(), w.count)
    else:
        whole = exponent.floor().unique_fmpz()
        if whole is None:
            raise NoStripBound(f"no bound of {expr}")
        rest = exponent - arb(whole)
        size = w.size.power(int(whole)).times(Envelope.of(arb(1), w.count).plus(w.size.scaled(rest)))
    bounds = from_size(size, w.is_real())
    if abs(exponent) <= 1:
        bounds = replace(bounds, lower=Quadratic.of(arb(0), w.count))
    away = (exponent * w.away.log()).exp().lower() if exponent > 0 and w.away > 0 else arb(0)
    return with_away(replace(bounds, away=away))
