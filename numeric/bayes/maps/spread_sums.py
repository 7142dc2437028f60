"""The sums of F by points that are spread over a grid: of two coordinates where that pays, and of three."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.foundation.threads import THREADS, in_threads
from hermite_analytics.label.nodes import LabelNodes
from hermite_analytics.numeric.bayes.maps.label_sums import OmegaAxis, label_sums
from hermite_analytics.numeric.bayes.maps.mirrors import Mirrors
from hermite_analytics.numeric.bayes.maps.plane_sums import visited
from hermite_analytics.numeric.bayes.maps.point_grid import RULES, Parts, PointGrid, spread_labels
from hermite_analytics.numeric.bayes.maps.unresolved import UnresolvedOverlap

__all__ = ["SpreadSums", "pays"]

Grids = tuple[PointGrid, ...]
Job = Callable[[], Parts]

_TOGETHER = 200_000  # numbers in the tables of labels that are summed at once
_MOST_KEPT = 60_000_000  # numbers
_PRODUCTS = 0.3  # cost of a product of matrices, in visits of the grid by a point


def _grids(values: Array, level: int) -> Grids:
    return tuple(RULES[len(values)][level].grid(float(m)) for m in values)


def pays(labels: LabelNodes, values: Array, level: int) -> bool:
    """Whether products of matrices for each label of two coordinates cost less than visits of each point."""
    across, along = (visited(float(m), level) for m in values)
    grids = _grids(values, level)
    first, second = (_seen(g, float(m), level) for g, m in zip(grids, values, strict=True))
    products = first * grids[1].count * across[1] + 1.5 * second * across[1] * along[1]
    return _PRODUCTS * len(labels.labels) * products < len(labels.points) * across[0] * along[0]


def _seen(grid: PointGrid, m: float, level: int) -> int:
    """Nodes of a grid that a row of the matrices of `OmegaAxis` has."""
    near = RULES[2][level].near(grid, m) if m > 0 else grid
    return min(2 * near.count, grid.count)


@dataclass(frozen=True, slots=True)
class SpreadSums:
    """Tables of labels on grids, kept where there is room."""

    _tables: dict[tuple[int, Grids, bytes], list[Parts]] = field(default_factory=dict)

    def forget(self) -> None:
        """Leave the tables of labels that are not kept any more."""
        self._tables.clear()

    def sums(
        self,
        labels: LabelNodes,
        values: Array,
        axes: Array,
        mirrors: Mirrors,
        level: int,
        *,
        alike: bool,
    ) -> Array:
        """F, shape (q, q), in the axes of M with these eigenvalues; see `label_sums`.

        Raises
        ------
        UnresolvedOverlap
            If the tables of the labels that are seen take too much room.
        """
        rules, grids = RULES[len(axes)][level], _grids(values, level)
        pairs = [(float(m), g) for m, g in zip(values, grids, strict=True)]
        axis_of = {pair: OmegaAxis.of(*pair, rules) for pair in set(pairs)}
        lines = [axis_of[pair] for pair in pairs]
        tables = self._jobs(labels, axes, grids, mirrors)
        sums = partial(label_sums, axes=lines, mirrors=mirrors, floor=rules.floor, alike=alike)
        return np.asarray(sum(in_threads(lambda t: sums(t()), tables), np.zeros((len(lines),) * 2)))

    def _jobs(self, labels: LabelNodes, axes: Array, grids: Grids, mirrors: Mirrors) -> list[Job]:
        """The points of some labels each, spread over a grid when asked for; kept where there is room."""
        key = (id(labels), grids, np.ascontiguousarray(axes).tobytes())  # the labels are kept as long
        cells, seen = math.prod(g.count for g in grids), labels.seen
        together = max(1, _TOGETHER * len(mirrors.signs) // cells)
        chunks = list(_chunks(len(labels.labels), together))
        jobs: list[Job] = [partial(spread_labels, labels, axes, grids, mirrors, part) for part in chunks]
        count = len(labels.labels) if seen is None else seen.shape[1]
        size = count * cells // len(mirrors.signs)
        if size > _MOST_KEPT:
            if seen is None:
                return jobs
            raise UnresolvedOverlap(
                f"{count} labels on a grid of {cells} points take too much room: overlaps are too close to 1"
            )
        if key not in self._tables:
            kept = (part.size for v in self._tables.values() for parts in v for part in parts)
            if size + sum(kept) > _MOST_KEPT:
                self._tables.clear()
            if seen is None:
                self._tables[key] = in_threads(lambda job: job(), jobs)
            else:
                self._tables[key] = _mixed(jobs, [seen[part] for part in chunks], together)
        return [partial(_itself, table) for table in self._tables[key]]


def _mixed(jobs: Sequence[Job], seen: Sequence[Array], together: int) -> list[Parts]:
    """The tables of labels that are seen, some of them together, from those of labels that are not."""
    total: list[Array] = []
    for first in range(0, len(jobs), THREADS):
        for parts, law in zip(
            in_threads(lambda job: job(), jobs[first : first + THREADS]), seen[first:], strict=False
        ):
            found = [part @ law for part in parts]
            total = found if not total else [a + b for a, b in zip(total, found, strict=True)]
    return [
        tuple(np.ascontiguousarray(t[..., part]) for t in total)
        for part in _chunks(seen[0].shape[1], together)
    ]


def _chunks(count: int, size: int) -> Iterator[slice]:
    starts = [*range(0, count, size), count]
    return (slice(a, b) for a, b in itertools.pairwise(starts))


def _itself(parts: Parts) -> Parts:
    return parts
