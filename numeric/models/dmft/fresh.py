"""Errors on fresh samples: functions of a, M and Q alone."""

from __future__ import annotations

from functools import partial

import numpy as np

from hermite_analytics.foundation.clock import remaining
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.numeric.models.dmft.network import Network
from hermite_analytics.numeric.models.dmft.quadrature import Quadrature
from hermite_analytics.numeric.models.dmft.refine import refined
from hermite_analytics.numeric.models.dmft.rows import joint_root
from hermite_analytics.numeric.models.dmft.sobol import gaussian_sample

__all__ = ["fresh_errors", "sampled_fresh_errors"]

_REPLICATES, _SEED = 8, 1
_POINTS = 11, 14, 17  # binary logarithms, one after the other as long as there is time


def fresh_errors(
    quadrature: Quadrature, readout: Array, overlap: Array, norm: Array, tolerance: float
) -> tuple[Array, Array]:
    """(E (g - f)^2 without label noise, E l(f, y) with it), and the error of both.

    By quadrature where the variables are few, else from Sobol points, with three standard errors; finer until
    the tolerance is met or the time is over.
    """
    root = joint_root(overlap, norm)
    network, noise = quadrature.network, quadrature.noise
    if quadrature.can_test():

        def evaluate(levels: tuple[int, ...]) -> tuple[Array, int]:
            nodes, mass = quadrature.test_rule(root, levels)
            return _averages(network, readout, root, noise, nodes, mass), mass.size

        first = quadrature.first_levels(quadrature.test_variables)
        best = refined(evaluate, first, tolerance)
        return best.numbers, np.abs(best.shift)
    average = partial(sampled_fresh_errors, network, readout, root, noise)
    mean = error = np.full(2, np.nan)
    for logarithm in _POINTS:
        found = np.array([average(logarithm, [_SEED, j]) for j in range(_REPLICATES)])
        mean, error = found.mean(axis=0), 3.0 * found.std(axis=0, ddof=1) / np.sqrt(_REPLICATES)
        if np.max(error / np.maximum(1.0, np.abs(mean))) <= tolerance or remaining() <= 0.0:
            break
    return mean, error


def sampled_fresh_errors(
    network: Network, readout: Array, root: Array, noise: float, logarithm: int, seed: list[int]
) -> Array:
    """The two errors from 2**logarithm points."""
    r, p, hidden = network.problem.dimension, network.readout.size, network.problem.hidden
    plain = network.label_variables(noise) - r + hidden + p
    points, mass, _ = gaussian_sample(r, plain, 0, logarithm, seed)
    return _averages(network, readout, root, noise, points, mass)


def _averages(
    network: Network, readout: Array, root: Array, noise: float, nodes: Array, mass: Array
) -> Array:
    """From nodes of z, the label noise (if any) and h0~; the fields are root (h0~, z).

    (E[y | z] - f)^2 is an average of (y - f) (y' - f) with two noises in the target: the second one stands
    before h0~.
    """
    p, r, hidden = network.readout.size, network.problem.dimension, network.problem.hidden
    signal = again = network.problem.label(nodes[: r + hidden])
    if hidden:
        again = network.problem.label(np.concatenate([nodes[:r], nodes[-p - hidden : -p]]))
    label = network.label(nodes, noise)
    network.loss.check_labels(label)
    prediction = network.output(readout, root @ np.concatenate([nodes[-p:], nodes[:r]]))
    error = mass @ ((signal - prediction) * (again - prediction))
    return np.array([error, mass @ network.loss.value(label, prediction)])
