"""An expression on cells: every kink replaced by its branch, every smooth step by its tail.

    cell x > 0:  |x| = x,  relu(x) = x,  Phi(x) = 1 - exp(-x^2/2) Mills(x),  softplus(x) = x + exp(-x) Soft(x)
    cell x < 0:  |x| = -x, relu(x) = 0,  Phi(x) = exp(-x^2/2) Mills(-x),     softplus(x) = exp(x) Soft(-x)

and likewise sign, step, leaky_relu, max, min, erf, erfc, gelu, sigmoid, silu, tanh. Mills(x) = exp(x^2/2)
Phi(-x) falls like 1/x, Logistic(x) = exp(x) sigmoid(-x) and Soft(x) = exp(x) softplus(-x) stay between
two constants. Where an argument is not cut into affine forms, Unit(x) = sign(x) and Mask(x) = step(x) are
left in the expression.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

import sympy
from sympy import Dummy, Expr, S, Symbol, exp

from hermite_analytics.gaussian.integrability.geometry import Form, Polyhedron, Undecided
from hermite_analytics.gaussian.integrability.signs import affine_form, is_affine, sign_or_form
from hermite_analytics.language import functions as own
from hermite_analytics.language.functions import Record, functions_where, record_of
from hermite_analytics.language.kinks import JUMPS, KINKS, branch, differences, slopes

__all__ = ["Logistic", "Mask", "Mills", "Soft", "Unit", "split", "tail"]

MAX_CELLS = 64
MAX_KINKS = 16
MAX_CUTS = 300


class Mills(sympy.Function):  # type: ignore[misc]
    """exp(x^2/2) Phi(-x), x > 0."""

    is_real = True


class Logistic(sympy.Function):  # type: ignore[misc]
    """exp(x) sigmoid(-x), x > 0: between 1/2 and 1."""

    is_real = True


class Soft(sympy.Function):  # type: ignore[misc]
    """exp(x) softplus(-x), x > 0: between log 2 and 1."""

    is_real = True


class Unit(sympy.Function):  # type: ignore[misc]
    """The sign of an argument that is not cut."""

    is_real = True


class Mask(sympy.Function):  # type: ignore[misc]
    """The step of an argument that is not cut."""

    is_real = True


def _phi(x: Expr, side: int) -> Expr:
    small = exp(-(x**2) / 2) * Mills(side * x)
    return 1 - small if side > 0 else small


def _sigmoid(x: Expr, side: int) -> Expr:
    small = exp(-side * x) * Logistic(side * x)
    return 1 - small if side > 0 else small


def _softplus(x: Expr, side: int) -> Expr:
    small = exp(-side * x) * Soft(side * x)
    return x + small if side > 0 else small


_TAILS: dict[type[Expr], Callable[[Expr, int], Expr]] = {
    own.Phi: _phi,
    own.sigmoid: _sigmoid,
    own.softplus: _softplus,
    sympy.tanh: lambda x, side: side * (1 - 2 * _sigmoid(-side * 2 * x, -1)),
}


def _by_tails(record: Record) -> bool:
    """Whether the definition is in functions of multiples of x with tails here, and in no others."""
    if record.definition is None or record.constants:
        return False
    x = Dummy("x", real=True)
    inner = record.definition(x).atoms(sympy.Function, sympy.exp)
    return bool(inner) and all(f.func in _TAILS and (f.args[0] / x).is_number for f in inner)


_SMOOTH: tuple[type[Expr], ...] = (*_TAILS, *functions_where(_by_tails))


def tail(node: Expr, side: int) -> Expr:
    """A smooth function where its argument has a sign: by a tail that falls like an exponential.

    Examples
    --------
    >>> x = sympy.Symbol("x", real=True)
    >>> tail(sympy.erfc(x), 1), tail(own.silu(x), -1)
    (2*Mills(sqrt(2)*x)*exp(-x**2), x*Logistic(-x)*exp(x))
    """
    known = _TAILS.get(node.func)
    if known is not None:
        return known(node.args[0], side)
    x = node.args[0]
    definition = record_of(node).definition
    assert definition is not None
    place = Dummy("x", real=True)
    form = definition(place)
    sides = {f: side if (f.args[0] / place).is_positive else -side for f in form.atoms(*_TAILS)}
    return form.xreplace({f: tail(f, own_side) for f, own_side in sides.items()}).xreplace({place: x})


def split(expr: Expr, variables: Sequence[Symbol]) -> Iterator[tuple[Polyhedron, Expr]]:
    """(cell, expression on the cell), one after the other.

    Raises
    ------
    Undecided
        If there are too many cells.

    Examples
    --------
    >>> x = sympy.Symbol("x", real=True)
    >>> [piece for _, piece in split(own.relu(x) + sympy.Abs(x - 1), [x])]
    [2*x - 1, 1, 1 - x]
    """
    kinks = {n for n in sympy.preorder_traversal(expr) if isinstance(n, (*KINKS, *_SMOOTH))}
    if len(kinks) > MAX_KINKS:
        raise Undecided(f"more than {MAX_KINKS} kinks")
    whole = Polyhedron.of((), len(variables))
    assert whole is not None
    work: list[tuple[Polyhedron, Expr, frozenset[Expr]]] = [(whole, expr, frozenset())]
    count = 0
    while work:
        cell, piece, left = work.pop()
        node = _next_kink(piece, variables, left)
        if node is None:
            form = _next_comparison(piece, variables, cell)
            if form is None:
                yield cell, piece
                continue
            work += [(part, piece, left) for _, part in _halves(cell, form)]
        else:
            work += _cut(cell, piece, left, node, variables)
        count += 1
        if len(work) > MAX_CELLS or count > MAX_CUTS:
            raise Undecided("the kinks cut the space into too many cells")


def _halves(cell: Polyhedron, form: Form) -> list[tuple[int, Polyhedron]]:
    parts = [(side, Polyhedron.of((*cell.forms, f), cell.dimension)) for side, f in ((-1, -form), (1, form))]
    return [(side, part) for side, part in parts if part is not None]


def _cut(
    cell: Polyhedron, piece: Expr, left: frozenset[Expr], node: Expr, variables: Sequence[Symbol]
) -> list[tuple[Polyhedron, Expr, frozenset[Expr]]]:
    argument = differences(node)[0]
    found = sign_or_form(argument, variables, cell)
    if isinstance(found, Form):
        halves = _halves(cell, found)
        if not is_affine(argument, variables):  # one factor of a product: the others follow
            return [(part, piece, left) for _, part in halves]
        return [(part, piece.xreplace({node: _branch(node, side)}), left) for side, part in halves]
    if found is not None:
        smooth = isinstance(node, _SMOOTH) and not argument.is_polynomial(*variables)
        if not smooth:
            return [(cell, piece.xreplace({node: _branch(node, found)}), left)]
    if isinstance(node, _SMOOTH):
        return [(cell, piece, left | {node})]
    return [(cell, piece.xreplace({node: _uncut(node)}), left)]


def _next_kink(expr: Expr, variables: Sequence[Symbol], left: frozenset[Expr]) -> Expr | None:
    """The first innermost kink; smooth ones once no other is left."""
    if not expr.has(*KINKS, *_SMOOTH):
        return None
    nodes = list(sympy.postorder_traversal(expr))
    for kinds in (KINKS, _SMOOTH):
        for node in nodes:
            if isinstance(node, kinds) and node not in left and node.has(*variables):
                return node
    return None


def _branch(node: Expr, side: int) -> Expr:
    return tail(node, side) if isinstance(node, _SMOOTH) else branch(node, side)


def _uncut(node: Expr) -> Expr:
    if isinstance(node, sympy.Max | sympy.Min):
        first, second, *rest = node.args
        gap = first - second
        low, high = (second, gap) if isinstance(node, sympy.Max) else (first, -gap)
        return node.func(low + high * Mask(gap), *rest)
    x, (right, left) = node.args[0], slopes(node)
    factor = right * Unit(x) if right == -left else left + (right - left) * Mask(x)
    return factor if isinstance(node, JUMPS) else x * factor


def _next_comparison(expr: Expr, variables: Sequence[Symbol], cell: Polyhedron) -> Form | None:
    """A form that tells which exponential of a denominator, a root or a logarithm is the largest."""
    for node in sympy.preorder_traversal(expr):
        inner = None
        if isinstance(node, sympy.log):
            inner = node.args[0]
        elif node.is_Pow and not isinstance(node, sympy.exp) and not (node.exp.is_Integer and node.exp > 0):
            inner = node.base
        if inner is None or not inner.has(*variables):
            continue
        for form in _exponent_gaps(inner, variables):
            if cell.sign_of(form) is None:
                return form
    return None


def _exponent_gaps(expr: Expr, variables: Sequence[Symbol]) -> Iterator[Form]:
    exponents: list[Expr] = [S.Zero]
    for node in sympy.preorder_traversal(expr):
        is_exponential = isinstance(node, sympy.exp) or record_of(node).in_exponentials is not None
        if is_exponential and node.has(*variables):
            exponents.append(node.args[0])
    for i, a in enumerate(exponents[:4]):
        for b in exponents[:i]:
            form = affine_form(sympy.expand(a - b), variables)
            if form is not None and all(
                isinstance(x, Fraction) or x.is_number for x in (*form.slope, form.offset)
            ):
                yield form
