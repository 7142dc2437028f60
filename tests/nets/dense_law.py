"""The law of a label on dense points, in bins of the label: a reference that shares no code with the library.

Points: Gauss-Legendre nodes for the known coordinates x; for the unknown coordinates w and the noise,
`REPLICATES` independently scrambled Sobol sequences through the quantile of a wider normal law, with the
weights that this asks for. For each x the labels are sorted: a value that many points share is an atom, and
the rest is cut into bins of equal width in the normal score of its rank. With m_b = E[He_S(w) 1_b] and
p_b = P(b), sums of m_b^2/p_b are at most those of the label itself, for bins tell less than the label
(Jensen), and grow to them as the bins are halved. Products of two different replicates are free of the bias
of squares; the spread over the pairs of replicates is the noise.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import special
from scipy.stats import qmc

Array = NDArray[np.float64]
Label = Callable[[Array], Array]  # rows z1, ..., zr, xi to labels

REPLICATES = 4
PAIRS = list(itertools.combinations(range(REPLICATES), 2))
_FEWEST = 40  # points that an atom holds
_DIGITS = 10  # to which the labels of an atom agree
_REACH = 4.2  # normal score beyond which bins end: 1.3e-5 of the continuous part at each end
_WIDE = 1.5  # standard deviation of the points
_EDGES = np.array([-5.5, -4, -3, -2.5, -2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2, 2.5, 3, 4, 5.5])


@dataclass(frozen=True)
class Cells:
    """Moments in the cells of one x: `sums` (indices, replicates, cells), the atoms after the bins."""

    weight: float
    bins: int
    probabilities: Array
    sums: Array

    def halved(self) -> Cells:
        """Two bins made one; atoms stay."""

        def paired(a: Array) -> Array:
            joined = a[..., 0 : self.bins : 2] + a[..., 1 : self.bins : 2]
            return np.concatenate([joined, a[..., self.bins :]], axis=-1)

        return Cells(self.weight, self.bins // 2, paired(self.probabilities), paired(self.sums))


@dataclass(frozen=True)
class DenseLaw:
    """The label given some coordinates.

    Parameters
    ----------
    label : callable
    known, unknown : (u, r) and (r - u, r) arrays
        Orthonormal rows, together a basis.
    noisy : bool
        Whether the label looks at its last row.
    points : int
        In all.
    breaks : tuple of float
        Where panels of a single known coordinate end besides the multiples of 1/2.
    """

    label: Label
    known: Array
    unknown: Array
    noisy: bool
    points: int = 2**20
    seed: int = 0
    breaks: tuple[float, ...] = ()
    _kept: dict[int, list[Cells]] = field(default_factory=dict, repr=False)

    @cached_property
    def outer(self) -> tuple[Array, Array]:
        """Nodes (u, n) of x and their weights."""
        count = len(self.known)
        if count == 0:
            return np.zeros((0, 1)), np.ones(1)
        edges = np.unique([*_EDGES, *self.breaks]) if count == 1 else _EDGES[::2]
        node, weight = np.polynomial.legendre.leggauss(4 if count == 1 else 2)
        half, centre = np.diff(edges) / 2, (edges[1:] + edges[:-1]) / 2
        x = (centre + half * node[:, None]).ravel()
        w = (half * weight[:, None]).ravel() * np.exp(-x * x / 2)
        weights = np.prod(list(itertools.product(w, repeat=count)), axis=1)
        keep = weights > 1e-7 * weights.sum()
        nodes = np.array(list(itertools.product(x, repeat=count))).T[:, keep]
        return nodes, weights[keep] / weights[keep].sum()

    @property
    def outer_error(self) -> float:
        """Relative, of sums over x: small where panels end at the kinks, those of a single axis."""
        axes = np.abs(self.known).max(axis=1, initial=0.0) > 1 - 1e-12 if len(self.known) else np.ones(0)
        return 2e-3 if len(self.known) < 2 and np.all(axes) else 1e-2

    @cached_property
    def inner(self) -> tuple[Array, Array]:
        """Unknown coordinates and noise, (coordinates, replicates, points), and weights of sum 1."""
        each = 2 ** int(math.log2(self.points / REPLICATES / len(self.outer[1])))
        width = len(self.unknown) + self.noisy
        drawn = []
        for replicate in range(REPLICATES):
            sobol = qmc.Sobol(width, scramble=True, rng=np.random.default_rng([self.seed, replicate]))
            drawn.append(_WIDE * special.ndtri(np.clip(sobol.random(each).T, 1e-12, 1 - 1e-12)))
        points = np.stack(drawn, axis=1)
        weights = np.exp(-(points**2).sum(axis=0) * (1 - _WIDE**-2) / 2)
        return points, weights / weights.sum(axis=1, keepdims=True)

    def labels(self) -> Iterator[tuple[float, Array, Array]]:
        """For every x: its weight, and z (r + 1, replicates, points) with its labels."""
        width = len(self.unknown)
        points = self.inner[0]
        noise = points[width:] if self.noisy else np.zeros((1, *points.shape[1:]))
        moving = np.tensordot(self.unknown.T, points[:width], axes=1)
        for x, weight in zip(self.outer[0].T, self.outer[1], strict=True):
            z = np.concatenate([moving + (self.known.T @ x)[:, None, None], noise])
            y = self.label(z.reshape(len(z), -1)).reshape(z.shape[1:])
            yield weight, z, y

    def cells(self, degree: int) -> list[Cells]:
        """Moments of He_S(w), |S| = degree, in the finest cells."""
        if degree not in self._kept:
            self._tabulate(degree)
        return self._kept[degree]

    def _tabulate(self, degree: int) -> None:
        """Of one degree, and of degrees 1 and 2 together."""
        degrees = (1, 2) if degree < 3 else (degree,)
        share = self.inner[1]
        values = {k: [h * share for h in self.hermite(k)] for k in degrees}
        for k in degrees:
            self._kept[k] = []
        for weight, _, y in self.labels():
            bins = 256 if y.size >= 2**19 else 64
            owner, count = cell_numbers(y, share, bins)
            replicate = np.arange(REPLICATES)[:, None] * count
            p = np.bincount(owner.ravel(), share.ravel(), minlength=count) / REPLICATES
            for k in degrees:
                table = [np.bincount((owner + replicate).ravel(), h.ravel()) for h in values[k]]
                padded = [np.append(row, np.zeros(REPLICATES * count - len(row))) for row in table]
                sums = np.reshape(padded, (len(table), REPLICATES, count))
                self._kept[k].append(Cells(weight, bins, p, sums))

    def coefficients(self, indices: list[tuple[int, ...]]) -> tuple[Array, Array]:
        """E[He_S(z) y] and then E y^2, of the law that knows nothing, with an error.

        12 standard errors of the mean of the replicates (two-sided 1.2e-3 of Student's t with 3 degrees of
        freedom) and 1e-3 of the norm, ten times the error of so many points: a false alarm asks for both.
        """
        [(_, z, y)] = self.labels()
        share = self.inner[1]
        powers = [[special.eval_hermitenorm(k, x) for k in range(max(map(max, indices)) + 1)] for x in z]
        rows = [np.prod([powers[i][k] for i, k in enumerate(s)], axis=0) for s in indices]
        found = np.array([(share * y * h).sum(axis=1) for h in [*rows, y]])
        sizes = [math.sqrt(math.prod(map(math.factorial, s))) for s in indices]
        norm = math.sqrt(found[-1].mean())
        error = 6 * found.std(axis=1, ddof=1) + 1e-3 * np.array([*(norm * k for k in sizes), norm**2])
        return found.mean(axis=1), error

    def hermite(self, degree: int) -> list[Array]:
        """He_S(w) at the points, |S| = degree, in the order of `multi_indices`."""
        w = self.inner[0][: len(self.unknown)]
        powers = [[special.eval_hermitenorm(k, x) for k in range(degree + 1)] for x in w]
        indices = multi_indices(len(w), degree)
        return [np.prod([powers[i][k] for i, k in enumerate(s)], axis=0) for s in indices]


def cell_numbers(y: Array, share: Array, bins: int) -> tuple[NDArray[np.intp], int]:
    """The cell of each label, bins first and atoms after them, and the number of cells."""
    scale = np.median(np.abs(y)) or np.abs(y).max() or 1.0
    rounded = np.round(y.ravel() / scale, _DIGITS)
    _, which, sizes = np.unique(rounded, return_inverse=True, return_counts=True)
    is_atom = sizes >= max(_FEWEST, y.size // 20_000)
    loose = np.where(is_atom, 0.0, np.bincount(which, share.ravel()))
    below = np.cumsum(loose) - loose / 2
    score = special.ndtri(np.clip(below / max(loose.sum(), 1e-300), 1e-9, 1 - 1e-9))
    number = np.clip(np.floor((score + _REACH) * bins / (2 * _REACH)), 0, bins - 1).astype(np.intp)
    number[is_atom] = bins + np.arange(is_atom.sum())
    return number[which].reshape(y.shape), bins + int(is_atom.sum())


def multi_indices(width: int, degree: int) -> list[tuple[int, ...]]:
    """S with |S| = degree."""
    return [s for s in itertools.product(range(degree + 1), repeat=width) if sum(s) == degree]


def complement(rows: Array, dimension: int) -> Array:
    """Orthonormal rows that complete the rows."""
    if not len(rows):
        return np.eye(dimension)
    basis = np.linalg.svd(rows)[2][len(rows) :]
    return np.where(np.abs(basis) < 1e-14, 0.0, basis)


def orthonormal(rows: Array) -> Array:
    """Orthonormal rows of the same span; those that are axes stay axes."""
    return np.linalg.qr(rows.T)[0].T if len(rows) else rows
