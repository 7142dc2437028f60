"""One sympy expression to one node; the caller lowers the parts."""

from __future__ import annotations

from collections.abc import Callable

import sympy
from sympy import Expr, S
from sympy.utilities.iterables import sift

from hermite_analytics.codegen.ir import (
    Add,
    Call,
    Compare,
    Divide,
    HermiteSum,
    Multiply,
    Node,
    Number,
    Power,
    Select,
)
from hermite_analytics.codegen.names import shown
from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.language import functions as own
from hermite_analytics.language.functions import record_of

__all__ = ["build", "defined", "has_more_operations", "number"]

Lower = Callable[[Expr], Node]

_RELATIONS: dict[type, str] = {
    sympy.StrictLessThan: "<",
    sympy.LessThan: "<=",
    sympy.StrictGreaterThan: ">",
    sympy.GreaterThan: ">=",
}
_LARGEST_DEGREE = 1000
_DIGITS = 40


def has_more_operations(expr: Expr, most: int) -> bool:
    """Whether there are more than so many different operations in an expression: each is computed once.

    Examples
    --------
    >>> from sympy import Symbol, exp
    >>> x = Symbol("x")
    >>> has_more_operations((exp(x) + 1) ** 2 * exp(x), 4), has_more_operations((exp(x) + 1) ** 2 * exp(x), 3)
    (False, True)
    """
    seen: set[Expr] = set()
    waiting, count = [expr], 0
    while waiting and count <= most:
        part = waiting.pop()
        if part.args and part not in seen:
            seen.add(part)
            waiting += part.args
            count += max(len(part.args) - 1, 1)
    return count > most


def build(expr: Expr, lower: Lower) -> Node:
    """The node of a compound expression.

    Raises
    ------
    UnsupportedExpression
        If a function has no code.
    """
    if expr.is_Add:
        return _sum(expr, lower)
    if expr.is_Mul:
        return _product(expr, lower)
    if expr.is_Pow and not isinstance(expr, sympy.exp):
        return _power(expr, lower)
    if isinstance(expr, sympy.Piecewise):
        return _cases(list(expr.args), lower)
    return _call(expr, lower)


def _call(expr: Expr, lower: Lower) -> Node:
    """A function by the name that its record has in programs."""
    name = record_of(expr).code
    if name is None:
        raise UnsupportedExpression(f"no code is known for {shown(expr)}")
    if expr.func in (sympy.Max, sympy.Min):
        result, *others = (lower(a) for a in expr.args)
        for other in others:
            result = Call(name, (result, other))
        return result
    if isinstance(expr, own.OwenT) and _is_at_most_one(expr.args[1]):
        name = "owen_t_inside"
    arguments = expr.args[:1] if name == "step" else expr.args
    if isinstance(expr, own.He) and not (expr.args[0].is_Integer and 0 <= expr.args[0] <= _LARGEST_DEGREE):
        raise UnsupportedExpression(f"no code is known for {shown(expr)}: the degree is not a small number")
    return Call(name, tuple(lower(a) for a in arguments))


def defined(expr: Expr) -> Expr:
    """What is computed for a function that programs have no name for; other expressions as they are."""
    known = record_of(expr)
    form = known.in_programs or known.definition
    return expr if known.code is not None or form is None else form(*expr.args)


def _is_at_most_one(expr: Expr) -> bool:
    """Whether 0 <= expr <= 1 can be read off: the general Owen's T needs two more distribution functions."""
    below = expr.is_Pow and expr.exp.is_negative and (expr.base - 1).is_nonnegative
    return bool(below or (expr.is_Rational and 0 <= expr <= 1))


def number(expr: Expr) -> Number:
    """A constant, rounded once."""
    if expr.is_Integer and abs(expr) < 10**15:
        return Number(f"{int(expr)}.0")
    value = sympy.N(expr, _DIGITS)
    if not value.is_Float:
        raise UnsupportedExpression(f"{shown(expr)} is not a real number")
    return Number(repr(float(value)), str(value))


def _sum(expr: Expr, lower: Lower) -> Node:
    """Sums of Hermite polynomials of one argument run through one recurrence."""
    series: dict[Expr, dict[int, Expr]] = {}
    others = []
    for term in expr.args:
        coefficient, rest = term.as_independent(own.He, as_Add=False)
        if isinstance(rest, own.He) and coefficient.is_number and rest.args[0].is_Integer:
            degrees = series.setdefault(rest.args[1], {})
            degrees[int(rest.args[0])] = degrees.get(int(rest.args[0]), S.Zero) + coefficient
        else:
            others.append(term)
    nodes: list[Node] = []
    for argument, degrees in series.items():
        if len(degrees) < 2 or max(degrees) > _LARGEST_DEGREE:
            others += [c * own.He(k, argument) for k, c in degrees.items()]
            continue
        coefficients = (degrees.get(k, S.Zero) for k in range(max(degrees) + 1))
        nodes.append(HermiteSum(tuple(number(c) for c in coefficients), lower(argument)))
    nodes += [lower(a) for a in others]
    return nodes[0] if len(nodes) == 1 else Add(tuple(nodes))


def _product(expr: Expr, lower: Lower) -> Node:
    """Numbers become one; negative powers go below one division; exponentials stay above it."""
    numbers, factors = sift(expr.args, lambda a: a.is_number, binary=True)
    below, above = sift(factors, _is_negative_power, binary=True)
    parts = [lower(a) for a in above]
    coefficient = sympy.Mul(*numbers)
    if coefficient != 1 or not parts:
        parts.insert(0, number(coefficient))
    top = parts[0] if len(parts) == 1 else Multiply(tuple(parts))
    return Divide(top, lower(sympy.Mul(*(a.base ** (-a.exp) for a in below)))) if below else top


def _is_negative_power(factor: Expr) -> bool:
    if not factor.is_Pow or isinstance(factor, sympy.exp):
        return False
    return bool(factor.exp.is_number and factor.exp < 0)


def _power(expr: Expr, lower: Lower) -> Node:
    base, exponent = expr.base, expr.exp
    if exponent.is_number and exponent < 0:
        return Divide(Number("1.0"), lower(base ** (-exponent)))
    if exponent == S.Half:
        return Call("sqrt", (lower(base),))
    if exponent.is_Integer:
        return Power(lower(base), Number(f"{int(exponent)}.0"), int(exponent))
    if exponent.is_Rational and exponent.q == 2:
        return Multiply((lower(base ** (exponent - S.Half)), Call("sqrt", (lower(base),))))
    return Power(lower(base), lower(exponent))


def _cases(cases: list[tuple[Expr, Expr]], lower: Lower) -> Node:
    value, condition = cases[0]
    if condition == True:  # noqa: E712 -- sympy's own true
        return lower(value)
    relation = _RELATIONS.get(condition.func)
    if relation is None or len(cases) == 1:
        raise UnsupportedExpression(
            f"no code is known for the case {shown(condition)}; accepted are <, <=, >, >= and a last case "
            "without condition"
        )
    compared = Compare(relation, lower(condition.lhs), lower(condition.rhs))
    return Select(compared, lower(value), _cases(cases[1:], lower))
