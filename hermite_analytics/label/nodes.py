"""Label nodes: a quadrature over the labels of a target with the points at which each is taken."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array, Integers

__all__ = ["LabelNodes", "joined"]

_SAME = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelNodes:
    """The law of (y, w) as weighted points of w for each of some labels, in the reference measure N(0, I).

    By weighing the same points anew they give the moments at any omega and V.

    Attributes
    ----------
    labels : ndarray, shape (n,)
    starts : ndarray of int, shape (n + 1,)
        Points starts[i] to starts[i + 1] are those of label i.
    points : ndarray, shape (k, q)
    masses : ndarray, shape (k,)
        Probabilities of the points together with their label node.
    defect : float
        What they are known to lose of the total probability.
    seen : ndarray, shape (n, labels that are seen), or None
        Where these labels are seen through noise: the law of what is seen of each.
    """

    labels: Array
    starts: Integers
    points: Array
    masses: Array
    defect: float
    seen: Array | None = None

    def upper(self, shift: float) -> LabelNodes:
        """The labels above shift/2 with twice their masses, where the law of y is that of shift - y.

        All of them where they are seen through noise, which mixes both halves.
        """
        if self.seen is not None:
            return self
        distance = self.labels - 0.5 * shift
        factor = np.where(distance > _SAME, 2.0, np.where(distance < -_SAME, 0.0, 1.0))
        masses = self.masses * np.repeat(factor, np.diff(self.starts))
        return dataclasses.replace(self, masses=masses).without_rare(0.0)

    def without_rare(self, least: float) -> LabelNodes:
        """The points with masses above some probability, and the labels that are left with points."""
        keep = self.masses > least
        owner = np.repeat(np.arange(len(self.labels)), np.diff(self.starts))
        counts = np.bincount(owner[keep], minlength=len(self.labels))
        left = counts > 0
        return LabelNodes(
            labels=self.labels[left],
            starts=np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(counts[left])]),
            points=np.ascontiguousarray(self.points[keep]),
            masses=np.ascontiguousarray(self.masses[keep]),
            defect=self.defect,
            seen=None if self.seen is None else self.seen[left],
        )


def joined(parts: Sequence[LabelNodes], coordinates: int) -> LabelNodes:
    """The labels of several laws together, none of them seen through noise."""
    ends = np.cumsum([0, *(len(p.points) for p in parts)])
    starts = [p.starts[:-1] + end for p, end in zip(parts, ends, strict=False)]
    return LabelNodes(
        labels=np.concatenate([np.zeros(0), *(p.labels for p in parts)]),
        starts=np.concatenate([*starts, ends[-1:]]).astype(np.int64),
        points=np.concatenate([np.zeros((0, coordinates)), *(p.points for p in parts)]),
        masses=np.concatenate([np.zeros(0), *(p.masses for p in parts)]),
        defect=float(sum(p.defect for p in parts)),
    )
