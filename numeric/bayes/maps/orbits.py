"""Products of trapezoid rules for Gaussian variables, one node of each orbit of signed permutations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array, Integers

__all__ = ["Orbits", "orbits"]

_RARE = 1e-9  # weight of all nodes that are left out


@dataclass(frozen=True, slots=True, kw_only=True)
class Orbits:
    """Nodes of N(0, I).

    Attributes
    ----------
    nodes : tuple of ndarrays
        Of each coordinate.
    members : ndarray, shape (n, r)
        Which node of each coordinate.
    weights : ndarray, shape (n,)
        Of all nodes of an orbit.
    """

    nodes: tuple[Array, ...]
    members: Integers
    weights: Array


def orbits(rules: Sequence[tuple[Array, Array]], symmetries: Sequence[Array]) -> Orbits:
    """One node of each orbit.

    Parameters
    ----------
    rules : sequence of (nodes, weights)
        Of each coordinate, even; equal ones where a symmetry exchanges them.
    symmetries : sequence of ndarray, shape (r, r)
        A group of signed permutations.

    Examples
    --------
    >>> exchange = np.array([[0.0, 1.0], [1.0, 0.0]])
    >>> rule = np.polynomial.hermite_e.hermegauss(3)
    >>> found = orbits((rule, rule), [np.eye(2), exchange, -np.eye(2), -exchange])
    >>> len(found.weights), round(float(found.weights.sum()), 12)
    (4, 1.0)
    """
    counts = [len(x) for x, _ in rules]
    weights = np.ones(1)
    for _, w in rules:
        weights = np.multiply.outer(weights, w / w.sum()).ravel()
    indices = np.stack(np.unravel_index(np.arange(len(weights)), tuple(counts)), axis=1)
    first = np.arange(len(weights))
    for s in symmetries:
        code = np.zeros(len(weights), dtype=np.int64)
        for i, n in enumerate(counts):
            j = int(np.argmax(np.abs(s[i])))
            own = indices[:, j] if s[i, j] > 0 else n - 1 - indices[:, j]
            code = code * n + own
        first = np.minimum(first, code)
    kept = np.flatnonzero(first == np.arange(len(weights)))
    total = np.bincount(first, weights, len(weights))[kept]
    order = np.argsort(total)
    rare = order[np.cumsum(total[order]) < _RARE]
    chosen = np.delete(np.arange(len(kept)), rare)
    return Orbits(
        nodes=tuple(x for x, _ in rules),
        members=indices[kept[chosen]],
        weights=total[chosen] / math.fsum(total[chosen]),
    )
