"""The logistic loss."""

from __future__ import annotations

import math

from hermite_analytics.losses.record import Array, LossRecord, Values

__all__ = ["LOGISTIC"]

_MOST_STEPS = 200
_ULPS = 2.0**-51


def _proximal(y: float, field: float, variance: float, parameter: float) -> Values:
    """The margin v solves v = u + variance/(1 + e^v), u = y field.

    (u, v) -> (-u - variance, -v) is a symmetry of the equation: it leaves v >= 0, where nothing cancels, the
    equation is concave and Newton's method monotone.
    """
    u = y * field
    reflected = u < -0.5 * variance
    if reflected:
        u = -u - variance
    least = max(u, 0.0)
    growth = math.log1p(variance * math.exp(-least) / (1.0 + max(-u, 0.0)))
    v = least + growth * (1.0 - math.log1p(growth) / (2.0 + growth))
    before = math.inf
    for _ in range(_MOST_STEPS):
        decay = math.exp(-v)
        p = decay / (1.0 + decay)
        step = (v - u - variance * p) / (1.0 + variance * p / (1.0 + decay))
        v = max(v - step, least)
        if abs(step) <= _ULPS * v or (abs(step) < 1e-12 * v and abs(step) >= before):
            break
        before = abs(step)
    decay = math.exp(-v)
    p = decay / (1.0 + decay)
    bend = p / (1.0 + decay)
    loss = math.log1p(decay)
    if reflected:
        p, loss, v = 1.0 / (1.0 + decay), loss + v, -v
    shrink = 1.0 / (1.0 + variance * bend)
    return y * v, shrink, y * p, bend * shrink, loss


def _corners(y: float, variance: float, parameter: float, out: Array) -> int:
    """The prox bends within O(1) of 0, or for a large variance of -variance and log(variance)."""
    if variance < 8.0:
        out[0, 0], out[0, 1] = 0.0, 2.0
        return 1
    out[0, 0], out[0, 1] = -y * variance, 2.0
    out[1, 0], out[1, 1] = y * math.log(variance), 2.0
    return 2


LOGISTIC = LossRecord(
    name="logistic",
    text="softplus(-y*x)",
    help="log(1 + exp(-y x)) of logistic regression, for labels 1 and -1",
    source="Gerace et al., arXiv 2002.09339",
    proximal=_proximal,
    corners=_corners,
    needs_signs=True,
    is_analytic=True,
    has_bounded_slope=True,
)
