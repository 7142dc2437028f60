"""Rational powers of rationals as products of prime powers, and the field that they span.

Ground (Besicovitch 1940): the numbers prod p^{e_p}, p prime, 0 <= e_p < 1 rational, are linearly
independent over Q when their exponents differ. So a sum of radicals is zero only if it cancels.
"""

from __future__ import annotations

import functools
import math
from fractions import Fraction

import flint

from hermite_analytics.gaussian.zero.monomials import Form, Monomial, OutOfReach

__all__ = ["factored", "perfect_root", "rational_power", "square_free"]

LARGEST_BITS = 120  # of a cofactor without small primes: factoring stays within milliseconds
_SMALL_PRIMES = tuple(p for p in range(2, 1000) if all(p % q for q in range(2, math.isqrt(p) + 1)))


@functools.lru_cache(maxsize=4096)
def factored(n: int) -> tuple[tuple[int, int], ...]:
    """Prime powers (p, e) of n >= 1.

    Raises
    ------
    OutOfReach
        If a factor without small primes is above 2^120.

    Examples
    --------
    >>> factored(360)
    ((2, 3), (3, 2), (5, 1))
    """
    found = []
    for p in _SMALL_PRIMES:
        count = 0
        while n % p == 0:
            n, count = n // p, count + 1
        if count:
            found.append((p, count))
        if n == 1:
            return tuple(found)
    if n.bit_length() > LARGEST_BITS:
        raise OutOfReach("an integer too large to factor")
    found += [(int(p), int(e)) for p, e in flint.fmpz(n).factor()]
    return tuple(sorted(found))


@functools.lru_cache(maxsize=4096)
def rational_power(base: Fraction, exponent: Fraction) -> tuple[Fraction, Monomial]:
    """(coefficient, radical) of base^exponent, base > 0.

    Examples
    --------
    >>> coefficient, monomial = rational_power(Fraction(8, 9), Fraction(1, 2))
    >>> coefficient, monomial.radical
    (Fraction(2, 3), ((2, Fraction(1, 2)),))
    """
    if exponent.denominator == 1:
        return base ** int(exponent), Monomial()
    powers: dict[int, Fraction] = {}
    for n, side in ((base.numerator, 1), (base.denominator, -1)):
        for p, e in factored(n):
            powers[p] = powers.get(p, Fraction(0)) + side * e * exponent
    coefficient = Fraction(1)
    radical: list[tuple[int, Fraction]] = []
    for p, total in sorted(powers.items()):
        whole = math.floor(total)
        coefficient *= Fraction(p) ** whole
        if total != whole:
            radical.append((p, total - whole))
    return coefficient, Monomial(radical=tuple(radical))


def square_free(n: int) -> tuple[int, int]:
    """(s, d) with n = s^2 d and d without square factors, n >= 1."""
    s = d = 1
    for p, e in factored(n):
        s *= p ** (e // 2)
        d *= p ** (e % 2)
    return s, d


def perfect_root(x: Fraction) -> Fraction | None:
    """sqrt(x) if it is rational."""
    if x < 0:
        return None
    n, d = math.isqrt(x.numerator), math.isqrt(x.denominator)
    return Fraction(n, d) if n * n == x.numerator and d * d == x.denominator else None


def radicand(monomial: Monomial) -> Fraction | None:
    """m for the monomial sqrt(m), or None where it is not a square root of an integer."""
    if any(e != Fraction(1, 2) for _, e in monomial.radical):
        return None
    return Fraction(math.prod(p for p, _ in monomial.radical))


def denested(form: Form) -> tuple[Fraction, Fraction, int] | None:
    """(u, v, s) with sqrt(a + b sqrt m) = sqrt(u) + s sqrt(v), where a^2 - b^2 m is a square."""
    if len(form) != 2 or Monomial() not in form:
        return None
    (inner,) = (m for m in form if m != Monomial())
    m = radicand(inner) if inner == Monomial(radical=inner.radical) else None
    a, b = form[Monomial()], form[inner]
    root = None if m is None or a <= 0 else perfect_root(a * a - b * b * m)
    return None if root is None else ((a + root) / 2, (a - root) / 2, 1 if b > 0 else -1)
