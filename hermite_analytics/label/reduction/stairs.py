"""Labels with a floor, for numbers: as many of its steps as labels meet.

A floor has infinitely many jumps, and rooms that list pieces or cells need finitely many. Beyond 8.3 standard
deviations of a coordinate lies a probability of 1e-16: what a label does there is less than the rounding of
numbers, and the integers there are taken together with the last one inside. 1/alpha_c moves by at most
E[(w^2 - 1)^2 1{|w| > 8.3}] < 1e-12, which the error of a threshold contains.
"""

from __future__ import annotations

import sympy
from sympy import Expr, Integer

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.language.functions import hermite_polynomial, staircase
from hermite_analytics.language.functions.hermite import He
from hermite_analytics.language.kinks import STAIRS

__all__ = ["LEFT_OUT", "with_finite_stairs"]

LEFT_OUT = 1e-12  # of 1/alpha
_REACH = sympy.Rational(83, 10)
_MOST_LEVELS = 200


def with_finite_stairs(expr: Expr) -> Expr:
    """The same up to a probability of 1e-16 for each variable, with finitely many jumps.

    Raises
    ------
    UnsupportedExpression
        If more than 200 integers are met.

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
    reach = sympy.Add(*(abs(a) * _REACH ** sum(powers) for powers, a in poly.terms() if any(powers)))
    low, high = (Integer(sympy.floor(middle + side * reach)) for side in (-1, 1))
    if all(power % 2 == 0 and a > 0 for powers, a in poly.terms() if any(powers) for power in powers):
        low = Integer(sympy.floor(middle))
    if high - low > _MOST_LEVELS:
        raise UnsupportedExpression(
            f"floor({argument}) takes {high - low} values within 8.3 standard deviations; laws of labels "
            f"list at most {_MOST_LEVELS}"
        )
    return staircase(argument, low, high)
