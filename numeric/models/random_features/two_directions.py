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

from hermite_analytics.activation import shortened
from hermite_analytics.errors import InputError
from hermite_analytics.expansion import hermite
from hermite_analytics.foundation.clock import allowed
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.foundation.panels import gauss_legendre
from hermite_analytics.label.symmetries import LabelSymmetry, label_symmetries
from hermite_analytics.numeric.models.random_features.labels import has_signs
from hermite_analytics.symbols import variable
from hermite_analytics.target import Target

__all__ = ["LabelMoments", "PulledLaw", "changes_sign", "label_moments", "pulled_law", "require_pulled"]

Label = Callable[[Array, Array], Array]
Nodes = tuple[Array, Array, Array]
_NODES, _WEIGHTS = gauss_legendre(16)
_END = 8.5  # standard deviations
_EDGES = np.linspace(-_END, _END, 18)
_GRID = np.linspace(-_END, _END, 2049)  # where changes of sign along a line are looked for
_BISECTIONS = 52
_DEEPEST = 40
_SETTLED = 1e-13
_SMALLEST = 1e-18
_SECONDS = 10.0


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
        from scipy.special import erf

        rest = np.sqrt(np.maximum(power - overlap**2, 0.0))
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = (mean[:, None] + overlap[:, None] * self.u) / (math.sqrt(2.0) * rest[:, None])
        share: Array = 0.5 - 0.5 * erf(ratio) @ (self.weights * self.mean)
        return np.clip(share, 0.0, 1.0)

    def teacher(self, level: int) -> tuple[Array, Array, Array]:
        """(u, y, weights) of the joint law of the projection and the label, as the channels take them.

        Each panel is cut into 2^level: E[f | u] is the polynomial through its nodes. Nodes fall, so that no
        channel takes them for those of a panel of one label.
        """
        if self.u.size == 1:
            u, weights, mean = self.u, self.weights, self.mean
        else:
            u, weights, mean = _finer(self.u, self.mean, 2**level)
        falling = (u[::-1], u[::-1])
        shares = weights[::-1] * 0.5 * (1.0 + mean[::-1]), weights[::-1] * 0.5 * (1.0 - mean[::-1])
        labels, masses = np.repeat([1.0, -1.0], u.size), np.concatenate(shares)
        kept = masses > _SMALLEST
        return np.concatenate(falling)[kept], labels[kept], masses[kept]


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelMoments:
    """E f, the coefficients E[z f] and whether they are integrals over lines rather than exact or proved."""

    mean: float
    pull: Array
    by_lines: bool = False


@functools.lru_cache(maxsize=64)
def label_moments(target: Target) -> LabelMoments | None:
    """The moments of labels 1 and -1; None where they are not known.

    What the calculus does not give is integrated over lines, for two directions.
    """
    if not has_signs(target):
        return None
    expansion = hermite(Target(target.noiseless), 1)
    mean, pull = float(expansion.mean.value), np.asarray(expansion.tensor(1), dtype=np.float64)
    if math.isfinite(mean) and np.all(np.isfinite(pull)):
        return LabelMoments(mean=mean, pull=pull)
    if target.dimension != 2:
        return None
    along = [_law(target, row) for row in np.eye(2)]
    mean = 0.0 if expansion.mean.zero else float(along[0].weights @ along[0].mean)
    found = np.array([law.weights @ (law.u * law.mean) for law in along])
    known = np.array([expansion[index].zero is True for index in ((1, 0), (0, 1))])
    return LabelMoments(mean=mean, pull=np.where(known, 0.0, found), by_lines=True)


@functools.lru_cache(maxsize=64)
def pulled_law(target: Target) -> PulledLaw | None:
    """The law of the labels of several directions; None where it is not known.

    Raises nothing: labels other than 1 and -1, three or more directions with a linear part, and linear parts
    that are not found have none.
    """
    if target.dimension < 2:
        return None
    moments = label_moments(target)
    if moments is None:
        return None
    size = float(np.linalg.norm(moments.pull))
    if size == 0.0:
        return PulledLaw(u=np.zeros(1), weights=np.ones(1), mean=np.array([moments.mean]))
    return None if target.dimension > 2 else _law(target, moments.pull / size)


def _law(target: Target, along: Array) -> PulledLaw:
    """That of two directions given one projection."""
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


def _finer(u: Array, mean: Array, parts: int) -> Nodes:
    """The nodes, weights and means of panels cut into some parts."""
    found = []
    for nodes, values in zip(u.reshape(-1, _NODES.size), mean.reshape(-1, _NODES.size), strict=True):
        half = (nodes[-1] - nodes[0]) / (_NODES[-1] - _NODES[0])
        middle = 0.5 * (nodes[-1] + nodes[0])
        series = np.polynomial.legendre.legfit(_NODES, values, _NODES.size - 1)
        edges = np.linspace(-1.0, 1.0, parts + 1)
        for low, high in itertools.pairwise(edges):
            v, weights = _rule(middle + half * low, middle + half * high)
            found.append((v, weights, np.polynomial.legendre.legval((v - middle) / half, series)))
    return _joined(found)


def _joined(panels: list[Nodes]) -> Nodes:
    u, weights, means = (np.concatenate(parts) for parts in zip(*panels, strict=True))
    return u, weights, means


def _rule(low: float, high: float) -> tuple[Array, Array]:
    half = 0.5 * (high - low)
    u = 0.5 * (low + high) + half * _NODES
    return u, half * _WEIGHTS * np.exp(-0.5 * u**2) / math.sqrt(2.0 * math.pi)


def _line_means(value: Label, u: Array) -> Array:
    """E over w ~ N(0, 1) of a label that is constant between its changes of sign."""
    from scipy.special import ndtr

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


@functools.lru_cache(maxsize=64)
def require_pulled(target: Target, *, odd: bool) -> PulledLaw:
    """The law, where the readout of any convex loss finds the direction of the linear part and no other.

    The loss has one minimum, so that the symmetries of the label are those of its minimiser: the overlap with
    the coordinates lies in the subspace that they keep. Without a linear part it vanishes, for then nothing
    pulls at 0.

    Parameters
    ----------
    odd : bool
        Whether the loss is one of y x, and (y, x) -> (-y, -x) changes nothing.

    Raises
    ------
    InputError
        Naming what is missing.
    """
    text = shortened(target.text)
    law = pulled_law(target)
    if law is None:
        raise InputError(
            f"target is {text}; of several directions this loss takes labels that are shown to be 1 and -1, "
            'of two directions or without a linear part, such as "sign(z1*z2)", and the square loss takes any'
        )
    if law.u.size > 1 and _kept(target, odd=odd) > 1:
        raise InputError(
            f"no symmetry is found by which a readout of this loss learns the linear part of {text} alone, "
            'and more overlaps are not solved for; "sign(z1 + z2**2 - 1)" has one, the square loss takes any'
        )
    return law


def changes_sign(target: Target) -> bool:
    """Whether a symmetry of the inputs is found that turns the label y into -y."""
    return any(s.sign == -1 and s.shift == 0.0 for s in _symmetries(target))


@functools.lru_cache(maxsize=64)
def _symmetries(target: Target) -> tuple[LabelSymmetry, ...]:
    variables = [variable(j + 1) for j in range(target.dimension)]
    with allowed(_SECONDS):
        return label_symmetries(target.noiseless, variables)


def _kept(target: Target, *, odd: bool) -> int:
    """The dimension of the subspace that all symmetries of the label keep."""
    used = [s.sign * s.matrix for s in _symmetries(target) if s.sign == 1 or (odd and s.shift == 0.0)]
    moved = np.concatenate([matrix - np.eye(target.dimension) for matrix in used])
    return target.dimension - int(np.linalg.matrix_rank(moved))
