"""Compiled functions of a label along one coordinate: values, slopes off the kinks, monotone pieces."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import sympy
from sympy import Expr, Symbol

from hermite_analytics.codegen import compile
from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.foundation.roots import roots_between
from hermite_analytics.gaussian.breakpoints import sharp_arguments
from hermite_analytics.label.cases.line.numeric_pieces import NumericPiece
from hermite_analytics.language.kinks import differences_in_turn, opened

__all__ = [
    "Along",
    "along",
    "array_function",
    "is_steep",
    "kinks_of",
    "pieces_between",
    "sign_changes",
    "zeros_between",
]

_GRID = 3001
_FAR, _PLACES = 12.0, 4001  # of kinks on the whole line
_ROUNDING = 1e-15
_FLAT = 1e-13
_STEEP = 1e-10  # slope of what is not flat
_BESIDE = 1e-14
_RUNGS = 80  # from there to the step of a grid, on each side of a kink
_MOST_PIECES = 400
_NESTED = 4  # kinks within kinks that are looked for


@dataclass(frozen=True, slots=True, kw_only=True)
class Along:
    """A label along one coordinate, the others being parameters.

    Parameters
    ----------
    value, slope : functions of the coordinate and the parameters
    kinks : tuple of such functions
        The label is smooth where none of them vanishes: those of logarithms and roots are among them.
    """

    value: Callable[..., Array]
    slope: Callable[..., Array]
    kinks: tuple[Callable[..., Array], ...]

    def at(self, *parameters: float) -> Along:
        """The same with the parameters fixed."""

        def fixed(function: Callable[..., Array]) -> Callable[..., Array]:
            return lambda z: function(z, *parameters)

        return Along(value=fixed(self.value), slope=fixed(self.slope), kinks=tuple(map(fixed, self.kinks)))


def along(expr: Expr, coordinate: Symbol, parameters: Sequence[Symbol] = ()) -> Along:
    """Compile an expression as a function of one coordinate.

    Examples
    --------
    >>> import numpy as np
    >>> w = Symbol("w", real=True)
    >>> f = along(abs(w) + w, w)
    >>> f.value(np.array([-1.0, 2.0])).tolist(), f.slope(np.array([-1.0, 2.0])).tolist()
    ([0.0, 4.0], [0.0, 2.0])
    """
    plain, signs = opened(expr)
    back = {dummy: sympy.sign(argument) for dummy, argument in signs.items()}
    slope = plain.diff(coordinate)
    while signs and slope.has(*signs):
        slope = slope.xreplace(back)
    # values and kinks of the expression as it stands: the half sum and half difference of a minimum lose its
    # digits, and where two minima are equal their difference is to be 0
    arguments = dict.fromkeys([*differences_in_turn(expr), *sharp_arguments(expr, coordinate)])
    seen = [a for a in arguments if a.has(coordinate)]
    value, slope, *kinks = (array_function(e, (coordinate, *parameters)) for e in (expr, slope, *seen))
    return Along(value=value, slope=slope, kinks=tuple(kinks))


def pieces_between(function: Along, low: float, high: float) -> tuple[NumericPiece, ...]:
    """The monotone and the constant pieces on an interval, with their ends to rounding.

    Sign changes of the kinks' arguments and of the slope on a grid, refined; two closer than the grid's step
    are missed where no other kink lies between them, which the defect of the quadrature shows.

    Raises
    ------
    UnsupportedExpression
        If there are more than 400 pieces.
    """
    grid = _offset_grid(low, high)
    kinks = _kinks(function, grid)
    critical = _smooth_changes(function.slope, grid, kinks)
    ends = [low, *np.unique([*kinks, *critical[(critical > low) & (critical < high)]]), high]
    close = 8 * _BESIDE
    ends = [low, *(b for a, b in itertools.pairwise(ends) if b - a > close * max(1.0, abs(b)))]
    _require_few(ends)
    ends[-1] = high
    return tuple(_joined(_pieces(function, np.array(ends, dtype=float))))


def is_steep(function: Along, low: float, high: float) -> bool:
    """Whether no piece on an interval is constant, by the slope on the grid of `pieces_between` alone.

    Each piece of a function without kinks has a point of the grid; False where the slope is small at one.

    Examples
    --------
    >>> w = Symbol("w", real=True)
    >>> [is_steep(along(f, w), -9.5, 9.5) for f in (sympy.sin(w), abs(w), sympy.exp(-w**4))]
    [True, False, False]
    """
    slopes = function.slope(_offset_grid(low, high))
    return not function.kinks and bool((np.abs(slopes) > _STEEP).all())


def zeros_between(function: Along, low: float, high: float) -> list[float]:
    """The points of an interval where the label changes its sign."""
    return [float(z) for z in sign_changes(function.value, _offset_grid(low, high))]


def _offset_grid(low: float, high: float) -> Array:
    """Equal steps, off the numbers at which functions like to vanish."""
    grid = np.linspace(low, high, _GRID) + 0.17 * (high - low) / _GRID
    grid[0], grid[-1] = low, high
    return np.asarray(grid)


def _require_few(ends: Array | Sequence[float]) -> None:
    if len(ends) > _MOST_PIECES:
        raise UnsupportedExpression(f"the label has more than {_MOST_PIECES} monotone pieces")


def _kinks(function: Along, grid: Array) -> Array:
    """Where the arguments of kinks change their signs.

    At the kink of one another may turn back between two points of the grid, as |w| - 0.001 at 0: both sides
    of each are looked at until no more are found.
    """
    found = np.zeros(0)
    for _ in range(_NESTED if function.kinks else 0):
        points = _towards(grid, found)
        now = np.unique(np.concatenate([sign_changes(k, points) for k in function.kinks]))
        now = now[(now > grid[0]) & (now < grid[-1])]
        _require_few(now[np.diff(now, prepend=-np.inf) > 8 * _BESIDE * np.maximum(1, np.abs(now))])
        apart = np.abs(now[:, None] - found).min(axis=1, initial=np.inf) > 8 * _BESIDE * np.maximum(
            1, np.abs(now)
        )
        found = now
        if not apart.any():
            break
    return found


def _towards(grid: Array, kinks: Array) -> Array:
    """A grid with places ever closer to both sides of each kink: beside one sin(log|w|) has ever more."""
    step = _BESIDE * np.maximum(1.0, np.abs(kinks))[:, None]
    ladder = step * np.geomspace(1.0, (grid[1] - grid[0]) / _BESIDE, _RUNGS)
    found = np.unique([*grid, *(kinks[:, None] - ladder).ravel(), *(kinks[:, None] + ladder).ravel()])
    return np.asarray(found[(found >= grid[0]) & (found <= grid[-1])])


def _smooth_changes(slope: Callable[..., Array], grid: Array, kinks: Array) -> Array:
    """Sign changes of the slope that are none of its jumps at kinks."""
    if not len(kinks):
        return sign_changes(slope, grid)
    found = sign_changes(slope, _towards(grid, kinks))
    nearest = np.min(np.abs(found[:, None] - kinks), axis=1) if len(found) else np.zeros(0)
    return np.asarray(found[nearest > 2 * _BESIDE * np.maximum(1.0, np.abs(found))])


def kinks_of(kinks: Sequence[Callable[..., Array]]) -> Array:
    """The points where an argument of a kink changes its sign."""
    grid = np.linspace(-_FAR, _FAR, _PLACES) + 0.17 * 2 * _FAR / _PLACES
    found = [sign_changes(k, grid) for k in kinks]
    points = np.unique(np.concatenate(found)) if found else np.zeros(0)
    apart = np.diff(points, prepend=-np.inf) > 1e-12
    return np.asarray(points[apart])


def sign_changes(function: Callable[..., Array], grid: Array) -> Array:
    """The points where a function changes its sign between neighbours of a grid."""
    values = function(grid)
    side = np.sign(values)
    at = np.flatnonzero((side[1:] != side[:-1]) & np.isfinite(side[1:]) & np.isfinite(side[:-1]))
    x = roots_between(function, grid[at], grid[at + 1], (values[at], values[at + 1]))
    short = np.round(x, 12)  # 0 or 1, and not a number beside it, at which the label may be infinite
    return np.where(np.abs(x - short) <= _ROUNDING * np.maximum(1.0, np.abs(x)), short, x)


def array_function(expr: Expr, names: Sequence[Symbol]) -> Callable[..., Array]:
    """An expression as a function of arrays, with arrays as its values where it is a number too."""
    kernel = compile(expr, tuple(names), backend="array")

    def values(z: Array, *parameters: Array | float) -> Array:
        with np.errstate(all="ignore"):
            found = np.asarray(kernel(z, *parameters), dtype=np.float64)
        shape = np.broadcast_shapes(np.shape(z), *map(np.shape, parameters))
        return found if found.shape == shape and found is not z else np.broadcast_to(found, shape).copy()

    return values


def _pieces(function: Along, ends: Array) -> list[NumericPiece]:
    beside = _BESIDE * np.maximum(1.0, np.abs(ends))
    at_low = function.value(ends[:-1] + beside[:-1])
    at_high = function.value(ends[1:] - beside[1:])
    inside = ends[:-1, None] + np.diff(ends)[:, None] * np.linspace(0.05, 0.95, 7)
    steepest = np.abs(function.slope(inside)).max(1)
    scale = np.maximum(1.0, np.maximum(np.abs(at_low), np.abs(at_high)))
    flat = (steepest <= _FLAT) & (np.abs(at_high - at_low) <= 1e-11 * scale)
    slope = np.where(flat, 0, np.where(at_high > at_low, 1, -1))
    rows = zip(ends[:-1], ends[1:], at_low, at_high, slope, strict=True)
    return [
        NumericPiece(low=float(a), high=float(b), at_low=float(u), at_high=float(v), slope=int(k))
        for a, b, u, v, k in rows
    ]


def _joined(pieces: Sequence[NumericPiece]) -> list[NumericPiece]:
    """Neighbours on which the label is the same constant, as one."""
    result: list[NumericPiece] = []
    for piece in pieces:
        before = result[-1] if result else None
        if (
            before is not None
            and before.slope == piece.slope == 0
            and abs(before.at_high - piece.at_low) < 1e-11
        ):
            result[-1] = NumericPiece(
                low=before.low, high=piece.high, at_low=before.at_low, at_high=piece.at_high, slope=0
            )
        else:
            result.append(piece)
    return result
