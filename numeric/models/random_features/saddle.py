"""The saddle point of a convex loss on Gaussian features, compiled: a fixed point of (V, Q, M, m).

V is the response of the field of a fresh sample, Q its variance, M its overlap with the teacher and m its
mean; `saddle_map` maps them on themselves. Newton's method finds the fixed point in
(log V, log Q, M/sqrt Q, m), with the plain iteration as its safeguard, and comes from larger ridges where it
fails. With a hinge and unequal classes m goes to the kink b = +-1 of the majority while V, Q and M go to 0; m
is then counted from b, in units of sqrt Q.

Source: docs/random_features.md, "Any convex loss" and "Gaussian covariates", after Gerace et al.
(arXiv 2002.09339) and Loureiro et al. (arXiv 2102.08127).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.losses.record import Corners, Proximal
from hermite_analytics.numeric.compiled import compiled
from hermite_analytics.numeric.losses.interface import CORNERS_TYPE, PROXIMAL_TYPE, compiled_as
from hermite_analytics.numeric.models.random_features.channels import CHANNEL_TYPE, Channel, Nodes
from hermite_analytics.numeric.models.random_features.saddle_map import (
    Problem,
    State,
    coordinates_of,
    distance_of,
    image_of,
    mean_scale,
    resolvent_of,
    state_of,
    with_ridge,
)

__all__ = ["COLUMNS", "solve_saddle"]

CONVERGED, MAX_STEPS_REACHED, DIVERGED = 0, 1, 2
COLUMNS = ("V", "Q", "M", "intercept", "loss", "wrong", "q1", "q2", "V1", "V2", "a", "b", "c")
_VECTOR, _MATRIX = "float64[::1]", "float64[:, ::1]"
_STEP = 1e-6  # of the numerical Jacobian
_PLAIN_STEPS = 4
_CONTINUATIONS = 60
_VANISHED = 1e-24  # of Q, over what the ridge leaves of it
_TINY = 1e-30  # sqrt Q of a state at the kink that stands for 0
_UNDERFLOW = 1e-200  # of Q where the mean is counted from the kink
_VANISHING_STEPS = 1500
_BALANCE_STEPS = 80
_ASIDE = 1e-3  # of the size of the mean: two means whose forces are compared
_NO_FORCE = 1e-14


@compiled
def _solved(matrix: Array, right: Array, size: int) -> Array:
    """Gauss elimination with pivots, of a small system; overwrites its arguments."""
    for j in range(size):
        pivot = j
        for i in range(j + 1, size):
            if abs(matrix[i, j]) > abs(matrix[pivot, j]):
                pivot = i
        for k in range(size):
            matrix[j, k], matrix[pivot, k] = matrix[pivot, k], matrix[j, k]
        right[j], right[pivot] = right[pivot], right[j]
        for i in range(j + 1, size):
            factor = matrix[i, j] / matrix[j, j]
            for k in range(j, size):
                matrix[i, k] -= factor * matrix[j, k]
            right[i] -= factor * right[j]
    for j in range(size - 1, -1, -1):
        for k in range(j + 1, size):
            right[j] -= matrix[j, k] * right[k]
        right[j] /= matrix[j, j]
    return right


@compiled
def _newton_step(p: Problem, state: State, image: State, work: Array) -> Array:
    """The step of (log V, log Q, M/sqrt Q, m) from a numerical Jacobian of the image."""
    size = 4 if p.intercept else 3
    here, there = coordinates_of(p, state), coordinates_of(p, image)
    jacobian, step, moved = np.empty((4, 4)), np.zeros(4), np.empty(4)
    for j in range(size):
        change = -_STEP if j == 2 and here[j] > 0.0 else _STEP
        for i in range(4):
            moved[i] = here[i] + (change if i == j else 0.0)
        beyond = coordinates_of(p, image_of(p, state_of(p, moved), work))
        for i in range(size):
            jacobian[i, j] = (1.0 if i == j else 0.0) - (beyond[i] - there[i]) / change
        step[j] = there[j] - here[j]
    return _solved(jacobian, step, size)


@compiled
def _moved(p: Problem, state: State, step: Array, share: float) -> tuple[State, bool]:
    """The state after a share of a step, and whether it is one."""
    here = coordinates_of(p, state)
    sane = True
    for i in range(4):
        sane = sane and abs(step[i]) < 50.0
        here[i] += share * step[i]
    return state_of(p, here), sane and abs(here[2]) < 1.0


@compiled
def _balanced(p: Problem, state: State, work: Array) -> State:
    """The state with the m at which e = 0, for the same V, Q, M: e decreases in m."""
    v, q, overlap, mean = state
    low, high = -math.inf, math.inf
    for _ in range(_BALANCE_STEPS):
        following = image_of(p, (v, q, overlap, mean), work)[3]
        if work[3] > 0.0:
            low = mean
        else:
            high = mean
        if not low < following < high:
            following = 0.5 * (low + high)
        if abs(following - mean) <= 1e-13 * mean_scale(p, (v, q, overlap, mean)) or not math.isfinite(
            following
        ):
            break
        mean = following
    return v, q, overlap, mean


@compiled
def _smallest(p: Problem) -> float:
    """The Q below which the readout vanishes: a large ridge, or small features, make any Q small.

    A readout of slope 1 a sample has the Q of alpha (1 + 1/beta) (trace/ridge)^2, to a factor.
    """
    if p.at_kink:
        return _UNDERFLOW
    trace = p.first + p.second if p.spectrum.size == 0 else p.spectrum.mean()
    return _VANISHED * min(1.0, p.alpha * (1.0 + 1.0 / p.beta) * (trace / p.ridge) ** 2)


@compiled
def _fixed_point(
    p: Problem, state: State, tolerance: float, max_steps: int, work: Array
) -> tuple[State, float, int, int]:
    """(state, residual, steps, code) from a start; a step is one plain or one Newton step."""
    image = image_of(p, state, work)
    residual = distance_of(p, state, image)
    plain = burst = _PLAIN_STEPS
    smallest = _smallest(p)
    for step in range(1, max_steps + 1):
        if residual <= tolerance:
            return state, residual, step, CONVERGED
        if not (image[0] > 0.0 and image[1] > smallest and math.isfinite(residual)):
            return state, math.inf, step, DIVERGED
        accepted = False
        if plain == 0:
            newton = _newton_step(p, state, image, work)
            share = 1.0
            while share > 0.02 and not accepted:
                candidate, sane = _moved(p, state, newton, share)
                share *= 0.3
                if not sane:
                    continue
                following = image_of(p, candidate, work)
                distance = distance_of(p, candidate, following)
                if distance < 0.99 * residual:
                    state, image, residual, accepted = candidate, following, distance, True
            if not accepted:
                plain = burst = min(2 * burst, 64)
        if not accepted:
            plain -= 1
            state = _balanced(p, image, work) if p.intercept else image
            image = image_of(p, state, work)
            residual = distance_of(p, state, image)
    return state, residual, max_steps, MAX_STEPS_REACHED


@compiled
def _scaled(state: State, factor: float) -> State:
    v, q, overlap, mean = state
    return v * factor, q * factor * factor, overlap * factor, mean * factor


@compiled
def _shrinks(p: Problem, start: State, work: Array) -> tuple[State, float, int]:
    """(state, distance, steps) at the kink: the map of small states is homogeneous, the ridge drops out.

    Its direction is found by iteration at a fixed tiny Q. If the map shrinks it, 0 attracts, and is the one
    minimum of a convex problem; the distance is then that of the tiny state, infinite otherwise.
    """
    state = _scaled(start, _TINY / math.sqrt(start[1]))
    for step in range(1, _VANISHING_STEPS + 1):
        state = _balanced(p, state, work)
        image = image_of(p, state, work)
        if not (image[0] > 0.0 and image[1] > 0.0 and math.isfinite(image[1])):
            return state, math.inf, step
        growth = math.sqrt(image[1] / state[1])
        image = _scaled((image[0], image[1], image[2], growth * state[3]), 1.0 / growth)
        if distance_of(p, state, image) <= 1e-11:
            return (0.0, 0.0, 0.0, 0.0), _TINY if growth < 1.0 else math.inf, step
        state = image
    return state, math.inf, _VANISHING_STEPS


@compiled
def _vanishing(p: Problem, start: State, work: Array) -> tuple[State, float, int]:
    """(state, distance, steps) where the readout vanishes: V, Q and M fall to 0 together, m stays.

    A hinge with unequal classes and few features does this: a constant prediction is optimal. The distance is
    sqrt Q, infinite where Q does not fall.
    """
    if p.at_kink:
        return _shrinks(p, start, work)
    state, smallest = start, _smallest(p)
    for step in range(1, _VANISHING_STEPS + 1):
        state = _balanced(p, state, work) if p.intercept else state
        image = image_of(p, state, work)
        falls = image[1] > 0.0 and (step < _PLAIN_STEPS or image[1] < state[1]) and image[0] > 0.0
        if not falls:
            return state, math.inf, step
        if image[1] < smallest and image[2] * image[2] <= image[1]:
            return (0.0, 0.0, 0.0, image[3]), math.sqrt(image[1]), step
        state = image
    return state, math.inf, _VANISHING_STEPS


@compiled
def _solved_point(
    p: Problem, start: State, tolerance: float, max_steps: int, work: Array
) -> tuple[State, float, int, int]:
    """The fixed point from a start; where that fails, by way of larger ridges."""
    state, residual, steps, code = _fixed_point(p, start, tolerance, max_steps, work)
    if code == CONVERGED:
        return state, residual, steps, code
    vanishing, distance, more = _vanishing(p, start, work)
    steps += more
    if distance <= tolerance:
        return vanishing, distance, steps, CONVERGED
    ridge, factor = 10.0 * max(p.ridge, 1.0), 10.0
    state, residual, more, code = _fixed_point(with_ridge(p, ridge), start, tolerance, max_steps, work)
    steps += more
    for _ in range(_CONTINUATIONS):
        if code != CONVERGED or factor < 1.05:
            break
        following = max(p.ridge, ridge / factor)
        trial, residual, more, code = _fixed_point(
            with_ridge(p, following), state, tolerance, max_steps, work
        )
        steps += more
        if code == CONVERGED:
            state, ridge = trial, following
            if ridge == p.ridge:
                return state, residual, steps, CONVERGED
        elif factor > 1.05:
            factor, code = math.sqrt(factor), CONVERGED
    return state, residual, steps, MAX_STEPS_REACHED


@compiled
def _mean_is_open(p: Problem, state: State, work: Array) -> bool:
    """Whether no force holds the mean: all samples lie on straight parts of the loss, to the last digit."""
    if not p.intercept or not state[1] > 0.0:
        return False
    v, q, overlap, mean = state
    aside = _ASIDE * mean_scale(p, state)
    image_of(p, (v, q, overlap, mean - aside), work)
    force = work[3]
    image_of(p, (v, q, overlap, mean + aside), work)
    return bool(abs(work[3] - force) <= _NO_FORCE)


@compiled_as(
    f"void({PROXIMAL_TYPE}, {CORNERS_TYPE}, float64, UniTuple({_VECTOR}, 3), {CHANNEL_TYPE}, boolean, "
    f"UniTuple({_VECTOR}, 2), float64, float64, UniTuple({_VECTOR}, 4), int64, "
    f"boolean, {_MATRIX}, float64, int64, {_MATRIX}, {_VECTOR}, int64[::1], int64[::1])"
)
def solve_saddle(
    proximal: Proximal, corners: Corners, parameter: float, teacher: Nodes, channel: Channel,
    intercept: bool, features: tuple[Array, Array], first: float, second: float,
    ratios: tuple[Array, Array, Array, Array], level: int, at_kink: bool, starts: Array, tolerance: float,
    max_steps: int, out: Array, residual: Array, steps: NDArray[np.int64], code: NDArray[np.int64],
) -> None:  # fmt: skip
    """All points of one problem.

    Parameters
    ----------
    proximal, corners, parameter
        The loss.
    teacher : tuple of 3 arrays
        Of the channel.
    channel : `channels.sign_channel` or `channels.label_channel`
    intercept : bool
        Whether the mean of the field is free.
    features : tuple of 2 arrays
        Eigenvalues and the teacher's shares, or two empty arrays for random features.
    ratios : tuple of 4 arrays of shape (points,)
        alpha, beta, ridge, and the `extra` of the channel.
    at_kink : bool
        Whether the mean is counted from a kink of the loss, and goes to 0 with sqrt Q.
    starts : array of shape (points, 4)
        (V, Q, M, m) to start from; NaN or 0 for none.
    out : array of shape (points, 13), filled in the order of `COLUMNS`; NaN where not converged.
    residual, steps, code : arrays of shape (points,), filled.
    """
    alpha, beta, ridge, extra = ratios
    z, labels, weights = teacher
    spectrum, shares = features
    work = np.empty(10)
    for i in range(alpha.size):
        point = Problem(
            proximal, corners, parameter, z, labels, weights, channel, extra[i], intercept, spectrum, shares,
            first, second, alpha[i], beta[i], ridge[i], level, at_kink,
        )  # fmt: skip
        start = (starts[i, 0], starts[i, 1], starts[i, 2], starts[i, 3])
        if not start[0] > 0.0:
            v, q, _ = resolvent_of(point, 0.2, 0.2, 0.1, work[6:])
            start = (v, q, 0.0, 0.0)
        state, residual[i], steps[i], code[i] = _solved_point(point, start, tolerance, max_steps, work)
        if code[i] == CONVERGED and _mean_is_open(point, state, work):
            code[i] = MAX_STEPS_REACHED
        if code[i] != CONVERGED:
            out[i, :] = math.nan
            continue
        if state[1] > 0.0:
            image_of(point, state, work)
        else:  # `work` is that of the last state before the readout vanished
            for j in range(6, 10):
                work[j] = 0.0
        for j in range(4):
            out[i, j] = state[j]
        out[i, 4], out[i, 5] = work[4], work[5]
        for j in range(6, 10):
            out[i, j] = work[j]
        out[i, 10], out[i, 11], out[i, 12] = work[0], work[1], work[2]
