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

import functools
import itertools
import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.foundation.clock import check_time
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.foundation.panels import panel_rule, unit_rule
from hermite_analytics.label.cases.committee.joint import JointLaw, excess
from hermite_analytics.label.cases.committee.level_sets import Nodes, curve_nodes, surface_nodes
from hermite_analytics.label.cases.committee.odd_step import OddStep

__all__ = ["FEW", "few_parts_law"]


FEW = (3, 4)  # parts
# nodes of each of two panels in S, of a panel in y, and of one in each other coordinate, by level
_THREE = ((24, 48, 48), (34, 64, 64))
_FOUR = ((16, 14, 22), (18, 16, 24))
_FOUR_STEEP = ((14, 16, 18), (18, 20, 24))
_FLAT, _OFTEN = 1e-3, 0.01  # a slope, and the probability of smaller ones with which parts are steep
_FARTHEST = 6.0  # S, in standard deviations
_BLOCK = 12_000  # points that are looked at together
_TOLD_APART = (1e-9, 1e-10)  # slopes, by level: parts with smaller ones are at infinity
_FAR_OUT, _NODES, _WIDTH = 9.0, 24, 0.1  # of the rule for these: its end, nodes of a panel and their width
_PERIOD = 7.7  # half of it, of S
_FREQUENCIES = 1000
_NOTHING = 1e-18
_DEEPEST = 31.0  # logarithm of distances from ends of panels in y
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
    least = _TOLD_APART[level]
    steep = count == min(FEW) or _is_steep(step)
    fineness = _THREE if count == min(FEW) else _FOUR_STEEP if steep else _FOUR
    sums, labels, inner = fineness[level]
    rule = np.array(list(_sums(step, count, sums)))
    far = _at_infinity(step, count, rule, least)
    masses, moments = [far.masses], [far.moments]
    for total, weight in rule.tolist():
        label, widths = _labels(step, count, total, labels, steep=steep)
        density = _densities(step, count, total, label, (inner, least))
        masses.append(2 * weight * widths * density[0])
        moments.append(2 * weight * widths * density[1])
    return JointLaw(np.concatenate(masses), np.concatenate(moments))


def _at_infinity(step: OddStep, count: int, rule: Array, least: float) -> JointLaw:
    """Labels of parts all of which are at infinity, k of them above: for each k those at the nodes of S."""
    total, weights = rule.T
    z, w = panel_rule([0.0, _FAR_OUT], _NODES, widest=_WIDTH)
    w = w * _share_at_infinity(step.slope(z), least) * np.exp(-0.5 * z * z) / math.sqrt(2 * math.pi)
    u = np.asarray(math.pi / (_PERIOD * math.sqrt(count)) * np.arange(_FREQUENCIES), dtype=np.float64)
    kept = w > _NOTHING
    waves = np.exp(1j * np.outer(u, z[kept]))
    plain, square = (waves @ f[kept] for f in (w, w * z * z))
    inverse = np.exp(-1j * np.outer(total, u)) * (u[1] / math.pi)
    inverse[:, 0] *= 0.5
    masses, moments = [], []
    for k in range(count + 1):
        below = count - k
        law = plain**k * plain.conj() ** below
        second = k * square * plain ** max(k - 1, 0) * plain.conj() ** below
        second += below * square.conj() * plain.conj() ** max(below - 1, 0) * plain**k
        p, q = (math.comb(count, k) * 2 * weights * (inverse @ f).real for f in (law, second))
        p = np.maximum(p, 0.0)
        masses.append(p)
        moments.append(excess(q, p, total, count))
    return JointLaw(np.concatenate(masses), np.concatenate(moments))


def _is_steep(step: OddStep) -> bool:
    """Whether labels at infinity need the double exponential rule, which others do not."""
    z, w = panel_rule([0.0, _FAR_OUT], _NODES, widest=_WIDTH)
    density = 2 * w * np.exp(-0.5 * z * z) / math.sqrt(2 * math.pi)
    return bool(density @ (step.slope(z) < _FLAT * step.slope(np.zeros(1))) > _OFTEN)


def _share_at_infinity(slope: Array, least: float) -> Array:
    return 1 / (1 + (slope / least) ** 2)


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


def _labels(step: OddStep, count: int, total: float, size: int, *, steep: bool) -> tuple[Array, Array]:
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
    near, w = _double_exponential(size) if steep else _dense_at_ends(size)
    places, widths = [], []
    for a, b in itertools.pairwise(ends.tolist()):
        if b - a > _LEAST:
            places += [a + (b - a) * near, b - (b - a) * near]
            widths += [(b - a) * w] * 2
    return np.concatenate(places), np.concatenate(widths)


def _dense_at_ends(size: int) -> tuple[Array, Array]:
    """The same of a rule of Gauss and Legendre, for densities with roots or logarithms at the ends."""
    x, w = unit_rule(size)
    x, w = x[: size // 2], w[: size // 2]
    return x**3 * (10 - 15 * x + 6 * x * x), 30 * w * (x * (1 - x)) ** 2


@functools.lru_cache(maxsize=8)
def _double_exponential(size: int) -> tuple[Array, Array]:
    """Distances to the nearer end of (0, 1) and weights of one half of the rule of Takahasi and Mori."""
    step = 2 * math.asinh(_DEEPEST / math.pi) / size
    u = step * (np.arange(size // 2) + 0.5)
    near = 1 / (1 + np.exp(math.pi * np.sinh(u)))
    return near, step * math.pi * np.cosh(u) * near * (1 - near)


def _densities(step: OddStep, count: int, total: float, label: Array, fineness: tuple[int, float]) -> Array:
    """The density of (y, S) at labels, and a times it."""
    size, least = fineness
    density, moment = np.zeros((2, len(label)))
    nodes = (curve_nodes if count == 3 else surface_nodes)(step, total, label, size)
    for start in range(0, len(nodes.weights), _BLOCK):
        check_time()
        block = nodes.block(slice(start, start + _BLOCK))
        place, masses, moments = _on_level_set(step, count, total, label, block, least)
        density += np.bincount(place, masses, len(label))
        moment += np.bincount(place, moments, len(label))
    return np.array([density, moment])


def _on_level_set(
    step: OddStep, count: int, total: float, label: Array, nodes: Nodes, least: float
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
    steepness, steep, far = np.zeros_like(d), np.zeros_like(d), np.ones_like(d)
    for slope in slopes:
        steepness += slope * slope
        steep += slope
        far *= _share_at_infinity(slope, least)
    apart = count * steepness - steep * steep
    density = (2 * math.pi) ** (-0.5 * count) * np.exp(-0.5 * squares)
    share = np.divide(np.abs(slopes[-1] - slopes[-2]), apart, out=np.zeros_like(apart), where=apart > 0)
    share *= 1 - far
    masses = 2 * math.comb(count, 2) * nodes.weights[kept] * density * share  # 2: an exchange in the pair
    return place, masses, masses * ((squares - total * total / count) / (count - 1) - 1)
