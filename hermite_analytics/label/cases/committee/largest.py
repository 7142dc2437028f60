"""The largest of r coordinates: max z_i = S/r + Y, Y independent of S.

Given max z_i = m the other coordinates are normal below m; the law of Y is read off at S = 0, where m = Y:

    p(Y) = sqrt(2 pi r) r phi(Y) f_Y(-Y),    f_m the density of the sum of the other r - 1, below m.

Where the label is a number c whenever all z_i are below it, S is what is known there: the law of Y is cut at
c - S/r.
"""

from __future__ import annotations

import math

import numpy as np

from hermite_analytics.foundation.clock import check_time
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.foundation.panels import gauss_legendre, panel_rule
from hermite_analytics.label.cases.committee.joint import JointLaw, excess
from hermite_analytics.label.cases.committee.transforms import interval_transforms

__all__ = ["floored_law", "largest_law"]


_NODES = (70, 100)  # of Y, by level
_HIGHEST = 8.5  # of Y
_FREQUENCIES = (2**11, 2**12)
_LENGTH = 24.0  # of the period of S, in sqrt(r)
_FLAT = 36.0
_TAIL = 8.5
_STEP = 0.35
_PANELS = 8  # of S below the floor
_PANEL = (16, 24)


def largest_law(count: int, *, noise: float = 0.0, level: int = 1) -> JointLaw:
    """The law of max z_i + noise * xi - S/r, r = count >= 4.

    Examples
    --------
    >>> bool(largest_law(5).loss < 1e-9)
    True
    """
    y, weights = panel_rule([0.0, _HIGHEST], _NODES[level])
    length = _LENGTH * math.sqrt(count)
    u = np.asarray(2 * math.pi / length * np.arange(_FREQUENCIES[level]), dtype=np.float64)
    flat = np.exp(-_FLAT * (u / u[-1]) ** 8) * np.where(u == 0, 1.0, 2.0) / length
    density, others = np.empty((2, len(y)))
    for i, m in enumerate(y):
        check_time()
        zeroth, second = interval_transforms(u, -math.inf, float(m))
        phase = flat * np.exp(1j * u * m)  # at -m
        density[i] = np.real(phase @ zeroth ** (count - 1))
        others[i] = (count - 1) * np.real(phase @ (second * zeroth ** (count - 2)))
    first = count * np.exp(-0.5 * y * y) * math.sqrt(count) * weights
    masses = first * density
    law = JointLaw(masses, excess(first * (others + y * y * density), masses, np.zeros(len(y)), count))
    if not noise:
        return law
    step = _STEP * noise
    at = np.arange(-_TAIL * noise, _HIGHEST + _TAIL * noise, step)
    kernel = np.exp(-0.5 * ((at[:, None] - y) / noise) ** 2) * (step / noise / math.sqrt(2 * math.pi))
    return JointLaw(kernel @ law.masses, kernel @ law.moments)


def floored_law(count: int, floor: float, *, level: int = 1) -> JointLaw:
    """The law of max(z_1, ..., z_r, floor) jointly with S, r = count >= 4.

    Examples
    --------
    >>> far, whole = floored_law(5, -9.0), largest_law(5)  # a floor that is never reached
    >>> bool(abs(far.eigenvalue - whole.eigenvalue) < 1e-12), bool(floored_law(5, 0.3).loss < 1e-9)
    (True, True)
    """
    from scipy.special import ndtr

    law = largest_law(count, level=level)
    (y, weights), root = panel_rule([0.0, _HIGHEST], len(law.masses)), math.sqrt(count)
    above = ndtr(root * (y - floor))
    s, rule = panel_rule(np.linspace(-_TAIL, min(floor * root, _TAIL), _PANELS + 1), _PANEL[level])
    rule = rule * np.exp(-0.5 * s * s) / math.sqrt(2 * math.pi)
    cut = np.clip(2 * (floor - s / root) / _HIGHEST - 1, -1.0, 1.0)
    below = [rule * _up_to(values / weights, cut) * 0.5 * _HIGHEST for values in law]
    return JointLaw(
        np.concatenate([law.masses * above, below[0]]), np.concatenate([law.moments * above, below[1]])
    )


def _up_to(values: Array, x: Array) -> Array:
    """The integrals from -1 to x of the polynomial with these values at the nodes of Gauss and Legendre."""
    n = len(values)
    nodes, weights = gauss_legendre(n)
    series = np.polynomial.legendre.legvander(nodes, n - 1).T @ (weights * values) * (np.arange(n) + 0.5)
    whole = np.polynomial.legendre.legval(x, np.polynomial.legendre.legint(series, lbnd=-1))
    return np.asarray(whole, dtype=np.float64)
