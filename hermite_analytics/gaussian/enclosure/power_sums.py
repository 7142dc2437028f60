"""From power sums of a quadrature to Hermite coefficients.

A rule with nodes x and products g = weight * f * phi gives P_k = sum g x^k, and then
He_k(x)/k! = sum_m x^(k-2m)/(k-2m)! (-1/2)^m/m! gives all coefficients by a product of polynomials. Errors of
P_k are amplified by at most E (|Z| + |Z'|)^k/sqrt(k!) ~ 2^(k/2): k/2 guard bits pay for it, and each node
costs two operations per k, with an inexact node too.
"""

from __future__ import annotations

import math

from flint import arb, arb_poly

__all__ = ["PowerSums", "hermite_from_power_sums"]


class PowerSums:
    """Accumulates sum g x^k for k = 0..degree."""

    __slots__ = ("degree", "even", "odd")

    def __init__(self, degree: int) -> None:
        self.degree = degree
        self.even = [arb(0)] * (degree // 2 + 1)
        self.odd = [arb(0)] * ((degree + 1) // 2)

    def add(self, x: arb, g: arb) -> None:
        """One node."""
        self.add_pair(x, g, g)

    def add_pair(self, x: arb, even: arb, odd: arb) -> None:
        """Nodes x and -x at once: even = g(x) + g(-x), odd = g(x) - g(-x)."""
        square = x * x
        if not even.is_zero():
            _accumulate(self.even, even, square)
        if self.odd and not odd.is_zero():
            _accumulate(self.odd, odd * x, square)

    def widen(self, bound: arb, size: arb) -> None:
        """Add an uncertainty of bound * size^k to every power sum."""
        term = bound
        for k in range(self.degree + 1):
            sums = self.odd if k % 2 else self.even
            sums[k // 2] = sums[k // 2] + arb(0, term.upper())
            term = term * size

    def coefficients(self, scale: arb) -> list[arb]:
        """scale * sum g He_k(x) for k = 0..degree."""
        powers = [arb(0)] * (self.degree + 1)
        powers[0::2] = [scale * a for a in self.even]
        powers[1::2] = [scale * a for a in self.odd]
        return hermite_from_power_sums(powers)


def _accumulate(sums: list[arb], term: arb, square: arb) -> None:
    for m in range(len(sums)):
        sums[m] += term
        term = term * square


def hermite_from_power_sums(powers: list[arb]) -> list[arb]:
    """[sum g He_k] from [sum g x^k].

    Examples
    --------
    >>> [c.str(5, radius=False) for c in hermite_from_power_sums([arb(1), arb(2), arb(4), arb(8)])]  # x = 2
    ['1.0000', '2.0000', '3.0000', '2.0000']
    """
    result = [arb(0)] * len(powers)
    for parity in (0, 1):
        chosen = powers[parity::2]
        if all(a == 0 for a in chosen):
            continue
        scaled = [a / math.factorial(2 * m + parity) for m, a in enumerate(chosen)]
        kernel = [arb(1) / ((-2) ** m * math.factorial(m)) for m in range(len(chosen))]
        product = (arb_poly(scaled) * arb_poly(kernel)).coeffs()
        product += [arb(0)] * (len(chosen) - len(product))
        for m in range(len(chosen)):
            result[2 * m + parity] = product[m] * math.factorial(2 * m + parity)
    return result
