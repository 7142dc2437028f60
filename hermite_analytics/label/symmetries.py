"""Signed permutations of the coordinates that leave the law of the label as it is, up to a renaming."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from sympy import Dummy, Expr, Symbol

from hermite_analytics.codegen import compile
from hermite_analytics.foundation.clock import check_time
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.gaussian.distribution import expanded
from hermite_analytics.label.exact.signs import split_signs
from hermite_analytics.symbols import xi

__all__ = ["LabelSymmetry", "label_symmetries"]

_MOST_COORDINATES = 4  # of which all signed permutations are tried
_CLOSE = 1e-9
_POINTS = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelSymmetry:
    """g(S w) = sign g(w) + shift in law.

    Attributes
    ----------
    matrix : ndarray, shape (q, q)
        S, a signed permutation.
    sign : int
        1 (then the shift is 0) or -1.
    shift : float
    """

    matrix: Array
    sign: int
    shift: float = 0.0


def label_symmetries(signal: Expr, coordinates: Sequence[Symbol]) -> tuple[LabelSymmetry, ...]:
    """All that are proved term by term; of more than four coordinates those that generate a group.

    These are changes of the signs of one, two or all coordinates, and exchanges of two. Candidates are those
    that agree at random points; one that is not recognised costs time only.

    Examples
    --------
    >>> from sympy import sign, symbols
    >>> w1, w2, *more = symbols("w1:6", real=True)
    >>> found = label_symmetries(w1 * w2, (w1, w2))
    >>> len(found), sum(s.sign for s in found)
    (8, 0)
    >>> found = label_symmetries(sign(w1 * w2 * more[0] * more[1] * more[2]), (w1, w2, *more))
    >>> len(found), sum(s.sign for s in found)  # I; -I and 5 signs change the label, 4 exchanges do not
    (11, -1)
    """
    if xi in coordinates:  # noise as a coordinate like the others
        tracked = Dummy("noise", real=True)
        signal = signal.xreplace({xi: tracked})
        coordinates = [tracked if w == xi else w for w in coordinates]
    q = len(coordinates)
    kernel = compile(signal, (*coordinates, xi), backend="array")
    points = np.random.default_rng(0).standard_normal((q + 1, _POINTS)) * 1.3
    base = _values(kernel, points)
    found = [LabelSymmetry(matrix=np.eye(q), sign=1)]

    def tried(order: Sequence[int], signs: Sequence[int]) -> bool:
        check_time()
        moved = [s * points[k] for s, k in zip(signs, order, strict=True)]
        image = {w: s * coordinates[k] for w, s, k in zip(coordinates, signs, order, strict=True)}
        symmetry = _proved(signal, kernel, base, moved, points[q], image)
        if symmetry is not None:
            matrix = np.zeros((q, q))
            matrix[np.arange(q), list(order)] = signs
            found.append(LabelSymmetry(matrix=matrix, sign=symmetry[0], shift=symmetry[1]))
        return symmetry is not None

    (_try_all if q <= _MOST_COORDINATES else _try_generators)(q, tried)
    return tuple(found)


def _try_all(q: int, tried: Callable[[Sequence[int], Sequence[int]], bool]) -> None:
    for order, signs in itertools.product(
        itertools.permutations(range(q)), itertools.product((1, -1), repeat=q)
    ):
        if order != tuple(range(q)) or min(signs) < 0:
            tried(order, signs)


def _try_generators(q: int, tried: Callable[[Sequence[int], Sequence[int]], bool]) -> None:
    """Signs of all, of one, of two; then exchanges, of two that no others make equal yet."""
    same = list(range(q))

    def changed(*places: int) -> list[int]:
        return [-1 if i in places else 1 for i in same]

    def exchanged(i: int, j: int) -> bool:
        order = [j if k == i else i if k == j else k for k in same]
        return any(tried(order, changed(*s)) for s in ((), (i, j), (i,), (j,)))

    tried(same, changed(*same))
    alone = {i for i in same if tried(same, changed(i))}
    _join([i for i in same if i not in alone], lambda i, j: tried(same, changed(i, j)))
    _join(same, exchanged)


def _join(places: Sequence[int], related: Callable[[int, int], bool]) -> None:
    """Asks for pairs in different classes, which become one where it holds."""
    classes = {i: i for i in places}
    for i, j in itertools.combinations(places, 2):
        if classes[i] != classes[j] and related(i, j):
            old = classes[j]
            classes = {k: classes[i] if c == old else c for k, c in classes.items()}


def _values(kernel: object, points: Array) -> Array:
    with np.errstate(all="ignore"):
        found = np.asarray(kernel(*points), dtype=np.float64)  # type: ignore[operator]
    return np.broadcast_to(found, points.shape[1:])


def _proved(
    signal: Expr,
    kernel: object,
    base: Array,
    moved: Sequence[Array],
    noise: Array,
    image: dict[Symbol, Expr],
) -> tuple[int, float] | None:
    """(sign, shift) of an image of the label, with xi or -xi in it."""
    scale = _CLOSE * max(1.0, float(np.abs(base).max()))
    for side in (1, -1) if signal.has(xi) else (1,):
        values = _values(kernel, np.array([*moved, side * noise]))
        full = {**image, xi: side * xi}
        for sign in (1, -1):
            if np.ptp(values - sign * base) > scale:
                continue
            rest = expanded(split_signs(signal.xreplace(full) - sign * signal))
            if rest.is_number and (sign < 0 or rest == 0):
                return sign, float(rest)
    return None
