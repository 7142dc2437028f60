"""F of labels of a continuous coordinate x beside others, v, that enter through finitely many values.

(x, v) ~ N(omega, V) and omega ~ N(0, M). Let mu and S be the mean and covariance of v given x and omega.
Given x, mu is N(0, I - S), whatever x is, and given both omega_x is Gaussian. The integral runs over

    places x on each sheet, mu, and omega_x = M_xx x + b.mu + sqrt(left) xi,

and at each point over the preimages x_j of the label, with probabilities of boxes at mu + a (x_j - x),
a = V_vx/V_xx. These are tabulated once for an M: on the grid of mu where a = 0, else on a finer grid for
interpolation.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array, Integers
from hermite_analytics.foundation.threads import THREADS, in_threads
from hermite_analytics.label.cases.line.preimages import PreimageNodes
from hermite_analytics.label.cases.values.box_moments import BoxMoments
from hermite_analytics.label.cases.values.joint import JointChannel
from hermite_analytics.label.operator import top_eigenvalue
from hermite_analytics.label.symmetries import LabelSymmetry
from hermite_analytics.numeric.bayes.maps.commutant import Commutant
from hermite_analytics.numeric.bayes.maps.gaussian_grid import NOTHING, gaussian_grid, normal_grid
from hermite_analytics.numeric.bayes.maps.joint_atoms import atoms_square
from hermite_analytics.numeric.bayes.maps.shifted_boxes import ShiftedBoxes
from hermite_analytics.numeric.compiled import compiled

__all__ = ["JointMap"]

_NEGLIGIBLE = (1e-12, 1e-15)  # probability of a point
_STABLE = 1e-9  # top eigenvalue below which no alpha makes M = 0 unstable
_BELOW = -45.0  # logarithm of a term, relative to that of the place itself, from which it is left out


@dataclass(frozen=True, slots=True, kw_only=True)
class JointMap:
    """F(M) for any M.

    Attributes
    ----------
    channel : JointChannel
    order : tuple of int
        The rows of M that x and v are.
    mirror : ndarray, shape (q, q), or None
        A symmetry of the label in the order of the channel that changes the sign of x: half of the places
        are enough.
    """

    channel: JointChannel
    order: tuple[int, ...]
    mirror: Array | None = None
    _nodes: dict[int, PreimageNodes] = field(default_factory=dict, init=False, repr=False, compare=False)
    _threshold: list[float] = field(default_factory=list, init=False, repr=False, compare=False)

    @classmethod
    def of(
        cls, channel: JointChannel, order: tuple[int, ...], symmetries: Sequence[LabelSymmetry]
    ) -> JointMap:
        """With the symmetries of the label in the rows of M."""
        places = np.ix_(order, order)
        turned = (s.matrix[places] for s in symmetries)
        return cls(channel=channel, order=order, mirror=next((s for s in turned if s[0, 0] < 0), None))

    @staticmethod
    def takes(order: tuple[int, ...], commutant: Commutant) -> bool:
        """Three coordinates with any M; four where the symmetries leave x apart from the others."""
        main, *hidden = order
        apart = float(np.abs(commutant.basis[:, main][:, hidden]).max(initial=0.0)) < NOTHING
        return len(order) <= 3 or apart

    @property
    def exact_share(self) -> float:
        """The probability of labels that determine x, up to finitely many values."""
        return self.channel.main.continuous_probability

    @property
    def resolution(self) -> float:
        """All of the mean of v is resolved."""
        return 0.1

    @property
    def mass_defect(self) -> float:
        """Of the labels that are no atoms."""
        return abs(float(self.nodes(1).weights.sum()) - self.exact_share)

    @property
    def threshold(self) -> float:
        """1/(top eigenvalue of M -> E[G M G]), G = E[z z^T | y] - I: of M = 0, where E[z | y] = 0; kept.

        All coordinates together: where the label shows products of the continuous one with others, it is
        below the thresholds of each alone.

        Source: arXiv 2405.15480.
        """
        if not self._threshold:
            top = top_eigenvalue(self.channel.main.quadrature())
            self._threshold.append(1 / top if top > _STABLE else math.inf)
        return self._threshold[0]

    def nodes(self, level: int) -> PreimageNodes:
        """The places, found once."""
        if level not in self._nodes:
            self._nodes[level] = self.channel.nodes(level=level, half=self.mirror is not None)
        return self._nodes[level]

    def __call__(self, matrix: Array, *, level: int = 1) -> Array:
        places = np.ix_(self.order, self.order)
        found = self._off_atoms(np.asarray(matrix)[places], level)
        if self.mirror is not None:
            found = 0.5 * (found + self.mirror @ found @ self.mirror.T)
        if self.channel.main.atoms():
            found = found + atoms_square(self.channel, self._boxes(), np.asarray(matrix)[places], level=level)
        result = np.empty_like(found)
        result[places] = found
        return result

    @property
    def _log_chances(self) -> Array:
        """Logarithms of the probabilities of the sheets."""
        return np.log([s.probability for s in self.channel.main.sheets])

    def _boxes(self) -> BoxMoments:
        return BoxMoments.of_tables(self.channel.edges, self.channel.tables(), np.zeros(0, dtype=np.int64))

    def _off_atoms(self, m: Array, level: int) -> Array:
        nodes = self.nodes(level)
        size = 1.0 - float(m[0, 0])
        along = -m[1:, 0] / size
        unknown, axes = np.linalg.eigh(np.eye(len(along)) - m[1:, 1:] - size * np.outer(along, along))
        unknown = np.clip(unknown, 0.0, 1.0)
        known = 1.0 - unknown
        mu, mu_weights = gaussian_grid(known, axes, np.sqrt(unknown), level)
        inverse = np.where(known > NOTHING, 1 / np.maximum(known, NOTHING), 0.0)
        slope = (axes * inverse) @ axes.T @ m[1:, 0]
        left = max(size * float(m[0, 0]) - float(m[1:, 0] @ slope), 0.0)
        xi, xi_weights = normal_grid(1.0, level) if left > NOTHING else (np.zeros(1), np.ones(1))
        boxes = ShiftedBoxes(boxes=self._boxes(), variance=(axes * unknown) @ axes.T, mu=mu)
        log_slopes = nodes.log_weights - self._log_chances[nodes.sheet]
        steep = np.take_along_axis(log_slopes, nodes.own[:, None], axis=1)
        log_ratios = np.where(nodes.present, log_slopes - steep, -np.inf)
        np.put_along_axis(log_ratios, nodes.own[:, None], -np.inf, axis=1)
        rows, tables, slopes = boxes.tables(nodes, log_ratios, along)
        arguments = (
            nodes.place,
            nodes.weights * np.exp(-self._log_chances[nodes.sheet[nodes.own]]),
            nodes.points,
            log_ratios,
            rows,
            tables,
            slopes,
            mu @ slope,
            mu_weights,
            math.sqrt(left) * xi,
            xi_weights,
            float(m[0, 0]),
            _NEGLIGIBLE[level],
        )
        parts = [np.arange(k, len(nodes.place), THREADS) for k in range(THREADS)]
        square = np.asarray(sum(in_threads(lambda part: _sums(part, *arguments), parts)))
        to_all = np.eye(len(m))
        to_all[0, 1:] = -along
        return np.asarray(to_all @ square @ to_all.T)


@compiled
def _sums(
    part: Integers,
    place: Array,
    weights: Array,
    points: Array,
    log_ratios: Array,
    rows: Integers,
    tables: Array,
    slopes: Array,
    shift: Array,
    mu_weights: Array,
    xi: Array,
    xi_weights: Array,
    overlap: float,
    negligible: float,
) -> Array:
    """E[h h^T] of h = (E[x - omega_x | y]/V_xx, E[b | y]), b the gradient of log B.

    rows[n, 0] is the table of the place itself and rows[n, 1 + j] that of its j-th other preimage; -1 where
    there is none.
    """
    v = 1.0 - overlap
    p = slopes.shape[2]
    result = np.zeros((p + 1, p + 1))
    s = np.empty(p + 1)
    for n in part:
        own = rows[n, 0]
        for t in range(len(mu_weights)):
            here = weights[n] * mu_weights[t] * tables[own, t]
            if here < negligible:
                continue
            for e in range(len(xi)):
                w = here * xi_weights[e]
                if w < negligible:
                    continue
                omega = overlap * place[n] + shift[t] + xi[e]
                d_own = place[n] - omega
                z = tables[own, t]
                s[0] = z * d_own / v
                for i in range(p):
                    s[1 + i] = slopes[own, t, i]
                for j in range(points.shape[1]):
                    row = rows[n, 1 + j]
                    if row < 0:
                        continue
                    d = points[n, j] - omega
                    exponent = log_ratios[n, j] - 0.5 * (d - d_own) * (d + d_own) / v
                    if exponent < _BELOW:
                        continue
                    factor = math.exp(exponent)
                    term = factor * tables[row, t]
                    z += term
                    s[0] += term * d / v
                    for i in range(p):
                        s[1 + i] += factor * slopes[row, t, i]
                w /= z * z
                for a in range(p + 1):
                    for b in range(a + 1):
                        result[a, b] += w * s[a] * s[b]
    for a in range(p + 1):
        for b in range(a):
            result[b, a] = result[a, b]
    return result
