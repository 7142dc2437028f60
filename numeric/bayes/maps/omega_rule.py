"""Nodes of omega in the coordinates of separate parts, up to permutations of equal ones.

Products of Gauss and Hermite rules where they are few; else sparse ones (Smolyak): sums of products of
differences of rules of 1, 3, 5, ... nodes, whose levels add up to at most a number. Nodes are in units of the
standard deviation, so that nothing here depends on the overlaps.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["OmegaRule", "omega_rule"]

Array = NDArray[np.float64]
Integers = NDArray[np.int64]
Weights = dict[tuple[tuple[int, ...], int], float]

_COMBINATIONS = (1400, 9000)  # at most, by level
_RARE = (1e-7, 1e-9)  # weight of a combination that is left out, by level
_MOST = 25  # nodes of one coordinate
_ENOUGH = 8  # nodes of the finest with which a product is preferred, where it has fewer than wanted
_FEWEST = 4
_DEPTHS = (3, 4)  # of a sparse rule at most, by level
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
    """

    nodes: tuple[Array, ...]
    members: Integers
    places: Integers
    counts: Array
    weights: Array


def omega_rule(
    counts: Sequence[int], evens: Sequence[bool], wanted: Sequence[int], *, level: int = 1
) -> OmegaRule:
    """A rule for omega ~ N(0, I).

    Parameters
    ----------
    counts : sequence of int
        How many coordinates have each part.
    evens : sequence of bool
        Of which one sign stands for both.
    wanted : sequence of int
        Nodes of a coordinate of each part that a product would have; 1 where omega is 0.

    Examples
    --------
    >>> rule = omega_rule((4, 2), (False, True), (6, 6))  # E (x1 + ... + x4)^2 (y1^2 + y2^2)^2 = 32
    >>> x, y = rule.nodes
    >>> both = np.concatenate([x, y])[rule.members]
    >>> sums = both[:, :4].sum(1) ** 2 * (both[:, 4:] ** 2).sum(1) ** 2
    >>> round(float(rule.weights @ sums), 2)
    32.0
    """
    return _rule(tuple(counts), tuple(evens), tuple(min(n, _MOST) for n in wanted), level)


@functools.lru_cache(maxsize=256)
def _rule(counts: tuple[int, ...], evens: tuple[bool, ...], wanted: tuple[int, ...], level: int) -> OmegaRule:
    most = _COMBINATIONS[level]
    for top in range(max(wanted), min(_ENOUGH, max(wanted)) - 1, -1):
        share = top / max(wanted)
        fewer = [min(n, max(round(share * n), _FEWEST)) for n in wanted]
        halves = [-(-n // 2) if even else n for n, even in zip(fewer, evens, strict=True)]
        if math.prod(math.comb(n + r - 1, r) for n, r in zip(halves, counts, strict=True)) <= most:
            return _finished(*_products(counts, evens, fewer), counts, _RARE[level])
    best = None
    for depth in range(1, min(_DEPTHS[level], max(wanted) // 2) + 1):
        nodes, found = _sparse(counts, evens, wanted, depth)
        if best is not None and len(found) > most:
            break
        best = nodes, found
    assert best is not None
    return _finished(*best, counts, _RARE[level])


def _gauss(count: int, *, even: bool) -> tuple[Array, Array]:
    x, w = np.polynomial.hermite_e.hermegauss(count)
    w = w / w.sum()
    if not even:
        return x, w
    return x[x >= -_SAME], np.where(x > _SAME, 2 * w, w)[x >= -_SAME]


def _products(
    counts: Sequence[int], evens: Sequence[bool], wanted: Sequence[int]
) -> tuple[tuple[Array, ...], dict[tuple[int, ...], float]]:
    nodes, choices, start = [], [], 0
    for r, even, n in zip(counts, evens, wanted, strict=True):
        x, w = _gauss(n, even=even)
        part = {}
        for chosen in itertools.combinations_with_replacement(range(len(x)), r):
            part[tuple(start + i for i in chosen)] = _ways(chosen) * math.prod(w[i] for i in chosen)
        nodes.append(x)
        choices.append(part)
        start += len(x)
    found = {}
    for members in itertools.product(*choices):
        weight = math.prod(part[m] for part, m in zip(choices, members, strict=True))
        found[tuple(itertools.chain(*members))] = weight
    return tuple(nodes), found


def _ways(chosen: Sequence[int]) -> float:
    return math.factorial(len(chosen)) / math.prod(math.factorial(chosen.count(i)) for i in set(chosen))


def _sparse(
    counts: Sequence[int], evens: Sequence[bool], wanted: Sequence[int], depth: int
) -> tuple[tuple[Array, ...], dict[tuple[int, ...], float]]:
    """Sum over levels with l_1 + ... + l_r <= depth of the products of the differences of rules."""
    whole: Weights = {((), 0): 1.0}
    nodes, start = [], 0
    for r, even, n in zip(counts, evens, wanted, strict=True):
        x, steps = _differences(even, 0 if n == 1 else depth)
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


def _differences(even: bool, depth: int) -> tuple[Array, list[list[tuple[int, float]]]]:
    """(nodes of all rules, [(node, weight) of the rule of a level less that of the one before])."""
    places: dict[float, int] = {}
    rules: list[dict[int, float]] = [{}]
    for level in range(depth + 1):
        x, w = _gauss(2 * level + 1, even=even)
        keys = [0.0 if abs(v) < _SAME else float(v) for v in x]
        rules.append({places.setdefault(k, len(places)): float(p) for k, p in zip(keys, w, strict=True)})
    steps = []
    for before, rule in itertools.pairwise(rules):
        both = dict.fromkeys([*before, *rule])
        steps.append([(i, rule.get(i, 0.0) - before.get(i, 0.0)) for i in both])
    return np.array(list(places)), steps


def _finished(
    nodes: tuple[Array, ...], found: dict[tuple[int, ...], float], counts: Sequence[int], rare: float
) -> OmegaRule:
    kept = {m: w for m, w in found.items() if abs(w) > rare}
    members, weights = np.array(list(kept), dtype=np.int64), np.array(list(kept.values()))
    new = np.concatenate([np.ones((len(members), 1), dtype=bool), np.diff(members, axis=1) != 0], axis=1)
    widest = int(new.sum(1).max())
    places = np.full((len(members), widest), -1, dtype=np.int64)
    shared = np.zeros((len(members), widest))
    for c, row in enumerate(new):
        at = np.flatnonzero(row)
        places[c, : len(at)] = at
        shared[c, : len(at)] = np.diff([*at, sum(counts)])
    return OmegaRule(
        nodes=nodes, members=members, places=places, counts=shared, weights=weights / weights.sum()
    )
