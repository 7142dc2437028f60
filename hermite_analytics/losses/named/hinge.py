"""The hinge loss of support vector machines."""

from __future__ import annotations

from hermite_analytics.losses.record import Array, Dual, LossRecord, Values

__all__ = ["HINGE"]


def _proximal(y: float, field: float, variance: float, parameter: float) -> Values:
    """Of max(0, 1 - y (b + x)), b the parameter: near b = +-1 the small x keeps its digits."""
    gap = (1.0 - y * parameter) - y * field
    if gap > variance:
        return field + variance * y, 1.0, y, 0.0, gap - variance
    if gap > 0.0:
        return field + y * gap, 0.0, y * gap / variance, 1.0 / variance, 0.0
    return field, 1.0, 0.0, 0.0, 0.0


def _corners(y: float, variance: float, parameter: float, out: Array) -> int:
    kink = y - parameter
    out[0, 0], out[0, 1] = kink - y * variance, 0.0
    out[1, 0], out[1, 1] = kink, 0.0
    return 2


def _dual(parameter: float) -> Dual:
    return Dual(low=0.0, high=1.0, bend=0.0)


HINGE = LossRecord(
    name="hinge",
    text="relu(1 - y*x)",
    help="max(0, 1 - y x) of a support vector machine, for labels 1 and -1",
    source="Gerace et al., arXiv 2002.09339",
    proximal=_proximal,
    corners=_corners,
    needs_signs=True,
    has_bounded_slope=True,
    counts_from=True,
    dual=_dual,
)
