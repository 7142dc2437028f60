"""A function of one variable as quadratures see it: its values, its kinks, how far and how fast it goes."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import mpmath
import numpy as np
from sympy import Expr, Symbol

from hermite_analytics.codegen.names import shown
from hermite_analytics.codegen.rules import reference_rule
from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.gaussian.breakpoints import real_breakpoints

__all__ = ["Branches", "branches_of", "density", "panel_rule"]


_END = 38.0
_LEAST_REACH = 10.0
_NEGLIGIBLE = 46.0  # exp(-46) = 1e-20 of the largest value of sigma^2 phi
_WIDEST = 1.7
_MOST_PANELS = 400
_MOST_HALVINGS = 14
_AGREES = 1e-16  # a panel and its halves, in shares of E sigma^2


@dataclass(frozen=True, slots=True, kw_only=True)
class Branches:
    """sigma between its breakpoints.

    Attributes
    ----------
    values : callable
        Of arrays.
    breakpoints : array
        Sorted, inside the reach.
    edges : array
        Of panels on which Gauss-Legendre gives E sigma^2 and E sigma to rounding, breakpoints among them.
    reach : float
        Beyond it sigma^2 counts for nothing against the Gaussian.
    step : float
        Width of panels that do for the Gaussian itself.
    """

    values: Callable[[Array], Array]
    breakpoints: Array
    edges: Array
    reach: float
    step: float = 3.0

    @classmethod
    def of(cls, sigma: Expr, z: Symbol) -> Branches:
        """Read off an expression.

        Raises
        ------
        UnsupportedExpression
            If sigma varies too quickly, or its mass is too far out.
        """
        values = _function(sigma, z)
        with mpmath.workdps(30):
            points = np.array([float(b) for b in real_breakpoints(sigma, z)])
        reach = _reach(values, sigma)
        inside = np.unique(points[np.abs(points) < reach])
        first = np.unique([*np.linspace(-reach, reach, math.ceil(2 * reach / _WIDEST) + 1), *inside])
        edges = _refined(values, first)
        if edges is None:
            raise UnsupportedExpression(f"{shown(sigma)} varies too quickly for a table of its dual kernel")
        return cls(values=values, breakpoints=inside, edges=edges, reach=reach)

    def finer(self) -> Branches:
        """The same with panels of half the width."""
        edges = np.sort(np.concatenate([self.edges, 0.5 * (self.edges[1:] + self.edges[:-1])]))
        return replace(self, edges=edges, step=0.5 * self.step)

    def rule(self, *more: Array) -> tuple[Array, Array]:
        """Nodes and weights for E over N(0, 1) on the panels, with further edges."""
        edges = np.unique(np.concatenate([self.edges, *more]))
        nodes, weights = panel_rule(edges[np.abs(edges) <= self.reach])
        return nodes, weights * density(nodes)


def _refined(values: Callable[[Array], Array], edges: Array) -> Array | None:
    """Edges with panels halved until the halves change nothing; None where that takes too many."""
    scale = float(np.sum(_panel_sums(values, edges, 1.0)[0]))
    for _ in range(_MOST_HALVINGS):
        middle = 0.5 * (edges[1:] + edges[:-1])
        halved = np.insert(edges, np.arange(1, edges.size), middle)
        finer = _panel_sums(values, halved, math.sqrt(scale)).reshape(2, -1, 2).sum(axis=2)
        change = np.abs(_panel_sums(values, edges, math.sqrt(scale)) - finer).max(axis=0)
        if not np.any(change > _AGREES * scale):
            return edges
        edges = np.sort(np.concatenate([edges, middle[change > _AGREES * scale]]))
        if edges.size > _MOST_PANELS:
            return None
    return None


def _panel_sums(values: Callable[[Array], Array], edges: Array, size: float) -> Array:
    """E sigma^2 and size E sigma of each panel."""
    nodes, weights = panel_rule(edges)
    found = values(nodes)
    terms = weights * density(nodes) * np.stack([found**2, size * found])
    sums: Array = terms.reshape(2, edges.size - 1, -1).sum(axis=2)
    return sums


def density(x: Array) -> Array:
    """Of N(0, 1)."""
    return np.exp(-0.5 * x * x) / math.sqrt(2 * math.pi)


def panel_rule(edges: Array) -> tuple[Array, Array]:
    """Gauss-Legendre nodes and weights between neighbours along the last axis."""
    nodes, weights = (np.array(x) for x in reference_rule())
    half = 0.5 * np.diff(edges, axis=-1)[..., None]
    middle = 0.5 * (edges[..., 1:] + edges[..., :-1])[..., None]
    shape = (*edges.shape[:-1], -1)
    return (middle + half * nodes).reshape(shape), (half * weights).reshape(shape)


def _function(sigma: Expr, z: Symbol) -> Callable[[Array], Array]:
    from hermite_analytics.codegen import compile

    kernel = compile(sigma, (z,), backend="array")

    def values(x: Array) -> Array:
        with np.errstate(all="ignore"):  # overflow far out, where the weight is nothing
            found: Array = kernel(x)
        return found

    return values


def _reach(values: Callable[[Array], Array], sigma: Expr) -> float:
    grid = np.linspace(-_END, _END, 15_202)  # no node at 0
    with np.errstate(divide="ignore"):
        size = 2 * np.log(np.abs(values(grid))) - 0.5 * grid * grid
    counts = grid[size > np.max(size) - _NEGLIGIBLE]
    reach = float(np.max(np.abs(counts))) + 0.5
    if not reach < _END:
        raise UnsupportedExpression(f"{shown(sigma)} has its second moment too far out for a table")
    return max(reach, _LEAST_REACH)


@functools.lru_cache(maxsize=32)
def branches_of(sigma: Expr, z: Symbol) -> Branches:
    """`Branches.of`, remembered."""
    return Branches.of(sigma, z)
