"""Whether a target has the properties of a request: three-valued, by the library's own answers."""

from __future__ import annotations

import math
from collections.abc import Callable

from flint import arb
from sympy import Expr, oo

from hermite_analytics.designs.request import Request
from hermite_analytics.designs.results import Property
from hermite_analytics.errors import HermiteAnalyticsError
from hermite_analytics.evidence import Evidence, Quantity
from hermite_analytics.exponents import (
    Exponent,
    Staircase,
    information_exponent,
    intrinsic_dimension,
    isotropic_leap,
    leap_complexity,
    leap_decomposition,
    staircase,
)
from hermite_analytics.exponents.polynomials import polynomial_part
from hermite_analytics.foundation.clock import share
from hermite_analytics.gaussian.enclosure import ball_of
from hermite_analytics.gaussian.zero import decide_constant
from hermite_analytics.label.exact import ConditionalLaw
from hermite_analytics.label.orders import generative_exponent, grand_staircase
from hermite_analytics.label.thresholds import weak_recovery
from hermite_analytics.language.kinks import JUMPS, STAIRS
from hermite_analytics.learning import learns
from hermite_analytics.symbols import variable
from hermite_analytics.target import Target

__all__ = ["examine"]

Verdict = tuple[bool | None, Property]
_BITS = 128
_SHORT = 60  # characters of a closed form that is shown
_EXPONENTS: dict[str, Callable[..., Exponent]] = {
    "dimension": intrinsic_dimension,
    "information_exponent": information_exponent,
    "leap_complexity": leap_complexity,
    "isotropic_leap": isotropic_leap,
    "generative_exponent": generative_exponent,
}
_STAIRCASES: dict[str, tuple[Callable[..., Staircase], str]] = {
    "leap_orders": (leap_decomposition, "orders"),
    "staircase": (staircase, "dimensions"),
    "grand_staircase": (grand_staircase, "dimensions"),
    "grand_orders": (grand_staircase, "orders"),
}


def examine(name: str, target: Target, request: Request) -> Verdict:
    """One property of a target: whether it is as asked (None: not decided), with what was found.

    Only exact and proved answers decide.
    """
    wanted = getattr(request, name)
    seconds = share(1)
    try:
        if name in _EXPONENTS:
            return _exponent(name, wanted, _EXPONENTS[name](target, seconds=seconds))
        if name in _STAIRCASES:
            compute, attribute = _STAIRCASES[name]
            return _steps(name, wanted, compute(target, seconds=seconds), attribute)
        return _OTHERS[name](target, request, seconds)
    except HermiteAnalyticsError as refused:
        return _verdict(name, None, "not known", Evidence.UNDECIDED, str(refused).partition("\n")[0])


def _verdict(name: str, met: bool | None, found: str, evidence: Evidence, reason: str) -> Verdict:
    return met, Property(name=name, found=found, evidence=evidence, reason=reason)


def _exponent(name: str, wanted: int, e: Exponent) -> Verdict:
    met: bool | None
    if e.value is not None:
        met = e.value == wanted
    else:
        met = False if e.at_least == "inf" or e.at_least > wanted else None
    return _verdict(name, met, str(e), e.evidence, e.reason)


def _steps(name: str, wanted: tuple[int, ...], s: Staircase, attribute: str) -> Verdict:
    found: tuple[int, ...] = getattr(s, attribute)
    met: bool | None = found == wanted
    if s.limit_dimension is None:
        met = None if found == wanted[: len(found)] else False
    return _verdict(name, met, " -> ".join(map(str, found)) or "none", s.evidence, s.reasons[-1])


def _polynomial(target: Target, request: Request, seconds: float) -> Verdict:
    variables = tuple(variable(j + 1) for j in range(target.dimension))
    found = bool(polynomial_part(target.expression, variables)[1] == 0)
    if found == request.polynomial or found:
        reason = "by its text" if found else "it holds functions that are no polynomials"
        return _verdict("polynomial", found == request.polynomial, _yes(found), Evidence.EXACT, reason)
    return _verdict("polynomial", None, "not known", Evidence.UNDECIDED, "it is not written as a polynomial")


def _discrete(target: Target, request: Request, seconds: float) -> Verdict:
    found, reason = _finitely_many(target, seconds)
    if found is None:
        return _verdict("discrete", None, "not known", Evidence.UNDECIDED, reason)
    return _verdict("discrete", found == request.discrete, _yes(found), Evidence.EXACT, reason)


def _finitely_many(target: Target, seconds: float) -> tuple[bool | None, str]:
    """Whether the label has finitely many values, and why."""
    variables = [variable(j + 1) for j in range(target.dimension)]
    jumps = target.expression.atoms(*JUMPS, *STAIRS)
    held = {s for jump in jumps for s in jump.free_symbols}
    smooth = [v for v in variables if v not in held and target.expression.has(v)]
    if smooth:
        whole = intrinsic_dimension(target, seconds=seconds / 2).value
        if whole == target.dimension:
            return False, f"it is continuous in {smooth[0]}, on which it depends"
    law = ConditionalLaw(target, seconds=seconds / 2)
    if law.kind == "discrete":
        return True, f"it takes {len(law.cells)} values"
    if law.kind in ("continuous", "mixed"):
        return False, "some of its pieces are strictly monotone"
    return None, "its cells are not listed"


def _alpha(target: Target, request: Request, seconds: float) -> Verdict:
    found = weak_recovery(target, seconds=seconds).alpha_c
    if math.isnan(found.value) or request.alpha_c is None:
        return _verdict("alpha_c", None, "not known", Evidence.UNDECIDED, "its threshold is not known")
    met = _is_in(found, *request.alpha_c)
    shown = _number(found)
    return _verdict("alpha_c", met, shown, found.evidence, found.reason)


def _number(q: Quantity) -> str:
    """A closed form that is short, or digits."""
    if math.isinf(q.value):
        return "inf"
    if q.exact is None or (q.exact.is_Rational is not True and len(str(q)) > _SHORT):
        return f"{q.value:.10g}"
    return str(q) if q.exact.is_Rational else f"{q} = {q.value:.10g}"


def _is_in(q: Quantity, low: Expr, high: Expr) -> bool | None:
    """Whether low <= q <= high; an estimate decides nothing."""
    if q.evidence not in (Evidence.EXACT, Evidence.PROVED):
        return None
    if q.exact == oo:
        return bool(high == oo)
    if low == oo:
        return False
    above = _sign(q, low, 1)
    below = True if high == oo else _sign(q, high, -1)
    if above is False or below is False:
        return False
    return True if above and below else None


def _sign(q: Quantity, bound: Expr, direction: int) -> bool | None:
    """Whether direction * (q - bound) >= 0, by a ball, or by algebra where they are equal."""
    ball = arb(q.value, q.error) if q.exact is None else ball_of(q.exact, _BITS)
    difference: arb = direction * (ball - ball_of(bound, _BITS))
    if difference >= 0:
        return True
    if difference < 0:
        return False
    if q.exact is not None and decide_constant(q.exact - bound).zero:
        return True
    return None


def _learned(target: Target, request: Request, seconds: float) -> Verdict:
    """Whether all directions are learned within the steps; theorem or conjecture as `learns` says."""
    if request.activation is None:
        raise AssertionError("only asked with an activation")
    found = learns(target, request.activation, request.steps, request.samples_power, seconds=seconds / 2)
    whole = intrinsic_dimension(target, seconds=seconds / 2).value
    if found.is_realised is None or not isinstance(whole, int):
        return _verdict("activation", None, "not known", Evidence.UNDECIDED, found.end)
    count = sum(row.realised_dimension or 0 for row in found.steps)
    shown = f"{request.activation} learns {count} of {whole} directions in {len(found.steps)} steps"
    met = found.is_realised and count == whole
    status = ", ".join(dict.fromkeys(row.status for row in found.steps)) or found.end
    return _verdict("activation", met, shown, Evidence.PROVED, status)


def _yes(found: bool) -> str:
    return "yes" if found else "no"


_OTHERS: dict[str, Callable[[Target, Request, float], Verdict]] = {
    "polynomial": _polynomial,
    "discrete": _discrete,
    "alpha_c": _alpha,
    "activation": _learned,
}
