"""Sums of r equal parts, y = g(s_1 z_1) + ... + g(s_r z_r) + noise * xi with signs s_i: their form."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import sympy
from numpy.typing import NDArray
from sympy import Dummy, Expr, S, Symbol

from hermite_analytics.gaussian.distribution import expanded
from hermite_analytics.label.cases.line.functions import along, pieces_between
from hermite_analytics.language.affine import linear_part
from hermite_analytics.symbols import xi

__all__ = ["EqualParts", "equal_part", "equal_parts"]

Array = NDArray[np.float64]

_REACH = 9.0  # |z| up to which pieces are told apart


@dataclass(frozen=True, slots=True, kw_only=True)
class EqualParts:
    """y = sum of g(s_i z_i), with noise added.

    Attributes
    ----------
    part : expression
        g, of the symbol `argument`.
    argument : symbol
    value : function of an array
        g.
    edges : tuple of floats
        The points off which g is smooth and monotone.
    flat : tuple of (low, high, value)
        The intervals on which it is constant.
    signs : ndarray, shape (r,)
    even : bool
        Whether g(-z) = g(z) is proved.
    noise : float
    """

    part: Expr
    argument: Symbol
    value: Callable[[Array], Array]
    edges: tuple[float, ...]
    flat: tuple[tuple[float, float, float], ...]
    signs: Array
    even: bool
    noise: float

    @property
    def count(self) -> int:
        """r."""
        return len(self.signs)

    @property
    def direction(self) -> Array:
        """The unit vector that permutations keep, shape (r,)."""
        return np.asarray(self.signs / np.sqrt(self.count))


def equal_part(signal: Expr, variables: Sequence[Symbol], t: Symbol) -> tuple[Expr, tuple[int, ...]] | None:
    """g and the signs where a label is a sum of g(s_i z_i) and a number; None for others.

    Linear parts are no committee.

    Examples
    --------
    >>> t, z1, z2 = sympy.symbols("t z1 z2", real=True)
    >>> equal_part(sympy.erf(z1) + sympy.erf(-z2), (z1, z2), t)
    (erf(t), (1, -1))
    """
    parts = dict.fromkeys(variables, S.Zero)
    for term in sympy.Add.make_args(signal):
        used = [z for z in variables if term.has(z)]
        if not used and term.is_number:
            continue
        if len(used) != 1:
            return None
        parts[used[0]] += term
    first, *others = (part.xreplace({z: t}) for z, part in parts.items())
    signs = [1]
    for part in others:
        sign = next((s for s in (1, -1) if _are_equal(part, first.xreplace({t: s * t}))), None)
        if sign is None:
            return None
        signs.append(sign)
    slope = linear_part(first, t)
    return None if slope is not None and not slope[0].has(t) else (first, tuple(signs))


def equal_parts(signal: Expr, variables: Sequence[Symbol]) -> EqualParts | None:
    """The form of a label; None where it has another one.

    Raises
    ------
    UnsupportedExpression
        If the part has more than 400 pieces.

    Examples
    --------
    >>> z = sympy.symbols("z1:5", real=True)
    >>> found = equal_parts(sum(sympy.Max(0, x) for x in z), z)
    >>> found.count, len(found.flat), found.even
    (4, 1, False)
    """
    noise = linear_part(signal, xi) if signal.has(xi) else (signal, S.Zero)
    if noise is None or not noise[1].is_number:
        return None
    t = Dummy("t", real=True)
    found = equal_part(noise[0], variables, t)
    if found is None:
        return None
    part, signs = found
    function = along(part, t)
    pieces = pieces_between(function, -_REACH, _REACH)
    flat = []
    for piece in pieces:
        middle = np.linspace(piece.low, piece.high, 7)[1:-1]
        if not np.any(function.slope(middle) != 0):
            flat.append((float(piece.low), float(piece.high), float(np.ravel(function.value(middle[:1]))[0])))
    return EqualParts(
        part=part,
        argument=t,
        value=lambda z: np.broadcast_to(np.asarray(function.value(z), dtype=np.float64), z.shape),
        edges=tuple(float(p.high) for p in pieces[:-1]),
        flat=tuple(flat),
        signs=np.array(signs, dtype=np.float64),
        even=_are_equal(part, part.xreplace({t: -t})),
        noise=abs(float(noise[1])),
    )


def _are_equal(one: Expr, other: Expr) -> bool:
    return bool(one == other or expanded(one - other) == 0)
