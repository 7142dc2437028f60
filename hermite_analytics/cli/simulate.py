"""`hermite-analytics simulate PROTOCOL ...`: means over seeds with their standard errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import click
import numpy as np

from hermite_analytics.cli.output import json_option, print_json, print_table, progress_bar
from hermite_analytics.cli.values import F, grid, in_given_order, number_option
from hermite_analytics.errors import InputError

__all__ = ["command"]


@click.group("simulate")
def command() -> None:
    """Simulate a protocol at finite size; comma lists give all combinations, the last flag fastest."""


def _common(function: F) -> F:
    options = [
        click.option("--activation", required=True, help='Activation, such as "tanh(z)".'),
        click.option("--target", required=True, help='Target of one direction, such as "sin(z1)".'),
        click.option("--d", type=click.IntRange(min=1), required=True, help="Dimension of the input."),
        click.option("--seeds", type=click.IntRange(min=1), default=8, show_default=True),
        click.option("--first-seed", type=click.IntRange(min=0), default=0, show_default=True),
        click.option("--device", default="cpu", show_default=True, help="Where the arrays live."),
        click.option("--dtype", default="float64", show_default=True, help="float64 or float32."),
        number_option("alpha", "n/d, samples of the readout."),
        number_option("n", "Samples of the readout, instead of --alpha."),
        number_option("beta", "p/d, neurons."),
        number_option("p", "Neurons, instead of --beta."),
        number_option("ridge", "lambda of sum (y - a.phi/sqrt p)^2 + lambda |a|^2.", required=True),
        number_option("noise", "Variance of the label noise."),
    ]
    for option in reversed(options):
        function = option(function)
    return function


@command.command("giant-step", short_help="A network after one gradient step of order d.")
@_common
@number_option("eta", "Step size over d.", required=True)
@number_option("alpha0", "n0/d, samples of the step.")
@number_option("n0", "Samples of the step, instead of --alpha0.")
@click.option(
    "--step-convention",
    type=click.Choice(["paper", "notebook"]),
    default="paper",
    show_default=True,
    help="Effective step eta/beta, or eta.",
)
@json_option
@click.pass_context
def giant_step(ctx: click.Context, /, as_json: bool, **options: Any) -> int:
    """One gradient step on fresh data, then ridge regression of the readout on fresh data."""
    return _simulate(ctx, "giant-step", options, as_json)


@command.command("spiked-random-features", short_help="Random features with a given spike.")
@_common
@number_option("r", "Strength of the spike.", required=True)
@number_option("c", "Squared norm of a bulk row.", required=True)
@number_option("gamma", "Overlap of spike and target.", required=True)
@json_option
@click.pass_context
def spiked_random_features(ctx: click.Context, /, as_json: bool, **options: Any) -> int:
    """Ridge regression on features sigma((W + r 1 v^T) x)."""
    return _simulate(ctx, "spiked-random-features", options, as_json)


_INTEGERS = ("n0", "p", "n")
_SHARED = ("n", "alpha", "ridge")  # one network serves all of these


def _simulate(ctx: click.Context, protocol: str, options: dict[str, Any], as_json: bool) -> int:
    from hermite_analytics.activation import Activation
    from hermite_analytics.numeric.simulator.simulation import simulate
    from hermite_analytics.target import Target

    lists = {n: _integers(n, v) if n in _INTEGERS else v for n, v in options.items() if isinstance(v, tuple)}
    fixed = {n: v for n, v in options.items() if n not in lists and v is not None}
    fixed["activation"] = Activation(fixed["activation"])
    fixed["target"] = Target(fixed["target"])
    order = in_given_order(ctx, list(lists))
    separate = [n for n in order if n not in _SHARED]
    shared = [n for n in order if n in _SHARED]
    rows: dict[tuple[float, ...], dict[str, Any]] = {}
    seconds, device, interrupted = 0.0, fixed["device"], False
    runs = grid(separate, lists)
    with progress_bar(f"simulating {protocol}") as progress:
        for index, point in enumerate(runs):
            given: dict[str, Any] = {
                **fixed,
                **{n: int(v) if n in _INTEGERS else v for n, v in point.items()},
                **{n: list(lists[n]) for n in shared},
            }
            found = simulate(protocol, **given, progress=_part(progress, index, len(runs)))
            seconds += found.seconds
            device, interrupted = found.device, found.interrupted
            for place, row in _rows(found, shared, lists):
                full = point | place
                rows[tuple(full[n] for n in order)] = {n: full[n] for n in order} | row
            if interrupted:
                break
    keys = [tuple(p[n] for n in order) for p in grid(order, lists)]
    results = [rows[k] for k in keys if k in rows]
    if as_json:
        parameters = {n: (v[0] if len(v) == 1 else list(v)) for n, v in lists.items()}
        parameters |= {n: str(v) if n in ("activation", "target") else v for n, v in fixed.items()}
        print_json(
            {
                "protocol": protocol,
                "parameters": parameters,
                "results": results,
                "device": device,
                "seconds": seconds,
                "interrupted": interrupted,
            }
        )
    else:
        print_table(results, title=f"{protocol}: d = {fixed['d']}, {seconds:.1f} s on {device}")
    return 130 if interrupted else 0


def _part(progress: Callable[[int, int], None], index: int, runs: int) -> Callable[[int, int], None]:
    """The progress of one run as that of all of them."""
    return lambda done, total: progress(index * total + done, runs * total)


def _integers(name: str, values: tuple[float, ...]) -> tuple[int, ...]:
    if any(v != int(v) for v in values if np.isfinite(v)) or not np.all(np.isfinite(values)):
        raise InputError(f"--{name} takes integers; for ratios to d use the flag of the ratio")
    return tuple(int(v) for v in values)


def _rows(
    simulation: Any, shared: list[str], lists: dict[str, tuple[float, ...]]
) -> Iterator[tuple[dict[str, float], dict[str, Any]]]:
    """One (place on the shared axes, numbers) a result; the simulator's axes are samples, then ridge."""
    axes = [n for n in ("n", "alpha") if n in shared] + (["ridge"] if "ridge" in shared else [])
    numbers = simulation.to_dict()["results"]
    lengths = [len(lists[n]) for n in axes]
    for indices in np.ndindex(*lengths):
        place = {n: lists[n][i] for n, i in zip(axes, indices, strict=True)}
        yield place, {name: _pick(value, name, indices) for name, value in numbers.items()}


_ONCE = ("r", "c", "gamma", "overlap")  # measured on the step, not on the readout


def _pick(value: Any, name: str, indices: tuple[int, ...]) -> Any:
    if isinstance(value, dict) and "mean" not in value:
        return {k: _pick(v, k, indices) for k, v in value.items()}
    if name in _ONCE:
        return value
    for i in indices:
        value = value[i]
    return value
