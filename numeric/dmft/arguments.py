"""The arguments of a run, checked: what the limit and the law at finite d share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.errors import InputError
from hermite_analytics.numeric.checks import checked
from hermite_analytics.numeric.dmft.rows import Network, joint_root
from hermite_analytics.numeric.dmft.schedule import Schedule, Usage, read_schedule
from hermite_analytics.numeric.dmft.weights import LinearMethod, Weights
from hermite_analytics.numeric.ranges import ANY, NOT_NEGATIVE, POSITIVE, Range

__all__ = ["Run", "checked_run"]

Array = NDArray[np.float64]
_MOST_STEPS = 1000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Run:
    """One run of gradient descent.

    Attributes
    ----------
    alpha, noise : float
        n/d; the variance of the label noise, that of the target included.
    steps : int
    method : LinearMethod
    usage : Usage
        Over all gradients.
    start : ndarray, shape (p, p + r)
        D_0.
    """

    alpha: float
    noise: float
    steps: int
    method: LinearMethod
    schedule: Schedule
    usage: Usage
    start: Array

    @property
    def weights(self) -> Weights:
        """The weights before the first step."""
        return Weights(self.method, self.alpha, [self.start])

    @property
    def times(self) -> list[int]:
        """How many gradients have been taken after each step; look-aheads lie between."""
        return [t * self.method.stride for t in range(self.steps + 1)]


def checked_run(
    network: Network,
    *,
    alpha: Any,
    eta: Any,
    steps: Any,
    ridge: Any,
    noise: Any,
    schedule: Any,
    momentum: Any,
    overlap: Any,
    correlations: Any,
) -> Run:
    """A run of a network from what was given.

    Raises
    ------
    InputError
        Naming the argument and what is accepted.
    """
    if not isinstance(steps, int) or isinstance(steps, bool) or not 1 <= steps <= _MOST_STEPS:
        raise InputError(f"steps is {steps!r}; accepted: an integer from 1 to {_MOST_STEPS}")
    read = read_schedule(schedule)
    asked = None if alpha is None else _number("alpha", alpha, POSITIVE)
    method = LinearMethod(
        eta=_number("eta", eta),
        ridge=_number("ridge", ridge, NOT_NEGATIVE),
        momentum=_number("momentum", momentum, Range(low=0.0, high=1.0)),
        look_ahead=read.look_ahead,
    )
    ratio = read.alpha(asked, steps)
    variance = _number("noise", noise, NOT_NEGATIVE) + network.problem.noise
    if variance > 0.0 and network.loss.needs_signs:
        raise InputError(
            f"noise is {variance:g}, and the loss {network.loss.text} takes labels 1 and -1 only; "
            "accepted: no noise"
        )
    return Run(
        alpha=ratio,
        noise=variance,
        steps=steps,
        method=method,
        schedule=read,
        usage=read.usage(ratio, method.inner(steps)),
        start=_start(network, overlap, correlations),
    )


def _number(name: str, value: Any, within: Range = ANY) -> float:
    array = checked(name, value, within)
    if array.ndim:
        raise InputError(f"{name} has shape {array.shape}; one number is accepted")
    return float(array)


def _start(network: Network, overlap: Any, correlations: Any) -> Array:
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
