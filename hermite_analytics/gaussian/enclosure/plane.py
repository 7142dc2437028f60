"""Expectations over two variables whose kinks are lines in any directions, or without a uniform strip.

The square [-L, L]^2 is cut into slabs in x at the crossings of the lines, and each slab into regions between
neighbouring lines y = p + q x, on which the integrand is one analytic piece. On a panel, x in [u, v] and y
between two lines, y = m(x) + r(x) s with m, r affine and |s| <= 1; Gauss-Legendre rules in x and s have the
errors of `panels`, from complex balls with x in an ellipse and s real, and the other way round. Panels are
halved until both rules are short. Beyond the square stands the tail of the real envelope.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from flint import acb, arb
from sympy import Expr, Symbol

from hermite_analytics.errors import BudgetExhausted, UnsupportedExpression
from hermite_analytics.gaussian.enclosure.axis_rules import tail_measures
from hermite_analytics.gaussian.enclosure.cells import kink_differences, resolved
from hermite_analytics.gaussian.enclosure.effort import bounded, check, check_precision
from hermite_analytics.gaussian.enclosure.moments import at_most, functional, moment
from hermite_analytics.gaussian.enclosure.panels import ELLIPSES, SIZES, gauss_legendre
from hermite_analytics.gaussian.enclosure.parity import parity
from hermite_analytics.gaussian.enclosure.planar_cells import Line, Region, regions
from hermite_analytics.gaussian.enclosure.precision import (
    BOUND_BITS,
    Ball,
    dyadic,
    log2_ceiling,
    working_precision,
)
from hermite_analytics.gaussian.enclosure.program import Program
from hermite_analytics.gaussian.enclosure.strip import NoStripBound, strip_bounds
from hermite_analytics.language.kinks import STAIRS

__all__ = ["plane_expectation"]

_GUARD_BITS = 20
_LADDER = (4, 12)
_LARGEST_CUT = 256


def plane_expectation(expr: Expr, variables: tuple[Symbol, ...], digits: int) -> arb:
    """A ball of E[expr] over two independent N(0, 1) variables, of radius about 10^-digits.

    Raises
    ------
    UnsupportedExpression
        If a kink's argument is not affine, or no bound is found.
    BudgetExhausted
        With the best ball reached, if any.
    """
    best: arb | None = None
    for goal in [d for d in _LADDER if d < digits] + [digits]:
        try:
            bits = math.ceil(goal * math.log2(10)) + _GUARD_BITS
            check_precision(bits)
            with bounded():
                best = _Plane(expr, variables, bits).expectation()
        except BudgetExhausted as error:
            raise BudgetExhausted(str(error), best) from None
    return best


def _cut(expr: Expr, variables: tuple[Symbol, ...], bits: int) -> tuple[int, arb]:
    """(L, bound of what lies outside [-L, L]^2)."""
    with working_precision(BOUND_BITS):
        envelope = strip_bounds(expr, variables, [arb(0), arb(0)]).size
        for end in range(2, _LARGEST_CUT):
            check()
            outside = sum(
                (functional(envelope, tail_measures(envelope, i, arb(end))) for i in range(2)), arb(0)
            )
            if outside <= dyadic(1, 8 - bits):
                return end, outside
    raise NoStripBound("the integrand is not shown to decay against the Gaussian")


@dataclass(frozen=True, slots=True)
class _Panel:
    """x between low and high (units of 2^exponent), y between two lines."""

    low: int
    high: int
    below: Line
    above: Line


class _Plane:
    """Sums all panels of one expectation."""

    def __init__(self, expr: Expr, variables: tuple[Symbol, ...], bits: int) -> None:
        self.expr, self.variables, self.bits = expr, variables, bits
        self.exponent = -bits - 8
        self.programs: dict[Expr, tuple[Program, Program]] = {}
        self.total, self.error = arb(0), arb(0)

    def expectation(self) -> arb:
        symmetry = parity(self.expr, *self.variables)
        if symmetry < 0:
            return arb(0)
        if self.expr.has(*STAIRS):
            raise UnsupportedExpression(f"the jumps of {self.expr} are lines without end")
        end, outside = _cut(self.expr, self.variables, self.bits)
        arguments = kink_differences(self.expr, self.variables)
        with working_precision(self.bits + 10):
            start = 0 if symmetry else -end
            found, strips = regions(arguments, self.variables, start, end, self.exponent, self.bits + 10)
            for region in found:
                self.region(region, dict(zip(arguments, region.signs, strict=True)))
            factor = (2 if symmetry else 1) / (2 * arb.pi())
            missing = outside + self.error * factor + 2 * self.thin(strips)
            return self.total * factor + arb(0, missing.upper())

    def region(self, region: Region, signs: dict[Expr, int]) -> None:
        piece = resolved(self.expr, self.variables, signs)
        if piece == 0:
            return
        if piece not in self.programs:
            real = Program(piece, self.variables, self.bits + 10)
            self.programs[piece] = real, Program(piece, self.variables, BOUND_BITS, analytic=True)
        real, analytic = self.programs[piece]
        work = [_Panel(region.low, region.high, region.below, region.above)]
        while work:
            check()
            work += self.panel(work.pop(), real, analytic)

    def thin(self, strips: list[tuple[arb, arb]]) -> arb:
        """Bound of the integral over slabs too thin to be resolved: width times the largest value over x."""
        total = arb(0)
        with working_precision(BOUND_BITS):
            for low, high in strips:
                envelope = strip_bounds(self.expr, self.variables, [arb(0), arb(0)]).size
                total = total + functional(envelope, [at_most(high - low, abs(low).max(abs(high))), moment])
        return total

    def panel(self, panel: _Panel, real: Program, analytic: Program) -> list[_Panel]:
        """Add one panel, or return its halves."""
        with working_precision(BOUND_BITS):
            centre = dyadic(panel.low + panel.high, self.exponent - 1)
            half = dyadic(panel.high - panel.low, self.exponent - 1)
            flat = centre + arb(0, half)
            unit = arb(0, 1)

            def largest(x: Ball, s: Ball) -> arb:
                middle, radius = _chart(panel, x)
                y = middle + radius * s
                value = analytic(x, y) * (-(x * x + y * y) / 2).exp() * radius
                return value.abs_upper() if value.is_finite() else arb("inf")

            size = largest(acb(flat), acb(unit)) * half
            if size * 4 <= dyadic(1, -self.bits - 6):  # negligible as a whole
                self.error = self.error + 4 * size.upper()
                return []
            in_x = self.rule(lambda w: largest(centre + half * w, acb(unit)) * half)
            in_s = self.rule(lambda w: largest(acb(flat), w) * half)
        if in_x is None or in_s is None:
            thickness = abs(_chart(panel, centre)[1])
            split_x = in_s is not None or (in_x is None and bool(half.mid() >= thickness.mid()))
            return _halves_x(panel) if split_x else _halves_s(panel)
        self.error = self.error + in_x[1] * 2 + in_s[1] * 2
        self.add(panel, real, in_x[0], in_s[0])
        return []

    def rule(self, largest: Callable[[acb], arb]) -> tuple[int, arb] | None:
        """(size, error for a half-width of 1) of the shortest rule, None if it is longer than bits/2 + 10."""
        best: tuple[int, arb] | None = None
        for top, bottom in ELLIPSES:
            q = arb(top) / bottom
            box = acb(arb(0, ((q + 1 / q) / 2).upper()), arb(0, ((q - 1 / q) / 2).upper()))
            mass = largest(box) * 64 / 15 / (1 - q**-2)
            if not mass.is_finite():
                continue
            wanted = dyadic(1, max(log2_ceiling(mass) + self.bits + 6, 0))
            for n in SIZES:
                if n > self.bits // 2 + 10 or (best is not None and n >= best[0]):
                    break
                if q ** (2 * n) >= wanted:
                    best = n, (mass * q ** (-2 * n)).upper()
                    break
        return best

    def add(self, panel: _Panel, real: Program, size_x: int, size_s: int) -> None:
        centre = dyadic(panel.low + panel.high, self.exponent - 1)
        half = dyadic(panel.high - panel.low, self.exponent - 1)
        prec = self.bits + 10
        registers = real.start()
        for x_node, x_weight in gauss_legendre(size_x, prec):
            for x in (centre - half * x_node, centre + half * x_node):
                middle, radius = _chart(panel, x)
                outer = half * x_weight * radius * (-x * x / 2).exp()
                real.advance(registers, 0, x)
                inner = arb(0)
                for node, weight in gauss_legendre(size_s, prec):
                    for y in (middle - radius * node, middle + radius * node):
                        real.advance(registers, 1, y)
                        inner = inner + weight * (-y * y / 2).exp() * real.result(registers)
                self.total = self.total + outer * inner


def _chart(panel: _Panel, x: Ball) -> tuple[Ball, Ball]:
    """(m(x), r(x))."""
    low = panel.below.offset + panel.below.slope * x
    high = panel.above.offset + panel.above.slope * x
    return (high + low) / 2, (high - low) / 2


def _halves_x(panel: _Panel) -> list[_Panel]:
    middle = (panel.low + panel.high) // 2
    if panel.high - panel.low <= 1:
        raise NoStripBound("the integrand is not analytic between its kinks")
    return [
        _Panel(panel.low, middle, panel.below, panel.above),
        _Panel(middle, panel.high, panel.below, panel.above),
    ]


def _halves_s(panel: _Panel) -> list[_Panel]:
    between = Line((panel.below.offset + panel.above.offset) / 2, (panel.below.slope + panel.above.slope) / 2)
    return [
        _Panel(panel.low, panel.high, panel.below, between),
        _Panel(panel.low, panel.high, between, panel.above),
    ]
