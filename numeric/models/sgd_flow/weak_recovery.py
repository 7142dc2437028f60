"""From a random start to an overlap of order 1: how many samples, at which rate, for which starts.

Near m = 0 the drift is D(m) = C m^(l-1)/(l-1)! with the order l, against the noise (rate/2) m E[F^2]. From
m0 ~ 1/sqrt(d): l = 1 takes n ~ d samples, l = 2 takes d log d, and l >= 3 needs rate ~ d^(-(l-2)/2) and
takes d^(l-1). The sign of C decides: l even and C < 0 makes the equator attract, l odd moves all starts to
the side of C, those of the other side through 0.

Source: arXiv 2003.10409; docs/flows.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hermite_analytics.activation import Activation
from hermite_analytics.exponents import Exponent
from hermite_analytics.foundation.json import Document
from hermite_analytics.learning.rates import NOT_LEARNED, one_pass
from hermite_analytics.numeric.models.sgd_flow.averages import SETTLED, drift_coefficient, quadrature_averages
from hermite_analytics.numeric.models.sgd_flow.gradient import Gradient
from hermite_analytics.numeric.models.sgd_flow.order import flow_order
from hermite_analytics.numeric.models.sgd_flow.rule import MOST_LEVEL
from hermite_analytics.rendering import Frame, Result
from hermite_analytics.target import Target

__all__ = ["WeakRecovery", "weak_recovery"]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class WeakRecovery(Result):
    """What a random start needs.

    Attributes
    ----------
    order : Exponent
        l, the first k with C_k != 0; the information exponent where sigma has all Hermite coefficients.
    coefficient : float
        C_l, estimated; NaN where the order is not decided, or quadrature does not settle it.
    samples : str
        "d", "d log d", "d^2", ... or "not learned"; "d log d or not learned" where the sign of C_l decides
        and is not settled.
    rate_power : float
        The rate is of order d to this power: 0, and -(l - 2)/2 for l >= 3.
    critical_rate : float
        Above it the noise wins over the drift at m -> 0: infinite for l = 1, 2 C/E[F^2] for l = 2 (0 if
        C <= 0), and 0 for l >= 3, where the rate decreases with d; NaN where quadrature does not settle it.
    learning_share : float
        Share of random starts that the drift itself moves away from 0: 1; 1/2 for odd l >= 3, where the
        others must cross 0 first; 0 for even l and C < 0.
    reason : str
        One line.
    """

    order: Exponent
    coefficient: float
    samples: str
    rate_power: float
    critical_rate: float
    learning_share: float
    reason: str

    def frame(self) -> Frame:
        """One row."""
        names = ("coefficient", "samples", "rate_power", "critical_rate", "learning_share", "reason")
        row = {"order": self.order.to_dict()} | {name: getattr(self, name) for name in names}
        return Frame(title="from a random start", rows=(row,), sources="arXiv 2003.10409")

    def document(self) -> Document:
        """JSON-ready."""
        finite = math.isfinite(self.critical_rate)
        return {
            "order": self.order.to_dict(),
            "coefficient": None if math.isnan(self.coefficient) else self.coefficient,
            "samples": self.samples,
            "rate_power": None if math.isnan(self.rate_power) else self.rate_power,
            "critical_rate": self.critical_rate if finite else "inf" if self.critical_rate > 0 else None,
            "learning_share": None if math.isnan(self.learning_share) else self.learning_share,
            "reason": self.reason,
        }


def weak_recovery(
    activation: Activation, target: Target, gradient: Gradient, *, degree: int, seconds: float
) -> WeakRecovery:
    """The order with its proof, the sign and the critical rate by quadrature."""
    order = flow_order(
        activation,
        target,
        gradient.method,
        degree=degree,
        loss=gradient.loss,
        shift=gradient.shift,
        readout=float(gradient.readout[0]),
        seconds=seconds,
    )
    if order.value == "inf":
        return _without_rate(order, str(NOT_LEARNED), 0.0)
    if order.value is None:
        return _without_rate(order, str(one_pass(order)), math.nan)
    k = order.value
    coefficient = drift_coefficient(gradient, k, gradient.problem.noise)
    even = k % 2 == 0
    if math.isnan(coefficient):
        samples = f"{one_pass(order)}{' or not learned' if even else ''}"
        reason = f"{order.reason}; the sign and size of C_{k} are not settled by the finest quadrature"
        return _without_rate(order, samples, math.nan, reason)
    repelled = even and coefficient < 0.0
    critical = math.inf if k == 1 else _critical_rate(gradient, coefficient) if k == 2 else 0.0
    return WeakRecovery(
        order=order,
        coefficient=coefficient,
        samples=str(NOT_LEARNED if repelled else one_pass(order)),
        rate_power=-max(k - 2, 0) / 2,
        critical_rate=critical,
        learning_share=0.0 if repelled else 1.0 if even or k == 1 else 0.5,
        reason=_direction(k, coefficient),
    )


def _direction(k: int, coefficient: float) -> str:
    """Where the drift of order k points."""
    if k % 2 == 0 and coefficient < 0.0:
        return "the drift points to 0 from both sides: the equator attracts"
    if k % 2 == 0:
        return "the drift points away from 0 on both sides"
    side = "positive" if coefficient > 0.0 else "negative"
    if k == 1:
        return f"the drift at 0 points to {side} overlaps"
    return f"the drift points to {side} overlaps on both sides of 0: half of the starts must cross it"


def _critical_rate(gradient: Gradient, coefficient: float) -> float:
    """2 C/E[F^2], at least 0; NaN where the quadrature of E[F^2] is not settled."""
    before, noise = (
        float(
            quadrature_averages(gradient, np.zeros((1, 1)), np.eye(1), gradient.problem.noise, level).product[
                0, 0
            ]
        )
        for level in (MOST_LEVEL - 1, MOST_LEVEL)
    )
    return max(2.0 * coefficient / noise, 0.0) if abs(noise - before) <= SETTLED * noise else math.nan


def _without_rate(order: Exponent, samples: str, share: float, reason: str = "") -> WeakRecovery:
    return WeakRecovery(
        order=order,
        coefficient=math.nan,
        samples=samples,
        rate_power=math.nan,
        critical_rate=math.nan,
        learning_share=share,
        reason=reason or order.reason,
    )
