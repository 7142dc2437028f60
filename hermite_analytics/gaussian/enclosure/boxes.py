"""Hermite coefficients that are shown to be nonzero by balls of a function on boxes.

    E[He_S f] = sum over boxes of (f at the box) times (the integral of He_S phi), +- what f varies there.

f may jump and bend along curves, as `step(z1*z2*z3 - 1)`, where no quadrature has an error bound. The balls
are wide, which is enough to exclude 0.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Collection, Sequence

from flint import arb
from sympy import Expr, Symbol

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.clock import check_time, has_ended
from hermite_analytics.gaussian.enclosure.axis_rules import tail_measures
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
from hermite_analytics.gaussian.enclosure.moments import functional
from hermite_analytics.gaussian.enclosure.precision import BOUND_BITS, working_precision
from hermite_analytics.gaussian.enclosure.program import Program
from hermite_analytics.gaussian.enclosure.strip import strip_bounds
from hermite_analytics.language.functions import He

__all__ = ["nonzero_coefficients"]

_LOOKS = (300, 1500, 6000)  # boxes that are cut before the sums are looked at
_SHARP = 0.1  # relative radius that is tried for in the plane, where boxes are cheap: for ranks of matrices
_EVERY = 64  # boxes between looks at the clock
Index = tuple[int, ...]
_Box = tuple[Cell, ...]


def nonzero_coefficients(
    function: Expr, variables: Sequence[Symbol], wanted: Collection[Index]
) -> dict[Index, arb]:
    """Balls around those E[He_S f] of the S wanted that are shown to be nonzero; others are left out.

    Parameters
    ----------
    function : sympy expression
        f.
    variables : sequence of symbols
        Independent N(0, 1); all that f depends on.
    wanted : collection of indices
        Each with an entry for every variable.

    Returns
    -------
    dict of index to arb
        Rigorous, and wide: a part of the value itself.

    Raises
    ------
    TimeEnded
        If the time of a limit around the call is over. Where only a share of it is, what was found by then
        is returned.

    Examples
    --------
    >>> import sympy
    >>> from hermite_analytics.language.functions import step
    >>> x, y = sympy.symbols("x y", real=True)
    >>> found = nonzero_coefficients(step(1 - x**2 - y**2), (x, y), [(1, 0), (2, 0)])
    >>> list(found), bool(found[2, 0].contains(-arb(-0.5).exp() / 2))
    ([(2, 0)], True)
    """
    left = set(wanted)
    if not left:
        return {}
    try:
        outside = {s: _outside(function, variables, s) for s in left}
        cut = _Boxes(function, variables)
    except UnsupportedExpression:
        return {}
    found: dict[Index, arb] = {}
    for boxes in _LOOKS:
        if not cut.refine(boxes) or not left:
            break
        balls = cut.balls(left)
        found |= {s: b for s in left if not (b := balls[s] + arb(0, outside[s].upper())).contains(0)}
        left -= {s for s, b in found.items() if len(variables) > 2 or b.rad() < _SHARP * abs(b.mid())}
    return found


def _outside(function: Expr, variables: Sequence[Symbol], index: Index) -> arb:
    """A bound on E|He_S f| where some |z_i| > 8."""
    weighted = function
    for k, v in zip(index, variables, strict=True):
        weighted = He(k, v) * weighted
    with working_precision(BOUND_BITS):
        size = strip_bounds(weighted, tuple(variables), [arb(0)] * len(variables)).size
        tails = (functional(size, tail_measures(size, i, arb(HALF_WIDTH))) for i in range(len(variables)))
        return sum(tails, arb(0))


class _Boxes:
    """A partition of [-8, 8]^r with a ball around f on each box."""

    def __init__(self, function: Expr, variables: Sequence[Symbol]) -> None:
        self._width = len(variables)
        with working_precision(PRECISION):
            self._program = Program(function, tuple(variables), PRECISION)
            self._boxes: list[tuple[float, _Box, arb]] = []
            self._add(((0, 0),) * self._width)

    def refine(self, boxes: int) -> bool:
        """Cut this many of those on which f varies most; False where the time ended."""
        with working_precision(PRECISION):
            for step in range(boxes):
                if step % _EVERY == 0:
                    check_time()
                    if has_ended():
                        return False
                for smaller in itertools.product(*map(halves, heapq.heappop(self._boxes)[1])):
                    self._add(smaller)
        return True

    def balls(self, wanted: Collection[Index]) -> dict[Index, arb]:
        """Balls around the integrals of He_S f phi over [-8, 8]^r."""
        degree = max(map(max, wanted))
        sums = dict.fromkeys(wanted, arb(0))
        errors = dict.fromkeys(wanted, 0.0)
        with working_precision(PRECISION):
            for _, box, value in self._boxes:
                middle, radius = value.mid(), float(value.rad())
                terms = [hermite_integrals(cell, degree) for cell in box]
                bounds = [hermite_bounds(cell, degree) for cell in box]
                for s in wanted:
                    sums[s] = sums[s] + middle * product(terms, s)
                    errors[s] += radius * math.prod(b[k] for b, k in zip(bounds, s, strict=True))
            return {s: total + arb(0, rounded_up(errors[s])) for s, total in sums.items()}

    def _add(self, box: _Box) -> None:
        value = self._program(*map(interval, box))
        if not value.is_finite():
            value = arb(0, math.inf)
        weight = float(value.rad()) * math.prod(map(probability, box))
        heapq.heappush(self._boxes, (-weight, box, value))
