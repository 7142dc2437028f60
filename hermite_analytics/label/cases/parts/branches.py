"""The law of one single-index piece g(w), w ~ N(0, 1), as a `LabelDensity`."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.numpy_arrays import Array, Function
from hermite_analytics.label.cases.parts.density import LabelDensity, atoms_of, distinct, grid, spacing
from hermite_analytics.label.cases.parts.monotone import Side, side
from hermite_analytics.label.intervals import interval_moments, interval_probability

__all__ = [
    "Branch",
    "Tables",
    "Term",
    "branch_between",
    "branches_of",
    "singular_values",
    "tabulated",
    "term_density",
]

REACH = 8.8  # P(|w| > 8.8) = 1.4e-18
_FARTHEST = 12.0  # critical points up to here are cuts
_RARE = 1e-19  # probability of a branch that is left out
_BESIDE = 8e-15  # relative distance from an end at which a jump lies behind
_JUMP = 10.0  # times the change at that distance
_ROUNDING = 1e-12
_FLAT = 1e-14  # change over a branch that is rounding, in its value


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """A function of one standard Gaussian coordinate.

    Parameters
    ----------
    value, derivative : functions of an array
    points : sequence of float
        Every critical point, kink and jump in (-8.8, 8.8); between two of them the function is strictly
        monotone or constant. Further points do no harm; the next critical points outside are of use (the
        line is then cut there, so that the cut adds no singular value).
    tracked : bool
        Whether the moments of the coordinate are asked for; False for label noise.
    """

    value: Function
    derivative: Function
    points: Sequence[float] = ()
    tracked: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """A monotone or constant part of a term: an interval, the values at its ends, sides to invert from."""

    low: float
    high: float
    bottom: float
    top: float
    increasing: bool
    from_bottom: Side | None
    from_top: Side | None

    @property
    def moments(self) -> Array:
        """E[(1, w, w^2 - 1); w in the branch], shape (3,)."""
        return np.array([float(x) for x in interval_moments(self.low, self.high)])

    def inverted(self, below: Array, above: Array) -> tuple[Array, Array]:
        """(w, |g'(w)|) at distances from the values of both ends, solved from the nearer one."""
        w, slope = np.empty_like(below), np.empty_like(below)
        lower = below <= above
        for side_, mask, target in ((self.from_bottom, lower, below), (self.from_top, ~lower, above)):
            assert side_ is not None
            h, slope[mask] = side_.invert(target[mask])
            w[mask] = side_.origin + side_.direction * h
        return w, slope


def branches_of(term: Term) -> list[Branch]:
    """The monotone parts of a term, cut off at |w| = 8.8.

    Raises
    ------
    UnsupportedExpression
        If the derivative changes sign between two of the points.
    """
    points = sorted({float(p) for p in term.points})
    inner = [p for p in points if abs(p) < REACH]
    end = next((p for p in points if REACH <= p < _FARTHEST), REACH)
    start = next((p for p in reversed(points) if -_FARTHEST < p <= -REACH), -REACH)
    pairs = itertools.pairwise([start, *inner, end])
    return [branch_between(term, a, b) for a, b in pairs if interval_probability(a, b) > _RARE or a * b < 0]


def branch_between(term: Term, a: float, b: float) -> Branch:
    """The part of a term between two neighbouring points."""
    at_a, at_b = _end_value(term, a, b), _end_value(term, b, a)
    inner = a + (b - a) * np.linspace(0.01, 0.99, 99)
    slopes, flat = term.derivative(inner), float(term.value(inner[49:50])[0])
    steepest, ends = float(np.abs(slopes).max()), max(abs(at_a - flat), abs(at_b - flat))
    if (steepest == 0 and ends <= _ROUNDING * max(1.0, abs(flat))) or (
        max(steepest * (b - a), ends) <= _FLAT * abs(flat)
    ):
        return Branch(low=a, high=b, bottom=flat, top=flat, increasing=True, from_bottom=None, from_top=None)
    if slopes.min() < 0 < slopes.max() and min(-slopes.min(), slopes.max()) > 1e-10 * np.abs(slopes).max():
        raise UnsupportedExpression(
            f"the function is not monotone between the points {a:.6g} and {b:.6g}; list all critical points"
        )
    increasing = bool(slopes.sum() > 0)
    sides = side(term.derivative, a, b), side(term.derivative, b, a)
    return Branch(
        low=a,
        high=b,
        bottom=min(at_a, at_b),
        top=max(at_a, at_b),
        increasing=increasing,
        from_bottom=sides[0] if increasing else sides[1],
        from_top=sides[1] if increasing else sides[0],
    )


def _end_value(term: Term, end: float, other: float) -> float:
    """The limit at an end; a jump there may stand a few roundings inside, as that of step(w^2 - 5)."""
    inward = math.copysign(_BESIDE * max(1.0, abs(end)), other - end)
    at, one, two = term.value(np.array([np.nextafter(end, other), end + inward, end + 2 * inward]))
    jumps = abs(at - one) > _JUMP * abs(one - two) + _ROUNDING * max(1.0, abs(one))
    return float(one if jumps else at)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tables:
    """Densities (m, n, 3) and cumulative moments (m, n, 3) of 1, w, w^2 - 1 of a term on given panels.

    `at_points` (m + 1, 3) are the cumulative moments at the points, atoms there included.
    """

    density: Array
    cumulative: Array
    at_points: Array


def singular_values(branches: Sequence[Branch]) -> Array:
    """The values at the ends of all branches, each once."""
    return distinct([v for branch in branches for v in (branch.bottom, branch.top)])


def tabulated(branches: Sequence[Branch], points: Array, step: float) -> Tables:
    """Tables on the panels between `points`, which contain all singular values of the branches."""
    s = grid(step)
    panels = len(points) - 1
    density, cumulative = np.zeros((2, panels, len(s), 3))
    at_points = np.zeros((panels + 1, 3))
    lengths = np.diff(points)
    left = lengths[:, None] / (1 + np.exp(-s))
    right = lengths[:, None] / (1 + np.exp(s))
    for branch in branches:
        whole = branch.moments
        first, last = (int(np.argmin(np.abs(points - v))) for v in (branch.bottom, branch.top))
        cumulative[last:] += whole
        at_points[last:] += whole
        if branch.from_bottom is None or branch.from_top is None:
            continue
        below = left[first:last] + (points[first:last] - points[first])[:, None]
        above = right[first:last] + (points[last] - points[first + 1 : last + 1])[:, None]
        w, slope = branch.inverted(below.ravel(), above.ravel())
        slope = np.where(slope > 0, slope, np.inf)  # at its limit, to rounding: what is lost is in the mass
        weight = np.exp(-0.5 * w * w) / math.sqrt(2 * math.pi) / slope  # slopes reach the largest number
        moments = np.stack([weight, weight * w, weight * (w * w - 1)], -1)
        density[first:last] += moments.reshape(last - first, len(s), 3)
        cumulative[first:last] += _below(branch, w).reshape(last - first, len(s), 3)
        if last - first > 1:
            inner = slice(first + 1, last)
            gaps = points[inner] - points[first], points[last] - points[inner]
            at_points[inner] += _below(branch, branch.inverted(*gaps)[0])
    return Tables(density=density, cumulative=cumulative, at_points=at_points)


def _below(branch: Branch, w: Array) -> Array:
    """Moments over the part of the branch where the value is below that at w."""
    end = np.full_like(w, branch.low if branch.increasing else branch.high)
    return np.stack(interval_moments(end, w) if branch.increasing else interval_moments(w, end), -1)


def term_density(term: Term, *, level: float = 1, extra: Sequence[float] = ()) -> LabelDensity:
    """The law of g(w).

    Parameters
    ----------
    term : Term
    level : float >= 1
    extra : sequence of float
        Values at which panels are to end besides the singular values.

    Examples
    --------
    >>> import numpy as np
    >>> square = Term(value=np.square, derivative=lambda w: 2 * w, points=[0.0])
    >>> nodes = term_density(square).quadrature()  # E[w^2 - 1 | y] = y - 1
    >>> round(float(nodes.weights @ nodes.second[:, 0, 0] ** 2), 10)
    2.0
    """
    branches = branches_of(term)
    own = singular_values(branches)
    points = distinct([*own, *(v for v in extra if own[0] < v < own[-1])])
    values = tabulated(branches, points, spacing(level)).density
    if not term.tracked:
        values = np.ascontiguousarray(values[:, :, :1])
    channels = values.shape[2]
    flat = [(b.bottom, b.moments[:channels]) for b in branches if b.from_bottom is None]
    atoms, atom_values = atoms_of(flat, channels)
    return LabelDensity(
        points=points, values=values, atoms=atoms, atom_values=atom_values, step=spacing(level)
    )
