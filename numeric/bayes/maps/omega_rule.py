"""Nodes of omega in the coordinates of separate parts, up to permutations of equal ones.

Where they are not too many: products of equally spaced nodes, within a ball. What is averaged is smooth on
the scale of what omega leaves open, and the trapezoid rule then converges faster than any power; the ball,
and one node for all permutations, leave few of them; in four dimensions or more every second node, like the
fields of one colour of a board, is as good as all. Coordinates of which little is known need a few Gauss
nodes only; too many of these leave sparse rules (Smolyak): sums of products of differences of rules of
1, 3, 5, ... nodes, whose levels add up to at most a number. Where much is known of many coordinates, equally
spaced nodes are drawn in the order of a scrambled Sobol sequence: one sample for all matrices. Nodes are in
units of the standard deviation.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array, Integers
from hermite_analytics.label.cases.sampled.points import uniform_points
from hermite_analytics.numeric.bayes.maps.gaussian_grid import graded_nodes, normal_nodes

__all__ = ["OmegaRule", "omega_rule"]

Weights = dict[tuple[tuple[int, ...], int], float]
Rule = tuple[Array, Array]
# Gauss nodes; where they are 0 what omega leaves open, in its deviations; the places of steep changes; of how
# many coordinates it is the norm
Wanted = tuple[int, float, tuple[float, ...], int]

_COMBINATIONS = {-1: 300, 0: 1000, 1: 3000}  # at most, by level
_OUTSIDE = {-1: 1e-5, 0: 1e-6, 1: 1e-7}  # probability outside of the ball, by level
_FEW = ((0.0, 1), (1e-6, 2), (1e-3, 4), (0.03, 6), (0.2, 8))  # overlaps, Gauss nodes for them at most
_STEP = {-1: 1.0, 0: 0.75, 1: 0.55}  # of the others, in deviations of what omega leaves open
# where more nodes are allowed: factors of steps and of the probability outside, of two coordinates, of more
_FINER, _FARTHER = (0.55, 0.9), (1e-5, 1e-2)
_ALTERNATE = 4  # coordinates from which on every second node is as good as all
_EVEN = 0.6  # the same of even parts: near 0 the posterior goes over from one sign to the other
_SMOOTH = 6  # Gauss nodes up to which too many combinations are replaced by sparse rules
_COARSER = 1.08  # the next spacing that is tried
_WIDEST = {-1: 1.9, 0: 1.4, 1: 1.0}  # spacing by level
_DRAWN = {-1: 8, 0: 9, 1: 11}  # logarithm of their number where they are drawn
_SAMPLES = 8  # where more nodes are allowed
_REACH = 6.5
_MOST_NORMS = 1200  # Gauss nodes of a norm, most of them too far out
_MOST_NODES = 400  # of a coordinate; what that changes beside overlap 1 enters times 1 - m
_BUCKETS = 20  # of the logarithm of these, so that rules are kept
_DEPTHS = {-1: 2, 0: 3, 1: 4}  # of a sparse rule at most, by level
_SEED = 0
_SAME = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class OmegaRule:
    """Combinations of nodes.

    Attributes
    ----------
    nodes : tuple of ndarrays
        Of each part; of an even one those of one sign.
    members : ndarray, shape (c, r)
        The nodes of each combination, those of equal parts side by side and in order. They are numbered
        through all parts.
    places : ndarray, shape (c, d)
        One member of each different node; -1 where there are no more.
    counts : ndarray, shape (c, d)
        How many coordinates share it.
    weights : ndarray, shape (c,)
    samples : tuple of slices
        Where they are drawn the combinations of each sample: one, or several of the same size where more
        nodes are allowed, which say how far off their average may be.
    """

    nodes: tuple[Array, ...]
    members: Integers
    places: Integers
    counts: Array
    weights: Array
    samples: tuple[slice, ...] = ()


def omega_rule(
    counts: Sequence[int],
    evens: Sequence[bool],
    overlaps: Sequence[float],
    *,
    level: int = 1,
    doublings: int = 0,
    steep: Sequence[tuple[float, ...]] = (),
    dimensions: Sequence[int] = (),
) -> OmegaRule:
    """A rule for omega ~ N(0, I).

    Parameters
    ----------
    counts : sequence of int
        How many coordinates have each part.
    evens : sequence of bool
        Of which one sign stands for both.
    overlaps : sequence of float
        What omega says of a coordinate of each part, below 1.
    doublings : int
        Of the number of nodes that is allowed.
    steep : sequence of tuples of float, optional
        For each part the values of its coordinate at which alone what is averaged changes.
    dimensions : sequence of int, optional
        Of blocks of coordinates, in place of which their norm is observed.

    Examples
    --------
    >>> rule = omega_rule((2, 2), (False, True), (0.5, 0.1))  # E (x1 + x2)^2 (y1^2 + y2^2)^2 = 16
    >>> x, y = rule.nodes
    >>> both = np.concatenate([x, y])[rule.members]
    >>> sums = both[:, :2].sum(1) ** 2 * (both[:, 2:] ** 2).sum(1) ** 2
    >>> round(float(rule.weights @ sums), 2)
    16.0
    """
    places = steep or [()] * len(counts)
    wanted = tuple(map(_wanted, overlaps, places, dimensions or [1] * len(counts)))
    return _rule(tuple(counts), tuple(evens), wanted, level, doublings)


def _wanted(m: float, places: tuple[float, ...], dimension: int) -> Wanted:
    few = next((n for top, n in _FEW if m <= top), 0)
    left = 0.0 if few else math.exp(round(_BUCKETS * math.log((1 - m) / m) / 2) / _BUCKETS)
    steep = tuple(e * math.sqrt(1 + left * left) for e in places) if left else ()
    return few, min(1.0, left), steep, dimension


@functools.lru_cache(maxsize=256)
def _rule(
    counts: tuple[int, ...], evens: tuple[bool, ...], wanted: tuple[Wanted, ...], level: int, doublings: int
) -> OmegaRule:
    if level < 1 and _rule(counts, evens, wanted, 1, doublings).samples:
        return _drawn(counts, evens, wanted, level, doublings)
    finer, farther = (_FINER[sum(counts) > 2], _FARTHER[sum(counts) > 2]) if doublings else (1.0, 1.0)
    radius = _radius(counts, wanted, farther * _OUTSIDE[level])
    numbers = [n for n, *_ in wanted]
    few, most = all(numbers), max(numbers)
    step = finer * _STEP[level]
    plain = not any(evens) and not any(numbers) and not any(places for _, _, places, _ in wanted)
    alternate = plain and sum(counts) >= _ALTERNATE
    while step * (_EVEN if all(evens) else 1.0) <= finer * _WIDEST[level]:
        rules = [_one_rule(w, even, step, radius, level) for w, even in zip(wanted, evens, strict=True)]
        found = _within(
            rules, counts, radius, _COMBINATIONS[level] << (doublings + alternate), alternate=alternate
        )
        if found is not None:
            return _finished(_scaled([x for x, _ in rules], *found, counts, wanted), *found, counts)
        if few and (most <= _SMOOTH or len(counts) == 1):  # equal parts: smooth enough, by what was measured
            return _sparse_rule(counts, evens, wanted, level)
        step = _COARSER * step if not few else math.inf
    return _drawn(counts, evens, wanted, level, doublings)


def _radius(counts: Sequence[int], wanted: Sequence[Wanted], outside: float) -> float:
    """Of the ball that leaves a probability outside."""
    from scipy import special

    whole = sum(n * dimension for n, (*_, dimension) in zip(counts, wanted, strict=True))
    return math.sqrt(float(special.chdtri(whole, outside)))


def _drawn(
    counts: tuple[int, ...], evens: tuple[bool, ...], wanted: tuple[Wanted, ...], level: int, doublings: int
) -> OmegaRule:
    """Members by the inverse of their distribution function, those that are equal once."""
    number = _SAMPLES if doublings else 1
    size = _DRAWN[level] + doublings - int(math.log2(number))
    uniform = np.concatenate([uniform_points(sum(counts), size, _SEED + k) for k in range(number)])
    columns, start, nodes = [], 0, []
    starts = np.cumsum((0, *counts))
    for (few, left, places, dimension), even, at, r in zip(wanted, evens, starts, counts, strict=False):
        left = left or 1.0
        step = max(_STEP[level], 2 * _REACH / _MOST_NODES / left)
        x, w = _one_rule((few if few < 3 else 0, left, places, dimension), even, step, _REACH, level)
        upto = np.cumsum(w / w.sum())[:-1]
        columns.append(start + np.sort(np.searchsorted(upto, uniform[:, at : at + r], side="right"), axis=1))
        nodes.append(x)
        start += len(x)
    drawn = np.split(np.concatenate(columns, axis=1), number)
    different = [np.unique(members, axis=0, return_counts=True) for members in drawn]
    members, weights = (np.concatenate(x) for x in zip(*different, strict=True))
    weights = weights / weights.sum()
    ends = np.cumsum([0, *(len(times) for _, times in different)]).tolist()
    found = _finished(_scaled(nodes, members, weights, counts, wanted), members, weights, counts)
    return replace(found, samples=tuple(slice(*pair) for pair in pairwise(ends)))


def _sparse_rule(
    counts: Sequence[int], evens: Sequence[bool], wanted: Sequence[Wanted], level: int
) -> OmegaRule:
    """The deepest one with few enough combinations; the first one in any case."""
    best, most = None, _COMBINATIONS[level]
    for depth in range(1, _DEPTHS[level] + 1):
        nodes, sparse = _sparse(counts, evens, wanted, depth)
        if best is not None and len(sparse) > most:
            break
        best = nodes, sparse
    assert best is not None
    nodes, sparse = best
    members = np.array(list(sparse), dtype=np.int64)
    return _finished(nodes, members, np.array(list(sparse.values())), counts)


def _one_rule(wanted: Wanted, even: bool, step: float, radius: float, level: int) -> Rule:
    """Of one coordinate."""
    few, left, places, dimension = wanted
    if dimension > 1:
        own = few + (2 * level if few > 1 else 0) or math.ceil(0.5 * (math.pi / (step * left * _EVEN)) ** 2)
        x, w = _norms(min(own, _MOST_NORMS), dimension)
        return x[x < radius], w[x < radius]
    if few:
        count = few + (2 * level if few > 1 else 0)
        return _gauss(2 * count if even and few > 2 else count, even=even)
    if places:
        return _half(*graded_nodes(step, left, places, radius), even=even)
    return _half(*normal_nodes(step * left * (_EVEN if even else 1.0), radius, between=True), even=even)


def _gauss(count: int, *, even: bool) -> Rule:
    x, w = np.polynomial.hermite_e.hermegauss(count)
    return _half(x, w / w.sum(), even=even)


@functools.lru_cache(maxsize=32)
def _norms(count: int, dimension: int) -> Rule:
    """Gauss nodes of the norm of coordinates ~ N(0, 1): Laguerre's for half its square (Golub and Welsch)."""
    from scipy import linalg

    k = np.arange(count)
    shift = dimension / 2 - 1
    half, vectors = linalg.eigh_tridiagonal(2 * k + 1 + shift, np.sqrt(k[1:] * (k[1:] + shift)))
    return np.sqrt(2 * np.maximum(half, 0.0)), vectors[0] ** 2


def _half(x: Array, w: Array, *, even: bool) -> Rule:
    if not even:
        return x, w
    return x[x >= -_SAME], np.where(x > _SAME, 2 * w, w)[x >= -_SAME]


def _within(
    rules: Sequence[Rule], counts: Sequence[int], radius: float, most: int, *, alternate: bool
) -> tuple[Integers, Array] | None:
    """(members, weights) of combinations in a ball, every second one if `alternate`; None of too many."""
    members, weights, room = np.zeros((1, 0), dtype=np.int64), np.ones(1), np.full(1, radius**2)
    start = 0
    for (x, w), r in zip(rules, counts, strict=True):
        least, alike = np.zeros(len(members), dtype=np.int64), np.zeros(len(members), dtype=np.int64)
        for k in range(r):
            # the next one is no earlier node of the same part
            chosen = (np.arange(len(x)) >= least[:, None]) & (x * x <= room[:, None])
            row, node = np.nonzero(chosen)
            if len(row) > most:
                return None
            alike = np.where((k > 0) & (node == least[row]), alike[row], 0) + 1
            weights = weights[row] * w[node] * (k + 1) / alike
            room, least = room[row] - x[node] ** 2, node
            members = np.concatenate([members[row], start + node[:, None]], axis=1)
        start += len(x)
    if alternate:
        kept = members.sum(1) % 2 == 0
        members, weights = members[kept], weights[kept]
    return members, weights


def _scaled(
    nodes: Sequence[Array],
    members: Integers,
    weights: Array,
    counts: Sequence[int],
    wanted: Sequence[Wanted],
) -> tuple[Array, ...]:
    """Nodes whose average square is that of the coordinates, without what is outside of the ball."""
    every, total, start, found = np.concatenate(nodes), weights.sum(), 0, []
    for x, r, (*_, dimension) in zip(nodes, counts, wanted, strict=True):
        square = float(weights @ (every[members[:, start : start + r]] ** 2).mean(1) / total)
        found.append(x * math.sqrt(dimension / square) if square > 0 else x)
        start += r
    return tuple(found)


def _sparse(
    counts: Sequence[int], evens: Sequence[bool], wanted: Sequence[Wanted], depth: int
) -> tuple[tuple[Array, ...], dict[tuple[int, ...], float]]:
    """Sum over levels with l_1 + ... + l_r <= depth of the products of the differences of rules."""
    whole: Weights = {((), 0): 1.0}
    nodes, start = [], 0
    for r, even, (few, *_, dimension) in zip(counts, evens, wanted, strict=True):
        x, steps = _differences(even, 0 if few == 1 else depth, dimension)
        part: Weights = {((), 0): 1.0}
        for _ in range(r):
            following: Weights = {}
            for (members, used), weight in part.items():
                for level, step in enumerate(steps[: depth - used + 1]):
                    for i, w in step:
                        key = tuple(sorted((*members, start + i))), used + level
                        following[key] = following.get(key, 0.0) + weight * w
            part = following
        joined: Weights = {}
        for (before, used), weight in whole.items():
            for (members, more), w in part.items():
                if used + more <= depth:
                    key = (*before, *members), used + more
                    joined[key] = joined.get(key, 0.0) + weight * w
        nodes.append(x)
        whole = joined
        start += len(x)
    found: dict[tuple[int, ...], float] = {}
    for (members, _), weight in whole.items():
        found[members] = found.get(members, 0.0) + weight
    return tuple(nodes), {m: w for m, w in found.items() if abs(w) > _SAME}


def _differences(even: bool, depth: int, dimension: int) -> tuple[Array, list[list[tuple[int, float]]]]:
    """(nodes of all rules, [(node, weight) of the rule of a level less that of the one before])."""
    places: dict[float, int] = {}
    rules: list[dict[int, float]] = [{}]
    for level in range(depth + 1):
        x, w = _gauss(2 * level + 1, even=even) if dimension == 1 else _norms(level + 1, dimension)
        keys = [0.0 if abs(v) < _SAME else float(v) for v in x]
        rules.append({places.setdefault(k, len(places)): float(p) for k, p in zip(keys, w, strict=True)})
    steps = []
    for before, rule in pairwise(rules):
        both = dict.fromkeys([*before, *rule])
        steps.append([(i, rule.get(i, 0.0) - before.get(i, 0.0)) for i in both])
    return np.array(list(places)), steps


def _finished(
    nodes: tuple[Array, ...], members: Integers, weights: Array, counts: Sequence[int]
) -> OmegaRule:
    new = np.concatenate([np.ones((len(members), 1), dtype=bool), np.diff(members, axis=1) != 0], axis=1)
    shape = len(members), int(new.sum(1).max())
    places, shared = np.full(shape, -1, dtype=np.int64), np.zeros(shape)
    row, at = np.nonzero(new)
    column = (np.cumsum(new, axis=1) - 1)[row, at]
    places[row, column] = at
    shared[row, column] = np.diff(row * sum(counts) + at, append=members.size)
    return OmegaRule(
        nodes=nodes, members=members, places=places, counts=shared, weights=weights / weights.sum()
    )
