"""The limit of ridge 0: where it exists, and the interpolation peak alpha = beta."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.conditional import conditional_coefficients, target_data
from hermite_analytics.errors import InputError
from hermite_analytics.numeric.models.spiked.points import Points, Problem, Results
from hermite_analytics.numeric.models.spiked.statuses import STATUSES
from hermite_analytics.numeric.status import Status

__all__ = ["at_peak", "check_ridgeless", "with_peak"]

_RESOLVED = 1e-9  # a share of E y^2 that is far above all rounding
_PEAK = (
    "ridge is 0 at alpha = beta = {:g}, the interpolation peak, where the limit does not exist; "
    "give ridge > 0 or alpha different from beta"
)


def at_peak(points: Points) -> NDArray[np.bool_]:
    """Where the readout interpolates with no sample and no neuron to spare."""
    found: NDArray[np.bool_] = (points.ridge == 0.0) & (points.alpha == points.beta)
    return found


def check_ridgeless(problem: Problem, points: Points, *, learns_bias: bool) -> None:
    """Refuse ridge 0 where the limit does not exist or is not solved for."""
    if not np.any(points.ridge == 0.0) or problem.bulk == "none":
        return
    if not problem.is_square:
        raise InputError(f"ridge is 0; the loss {problem.loss} takes ridge > 0 (the square loss takes 0)")
    if conditional_coefficients(problem.activation).mu2_squared == 0:
        raise InputError(
            f"ridge is 0 with the linear activation {problem.activation.text}: the limit may not exist; "
            "give ridge > 0"
        )
    if learns_bias and np.any(peak := at_peak(points)):
        raise InputError(_PEAK.format(points.alpha[peak][0]))


def with_peak(problem: Problem, points: Points, solve: Callable[[Points], Results]) -> Results:
    """At ridge 0 and alpha = beta what the features cannot learn is amplified without bound.

    Only if there is such a rest: it is looked for at twice as many samples, where it is finite.
    """
    peak = at_peak(points)
    results = solve(replace(points, alpha=np.where(peak, 2.0 * points.alpha, points.alpha)))
    rest = results.values[peak, 0] + points.noise[peak]
    if not np.all(rest > _RESOLVED * (target_data(problem.target)[2] + points.noise[peak])):
        raise InputError(_PEAK.format(points.alpha[peak][0]))
    results.values[peak] = np.nan
    results.values[peak, 0], results.values[peak, 1] = np.inf, 0.0
    results.measures[peak, 0] = np.inf
    results.measures[peak, 1] *= np.nan  # of a prediction that is noise alone
    results.code[peak] = STATUSES.index(Status.INFINITE)
    results.residual[peak] = results.numerical_error[peak] = 0.0
    results.steps[peak] = 0
    return results
