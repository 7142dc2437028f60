"""erf, Phi, phi, Owen's T and Phi2 through four generators with canonical arguments.

gauss(t^2)   int_0^t exp(-x^2/2) dx, t > 0 a constant (exp(+x^2/2) for t^2 < 0)
erf(F)       of an argument with variables, made odd by the leading sign
owen(h^2, a) Owen's T(h, a) with 0 < a < 1
"""

from __future__ import annotations

from fractions import Fraction

from hermite_analytics.gaussian.zero.angles import arcsine, arctangent
from hermite_analytics.gaussian.zero.balls import sign_of_constant
from hermite_analytics.gaussian.zero.elementary import exponential, power
from hermite_analytics.gaussian.zero.monomials import (
    Form,
    Monomial,
    OutOfReach,
    constant,
    generator_form,
    is_constant,
    leading_sign,
    scaled,
)
from hermite_analytics.gaussian.zero.ring import Ring

__all__ = [
    "error_function",
    "imaginary_error_function",
    "normal_cdf",
    "normal_density",
    "owen_t",
    "owen_t_at_infinity",
    "pair_cdf",
]

_HALF, _QUARTER = Fraction(1, 2), Fraction(1, 4)
_TWO_OVER_PI: Form = {Monomial(radical=((2, _HALF),), pi=-_HALF): Fraction(1)}  # sqrt(2/pi)
_OVER_PI: Form = {Monomial(pi=Fraction(-1)): Fraction(1)}


def error_function(ring: Ring, x: Form) -> Form:
    """erf(x) = sqrt(2/pi) int_0^{sqrt2 x} exp(-t^2/2) dt."""
    return _odd_integral(ring, x, "erf", Fraction(2))


def imaginary_error_function(ring: Ring, x: Form) -> Form:
    """erfi(x) = sqrt(2/pi) int_0^{sqrt2 x} exp(t^2/2) dt."""
    return _odd_integral(ring, x, "erfi", Fraction(-2))


def _odd_integral(ring: Ring, x: Form, name: str, factor: Fraction) -> Form:
    if not x:
        return {}
    if is_constant(x):
        side = sign_of_constant(x)
        value = generator_form("gauss", scaled(ring.multiply(x, x), factor))
        return ring.multiply(scaled(_TWO_OVER_PI, Fraction(side)), value)
    side = leading_sign(x)
    return scaled(generator_form(name, scaled(x, Fraction(side))), Fraction(side))


def normal_cdf(ring: Ring, x: Form) -> Form:
    """Phi(x) = 1/2 + erf(x/sqrt 2)/2."""
    over = ring.rational_power(Fraction(2), -_HALF)
    return ring.add((constant(_HALF), scaled(error_function(ring, ring.multiply(over, x)), _HALF)))


def normal_density(ring: Ring, x: Form) -> Form:
    """phi(x) = exp(-x^2/2)/sqrt(2 pi)."""
    outer = scaled(_TWO_OVER_PI, _HALF)
    return ring.multiply(outer, exponential(ring, scaled(ring.multiply(x, x), -_HALF)))


def owen_t(ring: Ring, h: Form, a: Form) -> Form:
    """T(h, a): even in h, odd in a, closed at h = 0 and a = 1, reflected to 0 < a < 1."""
    _need_constants(h, a)
    if not a:
        return {}
    if not h:
        return scaled(ring.multiply(_OVER_PI, arctangent(ring, a)), _HALF)
    if sign_of_constant(a) < 0:
        return scaled(owen_t(ring, h, scaled(a, Fraction(-1))), Fraction(-1))
    if sign_of_constant(h) < 0:
        h = scaled(h, Fraction(-1))
    excess = ring.subtract(ring.multiply(a, a), constant(1))
    side = sign_of_constant(excess)
    if side == 0:  # T(h, 1) = Phi(h) Phi(-h)/2
        cdf = normal_cdf(ring, h)
        return scaled(ring.multiply(cdf, ring.subtract(constant(1), cdf)), _HALF)
    if side < 0:
        return generator_form("owen", ring.multiply(h, h), a)
    moved = ring.multiply(a, h)
    halves = [ring.subtract(normal_cdf(ring, x), constant(_HALF)) for x in (h, moved)]
    inner = owen_t(ring, moved, power(ring, a, Fraction(-1)))
    return ring.add(
        (constant(_QUARTER), scaled(ring.product(halves), Fraction(-1)), scaled(inner, Fraction(-1)))
    )


def _need_constants(*forms: Form) -> None:
    if not all(is_constant(form) for form in forms):
        raise OutOfReach("Owen's T or Phi2 of a variable")


def owen_t_at_infinity(ring: Ring, h: Form) -> Form:
    """T(h, oo) = Phi(-|h|)/2."""
    below = scaled(h, Fraction(-(sign_of_constant(h) or 1)))
    return scaled(normal_cdf(ring, below), _HALF)


def pair_cdf(ring: Ring, h: Form, k: Form, rho: Form) -> Form:
    """Phi2(h, k; rho) by Owen's formula, or by what it is at rho = 0, +-1 and at zero thresholds."""
    _need_constants(h, k, rho)
    first, second = normal_cdf(ring, h), normal_cdf(ring, k)
    if not rho:
        return ring.multiply(first, second)
    square = ring.subtract(constant(1), ring.multiply(rho, rho))
    if not square:
        return _singular_pair(ring, h, k, sign_of_constant(rho))
    if sign_of_constant(square) < 0:
        raise OutOfReach("a correlation above 1")
    if not h and not k:
        angle = scaled(ring.multiply(_OVER_PI, arcsine(ring, rho)), _HALF)
        return ring.add((constant(_QUARTER), angle))
    root = power(ring, square, _HALF)
    parts = [scaled(first, _HALF), scaled(second, _HALF)]
    for x, y in ((h, k), (k, h)):
        parts.append(scaled(_owen_of_pair(ring, x, y, rho, root), Fraction(-1)))
    if _straddles(ring, h, k):
        parts.append(constant(-_HALF))
    return ring.add(parts)


def _owen_of_pair(ring: Ring, h: Form, k: Form, rho: Form, root: Form) -> Form:
    """T(h, (k - rho h)/(h sqrt(1 - rho^2)))."""
    if not h:
        return scaled(constant(_QUARTER), Fraction(sign_of_constant(k)))
    top = ring.subtract(k, ring.multiply(rho, h))
    below = power(ring, ring.multiply(h, root), Fraction(-1))
    return owen_t(ring, h, ring.multiply(top, below))


def _straddles(ring: Ring, h: Form, k: Form) -> bool:
    """Whether hk < 0, or hk = 0 and h + k < 0."""
    product = sign_of_constant(h) * sign_of_constant(k)
    return product < 0 or (product == 0 and sign_of_constant(ring.add((h, k))) < 0)


def _singular_pair(ring: Ring, h: Form, k: Form, side: int) -> Form:
    """Phi(min(h, k)) at rho = 1; max(0, Phi(h) + Phi(k) - 1) at rho = -1."""
    if side > 0:
        return normal_cdf(ring, h if sign_of_constant(ring.subtract(h, k)) <= 0 else k)
    if sign_of_constant(ring.add((h, k))) <= 0:
        return {}
    return ring.add((normal_cdf(ring, h), normal_cdf(ring, k), constant(-1)))
