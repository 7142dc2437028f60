"""Proofs that neurons see no further direction, whatever the degree: parities of sigma against those of f.

If the odd part of sigma is linear, mu_n = 0 for all odd n >= 3; if its even part is constant, for all even n.
If f(z) + f(-z) depends on P_U z only, C_n has no slot outside U for even n; if f(z) - f(-z) does, none for
odd n. With one slot outside U, the same follows for even n from f(z) - f(Rz) and for odd n from f(z) + f(Rz),
R the reflection of U. What sigma and f leave out together is everything.
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy
from sympy import Expr, Symbol

from hermite_analytics.activation import Activation
from hermite_analytics.evidence import Quantity
from hermite_analytics.exponents.dependence import depends_only_on
from hermite_analytics.exponents.spans import Span

__all__ = ["is_blind"]


def is_blind(
    expression: Expr,
    variables: Sequence[Symbol],
    span: Span,
    activation: Activation,
    slope: Quantity,
    *,
    order: int = 1,
) -> bool:
    """Whether it is proved that mu_n C_n[perp^j, U^(n - j)] = 0 for all n >= 2 and 1 <= j <= order.

    Parameters
    ----------
    expression : sympy expression
        f.
    variables : sequence of symbols
    span : Span
        U, not {0}.
    activation : Activation
    slope : Quantity
        mu_1 of the activation.
    order : int >= 1

    Examples
    --------
    >>> from hermite_analytics.exponents.numbers import Numbers
    >>> from hermite_analytics.exponents.spans import extended
    >>> from hermite_analytics.gaussian.quantities import constant_quantity
    >>> z1, z2 = sympy.symbols("z1 z2", real=True)
    >>> line, _ = extended(Numbers(), Span(width=2), [(sympy.Integer(1), sympy.Integer(0))])
    >>> half = constant_quantity(sympy.Rational(1, 2))
    >>> relu = Activation("relu")
    >>> [is_blind(z1 + f * z2, [z1, z2], line, relu, half) for f in (sympy.cos(z1), sympy.sin(z1))]
    [True, False]
    """
    if not (span.is_closed and span.is_short and span.dimension):
        return False
    if _odd_part_is_linear(activation, slope):
        sign = 1  # even n are left
    elif _even_part_is_constant(activation):
        sign = -1
    else:
        return False
    opposite = expression.xreplace({z: -z for z in variables})
    if depends_only_on(expression + sign * opposite, variables, span):
        return True
    if order > 1:
        return False
    reflected = expression.xreplace(_reflection(span, variables))
    return depends_only_on(expression - sign * reflected, variables, span)


def _reflection(span: Span, variables: Sequence[Symbol]) -> dict[Symbol, Expr]:
    """z - 2 P_U z, entry by entry."""
    basis = sympy.Matrix(span.rows)
    matrix = sympy.eye(span.width) - 2 * basis.T * (basis * basis.T).inv() * basis
    moved = matrix * sympy.Matrix(list(variables))
    return {z: sympy.expand(moved[i]) for i, z in enumerate(variables)}


def _odd_part_is_linear(activation: Activation, slope: Quantity) -> bool:
    z, sigma = activation.variable, activation.expression
    if slope.exact is None:
        return False
    return _is_constant(sigma - sigma.xreplace({z: -z}) - 2 * slope.exact * z, z)


def _even_part_is_constant(activation: Activation) -> bool:
    z, sigma = activation.variable, activation.expression
    return _is_constant(sigma + sigma.xreplace({z: -z}), z)


def _is_constant(expression: Expr, z: Symbol) -> bool:
    return expression.is_number or depends_only_on(expression, [z], Span(width=1))
