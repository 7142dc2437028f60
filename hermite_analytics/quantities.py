"""Numbers with their evidence: from a closed form, a verified symmetry, or an enclosure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import sympy
from sympy import Expr, S, Symbol

from hermite_analytics.calculus.coefficients import expected, split_exact
from hermite_analytics.enclosure import Budget, BudgetExhausted, ball_of, enclose
from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.evidence import Evidence, Quantity
from hermite_analytics.zero import decide_constant, symmetry_certificate

__all__ = [
    "constant_quantity",
    "expected_quantity",
    "infinite_quantity",
    "open_quantity",
    "quantity_of_ball",
    "total",
    "weakest",
]

_PRECISIONS = (80, 160, 320, 640, 1280)
_SHARE = 0.01  # of the budget, for an estimate after its end


def constant_quantity(exact: Expr) -> Quantity:
    """A closed form without free symbols, with its value and whether it is 0.

    Zero is decided by algebra and transcendence theorems, nonzero also by a ball that excludes 0.
    """
    verdict = decide_constant(exact)
    if verdict.zero:
        return Quantity(
            exact=S.Zero, value=0.0, error=0.0, evidence=Evidence.EXACT, zero=True, reason=verdict.reason
        )
    ball = _sharp_ball(exact)
    zero, reason = verdict.zero, verdict.reason
    if zero is None and not ball.contains(0):
        zero, reason = False, f"its closed form is {_leading_digits(ball)}"
    value, error = _to_float(ball)
    return Quantity(exact=exact, value=value, error=error, evidence=Evidence.EXACT, zero=zero, reason=reason)


def _sharp_ball(exact: Expr) -> Any:
    """A ball of 20 correct digits, or the sharpest that the precisions allow."""
    ball = None
    for precision in _PRECISIONS:
        ball = ball_of(exact, precision)
        if ball.rad() == 0 or (not ball.contains(0) and ball.rel_accuracy_bits() > 70):
            break
    return ball


def open_quantity(
    integrand: Expr,
    variables: Sequence[Symbol],
    *,
    index: Sequence[int] | None = None,
    factor: Expr = S.One,
    budget: Budget,
    digits: int = 30,
) -> Quantity:
    """E[factor * integrand] without a closed form; `factor` is He_index, for which symmetries are known.

    A verified symmetry proves that it is 0; else an enclosure decides; where that does not end within the
    budget the digits are an estimate, or nothing is known.
    """
    if budget.remaining() == 0:
        return _unknown("the time ended before this number")
    whole = tuple(0 for _ in variables) if index is None else tuple(index)
    found = symmetry_certificate(integrand, tuple(variables), whole)
    if found is not None:
        return Quantity(
            exact=S.Zero, value=0.0, error=0.0, evidence=Evidence.PROVED, zero=True, reason=found.text
        )
    ball: Any
    try:
        ball = enclose(factor * integrand, tuple(variables), digits=digits, budget=budget)
    except BudgetExhausted as stopped:
        ball = stopped.ball
        if ball is None or not ball.is_finite():
            return _estimate(factor * integrand, variables, "the budget ended before an enclosure", budget)
    except UnsupportedExpression as refused:
        return _estimate(factor * integrand, variables, str(refused), budget)
    return quantity_of_ball(ball)


def expected_quantity(
    expression: Expr, variables: Sequence[Symbol], *, budget: Budget, digits: int = 30
) -> Quantity:
    """E of an expression without free parameters: its terms by closed forms, symmetries and enclosures."""
    closed, left = split_exact(expression, variables)
    found = [] if closed == 0 else [constant_quantity(expected(closed, variables))]
    found += [
        open_quantity(part, variables, budget=budget, digits=digits)
        for part in sympy.Add.make_args(left)
        if part != 0
    ]
    return total(found)


def total(parts: Sequence[Quantity]) -> Quantity:
    """The sum; exact if every part is."""
    order = list(Evidence)
    parts = [q for q in parts if not q.zero] or sorted(parts, key=lambda q: order.index(q.evidence))[-1:]
    if len(parts) == 1:
        return parts[0]
    if not parts or all(q.exact is not None for q in parts):
        return constant_quantity(sympy.Add(*(q.exact for q in parts)))
    value = math.fsum(q.value for q in parts)
    rounding = 2.0**-53 * abs(value)
    error = math.nextafter(math.fsum([*(q.error for q in parts), rounding]), math.inf)
    evidence = weakest(parts)
    rigorous = evidence in (Evidence.EXACT, Evidence.PROVED)
    return Quantity(
        exact=None,
        value=value,
        error=error,
        evidence=Evidence.PROVED if evidence is Evidence.EXACT else evidence,
        zero=False if rigorous and abs(value) > error else None,
        reason="; ".join(dict.fromkeys(q.reason for q in parts if q.exact is None)),
    )


def weakest(quantities: Iterable[Quantity]) -> Evidence:
    """The evidence of an answer that rests on all of these."""
    order = list(Evidence)
    return max((q.evidence for q in quantities), key=order.index, default=Evidence.EXACT)


def quantity_of_ball(ball: Any) -> Quantity:
    """A number known by a ball that contains it."""
    value, error = _to_float(ball)
    excluded = not ball.contains(0)
    reason = f"a ball around {_leading_digits(ball)} excludes 0" if excluded else "the ball contains 0"
    return Quantity(
        exact=None,
        value=value,
        error=error,
        evidence=Evidence.PROVED,
        zero=False if excluded else None,
        reason=reason,
    )


def infinite_quantity(reason: str) -> Quantity:
    """A moment that is shown to be infinite."""
    return Quantity(
        exact=sympy.oo, value=math.inf, error=0.0, evidence=Evidence.EXACT, zero=False, reason=reason
    )


def _estimate(integrand: Expr, variables: Sequence[Symbol], reason: str, budget: Budget) -> Quantity:
    from hermite_analytics.calculus.digits import expectation_digits
    from hermite_analytics.errors import ConvergenceError

    try:
        value, error = expectation_digits(
            integrand, variables, 60, seconds=max(budget.remaining(), _SHARE * budget.seconds)
        )
    except (UnsupportedExpression, ConvergenceError):
        return _unknown(reason)
    return Quantity(
        exact=None,
        value=float(value),
        error=float(error) + abs(float(value)) * 2.0**-53,
        evidence=Evidence.ESTIMATED,
        zero=None,
        reason=f"{reason}: digits by quadrature, with a convergence estimate",
    )


def _unknown(reason: str) -> Quantity:
    return Quantity(
        exact=None, value=math.nan, error=math.inf, evidence=Evidence.UNDECIDED, zero=None, reason=reason
    )


def _to_float(ball: Any) -> tuple[float, float]:
    """(nearest double to the middle, bound on its distance from the truth, rounded up)."""
    value = float(ball.mid())
    distance = abs(ball - type(ball)(value)).upper()
    error = float(distance)
    return value, math.nextafter(error, math.inf) if error else 0.0


def _leading_digits(ball: Any) -> str:
    return str(ball.mid().str(6, radius=False))
