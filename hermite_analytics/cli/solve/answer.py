"""What a model answers at all points of the flags: on the grid of its record, or by a way of its own."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hermite_analytics.cli.given import Given
from hermite_analytics.cli.output import progress_bar
from hermite_analytics.cli.solve.after_step import bounds, spiked_random_features
from hermite_analytics.cli.solve.found import Found
from hermite_analytics.cli.solve.spectrum import spectrum
from hermite_analytics.numeric.models.parameter import Kind

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["answer"]

# models whose arguments are not those of their flags
_OWN_WAYS: Mapping[str, Callable[[Given], Found]] = {
    "spiked-random-features": spiked_random_features,
    "bounds": bounds,
    "spectrum": spectrum,
}


def answer(given: Given) -> Found:
    """The results of a model at all combinations of its lists."""
    return _OWN_WAYS.get(given.record.name, _on_the_grid)(given)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Block:
    """The points at which one model is solved: its own parameters, the places of the points, their axes."""

    own: Mapping[str, object]
    places: list[int]
    axes: Mapping[str, NDArray[np.number]]


def _on_the_grid(given: Given) -> Found:
    from hermite_analytics.numeric.solution import Solution

    record = given.record
    fixed, options = given.arguments("model"), given.arguments("solve")
    method = next((p.name for p in record.parameters if p.to == "method" and given[p.name]), "solve")
    blocks = _blocks(given)
    one = len(blocks) == 1 and not blocks[0].own
    rows: dict[int, list[dict[str, object]]] = {}
    model: Any = None
    solution: Any = None
    bar = progress_bar(f"solving {record.name}") if given.threads is None else nullcontext(None)
    with bar as progress:
        for done, block in enumerate(blocks, 1):
            model = given.model(**fixed, **block.own)
            solve = getattr(model, method)
            if one and progress is not None and "progress" in inspect.signature(solve).parameters:
                options["progress"] = progress
            solution = solve(**options, **block.axes)
            if one and block.axes and math.prod(solution.shape) == len(block.places):
                break  # the rows are those of the solution
            rows |= _rows_of(block, solution.results())
            if progress is not None:
                progress(done, len(blocks))
    whole = [p for p in record.parameters if p.kind is Kind.LIST and p.to == "model"]
    shown = given.read(**{p.name: list(getattr(model, p.argument)) for p in whole})
    if not rows:
        arrays = solution.arrays if type(solution).rows is Solution.rows else None
        return Found(solution=solution, rows=solution.results, echo=shown.echo(), arrays=arrays)
    found = [row for place in sorted(rows) for row in rows[place]]
    return Found(solution=solution, rows=lambda: found, echo=shown.echo())


def _rows_of(block: _Block, records: list[dict[str, object]]) -> dict[int, list[dict[str, object]]]:
    """Those of each place; without axes of its own a solution is the same at all of the block's points."""
    each = len(records) // len(block.places) if block.axes else len(records)
    starts = [j * each if block.axes else 0 for j in range(len(block.places))]
    return {
        place: [_named(block.own, row) for row in records[start : start + each]]
        for place, start in zip(block.places, starts, strict=True)
    }


def _blocks(given: Given) -> list[_Block]:
    axes = given.axes(p.name for p in given.lists)
    own = [p for p in given.lists if p.to == "model" and p.name in axes]
    ratios = [p for p in given.lists if p.to == "solve" and p.name in axes]
    count = next((len(axis) for axis in axes.values()), 1)
    keys = [tuple(axes[p.name][j].item() for p in own) for j in range(count)]
    places = {key: [j for j, other in enumerate(keys) if other == key] for key in dict.fromkeys(keys)}
    return [
        _Block(
            own={p.argument: value for p, value in zip(own, key, strict=True)},
            places=chosen,
            axes={p.argument: axes[p.name][chosen] for p in ratios},
        )
        for key, chosen in places.items()
    ]


def _named(own: Mapping[str, object], row: dict[str, object]) -> dict[str, object]:
    """A result with the parameters of its model in front, where it does not name them itself."""
    return {name: value for name, value in own.items() if name not in row} | row
