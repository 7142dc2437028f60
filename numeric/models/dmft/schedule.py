"""Which samples a step sees: the law of s = (s_0, ..., s_{T-1}) in {0, 1}^T, independent of the sample."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.learning.schedules import Schedule

__all__ = ["MOST_PATTERNS", "Usage", "usage_of"]

Masks = NDArray[np.bool_]
MOST_PATTERNS = 64
_LONG = 30  # steps


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Usage:
    """The law of s: each step on its own with a probability, or the block of a sample decides.

    Attributes
    ----------
    steps : int
    probability : float or None
        Of a sample to be seen, in each step on its own.
    blocks : ndarray of int, shape (steps,), or None
        The block that a step sees.
    shares : ndarray or None
        The share of the samples in each block.
    """

    steps: int
    probability: float | None
    blocks: NDArray[np.int64] | None
    shares: Array | None

    def patterns(self, length: int) -> tuple[Masks, Array] | None:
        """All patterns (s_0, ..., s_{length-1}) and their probabilities; None if they are too many.

        Returns
        -------
        masks : ndarray of bool, shape (k, length)
        weights : ndarray, shape (k,)
        """
        if self.probability is None:
            assert self.blocks is not None and self.shares is not None
            seen = np.arange(self.shares.size)[:, None] == self.blocks[:length]
            masks, place = np.unique(seen, axis=0, return_inverse=True)
            weights = np.bincount(place.ravel(), weights=self.shares, minlength=masks.shape[0])
        else:
            b = self.probability
            if b == 1.0:
                return np.ones((1, length), dtype=np.bool_), np.ones(1)
            if 2**length > MOST_PATTERNS:
                return None
            masks = np.array(list(itertools.product([False, True], repeat=length))).reshape(-1, length)
            count = masks.sum(axis=1)
            weights = b**count * (1.0 - b) ** (length - count)
        kept = weights > 0.0
        return np.asarray(masks[kept], dtype=np.bool_), np.asarray(weights[kept], dtype=np.float64)

    @property
    def sees_all(self) -> bool:
        """Whether there is one block, which all steps see."""
        return self.shares is not None and self.shares.size == 1

    @property
    def sees_once(self) -> bool:
        """Whether no sample is seen by two of several steps."""
        return self.blocks is not None and self.steps > 1 and np.unique(self.blocks).size == self.steps

    @property
    def is_long(self) -> bool:
        """Whether samples of the run must be networks of their own, and not only have the right averages."""
        return self.steps > _LONG and not self.sees_once

    @property
    def listed(self) -> tuple[Masks, Array] | None:
        """The patterns of all steps, each of which all nodes of a sample have; None where they are drawn."""
        return None if self.sees_once or self.is_long else self.patterns(self.steps)

    def drawn(self, uniforms: Array) -> Masks:
        """s of samples, shape (steps, n), from uniforms of that shape; blocks read the first row."""
        if self.probability is not None:
            return np.asarray(uniforms < self.probability)
        assert self.blocks is not None and self.shares is not None
        if self.sees_all:
            return np.broadcast_to(self.blocks[:, None] == 0, (self.steps, uniforms.shape[1]))
        ends = np.cumsum(self.shares)
        block = np.minimum(np.searchsorted(ends, uniforms[0], side="right"), ends.size - 1)
        return np.asarray(block == self.blocks[:, None])


def usage_of(schedule: Schedule, alpha: float, steps: int) -> Usage:
    """The law of s over the steps (a look-ahead counts as one)."""
    if schedule.kind == "minibatch":
        return Usage(steps=steps, probability=schedule.value, blocks=None, shares=None)
    if schedule.kind == "epochs":
        count = int(schedule.value)
        blocks = np.arange(steps) % count
        seen = min(count, steps)  # blocks whose turn does not come are one
        shares = np.append(np.full(seen, 1.0 / count), 1.0 - seen / count)
        return Usage(steps=steps, probability=None, blocks=blocks, shares=shares)
    if schedule.kind == "twice":
        blocks = np.arange(steps) // 2
        count = int(blocks[-1]) + 1
    elif schedule.kind == "one-pass":
        blocks = np.arange(steps)
        share = schedule.value / alpha
        shares = np.append(np.full(steps, share), max(1.0 - steps * share, 0.0))
        return Usage(steps=steps, probability=None, blocks=blocks, shares=shares)
    else:
        blocks, count = np.zeros(steps, dtype=np.int64), 1
    return Usage(steps=steps, probability=None, blocks=blocks, shares=np.full(count, 1.0 / count))
