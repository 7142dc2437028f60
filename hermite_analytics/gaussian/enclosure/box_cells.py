"""Dyadic intervals in [-8, 8] and the integrals of Hermite polynomials over them, for sums over boxes."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Sequence

from flint import arb, fmpz

from hermite_analytics.gaussian.enclosure.precision import working_precision

__all__ = [
    "HALF_WIDTH",
    "PRECISION",
    "Cell",
    "halves",
    "hermite_bounds",
    "hermite_integrals",
    "interval",
    "probability",
    "product",
    "rounded_up",
]

PRECISION = 64
HALF_WIDTH = 8
Cell = tuple[int, int]  # (place, level): the interval of width 16/2^level that starts at -8 + place * width


def interval(cell: Cell) -> arb:
    """All of it as a ball."""
    place, level = cell
    return arb(fmpz(2 * place + 1), 0) * _unit(level + 1) - HALF_WIDTH + arb(0, _unit(level + 1))


@functools.cache
def _unit(level: int) -> arb:
    """16/2^level."""
    return arb((1, 4 - level))


def _end(place: int, level: int) -> arb:
    return place * _unit(level) - HALF_WIDTH


def halves(cell: Cell) -> Iterator[Cell]:
    """Its two halves."""
    place, level = cell
    yield 2 * place, level + 1
    yield 2 * place + 1, level + 1


@functools.lru_cache(maxsize=20_000)
def probability(cell: Cell) -> float:
    """P(z in the cell), rounded: to choose by, not to prove by."""
    low, high = float(_end(*cell)), float(_end(cell[0] + 1, cell[1]))
    if low >= 0:
        low, high = -high, -low
    return (math.erfc(-high / math.sqrt(2)) - math.erfc(-low / math.sqrt(2))) / 2


@functools.lru_cache(maxsize=20_000)
def hermite_integrals(cell: Cell, degree: int) -> tuple[arb, ...]:
    """The integrals of He_k phi, k = 0, .., degree."""
    low, high = _end(*cell), _end(cell[0] + 1, cell[1])
    return tuple(_primitive(k, high) - _primitive(k, low) for k in range(degree + 1))


@functools.lru_cache(maxsize=20_000)
def hermite_bounds(cell: Cell, degree: int) -> tuple[float, ...]:
    """Bounds of the integrals of |He_k| phi: exact where He_k has one sign, else by Cauchy and Schwarz."""
    with working_precision(PRECISION):
        whole = interval(cell)
        mass, *terms = hermite_integrals(cell, degree)
        found = [mass]
        for k, term in enumerate(terms, 1):
            one_sign = not _hermite(k, whole).contains(0)
            found.append(abs(term) if one_sign else (mass.abs_upper() * math.factorial(k)).sqrt())
        return tuple(rounded_up(float(bound.abs_upper())) for bound in found)


def rounded_up(bound: float) -> float:
    """More than the exact value of a short product, or of a sum of up to 10^6 terms, that floats gave."""
    return bound * (1 + 1e-9) + 1e-290


def _primitive(k: int, x: arb) -> arb:
    """-He_(k-1)(x) phi(x), or the normal distribution function."""
    if k == 0:
        return (-x / arb(2).sqrt()).erfc() / 2
    density = (-x * x / 2).exp() / (2 * arb.pi()).sqrt()
    return -_hermite(k - 1, x) * density


def _hermite(k: int, x: arb) -> arb:
    low, high = arb(1), x
    for j in range(1, k):
        low, high = high, x * high - j * low
    return high if k else low


def product(factors: Sequence[tuple[arb, ...]], index: Sequence[int]) -> arb:
    """The product of the integrals of He_k, one k for each coordinate."""
    found = factors[0][index[0]]
    for terms, k in zip(factors[1:], index[1:], strict=True):
        found = found * terms[k]
    return found
