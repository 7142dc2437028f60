"""Where a function of independent normal variables is not 0: almost everywhere, or on an open set only.

A function that is analytic and not the function 0 vanishes on a null set. One with kinks is analytic on each
cell between them, and may be 0 on a whole cell: relu(z), 1 + sign(z), sign(z) - sign(z - 1). Whatever divides
by a factor, drops it, or takes the sign of something nonnegative for 1 must know that it is not 0 almost
surely; that it is not negative is not enough.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass

import sympy
from flint import arb
from sympy import Expr, Rational, S, Symbol

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.clock import check_time
from hermite_analytics.gaussian.distribution import expanded
from hermite_analytics.gaussian.enclosure.precision import rational_ball, working_precision
from hermite_analytics.gaussian.enclosure.program import Program
from hermite_analytics.gaussian.zero.constants import decide_constant
from hermite_analytics.language import functions as own
from hermite_analytics.language.bounds import POSITIVE, is_shown_positive
from hermite_analytics.language.functions import functions_where, record_of
from hermite_analytics.language.kinks import KINKS, STAIRS, opened

__all__ = ["KinkCell", "cells_of", "is_nonzero", "nonzero_set"]

_POSITIVE_PART = functions_where(lambda r: r.kink and r.low == 0 and not r.vanishes_at_zero_alone)
_MANY_VALUED = functions_where(lambda r: r.is_many_valued)  # as analytic functions; so are roots
_MOST_SIGNS = 8
_PRECISIONS = (64, 256)
_SAMPLES = (Rational(1, 3), Rational(-7, 5), Rational(9, 4))


@dataclass(frozen=True, slots=True, kw_only=True)
class KinkCell:
    """A set between kinks, and an expression on it.

    Attributes
    ----------
    indicator : sympy expression
        Of the set, up to a null set: a product of (1 + sign)/2 and (1 - sign)/2 of analytic functions.
    terms : tuple of sympy expressions
        Analytic functions whose sum the expression is on the set.
    is_zero : bool
    """

    indicator: Expr
    terms: tuple[Expr, ...]
    is_zero: bool


def is_nonzero(expr: Expr) -> bool:
    """Whether it is proved that expr != 0 almost surely, its symbols being independent normal variables.

    Examples
    --------
    >>> from sympy import sign, symbols
    >>> x, y = symbols("x y", real=True)
    >>> [is_nonzero(f) for f in (x**2 * sign(x + y), own.relu(x), 2 + sign(x), 1 + sign(x))]
    [True, False, True, False]
    """
    return nonzero_set(expr) == 1


@functools.lru_cache(maxsize=4096)
def nonzero_set(expr: Expr) -> Expr | None:
    """The indicator of {expr != 0} up to a null set, in signs and steps; None where it is not found.

    Parameters
    ----------
    expr : sympy expression
        Of the language; all symbols count as independent normal variables.

    Examples
    --------
    >>> from sympy import sign, symbols
    >>> x, y = symbols("x y", real=True)
    >>> nonzero_set(x * own.relu(y) * sympy.exp(x)), nonzero_set((1 + sign(x)) ** 2)
    (step(y), sign(x)/2 + 1/2)
    """
    check_time()
    if not expr.free_symbols:
        zero = decide_constant(expr).zero
        return None if zero is None else S.Zero if zero else S.One
    if expr.is_Mul:
        return _product([nonzero_set(a) for a in expr.args])
    if isinstance(expr, POSITIVE):
        return S.One
    if expr.is_Pow:
        return nonzero_set(expr.base) if expr.exp.is_positive else S.One
    if record_of(expr).vanishes_at_zero_alone:
        return nonzero_set(expr.args[0])
    if isinstance(expr, _POSITIVE_PART):
        return own.step(expr.args[0])
    return _by_cells(expr) if expr.has(*KINKS) else _of_analytic(expr)


def cells_of(expr: Expr) -> list[KinkCell] | None:
    """The cells between the kinks, empty ones too; None where not all are known, with their zeros."""
    parts: list[Expr] = []
    signs: dict[Symbol, Expr] = {}
    for part in sympy.Add.make_args(expr):
        plain, signs = opened(part, signs)
        parts.append(plain)
    if len(signs) > _MOST_SIGNS or not _has_one_domain(expr):
        return None
    found: list[KinkCell] = []
    for values, corner in _cells(signs):
        terms = None if values is None else [t.xreplace(values) for t in parts]
        zero = None if terms is None else _is_zero(sympy.Add(*terms))
        if terms is None or zero is None:
            return None
        found.append(KinkCell(indicator=corner, terms=tuple(terms), is_zero=zero))
    return found


def _product(factors: list[Expr | None]) -> Expr | None:
    known = [f for f in factors if f is not None]
    return S.Zero if S.Zero in known else None if len(known) < len(factors) else sympy.Mul(*set(known))


def _of_analytic(expr: Expr) -> Expr | None:
    """1 or 0; None where the function is neither proved to be 0 nor not to be, or has several domains."""
    if not _has_one_domain(expr):
        return None
    zero = _is_zero(expr)
    return None if zero is None else S.Zero if zero else S.One


def _by_cells(expr: Expr) -> Expr | None:
    """By the sign vectors of the kinks' arguments: on each cell the function is analytic."""
    cells = cells_of(expr)
    if cells is None:
        return None
    shut = [cell.indicator for cell in cells if cell.is_zero]
    return sympy.expand(1 - sympy.Add(*shut)) if shut else S.One


def _cells(signs: dict[Symbol, Expr]) -> Iterator[tuple[dict[Symbol, Expr] | None, Expr]]:
    """(values of the letters, indicator) of each cell, empty ones too; None where a sign is not known."""
    found: list[tuple[dict[Symbol, Expr] | None, Expr]] = [({}, S.One)]
    for letter, argument in signs.items():
        found = [cell for values, corner in found for cell in _divided(values, corner, letter, argument)]
    yield from found


def _divided(
    values: dict[Symbol, Expr] | None, corner: Expr, letter: Symbol, argument: Expr
) -> Iterator[tuple[dict[Symbol, Expr] | None, Expr]]:
    """A cell of the inner kinks, divided by one more argument, which is analytic there."""
    check_time()
    piece = None if values is None else argument.xreplace(values)
    zero = None if piece is None else _is_zero(piece)
    if values is None or piece is None or zero is None:
        yield None, corner
    elif zero:
        yield {**values, letter: S.Zero}, corner
    else:
        for side in (S.One, S.NegativeOne):
            yield {**values, letter: side}, corner * (1 + side * sympy.sign(piece)) / 2


def _has_one_domain(expr: Expr) -> bool:
    """Whether each piece is one analytic function on its cell, however many parts the cell has.

    So it is where roots, logarithms and denominators are of positive functions without kinks; a denominator
    that may vanish is harmless too where nothing has several values.
    """
    nodes = list(sympy.preorder_traversal(expr))
    powers = [n for n in nodes if n.is_Pow and n.base.free_symbols and not n.exp.is_nonnegative]
    roots = [n for n in nodes if n.is_Pow and n.base.free_symbols and not n.exp.is_Integer]
    if expr.has(*STAIRS):
        return False
    inner = [n.base for n in (*powers, *roots)] + [n.args[0] for n in nodes if isinstance(n, sympy.log)]
    if any(a.has(*KINKS) for a in inner):
        return False
    if all(is_shown_positive(a) for a in inner):
        return True
    return not roots and not expr.has(*_MANY_VALUED)


def _is_zero(piece: Expr) -> bool | None:
    """Whether an analytic function is the function 0: False by a value at a point, True by algebra."""
    names = sorted(piece.free_symbols, key=lambda s: str(s.name))
    if not names:
        return decide_constant(piece).zero
    if any(_differs(piece, names, shift, bits) for bits in _PRECISIONS for shift in range(len(_SAMPLES))):
        return False
    return True if expanded(piece) == 0 else None


def _differs(piece: Expr, names: list[Symbol], shift: int, bits: int) -> bool:
    """Whether a ball shows that the function is not 0 at a point."""
    point = [_SAMPLES[(i + shift) % len(_SAMPLES)] + Rational(i + shift, 7) for i in range(len(names))]
    try:
        with working_precision(bits):
            value: arb = Program(piece, names, bits)(*map(rational_ball, point))
            return bool(value.is_finite() and not value.contains(0))
    except (UnsupportedExpression, ArithmeticError):
        return False
