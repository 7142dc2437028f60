"""How far rounding moves an integrand: what no quadrature can settle below.

tanh(s + z) - tanh(s) at s = 18 is a difference of numbers near 1: noise of 1e-16 on values of 1e-15. The
bound is that of one rounding of each addend: u sum_i |a_i| for a sum, (2 |x| + r) r for the square of a sum x
with bound r.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hermite_analytics.codegen.ir import (
    Add,
    Assign,
    Call,
    Integral,
    Loop,
    Multiply,
    Name,
    Node,
    Number,
    Power,
)

__all__ = ["rounding_of", "roundings"]

_UNIT = Number(repr(2.0**-52))


def roundings(statement: Loop | Integral) -> dict[str, Node]:
    """Bounds of the results of a quadrature that have one; none of an integral, which is not refined."""
    if isinstance(statement, Integral):
        return {}
    found = {name: rounding_of(value, statement.body) for name, value in statement.values}
    return {name: bound for name, bound in found.items() if bound is not None}


def rounding_of(value: Node, body: Sequence[Assign]) -> Node | None:
    """A bound of the rounding in an integrand, or None where it is no sum and no square of one.

    Parameters
    ----------
    value : Node
        The integrand; names in it are looked up in the body.
    body : sequence of Assign
        What is evaluated at each node before it.
    """
    known = {line.target: line.value for line in body}
    inner = _squared(_looked_up(value, known))
    if inner is None:
        return _of_a_sum(_looked_up(value, known))
    error = _of_a_sum(_looked_up(inner, known))
    if error is None:
        return None
    return Multiply((error, Add((Multiply((Number("2.0"), _size(inner))), error))))


def _looked_up(value: Node, known: Mapping[str, Node]) -> Node:
    while isinstance(value, Name) and value.text in known:
        value = known[value.text]
    return value


def _squared(value: Node) -> Node | None:
    """x of x^2."""
    if isinstance(value, Power) and value.integer == 2:
        return value.base
    if isinstance(value, Multiply) and len(value.factors) == 2 and value.factors[0] == value.factors[1]:
        return value.factors[0]
    return None


def _of_a_sum(value: Node) -> Node | None:
    if not isinstance(value, Add):
        return None
    return Multiply((_UNIT, Add(tuple(_size(term) for term in value.terms))))


def _size(value: Node) -> Node:
    if isinstance(value, Number):
        return Number(value.text.removeprefix("-"))
    return Call("abs", (value,))
