"""E[F z], E[F h] and E[F F]: the averages that drive the overlaps, by quadrature."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.numeric.models.sgd_flow.gradient import Gradient, sign_changes
from hermite_analytics.numeric.models.sgd_flow.rule import (
    LEAST_LEVEL,
    MOST_LEVEL,
    Centers,
    Planes,
    Splits,
    iterated_rule,
    plane_splits,
)

__all__ = ["SETTLED", "Averages", "averages_of", "drift_coefficient", "joint_factor", "quadrature_averages"]

_REACH = 9.0
_MOST_GAUSS, _MOST_POINTS = 128, 2_000_000  # nodes of a variable, and of all, of the rule of polynomials
_COARSER = 3  # levels of the label noise, in which a gradient is wider than in z and h
SETTLED = 1e-6  # relative change of a coefficient with the last level
_COARSE = np.linspace(-_REACH, _REACH, 145)
_ASIDE = 1e-11  # of a bend, where sigma' may jump
_FINE = np.linspace(-_REACH, _REACH, 3601)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Averages:
    """Of the gradient F_j of each neuron.

    Attributes
    ----------
    signal : ndarray, shape (p, r)
        E[F_j z_s].
    field : ndarray, shape (p, p)
        E[F_j h_l].
    product : ndarray, shape (p, p)
        E[F_j F_l], label noise included.
    """

    signal: Array
    field: Array
    product: Array


def joint_factor(overlaps: Array, correlations: Array) -> Array:
    """Lower triangular L with (z, h) = L u for independent u, from M (p, r) and Q (p, p).

    A direction that the earlier ones determine has a zero on the diagonal.
    """
    p, r = overlaps.shape
    factor = np.zeros((r + p, r + p))
    factor[:r, :r] = np.eye(r)
    factor[r:, :r] = overlaps
    rest = correlations - overlaps @ overlaps.T
    for j in range(p):
        row = factor[r + j, r : r + j]
        for i in range(j):
            pivot = factor[r + i, r + i]
            known = row[:i] @ factor[r + i, r : r + i]
            row[i] = (rest[j, i] - known) / pivot if pivot > 0.0 else 0.0
        left = rest[j, j] - row @ row
        factor[r + j, r + j] = np.sqrt(left) if left > 1e-15 * correlations[j, j] else 0.0
    return factor


class ClosedNetwork(Protocol):
    """A network and a target of which the averages have a closed form."""

    def averages(
        self, gradient: Gradient, overlaps: Array, correlations: Array, noise: float
    ) -> Averages: ...


def averages_of(
    gradient: Gradient, network: ClosedNetwork | None
) -> Callable[[Array, Array, float, int], Averages]:
    """(M, Q, noise, level) -> the averages: in closed form where there is one, else by quadrature."""
    if network is None:
        return lambda m, q, noise, level: quadrature_averages(gradient, m, q, noise, level)
    return lambda m, q, noise, level: network.averages(gradient, m, q, noise)


def quadrature_averages(
    gradient: Gradient, overlaps: Array, correlations: Array, noise: float, level: int
) -> Averages:
    """The averages at overlaps M and correlations Q with label noise of variance `noise`.

    Parameters
    ----------
    level : int
        Of the quadrature; the change from one level to the next measures its error.
    """
    z, h, label, weights = _sample(gradient, joint_factor(overlaps, correlations), noise, level)
    force = gradient(label, h)
    weighted = force * weights
    product = weighted @ force.T
    if noise > 0.0 and not gradient.looks_ahead:  # else the nodes have it
        slopes = gradient.readout[:, None] * gradient.problem.slope(h)
        product = product + noise * (slopes * weights) @ slopes.T
    return Averages(signal=weighted @ z.T, field=weighted @ h.T, product=product)


def drift_coefficient(gradient: Gradient, order: int, noise: float) -> float:
    """E[F(z, h) He_k(z) He_(k-1)(h)] for independent z and h, one neuron and one direction.

    NaN if it still changes by 1e-6 of E|F He_k He_(k-1)| on the finest rule.
    """
    (before, _), (found, size) = (
        _drift_coefficient(gradient, order, noise, level) for level in (MOST_LEVEL - 1, MOST_LEVEL)
    )
    return found if abs(found - before) <= SETTLED * size else math.nan


def _drift_coefficient(gradient: Gradient, order: int, noise: float, level: int) -> tuple[float, float]:
    """(the average, that of the modulus)."""
    from scipy.special import eval_hermitenorm

    z, h, label, weights = _sample(gradient, np.eye(2), noise, level, beside=2 * order - 1)
    polynomials = eval_hermitenorm(order, z[0]) * eval_hermitenorm(order - 1, h[0])
    terms = weights * gradient(label, h)[0] * polynomials
    return float(terms.sum()), float(np.abs(terms).sum())


def _sample(
    gradient: Gradient, factor: Array, noise: float, level: int, *, beside: int = 0
) -> tuple[Array, Array, Array, Array]:
    """Nodes z (r, n) and h (p, n), labels and weights (n,); labels are noisy where F is no sum over noise.

    For averages of F_j F_l, and of F_j times polynomials of the degree `beside`.
    """
    p = gradient.readout.size
    r = factor.shape[0] - p
    blurred = noise > 0.0 and gradient.looks_ahead  # the look-ahead depends on the noisy label
    if blurred:  # one more variable, after z
        factor = np.insert(np.insert(factor, r, 0.0, axis=0), r, 0.0, axis=1)
        factor[r, r] = 1.0
    degree = gradient.degree
    size = 0 if degree is None else max(degree, (degree + beside + 1) // 2) + 1
    if 0 < size <= _MOST_GAUSS and size ** len(factor) <= _MOST_POINTS:
        nodes, weights = _gauss_rule(len(factor), size)
    else:
        levels = [level] * len(factor)
        if blurred:
            levels[r] = max(level - _COARSER, LEAST_LEVEL)
        nodes, weights = iterated_rule(_splits(gradient, factor, r), levels if blurred else level)
    joint = factor @ nodes
    label = gradient.problem.label(joint[:r])
    if blurred:
        label = label + np.sqrt(noise) * joint[r]
    return joint[:r], joint[-p:], label, weights


@functools.lru_cache(maxsize=2)
def _gauss_rule(variables: int, size: int) -> tuple[Array, Array]:
    """The product of Gauss and Hermite's rule, which is exact for polynomials of degree 2 `size` - 1."""
    from scipy.special import roots_hermitenorm

    x, w = roots_hermitenorm(size)
    nodes = np.stack(np.meshgrid(*([x] * variables), indexing="ij")).reshape(variables, -1)
    weights = functools.reduce(np.multiply.outer, [w / w.sum()] * variables).reshape(-1)
    nodes.flags.writeable = weights.flags.writeable = False
    return nodes, weights


def _splits(gradient: Gradient, factor: Array, r: int) -> list[list[Splits]]:
    problem = gradient.problem
    size, p = factor.shape[0], gradient.readout.size
    normals = [np.pad(np.array(normal), (0, size - r)) for normal, _ in problem.planes]
    offsets = [offset for _, offset in problem.planes]
    for j in range(p):
        for bend in problem.bends:
            normals.append(np.eye(size)[size - p + j])
            offsets.append(bend)
    planes = Planes(normals=np.array(normals).reshape(-1, size), offsets=np.array(offsets))
    splits = plane_splits(planes.along(factor))
    if gradient.looks_ahead and problem.bends:
        _add_look_ahead(splits, gradient, factor, r)
    return splits


def _add_look_ahead(splits: list[list[Splits]], gradient: Gradient, factor: Array, r: int) -> None:
    """Kinks of one neuron where its look-ahead field meets a bend."""
    mean, spread = factor[-1, :r], float(factor[-1, -1])

    def last(earlier: Array) -> Array:
        label, center = gradient.problem.label(earlier)[:, None], (mean @ earlier)[:, None]
        bends = (np.array(gradient.problem.bends) - center) / spread
        grid = np.broadcast_to(_COARSE, (label.shape[0], _COARSE.size))
        edges = np.sort(np.concatenate([grid, bends - _ASIDE, bends + _ASIDE], axis=1))

        def excess(x: Array, bend: float) -> Array:
            return gradient.ahead(label, center + spread * x) - bend

        found = [sign_changes(partial(excess, bend=bend), edges) for bend in gradient.problem.bends]
        return np.concatenate(found, axis=1)

    if spread > 0.0:
        splits[-1].append(Splits(centers=last))
    if r == 1:
        splits[0] += _level_sets(gradient, float(mean[0]), spread)


def _level_sets(gradient: Gradient, mean: float, spread: float) -> list[Splits]:
    """In z of a target of one direction: critical labels, and where the curve of kinks crosses h = m z."""

    def excess(x: Array, bend: float) -> Array:
        return gradient.ahead(_labels(gradient, x), mean * x) - bend

    line = _FINE[None]
    found = [Splits(centers=_always(points)) for points in _critical_points(gradient)]
    if spread < 1.0:
        width = max(0.5 * spread, 1e-6)
        for bend in gradient.problem.bends:
            points = sign_changes(partial(excess, bend=bend), line)
            found.append(Splits(centers=_always(points), width=width))
    return found


@functools.lru_cache(maxsize=8)
def _critical_points(gradient: Gradient) -> list[Array]:
    """Where the label is one of those at which the set of kinks changes, whatever the overlaps are."""

    def above(x: Array, level: float) -> Array:
        return _labels(gradient, x) - level

    return [sign_changes(partial(above, level=y), _FINE[None]) for y in gradient.critical_labels()]


def _labels(gradient: Gradient, x: Array) -> Array:
    return gradient.problem.label(x.reshape(1, -1)).reshape(x.shape)


def _always(points: Array) -> Centers:
    """The same points whatever the earlier variables are."""
    return lambda earlier: np.broadcast_to(points, (earlier.shape[1], points.shape[1]))
