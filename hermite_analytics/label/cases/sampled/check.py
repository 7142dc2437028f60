"""Whether moments at any omega and V carry total probability 1, by labels drawn from the channel itself."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from hermite_analytics.errors import UnsupportedExpression

if TYPE_CHECKING:
    from hermite_analytics.label.cases.sampled.solved import SolvedChannel

__all__ = ["require_total_probability"]

_CHECKED = 1024  # labels by which the moments are checked
_VARIANCES = (0.2, 0.8)  # at which they are
_STANDARD_ERRORS = 4
_MOST_MEAN = 0.02  # that E[g_out] may be off, in standard deviations of w
_MOST_SQUARE = 0.05  # the same of E[g_out g_out^T + d g_out]; .01 for sin(2*z1*z2*z3), 0 for smoother labels


def require_total_probability(channel: SolvedChannel) -> None:
    """Refuse a channel whose moments are far from E[g] = 0, E[g g^T + dg] = 0, over its own labels.

    Both follow from the total probability 1 by derivatives.

    Raises
    ------
    UnsupportedExpression
        Saying which one is off, and how far.
    """
    for v in _VARIANCES:
        q, rng = channel.dimension, np.random.default_rng(0)
        omega = math.sqrt(1 - v) * rng.standard_normal((_CHECKED, q))
        w = omega + math.sqrt(v) * rng.standard_normal((_CHECKED, q))
        noise = rng.standard_normal((_CHECKED, channel.hidden))
        labels = channel.value(np.concatenate([w, noise], axis=1))
        _, g, minus_dg = channel.along_lines(labels, once=True)(omega, v * np.eye(q))
        square = v * (np.einsum("ni,nj->nij", g, g) - minus_dg)
        for name, sample, most in (
            ("E[g_out]", math.sqrt(v) * g, _MOST_MEAN),
            ("E[g_out g_out^T + d g_out]", square.reshape(_CHECKED, -1), _MOST_SQUARE),
        ):
            error = _STANDARD_ERRORS * sample.std(0) / math.sqrt(_CHECKED)
            off = float((np.abs(sample.mean(0)) - error).max())
            if not off <= most:
                raise UnsupportedExpression(
                    f"solving along lines does not resolve the label: {name} is {off:.2g} instead of 0, in "
                    f"standard deviations, where {most:g} is accepted; smaller or additive noise may help"
                )
