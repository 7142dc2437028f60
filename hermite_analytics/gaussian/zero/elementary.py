"""exp, log, cos, sin and powers of forms."""

from __future__ import annotations

from fractions import Fraction

from hermite_analytics.gaussian.zero.balls import sign_of_constant
from hermite_analytics.gaussian.zero.monomials import (
    Form,
    Generator,
    Monomial,
    OutOfReach,
    constant,
    freeze,
    generator_form,
    is_algebraic,
    is_constant,
    leading_sign,
    rational_value,
    scaled,
    thaw,
)
from hermite_analytics.gaussian.zero.radicals import factored
from hermite_analytics.gaussian.zero.ring import Ring

__all__ = ["cosine", "exponential", "logarithm", "power", "real_power", "sine"]

_HALF = Fraction(1, 2)
_LARGEST_POWER = 400
_PI = Monomial(pi=Fraction(1))
# cos(q pi) in radicals, q = numerator/denominator in [0, 1/2]: (rational, coefficient, radicand)
_COSINES: dict[Fraction, tuple[tuple[Fraction, int], ...]] = {
    Fraction(0): ((Fraction(1), 1),),
    Fraction(1, 2): (),
    Fraction(1, 3): ((_HALF, 1),),
    Fraction(1, 4): ((_HALF, 2),),
    Fraction(1, 6): ((_HALF, 3),),
    Fraction(1, 5): ((Fraction(1, 4), 1), (Fraction(1, 4), 5)),
    Fraction(2, 5): ((Fraction(-1, 4), 1), (Fraction(1, 4), 5)),
    Fraction(1, 12): ((Fraction(1, 4), 6), (Fraction(1, 4), 2)),
    Fraction(5, 12): ((Fraction(1, 4), 6), (Fraction(-1, 4), 2)),
}


def exponential(ring: Ring, form: Form) -> Form:
    """exp(F), with exp(c log A) = A^c for rational c.

    Examples
    --------
    >>> ring = Ring()
    >>> half_log = scaled(logarithm(ring, constant(2)), Fraction(1, 2))
    >>> exponential(ring, half_log) == ring.root(constant(2))
    True
    """
    kept: Form = {}
    factors = [constant(1)]
    for monomial, c in form.items():
        generators = monomial.generators
        is_log = monomial == Monomial(generators=generators) and len(generators) == 1
        if is_log and generators[0][0][0] == "log" and generators[0][1] == 1:
            factors.append(power(ring, thaw(generators[0][0][1][0]), c))
        else:
            kept[monomial] = c
    outer: Form = {Monomial(exponent=freeze(kept)): Fraction(1)}
    return ring.multiply(outer, ring.product(factors))


def logarithm(ring: Ring, form: Form) -> Form:
    """log(F): sums of log p for rationals and their radicals, else a generator.

    Raises
    ------
    OutOfReach
        For a rational that is not positive.
    """
    if len(form) != 1:
        if not form:
            raise OutOfReach("log(0)")
        if is_constant(form) and sign_of_constant(form) < 0:
            raise OutOfReach("the logarithm of a negative number")
        return generator_form("log", form)
    ((monomial, coefficient),) = form.items()
    if coefficient <= 0:
        raise OutOfReach("the logarithm of a number not shown to be positive")
    if monomial.generators or monomial.wave:
        return generator_form("log", form)
    parts = [thaw(monomial.exponent)]
    for n, side in ((coefficient.numerator, 1), (coefficient.denominator, -1)):
        parts += [scaled(_log_prime(p), Fraction(side * e)) for p, e in factored(n)]
    parts += [scaled(_log_prime(p), e) for p, e in monomial.radical]
    if monomial.pi:
        parts.append(scaled(generator_form("log", {_PI: Fraction(1)}), monomial.pi))
    return ring.add(parts)


def _log_prime(p: int) -> Form:
    return generator_form("log", constant(p))


def power(ring: Ring, form: Form, exponent: Fraction) -> Form:
    """F^e for rational e; F >= 0 where e is not an integer.

    Raises
    ------
    OutOfReach
        For 0 to a negative power, a negative radicand, or a power beyond the cap.
    """
    if abs(exponent) > _LARGEST_POWER:
        raise OutOfReach("a very large power")
    if not form:
        if exponent > 0:
            return {}
        raise OutOfReach("a power of zero")
    if exponent.denominator == 1:
        return _integer_power(ring, form, int(exponent))
    if len(form) == 1:
        found = _monomial_power(ring, *next(iter(form.items())), exponent)
        if found is not None:
            return found
    if is_constant(form) and sign_of_constant(form) < 0:
        raise OutOfReach("a root of a negative number")
    if exponent.denominator == 2 and is_algebraic(form):
        root = ring.root(form)
        return _integer_power(ring, root, exponent.numerator)
    return _opaque_power(ring, form, exponent)


def _integer_power(ring: Ring, form: Form, n: int) -> Form:
    if n >= 0:
        return ring.power(form, n)
    inverse = ring.inverse(form)
    if inverse is not None:
        return ring.power(inverse, -n)
    return _opaque_power(ring, form, Fraction(n))


def _monomial_power(ring: Ring, monomial: Monomial, coefficient: Fraction, exponent: Fraction) -> Form | None:
    """Power of one product of positive factors; None where the sign of some factor is not evident."""
    if coefficient < 0:
        if not (monomial.generators or monomial.wave):
            raise OutOfReach("a root of a negative number")
        return None
    if monomial.wave or not all(_is_positive(g) for g, _ in monomial.generators):
        return None
    letters = [
        generator_form("power", {Monomial(generators=((g, 1),)): Fraction(1)}, constant(n * exponent))
        for g, n in monomial.generators
    ]
    exponents = freeze(scaled(thaw(monomial.exponent), exponent))
    outer: Form = {Monomial(pi=monomial.pi * exponent, exponent=exponents): Fraction(1)}
    radicals = [ring.rational_power(Fraction(p), e * exponent) for p, e in monomial.radical]
    return ring.product([outer, ring.rational_power(coefficient, exponent), *radicals, *letters])


def _is_positive(generator: Generator) -> bool:
    name, arguments = generator
    return name in {"angle", "gauss", "owen", "root"} or (name == "log" and arguments[0][0][0] == Monomial())


def _opaque_power(ring: Ring, form: Form, exponent: Fraction) -> Form:
    """A generator for a power of a sum, scaled so that its largest monomial has coefficient 1 or -1."""
    lead = abs(form[max(form)])
    side = leading_sign(form) if exponent.denominator == 1 else 1
    inner = scaled(form, Fraction(side) / lead)
    factor = scaled(ring.rational_power(lead, exponent), Fraction(side ** (exponent.numerator % 2)))
    return ring.multiply(factor, generator_form("power", inner, constant(exponent)))


def real_power(ring: Ring, base: Form, exponent: Form) -> Form:
    """F^G, through exp(G log F) where G is not rational."""
    rational = rational_value(exponent)
    if rational is not None:
        return power(ring, base, rational)
    return exponential(ring, ring.multiply(exponent, logarithm(ring, base)))


def cosine(ring: Ring, form: Form) -> Form:
    """cos(F), the rational multiples of pi in F split off."""
    turns, rest = _turns(form)
    first = ring.multiply(_cos_of_pi(ring, turns), ring.wave("cos", rest))
    second = ring.multiply(_cos_of_pi(ring, _HALF - turns), ring.wave("sin", rest))
    return ring.subtract(first, second)


def sine(ring: Ring, form: Form) -> Form:
    """sin(F) = cos(F - pi/2)."""
    return cosine(ring, ring.subtract(form, {_PI: _HALF}))


def _turns(form: Form) -> tuple[Fraction, Form]:
    rest = dict(form)
    return rest.pop(_PI, Fraction(0)), rest


def _cos_of_pi(ring: Ring, q: Fraction) -> Form:
    """cos(pi q) in radicals where it has them without nesting (and for eighths), else a generator."""
    q = abs(q) % 2
    q = min(q, 2 - q)
    side = Fraction(1)
    if q > _HALF:
        q, side = 1 - q, -side
    if q in _COSINES:
        parts = [scaled(ring.rational_power(Fraction(m), _HALF), a) for a, m in _COSINES[q]]
        return scaled(ring.add(parts), side)
    if q in (Fraction(3, 8), Fraction(3, 10)):  # cos 3x = cos x (2 cos 2x - 1): one root, not two
        factor = ring.subtract(scaled(_cos_of_pi(ring, 2 * q / 3), Fraction(2)), constant(1))
        return scaled(ring.multiply(_cos_of_pi(ring, q / 3), factor), side)
    if q.denominator in (8, 10):
        double = _cos_of_pi(ring, 2 * q)  # cos(x) = sqrt((1 + cos 2x)/2) for x in (0, pi/2)
        return scaled(ring.root(scaled(ring.add((constant(1), double)), _HALF)), side)
    return scaled(generator_form("cos of pi times", constant(q)), side)
