"""Coordinates adapted to a subspace U of R^r: x in U, y in its orthogonal complement."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import sympy
from sympy import Dummy, Expr, Poly, S, Symbol

from hermite_analytics.errors import InputError
from hermite_analytics.exponents.contraction import Index, Tensor, contract
from hermite_analytics.exponents.numbers import Numbers
from hermite_analytics.exponents.spans import Row, Span, complement, extended
from hermite_analytics.foundation.clock import check_time
from hermite_analytics.language.functions import He, hermite_coefficients
from hermite_analytics.language.rows import Rows

__all__ = ["Frame", "adapted_coefficients", "frame", "rotated_back", "span_of_rows"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """An orthogonal basis of R^r, its first vectors in U.

    Parameters
    ----------
    rows : tuple of rows
        Orthogonal, not normalised: they stay rational where U is.
    learned : int
        How many of them span U.
    """

    rows: tuple[Row, ...]
    learned: int

    @property
    def squares(self) -> tuple[Expr, ...]:
        """|b|^2 of the rows."""
        return tuple(_dot(row, row) for row in self.rows)

    def forms(self, variables: Sequence[Symbol]) -> tuple[Expr, ...]:
        """The orthonormal coordinates b.z/|b| as functions of z; z_i itself for a row e_i."""
        return tuple(
            sympy.Add(*(x / sympy.sqrt(square) * z for x, z in zip(row, variables, strict=True)))
            for row, square in zip(self.rows, self.squares, strict=True)
        )

    def symbols(self, variables: Sequence[Symbol]) -> tuple[Symbol, ...]:
        """Names of the orthonormal coordinates: z_i for a row e_i, else new ones."""
        inside = [Dummy(f"x{a + 1}", real=True) for a in range(self.learned)]
        outside = [Dummy(f"y{b + 1}", real=True) for b in range(len(self.rows) - self.learned)]
        names = zip(self.forms(variables), [*inside, *outside], strict=True)
        return tuple(form if form in variables else name for form, name in names)

    def substitution(self, variables: Sequence[Symbol], symbols: Sequence[Symbol]) -> dict[Symbol, Expr]:
        """Each z_i as a linear form in the orthonormal coordinates."""
        roots = [sympy.sqrt(square) for square in self.squares]
        return {
            z: sympy.Add(*(row[i] / root * s for row, root, s in zip(self.rows, roots, symbols, strict=True)))
            for i, z in enumerate(variables)
        }

    def product(self, index: Index, variables: Sequence[Symbol]) -> Expr:
        """He_S in the orthonormal coordinates, as a function of z."""
        forms = self.forms(variables)
        return sympy.Mul(*(He(power, form) for power, form in zip(index, forms, strict=True) if power))

    def outside(self, index: Index) -> int:
        """|S_perp|: the degree in the coordinates that are not learned."""
        return sum(index[self.learned :])

    def weight(self, index: Index) -> Expr:
        """S! times the product of |b|^(2 S): what divides C[b, .., b]^2 in a norm."""
        factors = (math.factorial(n) * q**n for n, q in zip(index, self.squares, strict=True))
        return sympy.Mul(*factors)


def frame(span: Span) -> Frame:
    """An orthogonal basis adapted to a subspace with an exact basis.

    Examples
    --------
    >>> line, _ = extended(Numbers(), Span(width=2), [(S(1), S(2))])
    >>> frame(line).rows
    ((1, 2), (-2, 1))
    """
    return Frame(rows=(*_orthogonal(span.rows), *_orthogonal(complement(span).rows)), learned=span.dimension)


def adapted_coefficients(tensor: Tensor, rows: Sequence[Row]) -> Iterator[tuple[Index, Expr]]:
    """(S, C[b_1, .., b_1, b_2, ..]) for all |S| = degree of the tensor, as far as they do not cancel.

    Examples
    --------
    >>> dict(adapted_coefficients({(1, 1): S(1)}, [(S(1), S(1)), (S(1), S(-1))]))
    {(0, 2): -2, (2, 0): 2}
    """
    if not tensor:
        return
    first, rest = rows[0], rows[1:]
    taken, current = 0, tensor
    while current:
        check_time()
        degree = sum(next(iter(current)))
        if degree == 0:
            yield (taken, *(0 for _ in rest)), next(iter(current.values()))
            return
        if rest:
            yield from (((taken, *index), entry) for index, entry in adapted_coefficients(current, rest))
        taken, current = taken + 1, contract(current, first)


def rotated_back(entries: Mapping[Index, Expr], adapted: Frame, variables: Sequence[Symbol]) -> Expr:
    """sum of c_S He_S/S! of orthonormal coordinates b.z/|b| in powers of z, from the entries C[b, .., b].

    |b|^(-n) He_n(b.z/|b|) has coefficients that are rational in those of b.

    Examples
    --------
    >>> line, _ = extended(Numbers(), Span(width=2), [(S(1), S(1))])
    >>> rotated_back({(2, 0): S(2)}, frame(line), sympy.symbols("z1 z2"))
    z1**2/4 + z1*z2/2 + z2**2/4 - 1/2
    """
    forms = [Poly(_product(row, variables), *variables) for row in adapted.rows]

    @functools.cache
    def factor(i: int, degree: int) -> Poly:
        square, result = adapted.squares[i], Poly(0, *variables)
        for k, a in enumerate(hermite_coefficients(degree)):
            if a:
                check_time()
                result += forms[i] ** k * (a / square ** ((degree + k) // 2))
        return result

    whole = Poly(0, *variables)
    for index, entry in entries.items():
        product = Poly(entry / math.prod(map(math.factorial, index)), *variables)
        for i, degree in enumerate(index):
            if degree:
                check_time()
                product *= factor(i, degree)
        whole += product
    return whole.as_expr()


def span_of_rows(rows: Rows, width: int, numbers: Numbers) -> Span:
    """The span of rows in z-coordinates.

    Raises
    ------
    InputError
        If a row has another length, or the rows are not independent.
    """
    for row in rows:
        if len(row) != width:
            raise InputError(f"learned has a row of length {len(row)}; the target has {width} coordinates")
    if len(rows) > width:
        raise InputError(f"learned has {len(rows)} rows; at most {width} are independent")
    span, decided = extended(numbers, Span(width=width), rows)
    if not decided:
        raise InputError("learned has rows whose independence is not decided; give shorter numbers")
    if span.dimension < len(rows):
        raise InputError(
            f"learned has {len(rows)} rows of rank {span.dimension}; independent rows are accepted"
        )
    return span


def _orthogonal(rows: Sequence[Row]) -> list[Row]:
    """Gram-Schmidt without roots."""
    basis: list[Row] = []
    for row in rows:
        vector = row
        for other in basis:
            factor = sympy.radsimp(_dot(vector, other) / _dot(other, other))
            vector = tuple(sympy.expand(x - factor * y) for x, y in zip(vector, other, strict=True))
        basis.append(vector)
    return basis


def _product(row: Row, variables: Sequence[Symbol]) -> Expr:
    return sympy.Add(*(x * z for x, z in zip(row, variables, strict=True)))


def _dot(a: Row, b: Row) -> Expr:
    return sympy.expand(sympy.Add(*(x * y for x, y in zip(a, b, strict=True)), S.Zero))
