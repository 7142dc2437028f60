"""E f(u) f(v) of functions with kinks, by a rule that shares nothing with the library's.

With u = p x + q y and v = p x - q y, p and q the cosine and the sine of half the angle, the breakpoints of
the inner integral are known for each outer point, and the outer integrand is analytic but where two of them
meet.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

Array = NDArray[np.float64]
Function = Callable[[Array], Array]

Rule = tuple[Array, Array]
_RULES: tuple[Rule, ...] = tuple(np.polynomial.legendre.leggauss(n) for n in (20, 30))
_WIDTHS = (1.0, 0.5, 0.25, 0.125)


def pair_expectation(f: Function, kinks: Sequence[float], rho: float, reach: float = 9.5) -> float:
    """E f(u) f(v) for standard normals of correlation rho: rules of 20 and 30 nodes on panels that are halved
    until nothing changes."""
    p, q = math.sqrt((1 + rho) / 2), math.sqrt((1 - rho) / 2)
    mirrored = p < q  # the outer variable is the one of the smaller factor
    g = (lambda x: f(-x)) if mirrored else f
    right = [-b for b in kinks] if mirrored else kinks
    found = math.inf
    for width, rule in itertools.product(_WIDTHS, _RULES):
        before = found
        found = _integral(f, g, (kinks, right), (max(p, q), min(p, q)), reach, width, rule)
        if abs(found - before) <= 1e-14 * abs(found) + 1e-15:
            break
    return found


def _integral(
    f: Function,
    g: Function,
    kinks: tuple[Sequence[float], Sequence[float]],
    factors: tuple[float, float],
    reach: float,
    width: float,
    rule: Rule,
) -> float:
    """E f(p x + q y) g(p x - q y), p >= q >= 0."""
    (p, q), (nodes, weights) = factors, rule
    base = np.linspace(-reach, reach, math.ceil(2 * reach / width) + 1)
    meets = [(a - b) / (2 * q) for a, b in itertools.product(*kinks)] if q else []
    edges = np.unique([*base, *(y for y in meets if abs(y) < reach)])
    total = 0.0
    for low, high in itertools.pairwise(edges):
        y = 0.5 * (low + high) + 0.5 * (high - low) * nodes
        breaks = [(a - q * y) / p for a in kinks[0]] + [(b + q * y) / p for b in kinks[1]]
        rows = [np.full(y.size, e) for e in base] + [np.clip(b, -reach, reach) for b in breaks]
        inner = np.sort(np.array(rows), axis=0)
        half = 0.5 * np.diff(inner, axis=0)[..., None]
        x = 0.5 * (inner[1:] + inner[:-1])[..., None] + half * nodes
        values = f(p * x + q * y[:, None]) * g(p * x - q * y[:, None])
        sums = (half * weights * values * np.exp(-0.5 * x * x)).sum(axis=(0, 2))
        total += 0.5 * (high - low) * float(weights @ (sums * np.exp(-0.5 * y * y)))
    return total / (2 * math.pi)


def zeros(f: Function, reach: float = 12.0) -> list[float]:
    """Where f changes sign."""
    grid = np.linspace(-reach, reach, 24_002)
    signs = np.sign(f(grid))
    places = np.nonzero(signs[1:] * signs[:-1] < 0)[0]

    def value(x: float) -> float:
        return float(f(np.array([x]))[0])

    return [float(brentq(value, grid[i], grid[i + 1], xtol=1e-15, rtol=1e-15)) for i in places]
