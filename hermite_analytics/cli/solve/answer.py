"""What a model answers at all points of the flags: on the grid of its record, or by a way of its own."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from hermite_analytics.cli.given import Given
from hermite_analytics.cli.output import progress_bar
from hermite_analytics.cli.solve.after_step import bounds, spiked_random_features
from hermite_analytics.cli.solve.found import Found
from hermite_analytics.cli.solve.spectrum import spectrum
from hermite_analytics.numeric.models.parameter import Kind

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from hermite_analytics.numeric.solution import Solution

__all__ = ["answer"]

Progress: TypeAlias = Callable[[int, int], None]

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
    blocks = _blocks(given)
    title = f"solving {given.record.name}"
    with progress_bar(title) if given.threads is None else nullcontext(None) as progress:
        if len(blocks) == 1 and not blocks[0].own:
            return _at_once(given, blocks[0], progress)
        rows: dict[int, list[dict[str, object]]] = {}
        for done, block in enumerate(blocks, 1):
            model, solution = _solved(given, block)
            rows |= _rows_of(block, solution.results())
            if progress is not None:
                progress(done, len(blocks))
    found = [row for place in sorted(rows) for row in rows[place]]
    return Found(solution=solution, rows=lambda: found, echo=_echo(given, model))


def _at_once(given: Given, block: _Block, progress: Progress | None) -> Found:
    """All points by one solution, which has a row a point or one for all of them."""
    from hermite_analytics.numeric.solution import Solution

    model, solution = _solved(given, block, progress)
    if not block.axes or math.prod(solution.shape) != len(block.places):
        rows = _rows_of(block, solution.results())
        found = [row for place in sorted(rows) for row in rows[place]]
        return Found(solution=solution, rows=lambda: found, echo=_echo(given, model))
    arrays = solution.arrays if type(solution).rows is Solution.rows else None
    return Found(solution=solution, rows=solution.results, echo=_echo(given, model), arrays=arrays)


def _solved(given: Given, block: _Block, progress: Progress | None = None) -> tuple[object, Solution]:
    """The model of a block and what it finds there."""
    parameters = given.record.parameters
    method = next((p.name for p in parameters if p.to == "method" and given[p.name]), "solve")
    model = given.model(**given.arguments("model"), **block.own)
    solve, options = getattr(model, method), given.arguments("solve")
    if progress is not None and "progress" in inspect.signature(solve).parameters:
        options["progress"] = progress
    return model, solve(**options, **block.axes)


def _echo(given: Given, model: object) -> Mapping[str, object]:
    """The flags as a document repeats them, lists that make one model as that model has them."""
    whole = [p for p in given.record.parameters if p.kind is Kind.LIST and p.to == "model"]
    return given.read(**{p.name: list(getattr(model, p.argument)) for p in whole}).echo()


def _rows_of(block: _Block, records: Sequence[Mapping[str, object]]) -> dict[int, list[dict[str, object]]]:
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


def _named(own: Mapping[str, object], row: Mapping[str, object]) -> dict[str, object]:
    """A result with the parameters of its model in front, where it does not name them itself."""
    return {name: value for name, value in own.items() if name not in row} | dict(row)
