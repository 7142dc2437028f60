"""Labels y = F(h) of an inner label h of two coordinates: level curves of h at the preimages of y.

A label that oscillates, as cos(z1*z2), is constant to second order along whole curves, and the boxes around
these curves never get small enough; h itself has no such curves, and F is a function of one variable.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import sympy
from sympy import Dummy, Expr, Symbol

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.numpy_arrays import Array, Function, Integers
from hermite_analytics.label.cases.line.functions import along, pieces_between
from hermite_analytics.label.cases.parts.branches import Branch, Term, branch_between
from hermite_analytics.label.cases.plane.places import LabelPlaces

__all__ = ["Outer", "outer_function", "outer_of"]

_ROOM = (
    0.25  # beyond the range of h, of its length: the outermost branches end at critical points if they can
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outer:
    """The monotone branches of F on the range of h.

    Attributes
    ----------
    value : function of an array
        F.
    branches : tuple of Branch
        None of them is constant.
    """

    value: Function
    branches: tuple[Branch, ...]

    @property
    def values(self) -> list[float]:
        """At the ends of the branches."""
        return [v for b in self.branches for v in (b.bottom, b.top)]

    def ending_at(self, ends: Array) -> Outer:
        """With branches whose values end at the nearest of some values, as panels of labels do.

        A distance of a label from the end of its panel is then one from the end of branches.
        """

        def nearest(v: float) -> float:
            return float(ends[np.argmin(np.abs(ends - v))])

        branches = (
            dataclasses.replace(b, bottom=nearest(b.bottom), top=nearest(b.top)) for b in self.branches
        )
        return Outer(value=self.value, branches=tuple(branches))

    def preimages(self, places: LabelPlaces) -> tuple[Integers, Array, Array]:
        """(the label of each preimage, the preimage h, log |F'(h)|)."""
        owner: list[Integers] = [np.zeros(0, dtype=np.int64)]
        inner, logs = [np.zeros(0)], [np.zeros(0)]
        for b in self.branches:
            above, below = places.above(b.bottom), -places.above(b.top)
            here = np.flatnonzero((above > 0) & (below > 0))
            h, slope = b.inverted(above[here], below[here])
            kept = slope > 0
            owner.append(here[kept])
            inner.append(h[kept])
            logs.append(np.log(slope[kept]))
        return np.concatenate(owner), np.concatenate(inner), np.concatenate(logs)


def outer_function(signal: Expr, coordinates: Sequence[Symbol]) -> tuple[Expr, Symbol, Expr] | None:
    """(F, t, h) with signal = F(h): the smallest h that has the coordinates in it and is no single one.

    None where F would be the identity.

    Examples
    --------
    >>> from sympy import cos, symbols
    >>> w1, w2 = symbols("w1 w2", real=True)
    >>> f, t, h = outer_function(cos(2 * w1 * w2) + abs(w1 * w2), (w1, w2))
    >>> f.subs(t, 1), h
    (cos(2) + 1, w1*w2)
    """
    names = set(coordinates)
    powers = _in_powers(signal, coordinates)
    if powers is not None:
        return powers
    inner = sorted({a for a in _candidates(signal, names) if a != signal}, key=sympy.count_ops)
    for h in inner:
        outer = _without(signal, h)
        if not outer.free_symbols & names:
            return outer.xreplace({_MARK: _T}), _T, h
    return None


def _in_powers(signal: Expr, coordinates: Sequence[Symbol]) -> tuple[Expr, Symbol, Expr] | None:
    """A polynomial in one monomial, as (x y)^2 + x y, however it is written."""
    if not signal.is_polynomial(*coordinates):
        return None
    terms = [(m, a) for m, a in sympy.Poly(signal, *coordinates).terms() if any(m)]
    degrees = [math.gcd(*m) for m, _ in terms]
    base = {tuple(k // d for k in m) for (m, _), d in zip(terms, degrees, strict=True)}
    common = math.gcd(*degrees)
    if len(base) != 1 or len(terms) < 2 or 0 in next(iter(base)):
        return None
    monomial = sympy.Mul(*(w ** (k * common) for w, k in zip(coordinates, next(iter(base)), strict=True)))
    constant = signal.xreplace(dict.fromkeys(coordinates, sympy.S.Zero))
    outer = sympy.Add(constant, *(a * _T ** (d // common) for (_, a), d in zip(terms, degrees, strict=True)))
    return outer, _T, monomial


_MARK, _T = Dummy("h", real=True), Symbol("t", real=True)


def _candidates(expr: Expr, names: set[Symbol]) -> Iterator[Expr]:
    """Parts with all coordinates in them; of sums and products what depends on these, without the rest."""
    if not names <= expr.free_symbols:
        return
    if expr.is_Add or expr.is_Mul:
        yield expr.as_independent(*names, as_Add=bool(expr.is_Add))[1]
    yield expr
    for a in expr.args:
        yield from _candidates(a, names)


def _without(signal: Expr, part: Expr) -> Expr:
    """The signal with a mark for the part, factors and terms in front of it taken into account."""
    if signal == part:
        return _MARK
    if signal.func == part.func and (signal.is_Add or signal.is_Mul) and set(part.args) <= set(signal.args):
        return signal.func(_MARK, *(a for a in signal.args if a not in part.args))
    if not signal.args:
        return signal
    return signal.func(*(_without(a, part) for a in signal.args))


def outer_of(function: Expr, t: Symbol, low: float, high: float) -> Outer:
    """The branches of F between two values of h, and a little further where F is defined.

    Raises
    ------
    UnsupportedExpression
        If F is constant somewhere, or has too many branches.
    """
    outer = along(function, t)
    room = _ROOM * (high - low)
    pieces = pieces_between(
        outer, *(_defined(outer.value, h, h + step) for h, step in ((low, -room), (high, room)))
    )
    if any(p.slope == 0 for p in pieces):
        raise UnsupportedExpression("the outer function of the label is constant somewhere")
    term = Term(value=outer.value, derivative=outer.slope)
    branches = [branch_between(term, p.low, p.high) for p in pieces if p.high > low and p.low < high]
    return Outer(value=outer.value, branches=tuple(branches))


def _defined(value: Function, inside: float, outside: float) -> float:
    """The place farthest outside up to which F is defined: the square root of h ends at 0."""
    if np.isfinite(value(np.array([outside]))[0]):
        return outside
    while (middle := 0.5 * (inside + outside)) not in (inside, outside):
        inside, outside = (middle, outside) if np.isfinite(value(np.array([middle]))[0]) else (inside, middle)
    return inside
