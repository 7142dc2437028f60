"""Labels with a floor, for numbers: as many of its steps as labels meet.

A floor has infinitely many jumps, and rooms that list pieces or cells need finitely many. Beyond 8.3 standard
deviations of a coordinate, or as far out in the plane or in space, lies a probability of 1e-16: what a label
does there is less than the rounding of numbers, and the integers there are taken together with the last one
inside. 1/alpha_c moves by at most E[(w^2 - 1)^2 1{|w| > 8.3}] < 1e-12, which its error contains.
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy
from sympy import Expr, Integer

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.language.functions import hermite_polynomial, staircase
from hermite_analytics.language.functions.hermite import He
from hermite_analytics.language.kinks import STAIRS

__all__ = ["LEFT_OUT", "with_finite_stairs"]

LEFT_OUT = 1e-12  # of 1/alpha
_REACH = (sympy.Rational(83, 10), sympy.Rational(86, 10), sympy.Rational(88, 10))  # of |w|, by coordinates
_MOST_LEVELS = 256


def with_finite_stairs(expr: Expr) -> Expr:
    """The same up to a probability of 1e-16 for each variable, with finitely many jumps.

    Raises
    ------
    UnsupportedExpression
        If more than 256 integers are met.

    Examples
    --------
    >>> from hermite_analytics.language.functions import floor
    >>> from hermite_analytics.symbols import variable
    >>> found = with_finite_stairs(floor(variable(1) / 4))
    >>> len(found.atoms(sympy.Function)), found.subs(variable(1), 9)
    (5, 2)
    """
    return expr.replace(lambda e: isinstance(e, STAIRS), _finite) if expr.has(*STAIRS) else expr


def _finite(node: Expr) -> Expr:
    argument = node.args[0]
    variables = sorted(argument.free_symbols, key=str)
    poly = sympy.Poly(argument.replace(He, lambda k, x: hermite_polynomial(int(k), x)), *variables)
    middle = poly.coeff_monomial(1)
    reach = sympy.Add(*(abs(a) * _largest(powers) for powers, a in poly.terms() if any(powers)))
    low, high = (Integer(sympy.floor(middle + side * reach)) for side in (-1, 1))
    if all(power % 2 == 0 and a > 0 for powers, a in poly.terms() if any(powers) for power in powers):
        low = Integer(sympy.floor(middle))
    if high - low > _MOST_LEVELS:
        raise UnsupportedExpression(
            f"floor({argument}) takes {high - low} values within 8.3 standard deviations; laws of labels "
            f"list at most {_MOST_LEVELS}"
        )
    return staircase(argument, low, high)


def _largest(powers: Sequence[int]) -> Expr:
    """A bound of |w^powers| that is met but for a probability of 1e-16.

    On a sphere of radius R a monomial of degree d is at most R^d prod (p_i/d)^(p_i/2).

    Examples
    --------
    >>> _largest((2,)), _largest((1, 0, 1))
    (6889/100, 1849/50)
    """
    used = [p for p in powers if p]
    degree, alone = sum(used), _REACH[0] ** sum(used)
    if len(used) > len(_REACH):
        return alone
    together = sympy.Mul(*(sympy.Rational(p, degree) ** sympy.Rational(p, 2) for p in used))
    return sympy.Min(alone, together * _REACH[len(used) - 1] ** degree)
