"""The grid of runs of a protocol, and what is printed of them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from hermite_analytics.cli.files import Files, rows_frame
from hermite_analytics.cli.given import Given
from hermite_analytics.cli.options import Places
from hermite_analytics.cli.output import print_json, print_table
from hermite_analytics.cli.simulate.limits import limits_of
from hermite_analytics.cli.simulate.progress import simulation_progress
from hermite_analytics.cli.values import grid
from hermite_analytics.foundation.json import JSON

if TYPE_CHECKING:
    from hermite_analytics.numeric.models.record import Record
    from hermite_analytics.numeric.simulator.protocol import SimulationProtocol
    from hermite_analytics.numeric.simulator.results import Simulation
    from hermite_analytics.numeric.simulator.running import Ran
    from hermite_analytics.rendering import Drawing, Frame

__all__ = ["simulate"]


def simulate(given: Given, files: Files, places: Places, *, as_json: bool) -> int:
    """Simulate all combinations of the comma lists, print them, and give the exit status.

    Parameters
    ----------
    given : Given
        The flags of a protocol, with the values of those that are texts of their own.
    files : Files
        To be written beside what is printed.
    places : Places
        How long, and by which processes.
    as_json : bool
    """
    from hermite_analytics.numeric.simulator import make_protocol, protocol_class

    protocol = given.record.name
    lists = {p.name: given[p.name] for p in given.lists if given.has(p.name)}
    texts = given.echo(without=lists)
    axes = protocol_class(protocol).axes
    on_one_network = {n for names in axes.values() for n in names}
    order = [name for name in given.values if name in lists]
    shared = [n for n in order if n in on_one_network]
    points = grid([n for n in order if n not in shared], lists)
    # all are made first: bad input of the last shows before the first has taken its time
    together = {n: list(lists[n]) for n in shared}
    experiments = [
        make_protocol(protocol, {**given.arguments("model"), **point, **together}) for point in points
    ]
    ran = _run_all(experiments, places, **given.arguments("run"))
    done = ran.simulations
    found = [(point, run.document()["results"]) for point, run in zip(points, done, strict=False)]
    results = _in_order(_placed(found, axes, shared, lists), order, lists)
    document = _document(protocol, _parameters(lists, texts, done), results, ran)
    without_d = [n for n in order if n != "d"]
    if limits := _placed(limits_of(points, done), axes, shared, lists):
        document["limits"] = _in_order(limits, without_d, lists)
    _report(document, done, given.record, files.most, as_json)
    shown = {name: x for name, x in document["parameters"].items() if not isinstance(x, list)}
    rows = [*_numbers(results), *({"d": np.inf} | row for row in document.get("limits", ()))]
    frame = rows_frame(given.record, given.record.table_rows(rows), shown, title=f"{protocol}, simulated")
    files.write(document, lambda: _drawing(given.record, frame, lists), quiet=as_json)
    return _said(ran, len(points) * given["seeds"], places)


def _said(ran: Ran, asked: int, places: Places) -> int:
    """The exit status; what is missing is said on standard error."""
    done = f"after {sum(s.seeds for s in ran.simulations)} of {asked} seeds"
    if ran.ended == "time":
        click.echo(f"the time of {places.seconds:g} s ended {done}", err=True)
    elif ran.ended == "executor":
        click.echo(f"hermite-analytics: the executor ended {done}", err=True)
    return {"done": 0, "time": 1, "interrupted": 130, "executor": 1}[ran.ended]


def _drawing(record: Record, frame: Frame, lists: Mapping[str, Sequence[float]]) -> Drawing:
    """Points; against 1/d where nothing else has more values."""
    from hermite_analytics.numeric.simulator.finite_sizes import against_sizes

    drawn = replace(record.drawing(frame), points=True)
    counts = {n: len(x) for n, x in lists.items()}
    sizes = counts.pop("d", 1)
    return against_sizes(drawn) if sizes > 1 and math.prod(counts.values()) <= sizes else drawn


def _placed(
    found: Sequence[tuple[Mapping[str, float], Any]],
    axes: Mapping[str, Sequence[str]],
    shared: Sequence[str],
    lists: Mapping[str, Sequence[float]],
) -> list[tuple[dict[str, float], Any]]:
    """(where it was run, row) of all rows of the points."""
    return [
        (dict(point) | place, row) for point, rows in found for place, row in _rows(rows, axes, shared, lists)
    ]


def _in_order(
    found_at: Sequence[tuple[Mapping[str, object], Mapping[str, object]]],
    order: Sequence[str],
    lists: Mapping[str, Sequence[float]],
) -> list[dict[str, object]]:
    """The rows of what was run, the last list of the command line fastest."""
    named = [n for n in order if n != "d" or len(lists[n]) > 1]
    rows = {tuple(full[n] for n in order): {n: full[n] for n in named} | dict(row) for full, row in found_at}
    keys = [tuple(p[n] for n in order) for p in grid(order, lists)]
    return [rows[k] for k in keys if k in rows]


def _run_all(
    experiments: Sequence[SimulationProtocol],
    places: Places,
    *,
    seeds: int,
    first_seed: int,
    seeds_together: int | None = None,
) -> Ran:
    """All combinations, with their progress."""
    from hermite_analytics.numeric.simulator import run_seeds

    costs = [0.0, *itertools.accumulate(seeds * e.products() for e in experiments)]
    with simulation_progress(f"simulating {experiments[0].name}") as progress:

        def advance(done: float, total: int) -> None:
            products = float(np.interp(done, range(0, total + 1, seeds), costs))
            progress(done, total, products)

        return run_seeds(
            experiments,
            seeds=seeds,
            seconds=places.seconds,
            workers=places.workers or 1,
            scheduler=places.scheduler,
            first_seed=first_seed,
            seeds_together=seeds_together,
            progress=advance,
        )


def _document(
    protocol: str,
    parameters: dict[str, object],
    results: Sequence[dict[str, object]],
    ran: Ran,
) -> dict[str, Any]:
    done = ran.simulations
    return {
        "protocol": protocol,
        "parameters": parameters,
        "results": results,
        "device": done[0].device,
        "seconds": sum(s.seconds for s in done),
        "seeds_together": max(s.seeds_together for s in done),
        "interrupted": ran.ended != "done",
    }


def _numbers(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The rows without verdicts, which are no numbers."""
    return [{name: x for name, x in row.items() if "verdict" not in str(x)} for row in rows]


def _report(
    document: Mapping[str, Any],
    done: Sequence[Simulation],
    record: Record,
    most: int | None,
    as_json: bool,
) -> None:
    protocol, parameters, results = (document[n] for n in ("protocol", "parameters", "results"))
    seconds, device, together = (document[n] for n in ("seconds", "device", "seeds_together"))
    if as_json:
        print_json(document)
    else:
        products = sum(s.products for s in done)
        rate = f", {1e-9 * products / seconds:.3g} GFLOP/s" if products else ""
        beside = f", {together} seeds at once" if together > 1 else ""
        title = f"{protocol}: d = {parameters['d']}, {seconds:.1f} s on {device}{rate}{beside}"
        shown = [{name: _readable(x) for name, x in row.items()} for row in record.table_rows(results)]
        print_table(shown, title=title, most=most)
        if document.get("limits"):
            limits = record.table_rows(document["limits"])
            print_table(limits, title="limit d -> infinity, of a straight line in 1/d")


def _parameters(
    lists: Mapping[str, Sequence[float]], texts: Mapping[str, object], done: Sequence[Simulation]
) -> dict[str, object]:
    """The flags, and what else the runs have in common: defaults, and the sizes that ratios gave."""
    given = {n: (v[0] if len(v) == 1 else list(v)) for n, v in lists.items()} | dict(texts)
    first = done[0].parameters
    common = {n: v for n, v in first.items() if all(run.parameters[n] == v for run in done)}
    return given | {n: _unlisted(v) for n, v in common.items() if n not in given}


def _readable(value: object) -> object:
    """Decisions as texts, and the rest as it is."""
    if isinstance(value, dict) and "verdict" in value:
        return f"{value['verdict']} (p = {value['p_value']:.1g})"
    if isinstance(value, dict):
        return {name: _readable(entry) for name, entry in value.items()}
    return [_readable(entry) for entry in value] if isinstance(value, list) else value


def _unlisted(value: object) -> object:
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def _rows(
    numbers: Any,
    axes: Mapping[str, Sequence[str]],
    shared: Sequence[str],
    lists: Mapping[str, Sequence[float]],
) -> Iterator[tuple[dict[str, float], dict[str, object]]]:
    """One (place on the shared axes, numbers) a result."""
    for indices in np.ndindex(*(len(lists[n]) for n in shared)):
        index = dict(zip(shared, indices, strict=True))
        place = {n: lists[n][i] for n, i in index.items()}
        yield place, {name: _pick(value, name, axes, index) for name, value in numbers.items()}


def _pick(value: JSON, name: str, axes: Mapping[str, Sequence[str]], index: Mapping[str, int]) -> JSON:
    """The number at a place of its axes; a group of numbers, each at that place."""
    if isinstance(value, dict) and "mean" not in value:
        names = {k: f"{name}_{k}" if f"{name}_{k}" in axes else k for k in value}
        return {k: _pick(v, names[k], axes, index) for k, v in value.items()}
    for axis in axes.get(name, ()):
        if axis in index:
            assert isinstance(value, list)
            value = value[index[axis]]
    return value
