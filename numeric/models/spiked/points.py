"""Points to solve and rows of results: what the solvers of spiked random features pass around."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hermite_analytics.activation import Activation
from hermite_analytics.foundation.numpy_arrays import Array, Integers
from hermite_analytics.numeric.models.spiked.letters import Letters
from hermite_analytics.numeric.models.spiked.tables import Spike
from hermite_analytics.target import Target

__all__ = ["BULKS", "MEASURES", "Integers", "Layout", "Points", "Problem", "Results"]

MEASURES = ("square_error", "misclassification", "calibration_error")
BULKS = ("gaussian", "orthogonal", "none", "step")
_CHUNK, _LARGE_CHUNK = 2048, 65536
_MANY_SPIKES = 8  # then each thread has spikes of its own, and no table is made twice


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """What decides the functions of kappa, beside the numbers of `Points`."""

    activation: Activation
    target: Target
    letters: Letters
    bulk: str = "gaussian"
    loss: Any = "square"
    flips: float = 0.0

    @property
    def kept(self) -> float:
        """E[y|x] of labels 1 and -1, a share of which is flipped, over the label before."""
        return 1.0 - 2.0 * self.flips

    @property
    def layout(self) -> Layout:
        norms = self.bulk == "step"
        return Layout(letters=self.letters.count, spikes=self.letters.rank, norms=norms)

    @property
    def is_uniform(self) -> bool:
        """Whether the two-dimensional equations of one letter and one spike hold."""
        return (
            self.letters.count == 1 and self.letters.rank == 1 and self.bulk == "gaussian" and self.is_square
        )

    @property
    def is_square(self) -> bool:
        return bool(self.loss == "square")

    @property
    def is_of_margin(self) -> bool:
        """Whether the test error is the share of wrong signs."""
        return not self.is_square and bool(self.loss.of_margin)


@dataclass(frozen=True, slots=True, kw_only=True)
class Points:
    """Flat ratios, and the spike of each point as an index into a list."""

    alpha: Array
    beta: Array
    ridge: Array
    noise: Array
    spikes: list[Spike]
    member: Integers

    @property
    def count(self) -> int:
        return self.alpha.size

    def chunks(self) -> Iterator[tuple[Spike, Integers]]:
        """(spike, indices of points): some thousand points each, or all of a spike if spikes are many."""
        size = _CHUNK if len(self.spikes) < _MANY_SPIKES else _LARGE_CHUNK
        order = np.argsort(self.member, kind="stable")
        edges = np.searchsorted(self.member[order], np.arange(len(self.spikes) + 1))
        for index, spike in enumerate(self.spikes):
            chosen = order[edges[index] : edges[index + 1]]
            for first in range(0, chosen.size, size):
                yield spike, chosen[first : first + size]

    def some(self, chosen: Integers) -> Points:
        """Some of the points, with their spikes alone."""
        kept, member = np.unique(self.member[chosen], return_inverse=True)
        alpha, beta, ridge, noise = self.part(chosen)
        return Points(
            alpha=alpha,
            beta=beta,
            ridge=ridge,
            noise=noise,
            spikes=[self.spikes[index] for index in kept],
            member=member.astype(np.int64),
        )

    def part(self, chosen: Integers) -> tuple[Array, Array, Array, Array]:
        """alpha, beta, ridge, noise of some points."""
        return tuple(np.ascontiguousarray(x[chosen]) for x in (self.alpha, self.beta, self.ridge, self.noise))  # type: ignore[return-value]


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Where the numbers of a point stand in its row, for J letters and R spikes.

    With `norms` the overlap with the fluctuating norms of the rows comes last.
    """

    letters: int
    spikes: int
    norms: bool = False

    @property
    def packed(self) -> int:
        """Numbers of a symmetric matrix and a vector over the letters."""
        return self.letters * (self.letters + 1) // 2 + self.letters

    @property
    def size(self) -> int:
        return 2 + self.letters * (2 + self.spikes) + 2 * self.packed + self.norms

    def blocks(self) -> Mapping[str, slice]:
        """test_error, train_error, m, zeta, psi, q1, q2, V1, V2, and norm if there is one."""
        pairs, letters = self.packed - self.letters, self.letters
        sizes = (1, 1, letters, letters * self.spikes, letters, pairs, letters, pairs, letters, 1)
        names = ("test_error", "train_error", "m", "zeta", "psi", "q1", "q2", "V1", "V2", "norm")
        ends = np.cumsum(sizes)
        places = {n: slice(int(e) - s, int(e)) for n, s, e in zip(names, sizes, ends, strict=True)}
        return places if self.norms else {n: place for n, place in places.items() if n != "norm"}

    def overlaps(self, values: Array, shape: tuple[int, ...]) -> dict[str, Array]:
        """m, psi, q2, V2 (J,), zeta (J, R), q1, V1 (J, J) behind the shape; axes of one are left out."""
        found = {}
        upper = np.triu_indices(self.letters)
        for name, place in self.blocks().items():
            block = values[:, place]
            if name in ("q1", "V1"):
                full = np.empty((values.shape[0], self.letters, self.letters))
                full[:, upper[0], upper[1]] = full[:, upper[1], upper[0]] = block
                block = full
            elif name == "zeta":
                block = block.reshape(-1, self.spikes, self.letters).transpose(0, 2, 1)
            kept = tuple(n for n in block.shape[1:] if n > 1)
            found[name] = block.reshape((*shape, *kept))
        return {name: found[name] for name in found if name not in ("test_error", "train_error")}

    def values(self, overlaps: Mapping[str, Any], shape: tuple[int, ...]) -> Array:
        """The rows of points with these overlaps; what is no overlap stays NaN."""
        count = int(np.prod(shape))
        found = np.full((count, self.size), np.nan)
        upper = np.triu_indices(self.letters)
        for name, place in self.blocks().items():
            if name in ("test_error", "train_error"):
                continue
            own = {"q1": (self.letters,) * 2, "V1": (self.letters,) * 2, "zeta": (self.letters, self.spikes)}
            block = np.asarray(overlaps[name]).reshape(count, *own.get(name, (-1,)))
            if name in ("q1", "V1"):
                block = block[:, upper[0], upper[1]]
            elif name == "zeta":
                block = block.transpose(0, 2, 1).reshape(count, -1)
            found[:, place] = block
        return found


@dataclass(slots=True)
class Results:
    """Flat results of all points, filled chunk by chunk."""

    count: int
    layout: Layout
    values: Array = field(init=False)
    residual: Array = field(init=False)
    steps: Integers = field(init=False)
    code: Integers = field(init=False)
    numerical_error: Array = field(init=False)
    measures: Array = field(init=False)
    """`MEASURES`, shape (count, 3); NaN where they are not known."""

    def __post_init__(self) -> None:
        self.values = np.full((self.count, self.layout.size), np.nan)
        self.residual = np.full(self.count, np.inf)
        self.steps = np.zeros(self.count, dtype=np.int64)
        self.code = np.zeros(self.count, dtype=np.int64)
        self.numerical_error = np.full(self.count, np.nan)
        self.measures = np.full((self.count, len(MEASURES)), np.nan)

    def put(self, chosen: Integers, part: Results) -> None:
        """Write what was found of some of the points."""
        for name in ("values", "residual", "steps", "code", "numerical_error", "measures"):
            getattr(self, name)[chosen] = getattr(part, name)

    def error(self, measure: str) -> Array:
        """The test error, or one of `MEASURES`, of all points."""
        return self.values[:, 0] if measure == "test_error" else self.measures[:, MEASURES.index(measure)]
