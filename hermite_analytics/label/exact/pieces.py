"""A function of one variable cut into pieces on which it is strictly monotone or constant."""

from __future__ import annotations

import dataclasses
import itertools
from dataclasses import dataclass

import sympy
from sympy import Expr, S, Symbol

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.clock import check_time
from hermite_analytics.gaussian.distribution import expanded
from hermite_analytics.gaussian.order import between, compare, sign_of, sorted_distinct
from hermite_analytics.label.exact.zeros import in_elementary_functions, real_zeros
from hermite_analytics.language.functions import functions_where, record_of
from hermite_analytics.language.kinks import KINKS, STAIRS, differences, on_cell

__all__ = ["INCREASING", "Piece", "monotone_pieces"]

INCREASING = functions_where(lambda r: r.is_strictly_increasing)
_LARGEST = 120  # operations of an expression whose limit is taken
_MOST_PIECES = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """An open interval with a smooth formula for the function on it.

    Attributes
    ----------
    low, high : exact numbers, possibly infinite
    formula : sympy expression
        Without kinks; free of the variable where the function is constant.
    slope : int
        1 or -1 where the formula is strictly increasing or decreasing, 0 where it is constant.
    at_low, at_high : exact numbers, possibly infinite
        Its limits at the ends.
    """

    low: Expr
    high: Expr
    formula: Expr
    slope: int
    at_low: Expr
    at_high: Expr

    def reaches(self, value: Expr) -> bool:
        """Whether the value is taken strictly inside a monotone piece."""
        return self.slope * compare(self.at_low, value) < 0 < self.slope * compare(self.at_high, value)


def monotone_pieces(expr: Expr, z: Symbol) -> tuple[Piece, ...]:
    """The pieces from left to right; the intervals fill the line up to finitely many points.

    Raises
    ------
    UnsupportedExpression
        If the kinks or the critical points are not found exactly.

    Examples
    --------
    >>> from hermite_analytics.language.functions import relu
    >>> from hermite_analytics.symbols import z
    >>> [(p.low, p.high, p.slope) for p in monotone_pieces(relu(z**2 - 1), z)]
    [(-oo, -1, -1), (-1, 1, 0), (1, oo, 1)]
    """
    if expr.has(*STAIRS):
        raise UnsupportedExpression(
            f"{expr} has infinitely many pieces; a clipped floor, clip(floor(x), lo, hi), has finitely many"
        )
    smooth = _smooth(in_elementary_functions(expr), z, S.NegativeInfinity, S.Infinity)
    pieces = [p for low, high, formula in smooth for p in _monotone(formula, z, low, high)]
    return tuple(_merged(pieces))


def _smooth(expr: Expr, z: Symbol, low: Expr, high: Expr) -> list[tuple[Expr, Expr, Expr]]:
    """(low, high, formula without kinks), by the signs of the innermost kinks first."""
    kinks = [e for e in sympy.preorder_traversal(expr) if isinstance(e, KINKS)]
    kinks = [e for e in dict.fromkeys(kinks) if e.has(z) and not any(a.has(*KINKS) for a in e.args)]
    if not kinks:
        return [(low, high, expanded(expr) if expr.is_polynomial(z) else expr)]
    arguments = [a for kink in kinks for a in differences(kink)]
    points = [x for a in arguments if a.has(z) for x in real_zeros(a, z)]
    inside = [x for x in points if compare(low, x) < 0 < compare(high, x)]
    ends = [low, *sorted_distinct(inside), high]
    if len(ends) > _MOST_PIECES:
        raise UnsupportedExpression(f"the function has more than {_MOST_PIECES} pieces")
    result = []
    for a, b in itertools.pairwise(ends):
        check_time()
        at = between(a, b)
        result += _smooth(expr.xreplace(_resolved(kinks, z, at)), z, a, b)
    return result


def _resolved(kinks: list[Expr], z: Symbol, at: Expr) -> dict[Expr, Expr]:
    """The kinks without their kinks, on the cell of the point `at`."""

    def sign(x: Expr, y: Expr) -> int:
        return sign_of((x - y).subs(z, at))

    return {kink: on_cell(kink, sign) for kink in kinks}


def _monotone(formula: Expr, z: Symbol, low: Expr, high: Expr) -> list[Piece]:
    critical = sorted_distinct(_critical(formula, z))
    ends = [low, *(x for x in critical if compare(low, x) < 0 < compare(high, x)), high]
    pieces = []
    for a, b in itertools.pairwise(ends):
        check_time()
        slope = sign_of(formula.diff(z).subs(z, between(a, b))) if formula.has(z) else 0
        at_low, at_high = (_limit(formula, z, end) for end in (a, b))
        pieces.append(Piece(low=a, high=b, formula=formula, slope=slope, at_low=at_low, at_high=at_high))
    return pieces


def _critical(formula: Expr, z: Symbol) -> list[Expr]:
    """A finite set with all critical points; increasing functions around the formula are taken off."""
    if not formula.has(z):
        return []
    if formula.is_Add or formula.is_Mul:
        _, inner = formula.as_independent(z, as_Add=formula.is_Add)
        if inner != formula:
            return _critical(inner, z)
    if isinstance(formula, INCREASING):
        return _critical(formula.args[0], z)
    if formula.is_Pow and formula.exp.is_Integer and formula.base != z:
        return [*real_zeros(formula.base, z), *_critical(formula.base, z)]
    return real_zeros(formula.diff(z), z)


def _limit(formula: Expr, z: Symbol, end: Expr) -> Expr:
    if not end.is_infinite or not formula.has(z):
        return formula.subs(z, end)
    if sympy.count_ops(formula) > _LARGEST:
        raise UnsupportedExpression(f"the limit of {formula} at {end} is not taken")
    try:
        found = sympy.limit(_with_known_limits(formula), z, end)
    except (NotImplementedError, ValueError) as failed:
        raise UnsupportedExpression(f"the limit of {formula} at {end} is not found") from failed
    if found.free_symbols or found.has(sympy.Limit) or not (found.is_finite or found.is_infinite):
        raise UnsupportedExpression(f"the limit of {formula} at {end} is not found")
    return found


def _with_known_limits(formula: Expr) -> Expr:
    """In functions whose limits sympy knows."""
    return formula.replace(lambda e: record_of(e).elementary is not None, _elementary)


def _elementary(expr: Expr) -> Expr:
    form = record_of(expr).elementary
    return expr if form is None else form(*expr.args)


def _merged(pieces: list[Piece]) -> list[Piece]:
    """Neighbours on which the function is the same constant, as one."""
    result: list[Piece] = []
    for piece in pieces:
        before = result[-1] if result else None
        flat = before is not None and before.slope == piece.slope == 0
        if before is not None and flat and compare(before.formula, piece.formula) == 0:
            result[-1] = dataclasses.replace(before, high=piece.high, at_high=piece.at_high)
        else:
            result.append(piece)
    return result
