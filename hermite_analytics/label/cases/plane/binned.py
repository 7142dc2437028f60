"""Labels of two coordinates without structure: the law of the label in bins, from cells of a polar grid.

For bins B_k of the label, sum_k m_k (x) m_k / p_k with p_k = P(y in B_k), m_k = E[(w w^T - I) 1{y in B_k}]
is the operator of the label rounded to its bin: never above that of the label, and close to it. On a cell
the label is taken as linear, so that its law there is the sum of two uniform ones; the moments of the cell
are in closed form. No density, critical point or kink is looked for, and labels of positive probability are
bins of their own.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.label.cases.values.noisy import under_noise
from hermite_analytics.label.compiled import compiled
from hermite_analytics.label.operator import operator_matrix
from hermite_analytics.label.quadrature import LabelQuadrature

__all__ = ["binned_label", "extrapolated_operator"]

Array = NDArray[np.float64]

_FARTHEST = 8.3
_RADII = 2.4  # cells along a ray, for each ray
_SAME = 1e-9  # relative distance of labels that count as one
_RARE = 1e-14  # probability of a bin that is left out
_SAFETY = 5.0
_SAFETY_OF_ATOMS = 10.0  # the cells that a jump cuts are many or few by chance
_MOMENTS = 4  # 1, w1^2 - 1, w1 w2, w2^2 - 1
_CHANNELS = 5  # these, and the label


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cells:
    """Cells of the plane: the label in the middle, its changes across, and the moments."""

    middle: Array
    wide: Array
    narrow: Array
    moments: Array


def binned_label(
    value: Callable[[Array], Array], *, rays: int, bins: int, noise: float = 0.0
) -> tuple[LabelQuadrature, LabelQuadrature, bool]:
    """(the law of a label rounded to bins, and to pairs of these, whether it has atoms).

    Parameters
    ----------
    value : function of points (n, 2)
    rays : int
        The error of the cells is O(1/rays^2).
    bins : int
        Even; the error of the rounding is O(1/bins^2), so that (4 fine - coarse)/3 of what is linear in the
        operator is better than either.
    noise : float
        Standard deviation of what is added to the label once it is rounded.

    Examples
    --------
    >>> from hermite_analytics.label.operator import top_eigenvalue
    >>> fine, coarse, _ = binned_label(lambda w: w[:, 0] * w[:, 1], rays=128, bins=64)
    >>> top_eigenvalue(coarse) < top_eigenvalue(fine) < 1 / 0.59375
    True
    """
    cells, atoms = _cells(value, rays)
    fine = _in_bins(cells, bins)
    coarse = fine.reshape(-1, 2, _CHANNELS).sum(1)
    first, second = (_law(b, atoms, noise) for b in (fine, coarse))
    return first, second, len(atoms) > 0


def extrapolated_operator(
    value: Callable[[Array], Array], *, rays: int, bins: int, noise: float = 0.0
) -> tuple[Array, float]:
    """(the matrix of M -> E[G M G], its error: five times, beside atoms ten times, what was extrapolated).

    With a standard deviation of additive noise, that of the noisy label: bins are put to their mean label.

    From cells of two sizes, whose error is quadratic, with labels of positive probability linear; and from
    bins of two widths. Where the density is singular the orders are lower.

    Examples
    --------
    >>> matrix, _ = extrapolated_operator(lambda w: w[:, 0] * w[:, 1], rays=64, bins=600)
    >>> round(float(1 / np.linalg.eigvalsh(matrix)[-1]), 4)
    0.5938
    """
    (coarse, _, _), (fine, rounding, atoms) = (_operators(value, n, bins, noise) for n in (rays, 2 * rays))
    correction = (fine - coarse) if atoms else (fine - coarse) / 3
    safety = _SAFETY_OF_ATOMS if atoms else _SAFETY
    error = safety * (np.linalg.norm(correction, 2) + np.linalg.norm(rounding, 2))
    return fine + correction, float(error)


def _operators(
    value: Callable[[Array], Array], rays: int, bins: int, noise: float
) -> tuple[Array, Array, bool]:
    """(the operator, what was added for the rounding to bins, whether there are atoms)."""
    *laws, has_atoms = binned_label(value, rays=rays, bins=bins, noise=noise)
    by_fine, by_coarse = map(operator_matrix, laws)
    rounding = (by_fine - by_coarse) / 3
    return by_fine + rounding, rounding, has_atoms


def _cells(value: Callable[[Array], Array], rays: int) -> tuple[_Cells, Array]:
    """The cells of a polar grid, those of one label put together as atoms."""
    theta = 2 * math.pi * (np.arange(rays + 1) + 0.317) / rays
    radii = np.linspace(0, _FARTHEST, int(_RADII * rays) + 1)
    units = np.stack([np.cos(theta), np.sin(theta)], 1)
    labels = value((np.maximum(radii, 1e-9)[:, None, None] * units).reshape(-1, 2)).reshape(len(radii), -1)
    along = (np.diff(labels, axis=0)[:, :-1] + np.diff(labels, axis=0)[:, 1:]) / 2
    across = (np.diff(labels, axis=1)[:-1] + np.diff(labels, axis=1)[1:]) / 2
    middle = (labels[:-1, :-1] + labels[1:, :-1] + labels[:-1, 1:] + labels[1:, 1:]) / 4
    y = middle.ravel()
    moments = _moments(radii, theta).reshape(-1, _MOMENTS)
    moments = np.column_stack([moments, moments[:, 0] * y])
    a, b = np.abs(along).ravel(), np.abs(across).ravel()
    flat = a + b <= _SAME * np.maximum(1e-3, np.abs(y))
    atoms, values = _atoms(y[flat], moments[flat])
    kept = ~flat
    if len(values):
        kept |= np.abs(y[:, None] - values).min(1) > _SAME * np.maximum(1.0, np.abs(y))
    found = _Cells(
        middle=y[kept], wide=np.maximum(a, b)[kept], narrow=np.minimum(a, b)[kept], moments=moments[kept]
    )
    return found, atoms


def _moments(radii: Array, theta: Array) -> Array:
    """E[(1, w1^2 - 1, w1 w2, w2^2 - 1); cell], shape (radii, rays, 4)."""
    tail = np.exp(-(radii**2) / 2)
    mass, square = -np.diff(tail), -np.diff(tail * (radii**2 + 2))  # int r e^(-r^2/2), int r^3 e^(-r^2/2)
    angle = np.diff(theta) / (2 * math.pi)
    even, odd = np.diff(np.sin(2 * theta)) / (8 * math.pi), -np.diff(np.cos(2 * theta)) / (8 * math.pi)
    whole = np.empty((len(mass), len(angle), _MOMENTS))
    whole[..., 0] = np.outer(mass, angle)
    whole[..., 1] = np.outer(square, angle / 2 + even) - whole[..., 0]
    whole[..., 2] = np.outer(square, odd)
    whole[..., 3] = np.outer(square, angle / 2 - even) - whole[..., 0]
    return whole


def _atoms(labels: Array, moments: Array) -> tuple[Array, Array]:
    """(moments, values) of labels of cells without a slope that together carry probability."""
    order = np.argsort(labels)
    labels, moments = labels[order], moments[order]
    ends = np.flatnonzero(np.diff(labels) > _SAME * np.maximum(1.0, np.abs(labels[1:]))) + 1
    groups = zip(np.split(labels, ends), np.split(moments, ends), strict=True)
    found = [(float(v.mean()), c.sum(0)) for v, c in groups if len(v) and c[:, 0].sum() > 1e-7]
    return np.array([c for _, c in found]).reshape(-1, _CHANNELS), np.array([v for v, _ in found])


def _in_bins(cells: _Cells, bins: int) -> Array:
    """The moments of each bin, and its mean label times its probability."""
    found = np.zeros((bins, _CHANNELS))
    if len(cells.middle):
        _share_out(_edges(cells, bins), cells.middle, cells.wide, cells.narrow, cells.moments, found)
    return found


@compiled
def _share_out(edges: Array, middle: Array, wide: Array, narrow: Array, moments: Array, out: Array) -> None:
    """Add to each bin its share of each cell: the law of a sum of two uniform variables."""
    bins = len(edges) - 1
    for n in range(len(middle)):
        a, b = wide[n], narrow[n]
        half, inner = (a + b) / 2, (a - b) / 2
        k = min(max(np.searchsorted(edges, middle[n] - half) - 1, 0), bins - 1)
        before = 0.0
        while before < 1.0:
            t = edges[k + 1] - middle[n]
            if k == bins - 1 or t >= half:
                below = 1.0
            elif t <= -half:
                below = 0.0
            elif abs(t) <= inner or b <= 1e-9 * a:
                below = min(max(0.5 + t / a, 0.0), 1.0)
            else:
                corner = (half - abs(t)) ** 2 / (2 * a * b)
                below = corner if t < 0.0 else 1.0 - corner
            for c in range(out.shape[1]):
                out[k, c] += (below - before) * moments[n, c]
            before = below
            k += 1


def _edges(cells: _Cells, bins: int) -> Array:
    """Quantiles of the label, closer together in both tails."""
    order = np.argsort(cells.middle)
    mass = np.cumsum(cells.moments[order, 0])
    share = np.sin(np.linspace(0, math.pi / 2, bins + 1)[1:-1]) ** 2
    inner = np.interp(share * mass[-1], mass, cells.middle[order])
    reach = (cells.wide + cells.narrow) / 2
    return np.concatenate([[(cells.middle - reach).min()], inner, [(cells.middle + reach).max()]])


def _law(binned: Array, atoms: Array, noise: float) -> LabelQuadrature:
    """With bins put to their mean label, and noise added."""
    moments = np.concatenate([binned, atoms])
    moments = moments[moments[:, 0] > _RARE]
    mass = moments[:, 0]
    second = (moments[:, [1, 2, 2, 3]] / mass[:, None]).reshape(-1, 2, 2)
    law = LabelQuadrature(weights=mass, first=np.zeros((len(mass), 2)), second=second)
    return under_noise(moments[:, 4] / mass, law, noise) if noise else law
