"""The zeros of one factor in the parameters, where they can be written out."""

from __future__ import annotations

from dataclasses import dataclass

import sympy
from sympy import Expr, Symbol

from hermite_analytics.analysis.parametric.region import Region

__all__ = ["Divided", "Solved", "solutions"]

_MOST_DEGREE = 8


@dataclass(frozen=True, slots=True)
class Solved:
    """All zeros: on each of these a parameter is a function of the others; none for no zero."""

    zeros: tuple[tuple[Symbol, Expr], ...]


@dataclass(frozen=True, slots=True)
class Divided:
    """The zeros can be written where this is not 0."""

    by: Expr


def solutions(g: Expr, region: Region) -> Solved | Divided | None:
    """The zeros of g in a region; None where no rule writes them.

    A factor that is linear in a parameter is solved for it; a polynomial with rational coefficients in one
    parameter by its real zeros, where these are rational or written by roots.

    Examples
    --------
    >>> from hermite_analytics.analysis.parametric.domains import Domain
    >>> a, b = sympy.symbols("a b", real=True)
    >>> region = Region(domains={a: Domain(), b: Domain()})
    >>> solutions(6 * b - a**3 * sympy.exp(-(a**2) / 2), region).zeros
    ((b, a**3*exp(-a**2/2)/6),)
    >>> solutions(a**2 - 2, region).zeros, solutions(sympy.sin(a), region)
    (((a, -sqrt(2)), (a, sqrt(2))), None)
    """
    names = sorted((s for s in g.free_symbols if s in region.domains), key=str)
    linear = [(p, *parts) for p in names if (parts := _linear(g, p)) is not None]
    ready = [(p, slope, rest) for p, slope, rest in linear if region.is_nonzero(slope)]
    if ready:
        p, slope, rest = min(ready, key=lambda found: (bool(found[1].free_symbols), found[1].count_ops()))
        return Solved(((p, sympy.factor_terms(sympy.expand(-rest / slope))),))
    if linear:
        return Divided(linear[0][1])
    return _roots(g, names[0], region) if len(names) == 1 and g.free_symbols == {names[0]} else None


def _linear(g: Expr, p: Symbol) -> tuple[Expr, Expr] | None:
    """(A, B) with g = A p + B, where neither has p."""
    if not g.is_polynomial(p):
        return None
    polynomial = sympy.Poly(g, p)
    return (polynomial.nth(1), polynomial.nth(0)) if polynomial.degree() == 1 else None


def _roots(g: Expr, p: Symbol, region: Region) -> Solved | None:
    if not g.is_polynomial(p):
        return None
    polynomial = sympy.Poly(g, p)
    if (not polynomial.domain.is_QQ and not polynomial.domain.is_ZZ) or polynomial.degree() > _MOST_DEGREE:
        return None
    found = sympy.real_roots(polynomial)
    if any(root.has(sympy.CRootOf) for root in found):
        return None
    return Solved(tuple((p, root) for root in dict.fromkeys(found) if region.domains[p].contains(root)))
