"""Whether the probabilities of a readout on spiked features hold: a mixture over the projection on the spike.

Given kappa the prediction x of a fresh sample is N(m, Q), of overlap M with what the spike does not see of
the target, so that P(y = 1 | x) is the mean of `classes.frequency` over kappa, weighed by the density of x.
"""

from __future__ import annotations

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.numeric.classes import Cells, frequency, probability
from hermite_analytics.numeric.losses.loss import Loss

__all__ = ["frequency_of_mixture", "spiked_calibration"]

_REACH = 9.0  # standard deviations
_FIRST, _LEVELS = 129, 8
_SETTLED = 1e-6
_NARROWEST = 2.0  # steps of the rule
_SMALLEST = 1e-25


def frequency_of_mixture(
    cells: Cells, x: Array, weight: Array, fields: tuple[Array, Array, Array], *, flips: float
) -> tuple[Array, Array]:
    """(P(y = 1 | x), density of x) at the predictions x.

    Parameters
    ----------
    cells : Cells
        Edges of shape (n, k), at the nodes kappa.
    weight : shape (n,)
    fields : mean, variance and overlap of the prediction at the nodes
    flips : float
        Share of labels that are flipped.
    """
    mean, power, overlap = (values[:, None] for values in fields)
    here = Cells(edges=cells.edges[:, None, :], labels=cells.labels)
    density = weight[:, None] * np.exp(-0.5 * (x - mean) ** 2 / power) / np.sqrt(2.0 * np.pi * power)
    total = np.sum(density, axis=0)
    share = np.sum(density * frequency(here, x[None], mean, power, overlap, flips=flips), axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(total > 0.0, share / total, 0.5), total


def spiked_calibration(
    loss: Loss, cells: Cells, weight: Array, fields: tuple[Array, Array, Array], *, flips: float
) -> float:
    """Root mean square of P(y = 1 | x) - `probability` over fresh samples, to about 1e-6 of itself.

    The trapezoidal rule over x, halved until nothing changes, for the density is a mixture of normal ones.
    Those far out, where the activation is flat, may be as narrow as one likes, and are taken two steps wide:
    they weigh little, and there P(y = 1 | x) follows kappa smoothly. NaN where it does not settle.
    """
    kept = weight > _SMALLEST
    mean, power, overlap = (values[kept] for values in fields)
    if not np.all(np.isfinite(power)) or np.any(power <= 0.0):
        return float("nan")
    own = Cells(edges=cells.edges[kept], labels=cells.labels)
    reach = _REACH * np.sqrt(power)
    low, high = float(np.min(mean - reach)), float(np.max(mean + reach))
    before = np.nan
    for level in range(_LEVELS):
        x, step = np.linspace(low, high, (_FIRST - 1) * 2**level + 1, retstep=True)
        wide = np.maximum(power, (_NARROWEST * step) ** 2)
        found, density = frequency_of_mixture(own, x, weight[kept], (mean, wide, overlap), flips=flips)
        square = float(step * np.sum(density * (found - probability(loss, x)) ** 2))
        if abs(square - before) <= _SETTLED * square:
            return float(np.sqrt(square))
        before = square
    return float("nan")
