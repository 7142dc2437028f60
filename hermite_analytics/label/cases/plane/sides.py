"""A label of two coordinates on each side of the curves where it breaks: level curves and singular labels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.numpy_arrays import Array, Bools, Function, Integers
from hermite_analytics.label.cases.plane.arcs import TURN, turned_patches, zero_curve
from hermite_analytics.label.cases.plane.clipping import along, points_where_zero, slopes_along
from hermite_analytics.label.cases.plane.critical import critical_points, values_far_out, values_on_lines
from hermite_analytics.label.cases.plane.curved_label import Line, Side, satisfied
from hermite_analytics.label.cases.plane.level_curves import LevelCurves, joined, level_curves
from hermite_analytics.label.cases.plane.mirrors import PLANE, Sector
from hermite_analytics.label.cases.plane.patches import (
    Patches,
    cells_between,
    fitted,
    patches_of,
    quadrature,
    sampled,
)
from hermite_analytics.label.cases.plane.singular import limits_far_out, panel_ends

__all__ = ["PlaneSide", "constant_label", "curves_of", "prepared_side", "sampled_labels", "singular_labels"]


_UNRESOLVED = 1e-9  # probability of patches that fit no polynomial
_ANGLE = 0.3719  # of the axes of the patches of a curve, along whose sides nothing runs
_PARTS = 4  # of an arc of a curve: interpolation to rounding
_FAR = 6.8  # |w| beyond which a label has no influence: density e^-23
_BESIDE = 1e-6  # distance within which a point counts as inside
_ZERO = 1e-9  # relative
_ACCURACY = 1e-11  # relative, of polynomials
_DIFFERENCE = 1e-5
_POLISHES = 2
_SHORTEST = 1e-7  # of an arc whose direction is sure
_SAMPLES = 6
_MOST_LINES = 12
_SQUARE = 12.0 * np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])  # whose cells are looked at
_INSIDE = 12  # points of a cell
_FLAT = 1e-13  # relative range of a constant


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaneSide:
    """What a label is on one side of each curve.

    Attributes
    ----------
    value : function of points, shape (n, 2)
    conditions : tuple of functions of points
        All are positive on this side.
    patches, flat : Patches
        The value as polynomials where it varies, and where it is constant, off patches on other sides.
    """

    value: Function
    conditions: tuple[Function, ...]
    patches: Patches
    flat: Patches


def prepared_side(side: Side, lines: Sequence[Line], sector: Sector = PLANE) -> PlaneSide:
    """The patches of a side, within a sector.

    Raises
    ------
    UnsupportedExpression
        If the label is not smooth off the lines.
    """
    patches = patches_of(side.value, lines, sector)
    reached = _reached(patches, side.conditions)
    unresolved = patches.unresolved
    if unresolved > _UNRESOLVED and side.conditions:
        unresolved = _unresolved(side.value, _chosen(patches, reached))
    if unresolved > _UNRESOLVED:
        raise UnsupportedExpression(
            f"the label is not piecewise smooth off straight lines: patches of probability "
            f"{unresolved:.1e} fit no polynomial"
        )
    constant = patches.coefficients.max((1, 2)) == patches.coefficients.min((1, 2))
    return PlaneSide(
        value=side.value,
        conditions=side.conditions,
        patches=_chosen(patches, reached & ~constant),
        flat=_chosen(patches, reached & constant),
    )


def constant_label(sides: Sequence[PlaneSide], lines: Sequence[Line]) -> Function:
    """The label of points (n, 2) where it is constant, nan where it varies.

    Raises
    ------
    UnsupportedExpression
        If there are too many lines.

    Examples
    --------
    >>> axes = [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0)]
    >>> product = prepared_side(Side(value=lambda w: np.maximum(w, 0).prod(1), conditions=()), axes)
    >>> constant_label([product], axes)(np.array([[-1.0, 2.0], [1.0, 2.0]])).tolist()
    [0.0, nan]
    """
    if len(lines) > _MOST_LINES:
        raise UnsupportedExpression(f"the label has {len(lines)} lines of kinks; at most {_MOST_LINES}")
    array = np.array(lines, dtype=np.float64).reshape(-1, 3)

    def codes_of(points: Array) -> Integers:
        """On which side of each line, as the bits of a number."""
        above = points @ array[:, :2].T > array[:, 2]
        return np.asarray((above << np.arange(len(array))).sum(-1))

    tables = np.full((len(sides), 1 << len(lines)), np.nan)
    for cell in cells_between([_SQUARE], lines):
        inside = np.random.default_rng(0).dirichlet(np.ones(len(cell)), _INSIDE) @ cell
        for table, side in zip(tables, sides, strict=True):
            found = side.value(inside)
            if np.ptp(found) <= _FLAT * max(1.0, float(np.abs(found).max())):
                table[codes_of(inside.mean(0))] = found[0]

    def value(points: Array) -> Array:
        codes, found = codes_of(points), np.full(len(points), np.nan)
        for table, side in zip(tables, sides, strict=True):
            found = np.where(satisfied(side.conditions, points), table[codes], found)
        return found

    return value


def curves_of(
    sides: Sequence[PlaneSide], labels: Array, least: Array | None = None, share: float = 0.0
) -> LevelCurves:
    """The level curves of labels, on all sides; see `level_curves` for what is left out."""
    return joined([level_curves(s.patches, labels, s.conditions, least=least, share=share) for s in sides])


def singular_labels(
    value: Function, sides: Sequence[PlaneSide], lines: Sequence[Line], extra: Sequence[float]
) -> Array:
    """Labels between which the law of y is smooth.

    The range; critical values on each side, of restrictions to lines and to curves, and where these meet each
    other; limits far out; medians of what else is concentrated; `extra` labels within the range.

    Raises
    ------
    UnsupportedExpression
        If a curve is not the zero set of a smooth function.
    """
    inner, values, p, at_corners = [np.zeros(0)], [np.zeros(0)], [np.zeros(0)], [np.zeros(0)]
    for side in sides:
        if not len(side.patches.corners):
            continue
        points, critical = critical_points(side.patches)
        inner += [critical[_beside(side.conditions, points)], values_on_lines(side.patches, lines)]
        inner += [_values_on_curve(side, k, lines) for k in range(len(side.conditions))]
        v, share, corners = _sampled(side)
        values.append(v)
        p.append(share)
        at_corners.append(corners)
    sample = np.concatenate(values)
    if not len(sample):
        return np.zeros(0)
    reach = np.concatenate([sample, *at_corners])
    extra = [*extra, *limits_far_out(value)]
    for side in sides:
        inner.append(values_far_out(side.patches, [*np.concatenate(inner), *extra]))
    return panel_ends(
        sample,
        np.concatenate(p),
        np.concatenate(inner).tolist(),
        (float(reach.min()), float(reach.max())),
        extra,
    )


def sampled_labels(sides: Sequence[PlaneSide]) -> tuple[Array, Array]:
    """Labels at points on all sides, where they vary, and their probabilities."""
    parts = [_sampled(s)[:2] for s in sides if len(s.patches.corners)]
    return np.concatenate([v for v, _ in parts]), np.concatenate([p for _, p in parts])


def _sampled(side: PlaneSide) -> tuple[Array, Array, Array]:
    """(values, their probabilities, values at corners of patches)."""
    points, values, p = sampled(side.patches, _SAMPLES)
    c = side.patches.coefficients
    inside = satisfied(side.conditions, points)
    at_corners = c[:, [0, -1, 0, -1], [0, 0, -1, -1]]
    return values[inside], p[inside], at_corners[satisfied(side.conditions, side.patches.corners)]


def _values_on_curve(side: PlaneSide, own: int, lines: Sequence[Line]) -> Array:
    """Critical values of the restriction to a curve, and values where it meets others, lines or itself."""
    patches = turned_patches(side.conditions[own], lines)
    arcs = zero_curve(patches, _PARTS) @ TURN.T
    long = np.linalg.norm(arcs[:, -1] - arcs[:, 0], axis=1) > _SHORTEST
    arcs = _polished(arcs[long & (np.linalg.norm(arcs[:, 0], axis=1) < _FAR)], side.conditions[own])
    others = [c for k, c in enumerate(side.conditions) if k != own]
    found = [points_where_zero(arcs, slopes_along(along(side.value, arcs)))]
    found += [points_where_zero(arcs, along(c, arcs)) for c in others]
    found += [points_where_zero(arcs, arcs @ np.array(line[:2]) - line[2]) for line in lines]
    critical, heights = critical_points(patches)
    size = float(np.median(np.abs(patches.coefficients)))
    found.append(critical[np.abs(heights) <= _ZERO * size] @ TURN.T)
    points = _polished(np.concatenate(found), side.conditions[own])
    values = side.value(points[_beside(others, points)])
    return np.asarray(values[np.isfinite(values)])


def _polished(points: Array, function: Function) -> Array:
    """Points (..., 2) moved onto the curve where a function vanishes, along its gradient."""
    shifts = _DIFFERENCE * np.eye(2)
    flat = points.reshape(-1, 2)
    for _ in range(_POLISHES):
        slopes = [(function(flat + d) - function(flat - d)) / (2 * _DIFFERENCE) for d in shifts]
        gradient = np.stack(slopes, -1)
        with np.errstate(all="ignore"):
            move = function(flat)[:, None] * gradient / (gradient**2).sum(1, keepdims=True)
        flat = flat - np.where(np.abs(move).max(1, keepdims=True) < _DIFFERENCE, move, 0.0)
    return flat.reshape(points.shape)


def _beside(conditions: Sequence[Function], points: Array) -> Bools:
    """Whether each condition is positive close to points (n, 2)."""
    angles = np.arange(8) * (math.pi / 4) + _ANGLE
    around = points[:, None] + _BESIDE * np.stack([np.cos(angles), np.sin(angles)], -1)
    inside = np.ones(len(points), dtype=bool)
    for condition in conditions:
        inside &= satisfied([condition], around).any(1)
    return inside


def _reached(patches: Patches, conditions: Sequence[Function]) -> Bools:
    """Patches on which each condition may be positive somewhere."""
    reached = np.ones(len(patches.corners), dtype=bool)
    for condition in conditions:
        _, bounds, error = fitted(condition, patches.corners)
        outside = bounds.max((1, 2)) < -4 * error - _ZERO * np.abs(bounds).max((1, 2))
        reached &= ~outside
    return reached


def _unresolved(value: Function, patches: Patches) -> float:
    """The probability of patches on which the polynomials are not accurate."""
    samples, _, error = fitted(value, patches.corners)
    bad = ~(error <= _ACCURACY * np.abs(samples).max((1, 2)))
    return float(quadrature(patches.corners[bad], _SAMPLES)[1].sum())


def _chosen(patches: Patches, which: Bools) -> Patches:
    return Patches(
        corners=patches.corners[which],
        coefficients=patches.coefficients[which],
        unresolved=patches.unresolved,
    )
