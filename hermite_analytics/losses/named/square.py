"""The square loss."""

from __future__ import annotations

import math

from hermite_analytics.losses.record import Dual, LossRecord, Values

__all__ = ["SQUARE"]


def _proximal(y: float, field: float, variance: float, parameter: float) -> Values:
    shrink = 1.0 / (1.0 + variance)
    slope = (y - field) * shrink
    return field + variance * slope, shrink, slope, shrink, 0.5 * slope * slope


def _dual(parameter: float) -> Dual:
    return Dual(low=-math.inf, high=math.inf, bend=1.0)


SQUARE = LossRecord(
    name="square",
    text="(y - x)**2/2",
    help="least squares; training errors are the mean of (y - x)^2, without the half",
    source="docs/random_features.md",
    proximal=_proximal,
    is_analytic=True,
    scaling=2.0,
    dual=_dual,
)
