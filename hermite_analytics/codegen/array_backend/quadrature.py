"""Gaussian expectations and integrals of integrands over arrays of points.

The same rules as the scalar code (docs/theory.md, "Compiled quadrature"), for all points at once: a rule is
refined until every point has settled. A point that does not settle becomes NaN.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

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

__all__ = ["integral", "panels", "trapezoid"]

Integrand = Callable[[Array], tuple[Array | float, ...]]
_MOST_HALVINGS = 7
_SCALE = 1.0 / math.sqrt(2.0 * math.pi)
_CORE = 9.0
_PANEL_CORE = 12.0


def _zeros(xp: Namespace, like: Sequence[Array]) -> Array:
    total = xp.zeros_like(like[0])
    for a in like[1:]:
        total = total + xp.zeros_like(a)
    return total


def trapezoid(
    xp: Namespace, integrand: Integrand, strip: Array | float | None, like: Sequence[Array], accuracy: float
) -> tuple[Array, ...]:
    """E of each integrand by the trapezoidal rule; `strip` is the half-width of analyticity or None."""
    zero = _zeros(xp, like)
    if strip is None:
        step = zero + UNKNOWN_STEP
    else:
        log = math.log(MARGIN / accuracy)
        width = xp.minimum(zero + strip, zero + math.sqrt(2.0 * log))
        step = 2.0 * math.pi * width / (log + 0.5 * width * width)
        step = xp.minimum(step, zero + widest_step(accuracy))
        step = xp.where(step >= SMALLEST_STEP, step, math.nan)
    before = None
    agreed, needed = 0, 1
    floor = rounding_floor(accuracy)
    for halving in range(_MOST_HALVINGS + 1):
        sums, sizes = _nodes(xp, integrand, step, zero, parity=None if halving == 0 else 1)
        if before is not None:
            sums = tuple(a + b for a, b in zip(before[0], sums, strict=True))
            sizes = tuple(a + b for a, b in zip(before[1], sizes, strict=True))
            gap = [
                xp.abs(a - 2.0 * b) <= _change(xp, accuracy, c)
                for a, b, c in zip(sums, before[0], sizes, strict=True)
            ]
            if halving == _MOST_HALVINGS:
                rest = zip(gap, sums, before[0], strict=True)
                gap = [g | (_SCALE * xp.abs(step * (a - 2.0 * b)) <= floor) for g, a, b in rest]
            settled = [g | ~xp.isfinite(a) for g, a in zip(gap, sums, strict=True)]
            agreed = agreed + 1 if all(bool(xp.all(s)) for s in settled) else 0
            if agreed >= needed or halving == _MOST_HALVINGS:
                break
            needed = 2  # what did not settle at once has to settle twice: two rules may agree by chance
        before = (sums, sizes)
        step = 0.5 * step
    scale = _SCALE * step
    return tuple(xp.where(s, scale * a, math.nan) for s, a in zip(settled, sums, strict=True))


def _change(xp: Namespace, accuracy: float, size: Array) -> Array:
    return math.sqrt(accuracy) * size


def _nodes(
    xp: Namespace, integrand: Integrand, step: Array, zero: Array, parity: int | None
) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
    """Sums of weight times integrand, and of their sizes, over all nodes k step, or the odd ones."""
    k, stride = (0, 1) if parity is None else (1, 2)
    sums: tuple[Array, ...] | None = None
    sizes: tuple[Array, ...] = ()
    while True:
        node = k * step
        if not bool(xp.any(node <= END)):
            break
        weight = xp.exp(-0.5 * node * node)
        sides = [integrand(node)] if k == 0 else [integrand(node), integrand(-node)]
        terms = [tuple(weight * v for v in values) for values in sides]
        new = tuple(sum(t[1:], t[0]) for t in zip(*terms, strict=True))
        new_sizes = tuple(sum((xp.abs(x) for x in t[1:]), xp.abs(t[0])) for t in zip(*terms, strict=True))
        sums = new if sums is None else tuple(a + b for a, b in zip(sums, new, strict=True))
        sizes = new_sizes if not sizes else tuple(a + b for a, b in zip(sizes, new_sizes, strict=True))
        small = all(bool(xp.all(a <= 1e-18 * b)) for a, b in zip(new_sizes, sizes, strict=True))
        if bool(xp.all(node > _CORE)) and small:
            break
        k += stride
    assert sums is not None
    return tuple(zero + s for s in sums), tuple(zero + s for s in sizes)


def panels(
    xp: Namespace,
    integrand: Integrand,
    strip: Array | float | None,
    breakpoints: Sequence[Array | float],
    like: Sequence[Array],
    accuracy: float,
) -> tuple[Array, ...]:
    """E of each integrand by Gauss-Legendre panels between the breakpoints, halved until it settles."""
    zero = _zeros(xp, like)
    ends = [zero - END, zero - _PANEL_CORE, zero + _PANEL_CORE, zero + END]
    points = [xp.minimum(xp.maximum(zero + b, zero - END), zero + END) for b in breakpoints]
    edges = xp.sort(xp.stack([*ends, *points]), axis=0)
    widest = zero + 1.0 if strip is None else xp.minimum(zero + 1.0, 1.3 * (zero + strip))
    width = xp.maximum(widest, zero + 0.01)
    before = None
    agreed, needed = 0, 1
    floor = rounding_floor(accuracy)
    for halving in range(_MOST_HALVINGS + 1):
        sums, sizes = _panel_sums(xp, integrand, edges, width, zero)
        if before is not None:
            last = floor if halving == _MOST_HALVINGS else 0.0
            settled = [
                (xp.abs(a - b) <= floor * c + last) | ~xp.isfinite(a)
                for a, b, c in zip(sums, before, sizes, strict=True)
            ]
            agreed = agreed + 1 if all(bool(xp.all(s)) for s in settled) else 0
            if agreed >= needed or halving == _MOST_HALVINGS:
                break
            needed = 2  # what did not settle at once has to settle twice: two rules may agree by chance
        before = sums
        width = 0.5 * width
    return tuple(xp.where(s, a, math.nan) for s, a in zip(settled, sums, strict=True))


def _panel_sums(
    xp: Namespace, integrand: Integrand, edges: Array, width: Array, zero: Array
) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
    nodes, weights = reference_rule()
    sums: tuple[Array, ...] = ()
    sizes: tuple[Array, ...] = ()
    for j in range(edges.shape[0] - 1):
        left, right = edges[j, ...], edges[j + 1, ...]
        count = xp.maximum(xp.ceil((right - left) / width), zero + 1.0)
        half = 0.5 * (right - left) / count
        for panel in range(int(xp.max(count))):
            inside = xp.astype(panel < count, zero.dtype)
            for x, w in zip(nodes, weights, strict=True):
                node = left + half * (2.0 * panel + 1.0 + x)
                node = xp.minimum(node, right)  # panels beyond the last one of a point have no weight
                weight = inside * (_SCALE * w) * half * xp.exp(-0.5 * node * node)
                terms = tuple(_weighted(xp, weight, v, zero) for v in integrand(node))
                sums = terms if not sums else tuple(a + b for a, b in zip(sums, terms, strict=True))
                new = tuple(xp.abs(t) for t in terms)
                sizes = new if not sizes else tuple(a + b for a, b in zip(sizes, new, strict=True))
    decayed = _decayed(xp, integrand, sizes, zero)
    return tuple(xp.where(d, s, math.nan) for d, s in zip(decayed, sums, strict=True)), sizes


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
