"""Functions of several coordinates that depend on one direction of them alone, shown by algebra."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import sympy
from sympy import Expr, Symbol

from hermite_analytics.language.shape import expanded_terms

__all__ = ["along_one_direction"]

_MOST_TERMS = 2000
_PLACES = (7, 12, 19, 31, 43, 59, 71, 83)  # over 11: a point at which no gradient vanishes by chance


def along_one_direction(expr: Expr, variables: Sequence[Symbol]) -> tuple[tuple[Expr, ...], Expr] | None:
    """(v, g) with expr = g(v.z) everywhere, v of norm 1 and g in the first variable; None if none is shown.

    The direction is that of the gradient of a polynomial that stands in the expression. Moves that keep v.z
    must cancel when all is expanded.

    Examples
    --------
    >>> x, y = sympy.symbols("x y", real=True)
    >>> along_one_direction(sympy.sin(x + y), (x, y))
    ((sqrt(2)/2, sqrt(2)/2), sin(sqrt(2)*x))
    >>> along_one_direction(sympy.sin(x + y) + y, (x, y)) is None
    True
    """
    for inner in _polynomials(expr, variables):
        point = {x: sympy.Rational(p, 11) for x, p in zip(variables, _PLACES * len(variables), strict=False)}
        gradient = [inner.diff(x).xreplace(point) for x in variables]
        lead = next((a for a in gradient if a != 0), None)
        if lead is None:
            continue
        row = [sympy.cancel(a / lead) for a in gradient]
        unit = tuple(a / sympy.sqrt(sum(b**2 for b in row)) for a in row)
        g = _on_the_line(expr, variables, row, unit)
        return None if g is None else (unit, g)
    return None


def _on_the_line(
    expr: Expr, variables: Sequence[Symbol], row: Sequence[Expr], unit: Sequence[Expr]
) -> Expr | None:
    """g if moves that keep v.z cancel."""
    along = {x: a * variables[0] for x, a in zip(variables, unit, strict=True)}
    lead = next(k for k, a in enumerate(row) if a != 0)
    free = [Symbol(f"beside_{x.name}", real=True) for x in variables]
    back = -sum(a * w for a, w in zip(row[lead + 1 :], free[lead + 1 :], strict=True))
    beside = [*free[:lead], back, *free[lead + 1 :]]
    moved = {x: along[x] + w for x, w in zip(variables, beside, strict=True)}
    if expanded_terms(expr.xreplace(moved)) > _MOST_TERMS:
        return None
    found = _expanded(expr.xreplace(moved))
    return None if found.free_symbols & set(free) else _expanded(expr.xreplace(along))


def _expanded(expr: Expr) -> Expr:
    return expr.expand(power_exp=False, power_base=False, log=False)


def _polynomials(expr: Expr, variables: Sequence[Symbol]) -> Iterator[Expr]:
    """Arguments of functions, and bases of powers, that are polynomials; then the whole, if it is one."""
    for node in sympy.postorder_traversal(expr):
        is_power = node.is_Pow and not (node.exp.is_Integer and node.exp > 0)
        if is_power or not (node.is_Add or node.is_Mul or node.is_Pow or node.is_Atom):
            yield from (x for x in node.args if x.has(*variables) and x.is_polynomial(*variables))
    if expr.is_polynomial(*variables):
        yield expr
