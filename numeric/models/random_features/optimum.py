"""The best ridge of a readout, with its limits 0 and infinity where the model has them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.errors import InputError
from hermite_analytics.numeric.best_ridge import COARSE, FEWER_STEPS, STEPS, best_ridges, listed
from hermite_analytics.numeric.losses.loss import Loss
from hermite_analytics.target import Target

__all__ = ["Alternatives", "Best", "best_ridge"]

Array = NDArray[np.float64]
Points = dict[str, Array]
Alternatives: TypeAlias = tuple[tuple[Mapping[str, float], ...], ...]
_ROUNDING = 1e-14
_CONVERGED, _AT_BORDER = 0, 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Best:
    """Results at the best ridges, and all local minima."""

    ridge: Array
    results: Points
    alternatives: Alternatives


def best_ridge(
    target: Target,
    loss: Loss,
    flat: Points,
    measure: str,
    solve: Callable[[Points], Points],
    *,
    power: float,
    limits: bool,
) -> Best:
    """The ridge of the smallest error of each point.

    Parameters
    ----------
    target, loss
        Of the model.
    flat : mapping of str to arrays, shape (count,)
        The ratios.
    measure : str
        The result that is made small.
    solve : callable
        Results at ratios.
    power : float
        E y^2, the scale of errors.
    limits : bool
        Whether `solve` takes the ridges 0 and infinity.

    Raises
    ------
    InputError
        Misclassification where the target has no classes.
    """
    count = flat["alpha"].size

    def at(owner: NDArray[np.int64], ridge: Array) -> Points:
        return solve({name: np.ascontiguousarray(flat[name][owner]) for name in flat} | {"ridge": ridge})

    def error(owner: NDArray[np.int64], ridge: Array) -> Array:
        return at(owner, ridge)[measure]

    everyone = np.arange(count)
    if measure == "misclassification" and measure not in at(everyone[:1], np.ones(min(count, 1))):
        from hermite_analytics.numeric.classes import no_classes

        raise InputError(no_classes(target, "ridge"))
    found = best_ridges(
        count,
        error,
        at_zero=error(everyone, np.zeros(count)) if limits else None,
        at_infinity=error(everyone, np.full(count, np.inf)) if limits else None,
        rounding=(_ROUNDING if limits else COARSE) * power,
        steps=STEPS if loss.is_square else FEWER_STEPS,
    )
    results = at(everyone, np.where(np.isnan(found.ridge), 1.0, found.ridge))
    results["code"] = np.where(found.at_border & (results["code"] == _CONVERGED), _AT_BORDER, results["code"])
    values = {measure: found.minima.value}
    return Best(
        ridge=found.ridge,
        results=results,
        alternatives=listed(found.minima, count, "ridge", math.exp, **values),
    )
