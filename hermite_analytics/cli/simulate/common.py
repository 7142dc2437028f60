"""What the protocols of `simulate` share: their flags, the grid of runs, the report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import click
import numpy as np

from hermite_analytics.cli.output import print_json, print_table
from hermite_analytics.cli.simulate.progress import simulation_progress
from hermite_analytics.cli.solve.vocabulary import vocabulary_of
from hermite_analytics.cli.values import NUMBERS, F, grid, in_given_order, number_option
from hermite_analytics.errors import InputError

__all__ = [
    "integer_option",
    "network_options",
    "readout_options",
    "run",
    "run_options",
    "simulated_vocabulary",
]


class _Integers(click.ParamType):  # type: ignore[type-arg]  # generic only in newer versions of click
    """One integer or a comma list of integers."""

    name = "integer[,integer...]"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, ...]:
        numbers = NUMBERS.convert(value, param, ctx)
        if not all(np.isfinite(x) and x == int(x) for x in numbers):
            name = "a size" if param is None else param.opts[0]
            raise InputError(f"{name} takes integers; for ratios to d use the flag of the ratio")
        return tuple(int(x) for x in numbers)


def integer_option(name: str, text: str, *, required: bool = False) -> Callable[[F], F]:
    """A click option that takes a comma list of integers."""
    return click.option(f"--{name}", type=_Integers(), required=required, help=text)


def run_options(function: F) -> F:
    """--d --seeds --first-seed --seeds-together --device --dtype: what every protocol takes."""
    return _all_of(
        click.option("--d", type=click.IntRange(min=1), required=True, help="Dimension of the input."),
        click.option("--seeds", type=click.IntRange(min=1), default=8, show_default=True),
        click.option("--first-seed", type=click.IntRange(min=0), default=0, show_default=True),
        click.option(
            "--seeds-together",
            type=click.IntRange(min=1),
            help="Seeds that run at once; by default what suits the sizes and the device.",
        ),
        click.option("--device", default="cpu", show_default=True, help="cpu, torch, cuda or cupy."),
        click.option("--dtype", default="float64", show_default=True, help="float64 or float32."),
    )(function)


def network_options(function: F) -> F:
    """--activation and --target."""
    return _all_of(
        click.option("--activation", required=True, help='Activation, such as "tanh(z)".'),
        click.option("--target", required=True, help='Target, such as "sin(z1)".'),
    )(function)


def readout_options(function: F) -> F:
    """--alpha --n --beta --p --ridge --noise --n-test --chunk-rows: p neurons with a ridge readout."""
    return _all_of(
        number_option("alpha", "n/d, samples of the readout."),
        integer_option("n", "Samples of the readout, instead of --alpha."),
        number_option("beta", "p/d, neurons."),
        integer_option("p", "Neurons, instead of --beta."),
        number_option("ridge", "lambda of sum (y - a.phi/sqrt p)^2 + lambda |a|^2."),
        number_option("noise", "Variance of the label noise."),
        click.option("--n-test", type=click.IntRange(min=1), help="Fresh samples for the test error."),
        click.option("--chunk-rows", type=click.IntRange(min=1), help="Samples held at once."),
    )(function)


def simulated_vocabulary(letters: str | None, bias: str | None) -> dict[str, Any]:
    """Keyword arguments `letters` and `bias` of a protocol, from the texts of the flags."""
    if bias == "learned":
        raise InputError("--bias takes a number, or with --letters one a letter; a simulation learns no bias")
    return vocabulary_of(letters, bias)


def run(
    ctx: click.Context,
    protocol: str,
    options: Mapping[str, Any],
    as_json: bool,
    *,
    parsed: Mapping[str, Any] | None = None,
) -> int:
    """Simulate all combinations of the comma lists, print them, and give the exit status.

    Parameters
    ----------
    ctx : click.Context
        Of the protocol's command: it knows the order of the flags.
    protocol : str
        A name of the simulator's registry.
    options : mapping
        The flags by name; tuples are comma lists, None was not given.
    as_json : bool
    parsed : mapping, optional
        Values that stand for the texts of flags of the same names, such as letters.
    """
    from hermite_analytics.numeric.simulator import make_protocol, protocol_class

    lists = {n: v for n, v in options.items() if isinstance(v, tuple)}
    texts = {n: v for n, v in options.items() if n not in lists and v is not None}
    fixed = {**texts, **(parsed or {})}
    seeds = {n: fixed.pop(n, None) for n in ("seeds", "first_seed", "seeds_together")}
    axes = protocol_class(protocol).axes
    on_one_network = {n for names in axes.values() for n in names}
    order = in_given_order(ctx, list(lists))
    shared = [n for n in order if n in on_one_network]
    points = grid([n for n in order if n not in shared], lists)
    # all are made first: bad input of the last shows before the first has taken its time
    together = {n: list(lists[n]) for n in shared}
    experiments = [make_protocol(protocol, {**fixed, **point, **together}) for point in points]
    done, interrupted = _run_all(experiments, **seeds)
    rows = {}
    for point, found in zip(points, done, strict=False):
        for place, row in _rows(found, axes, shared, lists):
            full = point | place
            rows[tuple(full[n] for n in order)] = {n: full[n] for n in order} | row
    keys = [tuple(p[n] for n in order) for p in grid(order, lists)]
    results = [rows[k] for k in keys if k in rows]
    _report(protocol, _parameters(lists, texts, done), results, done, interrupted, as_json)
    return 130 if interrupted else 0


def _run_all(
    experiments: Sequence[Any], *, seeds: int, first_seed: int, seeds_together: int | None
) -> tuple[list[Any], bool]:
    """(the simulations that have at least one seed, whether they were interrupted)."""
    from hermite_analytics.numeric.simulator import run_seeds

    done: list[Any] = []
    products = 0.0
    with simulation_progress(f"simulating {experiments[0].name}") as progress:

        def advance(part: int, total: int) -> None:
            progress(
                len(done) * total + part,
                len(experiments) * total,
                products + part * experiments[len(done)].products(),
            )

        try:
            for experiment in experiments:
                found = run_seeds(
                    experiment,
                    seeds=seeds,
                    first_seed=first_seed,
                    seeds_together=seeds_together,
                    progress=advance,
                )
                done.append(found)
                products += found.products
                if found.interrupted:
                    return done, True
        except KeyboardInterrupt:  # before the first seed of a later experiment
            if not done:
                raise
            return done, True
    return done, False


def _report(
    protocol: str,
    parameters: dict[str, Any],
    results: Sequence[dict[str, Any]],
    done: Sequence[Any],
    interrupted: bool,
    as_json: bool,
) -> None:
    seconds, device = sum(s.seconds for s in done), done[0].device
    together = max(s.seeds_together for s in done)
    if as_json:
        document = {
            "protocol": protocol,
            "parameters": parameters,
            "results": results,
            "device": device,
            "seconds": seconds,
            "seeds_together": together,
            "interrupted": interrupted,
        }
        print_json(document)
    else:
        products = sum(s.products for s in done)
        rate = f", {1e-9 * products / seconds:.3g} GFLOP/s" if products else ""
        beside = f", {together} seeds at once" if together > 1 else ""
        title = f"{protocol}: d = {parameters['d']}, {seconds:.1f} s on {device}{rate}{beside}"
        print_table([_readable(row) for row in results], title=title)


def _all_of(*options: Callable[[Any], Any]) -> Callable[[F], F]:
    def decorate(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def _parameters(
    lists: Mapping[str, Sequence[float]], texts: Mapping[str, Any], done: Sequence[Any]
) -> dict[str, Any]:
    """The flags, and what else the runs have in common: defaults, and the sizes that ratios gave."""
    given = {n: (v[0] if len(v) == 1 else list(v)) for n, v in lists.items()} | dict(texts)
    first = done[0].parameters
    common = {n: v for n, v in first.items() if all(run.parameters[n] == v for run in done)}
    return given | {n: _unlisted(v) for n, v in common.items() if n not in given}


def _readable(value: Any) -> Any:
    """Decisions as texts, and the rest as it is."""
    if isinstance(value, dict) and "verdict" in value:
        return f"{value['verdict']} (p = {value['p_value']:.1g})"
    if isinstance(value, dict):
        return {name: _readable(entry) for name, entry in value.items()}
    return [_readable(entry) for entry in value] if isinstance(value, list) else value


def _unlisted(value: Any) -> Any:
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def _rows(
    simulation: Any,
    axes: Mapping[str, Sequence[str]],
    shared: Sequence[str],
    lists: Mapping[str, Sequence[float]],
) -> Iterator[tuple[dict[str, float], dict[str, Any]]]:
    """One (place on the shared axes, numbers) a result."""
    numbers = simulation.to_dict()["results"]
    for indices in np.ndindex(*(len(lists[n]) for n in shared)):
        index = dict(zip(shared, indices, strict=True))
        place = {n: lists[n][i] for n, i in index.items()}
        yield place, {name: _pick(value, name, axes, index) for name, value in numbers.items()}


def _pick(value: Any, name: str, axes: Mapping[str, Sequence[str]], index: Mapping[str, int]) -> Any:
    """The number at a place of its axes; a group of numbers, each at that place."""
    if isinstance(value, dict) and "mean" not in value:
        names = {k: f"{name}_{k}" if f"{name}_{k}" in axes else k for k in value}
        return {k: _pick(v, names[k], axes, index) for k, v in value.items()}
    for axis in axes.get(name, ()):
        if axis in index:
            value = value[index[axis]]
    return value
