"""Majorants of functions of several variables: polynomials times exponentials of quadratics in |Re z_i|.

With t_i = |Re z_i|, a `Quadratic` is c + sum_i (l_i t_i + s_i t_i^2) and an `Envelope` a sum of pieces
p(t) exp(sum_i (l_i t_i + s_i t_i^2)), p a polynomial with coefficients >= 0. Coefficients are balls, and
every operation gives a majorant of what it stands for.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from flint import arb

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.clock import check_time

__all__ = ["Envelope", "EnvelopeTerm", "Quadratic"]

_MOST_PIECES = 200
Powers = tuple[int, ...]
Vector = tuple[arb, ...]


@dataclass(frozen=True, slots=True)
class Quadratic:
    """constant + sum_i linear_i t_i + square_i t_i^2."""

    constant: arb
    linear: Vector
    square: Vector

    @staticmethod
    def of(constant: arb, count: int) -> Quadratic:
        zeros = (arb(0),) * count
        return Quadratic(constant, zeros, zeros)

    def plus(self, other: Quadratic) -> Quadratic:
        return Quadratic(
            self.constant + other.constant, _sum(self.linear, other.linear), _sum(self.square, other.square)
        )

    def scaled(self, factor: arb) -> Quadratic:
        return Quadratic(
            self.constant * factor,
            tuple(x * factor for x in self.linear),
            tuple(x * factor for x in self.square),
        )

    def largest(self, other: Quadratic) -> Quadratic:
        """A majorant of both."""
        return Quadratic(
            self.constant.max(other.constant),
            tuple(x.max(y) for x, y in zip(self.linear, other.linear, strict=True)),
            tuple(x.max(y) for x, y in zip(self.square, other.square, strict=True)),
        )

    def supremum(self) -> arb:
        """An upper bound for all t >= 0, infinite if there is none."""
        total = self.constant
        for slope, square in zip(self.linear, self.square, strict=True):
            if square < 0:
                rise = slope.max(arb(0))
                total = total + rise * rise / (-4 * square)
            elif not (square <= 0 and slope <= 0):
                return arb("inf")
        return total

    def exponential(self) -> Envelope:
        """The envelope exp(self)."""
        none = (0,) * len(self.linear)
        return Envelope((EnvelopeTerm({none: self.constant.exp()}, self.linear, self.square),))

    def absolute(self) -> Envelope:
        """A majorant of |self|, as a polynomial envelope."""
        count = len(self.linear)
        terms = {(0,) * count: abs(self.constant)}
        for i in range(count):
            for power, coefficient in ((1, self.linear[i]), (2, self.square[i])):
                if not coefficient.is_zero():
                    terms[_unit(i, power, count)] = abs(coefficient)
        zeros = (arb(0),) * count
        return Envelope((EnvelopeTerm(terms, zeros, zeros),))


@dataclass(frozen=True, slots=True)
class EnvelopeTerm:
    """polynomial(t) * exp(sum_i linear_i t_i + square_i t_i^2); `terms` maps powers to coefficients."""

    terms: dict[Powers, arb]
    linear: Vector
    square: Vector

    def is_polynomial(self) -> bool:
        return all(x == 0 for x in (*self.linear, *self.square))


@dataclass(frozen=True, slots=True)
class Envelope:
    """A sum of pieces."""

    pieces: tuple[EnvelopeTerm, ...]

    @staticmethod
    def of(constant: arb, count: int) -> Envelope:
        return Quadratic.of(constant, count).absolute()

    def plus(self, *others: Envelope) -> Envelope:
        return Envelope(_merged(p for e in (self, *others) for p in e.pieces))

    def times(self, other: Envelope) -> Envelope:
        return Envelope(_merged(_product(p, q) for p in self.pieces for q in other.pieces))

    def scaled(self, factor: arb) -> Envelope:
        factor = abs(factor)
        return Envelope(
            tuple(
                EnvelopeTerm({k: c * factor for k, c in p.terms.items()}, p.linear, p.square)
                for p in self.pieces
            )
        )

    def power(self, exponent: int) -> Envelope:
        """self^exponent for exponent >= 0, by squaring."""
        count = len(self.pieces[0].linear)
        result, base = Envelope.of(arb(1), count), self
        while exponent:
            if exponent & 1:
                result = result.times(base)
            exponent >>= 1
            if exponent:
                base = base.times(base)
        return result

    def quadratic(self) -> Quadratic | None:
        """A quadratic majorant, or None if the envelope grows faster."""
        if not all(all(x <= 0 for x in (*p.linear, *p.square)) for p in self.pieces):
            return None
        count = len(self.pieces[0].linear)
        total = Quadratic.of(arb(0), count)
        for piece in self.pieces:
            for powers, coefficient in piece.terms.items():
                part = monomial_bound(powers, coefficient)
                if part is None:
                    return None
                total = total.plus(part)
        return total

    def logarithm(self) -> Quadratic:
        """A quadratic majorant of log(self), from t^n <= exp(n t) and log sum <= log(sum c_i) + max."""
        count = len(self.pieces[0].linear)
        total = arb(0)
        slopes, squares = [arb(0)] * count, [arb(0)] * count
        for piece in self.pieces:
            for powers, coefficient in piece.terms.items():
                total = total + coefficient
                slopes = [s.max(n + x) for s, n, x in zip(slopes, powers, piece.linear, strict=True)]
            squares = [s.max(x) for s, x in zip(squares, piece.square, strict=True)]
        return Quadratic(total.max(arb(1)).log(), tuple(slopes), tuple(squares))


def monomial_bound(powers: Powers, coefficient: arb) -> Quadratic | None:
    """A quadratic majorant of coefficient * t^powers >= 0, of degree at most 2 (t u <= (t^2 + u^2)/2)."""
    count, degree = len(powers), sum(powers)
    zeros = [arb(0)] * count
    if degree > 2:
        return None
    if degree == 0:
        return Quadratic.of(coefficient, count)
    if degree == 1:
        zeros[powers.index(1)] = coefficient
        return Quadratic(arb(0), tuple(zeros), (arb(0),) * count)
    for i, n in enumerate(powers):
        if n:
            zeros[i] = coefficient * n / 2
    return Quadratic(arb(0), (arb(0),) * count, tuple(zeros))


def _unit(index: int, power: int, count: int) -> Powers:
    return tuple(power if i == index else 0 for i in range(count))


def _sum(left: Vector, right: Vector) -> Vector:
    return tuple(x + y for x, y in zip(left, right, strict=True))


def _same(left: Vector, right: Vector) -> bool:
    return all(x.is_exact() and y.is_exact() and x == y for x, y in zip(left, right, strict=True))


def _product(left: EnvelopeTerm, right: EnvelopeTerm) -> EnvelopeTerm:
    terms: dict[Powers, arb] = {}
    for n, a in left.terms.items():
        for m, b in right.terms.items():
            powers = tuple(i + j for i, j in zip(n, m, strict=True))
            terms[powers] = terms[powers] + a * b if powers in terms else a * b
    return EnvelopeTerm(terms, _sum(left.linear, right.linear), _sum(left.square, right.square))


def _merged(pieces: Iterable[EnvelopeTerm]) -> tuple[EnvelopeTerm, ...]:
    """Add up the pieces of equal exponents, which are first rounded up to exact numbers."""
    merged: list[EnvelopeTerm] = []
    for piece in pieces:
        check_time()
        linear = tuple(x.upper() for x in piece.linear)
        square = tuple(x.upper() for x in piece.square)
        for i, other in enumerate(merged):
            if _same(other.linear, linear) and _same(other.square, square):
                terms = dict(other.terms)
                for powers, c in piece.terms.items():
                    terms[powers] = terms[powers] + c if powers in terms else c
                merged[i] = EnvelopeTerm(terms, linear, square)
                break
        else:
            merged.append(EnvelopeTerm(piece.terms, linear, square))
        if len(merged) > _MOST_PIECES:
            raise UnsupportedExpression("a bound of the integrand has too many different exponentials")
    return tuple(merged)
