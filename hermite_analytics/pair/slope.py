"""dK/drho of K(rho) = E sigma(u) sigma(v), jumps of sigma included.

With sigma' = f + sum_i J_i delta(z - b_i) Price's theorem gives for dK/drho

    sum_ij J_i J_j phi2(b_i, b_j; rho) + 2 sum_i J_i phi(b_i) E f(rho b_i + sqrt(1 - rho^2) w) + E f(u) f(v).

The first sum is infinite at rho = 1; the rest is finite, and tabulated.
"""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np
import sympy
from sympy import Expr, Rational, Symbol

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.gaussian.breakpoints import real_breakpoints
from hermite_analytics.language.derivative import almost_everywhere_derivative
from hermite_analytics.pair.angle import Pair, tabulated
from hermite_analytics.pair.branches import Branches, branches_of
from hermite_analytics.pair.quadrature import smoothed
from hermite_analytics.pair.table import Table

__all__ = ["jumps", "regular_slope_table"]


_REACH = 9.5  # a density further out is below 3e-20
_BESIDE = mpmath.mpf(10) ** -30
_NO_JUMP = mpmath.mpf(10) ** -20
_LARGEST_DENOMINATOR = 10_000
_DIGITS = 17


def jumps(sigma: Expr, z: Symbol) -> list[tuple[Expr, Expr]]:
    """(place, size) of each jump; what looks like a simple fraction is one."""
    from hermite_analytics.language.evaluation import reference_function

    values = reference_function(sigma, (z,), mpmath)
    found = []
    with mpmath.workdps(50):
        for point in real_breakpoints(sigma, z):
            size = values(point + _BESIDE) - values(point - _BESIDE)
            if abs(point) < _REACH and abs(size) > _NO_JUMP:
                found.append((_number(point), _number(size)))
    return found


def _number(value: mpmath.mpf) -> Expr:
    text = mpmath.nstr(value, 25)
    simple = Fraction(text).limit_denominator(_LARGEST_DENOMINATOR)
    close = abs(Fraction(text) - simple) < Fraction(1, 10**20)
    return Rational(simple.numerator, simple.denominator) if close else sympy.Float(text, _DIGITS)


def regular_slope_table(sigma: Expr, z: Symbol) -> Table:
    """dK/drho without the densities at the jumps."""
    f = branches_of(almost_everywhere_derivative(sigma, z), z)
    found = jumps(sigma, z)
    points, sizes = np.array([float(b) for b, _ in found]), np.array([float(x) for _, x in found])
    weights = 2 * sizes * np.exp(-0.5 * points**2) / math.sqrt(2 * math.pi)
    pair = Pair.of(f)

    def values(angles: Array) -> Array:
        mixed = [float(weights @ _beside(f, points, float(x))) for x in angles]
        found: Array = pair.values(angles) + np.array(mixed)
        return found

    def fresh(angle: float) -> float:
        return pair.fresh(angle) + float(weights @ _beside(f.finer(), points, angle))

    return tabulated(values, fresh, pair.scale + float(np.abs(weights) @ np.abs(sizes)))


def _beside(f: Branches, points: Array, angle: float) -> Array:
    """E f(cos x + sin w) at each point; at the ends the mean of the limits from both sides."""
    if 0.0 < angle < math.pi:
        return smoothed(f, points, math.cos(angle), math.sin(angle))
    place = points if angle <= 0.0 else -points
    shift = 1e-15 * np.maximum(1.0, np.abs(points))
    found: Array = 0.5 * (f.values(place - shift) + f.values(place + shift))
    return found
