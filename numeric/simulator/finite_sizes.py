"""A protocol at several dimensions d, and its numbers extrapolated to d -> infinity."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from hermite_analytics.errors import InputError
from hermite_analytics.foundation.json import Document
from hermite_analytics.numeric.frozen import ReadOnly
from hermite_analytics.numeric.protocols import PROTOCOLS
from hermite_analytics.numeric.simulator.results import Estimate, Simulation
from hermite_analytics.numeric.sizes.extrapolation import extrapolate
from hermite_analytics.numeric.sizes.line import CellMean
from hermite_analytics.rendering import Column, Drawing, Frame, Role
from hermite_analytics.rendering.result import ByFields

__all__ = ["FiniteSizes", "against_sizes"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class FiniteSizes(ByFields):
    """What `simulate` returns for several d: a simulation each, and the limit of every number.

    The limit is the intercept of a weighted straight line in 1/d through the means; its standard error is
    inflated where the line does not fit (`numeric.sizes.extrapolation`). Ratios are kept, so that sizes grow
    with d.

    Attributes
    ----------
    simulations : tuple of Simulation
        With increasing d.
    limits : mapping of str to Estimate
        Of each number at d = infinity; empty if there are fewer than two seeds or sizes, NaN for a number
        that has no spread at a size, by which a line could be weighted.

    Examples
    --------
    >>> from hermite_analytics.numeric import simulate
    >>> found = simulate("spiked-random-features", activation="erf(z)", target="sin(z1)", d=[20, 30, 40],
    ...                  seeds=3, beta=1, alpha=1, ridge=0.1, r=1, c=1.2, gamma=0.8)
    >>> found.d, found.limits["test_error"].mean.shape, [row["d"] for row in found.records()]
    ((20, 30, 40), (), [20.0, 30.0, 40.0, inf])
    """

    simulations: tuple[Simulation, ...]
    limits: Mapping[str, Estimate] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        ordered = tuple(sorted(self.simulations, key=lambda run: _size(run)))
        if len({_size(run) for run in ordered}) < len(ordered):
            raise InputError(f"d is {[_size(run) for run in ordered]}; accepted: different ones")
        object.__setattr__(self, "simulations", ordered)
        enough = len(ordered) > 1 and min(run.seeds for run in ordered) > 1
        names = ordered[0].results if enough else ()
        limits = {name: _limit(ordered, name) for name in names}
        object.__setattr__(self, "limits", ReadOnly({n: x for n, x in limits.items() if x is not None}))

    @property
    def d(self) -> tuple[int, ...]:
        """The sizes."""
        return tuple(_size(run) for run in self.simulations)

    def frame(self) -> Frame:
        """The rows of each size, then those of the limit."""
        frames = [run.frame() for run in self.simulations]
        rows = [{"d": d, **row} for d, frame in zip(self.d, frames, strict=True) for row in frame.rows]
        if self.limits:
            largest = self.simulations[-1]
            limits = PROTOCOLS[largest.protocol].table_rows(largest.rows_of(self.limits))
            rows += [{"d": np.inf, **row} for row in limits]
        rows = [{name: cell for name, cell in row.items() if name != "n"} for row in rows]
        known = dict(frames[0].columns) | {"d": Column(name="d", role=Role.PARAMETER, symbol="d")}
        shared = {
            n: x for n, x in frames[0].fixed.items() if n != "d" and all(f.fixed.get(n) == x for f in frames)
        }
        remarks = tuple(dict.fromkeys(text for f in frames for text in f.remarks))
        return replace(frames[0], rows=tuple(rows), columns=known, fixed=shared, remarks=remarks)

    def document(self) -> Document:
        """JSON-ready: the document of each size, and the limits."""
        limits = {name: estimate.to_json() for name, estimate in self.limits.items()}
        return {"sizes": [run.document() for run in self.simulations], "limits": limits}

    def drawing(self) -> Drawing:
        """Means against 1/d, the limit at 0; against another parameter if it has more values than d."""
        drawn = replace(self.simulations[0].drawing(), frame=self.frame(), points=True)
        return drawn if len(self.simulations[0].frame().rows) > len(self.d) else against_sizes(drawn)


def against_sizes(drawn: Drawing) -> Drawing:
    """The same against 1/d, the limit at 0."""
    base = drawn.frame
    rows = tuple({"inverse": 1.0 / float(str(row["d"])), **row} for row in base.rows)
    inverse = Column(name="inverse", role=Role.PARAMETER, formula="1/d")
    columns = {**base.columns, "inverse": inverse}
    return replace(drawn, frame=replace(base, rows=rows, columns=columns), against="inverse")


def _size(run: Simulation) -> int:
    d: Any = run.parameters["d"]
    return int(d)


def _limit(runs: tuple[Simulation, ...], name: str) -> Estimate | None:
    """The limit of each entry of a number; None where sizes give it different shapes."""
    shapes = {run.samples[name].shape[1:] for run in runs}
    if len(shapes) > 1:
        return None
    shape = shapes.pop()
    mean, stderr = np.full(shape, np.nan), np.full(shape, np.nan)
    for index in np.ndindex(*shape):
        cells = [CellMean.of(_size(run), run.samples[name][(slice(None), *index)]) for run in runs]
        if all(np.isfinite(cell.mean) and cell.variance > 0.0 for cell in cells):
            found = extrapolate(cells)
            mean[index], stderr[index] = found.value, found.stderr
        elif len({cell.mean for cell in cells}) == 1:  # the same for all seeds and sizes, such as a count
            mean[index], stderr[index] = cells[0].mean, 0.0
    return Estimate(mean=mean, stderr=stderr, seeds=min(run.seeds for run in runs))
