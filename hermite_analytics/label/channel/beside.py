"""A label of two coordinates once one of them is known: a label of the other one for each value of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import sympy
from sympy import Expr, S, Symbol

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.gaussian.enclosure.forms import affine_slopes, with_plain_forms
from hermite_analytics.label.cases.line.functions import Along, along, array_function
from hermite_analytics.label.cases.plane.plane import PlaneChannel
from hermite_analytics.label.channel.preparation import Channel
from hermite_analytics.label.exact.signs import split_signs
from hermite_analytics.language.kinks import opened

__all__ = ["LabelBeside", "directions_of", "label_beside"]

Function = Callable[..., Array]
Row = tuple[Expr, Expr]

_ALIGNED = 0.995  # cosine of the angle to the direction that is asked for
_SAME = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelBeside:
    """The label g(w, x) of w once x is known, for coordinates x and w across each other.

    Attributes
    ----------
    known, other : ndarray, shape (2,)
        The directions of x and of w in the coordinates of the channel.
    along : Along
        The label along w, with x as the parameter.
    change : function of (x, w)
        dg/dx.
    kinks : tuple of functions of x
        Kinks that are in x alone.
    even : bool
        -x says of w, or of -w, what x does.
    mirrored : bool
        w and -w have the same label.
    """

    known: Array
    other: Array
    along: Along
    change: Function
    kinks: tuple[Function, ...]
    even: bool
    mirrored: bool


def label_beside(channel: Channel, towards: Array) -> LabelBeside | None:
    """The label of what is left once a direction is known; None where that is no label of one coordinate.

    Parameters
    ----------
    channel : Channel
        Of two coordinates, with no noise.
    towards : ndarray, shape (2,)
        The direction, of length 1, in the coordinates of the channel, about: the one of a coordinate or of a
        linear form of the label beside it is taken.

    Examples
    --------
    >>> from hermite_analytics.label.channel import channel_of
    >>> found = label_beside(channel_of("max(z1**2, z2)"), np.array([0.05, 1.0]))
    >>> found.known.tolist(), found.even, found.mirrored
    ([0.0, 1.0], True, False)
    """
    if not isinstance(channel.kind, PlaneChannel) or channel.kind.hidden or len(channel.rows) != 2:
        return None
    coordinates = Symbol("w1", real=True), Symbol("w2", real=True)
    direction = _nearest(channel.signal, coordinates, towards)
    if direction is None:
        return None
    x, w = Symbol("x", real=True), Symbol("w", real=True)
    a, b = direction
    image = {coordinates[0]: a * x - b * w, coordinates[1]: b * x + a * w}
    signal = split_signs(with_plain_forms(channel.signal.xreplace(image), (x, w)))
    known = np.array([float(a), float(b)])
    other = np.array([-known[1], known[0]])
    groups = [(s.matrix @ known, s.matrix @ other, s.sign) for s in channel.symmetries]
    return LabelBeside(
        known=known,
        other=other,
        along=along(signal, w, (x,)),
        change=along(signal, x, (w,)).slope,
        kinks=_kinks_of(signal, x, w),
        even=any(np.abs(u + known).max() < _SAME for u, _, _ in groups),
        mirrored=any(
            np.abs(u - known).max() < _SAME and np.abs(v + other).max() < _SAME and sign > 0
            for u, v, sign in groups
        ),
    )


def directions_of(channel: Channel) -> Array:
    """The directions of the coordinates and of the label's linear forms, shape (k, 2)."""
    if not isinstance(channel.kind, PlaneChannel) or channel.kind.hidden:
        return np.zeros((0, 2))
    rows = _directions(channel.signal, (Symbol("w1", real=True), Symbol("w2", real=True)))
    return np.array([[float(a), float(b)] for a, b in rows])


def _directions(signal: Expr, coordinates: tuple[Symbol, Symbol]) -> list[Row]:
    """Those of the coordinates and of the linear forms, of length 1."""
    rows = [(S.One, S.Zero), (S.Zero, S.One)]
    for a, b in affine_slopes(signal, coordinates):
        if a.is_number and b.is_number and (a, b) != (0, 0):
            length = sympy.sqrt(sympy.expand(a**2 + b**2))
            rows.append((sympy.radsimp(a / length), sympy.radsimp(b / length)))
    return list(dict.fromkeys(rows))


def _nearest(signal: Expr, coordinates: tuple[Symbol, Symbol], towards: Array) -> Row | None:
    """The direction next to one, exactly."""
    rows = _directions(signal, coordinates)
    sizes = [abs(float(a) * towards[0] + float(b) * towards[1]) for a, b in rows]
    best = int(np.argmax(sizes))
    return rows[best] if sizes[best] > _ALIGNED else None


def _kinks_of(signal: Expr, x: Symbol, w: Symbol) -> tuple[Function, ...]:
    """The arguments of kinks in x alone."""
    signs = opened(signal)[1]
    back = {letter: sympy.sign(argument) for letter, argument in signs.items()}
    found = list(signs.values())
    while any(a.has(*signs) for a in found):
        found = [a.xreplace(back) for a in found]
    return tuple(array_function(a, (x,)) for a in found if a.has(x) and not a.has(w))
