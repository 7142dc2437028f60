"""Where the arguments of kinks vanish: planes, and surfaces that are graphs over a plane of coordinates."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import sympy
from sympy import Expr, Symbol

from hermite_analytics.codegen import compile
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.gaussian.distribution import expanded
from hermite_analytics.label.cases.flats import factors_of, flats_of_all
from hermite_analytics.label.cases.space.columns import Column, Graph, columns_between
from hermite_analytics.label.cases.space.wedges import Plane

__all__ = ["Graphs", "graphs_of", "planes_of", "under_roots"]

_MOST_GRAPHS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Graphs:
    """Kinks on graphs w_k = a(w_i, w_j) that meet on planes only.

    Attributes
    ----------
    axis_of : int
        k.
    graphs : tuple of functions of points
        (a, its gradient).
    planes : tuple of (a, b, c, d)
        Further planes of kinks, and those on which graphs meet; all contain the axis of w_k.
    steep : bool
        Whether some graphs go to infinity at planes.
    """

    axis_of: int
    graphs: tuple[Graph, ...]
    planes: tuple[Plane, ...]
    steep: bool = False

    def columns(self, smooth: Sequence[Plane] = (), *, cut: bool = False) -> tuple[Column, ...] | None:
        """The columns between them, see `columns_between`."""
        return columns_between(self.axis_of, self.graphs, self.planes, smooth, cut=cut or self.steep)


def planes_of(expressions: Iterable[Expr], coordinates: Sequence[Symbol]) -> list[Plane] | None:
    """The planes where some expressions vanish, if these are all of their zeros: see `flats_of`.

    Examples
    --------
    >>> from sympy import symbols
    >>> w = symbols("w1 w2 w3", real=True)
    >>> planes_of([w[0] ** 2 * w[1] - w[1]], w)
    [(0.0, 1.0, 0.0, 0.0), (1.0, 0.0, 0.0, 1.0), (1.0, 0.0, 0.0, -1.0)]
    """
    found = flats_of_all(map(expanded, expressions), coordinates)
    return None if found is None else [(float(a), float(b), float(c), float(d)) for a, b, c, d in found]


def under_roots(expression: Expr, coordinates: Sequence[Symbol]) -> list[Symbol]:
    """The coordinates in sums of even powers under roots: these are not smooth where all of them vanish.

    Examples
    --------
    >>> from sympy import sqrt, symbols
    >>> w = symbols("w1 w2 w3", real=True)
    >>> under_roots(w[2] * sqrt(w[0] ** 2 + w[1] ** 2), w)
    [w1, w2]
    >>> under_roots(sqrt(symbols("sign_of_w1") * w[0] ** 2), w)  # of |w_1| w_1, say
    []
    """
    powers = [p for p in expression.atoms(sympy.Pow) if not p.exp.is_integer]
    bases = [p.base for p in powers if p.base.has(*coordinates) and p.base.is_polynomial(*coordinates)]
    found: set[Symbol] = set()
    for base in bases:
        terms = sympy.Poly(base, *coordinates).terms()
        if all(c.is_positive and any(n) and not any(k % 2 for k in n) for n, c in terms):
            found |= base.free_symbols
    return [w for w in coordinates if w in found]


def graphs_of(breaks: Sequence[Expr], coordinates: Sequence[Symbol]) -> Graphs | None:
    """The zeros of some expressions as graphs along one axis; None where they are not.

    Each of them is affine in w_k, or vanishes on planes that contain its axis; the zeros of what multiplies
    w_k, and of the differences of two graphs, are such planes too.

    Examples
    --------
    >>> from sympy import symbols
    >>> w = symbols("w1 w2 w3", real=True)
    >>> found = graphs_of([w[0] * w[1] - w[2], w[2]], w)
    >>> found.axis_of, sorted(found.planes)
    (2, [(0.0, 1.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)])
    """
    factors = list(dict.fromkeys(f for b in breaks for f in factors_of(expanded(b), coordinates)))
    found = [g for k in (2, 1, 0) if (g := _graphs_along(k, factors, coordinates)) is not None]
    return min(found, key=lambda g: (g.steep, len(g.planes), len(g.graphs)), default=None)


def _graphs_along(k: int, factors: Sequence[Expr], coordinates: Sequence[Symbol]) -> Graphs | None:
    w = coordinates[k]
    base: list[Expr] = []
    tilted: list[tuple[Expr, Expr]] = []
    for factor in factors:
        slope = sympy.expand(factor.diff(w))
        if slope == 0:
            base.append(factor)
            continue
        if slope.has(w):
            return None
        tilted.append((slope, sympy.expand(factor.subs(w, 0))))
    planes = _meetings(base, tilted, coordinates)
    heights = list(dict.fromkeys(sympy.cancel(-b / a) if a.free_symbols else -b / a for a, b in tilted))
    if planes is None or len(heights) > _MOST_GRAPHS:
        return None
    graphs = tuple(_graph(h, coordinates) for h in heights)
    steep = any(a.free_symbols for a, _ in tilted)
    return Graphs(axis_of=k, graphs=graphs, planes=planes, steep=steep)


def _meetings(
    base: Sequence[Expr], tilted: Sequence[tuple[Expr, Expr]], coordinates: Sequence[Symbol]
) -> tuple[Plane, ...] | None:
    """The planes of kinks and those where graphs -b/a meet or go to infinity."""
    pairs = [sympy.expand(a * d - b * c) for (a, b), (c, d) in itertools.combinations(tilted, 2)]
    found = planes_of((*base, *(a for a, _ in tilted), *(p for p in pairs if p != 0)), coordinates)
    return None if found is None else tuple(found)


def _graph(height: Expr, coordinates: Sequence[Symbol]) -> Graph:
    outputs = {"a": height} | {f"d{k}": height.diff(w) for k, w in enumerate(coordinates)}
    kernel = compile(outputs, tuple(coordinates), backend="array")

    def at(points: Array) -> tuple[Array, Array]:
        with np.errstate(all="ignore"):
            found = kernel(*np.moveaxis(points, -1, 0))
        a, *slopes = (np.broadcast_to(np.asarray(v, dtype=np.float64), points.shape[:-1]) for v in found)
        return a, np.stack(slopes, axis=-1)

    return at
