"""The table of Hermite coefficients E[He_S(z) f(z)]: closed forms, symmetries, enclosures, part by part."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

import sympy
from sympy import Dummy, Expr, Integer, S, Symbol

from hermite_analytics.errors import BudgetExhausted, UnsupportedExpression
from hermite_analytics.evidence import Evidence, Quantity
from hermite_analytics.foundation.clock import TimeEnded, allowed, check_time, limited, share
from hermite_analytics.gaussian.coefficients import (
    closed_coefficients,
    exact_coefficients,
    indices,
    split_exact,
)
from hermite_analytics.gaussian.enclosure import ball_of, enclose_coefficients
from hermite_analytics.gaussian.enclosure.forms import affine_form
from hermite_analytics.gaussian.enclosure.precision import working_precision
from hermite_analytics.gaussian.extremes import extreme_coefficient, is_extreme_of_separate
from hermite_analytics.gaussian.quantities import (
    EXACT_SHARE,
    constant_quantity,
    enclosed_quantity,
    interrupted,
    quantity_of_ball,
    times_number,
    total,
)
from hermite_analytics.gaussian.reals import NoClosedForm
from hermite_analytics.gaussian.symmetric_means import SYMMETRY_SHARE, symmetric_zero
from hermite_analytics.gaussian.terms import NotInNormalForm
from hermite_analytics.gaussian.zero.coordinates import coordinate_symmetries
from hermite_analytics.language.functions import He

if TYPE_CHECKING:
    from flint import arb

__all__ = ["coefficient_table", "hermite_product"]

Index = tuple[int, ...]
_DOUBLE_DIGITS = 18  # in several variables every digit is dear
_DOUBLE_ERROR = 2.0**-52


def coefficient_table(
    expression: Expr,
    variables: tuple[Symbol, ...],
    degree: int,
    *,
    wanted: Collection[Index] | None = None,
    noise: tuple[Symbol, ...] = (),
    digits: int,
    estimates: bool = True,
) -> dict[Index, Quantity]:
    """E[He_S(z) f(z, noise)] for all |S| <= degree, or for those S of them that are wanted.

    Parameters
    ----------
    expression : sympy expression
        f.
    variables : tuple of symbols
        z, one entry of S each.
    noise : tuple of symbols
        More independent N(0, 1) variables, over which f is averaged: of index 0.
    digits : int
        Of the enclosures, relative to sqrt(S!); at least 18 on a line, and where fewer leave open whether the
        number is 0.
    estimates : bool
        Digits without a proof where there is no enclosure; else such a number is unknown.
    """
    everything = (*variables, *noise)
    closed, left = S.Zero, expression
    chosen = list(indices(len(variables), degree)) if wanted is None else list(wanted)
    if not chosen:
        return {}
    try:
        with limited(share(EXACT_SHARE)):
            closed, left = split_exact(expression, everything)
            exact = _exact(closed, variables, noise, degree, chosen)
    except TimeEnded as ended:
        check_time()  # a limit around this one
        known = ended.found if left == 0 and not noise else {}
        parts = [_Part(p, variables, noise, digits, estimates) for p in sympy.Add.make_args(expression)]
        return _completed(known, parts, chosen)
    except (NoClosedForm, NotInNormalForm):  # the mean has a closed form, a higher coefficient has none
        left, exact = expression, dict.fromkeys(chosen, S.Zero)
    if left == 0:
        return {index: constant_quantity(value) for index, value in exact.items()}
    tables = [
        _Part(part, variables, noise, digits, estimates).with_closed(degree, chosen)
        for part in sympy.Add.make_args(left)
    ]
    terms = {index: [t[index] for t in tables] for index in exact}
    if len(tables) > 1:
        terms = _balanced(terms, left, everything)
    return {index: total([constant_quantity(value), *terms[index]]) for index, value in exact.items()}


def _balanced(
    terms: Mapping[Index, list[Quantity]], rest: Expr, everything: tuple[Symbol, ...]
) -> dict[Index, list[Quantity]]:
    """Of a sum: terms that are open may vanish together, by a symmetry that none has by itself."""
    found = dict(terms)
    with allowed(share(SYMMETRY_SHARE)):
        for index in [index for index, parts in terms.items() if total(parts).zero is None]:
            averaged = (0,) * (len(everything) - len(index))
            zero = symmetric_zero(rest, everything, (*index, *averaged))
            found[index] = terms[index] if zero is None else [zero]
    return found


def _completed(
    known: Mapping[Index, Expr], parts: Sequence[_Part], wanted: Collection[Index]
) -> dict[Index, Quantity]:
    """The coefficients that were exact when the time for closed forms ended, the others by enclosures."""
    table: dict[Index, Quantity] = {}
    missing = [index for index in wanted if index not in known]
    opened = [part.table(missing) for part in parts] if missing else []
    for index in wanted:
        if index in known:
            table[index] = constant_quantity(known[index])
        else:
            table[index] = interrupted(total([found[index] for found in opened]))
    return table


def _exact(
    closed: Expr, variables: tuple[Symbol, ...], noise: tuple[Symbol, ...], degree: int, wanted: list[Index]
) -> dict[Index, Expr]:
    if closed == 0:
        return dict.fromkeys(wanted, S.Zero)
    if not closed.has(*noise):
        return exact_coefficients(closed, variables, degree, wanted=wanted)
    averaged = (0,) * len(noise)
    with_noise = [(*index, *averaged) for index in wanted]
    found = exact_coefficients(closed, (*variables, *noise), degree, wanted=with_noise)
    return {index[: len(variables)]: value for index, value in found.items()}


class _Part:
    """A term without a closed form."""

    def __init__(
        self,
        part: Expr,
        variables: tuple[Symbol, ...],
        noise: tuple[Symbol, ...],
        digits: int,
        estimates: bool,
    ) -> None:
        self.part, self.variables, self.everything = part, variables, (*variables, *noise)
        self.digits, self.estimates = digits, estimates
        self.on_a_line = max(digits, _DOUBLE_DIGITS)
        self.averaged = (0,) * len(noise)

    def with_closed(self, degree: int, wanted: Collection[Index]) -> dict[Index, Quantity]:
        """The coefficients of these indices: of some there are closed forms though the mean has none."""
        known: dict[Index, Expr] = {}
        if self.everything == self.variables:
            try:
                with limited(share(EXACT_SHARE)):
                    known = closed_coefficients(self.part, self.variables, degree, wanted=wanted)
            except TimeEnded as ended:
                check_time()  # a limit around this one
                known = ended.found
        missing = [index for index in wanted if index not in known]
        opened = self.table(missing) if missing else {}
        return opened | {index: constant_quantity(x) for index, x in known.items()}

    def table(self, wanted: Collection[Index]) -> dict[Index, Quantity]:
        """The coefficients of these indices."""
        degree = max(map(sum, wanted))
        used = [self.part.has(v) for v in self.variables]
        direction = _direction(self.part, self.everything)
        balls = None if direction is None else self._line_balls(direction, degree)
        found: dict[Index, Quantity] = {}
        for index in wanted:
            if any(power and not u for power, u in zip(index, used, strict=True)):
                found[index] = self._independent(index)
            elif not self.part.has(*self.everything):
                found[index] = constant_quantity(self.part)
            elif direction is not None and balls is not None:
                found[index] = self._on_the_line(index, direction, balls[sum(index)])
        found |= self._zeros([index for index in wanted if index not in found])
        firsts = self._firsts([index for index in wanted if index not in found])
        alike = {first: self._alone(first) for first in dict.fromkeys(firsts.values())}
        return found | {index: alike[first] for index, first in firsts.items()}

    def _firsts(self, wanted: Collection[Index]) -> dict[Index, Index]:
        """Of each index the one of equal coefficient that is computed: coordinates may be exchanged."""
        if len(wanted) < 2:
            return {index: index for index in wanted}
        with allowed(share(SYMMETRY_SHARE)):
            group = coordinate_symmetries(self.part, self.variables)
        return {index: group.representative(index) for index in wanted}

    def _zeros(self, wanted: Collection[Index]) -> dict[Index, Quantity]:
        """Those that vanish by a symmetry; a share of the time for all, before enclosures use up the rest."""
        with allowed(share(SYMMETRY_SHARE)):
            found = {index: self._zero(index) for index in wanted}
        return {index: zero for index, zero in found.items() if zero is not None}

    def _zero(self, index: Index) -> Quantity | None:
        return symmetric_zero(self.part, self.everything, (*index, *self.averaged))

    def _independent(self, index: Index) -> Quantity:
        reason = f"{self.part} does not depend on a variable of index {index}"
        return Quantity(exact=S.Zero, value=0.0, error=0.0, evidence=Evidence.EXACT, zero=True, reason=reason)

    def _line_balls(self, direction: Sequence[Expr], degree: int) -> list[arb] | None:
        """E[He_k(u) g(u)] of f(z) = g(u), u = direction.z."""
        u = Dummy("u", real=True)
        along = {v: e * u for v, e in zip(self.everything, direction, strict=True)}
        restricted = self.part.xreplace(along)
        try:
            return enclose_coefficients(restricted, u, degree, digits=self.on_a_line)
        except BudgetExhausted as stopped:
            return stopped.ball if isinstance(stopped.ball, list) else None
        except UnsupportedExpression:
            return None

    def _on_the_line(self, index: Index, direction: Sequence[Expr], ball: arb) -> Quantity:
        """C_k = E[He_k(u) g(u)] direction^k."""
        zero = None
        if ball.contains(0):
            with allowed(share(SYMMETRY_SHARE)):
                zero = self._zero(index)
        if zero is not None:
            return zero
        powers = (e**k for e, k in zip(direction, index, strict=False))
        weight = sympy.Mul(*powers)
        return quantity_of_ball(ball if weight == 1 else _scaled(ball, weight, self.on_a_line))

    def _alone(self, index: Index) -> Quantity:
        scale, rest = self.part.as_independent(*self.everything, as_Add=False)
        if is_extreme_of_separate(rest):
            own = {v: k for v, k in zip(self.variables, index, strict=True) if rest.has(v)}
            found = extreme_coefficient(rest, tuple(own), tuple(own.values()), digits=self.on_a_line)
            return times_number(found, scale)
        first, most = min(_DOUBLE_DIGITS, self.digits), max(_DOUBLE_DIGITS, self.digits)
        found = self._enclosed(index, first)
        if found.evidence is not Evidence.PROVED or first == most:
            return found
        sharp = first == self.digits or found.error <= _DOUBLE_ERROR * abs(found.value)
        if found.zero is not None and sharp:
            return found
        again = self._enclosed(index, most)
        return again if again.evidence is Evidence.PROVED else found  # where the time ended

    def _enclosed(self, index: Index, digits: int) -> Quantity:
        integrand = hermite_product(index, self.variables) * self.part
        return enclosed_quantity(integrand, self.everything, digits=digits, estimates=self.estimates)


def _scaled(ball: arb, weight: Expr, digits: int) -> arb:
    bits = 4 * digits + 64
    with working_precision(bits):
        return ball * ball_of(weight, bits)


def _direction(expr: Expr, variables: tuple[Symbol, ...]) -> tuple[Expr, ...] | None:
    """The unit vector e if expr is a function of e.z alone; None if it is not, or |a|^2 is not rational."""
    used = [v for v in variables if expr.has(v)]
    if len(used) == 1:
        return tuple(S.One if v == used[0] else S.Zero for v in variables)
    first, *others = _slopes(expr, variables) or [(S.Zero,) * len(variables)]
    square = sympy.Add(*(a**2 for a in first))
    if not (square.is_Rational and square > 0) or not all(_parallel(s, first) for s in others):
        return None
    return tuple(a / sympy.sqrt(square) for a in first)


def _slopes(expr: Expr, variables: tuple[Symbol, ...]) -> list[tuple[Expr, ...]]:
    """Slopes of the maximal affine parts."""
    if not expr.free_symbols.intersection(variables):
        return []
    form = affine_form(expr, variables)
    if form is not None:
        return [form[1]]
    return [slope for a in expr.args for slope in _slopes(a, variables)]


def _parallel(a: Sequence[Expr], b: Sequence[Expr]) -> bool:
    i = next(k for k, x in enumerate(b) if x != 0)
    return all(sympy.expand(x * b[i] - y * a[i]) == 0 for x, y in zip(a, b, strict=True))


def hermite_product(index: Index, variables: Sequence[Symbol]) -> Expr:
    """He_S(z) = prod He_{s_i}(z_i), unexpanded."""
    return sympy.Mul(*(He(Integer(k), z) for k, z in zip(index, variables, strict=True) if k))
