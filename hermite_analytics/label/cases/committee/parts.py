"""Sums of separate parts, y = g_1(z_1) + ... + g_r(z_r) + noise * xi, and their largest: their form.

`counts` and `products` have the forms of finitely many values and of products.

Parts that are equal, up to the sign of their coordinate, are told: a committee has one of them only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import sympy
from sympy import Dummy, Expr, S, Symbol

from hermite_analytics.foundation.numpy_arrays import Array, Integers
from hermite_analytics.foundation.panels import panel_rule
from hermite_analytics.gaussian.distribution import expanded
from hermite_analytics.label.cases.committee.radial import (
    grouped,
    norm_density,
    norm_probability,
    radial_form,
)
from hermite_analytics.label.cases.committee.smooth import RULE
from hermite_analytics.label.cases.line.functions import Along, along, pieces_between
from hermite_analytics.label.cases.line.numeric_pieces import NumericPiece
from hermite_analytics.language.affine import linear_part
from hermite_analytics.symbols import xi

if TYPE_CHECKING:
    from hermite_analytics.label.cases.committee.sum_factors import SumFactor

__all__ = ["Counts", "Part", "SeparateParts", "equal_part", "part_of", "parts_from", "separate_parts"]


_REACH = 9.0  # |z| up to which pieces are told apart


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """g, and the coordinates s_i z_i of which it is taken, or the blocks of coordinates of whose norms.

    Attributes
    ----------
    value : function of an array
        g.
    pieces : tuple of NumericPiece
        Intervals on which g is smooth and monotone, or constant.
    flat : tuple of (low, high, value)
        Those on which it is constant; their ends may be those of the line.
    places : tuple of int
        Which coordinates, those of a block side by side.
    signs : ndarray
        s_i, in the order of the places.
    even : bool
        Whether it is proved that labels do not show the sign of a coordinate: g(-z) = g(z), or -g(z) in a
        product or parity, where -y is as good as y.
    dimension : int
        Coordinates of a block.
    """

    value: Callable[[Array], Array]
    pieces: tuple[NumericPiece, ...]
    flat: tuple[tuple[float, float, float], ...]
    places: tuple[int, ...]
    signs: Array
    even: bool
    dimension: int = 1

    @property
    def count(self) -> int:
        """How many coordinates or blocks."""
        return len(self.places) // self.dimension

    @property
    def least(self) -> float:
        """The least coordinate, or norm."""
        return -math.inf if self.dimension == 1 else 0.0

    @property
    def edges(self) -> tuple[float, ...]:
        """The points between pieces."""
        return tuple(float(p.high) for p in self.pieces[:-1])

    @property
    def reach(self) -> float:
        """Up to which coordinates, or norms, are looked at."""
        return _REACH + math.sqrt(self.dimension - 1)

    @property
    def flat_probability(self) -> float:
        """The probability that g is on one of them."""
        return sum(norm_probability(a, b, self.dimension) for a, b, _ in self.flat)

    def probability_of(self, value: float) -> float:
        """That it is on one of them that has this value."""
        return sum(norm_probability(a, b, self.dimension) for a, b, v in self.flat if v == value)

    def points(self) -> tuple[Array, Array]:
        """Coordinates, or norms, and their probabilities."""
        low, high = max(self.least, -self.reach), self.reach
        z, rule = panel_rule([low, *(e for e in self.edges if low < e < high), high], RULE, widest=0.05)
        return z, rule * norm_density(z, self.dimension)

    def law(self) -> tuple[Array, Array]:
        """Values of g, and their probabilities."""
        z, p = self.points()
        return self.value(z), p


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """A label for each vector of counts.

    Attributes
    ----------
    values : ndarray
        Different labels, in order.
    index : integer ndarray
        Which of them; an axis of length r + 1 for each cell of each part but its first. -1 where the counts
        of a part add up to more than r.
    """

    values: Array
    index: Integers


@dataclass(frozen=True, slots=True, kw_only=True)
class SeparateParts:
    """y = sum of g_i(s_i z_i), their largest or their product, or a label of cells, with noise added.

    Attributes
    ----------
    parts : tuple of Part
        Different ones.
    noise : float
    largest : bool
        The largest value in place of the sum.
    floor : float
        Which the largest value does not fall below.
    table : Counts or None
        Of a label of the numbers of coordinates in cells; a part is then the number of its cell.
    product : bool
        The product in place of the sum.
    hidden : Part or None
        One more factor, of noise; its place is -1.
    sums : tuple of SumFactor
        Factors of several of the parts, which come first.
    axes : ndarray or None
        R with z = R u, where the parts are of coordinates u.
    """

    parts: tuple[Part, ...]
    noise: float
    largest: bool = False
    floor: float = -math.inf
    table: Counts | None = None
    product: bool = False
    hidden: Part | None = None
    sums: tuple[SumFactor, ...] = ()
    axes: Array | None = None

    @property
    def is_noisy(self) -> bool:
        """Whether noise is added, is a factor, or is inside one."""
        return self.noise > 0 or self.hidden is not None or any(f.noise for f in self.sums)

    @property
    def count(self) -> int:
        """r."""
        return sum(len(p.places) for p in self.parts)


def equal_part(signal: Expr, variables: Sequence[Symbol], t: Symbol) -> tuple[Expr, tuple[int, ...]] | None:
    """g and the signs where a label is a sum of g(s_i z_i) and a number; None for others.

    Linear parts are no committee.

    Examples
    --------
    >>> t, z1, z2 = sympy.symbols("t z1 z2", real=True)
    >>> equal_part(sympy.erf(z1) + sympy.erf(-z2), (z1, z2), t)
    (erf(t), (1, -1))
    """
    terms, _ = grouped(sympy.Add.make_args(signal), variables, sympy.Add)
    if list(terms) != [(z,) for z in variables]:
        return None
    groups = _same_parts([terms[z,].xreplace({z: t}) for z in variables], t)
    if len(groups) > 1:
        return None
    [(part, places)] = groups
    slope = linear_part(part, t)
    if slope is not None and not slope[0].has(t):
        return None
    return part, tuple(sign for _, sign in places)


def separate_parts(signal: Expr, variables: Sequence[Symbol]) -> SeparateParts | None:
    """The form of a label; None where it has another one.

    Raises
    ------
    UnsupportedExpression
        If a part has more than 400 pieces.

    Examples
    --------
    >>> z = sympy.symbols("z1:5", real=True)
    >>> found = separate_parts(sympy.Max(0, z[0]) + sympy.Max(0, z[1]) + z[2] ** 2, z[:3])
    >>> [(p.places, p.even, len(p.flat)) for p in found.parts], found.largest
    ([((0, 1), False, 1), ((2,), True, 0)], False)
    >>> separate_parts(sympy.Max(z[0], z[1], abs(z[2])), z[:3]).largest
    True
    >>> norms = separate_parts(sympy.sqrt(z[0] ** 2 + z[1] ** 2) + sympy.exp(-(z[2] ** 2) - z[3] ** 2), z)
    >>> [(p.places, p.dimension, p.count) for p in norms.parts]
    [((0, 1), 2, 1), ((2, 3), 2, 1)]
    """
    noise = linear_part(signal, xi) if signal.has(xi) else (signal, S.Zero)
    if noise is None or not noise[1].is_number:
        return None
    label, size = noise[0], abs(float(noise[1]))
    extreme = _extreme(label, variables)
    if extreme is None:
        terms, _ = grouped(sympy.Add.make_args(label), variables, sympy.Add)
    else:
        terms = {(z,): g for z, g in extreme[0].items()}
    parts = parts_from(terms, variables, lambda g, t: _are_equal(g, g.xreplace({t: -t})))
    if parts is None or sum(map(len, terms)) != len(variables):
        return None
    return SeparateParts(
        parts=parts,
        noise=size,
        largest=extreme is not None,
        floor=-math.inf if extreme is None else extreme[1],
    )


def parts_from(
    terms: Mapping[tuple[Symbol, ...], Expr],
    variables: Sequence[Symbol],
    is_even: Callable[[Expr, Symbol], bool],
) -> tuple[Part, ...] | None:
    """Different parts; None where a block is no function of its norm.

    Raises
    ------
    UnsupportedExpression
        If a part has more than 400 pieces.
    """
    t = Dummy("t", real=True)
    alike: dict[int, list[tuple[list[int], Expr]]] = {}
    for block, term in terms.items():
        g = term.xreplace({block[0]: t}) if len(block) == 1 else radial_form(term, block, t)
        if g is None:
            return None
        alike.setdefault(len(block), []).append(([variables.index(z) for z in block], g))
    found = []
    for dimension, members in alike.items():
        for g, owners in _same_parts([g for _, g in members], t):
            places = [(place, sign) for i, sign in owners for place in members[i][0]]
            even = dimension > 1 or is_even(g, t)
            found.append(part_of(g, t, places, even=even, dimension=dimension))
    return tuple(found)


def _extreme(signal: Expr, variables: Sequence[Symbol]) -> tuple[dict[Symbol, Expr], float] | None:
    """The arguments, one of each coordinate, and the floor of a largest value; of a smallest, negated."""
    if not isinstance(signal, sympy.Max | sympy.Min):
        return None
    side = 1 if isinstance(signal, sympy.Max) else -1
    found: dict[Symbol, Expr] = {}
    floor = -math.inf
    for argument in signal.args:
        used = [z for z in variables if argument.has(z)]
        if not used and argument.is_number:
            floor = max(floor, side * float(argument))
            continue
        if len(used) != 1 or used[0] in found:
            return None
        found[used[0]] = side * argument
    return (found, floor) if len(found) == len(variables) else None


def part_of(g: Expr, t: Symbol, places: Sequence[tuple[int, int]], *, even: bool, dimension: int = 1) -> Part:
    """g as a function of t, of coordinates with signs or of blocks.

    Raises
    ------
    UnsupportedExpression
        If it has more than 400 pieces.
    """
    function, reach = along(g, t), _REACH + math.sqrt(dimension - 1)
    pieces = pieces_between(function, -reach if dimension == 1 else 0.0, reach)
    return Part(
        value=_full(function.value),
        pieces=pieces,
        flat=_flat(function, pieces),
        places=tuple(i for i, _ in places),
        signs=np.array([sign for _, sign in places], dtype=np.float64),
        even=even,
        dimension=dimension,
    )


def _same_parts(parts: Sequence[Expr], t: Symbol) -> list[tuple[Expr, list[tuple[int, int]]]]:
    """Different parts, each with the (place, sign) of the coordinates that have it."""
    groups: list[tuple[Expr, list[tuple[int, int]]]] = []
    for i, part in enumerate(parts):
        for first, places in groups:
            sign = next((s for s in (1, -1) if _are_equal(part, first.xreplace({t: s * t}))), None)
            if sign is not None:
                places.append((i, sign))
                break
        else:
            groups.append((part, [(i, 1)]))
    return groups


def _flat(function: Along, pieces: Sequence[NumericPiece]) -> tuple[tuple[float, float, float], ...]:
    """Intervals that end where g was no longer looked at go on."""
    found = []
    for piece in pieces:
        middle = np.linspace(piece.low, piece.high, 7)[1:-1]
        if not np.any(function.slope(middle) != 0):
            low = -math.inf if piece.low <= -_REACH else float(piece.low)
            high = math.inf if piece.high >= _REACH else float(piece.high)
            found.append((low, high, float(np.ravel(function.value(middle[:1]))[0])))
    return tuple(found)


def _full(function: Callable[..., Array]) -> Callable[[Array], Array]:
    def value(z: Array) -> Array:
        with np.errstate(divide="ignore", invalid="ignore"):  # at a pole
            return np.broadcast_to(np.asarray(function(z), dtype=np.float64), z.shape)

    return value


def _are_equal(one: Expr, other: Expr) -> bool:
    return bool(one == other or expanded(one - other) == 0)
