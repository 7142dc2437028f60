"""E f(u) f(v) as numbers, v = rho u + sqrt(1 - rho^2) w: two rules that have nothing in common.

The sum over Hermite coefficients takes one integral for each, and many of them near rho = +-1. The double
integral takes panels that follow the kinks: E over w given u is smooth in u but for layers of width
sqrt(1 - rho^2) where a kink of f passes, which get panels of their own.
"""

from __future__ import annotations

import math

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.pair.branches import Branches, density, panel_rule

__all__ = ["double_integral", "hermite_squares", "smoothed"]


_MOST_VALUES = 400_000  # at once
_LAYER = np.arange(-9.0, 10.0, 2.0)  # edges of the panels across a layer
_THIN = 0.5
_NEAR = 0.15


def hermite_squares(f: Branches, degree: int) -> Array:
    """a_k = (E h_k f)^2 for the normalised polynomials h_k, k = 0..degree."""
    width = 16.0 / math.sqrt(degree + 1)  # h_k has waves of length 2 pi/sqrt(k)
    nodes, weights = f.rule(np.arange(-f.reach, f.reach, width))
    root = np.sqrt(density(nodes))
    product = weights / root * f.values(nodes)
    low, high = np.zeros_like(nodes), root
    found = np.empty(degree + 1)
    for k in range(degree + 1):
        found[k] = product @ high
        low, high = high, (nodes * high - math.sqrt(k) * low) / math.sqrt(k + 1)
    return found**2


def double_integral(f: Branches, angle: float) -> float:
    """E f(u) f(v) at rho = cos(angle)."""
    if angle <= 0.0 or angle >= math.pi:
        side = 1.0 if angle <= 0.0 else -1.0
        nodes, weights = f.rule(side * f.edges)
        return float(weights @ (f.values(nodes) * f.values(side * nodes)))
    cosine, sine = math.cos(angle), math.sin(angle)
    layers = (f.breakpoints[:, None] + sine * _LAYER) / cosine if sine < _THIN else np.empty(0)
    moved = f.edges / (cosine if sine > _NEAR else round(cosine))  # nearer, by less than sine
    nodes, weights = f.rule(moved, np.ravel(layers))
    return float(weights @ (f.values(nodes) * smoothed(f, nodes, cosine, sine)))


def smoothed(f: Branches, at: Array, cosine: float, sine: float) -> Array:
    """E f(cosine x + sine w) over w for each x."""
    base = np.linspace(-f.reach, f.reach, math.ceil(2 * f.reach / f.step) + 1)
    panels = base.size + min(f.edges.size, math.ceil(f.edges.size * sine) + 2)
    pieces = np.array_split(at, math.ceil(at.size * panels * 20 / _MOST_VALUES))
    return np.concatenate([_inner(f, x, base, cosine, sine) for x in pieces])


def _inner(f: Branches, x: Array, base: Array, cosine: float, sine: float) -> Array:
    """The panels of f, as they are seen from each x, are those of the integral over w as well."""
    passed = (f.edges - cosine * x[:, None]) / sine
    inside = np.abs(passed) < f.reach
    most = int(inside.sum(axis=1).max(initial=0))
    kept = np.sort(np.where(inside, passed, f.reach), axis=1)[:, :most]
    edges = np.sort(np.concatenate([np.broadcast_to(base, (x.size, base.size)), kept], axis=1), axis=1)
    nodes, weights = panel_rule(edges)
    values = f.values(cosine * x[:, None] + sine * nodes)
    found: Array = np.einsum("ij,ij->i", weights * density(nodes), values)
    return found
