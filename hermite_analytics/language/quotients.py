"""What is a function of the language in other words: log(1 + exp(u)), logistic quotients, and sin(u)/u."""

from __future__ import annotations

import sympy
from sympy import Expr, S

from hermite_analytics.language.bounds import vanishes_on_a_null_set
from hermite_analytics.language.functions import sigmoid, sinc, softplus

__all__ = ["known_logarithm", "known_quotient", "logistic_quotient"]


def known_quotient(above: Expr, below: Expr) -> Expr | None:
    """The quotient without a division, by the logistic function or by sinc; None for others.

    Examples
    --------
    >>> x, y = sympy.symbols("x y", real=True)
    >>> known_quotient(3 * sympy.sin(x), 2 * x), known_quotient(x, 1 + x**2)
    (3*sinc(x)/2, None)
    """
    return _cardinal_sine(above, below) or logistic_quotient(above, below)


def _cardinal_sine(above: Expr, below: Expr) -> Expr | None:
    for factor in sympy.Mul.make_args(above):
        ratio = below / factor.args[0] if isinstance(factor, sympy.sin) else None
        known = ratio is not None and ratio.is_number and ratio != 0
        if known and vanishes_on_a_null_set(factor.args[0]):  # else 0/0 on an open set
            return above / factor * sinc(factor.args[0]) / ratio
    return None


def logistic_quotient(above: Expr, below: Expr) -> Expr | None:
    """above/below by the logistic function, where below = a exp(u) + b exp(v) with a, b > 0; else None.

    Of the two addends that one is divided by which is a factor of what is above; or else a constant one:

        a exp(u)/(a exp(u) + b exp(v)) = sigmoid(u - v + log(a/b)).

    Examples
    --------
    >>> x, y = sympy.symbols("x y", real=True)
    >>> logistic_quotient(sympy.exp(x), sympy.exp(x) + sympy.exp(y)), logistic_quotient(x, 1 + sympy.exp(-x))
    (sigmoid(x - y), x*sigmoid(x))
    >>> logistic_quotient(x, 1 + x**2) is None
    True
    """
    parts = [_exponential(a) for a in below.args] if below.is_Add else []
    if len(parts) != 2 or None in parts or all(u == 0 for _, u in filter(None, parts)):
        return None
    first, second = (part for part in parts if part is not None)
    exponents = [a.args[0] for a in sympy.Mul.make_args(above) if isinstance(a, sympy.exp)]
    for (a, u), (b, v) in ((first, second), (second, first)):
        if u != 0 and u in exponents:
            return above / (a * sympy.exp(u)) * sigmoid(u - v + sympy.log(a / b))
    for (a, u), (b, v) in ((first, second), (second, first)):
        if u == 0:
            return above / a * sigmoid(-v + sympy.log(a / b))
    return None


def known_logarithm(expr: Expr) -> Expr | None:
    """log(a exp(u) + b exp(v)) with a, b > 0 by softplus; None for others.

    Examples
    --------
    >>> x, y = sympy.symbols("x y", real=True)
    >>> known_logarithm(1 + sympy.exp(-x)), known_logarithm(sympy.exp(x) + 2 * sympy.exp(y))
    (softplus(-x), x + softplus(-x + y + log(2)))
    >>> known_logarithm(1 + x**2) is None
    True
    """
    parts = [_exponential(a) for a in expr.args] if expr.is_Add else []
    found = sorted((part for part in parts if part is not None), key=lambda p: (p[1] != 0, str(p[1])))
    if len(parts) != 2 or len(found) != 2:
        return None
    (a, u), (b, v) = found
    return None if v == 0 else sympy.log(a) + u + softplus(v - u + sympy.log(b / a))


def _exponential(expr: Expr) -> tuple[Expr, Expr] | None:
    """(a, u) of a exp(u) with a number a > 0."""
    factor, rest = expr.as_coeff_Mul()
    if not rest.free_symbols:
        factor, rest = expr, S.One
    if not (factor.is_number and factor.is_positive):
        return None
    if rest == 1:
        return factor, S.Zero
    return (factor, rest.args[0]) if isinstance(rest, sympy.exp) else None
