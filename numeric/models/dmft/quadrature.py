"""Training rows as the nodes of a product quadrature: for the first steps, where the variables are few.

The variables are z, the label noise, the fields of the start, and xi_0, ..., xi_{t-1}. Panels end at the
kinks of the target, at those of h_0, and (one neuron) at those of each h_s, in xi_{s-1} given what came
before. A linear network has averages of degree two in all n variables but z: the nodes sqrt(n) and -sqrt(n)
on each of their axes are then exact.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.numeric.models.dmft.network import Network
from hermite_analytics.numeric.models.dmft.place import on_the_processor
from hermite_analytics.numeric.models.dmft.rows import TrainingRows
from hermite_analytics.numeric.models.dmft.schedule import Usage
from hermite_analytics.numeric.models.dmft.weights import Weights
from hermite_analytics.numeric.models.sgd_flow.rule import (
    LEAST_LEVEL,
    NOTHING,
    Centers,
    Grid,
    Planes,
    Splits,
    grown,
    iterated_rule,
    plane_splits,
)

__all__ = ["MOST_REACH", "Quadrature"]

Masks = NDArray[np.bool_]
Levels = tuple[int, ...]
_MOST_SMOOTH, _MOST_KINKED, _MOST_ON_AXES = 7, 3, 60
_ONE_MORE = 1  # with kinks, for one neuron: its later fields have them where panels end
_SMALLEST = tuple(10.0**-k for k in range(3, 22))  # densities at which lines end
MOST_REACH = len(_SMALLEST) - 1
_LEAST_SPREAD = 1e-7
_AT_ONCE = 2**16  # nodes: calls of fewer cost more than what leaves the cache
_FEW = 3  # variables


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Quadrature:
    """The rules of a network's training rows and of its fresh samples.

    Attributes
    ----------
    network : Network
    noise : float
        Variance of the label noise.
    usage : Usage
    """

    network: Network
    noise: float
    usage: Usage

    @property
    def _label_variables(self) -> int:
        return self.network.label_variables(self.noise)

    @property
    def _of_target(self) -> int:
        """Those in which a label is not linear."""
        return self.network.problem.dimension + self.network.problem.hidden

    def _on_axes(self, t: int) -> int:
        """How many variables a linear network has at step t beside those of the target and the last p."""
        return self._label_variables - self._of_target + self.network.readout.size * t

    def can_train(self, t: int) -> bool:
        """Whether the averages of step t are taken by quadrature."""
        problem, p = self.network.problem, self.network.readout.size
        length = min(t + 1, self.usage.steps)
        if not self.network.loss.is_analytic or problem.curved or self.usage.patterns(length) is None:
            return False
        if self.network.reuse and not problem.is_smooth:
            return False  # kinks of the fields after the look-ahead
        if self.network.is_linear:
            return self._on_axes(t) + p <= _MOST_ON_AXES
        variables = self.variables(t)
        if problem.is_smooth:
            return variables <= _MOST_SMOOTH
        if p == 1:
            return variables <= _MOST_KINKED + _ONE_MORE
        return variables <= _MOST_KINKED and (t == 0 or not problem.bends)

    def can_test(self) -> bool:
        """Whether the errors on fresh samples are found by quadrature."""
        problem, variables = self.network.problem, self.test_variables
        if not self.network.loss.is_analytic or problem.curved or problem.hidden:
            return False
        return variables <= (_MOST_SMOOTH if problem.is_smooth else _MOST_KINKED)

    def variables(self, t: int) -> int:
        """How many have a level of their own at step t."""
        if self.network.is_linear:
            return self._of_target
        return self._label_variables + self.network.readout.size * (t + 1)

    @property
    def test_variables(self) -> int:
        """How many have a level of their own on a fresh sample."""
        return self._label_variables + self.network.readout.size

    def first_levels(self, variables: int) -> Levels:
        """Where to begin: one level a variable, and last that of the smallest weights."""
        first = self._of_target
        if variables <= _FEW:
            return (0,) * variables + (5,)
        return (0,) * first + (LEAST_LEVEL + 1,) * (variables - first) + (1,)

    def averages(self, weights: Weights, t: int, levels: Levels) -> tuple[Array, int]:
        """Those of `TrainingRows.averages` for step t at the last weights, and how many nodes it took."""
        patterns = self.usage.patterns(min(t + 1, self.usage.steps))
        assert patterns is not None
        total, count = np.zeros(()), 0
        size = _AT_ONCE >> (0 if self.network.is_linear else 3 * self.network.readout.size)
        for mask, share in zip(*patterns, strict=True):
            splits = self._splits(weights, t, mask)
            grid = self._grid(splits, levels, t)
            for first in range(0, grid.weights.size, size):
                part = grid.part(slice(first, first + size))
                rows = self._walked(weights, t, part.nodes, part.weights, mask)
                row, fresh, mass = self._last(part, splits, levels)
                total = total + share * rows.averages(weights.last, weights.readout, row, fresh, mass)
                count += mass.size
        return total, count

    def test_rule(self, root: Array, levels: Levels) -> tuple[Array, Array]:
        """Nodes and weights of z, the label noise and the fields of a fresh sample."""
        *lines, reach = levels
        splits, r = self._first_splits(root, keep_planes=True), self.network.problem.dimension
        return iterated_rule(splits, lines, smallest=_SMALLEST[reach], stretched=r)

    def _splits(self, weights: Weights, t: int, mask: Masks) -> list[list[Splits]]:
        """Of all variables of step t; of a linear network those of the target alone."""
        start, bends, p = weights.coordinates[0], self.network.problem.bends, self.network.readout.size
        if self.network.is_linear:
            return self._first_splits(start, keep_planes=False)[: self._of_target]
        splits = self._first_splits(start, keep_planes=True)
        for s in range(t):
            new: list[list[Splits]] = [[] for _ in range(p)]
            if p == 1 and bends and abs(weights.coordinates[s + 1][0, -1]) > _LEAST_SPREAD:
                new[0].append(Splits(centers=self._later_kinks(weights, s + 1, mask)))
            splits += new
        return splits

    def _grid(self, splits: list[list[Splits]], levels: Levels, t: int) -> Grid:
        """The nodes of all variables but the last p."""
        p, r = self.network.readout.size, self.network.problem.dimension
        grid, smallest = NOTHING, _SMALLEST[levels[-1]]
        last = len(splits) - (0 if self.network.is_linear else p)
        for j, (here, level) in enumerate(zip(splits[:last], levels, strict=False)):
            _, grid = grown(grid, here, level, smallest=smallest, is_stretched=j < r)
        if self.network.is_linear:
            grid = _with_axes(grid, self._on_axes(t), p)
        return grid

    def _last(
        self, grid: Grid, splits: list[list[Splits]], levels: Levels
    ) -> tuple[NDArray[np.int64], Array, Array]:
        """The last p variables: (node of the grid from which a node comes, their values, its weight)."""
        p = self.network.readout.size
        if self.network.is_linear:
            return _with_last_axes(grid, self._of_target, p)
        rows = np.arange(grid.weights.size)
        for j in range(p):
            here, level = splits[j - p], levels[j - p - 1]
            row, grid = grown(grid, here, level, smallest=_SMALLEST[levels[-1]])
            rows = rows[row]
        return rows, grid.nodes[-p:], grid.weights

    def _first_splits(self, root: Array, *, keep_planes: bool) -> list[list[Splits]]:
        """Of z, the label noise and the fields of the start: root is D_0, shape (p, p + r)."""
        problem, p, r = self.network.problem, self.network.readout.size, self.network.problem.dimension
        width = self._label_variables + p
        normals = [np.pad(np.array(normal), (0, width - len(normal))) for normal, _ in problem.planes]
        offsets = [offset for _, offset in problem.planes]
        if keep_planes:
            for j, bend in itertools.product(range(p), problem.bends):
                normal = np.zeros(width)
                normal[:r], normal[width - p :] = root[j, p:], root[j, :p]
                normals.append(normal)
                offsets.append(bend)
        planes = Planes(normals=np.array(normals).reshape(-1, width), offsets=np.array(offsets))
        return plane_splits(planes)

    def _later_kinks(self, weights: Weights, t: int, mask: Masks) -> Centers:
        """In xi_(t-1): where h_t meets a bend, given the variables before."""

        def centers(earlier: Array) -> Array:
            rows = self._walked(weights, t, earlier, np.ones(earlier.shape[1]), mask)
            coordinates = weights.coordinates[t]
            center = (coordinates @ rows.features)[0]
            bends = np.array(self.network.problem.bends)
            return np.asarray((bends - center[:, None]) / coordinates[0, -1])

        return centers

    def _walked(self, weights: Weights, t: int, nodes: Array, mass: Array, mask: Masks) -> TrainingRows:
        """Rows of nodes of all variables but the last p, those 0, with one pattern of use, after t steps."""
        p, r, first = self.network.readout.size, self.network.problem.dimension, self._label_variables
        label = self.network.label(nodes, self.noise)
        zeros = np.zeros((p, mass.size))
        fields = nodes[first : first + p] if t else zeros
        masks = np.broadcast_to(mask[:, None], (mask.size, mass.size))
        start, place = np.concatenate([fields, nodes[:r]]), on_the_processor(self.network)
        rows = TrainingRows(place, weights.alpha, start, label, mass, masks)
        for s in range(t):
            rows.errors(weights.coordinates[s], weights.readouts[s])
            at = first + p * (s + 1)
            rows.absorb(weights.increments[s], nodes[at : at + p] if s < t - 1 else zeros)
        return rows


def _with_axes(grid: Grid, count: int, last: int) -> Grid:
    """`count` variables more: nodes on both sides of each axis, and one at 0 of the weight of `last` axes."""
    total, earlier = count + last, grid.weights.size
    distance = np.sqrt(float(total)) * np.eye(count)
    line = np.concatenate([distance, -distance, np.zeros((count, 1))], axis=1)
    share = np.append(np.full(2 * count, 0.5), last) / total
    row = np.repeat(np.arange(earlier), share.size)
    return Grid(
        nodes=np.concatenate([grid.nodes[:, row], np.tile(line, earlier)]),
        weights=np.tile(share, earlier) * grid.weights[row],
        exponent=grid.exponent[row],
    )


def _with_last_axes(grid: Grid, first: int, last: int) -> tuple[NDArray[np.int64], Array, Array]:
    """What `Quadrature._last` gives for a grid of `_with_axes`, whose variables begin with number `first`."""
    on_axes = grid.nodes[first:]
    is_center = ~np.any(on_axes, axis=0)
    distance = np.sqrt(float(on_axes.shape[0] + last)) * np.eye(last)
    row = np.repeat(np.arange(is_center.size), np.where(is_center, 2 * last, 1))
    from_center = is_center[row]
    values = np.zeros((last, row.size))
    values[:, from_center] = np.tile(np.concatenate([distance, -distance], axis=1), int(is_center.sum()))
    return row, values, grid.weights[row] / np.where(from_center, 2.0 * last, 1.0)
