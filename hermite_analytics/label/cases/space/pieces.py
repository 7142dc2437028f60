"""Labels of three coordinates, smooth off planes: the planes, and the smooth pieces with their gradients."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import sympy
from numpy.typing import NDArray
from sympy import Expr, Symbol

from hermite_analytics.codegen import compile
from hermite_analytics.gaussian.distribution import expanded
from hermite_analytics.label.cases.space.wedges import Cell, Plane
from hermite_analytics.label.function_of_points import function_of_points
from hermite_analytics.label.symmetries import LabelSymmetry, label_symmetries
from hermite_analytics.language.kinks import opened

__all__ = ["PiecewiseLabel", "piecewise_label"]

Array = NDArray[np.float64]
Kernel = Callable[..., tuple[Array, ...]]

_MOST_LETTERS = 6
_MOST_DEGREE = 6  # of a product of forms


@dataclass(frozen=True, slots=True, kw_only=True)
class PiecewiseLabel:
    """g(w1, w2, w3), smooth off planes.

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
    """

    planes: tuple[Plane, ...]
    kernel: Kernel
    signs: Kernel
    labels: Callable[[Array], Array] | None = None
    own: tuple[LabelSymmetry, ...] = ()

    def piece(self, cell: Cell) -> Callable[[Array], tuple[Array, Array]]:
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
        """That of the label off its kinks, shape (..., 3); 0 where it has finitely many values."""
        if self.labels is not None:
            return np.zeros_like(points)
        parts = np.moveaxis(points, -1, 0)
        with np.errstate(all="ignore"):
            found = self.kernel(*parts, *(np.sign(v) for v in self.signs(*parts)))
        return np.stack(
            [np.broadcast_to(np.asarray(v, dtype=float), points.shape[:-1]) for v in found[1:]], -1
        )


def piecewise_label(signal: Expr, coordinates: Sequence[Symbol]) -> PiecewiseLabel | None:
    """The planes and the pieces of a label of three coordinates; None if it has kinks off planes.

    A label of finitely many values may jump on one curved surface h = 0 besides: then g = h.

    Examples
    --------
    >>> from sympy import Max, sign, symbols
    >>> w = symbols("w1 w2 w3", real=True)
    >>> sorted(piecewise_label(Max(w[0], w[1]) + abs(w[2] - 1), w).planes)
    [(0.0, 0.0, 1.0, 1.0), (1.0, -1.0, 0.0, 0.0)]
    >>> piecewise_label(abs(w[0] + w[1] ** 2 + w[2]), w) is None
    True
    >>> piecewise_label(sign(w[0] * w[1] + w[2]), w).labels(np.array([1.0, 2.0, -5.0])).item()
    -1.0
    """
    if len(coordinates) != 3 or signal.free_symbols - set(coordinates):
        return None
    plain, signs = opened(signal)
    planes: list[Plane] = []
    curved: dict[Symbol, Expr] = {}
    for letter, argument in signs.items():
        found = _planes(argument, tuple(signs), coordinates)
        if found is None:
            curved[letter] = argument
        planes += [p for p in found or () if p not in planes]
    if not curved:
        return _pieces(plain, signs, planes, coordinates)
    if len(curved) > 1 or plain.has(*coordinates):
        return None
    (surface,) = curved.values()
    if any(a.has(*curved) for letter, a in signs.items() if letter not in curved):
        return None
    straight = {letter: a for letter, a in signs.items() if letter not in curved}
    return dataclasses.replace(
        _pieces(surface, straight, planes, coordinates),
        labels=function_of_points(signal, coordinates),
        own=label_symmetries(_with_signs(surface, straight), coordinates),
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


def _planes(argument: Expr, signs: Sequence[Symbol], coordinates: Sequence[Symbol]) -> list[Plane] | None:
    """Where the argument of a kink vanishes, whatever the signs in it."""
    letters = [s for s in signs if argument.has(s)]
    if len(letters) > _MOST_LETTERS:
        return None
    found: list[Plane] = []
    for values in itertools.product((-1, 1), repeat=len(letters)):
        plain = expanded(argument.xreplace(dict(zip(letters, map(sympy.Integer, values), strict=True))))
        if not plain.is_polynomial(*coordinates):
            return None
        planes = _zeros(sympy.Poly(plain, *coordinates))
        if planes is None:
            return None
        found += planes
    return found


def _zeros(poly: sympy.Poly) -> list[Plane] | None:
    """The planes where a polynomial vanishes: an affine form, a function of one coordinate, or a product."""
    degree = poly.total_degree()
    if degree <= 0:
        return []
    if degree == 1:
        return [_plane(poly)]
    used = [k for k, w in enumerate(poly.gens) if poly.degree(w) > 0]
    if len(used) == 1:
        roots = np.roots([float(c) for c in sympy.Poly(poly.as_expr(), poly.gens[used[0]]).all_coeffs()])
        unit = np.eye(3)[used[0]]
        return [(*map(float, unit), float(r.real)) for r in roots if abs(r.imag) < 1e-9]  # type: ignore[misc]
    if degree > _MOST_DEGREE or not all(c.is_Rational for c in poly.coeffs()):
        return None
    factors = [factor for factor, _ in poly.factor_list()[1]]
    return [_plane(f) for f in factors] if all(f.total_degree() == 1 for f in factors) else None


def _plane(poly: sympy.Poly) -> Plane:
    a, b, c = (float(poly.coeff_monomial(w)) for w in poly.gens)
    return a, b, c, 0.0 - float(poly.coeff_monomial(1))
