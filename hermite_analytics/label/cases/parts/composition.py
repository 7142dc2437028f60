"""The law of y = h(t) from that of a label t, for a piecewise monotone h: densities add over preimages."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.label.cases.parts.branches import (
    Branch,
    Term,
    branch_between,
    singular_values,
)
from hermite_analytics.label.cases.parts.density import LabelDensity, atoms_of, distinct, grid
from hermite_analytics.label.cases.parts.interpolation import Table, interpolate
from hermite_analytics.label.compiled import compiled

__all__ = ["composed_density"]

_RARE = 1e-19  # probability of the outermost parts that are left out


def composed_density(outer: Term, density: LabelDensity, *, extra: Sequence[float] = ()) -> LabelDensity:
    """The law of y = h(t) and of w given y.

    Parameters
    ----------
    outer : Term
        h: its `points` are all critical points, kinks and jumps in the range of t (no cut at 8.8 here).
    density : LabelDensity
        Of t.
    extra : sequence of float
        Values at which panels are to end besides the singular values (0, if factors follow).

    Examples
    --------
    >>> import numpy as np
    >>> from hermite_analytics.label.cases.parts.branches import term_density
    >>> from hermite_analytics.label.cases.parts.convolution import multiplied
    >>> identity = Term(value=lambda w: 1.0 * w, derivative=np.ones_like)
    >>> factor = term_density(identity, level=2, extra=(0.0,))
    >>> square = Term(value=np.square, derivative=lambda t: 2 * t, points=[0.0])
    >>> law = composed_density(square, multiplied(factor, factor))
    >>> y, values = law.labels()
    >>> round(float(y @ values[:, 0]), 7)
    1.0
    """
    low, high = _range(density)
    cuts = distinct([*density.points, *outer.points])
    pieces = [
        (i, branch_between(outer, a, b))
        for a, b in itertools.pairwise(cuts.tolist())
        for i in [int(np.searchsorted(density.points, 0.5 * (a + b))) - 1]
        if 0 <= i < len(density.points) - 1 and b > low and a < high and _occupied(density, i)
    ]
    atoms, atom_values = _atoms(outer, density, pieces)
    moving = [(i, b) for i, b in pieces if b.from_bottom is not None]
    own = singular_values([b for _, b in moving]) if moving else np.zeros(1)
    points = distinct([*own, *(v for v in extra if own[0] < v < own[-1])])
    s = grid(density.step)
    values = np.zeros((len(points) - 1, len(s), density.values.shape[2]))
    for i, branch in moving:
        _add(branch, density, i, points, values)
    return LabelDensity(points=points, values=values, atoms=atoms, atom_values=atom_values, step=density.step)


def _occupied(density: LabelDensity, i: int) -> bool:
    return bool(density.first_node[i] <= density.last_node[i])


def _range(density: LabelDensity) -> tuple[float, float]:
    """The labels between which all but a negligible probability lies."""
    y, values = density.labels()
    y, p = y[: len(y) - len(density.atoms)], values[: len(y) - len(density.atoms), 0]
    if not len(y):
        return 0.0, 0.0
    kept = (np.cumsum(p) > _RARE) & (np.cumsum(p[::-1])[::-1] > _RARE)
    return float(y[kept].min()), float(y[kept].max())


def _atoms(outer: Term, density: LabelDensity, pieces: Sequence[tuple[int, Branch]]) -> tuple[Array, Array]:
    """Images of atoms, and constant parts of h."""
    labels = outer.value(density.atoms) if len(density.atoms) else density.atoms
    found = list(zip(labels, density.atom_values, strict=True))
    for _, branch in pieces:
        if branch.from_bottom is None:
            found.append((branch.bottom, _content(density, branch.low, branch.high)))
    return atoms_of(found, density.values.shape[2])


def _content(density: LabelDensity, low: float, high: float) -> Array:
    """All channels integrated over low < t < high, within one panel."""
    identity = Term(value=lambda t: 1.0 * t, derivative=np.ones_like)
    i = int(np.searchsorted(density.points, 0.5 * (low + high))) - 1
    points = np.array([low, high])
    s = grid(density.step)
    table = np.zeros((1, len(s), density.values.shape[2]))
    _add(branch_between(identity, low, high), density, i, points, table)
    weights = (high - low) * density.step / (2 + np.exp(s) + np.exp(-s))
    return np.asarray(weights @ table[0])


def _add(branch: Branch, density: LabelDensity, i: int, points: Array, values: Array) -> None:
    """Add the image of the part of the density on a branch, which lies in its panel i."""
    assert branch.from_bottom is not None and branch.from_top is not None
    s = grid(density.step)
    first, last = (int(np.argmin(np.abs(points - v))) for v in (branch.bottom, branch.top))
    if last <= first:  # the values at both ends are one number to rounding; the mass shows what is lost
        return
    lengths = np.diff(points)[first:last, None]
    below = (lengths / (1 + np.exp(-s)) + (points[first:last] - points[first])[:, None]).ravel()
    above = (lengths / (1 + np.exp(s)) + (points[last] - points[first + 1 : last + 1])[:, None]).ravel()
    lower = below <= above
    left, right, slope = np.empty((3, len(below)))
    start, end = branch.low - density.points[i], density.points[i + 1] - branch.high
    for side, mask, target in ((branch.from_bottom, lower, below), (branch.from_top, ~lower, above)):
        h, slope[mask] = side.invert(target[mask])
        rest = (branch.high - branch.low) - h
        left[mask], right[mask] = (h + start, rest + end) if side.direction > 0 else (rest + start, h + end)
    found = np.zeros((len(below), values.shape[2]))
    _evaluate(density.table(i), left, right, slope, found)
    values[first:last] += found.reshape(last - first, len(s), -1)


@compiled
def _evaluate(table: Table, left: Array, right: Array, slope: Array, out: Array) -> None:
    """The density at distances from the ends of its panel, over the slope."""
    for n in range(left.size):
        if interpolate(table, left[n], right[n], out[n]):
            for c in range(out.shape[1]):
                out[n, c] /= slope[n]
        else:
            for c in range(out.shape[1]):
                out[n, c] = 0.0
