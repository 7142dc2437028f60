"""Kinks that the normal form does not take as they are: signs of products, and functions of kinks.

`sign_factors` splits the argument of a sign into factors; `cases` writes a function of kinks as a sum over
the signs of their arguments, or over the cells of one form where all kinks are those of one form.
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy
from sympy import Expr, S, Symbol

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.clock import check_time
from hermite_analytics.gaussian.cells import cut_at_kinks, may_be_zero
from hermite_analytics.gaussian.reals import sign_of
from hermite_analytics.gaussian.terms import NotInNormalForm
from hermite_analytics.gaussian.zero.null_sets import is_nonzero
from hermite_analytics.language import functions as own
from hermite_analytics.language.bounds import POSITIVE
from hermite_analytics.language.factors import irreducible_factors
from hermite_analytics.language.functions import record_of
from hermite_analytics.language.kinks import KINKS, branch, differences
from hermite_analytics.language.real_roots import real_roots

__all__ = ["cases", "sign_factors"]

_MOST_SPLITS = 6
_MOST_DEGREE = 12
_MOST_OPERATIONS = 200


def sign_factors(argument: Expr, variables: Sequence[Symbol]) -> list[Expr]:
    """Expressions whose product has the sign of the argument almost everywhere.

    Raises
    ------
    NotInNormalForm
        If the argument is neither affine nor such a product.
    """
    if argument.is_polynomial(*variables) and sympy.Poly(argument, *variables).total_degree() <= 1:
        return [argument]
    if argument.is_Mul:
        return [f for a in argument.args for f in sign_factors(a, variables)]
    if argument.is_Pow and argument.exp.is_Integer:
        if argument.exp.is_even and is_nonzero(argument.base):
            return [S.One]
        return sign_factors(argument.base, variables) * (2 if argument.exp.is_even else 1)
    if isinstance(argument, POSITIVE):
        return [S.One]
    if record_of(argument).has_sign_of_argument:
        return sign_factors(argument.args[0], variables)
    if argument.is_polynomial(*variables):
        return _polynomial_factors(argument, variables)
    return [argument]


def _polynomial_factors(argument: Expr, variables: Sequence[Symbol]) -> list[Expr]:
    used = [v for v in variables if argument.has(v)]
    if not used:
        return [argument]
    poly = sympy.Poly(argument, *used)
    if poly.total_degree() <= 1:
        return [argument]
    if len(used) == 1 and poly.degree() == 2 and all(a.is_number for a in poly.coeffs()):
        return _quadratic_factors(poly, used[0])
    if poly.total_degree() > _MOST_DEGREE or not all(a.is_Rational for a in poly.coeffs()):
        raise NotInNormalForm(f"the sign of {argument}")
    content, factors = irreducible_factors(poly)
    result: list[Expr] = [sympy.sign(content)]
    for factor, multiplicity in factors:
        if multiplicity % 2:
            result += _irreducible(factor)
    return result


def _quadratic_factors(poly: sympy.Poly, variable: Symbol) -> list[Expr]:
    """Factors of a quadratic with real numbers as coefficients."""
    a, b, c = poly.all_coeffs()
    side, leading = sign_of(b**2 - 4 * a * c), sign_of(a)
    if side is None or leading is None:
        raise NotInNormalForm(f"the sign of {poly.as_expr()}")
    if side <= 0:
        return [sympy.Integer(leading)]
    roots = [(-b + s * sympy.sqrt(b**2 - 4 * a * c)) / (2 * a) for s in (1, -1)]
    return [sympy.Integer(leading), *(variable - sympy.expand(r) for r in roots)]


def _irreducible(factor: sympy.Poly) -> list[Expr]:
    """Affine forms whose product has the sign of an irreducible factor."""
    if factor.total_degree() == 1:
        return [factor.as_expr()]
    used = [g for g in factor.gens if factor.degree(g)]
    if len(used) == 1:
        return _real_roots(sympy.Poly(factor.as_expr(), used[0]), used[0])
    if len(used) == 2 and factor.is_homogeneous:
        x, y = used  # a product of lines through the origin: roots of the polynomial in x/y
        lines = _real_roots(sympy.Poly(factor.as_expr().subs(y, 1), x), x)
        return [sympy.expand((line * y).subs(x, x / y)) if line.has(x) else line for line in lines]
    raise NotInNormalForm(f"the sign of {factor.as_expr()}")


def _real_roots(poly: sympy.Poly, variable: Symbol) -> list[Expr]:
    try:
        roots = real_roots(poly)
    except UnsupportedExpression as refused:
        raise NotInNormalForm(str(refused)) from refused
    if any(r.has(sympy.CRootOf) for r in roots):
        raise NotInNormalForm(f"the roots of {poly.as_expr()}")
    return [sympy.sign(poly.LC()), *(variable - r for r in roots)]


def cases(expr: Expr, variables: Sequence[Symbol]) -> Expr | None:
    """`expr` without functions of kinks: a sum over cells; None where no cut is known."""
    nodes = [n for n in sympy.postorder_traversal(expr) if isinstance(n, KINKS) and n.has(*variables)]
    if not nodes:
        return None
    one_form = _cut_one_form(expr, nodes, variables)
    return _split(expr, variables, _MOST_SPLITS) if one_form is None else one_form


def _cut_one_form(expr: Expr, nodes: list[Expr], variables: Sequence[Symbol]) -> Expr | None:
    """Cut along the single affine form on which all kinks depend."""
    used = [v for v in variables if any(n.has(v) for n in nodes)]
    if len(used) == 1:
        return cut_at_kinks(expr, used[0])
    inner = nodes[0].args[0]
    slopes = [inner.diff(v) for v in used]
    if any(s.has(*variables) for s in slopes) or slopes[0] == 0 or may_be_zero(slopes[0]):
        return None
    form = sympy.expand(inner)
    u = sympy.Dummy("u", real=True)
    solved = (u - (form - slopes[0] * used[0])) / slopes[0]
    moved = expr.xreplace({used[0]: sympy.expand(solved)}).replace(
        sympy.Add, lambda *a: sympy.expand(sympy.Add(*a))
    )
    kinks = [n for n in sympy.postorder_traversal(moved) if isinstance(n, KINKS) and n.has(u, *variables)]
    if any(n.has(*variables) for n in kinks):
        return None
    cut = cut_at_kinks(moved, u)
    return None if cut is None else cut.xreplace({u: form})


def _split(expr: Expr, variables: Sequence[Symbol], depth: int) -> Expr | None:
    """sum over the sign of an innermost kink's argument, until only products of steps are left."""
    check_time()
    node = _innermost(expr, variables)
    if node is None:
        return expr
    if depth == 0 or sympy.count_ops(expr) > _MOST_OPERATIONS:
        return None
    argument = differences(node)[0]
    if not is_nonzero(argument):  # the two sides may not be everything
        if sympy.expand(argument) != 0:
            return None
        here = _replaced(expr, node, _at_zero(node))
        return None if here is None else _split(here, variables, depth - 1)
    total = S.Zero
    for side in (1, -1):
        here = _replaced(expr, node, branch(node, side))
        piece = None if here is None else _split(here, variables, depth - 1)
        if piece is None:
            return None
        total += own.step(side * argument) * piece
    return total


def _replaced(expr: Expr, node: Expr, value: Expr) -> Expr | None:
    """None where sympy cannot order a number in disguise among the arguments of an extreme."""
    try:
        return expr.xreplace({node: value})
    except ValueError:
        return None


def _at_zero(node: Expr) -> Expr:
    """The kink where its argument is 0."""
    return node.func(*node.args[1:]) if isinstance(node, sympy.Max | sympy.Min) else S.Zero


def _innermost(expr: Expr, variables: Sequence[Symbol]) -> Expr | None:
    """A kink inside another function or inside another kink's argument."""
    for node in sympy.postorder_traversal(expr):
        if isinstance(node, KINKS) and node.has(*variables):
            return node
    return None
