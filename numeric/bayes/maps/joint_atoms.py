"""What the labels of positive probability add to F, where a label is flat on intervals of x.

With u = omega_v - a omega_x, a = V_vx/V_xx, and B_s(mu) the probability that v ~ N(mu, S) is in the boxes of
sheet s, the probability of an atom is a sum over its intervals,

    Z = sum_s int N(x; omega_x, V_xx) B_s(u + a x) dx:

a matrix of x and omega_x times a table of x and u.
"""

from __future__ import annotations

import math

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array, Integers
from hermite_analytics.foundation.panels import panel_rule
from hermite_analytics.label.cases.line.sheet_moments import Atom
from hermite_analytics.label.cases.values.box_moments import BoxMoments
from hermite_analytics.label.cases.values.joint import JointChannel
from hermite_analytics.numeric.bayes.maps.gaussian_grid import (
    FARTHEST,
    NOTHING,
    STEP,
    TINY,
    equal_steps,
    gaussian_grid,
)
from hermite_analytics.numeric.bayes.maps.shifted_boxes import ShiftedBoxes

__all__ = ["atoms_square"]

_PANEL = 2.5  # of x, in standard deviations of V_xx
_WIDEST = 2.0
_END = 9.5
_NODES = 12  # of a panel


def atoms_square(channel: JointChannel, boxes: BoxMoments, m: Array, *, level: int = 1) -> Array:
    """E[g g^T] over the labels that are atoms, at any M, x first.

    Parameters
    ----------
    boxes : BoxMoments
        Of v, with a table for each sheet.
    m : ndarray, shape (3, 3)
    """
    size = 1.0 - float(m[0, 0])
    along = -m[1:, 0] / size
    left = np.eye(len(along)) - m[1:, 1:] - size * np.outer(along, along)
    to_u = np.concatenate([-along[:, None], np.eye(len(along))], axis=1)
    spread = to_u @ m @ to_u.T
    values, axes = np.linalg.eigh(spread)
    narrowest = math.sqrt(float(np.linalg.eigvalsh(left)[0]))
    u, u_weights = gaussian_grid(values, axes, np.full(len(values), narrowest), level)
    slope = np.linalg.pinv(spread, rcond=1e-12, hermitian=True) @ to_u @ m[:, 0]
    rest = max(float(m[0, 0] - slope @ spread @ slope), 0.0)
    omega, weights = _omega(float(m[0, 0]), rest, size, u @ slope, level)
    shifted = ShiftedBoxes(boxes=boxes, variance=left, mu=u)
    square = np.zeros_like(m)
    for atom in channel.main.atoms():
        x, w, sheet = _interior(atom, size)
        values, slopes = shifted.moved(sheet, x[:, None] * along)
        d = x - omega[:, None]
        kernel = w * np.exp(-0.5 * d * d / size) / math.sqrt(2 * math.pi * size)
        z = np.maximum(kernel @ values, TINY)
        parts = [(kernel * d / size) @ values, *(kernel @ slopes[..., i] for i in range(len(along)))]
        p = weights * u_weights / z
        square += [[float((p * a * b).sum()) for b in parts] for a in parts]
    to_all = np.eye(len(m))
    to_all[0, 1:] = -along
    return np.asarray(to_all @ square @ to_all.T)


def _interior(atom: Atom, variance: float) -> tuple[Array, Array, Integers]:
    """(x, w, sheet) of Gauss's rule on panels that resolve the variance."""
    widest = min(_PANEL * math.sqrt(variance), _WIDEST)
    x, w, sheet = [], [], []
    for low, high, k in zip(atom.low, atom.high, atom.sheet, strict=True):
        a, b = max(float(low), -_END), min(float(high), _END)
        if not a < b:  # farther out than matters
            continue
        nodes, weights = panel_rule([a, b], _NODES, widest=widest)
        x.append(nodes)
        w.append(weights)
        sheet.append(np.full(len(x[-1]), k, dtype=np.int64))
    return np.concatenate(x), np.concatenate(w), np.concatenate(sheet)


def _omega(whole: float, rest: float, variance: float, mean: Array, level: int) -> tuple[Array, Array]:
    """omega_x ~ N(0, whole) on a grid, and its weights given each u: N(mean, rest)."""
    if whole <= NOTHING:
        return np.zeros(1), np.ones((1, len(mean)))
    rest = max(rest, NOTHING)
    step = STEP[level] * math.sqrt(min(rest, variance))
    omega, widths = equal_steps(step, FARTHEST[level] * math.sqrt(whole))
    t = (omega[:, None] - mean) / math.sqrt(rest)
    return omega, widths[:, None] * np.exp(-0.5 * t * t) / math.sqrt(2 * math.pi * rest)
