"""Weights and readout along a run: linear methods of first order and what they make of gradients."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.numeric.models.dmft.rows import Increment, Moments, increment_of

__all__ = ["LinearMethod", "Weights"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LinearMethod:
    """theta_{t+1} as a linear combination of earlier weights and the gradient.

    Attributes
    ----------
    eta, ridge, momentum : float
        theta_{t+1} = (1 + momentum - eta ridge) theta_t - momentum theta_{t-1} - eta A^T G_t.
    look_ahead : float
        Step of a look-ahead before each step, in which the gradient is then taken; 0 without. It moves the
        weights alone.
    readout_eta : float
        a_{t+1} = a_t + momentum (a_t - a_{t-1}) - readout_eta E[l' sigma(h_t)]; 0 for a fixed readout.
    spherical : bool
        Whether each w_j is divided by its norm after a step.
    """

    eta: float
    ridge: float
    momentum: float
    look_ahead: float
    readout_eta: float = 0.0
    spherical: bool = False

    def inner(self, steps: int) -> int:
        """Gradients in so many steps."""
        return steps * self.stride

    @property
    def stride(self) -> int:
        """Gradients in one step."""
        return 2 if self.look_ahead else 1

    def following(self, coordinates: list[Array], gradient: Array) -> Array:
        """The next weights, from all before (as many columns as each has) and A^T G_t."""
        t = len(coordinates) - 1
        width = gradient.shape[1]
        if self.look_ahead and t % 2 == 0:
            return _widened(coordinates[t], width) - self.look_ahead * gradient
        base = _widened(coordinates[t - self.stride + 1], width)
        following = (1.0 - self.eta * self.ridge) * base - self.eta * gradient
        before = t - 2 * self.stride + 1
        if self.momentum and before >= 0:
            following += self.momentum * (base - _widened(coordinates[before], width))
        if self.spherical:
            following /= np.linalg.norm(following, axis=1, keepdims=True)
        return np.asarray(following)

    def following_readout(self, readouts: list[Array], pull: Array) -> Array:
        """The next readout, from all before and E[l' sigma(h_t)]."""
        t = len(readouts) - 1
        if not self.readout_eta or (self.look_ahead and t % 2 == 0):
            return readouts[t]
        following = readouts[t] - self.readout_eta * pull
        before = t - 2 * self.stride + 1
        if self.momentum and before >= 0:
            following += self.momentum * (readouts[t] - readouts[before])
        return np.asarray(following)


@dataclass(slots=True, eq=False)
class Weights:
    """A run so far.

    Attributes
    ----------
    method : LinearMethod
    alpha : float
    coordinates : list of ndarray
        D_t, shape (p, p + r + p t), for the start and after each gradient.
    readouts : list of ndarray
        a_t, shape (p,), likewise.
    increments : list of Increment
    """

    method: LinearMethod
    alpha: float
    coordinates: list[Array]
    readouts: list[Array]
    increments: list[Increment] = field(default_factory=list)

    def copy(self) -> Weights:
        """The same run so far, to go on in another way."""
        lists = list(self.coordinates), list(self.readouts), list(self.increments)
        return type(self)(self.method, self.alpha, *lists)

    def beginning(self) -> Weights:
        """The same run before its first step."""
        return type(self)(self.method, self.alpha, self.coordinates[:1], self.readouts[:1])

    def cut(self, gradients: int) -> None:
        """Forget all from the weights after so many gradients on; what rows need of the steps is kept."""
        del self.coordinates[gradients:], self.readouts[gradients:]

    @property
    def last(self) -> Array:
        return self.coordinates[-1]

    @property
    def readout(self) -> Array:
        """a_t of the last weights."""
        return self.readouts[-1]

    def advance(self, moments: Moments, factor: Array | None = None) -> Increment:
        """Make the step of these averages; `factor` is that of the new directions, by default I."""
        step = increment_of(moments, factor)
        fresh = np.sqrt(self.alpha) * step.root @ step.factor.T
        gradient = np.concatenate([self.alpha * moments.signal, fresh], axis=1)
        self.move(gradient, moments.pull)
        self.increments.append(step)
        return step

    def move(self, gradient: Array, pull: Array) -> None:
        """The next weights and readout, from A^T G_t and E[l' sigma(h_t)]."""
        self.coordinates.append(self.method.following(self.coordinates, gradient))
        self.readouts.append(self.method.following_readout(self.readouts, pull))

    def overlap(self, t: int, directions: int) -> Array:
        """M after t gradients, shape (p, r)."""
        coordinates = self.coordinates[t]
        p = coordinates.shape[0]
        return coordinates[:, p : p + directions]

    def product(self, t: int, s: int) -> Array:
        """C(t, s) = W_t W_s^T, shape (p, p)."""
        first, second = self.coordinates[t], self.coordinates[s]
        shared = min(first.shape[1], second.shape[1])
        return np.asarray(first[:, :shared] @ second[:, :shared].T)


def _widened(coordinates: Array, width: int) -> Array:
    return np.pad(coordinates, ((0, 0), (0, width - coordinates.shape[1])))
