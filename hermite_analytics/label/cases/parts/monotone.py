"""A monotone branch of a function of one variable, inverted to full relative accuracy at both ends.

The distance of a value from that of an end is an integral of the derivative from that end: a sum of positive
terms, accurate however small it is. Near a critical point the value itself would lose half of the digits.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

from hermite_analytics.foundation.clock import check_time
from hermite_analytics.foundation.numpy_arrays import Array, Function, Integers
from hermite_analytics.foundation.panels import unit_rule

__all__ = ["Side", "side"]

_UNIT, _UNIT_WEIGHTS = unit_rule(20)
# x = u^4 towards the end: a derivative like the power -1/2 of the distance becomes smooth
_END, _END_WEIGHTS = _UNIT**4, 4 * _UNIT**3 * _UNIT_WEIGHTS
_PANEL = 0.2  # width of the panels
_POWER_LAW = 1e-9  # distance below which the leading power of the derivative is used
_PROBES = np.array([1e-6, 1e-5, 1e-4])  # distances at which the rounding of the derivative is measured
_AROUND = np.linspace(0.0, 1.0, 33)  # of them, in thousandths
_VALUES = np.vander(_AROUND, 3)
_ROUGH = np.eye(33) - _VALUES @ np.linalg.pinv(_VALUES)  # what a parabola does not follow
_CLEAR = 1e4  # of that rounding: a derivative that is no noise
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
    shortest : float
        Distance in the argument below which the derivative may be noise, and its leading power is used.
    """

    origin: float
    direction: float
    derivative: Function
    knots: Array
    distances: Array
    power: float
    shortest: float

    def slope(self, h: Array) -> Array:
        """|derivative| at distance h in the argument."""
        return np.abs(self.derivative(self.origin + self.direction * h))

    def distance(self, panel: Integers, h: Array) -> Array:
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
        limit = self.distance(np.zeros(1, dtype=np.int64), np.array([self.shortest]))
        near = target < limit
        h = np.empty_like(target)
        ratio, unit = target[near] / limit, self.power * limit / self.shortest
        h[near] = self.shortest * ratio ** (1 / self.power)
        h[~near] = self._newton(target[~near])
        slope = np.empty_like(target)
        with np.errstate(
            over="ignore", divide="ignore"
        ):  # where the function rises infinitely fast, h may be 0 by underflow
            slope[near] = unit * ratio ** (1 - 1 / self.power)
        slope[~near] = self.slope(h[~near])
        return h, slope

    def reached(self, h: Array) -> tuple[Array, Array]:
        """(distance in the value, |derivative|) at distances in the argument from the end."""
        last = len(self.knots) - 2
        panel = np.clip(np.searchsorted(self.knots, h, side="right") - 1, 0, last)
        limit = self.distance(np.zeros(1, dtype=np.int64), np.array([self.shortest]))
        near = h < self.shortest
        distance = np.where(near, limit * (h / self.shortest) ** self.power, self.distance(panel, h))
        with np.errstate(divide="ignore", invalid="ignore"):
            by_power = self.power * limit * (h / self.shortest) ** (self.power - 1) / self.shortest
        return distance, np.where(near, by_power, self.slope(h))

    def _newton(self, target: Array) -> Array:
        """Newton's method between the logarithms of both distances, in a bracket."""
        last = len(self.knots) - 2
        panel = np.clip(np.searchsorted(self.distances, target, side="right") - 1, 0, last)
        low, high = self.knots[panel], self.knots[panel + 1]
        low = np.where(panel == 0, 1e-14 * high, low)
        width = self.distances[panel + 1] - self.distances[panel]
        width = np.where(width > 0, width, np.inf)  # the function has reached its limit, to rounding
        share = np.clip((target - self.distances[panel]) / width, 1e-300, 1.0)
        h = np.where(panel == 0, high * share ** (1 / self.power), low + (high - low) * share)
        h = np.clip(h, low, high)
        left = np.arange(len(h))  # those that go on
        for _ in range(_STEPS):
            check_time()
            at, wanted, own = h[left], target[left], panel[left]
            reached = self.distance(own, at)
            low[left] = np.where(reached < wanted, at, low[left])
            high[left] = np.where(reached > wanted, at, high[left])
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                step = np.log(wanted / reached) * reached / (at * self.slope(at))
                following = at * np.exp(np.clip(step, -3.0, 3.0))
            inside = (following >= low[left]) & (following <= high[left])
            h[left] = np.where(inside, following, np.sqrt(low[left] * high[left]))
            left = left[np.abs(h[left] - at) > _CONVERGED * at]
            if not len(left):
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
        shortest=0.0,
    )
    shortest = _clear_of_noise(found)
    panels = np.arange(len(knots) - 1)
    distances = np.concatenate([[0.0], np.cumsum(found.distance(panels, knots[1:]))])
    near = min(max(1e-4, 10 * shortest), 1e-2 * float(knots[1]))
    return dataclasses.replace(
        found, distances=distances, power=_power(found, max(near, shortest)), shortest=shortest
    )


def _clear_of_noise(one: Side) -> float:
    """The least distance at which the derivative is what it is said to be."""
    scale = max(1.0, abs(one.origin))
    least = min(_POWER_LAW * scale, 1e-3 * float(one.knots[1]))
    around = one.slope(scale * np.multiply.outer(_PROBES, 1 + 1e-3 * _AROUND))
    noise = float(np.abs(around @ _ROUGH).max())
    places = np.geomspace(least, float(one.knots[1]), 33)
    clear = one.slope(places) >= _CLEAR * noise
    return float(places[np.argmax(clear)]) if clear.any() else least


def _power(one: Side, near: float) -> float:
    """Of the distance in the value, by its logarithmic slope at two places."""
    h = np.array([near, near / 2])
    reached, slope = one.distance(np.zeros(2, dtype=np.int64), h), one.slope(h)
    if not (reached > 0).all() or not (slope > 0).all():
        return 1.0
    far, close = h * slope / reached
    return float(2 * close - far)
