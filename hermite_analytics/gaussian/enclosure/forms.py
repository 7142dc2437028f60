"""The affine forms inside an expression, and the expression in orthogonal coordinates of their span.

Independent N(0, 1) variables stay so under rotations: a function of the forms v_1.z, v_2.z, .. is a function
of orthonormal coordinates of their span, one variable for each dimension, and mutually orthogonal groups of
forms are independent.
"""

from __future__ import annotations

import sympy
from sympy import Dummy, Expr, S, Symbol

from hermite_analytics.language.kinks import BREAKS

__all__ = ["affine_form", "affine_slopes", "kink_variables", "rotated", "with_plain_forms"]

Vector = tuple[Expr, ...]


def affine_form(expr: Expr, variables: tuple[Symbol, ...]) -> tuple[Expr, Vector] | None:
    """(constant, coefficients) of an affine expression in the variables, else None."""
    if not expr.free_symbols.intersection(variables):
        return expr, (S.Zero,) * len(variables)
    if expr.is_Symbol:
        return S.Zero, tuple(S.One if v == expr else S.Zero for v in variables)
    if expr.is_Add:
        return _sum_of_forms([affine_form(a, variables) for a in expr.args])
    if expr.is_Mul:
        factor, rest = expr.as_independent(*variables, as_Add=False)
        inner = None if rest.is_Mul or rest == expr else affine_form(rest, variables)
        return None if inner is None else (factor * inner[0], tuple(factor * a for a in inner[1]))
    return None


def _sum_of_forms(parts: list[tuple[Expr, Vector] | None]) -> tuple[Expr, Vector] | None:
    known = [p for p in parts if p is not None]
    if len(known) < len(parts):
        return None
    columns = zip(*(coefficients for _, coefficients in known), strict=True)
    return sympy.Add(*(constant for constant, _ in known)), tuple(sympy.Add(*column) for column in columns)


def _forms(expr: Expr, variables: tuple[Symbol, ...], in_kink: bool, found: dict[Vector, bool]) -> None:
    """Collect the maximal affine parts; True marks those inside a kink."""
    if not expr.free_symbols.intersection(variables):
        return
    form = affine_form(expr, variables)
    if form is not None:
        found[form[1]] = found.get(form[1], False) or in_kink
        return
    for a in expr.args:
        _forms(a, variables, in_kink or isinstance(expr, BREAKS), found)


def kink_variables(expr: Expr, variables: tuple[Symbol, ...]) -> list[set[Symbol]]:
    """For each kink, the variables that its arguments contain."""
    nodes = [n for n in sympy.preorder_traversal(expr) if isinstance(n, BREAKS)]
    return [found for n in nodes if (found := n.free_symbols.intersection(variables))]


def rotated(expr: Expr, variables: tuple[Symbol, ...]) -> tuple[Expr, tuple[Symbol, ...]] | None:
    """The same law with fewer variables, or independent groups, or the kinks of one direction on an axis.

    None where nothing is won, or where the scalar products of the forms are not rational.

    Examples
    --------
    >>> from hermite_analytics.symbols import variable
    >>> x, y = variable(1), variable(2)
    >>> found, rest = rotated(sympy.tanh(3 * x + 4 * y) ** 2, (x, y))
    >>> found.subs(rest[0], 1), len(rest)
    (tanh(5)**2, 1)
    """
    in_kinks: dict[Vector, bool] = {}
    _forms(expr, variables, False, in_kinks)
    vectors = sorted(in_kinks, key=lambda v: (not in_kinks[v], _width(v)))  # kinks first, then short ones
    if not all(_dot(u, v).is_Rational for u in vectors for v in vectors):
        return None
    groups = _orthogonal_groups(vectors)
    basis = [e for group in groups for e in _gram_schmidt(group)]
    if len(basis) == len(variables):
        splits = len(groups) > 1 and not _are_axes(vectors)
        turns = splits or _lie_on_one_line_off_the_axes([v for v in vectors if in_kinks[v]])
        if _are_axes(basis) or not turns:
            return None
    fresh = tuple(Dummy(f"u{i + 1}", real=True) for i in range(len(basis)))
    return _in_coordinates(expr, variables, basis, fresh), fresh


def _in_coordinates(
    expr: Expr, variables: tuple[Symbol, ...], basis: list[Vector], fresh: tuple[Symbol, ...]
) -> Expr:
    """With coordinates along an orthogonal basis of the span of its forms."""
    lengths = [sympy.sqrt(_dot(e, e)) for e in basis]

    def rebuilt(node: Expr) -> Expr:
        if not node.free_symbols.intersection(variables):
            return node
        form = affine_form(node, variables)
        if form is None:
            return node.func(*(rebuilt(a) for a in node.args))
        terms = [_dot(form[1], e) / size * u for e, size, u in zip(basis, lengths, fresh, strict=True)]
        return form[0] + sympy.Add(*terms)

    return rebuilt(expr)


def _width(v: Vector) -> int:
    return sum(a != 0 for a in v)


def _are_axes(vectors: list[Vector]) -> bool:
    return all(_width(v) == 1 for v in vectors)


def _lie_on_one_line_off_the_axes(vectors: list[Vector]) -> bool:
    on_a_line = all(_dot(u, v) ** 2 == _dot(u, u) * _dot(v, v) for u in vectors[:1] for v in vectors)
    return on_a_line and not _are_axes(vectors)


def _dot(u: Vector, v: Vector) -> Expr:
    return sympy.Add(*(a * b for a, b in zip(u, v, strict=True)))


def _orthogonal_groups(vectors: list[Vector]) -> list[list[Vector]]:
    """Connected components of the graph of forms that are not orthogonal."""
    groups: list[list[Vector]] = []
    for v in vectors:
        touching = [g for g in groups if any(_dot(u, v) != 0 for u in g)]
        groups = [g for g in groups if g not in touching] + [[u for g in touching for u in g] + [v]]
    return groups


def _gram_schmidt(vectors: list[Vector]) -> list[Vector]:
    """An orthogonal basis of the span; rational as far as the vectors are."""
    basis: list[Vector] = []
    for v in vectors:
        rest = v
        for e in basis:
            factor = _dot(v, e) / _dot(e, e)
            rest = tuple(sympy.expand(a - factor * b) for a, b in zip(rest, e, strict=True))
        if any(a != 0 for a in rest):
            basis.append(rest)
    return basis


def with_plain_forms(expr: Expr, names: tuple[Symbol, ...]) -> Expr:
    """Sums of multiples of forms as one form."""
    if not expr.args or not expr.free_symbols.intersection(names):
        return expr
    form = affine_form(expr, names)
    if form is not None:
        return sympy.Add(
            sympy.expand(form[0]), *(sympy.expand(a) * name for a, name in zip(form[1], names, strict=True))
        )
    return expr.func(*(with_plain_forms(a, names) for a in expr.args))


def affine_slopes(expr: Expr, variables: tuple[Symbol, ...]) -> list[tuple[Expr, ...]]:
    """The directions of the affine parts."""
    if not expr.free_symbols.intersection(variables):
        return []
    form = affine_form(expr, variables)
    if form is not None:
        return [tuple(form[1])]
    return [slope for a in expr.args for slope in affine_slopes(a, variables)]
