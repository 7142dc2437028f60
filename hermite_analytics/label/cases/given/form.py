"""Labels y = F(s) + noise with s = a(v).w + c(v), linear in all coordinates w once v are given."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import sympy
from sympy import Expr, Function, Symbol

from hermite_analytics.foundation.clock import check_time
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.label.function_of_points import function_of_points
from hermite_analytics.language.affine import affine_part, linear_part
from hermite_analytics.language.kinks import BREAKS
from hermite_analytics.symbols import xi

__all__ = ["GivenForm", "given_form"]

Values = Callable[[Array], Array]

_S = Symbol("s", real=True)
_MOST_AFFINE = 8  # coordinates that the label is linear in, each by itself


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenForm:
    """y = F(a(v).w + c(v)) + noise * xi.

    Attributes
    ----------
    given, rest : tuple of int
        The places of the coordinates v and w.
    slopes : tuple of functions of points v, shape (..., k)
        The entries of a.
    shift : function of points v
        c.
    outside : function of points s, shape (..., 1), or None
        F; None where it is the identity.
    noise : float
        Its standard deviation; 0 only where F is the identity.
    hidden : int
        1 where the noise enters otherwise: it is the last coordinate then, and `noise` is 0.
    smooth : bool
        Whether noise or a slope that is a number bounds the variance of y given v from below, and no kinks,
        jumps, poles, logarithms or roots at 0 are in a, c and F.
    """

    given: tuple[int, ...]
    rest: tuple[int, ...]
    slopes: tuple[Values, ...]
    shift: Values
    outside: Values | None
    noise: float
    hidden: int
    smooth: bool

    @property
    def integrated(self) -> int:
        """Coordinates that are left to integrate over: v, and s where F is no identity."""
        return len(self.given) + (self.outside is not None)


def given_form(signal: Expr, unknown: Sequence[Symbol]) -> GivenForm | None:
    """The form with the fewest coordinates to integrate over; None where the label has another one.

    Examples
    --------
    >>> from sympy import sin, symbols, tanh
    >>> w = symbols("w1:5", real=True)
    >>> found = given_form(tanh(w[0] + w[1] * w[2]) + xi / 2, w[:3])
    >>> found.given, found.rest, found.noise, found.integrated, found.smooth
    ((2,), (0, 1), 0.5, 2, True)
    >>> found = given_form(w[0] * w[1] * w[2], w[:3])  # y is 0 where two coordinates are
    >>> found.given, found.rest, found.noise, found.integrated, found.smooth
    ((1, 2), (0,), 0.0, 2, False)
    >>> given_form(sin(w[0] * w[1] * w[2]), w[:3]) is None
    True
    """
    additive = linear_part(signal, xi)
    if additive is None:
        return _form(_S, signal, 0.0, (*unknown, xi))
    value, noise = additive[0], abs(float(additive[1]))
    outside, inside = _outside(value, unknown)
    forms = [_form(_S, value, noise, unknown)]
    if noise and outside != _S:
        forms.append(_form(outside, inside, noise, unknown))
    return min((f for f in forms if f is not None), key=lambda f: f.integrated, default=None)


def _form(outside: Expr, inside: Expr, noise: float, coordinates: Sequence[Symbol]) -> GivenForm | None:
    q = len(coordinates)
    affine = [i for i, w in enumerate(coordinates) if affine_part(inside, w) is not None]
    if len(affine) > _MOST_AFFINE:
        return None
    for count in range(1, q + (noise > 0)):
        for rest in itertools.combinations(affine, q - count):
            check_time()
            places = tuple(i for i in range(q) if i not in rest)
            found = _linear(inside, [coordinates[i] for i in rest])
            if found is None:
                continue
            v = tuple(coordinates[i] for i in places)
            bounded = noise > 0 or any(a.is_number and a != 0 for a in found[0])
            return GivenForm(
                given=places,
                rest=rest,
                slopes=tuple(function_of_points(a, v) for a in found[0]),
                shift=function_of_points(found[1], v),
                outside=None if outside == _S else function_of_points(outside, (_S,)),
                noise=noise,
                hidden=int(xi in coordinates),
                smooth=bounded and _is_smooth(inside) and _is_smooth(outside),
            )
    return None


def _is_smooth(value: Expr) -> bool:
    """Whether it is shown to be analytic: no kinks, and logarithms and roots of what is positive."""
    powers = [p for p in value.atoms(sympy.Pow) if not isinstance(p, sympy.exp)]
    sharp = [p.base for p in powers if not (p.exp.is_integer and p.exp.is_nonnegative)]
    sharp += [f.args[0] for f in value.atoms(sympy.log)]
    return not value.has(*BREAKS) and all(x.is_positive for x in sharp)


def _outside(value: Expr, unknown: Sequence[Symbol]) -> tuple[Expr, Expr]:
    """(F, s): numbers and functions of one argument taken off until a sum or product is left."""
    outside: Expr = _S
    while True:
        number, rest = value.as_independent(*unknown, as_Add=True)
        factor, inner = rest.as_independent(*unknown, as_Add=False)
        if not (isinstance(inner, Function) and len(inner.args) == 1) and not _is_power(inner):
            return outside, value
        outside = outside.xreplace({_S: number + factor * inner.func(_S, *inner.args[1:])})
        value = inner.args[0]


def _is_power(inner: Expr) -> bool:
    return bool(inner.is_Pow and inner.args[1].is_number)


def _linear(value: Expr, rest: Sequence[Symbol]) -> tuple[list[Expr], Expr] | None:
    """(a, c), free of the symbols of `rest`."""
    slopes: list[Expr] = []
    for w in rest:
        found = affine_part(value, w)
        if found is None or found[1].has(*rest):
            return None
        value = found[0]
        slopes.append(found[1])
    return slopes, value
