"""`simulate`: repeat a protocol over seeds, and report means with their standard errors."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from typing import overload

import numpy as np

from hermite_analytics.errors import InputError
from hermite_analytics.numeric.simulator.finite_sizes import FiniteSizes
from hermite_analytics.numeric.simulator.parameters import listed
from hermite_analytics.numeric.simulator.registry import make_protocol, protocol_class
from hermite_analytics.numeric.simulator.results import Simulation
from hermite_analytics.numeric.simulator.running import Progress, run_seeds

__all__ = ["simulate"]


@overload
def simulate(
    protocol: str,
    *,
    d: int,
    seeds: int,
    first_seed: int = 0,
    seeds_together: int | None = None,
    seconds: float | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
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
    seconds: float | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
    **parameters: object,
) -> FiniteSizes: ...
def simulate(
    protocol: str,
    *,
    d: int | Sequence[int] | str,
    seeds: int,
    first_seed: int = 0,
    seeds_together: int | None = None,
    seconds: float | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
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
    seconds : float > 0, optional
        On the wall: after them no further seeds are begun, and the result has those that are done, one group
        of seeds at least.
    executor : Executor of `concurrent.futures`, optional
        Where groups of seeds are run; by default in this process.
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
    ExecutorEnded, KeyboardInterrupt
        If it ends before a first seed, or group of seeds, is done; later, the seeds done are returned, with
        `interrupted` set.

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
    if is_list and len({e.parameters()["d"] for e in experiments}) < max(2, len(sizes)):
        raise InputError(f"d is {sizes}; accepted: an integer, or different ones")
    found = run_seeds(
        experiments,
        seeds=seeds,
        first_seed=first_seed,
        seeds_together=seeds_together,
        seconds=seconds,
        executor=executor,
        progress=progress,
    ).simulations
    return FiniteSizes(simulations=found) if is_list else found[0]
