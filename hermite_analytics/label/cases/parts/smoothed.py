"""The law of y = g(w) + noise * xi from that of g(w), for any g with a tabulated law."""

from __future__ import annotations

import math

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.label.cases.parts.density import LabelDensity, distinct, grid
from hermite_analytics.label.cases.parts.interpolation import Table, interpolate
from hermite_analytics.label.compiled import compiled

__all__ = ["smoothed_density"]

_WINDOW = 8.8  # standard deviations of the noise that are kept
_DIGITS = 33.0
_INNER = 1.6  # spacing of the inner rule, in that of the tables
_OUTER = 1.0  # spacing of the result, in that of the tables
_OUTERMOST = 45.0  # |s| of the nodes of the result: it has no singularities


def smoothed_density(density: LabelDensity, noise: float) -> LabelDensity:
    """The law of y = g(w) + noise * xi, xi ~ N(0, 1) independent, and of w given y.

    Parameters
    ----------
    density : LabelDensity
        Of g(w).
    noise : float > 0
        Standard deviation.

    Returns
    -------
    LabelDensity
        Without atoms.

    Examples
    --------
    >>> import numpy as np
    >>> from hermite_analytics.label.cases.parts.branches import Term, term_density
    >>> identity = term_density(Term(value=lambda w: 1.0 * w, derivative=np.ones_like), level=2)
    >>> law = smoothed_density(identity, 1.0).quadrature()  # E[w | y] = y/2
    >>> round(float(law.weights @ law.first[:, 0] ** 2), 9)
    0.5
    """
    own = np.concatenate([density.points, density.atoms]) if density.values.any() else density.atoms
    inner = distinct(own)
    points = distinct([inner[0] - _WINDOW * noise, *inner, inner[-1] + _WINDOW * noise])
    step = _OUTER * density.step
    s = grid(step)
    nodes = np.nonzero(np.abs(s) <= _OUTERMOST)[0]
    values = np.zeros((len(points) - 1, len(s), density.values.shape[2]))
    inner_step = _INNER * density.step
    for i in range(len(points) - 1):
        low, high = float(points[i]), float(points[i + 1])
        left, right = (high - low) / (1 + np.exp(-s[nodes])), (high - low) / (1 + np.exp(s[nodes]))
        found = np.zeros((len(nodes), values.shape[2]))
        for atom, moments in zip(density.atoms, density.atom_values, strict=True):
            gap = _distance(float(atom), low, high, left, right)
            weight = np.exp(-0.5 * (gap / noise) ** 2) / (noise * math.sqrt(2 * math.pi))
            found += weight[:, None] * moments
        for j in range(len(density.points) - 1):
            ends = [_distance(float(p), low, high, left, right) for p in density.points[j : j + 2]]
            _add_panel(ends[0], ends[1], density.table(j), noise, inner_step, found)
        values[i, nodes] = found
    return LabelDensity(
        points=points, values=values, atoms=np.zeros(0), atom_values=np.zeros((0, values.shape[2])), step=step
    )


def _distance(point: float, low: float, high: float, left: Array, right: Array) -> Array:
    """point - y for labels y at distances from the ends of a panel (low, high) that has no point inside."""
    return np.asarray(-(left + (low - point)) if point <= low else right + (point - high))


@compiled
def _add_panel(a: Array, b: Array, table: Table, noise: float, inner: float, out: Array) -> None:
    """Add to out[n] the panel (a[n], b[n]) of a density, relative to a label, under the noise around it."""
    if table.first > table.last:
        return
    for n in range(a.size):
        start, stop = max(a[n], -_WINDOW * noise), min(b[n], _WINDOW * noise)
        if start < 0.0 < stop:
            _integrate(a[n], b[n], start, 0.0, table, noise, inner, out[n])
            _integrate(a[n], b[n], 0.0, stop, table, noise, inner, out[n])
        elif start < stop:
            _integrate(a[n], b[n], start, stop, table, noise, inner, out[n])


@compiled
def _integrate(
    a: float, b: float, start: float, stop: float, table: Table, noise: float, inner: float, out: Array
) -> None:
    """Add the integral of density times noise over t - y in (start, stop), part of the panel (a, b)."""
    value = np.empty(out.size)
    length = stop - start
    lowest = -_reach(start - a, length, table, table.first, min(table.first + 4, table.last))
    highest = _reach(b - stop, length, table, table.last, max(table.last - 4, table.first))
    for k in range(math.ceil((highest - lowest) / inner) + 1):
        s = lowest + k * inner
        near, far = length / (1.0 + math.exp(-s)), length / (1.0 + math.exp(s))
        u = (start + near if s < 0.0 else stop - far) / noise
        measure = inner * near * (far / length) * math.exp(-0.5 * u * u) / (noise * math.sqrt(2.0 * math.pi))
        if interpolate(table, near + (start - a), far + (b - stop), value):
            for c in range(out.size):
                out[c] += measure * value[c]


@compiled
def _reach(beyond: float, length: float, table: Table, end: int, inner: int) -> float:
    """How far out in s the rule goes at an end of the interval, `beyond` from that of the panel.

    At a singular end of the panel as far as its power asks, further at any other end that has one close by.
    """
    if beyond == 0.0:
        ratio = table.values[end, 0] / max(table.values[inner, 0], 1e-300)
        power = math.log(max(ratio, 1e-300)) / (4 * table.step)
        return _DIGITS / max(1.0 - max(power, 0.0), 0.2)
    return _DIGITS + (min(math.log(length / beyond), 90.0) if beyond < length else 0.0)
