"""Labels F(h) that one value h decides on, F constant between places: floors and jumps as they stand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import sympy
from sympy import Dummy, Expr, Symbol

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.label.function_of_points import function_of_points
from hermite_analytics.language.kinks import JUMPS, STAIRS

__all__ = ["OneValue", "at_places", "one_value", "told_apart"]

_SAME = 1e-12

_T = Dummy("t", real=True)


@dataclass(frozen=True)
class OneValue:
    """A label F(h).

    Attributes
    ----------
    inner : sympy expression
        h.
    function : sympy expression in one letter
        F, with that letter in jumps and floors alone.
    """

    inner: Expr
    function: Expr

    def places(self, low: float, high: float) -> Array:
        """Where F may change between two values of h, in increasing order."""
        found: list[float] = []
        for argument, is_floor in self._arguments:
            slope, number = (float(argument.coeff(_T, k)) for k in (1, 0))
            levels = np.zeros(1)
            if is_floor:
                first, last = sorted(slope * h + number for h in (low, high))
                levels = np.arange(np.ceil(first), np.floor(last) + 1)
            found += ((levels - number) / slope).tolist()
        places = np.unique(found)
        return places[(places > low) & (places < high)]

    @property
    def is_endless(self) -> bool:
        """Whether it has a floor: infinitely many places."""
        return any(is_floor for _, is_floor in self._arguments)

    def at(self, h: Array) -> Array:
        """F at some values of h."""
        return self._compiled(np.asarray(h, dtype=np.float64)[..., None])

    @cached_property
    def _arguments(self) -> list[tuple[Expr, bool]]:
        """Of the innermost jumps and floors: affine in t."""
        nodes = _breaks(self.function, [_T])
        return [(e.args[0], isinstance(e, STAIRS)) for e in nodes if not e.args[0].has(*JUMPS, *STAIRS)]

    @cached_property
    def _compiled(self) -> Callable[[Array], Array]:
        return function_of_points(self.function, (_T,))


def one_value(signal: Expr, coordinates: Sequence[Symbol]) -> OneValue | None:
    """h and F of a label; None where two values decide, or coordinates stand outside of jumps and floors.

    Examples
    --------
    >>> from hermite_analytics.language.functions import floor
    >>> w1, w2 = sympy.symbols("w1 w2", real=True)
    >>> found = one_value(floor(w1 * w2 / 2) ** 2 + sympy.sign(w1 * w2 - 3), (w1, w2))
    >>> found.inner, found.places(-2.5, 4.5).tolist(), found.at(np.array([2.5])).tolist()
    (w1*w2/2, [-2.0, -1.0, 0.0, 1.0, 1.5, 2.0, 3.0, 4.0], [5.0])
    """
    signal = signal.replace(lambda e: e.is_Mul and len(_signs(e)) > 1, _joined)
    inner: Expr | None = None
    for node in _breaks(signal, coordinates):
        if node.args[0].has(*JUMPS, *STAIRS):
            continue
        number, rest = sympy.expand(node.args[0]).as_independent(*coordinates, as_Add=True)
        inner = rest if inner is None else inner
        ratio = rest / inner
        slope = sympy.cancel(ratio) if ratio.free_symbols else ratio
        if not (number.is_number and slope.is_number):
            return None
        signal = signal.xreplace({node: node.func(number + slope * _T, *node.args[1:])})
    if inner is None or signal.has(*coordinates) or not set(coordinates) <= inner.free_symbols:
        return None
    return OneValue(inner=inner, function=signal)


def told_apart(values: Array) -> Array:
    """Those that rounding alone tells apart as one: cos(floor(h)/3) takes the same at n and -n."""
    ordered, owner = np.unique(values, return_inverse=True)
    starts = np.diff(ordered, prepend=-np.inf) > _SAME * np.maximum(1.0, np.abs(ordered))
    return np.asarray(ordered[starts][np.cumsum(starts) - 1][owner])


def at_places(h: Array, places: Array) -> Array:
    """Values that are a place but for rounding as that place."""
    if not len(places):
        return h
    above = np.clip(np.searchsorted(places, h), 1, max(len(places) - 1, 1))
    low, high = places[above - 1], places[np.minimum(above, len(places) - 1)]
    nearest = np.where(np.abs(h - low) <= np.abs(h - high), low, high)
    return np.where(np.abs(h - nearest) <= _SAME * np.maximum(1.0, np.abs(h)), nearest, h)


def _breaks(expr: Expr, symbols: Sequence[Symbol]) -> list[Expr]:
    """Jumps and floors of some symbols."""
    return sorted((e for e in expr.atoms(*JUMPS, *STAIRS) if e.has(*symbols)), key=str)


def _signs(product: Expr) -> list[Expr]:
    return [e for e in product.args if isinstance(e, sympy.sign)]


def _joined(product: Expr) -> Expr:
    """sign(a) sign(b) as sign(a b)."""
    signs = _signs(product)
    rest = [e for e in product.args if e not in signs]
    return sympy.Mul(*rest, sympy.sign(sympy.Mul(*(e.args[0] for e in signs))))
