"""The quantile loss, or pinball loss: its minimiser over constants is the quantile tau of the labels."""

from __future__ import annotations

from hermite_analytics.foundation.ranges import Range
from hermite_analytics.losses.record import Array, Dual, LossParameter, LossRecord, Values

__all__ = ["QUANTILE"]


def _proximal(y: float, field: float, variance: float, parameter: float) -> Values:
    """A step of tau variance up or of (1 - tau) variance down, at most to y: u = y - x >= 0, or u <= 0."""
    gap = y - field
    if gap > parameter * variance:
        return field + parameter * variance, 1.0, parameter, 0.0, parameter * (gap - parameter * variance)
    down = parameter - 1.0
    if gap < down * variance:
        return field + down * variance, 1.0, down, 0.0, down * (gap - down * variance)
    if variance > 0.0:
        return y, 0.0, gap / variance, 1.0 / variance, 0.0
    return y, 1.0, 0.0, 0.0, 0.0


def _corners(y: float, variance: float, parameter: float, out: Array) -> int:
    out[0, 0], out[0, 1] = y - parameter * variance, 0.0
    out[1, 0], out[1, 1] = y + (1.0 - parameter) * variance, 0.0
    return 2


def _dual(parameter: float) -> Dual:
    return Dual(low=parameter - 1.0, high=parameter, bend=0.0)


QUANTILE = LossRecord(
    name="quantile",
    text="tau*(y - x) + relu(x - y)",
    help="tau (y - x) above the prediction, (1 - tau)(x - y) below: quantile regression",
    source="Koenker and Bassett, Econometrica 46 (1978) 33",
    proximal=_proximal,
    corners=_corners,
    parameter=LossParameter(
        symbol="tau", word="level", range=Range(low=0.0, high=1.0, open_low=True, open_high=True)
    ),
    has_bounded_slope=True,
    dual=_dual,
)
