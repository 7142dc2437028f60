"""Second moments of sums and products of functions of separate coordinates, from the moments of each.

    E (f_1 + ... + f_m)^2 = sum E f_i^2 + (sum E f_i)^2 - sum (E f_i)^2,    E (f_1 ... f_m)^2 = prod E f_i^2.

Blocks that differ by the names of their coordinates have one computation together.
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy
from sympy import Expr, Symbol

from hermite_analytics.evidence import Quantity
from hermite_analytics.foundation.clock import TimeEnded, check_time, limited, share
from hermite_analytics.gaussian.closed_form import closed_form
from hermite_analytics.gaussian.distribution import expanded_above
from hermite_analytics.gaussian.extremes import extreme_power, is_extreme_of_many
from hermite_analytics.gaussian.products import renamed, separate_factors
from hermite_analytics.gaussian.quantities import (
    EXACT_SHARE,
    constant_quantity,
    expected_quantity,
    interrupted,
    times,
    times_number,
    total,
)
from hermite_analytics.gaussian.simplify import tidy

__all__ = ["product_mean", "second_moment_by_blocks"]


def product_mean(product: Expr, variables: Sequence[Symbol], *, digits: int) -> Quantity:
    """E of a square or a product: in closed form as a whole, else term by term once it is written out."""
    try:
        with limited(share(EXACT_SHARE)):
            exact = closed_form(product, variables)
    except TimeEnded:
        check_time()  # a limit around this one
        return interrupted(expected_quantity(product, variables, digits=digits))
    if exact is not None:
        return constant_quantity(exact)
    sums = product.is_Add or (product.is_Pow and product.base.is_Add)
    terms = expanded_above(product) if sums else product
    return expected_quantity(terms, variables, digits=digits)


def second_moment_by_blocks(expression: Expr, variables: Sequence[Symbol], *, digits: int) -> Quantity | None:
    """E f^2 of a sum or product of functions without a common variable; None for other functions.

    Parameters
    ----------
    expression : sympy expression
        f, whose second moment is finite.

    Examples
    --------
    >>> z = sympy.symbols("z1:5", real=True)
    >>> found = second_moment_by_blocks(sympy.Add(*(sympy.Max(x, 0) for x in z)), z, digits=18)
    >>> str(found.exact)
    '6/pi + 2'
    """
    scale, rest = expression.as_independent(*variables, as_Add=False)
    if is_extreme_of_many(rest):
        return times_number(extreme_power(rest, 2, digits=digits), scale**2)
    joined = sympy.Mul if rest.is_Mul else sympy.Add
    blocks = [joined(*members) for members in separate_factors(joined.make_args(rest), variables)]
    if len(blocks) < 2:
        return None
    moments = _Moments(variables, digits)
    if joined is sympy.Mul:
        found = times([moments.square(block) for block in blocks])
    else:
        found = _of_sum([moments.square(b) for b in blocks], [moments.mean(b) for b in blocks])
    return times_number(found, scale**2)


def _of_sum(squares: Sequence[Quantity], means: Sequence[Quantity]) -> Quantity:
    closed = [q.exact for q in squares if q.exact is not None]
    middles = [q.exact for q in means if q.exact is not None]
    if len(closed) == len(squares) and len(middles) == len(means):
        cross = sympy.Add(*(m**2 for m in middles))
        return constant_quantity(tidy(sympy.expand(sympy.Add(*closed) + sympy.Add(*middles) ** 2 - cross)))
    shifted = [q for q in means if not q.zero]
    minus = constant_quantity(sympy.S.NegativeOne)
    whole = [times([total(shifted)] * 2)] if len(shifted) > 1 else []
    own = [times([minus, q, q]) for q in shifted] if len(shifted) > 1 else []
    return total([*squares, *whole, *own])


class _Moments:
    """E f and E f^2 of blocks, of those that differ by names once."""

    def __init__(self, variables: Sequence[Symbol], digits: int) -> None:
        self._variables, self._digits = tuple(variables), digits
        self._means: dict[Expr, Quantity] = {}
        self._squares: dict[Expr, Quantity] = {}

    def mean(self, block: Expr) -> Quantity:
        named, own = renamed(block, self._variables)
        if named not in self._means:
            self._means[named] = expected_quantity(named, own, digits=self._digits)
        return self._means[named]

    def square(self, block: Expr) -> Quantity:
        named, own = renamed(block, self._variables)
        if named not in self._squares:
            deeper = second_moment_by_blocks(named, own, digits=self._digits)
            self._squares[named] = (
                product_mean(named**2, own, digits=self._digits) if deeper is None else deeper
            )
        return self._squares[named]
