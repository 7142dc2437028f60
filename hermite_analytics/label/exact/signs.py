"""Signs and absolute values of products as products, with what is known of them.

The label stays what it is almost surely, in z and in the noise. Where an argument may be 0 on an open set its
sign is not taken for 1 or -1: sign(relu(x)) is step(x).
"""

from __future__ import annotations

import sympy
from sympy import Expr, S

from hermite_analytics.gaussian.factors import factored
from hermite_analytics.gaussian.zero.null_sets import nonzero_set
from hermite_analytics.language import functions as own
from hermite_analytics.language.bounds import bounds
from hermite_analytics.language.functions import record_of
from hermite_analytics.language.kinks import JUMPS, KINKS

__all__ = ["absolute", "has_known_signs", "is_nonnegative", "split_signs"]


def split_signs(expr: Expr) -> Expr:
    """Signs and absolute values of products as products, and those that are known.

    Examples
    --------
    >>> from sympy import symbols
    >>> x, y = symbols("x y", real=True)
    >>> split_signs(sympy.sign(-2 * x * y**2) + abs(x * sympy.exp(y)))
    exp(y)*Abs(x) - sign(x)
    >>> split_signs(sympy.sign(own.relu(x) * y**3) + sympy.sign(own.relu(y)) ** 2)
    sign(y)*step(x) + step(y)
    """
    if not expr.args:
        return expr
    arguments = [split_signs(a) for a in expr.args]
    if isinstance(expr, sympy.sign):
        return _sign(arguments[0])
    if isinstance(expr, sympy.Abs):
        return absolute(arguments[0])
    if isinstance(expr, own.step):
        return _step(arguments[0])
    found = expr.func(*arguments)
    return _whole_power(found) if found.is_Pow and found.exp.is_Integer else found


def _whole_power(power: Expr) -> Expr:
    """Of signs and steps by their values, even ones without |..|."""
    base, exponent = power.args
    if isinstance(base, sympy.sign):
        return base if exponent % 2 else _indicator(base)
    if isinstance(base, own.step) and exponent.is_positive:
        return base
    if isinstance(base, sympy.Abs) and exponent % 2 == 0:
        return base.args[0] ** exponent
    return power


def _sign(argument: Expr) -> Expr:
    argument = _without_known(argument)
    if argument.is_Mul:
        return sympy.Mul(*(_sign(a) for a in argument.args))
    if argument.is_Pow and argument.exp.is_Integer:
        return _sign(argument.base) if argument.exp % 2 else _indicator(argument.base)
    if isinstance(argument, sympy.sign):
        return argument
    if record_of(argument).has_sign_of_argument:
        return _sign(argument.args[0])
    if is_nonnegative(argument):
        return _indicator(argument)
    if is_nonnegative(-argument):
        return -_indicator(argument)
    if argument.is_Add and argument.could_extract_minus_sign():
        return -sympy.sign(-argument)
    return sympy.sign(argument)


def _step(argument: Expr) -> Expr:
    argument = _without_known(argument)
    if is_nonnegative(argument):
        return _indicator(argument)
    if is_nonnegative(-argument):
        return S.Zero
    if argument.is_Mul or argument.is_Pow:
        return (_indicator(argument) + _sign(argument)) / 2
    return own.step(argument)


def _indicator(expr: Expr) -> Expr:
    """1{expr != 0}, which is sign(expr)^2."""
    if expr.is_Mul:
        return sympy.Mul(*{_indicator(a) for a in expr.args})
    if expr.is_Pow and expr.exp.is_Integer:
        return _indicator(expr.base)
    if record_of(expr).vanishes_at_zero_alone:
        return _indicator(expr.args[0])
    if isinstance(expr, own.step):
        return expr
    if isinstance(expr, own.relu):
        return split_signs(own.step(expr.args[0]))
    seen = nonzero_set(expr)
    if seen is not None:
        return seen
    return sympy.sign(expr) if is_nonnegative(expr) else sympy.Abs(sympy.sign(expr))


def absolute(argument: Expr) -> Expr:
    """|f| of a function whose parts are split already."""
    if argument.is_Mul:
        return sympy.Mul(*(absolute(a) for a in argument.args))
    if argument.is_Pow and argument.exp.is_Integer:
        return argument if argument.exp % 2 == 0 else absolute(argument.base) ** argument.exp
    if isinstance(argument, sympy.sign):
        return _indicator(argument)
    if is_nonnegative(argument):
        return argument
    if argument.is_Add and argument.could_extract_minus_sign():
        return sympy.Abs(-argument)
    return sympy.Abs(argument)


def is_nonnegative(expr: Expr) -> bool:
    """Whether the form of the expression shows that it is never negative."""
    if expr.is_Add or expr.is_Mul:
        return all(is_nonnegative(a) for a in expr.args) or bool(bounds(expr)[0].is_extended_nonnegative)
    if isinstance(expr, sympy.Max):
        return any(is_nonnegative(a) for a in expr.args)
    if isinstance(expr, sympy.Min):
        return all(is_nonnegative(a) for a in expr.args)
    if expr.is_Pow and expr.exp.is_Integer and expr.exp % 2 == 0:
        return True
    if expr.is_Pow:
        return is_nonnegative(expr.base)
    return bool(expr.is_nonnegative or bounds(expr)[0].is_extended_nonnegative)


def has_known_signs(expr: Expr) -> bool:
    """Whether a sign or step is of kinks, which may be 0 on an open set, or has a factor with one sign."""
    arguments = [_without_known(a.args[0]) for a in expr.atoms(*JUMPS)]
    return any(a.has(*KINKS) or any(map(_has_one_sign, _factors(a))) for a in arguments)


def _without_known(argument: Expr) -> Expr:
    """A sum as a product, where one of the factors has one sign: z1 (1 + z2^2) for z1 + z1 z2^2."""
    if argument.is_Add:
        product = factored(argument)
        if product.is_Mul and any(map(_has_one_sign, _factors(product))):
            return product
    return argument


def _factors(expr: Expr) -> list[Expr]:
    return [a for a in sympy.Mul.make_args(expr) if a.free_symbols]


def _has_one_sign(expr: Expr) -> bool:
    return is_nonnegative(expr) or is_nonnegative(-expr)
