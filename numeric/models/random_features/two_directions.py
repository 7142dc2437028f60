"""Labels 1 and -1 of several directions, as random features see them: by the mean given one projection.

Features see of a target its linear part, along u = b.z, and of all else only noise. The share of wrong signs
of a prediction of mean m, variance Q and overlap M with u is therefore (*derived*)

    P(f x <= 0) = 1/2 - E[g(u) erf((m + M u)/sqrt(2 (Q - M^2)))]/2,    g(u) = E[f | u].

Of two directions g is a sum of normal probabilities over the pieces of a line, whose ends are found by
bisection between the points of a grid; a target without a linear part has g = E f, whatever its directions.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import erf, ndtr

from hermite_analytics.expansion import hermite
from hermite_analytics.numeric.models.random_features.labels import has_signs
from hermite_analytics.target import Target

__all__ = ["PulledLaw", "pulled_law"]

Array = NDArray[np.float64]
Label = Callable[[Array, Array], Array]
Nodes = tuple[Array, Array, Array]
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)
_END = 8.5  # standard deviations
_EDGES = np.linspace(-_END, _END, 18)
_GRID = np.linspace(-_END, _END, 2049)  # where changes of sign along a line are looked for
_BISECTIONS = 52
_DEEPEST = 40
_SETTLED = 1e-13


@dataclass(frozen=True, slots=True, kw_only=True)
class PulledLaw:
    """The mean label given the projection u ~ N(0, 1) on the linear part, at nodes of u.

    Attributes
    ----------
    u, weights, mean : arrays of shape (n,)
        Nodes, their weights in the law of u, E[f | u].
    """

    u: Array
    weights: Array
    mean: Array

    def wrong_share(self, mean: Array, power: Array, overlap: Array) -> Array:
        """P(f x <= 0) at flat states; NaN for a prediction that is 0 throughout."""
        rest = np.sqrt(np.maximum(power - overlap**2, 0.0))
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = (mean[:, None] + overlap[:, None] * self.u) / (math.sqrt(2.0) * rest[:, None])
        share: Array = 0.5 - 0.5 * erf(ratio) @ (self.weights * self.mean)
        return np.clip(share, 0.0, 1.0)


@functools.lru_cache(maxsize=64)
def pulled_law(target: Target) -> PulledLaw | None:
    """The law of the labels of several directions; None where it is not known.

    Raises nothing: labels other than 1 and -1, three or more directions with a linear part, and linear parts
    that are not found have none.
    """
    if target.dimension < 2 or not has_signs(target):
        return None
    expansion = hermite(Target(target.noiseless), 1)
    pull = np.asarray(expansion.tensor(1), dtype=np.float64)
    size = float(np.linalg.norm(pull))
    if size == 0.0:
        mean = np.array([float(expansion.mean.value)])
        return PulledLaw(u=np.zeros(1), weights=np.ones(1), mean=mean)
    if target.dimension > 2 or not math.isfinite(size):
        return None
    along = pull / size
    label = target.function("array")

    def value(u: Array, w: Array) -> Array:
        found: Array = np.asarray(label(along[0] * u - along[1] * w, along[1] * u + along[0] * w))
        return found

    panels = [_panel(value, float(a), float(b)) for a, b in itertools.pairwise(_EDGES)]
    u, weights, mean = _joined(panels)
    return PulledLaw(u=u, weights=weights, mean=mean)


def _panel(value: Label, low: float, high: float, depth: int = 0) -> Nodes:
    """(u, weights, means) of a panel, halved where its rule is not that of its halves."""
    u, weights = _rule(low, high)
    mean = _line_means(value, u)
    middle = 0.5 * (low + high)
    halves = [_rule(low, middle), _rule(middle, high)]
    finer = [(v, share, _line_means(value, v)) for v, share in halves]
    gap = abs(float(weights @ mean) - sum(float(share @ m) for _, share, m in finer))
    if gap <= _SETTLED or depth >= _DEEPEST:
        return _joined(finer)
    return _joined([_panel(value, low, middle, depth + 1), _panel(value, middle, high, depth + 1)])


def _joined(panels: list[Nodes]) -> Nodes:
    u, weights, means = (np.concatenate(parts) for parts in zip(*panels, strict=True))
    return u, weights, means


def _rule(low: float, high: float) -> tuple[Array, Array]:
    half = 0.5 * (high - low)
    u = 0.5 * (low + high) + half * _NODES
    return u, half * _WEIGHTS * np.exp(-0.5 * u**2) / math.sqrt(2.0 * math.pi)


def _line_means(value: Label, u: Array) -> Array:
    """E over w ~ N(0, 1) of a label that is constant between its changes of sign."""
    labels = value(u[:, None], _GRID[None])
    rows, places = np.nonzero(labels[:, 1:] * labels[:, :-1] < 0.0)
    low, high, first = _GRID[places], _GRID[places + 1], labels[rows, places]
    for _ in range(_BISECTIONS):
        middle = 0.5 * (low + high)
        same = value(u[rows], middle) * first > 0.0
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    # l(-inf) + sum over the changes of (l after - l before) P(w > place)
    steps = np.bincount(rows, -2.0 * first * ndtr(-0.5 * (low + high)), minlength=u.size)
    found: Array = labels[:, 0] + steps
    return found
