"""Why no transformation of the label sees an order: certificates of zeta_k = 0.

zeta_{k,U}(y, x) = E[He_k(w) | Y=y, z_U=x], w the coordinates orthogonal to U. It vanishes

    if f(Rz) = f(z) for isometries R that fix U and no vector orthogonal to it (k = 1), or that change
    the sign of all of these (k odd);
    if Y has finitely many values and E[He_k 1{Y=y}] = 0 for each (U = {0});
    if the preimages of a label cancel in pairs or groups: `preimages_cancel` (one index, U = {0}).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import sympy
from sympy import Expr, Matrix, S, Symbol

from hermite_analytics.calculus.clock import check_time
from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.exponents.spans import Row, Span
from hermite_analytics.language.functions import hermite_polynomial, phi
from hermite_analytics.law.order import between, compare, sorted_distinct
from hermite_analytics.law.pieces import Piece
from hermite_analytics.law.reflections import is_invariant
from hermite_analytics.law.zeros import real_zeros
from hermite_analytics.zero import decide_constant, symmetries
from hermite_analytics.zero.certificate import exact_matrix
from hermite_analytics.zero.monomials import OutOfReach

__all__ = ["Invariances", "preimages_cancel"]

_MOST_PERMUTED = 4
_LARGEST = 200  # operations of a ratio that is brought to lowest terms


class Invariances:
    """The isometries R of z with f(Rz, xi) = f(z, +-xi) that are found and verified.

    Examples
    --------
    >>> z1, z2 = sympy.symbols("z1 z2", real=True)
    >>> found = Invariances(z1 + z2**2, [z1, z2], ())
    >>> line = Span(width=2, rows=((S.One, S.Zero),), pivots=(0,))
    >>> found.reason(Span(width=2), 1), found.reason(line, 1)
    (None, 'f(z1, -z2) = f(z1, z2)')
    """

    def __init__(self, expr: Expr, variables: Sequence[Symbol], noise: Sequence[Symbol]) -> None:
        self._expr = expr
        self._variables = list(variables)
        self._matrices: list[Matrix] = []
        n = len(variables)
        for isometry, character in symmetries(expr, [*variables, *noise]):
            if character != 1:
                continue
            try:
                whole = Matrix(exact_matrix(isometry))
            except OutOfReach:
                continue
            if whole[:n, n:].is_zero_matrix:
                self._matrices.append(whole[:n, :n])
        if not self._matrices and n <= _MOST_PERMUTED:  # too large for the search
            self._matrices = [m for m in _signed_permutations(n) if self._is_plain(expr, m)]

    def reason(self, span: Span, order: int, irrelevant: Sequence[Row] = ()) -> str | None:
        """Why no direction outside the span enters at this order, or None.

        Parameters
        ----------
        irrelevant : rows
            All directions on which f does not depend, where they are known.
        """
        if not span.is_closed or order % 2 == 0:
            return None
        known = [list(row) for row in (*span.rows, *irrelevant)]
        reflection = _reflection(known, span.width)
        if is_invariant(self._expr, self._variables, reflection):
            return self._identity([reflection])
        fixing = [m for m in self._matrices if all(_moved(m, row, 1) for row in span.rows)]
        if not fixing:
            return None
        unlearned = Matrix(known).nullspace() if known else sympy.eye(span.width).columnspace()
        for m in fixing:
            if all(_moved(m, list(vector), -1) for vector in unlearned):
                return self._identity([m])
        rows = [*(m - sympy.eye(span.width) for m in fixing), *(Matrix([list(row)]) for row in irrelevant)]
        stays = order == 1 and Matrix.vstack(*rows).rank() == span.width - span.dimension
        return self._identity(fixing[:3]) if stays else None

    def _is_plain(self, expr: Expr, matrix: Matrix) -> bool:
        """Whether sympy writes f(Rz) and f(z) the same."""
        moved = dict(zip(self._variables, matrix * Matrix(self._variables), strict=True))
        return bool(expr.xreplace(moved) == expr)

    def _identity(self, matrices: Sequence[Matrix]) -> str:
        names = ", ".join(str(v) for v in self._variables)
        moved = [list(m * Matrix(self._variables)) for m in matrices]
        sides = [f"f({', '.join(str(x) for x in point)})" for point in moved]
        return f"{' = '.join(sides)} = f({names})"


def _reflection(fixed: Sequence[Sequence[Expr]], width: int) -> Matrix:
    """The isometry that fixes some independent rows and changes the sign of what is orthogonal to them."""
    if not fixed:
        return -sympy.eye(width)
    basis = Matrix(fixed)
    return 2 * basis.T * (basis * basis.T).inv() * basis - sympy.eye(width)


def _signed_permutations(n: int) -> Iterator[Matrix]:
    """All but the identity."""
    for columns in itertools.permutations(range(n)):
        for signs in itertools.product((1, -1), repeat=n):
            matrix = sympy.zeros(n, n)
            for i, (j, s) in enumerate(zip(columns, signs, strict=True)):
                matrix[i, j] = s
            if matrix != sympy.eye(n):
                yield matrix


def _moved(matrix: Matrix, row: Sequence[Expr], side: int) -> bool:
    """Whether R v = side * v."""
    vector = Matrix(list(row))
    return bool((matrix * vector - side * vector).expand().is_zero_matrix)


def preimages_cancel(pieces: Sequence[Piece], z: Symbol, order: int) -> bool:
    """Whether zeta_k = 0 for every label, shown by the preimages of a function of one variable.

    E[He_k 1{f <= t}] = - sum over the preimages x of t of sign f'(x) B_k(x), with B_k = He_{k-1} phi. Where
    B_k'/B_k = p f'/(f - c) with a constant p, B_k = C |f - c|^p with one C on each piece, and the sum is
    |t - c|^p times a number, which is tested between each two critical values.

    Examples
    --------
    >>> from hermite_analytics.law.pieces import monotone_pieces
    >>> from hermite_analytics.symbols import z
    >>> pieces = monotone_pieces(z**2 * sympy.exp(-(z**2)), z)
    >>> [preimages_cancel(pieces, z, k) for k in (2, 4)]
    [True, False]
    """
    formulas = list(dict.fromkeys(p.formula for p in pieces))
    if not pieces or not all(f.has(z) and sympy.count_ops(f) <= _LARGEST for f in formulas):
        return False
    values = sorted_distinct(v for p in pieces for v in (p.at_low, p.at_high))
    boundary = hermite_polynomial(order - 1, z)
    for c in dict.fromkeys([S.Zero, *(v for v in values if not v.is_infinite)]):
        check_time()
        powers = {_power(formula - c, boundary, z) for formula in formulas}
        power = powers.pop()
        if powers or power is None:
            continue
        constants = [_constant(piece, c, boundary, power, z) for piece in pieces]
        if None not in constants:
            return all(
                _cancels([x for p, x in zip(pieces, constants, strict=True) if _takes(p, low, high)])
                for low, high in itertools.pairwise(values)
            )
    return False


def _power(difference: Expr, boundary: Expr, z: Symbol) -> Expr | None:
    """The constant p with B_k'/B_k = p f'/(f - c), or None."""
    logarithmic = (boundary.diff(z) / boundary - z) * difference / difference.diff(z)
    power = sympy.cancel(sympy.together(logarithmic))
    return None if power.has(z) else power


def _constant(piece: Piece, c: Expr, boundary: Expr, power: Expr, z: Symbol) -> Expr | None:
    """sign f' * B_k / |f - c|^p on a piece; None where B_k or f - c may vanish inside."""
    try:
        cuts = [*real_zeros(boundary, z), *real_zeros(piece.formula - c, z)]
    except UnsupportedExpression:
        return None
    if any(compare(piece.low, x) < 0 < compare(piece.high, x) for x in cuts):
        return None
    value = boundary * phi(z) / sympy.Abs(piece.formula - c) ** power
    return piece.slope * value.subs(z, between(piece.low, piece.high))


def _takes(piece: Piece, low: Expr, high: Expr) -> bool:
    """Whether a piece takes all labels between two neighbouring critical values."""
    least, most = sorted_distinct([piece.at_low, piece.at_high])
    return compare(least, low) <= 0 <= compare(most, high)


def _cancels(terms: Sequence[Expr]) -> bool:
    return bool(decide_constant(sympy.Add(*terms)).zero)
