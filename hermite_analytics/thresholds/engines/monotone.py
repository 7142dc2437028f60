"""A monotone branch of a function of one variable, inverted to full relative accuracy at both ends.

The distance of a value from that of an end is an integral of the derivative from that end: a sum of positive
terms, accurate however small it is. Near a critical point the value itself would lose half of the digits.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Side", "side"]

Array = NDArray[np.float64]
Function = Callable[[Array], Array]

_nodes, _weights = np.polynomial.legendre.leggauss(20)
_UNIT, _UNIT_WEIGHTS = 0.5 * (_nodes + 1), 0.5 * _weights
# x = u^4 towards the end: a derivative like the power -1/2 of the distance becomes smooth
_END, _END_WEIGHTS = _UNIT**4, 4 * _UNIT**3 * _UNIT_WEIGHTS
_PANEL = 0.2  # width of the panels
_POWER_LAW = 1e-9  # distance below which the derivative is noise and its leading power is used
_STEPS = 60
_CONVERGED = 1e-8  # of a step: the next one would be its square


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One end of a monotone branch, as origin of distances.

    Parameters
    ----------
    origin : float
        The end.
    direction : 1.0 or -1.0
        Into the branch.
    derivative : function of an array
    knots, distances : ndarray, shape (k,)
        Distances from the end in the argument, increasing from 0, and in the value.
    power : float
        Order of the end: the value leaves that of the end like this power.
    """

    origin: float
    direction: float
    derivative: Function
    knots: Array
    distances: Array
    power: float

    def slope(self, h: Array) -> Array:
        """|derivative| at distance h in the argument."""
        return np.abs(self.derivative(self.origin + self.direction * h))

    def distance(self, panel: NDArray[np.int64], h: Array) -> Array:
        """|g(origin + h) - g(origin)| for h in the given panels."""
        start = self.knots[panel]
        width = h - start
        at_end = panel == 0
        nodes = np.where(at_end[:, None], _END, _UNIT)
        weights = np.where(at_end[:, None], _END_WEIGHTS, _UNIT_WEIGHTS)
        slopes = self.slope(start[:, None] + width[:, None] * nodes)
        return np.asarray(self.distances[panel] + width * (slopes * weights).sum(1))

    def invert(self, target: Array) -> tuple[Array, Array]:
        """(distance in the argument, |derivative|) at positive distances in the value from the end."""
        shortest = np.array([_POWER_LAW * max(1.0, abs(self.origin))])
        shortest = np.minimum(shortest, 1e-3 * self.knots[1])
        limit = self.distance(np.zeros(1, dtype=np.int64), shortest)
        near = target < limit
        h = np.empty_like(target)
        h[near] = shortest * (target[near] / limit) ** (1 / self.power)
        h[~near] = self._newton(target[~near])
        slope = np.empty_like(target)
        slope[near] = self.power * target[near] / h[near]
        slope[~near] = self.slope(h[~near])
        return h, slope

    def _newton(self, target: Array) -> Array:
        """Newton's method between the logarithms of both distances, in a bracket."""
        last = len(self.knots) - 2
        panel = np.clip(np.searchsorted(self.distances, target, side="right") - 1, 0, last)
        low, high = self.knots[panel], self.knots[panel + 1]
        low = np.where(panel == 0, 1e-14 * high, low)
        share = (target - self.distances[panel]) / (self.distances[panel + 1] - self.distances[panel])
        share = np.clip(share, 1e-300, 1.0)
        h = np.where(panel == 0, high * share ** (1 / self.power), low + (high - low) * share)
        h = np.clip(h, low, high)
        for _ in range(_STEPS):
            reached = self.distance(panel, h)
            low, high = np.where(reached < target, h, low), np.where(reached > target, h, high)
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                step = np.log(target / reached) * reached / (h * self.slope(h))
                following = h * np.exp(np.clip(step, -3.0, 3.0))
            inside = (following >= low) & (following <= high)
            following = np.where(inside, following, np.sqrt(low * high))
            done = np.abs(following - h) <= _CONVERGED * h
            h = following
            if bool(done.all()):
                break
        return h


def side(derivative: Function, origin: float, other: float) -> Side:
    """The branch between two ends, seen from the first one."""
    direction = 1.0 if other > origin else -1.0
    length = abs(other - origin)
    knots = np.linspace(0.0, length, max(8, int(np.ceil(length / _PANEL))) + 1)
    found = Side(
        origin=origin,
        direction=direction,
        derivative=derivative,
        knots=knots,
        distances=np.zeros(len(knots)),
        power=1.0,
    )
    panels = np.arange(len(knots) - 1)
    distances = np.concatenate([[0.0], np.cumsum(found.distance(panels, knots[1:]))])
    near = np.minimum(np.array([1e-4]), 1e-2 * knots[1])
    probe = found.distance(np.zeros(1, dtype=np.int64), near)
    slope = found.slope(near)
    power = float(near[0] * slope[0] / probe[0]) if probe[0] > 0 and slope[0] > 0 else 1.0
    return dataclasses.replace(found, distances=distances, power=power)
