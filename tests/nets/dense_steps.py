"""What a dense law says of the steps: strengths of orders, directions, thresholds."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np

from tests.nets.dense_law import PAIRS, Array, Cells, DenseLaw, multi_indices

FLOOR = 3e-4  # strengths below are not told from 0
_NOISE = 12.0  # times the spread over the pairs
_SECOND_ORDER = 0.3  # at most, of one step in the one before; 1/4 in the limit of fine bins
_WORST = 0.1  # relative error of a threshold that is still used


@dataclass(frozen=True)
class Strength:
    """lambda_k^2 = E |E[He_k(w)/sqrt(k!) | Y, x]|^2, as a Gram matrix over the slots, and its noise."""

    gram: Array
    noise: float

    def along(self, rows: Array) -> float:
        """The largest eigenvalue on the span of the rows (orthonormal, in the coordinates of w)."""
        return float(np.linalg.eigvalsh(rows @ self.gram @ rows.T)[-1]) if len(rows) else 0.0

    @property
    def tolerance(self) -> float:
        return FLOOR + _NOISE * self.noise


@dataclass(frozen=True)
class DenseThreshold:
    """alpha_c with its error; `most` is an upper bound that needs no limit of fine bins."""

    value: float
    error: float
    most: float


def tensors(cells: Cells, degree: int, width: int) -> Array:
    """(width, ..., width, replicates, cells): E[He_k(w) 1_b], the symmetric tensor."""
    indices = multi_indices(width, degree)
    rows = [
        indices.index(tuple(axes.count(i) for i in range(width)))
        for axes in itertools.product(range(width), repeat=degree)
    ]
    return cells.sums[rows].reshape((width,) * degree + cells.sums.shape[1:])


def strength(law: DenseLaw, degree: int) -> Strength:
    """Of one order: bins tell less than the label, so a value far above its noise is proof of the order."""
    width = len(law.unknown)
    pairs = np.zeros((len(PAIRS), width, width))
    for cells in law.cells(degree):
        t = tensors(cells, degree, width).reshape(width, -1, *cells.sums.shape[1:])
        inverse = cells.weight / np.maximum(cells.probabilities, 1e-300)
        for i, (a, b) in enumerate(PAIRS):
            pairs[i] += np.einsum("ikc,jkc,c->ij", t[:, :, a], t[:, :, b], inverse)
    pairs = (pairs + pairs.transpose(0, 2, 1)) / 2 / math.factorial(degree)
    return Strength(pairs.mean(axis=0), float(np.abs(pairs - pairs.mean(axis=0)).sum(axis=(1, 2)).max()))


def threshold(law: DenseLaw) -> DenseThreshold | None:
    """1 / top eigenvalue of M -> E[G M G], extrapolated in the bins; None where that is too rough.

    The extrapolation is that of an error of second order in the width of the bins. The stated error is three
    times what it adds, which also covers an error of first order (that of a density with logarithms or jumps
    inside), 4 spreads over the pairs of replicates (the standard error is about a half of one spread), and a
    part of the value: 0.002, or 0.01 where kinks in the known coordinates do not lie on ends of panels. Where
    wider bins do not show the second order, the last step may be small by chance, as where a density jumps
    or is unbounded inside one bin (sqrt(1+z1**2)+sign(xi)): the step before counts then.
    """
    width = len(law.unknown)
    levels = [law.cells(2)]
    for _ in range(3):
        levels.append([c.halved() for c in levels[-1]])
    fine, *wider = (_operators(cells, width) for cells in levels)
    vector = np.linalg.eigh(fine.mean(axis=0))[1][:, -1]
    top, before, first, widest = (float(np.linalg.eigvalsh(o.mean(axis=0))[-1]) for o in (fine, *wider))
    noise = float(np.std(vector @ fine @ vector))
    if not top > 0:
        return None
    limit = top + (top - before) / 3
    earlier = before + (before - first) / 3
    irregular = abs(before - first) > _SECOND_ORDER * abs(first - widest)
    steps = abs(limit - earlier), abs(limit - top), irregular * abs(before - first)
    error = 3 * max(steps) + 4 * noise + law.outer_error * limit
    if error > _WORST * limit:
        return DenseThreshold(math.nan, math.inf, 1 / max(1e-300, top * 0.99 - 6 * noise))
    return DenseThreshold(1 / limit, error / limit**2 * 1.1, 1 / (top * 0.99 - 6 * noise))


def _operators(table: list[Cells], width: int) -> Array:
    """M -> E[G M G] on symmetric matrices, for each pair of replicates."""
    kernel = np.zeros((len(PAIRS),) + (width,) * 4)
    for cells in table:
        g = tensors(cells, 2, width)
        inverse = cells.weight / np.maximum(cells.probabilities, 1e-300)
        for i, (a, b) in enumerate(PAIRS):
            kernel[i] += np.einsum("ijc,klc,c->ijkl", g[:, :, a], g[:, :, b], inverse)
    basis = []
    for i in range(width):
        for j in range(i, width):
            e = np.zeros((width, width))
            e[i, j] = e[j, i] = 1.0 if i == j else math.sqrt(0.5)
            basis.append(e)
    found = np.einsum("aij,bkl,pjkli->pab", basis, basis, kernel)
    return (found + found.transpose(0, 2, 1)) / 2
