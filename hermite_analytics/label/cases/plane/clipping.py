"""Arcs of curves, clipped to where functions of the plane are positive.

An arc is smooth, and so is a function along it: the polynomial through its values at the arc's nodes has
Bernstein coefficients, whose signs say where it changes its own. The parts that are left get nodes of their
own from the polynomials through the old ones.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array, Bools, Function, Integers
from hermite_analytics.foundation.panels import lagrange, legendre_fit, unit_rule
from hermite_analytics.label.compiled import compiled

__all__ = ["ARC_NODES", "along", "arc_nodes", "clipped", "points_where_zero", "slopes_along", "touching"]

ARC_NODES = 10
_DEEPEST = 50  # halvings of an arc around a zero
_MARGIN = 1e-4  # of the values on an arc, within which its sides are looked at more closely
_BEYOND = 0.02  # of an arc, on which zeros count too: neighbours meet at its ends


def arc_nodes() -> Array:
    """Gauss's nodes on (0, 1)."""
    return unit_rule(ARC_NODES)[0]


def along(function: Function, arcs: Array) -> Array:
    """Values at the nodes of arcs, shape (n, 10, 2 or more)."""
    with np.errstate(all="ignore"):
        found = np.asarray(function(arcs[..., :2].reshape(-1, 2)), dtype=np.float64)
    return np.broadcast_to(found, (arcs.shape[0] * arcs.shape[1],)).reshape(arcs.shape[:2])


def touching(arcs: Array, conditions: Sequence[Function]) -> tuple[Bools, Bools]:
    """(whether a part of each arc may satisfy all conditions f > 0, whether all of it does for sure)."""
    some, whole = np.ones(len(arcs), dtype=bool), np.ones(len(arcs), dtype=bool)
    for condition in conditions:
        bounds = along(condition, arcs) @ _bernstein_fit(0.0).T
        margin = _MARGIN * np.abs(bounds).max(1)
        some &= bounds.max(1) > -margin
        whole &= bounds.min(1) > margin
    return some, whole


def clipped(arcs: Array, owner: Integers, conditions: Sequence[Function]) -> tuple[Array, Integers]:
    """The parts of arcs on which all of some functions are positive, and their owners.

    Parameters
    ----------
    arcs : ndarray, shape (n, 10, 3)
        Points and the logarithm of a density per unit of the arc's parameter in (0, 1), at `arc_nodes`.
    owner : ndarray of int, shape (n,)
    conditions : sequence of functions of points (m, 2)

    Examples
    --------
    >>> line = np.stack([arc_nodes(), 0 * arc_nodes(), 0 * arc_nodes()], axis=-1)[None]
    >>> parts, _ = clipped(line, np.zeros(1, dtype=np.int64), [lambda w: w[:, 0] - 0.5])
    >>> bool(np.allclose(parts[0, :, 0], 0.5 + 0.5 * arc_nodes())), round(float(np.exp(parts[0, 0, 2])), 12)
    (True, 0.5)
    """
    for condition in conditions:
        coefficients = along(condition, arcs) @ _bernstein_fit(0.0).T
        whole = coefficients.min(1) > 0
        cut = np.flatnonzero(~whole & (coefficients.max(1) > 0))
        which, low, high = _positive_parts(np.ascontiguousarray(coefficients[cut]))
        parts = _interpolated(arcs[cut[which]], low, high)
        arcs = np.concatenate([arcs[whole], parts])
        owner = np.concatenate([owner[whole], owner[cut[which]]])
    return arcs, owner


def points_where_zero(arcs: Array, values: Array) -> Array:
    """The points of arcs, shape (k, 2), at which a function with these values at the nodes vanishes."""
    coefficients = np.ascontiguousarray(values @ _bernstein_fit(_BEYOND).T)
    which, x = _zeros(coefficients)
    x = -_BEYOND + (1 + 2 * _BEYOND) * x
    basis = lagrange(ARC_NODES, 2 * x - 1)
    return np.asarray(np.einsum("km,kmd->kd", basis, arcs[which][..., :2]))


def slopes_along(values: Array) -> Array:
    """The derivative of a function in the arc's parameter, at the nodes."""
    derivative = np.polynomial.legendre.legder(np.eye(ARC_NODES), axis=0)
    at_nodes = np.polynomial.legendre.legvander(2 * arc_nodes() - 1, ARC_NODES - 2) @ derivative
    return np.asarray(2 * values @ (at_nodes @ legendre_fit(ARC_NODES)).T)


@functools.cache
def _bernstein_fit(beyond: float) -> Array:
    """Values at the nodes -> Bernstein coefficients on (-beyond, 1 + beyond)."""
    m = ARC_NODES - 1
    x = 0.5 - 0.5 * np.cos(math.pi * (np.arange(ARC_NODES) + 0.5) / ARC_NODES)
    basis = np.array([math.comb(m, k) * x**k * (1 - x) ** (m - k) for k in range(ARC_NODES)]).T
    places = -beyond + (1 + 2 * beyond) * x
    return np.asarray(np.linalg.inv(basis) @ lagrange(ARC_NODES, 2 * places - 1))


def _interpolated(arcs: Array, low: Array, high: Array) -> Array:
    """The part between two parameters of each arc, as an arc."""
    x = low[:, None] + (high - low)[:, None] * arc_nodes()
    basis = lagrange(ARC_NODES, 2 * x - 1)
    found = np.einsum("akm,amd->akd", basis, arcs)
    found[..., 2] += np.log(high - low)[:, None]
    return np.asarray(found)


@compiled
def _positive_parts(coefficients: Array) -> tuple[Integers, Array, Array]:
    """(polynomial, ends) of the intervals in (0, 1) on which polynomials are positive."""
    n, m = coefficients.shape
    which = np.empty(n * (m + 1), dtype=np.int64)
    low, high = np.empty(n * (m + 1)), np.empty(n * (m + 1))
    ends, count = np.empty(m + 2), 0
    work = np.empty(m)
    for i in range(n):
        zeros = _zeros_of(coefficients[i], ends)
        ends[0], ends[zeros + 1] = 0.0, 1.0
        for k in range(zeros + 1):
            if ends[k + 1] > ends[k] and _value(coefficients[i], 0.5 * (ends[k] + ends[k + 1]), work) > 0.0:
                which[count], low[count], high[count] = i, ends[k], ends[k + 1]
                count += 1
    return which[:count], low[:count], high[:count]


@compiled
def _zeros(coefficients: Array) -> tuple[Integers, Array]:
    """(polynomial, place in (0, 1)) of all zeros at which the sign changes."""
    n, m = coefficients.shape
    which, places = np.empty(n * m, dtype=np.int64), np.empty(n * m)
    found, count = np.empty(m + 2), 0
    for i in range(n):
        for k in range(_zeros_of(coefficients[i], found)):
            which[count], places[count] = i, found[k + 1]
            count += 1
    return which[:count], places[:count]


@compiled
def _zeros_of(c: Array, found: Array) -> int:
    """Write the zeros at which a polynomial changes its sign, in order, from found[1] on; their number."""
    m = c.size
    stack, left, size = np.empty((_DEEPEST + 2, m)), np.empty(_DEEPEST + 2), np.empty(_DEEPEST + 2)
    left[0], size[0] = 0.0, 1.0
    for j in range(m):
        stack[0, j] = c[j]
    least = 0.5**_DEEPEST
    top, count = 0, 0
    while top >= 0:
        box = stack[top]
        changes = 0
        for j in range(1, m):
            if (box[j] >= 0.0) != (box[j - 1] >= 0.0):
                changes += 1
        if changes == 0:
            top -= 1
        elif size[top] <= least:
            if (box[0] >= 0.0) != (box[m - 1] >= 0.0) and count < m - 1:
                count += 1
                found[count] = left[top] + 0.5 * size[top]
            top -= 1
        else:  # de Casteljau; the left half on top
            size[top] *= 0.5
            size[top + 1] = size[top]
            left[top + 1] = left[top]
            left[top] += size[top]
            for k in range(m):
                stack[top + 1, k] = box[0]
                for j in range(m - 1 - k):
                    box[j] = 0.5 * (box[j] + box[j + 1])
            top += 1
    return count


@compiled
def _value(c: Array, x: float, work: Array) -> float:
    """A polynomial at a place, by de Casteljau."""
    m = c.size
    for j in range(m):
        work[j] = c[j]
    for k in range(m - 1):
        for j in range(m - 1 - k):
            work[j] += x * (work[j + 1] - work[j])
    return float(work[0])
