"""Homogeneous labels of two or three coordinates: the rays and planes where they break."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import sympy
from sympy import Expr, Rational, S, Symbol

from hermite_analytics.codegen import compile
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.gaussian.homogeneity import homogeneous_degree
from hermite_analytics.label.cases.homogeneous.radial import planar_density, spatial_density
from hermite_analytics.label.cases.line.functions import along, sign_changes
from hermite_analytics.label.cases.parts.density import LabelDensity
from hermite_analytics.label.exact.signs import is_nonnegative
from hermite_analytics.language.kinks import opened

__all__ = ["homogeneous_law"]

_GRID = 4001
_OFFSET = 0.1234567


def homogeneous_law(signal: Expr, used: tuple[Symbol, ...]) -> Callable[[int], LabelDensity] | None:
    """The law of the label by its radius, as a function of the level; None where it is not homogeneous."""
    degree = homogeneous_degree(signal, used)
    if degree is None or not degree.is_positive or len(used) not in (2, 3):
        return None
    if len(used) == 2:
        return _planar(signal, used, float(degree))
    return _spatial(signal, used, float(degree))


def _planar(signal: Expr, used: tuple[Symbol, ...], degree: float) -> Callable[[int], LabelDensity]:
    t = Symbol("t", real=True)
    on_circle = signal.xreplace({used[0]: sympy.cos(t), used[1]: sympy.sin(t)})
    function = along(on_circle, t)
    factors = [along(f, t).value for f in _factors(on_circle) if f.has(t)]
    # the grid starts off the axes, so that no zero sits on a node
    grid = np.linspace(0, 2 * math.pi, _GRID) + _OFFSET
    found = [sign_changes(f, grid) for f in (function.value, *function.kinks, *factors)]
    breaks = np.unique(np.round(np.concatenate(found) % (2 * math.pi), 13))

    return lambda level: planar_density(function.value, degree, breaks.tolist(), level=level)


def _factors(expr: Expr) -> list[Expr]:
    """What vanishes where a product does, perhaps without changing its sign."""
    if expr.is_Mul:
        return [f for a in expr.args for f in _factors(a)]
    return _factors(expr.base) if expr.is_Pow else [expr]


def _spatial(signal: Expr, used: tuple[Symbol, ...], degree: float) -> Callable[[int], LabelDensity] | None:
    normals = _normals(signal, used)
    if normals is None:
        return None
    kernel = compile(signal, used, backend="array")

    def value(points: Array) -> Array:
        return np.asarray(kernel(points[:, 0], points[:, 1], points[:, 2]), dtype=np.float64)

    return lambda level: spatial_density(value, degree, normals, level=level)


def _normals(signal: Expr, used: tuple[Symbol, ...]) -> Array | None:
    """Normals of all planes where the label vanishes or has a kink; None if there are other surfaces."""
    _, signs = opened(signal)
    forms = [*signs.values(), *(f for f in _factors(signal) if not is_nonnegative(f))]
    rows: list[list[Rational]] = []
    for form in forms:
        letters = sorted(form.free_symbols - set(used), key=str)
        for values in itertools.product((-1, 1), repeat=len(letters)):
            plain = sympy.expand(_without_kinks(form).subs(dict(zip(letters, values, strict=True))))
            row = _row(plain, used)
            if row is None:
                return None
            rows.append(row)
    array = np.array(rows, dtype=float).reshape(-1, 3)
    sizes = np.linalg.norm(array, axis=1)
    return np.asarray(array[sizes > 0] / sizes[sizes > 0, None])


def _without_kinks(form: Expr) -> Expr:
    return form.args[0] if isinstance(form, sympy.Abs | sympy.sign) else form


def _row(plain: Expr, used: tuple[Symbol, ...]) -> list[Expr] | None:
    if not plain.is_polynomial(*used):
        return None
    poly = sympy.Poly(plain, *used)
    if poly.is_zero:
        return [S.Zero] * len(used)
    if any(sum(m) != 1 for m in poly.monoms()):
        return None
    return [poly.coeff_monomial(w) for w in used]
