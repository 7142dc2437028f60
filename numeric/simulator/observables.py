"""What is measured on weights and readouts, with definitions whose finite-size bias is O(1/d).

"..." in shapes is the axis of the seeds if there are several, else nothing.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.numeric.simulator.backend import Array, Backend
from hermite_analytics.numeric.simulator.initial_network import Neurons

__all__ = ["MeasuredSpike", "measured_spike", "readout_overlaps", "squared_overlaps"]

Floats = NDArray[np.float64]


class MeasuredSpike(NamedTuple):
    """r, c and gamma of W1 ~ sqrt(c) W + r omega v^T, v.theta = gamma, shape (...).

    c has one more axis if there are letters; c_spike and c_target are d times the variances of the rows
    beside the spike along v and along theta.
    """

    r: Floats
    c: Floats
    gamma: Floats
    c_spike: Floats
    c_target: Floats


def measured_spike(
    backend: Backend,
    displacement: Array,
    direction: Array,
    mean_slope: Array | float,
    neurons: Neurons,
    before: Array,
    *,
    is_odd: bool,
) -> MeasuredSpike:
    """Read the spike and the bulk off D = W1 - W0.

    With u the regression of the rows of D on the letters, u = sum_k omega_k D_k/sum_k omega_k^2 (the mean row
    if all are 1): r = sign(mean slope) |u|; gamma = sign(mean slope) u.theta/|u|; and for each letter
    c = 1 + mean_k |D_k - omega_k u|^2, times p/(p - 1) for what the regression takes. The sign makes v the
    direction towards which the data pull, as in the closed-form map, where r carries the sign of E sigma'(z).
    Of an activation that is not odd the step also multiplies rows: c has the mean of 2 w_k.(D_k - omega_k u).

    The bias is O(1/d): |u|^2 holds (c-1)/p from the mean of p bulk displacements; c holds the squares of
    what the step learns of each w_k.theta, and leaves out the mean of 2 w_k.(D_k - u), which is O(1/d) for an
    odd activation. Measured for tanh and sin(z1), d = 60 to 240: at alpha0 = 2 at most 1/d of r and of gamma,
    and 4/d to 6/d of c - 1; at alpha0 = 20 it is 25/d of c - 1 (80/d with the rows of W1 in place of D).

    Parameters
    ----------
    backend : Backend
    displacement : array of float64, shape (..., p, d)
    direction : array of float64, shape (..., d)
        theta, |theta| = 1.
    mean_slope : float, or array of shape (...)
        Mean of sigma' over neurons and samples; only its sign is used.
    neurons : Neurons
        The letters; of a symmetric network, whose displacements come in pairs, p/2 neurons are independent.
    before : array of float64, shape (..., p, d)
        W0.
    is_odd : bool
        Of the activation.

    Returns
    -------
    MeasuredSpike
        Without a step r = 0, c = 1, gamma = 0, c_spike = 0; with a single independent neuron c is NaN.

    References
    ----------
    docs/theory.md, "Simulation"; docs/giant_step.md, "Finite vocabularies".
    """
    xp = backend.xp
    letters = backend.wide(backend.array(neurons.letters))
    along = letters @ displacement / float(letters @ letters)
    length = np.sqrt(backend.host(xp.sum(along * along, axis=-1)))
    sign = np.where(backend.host(mean_slope) < 0, -1.0, 1.0)
    deviations = displacement - letters[:, None] * along[..., None, :]
    changes = deviations * deviations + (0.0 if is_odd else 2.0) * before * deviations
    squares = backend.host(xp.sum(changes, axis=-1))
    count = squares.shape[-1]
    independent = count // 2 if neurons.paired else count
    freed = independent / (independent - 1) if independent > 1 else math.nan
    kinds = [neurons.kinds == kind for kind in np.unique(neurons.kinds)]
    bulk = np.stack([freed * squares[..., kind].mean(axis=-1) for kind in kinds], axis=-1)
    rows = before + deviations
    variances = [
        backend.host(before.shape[-1] * xp.mean(xp.sum(rows * axis[..., None, :], axis=-1) ** 2, axis=-1))
        for axis in (along, direction)
    ]
    pull = sign * backend.host(xp.sum(along * direction, axis=-1))
    return MeasuredSpike(
        r=sign * length,
        c=1.0 + (bulk if len(kinds) > 1 else bulk[..., 0]),
        gamma=pull / np.where(length > 0, length, 1.0),
        c_spike=variances[0] / np.where(length > 0, length**2, 1.0),
        c_target=variances[1],
    )


def squared_overlaps(backend: Backend, weights: Array, directions: Array) -> Floats:
    """The mean over neurons of the squared cosine between a row of W and each direction.

    A random direction gives 1/d.

    Parameters
    ----------
    backend : Backend
    weights : array of float64, shape (..., p, d)
    directions : array of float64, shape (..., count, d)
        Unit rows.

    Returns
    -------
    ndarray, shape (..., count)
        In [0, 1].
    """
    xp = backend.xp
    norms = xp.sum(weights * weights, axis=-1)
    cosines = (weights @ xp.matrix_transpose(directions)) ** 2 / norms[..., None]
    return backend.host(xp.mean(cosines, axis=-2))


def readout_overlaps(
    backend: Backend, coefficients: Array, bulk: Array, spike: Array, orthogonal: Array
) -> dict[str, Floats]:
    """The order parameters m, zeta, psi, q1, q2 of readouts a on the features sigma((W + r 1 v^T) x).

    m = 1.a/sqrt p, zeta = a.W v/sqrt p, psi = a.W theta_perp/sqrt p, q1 = |Pi W^T a|^2/p with
    Pi = I - v v^T, and q2 = |a|^2/p.

    Parameters
    ----------
    backend : Backend
    coefficients : array of float64, shape (..., *grid, p)
    bulk : array of float64, shape (..., p, d)
        W, rows of norm sqrt c.
    spike : array of float64, shape (..., d)
        v, |v| = 1.
    orthogonal : array of float64, shape (..., d)
        theta_perp: the unit vector along Pi theta, zero if Pi theta = 0 (then psi = 0).

    Returns
    -------
    dict of str to ndarray, shape (..., *grid)

    References
    ----------
    docs/theory.md, "Saddle point".
    """
    xp = backend.xp
    p = bulk.shape[-2]
    shape = coefficients.shape[:-1]
    coefficients = xp.reshape(coefficients, (*bulk.shape[:-2], -1, p))
    pulled = coefficients @ bulk  # W^T a
    along = (pulled @ spike[..., None])[..., 0]
    values = {
        "m": xp.sum(coefficients, axis=-1) / math.sqrt(p),
        "zeta": along / math.sqrt(p),
        "psi": (pulled @ orthogonal[..., None])[..., 0] / math.sqrt(p),
        "q1": (xp.sum(pulled * pulled, axis=-1) - along * along) / p,
        "q2": xp.sum(coefficients * coefficients, axis=-1) / p,
    }
    return {name: backend.host(xp.reshape(value, shape)) for name, value in values.items()}
