"""The teacher's labels as the compiled channels take them: cells of z for classes, nodes of z otherwise."""

from __future__ import annotations

import functools

import numpy as np

from hermite_analytics.activation import shortened
from hermite_analytics.errors import InputError
from hermite_analytics.foundation.clock import allowed
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.foundation.ranges import FLIPS
from hermite_analytics.gaussian.breakpoints import real_breakpoints
from hermite_analytics.label.exact.cells import finite_cells
from hermite_analytics.numeric.checks import checked
from hermite_analytics.numeric.gaussian_rule import Feature, gaussian_rule
from hermite_analytics.numeric.models.random_features.panels import NODES
from hermite_analytics.symbols import variable
from hermite_analytics.target import Target

__all__ = ["checked_flips", "flipped", "has_signs", "label_nodes", "no_signs", "sign_cells"]

Teacher = tuple[Array, Array, Array]
_SECONDS = 10.0
_SMALLEST = 1e-25
_NOISE_NODES = 24


@functools.lru_cache(maxsize=64)
def has_signs(target: Target) -> bool:
    """Whether a target is shown to take the values 1 and -1 alone, its additive label noise left out."""
    variables = [variable(j + 1) for j in range(target.dimension)]
    with allowed(_SECONDS):
        cells = finite_cells(target.noiseless, variables)
    return cells is not None and all(cell.label in (1, -1) for cell in cells)


@functools.lru_cache(maxsize=64)
def sign_cells(target: Target) -> Teacher:
    """(edges, labels, no flips): the labels +-1 of a target between consecutive edges in z.

    Raises
    ------
    InputError
        If the target has other values, or label noise.
    """
    if float(target.noise_variance) != 0.0 or not has_signs(target):
        raise InputError(no_signs(target))
    g, z1 = target.single_index()
    edges = np.array([float(b) for b in real_breakpoints(g, z1)])
    middles = np.array([0.0])
    if edges.size:
        middles = np.concatenate([[edges[0] - 1.0], 0.5 * (edges[1:] + edges[:-1]), [edges[-1] + 1.0]])
    labels = np.asarray(target.function(backend="python")(middles), dtype=np.float64).reshape(-1)
    changes = np.flatnonzero(np.diff(labels) != 0.0)
    return edges[changes], np.append(labels[changes], labels[-1]), np.zeros(1)


def no_signs(target: Target) -> str:
    """What to say of other labels than 1 and -1."""
    return (
        f"this loss takes labels 1 and -1, and {shortened(target.text)} is not shown to have these values "
        'alone; a target such as "sign(z1)" is accepted'
    )


def flipped(teacher: Teacher, flips: float) -> Teacher:
    """Nodes (z, y, weights) where a share of the labels has the other sign."""
    if flips == 0.0:
        return teacher
    z, y, weights = teacher
    return (
        np.concatenate([z, z], axis=-1),
        np.concatenate([y, -y], axis=-1),
        np.concatenate([(1.0 - flips) * weights, flips * weights], axis=-1),
    )


def checked_flips(flips: object, target: Target) -> float:
    """The share of labels that are flipped.

    Raises
    ------
    InputError
        Outside [0, 1/2); of a target that is not shown to have the labels 1 and -1 alone.
    """
    share = checked("flips", flips, FLIPS)
    if share.ndim:
        raise InputError(f"flips has the shape {share.shape}; one number is accepted")
    if share > 0.0 and not (target.dimension <= 1 and has_signs(target)):
        raise InputError(
            f"flips is {share:g}, and {shortened(target.text)} is not shown to take the values 1 and -1 "
            'alone on one direction; a target such as "sign(z1)" is accepted'
        )
    return float(share)


def label_nodes(target: Target, noise: float, level: int, *, flips: float = 0.0) -> Teacher:
    """(z, y, weights) of the joint law of z1 and the label, with Gaussian label noise of variance `noise`."""
    from scipy.special import roots_hermitenorm

    z, y, weights = flipped(_noiseless_nodes(target, level), flips)
    if noise == 0.0:
        return z, y, weights
    xi, share = roots_hermitenorm(round(_NOISE_NODES * 1.5**level))
    share = share / share.sum()
    product = np.outer(weights, share).ravel()
    kept = product > _SMALLEST
    labels = np.add.outer(y, np.sqrt(noise) * xi).ravel()
    return np.repeat(z, xi.size)[kept], labels[kept], product[kept]


@functools.lru_cache(maxsize=64)
def _noiseless_nodes(target: Target, level: int) -> Teacher:
    g, z1 = target.single_index()
    features = [Feature(center=float(b), width=0.0) for b in real_breakpoints(g, z1)]
    z, weights = gaussian_rule(features, level)
    kept = np.max(weights.reshape(-1, NODES.size), axis=1) > _SMALLEST  # whole panels
    z, weights = (values.reshape(-1, NODES.size)[kept].reshape(-1) for values in (z, weights))
    return z, np.asarray(target.function("auto")(z), dtype=np.float64), weights
