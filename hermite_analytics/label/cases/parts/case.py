"""Labels built from independent parts: each unknown coordinate stands in one part only.

Sums, products, largest and smallest values of independent labels have laws by convolution; the parts are
labels of one coordinate, or homogeneous in two or three.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import sympy
from sympy import Dummy, Expr, Symbol

from hermite_analytics.label.cases.homogeneous.case import homogeneous_law
from hermite_analytics.label.cases.line.functions import (
    Along,
    along,
    pieces_between,
    zeros_between,
)
from hermite_analytics.label.cases.line.numeric_pieces import slow_points
from hermite_analytics.label.cases.parts.branches import Term, term_density
from hermite_analytics.label.cases.parts.composition import composed_density
from hermite_analytics.label.cases.parts.convolution import added, multiplied
from hermite_analytics.label.cases.parts.density import LabelDensity
from hermite_analytics.label.cases.parts.extremes import extreme_density
from hermite_analytics.label.cases.parts.smoothed import smoothed_density
from hermite_analytics.language.affine import linear_part
from hermite_analytics.symbols import xi

__all__ = ["Law", "structured_law"]

Law = Callable[..., LabelDensity]
T = TypeVar("T")

_ANY = Dummy("any", real=True)
_END = 12.0
_RARE = 1e-19  # probability of the outermost labels that are left out
_SAME = 1e-12  # distance of points that count as one
_BESIDE = (
    1e-6  # distance from these within which a slow point, which is found to fewer digits, is one of them
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """A label of independent coordinates: its law at a level and at values of the known coordinates.

    Those of one `kind` have the same law, of which no coordinate is tracked.
    """

    law: Law
    term: Callable[[Sequence[float]], Term] | None = None
    kind: Expr | None = None


def structured_law(
    signal: Expr,
    unknown: Sequence[Symbol],
    known: Sequence[Symbol] = (),
    *,
    untracked: Collection[Symbol] = (),
) -> Law | None:
    """The law, a function of the level and of the known coordinates; None where the parts are dependent.

    Of the `untracked` coordinates no moments are asked, as of noise.

    Examples
    --------
    >>> from sympy import symbols
    >>> w1, w2 = symbols("w1 w2", real=True)
    >>> law = structured_law(abs(w1) + abs(w2), (w1, w2))
    >>> round(law(1).mass, 9), structured_law(w1 * w2 + w1**3, (w1, w2)) is None
    (1.0, True)
    """
    of = _Coordinates(unknown=tuple(unknown), known=tuple(known), untracked=frozenset([*untracked, xi]))
    found = _part(signal, of)
    return None if found is None else found.law


@dataclass(frozen=True, slots=True, kw_only=True)
class _Coordinates:
    unknown: tuple[Symbol, ...]
    known: tuple[Symbol, ...]
    untracked: frozenset[Symbol]


def _part(signal: Expr, of: _Coordinates) -> _Part | None:
    used = [w for w in (*of.unknown, xi) if signal.has(w)]
    if not used:
        return None
    if len(used) == 1:
        return _single(signal, used[0], of)
    is_extreme = isinstance(signal, sympy.Max | sympy.Min)
    if signal.is_Add or signal.is_Mul or is_extreme:
        groups = _groups(signal, used)
        if len(groups) > 1 and is_extreme:
            return _extreme(groups, of, largest=isinstance(signal, sympy.Max))
        if len(groups) > 1:
            return _composed(signal, groups, of)
    if of.known or of.untracked.intersection(used):
        return None
    law = homogeneous_law(signal, tuple(used))
    return _of_inner(signal, of) if law is None else _Part(law=lambda level, *_: law(level))


def _single(signal: Expr, w: Symbol, of: _Coordinates) -> _Part:
    function, tracked = along(signal, w, of.known), w not in of.untracked

    def term(x: Sequence[float]) -> Term:
        return _term(function.at(*x), -_END, _END, tracked=tracked)

    kind = None if tracked else signal.xreplace({w: _ANY})
    return _Part(law=lambda level, *x: term_density(term(x), level=level), term=term, kind=kind)


def _of_inner(signal: Expr, of: _Coordinates) -> _Part | None:
    """F(h) with h built from independent parts."""
    inner = [a for a in signal.args if a.free_symbols]
    if len(inner) != 1:
        return None
    part = _part(inner[0], replace(of, known=()))
    if part is None:
        return None
    t = Dummy("t", real=True)
    outer = along(signal.xreplace({inner[0]: t}), t)

    def law(level: int, *_: float) -> LabelDensity:
        density = part.law(level)
        return composed_density(_term(outer, *_range(density), tracked=True), density, extra=(0.0,))

    return _Part(law=law)


def _range(density: LabelDensity) -> tuple[float, float]:
    """The labels between which all but a negligible probability lies, and a little more."""
    y, values = density.labels()
    order = np.argsort(y)
    y, mass = y[order], values[order, 0]
    low = y[np.argmax(np.cumsum(mass) >= _RARE)]
    high = y[::-1][np.argmax(np.cumsum(mass[::-1]) >= _RARE)]  # from its own end: 1 - 1e-19 is 1
    return 1.02 * low - 0.02 * high, 1.02 * high - 0.02 * low


def _term(function: Along, low: float, high: float, *, tracked: bool) -> Term:
    pieces = pieces_between(function, low, high)
    points = np.array([*(p.high for p in pieces[:-1]), *zeros_between(function, low, high)])
    slow = [z for p in pieces if p.slope for z in slow_points(function.slope, p)]
    points = np.sort([*points, *(z for z in slow if not np.any(np.abs(points - z) < _BESIDE))])
    apart = np.diff(points, prepend=-np.inf) > _SAME
    return Term(
        value=function.value,
        derivative=function.slope,
        points=points[apart].tolist(),
        tracked=tracked,
    )


def _groups(signal: Expr, used: Sequence[Symbol]) -> list[Expr]:
    """The arguments put together where they share a coordinate; those without one to the first group."""
    groups: list[tuple[set[Symbol], list[Expr]]] = []
    free = [a for a in signal.args if not a.free_symbols.intersection(used)]
    for argument in signal.args:
        names = argument.free_symbols.intersection(used)
        if names:
            joined = [g for g in groups if g[0] & names]
            together = [a for g in joined for a in g[1]]
            groups = [g for g in groups if not g[0] & names]
            groups.append((names.union(*(g[0] for g in joined)), [*together, argument]))
    first, *others = ([*arguments] for _, arguments in groups)
    return [signal.func(*first, *free), *(signal.func(*g) for g in others)]


def _extreme(groups: Sequence[Expr], of: _Coordinates, *, largest: bool) -> _Part | None:
    """Of parts of one coordinate each."""
    parts = [_part(g, of) for g in groups]
    terms = [p.term for p in parts if p is not None and p.term is not None]
    if len(terms) < len(groups):
        return None

    def law(level: int, *x: float) -> LabelDensity:
        return extreme_density([term(x) for term in terms], largest=largest, level=level)

    return _Part(law=law)


def _composed(signal: Expr, groups: Sequence[Expr], of: _Coordinates) -> _Part | None:
    """Sums and products; of copies of one law by squaring, and with the noise added last."""
    noise, size = (_noise_of(groups) if signal.is_Add else None) or (None, 0.0)
    parts = [_part(g, of) for g in groups if g != noise]
    whole = [p for p in parts if p is not None]
    if len(whole) < len(parts):
        return None
    combine, split = (multiplied, True) if signal.is_Mul else (added, False)
    counts = Counter(p.kind for p in whole if p.kind is not None)
    first = {p.kind: p for p in reversed(whole)}
    copies = [(p, 1) for p in whole if p.kind is None] + [(first[kind], n) for kind, n in counts.items()]

    def law(level: int, *x: float) -> LabelDensity:
        laws = [_of_copies(combine, _law_of(p, level, x, split=split), count) for p, count in copies]
        found = functools.reduce(combine, laws)
        return smoothed_density(found, size) if size else found

    return _Part(law=law)


def _of_copies(combine: Callable[[T, T], T], law: T, count: int) -> T:
    """The sum or product of so many independent copies, by squaring.

    Examples
    --------
    >>> _of_copies(int.__mul__, 3, 5)
    243
    """
    found, power = None, law
    while count:
        if count % 2:
            found = power if found is None else combine(found, power)
        count //= 2
        power = combine(power, power) if count else power
    assert found is not None
    return found


def _law_of(part: _Part, level: int, x: Sequence[float], *, split: bool) -> LabelDensity:
    """The law of a part; with `split` 0 ends a panel."""
    if part.term is not None:
        return term_density(part.term(x), level=level, extra=(0.0,) if split else ())
    found = part.law(level, *x)
    if not split or np.any(found.points == 0.0):
        return found
    return composed_density(Term(value=lambda t: 1.0 * t, derivative=np.ones_like), found, extra=(0.0,))


def _noise_of(groups: Sequence[Expr]) -> tuple[Expr, float] | None:
    for g in groups:
        additive = linear_part(g, xi) if g.free_symbols == {xi} else None
        if additive is not None:
            return g, abs(float(additive[1]))
    return None
