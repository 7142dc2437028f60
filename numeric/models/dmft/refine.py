"""Refine a product quadrature one variable at a time, where it changes the result."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hermite_analytics.foundation.clock import remaining
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.numeric.models.dmft.quadrature import MOST_REACH
from hermite_analytics.numeric.models.sgd_flow.rule import MOST_LEVEL, faster

__all__ = ["Refined", "refined"]

Levels = tuple[int, ...]
_MOST_NODES = 8_000_000
_FREE_WORK = 2_000_000  # nodes of all rules, at any tolerance
_WORK_OVER_TOLERANCE = 1500.0  # above that work samples are as good
_GROWTH = 1.8  # of the nodes with one level of one variable, or less
_SAFETY = 3.0  # of an error that is known by the speed of convergence


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Refined:
    """The result at the levels that were enough, or as fine as was affordable.

    Attributes
    ----------
    numbers : ndarray
    shift : ndarray
        What one more level of each variable changes in the numbers, all summed, or what it would by the
        speed of convergence; of a variable for which neither is known, what its last level changed.
    error : float
        Sum of the largest effects of changes, relative where numbers are above 1; infinite if one is open.
    finest : float
        What variables without an affordable finer rule have of it: no smaller tolerance makes it less.
    """

    numbers: Array
    shift: Array
    error: float
    finest: float


def refined(
    evaluate: Callable[[Levels], tuple[Array, int]],
    first: Levels,
    tolerance: float,
    *,
    geometric: int = 0,
    effect: Array | float = 1.0,
) -> Refined:
    """Raise the level of the variable with the largest error until all errors together meet the tolerance.

    Nothing is begun that would take longer than there is time, by the time that nodes took so far.

    Parameters
    ----------
    evaluate : callable
        Of levels, one a variable and last the reach of all: averages, and how many nodes they took.
    first : tuple of int
        The levels to begin with.
    tolerance : float
    geometric : int
        In how many of the first variables the rule is the trapezoidal one of an analytic integrand: its error
        after a change follows from the change.
    effect : ndarray or float
        What an error of 1 in each number does to what is asked for.
    """
    levels, variables, began = first, len(first), remaining()
    numbers, nodes = evaluate(levels)
    shifts: dict[int, Array] = {}
    errors = dict.fromkeys(range(variables), np.inf)
    pending, work, all_nodes = set(errors), 0, nodes
    at_the_end: set[int] = set()
    while pending and sum(errors.values()) > tolerance:
        j = max(pending, key=lambda i: (errors[i], -i))
        most = MOST_REACH if j == variables - 1 else MOST_LEVEL
        if levels[j] == most or nodes * _GROWTH > _MOST_NODES:
            pending.remove(j)
            at_the_end.add(j)
            continue
        if work + nodes > _FREE_WORK and work > _WORK_OVER_TOLERANCE / tolerance:
            break
        left = remaining()
        if left < math.inf and (began - left) * nodes * _GROWTH >= left * all_nodes:
            break
        trial = tuple(level + (i == j) for i, level in enumerate(levels))
        its_numbers, its_nodes = evaluate(trial)
        work, all_nodes = work + its_nodes, all_nodes + its_nodes
        shifts[j] = its_numbers - numbers
        errors[j] = float(np.max(effect * np.abs(shifts[j]) / np.maximum(1.0, np.abs(its_numbers))))
        if errors[j] <= tolerance / variables:
            pending.remove(j)
            continue
        numbers, nodes, levels = its_numbers, its_nodes, trial
        rest = _left(errors[j], trial[j] - 1) if j < geometric else np.inf
        if rest < errors[j]:
            shifts[j], errors[j] = shifts[j] * (rest / errors[j]), rest
    return Refined(
        numbers=numbers,
        shift=np.sum(list(shifts.values()), axis=0) if shifts else np.full_like(numbers, np.inf),
        error=sum(errors.values()),
        finest=sum(errors[j] for j in at_the_end),
    )


def _left(change: float, level: int) -> float:
    """The error after the level whose step made a change."""
    return min(change, _SAFETY * change ** faster(level)) if change < 1.0 else np.inf
