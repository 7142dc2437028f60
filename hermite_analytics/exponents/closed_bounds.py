"""Which directions a step can learn, read off closed forms of T_j(x) = E[He_j(y) f(x + y)] with free x.

T_j(x) = sum_i t_i(x) K_i with constant tensors K_i: whatever the functions t_i are, the slots of T_j(x) lie
in the span of the slots of all K_i.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import sympy
from sympy import Dummy, Expr, S, Symbol

from hermite_analytics.coefficient_table import hermite_product
from hermite_analytics.errors import UndefinedQuantity
from hermite_analytics.exponents.contraction import Index, vectors_of
from hermite_analytics.exponents.spans import Row, Span, complement
from hermite_analytics.foundation.clock import TimeEnded, check_time, limited
from hermite_analytics.gaussian.closed_form import closed_form
from hermite_analytics.gaussian.distribution import expanded
from hermite_analytics.gaussian.zero.tensors import indices

__all__ = ["conditional_slots"]

_LARGEST = 30  # closed forms of one step


def conditional_slots(
    part: Expr,
    variables: Sequence[Symbol],
    noise: Sequence[Symbol],
    learned: Span,
    order: int,
) -> list[Row] | None:
    """Vectors that span at least the slots of all T_j(x), j = order; None where a closed form is missing.

    Examples
    --------
    >>> from sympy import Integer, sin, symbols
    >>> z1, z2 = symbols("z1 z2", real=True)
    >>> line = Span(width=2, rows=((Integer(1), Integer(0)),), pivots=(0,))
    >>> cubic = sin(z1) * (z2**3 - 3 * z2)
    >>> [conditional_slots(cubic, [z1, z2], (), line, j) for j in (1, 2, 3)]
    [[], [], [(0, 6)]]
    """
    if not (learned.is_closed and learned.is_short):
        return None
    unlearned = complement(learned)
    inside, outside = _orthonormal(learned.rows), _orthonormal(unlearned.rows)
    if math.comb(len(outside) + order - 1, order) > _LARGEST:
        return None
    x = [Dummy(f"x{a + 1}", real=True) for a in range(len(inside))]
    y = [Dummy(f"y{b + 1}", real=True) for b in range(len(outside))]
    coordinates = {
        z: sympy.Add(*(s * row[i] for s, row in zip([*x, *y], [*inside, *outside], strict=True)))
        for i, z in enumerate(variables)
    }
    tensors: dict[Expr, dict[Index, Expr]] = {}
    try:
        with limited():
            moved = part.xreplace(coordinates)
            for index in indices(len(y), order):
                value = closed_form(hermite_product(index, y) * moved, (*y, *noise))
                if value is None:
                    return None
                for term in sympy.Add.make_args(expanded(value)):
                    constant, function = term.as_independent(*x, as_Add=False)
                    entries = tensors.setdefault(function, {})
                    entries[index] = entries.get(index, S.Zero) + constant
    except (TimeEnded, UndefinedQuantity):
        check_time()  # a limit around this one
        return None
    return [
        _combined(vector, outside)
        for tensor in tensors.values()
        for vector in vectors_of({s: t for s, t in tensor.items() if t != 0}, len(y))
    ]


def _combined(weights: Sequence[Expr], rows: Sequence[Row]) -> Row:
    columns = zip(*rows, strict=True)
    return tuple(sympy.Add(*(w * x for w, x in zip(weights, column, strict=True))) for column in columns)


def _orthonormal(rows: Sequence[Row]) -> list[Row]:
    """An orthonormal basis of their span."""
    basis: list[sympy.Matrix] = []
    for row in rows:
        vector = sympy.Matrix(row)
        for other in basis:
            vector = vector - vector.dot(other) / other.dot(other) * other
        basis.append(vector)
    return [tuple(vector / sympy.sqrt(vector.dot(vector))) for vector in basis]
