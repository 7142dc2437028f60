"""A sum of terms on one cell: whether the integral of |sum|^order against the Gaussian is finite."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sympy
from sympy import Expr, S, Symbol

from hermite_analytics.gaussian.integrability.exponents import (
    Verdict,
    difference,
    judge,
    leading_sign,
    rates,
    total_degree,
)
from hermite_analytics.gaussian.integrability.geometry import Polyhedron
from hermite_analytics.gaussian.integrability.singularities import judge_poles
from hermite_analytics.gaussian.integrability.terms import Items, Key, Poly, Terms, is_nonzero, poly_sum

__all__ = ["CellVerdict", "judge_cell"]


@dataclass(frozen=True, slots=True)
class CellVerdict:
    """Whether the integral over a cell is finite, and why not."""

    finite: bool | None
    reason: str = ""


_FINITE = CellVerdict(True)


def judge_cell(terms: Terms, cell: Polyhedron, order: Expr, variables: Sequence[Symbol]) -> CellVerdict:
    """Decide the integral of |sum of terms|^order exp(-|z|^2/2) over the cell.

    Raises
    ------
    Undecided
        If the sign of some quantity is not known.
    """
    poles = judge_poles(terms, cell, order, variables)
    if poles is not None:
        return CellVerdict(*poles)
    verdicts = {e: judge(_total(e, order, len(variables)), cell) for e in {k.exponent for k in terms}}
    rest: Terms = {}
    for key, poly in terms.items():
        if not _is_finite(key, poly, verdicts[key.exponent], cell, order):
            rest[key] = poly
    if not rest:
        return _FINITE
    for key in rest:
        found = _diverges(key, rest, verdicts[key.exponent], cell, order)
        if found:
            return CellVerdict(False, _shown(key, order, variables))
    (first, *_) = rest
    return CellVerdict(None, f"the size of {_shown(first, order, variables)}, with its other factors")


def _total(exponent: Items, order: Expr, n: int) -> Poly:
    """order * exponent - |z|^2/2."""
    gaussian = {tuple(2 * int(i == j) for j in range(n)): -S.Half for i in range(n)}
    return poly_sum([{m: order * c for m, c in exponent}, gaussian])


def _is_finite(key: Key, poly: Poly, verdict: Verdict, cell: Polyhedron, order: Expr) -> bool:
    if any(f.steep for f, _ in key.factors):
        return False
    soft = any(f.soft for f, _ in key.factors)
    if verdict.finite:
        return verdict.strict or not soft
    if verdict.flat and cell.dimension == 1 and not soft:  # a power of z alone decides
        power = total_degree(poly) + sympy.Add(*(n * f.high for f, n in key.factors))
        linear = all(k.pole is None for k, _ in key.factors)
        return bool(linear and order * power < -1)
    return False


def _diverges(key: Key, rest: Terms, verdict: Verdict, cell: Polyhedron, order: Expr) -> bool:
    """Whether the terms that are largest along the direction of one verdict prove the sum infinite."""
    if any(f.steep for f, _ in key.factors):
        return _steep_terms_diverge(key, rest, cell)
    if verdict.edge or (verdict.finite is False and verdict.direction is None):
        return _is_alone(key, rest, constant=verdict.edge)
    if verdict.finite is not False or any(f.steep for k in rest for f, _ in k.factors):
        return False
    largest = _largest(rest, verdict, cell)
    if len({k.factors for k in largest}) != 1:
        return False
    return _is_shown_nonzero(largest, rest) and _is_large(largest[0], verdict, cell, order)


def _is_alone(key: Key, rest: Terms, *, constant: bool) -> bool:
    """Whether the sum is one exponential times a polynomial, or a constant, that is not 0."""
    if len(rest) > 1 or key.wave is not None or key.factors:
        return False
    if constant and any(map(any, rest[key])):
        return False
    return is_nonzero(rest[key])


def _is_large(key: Key, verdict: Verdict, cell: Polyhedron, order: Expr) -> bool:
    """Whether this size, to the power `order`, is not integrable along the direction of the verdict."""
    lows = [n * f.low for f, n in key.factors if f.low is not None]
    if len(lows) < len(key.factors):
        return False
    growing = leading_sign(rates(_total(key.exponent, order, cell.dimension), verdict, cell)) > 0
    if any(f.soft for f, _ in key.factors) and not _quadratic(key, verdict, cell, order):
        return False
    return growing or bool(order * sympy.Add(*lows) >= -1)


def _steep_terms_diverge(key: Key, rest: Terms, cell: Polyhedron) -> bool:
    """Faster than any Gaussian, if all terms that are have the same factors and the others are not small."""
    alike = [k for k in rest if any(f.steep for f, _ in k.factors)]
    exists = cell.point is not None or cell.direction is not None
    moderate = all(f.low is not None for f, _ in key.factors if not f.steep)
    return (
        sum(bool(f.steep) for f, _ in key.factors) == 1
        and exists
        and moderate
        and all(k.factors == key.factors for k in alike)
        and _is_shown_nonzero(alike, rest)
    )


def _is_shown_nonzero(largest: list[Key], rest: Terms) -> bool:
    """Whether the sum of the largest terms does not vanish, for any values of parameters."""
    if len(largest) > 1 and any(c.free_symbols for k in largest for c in _coefficients(k)):
        return False  # the terms may coincide
    return any(
        is_nonzero(rest[k]) and (k.wave is None or k.wave[1] == "cos" or is_nonzero(dict(k.wave[0])))
        for k in largest
    )


def _coefficients(key: Key) -> list[Expr]:
    return [c for _, c in (*key.exponent, *(key.wave[0] if key.wave else ()))]


def _quadratic(key: Key, verdict: Verdict, cell: Polyhedron, order: Expr) -> bool:
    rate = rates(_total(key.exponent, order, cell.dimension), verdict, cell)
    return max(rate)[0] >= 2 and leading_sign(rate) > 0


def _largest(rest: Terms, verdict: Verdict, cell: Polyhedron) -> list[Key]:
    """The terms that no other outgrows along the direction of the verdict."""
    speeds = {k: rates(dict(k.exponent), verdict, cell) for k in rest}
    soft = any(f.soft for k in rest for f, _ in k.factors)
    if soft:  # factors exp(C|z|^p) hide all but the quadratic rate
        speeds = {k: {m: c for m, c in s.items() if m[0] >= 2} for k, s in speeds.items()}
    return [
        k
        for k, s in speeds.items()
        if all(leading_sign(difference(other, s)) <= 0 for other in speeds.values())
    ]


def _shown(key: Key, order: Expr, variables: Sequence[Symbol]) -> str:
    if any(f.steep for f, _ in key.factors):
        return "exp of a function that grows like an exponential"
    total = sympy.Add(
        *(order * c * sympy.Mul(*(v**k for v, k in zip(variables, m, strict=True))) for m, c in key.exponent)
    )
    return f"{sympy.exp(total)} against a Gaussian"
