"""Training rows as the nodes of a product quadrature: for the first steps, where the variables are few.

The variables are z, the label noise, the fields of the start, and xi_0, ..., xi_{t-1}. Panels end at the
kinks of the target, at those of h_0, and (one neuron) at those of each h_s, in xi_{s-1} given what came
before. A linear network has averages of degree two in all variables but z: nodes at -1 and 1 are then exact.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.numeric.dmft.rows import Network, TrainingRows
from hermite_analytics.numeric.dmft.schedule import Usage
from hermite_analytics.numeric.dmft.weights import Weights
from hermite_analytics.numeric.sgd_flow.rule import (
    LEAST_LEVEL,
    Centers,
    Planes,
    Splits,
    iterated_rule,
    plane_splits,
)

__all__ = ["MOST_REACH", "Quadrature"]

Array = NDArray[np.float64]
Masks = NDArray[np.bool_]
Levels = tuple[int, ...]
_MOST_SMOOTH, _MOST_KINKED, _MOST_TWO_POINT = 8, 4, 13
_SMALLEST = (1e-4, 1e-5, 1e-6, 1e-7, 1e-9, 1e-11, 1e-13, 1e-15, 1e-18, 1e-21)  # weights at which lines end
MOST_REACH = len(_SMALLEST) - 1
_LEAST_SPREAD = 1e-7
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
        return self.network.problem.dimension + (self.noise > 0.0)

    def can_train(self, t: int) -> bool:
        """Whether the averages of step t are taken by quadrature."""
        problem, p = self.network.problem, self.network.readout.size
        length = min(t + 1, self.usage.steps)
        if not self.network.loss.is_analytic or problem.curved or self.usage.patterns(length) is None:
            return False
        if self.network.is_linear:
            return self._label_variables + p * (t + 1) - problem.dimension <= _MOST_TWO_POINT
        variables = self.variables(t)
        if problem.is_smooth:
            return variables <= _MOST_SMOOTH
        return variables <= _MOST_KINKED and (t == 0 or p == 1 or not problem.bends)

    def can_test(self) -> bool:
        """Whether the errors on fresh samples are found by quadrature."""
        problem, variables = self.network.problem, self.test_variables
        if not self.network.loss.is_analytic or problem.curved:
            return False
        return variables <= (_MOST_SMOOTH if problem.is_smooth else _MOST_KINKED)

    def variables(self, t: int) -> int:
        """How many have a level of their own at step t."""
        if self.network.is_linear:
            return self.network.problem.dimension
        return self._label_variables + self.network.readout.size * (t + 1)

    @property
    def test_variables(self) -> int:
        """How many have a level of their own on a fresh sample."""
        return self._label_variables + self.network.readout.size

    def first_levels(self, variables: int) -> Levels:
        """Where to begin: one level a variable, and last that of the smallest weights."""
        first = self.network.problem.dimension
        if variables <= _FEW:
            return (0,) * variables + (4,)
        return (0,) * first + (LEAST_LEVEL + 1,) * (variables - first) + (1,)

    def rows(self, weights: Weights, t: int, levels: Levels) -> TrainingRows:
        """Rows that have gone the first t steps of a run."""
        patterns = self.usage.patterns(min(t + 1, self.usage.steps))
        assert patterns is not None
        tables, shares, masks = [], [], []
        for mask, share in zip(*patterns, strict=True):
            nodes, mass = self._nodes(weights, t, levels, mask)
            tables.append(nodes)
            shares.append(share * mass)
            masks.append(np.repeat(mask[:, None], mass.size, axis=1))
        joined = np.concatenate(tables, axis=1)
        return self._walked(weights, t, joined, np.concatenate(shares), np.concatenate(masks, axis=1))

    def test_rule(self, root: Array, levels: Levels) -> tuple[Array, Array]:
        """Nodes and weights of z, the label noise and the fields of a fresh sample."""
        return self._rule(self._first_splits(root, keep_planes=True), levels)

    def _nodes(self, weights: Weights, t: int, levels: Levels, mask: Masks) -> tuple[Array, Array]:
        p, r = self.network.readout.size, self.network.problem.dimension
        start = weights.coordinates[0]
        if self.network.is_linear:
            nodes, mass = self._rule(self._first_splits(start, keep_planes=False)[:r], levels)
            others = self._label_variables - r + p * (t + 1)
            signs = np.array(list(itertools.product([-1.0, 1.0], repeat=others))).reshape(-1, others).T
            table = np.concatenate(
                [np.repeat(nodes, signs.shape[1], axis=1), np.tile(signs, (1, nodes.shape[1]))]
            )
            return table, np.repeat(mass / signs.shape[1], signs.shape[1])
        splits = self._first_splits(start, keep_planes=True)
        for s in range(t):
            bends = self.network.problem.bends
            new: list[list[Splits]] = [[] for _ in range(p)]
            if p == 1 and bends and abs(weights.coordinates[s + 1][0, -1]) > _LEAST_SPREAD:
                new[0].append(Splits(centers=self._later_kinks(weights, s, mask)))
            splits += new
        return self._rule(splits, levels)

    def _rule(self, splits: list[list[Splits]], levels: Levels) -> tuple[Array, Array]:
        """The last level is that of the smallest weights: how far out nodes are kept, in z further."""
        *lines, reach = levels
        stretched = self.network.problem.dimension
        return iterated_rule(splits, lines, smallest=_SMALLEST[reach], stretched=stretched)

    def _first_splits(self, root: Array, *, keep_planes: bool) -> list[list[Splits]]:
        """Of z, the label noise and the fields of the start: root is D_0, shape (p, p + r)."""
        problem, p, r = self.network.problem, self.network.readout.size, self.network.problem.dimension
        width = self._label_variables + p
        normals = [np.pad(np.array(normal), (0, width - r)) for normal, _ in problem.planes]
        offsets = [offset for _, offset in problem.planes]
        if keep_planes:
            for j, bend in itertools.product(range(p), problem.bends):
                normal = np.zeros(width)
                normal[:r], normal[width - p :] = root[j, p:], root[j, :p]
                normals.append(normal)
                offsets.append(bend)
        planes = Planes(normals=np.array(normals).reshape(-1, width), offsets=np.array(offsets))
        return plane_splits(planes)

    def _later_kinks(self, weights: Weights, s: int, mask: Masks) -> Centers:
        """In xi_s: where h_{s+1} meets a bend, given the variables before."""

        def centers(earlier: Array) -> Array:
            count = earlier.shape[1]
            masks = np.repeat(mask[:, None], count, axis=1)
            rows = self._walked(weights, s, earlier, np.ones(count), masks)
            rows.errors(weights.coordinates[s])
            rows.absorb(weights.increments[s], np.zeros((1, count)))
            coordinates = weights.coordinates[s + 1]
            center = (coordinates @ rows.features)[0]
            bends = np.array(self.network.problem.bends)
            return np.asarray((bends - center[:, None]) / coordinates[0, -1])

        return centers

    def _walked(self, weights: Weights, t: int, nodes: Array, mass: Array, masks: Masks) -> TrainingRows:
        """Rows of nodes (variables, n) after t steps."""
        p, r, first = self.network.readout.size, self.network.problem.dimension, self._label_variables
        label = self.network.problem.label(nodes[:r])
        if self.noise > 0.0:
            label = label + np.sqrt(self.noise) * nodes[r]
        start = np.concatenate([nodes[first : first + p], nodes[:r]])
        rows = TrainingRows(self.network, weights.alpha, start, label, mass, masks)
        for s in range(t):
            rows.errors(weights.coordinates[s])
            place = first + p * (s + 1)
            rows.absorb(weights.increments[s], nodes[place : place + p])
        return rows
