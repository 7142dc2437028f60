"""Label noise xi ~ N(0, 1): averaged out in closed form where there is one, else one more Gaussian variable.

    E[He_S(z) E[y | z]] = E[He_S(z) f(z, xi)],    E[E[y | z]^2] = E[f(z, xi) f(z, xi')]

with an independent copy xi': what is asked of E[y | z] never needs the average over xi itself.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import sympy
from sympy import Expr, S, Symbol

from hermite_analytics.errors import UndefinedQuantity
from hermite_analytics.evidence import Evidence, Quantity
from hermite_analytics.foundation.clock import TimeEnded, allowed, check_time, limited, share
from hermite_analytics.gaussian.blocks import product_mean, second_moment_by_blocks
from hermite_analytics.gaussian.cells import constant_cells, own_parts, probability_between
from hermite_analytics.gaussian.closed_form import closed_form
from hermite_analytics.gaussian.distribution import expanded
from hermite_analytics.gaussian.integrability import integrability
from hermite_analytics.gaussian.quantities import (
    EXACT_SHARE,
    constant_quantity,
    infinite_quantity,
    total,
)
from hermite_analytics.language.affine import linear_part
from hermite_analytics.symbols import xi

__all__ = ["averaged", "conditional_second_moment", "label_second_moment", "second_moment"]

_COPY = sympy.Dummy("xi'", real=True)
_SHARE = 0.5  # of the time left, for the average of a square over the noise


def averaged(expression: Expr) -> tuple[Expr, Expr]:
    """(closed, open) with E[y | z] = closed(z) + E[open(z, xi) | z]; open is 0 or has no closed average.

    All of it is open where the time for closed forms ends.

    Examples
    --------
    >>> from hermite_analytics.symbols import variable
    >>> z1 = variable(1)
    >>> averaged(sympy.sign(z1 + xi) + sympy.tanh(z1 * xi + 1))
    (erf(sqrt(2)*z1/2), tanh(xi*z1 + 1))
    """
    additive = linear_part(expression, xi)
    if additive is not None:
        return additive[0], S.Zero
    try:
        with limited(share(EXACT_SHARE)):
            return _averaged(expression)
    except (UndefinedQuantity, TimeEnded):  # a term alone, or the average at some values of z; no time
        check_time()  # a limit around this one
        return S.Zero, expression


def _averaged(expression: Expr) -> tuple[Expr, Expr]:
    whole = _closed(expression)
    return _term_by_term(expression) if whole is None else (whole, S.Zero)


def _closed(expression: Expr) -> Expr | None:
    found = closed_form(expression, (xi,))
    return _over_values_of_noise(expression) if found is None else found


def _over_values_of_noise(expression: Expr) -> Expr | None:
    """sum_k P(cell k) f(z, its values), where the noise enters through finitely many values: step(xi - 1)."""
    parts = own_parts(expression, xi)
    cells = constant_cells(parts, xi) if parts else None
    if parts is None or cells is None:
        return None
    return sympy.Add(
        *(
            probability_between(low, high) * expression.xreplace(dict(zip(parts, values, strict=True)))
            for low, high, values in cells
        )
    )


def _term_by_term(expression: Expr) -> tuple[Expr, Expr]:
    closed: list[Expr] = []
    left: list[Expr] = []
    for term in sympy.Add.make_args(sympy.expand_mul(expression)):
        found = _closed(term)
        if found is None:
            left.append(term)
        else:
            closed.append(found)
    return (sympy.Add(*closed), sympy.Add(*left)) if closed else (S.Zero, expression)


def label_second_moment(expression: Expr, variables: Sequence[Symbol], *, digits: int) -> Quantity:
    """E y^2, label noise included."""
    additive = linear_part(expression, xi)
    if additive is not None:
        rest, slope = additive
        signal = second_moment(rest, variables, digits=digits)
        if slope == 0 or math.isinf(signal.value):
            return signal
        return total([signal, constant_quantity(slope**2)])
    found = second_moment(expression, (*variables, xi), digits=digits)
    if math.isfinite(found.error) or math.isinf(found.value):
        return found
    with allowed(share(_SHARE)):
        square, left = averaged(expanded(expression**2))
    return found if left != 0 else product_mean(square, variables, digits=digits)


def conditional_second_moment(
    expression: Expr, closed: Expr, left: Expr, variables: Sequence[Symbol], *, digits: int
) -> Quantity:
    """E[E[y | z]^2], of y = expression(z, xi) with the two parts of `averaged`."""
    if left == 0:
        found = second_moment(closed, variables, digits=digits)
        if found.evidence in (Evidence.EXACT, Evidence.PROVED):
            return found
        closed, left = S.Zero, expression  # the average is harder than what it came from
    product = closed**2 + 2 * closed * left + left * left.xreplace({xi: _COPY})
    everything = (*variables, xi, _COPY)
    decision = integrability(product, everything)
    if decision.finite:
        return product_mean(product, everything, digits=digits)
    reason = f"E[E[y|z]^2]: {decision.reason}"
    return Quantity(
        exact=None, value=math.nan, error=math.inf, evidence=Evidence.UNDECIDED, zero=None, reason=reason
    )


def second_moment(expression: Expr, variables: Sequence[Symbol], *, digits: int) -> Quantity:
    """E f^2 over independent N(0, 1) variables; infinite where that is shown."""
    decision = integrability(expression, tuple(variables), order=2)
    if decision.finite is False:
        return infinite_quantity(decision.reason)
    found = second_moment_by_blocks(expression, variables, digits=digits)
    return product_mean(expression**2, variables, digits=digits) if found is None else found
