"""Labels that are sums of functions of separate blocks of coordinates, and noise: their form.

A block has the law of a quadratic form of Gaussians once at most one of its coordinates is given,

    G(z) = a(z_c) (z^T Q z/2 + q.z) + b(z_c),

z the other ones: products of up to three coordinates, any function of one, products of one with a linear or
quadratic form of others.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import sympy
from sympy import Expr, S, Symbol

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.gaussian.distribution import expanded
from hermite_analytics.label.cases.line.functions import Along, along, pieces_between, zeros_between
from hermite_analytics.label.function_of_points import function_of_points
from hermite_analytics.language.affine import linear_part
from hermite_analytics.symbols import xi

__all__ = ["Block", "SeparateBlocks", "quadratic_block", "separate_blocks"]

Function = Callable[[Array], Array]

_REACH = 9.0  # |z| up to which turning points are looked for
_SAME = 1e-9
_ROUNDING = 1e-12  # of a coefficient, relative to the largest: what turning leaves of one that is 0
_WIDEST = 3  # coordinates of a block


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One term G.

    Attributes
    ----------
    inner : tuple of int
        The places of the coordinates z.
    outer : int or None
        That of z_c; None where G is quadratic, a = 1 and b = 0.
    quadratic : ndarray, shape (p, p)
        Q.
    linear : ndarray, shape (p,)
        q.
    scale, shift : functions of an array
        a and b.
    special : tuple of float
        Zeros, turning points and kinks of a and b.
    labels : tuple of float
        At which the law of G may be singular.
    value : function of points, shape (..., p + 1) or (..., p)
        G of `places`.
    """

    inner: tuple[int, ...]
    outer: int | None
    quadratic: Array
    linear: Array
    scale: Function
    shift: Function | None
    special: tuple[float, ...]
    labels: tuple[float, ...]
    value: Function

    @property
    def places(self) -> tuple[int, ...]:
        """All coordinates, z_c last."""
        return self.inner if self.outer is None else (*self.inner, self.outer)

    @property
    def is_linear(self) -> bool:
        """Whether it is a multiple of a coordinate, or a linear form."""
        return self.outer is None and not self.quadratic.any()

    @property
    def is_joint(self) -> bool:
        """Whether it is no sum of functions of one coordinate each."""
        size = np.abs(self.quadratic)
        mixed = (size - np.diag(np.diag(size))).max(initial=0.0) > _ROUNDING * size.max(initial=0.0)
        return bool(mixed or (self.inner and self.outer is not None))

    def along(self, axes: Array) -> Block:
        """The same of u, z = axes u for the coordinates z."""
        whole = np.eye(len(self.places))
        whole[: len(axes), : len(axes)] = axes
        return dataclasses.replace(
            self,
            quadratic=axes.T @ self.quadratic @ axes,
            linear=axes.T @ self.linear,
            value=lambda points: self.value(points @ whole.T),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SeparateBlocks:
    """y = sum of blocks + noise * xi, up to a number."""

    blocks: tuple[Block, ...]
    noise: float

    @property
    def count(self) -> int:
        """r."""
        return sum(len(b.places) for b in self.blocks)

    def turned(self) -> tuple[SeparateBlocks, Array]:
        """(the same in coordinates u along the axes of quadratic blocks, R with z = R u).

        Examples
        --------
        >>> z = sympy.symbols("z1:4", real=True)
        >>> form, rotation = separate_blocks(z[0] * z[1] + z[2] ** 2, z).turned()
        >>> np.diag(form.blocks[0].quadratic).round(9).tolist(), np.abs(rotation[0]).round(4).tolist()
        ([-1.0, 1.0], [0.7071, 0.7071, 0.0])
        """
        rotation, blocks = np.eye(self.count), []
        for block in self.blocks:
            inner = list(block.inner)
            if block.outer is None:
                rotation[np.ix_(inner, inner)] = np.linalg.eigh(block.quadratic)[1]
            blocks.append(block.along(rotation[np.ix_(inner, inner)]))
        return dataclasses.replace(self, blocks=tuple(blocks)), rotation

    @property
    def even(self) -> tuple[int, ...]:
        """Coordinates of which only the square enters, by the quadratic blocks."""
        found: list[int] = []
        for block in self.blocks:
            if block.outer is None and not block.is_joint:
                size = np.abs(block.linear)
                none = size <= _ROUNDING * size.max(initial=0.0)
                found += [i for i, is_none in zip(block.inner, none, strict=True) if is_none]
        return tuple(found)


def separate_blocks(signal: Expr, variables: Sequence[Symbol]) -> SeparateBlocks | None:
    """The form of a label of two terms at least, noise being one, of which a block has several coordinates.

    None where it has another one.

    Examples
    --------
    >>> z = sympy.symbols("z1:5", real=True)
    >>> found = separate_blocks(z[0] ** 2 + abs(z[1]) * z[2] * z[3] + xi / 2, z)
    >>> [(b.inner, b.outer) for b in found.blocks], found.noise
    ([((0,), None), ((2, 3), 1)], 0.5)
    >>> separate_blocks(z[0] * z[1] * z[2] * z[3] + xi, z) is None
    True
    """
    noise = linear_part(signal, xi) if signal.has(xi) else (signal, S.Zero)
    if noise is None or not noise[1].is_number:
        return None
    terms = _joined(expanded(noise[0]), variables)
    places = {z: i for i, z in enumerate(variables)}
    widths = [len(used) for used, _ in terms]
    if len(terms) + (noise[1] != 0) < 2 or max(widths) < 2 or sum(widths) < len(variables):
        return None
    blocks = [_block(term, used, places) for used, term in terms]
    if any(b is None for b in blocks):
        return None
    return SeparateBlocks(
        blocks=tuple(b for b in blocks if b is not None),
        noise=abs(float(noise[1])),
    )


def quadratic_block(signal: Expr, variables: Sequence[Symbol]) -> tuple[Block, float] | None:
    """The block of a quadratic form of the variables that stand in it, and the number beside it.

    Examples
    --------
    >>> z = sympy.symbols("z1:5", real=True)
    >>> block, number = quadratic_block(z[0] * z[1] - z[3] ** 2 + z[1] - 1, z)
    >>> block.inner, block.linear.tolist(), number
    ((0, 1, 3), [0.0, 1.0, 0.0], -1.0)
    """
    used = tuple(z for z in variables if signal.has(z))
    if not used or not signal.is_polynomial(*used):
        return None
    number = signal.xreplace(dict.fromkeys(used, S.Zero))
    form = _given(rest := expanded(signal - number), used, None) if number.is_number else None
    places = {z: i for i, z in enumerate(variables)}
    return None if form is None else (_finished(rest, used, None, form, places), float(number))


def _joined(signal: Expr, variables: Sequence[Symbol]) -> list[tuple[tuple[Symbol, ...], Expr]]:
    """Terms joined where they share coordinates, with these; numbers are left out."""
    groups: list[tuple[set[Symbol], Expr]] = []
    for term in sympy.Add.make_args(signal):
        used = {z for z in variables if term.has(z)}
        if not used:
            continue
        apart = [g for g in groups if not g[0] & used]
        for other, more in groups:
            if other & used:
                used, term = used | other, term + more
        groups = [*apart, (used, term)]
    ordered = [(tuple(z for z in variables if z in used), term) for used, term in groups]
    return sorted(ordered, key=lambda g: variables.index(g[0][0]))


def _block(term: Expr, used: Sequence[Symbol], places: dict[Symbol, int]) -> Block | None:
    """By the first coordinate that has to be given, none where that will do."""
    if len(used) > _WIDEST:
        return None
    for outer in (None, *used):
        inner = tuple(z for z in used if z is not outer)
        form = _given(term, inner, outer)
        if form is not None:
            return _finished(term, inner, outer, form, places)
    return None


Form = tuple[Expr, Expr, Array, Array]


def _given(term: Expr, inner: Sequence[Symbol], outer: Symbol | None) -> Form | None:
    """(a, b, Q, q)."""
    if not inner:
        return S.Zero, term, np.zeros((0, 0)), np.zeros(0)
    if not term.is_polynomial(*inner):
        return None
    poly = sympy.Poly(term, *inner)
    if poly.total_degree() > 2:
        return None
    parts = _over_one_number(poly)
    if parts is None:
        return None
    unit, shift, quadratic, linear = parts
    if outer is not None:
        return unit or S.Zero, shift, quadratic, linear
    if unit is None or not unit.is_number or shift != 0:
        return None
    return S.One, S.Zero, float(unit) * quadratic, float(unit) * linear


def _over_one_number(poly: sympy.Poly) -> tuple[Expr | None, Expr, Array, Array] | None:
    """(u, constant, Q, q) of constant + u (z^T Q z/2 + q^T z), Q and q numbers; u is None for a constant."""
    p = len(poly.gens)
    quadratic, linear = np.zeros((p, p)), np.zeros(p)
    unit, shift = None, S.Zero
    for powers, coefficient in poly.terms():
        if not any(powers):
            shift = coefficient
            continue
        unit = coefficient if unit is None else unit
        ratio = sympy.cancel(coefficient / unit) if coefficient != unit else S.One
        if not ratio.is_number:
            return None
        at = [i for i, k in enumerate(powers) for _ in range(k)]
        if len(at) == 1:
            linear[at[0]] = float(ratio)
        else:
            quadratic[at[0], at[1]] += float(ratio)
            quadratic[at[1], at[0]] += float(ratio)
    return unit, shift, quadratic, linear


def _finished(
    term: Expr, inner: Sequence[Symbol], outer: Symbol | None, form: Form, places: dict[Symbol, int]
) -> Block:
    a, b, quadratic, linear = form
    names = inner if outer is None else (*inner, outer)
    special: tuple[float, ...] = ()
    if outer is None:
        labels = _critical(quadratic, linear)
        scale, shift = _full(np.ones_like), None
    else:
        along_a, along_b = along(a, outer), along(b, outer)
        scale, shift = _full(along_a.value), _full(along_b.value) if b != 0 else None
        bends = _edges(along_a) if inner else ()
        zeros = (*(z for z in bends if abs(float(scale(np.array([z]))[0])) < _SAME),)
        zeros = (*zeros, *zeros_between(along_a, -_REACH, _REACH)) if inner else ()
        turning = _edges(along_b) if b.has(outer) else ()
        special = _different((*zeros, *turning, *bends))
        labels = tuple(float(v) for v in _full(along_b.value)(np.array(zeros if inner else turning)))
    return Block(
        inner=tuple(places[z] for z in inner),
        outer=None if outer is None else places[outer],
        quadratic=quadratic,
        linear=linear,
        scale=scale,
        shift=shift,
        special=special,
        labels=_different(labels),
        value=function_of_points(term, tuple(names)),
    )


def _critical(quadratic: Array, linear: Array) -> tuple[float, ...]:
    """The label at which the gradient of a quadratic form vanishes, if it does."""
    z = -np.linalg.pinv(quadratic) @ linear
    return (float(0.5 * linear @ z),) if np.abs(quadratic @ z + linear).max() < _SAME else ()


def _edges(function: Along) -> tuple[float, ...]:
    return tuple(float(p.high) for p in pieces_between(function, -_REACH, _REACH)[:-1])


def _different(labels: Sequence[float]) -> tuple[float, ...]:
    found: list[float] = []
    for label in sorted(labels):
        if not found or label - found[-1] > _SAME * max(1.0, abs(label)):
            found.append(label)
    return tuple(found)


def _full(function: Callable[..., Array]) -> Function:
    def full(z: Array) -> Array:
        with np.errstate(divide="ignore", invalid="ignore"):  # infinite at a point
            return np.broadcast_to(np.asarray(function(z), dtype=np.float64), z.shape)

    return full
