"""The part of a target that is a polynomial of low degree in what is not learned, and the norm of the rest.

    f = sum over S of T_S(x) He_S(y)/S!,    T_S(x) = E_y[He_S(y) f(x + y)],    x = P_U z, y = z - x

The part with |S| <= kappa is fitted. Terms of f that are fitted entirely drop out; of the others

    error = E R^2 - sum over |S| <= kappa of E[T_S^2]/S!.

Where T_S has no closed form, E[T_S^2] = E[He_S(y) He_S(y') R(x + y) R(x + y')] with a copy y' of y.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import sympy
from sympy import Dummy, Expr, S, Symbol

from hermite_analytics.coefficient_table import hermite_product
from hermite_analytics.errors import BudgetExhausted, UndefinedQuantity
from hermite_analytics.evidence import Quantity
from hermite_analytics.exponents.coefficients import Coefficients
from hermite_analytics.exponents.contraction import Index
from hermite_analytics.exponents.terms import summands
from hermite_analytics.foundation.clock import TimeEnded, allowed, check_time, limited, share
from hermite_analytics.gaussian.closed_form import closed_form
from hermite_analytics.gaussian.distribution import expanded
from hermite_analytics.gaussian.node import GaussianExpectation
from hermite_analytics.gaussian.quantities import EXACT_SHARE, constant_quantity, expected_quantity, total
from hermite_analytics.gaussian.zero.tensors import indices
from hermite_analytics.label_noise import conditional_second_moment
from hermite_analytics.language.functions import He, hermite_polynomial
from hermite_analytics.learning.frames import Frame, adapted_coefficients, rotated_back
from hermite_analytics.learning.numbers import difference, scaled
from hermite_analytics.symbols import xi

__all__ = ["MOST_INDICES", "Projection", "projection"]

MOST_INDICES = 500  # of the T_S of a term
_DIGITS = 25
_SHARE = 0.5  # of the time left, for one of the norms


@dataclass(frozen=True, slots=True, kw_only=True)
class Projection:
    """f = fitted + unfitted, as functions of z, and E unfitted^2.

    Attributes
    ----------
    fitted, unfitted : sympy expression
        With unevaluated expectations where there is no closed form.
    error : Quantity
    """

    fitted: Expr
    unfitted: Expr
    error: Quantity


@dataclass(frozen=True, slots=True)
class _Part:
    """A term of f, the same in adapted coordinates, and its T_S with |S| <= kappa that do not vanish."""

    original: Expr
    term: Expr
    slices: Mapping[Index, Expr]
    is_open: bool  # whether something of it may be left

    @property
    def is_closed(self) -> bool:
        return not any(t.has(GaussianExpectation) for t in self.slices.values())


def projection(coefficients: Coefficients, adapted: Frame, kappa: int) -> Projection:
    """The split of a target at degree kappa in the coordinates outside U.

    Parameters
    ----------
    coefficients : Coefficients
        Of the target.
    adapted : Frame
    kappa : int >= 0

    Raises
    ------
    BudgetExhausted
        If the time ends before the polynomial terms are in adapted coordinates.
    """
    try:
        split = _Split(coefficients, adapted, kappa)
        with limited():
            fitted, unfitted = split.polynomial()
            low, high = split.in_z(fitted), split.in_z(unfitted)
    except TimeEnded:
        check_time()  # a limit around this one
        raise BudgetExhausted("the time ended before the expansion in adapted coordinates") from None
    return split.result(fitted, unfitted, low, high)


class _Split:
    """One target, one subspace, one degree."""

    def __init__(self, coefficients: Coefficients, adapted: Frame, kappa: int) -> None:
        self.coefficients, self.adapted, self.kappa = coefficients, adapted, kappa
        self.variables = coefficients.variables
        self.symbols = adapted.symbols(self.variables)
        self.x, self.y = self.symbols[: adapted.learned], self.symbols[adapted.learned :]
        self.noise = coefficients.noise
        self.forms = dict(zip(self.symbols, adapted.forms(self.variables), strict=True))

    def result(
        self, fitted: Mapping[Index, Expr], unfitted: Mapping[Index, Expr], low: Expr, high: Expr
    ) -> Projection:
        """With the terms that are no polynomials; `low`, `high`: the polynomial in z."""
        polynomial = low
        norm = _sum_of_squares(unfitted, self.adapted)
        if self.coefficients.rest == 0:
            return Projection(fitted=low, unfitted=high, error=norm)
        parts = [self._part(term) for term in summands(self.coefficients.rest, self.variables)]
        low += sympy.Add(*(self._fitted(part) for part in parts))
        if all(p.is_closed for p in parts):
            high += sympy.Add(*(_averaged(p.original) - self._fitted(p) for p in parts if p.is_open))
        else:
            high += _averaged(self.coefficients.rest) + polynomial - low
        remaining = [p for p in parts if p.is_open]
        error = self._error(self._in_symbols(unfitted), remaining) if remaining else norm
        return Projection(fitted=low, unfitted=high, error=error)

    def _fitted(self, part: _Part) -> Expr:
        """What is fitted of a term, as a function of z; bound variables stay as they are."""
        if not part.is_open:
            return _averaged(part.original)
        x = {s: self.forms[s] for s in self.x}
        terms = (
            t.xreplace(x) * hermite_product(index, self.y).xreplace(self.forms) / _factorial(index)
            for index, t in part.slices.items()
        )
        return _tidied(sympy.Add(*terms))

    def polynomial(self) -> tuple[dict[Index, Expr], dict[Index, Expr]]:
        """C[b, .., b] of the polynomial part with |S_perp| <= kappa and beyond."""
        mean = _mean(self.coefficients)
        low = {(0,) * len(self.variables): mean} if mean != 0 else {}
        high: dict[Index, Expr] = {}
        for tensor in self.coefficients.finite.values():
            for index, entry in adapted_coefficients(tensor, self.adapted.rows):
                entry = self.coefficients.numbers.simplified(entry)
                if self.coefficients.numbers.is_zero(entry) is not True:
                    (low if self.adapted.outside(index) <= self.kappa else high)[index] = entry
        return low, high

    def in_z(self, entries: Mapping[Index, Expr]) -> Expr:
        """In Hermite polynomials of the coordinates, or in powers of z where those are rotated."""
        if all(s in self.variables for s in self.symbols):
            return self._in_symbols(entries)
        return rotated_back(entries, self.adapted, self.variables)

    def _in_symbols(self, entries: Mapping[Index, Expr]) -> Expr:
        """sum of c_S He_S/S! in the orthonormal coordinates."""
        terms = []
        for index, entry in entries.items():
            root = sympy.sqrt(sympy.Mul(*(q**n for q, n in zip(self.adapted.squares, index, strict=True))))
            terms.append(entry / (root * _factorial(index)) * hermite_product(index, self.symbols))
        return sympy.Add(*terms)

    def _indices(self) -> Iterator[Index]:
        for degree in range(self.kappa + 1):
            yield from indices(len(self.y), degree)

    def _part(self, original: Expr) -> _Part:
        term = original.xreplace(self.adapted.substitution(self.variables, self.symbols))
        if not term.has(*self.y, *self.noise):
            return _Part(original, term, {(0,) * len(self.y): term}, False)
        found = {index: self._slice(term, index) for index in self._indices()}
        slices = {index: t for index, t in found.items() if t != 0}
        part = _Part(original, term, slices, True)
        if not part.is_closed or self.noise:
            return part
        fitted = sympy.Add(*(t * hermite_product(s, self.y) / _factorial(s) for s, t in slices.items()))
        return part if _opened(term - fitted) != 0 else dataclasses.replace(part, is_open=False)

    def _slice(self, term: Expr, index: Index) -> Expr:
        """T_S(x), in closed form where there is one."""
        integrand = hermite_product(index, self.y) * term
        inner = tuple(v for v in (*self.y, *self.noise) if integrand.has(v))
        if any(n and not term.has(v) for n, v in zip(index, self.y, strict=True)):
            return S.Zero
        try:
            with limited(share(EXACT_SHARE / 4)):
                found = closed_form(integrand, inner)
        except (TimeEnded, UndefinedQuantity):
            check_time()  # a limit around this one
            found = None
        return GaussianExpectation(integrand, inner) if found is None else _with_signs(found)

    def _error(self, polynomial: Expr, parts: Sequence[_Part]) -> Quantity:
        """E R^2 - sum of E[T_S^2]/S!, R the terms that are not fitted entirely."""
        remaining = sympy.Add(polynomial, *(p.term for p in parts))
        left = sympy.Add(*(t for t in sympy.Add.make_args(remaining) if t.has(xi)))
        with allowed(share(_SHARE)):
            whole = conditional_second_moment(remaining, remaining - left, left, self.symbols, digits=_DIGITS)
        norms = (self._slice_norm(index, parts) for index in self._indices())
        fitted = [q for q in norms if q is not None] or [constant_quantity(S.Zero)]
        return difference(whole, total(fitted))

    def _slice_norm(self, index: Index, parts: Sequence[_Part]) -> Quantity | None:
        """E[T_S^2]/S! of the sum of all parts; only those without a closed T_S are doubled."""
        mine = [p for p in parts if index in p.slices]
        if not mine:
            return None
        closed = sympy.Add(*(t for t in (p.slices[index] for p in mine) if not t.has(GaussianExpectation)))
        left = sympy.Add(*(p.term for p in mine if p.slices[index].has(GaussianExpectation)))
        single = hermite_product(index, self.y) * left
        inner = (*self.y, *self.noise)
        copies = {v: Dummy(f"{v.name}'", real=True) for v in inner}
        squares = (closed**2, 2 * closed * single, single * single.xreplace(copies))
        found = [self._expected(x, (*self.x, *inner, *copies.values())) for x in squares if x != 0]
        return scaled(total(found), 1 / _factorial(index))

    def _expected(self, expression: Expr, variables: Sequence[Symbol]) -> Quantity:
        used = tuple(v for v in variables if expression.has(v))
        with allowed(share(_SHARE)):
            return expected_quantity(expanded(expression), used, digits=_DIGITS)


def _factorial(index: Index) -> Expr:
    return sympy.Integer(math.prod(map(math.factorial, index)))


def _sum_of_squares(entries: Mapping[Index, Expr], adapted: Frame) -> Quantity:
    """sum of c_S^2/S! in orthonormal coordinates."""
    squares = (sympy.expand(entry**2) / adapted.weight(index) for index, entry in entries.items())
    return constant_quantity(sympy.radsimp(sympy.Add(*squares)) if entries else S.Zero)


def _mean(coefficients: Coefficients) -> Expr:
    """E of the polynomial part: moments are products of double factorials."""
    total = S.Zero
    for powers, coefficient in coefficients.polynomial.terms():
        if not any(a % 2 for a in powers):
            total += coefficient * math.prod(math.prod(range(1, a, 2)) for a in powers)
    return coefficients.numbers.simplified(total)


def _opened(expr: Expr) -> Expr:
    """The expression with Hermite polynomials written out and products distributed."""
    return expanded(expr.replace(He, lambda degree, x: hermite_polynomial(int(degree), x)))


def _averaged(expr: Expr) -> Expr:
    """E[. | z]: label noise averaged out by an unevaluated expectation."""
    if not expr.has(xi):
        return expr
    left = sympy.Add(*(term for term in sympy.Add.make_args(expr) if term.has(xi)))
    return expr - left + GaussianExpectation(left, xi)


def _tidied(expr: Expr) -> Expr:
    """Roots multiplied into the sums beside them, which then are rational where they can be."""
    return expr.replace(lambda e: e.is_Mul and any(a.is_Add for a in e.args), _multiplied_in)


def _multiplied_in(product: Expr) -> Expr:
    numbers = [a for a in product.args if a.is_algebraic]
    sums = [a for a in product.args if a.is_Add]
    if len(sums) != 1 or not numbers:
        return product
    rest = [a for a in product.args if a not in numbers and a not in sums]
    return sympy.Mul(sympy.expand(sympy.Mul(*numbers) * sums[0]), *rest)


def _with_signs(expr: Expr) -> Expr:
    """x/|x| as sign(x): what closed forms write for the sign of a product."""

    def signs(product: Expr) -> Expr:
        factors = list(product.args)
        for inverse in [a for a in factors if a.is_Pow and a.exp == -1 and isinstance(a.base, sympy.Abs)]:
            inside = inverse.base.args[0]
            if inside in factors:
                factors.remove(inside)
                factors.remove(inverse)
                factors.append(sympy.sign(inside))
        return sympy.Mul(*factors)

    return expr.replace(lambda e: e.is_Mul and e.has(sympy.Abs), signs)
