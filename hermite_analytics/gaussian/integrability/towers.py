"""exp(g) where g is not a polynomial: bounded, of moderate size, or faster than any Gaussian."""

from __future__ import annotations

import sympy
from sympy import Expr, S

from hermite_analytics.gaussian.integrability.exponents import (
    Verdict,
    difference,
    is_bounded_above,
    leading_sign,
    rates,
    total_degree,
)
from hermite_analytics.gaussian.integrability.geometry import Polyhedron, Undecided, Vector
from hermite_analytics.gaussian.integrability.terms import Factor, Key, Poly, Terms
from hermite_analytics.gaussian.reals import sign_of

__all__ = ["exponential_of_rest", "growth_degree"]


class Tower(sympy.Function):  # type: ignore[misc]
    """exp of terms, as a name for comparison."""


def growth_degree(key: Key, poly: Poly, cell: Polyhedron) -> Expr | None:
    """d with |term| <= C (1 + |z|)^d on the cell; None if an exponential may grow."""
    if any(f.steep for f, _ in key.factors):
        return None
    if any(f.soft or f.pole or f.logarithmic for f, _ in key.factors):
        raise Undecided("the exponential of a function of unknown size")
    high = sympy.Add(*(n * f.high for f, n in key.factors))
    if not key.exponent:
        return total_degree(poly) + high
    if not is_bounded_above(dict(key.exponent), cell):
        return None
    return (S.Zero if _outweighs(dict(key.exponent), poly, cell) else total_degree(poly)) + high


def _outweighs(exponent: Poly, poly: Poly, cell: Polyhedron) -> bool:
    """Whether exp(exponent) falls along all rays on which the polynomial moves, so that it stays bounded."""
    moved = {i for m in (*poly, *exponent) for i, k in enumerate(m) if k}
    if total_degree(exponent) > 1 and len(moved) > 1:
        return False
    for v in cell.ways():
        moves = any(v[i] != 0 for i in moved)
        if moves and leading_sign(rates(exponent, Verdict(finite=None, direction=v), cell)) >= 0:
            return False
    return True


def exponential_of_rest(terms: Terms, cell: Polyhedron) -> Factor:
    """exp of terms none of which is a plain polynomial.

    Raises
    ------
    Undecided
        If it may grow like a Gaussian, or a fast growth has no known sign.
    """
    name = _name(terms)
    degree: Expr = S.Zero
    growing: Terms = {}
    for key, poly in terms.items():
        d = growth_degree(key, poly, cell)
        if d is None:
            growing[key] = poly
        else:
            degree = max(degree, d)
    if degree >= 2:
        raise Undecided("the exponential of a function of quadratic growth that is not a polynomial")
    if not growing:
        return Factor(expr=name, pointwise=True, soft=degree > 0)
    return _tower(growing, name, soft=degree > 0, cell=cell)


def _name(terms: Terms) -> Expr:
    """A name that is equal for equal terms."""
    return Tower(sympy.Symbol(repr(sorted((repr(k), repr(sorted(p.items()))) for k, p in terms.items()))))


def _tower(growing: Terms, name: Expr, *, soft: bool, cell: Polyhedron) -> Factor:
    signs = {key: _sign(key, poly) for key, poly in growing.items()}
    if set(signs.values()) == {-1}:
        return Factor(expr=name, low=None, soft=soft)
    steep = [f.steep for key in growing for f, _ in key.factors if f.steep]
    if steep:
        if set(signs.values()) != {1}:
            raise Undecided("the exponential of a tower of exponentials, with a sign that is not known")
        return Factor(expr=name, low=None, soft=True, steep=steep[0])
    ways = cell.ways()
    outcomes = [_along(growing, signs, v, cell) for v in ways]
    if 1 in outcomes:
        return Factor(expr=name, low=None, soft=True, steep=ways[outcomes.index(1)])
    if cell.dimension == 1 and set(outcomes) <= {-1, 0}:
        return Factor(expr=name, low=None, soft=soft)
    raise Undecided("the exponential of a function that grows fast, with a sign that is not known")


def _sign(key: Key, poly: Poly) -> int | None:
    """Sign of a term p exp(e) with a monomial p that has one, and no factors but exponentials."""
    positive = all(isinstance(f.expr, Tower) for f, _ in key.factors)
    if key.wave is not None or not positive or len(poly) > 1:
        return None
    ((monomial, coefficient),) = poly.items()
    if all(k % 2 == 0 for k in monomial):
        return sign_of(coefficient)
    return None


def _along(growing: Terms, signs: dict[Key, int | None], v: Vector, cell: Polyhedron) -> int | None:
    """Sign of the fastest term along v: 0 if none grows, None if that is not known."""
    way = Verdict(finite=None, direction=v)
    speeds = {key: rates(dict(key.exponent), way, cell) for key in growing}
    first = max(
        speeds, key=lambda k: sum(leading_sign(difference(speeds[k], s)) >= 0 for s in speeds.values())
    )
    if leading_sign(speeds[first]) <= 0:
        return 0 if all(leading_sign(s) <= 0 for s in speeds.values()) else None
    rivals = [k for k, s in speeds.items() if leading_sign(difference(speeds[first], s)) <= 0]
    found = {signs[k] for k in rivals}
    return found.pop() if len(found) == 1 else None
