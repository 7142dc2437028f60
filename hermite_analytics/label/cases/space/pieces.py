"""Labels of three coordinates, smooth off planes and graphs: these, and the smooth pieces with gradients."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import sympy
from sympy import Expr, Symbol

from hermite_analytics.codegen import compile
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.label.cases.flats import on_all_sides
from hermite_analytics.label.cases.space.columns import Region
from hermite_analytics.label.cases.space.surfaces import (
    Graphs,
    graphs_of,
    planes_of,
    under_roots,
)
from hermite_analytics.label.cases.space.wedges import Plane, cells_between
from hermite_analytics.label.function_of_points import function_of_points
from hermite_analytics.label.reduction.one_value import OneValue
from hermite_analytics.label.symmetries import LabelSymmetry, label_symmetries
from hermite_analytics.language.kinks import opened

__all__ = ["PiecewiseLabel", "piecewise_label"]

Kernel = Callable[..., tuple[Array, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class PiecewiseLabel:
    """g(w1, w2, w3), smooth off planes and graphs.

    Attributes
    ----------
    planes : tuple of (a, b, c, d)
        The planes a w1 + b w2 + c w3 = d across which g has a kink or a jump.
    kernel : function of w1, w2, w3 and the signs of the arguments of kinks
        (g, its three derivatives).
    signs : function of w1, w2, w3
        The arguments of kinks.
    labels : function of points, shape (..., 3), or None
        Where the label is not g itself: one of finitely many values, given by the sign of g and the cell.
    own : tuple of LabelSymmetry
        Then those of g, proved.
    outer : OneValue or None
        F of a label F(g) that is constant between places of g, as a floor is.
    graphs : Graphs or None
        Surfaces of kinks beside the planes, which then contain one axis.
    """

    planes: tuple[Plane, ...]
    kernel: Kernel
    signs: Kernel
    labels: Callable[[Array], Array] | None = None
    own: tuple[LabelSymmetry, ...] = ()
    outer: OneValue | None = None
    graphs: Graphs | None = None

    def cells(self, smooth: Sequence[Plane] = (), *, cut: bool = False) -> tuple[Region, ...] | None:
        """Cells in which g is smooth, divided by planes of `smooth` and some through 0 (`cells_between`)."""
        if self.graphs is None:
            return cells_between(self.planes, smooth, cut=cut)
        return self.graphs.columns(smooth, cut=cut)

    def piece(self, cell: Region) -> Callable[[Array], tuple[Array, Array]]:
        """Points, shape (..., 3) -> (g, its gradient, shape (..., 3)), continued smoothly beyond the cell."""
        with np.errstate(all="ignore"):
            letters = [float(np.sign(v)) for v in self.signs(*cell.inner_point())]

        def at(points: Array) -> tuple[Array, Array]:
            shape = points.shape[:-1]
            with np.errstate(all="ignore"):
                found = self.kernel(*np.moveaxis(points, -1, 0), *letters)
            y, *slopes = (np.broadcast_to(np.asarray(v, dtype=np.float64), shape) for v in found)
            return y, np.stack(slopes, axis=-1)

        return at

    def gradient(self, points: Array) -> Array:
        """That of the label off its kinks, shape (..., 3); 0 where it has places or finitely many values."""
        if self.labels is not None or self.outer is not None:
            return np.zeros_like(points)
        parts = np.moveaxis(points, -1, 0)
        with np.errstate(all="ignore"):
            found = self.kernel(*parts, *(np.sign(v) for v in self.signs(*parts)))
        return np.stack(
            [np.broadcast_to(np.asarray(v, dtype=float), points.shape[:-1]) for v in found[1:]], -1
        )


def piecewise_label(signal: Expr, coordinates: Sequence[Symbol]) -> PiecewiseLabel | None:
    """The kinks and the pieces of a label of three coordinates; None if its kinks are no planes and graphs.

    A label of finitely many values may jump on any one curved surface h = 0: then g = h.

    Examples
    --------
    >>> from sympy import Max, sign, symbols
    >>> w = symbols("w1 w2 w3", real=True)
    >>> sorted(piecewise_label(Max(w[0], w[1]) + abs(w[2] - 1), w).planes)
    [(0.0, 0.0, 1.0, 1.0), (1.0, -1.0, 0.0, 0.0)]
    >>> piecewise_label(abs(w[0] + w[1] ** 2 + w[2]), w).graphs.axis_of
    2
    >>> piecewise_label(abs(w[0] ** 2 + w[1] ** 2 + w[2] ** 2 - 1), w) is None
    True
    >>> piecewise_label(sign(w[0] * w[1] + w[2]), w).labels(np.array([1.0, 2.0, -5.0])).item()
    -1.0
    """
    if len(coordinates) != 3 or signal.free_symbols - set(coordinates):
        return None
    plain, signs = opened(signal)
    arguments = {letter: on_all_sides(a, tuple(signs)) for letter, a in signs.items()}
    bends = [a for found in arguments.values() for a in found or ()]
    if None in arguments.values():
        return None
    corners = under_roots(plain, coordinates)
    flat = [p for a in (*corners, *bends) for p in planes_of([a], coordinates) or ()]
    planes = list(dict.fromkeys(flat))
    curved = [letter for letter, found in arguments.items() if _is_curved(found or (), coordinates)]
    if not curved and cells_between(planes) is not None:
        return _pieces(plain, signs, planes, coordinates)
    if len(curved) == 1 and not plain.has(*coordinates):
        of_surface = _of_surface(signal, signs, curved[0], planes, coordinates)
        if of_surface is not None:
            return of_surface
    graphs = graphs_of([*bends, *corners], coordinates)
    if graphs is None:
        return None
    return dataclasses.replace(_pieces(plain, signs, graphs.planes, coordinates), graphs=graphs)


def _is_curved(arguments: Sequence[Expr], coordinates: Sequence[Symbol]) -> bool:
    return planes_of(arguments, coordinates) is None


def _of_surface(
    signal: Expr,
    signs: dict[Symbol, Expr],
    curved: Symbol,
    planes: Sequence[Plane],
    coordinates: Sequence[Symbol],
) -> PiecewiseLabel | None:
    """A label of finitely many values by the function that vanishes on its surface."""
    straight = {letter: a for letter, a in signs.items() if letter != curved}
    if any(a.has(curved) for a in straight.values()):
        return None
    return dataclasses.replace(
        _pieces(signs[curved], straight, planes, coordinates),
        labels=function_of_points(signal, coordinates),
        own=label_symmetries(_with_signs(signs[curved], straight), coordinates),
    )


def _pieces(
    plain: Expr,
    signs: dict[Symbol, Expr],
    planes: Sequence[Plane],
    coordinates: Sequence[Symbol],
) -> PiecewiseLabel:
    names = {letter: Symbol(f"s{k}", real=True) for k, letter in enumerate(signs)}
    smooth = plain.xreplace(names)
    outputs = {"y": smooth} | {f"d{k}": smooth.diff(w) for k, w in enumerate(coordinates)}
    return PiecewiseLabel(
        planes=tuple(planes),
        kernel=compile(outputs, (*coordinates, *names.values()), backend="array"),
        signs=_arguments(signs, coordinates),
    )


def _arguments(signs: dict[Symbol, Expr], coordinates: Sequence[Symbol]) -> Kernel:
    arguments = [_with_signs(a, signs) for a in signs.values()]
    if not arguments:
        return _nothing
    return compile({f"a{k}": a for k, a in enumerate(arguments)}, tuple(coordinates), backend="array")


def _with_signs(expression: Expr, signs: dict[Symbol, Expr]) -> Expr:
    """Letters written as the signs that they stand for."""
    back = {letter: sympy.sign(argument) for letter, argument in signs.items()}
    while signs and expression.has(*signs):
        expression = expression.xreplace(back)
    return expression


def _nothing(*_: float) -> tuple[Array, ...]:
    return ()
