"""One step of Bayes-AMP, and its repetition until nothing moves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.label.moments import EstimatedMoments, LabelEstimates, LabelMoments
from hermite_analytics.numeric.bayes.amp.data import Data
from hermite_analytics.numeric.status import Status

__all__ = ["Path", "State", "Step", "iterate", "step"]

_LEAST = 1e-8  # variance: differences of omega and of what labels determine are then still resolved
_LARGEST = 1e6  # norm of an estimate that has diverged


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """What an iteration starts from.

    Attributes
    ----------
    weights : array, shape (d, q)
        W^, beside the inputs; z is estimated by x W^.
    covariance : ndarray, shape (q, q)
        Posterior covariance C of a row of sqrt(d) W*, so that V = C.
    memory : array, shape (n, q)
        g_out of the step before, for the reaction term.
    """

    weights: Any
    covariance: Array
    memory: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step undamped, with what it measured.

    Attributes
    ----------
    state : State
    slope, square : ndarray, shape (q, q)
        alpha <-d g_out> = A and alpha <g_out g_out^T>: equal in the limit, if prior and label are right.
    noise : ndarray, shape (q, q)
        alpha <e e^T>, with e what g_out is off; 0 where that is not seen.
    impossible : int
        Labels of probability 0 given omega and V: they were left out.
    drawn : int
        Labels whose moments are by points that are drawn.
    """

    state: State
    slope: Array
    square: Array
    noise: Array
    impossible: int
    drawn: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Path:
    """An iteration to its end; a step that diverged leaves no state."""

    state: State
    last: Step
    covariances: Array
    residuals: Array
    status: Status


def step(data: Data, moments: LabelMoments, state: State) -> Step:
    """Omega = X W - G V;  G = g_out(y, Omega, V);  A = alpha <-d g_out>;  B = X^T G/d + W A;  W = B C.

    C = (I + A)^-1 is the covariance of the Gaussian prior with the evidence A. A comes from the slopes and
    not from <g g^T>, which falls short of exact recovery at finite size.

    Source: generalised AMP (arXiv:1010.5141) with the Gaussian prior, as in arXiv:2405.15480, with one
    covariance for all samples and rows.
    """
    v = clipped(state.covariance, _LEAST)
    omega = data.host(data.of_samples(state.weights) - state.memory @ data.device(v))
    found, error, drawn = _with_error(moments, omega, v)
    slope = clipped(found.minus_dg.sum(axis=0) / data.d, 0.0)
    covariance = np.asarray(np.linalg.inv(np.eye(len(slope)) + slope), dtype=np.float64)
    memory = data.device(found.g)
    field = data.of_weights(memory) / data.d + state.weights @ data.device(slope)
    weights = field @ data.device(covariance)
    return Step(
        state=State(weights=weights, covariance=covariance, memory=memory),
        slope=slope,
        square=found.g.T @ found.g / data.d,
        noise=error.T @ error / data.d,
        impossible=int(np.count_nonzero(~np.isfinite(found.log_z))),
        drawn=int(np.count_nonzero(drawn)),
    )


def _with_error(moments: LabelMoments, omega: Array, v: Array) -> EstimatedMoments:
    if isinstance(moments, LabelEstimates):
        return moments.with_error(omega, v)
    return EstimatedMoments(moments(omega, v), np.zeros_like(omega), np.zeros(len(omega), dtype=np.bool_))


def iterate(
    data: Data,
    moments: LabelMoments,
    state: State,
    *,
    damping: float,
    damping_steps: int,
    tolerance: float,
    max_steps: int,
    watch: Callable[[State], None],
) -> Path:
    """Steps until the undamped change of W is below the tolerance; `watch` sees the start and each state."""
    watch(state)
    covariances = [state.covariance]
    residuals: list[float] = []
    status = Status.MAX_STEPS_REACHED
    while len(residuals) < max_steps:
        last = step(data, moments, state)
        new = last.state
        change = new.weights - state.weights
        residuals.append(float(data.xp.sum(change * change)) ** 0.5 / len(state.covariance) ** 0.5)
        if not residuals[-1] < _LARGEST:
            status = Status.DIVERGED
            break
        if damping and len(residuals) <= damping_steps:
            new = State(
                weights=new.weights - damping * change,
                covariance=(1 - damping) * new.covariance + damping * state.covariance,
                memory=new.memory,
            )
        state = new
        covariances.append(state.covariance)
        watch(state)
        if residuals[-1] <= tolerance or _is_exact(state.covariance):
            status = Status.CONVERGED
            break
    return Path(
        state=state,
        last=last,
        covariances=np.stack(covariances),
        residuals=np.array(residuals),
        status=status,
    )


def clipped(matrix: Array, least: float) -> Array:
    """The symmetric part, with its eigenvalues raised to the least one."""
    symmetric = 0.5 * (matrix + matrix.T)
    if not np.isfinite(symmetric).all():  # the step has diverged, and its residual says so
        return np.asarray(symmetric)
    values, vectors = np.linalg.eigh(symmetric)
    if values[0] >= least:
        return np.asarray(symmetric)
    return np.asarray((vectors * np.maximum(values, least)) @ vectors.T)


def _is_exact(covariance: Array) -> bool:
    """Whether all directions are known as well as the labels resolve."""
    return bool(np.linalg.eigvalsh(covariance)[-1] <= _LEAST)
