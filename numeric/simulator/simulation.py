"""`simulate`: repeat a protocol over seeds, and report means with their standard errors."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from hermite_analytics.errors import InputError
from hermite_analytics.numeric.simulator.functions import (
    ActivationLike,
    TargetLike,
    as_activation,
    as_target,
)
from hermite_analytics.numeric.simulator.giant_step import GiantStepProtocol
from hermite_analytics.numeric.simulator.parameters import (
    Reals,
    Sizes,
    non_negative_integer,
    positive_integer,
)
from hermite_analytics.numeric.simulator.protocol import Sample, SimulationProtocol
from hermite_analytics.numeric.simulator.results import Simulation
from hermite_analytics.numeric.simulator.spiked_random_features import SpikedRandomFeaturesProtocol

__all__ = ["PROTOCOLS", "run_seeds", "simulate"]

PROTOCOLS: Mapping[str, Callable[..., SimulationProtocol]] = MappingProxyType(
    {
        GiantStepProtocol.name: GiantStepProtocol.create,
        SpikedRandomFeaturesProtocol.name: SpikedRandomFeaturesProtocol.create,
    }
)
"""Protocols by name; the keywords of each are those of its `create`."""


def simulate(
    protocol: str,
    *,
    activation: ActivationLike | str,
    target: TargetLike | str,
    d: int,
    seeds: int,
    first_seed: int = 0,
    alpha0: float | None = None,
    n0: int | None = None,
    beta: float | None = None,
    p: int | None = None,
    alpha: Reals | None = None,
    n: Sizes | None = None,
    ridge: Reals | None = None,
    eta: float | None = None,
    step_convention: str | None = None,
    r: float | None = None,
    c: float | None = None,
    gamma: float | None = None,
    noise: float | None = None,
    n_test: int | None = None,
    device: str = "cpu",
    dtype: str = "float64",
    chunk_rows: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Simulation:
    """Simulate a protocol at finite size, over independent seeds.

    Parameters
    ----------
    protocol : {"giant-step", "spiked-random-features"}
        See `GiantStepProtocol` and `SpikedRandomFeaturesProtocol` for what is done and measured. A parameter
        that the protocol does not take must stay None.
    activation : Activation or str
    target : Target or str
        Of one direction.
    d : int >= 1
        Dimension; the theory's limit is d -> infinity at fixed ratios.
    seeds : int >= 1
        Seeds first_seed, ..., first_seed + seeds - 1: each draws its own weights, teacher and data.
    first_seed : int >= 0
    alpha0, beta : float > 0
        n0/d and p/d; sizes are rounded, `parameters` of the result holds the actual ratios.
    alpha : float > 0 or sequence of such
        n/d; several make a learning curve on one network with nested data, in one pass.
    n0, p, n : int
        Sizes, instead of the ratios.
    ridge : float > 0 or sequence of such
        lambda in sum_i (y_i - a.phi_i/sqrt p)^2 + lambda |a|^2.
    eta : float
        Step size, of order 1 ("giant-step").
    step_convention : {"paper", "notebook"}, default "paper"
        Effective step eta/beta, or eta ("giant-step").
    r, c, gamma : float
        The spike and the bulk ("spiked-random-features"); c > 0, -1 <= gamma <= 1.
    noise : float >= 0, default 0
        Variance of the label noise.
    n_test : int >= 1, default max(3 d, 2000)
    device : str, default "cpu"
    dtype : {"float64", "float32"}, default "float64"
        Of data, weights and features; sums over chunks are float64 always.
    chunk_rows : int >= 1, optional
        Samples held at once; changes the results by rounding only.
    progress : callable, optional
        progress(done, total) after each seed.

    Returns
    -------
    Simulation
        Its numbers have an axis for n (or alpha) if that is a sequence, then one for ridge if that is.

    Raises
    ------
    InputError
        If a parameter is unknown to the protocol, missing or out of range.
    UndefinedQuantity, UnsupportedExpression
        If the protocol has no meaning for the activation or the target.
    KeyboardInterrupt
        If interrupted during the first seed; later, the seeds done are returned, with `interrupted` set.
    """
    parameters = {
        "activation": as_activation(activation),
        "target": as_target(target),
        "d": d,
        "alpha0": alpha0,
        "n0": n0,
        "beta": beta,
        "p": p,
        "alpha": alpha,
        "n": n,
        "ridge": ridge,
        "eta": eta,
        "step_convention": step_convention,
        "r": r,
        "c": c,
        "gamma": gamma,
        "noise": noise,
        "n_test": n_test,
        "device": device,
        "dtype": dtype,
        "chunk_rows": chunk_rows,
    }
    experiment = _make_protocol(protocol, parameters)
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
        If a seed is out of range.
    KeyboardInterrupt
        If interrupted during the first seed; later, the seeds done are returned, with `interrupted` set.
    """
    seeds = positive_integer("seeds", seeds)
    first_seed = non_negative_integer("first_seed", first_seed)
    if first_seed + seeds > 2**32:
        raise InputError(
            f"seeds {first_seed} to {first_seed + seeds - 1} are asked for: they end at 2**32 - 1"
        )
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
    return Simulation(
        protocol=protocol.name,
        parameters=protocol.parameters(),
        first_seed=first_seed,
        samples={name: np.stack([sample[name] for sample in done]) for name in done[0]},
        groups=protocol.groups,
        device=protocol.device,
        seconds=time.perf_counter() - start,
        interrupted=interrupted,
    )


def _make_protocol(protocol: str, parameters: Mapping[str, Any]) -> SimulationProtocol:
    """The protocol of that name, from the parameters that are not None."""
    create = PROTOCOLS.get(protocol)
    if create is None:
        raise InputError(f"protocol is {protocol!r}: accepted are {', '.join(map(repr, PROTOCOLS))}")
    accepted = inspect.signature(create).parameters
    given = {name: value for name, value in parameters.items() if value is not None}
    for name in given:
        if name not in accepted:
            raise InputError(f"{name} is given, but {protocol} takes none: it takes {', '.join(accepted)}")
    for name, parameter in accepted.items():
        if parameter.default is inspect.Parameter.empty and name not in given:
            raise InputError(f"{protocol} needs {name}, which is not given")
    return create(**given)
