"""The arguments of runs, checked: what the limit and the law at finite d share."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Literal, TypeAlias, TypedDict

import numpy as np
from numpy.typing import ArrayLike

from hermite_analytics.errors import InputError
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.foundation.ranges import ANY, NOT_NEGATIVE, POSITIVE, Range
from hermite_analytics.learning.schedules import Schedule, read_schedule
from hermite_analytics.numeric.checks import checked, integer, on_one_grid
from hermite_analytics.numeric.models.dmft.network import Network
from hermite_analytics.numeric.models.dmft.rows import joint_root
from hermite_analytics.numeric.models.dmft.schedule import Usage, usage_of
from hermite_analytics.numeric.models.dmft.weights import LinearMethod, Weights

__all__ = ["RATIOS", "Run", "Training", "checked_run", "checked_runs"]

_MOST_STEPS = 1000
Ratio: TypeAlias = Literal["alpha", "eta", "ridge", "noise", "momentum", "readout_eta"]
RATIOS: tuple[Ratio, ...] = ("alpha", "eta", "ridge", "noise", "momentum", "readout_eta")
"""Arguments of which several values may be given; they broadcast."""


class Training(TypedDict, total=False):
    """How a network is trained: the arguments of `DMFT.solve` that `DMFT.sample` has too."""

    alpha: ArrayLike | None
    eta: ArrayLike
    steps: int
    ridge: ArrayLike
    noise: ArrayLike
    schedule: str
    momentum: ArrayLike
    overlap: ArrayLike | None
    correlations: ArrayLike | None
    spherical: bool
    readout_eta: ArrayLike


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Run:
    """One run of gradient descent.

    Attributes
    ----------
    alpha, noise : float
        n/d; the variance of the label noise, that of the target included.
    asked_noise : float
        Without that of the target.
    steps : int
    method : LinearMethod
    usage : Usage
        Over all gradients.
    start : ndarray, shape (p, p + r)
        D_0.
    """

    alpha: float
    noise: float
    asked_noise: float
    steps: int
    method: LinearMethod
    schedule: Schedule
    usage: Usage
    start: Array

    def weights(self, network: Network) -> Weights:
        """The weights before the first step."""
        return Weights(self.method, self.alpha, [self.start], [network.readout])

    @property
    def times(self) -> list[int]:
        """How many gradients have been taken after each step; look-aheads lie between."""
        return [t * self.method.stride for t in range(self.steps + 1)]


def checked_runs(network: Network, training: Training) -> tuple[tuple[int, ...], list[Run]]:
    """The runs of a network at all values of the ratios, in C order, and the shape of those.

    Raises
    ------
    InputError
        Naming the argument and what is accepted.
    """
    missing = [name for name in ("eta", "steps") if name not in training]
    if missing:
        raise InputError(f"{missing[0]} is missing; accepted: eta, the step size, and steps, how many")
    steps = integer("steps", training["steps"], 1, _MOST_STEPS)
    schedule = read_schedule(training.get("schedule", "full"))
    spherical = training.get("spherical", False)
    if not isinstance(spherical, bool):
        raise InputError(
            f"spherical is {spherical!r}; accepted: True, each w_j of norm 1 after a step, or False"
        )
    alpha = schedule.alpha(training.get("alpha"), steps)
    ratios = (
        checked("alpha", alpha, POSITIVE),
        checked("eta", training["eta"], ANY),
        checked("ridge", training.get("ridge", 0.0), NOT_NEGATIVE),
        checked("noise", training.get("noise", 0.0), NOT_NEGATIVE),
        checked("momentum", training.get("momentum", 0.0), Range(low=0.0, high=1.0)),
        checked("readout_eta", training.get("readout_eta", 0.0), ANY),
    )
    points = list(on_one_grid(**dict(zip(RATIOS, ratios, strict=True))).values())
    start = _start(network, training.get("overlap"), training.get("correlations"))
    make = functools.partial(_run, network, schedule, steps, start, spherical)
    columns = np.reshape([np.ravel(point) for point in points], (len(RATIOS), -1))
    return points[0].shape, [make(*column) for column in columns.T.tolist()]


def checked_run(network: Network, training: Training) -> Run:
    """The only run; several values of a ratio are refused."""
    for name in RATIOS:
        value = training.get(name)
        if value is not None and np.ndim(value):
            raise InputError(f"{name} has shape {np.shape(value)}; one number is accepted")
    return checked_runs(network, training)[1][0]


def _run(
    network: Network,
    schedule: Schedule,
    steps: int,
    start: Array,
    spherical: bool,
    alpha: float,
    eta: float,
    ridge: float,
    noise: float,
    momentum: float,
    readout_eta: float,
) -> Run:
    schedule.require_samples(alpha, steps)
    method = LinearMethod(
        eta=eta,
        ridge=ridge,
        momentum=momentum,
        look_ahead=schedule.look_ahead,
        readout_eta=readout_eta,
        spherical=spherical,
    )
    variance = noise + network.problem.noise
    if variance > 0.0 and network.loss.needs_signs:
        raise InputError(
            f"noise is {variance:g}, and the loss {network.loss.text} takes labels 1 and -1 only; "
            "accepted: no noise"
        )
    return Run(
        alpha=alpha,
        noise=variance,
        asked_noise=noise,
        steps=steps,
        method=method,
        schedule=schedule,
        usage=usage_of(schedule, alpha, method.inner(steps)),
        start=start,
    )


def _start(network: Network, overlap: ArrayLike | None, correlations: ArrayLike | None) -> Array:
    """D_0 = [(Q_0 - M_0 M_0^T)^{1/2}, M_0]."""
    p, r = network.readout.size, network.problem.dimension
    m = np.zeros((p, r)) if overlap is None else checked("overlap", overlap)
    if m.ndim < 2 and m.size == p * r:
        m = m.reshape(p, r)
    if m.shape != (p, r):
        raise InputError(f"overlap has shape {m.shape}; accepted: ({p}, {r}), neurons and directions")
    q = np.eye(p) if correlations is None else checked("correlations", correlations)
    if q.shape != (p, p) or not np.allclose(q, q.T, rtol=0.0, atol=1e-12):
        raise InputError(f"correlations has shape {q.shape}; accepted: a symmetric matrix ({p}, {p})")
    least = float(np.linalg.eigvalsh(q - m @ m.T)[0])
    if least < -1e-12 * max(1.0, float(np.trace(q))):
        raise InputError(
            f"no weights have this overlap M and correlations Q: Q - M M^T has the eigenvalue {least:g}; "
            "accepted: none below 0 (without correlations, Q = I)"
        )
    return joint_root(m, q)
