"""The trapezoidal rule for E[He_k f], all k at once, with rigorous errors, for f analytic in a strip.

For f analytic in |Im z| <= a with int |f He_k phi|(x + ib) dx <= M_k for |b| <= a, the rule of step h is
wrong by at most 2 M_k/(exp(2 pi a/h) - 1) (Trefethen and Weideman 2014, Theorem 5.1); M_k is in `moments`.
The sum is cut at L beyond all zeros of He_k, where |He_k(x)| <= |x|^k, and the rest is bounded by `tail`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from flint import arb
from sympy import Expr, Symbol

from hermite_analytics.gaussian.enclosure.effort import bounded, check
from hermite_analytics.gaussian.enclosure.envelope import Envelope
from hermite_analytics.gaussian.enclosure.moments import hermite_mass, norm_2, tail
from hermite_analytics.gaussian.enclosure.parity import parity
from hermite_analytics.gaussian.enclosure.power_sums import PowerSums
from hermite_analytics.gaussian.enclosure.precision import BOUND_BITS, dyadic, working_precision
from hermite_analytics.gaussian.enclosure.program import Program
from hermite_analytics.gaussian.enclosure.strip import NoStripBound, strip_bounds

__all__ = ["Rule", "best_width", "cut_off", "plan", "root_factorial", "trapezoid_sums"]

_STEP_BITS = 5  # of the mantissa of h
_LEAST_INVERSE = arb(1) / 4  # of h: an integrand that is tiny everywhere would allow any step
_LARGEST_CUT = 4096
_CHECK_EVERY = 64


@dataclass(frozen=True, slots=True)
class Rule:
    """Nodes j * mantissa * 2^exponent, |j| <= count; `error` bounds |rule - integral|/sqrt(k!) for all k."""

    mantissa: int
    exponent: int
    count: int
    error: arb

    def node(self, j: int) -> arb:
        return dyadic(j * self.mantissa, self.exponent)


def plan(expr: Expr, z: Symbol, degree: int, tolerance: arb) -> Rule | None:
    """The rule with the largest step whose error is below `tolerance`; None without a strip.

    Raises
    ------
    NoStripBound
        If the integrand has no envelope on the real axis, or does not decay against the Gaussian.
    """
    with bounded(), working_precision(BOUND_BITS):
        end = cut_off(strip_bounds(expr, [z], [arb(0)]).size, degree, tolerance / 4)
        found = best_width(lambda a: _inverse_step(expr, z, degree, tolerance / 4, a))
        if found is None:
            return None
        width, inverse = found
        mantissa, exponent = dyadic_below(1 / inverse.max(_LEAST_INVERSE))
        h = dyadic(mantissa, exponent)
        count = int((end / h).ceil().upper().ceil().unique_fmpz())
        real = strip_bounds(expr, [z], [arb(0)]).size
        envelope = strip_bounds(expr, [z], [width]).size
        error = _discretisation(envelope, width, degree, h) + _relative_tail(real, h * count, degree)
        return Rule(mantissa, exponent, count, error)


def _inverse_step(expr: Expr, z: Symbol, degree: int, tolerance: arb, width: arb) -> arb | None:
    """1/h that makes the discretisation error equal to `tolerance` with this width of the strip."""
    try:
        mass = hermite_mass(strip_bounds(expr, [z], [width]).size, width, degree)
    except NoStripBound:
        return None
    if not mass.is_finite():
        return None
    inverse = (1 + 2 * mass / tolerance).log() / (2 * arb.pi() * width)
    return inverse if inverse.is_finite() else None  # a wide ball may say nothing


def _discretisation(envelope: Envelope, width: arb, degree: int, h: arb) -> arb:
    """2 M_k/(exp(2 pi a/h) - 1) relative to sqrt(k!), the largest over k <= degree."""
    worst = hermite_mass(envelope, width, degree).max(hermite_mass(envelope, width, 0))
    if not norm_2(envelope).is_finite():  # the bound that then holds need not grow with k
        for k in range(1, degree):
            worst = worst.max(hermite_mass(envelope, width, k))
    return 2 * worst / ((2 * arb.pi() * width / h).exp() - 1)


def root_factorial(degree: int) -> arb:
    """sqrt(k!)."""
    return arb(degree).fac().sqrt()


def _relative_tail(envelope: Envelope, start: arb, degree: int) -> arb:
    """The largest over k <= degree of tail/sqrt(k!): the one of k = degree, since start^2 >= degree."""
    return tail(envelope, start, degree) / root_factorial(degree)


def cut_off(envelope: Envelope, degree: int, tolerance: arb) -> arb:
    """L >= 2 sqrt(k) + 1 with tail/sqrt(k!) below the tolerance, for all k <= degree."""
    start = (2 * arb(degree).sqrt() + 1).upper().ceil()
    low, high = start, start
    while not _relative_tail(envelope, high, degree) <= tolerance:
        check()
        low, high = high, high + high / 2
        if high > _LARGEST_CUT:
            raise NoStripBound("the integrand is not shown to decay against the Gaussian")
    while high - low > arb(1) / 4:
        middle = ((low + high) / 2).mid()
        if _relative_tail(envelope, middle, degree) <= tolerance:
            high = middle
        else:
            low = middle
    return high


def best_width(inverse_step: Callable[[arb], arb | None]) -> tuple[arb, arb] | None:
    """(a, 1/h) with the smallest 1/h that `inverse_step(a)` finds, on the grid (1 + j/8) 2^e."""
    known: dict[int, arb | None] = {}

    def cost(index: int) -> arb | None:
        if index not in known:
            check()
            known[index] = inverse_step(_grid(index))
        return known[index]

    def better(left: int, right: int) -> bool:
        x, y = cost(left), cost(right)
        return x is not None and (y is None or bool(x.mid() < y.mid()))

    best = 0
    while cost(best) is None and best > -100:
        best -= 8
    if cost(best) is None:
        return None
    for stride in (8, 4, 2, 1):
        for direction in (stride, -stride):
            while better(best + direction, best) and abs(best) < 200:
                best += direction
    value = cost(best)
    return None if value is None else (_grid(best), value)


def _grid(index: int) -> arb:
    return dyadic(8 + index % 8, index // 8 - 3)


def dyadic_below(x: arb) -> tuple[int, int]:
    """(mantissa, exponent) of a number just below x > 0 with a short mantissa."""
    mantissa, exponent = (int(v) for v in x.lower().mid().man_exp())
    excess = mantissa.bit_length() - _STEP_BITS
    if excess <= 0:
        return mantissa, exponent
    return mantissa >> excess, exponent + excess


def trapezoid_sums(expr: Expr, z: Symbol, degree: int, rule: Rule, bits: int) -> list[arb]:
    """[h sum_j (f He_k phi)(jh)] for k = 0..degree, as balls at `bits` of working precision."""
    with working_precision(bits):
        evaluate = Program(expr, [z], bits)
        symmetry = parity(expr, z)
        sums = PowerSums(degree)
        h = rule.node(1)
        ratio = (-h * h).exp()
        weight, quotient = arb(1), (-h * h / 2).exp()
        if symmetry >= 0:
            value = evaluate(arb(0))
            sums.add(arb(0), value)
        for j in range(1, rule.count + 1):
            if j % _CHECK_EVERY == 0:
                check()
            weight, quotient = weight * quotient, quotient * ratio  # exp(-(jh)^2/2)
            x = rule.node(j)
            right = evaluate(x) * weight
            if symmetry:
                sums.add_pair(
                    x, right + right if symmetry > 0 else arb(0), right + right if symmetry < 0 else arb(0)
                )
            else:
                left = evaluate(-x) * weight
                sums.add_pair(x, right + left, right - left)
        return sums.coefficients(h / (2 * arb.pi()).sqrt())
