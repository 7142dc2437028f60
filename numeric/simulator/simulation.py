"""`simulate`: repeat a protocol over seeds, and report means with their standard errors."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from hermite_analytics.errors import InputError
from hermite_analytics.numeric.simulator.backend import require_memory
from hermite_analytics.numeric.simulator.parameters import non_negative_integer, positive_integer
from hermite_analytics.numeric.simulator.protocol import Sample, SimulationProtocol
from hermite_analytics.numeric.simulator.registry import make_protocol
from hermite_analytics.numeric.simulator.results import Simulation

__all__ = ["run_seeds", "simulate"]


def simulate(
    protocol: str,
    *,
    seeds: int,
    first_seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
    **parameters: Any,
) -> Simulation:
    """Simulate a protocol at finite size, over independent seeds.

    Parameters
    ----------
    protocol : str
        "giant-step", "spiked-random-features", ...: a name of `PROTOCOLS`.
    seeds : int >= 1
        Seeds first_seed, ..., first_seed + seeds - 1: each draws its own weights, teacher and data.
    first_seed : int >= 0
    progress : callable, optional
        progress(done, total) after each seed.
    **parameters
        The keywords of the protocol's `create`, such as `GiantStepProtocol.create`, which says what each is;
        `activation` and `target` may be texts, and None means that a parameter is not given. All protocols
        take `d` (the dimension), `device` and `dtype`.

    Returns
    -------
    Simulation
        The numbers of each seed, their means and standard errors. A sequence for a parameter of the
        protocol's `axes`, such as n or ridge, gives the numbers that depend on it an axis.

    Raises
    ------
    InputError
        If a parameter is unknown to the protocol, missing or out of range.
    UndefinedQuantity, UnsupportedExpression
        If the protocol has no meaning for the activation or the target.
    KeyboardInterrupt
        If interrupted during the first seed; later, the seeds done are returned, with `interrupted` set.

    Examples
    --------
    >>> found = simulate("spiked-random-features", activation="erf(z)", target="sin(z1)", d=30, seeds=2,
    ...                  beta=1, alpha=[1, 2], ridge=0.1, r=1, c=1.2, gamma=0.8)
    >>> found.results["test_error"].mean.shape, found.seeds
    ((2,), 2)
    """
    experiment = make_protocol(protocol, parameters)
    return run_seeds(experiment, seeds=seeds, first_seed=first_seed, progress=progress)


def run_seeds(
    protocol: SimulationProtocol,
    *,
    seeds: int,
    first_seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Simulation:
    """Run a protocol over seeds first_seed, ..., first_seed + seeds - 1; see `simulate`.

    Parameters
    ----------
    protocol : SimulationProtocol
    seeds : int >= 1
    first_seed : int >= 0
        first_seed + seeds <= 2**32.
    progress : callable, optional
        progress(done, total) after each seed.

    Returns
    -------
    Simulation

    Raises
    ------
    InputError
        If a seed is out of range, or the size does not fit into memory.
    KeyboardInterrupt
        If interrupted during the first seed; later, the seeds done are returned, with `interrupted` set.
    """
    seeds = positive_integer("seeds", seeds)
    first_seed = non_negative_integer("first_seed", first_seed)
    if first_seed + seeds > 2**32:
        raise InputError(
            f"seeds {first_seed} to {first_seed + seeds - 1} are asked for: they end at 2**32 - 1"
        )
    require_memory(protocol.device, protocol.memory())
    done: list[Sample] = []
    interrupted = False
    start = time.perf_counter()
    try:
        for seed in range(first_seed, first_seed + seeds):
            done.append(protocol.run(seed))
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
    )
