"""Preimages of a label that cancel: E[He_k(z) | f(z)] = 0 for a function of one variable."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

import sympy
from sympy import Expr, S, Symbol

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.clock import check_time
from hermite_analytics.gaussian.order import between, compare, sorted_distinct
from hermite_analytics.gaussian.zero import decide_constant
from hermite_analytics.label.exact.pieces import Piece
from hermite_analytics.label.exact.zeros import real_zeros
from hermite_analytics.language.functions import hermite_polynomial, phi

__all__ = ["preimages_cancel"]

_LARGEST = 200  # operations of a ratio that is brought to lowest terms


def preimages_cancel(pieces: Sequence[Piece], z: Symbol, order: int) -> bool:
    """Whether zeta_k = 0 for every label, shown by the preimages of a function of one variable.

    E[He_k 1{f <= t}] = - sum over the preimages x of t of sign f'(x) B_k(x), with B_k = He_{k-1} phi. Where
    B_k'/B_k = p f'/(f - c) with a constant p, B_k = C |f - c|^p with one C on each piece, and the sum is
    |t - c|^p times a number, which is tested between each two critical values.

    Examples
    --------
    >>> from hermite_analytics.label.exact.pieces import monotone_pieces
    >>> from hermite_analytics.symbols import z
    >>> pieces = monotone_pieces(z**2 * sympy.exp(-(z**2)), z)
    >>> [preimages_cancel(pieces, z, k) for k in (2, 4)]
    [True, False]
    >>> preimages_cancel(monotone_pieces(z * sympy.exp(-(z**2) / 2), z), z, 2)
    True
    """
    formulas = list(dict.fromkeys(p.formula for p in pieces))
    if not pieces or not all(f.has(z) and sympy.count_ops(f) <= _LARGEST for f in formulas):
        return False
    values = sorted_distinct(v for p in pieces for v in (p.at_low, p.at_high))
    boundary = hermite_polynomial(order - 1, z)
    for c in dict.fromkeys([S.Zero, *(v for v in values if not v.is_infinite)]):
        check_time()
        terms = _terms(pieces, formulas, c, boundary, z)
        if terms is not None:
            ends = sorted_distinct([*values, *(part.at_low for part, _ in terms)])
            return _cancel_everywhere(terms, ends)
    return False


def _terms(
    pieces: Sequence[Piece], formulas: Sequence[Expr], c: Expr, boundary: Expr, z: Symbol
) -> list[tuple[Piece, Expr]] | None:
    """Pieces on which f - c does not vanish, with their numbers; None where B_k is no power of f - c."""
    powers = {_power(formula - c, boundary, z) for formula in formulas}
    power = powers.pop()
    if powers or power is None:
        return None
    parts: list[Piece] = []
    for piece in pieces:
        cut = _cut(piece, c, boundary, z)
        if cut is None:
            return None
        parts += cut
    return [(part, _constant(part, c, boundary, power, z)) for part in parts]


def _cancel_everywhere(terms: Sequence[tuple[Piece, Expr]], values: Sequence[Expr]) -> bool:
    """Whether the numbers of all preimages add up to 0 between each two critical values."""
    return all(
        _cancels([number for piece, number in terms if _takes(piece, low, high)])
        for low, high in itertools.pairwise(values)
    )


def _power(difference: Expr, boundary: Expr, z: Symbol) -> Expr | None:
    """The constant p with B_k'/B_k = p f'/(f - c), or None."""
    logarithmic = (boundary.diff(z) / boundary - z) * difference / difference.diff(z)
    power = sympy.cancel(sympy.together(logarithmic))
    return None if power.has(z) else power


def _cut(piece: Piece, c: Expr, boundary: Expr, z: Symbol) -> list[Piece] | None:
    """A piece, in two where f = c inside; None where that is not known, or B_k vanishes elsewhere inside."""
    try:
        zeros, own = real_zeros(boundary, z), real_zeros(piece.formula - c, z)
    except UnsupportedExpression:
        return None
    own, others = (
        [x for x in found if compare(piece.low, x) < 0 < compare(piece.high, x)] for found in (own, zeros)
    )
    if any(all(compare(x, place) != 0 for place in own) for x in others):
        return None
    if not own:
        return [piece]
    [place] = own  # of a monotone piece
    return [replace(piece, high=place, at_high=c), replace(piece, low=place, at_low=c)]


def _constant(piece: Piece, c: Expr, boundary: Expr, power: Expr, z: Symbol) -> Expr:
    """sign f' * B_k / |f - c|^p on a piece on which neither B_k nor f - c vanishes."""
    value = boundary * phi(z) / sympy.Abs(piece.formula - c) ** power
    return piece.slope * value.subs(z, between(piece.low, piece.high))


def _takes(piece: Piece, low: Expr, high: Expr) -> bool:
    """Whether a piece takes all labels between two neighbouring critical values."""
    least, most = sorted_distinct([piece.at_low, piece.at_high])
    return compare(least, low) <= 0 <= compare(most, high)


def _cancels(terms: Sequence[Expr]) -> bool:
    return bool(decide_constant(sympy.Add(*terms)).zero)
