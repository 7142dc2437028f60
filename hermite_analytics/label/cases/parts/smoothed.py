"""The law of y = g(w) + noise * xi from that of g(w), for any g with a tabulated law."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.label.cases.parts.branches import trimmed
from hermite_analytics.label.cases.parts.density import LabelDensity, distinct, grid
from hermite_analytics.label.cases.parts.interpolation import WEIGHTS, interpolate
from hermite_analytics.label.compiled import compiled

__all__ = ["smoothed_density"]

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

_WINDOW = 8.0  # standard deviations of the noise that are kept
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
    for i in range(len(points) - 1):
        _smooth_panel(
            points[i], points[i + 1], s[nodes], nodes, noise,
            density.points, density.values, density.first_node, density.last_node,
            density.atoms, density.atom_values, len(grid(density.step)) // 2, density.step,
            _INNER * density.step, WEIGHTS, values[i],
        )  # fmt: skip
    first, last = trimmed(values[:, :, 0], points, step)
    return LabelDensity(
        dimension=density.dimension,
        points=points,
        values=values,
        first_node=first,
        last_node=last,
        atoms=np.zeros(0),
        atom_values=np.zeros((0, values.shape[2])),
        step=step,
    )


@compiled
def _smooth_panel(
    low: float,
    high: float,
    s: Array,
    nodes: Integers,
    noise: float,
    points: Array,
    values: Array,
    first: Integers,
    last: Integers,
    atoms: Array,
    atom_values: Array,
    half: int,
    h: float,
    inner: float,
    weights: Array,
    out: Array,
) -> None:
    """Fill out[n]: the densities at the nodes of the panel (low, high) of the smoothed label."""
    scale = 1.0 / (noise * math.sqrt(2.0 * math.pi))
    for m in range(nodes.size):
        left, right = (high - low) / (1.0 + math.exp(-s[m])), (high - low) / (1.0 + math.exp(s[m]))
        n = nodes[m]
        for a in range(atoms.size):
            gap = left + (low - atoms[a]) if atoms[a] <= low else right + (atoms[a] - high)
            factor = scale * math.exp(-0.5 * (gap / noise) ** 2)
            for c in range(out.shape[1]):
                out[n, c] += factor * atom_values[a, c]
        for j in range(points.size - 1):
            # the panel relative to y
            a = -(left + (low - points[j])) if points[j] <= low else right + (points[j] - high)
            b = -(left + (low - points[j + 1])) if points[j + 1] <= low else right + (points[j + 1] - high)
            start, stop = max(a, -_WINDOW * noise), min(b, _WINDOW * noise)
            if start >= stop or first[j] > last[j]:
                continue
            args = (values[j], first[j], last[j], half, h, weights, noise, scale, inner, out[n])
            if start < 0.0 < stop:
                _integrate(a, b, start, 0.0, *args)
                _integrate(a, b, 0.0, stop, *args)
            else:
                _integrate(a, b, start, stop, *args)


@compiled
def _integrate(
    a: float,
    b: float,
    start: float,
    stop: float,
    values: Array,
    first: int,
    last: int,
    half: int,
    h: float,
    weights: Array,
    noise: float,
    scale: float,
    inner: float,
    out: Array,
) -> None:
    """Add the integral of density times noise over t - y in (start, stop), part of the panel (a, b)."""
    value = np.empty(values.shape[1])
    length = stop - start
    # at a singular end of the panel as far as its power asks, beyond any other end that is close by
    lowest, highest = -_DIGITS, _DIGITS
    if start == a:
        ratio = values[first, 0] / max(values[min(first + 4, last), 0], 1e-300)
        lowest = -_DIGITS / max(1.0 - max(math.log(max(ratio, 1e-300)) / (4 * h), 0.0), 0.2)
    elif start - a < length:
        lowest -= min(math.log(length / (start - a)), 90.0)
    if stop == b:
        ratio = values[last, 0] / max(values[max(last - 4, first), 0], 1e-300)
        highest = _DIGITS / max(1.0 - max(math.log(max(ratio, 1e-300)) / (4 * h), 0.0), 0.2)
    elif b - stop < length:
        highest += min(math.log(length / (b - stop)), 90.0)
    for k in range(math.ceil((highest - lowest) / inner) + 1):
        s = lowest + k * inner
        near, far = length / (1.0 + math.exp(-s)), length / (1.0 + math.exp(s))
        u = start + near if s < 0.0 else stop - far
        measure = inner * near * (far / length) * scale * math.exp(-0.5 * (u / noise) ** 2)
        if interpolate(values, first, last, half, h, near + (start - a), far + (b - stop), weights, value):
            for c in range(out.size):
                out[c] += measure * value[c]
