"""Labels of two unknown coordinates without more structure: the lines and curves on which they break."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import numpy as np
import sympy
from sympy import Expr, Symbol

from hermite_analytics.codegen import compile
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.gaussian.distribution import expanded
from hermite_analytics.label.cases.plane.breaks import Breaks
from hermite_analytics.label.function_of_points import function_of_points
from hermite_analytics.language.factors import irreducible_factors
from hermite_analytics.language.kinks import STAIRS, opened

__all__ = ["Planar", "breaks_of", "lines_of", "planar_label"]

Planar = Callable[..., tuple[Callable[[Array], Array], list[tuple[float, float, float]]]]

_MOST_LETTERS = 6
_MOST_DEGREE = 6  # of a product of forms
_MOST_BREAKS = 24  # lines and curves


def planar_label(signal: Expr, unknown: tuple[Symbol, ...], known: tuple[Symbol, ...] = ()) -> Planar | None:
    """x -> (g(., x) as a function of points (n, 2), the lines a w1 + b w2 = c of its kinks), else None.

    None where there are not two unknown coordinates, or kinks off straight lines.

    Examples
    --------
    >>> from sympy import symbols
    >>> w1, w2, x = symbols("w1 w2 x", real=True)
    >>> at = planar_label(abs(w1 - w2 + x) * w1, (w1, w2), (x,))
    >>> value, lines = at(0.5)
    >>> value(np.array([[1.0, 2.0]])).tolist(), lines
    ([0.5], [(1.0, -1.0, -0.5)])
    """
    if len(unknown) != 2 or signal.free_symbols - {*unknown, *known}:
        return None
    forms = _forms(signal, unknown)
    if forms is None:
        return None
    kernel = compile(signal, (*unknown, *known), backend="array")
    names = {f"c{i}_{j}": entry for i, form in enumerate(forms) for j, entry in enumerate(form)}
    edges = compile(names, known, backend="array") if names and known else None

    def at(*x: float) -> tuple[Callable[[Array], Array], list[tuple[float, float, float]]]:
        def value(points: Array) -> Array:
            found = np.asarray(kernel(points[:, 0], points[:, 1], *x), dtype=np.float64)
            return np.broadcast_to(found, len(points))

        if edges is None:
            rows = [tuple(float(e) for e in form) for form in forms]
        else:
            flat = [float(v) for v in edges(*x)]
            rows = [tuple(flat[i : i + 3]) for i in range(0, len(flat), 3)]
        return value, [(a, b, c) for a, b, c in rows if a or b]

    return at


def breaks_of(functions: Sequence[Expr], coordinates: tuple[Symbol, Symbol]) -> Breaks | None:
    """The lines and curves where some functions may have kinks or jumps; None where there are too many.

    Examples
    --------
    >>> from sympy import symbols
    >>> w1, w2 = symbols("w1 w2", real=True)
    >>> found = breaks_of([abs(w1**3 - w1 * w2**2) + abs(w1 * w2 - 1)], (w1, w2))
    >>> found.lines.tolist(), len(found.curves)
    ([[1.0, -1.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0]], 1)
    """
    lines: dict[tuple[float, ...], None] = {}
    curves: dict[Expr, None] = {}
    for function in functions:
        arguments = _arguments(function)
        if arguments is None:
            return None
        for part in (p for a in arguments for p in _parts(a, coordinates)):
            straight = lines_of(part, coordinates)
            if straight is None:
                curves[part] = None
            else:
                lines.update(dict.fromkeys(tuple(float(x) for x in line) for line in straight))
    if len(lines) + len(curves) > _MOST_BREAKS:
        return None
    found = sorted(line for line in lines if line[0] or line[1])
    return Breaks(
        lines=np.array(found, dtype=np.float64).reshape(-1, 3),
        curves=tuple(function_of_points(curve, coordinates) for curve in curves),
    )


def _parts(plain: Expr, unknown: tuple[Symbol, ...]) -> list[Expr]:
    """The irreducible factors of a polynomial with rational coefficients; others as they are."""
    poly = sympy.Poly(plain, *unknown) if plain.is_polynomial(*unknown) else None
    if poly is None or poly.total_degree() < 2 or not all(c.is_Rational for c in poly.coeffs()):
        return [plain]
    return [factor.as_expr() for factor, _ in irreducible_factors(poly)[1]]


def _forms(signal: Expr, unknown: tuple[Symbol, ...]) -> list[tuple[Expr, Expr, Expr]] | None:
    """(a, b, c) of each line on which the argument of a kink vanishes."""
    arguments = _arguments(signal)
    if arguments is None:
        return None
    found: list[tuple[Expr, Expr, Expr]] = []
    for argument in arguments:
        lines = lines_of(argument, unknown)
        if lines is None:
            return None
        found += lines
    return list(dict.fromkeys(found))


def _arguments(signal: Expr) -> list[Expr] | None:
    """The arguments of kinks, for all signs of the kinks within; None of too many, and of floors."""
    if signal.has(*STAIRS):
        return None
    _, signs = opened(signal)
    found: list[Expr] = []
    for argument in signs.values():
        letters = [s for s in signs if argument.has(s)]
        if len(letters) > _MOST_LETTERS:
            return None
        for values in itertools.product((-1, 1), repeat=len(letters)):
            found.append(
                expanded(argument.xreplace(dict(zip(letters, map(sympy.Integer, values), strict=True))))
            )
    return found


def lines_of(plain: Expr, unknown: tuple[Symbol, ...]) -> list[tuple[Expr, Expr, Expr]] | None:
    """(a, b, c) of the lines a w1 + b w2 = c where an expression vanishes; None if it does elsewhere."""
    if not plain.is_polynomial(*unknown):
        return None
    poly = sympy.Poly(plain, *unknown)
    if poly.total_degree() == 0:
        return []
    if poly.total_degree() == 1:
        a, b = (poly.coeff_monomial(w) for w in unknown)
        return [(a, b, -poly.coeff_monomial(1))]
    parallel = _parallel_lines(poly, unknown)
    return _factors(poly, unknown) if parallel is None else parallel


def _factors(poly: sympy.Poly, unknown: Sequence[Symbol]) -> list[tuple[Expr, Expr, Expr]] | None:
    """Of a product of affine forms with rational coefficients."""
    if poly.total_degree() > _MOST_DEGREE or not all(c.is_Rational for c in poly.coeffs()):
        return None
    found = []
    for factor, _ in irreducible_factors(poly)[1]:
        if factor.total_degree() != 1:
            return None
        a, b = (factor.coeff_monomial(w) for w in unknown)
        found.append((a, b, -factor.coeff_monomial(1)))
    return found


def _parallel_lines(poly: sympy.Poly, unknown: Sequence[Symbol]) -> list[tuple[Expr, Expr, Expr]] | None:
    """Of a polynomial with numbers as coefficients in one of the coordinates alone."""
    used = [i for i, w in enumerate(unknown) if poly.degree(w) > 0]
    if len(used) != 1 or poly.as_expr().free_symbols - set(unknown):
        return None
    coefficients = [float(c) for c in sympy.Poly(poly.as_expr(), unknown[used[0]]).all_coeffs()]
    roots = [sympy.Float(r.real) for r in np.roots(coefficients) if abs(r.imag) < 1e-9]
    axis = (sympy.S.One, sympy.S.Zero) if used[0] == 0 else (sympy.S.Zero, sympy.S.One)
    return [(*axis, root) for root in roots]
