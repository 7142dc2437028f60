"""Expectations and integrals by the quadrature of mpmath, on panels that are halved until it converges."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import mpmath

__all__ = ["expectation", "integral"]

Function = Callable[[mpmath.mpf], mpmath.mpf]
Integrand = Callable[[mpmath.mpf], tuple[mpmath.mpf, ...]]

_END = 16  # the tail beyond is below 1e-56 times what the integrand is there
_LAST_END = 160  # of integrands that grow: their mass is looked for up to here
_NEGLIGIBLE = mpmath.mpf("1e-34")  # what a panel of the tail may add, as a share of the others
_PANELS = 10
_AIM = mpmath.mpf("1e-25")  # the error of a panel, as a share of the whole, above which it is halved
_LARGEST_ERROR = mpmath.mpf("1e-15")  # of the sum, as a share of the size of its terms; NaN beyond
_ROUNDING = mpmath.mpf("1e-30")  # errors below are those of 30 digits of terms of size 1, and not looked into
_HALVINGS = 12
_MOST_PANELS = 150


class _Panel(NamedTuple):
    """An interval, the integral over it, and an estimate of its error."""

    low: mpmath.mpf
    high: mpmath.mpf
    value: mpmath.mpf
    error: mpmath.mpf

    @property
    def middle(self) -> mpmath.mpf:
        return (self.low + self.high) / 2


def expectation(
    integrand: Integrand, breakpoints: Sequence[mpmath.mpf], strip: mpmath.mpf | None, count: int
) -> tuple[mpmath.mpf, ...]:
    """E of each of `count` integrands over N(0, 1), on panels no wider than the strip of analyticity.

    What an integrand that grows has beyond the first end is added panel by panel. NaN where that does not
    end, as of an expectation that is infinite, or where halved panels do not converge.
    """
    width = 1 if strip is None else max(min(mpmath.mpf(1), mpmath.mpf(strip)), mpmath.mpf(1) / 32)
    grid = mpmath.linspace(-_END, _END, int(mpmath.ceil(2 * _END / width)) + 1)
    at = _remembered(integrand)

    def term(j: int) -> Function:
        return lambda x: mpmath.npdf(x) * at(x)[j]

    found = []
    for function in map(term, range(count)):
        ends = [_end(function, grid, side) for side in (-1, 1)]
        if None in ends:
            found.append(mpmath.nan)
            continue
        low, high = (mpmath.mpf(e) for e in ends if e is not None)
        outer = [*range(int(low), -_END), *range(_END + 1, int(high) + 1)]
        inside = [b for b in breakpoints if low < b < high]
        found.append(_sum(function, sorted({*grid, *map(mpmath.mpf, outer), *inside})))
    return tuple(found)


def integral(integrand: Integrand, end: mpmath.mpf, count: int) -> tuple[mpmath.mpf, ...]:
    """The integral over [0, end], on panels that shrink towards 0; NaN where they do not converge."""
    edges = [mpmath.mpf(0), *(end / mpmath.mpf(2) ** k for k in range(_PANELS - 1, -1, -1))]

    def term(j: int) -> Function:
        return lambda x: integrand(x)[j]

    return tuple(_sum(term(j), edges) for j in range(count))


def _remembered(integrand: Integrand) -> Integrand:
    known: dict[mpmath.mpf, tuple[mpmath.mpf, ...]] = {}

    def at(node: mpmath.mpf) -> tuple[mpmath.mpf, ...]:
        if node not in known:
            known[node] = integrand(node)
        return known[node]

    return at


def _end(function: Function, grid: Sequence[mpmath.mpf], side: int) -> int | None:
    """How far out the mass of an integrand goes on one side; None where it goes on beyond the last end."""
    largest = max(_sizes(function, grid), default=mpmath.mpf(0))
    for end in range(_END, _LAST_END):
        size = max(abs(function(side * (end + mpmath.mpf(k) / 4))) for k in range(4))
        if not size > _NEGLIGIBLE * largest:
            return side * end
        largest = max(largest, size)
    return None


def _sizes(function: Function, edges: Sequence[mpmath.mpf]) -> Iterator[mpmath.mpf]:
    """Of an integrand in the middle of each panel, where it is a number."""
    sizes = (abs(function((a + b) / 2)) for a, b in itertools.pairwise(edges))
    return (s for s in sizes if mpmath.isfinite(s))


def _sum(function: Function, edges: Sequence[mpmath.mpf]) -> mpmath.mpf:
    """The integral over all panels, to relative digits; those that have not converged are halved."""
    unit = max(_sizes(function, edges), default=mpmath.mpf(0)) or mpmath.mpf(1)
    panels = [_panel(function, a, b, unit) for a, b in itertools.pairwise(edges)]
    for _ in range(_HALVINGS):
        aim = max(_AIM * _size(panels), _ROUNDING)
        if len(panels) > _MOST_PANELS or not any(p.error > aim for p in panels):
            break
        panels = [
            part
            for p in panels
            for part in (
                [_panel(function, a, b, unit) for a, b in itertools.pairwise((p.low, p.middle, p.high))]
                if p.error > aim
                else [p]
            )
        ]
    error = mpmath.fsum(p.error for p in panels)
    is_known = error <= max(_LARGEST_ERROR * _size(panels), _ROUNDING)
    return mpmath.fsum(p.value for p in panels) if is_known else mpmath.nan


def _size(panels: Sequence[_Panel]) -> mpmath.mpf:
    return mpmath.fsum(abs(p.value) for p in panels)


def _panel(function: Function, low: mpmath.mpf, high: mpmath.mpf, unit: mpmath.mpf) -> _Panel:
    """The integral over one panel; mpmath refines until an absolute error is reached, here one of units."""
    value, error = mpmath.quad(lambda x: function(x) / unit, [low, high], error=True)
    return _Panel(low, high, unit * value, unit * error)
