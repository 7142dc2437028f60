"""Sums of three or four equal odd steps: densities of the label given S by integrals over its level sets.

Given S = z_1 + ... + z_r, the density of y = g(z_1) + ... + g(z_r) is an integral over a level set, a curve
or a surface. Any pair of coordinates may be solved for the label; the pair (a, b) is taken with the share

    (g'_a - g'_b)^2 / sum over pairs (g'_c - g'_d)^2,

which takes its Jacobian 1/|g'_a - g'_b| away, so that by symmetry the density is binom(r, 2) times one
integral over the other coordinates, whose integrand is large only beside critical points of the label.
These have all g'_i equal, z_i = +-t: with m more signs of one kind than of the other t = S/m, and the label
there is m g(S/m), where the density has a jump, a logarithm or a root. Panels in y end there and at the
labels at infinity. What the nodes lose of the total probability is seen by `JointLaw.loss`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.foundation.clock import check_time
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.foundation.panels import unit_rule
from hermite_analytics.label.cases.committee.joint import JointLaw
from hermite_analytics.label.cases.committee.level_sets import Nodes, curve_nodes, surface_nodes
from hermite_analytics.label.cases.committee.odd_step import OddStep

__all__ = ["FEW", "few_parts_law"]


FEW = (3, 4)  # parts
_SUMS = {3: (18, 24), 4: (16, 18)}  # nodes of each of two panels in S, by count and level
_LABELS = {3: (32, 40), 4: (14, 16)}  # of a panel in y
_INNER = {3: (40, 56), 4: (22, 24)}  # of a panel in each other coordinate
_FARTHEST = 6.0  # S, in standard deviations
_BLOCK = 12_000  # points that are looked at together
_CLOSE = 0.3  # of critical labels to 0, in labels at infinity: panels of their own size beside them
_LEAST = 1e-12  # length of a panel in y
_LIKELY = 48.0  # |w|^2, the farthest
_ROUNDING = 1e-14  # of labels


def few_parts_law(step: OddStep, count: int, *, level: int = 1) -> JointLaw:
    """The law of (y, S).

    Parameters
    ----------
    step : OddStep
    count : 3 or 4
        r.

    Examples
    --------
    >>> step = OddStep(np.tanh, lambda z: 1 / np.cosh(z) ** 2)
    >>> law = few_parts_law(step, 3, level=0)
    >>> round(1 / law.eigenvalue, 4), bool(law.loss < 1e-4)
    (1.4293, True)
    """
    masses, moments = [], []
    for total, weight in _sums(step, count, _SUMS[count][level]):
        label, widths = _labels(step, count, total, _LABELS[count][level])
        density, moment = _densities(step, count, total, label, _INNER[count][level])
        masses.append(2 * weight * widths * density)
        moments.append(2 * weight * widths * moment)
    return JointLaw(np.concatenate(masses), np.concatenate(moments))


def _sums(step: OddStep, count: int, size: int) -> Iterator[tuple[float, float]]:
    """Nodes S > 0 with weights: denser at 0, and beside the S whose central label is the one at infinity."""
    share = (count - 2) / count
    crossing = 0.5 * count * float(step.inverse_half(np.array([2 * share * step.height]))[0])
    last = _FARTHEST * math.sqrt(count)
    crossing = min(crossing, 0.9 * last)
    x, w = unit_rule(size)
    yield from zip(
        (crossing * x * x * (3 - 2 * x)).tolist(), (crossing * 6 * w * x * (1 - x)).tolist(), strict=True
    )
    yield from zip((crossing + (last - crossing) * x).tolist(), ((last - crossing) * w).tolist(), strict=True)


def _labels(step: OddStep, count: int, total: float, size: int) -> tuple[Array, Array]:
    """Nodes y with weights, between critical labels and those at infinity, denser at both ends."""
    kinds = np.arange(count, 0, -2)
    critical = np.asarray(kinds * step.value(total / kinds))
    lowest = -(count - 2) * step.height
    low, high = (0.0 if count % 2 == 0 else float(critical.min())), float(critical.max())
    ends = np.array([*critical, *np.arange(2 - count, count - 1, 2) * step.height])
    if high < _CLOSE * step.height:
        beside = math.sqrt(high * step.height)
        ends = np.append(ends, [low - beside, high + beside])
    ends = np.unique(ends[ends >= lowest])
    x, w = unit_rule(size)
    w = 30 * w * (x * (1 - x)) ** 2
    share = x**3 * (10 - 15 * x + 6 * x * x)
    places, widths = [], []
    for a, b in itertools.pairwise(ends.tolist()):
        if b - a > _LEAST:
            places.append(np.where(x < 0.5, a + (b - a) * share, b - (b - a) * share[::-1]))
            widths.append((b - a) * w)
    return np.concatenate(places), np.concatenate(widths)


def _densities(step: OddStep, count: int, total: float, label: Array, size: int) -> tuple[Array, Array]:
    """The density of (y, S) at labels, and a times it."""
    density, moment = np.zeros((2, len(label)))
    nodes = (curve_nodes if count == 3 else surface_nodes)(step, total, label, size)
    for start in range(0, len(nodes.weights), _BLOCK):
        check_time()
        block = nodes.block(slice(start, start + _BLOCK))
        place, masses, moments = _on_level_set(step, count, total, label, block)
        density += np.bincount(place, masses, len(label))
        moment += np.bincount(place, moments, len(label))
    return density, moment


def _on_level_set(
    step: OddStep, count: int, total: float, label: Array, nodes: Nodes
) -> tuple[NDArray[np.intp], Array, Array]:
    """(places of the labels, what nodes on the level set add to the density, and to a times it)."""
    left = label[nodes.place]
    pair, squares = np.full_like(left, total), np.zeros_like(left)
    for x in nodes.rest:
        left -= step.value(x)
        pair -= x
        squares += x * x
    largest = step.half(pair)
    inside = (left * np.sign(pair) > _ROUNDING) & (np.abs(left) < np.abs(largest))
    inside &= squares + 0.5 * pair * pair < total * total / count + _LIKELY
    kept = np.flatnonzero(inside)
    pair, place = pair[kept], nodes.place[kept]
    d = step.spread(left[kept], pair)
    squares = squares[kept] + 0.5 * pair * pair + 2 * d * d
    slopes = [step.slope(z) for z in (*(x[kept] for x in nodes.rest), 0.5 * pair + d, 0.5 * pair - d)]
    steepness, steep = np.zeros_like(d), np.zeros_like(d)
    for slope in slopes:
        steepness += slope * slope
        steep += slope
    apart = count * steepness - steep * steep
    density = (2 * math.pi) ** (-0.5 * count) * np.exp(-0.5 * squares)
    share = np.divide(np.abs(slopes[-1] - slopes[-2]), apart, out=np.zeros_like(apart), where=apart > 0)
    masses = 2 * math.comb(count, 2) * nodes.weights[kept] * density * share  # 2: an exchange in the pair
    return place, masses, masses * ((squares - total * total / count) / (count - 1) - 1)
