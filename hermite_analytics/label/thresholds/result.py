"""A threshold with its argument, as the methods hand it on."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass

import sympy
from sympy import Expr, S

from hermite_analytics.evidence import Evidence, Quantity
from hermite_analytics.gaussian.quantities import constant_quantity, unknown_quantity

__all__ = [
    "ZERO",
    "Threshold",
    "estimated",
    "estimated_zero",
    "exact_threshold",
    "infinite_threshold",
    "no_threshold",
]


_BEYOND = "a threshold beyond the range of double precision"
_WORST = 0.02  # relative error of an estimate that is still given


@dataclass(frozen=True, slots=True, kw_only=True)
class Threshold:
    """alpha_c of one step.

    Attributes
    ----------
    alpha : Quantity
    reason : str
        How it was found, in one line.
    """

    alpha: Quantity
    reason: str

    def diluted(self, informative: Expr) -> Threshold:
        """Where only this share of the samples says anything of w, independently of it: alpha / share."""
        if informative == 1 or math.isinf(self.alpha.value) or math.isnan(self.alpha.value):
            return self
        if self.alpha.exact is not None:
            return exact_threshold(self.alpha.exact / informative, self.reason)
        share = float(informative)
        if share == 0:
            return no_threshold(_BEYOND)
        alpha = dataclasses.replace(
            self.alpha, value=self.alpha.value / share, error=self.alpha.error / share * (1 + 2e-16)
        )
        return Threshold(alpha=alpha, reason=self.reason)

    def weakened(self, why: str) -> Threshold:
        """The same number as an estimate: what it is a threshold of is estimated itself."""
        reason = f"{self.reason}; {why}"
        if math.isnan(self.alpha.value):
            return Threshold(alpha=self.alpha, reason=reason)
        alpha = dataclasses.replace(
            self.alpha, exact=None, evidence=Evidence.ESTIMATED, zero=None, reason=reason
        )
        return Threshold(alpha=alpha, reason=reason)


def exact_threshold(alpha: Expr, reason: str) -> Threshold:
    """A threshold in closed form; no answer where it is no number of double precision."""
    found = constant_quantity(alpha)
    return no_threshold(_BEYOND) if math.isinf(found.value) else Threshold(alpha=found, reason=reason)


def infinite_threshold(reason: str) -> Threshold:
    """No proportional number of samples is enough."""
    alpha = Quantity(
        exact=sympy.oo, value=math.inf, error=0.0, evidence=Evidence.EXACT, zero=False, reason=reason
    )
    return Threshold(alpha=alpha, reason=reason)


def estimated(
    top: float,
    error: float,
    reason: str,
    *,
    evidence: Evidence = Evidence.ESTIMATED,
    worst: float = _WORST,
) -> Threshold:
    """From 1/alpha and the error of that; no answer if the relative error is above `worst`."""
    if not top > 0 or not error < worst * top:
        return no_threshold(f"{reason}: 1/alpha = {top:.3g} with an error of {error:.1g}")
    alpha = Quantity(
        exact=None,
        value=1 / top,
        error=error / top**2 * (1 + 2 * error / top) + 2.0**-52 / top,
        evidence=evidence,
        zero=False if evidence is Evidence.PROVED else None,
        reason=reason,
    )
    return Threshold(alpha=alpha, reason=reason)


def estimated_zero(why: str) -> Threshold:
    """Any alpha > 0 is enough for directions that are estimated."""
    return ZERO.weakened(f"directions estimated: {why}")


def no_threshold(reason: str) -> Threshold:
    """Nothing is known."""
    return Threshold(alpha=unknown_quantity(reason), reason=reason)


ZERO = Threshold(alpha=constant_quantity(S.Zero), reason="E[w | y] is not 0: any alpha > 0 is enough")
