"""asin, acos and atan as angles in (0, pi/2) named by sin^2, and the relations among those of rational sin^2.

Ground. For sin^2 theta rational, e^{2 i theta} = b/conj(b) with b in an imaginary quadratic field. Products
of such numbers from different fields are roots of unity only if each field's part is (Galois characters
are independent); within one field, only if the valuations at the split primes cancel (its units are roots
of unity). So the rational relations among these angles and pi are the kernel of an integer matrix, and
what remains after eliminating them is independent over Q: the hypothesis of Baker's theorem.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import TypeVar

import flint
from flint import arb, fmpq

from hermite_analytics.gaussian.zero.balls import enclosure, sign_of_constant
from hermite_analytics.gaussian.zero.monomials import (
    Form,
    Frozen,
    Monomial,
    OutOfReach,
    constant,
    freeze,
    generator_form,
    is_algebraic,
    leading_sign,
    negated,
    rational_value,
    scaled,
)
from hermite_analytics.gaussian.zero.radicals import factored, square_free
from hermite_analytics.gaussian.zero.ring import Ring

__all__ = ["angle_relations", "arcsine", "arctangent", "split_valuations"]

_PI = Monomial(pi=Fraction(1))
_HALF = Fraction(1, 2)
_TWELFTHS = 12
_DOUBLINGS = 12
_LARGEST_DENOMINATOR = 64
_Key = TypeVar("_Key")


def arcsine(ring: Ring, x: Form) -> Form:
    """asin(x) of a constant -1 <= x <= 1."""
    side = sign_of_constant(x)
    return scaled(_angle(ring, ring.multiply(x, x)), Fraction(side)) if side else {}


def arctangent(ring: Ring, x: Form) -> Form:
    """atan(x) = asin(x/sqrt(1 + x^2)) of a constant."""
    side = sign_of_constant(x)
    if not side:
        return {}
    square = ring.multiply(x, x)
    over = ring.inverse(ring.add((constant(1), square)))
    if over is None:
        lead = leading_sign(x)
        return scaled(generator_form("atan", scaled(x, Fraction(lead))), Fraction(lead))
    return scaled(_angle(ring, ring.multiply(square, over)), Fraction(side))


def _angle(ring: Ring, square: Form) -> Form:
    """The angle in (0, pi/2] with this squared sine."""
    rational = rational_value(square)
    if rational is not None:
        return _rational_angle(rational)
    if sign_of_constant(ring.subtract(constant(1), square)) < 0:
        raise OutOfReach("the arcsine of a number above 1")
    if is_algebraic(square):
        turns = _turns(ring, square)
        if turns is not None:
            return {_PI: turns}
    return generator_form("angle", square)


def _rational_angle(square: Fraction) -> Form:
    if square > 1:
        raise OutOfReach("the arcsine of a number above 1")
    if square == 1:
        return {_PI: _HALF}
    if split_valuations(square)[1] == {}:
        return {_PI: _nearest_multiple({square: 1}, _TWELFTHS)}
    if square > _HALF:
        return {_PI: _HALF, **negated(_rational_angle(1 - square))}
    return generator_form("angle", constant(square))


def split_valuations(square: Fraction) -> tuple[int, dict[int, int]]:
    """(d, {p: valuation of e^{2 i theta} at the chosen prime above p}) in Q(sqrt -d), sin^2 theta = square.

    Examples
    --------
    >>> split_valuations(Fraction(9, 25)), split_valuations(Fraction(1, 4))
    ((1, {5: 2}), (3, {}))
    """
    cosine = 1 - 2 * square  # of 2 theta
    a, b = cosine.numerator, cosine.denominator
    (s, d), (t, e) = square_free(b - a), square_free(b + a)
    common = math.gcd(d, e)
    # 1 + e^{2 i theta} is proportional to (b + a) + i sqrt(b^2 - a^2)
    x, y, d = a + b, s * t * common, d * e // common**2
    shared = math.gcd(x, y)
    x, y = x // shared, y // shared
    valuations = {}
    for p, n in factored(x * x + d * y * y):
        if p == 2:
            # 2 splits for d = 7 mod 8; x, y odd then have (x + y sqrt -d)/2 as the primitive element
            if d % 8 == 7:
                valuations[p] = (n - 2) * (1 if (x + y) % 4 == 0 else -1)
        elif d % p:
            root = min(int(flint.fmpz(-d % p).sqrtmod(p)), p - int(flint.fmpz(-d % p).sqrtmod(p)))
            valuations[p] = n if (x + y * root) % p == 0 else -n
    return d, valuations


def angle_relations(squares: Iterable[Fraction]) -> dict[Fraction, Form]:
    """Each dependent angle as a rational combination of the independent ones and pi.

    Examples
    --------
    atan(1/2) + atan(1/3) = pi/4, sin^2 = 1/5 and 1/10:

    >>> relations = angle_relations([Fraction(1, 5), Fraction(1, 10)])
    >>> sorted(str(c) for c in relations[Fraction(1, 10)].values())
    ['-1', '1/4']
    """
    ordered = sorted(squares, key=lambda q: (q.denominator, q.numerator))
    relations: dict[Fraction, Form] = {}
    rows: list[tuple[dict[tuple[int, int], Fraction], dict[Fraction, Fraction]]] = []
    for square in ordered:
        d, valuations = split_valuations(square)
        vector = {(d, p): Fraction(v) for p, v in valuations.items()}
        combination = {square: Fraction(1)}
        for other, theirs in rows:
            pivot = min(other)
            factor = vector.get(pivot, Fraction(0)) / other[pivot]
            vector = _combine(vector, other, -factor)
            combination = _combine(combination, theirs, -factor)
        if vector:
            rows.append((vector, combination))
        else:
            relations[square] = _solved(square, combination)
    return relations


def _combine(a: dict[_Key, Fraction], b: dict[_Key, Fraction], factor: Fraction) -> dict[_Key, Fraction]:
    total = dict(a)
    for key, value in b.items():
        total[key] = total.get(key, Fraction(0)) + factor * value
    return {key: value for key, value in total.items() if value}


def _solved(square: Fraction, combination: dict[Fraction, Fraction]) -> Form:
    """theta = -sum of the others + a multiple of pi, from sum_j m_j theta_j in (pi/12) Z."""
    scale = math.lcm(*(c.denominator for c in combination.values()))
    turns = _nearest_multiple({q: int(c * scale) for q, c in combination.items()}, _TWELFTHS) / scale
    form = {
        next(iter(generator_form("angle", constant(q)))): -c for q, c in combination.items() if q != square
    }
    if turns:
        form[_PI] = turns
    return form


def _nearest_multiple(integers: dict[Fraction, int], parts: int) -> Fraction:
    """The number sum_j m_j theta_j / pi, known to be in (1/parts) Z, by a ball."""
    size = sum(abs(m) for m in integers.values()).bit_length()
    with flint.ctx.workprec(64 + size):
        total = arb(0)
        for q, m in integers.items():
            total += m * arb(fmpq(q.numerator, q.denominator)).sqrt().asin()
        nearest = (parts * total / arb.pi()).unique_fmpz()
    if nearest is None:
        raise OutOfReach("a multiple of pi that no ball decides")
    return Fraction(int(nearest), parts)


def _turns(ring: Ring, square: Form) -> Fraction | None:
    """theta/pi if it is rational: the orbit of 2 cos 2 theta under x -> x^2 - 2 then returns to itself."""
    x = ring.subtract(constant(2), scaled(square, Fraction(4)))
    seen: dict[Frozen, int] = {}
    for n in range(_DOUBLINGS):
        if any(c.denominator > _LARGEST_DENOMINATOR for c in x.values()):
            return None  # an algebraic integer of a small field has small denominators
        key = freeze(x)
        if key in seen:
            return _turns_of_orbit(square, seen[key], n)
        seen[key] = n
        x = ring.subtract(ring.multiply(x, x), constant(2))
    return None


def _turns_of_orbit(square: Form, first: int, second: int) -> Fraction | None:
    """2^second * 2 theta = +-2^first * 2 theta mod 2 pi bounds the denominator of theta/pi."""
    parts = (2**second - 2**first) * (2**second + 2**first)
    with flint.ctx.workprec(256):
        ratio = parts * enclosure(square, 256).sqrt().asin() / arb.pi()
        nearest = ratio.unique_fmpz()
    return None if nearest is None else Fraction(int(nearest), parts)
