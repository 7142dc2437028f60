"""Huber's loss: quadratic up to a threshold, linear beyond."""

from __future__ import annotations

import math

from hermite_analytics.foundation.ranges import POSITIVE
from hermite_analytics.losses.record import Array, Dual, LossParameter, LossRecord, Values

__all__ = ["HUBER"]


def _proximal(y: float, field: float, variance: float, parameter: float) -> Values:
    shrink = 1.0 / (1.0 + variance)
    slope = (y - field) * shrink
    if abs(slope) <= parameter:
        return field + variance * slope, shrink, slope, shrink, 0.5 * slope * slope
    slope = math.copysign(parameter, slope)
    prox = field + variance * slope
    return prox, 1.0, slope, 0.0, parameter * (abs(y - prox) - 0.5 * parameter)


def _corners(y: float, variance: float, parameter: float, out: Array) -> int:
    reach = parameter * (1.0 + variance)
    out[0, 0], out[0, 1] = y - reach, 0.0
    out[1, 0], out[1, 1] = y + reach, 0.0
    return 2


def _dual(parameter: float) -> Dual:
    return Dual(low=-parameter, high=parameter, bend=1.0)


HUBER = LossRecord(
    name="huber",
    text="((y - x)**2 - relu(y - x - D)**2 - relu(x - y - D)**2)/2",
    help="(y - x)^2/2 up to |y - x| = D, linear beyond: outliers of the labels pull with strength D at most",
    source="Huber, Ann. Math. Statist. 35 (1964) 73",
    proximal=_proximal,
    corners=_corners,
    parameter=LossParameter(symbol="D", word="threshold", range=POSITIVE),
    has_bounded_slope=True,
    dual=_dual,
)
