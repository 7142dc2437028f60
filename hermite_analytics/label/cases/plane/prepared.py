"""Preparing labels of two coordinates: off straight lines, between curves, functions of others."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.numpy_arrays import Array, Function
from hermite_analytics.label.cases.plane.boundaries import boundaries_of
from hermite_analytics.label.cases.plane.curved_label import CurvedLabel, Line, Side
from hermite_analytics.label.cases.plane.mirrors import PLANE, Sector
from hermite_analytics.label.cases.plane.outer import Outer
from hermite_analytics.label.cases.plane.plane import PlaneChannel
from hermite_analytics.label.cases.plane.regions import Regions
from hermite_analytics.label.cases.plane.sides import (
    PlaneSide,
    constant_label,
    prepared_side,
    sampled_labels,
    singular_labels,
)
from hermite_analytics.label.cases.plane.singular import panel_ends

__all__ = ["composed_channel", "plane_channel"]

_LOST = (1e-3, 1e-5)  # probability of labels that are not found, by level
# of labels that are smooth off lines: doubles cannot tell those of erf(2 w1) erf(2 w2) beside 1 apart
_LOST_BESIDE_LIMITS = (1e-2, 1e-2)
_MOST_VALUES = 60
_RARE = 1e-13  # probability of inner labels beyond which F is not asked for
_SAME = 1e-11


def plane_channel(
    value: Function,
    breaks: CurvedLabel | Sequence[Line],
    *,
    hidden: bool = False,
    sector: Sector = PLANE,
    odd: Array | None = None,
    coarse: bool = False,
) -> PlaneChannel:
    """Prepare a label of two coordinates that is smooth off straight lines, or breaks along curves too.

    With `coarse` only the coarse rule is looked at: one of many labels off lines. A sector is for labels that
    are the same in its copies, `odd` an orthogonal map that changes the sign of the label.

    Raises
    ------
    UnsupportedExpression
        If it is not smooth off the curves and lines, has too many lines or critical values, or level curves
        that take too many pieces to be found.

    Examples
    --------
    >>> channel = plane_channel(lambda w: w[:, 0] * w[:, 1], [])
    >>> omega = np.array([[0.5, 1.0], [0.0, 0.0]])
    >>> log_z, g, _ = channel.at(np.array([1.0, -2.0]))(omega, 0.5 * np.eye(2))
    >>> log_z.shape, g.shape, bool(abs(g[1]).max() < 1e-9)
    ((2,), (2, 2), True)
    >>> from sympy import symbols
    >>> from hermite_analytics.label.cases.plane.curved_label import curved_label
    >>> w1, w2 = symbols("w1 w2", real=True)
    >>> label = curved_label(abs(w1**2 - w2), (w1, w2))
    >>> nodes = plane_channel(lambda w: np.abs(w[:, 0] ** 2 - w[:, 1]), label).nodes()
    >>> bool(abs(nodes.weights @ nodes.curves.densities() - 1) < 1e-9)
    True
    """
    label = breaks if isinstance(breaks, CurvedLabel) else CurvedLabel.off_lines(value, breaks)
    lines = _apart(label.lines)
    sides = [prepared_side(s, lines, sector) for s in label.sides]
    regions = _regions(label.value, sides, label.curves, lines)
    atoms = [] if regions is None else regions.values.tolist()
    sides = [s for s in sides if len(s.patches.corners)] or sides[:1]
    return _complete(
        PlaneChannel(
            value=value,
            lines=tuple(lines),
            sides=tuple(sides),
            regions=regions,
            singular=_singular(value, sides, [*lines, *sector.folds], atoms),
            hidden=hidden,
            sector=sector,
            odd=odd,
        ),
        _LOST if label is breaks else _LOST_BESIDE_LIMITS[: 1 if coarse else 2],
    )


def composed_channel(
    inner: Function,
    lines: Sequence[Line],
    outer: Callable[[float, float], Outer],
    *,
    hidden: bool = False,
    sector: Sector = PLANE,
    odd: Array | None = None,
) -> PlaneChannel:
    """Prepare a label F(h) with h a label of two coordinates that is smooth off straight lines.

    Parameters
    ----------
    inner : function of points, shape (n, 2)
        h.
    lines : sequence of (a, b, c)
        Of its kinks and jumps.
    outer : function of (low, high)
        F on a range of h.

    Raises
    ------
    UnsupportedExpression
        As `plane_channel`; if h or F is constant somewhere.

    Examples
    --------
    >>> from sympy import Symbol, cos
    >>> from hermite_analytics.label.cases.plane.outer import outer_of
    >>> t = Symbol("t", real=True)
    >>> channel = composed_channel(lambda w: w[:, 0] * w[:, 1], [], lambda *ends: outer_of(cos(t), t, *ends))
    >>> bool(abs(channel.probability() - 1) < 1e-6)
    True
    """
    lines = _apart(lines)
    side = prepared_side(Side(value=inner, conditions=()), lines, sector)
    if len(side.flat.corners):
        raise UnsupportedExpression("the inner function of the label is constant somewhere")
    h, p = sampled_labels([side])
    p = p * sector.copies
    order = np.argsort(h)
    low, high = (float(x) for x in h[order][np.searchsorted(np.cumsum(p[order]), [_RARE, p.sum() - _RARE])])
    function = outer(low, high)
    images = function.value(_singular(inner, [side], [*lines, *sector.folds], []))
    y = function.value(h)
    inside = np.isfinite(images) & (images >= y.min()) & (images <= y.max())
    singular = panel_ends(y, p, [*function.values, *images[inside]], (y.min(), y.max()), [0.0])
    return _complete(
        PlaneChannel(
            value=lambda w: function.value(inner(w)),
            lines=tuple(lines),
            sides=(side,),
            regions=None,
            singular=singular,
            hidden=hidden,
            sector=sector,
            odd=odd,
            outer=function.ending_at(singular),
        )
    )


def _complete(found: PlaneChannel, lost: Sequence[float] = _LOST) -> PlaneChannel:
    """The channel, whose labels have a total probability of 1, up to so much by level."""
    for level, most in enumerate(lost):  # the coarse rule shows large losses sooner
        total = found.probability(level, weighted=found.regions is None)
        if not abs(total - 1) < most:
            raise UnsupportedExpression(f"the labels that are found have a total probability of {total:.9g}")
    return found


def _regions(
    value: Function, sides: Sequence[PlaneSide], curves: Sequence[Function], lines: Sequence[Line]
) -> Regions | None:
    """Where the label is constant; None if it is nowhere."""
    if not any(len(s.flat.corners) for s in sides):
        return None
    boundaries = boundaries_of(value, curves, lines)
    if not len(boundaries.values):
        return None
    return Regions(constant=constant_label(sides, lines), boundaries=boundaries)


def _singular(
    value: Function,
    sides: Sequence[PlaneSide],
    lines: Sequence[Line],
    atoms: Sequence[float],
) -> Array:
    found = singular_labels(value, sides, lines, [0.0, *atoms])
    if len(found) > _MOST_VALUES:
        raise UnsupportedExpression(f"the label has {len(found)} critical values; at most {_MOST_VALUES}")
    return found


def _apart(lines: Sequence[Line]) -> list[Line]:
    """Each line once."""
    found: list[Array] = []
    for line in lines:
        unit = np.array(line) / np.hypot(line[0], line[1])
        if not any(min(np.abs(unit - f).max(), np.abs(unit + f).max()) < _SAME for f in found):
            found.append(unit)
    return [(float(a), float(b), float(c)) for a, b, c in found]
