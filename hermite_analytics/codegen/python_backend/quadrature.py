"""Expectations and integrals by the adaptive quadrature of mpmath."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import mpmath

__all__ = ["expectation", "integral"]

_END = 16  # the tail beyond is below 1e-56 times what the integrand is there
_PANELS = 10


def expectation(
    integrand: Callable[[mpmath.mpf], tuple[mpmath.mpf, ...]],
    breakpoints: Sequence[mpmath.mpf],
    strip: mpmath.mpf | None,
    count: int,
) -> tuple[mpmath.mpf, ...]:
    """E of each of `count` integrands over N(0, 1), on panels no wider than the strip of analyticity."""
    width = 1 if strip is None else max(min(mpmath.mpf(1), mpmath.mpf(strip)), mpmath.mpf(1) / 32)
    grid = mpmath.linspace(-_END, _END, int(mpmath.ceil(2 * _END / width)) + 1)
    inside = [b for b in breakpoints if abs(b) < _END]
    edges = sorted({*grid, *inside})
    known: dict[mpmath.mpf, tuple[mpmath.mpf, ...]] = {}

    def at(node: mpmath.mpf) -> tuple[mpmath.mpf, ...]:
        if node not in known:
            known[node] = integrand(node)
        return known[node]

    def term(j: int) -> Callable[[mpmath.mpf], mpmath.mpf]:
        return lambda x: mpmath.npdf(x) * at(x)[j]

    return tuple(_scaled(term(j), edges) for j in range(count))


def integral(
    integrand: Callable[[mpmath.mpf], tuple[mpmath.mpf, ...]], end: mpmath.mpf, count: int
) -> tuple[mpmath.mpf, ...]:
    """The integral over [0, end], on panels that shrink towards 0."""
    edges = [mpmath.mpf(0), *(end / mpmath.mpf(2) ** k for k in range(_PANELS - 1, -1, -1))]

    def term(j: int) -> Callable[[mpmath.mpf], mpmath.mpf]:
        return lambda x: integrand(x)[j]

    return tuple(_scaled(term(j), edges) for j in range(count))


def _scaled(function: Callable[[mpmath.mpf], mpmath.mpf], edges: Sequence[mpmath.mpf]) -> mpmath.mpf:
    """The integral to relative digits: mpmath refines until an absolute error is reached."""
    sizes = [abs(function((a + b) / 2)) for a, b in itertools.pairwise(edges)]
    scale = max((s for s in sizes if mpmath.isfinite(s)), default=0)
    if scale == 0:
        return mpmath.quad(function, edges)
    return scale * mpmath.quad(lambda x: function(x) / scale, edges)
