"""Which samples a step sees: the law of s = (s_0, ..., s_{T-1}) in {0, 1}^T, independent of the sample."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.errors import InputError

__all__ = ["ACCEPTED", "MOST_PATTERNS", "Schedule", "Usage", "read_schedule"]

Array = NDArray[np.float64]
Masks = NDArray[np.bool_]
ACCEPTED = ("full", "minibatch:b", "epochs:B", "twice", "one-pass:alpha_b", "extra-gradient:eta")
MOST_PATTERNS = 64
_OUTSIDE = " (methods that are not linear in the weights, such as Adam and clipping, are outside the theory)"


@dataclass(frozen=True, slots=True)
class Schedule:
    """A schedule by its text.

    Attributes
    ----------
    kind : str
        "full", "minibatch", "epochs", "twice", "one-pass" or "extra-gradient".
    value : float
        What stands after the colon; 0 without one.
    """

    text: str
    kind: str
    value: float

    @property
    def look_ahead(self) -> float:
        """The step size of the look-ahead before every step; 0 without."""
        return self.value if self.kind == "extra-gradient" else 0.0

    def alpha(self, asked: Any, steps: int) -> Any:
        """n/d: as asked, or all that a one-pass run sees.

        Raises
        ------
        InputError
            If it is missing.
        """
        if asked is not None:
            return asked
        if self.kind != "one-pass":
            raise InputError(f"alpha is missing; the schedule {self.text} takes a number alpha = n/d > 0")
        return steps * self.value

    def require_samples(self, alpha: float, steps: int) -> None:
        """Refuse less than what a one-pass run sees."""
        seen = steps * self.value
        if self.kind == "one-pass" and alpha < seen * (1.0 - 1e-12):
            raise InputError(
                f"alpha is {alpha:g}, but {steps} steps of {self.text} see {seen:g} d samples; accepted: "
                f"alpha >= {seen:g}, or none"
            )

    def usage(self, alpha: float, steps: int) -> Usage:
        """The law of s over the steps (a look-ahead counts as one)."""
        if self.kind == "minibatch":
            return Usage(steps=steps, probability=self.value, blocks=None, shares=None)
        if self.kind == "epochs":
            count = int(self.value)
            blocks = np.arange(steps) % count
        elif self.kind == "twice":
            blocks = np.arange(steps) // 2
            count = int(blocks[-1]) + 1
        elif self.kind == "one-pass":
            blocks = np.arange(steps)
            share = self.value / alpha
            shares = np.append(np.full(steps, share), max(1.0 - steps * share, 0.0))
            return Usage(steps=steps, probability=None, blocks=blocks, shares=shares)
        else:
            blocks, count = np.zeros(steps, dtype=np.int64), 1
        return Usage(steps=steps, probability=None, blocks=blocks, shares=np.full(count, 1.0 / count))


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
            if b < 1.0 and 2**length > MOST_PATTERNS:
                return None
            masks = np.array(list(itertools.product([False, True], repeat=length))).reshape(-1, length)
            count = masks.sum(axis=1)
            weights = b**count * (1.0 - b) ** (length - count)
        kept = weights > 0.0
        return np.asarray(masks[kept], dtype=np.bool_), np.asarray(weights[kept], dtype=np.float64)

    def drawn(self, uniforms: Array) -> Masks:
        """s of samples, shape (steps, n), from uniforms of that shape; blocks read the first row."""
        if self.probability is not None:
            return np.asarray(uniforms < self.probability)
        assert self.blocks is not None and self.shares is not None
        ends = np.cumsum(self.shares)
        block = np.minimum(np.searchsorted(ends, uniforms[0], side="right"), ends.size - 1)
        return np.asarray(block == self.blocks[:, None])


def read_schedule(text: str) -> Schedule:
    """The schedule of a text.

    Raises
    ------
    InputError
        An unknown schedule, or a number outside its range.

    Examples
    --------
    >>> read_schedule("epochs:2").kind
    'epochs'
    """
    kind, _, rest = (text if isinstance(text, str) else "").partition(":")
    forms = {form.partition(":")[0]: form for form in ACCEPTED}
    if kind not in forms or (":" in forms[kind]) != bool(rest):
        raise InputError(f"schedule is {text!r}; accepted: {', '.join(ACCEPTED)}{_OUTSIDE}")
    if not rest:
        return Schedule(text, kind, 0.0)
    try:
        value = float(rest)
    except ValueError:
        value = float("nan")
    ranges = {
        "minibatch": ("0 < b <= 1", 0.0 < value <= 1.0),
        "epochs": ("an integer B >= 1", value >= 1.0 and value == round(value) < np.inf),
        "one-pass": ("alpha_b > 0", 0.0 < value < np.inf),
        "extra-gradient": ("a number eta", bool(np.isfinite(value))),
    }
    accepted, good = ranges[kind]
    if not good:
        raise InputError(f"schedule is {text!r}; accepted: {forms[kind]} with {accepted}")
    return Schedule(text, kind, value)
