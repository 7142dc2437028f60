"""`enclose`: a rigorous ball of an expectation over one or several independent N(0, 1) variables."""

from __future__ import annotations

import math
from collections.abc import Sequence

from flint import arb
from sympy import Expr, Symbol

from hermite_analytics.errors import BudgetExhausted, InputError, UndefinedQuantity, UnsupportedExpression
from hermite_analytics.gaussian.enclosure.blocks import Block, independent_blocks
from hermite_analytics.gaussian.enclosure.coefficients import enclose_coefficients
from hermite_analytics.gaussian.enclosure.constants import ball_of
from hermite_analytics.gaussian.enclosure.effort import check, some_time
from hermite_analytics.gaussian.enclosure.forms import rotated
from hermite_analytics.gaussian.enclosure.plane import plane_expectation
from hermite_analytics.gaussian.enclosure.precision import BOUND_BITS, log2_ceiling, working_precision
from hermite_analytics.gaussian.enclosure.strip import NoStripBound
from hermite_analytics.gaussian.enclosure.tensor import tensor_expectation
from hermite_analytics.gaussian.enclosure.undefined import refuse, require_finite

__all__ = ["enclose"]

_MOST_VARIABLES = 3  # in one block that does not factorise
_MOST_PASSES = 6


def enclose(integrand: Expr, variables: Symbol | Sequence[Symbol], *, digits: int = 30) -> arb:
    """A rigorous ball of E[integrand] over independent N(0, 1) variables.

    Parameters
    ----------
    integrand : sympy expression without other symbols
    variables : symbol or sequence of symbols
    digits : int
        The radius is below 10^-digits.

    Returns
    -------
    arb
        An exact zero where a sign flip of variables shows it.

    Raises
    ------
    BudgetExhausted
        If the time that is left (without a limit: ten seconds) or the precision ends before; with the best
        ball reached, if any, as `ball`.
    UndefinedQuantity
        If the expectation is shown not to exist.
    UnsupportedExpression
        If it is not covered: free symbols, blocks of more than three variables, curved kinks, kinks in
        several directions of three variables, no bound of the integrand.

    Notes
    -----
    Independent blocks are taken apart, functions of fewer linear forms are rotated to fewer variables; one
    variable goes to `enclose_coefficients`, two and three to a tensor product of rules.

    Examples
    --------
    >>> import sympy
    >>> from hermite_analytics.symbols import variable
    >>> x, y = variable(1), variable(2)
    >>> enclose(sympy.tanh((3 * x + 4 * y) / 5) ** 2, (x, y)).str(20, radius=False)
    '0.39429449039784117442'
    """
    listed = (variables,) if isinstance(variables, Symbol) else tuple(variables)
    if digits < 1:
        raise InputError(f"at least one digit is needed, not {digits}")
    others = integrand.free_symbols.difference(listed)
    if others:
        names = ", ".join(sorted(map(str, others)))
        raise UnsupportedExpression(f"an enclosure needs a number: {names} is free in {integrand}")
    with some_time():
        return _enclosed(integrand, listed, digits)


def _enclosed(integrand: Expr, listed: tuple[Symbol, ...], digits: int) -> arb:
    with working_precision(BOUND_BITS):
        tolerance = arb(10) ** -digits
    best: arb | None = None
    wanted = digits
    for _ in range(_MOST_PASSES):
        try:
            best = _expectation(integrand, listed, wanted)
        except BudgetExhausted as error:
            raise BudgetExhausted(str(error), _narrower(best, error.ball)) from None
        except UndefinedQuantity as error:
            if len(listed) == 1:
                raise
            raise UndefinedQuantity(f"no expectation of {integrand}: {error}") from None
        except NoStripBound as error:
            refuse(integrand, listed, error)
        with working_precision(BOUND_BITS):
            if not best.is_finite():
                best, wanted = None, wanted + digits
                continue
            if best.rad() <= tolerance:
                return best
            wanted += max(1, math.ceil(log2_ceiling(best.rad() / tolerance) * math.log10(2)))
    raise BudgetExhausted(f"{digits} digits of {integrand} were not reached", best)


def _narrower(left: arb | None, right: arb | list[arb] | None) -> arb | None:
    found = [b for b in (left, right) if b is not None and not isinstance(b, list) and b.is_finite()]
    return min(found, key=lambda b: b.rad(), default=None)


def _expectation(expr: Expr, variables: tuple[Symbol, ...], digits: int) -> arb:
    bits = math.ceil(digits * math.log2(10)) + 64
    total: arb | None = None
    terms = independent_blocks(expr, variables)
    for term in terms:
        product: arb | None = None
        for block in term:
            check()
            try:
                ball = _block(block, digits, alone=len(terms) == len(term) == 1)
            except UndefinedQuantity as error:
                if len(terms) == 1:
                    raise
                raise UnsupportedExpression(
                    f"a term of {expr} has no expectation by itself: {error}"
                ) from None
            with working_precision(bits):
                product = ball if product is None else product * ball
        with working_precision(bits):
            total = product if total is None or product is None else total + product
    assert total is not None
    return total


def _block(block: Block, digits: int, *, alone: bool) -> arb:
    """E of one factor; what a `BudgetExhausted` carries is kept if the factor is all there is."""
    try:
        return _of_block(block.factor, block.variables, digits)
    except BudgetExhausted as error:
        ball = error.ball[0] if isinstance(error.ball, list) else error.ball
        raise BudgetExhausted(str(error), ball if alone else None) from None


def _of_block(expr: Expr, variables: tuple[Symbol, ...], digits: int) -> arb:
    if not variables:
        return ball_of(expr, math.ceil(digits * math.log2(10)) + 64)
    if len(variables) == 1:
        return enclose_coefficients(expr, variables[0], 0, digits=digits)[0]
    turned = rotated(expr, variables)
    if turned is not None:
        return _expectation(*turned, digits)
    if len(variables) > _MOST_VARIABLES:
        raise UnsupportedExpression(f"{expr} couples {len(variables)} variables; at most three are accepted")
    try:
        ball = tensor_expectation(expr, variables, digits)
    except UnsupportedExpression:
        if len(variables) > 2:
            raise
        ball = plane_expectation(expr, variables, digits)
    if ball.is_zero():  # by its parity, before any bound was asked for
        require_finite(expr, variables)
    return ball
