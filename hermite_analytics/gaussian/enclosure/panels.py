"""Gauss-Legendre rules on panels, all E[He_k f] at once: for kinks, and where no uniform strip is found.

On a panel of half-width r, f analytic and |f phi| <= M inside the ellipse with foci at its ends and semi-axes
r (q +- 1/q)/2: the n-point rule is wrong by at most r (64/15) M q^(-2n)/(1 - q^-2), from the Chebyshev
coefficients |a_j| <= 2 M q^-j and the rule's exactness to degree 2n - 1 (Trefethen, Approximation Theory and
Approximation Practice, Theorem 19.3). M comes from one complex ball; where it is not finite or the rule is
too long, the panel is halved. The power x^k adds |w|^k <= W^k. Beyond L the tail of the real envelope.
"""

from __future__ import annotations

import functools
import itertools

from flint import acb, arb
from sympy import Expr, Symbol

from hermite_analytics.gaussian.enclosure.cells import Stretch, cells, interval, kink_differences, resolved
from hermite_analytics.gaussian.enclosure.effort import bounded, check
from hermite_analytics.gaussian.enclosure.envelope import Envelope
from hermite_analytics.gaussian.enclosure.moments import at_most, functional, tail
from hermite_analytics.gaussian.enclosure.parity import parity
from hermite_analytics.gaussian.enclosure.power_sums import PowerSums
from hermite_analytics.gaussian.enclosure.precision import BOUND_BITS, dyadic, log2_ceiling, working_precision
from hermite_analytics.gaussian.enclosure.program import Program
from hermite_analytics.gaussian.enclosure.strip import strip_bounds
from hermite_analytics.gaussian.enclosure.trapezoid import cut_off, root_factorial

__all__ = ["ELLIPSES", "SIZES", "gauss_legendre", "panel_sums"]

SIZES = (
    6,
    8,
    10,
    12,
    16,
    20,
    24,
    28,
    32,
    40,
    48,
    56,
    64,
    80,
    96,
    112,
    128,
    160,
    192,
    224,
    256,
    320,
    384,
    448,
    512,
)
ELLIPSES = ((8, 1), (4, 1), (5, 2), (3, 2))  # q = numerator/denominator


@functools.lru_cache(maxsize=64)
def gauss_legendre(size: int, prec: int) -> tuple[tuple[arb, arb], ...]:
    """(node, weight) of the non-negative nodes of the rule of an even size, as balls."""
    with working_precision(prec):
        return tuple(arb.legendre_p_root(size, k, weight=True) for k in range(size // 2))


def panel_sums(expr: Expr, z: Symbol, degree: int, bits: int) -> list[arb]:
    """[E He_k f] for k = 0..degree as balls, to about 2^-(bits - degree/2) sqrt(k!)."""
    with bounded(), working_precision(BOUND_BITS):
        envelope = strip_bounds(expr, [z], [arb(0)]).size
        end = int(cut_off(envelope, degree, dyadic(1, degree // 2 - bits)).ceil().unique_fmpz())
        rest = tail(envelope, arb(end), degree) / root_factorial(degree)
    with working_precision(bits + 10):
        symmetry = parity(expr, z)
        line = _Line(expr, z, degree, bits, envelope)
        line.integrate(0 if symmetry else -end, end)
        sums = line.sums
        if symmetry:
            silent = sums.odd if symmetry > 0 else sums.even
            silent[:] = [arb(0)] * len(silent)
        balls = sums.coefficients((2 if symmetry else 1) / (2 * arb.pi()).sqrt())
        return [
            c if symmetry and (-1) ** k != symmetry else c + arb(0, (rest * root_factorial(k)).upper())
            for k, c in enumerate(balls)
        ]


class _Line:
    """Adds the panels of one stretch of the line to the power sums."""

    def __init__(self, expr: Expr, z: Symbol, degree: int, bits: int, envelope: Envelope) -> None:
        self.expr, self.z, self.bits = expr, z, bits
        self.envelope = envelope
        self.sums = PowerSums(degree)
        self.arguments = kink_differences(expr, (z,))
        self.scale = root_factorial(degree)

    def integrate(self, start: int, end: int) -> None:
        """Integral of x^k f exp(-x^2/2) from start to end."""
        exponent = -self.bits - 8
        ends = (start << -exponent, end << -exponent)
        for cell in cells(self.arguments, self.z, ends, exponent, self.bits + 10):
            if cell.signs is None:
                self.undecided(cell, exponent)
            else:
                signs = dict(zip(self.arguments, cell.signs, strict=True))
                self.cell(resolved(self.expr, (self.z,), signs), cell, exponent)

    def undecided(self, cell: Stretch, exponent: int) -> None:
        """A piece without known branches: its width times the largest value."""
        x = interval(cell.low, cell.high, exponent)
        value = Program(self.expr, [self.z], self.bits)(x) * (-x * x / 2).exp()
        if not value.is_finite():  # the ball lost what the structure shows
            value = functional(self.envelope, [at_most(arb(1), abs(x).upper())])
        self.sums.widen(abs(value) * dyadic(cell.high - cell.low, exponent), abs(x).upper())

    def cell(self, piece: Expr, cell: Stretch, exponent: int) -> None:
        if piece == 0:
            return
        real = Program(piece, [self.z], self.bits + 10)
        analytic = Program(piece, [self.z], self.bits + 10, analytic=True)
        work = _split(cell.low, cell.high, 2 << -exponent)
        while work:
            check()
            low, high = work.pop()
            if high - low <= 1:
                self.undecided(Stretch(low, high, None), exponent)
                continue
            chosen = self.rule(analytic, low, high, exponent)
            if chosen is None:
                middle = (low + high) // 2
                work += [(low, middle), (middle, high)]
            else:
                self.panel(real, low, high, exponent, *chosen)

    def rule(self, analytic: Program, low: int, high: int, exponent: int) -> tuple[int, arb, arb] | None:
        """(size, error, W) of the shortest rule that is exact enough, None if the panel is to be halved."""
        best: tuple[int, arb, arb] | None = None
        with working_precision(self.bits + 10):  # short panels next to a singular point are told from it
            centre, half = dyadic(low + high, exponent - 1), dyadic(high - low, exponent - 1)
            for top, bottom in ELLIPSES:
                q = arb(top) / bottom
                wide, tall = half * (q + 1 / q) / 2, half * (q - 1 / q) / 2
                box = acb(centre + arb(0, wide.upper()), arb(0, tall.upper()))
                value = analytic(box) * (-box * box / 2).exp()
                if not value.is_finite():
                    continue
                largest, reach = value.abs_upper(), abs(centre) + wide
                needed = self.size(half * largest, reach, q)
                if needed is not None and (best is None or needed < best[0]):
                    error = half * largest * 64 / 15 / (1 - q**-2) * q ** (-2 * needed)
                    best = needed, error.upper(), reach.upper()
        return best

    def size(self, mass: arb, reach: arb, q: arb) -> int | None:
        """The least size with error W^k q^(-2n) below 2^-bits sqrt(k!), up to bits/2 + 16 points."""
        peak = min(self.sums.degree, int(reach.abs_lower().floor().unique_fmpz() or 0) ** 2)
        worst = (reach**peak / root_factorial(peak)).max(arb(1))
        wanted = log2_ceiling(5 * mass * worst / (1 - q**-2)) + self.bits
        for size in SIZES:
            if size > self.bits // 2 + 16:
                return None
            if not q ** (2 * size) < dyadic(1, max(wanted, 0)):
                return size
        return None

    def panel(
        self, real: Program, low: int, high: int, exponent: int, size: int, error: arb, reach: arb
    ) -> None:
        centre, half = dyadic(low + high, exponent - 1), dyadic(high - low, exponent - 1)
        for node, weight in gauss_legendre(size, self.bits + 10):
            offset, factor = half * node, half * weight
            for x in (centre - offset, centre + offset):
                self.sums.add(x, real(x) * (-x * x / 2).exp() * factor)
        self.sums.widen(error, reach)


def _split(low: int, high: int, width: int) -> list[tuple[int, int]]:
    """Panels of at most `width`."""
    count = max(-((low - high) // width), 1)
    edges = [low + (high - low) * j // count for j in range(count + 1)]
    return list(itertools.pairwise(edges))
