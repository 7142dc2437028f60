"""The second moment left when the affine part of a function is taken out, without cancellation.

    residual = E f(x)^2 - (E f(x))^2 - s^2 (E f'(x))^2,    x = m + s z,  z ~ N(0, 1).

Where f is nearly affine on the scale of the law the difference loses all digits. With x_t a copy of x of
correlation t, Price's theorem gives residual = s^4 int_0^1 (1 - t) E[f''(x) f''(x_t)] dt (rule G20).
Here t = cos 2v, x = m + p z1 + q z2 and x_t = m + p z1 - q z2 with p = s cos v, q = s sin v, in which
products of Gaussian weights factorise and the integrand is smooth on [0, pi/4].

Source: docs/theory.md, "Residual without cancellation".
"""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import TYPE_CHECKING

import sympy
from sympy import Expr, Rational, Symbol, cos, exp, pi, sin

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.gaussian.breakpoints import breakpoints, kink_arguments
from hermite_analytics.gaussian.closed_form import closed_form
from hermite_analytics.gaussian.differentiation import derivative_between_jumps
from hermite_analytics.language.functions import record_of
from hermite_analytics.language.kinks import KINKS, STAIRS, by_sign
from hermite_analytics.symbols import variable

if TYPE_CHECKING:
    from sympy.printing.str import StrPrinter

__all__ = ["Guarded", "residual_integral"]

_END = pi / 4


class Guarded(Expr):  # type: ignore[misc]
    """`value` where it is not lost in cancellation (check >= 1e-3 scale), else `stable`.

    Both are the same number in exact arithmetic; only kernels tell them apart.

    Parameters
    ----------
    value, stable : sympy expressions
        A difference that is cheap, and a formula that keeps its digits everywhere.
    scale : sympy expression
        The size of the terms of the difference.
    check : sympy expression, optional
        The difference itself, if `value` is one of its derivatives.
    """

    is_commutative = True
    is_extended_real = True

    def __new__(cls, value: Expr, scale: Expr, stable: Expr, check: Expr | None = None) -> Guarded:
        node: Guarded = Expr.__new__(cls, value, scale, stable, value if check is None else check)
        return node

    @property
    def value(self) -> Expr:
        return self.args[0]

    def doit(self, **hints: object) -> Expr:
        return self.value

    def _eval_derivative(self, symbol: Symbol) -> Expr:
        value, scale, stable, check = self.args
        return Guarded(value.diff(symbol), scale, stable.diff(symbol), check)

    def _eval_evalf(self, prec: int) -> Expr | None:
        return self.value._eval_evalf(prec)

    def _sympystr(self, printer: StrPrinter) -> str:
        text: str = printer._print(self.value)
        return text


def residual_integral(f: Expr, z: Symbol, mean: Expr, scale: Expr) -> Expr | None:
    """The residual of f(mean + scale z) as an integral of a closed form, or None where there is none.

    Parameters
    ----------
    f : sympy expression in z
        Smooth with a second derivative in the normal form, or piecewise linear with kinks only or with
        jumps only.
    mean, scale : sympy expressions
        scale > 0.

    Returns
    -------
    sympy Integral over [0, pi/4]

    Examples
    --------
    >>> from hermite_analytics.language.functions import relu
    >>> from hermite_analytics.symbols import z
    >>> m, s = Symbol("m", real=True), Symbol("s", positive=True)
    >>> residual_integral(relu(z), z, m, s).function
    2*s**2*exp(-m**2/(2*s**2*cos(v)**2))*sin(v)**2/pi
    """
    if f.has(*STAIRS):  # a term for each pair of infinitely many jumps
        return None
    v = Symbol("v", real=True)
    try:
        pieces = _pieces(f, z)
    except UnsupportedExpression:
        return None
    if pieces is None:
        integrand = _smooth(f, z, mean, scale, v)
    else:
        integrand = _piecewise_linear(pieces, mean, scale, v)
    return None if integrand is None else sympy.Integral(integrand, (v, 0, _END))


def _smooth(f: Expr, z: Symbol, mean: Expr, scale: Expr, v: Symbol) -> Expr | None:
    second = f.diff(z, 2)
    p, q = Symbol("p", positive=True), Symbol("q", positive=True)
    m = Symbol("m", real=True)
    z1, z2 = variable(1), variable(2)
    pair = second.subs(z, m + p * z1 + q * z2) * second.subs(z, m + p * z1 - q * z2)
    found = closed_form(pair, (z1, z2))
    if found is None or found.has(sympy.I, sympy.erfi):
        return None
    inner = found.subs({p: scale * cos(v), q: scale * sin(v), m: mean}, simultaneous=True)
    return 8 * scale**4 * sin(v) ** 3 * cos(v) * inner


_Pieces = tuple[list[Expr], list[tuple[Expr, Expr]]]


def _is_of_constants(node: Expr) -> bool:
    return isinstance(node, KINKS) and bool(record_of(node).constants)


def _pieces(f: Expr, z: Symbol) -> _Pieces | None:
    """(breakpoints, (slope, offset) of each piece) of a piecewise linear f; None if f is smooth.

    Raises
    ------
    UnsupportedExpression
        If f has breakpoints and is not piecewise linear.
    """
    # kinks with constants do not evaluate at numbers, signs do
    f = f.replace(_is_of_constants, lambda e: by_sign(e, sympy.sign(e.args[0])))
    found = breakpoints(f, z)
    if not found:
        return None
    arguments = kink_arguments(f, z)
    points = sorted({_exact(b, arguments, z) for b in found})
    slope = derivative_between_jumps(f, z)
    if derivative_between_jumps(slope, z) != 0 or not all(b.is_Rational for b in points):
        raise UnsupportedExpression(f"{f} is neither smooth nor piecewise linear")
    inside = [points[0] - 1, *((a + b) / 2 for a, b in itertools.pairwise(points)), points[-1] + 1]
    lines = []
    for x in inside:
        a = slope.subs(z, x)
        lines.append((a, f.subs(z, x) - a * x))
    return points, lines


def _exact(point: Expr, arguments: list[Expr], z: Symbol) -> Expr:
    """The simple fraction that a breakpoint found by a search stands for, if it is one."""
    if not point.is_Float:
        return point
    candidate = Rational(Fraction(float(point)).limit_denominator(1000))
    return candidate if any(a.subs(z, candidate) == 0 for a in arguments) else point


def _piecewise_linear(pieces: _Pieces, mean: Expr, scale: Expr, v: Symbol) -> Expr | None:
    points, lines = pieces
    kinks = [right[0] - left[0] for left, right in itertools.pairwise(lines)]
    jumps = [
        (right[0] - left[0]) * b + right[1] - left[1]
        for b, (left, right) in zip(points, itertools.pairwise(lines), strict=True)
    ]
    thresholds = [(b - mean) / scale for b in points]
    if all(j == 0 for j in jumps):
        return 2 * scale**2 / pi * sin(v) ** 2 * _pair_sum(kinks, thresholds, v)
    if all(k == 0 for k in kinks):
        independent = _independent_sum(jumps, thresholds)
        return (_pair_sum(jumps, thresholds, v) - independent * sin(2 * v)) / pi
    return None


def _pair_sum(weights: list[Expr], thresholds: list[Expr], v: Symbol) -> Expr:
    """sum_ij w_i w_j exp(-(h_i^2 + h_j^2 - 2 t h_i h_j)/(2 (1 - t^2))) at t = cos 2v."""
    terms = [
        w**2 * exp(-(h**2) / (2 * cos(v) ** 2)) for w, h in zip(weights, thresholds, strict=True) if w != 0
    ]
    for i, j in itertools.combinations(range(len(weights)), 2):
        gap = sympy.cancel((thresholds[i] - thresholds[j]) ** 2)
        exponent = gap / (2 * sin(2 * v) ** 2) + thresholds[i] * thresholds[j] / (2 * cos(v) ** 2)
        terms.append(2 * weights[i] * weights[j] * exp(-exponent))
    return sympy.Add(*terms)


def _independent_sum(weights: list[Expr], thresholds: list[Expr]) -> Expr:
    """(sum_i w_i exp(-h_i^2/2))^2; exponents are not multiplied out, as parts of them would overflow."""
    terms = [w**2 * exp(-(h**2)) for w, h in zip(weights, thresholds, strict=True)]
    for i, j in itertools.combinations(range(len(weights)), 2):
        exponent = (thresholds[i] ** 2 + thresholds[j] ** 2) / 2
        terms.append(2 * weights[i] * weights[j] * exp(-exponent))
    return sympy.Add(*terms)
