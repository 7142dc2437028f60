"""Averages over a label and the field of a fresh sample, for any convex loss.

The field is x = m + h, where (z, h) is Gaussian: z ~ N(0, 1) is the teacher's, E h^2 = Q, E z h = M. With
f = (prox(y, x) - x)/V the averages are

    a = E[-df/dx],  b = E f^2,  e = E f,  c = E[E[df/dz | h]] = E[f (z - M h/Q)]/(1 - M^2/Q),

where c = (E[z f] + M a) needs no division; with the mean training loss and the share of wrong signs.

Source: docs/random_features.md, "Any convex loss", after Gerace et al. (arXiv 2002.09339).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.losses.record import Corners, Proximal
from hermite_analytics.numeric.compiled import compiled
from hermite_analytics.numeric.losses.interface import CORNERS_TYPE, MOST_CORNERS, PROXIMAL_TYPE, compiled_as
from hermite_analytics.numeric.losses.loss import Loss
from hermite_analytics.numeric.models.random_features.field_average import add_average, corner_features
from hermite_analytics.numeric.models.random_features.panels import (
    MOST_FEATURES,
    NODES,
    WEIGHTS,
    in_order,
    panel_edges,
)

__all__ = [
    "AVERAGES",
    "CHANNEL_TYPE",
    "Channel",
    "Nodes",
    "channel_for_labels",
    "sign_channel",
    "square_channel",
]

AVERAGES = ("a", "b", "c", "e", "loss", "wrong")
_SCALE = 1.0 / math.sqrt(2.0 * math.pi)
_ROOT_HALF = math.sqrt(0.5)
_BARYCENTRIC = np.sqrt((1.0 - NODES**2) * WEIGHTS) * (-1.0) ** np.arange(NODES.size)
# Where crossings are looked for: one between the nodes of two panels, or just beyond, is felt in both.
_SEARCHED = np.concatenate([[-1.2, -1.1, -1.0], NODES, [1.0, 1.1, 1.2]])
_NEAR = 1e-4  # of half a panel: a derivative across it
_REACH = 12.0  # standard deviations, beyond which a field is on one side of a bend
_CHANNEL = (
    f"void({PROXIMAL_TYPE}, {CORNERS_TYPE}, float64, UniTuple(float64[::1], 3), float64, "
    "UniTuple(float64, 4), int64, float64[::1])"
)
CHANNEL_TYPE = f"FunctionType({_CHANNEL})"
Nodes: TypeAlias = tuple[Array, Array, Array]
State: TypeAlias = tuple[float, float, float, float]
Channel: TypeAlias = Callable[[Proximal, Corners, float, Nodes, float, State, int, Array], None]


@compiled
def _label_law(y: float, edges: Array, labels: Array, center: float, width: float) -> tuple[float, float]:
    """P(label = y) for z ~ N(center, width^2), and its derivative in the center."""
    probability = slope = 0.0
    for j in range(labels.size):
        if labels[j] != y:
            continue
        low = (edges[j - 1] - center) / width if j > 0 else -math.inf
        high = (edges[j] - center) / width if j < edges.size else math.inf
        slope += _SCALE * (math.exp(-0.5 * low * low) - math.exp(-0.5 * high * high)) / width
        if low > 0.0:  # differences of the smaller tails
            low, high = -high, -low
        probability += 0.5 * (math.erfc(-high * _ROOT_HALF) - math.erfc(-low * _ROOT_HALF))
    return probability, slope


@compiled_as(_CHANNEL)
def sign_channel(
    proximal: Proximal, corners: Corners, parameter: float, teacher: Nodes, extra: float,
    state: tuple[float, float, float, float], level: int, out: Array,
) -> None:  # fmt: skip
    """`AVERAGES` for labels +-1: one integral over the field a label.

    Parameters
    ----------
    teacher : tuple of 3 arrays
        Edges of the cells in z, shape (k,); labels of the cells, shape (k + 1,); the share of labels that are
        flipped, shape (1,). Signs are wrong against the label before it is flipped.
    extra : float
        b, what the field of the state is counted from: the prediction is b + x.
    state : (V, Q, M, m)
    """
    edges, labels, flips = teacher
    variance, power, overlap, mean = state
    deviation = math.sqrt(power)
    slope = overlap / deviation
    kept = 1.0 - 2.0 * flips[0]
    width = math.sqrt(max(1.0 - slope * slope, 1e-30))
    features = np.empty((MOST_FEATURES, 2))
    out[:] = 0.0
    for y in (-1.0, 1.0):
        count = corner_features(corners, y, variance, parameter, mean, deviation, features)
        features[count, 0], features[count, 1] = -(extra + mean) / deviation, 0.0
        count += 1
        for j in range(edges.size):
            if slope != 0.0 and count < MOST_FEATURES:
                features[count, 0] = edges[j] / slope
                features[count, 1] = width / abs(slope)
                count += 1
        panels = panel_edges(features, count, level)
        for i in range(panels.size - 1):
            half = 0.5 * (panels[i + 1] - panels[i])
            middle = 0.5 * (panels[i + 1] + panels[i])
            if half <= 0.0:
                continue
            for k in range(NODES.size):
                h = middle + half * NODES[k]
                weight = half * WEIGHTS[k] * _SCALE * math.exp(-0.5 * h * h)
                plain, change = _label_law(y, edges, labels, slope * h, width)
                probability, change = flips[0] + kept * plain, kept * change
                field = mean + deviation * h
                _, _, force, curvature, loss = proximal(y, field, variance, parameter)
                out[0] += weight * probability * curvature
                out[1] += weight * probability * force * force
                out[2] += weight * change * force
                out[3] += weight * probability * force
                out[4] += weight * probability * loss
                if y * (extra + field) <= 0.0:
                    out[5] += weight * plain


@compiled
def _interpolated(values: Array, t: float) -> float:
    """The polynomial through values at `NODES`, at t in [-1, 1]."""
    top = bottom = 0.0
    for j in range(NODES.size):
        if t == NODES[j]:
            return float(values[j])
        term = _BARYCENTRIC[j] / (t - NODES[j])
        top += term * values[j]
        bottom += term
    return top / bottom


@compiled
def _gap(
    corners: Corners, parameter: float, variance: float, mean: float, slope: float, k: int, labels: Array,
    t: float, features: Array,
) -> float:  # fmt: skip
    """The k-th bend of the prox minus the mean of the field at t in [-1, 1] of a panel."""
    corners(_interpolated(labels, t), variance, parameter, features[:MOST_CORNERS])
    return float(features[k, 0] - mean - slope * t)


@compiled
def _crossings(
    corners: Corners, parameter: float, variance: float, mean: float, slope: float, deviation: float,
    labels: Array, features: Array,
) -> Array:  # fmt: skip
    """Rows (t, width): where the field N(mean + slope t, deviation^2) crosses a bend, narrower than a panel.

    Labels are those at the nodes of a panel, t in [-1, 1]; just beyond it their polynomial stands for them.
    """
    count: int = corners(labels[0], variance, parameter, features[:MOST_CORNERS])
    found = np.empty((MOST_FEATURES, 2))
    size = 0
    for k in range(count):
        before = 0.0
        for j in range(_SEARCHED.size):
            gap = _gap(corners, parameter, variance, mean, slope, k, labels, _SEARCHED[j], features)
            if j > 0 and before * gap < 0.0 and size < MOST_FEATURES:
                low, high = _SEARCHED[j - 1], _SEARCHED[j]
                for _ in range(60):
                    t = 0.5 * (low + high)
                    at = _gap(corners, parameter, variance, mean, slope, k, labels, t, features)
                    if at * before > 0.0:
                        low = t
                    else:
                        high = t
                near = _gap(corners, parameter, variance, mean, slope, k, labels, low - _NEAR, features)
                far = _gap(corners, parameter, variance, mean, slope, k, labels, low + _NEAR, features)
                width = 2.0 * _NEAR * deviation / max(abs(far - near), 1e-300)
                if width < 1.0:
                    found[size, 0], found[size, 1] = low, max(width, 1e-12)
                    size += 1
            before = gap
    return found[:size]


@compiled
def _sharp_edges(crossings: Array, reach: float, step: float) -> Array:
    """Edges in t in [-1, 1] of a panel: its ends, and about each crossing.

    Up to `reach` widths from it edges are `step` widths apart; at reach 0 they double from one width on.
    """
    edges = np.empty(2 + 101 * crossings.shape[0])
    edges[0], edges[1] = -1.0, 1.0
    total = 2
    for k in range(crossings.shape[0]):
        place, unit = crossings[k]
        away, last = 0.0, reach * unit if reach > 0.0 else 2.0
        while away <= last:
            for side in (-1.0, 1.0):
                point = place + side * away
                if -1.0 < point < 1.0 and (away > 0.0 or side > 0.0):
                    edges[total] = point
                    total += 1
            if reach > 0.0:
                away += step * unit
            else:
                away = max(2.0 * away, unit)
    return in_order(edges[:total])


@compiled
def _label_averages(
    proximal: Proximal, corners: Corners, parameter: float, teacher: Nodes, extra: float,
    state: tuple[float, float, float, float], level: int, is_linear: bool, out: Array,
) -> None:  # fmt: skip
    """`AVERAGES` but the last for labels y at nodes of z; `is_linear` says that the prox is so in pieces."""
    nodes, labels, weights = teacher
    variance, power, overlap, mean = state
    deviation = math.sqrt(max(power - overlap * overlap, 0.0) + extra)
    features = np.empty((MOST_FEATURES, 2))
    # where the prox is linear in pieces all is as smooth as the label but near the crossings
    reach, step = _REACH if is_linear else 0.0, 3.0 if level == 0 else 2.0
    sums = np.zeros(5)
    for n in range(0, nodes.size, NODES.size):
        last = min(n + NODES.size, nodes.size)
        whole = last - n == NODES.size
        half = 0.5 * (nodes[last - 1] - nodes[n]) / NODES[-1]
        middle = 0.5 * (nodes[last - 1] + nodes[n])
        edges = np.array([-1.0, 1.0])
        if whole and half > 0.0 and abs(middle + half * NODES[5] - nodes[n + 5]) < 1e-9 * half:
            crossings = _crossings(corners, parameter, variance, mean + overlap * middle, overlap * half,
                                   deviation, labels[n:last], features)  # fmt: skip
            edges = _sharp_edges(crossings, reach, step)
        if edges.size == 2:
            for j in range(n, last):
                at, place = (nodes[j], labels[j], weights[j]), mean + overlap * nodes[j]
                add_average(proximal, corners, parameter, variance, at, place, deviation, level, is_linear,
                            features, sums)  # fmt: skip
            continue
        # what the panel counts for: 1, or a share of the labels
        share = weights[n] / (half * WEIGHTS[0] * _SCALE * math.exp(-0.5 * nodes[n] * nodes[n]))
        for i in range(edges.size - 1):
            part, center = 0.5 * (edges[i + 1] - edges[i]), 0.5 * (edges[i + 1] + edges[i])
            for k in range(NODES.size):
                t = center + part * NODES[k]
                z = middle + half * t
                weight = share * half * part * WEIGHTS[k] * _SCALE * math.exp(-0.5 * z * z)
                y = _interpolated(labels[n:last], t)
                add_average(proximal, corners, parameter, variance, (z, y, weight), mean + overlap * z,
                            deviation, level, is_linear, features, sums)  # fmt: skip
    out[0], out[1], out[3], out[4], out[5] = sums[0], sums[1], sums[3], sums[4], 0.0
    out[2] = sums[2] + overlap * sums[0]


@compiled_as(_CHANNEL)
def label_channel(
    proximal: Proximal, corners: Corners, parameter: float, teacher: Nodes, extra: float,
    state: tuple[float, float, float, float], level: int, out: Array,
) -> None:  # fmt: skip
    """`AVERAGES` but the last for labels y at nodes of z: an inner integral over the field given z.

    Parameters
    ----------
    teacher : tuple of 3 arrays
        Nodes z, labels y, weights, of shape (n,). Nodes that are those of Gauss-Legendre panels of 16 are
        refined where the field given z is sharp against a bend of the prox.
    extra : float
        Variance of label noise that a loss of y - x alone sees as a part of the field.
    state : (V, Q, M, m)
    """
    _label_averages(proximal, corners, parameter, teacher, extra, state, level, False, out)


@compiled_as(_CHANNEL)
def bent_channel(
    proximal: Proximal, corners: Corners, parameter: float, teacher: Nodes, extra: float,
    state: tuple[float, float, float, float], level: int, out: Array,
) -> None:  # fmt: skip
    """`label_channel` of a loss that is quadratic in pieces: the inner integral in closed form."""
    _label_averages(proximal, corners, parameter, teacher, extra, state, level, True, out)


def channel_for_labels(loss: Loss) -> Channel:
    """That of labels other than classes, for a loss other than the square."""
    return bent_channel if loss.is_piecewise_quadratic else label_channel


@compiled_as(_CHANNEL)
def square_channel(
    proximal: Proximal, corners: Corners, parameter: float, teacher: Nodes, extra: float,
    state: tuple[float, float, float, float], level: int, out: Array,
) -> None:  # fmt: skip
    """`AVERAGES` of the square loss in closed form.

    Parameters
    ----------
    teacher : tuple of 3 arrays of shape (1,)
        E y, E z y and E y^2 without noise.
    extra : float
        Variance of the label noise.
    """
    first, slope, second = teacher
    variance, power, overlap, mean = state
    shrink = 1.0 / (1.0 + variance)
    spread = second[0] - 2.0 * overlap * slope[0] + power + extra + mean * mean - 2.0 * mean * first[0]
    out[0], out[1], out[2] = shrink, spread * shrink * shrink, slope[0] * shrink
    out[3], out[4], out[5] = (first[0] - mean) * shrink, 0.5 * spread * shrink * shrink, 0.0
