"""A threshold with its argument, as the methods hand it on."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass

from sympy import Expr, S

from hermite_analytics.argument import Facts, text_of
from hermite_analytics.argument.fact import line_of
from hermite_analytics.argument.formulas import decimal_latex
from hermite_analytics.argument.remarks import remark
from hermite_analytics.argument.sentences import Math
from hermite_analytics.evidence import Evidence, Quantity
from hermite_analytics.gaussian.quantities import constant_quantity, infinite_quantity, unknown_quantity

__all__ = [
    "ZERO",
    "Threshold",
    "estimated",
    "exact_threshold",
    "infinite_threshold",
    "no_threshold",
]


_BEYOND = remark("a threshold beyond the range of double precision")
_WORST = 0.02  # relative error of an estimate that is still given


@dataclass(frozen=True, slots=True, kw_only=True)
class Threshold:
    """alpha_c of one step.

    Attributes
    ----------
    alpha : Quantity
    facts : facts
        How it was found.
    is_rough : bool
        Whether methods that come later are asked too: the least error counts.
    """

    alpha: Quantity
    facts: Facts
    is_rough: bool = False

    def diluted(self, informative: Expr) -> Threshold:
        """Where only this share of the samples says anything of w, independently of it: alpha / share."""
        if informative == 1 or math.isinf(self.alpha.value) or math.isnan(self.alpha.value):
            return self
        if self.alpha.exact is not None:
            return exact_threshold(self.alpha.exact / informative, self.facts)
        share = float(informative)
        if share == 0:
            return no_threshold(_BEYOND)
        alpha = dataclasses.replace(
            self.alpha, value=self.alpha.value / share, error=self.alpha.error / share * (1 + 2e-16)
        )
        return Threshold(alpha=alpha, facts=self.facts)

    def weakened(self, why: Facts) -> Threshold:
        """The same number as an estimate: what it is a threshold of is estimated itself."""
        facts = (*self.facts, *why)
        if math.isnan(self.alpha.value):
            return Threshold(alpha=self.alpha, facts=facts)
        alpha = dataclasses.replace(
            self.alpha, exact=None, evidence=Evidence.ESTIMATED, zero=None, reason=text_of(facts)
        )
        return Threshold(alpha=alpha, facts=facts)

    def widened(self, change: float) -> Threshold:
        """Where 1/alpha may change by this; no answer where it may be nothing but that."""
        if math.isnan(self.alpha.value):
            return self
        if not change * self.alpha.value < _WORST:
            return no_threshold(remark(f"1/alpha is below {change / _WORST:.0e}, which is not resolved"))
        error = self.alpha.error + change * self.alpha.value**2
        return Threshold(alpha=dataclasses.replace(self.alpha, error=error), facts=self.facts)


def exact_threshold(alpha: Expr, facts: Facts) -> Threshold:
    """A threshold in closed form; no answer where it is no number of double precision."""
    found = constant_quantity(alpha)
    return no_threshold(_BEYOND) if math.isinf(found.value) else Threshold(alpha=found, facts=facts)


def infinite_threshold(facts: Facts) -> Threshold:
    """No proportional number of samples is enough."""
    return Threshold(alpha=infinite_quantity(text_of(facts)), facts=facts)


def estimated(
    top: float,
    error: float,
    facts: Facts,
    *,
    evidence: Evidence = Evidence.ESTIMATED,
    worst: float = _WORST,
) -> Threshold:
    """From 1/alpha and the error of that; no answer if the relative error is above `worst`."""
    if not top > 0 or not error < worst * top:
        inverse = Math(f"1/alpha = {top:.3g}", rf"1/\alpha = {decimal_latex(f'{top:.3g}')}")
        return no_threshold(remark(*line_of(facts), ": ", inverse, f" with an error of {error:.1g}"))
    alpha = Quantity(
        exact=None,
        value=1 / top,
        error=error / top**2 * (1 + 2 * error / top) + 2.0**-52 / top,
        evidence=evidence,
        zero=False if evidence is Evidence.PROVED else None,
        reason=text_of(facts),
    )
    return Threshold(alpha=alpha, facts=facts)


def no_threshold(facts: Facts) -> Threshold:
    """Nothing is known."""
    return Threshold(alpha=unknown_quantity(text_of(facts)), facts=facts)


ZERO = Threshold(
    alpha=constant_quantity(S.Zero),
    facts=remark(
        Math("E[w | y]", r"\mathbb{E}[w \mid y]"),
        " is not 0: any ",
        Math("alpha > 0", r"\alpha > 0"),
        " is enough",
    ),
)
