"""Refine a product quadrature one variable at a time, where it changes the result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.numeric.dmft.quadrature import MOST_REACH
from hermite_analytics.numeric.sgd_flow.rule import MOST_LEVEL, faster

__all__ = ["Refined", "refined"]

T = TypeVar("T")
Array = NDArray[np.float64]
Levels = tuple[int, ...]
_MOST_NODES = 2_500_000
_GROWTH = 1.8  # of the nodes with one level of one variable, or less
_SAFETY = 3.0  # of an error that is known by the speed of convergence


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Refined(Generic[T]):
    """The result at the levels that were enough, or as fine as was affordable.

    Attributes
    ----------
    value : T
    numbers : ndarray
        The same in a row.
    shift : ndarray
        What one more level of each variable changes in the numbers, all summed, or what it would by the
        speed of convergence; of a variable for which neither is known, what its last level changed.
    error : float
        Sum of the largest changes, relative where numbers are above 1; infinite if one is not known.
    """

    value: T
    numbers: Array
    shift: Array
    error: float


def refined(
    evaluate: Callable[[Levels], tuple[T, Array, int]],
    first: Levels,
    tolerance: float,
    *,
    geometric: int = 0,
) -> Refined[T]:
    """Raise the level of each variable until a further one changes less than its share of the tolerance.

    Parameters
    ----------
    evaluate : callable
        Of levels, one a variable: a result, its numbers, and how many nodes it took.
    first : tuple of int
        The levels to begin with.
    tolerance : float
    geometric : int
        In how many of the first variables the rule is the trapezoidal one of an analytic integrand: its error
        after a change follows from the change.
    """
    levels, variables = first, len(first)
    value, numbers, nodes = evaluate(levels)
    shifts: dict[int, Array] = {}
    errors: dict[int, float] = {}
    pending = set(range(variables))
    while pending:
        j = max(pending, key=lambda i: (errors.get(i, np.inf), -i))
        pending.remove(j)
        most = MOST_REACH if j == variables - 1 else MOST_LEVEL
        if levels[j] == most or nodes * _GROWTH > _MOST_NODES:
            continue
        trial = tuple(level + (i == j) for i, level in enumerate(levels))
        found, its_numbers, its_nodes = evaluate(trial)
        shifts[j] = its_numbers - numbers
        errors[j] = float(np.max(np.abs(shifts[j]) / np.maximum(1.0, np.abs(its_numbers))))
        if errors[j] > tolerance / variables:
            value, numbers, nodes, levels = found, its_numbers, its_nodes, trial
            left = _left(errors[j], trial[j] - 1) if j < geometric else np.inf
            if left > tolerance / variables:
                pending.add(j)
            if left < errors[j]:
                shifts[j], errors[j] = shifts[j] * (left / errors[j]), left
    return Refined(
        value=value,
        numbers=numbers,
        shift=np.sum(list(shifts.values()), axis=0) if shifts else np.full_like(numbers, np.inf),
        error=sum(errors.get(j, np.inf) for j in range(variables)),
    )


def _left(change: float, level: int) -> float:
    """The error after the level whose step made a change."""
    return min(change, _SAFETY * change ** faster(level)) if change < 1.0 else np.inf
