"""sign, |x|, step and the maximum, of constants and of forms with variables.

Products of signs of polynomials are reduced almost everywhere: the zero set of a polynomial whose
coefficients are radicals, and which is not zero, is a null set.
"""

from __future__ import annotations

import functools
import math
from fractions import Fraction

import sympy

from hermite_analytics.gaussian.zero.balls import sign_of_constant
from hermite_analytics.gaussian.zero.monomials import (
    ONE,
    VARIABLE,
    Form,
    Frozen,
    Generator,
    Monomial,
    OutOfReach,
    constant,
    freeze,
    generator_form,
    is_constant,
    leading_sign,
    negated,
    rational_value,
    scaled,
    thaw,
    variable_names,
)
from hermite_analytics.gaussian.zero.ring import Ring
from hermite_analytics.language.factors import irreducible_factors
from hermite_analytics.language.functions import RECORDS

__all__ = [
    "absolute_value",
    "clipped",
    "heaviside",
    "is_polynomial",
    "maximum",
    "merged_signs",
    "mid_floor",
    "minimum",
    "polynomial_factors",
    "sign",
]

_HALF = Fraction(1, 2)
_POSITIVE = frozenset({"angle", "gauss", "owen", "root"})
_OF_ITS_SIGN = frozenset(r.value for r in RECORDS if r.has_sign_of_argument and not r.is_kink and r.value)
_LARGEST_DEGREE = 12
_LARGEST_MAXIMUM = 5


def sign(ring: Ring, form: Form, *, factor: bool = True) -> Form:
    """sign(F), almost everywhere: for a polynomial the product of the signs of its irreducible factors."""
    if is_constant(form):
        return constant(sign_of_constant(form))
    if is_polynomial(form):
        return _sign_of_polynomial(ring, form, factor)
    if len(form) == 1:
        found = _sign_of_product(ring, *next(iter(form.items())), factor)
        if found is not None:
            return found
    side = leading_sign(form)
    scale = Fraction(side) / abs(form[max(form)])
    return scaled(generator_form("sign", scaled(form, scale)), Fraction(side))


def is_polynomial(form: Form) -> bool:
    """Whether the form is a polynomial in the variables with radicals of rationals as coefficients."""
    for monomial in form:
        if monomial.pi or monomial.exponent or monomial.wave:
            return False
        if any(not g[0].startswith(VARIABLE) or n < 0 for g, n in monomial.generators):
            return False
    return True


def _sign_of_polynomial(ring: Ring, form: Form, factor: bool) -> Form:
    side, factors = polynomial_factors(freeze(form)) if factor else (1, ((freeze(form), 1),))
    result = constant(side)
    for inner, multiplicity in factors:
        if multiplicity % 2:
            result = ring.multiply(result, _sign_atom(ring, thaw(inner)))
    return result


def _sign_atom(ring: Ring, form: Form) -> Form:
    """The generator for the sign of a square-free polynomial, its leading coefficient divided out."""
    coefficient = leading_coefficient(form)
    side = sign_of_constant(coefficient)
    inverse = ring.inverse(coefficient)
    if inverse is None:
        raise OutOfReach("the inverse of a coefficient")
    monic = ring.multiply(inverse, form)
    return scaled(generator_form("sign of polynomial", monic), Fraction(side))


def leading_coefficient(form: Form) -> Form:
    """The coefficient, in radicals, of the largest product of variables."""
    lead = max(m.generators for m in form)
    return {m._replace(generators=()): c for m, c in form.items() if m.generators == lead}


@functools.lru_cache(maxsize=1024)
def polynomial_factors(frozen: Frozen) -> tuple[int, tuple[tuple[Frozen, int], ...]]:
    """(sign of the constant, irreducible factors over Q); the polynomial itself where that is not asked."""
    form = thaw(frozen)
    names = sorted(variable_names(form))
    degree = max(sum(n for _, n in m.generators) for m in form)
    rational = not any(m.radical for m in form)
    if not rational or degree == 1 or degree > _LARGEST_DEGREE or len(names) > 6:
        return 1, ((frozen, 1),)
    symbols = [sympy.Symbol(name) for name in names]
    terms = {}
    for monomial, c in form.items():
        powers = {g[0][len(VARIABLE) :]: n for g, n in monomial.generators}
        terms[tuple(powers.get(name, 0) for name in names)] = sympy.Rational(c.numerator, c.denominator)
    outer, factors = irreducible_factors(sympy.Poly.from_dict(terms, *symbols, domain=sympy.QQ))
    return (1 if outer > 0 else -1), tuple((_from_poly(p, names), int(n)) for p, n in factors)


def _from_poly(poly: sympy.Poly, names: list[str]) -> Frozen:
    form: Form = {}
    for exponents, c in poly.terms():
        generators = tuple(
            sorted(((VARIABLE + v, ()), n) for v, n in zip(names, exponents, strict=True) if n)
        )
        form[Monomial(generators=generators)] = Fraction(int(c.p), int(c.q))
    return freeze(form)


def _sign_of_product(ring: Ring, monomial: Monomial, c: Fraction, factor: bool) -> Form | None:
    """sign of c prod g_i^{n_i} for factors whose sign is that of their argument, or positive."""
    if monomial.wave:
        return None
    result = constant(1 if c > 0 else -1)
    for generator, n in monomial.generators:
        name, arguments = generator
        if n % 2 == 0 and not name.startswith(VARIABLE) and name not in _POSITIVE:
            return None  # its zeros need not be a null set
        if name in _OF_ITS_SIGN:
            result = ring.multiply(result, sign(ring, thaw(arguments[0]), factor=factor))
        elif name.startswith(VARIABLE):
            inner: Form = {Monomial(generators=((generator, 1),)): Fraction(1)}
            result = result if n % 2 == 0 else ring.multiply(result, _sign_atom(ring, inner))
        elif name in {"sign", "sign of polynomial"}:
            result = ring.multiply(result, {Monomial(generators=((generator, 1),)): Fraction(1)})
        elif name not in _POSITIVE:
            return None
    return result


def absolute_value(ring: Ring, form: Form) -> Form:
    """|F| = F sign(F)."""
    return ring.multiply(form, sign(ring, form))


def heaviside(ring: Ring, form: Form) -> Form:
    """step(F) = (1 + sign F)/2 almost everywhere for a polynomial F; for a constant step(0) = 0."""
    if is_constant(form):
        return constant(1 if sign_of_constant(form) > 0 else 0)
    if not is_polynomial(form):
        lead = abs(form[max(form)])
        return generator_form("step", scaled(form, 1 / lead))
    return ring.add((constant(_HALF), scaled(sign(ring, form), _HALF)))


def mid_floor(ring: Ring, form: Form) -> Form:
    """(floor(F) - floor(-F))/2, odd, of which an integer in F comes out: f(F + n) = f(F) + n."""
    if is_constant(form):
        number = rational_value(form)
        if number is None:
            raise OutOfReach("the integer below a number that is not rational")
        return constant(Fraction(math.floor(number) - math.floor(-number), 2))
    variable = {m: c for m, c in form.items() if m != ONE}
    side = leading_sign(variable)
    whole = math.floor(side * form.get(ONE, Fraction(0)))
    rest = ring.add((scaled(form, Fraction(side)), constant(-whole)))
    return scaled(ring.add((constant(whole), generator_form("mid_floor", rest))), Fraction(side))


def maximum(ring: Ring, forms: list[Form]) -> Form:
    """max(F_1, ..), symmetric in the arguments: sum_i F_i prod_{j != i} step(F_i - F_j).

    Raises
    ------
    OutOfReach
        For three or more arguments whose differences are not polynomials, or for more than five.
    """
    distinct = [thaw(f) for f in sorted({freeze(form) for form in forms})]
    if len(distinct) == 1:
        return distinct[0]
    if len(distinct) == 2:
        a, b = distinct
        half = ring.add((a, b, absolute_value(ring, ring.subtract(a, b))))
        return scaled(half, _HALF)
    if len(distinct) > _LARGEST_MAXIMUM:
        raise OutOfReach("the maximum of many arguments")
    parts = []
    for i, form in enumerate(distinct):
        gaps = [ring.subtract(form, other) for j, other in enumerate(distinct) if j != i]
        if not all(is_polynomial(gap) for gap in gaps):
            raise OutOfReach("the maximum of three or more forms that are not polynomials")
        parts.append(ring.product([form, *(heaviside(ring, gap) for gap in gaps)]))
    return ring.add(parts)


def minimum(ring: Ring, forms: list[Form]) -> Form:
    return negated(maximum(ring, [negated(form) for form in forms]))


def clipped(ring: Ring, x: Form, low: Form, high: Form) -> Form:
    """min(max(x, low), high) = (low + high + |x - low| - |x - high|)/2 for constants low <= high."""
    below, above = (absolute_value(ring, ring.subtract(x, bound)) for bound in (low, high))
    return scaled(ring.add((low, high, below, negated(above))), _HALF)


def merged_signs(ring: Ring, form: Form) -> Form:
    """Each product of signs of polynomials as the sign of their product: one form whatever the factors."""
    parts = []
    for monomial, c in form.items():
        signs = [g for g, _ in monomial.generators if g[0] == "sign of polynomial"]
        if len(signs) < 2:
            parts.append({monomial: c})
            continue
        rest: Form = {monomial._replace(generators=_without(monomial.generators, signs)): c}
        product = ring.product(thaw(g[1][0]) for g in signs)
        parts.append(ring.multiply(rest, _sign_atom(ring, product)))
    return ring.add(parts)


def _without(
    generators: tuple[tuple[Generator, int], ...], signs: list[Generator]
) -> tuple[tuple[Generator, int], ...]:
    return tuple((g, n) for g, n in generators if g not in signs)
