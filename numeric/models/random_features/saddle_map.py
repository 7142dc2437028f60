"""The map whose fixed point is the saddle point of a convex loss on Gaussian features, compiled.

A state is (V, Q, M, m) as in `saddle`. The averages of `channels` over a sample and the resolvent of the
features' covariance map states on states; Newton's method sees them as (log V, log Q, M/sqrt Q, m).

Source: docs/random_features.md, "Any convex loss" and "Gaussian covariates", after Gerace et al.
(arXiv 2002.09339) and Loureiro et al. (arXiv 2102.08127).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.losses.record import Corners, Proximal
from hermite_analytics.numeric.compiled import compiled
from hermite_analytics.numeric.models.random_features.channels import Channel
from hermite_analytics.numeric.square_loss import bulk, bulk_moments

__all__ = [
    "Problem",
    "State",
    "coordinates_of",
    "distance_of",
    "image_of",
    "mean_scale",
    "resolvent_of",
    "state_of",
    "with_ridge",
]

State = tuple[float, float, float, float]


class Problem(NamedTuple):
    """What one point is made of.

    The features' covariance has the eigenvalues `spectrum`, with the teacher's `shares`; where these are
    empty, the features are random ones with mu1^2 = first, mu2^2 = second. alpha and beta are n/d and p/d, or
    n/p and 1 for a given covariance. For `at_kink` see `solve_saddle`, for the other fields `channels`.
    """

    proximal: Proximal
    corners: Corners
    parameter: float
    z: Array
    labels: Array
    weights: Array
    channel: Channel
    extra: float
    intercept: bool
    spectrum: Array
    shares: Array
    first: float
    second: float
    alpha: float
    beta: float
    ridge: float
    level: int
    at_kink: bool


@compiled
def with_ridge(p: Problem, ridge: float) -> Problem:
    return Problem(
        p.proximal, p.corners, p.parameter, p.z, p.labels, p.weights, p.channel, p.extra, p.intercept,
        p.spectrum, p.shares, p.first, p.second, p.alpha, p.beta, ridge, p.level,
        p.at_kink,
    )  # fmt: skip


@compiled
def resolvent_of(p: Problem, a: float, b: float, c: float, responses: Array) -> tuple[float, float, float]:
    """(V, Q, M) from the averages (a, b, c); `responses` receives q1, q2, V1, V2 of random features."""
    alpha, beta = p.alpha, p.beta
    if p.spectrum.size == 0:
        s, t = alpha / beta * p.first * a, p.ridge + alpha / beta * p.second * a
        v1, v2 = bulk(s, t, 1.0, beta)
        a0, a1, a2 = bulk_moments(s, v1, v2, 1.0, beta)
        source1 = alpha * p.first * (b + alpha * c * c) / beta
        source2 = alpha * p.second * b / beta
        q1, q2 = a2 * source1 + a1 * source2, a1 * source1 + a0 * source2
        responses[0], responses[1], responses[2], responses[3] = q1, q2, v1, v2
        return p.first * v1 + p.second * v2, p.first * q1 + p.second * q2, alpha * p.first * c * v1
    v = q = m = 0.0
    size = p.spectrum.size
    for i in range(size):
        gain = 1.0 / (p.ridge + alpha * a * p.spectrum[i])
        v += p.spectrum[i] * gain / size
        q += alpha * b * (p.spectrum[i] * gain) ** 2 / size
        q += (alpha * c * gain) ** 2 * p.shares[i] * p.spectrum[i]
        m += alpha * c * p.shares[i] * gain
    responses[:] = math.nan
    return v, q, m


@compiled
def mean_scale(p: Problem, state: State) -> float:
    """The size against which the mean is measured."""
    return max(math.sqrt(state[1]) if p.at_kink else 1.0, abs(state[3]))


@compiled
def image_of(p: Problem, state: State, work: Array) -> State:
    """The image of a state; `work` receives the averages (6) and the responses q1, q2, V1, V2."""
    teacher = (p.z, p.labels, p.weights)
    p.channel(p.proximal, p.corners, p.parameter, teacher, p.extra, state, p.level, work[:6])
    v, q, m = resolvent_of(p, work[0], work[1], work[2], work[6:])
    mean = 0.0
    if p.intercept:  # Newton's step on e = 0; bounded, for where all samples lie on straight parts a is 0
        reach = mean_scale(p, state)
        step = work[3] / work[0] if abs(work[3]) < reach * work[0] else math.copysign(reach, work[3])
        mean = state[3] + step
    return v, q, m, mean


@compiled
def distance_of(p: Problem, before: State, after: State) -> float:
    """Relative undamped residual."""
    scale = math.sqrt(after[1])
    of_mean = scale if p.at_kink else max(scale, 1.0)
    found = max(abs(after[0] - before[0]) / after[0], abs(after[1] - before[1]) / after[1])
    found = max(found, abs(after[2] - before[2]) / scale, abs(after[3] - before[3]) / of_mean)
    return found if math.isfinite(found) else math.inf


@compiled
def coordinates_of(p: Problem, state: State) -> Array:
    root = math.sqrt(state[1])
    mean = state[3] / root if p.at_kink else state[3]
    return np.array([math.log(state[0]), math.log(state[1]), state[2] / root, mean])


@compiled
def state_of(p: Problem, u: Array) -> State:
    root = math.exp(0.5 * u[1])
    return math.exp(u[0]), math.exp(u[1]), u[2] * root, u[3] * root if p.at_kink else u[3]
