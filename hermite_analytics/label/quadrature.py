"""The law of a label as a finite sum: what every engine hands to the operator of the thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.label.nodes import LabelNodes

__all__ = ["LabelQuadrature", "mixture"]

_LARGE = 10.0  # at least, of |G| far out


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelQuadrature:
    """E over labels as a finite sum: nodes carry probability, and the conditional moments of w there.

    Parameters
    ----------
    weights : ndarray, shape (n,)
        Probability of each node; they sum to 1 up to the quadrature's error.
    first : ndarray, shape (n, q)
        E[w | y] at each node, w standard Gaussian in q dimensions.
    second : ndarray, shape (n, q, q)
        E[w w^T - I | y] at each node, symmetric.

    Examples
    --------
    >>> import numpy as np
    >>> means = np.array([[-0.8], [0.8]])
    >>> sign = LabelQuadrature(weights=np.array([0.5, 0.5]), first=means, second=np.zeros((2, 1, 1)))
    >>> sign.dimension, sign.mass_defect
    (1, 0.0)
    """

    weights: Array
    first: Array
    second: Array

    @classmethod
    def of_nodes(cls, nodes: LabelNodes) -> LabelQuadrature:
        """The moments of the points of each label that is seen, in the reference measure."""
        every = np.flatnonzero(np.diff(nodes.starts))
        taken = nodes.starts[every]
        weights = np.add.reduceat(nodes.masses, taken)
        kept = weights > 0
        first, second = [], []
        for column in nodes.points.T:
            weighted = nodes.masses * column
            first.append(np.add.reduceat(weighted, taken)[kept] / weights[kept])
            squares = [np.add.reduceat(weighted * other, taken)[kept] for other in nodes.points.T]
            second.append(np.stack(squares, axis=1) / weights[kept, None])
        found = cls(
            weights=weights[kept],
            first=np.stack(first, axis=1),
            second=np.stack(second, axis=1) - np.eye(len(first)),
        )
        return found if nodes.seen is None else found.seen_through(nodes.seen[every[kept]])

    @classmethod
    def of_sums(cls, sums: Array) -> LabelQuadrature:
        """From (1, w1, w2, w1^2 - 1, w1 w2, w2^2 - 1) summed over each label, shape (n, 6)."""
        sums = sums[sums[:, 0] > 0]
        means = sums[:, 1:] / sums[:, :1]
        return cls(weights=sums[:, 0], first=means[:, :2], second=means[:, [2, 3, 3, 4]].reshape(-1, 2, 2))

    @property
    def dimension(self) -> int:
        """The number of directions of w."""
        return int(self.first.shape[1])

    def of_first(self, count: int) -> LabelQuadrature:
        """The law of the first coordinates alone: the others are noise, of which nothing is asked."""
        return LabelQuadrature(
            weights=self.weights, first=self.first[:, :count], second=self.second[:, :count, :count]
        )

    def turned(self, symmetry: Array) -> LabelQuadrature:
        """The law of the labels whose points are the images S w of those of these."""
        return LabelQuadrature(
            weights=self.weights, first=self.first @ symmetry.T, second=symmetry @ self.second @ symmetry.T
        )

    def seen_through(self, law: Array) -> LabelQuadrature:
        """The law of what is seen of each node, P(seen | node) being `law`, shape (n, seen)."""
        weights = self.weights @ law
        kept = weights > 0
        share = (self.weights[:, None] * law)[:, kept].T / weights[kept, None]
        second = np.tensordot(share, self.second, 1)
        return LabelQuadrature(weights=weights[kept], first=share @ self.first, second=second)

    @property
    def mass_defect(self) -> float:
        """|sum of weights - 1|: shows lost preimages, which agreement under refinement does not."""
        return abs(float(np.sum(self.weights)) - 1.0)

    @property
    def loss(self) -> float:
        """What is missing of the sum rules E[1] = 1 and E[G(y)] = 0, times the size of G.

        Labels are lost far out, where they say most of w.
        """
        mean = np.einsum("n,nij->ij", self.weights, self.second)
        large = max(_LARGE, float(np.abs(self.second).max(initial=0.0)))
        return large * (self.mass_defect + float(np.abs(mean).max(initial=0.0)))


def mixture(parts: Sequence[LabelQuadrature], probabilities: Sequence[float] | Array) -> LabelQuadrature:
    """Join the quadratures of one label per value of an independent variable x, each with its probability."""
    return LabelQuadrature(
        weights=np.concatenate([p * part.weights for part, p in zip(parts, probabilities, strict=True)]),
        first=np.concatenate([part.first for part in parts]),
        second=np.concatenate([part.second for part in parts]),
    )
