"""The law of any piecewise smooth label g(w1, w2): integrals over its level curves."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.label.parts.branches import trimmed
from hermite_analytics.label.parts.density import LabelDensity, grid, spacing
from hermite_analytics.label.parts.marching import fill_panel
from hermite_analytics.label.plane.critical import critical_values, values_far_out
from hermite_analytics.label.plane.levels import curve_moments
from hermite_analytics.label.plane.mirrors import sector_of
from hermite_analytics.label.plane.patches import NODES, Patches, patches_of, quadrature, sampled

__all__ = ["limits_far_out", "panel_ends", "planar_density", "singular_labels"]

Array = NDArray[np.float64]
Integers = NDArray[np.int64]
Function = Callable[[Array], Array]
Curves = tuple[Array, Array, Array, Array]  # coefficients and corners of patches; Gauss's rule on (0, 1)

_CURVE_NODES = 10  # of Gauss's rule on each arc, at level 1
_NEAREST = (
    1e-14  # distance of labels from critical values, in the panel's length: closer ones are extrapolated
)
_NARROW = 1.0  # range in s of half of the labels of a panel that is too short for its nodes
_ROUNDS = 2  # of divisions of panels that are too long
_SAME = 1e-10  # critical values that count as one, relative to their size and that of typical labels
_MOST_VALUES = 60
_PEAKS = 6  # rounds of divisions of a panel at the peak of the density
_ALTERNATION = 1e-4  # probability: difference of the sums over even and over odd nodes of a panel
_NEAREST_PEAK = 1e-7
_WORST_MASS = 1e-3
_NO_ATOM = 1e-15  # probability
_DIRECTIONS = 180
_FAR = (1e3, 1e5)  # radii
_SETTLED = 1e-9
_binomials = np.array([[math.comb(m, k) for k in range(NODES)] for m in range(NODES)], dtype=float)


def planar_density(
    value: Function,
    *,
    lines: Sequence[Sequence[float]] = (),
    extra: Sequence[float] = (0.0,),
    level: float = 1,
    fine: bool = False,
    mirrors: Sequence[tuple[float, float]] = (),
) -> LabelDensity:
    """The law of y = g(w1, w2) and of w given y.

    Parameters
    ----------
    value : function of an array (n, 2)
        g, smooth off the lines.
    lines : sequence of (a, b, c)
        The lines a w1 + b w2 = c across which g has a kink or a jump.
    extra : sequence of float
        Values near which the density may vary on all scales. Critical values, those of flat parts and the
        limits of g in sectors far out are found; at other peaks of the density the panels are divided.
    level : float > 0
        The spacing of labels is divided by it, the nodes on level curves are multiplied.
    fine : bool
        Tables twice as fine, for noise or other operations to follow.
    mirrors : sequence of (a, b)
        Vectors orthogonal to lines through 0 in which g is its own mirror image: a sector is enough then.

    Returns
    -------
    LabelDensity

    Raises
    ------
    UnsupportedExpression
        If g is not resolved by polynomials (kinks off the lines, fast oscillations), has too many critical
        values, or the mass that is found is not 1 within 1e-3.

    Examples
    --------
    >>> import numpy as np
    >>> law = planar_density(lambda w: w[:, 0] * w[:, 1])
    >>> abs(law.mass - 1) < 1e-9
    True
    """
    sector = sector_of(mirrors)
    patches = patches_of(value, lines, sector)
    if patches.unresolved > 1e-3:
        raise UnsupportedExpression(
            f"the label is not piecewise smooth off the lines given: patches of probability "
            f"{patches.unresolved:.1e} fit no polynomial"
        )
    atoms, atom_values = _atoms(patches)
    points = singular_labels(value, patches, [*lines, *sector.sides], [*extra, *atoms])
    if len(points) > _MOST_VALUES:
        raise UnsupportedExpression(
            f"the label has {len(points)} critical values; at most {_MOST_VALUES} are accepted"
        )
    step = (1 if fine else 2) * spacing(level)
    x, weights = np.polynomial.legendre.leggauss(max(4, _CURVE_NODES + round(6 * (level - 1))))
    curves = patches.coefficients, patches.corners, 0.5 + 0.5 * x, 0.5 * weights
    panels = [p for ends in itertools.pairwise(points) for p in _divided(*ends, curves, step)]
    points = np.array([points[0], *(high for _, high, _ in panels)])
    values = np.array([table for _, _, table in panels]).reshape(len(panels), len(grid(step)), 6)
    values = sector.whole(values)
    first, last = trimmed(values[:, :, 0], points, step)
    found = LabelDensity(
        dimension=2,
        points=points,
        values=values,
        first_node=first,
        last_node=last,
        atoms=atoms,
        atom_values=sector.whole(atom_values),
        step=step,
    )
    if not abs(found.mass - 1) < _WORST_MASS:
        raise UnsupportedExpression(
            f"the level curves of the label have a total probability of {found.mass:.4g}, not 1"
        )
    return found


def singular_labels(
    value: Function, patches: Patches, lines: Sequence[Sequence[float]], extra: Sequence[float] = ()
) -> Array:
    """Labels between which the law is smooth: the range, critical values, limits far out, `extra` ones."""
    return _points(patches, lines, [*extra, *limits_far_out(value)])


def _divided(
    low: float, high: float, curves: Curves, step: float, rounds: int = _PEAKS
) -> list[tuple[float, float, Array]]:
    """Tables of a panel, divided where the density has a peak that twice the step would not see."""
    s = grid(step)
    table = _table(low, high, curves, step)
    share = (high - low) / (2 + np.exp(s) + np.exp(-s)) * table[:, 0]
    if rounds == 0 or step * abs(share[::2].sum() - share[1::2].sum()) <= _ALTERNATION:
        return [(low, high, table)]
    k = int(np.argmax(share))
    peak = low + (high - low) / (1 + math.exp(-s[k]))
    if min(peak - low, high - peak) <= _NEAREST_PEAK * (high - low):
        return [(low, high, table)]
    below = _divided(low, peak, curves, step, rounds - 1)
    return below + _divided(peak, high, curves, step, rounds - 1)


def _table(low: float, high: float, curves: Curves, step: float) -> Array:
    """The densities at the nodes of a panel."""
    s, length = grid(step), high - low
    y = np.where(s < 0, low + length / (1 + np.exp(-s)), high - length / (1 + np.exp(s)))
    table = np.zeros((len(s), 6))

    def evaluate(nodes: Integers) -> None:
        curve_moments(y, nodes, *curves, _binomials, table)

    fill_panel(evaluate, table[:, 0], length, step, core=12.0, farthest=-math.log(_NEAREST))
    _extend(table, s)
    return table


def limits_far_out(value: Function) -> list[float]:
    """Values that the label tends to in all directions of some sector: near them its law is concentrated."""
    theta = 2 * math.pi * (np.arange(_DIRECTIONS) + 0.317) / _DIRECTIONS
    units = np.stack([np.cos(theta), np.sin(theta)], 1)
    with np.errstate(all="ignore"):
        near, far = np.array(value(_FAR[0] * units)), np.array(value(_FAR[1] * units))
        following = np.roll(far, 1)
        settled = np.abs(near - far) <= _SETTLED * np.abs(far)
        found = far[settled & (np.abs(following - far) <= _SETTLED * np.abs(far))]
    return [float(v) for v in np.unique(found[np.isfinite(found)])]


def _extend(values: Array, s: Array) -> None:
    """Continue a table towards both ends like the power of the distance that it shows there."""
    filled = np.nonzero(values[:, 0] > 0)[0]
    if len(filled) < 20:
        return
    for end, inner, outside in (
        (filled[0], filled[8], np.arange(filled[0])),
        (filled[-1], filled[-9], np.arange(filled[-1] + 1, len(s))),
    ):
        power = np.log(values[end, 0] / values[inner, 0]) / abs(s[end] - s[inner])
        distance = np.abs(s[outside] - s[end])
        values[outside] = values[end] * np.exp(min(power, 0.95) * distance)[:, None]


def _points(patches: Patches, lines: Sequence[Sequence[float]], extra: Sequence[float] = ()) -> Array:
    values, p = sampled(patches, 6)
    corners = patches.coefficients[:, [0, -1, 0, -1], [0, 0, -1, -1]]
    ends = float(min(corners.min(), values.min())), float(max(corners.max(), values.max()))
    inner = critical_values(patches, lines)
    far = values_far_out(patches, [*inner, *extra])
    return panel_ends(values.ravel(), p.ravel(), [*inner, *far], ends, extra)


def panel_ends(
    values: Array, p: Array, inner: Sequence[float], ends: tuple[float, float], extra: Sequence[float]
) -> Array:
    """The range, the critical values between, and medians of what else is concentrated.

    Parameters
    ----------
    values, p : ndarray, shape (n,)
        Labels and their probabilities, a sample.
    inner : sequence of float
        Critical values.
    ends : (float, float)
        The range.
    extra : sequence of float
        Values that count where they are in the range.
    """
    order = np.argsort(values)
    values, p = values[order], p[order]
    typical = float(p @ np.abs(values))
    low, high = ends
    inner = [*inner, *(v for v in extra if low < v < high)]
    # the ends of the range, unless they are critical values that the samples have missed
    inner += [low] if low < min(inner, default=math.inf) else []
    inner += [high] if high > max(inner) else []
    result: list[float] = []
    for v in sorted(inner):
        if not result or v - result[-1] > _SAME * (abs(v) + typical):
            result.append(0.0 if abs(v) < 1e-12 * typical else float(v))
    for _ in range(_ROUNDS):
        result = sorted(
            [*result, *(m for a, b in itertools.pairwise(result) for m in _median(a, b, values, p))]
        )
    return np.array(result)


def _median(low: float, high: float, values: Array, p: Array) -> list[float]:
    """The median of the labels in a panel, if half of them are within a few nodes."""
    start, stop = np.searchsorted(values, [low, high])
    total = np.cumsum(p[start:stop])
    if stop - start < 40 or total[-1] < 1e-6:
        return []
    quartiles = values[start:stop][np.searchsorted(total, np.array([0.25, 0.5, 0.75]) * total[-1])]
    gaps = np.maximum(quartiles - low, 1e-300), np.maximum(high - quartiles, 1e-300)
    s = np.log(gaps[0] / gaps[1])
    return [float(quartiles[1])] if s[2] - s[0] < _NARROW else []


def _atoms(patches: Patches) -> tuple[Array, Array]:
    """Labels of patches on which the label is constant, with their probability and moments."""
    c = patches.coefficients
    flat = c.max((1, 2)) == c.min((1, 2))
    if not flat.any():
        return np.zeros(0), np.zeros((0, 6))
    w, p = quadrature(patches.corners[flat], 24)
    one, two = w[..., 0], w[..., 1]
    channels = np.stack([np.ones_like(one), one, two, one**2 - 1, one * two, two**2 - 1], -1)
    moments = np.einsum("pn,pnc->pc", p, channels)
    labels = c[flat][:, 0, 0]
    order = np.argsort(labels)
    labels, moments = labels[order], moments[order]
    cuts = np.flatnonzero(np.diff(labels) > _SAME * np.maximum(1e-3, np.abs(labels[1:]))) + 1
    values = np.array([group.mean() for group in np.split(labels, cuts)])
    total = np.array([group.sum(0) for group in np.split(moments, cuts)])
    kept = total[:, 0] > _NO_ATOM
    return values[kept], total[kept]
