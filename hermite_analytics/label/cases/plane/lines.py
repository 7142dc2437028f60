"""Labels of two unknown coordinates without more structure: the lines and curves on which they break."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from sympy import Expr, Symbol

from hermite_analytics.codegen import compile
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.label.cases.flats import factors_of, flats_of, flats_of_all, on_all_sides
from hermite_analytics.label.cases.plane.breaks import Breaks
from hermite_analytics.label.function_of_points import function_of_points
from hermite_analytics.language.kinks import STAIRS, opened

__all__ = ["Planar", "breaks_of", "planar_label"]

Planar = Callable[..., tuple[Callable[[Array], Array], list[tuple[float, float, float]]]]

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
    arguments = _arguments(signal)
    forms = None if arguments is None else flats_of_all(arguments, unknown)
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
        for part in (p for a in arguments for p in factors_of(a, coordinates)):
            straight = flats_of(part, coordinates)
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


def _arguments(signal: Expr) -> list[Expr] | None:
    """The arguments of kinks, for all signs of the kinks within; None of too many, and of floors."""
    if signal.has(*STAIRS):
        return None
    _, signs = opened(signal)
    found: list[Expr] = []
    for argument in signs.values():
        plain = on_all_sides(argument, tuple(signs))
        if plain is None:
            return None
        found += plain
    return found
