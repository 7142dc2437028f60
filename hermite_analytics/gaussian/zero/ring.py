"""Addition and multiplication of forms, with a cap on the work."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from fractions import Fraction

from hermite_analytics.foundation.clock import check_time
from hermite_analytics.gaussian.zero.monomials import (
    ONE,
    Form,
    Frozen,
    Generator,
    Monomial,
    OutOfReach,
    constant,
    divides_out,
    freeze,
    is_algebraic,
    leading_sign,
    negated,
    rational_value,
    scaled,
    thaw,
)
from hermite_analytics.gaussian.zero.radicals import denested, rational_power

__all__ = ["Ring"]

_HALF = Fraction(1, 2)


class Ring:
    """Arithmetic of forms; `OutOfReach` after `operations` products of monomials, `TimeEnded` after a clock.

    Examples
    --------
    >>> from hermite_analytics.gaussian.zero.monomials import constant
    >>> ring = Ring()
    >>> root = ring.root(constant(2))
    >>> ring.multiply(root, root) == constant(2)
    True
    """

    def __init__(self, operations: int = 40_000) -> None:
        self.left = operations

    def add(self, forms: Iterable[Form]) -> Form:
        """The sum, without the monomials that cancel."""
        total: Form = {}
        for form in forms:
            for monomial, coefficient in form.items():
                following = total.get(monomial, 0) + coefficient
                if following:
                    total[monomial] = Fraction(following)
                else:
                    del total[monomial]
        return total

    def subtract(self, a: Form, b: Form) -> Form:
        return self.add((a, negated(b)))

    def multiply(self, a: Form, b: Form) -> Form:
        """The expanded product."""
        self._spend(len(a) * len(b))
        if len(a) < len(b):
            a, b = b, a
        total: Form = {}
        for m, x in a.items():
            check_time()
            for n, y in b.items():
                for monomial, coefficient in self._product(m, n).items():
                    following = total.get(monomial, 0) + coefficient * x * y
                    if following:
                        total[monomial] = Fraction(following)
                    else:
                        del total[monomial]
        return total

    def product(self, forms: Iterable[Form]) -> Form:
        result = constant(1)
        for form in forms:
            result = self.multiply(result, form)
        return result

    def power(self, form: Form, exponent: int) -> Form:
        """form^exponent, exponent >= 0, by repeated squaring."""
        result = constant(1)
        while exponent:
            if exponent & 1:
                result = self.multiply(result, form)
            exponent >>= 1
            if exponent:
                form = self.multiply(form, form)
        return result

    def inverse(self, form: Form) -> Form | None:
        """1/form for one monomial without waves, or such a monomial times a field element of square roots."""
        common = divides_out(form)
        if common.wave or any(name.startswith("sign") for (name, _), _ in common.generators):
            return None
        roots = [g for g, _ in common.generators if g[0] == "root"]
        outer = Monomial(
            pi=-common.pi,
            exponent=freeze(negated(thaw(common.exponent))),
            generators=tuple((g, -n) for g, n in common.generators if g not in roots),
        )
        stripped = form if common == ONE else {Monomial(radical=m.radical): c for m, c in form.items()}
        if not is_algebraic(stripped):
            return None
        squares = [self._field_inverse(thaw(root[1][0])) for root in roots]
        inner = self._field_inverse(stripped)
        if inner is None or None in squares:
            return None
        over = [{Monomial(generators=((root, 1),)): Fraction(1)} for root in roots]
        return self.product([inner, {outer: Fraction(1)}, *(s for s in squares if s is not None), *over])

    def _field_inverse(self, form: Form) -> Form | None:
        """1/(a + b sqrt p) = (a - b sqrt p)/(a^2 - b^2 p), prime by prime."""
        if len(form) == 1:
            ((monomial, coefficient),) = form.items()
            inverse: Form = {ONE: 1 / coefficient}
            for p, e in monomial.radical:
                inverse = self.multiply(inverse, self.rational_power(Fraction(p), -e))
            return inverse
        primes = {p for m in form for p, _ in m.radical}
        if any(e != _HALF for m in form for _, e in m.radical):
            return None
        p = min(primes)
        conjugate = {m: -c if any(q == p for q, _ in m.radical) else c for m, c in form.items()}
        norm = self._field_inverse(self.multiply(form, conjugate))
        return None if norm is None else self.multiply(conjugate, norm)

    def rational_power(self, base: Fraction, exponent: Fraction) -> Form:
        """base^exponent for a positive rational base."""
        coefficient, monomial = rational_power(base, exponent)
        return {monomial: coefficient}

    def root(self, form: Form) -> Form:
        """The positive square root of a positive algebraic number; nested roots become generators."""
        if len(form) == 1:
            ((monomial, coefficient),) = form.items()
            powers = [self.rational_power(Fraction(p), e / 2) for p, e in monomial.radical]
            return self.product([self.rational_power(coefficient, _HALF), *powers])
        plain = denested(form)
        if plain is not None:
            u, v, s = plain
            roots = self.rational_power(u, _HALF), scaled(self.rational_power(v, _HALF), Fraction(s))
            return self.add(roots)
        numerators = math.gcd(*(c.numerator for c in form.values()))
        content = Fraction(numerators, math.lcm(*(c.denominator for c in form.values())))
        key = ("root", (freeze(scaled(form, 1 / content)),))
        outer = self.rational_power(content, _HALF)
        return self.multiply(outer, {Monomial(generators=((key, 1),)): Fraction(1)})

    def wave(self, kind: str, form: Form) -> Form:
        """cos or sin of a form without a rational multiple of pi, made even or odd by the leading sign."""
        if not form:
            return constant(1) if kind == "cos" else {}
        side = leading_sign(form)
        monomial = Monomial(wave=(kind, freeze(scaled(form, Fraction(side)))))
        return {monomial: Fraction(1 if kind == "cos" else side)}

    def _spend(self, count: int) -> None:
        self.left -= count
        if self.left < 0:
            raise OutOfReach("more operations than allowed")

    def _product(self, m: Monomial, n: Monomial) -> Form:
        """The product of two monomials: one monomial, unless waves or roots meet."""
        coefficient, radical = _join_radicals(m.radical, n.radical)
        exponent = self._join_exponents(m.exponent, n.exponent)
        generators, extra = self._join_generators(m.generators, n.generators)
        wave = m.wave or n.wave
        base = Monomial(radical, m.pi + n.pi, exponent, wave, generators)
        result: Form = {base: coefficient}
        if m.wave and n.wave:
            waves = self._join_waves(m.wave, n.wave)
            result = self.multiply({base._replace(wave=()): coefficient}, waves)
        for factor in extra:
            result = self.multiply(result, factor)
        return result

    def _join_exponents(self, a: Frozen, b: Frozen) -> Frozen:
        return freeze(self.add((thaw(a), thaw(b)))) if a and b else a or b

    def _join_waves(self, a: tuple[str, Frozen], b: tuple[str, Frozen]) -> Form:
        """Product to sum."""
        (kind, first), (other, second) = a, b
        plus, minus = self.add((thaw(first), thaw(second))), self.subtract(thaw(first), thaw(second))
        if kind != other:  # sin x cos y = (sin(x + y) + sin(x - y))/2
            minus = minus if kind == "sin" else negated(minus)
            pair = self.wave("sin", plus), self.wave("sin", minus)
        elif kind == "cos":
            pair = self.wave("cos", plus), self.wave("cos", minus)
        else:
            pair = negated(self.wave("cos", plus)), self.wave("cos", minus)
        return scaled(self.add(pair), _HALF)

    def _join_generators(
        self, a: tuple[tuple[Generator, int], ...], b: tuple[tuple[Generator, int], ...]
    ) -> tuple[tuple[tuple[Generator, int], ...], list[Form]]:
        """(generators of the product, further factors): root^2 and sign^2 are replaced by what they are."""
        if not (a and b):
            return a or b, []
        powers = dict(a)
        for generator, n in b:
            powers[generator] = powers.get(generator, 0) + n
        extra: list[Form] = []
        for generator in list(powers):
            match generator[0]:
                case "root" if powers[generator] not in (0, 1):
                    extra.append(self._whole_root(generator, powers))
                case "power" if powers[generator] > 1:
                    extra += self._whole_power(generator, powers)
                case "sign of polynomial":
                    powers[generator] %= 2  # sign^2 = 1 almost everywhere, as the polynomial is not zero
                case "sign" if powers[generator] > 2:
                    powers[generator] = 2 - powers[generator] % 2
        extra += self._joined_roots(powers)
        return tuple(sorted((g, n) for g, n in powers.items() if n)), extra

    def _whole_power(self, generator: Generator, powers: dict[Generator, int]) -> list[Form]:
        """Take a power with a whole exponent out: (A^(1/2))^2 = A."""
        base, exponent = (thaw(frozen) for frozen in generator[1])
        share = rational_value(exponent)
        whole = None if share is None else share * powers[generator]
        if whole is None or whole.denominator != 1 or whole <= 0:
            return []
        powers[generator] = 0
        return [self.power(base, int(whole))]

    def _joined_roots(self, powers: dict[Generator, int]) -> list[Form]:
        """Take pairs of roots out whose product is one root of a shorter form."""
        joined: list[Form] = []
        roots = [g for g, n in powers.items() if g[0] == "root" and n == 1]
        for first, second in itertools.combinations(roots, 2):
            inner = self.multiply(thaw(first[1][0]), thaw(second[1][0]))
            if powers[first] and powers[second] and (len(inner) == 1 or denested(inner)):
                powers[first] = powers[second] = 0
                joined.append(self.root(inner))
        return joined

    def _whole_root(self, generator: Generator, powers: dict[Generator, int]) -> Form:
        """Take the integer power of A out of sqrt(A)^n."""
        whole, powers[generator] = divmod(powers[generator], 2)
        inner = thaw(generator[1][0])
        if whole >= 0:
            return self.power(inner, whole)
        inverse = self.inverse(inner)
        if inverse is None:
            raise OutOfReach("the inverse of a nested root")
        return self.power(inverse, -whole)


def _join_radicals(
    a: tuple[tuple[int, Fraction], ...], b: tuple[tuple[int, Fraction], ...]
) -> tuple[Fraction, tuple[tuple[int, Fraction], ...]]:
    """(integer part, exponents reduced to [0, 1)) of a product of radicals."""
    if not (a and b):
        return Fraction(1), a or b
    powers, coefficient = dict(a), 1
    for p, e in b:
        total = powers.get(p, Fraction(0)) + e
        if total >= 1:
            coefficient *= p
            total -= 1
        powers[p] = total
    return Fraction(coefficient), tuple(sorted((p, e) for p, e in powers.items() if e))
