"""Numbers with their evidence: from a closed form, a verified symmetry, or an enclosure."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Sequence

import sympy
from flint import arb
from sympy import Expr, S, Symbol

from hermite_analytics.errors import BudgetExhausted, ConvergenceError, UnsupportedExpression
from hermite_analytics.evidence import Evidence, Quantity
from hermite_analytics.foundation import clock
from hermite_analytics.foundation.attempts import attempted
from hermite_analytics.foundation.clock import TIME_ENDED, TimeEnded, allowed, check_time, limited, share
from hermite_analytics.gaussian.coefficients import expected_sum, split_exact
from hermite_analytics.gaussian.enclosure import ball_of, enclose
from hermite_analytics.gaussian.enclosure.precision import BOUND_BITS, working_precision
from hermite_analytics.gaussian.inner_mean import inner_mean, is_rough
from hermite_analytics.gaussian.integrability import integrability
from hermite_analytics.gaussian.radii import by_radii
from hermite_analytics.gaussian.simplify import plain_densities
from hermite_analytics.gaussian.symmetric_means import symmetric_mean
from hermite_analytics.gaussian.zero import ZeroVerdict, decide_constant

__all__ = [
    "EXACT_SHARE",
    "constant_quantity",
    "enclosed_quantity",
    "expected_quantity",
    "infinite_quantity",
    "interrupted",
    "quantity_of_ball",
    "times",
    "times_number",
    "total",
    "unknown_quantity",
    "weakest",
]

Reduction = Callable[[Expr, Sequence[Symbol]], tuple[Expr, tuple[Symbol, ...]] | None]
_PRECISIONS = (80, 160, 320, 640, 1280)
EXACT_SHARE = 0.7  # of the time left, for closed forms
_INNER_SHARE = 0.3  # of the time left, for an equal mean in fewer variables
_OUTER_SHARE = 0.5  # of the time left, for what is left of it


def constant_quantity(exact: Expr) -> Quantity:
    """A closed form without free symbols, with its value and whether it is 0.

    Zero is decided by algebra and transcendence theorems, nonzero also by a ball that excludes 0. Where
    the time ends before algebra is through only the ball is asked.
    """
    exact = plain_densities(exact)
    verdict = _zero_verdict(exact)
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


def _zero_verdict(exact: Expr) -> ZeroVerdict:
    if exact.is_Rational:
        return decide_constant(exact)
    with attempted():
        check_time()
        return decide_constant(exact)
    return ZeroVerdict(None, "the time ended before a test for zero")


def _sharp_ball(exact: Expr) -> arb:
    """A ball of 20 correct digits, or the sharpest that the precisions allow."""
    ball = None
    for precision in _PRECISIONS:
        ball = ball_of(exact, precision)
        if ball.rad() == 0 or (not ball.contains(0) and ball.rel_accuracy_bits() > 70):
            break
    return ball


def _open_quantity(integrand: Expr, variables: Sequence[Symbol], *, digits: int, estimates: bool) -> Quantity:
    """E[integrand] without a closed form.

    A verified symmetry proves that it is 0; else an enclosure decides; where that does not end in time
    the digits are an estimate, or nothing is known.
    """
    zero = symmetric_mean(integrand, variables)
    if zero is not None:
        return zero
    return enclosed_quantity(integrand, variables, digits=digits, estimates=estimates)


def enclosed_quantity(
    integrand: Expr, variables: Sequence[Symbol], *, digits: int = 30, estimates: bool = True
) -> Quantity:
    """E[integrand] by an enclosure, or an estimate where that does not end in time, or nothing.

    Functions of radii have one variable for each radius. Where the integrand is refused, as with kinks along
    curves, one coordinate after the other is taken out by closed forms. Without `estimates` a number that is
    not enclosed is unknown: for who asks for proofs only.
    """
    if clock.has_ended():
        check_time()
        return unknown_quantity("the time ended before this number")
    found = _by_fewer(by_radii, integrand, variables, digits)
    if found is not None:
        return found
    ball: arb
    try:
        ball = enclose(integrand, tuple(variables), digits=digits)
    except BudgetExhausted as stopped:
        ball = stopped.ball
        if ball is None or not ball.is_finite():
            return _estimate(integrand, variables, "the time ended before an enclosure", estimates)
    except UnsupportedExpression as refused:
        found = _by_fewer(inner_mean, integrand, variables, digits)
        return _estimate(integrand, variables, str(refused), estimates) if found is None else found
    return quantity_of_ball(ball)


def _by_fewer(reduced: Reduction, f: Expr, variables: Sequence[Symbol], digits: int) -> Quantity | None:
    """E of an equal mean in fewer variables; None where there is none, or it helps nothing, or may not exist.

    E|f| has to be finite: a mean over some of the variables may be small, or 0, where that of |f| is not.
    """
    fewer = None
    with attempted(share(_INNER_SHARE)):
        fewer = reduced(f, variables)
    if fewer is None or not integrability(f, variables).finite:
        return None
    with allowed(share(_OUTER_SHARE)):
        rough = is_rough(fewer[0])  # nothing closed is to be found, which takes long to see
        found = (_open_sum if rough else expected_quantity)(*fewer, digits=digits, estimates=False)
    return found if found.evidence in (Evidence.EXACT, Evidence.PROVED) else None


def expected_quantity(
    expression: Expr, variables: Sequence[Symbol], *, digits: int = 30, estimates: bool = True
) -> Quantity:
    """E of an expression without free parameters: its terms by closed forms, symmetries and enclosures.

    Closed forms have a share of the time; where they do not end in it, the reason says so. `estimates` as in
    `enclosed_quantity`.
    """
    try:
        with limited(share(EXACT_SHARE)):
            closed, left = split_exact(expression, variables)
            exact = expected_sum(closed, variables)
    except TimeEnded:
        check_time()  # a limit around this one
        return interrupted(_open_sum(expression, variables, digits=digits, estimates=estimates))
    return total(
        [
            *([] if closed == 0 else [constant_quantity(exact)]),
            *([] if left == 0 else [_open_sum(left, variables, digits=digits, estimates=estimates)]),
        ]
    )


def _open_sum(expression: Expr, variables: Sequence[Symbol], *, digits: int, estimates: bool) -> Quantity:
    """E of a sum, its terms one by one without closed forms; they may vanish together by a symmetry.

    Those of one variable share the work of an enclosure.
    """
    parts = [expression] if len(variables) == 1 else sympy.Add.make_args(expression)
    found = total([_open_quantity(part, variables, digits=digits, estimates=estimates) for part in parts])
    if found.zero is not None or len(parts) == 1:
        return found
    return symmetric_mean(expression, variables) or found


def interrupted(quantity: Quantity) -> Quantity:
    """The same number, its reason saying that a closed form was given up for the time."""
    if quantity.exact is not None:
        return quantity
    return dataclasses.replace(quantity, reason=f"{quantity.reason}; {TIME_ENDED}")


def total(parts: Sequence[Quantity]) -> Quantity:
    """The sum; exact if every part is, unknown if one part is."""
    order = list(Evidence)
    parts = [q for q in parts if not q.zero] or sorted(parts, key=lambda q: order.index(q.evidence))[-1:]
    if len(parts) == 1:
        return parts[0]
    if not parts or all(q.exact is not None for q in parts):
        return constant_quantity(sympy.Add(*(q.exact for q in parts)))
    reason = "; ".join(dict.fromkeys(q.reason for q in parts if q.exact is None))
    if any(math.isnan(q.value) for q in parts):
        return unknown_quantity(reason)
    return _sum_of_balls(parts, reason)


def times_number(quantity: Quantity, factor: Expr) -> Quantity:
    """The product with a number in closed form."""
    return quantity if factor == 1 else times([quantity, constant_quantity(factor)])


def times(factors: Sequence[Quantity]) -> Quantity:
    """The product; exact if every factor is or one is 0, unknown if one of the others is.

    Examples
    --------
    >>> half = constant_quantity(S.Half)
    >>> str(times([half, half])), times([half, unknown_quantity("no time")]).reason
    ('1/4', 'no time')
    """
    vanishing = next((q for q in factors if q.zero), None)
    if vanishing is not None:
        return vanishing
    if all(q.exact is not None for q in factors):
        return constant_quantity(sympy.Mul(*(q.exact for q in factors)))
    reason = "; ".join(dict.fromkeys(q.reason for q in factors if q.exact is None))
    if any(math.isnan(q.value) for q in factors):
        return unknown_quantity(reason)
    ball = math.prod((_as_ball(q) for q in factors), start=_as_ball(constant_quantity(S.One)))
    value, error = _to_float(ball)
    evidence = weakest(factors)
    nonzero = evidence is Evidence.PROVED and abs(value) > error
    return Quantity(
        exact=None,
        value=value,
        error=error,
        evidence=evidence,
        zero=False if nonzero else None,
        reason=reason,
    )


def _as_ball(quantity: Quantity) -> arb:
    """A ball around a finite number: of its closed form, or with its stated error."""
    return arb(quantity.value, quantity.error) if quantity.exact is None else _sharp_ball(quantity.exact)


def _sum_of_balls(parts: Sequence[Quantity], reason: str) -> Quantity:
    """Of values with their errors, not all of them closed forms."""
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
        reason=reason,
    )


def weakest(quantities: Iterable[Quantity]) -> Evidence:
    """The evidence of an answer that rests on all of these."""
    order = list(Evidence)
    return max((q.evidence for q in quantities), key=order.index, default=Evidence.EXACT)


def quantity_of_ball(ball: arb) -> Quantity:
    """A number known by a ball that contains it."""
    value, error = _to_float(ball)
    if not math.isfinite(error):
        return unknown_quantity("no ball of this number is finite")
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


def _estimate(integrand: Expr, variables: Sequence[Symbol], reason: str, is_asked: bool) -> Quantity:
    """By quadrature, if that is asked; where the time has ended, in what is kept to finish."""
    if not is_asked:
        return unknown_quantity(reason)
    from hermite_analytics.gaussian.digits import expectation_digits

    try:
        with clock.finishing():
            value, error = expectation_digits(integrand, variables, 60)
    except (UnsupportedExpression, ConvergenceError, TimeEnded, ZeroDivisionError):
        check_time()  # a limit around this one
        return unknown_quantity(reason)
    return Quantity(
        exact=None,
        value=float(value),
        error=float(error) + abs(float(value)) * 2.0**-53,
        evidence=Evidence.ESTIMATED,
        zero=None,
        reason=f"{reason}: digits by quadrature, with a convergence estimate",
    )


def unknown_quantity(reason: str) -> Quantity:
    """Nothing is known of the number, and why."""
    return Quantity(
        exact=None, value=math.nan, error=math.inf, evidence=Evidence.UNDECIDED, zero=None, reason=reason
    )


def _to_float(ball: arb) -> tuple[float, float]:
    """(nearest double to the middle, bound on its distance from the truth, rounded up)."""
    value = float(ball.mid())
    with working_precision(BOUND_BITS):  # whatever the caller's is
        distance = abs(ball - type(ball)(value)).upper()
    error = float(distance)
    return value, 0.0 if distance == 0 else math.nextafter(error, math.inf)  # also where it underflows


def _leading_digits(ball: arb) -> str:
    return str(ball.mid().str(6, radius=False))
