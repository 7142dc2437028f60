"""The law of any piecewise smooth label g(w1, w2): integrals over its level curves."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.thresholds.engines.branches import trimmed
from hermite_analytics.thresholds.engines.critical import critical_values
from hermite_analytics.thresholds.engines.density import LabelDensity, grid, spacing
from hermite_analytics.thresholds.engines.levels import curve_moments
from hermite_analytics.thresholds.engines.marching import fill_panel
from hermite_analytics.thresholds.engines.patches import NODES, Patches, patches_of, quadrature, sampled

__all__ = ["planar_density"]

Array = NDArray[np.float64]
Integers = NDArray[np.int64]
Function = Callable[[Array], Array]

_CURVE_NODES = 10  # of Gauss's rule on each arc, at level 1
_NEAREST = (
    1e-14  # distance of labels from critical values, in the panel's length: closer ones are extrapolated
)
_NARROW = 1.0  # range in s of half of the labels of a panel that is too short for its nodes
_ROUNDS = 2  # of divisions of panels that are too long
_SAME = 1e-10  # critical values that count as one, relative to their size and that of typical labels
_MOST_VALUES = 60
_binomials = np.array([[math.comb(m, k) for k in range(NODES)] for m in range(NODES)], dtype=float)


def planar_density(
    value: Function,
    *,
    lines: Sequence[Sequence[float]] = (),
    extra: Sequence[float] = (0.0,),
    level: float = 1,
    fine: bool = False,
) -> LabelDensity:
    """The law of y = g(w1, w2) and of w given y.

    Parameters
    ----------
    value : function of an array (n, 2)
        g, smooth off the lines.
    lines : sequence of (a, b, c)
        The lines a w1 + b w2 = c across which g has a kink or a jump.
    extra : sequence of float
        Values near which the density may vary on all scales though they are not critical: limits of g far
        out. Critical values themselves are found.
    level : float >= 1
        The spacing of labels is divided by it, the nodes on level curves are multiplied.
    fine : bool
        Tables twice as fine, for noise or other operations to follow.

    Returns
    -------
    LabelDensity

    Raises
    ------
    UnsupportedExpression
        If g is not resolved by polynomials (kinks off the lines, fast oscillations), or has too many
        critical values.

    Examples
    --------
    >>> import numpy as np
    >>> law = planar_density(lambda w: w[:, 0] * w[:, 1])
    >>> abs(law.mass - 1) < 1e-9
    True
    """
    patches = patches_of(value, lines)
    if patches.unresolved > 1e-3:
        raise UnsupportedExpression(
            f"the label is not piecewise smooth off the lines given: patches of probability "
            f"{patches.unresolved:.1e} fit no polynomial"
        )
    points = _points(patches, lines, extra)
    if len(points) > _MOST_VALUES:
        raise UnsupportedExpression(
            f"the label has {len(points)} critical values; at most {_MOST_VALUES} are accepted"
        )
    polynomials = patches.coefficients, patches.corners
    step = (1 if fine else 2) * spacing(level)
    x, weights = np.polynomial.legendre.leggauss(_CURVE_NODES + round(6 * (level - 1)))
    s = grid(step)
    values = np.zeros((len(points) - 1, len(s), 6))
    for i in range(len(points) - 1):
        low, length = points[i], points[i + 1] - points[i]
        y = np.where(s < 0, low + length / (1 + np.exp(-s)), points[i + 1] - length / (1 + np.exp(s)))

        def evaluate(nodes: Integers, y: Array = y, out: Array = values[i]) -> None:
            curve_moments(y, nodes, *polynomials, 0.5 + 0.5 * x, 0.5 * weights, _binomials, out)

        fill_panel(evaluate, values[i, :, 0], length, step, core=12.0, farthest=-math.log(_NEAREST))
        _extend(values[i], s)
    first, last = trimmed(values[:, :, 0], points, step)
    atoms, atom_values = _atoms(patches)
    return LabelDensity(
        dimension=2,
        points=points,
        values=values,
        first_node=first,
        last_node=last,
        atoms=atoms,
        atom_values=atom_values,
        step=step,
    )


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
    """Ends of panels: the range, the critical values between, and medians of what else is concentrated."""
    values, p = sampled(patches, 6)
    values, p = values.ravel(), p.ravel()
    order = np.argsort(values)
    values, p = values[order], p[order]
    inner = critical_values(patches, lines).tolist()
    typical = float(p @ np.abs(values))
    corners = patches.coefficients[:, [0, -1, 0, -1], [0, 0, -1, -1]]
    low, high = float(min(corners.min(), values[0])), float(max(corners.max(), values[-1]))
    inner += [v for v in extra if low < v < high]
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
    """Probability and moments of patches on which the label is constant."""
    c = patches.coefficients
    flat = c.max((1, 2)) == c.min((1, 2))
    w, p = quadrature(patches.corners[flat], 24)
    one, two = w[..., 0], w[..., 1]
    channels = np.stack([np.ones_like(one), one, two, one**2 - 1, one * two, two**2 - 1], -1)
    moments = np.einsum("pn,pnc->pc", p, channels)
    labels = np.unique(c[flat][:, 0, 0])
    total = np.array([moments[c[flat][:, 0, 0] == v].sum(0) for v in labels]).reshape(len(labels), 6)
    return labels, total
