"""Gaussian expectations over arrays of points with numpy alone; the text goes into standalone files.

The rules of the other back ends (docs/theory.md, "Compiled quadrature"): a rule is refined until every point
has settled, and a point that does not settle is NaN. Nodes run along a new first axis.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["integral", "panels", "trapezoid"]

Array = NDArray[np.float64]
Integrand = Callable[[Array], tuple[Array, ...]]

END = 38.0  # exp(-38^2/2) underflows
CORE, PANEL_CORE = 9.0, 12.0  # beyond CORE a sum may stop once its terms no longer count
HALVINGS = 7
PANEL_NODES, PANEL_WEIGHTS = np.polynomial.legendre.leggauss(20)


def values_at(integrand: Integrand, node: Array) -> Array:
    """All integrands at the nodes, shape (integrands, *node.shape)."""
    return np.stack([np.broadcast_to(v, node.shape) for v in integrand(node)])


def decays(integrand: Integrand, size: Array) -> NDArray[np.bool_]:
    """Whether the terms at the ends of the line no longer count: else the integral is not finite."""
    ends = np.array([-END, END]).reshape(2, *(1 for _ in size.shape[1:])) + np.zeros(size.shape[1:])
    terms = np.exp(-0.5 * END**2) * np.abs(values_at(integrand, ends))
    return np.asarray(np.sum(terms, axis=1) <= 1e-13 * size)


def trapezoid(
    integrand: Integrand, strip: Array | float | None, shape: tuple[int, ...], accuracy: float
) -> Array:
    """E f(z), z ~ N(0, 1), of analytic integrands by the trapezoidal rule, shape (integrands, *shape).

    For f analytic in |Im z| < a the rule of step h errs by about exp(-2 pi a/h + a^2/2). The first step comes
    from the strip a (1/2 where a is not known), and is halved until the change is below sqrt(accuracy): the
    error is then its square.
    """
    step = first_step(strip, accuracy) + np.zeros(shape)
    total, size, ended = node_sums(integrand, step, 0, 1)
    agreed, needed = 0, 1
    for halving in range(1, HALVINGS + 1):
        step = 0.5 * step
        more, more_size, _ = node_sums(integrand, step, 1, 2)
        change = np.abs(more - total)  # twice the sum of a step, less that of the step before
        total, size = total + more, size + more_size
        settled = change <= math.sqrt(accuracy) * size
        if halving == HALVINGS:
            settled |= step * change <= 1e-4 * math.sqrt(2.0 * math.pi * accuracy)
        agreed = agreed + 1 if np.all(settled | ~np.isfinite(total)) else 0
        if agreed >= needed:
            break
        needed = 2  # what did not settle at once has to settle twice: two rules may agree by chance
    mean = step / math.sqrt(2.0 * math.pi) * total
    return np.where(settled & (ended | decays(integrand, size)), mean, math.nan)


def first_step(strip: Array | float | None, accuracy: float) -> Array | float:
    """At which the rule meets the accuracy, if f is moderate in the strip; NaN where it is out of reach."""
    if strip is None:
        return 0.5
    log = math.log(1e6 / accuracy)
    width = np.minimum(strip, math.sqrt(2.0 * log))
    widest = math.pi / math.sqrt(2.0 * math.log(100.0 / math.sqrt(accuracy)))
    step = np.minimum(2.0 * math.pi * width / (log + 0.5 * width**2), widest)
    return np.where(step >= 2.0**-14, step, math.nan)


def node_sums(
    integrand: Integrand, step: Array, first: int, stride: int
) -> tuple[Array, Array, NDArray[np.bool_]]:
    """Sums over the nodes +-k step, k = first, first + stride, ..., of exp(-z^2/2) f(z) and of its size.

    Also where they have ended: terms of some node beyond CORE no longer count. If all terms are 0, as where
    tanh saturates, this is so; other points may go on, and have no say in it.
    """
    block = max(2, min(64, 2**18 // max(step.size, 1)))
    total, size = np.zeros(()), np.zeros(())
    ended = np.zeros((), dtype=np.bool_)
    for k in counted(first, stride * block):
        counts = np.arange(k, k + stride * block, stride).reshape(-1, *(1 for _ in step.shape))
        node = counts * step
        if k > first and not np.any(node[0] <= END):  # once in any case: a step may be NaN
            break
        weight = np.where(node <= END, np.exp(-0.5 * node * node), 0.0)
        right = weight * values_at(integrand, np.minimum(node, END))
        left = np.where(counts > 0, weight, 0.0) * values_at(integrand, np.maximum(-node, -END))
        terms = np.abs(right) + np.abs(left)
        total = total + np.sum(right + left, axis=1)
        sizes = size + np.cumsum(terms, axis=1)
        is_outside = (node > CORE) & (node <= END)
        ended = ended | np.any(is_outside & (terms <= 1e-18 * sizes), axis=1)
        size = sizes[:, -1:]
        if np.all(ended):
            break
    return np.asarray(total), np.squeeze(size, axis=1), np.asarray(ended)


def counted(first: int, stride: int) -> Iterator[int]:
    """first, first + stride, and so on."""
    while True:
        yield first
        first += stride


def panels(
    integrand: Integrand,
    strip: Array | float,
    breakpoints: Sequence[Array | float],
    shape: tuple[int, ...],
    accuracy: float,
) -> Array:
    """E f(z), z ~ N(0, 1), of integrands with kinks, by Gauss-Legendre panels between these.

    The panels are halved until nothing changes. Shape (integrands, *shape).
    """
    zero = np.zeros(shape)
    ends = (-END, -PANEL_CORE, PANEL_CORE, END)
    edges = np.sort([*(zero + e for e in ends), *(np.clip(zero + b, -END, END) for b in breakpoints)], axis=0)
    width = np.maximum(np.minimum(1.0, 1.3 * (zero + strip)), 0.01)
    total, size = panel_sums(integrand, edges, width)
    agreed, needed = 0, 1
    floor = 1e-4 * math.sqrt(accuracy)
    for halving in range(1, HALVINGS + 1):
        before = total
        width = 0.5 * width
        total, size = panel_sums(integrand, edges, width)
        settled = np.abs(total - before) <= floor * size + (floor if halving == HALVINGS else 0.0)
        agreed = agreed + 1 if np.all(settled | ~np.isfinite(total)) else 0
        if agreed >= needed:
            break
        needed = 2
    return np.where(settled & decays(integrand, size), total, math.nan)


def panel_sums(integrand: Integrand, edges: Array, width: Array) -> tuple[Array, Array]:
    """Sums over panels at most `width` wide of the density times f, and of its size."""
    axis = (-1, *(1 for _ in width.shape))
    nodes, weights = PANEL_NODES.reshape(axis), PANEL_WEIGHTS.reshape(axis)
    total = size = np.float64(0.0)
    for left, right in itertools.pairwise(edges):
        count = np.maximum(np.ceil((right - left) / width), 1.0)
        half = 0.5 * (right - left) / count
        for panel in range(int(np.max(count, initial=1.0, where=np.isfinite(count)))):
            node = np.minimum(left + half * (2.0 * panel + 1.0 + nodes), right)
            density = np.exp(-0.5 * node * node) / math.sqrt(2.0 * math.pi)
            weight = np.where(panel < count, weights * half * density, 0.0)
            terms = np.where(weight == 0.0, 0.0, weight * values_at(integrand, node))
            total, size = total + np.sum(terms, axis=1), size + np.sum(np.abs(terms), axis=1)
    return np.asarray(total), np.asarray(size)


def integral(integrand: Integrand, end: float, shape: tuple[int, ...]) -> Array:
    """The integral over [0, end], on ten panels that shrink towards 0, shape (integrands, *shape)."""
    axis = (-1, *(1 for _ in shape))
    nodes, weights = PANEL_NODES.reshape(axis), PANEL_WEIGHTS.reshape(axis)
    total = np.float64(0.0)
    edges = [0.0, *(end / 2.0**k for k in range(9, -1, -1))]
    for left, right in itertools.pairwise(edges):
        half = 0.5 * (right - left)
        node = left + half * (1.0 + nodes) + np.zeros(shape)
        total = total + np.sum(half * weights * values_at(integrand, node), axis=1)
    return np.asarray(total)
