"""Sums of a few equal convex parts: the label together with the sum S of the coordinates, along rays.

Given S the coordinates are S/r + w, w in the r - 1 dimensions of sum 0, and the label

    F(w) = g(S/r + w_1) + ... + g(S/r + w_r)

grows along all rays from w = 0: its level sets are surfaces rho(u) around it. A reference ray e names them,
F(tau e) = y, and tau has the density

    int rho^(r - 2) exp(-rho^2/2) (dF(tau e)/dtau) / (dF(rho u)/drho) du / (2 pi)^((r - 1)/2).

By permutations the directions with u_1 >= ... >= u_r are enough, r! times: a simplex, in which rho is smooth.
Of exponentials, g'' = a exp(c z), S is one scale of y less an affine function of it: S = 0 says all. Rays
have up to six of them, steep ones too, and `convex_transforms` any number.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

import numpy as np

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.clock import check_time
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.foundation.panels import panel_rule, unit_rule
from hermite_analytics.label.cases.committee.convex_transforms import Part, convex_transforms
from hermite_analytics.label.cases.committee.joint import JointLaw, excess

__all__ = ["convex_law"]

Function = Callable[[Array], Array]

_FARTHEST = 8.5  # |z|, where the part is looked at
_STEP = 0.125
_BEYOND = 13.0  # the same, on rays to their ends
_FLAT = 1e-13  # change of a slope over one step that is none, in the largest
_SAME = 1e-9  # second differences of log g'', of exponentials
_REACH = 9.0  # rho, the farthest
_PANELS = (0.0, 0.6, 1.5, 3.0, 4.5, 6.0, 8.0)  # of tau
_SUMS = (-6.3, -4.0, -2.0, 0.0, 2.0, 4.0, 6.3)  # of S, in standard deviations
_NODES = ((6, 9), (8, 12))  # of a panel of S, and of tau, by level
_DIRECTIONS = {3: (32, 48), 4: (18, 26), 5: (13, 17), 6: (10, 12)}  # nodes in each angle
_MOST_ANGLES = 2  # where S is not a scale
_STEPS = 30
_CLOSE = 1e-8  # relative change of rho at the last step: the next would be of its square's size


def convex_law(value: Function, slope: Function, count: int, *, level: int = 1) -> JointLaw:
    """The law of (y, S), of S = 0 for exponentials.

    Parameters
    ----------
    value, slope : functions
        Of a part without kinks.
    count : int
        r, 3 or 4; of exponentials also more.

    Raises
    ------
    UnsupportedExpression
        If the part is not convex or concave, or r is larger.

    Examples
    --------
    >>> law = convex_law(np.exp, np.exp, 3)
    >>> round(1 / law.eigenvalue, 9), bool(law.loss < 1e-9)
    (1.061870048, True)
    """
    z = np.arange(-_FARTHEST, _FARTHEST, _STEP)
    with np.errstate(over="ignore", invalid="ignore"):
        if not np.isfinite([value(_BEYOND * np.sign(z)), slope(_BEYOND * np.sign(z))]).all():
            raise UnsupportedExpression("the part grows too fast")
    steps = np.diff(slope(z))
    sign = float(np.sign(steps.sum()))
    inside = np.abs(z[1:]) < -_SUMS[0] / math.sqrt(count)
    least = _FLAT * float(np.abs(steps[inside]).max())
    steps *= sign
    is_scale = bool(steps.min() > 0 and np.abs(np.diff(np.log(steps), 2)).max() < _SAME)
    if not (is_scale or (steps.min() > -least and steps[inside].min() > least)):
        raise UnsupportedExpression("the part is not convex")
    if count - 2 > _MOST_ANGLES and not is_scale:
        raise UnsupportedExpression("rays are too many")
    if count in _DIRECTIONS:
        part_at = functools.partial(_part_at, value, slope, sign=sign)
        masses, squares = _by_rays(part_at, count, level, is_scale=is_scale)
    else:
        _, masses, squares = convex_transforms(_part_at(value, slope, 0.0, sign), count, level=level)
    return JointLaw(masses, excess(squares, masses, np.zeros_like(masses), count))


def _by_rays(part_at: Callable[[float], Part], count: int, level: int, *, is_scale: bool) -> Array:
    """Probabilities of nodes (S, tau), and those times E[|w|^2 | S, tau]."""
    (sums, taus), angles = _NODES[level], _DIRECTIONS[count][level]
    at, weights = np.zeros(1), np.ones(1)
    if not is_scale:
        s, w = panel_rule(_SUMS, sums)
        at, weights = s * math.sqrt(count), w * np.exp(-0.5 * s * s) / math.sqrt(2 * math.pi)
    directions, areas = _chamber(count, angles)
    found = []
    for total, weight in zip(at.tolist(), weights.tolist(), strict=True):
        found.append(weight * _along_rays(part_at(total / count), count, directions, areas, taus))
    return np.concatenate(found, axis=1)


def _part_at(value: Function, slope: Function, middle: float, sign: float) -> Part:
    """g and its slope at middle + w, less the tangent at the middle."""
    place = np.array([middle])
    at, rise = value(place), slope(place)
    return lambda w: (
        sign * (value(middle + w) - at - rise * w),
        sign * (slope(middle + w) - rise),
    )


def _along_rays(part: Part, count: int, directions: Array, areas: Array, nodes: int) -> Array:
    """Probabilities of nodes tau, and those times E[|w|^2 | tau]: shape (2, tau)."""
    ends = directions[:, [np.argmax(directions[0]), np.argmin(directions[-1])]]
    heights = part(3.0 * ends)[0].sum(0)
    reference = ends[:, [int(np.argmax(heights))]]
    taus, weights = panel_rule(_PANELS, nodes)
    found, rho, speed, before = np.empty((2, len(taus))), np.zeros(len(areas)), np.ones(len(areas)), 0.0
    for k, tau in enumerate(taus.tolist()):
        check_time()
        label, rise = (float(x[0]) for x in _on_ray(part, reference, np.array([tau])))
        rho, steep = _solved(part, directions, label, np.minimum(rho + speed * (tau - before), _REACH))
        speed, before = rise / steep, tau
        density = np.where(rho < _REACH, areas * rho ** (count - 2) * np.exp(-0.5 * rho * rho) * speed, 0.0)
        found[:, k] = weights[k] * np.array([density.sum(), density @ (rho * rho)])
    return found


def _on_ray(part: Part, directions: Array, rho: Array) -> tuple[Array, Array]:
    """F and its derivative along the ray."""
    g, slope = part(directions * rho)
    return g.sum(0), (slope * directions).sum(0)


def _solved(part: Part, directions: Array, label: float, rho: Array) -> tuple[Array, Array]:
    """(rho, dF/drho) of a label by Newton's method for log F in log rho, of which it is nearly a line."""
    for _ in range(_STEPS):
        height, steep = _on_ray(part, directions, rho)
        with np.errstate(divide="ignore", invalid="ignore"):  # rounding shows as probability that is lost
            change = np.log(label / height) * height / (steep * rho)
        new = np.minimum(rho * np.exp(np.clip(change, -1.0, 1.0)), _REACH)
        done = np.abs(new - rho).max() < _CLOSE * new.min()
        rho = new
        if done:
            break
    return rho, _on_ray(part, directions, rho)[1]


@functools.lru_cache(maxsize=8)
def _chamber(count: int, nodes: int) -> tuple[Array, Array]:
    """Unit vectors with coordinates in order, shape (r, n), and r!/(2 pi)^((r - 1)/2) times their areas."""
    edges = [np.array([1 / k] * k + [-1 / (count - k)] * (count - k)) for k in range(1, count)]
    corners = np.array([e / np.linalg.norm(e) for e in edges])
    x, w = unit_rule(nodes)
    shares: list[Array] = []
    weights, left = np.ones(1), np.ones(1)
    for _ in range(count - 2):  # the simplex, one share after the other
        first = np.multiply.outer(left, x).ravel()
        weights = np.multiply.outer(weights * left, w).ravel()
        shares = [np.repeat(s, nodes) for s in shares]
        shares.append(first)
        left = np.repeat(left, nodes) - first
    points = corners.T @ np.array([*shares, left])
    norms = np.linalg.norm(points, axis=0)
    volume = math.sqrt(float(np.linalg.det(corners @ corners.T)))
    areas = weights * volume / norms ** (count - 1)
    return points / norms, areas * math.factorial(count) * (2 * math.pi) ** (-0.5 * (count - 1))
