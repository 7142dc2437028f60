"""Reference evaluation of an expression: a tree of Python closures over `mpmath` or `math`.

No source text is needed here, so none is compiled: each node becomes a small closure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import ModuleType

import mpmath
import sympy
from sympy import Expr, Symbol

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.language.functions import record_of
from hermite_analytics.language.functions.real_function import RealFunction

__all__ = ["float_at", "reference_function"]

_DIGITS = (30, 60, 120, 400)  # with the last, what cancels to less than the least float64 is 0
_SAME = 1e-18

_Evaluate = Callable[[Sequence[mpmath.mpf]], mpmath.mpf]


def reference_function(
    expr: Expr, arguments: Sequence[Symbol], context: ModuleType = mpmath
) -> Callable[..., mpmath.mpf]:
    """A function of mpmath numbers that evaluates `expr` at the precision in force when called."""
    evaluate = _closure(expr, tuple(arguments), context)
    return lambda *values: evaluate(values)


def float_at(expr: Expr, point: Mapping[Symbol, float]) -> float:
    """The nearest float64, also where terms cancel: by more digits until they agree.

    Examples
    --------
    >>> z = Symbol("z")
    >>> float_at(1 - sympy.erf(z) ** 2, {z: 6.0}), float_at(1 - sympy.erf(z) ** 2, {z: 1e5})
    (4.3039473424997826e-17, 0.0)
    """
    function, value = reference_function(expr, tuple(point)), mpmath.nan
    for digits in _DIGITS:
        with mpmath.workdps(digits):
            before, value = value, function(*map(mpmath.mpf, point.values()))
            if abs(value - before) <= _SAME * abs(value):
                break
    return float(value) + 0.0  # no -0.0


def _closure(expr: Expr, arguments: tuple[Symbol, ...], context: ModuleType) -> _Evaluate:
    if expr in arguments:
        index = arguments.index(expr)
        return lambda values: values[index]
    if expr.is_number:
        return _constant(expr)
    children = [_closure(a, arguments, context) for a in expr.args]
    if expr.is_Add:
        return lambda values: context.fsum([f(values) for f in children])
    if expr.is_Mul:
        return lambda values: context.fprod([f(values) for f in children])
    if expr.is_Pow and not isinstance(expr, sympy.exp):
        base, exponent = children
        if expr.exp.is_Integer:
            power = int(expr.exp)
            return lambda values: base(values) ** power
        return lambda values: base(values) ** exponent(values)
    function = _scalar_function(expr, context)
    return lambda values: function(*(f(values) for f in children))


def _constant(expr: Expr) -> _Evaluate:
    cache: dict[int, mpmath.mpf] = {}

    def evaluate(values: Sequence[mpmath.mpf]) -> mpmath.mpf:
        prec = mpmath.mp.prec
        if prec not in cache:
            cache[prec] = mpmath.mpmathify(sympy.N(expr, mpmath.mp.dps + 5)._to_mpmath(prec))
        return cache[prec]

    return evaluate


def _scalar_function(expr: Expr, context: ModuleType) -> Callable[..., mpmath.mpf]:
    if isinstance(expr, RealFunction):
        return expr._value
    if isinstance(expr, sympy.Abs):
        return abs
    if isinstance(expr, sympy.Max):
        return max
    if isinstance(expr, sympy.Min):
        return min
    name = record_of(expr).value
    if name is not None:
        function: Callable[..., mpmath.mpf] = getattr(context, name)
        return function
    raise UnsupportedExpression(f"no reference evaluation is known for {expr.func.__name__}")
