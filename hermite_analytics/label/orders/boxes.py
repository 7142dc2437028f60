"""Moments E[He_S(z) 1{f(z) <= t}] in balls, from boxes on which f - t has a proved sign.

On a box inside the set the integral of He_S phi is a product of boundary terms; boxes that are left open
widen the ball by the integral of |He_S| phi, and what lies outside of [-8, 8]^r by Cauchy and Schwarz. f may
be anything that interval arithmetic evaluates: no moment of f is needed, nor continuity.
"""

from __future__ import annotations

import heapq
import itertools
import math
import statistics
from collections.abc import Sequence

import numpy as np
from flint import arb
from sympy import Expr, Rational, Symbol

from hermite_analytics.exponents.contraction import Index
from hermite_analytics.foundation.clock import check_time
from hermite_analytics.gaussian.enclosure.box_cells import (
    HALF_WIDTH,
    PRECISION,
    Cell,
    halves,
    hermite_bounds,
    hermite_integrals,
    interval,
    probability,
    product,
    rounded_up,
)
from hermite_analytics.gaussian.enclosure.precision import rational_ball, working_precision
from hermite_analytics.gaussian.enclosure.program import Program
from hermite_analytics.gaussian.zero.tensors import indices

__all__ = ["SublevelMoments", "typical_values"]

_POINTS = 199
_SHARES = (0.1, 0.9, 0.5, 0.25, 0.75)
_GOLDEN = ((math.sqrt(5) - 1) / 2, math.sqrt(2) - 1, math.sqrt(3) - 1, math.sqrt(7) - 2)


class SublevelMoments:
    """E[He_S(z) 1{f <= t}] for all |S| up to a degree, sharper with every call of `refine`.

    Parameters
    ----------
    expr : sympy expression
    variables : tuple of symbols
        z; the Hermite polynomials are in these.
    noise : tuple of symbols
        More N(0, 1) variables of f.
    threshold : rational
    degree : int

    Examples
    --------
    >>> import sympy
    >>> z1, z2 = sympy.symbols("z1 z2", real=True)
    >>> outside = SublevelMoments(-z1**2 - z2**2, (z1, z2), (), sympy.Integer(-1), 2)
    >>> outside.refine(2000)
    >>> ball = outside.balls()[(2, 0)]
    >>> ball.contains(arb(-0.5).exp() / 2), bool(ball > 0)
    (True, True)
    """

    def __init__(
        self,
        expr: Expr,
        variables: tuple[Symbol, ...],
        noise: tuple[Symbol, ...],
        threshold: Rational,
        degree: int,
    ) -> None:
        everything = (*variables, *noise)
        self._width, self._extra = len(variables), len(noise)
        self._indices = [s for k in range(1, degree + 1) for s in indices(self._width, k)]
        self._padded = [(*s, *(0,) * len(noise)) for s in self._indices]
        self._degree = degree
        with working_precision(PRECISION):
            self._program = Program(expr, everything, PRECISION)
            self._threshold = rational_ball(threshold)
            self._sums = [arb(0) for _ in self._indices]
        whole: tuple[Cell, ...] = ((0, 0),) * len(everything)
        self._open: list[tuple[float, tuple[Cell, ...]]] = [(-1.0, whole)]

    def refine(self, boxes: int) -> None:
        """Look at this many more boxes, those of the largest probability first."""
        with working_precision(PRECISION):
            for step in range(boxes):
                if not self._open:
                    return
                if step % 64 == 0:
                    check_time()
                self._judge(heapq.heappop(self._open)[1])

    def balls(self) -> dict[Index, arb]:
        """A ball around each moment."""
        radii = self._open_radii()
        with working_precision(PRECISION):
            return {
                s: total + arb(0, rounded_up(radius)) + arb(0, self._outside(s).upper())
                for s, total, radius in zip(self._indices, self._sums, radii, strict=True)
            }

    def _open_radii(self) -> list[float]:
        """The integrals of |He_S| phi over the boxes that are left open, or bounds on them."""
        if not self._open:
            return [0.0] * len(self._indices)
        places: dict[Cell, int] = {}
        rows = [[places.setdefault(cell, len(places)) for cell in box] for _, box in self._open]
        table = np.array([hermite_bounds(cell, self._degree) for cell in places])
        cells = np.array(rows).T
        return [
            float(np.prod([table[own, k] for own, k in zip(cells, s, strict=True)], axis=0).sum())
            for s in self._padded
        ]

    def _judge(self, box: tuple[Cell, ...]) -> None:
        excess = self._program(*(interval(cell) for cell in box)) - self._threshold
        if excess <= 0:
            terms = [hermite_integrals(cell, self._degree) for cell in box]
            for n, s in enumerate(self._padded):
                self._sums[n] = self._sums[n] + product(terms, s)
        elif not excess > 0:
            for smaller in itertools.product(*(halves(cell) for cell in box)):
                heapq.heappush(self._open, (-math.prod(map(probability, smaller)), smaller))

    def _outside(self, index: Index) -> arb:
        """sqrt(S! P(some |z_i| > 8)), a bound on the integral of |He_S| phi there."""
        tail = (self._width + self._extra) * (arb(HALF_WIDTH) / arb(2).sqrt()).erfc()
        return (tail * math.prod(map(math.factorial, index))).sqrt()


def typical_values(expr: Expr, variables: Sequence[Symbol]) -> list[Rational]:
    """Short rationals near the outer tenths and the quartiles of f(z), a guess from some points."""
    normal = statistics.NormalDist()
    values = []
    with working_precision(PRECISION):
        program = Program(expr, tuple(variables), PRECISION)
        for n in range(1, _POINTS + 1):
            shares = [(n * _GOLDEN[j % len(_GOLDEN)] + 0.37 * j) % 1 for j in range(len(variables))]
            value = program(*(arb(normal.inv_cdf(min(max(u, 1e-6), 1 - 1e-6))) for u in shares))
            if value.is_finite():
                values.append(float(value.mid()))
    values.sort()
    wanted = [values[int(len(values) * share)] for share in _SHARES] if values else []
    return list(dict.fromkeys(Rational(x).limit_denominator(64) for x in wanted))
