"""The limit at one point of the ratios, and a solution of all points."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from hermite_analytics.errors import InputError
from hermite_analytics.numeric.frozen import ReadOnly, frozen
from hermite_analytics.numeric.models.dmft.arguments import Run
from hermite_analytics.numeric.models.dmft.laws import FinishedRun
from hermite_analytics.numeric.models.dmft.limit import solve_limit, test_errors
from hermite_analytics.numeric.models.dmft.network import Network
from hermite_analytics.numeric.models.dmft.place import Place
from hermite_analytics.numeric.models.dmft.quadrature import Quadrature
from hermite_analytics.numeric.models.dmft.response import correlations_of, responses_of
from hermite_analytics.numeric.models.dmft.sampled import (
    MOST_NUMBERS,
    REPLICATES,
    least_logarithm,
    nodes_of_points,
    numbers_of_points,
)
from hermite_analytics.numeric.models.dmft.solution import DMFTSolution
from hermite_analytics.numeric.models.dmft.work import Work
from hermite_analytics.numeric.status import Status, statuses

__all__ = ["estimated_seconds", "joined_points", "limit_point", "require_room", "require_time"]

_MOST_TIMES = 10_000  # p gradients: a two-time function of so many has 0.8 GB
_STEP_SECONDS = 5e-7  # of a processor, for a node of a neuron at a step
_KEPT_SECONDS, _ONCE_SECONDS = 3e-9, 7e-10  # more for each step of all, with their gradients kept or without
_LAUNCH_SECONDS, _DEVICE_GAIN = 2e-3, 60.0  # of a step on a device, however few nodes; and of its arithmetic
_ALWAYS = 5.0  # seconds of a run that is begun whatever the time allowed


def limit_point(
    network: Network, place: Place, run: Run, *, tolerance: float, seed: int, work: Work
) -> dict[str, Any]:
    """The results of one point, by the names of `DMFTSolution`; sampled rows stand at the place."""
    quadrature = Quadrature(network=network, noise=run.noise, usage=run.usage)
    found = solve_limit(quadrature, place, run.weights(network), tolerance=tolerance, seed=seed, work=work)
    times = run.times
    test, test_error = test_errors(quadrature, found, times, tolerance)
    relative = test_error / np.maximum(1.0, np.abs(test))
    error = np.max(np.concatenate([found.error[times], relative], axis=1), axis=1)
    status = found.status
    if status == Status.CONVERGED and not np.all(error <= tolerance):
        status = Status.TIME_ENDED
    return {
        "overlap": found.overlap[times],
        "norm": found.norm[times],
        "trained_readout": found.readout[times],
        "test_error": test[:, 0],
        "train_error": found.train[times, 0],
        "test_loss": test[:, 1],
        "train_loss": found.train[times, 1],
        "correlation": correlations_of(found.weights, times),
        "response": responses_of(found.weights, times),
        "averages": np.array([str(found.averages[t]) for t in times]),
        "numerical_error": error,
        "status": str(status),
        "run": FinishedRun(quadrature=quadrature, weights=found.weights, times=times),
        "diverged": 0 if found.diverged is None else -(-found.diverged // run.method.stride),
    }


def require_room(network: Network, run: Run) -> None:
    """Refuse neurons and steps whose two-time functions or Sobol points do not fit into memory."""
    p, gradients = network.readout.size, run.usage.steps
    if p * (gradients + 1) > _MOST_TIMES:
        raise InputError(
            f"{p} neurons and {gradients} gradients: C(t, s) and R(t, s) take "
            f"{16e-9 * (p * (gradients + 1)) ** 2:.2g} GB; accepted: p (gradients + 1) <= {_MOST_TIMES}"
        )
    logarithm = least_logarithm(network, run.usage, run.alpha)
    numbers = numbers_of_points(network, run.usage, logarithm)
    if numbers > MOST_NUMBERS:
        raise InputError(
            f"the smallest samples of {gradients} gradients with the schedule {run.schedule.text} take "
            f"{8e-9 * numbers:.2g} GB; accepted: {8e-9 * MOST_NUMBERS:.2g} GB, of fewer steps, blocks or "
            "neurons"
        )


def estimated_seconds(network: Network, runs: list[Run], *, on_host: bool = True) -> float:
    """Of a processor, or of a device with the processor that feeds it, for the smallest samples."""
    p, usage = network.readout.size, runs[0].usage
    of_earlier = _ONCE_SECONDS if usage.sees_once else _KEPT_SECONDS
    of_a_step = p * (_STEP_SECONDS + of_earlier * p * usage.steps)
    nodes = [nodes_of_points(usage, least_logarithm(network, usage, run.alpha)) for run in runs]
    arithmetic = REPLICATES * sum(nodes) * usage.steps * of_a_step
    if on_host:
        return arithmetic
    return REPLICATES * len(runs) * usage.steps * _LAUNCH_SECONDS + arithmetic / _DEVICE_GAIN


def require_time(place: Place, runs: list[Run], seconds: float) -> None:
    """Refuse long runs whose smallest samples take longer than is allowed."""
    network = place.network
    needed = estimated_seconds(network, runs, on_host=place.backend.on_host)
    if needed > max(seconds, _ALWAYS):
        p, usage = network.readout.size, runs[0].usage
        raise InputError(
            f"seconds is {seconds:g}, and {usage.steps} gradients, {p} neurons and {len(runs)} points take "
            f"about {needed:.2g} seconds of a processor at the least; accepted: as many, or fewer steps"
        )


def joined_points(
    points: list[dict[str, Any]], shape: tuple[int, ...], parameters: Mapping[str, Any]
) -> DMFTSolution:
    """One solution, with the axes of the points in front."""
    runs = tuple(point.pop("run") for point in points)
    stacked = {name: np.array([point[name] for point in points]) for name in points[0]}
    shaped = {name: values.reshape((*shape, *values.shape[1:])) for name, values in stacked.items()}
    status = statuses(shaped.pop("status"))
    results = {name: frozen(values) for name, values in shaped.items()}
    return DMFTSolution(**results, status=status, parameters=ReadOnly(parameters), runs=runs)
