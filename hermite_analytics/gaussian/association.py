"""Functions that grow, or fall, with |z_i|: by Chebyshev's association inequality E[He_2(z_i) f] is not 0.

For u = |z_i| and fixed other coordinates Cov(u^2, f) >= 0 where f does not decrease in u, and > 0 where it is
not constant. That f depends on |z_i| is shown on two small boxes, on which balls around its values differ.

Source: Hardy, Littlewood, Polya, Inequalities, theorem 43 (with weights).
"""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Sequence

import sympy
from flint import arb
from sympy import Expr, Symbol

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.gaussian.enclosure.precision import working_precision
from hermite_analytics.gaussian.enclosure.program import Program
from hermite_analytics.language.bounds import bounds, is_shown_nonnegative
from hermite_analytics.language.functions import He, functions_where, record_of

__all__ = ["second_coefficient", "trend_in_size"]

_INCREASING = functions_where(lambda r: r.is_increasing)
_IN_ALL = (sympy.Add, sympy.Max, sympy.Min)
_PRECISION = 64
_POINTS = 60
_SIZES = (0.25, 2.5)  # |z_i| of the two boxes
_RADII = (0.125, 2.0**-5, 2.0**-12)
_GOLDEN = 0.6180339887498949


def trend_in_size(function: Expr, z: Symbol, others: Sequence[Symbol]) -> int | None:
    """1 if f grows with |z| and depends on it, -1 if it falls, None where this cannot be read off.

    Parameters
    ----------
    function : sympy expression
        f.
    z : symbol
    others : sequence of symbols
        All other variables of f.

    Examples
    --------
    >>> x, y = sympy.symbols("x y", real=True)
    >>> f = sympy.sign(x**2 - y**2 - 1)
    >>> trend_in_size(f, x, [y]), trend_in_size(f, y, [x]), trend_in_size(sympy.cos(x), x, [])
    (1, -1, None)
    """
    trend = _trend(function, z)
    return trend if trend and _depends(function, z, others) else None


def _trend(f: Expr, z: Symbol) -> int | None:
    """1 or -1 for a function of |z| that does not decrease or increase, 0 without z, None for others."""
    if z not in f.free_symbols:
        return 0
    if record_of(f).increases_with_size and _is_multiple(f.args[0], z):
        return 1
    if isinstance(f, He):
        return 1 if f.args[0] == 2 and _is_multiple(f.args[1], z) else None
    if f.is_Pow:
        return _of_power(f.base, f.exp, z)
    if isinstance(f, _IN_ALL):
        return _agreed([_trend(a, z) for a in f.args])
    if f.is_Mul:
        return _of_product(f.args, z)
    arguments = f.args
    if len(arguments) == 1 and isinstance(f, (sympy.exp, *_INCREASING)):
        return _trend(arguments[0], z)
    return None


def _of_power(base: Expr, exponent: Expr, z: Symbol) -> int | None:
    if exponent.is_even and exponent.is_positive and _is_multiple(base, z):
        return 1
    trend = _trend(base, z) if z not in exponent.free_symbols else None
    if trend is None:
        return None
    if exponent.is_odd and exponent.is_positive:
        return trend
    if is_shown_nonnegative(base):
        return trend if exponent.is_positive else -trend if exponent.is_negative else None
    return None


def _of_product(factors: Sequence[Expr], z: Symbol) -> int | None:
    """Of factors that do not change their signs beside the one that is looked at."""
    found: list[int | None] = []
    for i, factor in enumerate(factors):
        rest = [a for j, a in enumerate(factors) if j != i]
        signs = [1 if is_shown_nonnegative(a) else -1 if is_shown_nonnegative(-a) else None for a in rest]
        own = _trend(factor, z)
        if own == 0:
            continue
        if own is None or None in signs:
            return None
        found.append(own * (-1) ** signs.count(-1))
    return _agreed(found)


def _agreed(trends: Sequence[int | None]) -> int | None:
    kinds = {t for t in trends if t != 0}
    if None in kinds or len(kinds) > 1:
        return None
    return kinds.pop() if kinds else 0


def _is_multiple(x: Expr, z: Symbol) -> bool:
    factor, rest = x.as_independent(z, as_Add=False)
    return bool(rest == z and not factor.free_symbols)


def second_coefficient(function: Expr, z: Symbol, others: Sequence[Symbol]) -> arb | None:
    """A ball around E[He_2(z) f] that excludes 0, for bounded f that grow or fall with |z|; None for others.

    With u and v on the two intervals of |z| the covariance is at least P(u) P(v) (u^2 - v^2) (f(u) - f(v)),
    and |E[He_2 f]| <= (max f - min f)/2, as E|z^2 - 1| < 1.

    Examples
    --------
    >>> x, y = sympy.symbols("x y", real=True)
    >>> ball = second_coefficient(sympy.sign(x**2 - y**2), x, [y])
    >>> bool(ball > 0), bool(ball.contains(2 / arb.pi()))
    (True, True)
    """
    trend, (low, high) = _trend(function, z), bounds(function)
    if not trend or not (low.is_finite and high.is_finite):
        return None
    least = _covariance(function, z, others)
    if least is None:
        return None
    with working_precision(_PRECISION):
        return trend * least.union(arb(float(high - low)) / 2)


def _depends(function: Expr, z: Symbol, others: Sequence[Symbol]) -> bool:
    return _covariance(function, z, others) is not None


def _covariance(f: Expr, z: Symbol, others: Sequence[Symbol]) -> arb | None:
    """A lower bound on |Cov(z^2, f)| for f that grows or falls with |z|, from boxes on which f differs.

    The boxes are at |z| = 1/4 and 5/2 with the same other coordinates, one of some points.
    """
    normal = statistics.NormalDist()
    try:
        with working_precision(_PRECISION):
            program = Program(f, (z, *others), _PRECISION)
            for radius, n in itertools.product(_RADII, range(1, _POINTS + 1)):
                shares = [(n * _GOLDEN ** (j + 1) + 0.37 * j) % 1 for j in range(len(others))]
                centers = [normal.inv_cdf(min(max(u, 0.001), 0.999)) for u in shares]
                rest = [arb(c, radius) for c in centers]
                near, far = (program(arb(size, radius), *rest) for size in _SIZES)
                if near.is_finite() and far.is_finite() and not near.overlaps(far):
                    gap = abs(far - near).lower() * ((_SIZES[1] - radius) ** 2 - (_SIZES[0] + radius) ** 2)
                    inside = math.prod((_probability(c, radius) for c in centers), start=arb(4))
                    return gap * inside * _probability(_SIZES[0], radius) * _probability(_SIZES[1], radius)
    except UnsupportedExpression:
        return None
    return None


def _probability(center: float, radius: float) -> arb:
    """P(|z - center| < radius)."""
    root = arb(2).sqrt()
    ends = ((arb(center) + side * arb(radius)) / root for side in (1, -1))
    upper, lower = (end.erf() for end in ends)
    return (upper - lower) / 2
