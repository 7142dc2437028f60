"""`simulate`: repeat a protocol over seeds, and report means with their standard errors."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import overload

import numpy as np

from hermite_analytics.errors import InputError
from hermite_analytics.numeric.simulator.backend import require_memory, resolve_backend
from hermite_analytics.numeric.simulator.finite_sizes import FiniteSizes
from hermite_analytics.numeric.simulator.parameters import listed, non_negative_integer, positive_integer
from hermite_analytics.numeric.simulator.protocol import Sample, SimulationProtocol
from hermite_analytics.numeric.simulator.registry import make_protocol, protocol_class
from hermite_analytics.numeric.simulator.results import Simulation

__all__ = ["run_seeds", "simulate"]


@overload
def simulate(
    protocol: str,
    *,
    d: int,
    seeds: int,
    first_seed: int = 0,
    seeds_together: int | None = None,
    progress: Callable[[float, int], None] | None = None,
    **parameters: object,
) -> Simulation: ...
@overload
def simulate(
    protocol: str,
    *,
    d: Sequence[int] | str,
    seeds: int,
    first_seed: int = 0,
    seeds_together: int | None = None,
    progress: Callable[[float, int], None] | None = None,
    **parameters: object,
) -> FiniteSizes: ...
def simulate(
    protocol: str,
    *,
    d: int | Sequence[int] | str,
    seeds: int,
    first_seed: int = 0,
    seeds_together: int | None = None,
    progress: Callable[[float, int], None] | None = None,
    **parameters: object,
) -> Simulation | FiniteSizes:
    """Simulate a protocol at finite size, over independent seeds.

    Parameters
    ----------
    protocol : str
        "giant-step", "spiked-random-features", ...: a name of `PROTOCOLS`.
    d : int >= 1, or several
        Dimension of the input; of several each is simulated, and the limit d -> infinity found. Lists of
        numbers may be text, as in `solve`: "0.25:4:5:log".
    seeds : int >= 1
        Seeds first_seed, ..., first_seed + seeds - 1: each draws its own weights, teacher and data.
    first_seed : int >= 0
    seeds_together : int >= 1, optional
        How many seeds run at once; their numbers change by rounding only. By default what suits the device,
        the sizes and the memory; the result says how many they were.
    progress : callable, optional
        progress(done, total) after each seed, or after each group of them; of long seeds within one, too,
        and `done` is then no integer.
    **parameters
        The keywords of the protocol's `create`, such as `GiantStepProtocol.create`, which says what each is;
        `activation` and `target` may be texts, and None means that a parameter is not given. All protocols
        take `device` and `dtype`.

    Returns
    -------
    Simulation
        The numbers of each seed, their means and standard errors. A sequence for a parameter of the
        protocol's `axes`, such as n or ridge, gives the numbers that depend on it an axis. `FiniteSizes`
        for several d.

    Raises
    ------
    InputError
        If a parameter is unknown to the protocol, missing or out of range.
    UndefinedQuantity, UnsupportedExpression
        If the protocol has no meaning for the activation or the target.
    KeyboardInterrupt
        If interrupted before a first seed, or group of seeds, is done; later, the seeds done are returned,
        with `interrupted` set.

    Examples
    --------
    >>> found = simulate("spiked-random-features", activation="erf(z)", target="sin(z1)", d=30, seeds=2,
    ...                  beta=1, alpha=[1, 2], ridge=0.1, r=1, c=1.2, gamma=0.8)
    >>> found.results["test_error"].mean.shape, found.seeds
    ((2,), 2)
    """
    axes = {name for names in protocol_class(protocol).axes.values() for name in names}
    several = listed("d", d)
    is_list = isinstance(several, Sequence | np.ndarray) and not isinstance(several, str)
    sizes: list[object] = list(several) if is_list else [several]  # type: ignore[call-overload]
    given = {name: listed(name, value) if name in axes else value for name, value in parameters.items()}
    experiments = [make_protocol(protocol, {"d": size, **given}) for size in sizes]
    found = []
    for number, experiment in enumerate(experiments):
        found.append(
            run_seeds(
                experiment,
                seeds=seeds,
                first_seed=first_seed,
                seeds_together=seeds_together,
                progress=None if progress is None else _part(progress, number, len(sizes)),
            )
        )
    return FiniteSizes(simulations=tuple(found)) if is_list else found[0]


def _part(progress: Callable[[float, int], None], number: int, parts: int) -> Callable[[float, int], None]:
    """The progress of one of several runs, as that of all."""
    return lambda done, total: progress(number * total + done, parts * total)


def _after(progress: Callable[[float, int], None], done: int, total: int) -> Callable[[float], None]:
    """The progress of a group of seeds, as that of all."""
    return lambda more: progress(done + more, total)


def run_seeds(
    protocol: SimulationProtocol,
    *,
    seeds: int,
    first_seed: int = 0,
    seeds_together: int | None = None,
    progress: Callable[[float, int], None] | None = None,
) -> Simulation:
    """Run a protocol over seeds first_seed, ..., first_seed + seeds - 1; see `simulate`.

    Parameters
    ----------
    protocol : SimulationProtocol
    seeds : int >= 1
    first_seed : int >= 0
        first_seed + seeds <= 2**32.
    seeds_together : int >= 1, optional
        See `simulate`.
    progress : callable, optional
        progress(done, total) after each seed, or after each group of them; of long seeds within one, too,
        and `done` is then no integer.

    Returns
    -------
    Simulation

    Raises
    ------
    InputError
        If a seed is out of range, the size does not fit into memory, or the protocol cannot run several
        seeds at once.
    KeyboardInterrupt
        If interrupted before a first seed, or group of seeds, is done; later, the seeds done are returned,
        with `interrupted` set.
    """
    seeds = positive_integer("seeds", seeds)
    first_seed = non_negative_integer("first_seed", first_seed)
    if first_seed + seeds > 2**32:
        raise InputError(
            f"seeds {first_seed} to {first_seed + seeds - 1} are asked for: they end at 2**32 - 1"
        )
    together = _together(protocol, seeds, seeds_together)
    last = first_seed + seeds
    done: list[Sample] = []
    interrupted = False
    start = time.perf_counter()
    try:
        for first in range(first_seed, last, together):
            group = range(first, min(first + together, last))
            within = None if progress is None else _after(progress, len(done), seeds)
            done += protocol.run_many(group, within)
            if progress is not None:
                progress(len(done), seeds)
    except KeyboardInterrupt:
        if not done:
            raise
        interrupted = True
    samples = {name: np.stack([sample[name] for sample in done]) for name in done[0]}
    return Simulation(
        protocol=protocol.name,
        parameters=protocol.parameters(),
        first_seed=first_seed,
        samples=samples,
        groups=protocol.groups,
        device=protocol.device,
        seconds=time.perf_counter() - start,
        interrupted=interrupted,
        conclusions=protocol.conclusions(samples),
        products=len(done) * protocol.products(),
        seeds_together=together,
    )


def _together(protocol: SimulationProtocol, seeds: int, asked: int | None) -> int:
    """How many seeds to run at once: as asked, or as suits the protocol and fits into memory.

    Raises
    ------
    InputError
        If one seed, or what was asked for, does not fit into memory, or the protocol does not run several.
    """
    best, needed = protocol.seeds_together(), protocol.memory()
    if asked is None:
        require_memory(protocol.device, needed)
        free = resolve_backend(protocol.device).free_memory()
        room = seeds if free is None or not needed else free // (2 * needed)  # not all of what is free
        return max(1, min(seeds, best, room))
    together = min(seeds, positive_integer("seeds_together", asked))
    if together == 1:
        require_memory(protocol.device, needed)
    elif protocol.stacks:
        require_memory(protocol.device, together * needed, "fewer seeds_together, or smaller sizes")
    else:
        raise InputError(
            f"seeds_together is {asked}, but {protocol.name} runs its seeds one after the other with these "
            "parameters: 1 is accepted"
        )
    return together
