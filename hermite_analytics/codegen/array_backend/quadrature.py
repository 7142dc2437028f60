"""Gaussian expectations and integrals of integrands over arrays of points.

The same rules as the scalar code (docs/theory.md, "Compiled quadrature"), for all points at once: a rule is
refined until every point has settled. A point that does not settle becomes NaN.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass

import numpy as np
from array_api_compat import device

from hermite_analytics.codegen.rules import (
    END,
    GEOMETRIC_PANELS,
    MARGIN,
    PANEL_NODES,
    SMALLEST_STEP,
    UNDECAYED,
    UNKNOWN_STEP,
    reference_rule,
    rounding_floor,
    widest_step,
)
from hermite_analytics.foundation.arrays import Array, Namespace

__all__ = ["TooManyNodes", "integral", "nodes_limited", "panels", "trapezoid"]

Integrand = Callable[[Array], tuple[Array | float, ...]]
_MOST_HALVINGS = 7
_SCALE = 1.0 / math.sqrt(2.0 * math.pi)
_CORE = 9.0
_PANEL_CORE = 12.0
_MOST_AT_ONCE = 20  # nodes
_CACHED = 4096  # numbers


class TooManyNodes(Exception):
    """A rule needs more nodes than it may have."""


_most_nodes: ContextVar[int | None] = ContextVar("most_nodes", default=None)


@contextlib.contextmanager
def nodes_limited(most: int) -> Iterator[None]:
    """Within this block a rule of more nodes raises `TooManyNodes`; by default any number is computed."""
    token = _most_nodes.set(most)
    try:
        yield
    finally:
        _most_nodes.reset(token)


def _counted(integrand: Integrand, dimensions: int) -> Integrand:
    """Which counts its nodes, of points with so many dimensions, where they are limited."""
    most = _most_nodes.get()
    if most is None:
        return integrand
    count = 0

    def counting(node: Array) -> tuple[Array | float, ...]:
        nonlocal count
        count += node.shape[0] if node.ndim > dimensions else 1
        if count > most:
            raise TooManyNodes
        return integrand(node)

    return counting


def _zeros(xp: Namespace, like: Sequence[Array]) -> Array:
    total = xp.zeros_like(like[0])
    for a in like[1:]:
        total = total + xp.zeros_like(a)
    return total


@dataclass(frozen=True, slots=True)
class _Sums:
    """Of terms of each integrand, and of their sizes; without terms none yet."""

    values: tuple[Array, ...] = ()
    sizes: tuple[Array, ...] = ()

    @classmethod
    def of(cls, xp: Namespace, terms: tuple[Array, ...]) -> _Sums:
        return cls(terms, tuple(xp.abs(t) for t in terms))

    def over_first_axis(self, xp: Namespace) -> _Sums:
        """Of all nodes that were taken at once."""
        rows = self.values, self.sizes
        return _Sums(*(tuple(xp.sum(a, axis=0) for a in terms) for terms in rows))

    def plus(self, other: _Sums) -> _Sums:
        return _Sums(_added(self.values, other.values), _added(self.sizes, other.sizes))


def _added(sums: tuple[Array, ...], terms: tuple[Array, ...]) -> tuple[Array, ...]:
    return tuple(a + b for a, b in zip(sums, terms, strict=True)) if sums else terms


@dataclass(frozen=True, slots=True)
class _Terms:
    """What is summed: integrands, then bounds of the rounding of those at the places `rounded`."""

    integrand: Integrand
    rounded: Sequence[int]

    def compared(self, xp: Namespace, sums: _Sums, share: float) -> tuple[tuple[Array, ...], list[Array]]:
        """(sums of the integrands, their changes that are none: a share of the sizes, or rounding)."""
        values, sizes = sums.values, sums.sizes
        count = len(values) - len(self.rounded)
        allowed = [share * size for size in sizes[:count]]
        for place, bound in zip(self.rounded, values[count:], strict=True):
            allowed[place] = xp.maximum(allowed[place], bound)
        return values[:count], allowed


Refinement = Iterator[tuple[tuple[Array, ...], list[Array]]]
"""(values, where they have settled) of finer and finer rules."""


def _settled(xp: Namespace, rules: Refinement) -> tuple[Array, ...]:
    """The values of the first rule that is as good as asked everywhere; NaN where the last one is not."""
    agreed, needed = 0, 1
    for rule in rules:
        values, settled = rule
        agreed = agreed + 1 if all(bool(xp.all(s)) for s in settled) else 0
        if agreed >= needed:
            break
        needed = 2  # what did not settle at once has to settle twice: two rules may agree by chance
    return tuple(xp.where(s, v, math.nan) for s, v in zip(settled, values, strict=True))


def trapezoid(
    xp: Namespace,
    integrand: Integrand,
    strip: Array | float | None,
    like: Sequence[Array],
    accuracy: float,
    rounded: Sequence[int] = (),
) -> tuple[Array, ...]:
    """E of each integrand by the trapezoidal rule; `strip` is the half-width of analyticity or None.

    Of the integrands at the places `rounded` a bound of their rounding follows the integrands, in this order:
    a change of the result below its mean is no reason to refine.
    """
    zero = _zeros(xp, like)
    step = _first_step(xp, strip, zero, accuracy)
    return _settled(
        xp, _halved_steps(xp, _Terms(_counted(integrand, zero.ndim), rounded), step, zero, accuracy)
    )


def _first_step(xp: Namespace, strip: Array | float | None, zero: Array, accuracy: float) -> Array:
    if strip is None:
        return zero + UNKNOWN_STEP
    log = math.log(MARGIN / accuracy)
    width = xp.minimum(zero + strip, zero + math.sqrt(2.0 * log))
    step = 2.0 * math.pi * width / (log + 0.5 * width * width)
    step = xp.minimum(step, zero + widest_step(accuracy))
    return xp.where(step >= SMALLEST_STEP, step, math.nan)


def _halved_steps(xp: Namespace, terms: _Terms, step: Array, zero: Array, accuracy: float) -> Refinement:
    """Trapezoidal rules, each with half the step of the one before."""
    sums = _nodes(xp, terms.integrand, step, zero, odd=False)
    for halving in range(1, _MOST_HALVINGS + 1):
        step, before = 0.5 * step, sums
        sums = before.plus(_nodes(xp, terms.integrand, step, zero, odd=True))
        values, allowed = terms.compared(xp, sums, math.sqrt(accuracy))
        changes = [a - 2.0 * b for a, b in zip(values, before.values, strict=False)]
        settled = [xp.abs(c) <= most for c, most in zip(changes, allowed, strict=True)]
        if halving == _MOST_HALVINGS:
            floor = rounding_floor(accuracy)
            settled = [
                s | (_SCALE * xp.abs(step * c) <= floor) for s, c in zip(settled, changes, strict=True)
            ]
        scale = _SCALE * step
        yield (
            tuple(scale * a for a in values),
            [s | ~xp.isfinite(a) for s, a in zip(settled, values, strict=True)],
        )


def _nodes(xp: Namespace, integrand: Integrand, step: Array, zero: Array, *, odd: bool) -> _Sums:
    """Of weight times integrand over all nodes k step, or the odd ones."""
    sums = _Sums()
    k, stride = (1, 2) if odd else (0, 1)
    count = _at_once(zero)
    while k <= 1 or bool(xp.any(k * step <= END)):  # once in any case
        counts = _along_first_axis(xp, [float(k + stride * i) for i in range(count)], zero)
        node = counts * step
        weight = xp.where(node > END, 0.0, xp.exp(-0.5 * node * node))  # that of a step too small is NaN
        node = xp.minimum(node, zero + END)
        sides = [(node, weight), (-node, xp.where(counts > 0.0, weight, 0.0))]
        new = [_Sums.of(xp, tuple(_weighted(xp, w, v, zero) for v in integrand(x))) for x, w in sides]
        rows = new[0].plus(new[1])
        sums = sums.plus(rows.over_first_axis(xp))
        last = tuple(a[-1, ...] for a in rows.sizes)
        is_small = all(bool(xp.all(a <= 1e-18 * b)) for a, b in zip(last, sums.sizes, strict=True))
        if bool(xp.all(node[-1, ...] > _CORE)) and is_small:
            break
        k += stride * count
    return _Sums(tuple(zero + s for s in sums.values), tuple(zero + s for s in sums.sizes))


def _at_once(zero: Array) -> int:
    """How many nodes of all points make arrays that stay in the processor's cache."""
    return max(1, min(_MOST_AT_ONCE, _CACHED // max(math.prod(zero.shape), 1)))


def _along_first_axis(xp: Namespace, numbers: Sequence[float], zero: Array) -> Array:
    """Numbers along a first axis before those of the points."""
    found = xp.asarray(list(numbers), dtype=zero.dtype, device=device(zero))
    return xp.reshape(found, (len(numbers), *(1 for _ in zero.shape)))


def panels(
    xp: Namespace,
    integrand: Integrand,
    strip: Array | float | None,
    breakpoints: Sequence[Array | float],
    like: Sequence[Array],
    accuracy: float,
    rounded: Sequence[int] = (),
) -> tuple[Array, ...]:
    """E of each integrand by Gauss-Legendre panels between the breakpoints, halved until it settles."""
    zero = _zeros(xp, like)
    ends = [zero - END, zero - _PANEL_CORE, zero + _PANEL_CORE, zero + END]
    points = [xp.minimum(xp.maximum(zero + b, zero - END), zero + END) for b in breakpoints]
    edges = xp.sort(xp.stack([*ends, *points]), axis=0)
    widest = zero + 1.0 if strip is None else xp.minimum(zero + 1.0, 1.3 * (zero + strip))
    width = xp.maximum(widest, zero + 0.01)
    floor = rounding_floor(accuracy)
    return _settled(
        xp, _halved_panels(xp, _Terms(_counted(integrand, zero.ndim), rounded), edges, width, zero, floor)
    )


def _halved_panels(
    xp: Namespace, terms: _Terms, edges: Array, width: Array, zero: Array, floor: float
) -> Refinement:
    """Rules of panels, each with half the width of the one before."""
    sums = _panel_sums(xp, terms.integrand, edges, width, zero)
    for halving in range(1, _MOST_HALVINGS + 1):
        width, before = 0.5 * width, sums
        sums = _panel_sums(xp, terms.integrand, edges, width, zero)
        least = floor if halving == _MOST_HALVINGS else 0.0
        values, allowed = terms.compared(xp, sums, floor)
        compared = zip(values, before.values, allowed, strict=False)
        yield values, [(xp.abs(a - b) <= most + least) | ~xp.isfinite(a) for a, b, most in compared]


@np.errstate(divide="ignore", invalid="ignore")  # of panels without width, at a logarithm
def _panel_sums(xp: Namespace, integrand: Integrand, edges: Array, width: Array, zero: Array) -> _Sums:
    parts = [slice(i, i + _at_once(zero)) for i in range(0, PANEL_NODES, _at_once(zero))]
    rule = [tuple(_along_first_axis(xp, r[part], zero) for r in reference_rule()) for part in parts]
    sums = _Sums()
    for j in range(edges.shape[0] - 1):
        left, right = edges[j, ...], edges[j + 1, ...]
        count = xp.maximum(xp.ceil((right - left) / width), zero + 1.0)
        half = 0.5 * (right - left) / count
        for panel in range(int(xp.max(count))):
            inside = xp.astype(panel < count, zero.dtype)
            for x, w in rule:
                node = left + half * (2.0 * panel + 1.0 + x)
                node = xp.minimum(node, right)  # panels beyond the last one of a point have no weight
                weight = inside * (_SCALE * w) * half * xp.exp(-0.5 * node * node)
                terms = tuple(_weighted(xp, weight, v, zero) for v in integrand(node))
                sums = sums.plus(_Sums.of(xp, terms).over_first_axis(xp))
    decayed = _decayed(xp, integrand, sums.sizes, zero)
    known = tuple(xp.where(d, s, math.nan) for d, s in zip(decayed, sums.values, strict=True))
    return _Sums(known, sums.sizes)


def _weighted(xp: Namespace, weight: Array, value: Array | float, zero: Array) -> Array:
    """weight * value, where no weight means no term even if the value overflows."""
    return xp.where(weight == 0.0, zero, weight * (zero + value))


def _decayed(xp: Namespace, integrand: Integrand, sizes: Sequence[Array], zero: Array) -> list[Array]:
    weight = math.exp(-0.5 * END * END)
    ends = [integrand(zero - END), integrand(zero + END)]
    return [
        xp.abs(zero + a) * weight + xp.abs(zero + b) * weight <= UNDECAYED * s
        for a, b, s in zip(*ends, sizes, strict=True)
    ]


def integral(xp: Namespace, integrand: Integrand, end: float, like: Sequence[Array]) -> tuple[Array, ...]:
    """The integral over [0, end], on panels that shrink towards 0."""
    zero = _zeros(xp, like)
    nodes, weights = reference_rule()
    sums: tuple[Array | float, ...] = ()
    right = end
    for panel in range(GEOMETRIC_PANELS):
        left = 0.5 * right if panel < GEOMETRIC_PANELS - 1 else 0.0
        half = 0.5 * (right - left)
        for j in range(PANEL_NODES):
            values = integrand(zero + (left + half * (1.0 + nodes[j])))
            terms = tuple(half * weights[j] * v for v in values)
            sums = terms if not sums else tuple(a + b for a, b in zip(sums, terms, strict=True))
        right = left
    return tuple(zero + s for s in sums)
