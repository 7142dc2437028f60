"""Targets with a threshold alpha_c in an interval: families with closed forms, one parameter tuned."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

from sympy import Expr, oo

from hermite_analytics.designs.grammar import SIGN, Candidate, Term, he, of_terms

__all__ = ["of_threshold"]

_MOST_LEVELS = 4
_MOST_SQUARES = 6
_DENOMINATORS = (1, 2, 4, 8, 16, 64, 1024, 2**20)
_LARGEST = 4.0
_GRID = 160


def of_threshold(low: Expr, high: Expr) -> Iterator[Candidate]:
    """Candidates with closed thresholds; floats only choose which ones are examined.

    Even functions that are injective on z > 0 have alpha_c = 1/2, z1^2 + .. + zr^2 has r/2, sign(z1*z2) has
    pi^2/4, and the steps 1{|z| > t} + 1{|z| > 2 t} + .. + 1{|z| > m t} a closed form in t (arXiv:2405.15480).
    """
    yield of_terms(Term(((1, he(1)),)))
    for r in range(1, _MOST_SQUARES + 1):
        yield of_terms(*(Term(((i, he(2)),)) for i in range(1, r + 1)))
    for r in (2, 3):
        yield of_terms(Term(tuple((i, SIGN) for i in range(1, r + 1))))
    if high != oo and float(high) > 0:
        yield from _steps(float(low), float(high))


def _steps(low: float, high: float) -> Iterator[Candidate]:
    for levels in range(1, _MOST_LEVELS + 1):
        t = _tuned(levels, low, high)
        if t is not None:
            text = " + ".join(f"step(abs(z1) - {i * t})" for i in range(1, levels + 1))
            size = 6 * levels - 1 + (t.denominator != 1) + len(str(t.denominator)) - 1
            yield Candidate(text=text, size=size, width=1)


def _tuned(levels: int, low: float, high: float) -> Fraction | None:
    """A rational t of small denominator whose threshold lies, as a float, in the interval."""
    grid = [_LARGEST * (i + 1) / _GRID for i in range(_GRID)]
    values = [_alpha(levels, t) for t in grid]
    middle = (low + high) / 2
    for (t, a), (u, b) in zip(
        zip(grid, values, strict=True), list(zip(grid, values, strict=True))[1:], strict=False
    ):
        if min(a, b) <= middle <= max(a, b):
            for _ in range(60):
                half = (t + u) / 2
                t, u = (half, u) if (_alpha(levels, half) > middle) == (a > middle) else (t, half)
            return _rounded(levels, t, low, high)
    inside = [t for t, a in zip(grid, values, strict=True) if low < a < high]
    return _rounded(levels, inside[0], low, high) if inside else None


def _rounded(levels: int, t: float, low: float, high: float) -> Fraction | None:
    nearby = (Fraction(round(t * n), n) for n in _DENOMINATORS)
    return next((x for x in nearby if x > 0 and low < _alpha(levels, float(x)) < high), None)


def _alpha(levels: int, t: float) -> float:
    """1/alpha = sum over cells of E[He_2 1]^2 / P, with E[He_2 1{|z| > a}] = 2 a phi(a)."""
    edges = [i * t for i in range(levels + 1)]
    moments = [2 * a * math.exp(-a * a / 2) / math.sqrt(2 * math.pi) for a in edges] + [0.0]
    masses = [math.erfc(a / math.sqrt(2)) for a in edges] + [0.0]
    inverse = 0.0
    for i in range(levels + 1):
        mass = masses[i] - masses[i + 1]
        if mass > 0:
            inverse += (moments[i] - moments[i + 1]) ** 2 / mass
    return 1 / inverse if inverse > 0 else math.inf
