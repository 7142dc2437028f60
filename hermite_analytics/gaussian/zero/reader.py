"""From a sympy expression to its form: one small rule for each function of the language."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import sympy
from sympy import Expr

from hermite_analytics.gaussian.zero import elementary, normal, piecewise
from hermite_analytics.gaussian.zero.angles import arcsine, arctangent
from hermite_analytics.gaussian.zero.monomials import (
    Form,
    Monomial,
    OutOfReach,
    constant,
    generator_form,
    is_constant,
    leading_sign,
    scaled,
    variable_form,
)
from hermite_analytics.gaussian.zero.ring import Ring
from hermite_analytics.language import functions as own
from hermite_analytics.language.functions import record_of
from hermite_analytics.language.kinks import JUMPS, KINKS, slopes

__all__ = ["even_generator", "hyperbolic_tangent", "log_cosh", "odd_generator", "opaque_generator", "read"]

_HALF = Fraction(1, 2)
_MAX_HERMITE = 200
_PI: Form = {Monomial(pi=Fraction(1)): Fraction(1)}


def read(ring: Ring, expr: Expr, known: dict[Expr, Form] | None = None) -> Form:
    """The form of an expression of real symbols; `known` keeps the forms of sub-expressions.

    Raises
    ------
    OutOfReach
        For floats, complex and infinite numbers, and what the ring's cap does not allow.

    Examples
    --------
    >>> read(Ring(), sympy.sqrt(2) * sympy.sqrt(3) - sympy.sqrt(6))
    {}
    """
    known = {} if known is None else known
    found = known.get(expr)
    if found is None:
        found = known[expr] = _read(ring, expr, known)
    return found


def _read(ring: Ring, expr: Expr, known: dict[Expr, Form]) -> Form:
    """Numbers, symbols and arithmetic."""
    if expr.is_Rational:
        return constant(Fraction(int(expr.p), int(expr.q)))
    if expr.is_Symbol:
        return variable_form(expr.name)
    if expr.is_Add:
        return ring.add(read(ring, a, known) for a in expr.args)
    if expr.is_Mul:
        return ring.product(read(ring, a, known) for a in expr.args)
    if isinstance(expr, sympy.exp):
        return elementary.exponential(ring, read(ring, expr.args[0], known))
    if expr.is_Pow:
        return elementary.real_power(ring, read(ring, expr.base, known), read(ring, expr.exp, known))
    if expr is sympy.pi:
        return _PI
    if expr is sympy.E:
        return elementary.exponential(ring, constant(1))
    if expr is sympy.EulerGamma:
        return opaque_generator("constant EulerGamma", 0)
    if isinstance(expr, sympy.Function | sympy.Max | sympy.Min):
        return _read_function(ring, expr, known)
    raise OutOfReach(f"{type(expr).__name__} {expr} has no exact form here")


def _read_function(ring: Ring, expr: Expr, known: dict[Expr, Form]) -> Form:
    """Special arguments first, then a rule for forms, what the record says, and the name alone."""
    if isinstance(expr, sympy.log):
        return _logarithm(ring, expr, known)
    if isinstance(expr, own.OwenT) and expr.args[1] is sympy.S.Infinity:
        return normal.owen_t_at_infinity(ring, read(ring, expr.args[0], known))
    bounds = _clip(expr)
    if bounds is not None:
        return piecewise.clipped(ring, *(read(ring, a, known) for a in bounds))
    rule = _RULES.get(expr.func)
    if rule is not None:
        return rule(ring, *(read(ring, a, known) for a in expr.args))
    facts = record_of(expr)
    form = facts.in_exponentials or facts.by_parity or facts.definition
    if form is not None:
        return read(ring, form(*expr.args), known)
    if isinstance(expr, KINKS):
        return _kink(ring, expr, known)
    arguments = [read(ring, a, known) for a in expr.args]
    return opaque_generator(f"function {expr.func.__name__}", facts.parity, *arguments)


def _clip(expr: Expr) -> tuple[Expr, Expr, Expr] | None:
    """(x, low, high) for min(high, max(low, x)) and max(low, min(high, x)) with rationals low <= high."""
    inner = {sympy.Min: sympy.Max, sympy.Max: sympy.Min}.get(expr.func)
    if inner is None or len(expr.args) != 2:
        return None
    first, second = sorted(expr.args, key=lambda a: not a.is_Rational)
    if not (first.is_Rational and isinstance(second, inner) and len(second.args) == 2):
        return None
    other, x = sorted(second.args, key=lambda a: not a.is_Rational)
    if not other.is_Rational:
        return None
    low, high = (other, first) if isinstance(expr, sympy.Min) else (first, other)
    return (x, low, high) if low <= high else None


def opaque_generator(name: str, parity: int, *arguments: Form) -> Form:
    """A function of which nothing but its parity is used."""
    if parity == 0:
        return generator_form(name, *arguments)
    return (even_generator if parity == 1 else odd_generator)(name, *arguments)


def odd_generator(name: str, x: Form) -> Form:
    """An odd function as a generator of that one of x, -x whose leading sign is positive."""
    if not x:
        return {}
    side = Fraction(leading_sign(x))
    return scaled(generator_form(name, scaled(x, side)), side)


def even_generator(name: str, x: Form) -> Form:
    """An even function as a generator of that one of x, -x whose leading sign is positive."""
    return generator_form(name, scaled(x, Fraction(leading_sign(x)))) if x else generator_form(name, x)


def hyperbolic_tangent(ring: Ring, x: Form) -> Form:
    return odd_generator("tanh", x)


def log_cosh(ring: Ring, x: Form) -> Form:
    return even_generator("logcosh", x) if x else {}


def _logarithm(ring: Ring, expr: Expr, known: dict[Expr, Form]) -> Form:
    (x,) = expr.args
    if isinstance(x, sympy.cosh):
        return log_cosh(ring, read(ring, x.args[0], known))
    return elementary.logarithm(ring, read(ring, x, known))


def _kink(ring: Ring, expr: Expr, known: dict[Expr, Form]) -> Form:
    """(right + left) x/2 + (right - left) |x|/2, by the slopes on both sides of 0; a jump by its values."""
    right, left = slopes(expr)
    x = read(ring, expr.args[0], known)
    mean, bend = (read(ring, a / 2, known) for a in (right + left, right - left))
    if isinstance(expr, JUMPS):
        side = piecewise.sign(ring, x)
        return ring.add((ring.multiply(mean, ring.multiply(side, side)), ring.multiply(bend, side)))
    return ring.add((ring.multiply(mean, x), ring.multiply(bend, piecewise.absolute_value(ring, x))))


def _hermite(ring: Ring, degree: Form, x: Form) -> Form:
    k = int(degree.get(Monomial(), 0))
    if k > _MAX_HERMITE:
        raise OutOfReach("a Hermite polynomial of very large degree")
    low, high = constant(1), x
    for j in range(1, k):
        low, high = high, ring.subtract(ring.multiply(x, high), scaled(low, Fraction(j)))
    return high if k else low


def _arc(ring: Ring, x: Form, name: str) -> Form:
    if is_constant(x):
        return arcsine(ring, x) if name == "asin" else arctangent(ring, x)
    return odd_generator(name, x)


def _tangent(ring: Ring, x: Form) -> Form:
    below = elementary.power(ring, elementary.cosine(ring, x), Fraction(-1))
    return ring.multiply(elementary.sine(ring, x), below)


_RULES: dict[type, Callable[..., Form]] = {
    sympy.sin: elementary.sine,
    sympy.cos: elementary.cosine,
    sympy.tan: _tangent,
    sympy.tanh: hyperbolic_tangent,
    sympy.asin: lambda ring, x: _arc(ring, x, "asin"),
    sympy.acos: lambda ring, x: ring.subtract(scaled(_PI, _HALF), _arc(ring, x, "asin")),
    sympy.atan: lambda ring, x: _arc(ring, x, "atan"),
    sympy.asinh: lambda ring, x: odd_generator("asinh", x),
    sympy.erf: normal.error_function,
    sympy.erfi: normal.imaginary_error_function,
    own.Phi: normal.normal_cdf,
    own.phi: normal.normal_density,
    own.OwenT: normal.owen_t,
    own.Phi2: normal.pair_cdf,
    own.He: _hermite,
    own.step: piecewise.heaviside,
    own.mid_floor: piecewise.mid_floor,
    sympy.sign: piecewise.sign,
    sympy.Max: lambda ring, *forms: piecewise.maximum(ring, list(forms)),
    sympy.Min: lambda ring, *forms: piecewise.minimum(ring, list(forms)),
}
