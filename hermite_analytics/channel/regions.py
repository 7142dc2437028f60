"""Parts of the plane between straight lines, each with one label: Gaussian moments at any omega and V.

In units of the standard deviations, u = L^-1 (w - omega), lines stay lines. Their directions depend on V
only: the axes are turned so that none is steep, the moments along the second axis are closed, and those along
the first smooth between the points where lines cross.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.channel.whitened import away_from_lines, from_whitened
from hermite_analytics.thresholds.engines.compiled import compiled
from hermite_analytics.thresholds.engines.patches import cut

__all__ = ["Regions", "regions_of"]

Array = NDArray[np.float64]
Integers = NDArray[np.int64]
Function = Callable[[Array], Array]

MOST_LINES = 12
_HALF_WIDTH = 12.0  # of the square whose cells are looked at
_FLAT = 1e-13  # relative range of a constant
_SAME = 1e-11
_THREADS = 2
_REACH = 9.5  # standard deviations
_PANEL = 2.2
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(14)


@dataclass(frozen=True, slots=True, kw_only=True)
class Regions:
    """Labels that are taken on whole cells between lines.

    Attributes
    ----------
    lines : ndarray, shape (m, 3)
        a w1 + b w2 = c.
    values : ndarray, shape (k,)
        The labels, in increasing order.
    table : ndarray of int, shape (2**m,)
        The index of the label on the cell where a w1 + b w2 > c for the lines of the bits that are set; -1
        where there is no cell, or the label is not constant.
    """

    lines: Array
    values: Array
    table: Integers

    def moments(self, codes: Integers, omega: Array, variance: Array) -> tuple[Array, Array, Array]:
        """(log Z, g_out, -d g_out/d omega), Z the probability of the label of each sample.

        Parameters
        ----------
        codes : ndarray of int, shape (n,)
            Indices of labels.
        omega : ndarray, shape (n, 2)
        variance : ndarray, shape (2, 2)
        """
        factor = np.asarray(np.linalg.cholesky(variance), dtype=np.float64)
        forms = self.lines[:, :2] @ factor
        turn = away_from_lines(forms)
        turned = forms @ turn
        offsets = self.lines[:, 2] - omega @ self.lines[:, :2].T
        sums = np.empty((len(codes), 6))

        def evaluate(part: slice) -> None:
            _region_sums(turned, offsets[part], self.table, codes[part], _NODES, _WEIGHTS, sums[part])

        middle = len(codes) // 2
        with ThreadPoolExecutor(_THREADS) as pool:
            list(pool.map(evaluate, [slice(0, middle), slice(middle, len(codes))]))
        z = sums[:, 0]
        with np.errstate(divide="ignore", invalid="ignore"):
            log_z = np.where(z > 0, np.log(z), -np.inf)
            mean = np.where(z[:, None] > 0, sums[:, 1:3] / z[:, None], 0.0) @ turn.T
            second = np.where(z[:, None, None] > 0, sums[:, [[3, 4], [4, 5]]] / z[:, None, None], np.eye(2))
        return from_whitened(log_z, mean, turn @ second @ turn.T, factor)


def regions_of(value: Function, lines: Sequence[Sequence[float]]) -> Regions | None:
    """The cells on which a function of points (n, 2) is constant; None with more than 12 lines.

    Examples
    --------
    >>> found = regions_of(lambda w: np.maximum(w, 0).prod(1), [(1, 0, 0), (0, 1, 0)])
    >>> found.values.tolist(), found.table.tolist()
    ([0.0], [0, 0, 0, -1])
    """
    if len(lines) > MOST_LINES:
        return None
    array = np.array(lines, dtype=np.float64).reshape(-1, 3)
    array = array / np.linalg.norm(array[:, :2], axis=1, keepdims=True)
    side = _HALF_WIDTH
    cells = [np.array([[-side, -side], [side, -side], [side, side], [-side, side]])]
    for a, b, c in array:
        cells = [part for cell in cells for part in cut(cell, np.array([a, b]), c)]
    rng = np.random.default_rng(0)
    labels, codes = [], []
    for cell in cells:
        inside = rng.dirichlet(np.ones(len(cell)), 12) @ cell
        found = value(inside)
        if np.ptp(found) <= _FLAT * max(1.0, float(np.abs(found).max())):
            labels.append(float(found[0]))
            above = inside.mean(0) @ array[:, :2].T > array[:, 2]
            codes.append(int((above << np.arange(len(array))).sum()))
    ordered = np.sort(np.array(labels))
    values = ordered[np.diff(ordered, prepend=-np.inf) > _SAME * np.maximum(1.0, np.abs(ordered))]
    table = np.full(1 << len(array), -1, dtype=np.int64)
    for code, label in zip(codes, labels, strict=True):
        table[code] = int(np.argmin(np.abs(values - label)))
    return Regions(lines=array, values=values, table=table)


@compiled
def _region_sums(
    forms: Array, offsets: Array, table: Integers, codes: Integers, nodes: Array, weights: Array, out: Array
) -> None:
    """Integrals of 1, u1, u2, u1^2, u1 u2, u2^2 over the cells with the label of each sample."""
    m = len(forms)
    for t in range(len(codes)):
        s = out[t]
        s[:] = 0.0
        ends = np.empty(2 + m * (m - 1) // 2)
        ends[0], ends[1] = -_REACH, _REACH
        count = 2
        for i in range(m):
            for j in range(i):
                across = forms[i, 0] * forms[j, 1] - forms[j, 0] * forms[i, 1]
                if across != 0.0:
                    x = (offsets[t, i] * forms[j, 1] - offsets[t, j] * forms[i, 1]) / across
                    if -_REACH < x < _REACH:
                        ends[count] = x
                        count += 1
        ends = np.sort(ends[:count])
        for k in range(count - 1):
            panels = math.ceil((ends[k + 1] - ends[k]) / _PANEL)
            for p in range(panels):
                half = 0.5 * (ends[k + 1] - ends[k]) / panels
                for a in range(len(nodes)):
                    x = ends[k] + (2 * p + 1 + nodes[a]) * half
                    weight = half * weights[a] * math.exp(-0.5 * x * x) / math.sqrt(2.0 * math.pi)
                    _row(x, weight, forms, offsets[t], table, codes[t], s)


@compiled
def _row(x: float, weight: float, forms: Array, offsets: Array, table: Integers, code: int, s: Array) -> None:
    """Add the moments along the second axis at one place on the first."""
    m = len(forms)
    walls = np.empty(m)
    order = np.empty(m, dtype=np.int64)
    bits = 0
    for i in range(m):
        walls[i] = (offsets[i] - forms[i, 0] * x) / forms[i, 1]
        if forms[i, 1] < 0.0:  # far below, the form is large
            bits |= 1 << i
        k = i
        while k > 0 and walls[order[k - 1]] > walls[i]:
            order[k] = order[k - 1]
            k -= 1
        order[k] = i
    low, at_low = -np.inf, 0.0
    for k in range(m + 1):
        high = walls[order[k]] if k < m else np.inf
        at_high = math.exp(-0.5 * high * high) / math.sqrt(2.0 * math.pi) if k < m else 0.0
        if table[bits] == code and high > low:
            root = math.sqrt(0.5)
            if low > 0.0:
                mass = 0.5 * (math.erfc(low * root) - math.erfc(high * root))
            else:
                mass = 0.5 * (math.erfc(-high * root) - math.erfc(-low * root))
            first = at_low - at_high
            second = mass + (low * at_low if k > 0 else 0.0) - (high * at_high if k < m else 0.0)
            s[0] += weight * mass
            s[1] += weight * mass * x
            s[2] += weight * first
            s[3] += weight * mass * x * x
            s[4] += weight * first * x
            s[5] += weight * second
        if k < m:
            bits ^= 1 << order[k]
            low, at_low = high, at_high
