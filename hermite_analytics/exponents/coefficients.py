"""The tensors C_k = E[He_k(z) f(z)] of a target, degree by degree, as exact numbers or letters."""

from __future__ import annotations

import functools
from collections.abc import Mapping

from sympy import Expr, Poly, S, Symbol

from hermite_analytics.activation import shortened
from hermite_analytics.argument import Facts
from hermite_analytics.argument.coefficients import Coefficient
from hermite_analytics.argument.remarks import remark
from hermite_analytics.coefficient_table import coefficient_table, hermite_product
from hermite_analytics.errors import InputError
from hermite_analytics.evidence import Evidence, Quantity
from hermite_analytics.exponents.contraction import Index, Tensor
from hermite_analytics.exponents.dependence import directions
from hermite_analytics.exponents.numbers import Numbers
from hermite_analytics.exponents.polynomials import hermite_tensors, polynomial_part
from hermite_analytics.exponents.spans import Span
from hermite_analytics.exponents.terms import SharedTerms
from hermite_analytics.foundation.clock import TimeEnded, allowed, check_time, limited, remaining, share
from hermite_analytics.gaussian.coefficients import count
from hermite_analytics.gaussian.quantities import total
from hermite_analytics.gaussian.zero import symmetry_certificate
from hermite_analytics.gaussian.zero.certificate import Certificate
from hermite_analytics.gaussian.zero.tensors import indices
from hermite_analytics.label_noise import averaged
from hermite_analytics.language import display
from hermite_analytics.symbols import variable, xi
from hermite_analytics.target import Target

__all__ = ["DEFAULT_SECONDS", "Coefficients"]

DEFAULT_SECONDS = 30.0
MOST_DEGREE = 100
_MOST_ENTRIES = 1000  # that the default degree gives
_MOST_DEFAULT = 30
_LEAST_DEFAULT = 4
_DIGITS = 18
_SHARE = 0.6  # of the time left, for the tensors of one more range of degrees
_WHY_SHARE = 0.1  # of the time left, for the symmetry behind a zero that is proved
_CANCEL = "its entries cancel in closed form"


class Coefficients:
    """The Hermite tensors of E[y | z], computed when they are asked for.

    f = polynomial + rest: the tensors of the polynomial are exact and finitely many, those of the rest are
    closed forms, verified zeros or enclosures. An enclosed number is a letter; terms c g(z_i) with the same g
    share their letters.

    Parameters
    ----------
    target : Target or str
    max_degree : int, optional
        Largest degree of the rest that is looked at; by default at most 1000 coefficients.
    """

    def __init__(self, target: Target | str, *, max_degree: int | None = None) -> None:
        f = Target.of(target)
        if max_degree is not None and not 1 <= max_degree <= MOST_DEGREE:
            raise InputError(f"max_degree is {shortened(str(max_degree))}; accepted: 1 to {MOST_DEGREE}")
        self.numbers = Numbers()
        self.variables: tuple[Symbol, ...] = tuple(variable(j + 1) for j in range(f.dimension))
        closed, left = averaged(f.expression)
        self.noise = (xi,) if left != 0 else ()
        self.average: Expr = closed + left
        polynomial, self.rest = polynomial_part(self.average, self.variables)
        self.polynomial: Poly = polynomial
        self.finite: Mapping[int, Tensor] = hermite_tensors(polynomial, self.numbers)
        self.width = len(self.variables)
        self.limit = self._default_limit() if max_degree is None else max_degree
        self.reached = 0 if self.rest != 0 else self.limit
        self._found: Mapping[Index, Quantity] = {}
        self._tensors: dict[int, Tensor] = {}
        self._cost = 0.0  # seconds of the last table; the next one takes longer
        self._shared = SharedTerms(self.rest, self.variables, self.numbers, self._table)

    @property
    def is_finite(self) -> bool:
        """Whether f is a polynomial, so that finitely many coefficients are all of it."""
        return bool(self.rest == 0)

    @property
    def last(self) -> int:
        """The largest degree to look at."""
        return max([*self.finite, 0]) if self.is_finite else self.limit

    @functools.cached_property
    def reachable(self) -> Span:
        """A subspace that holds all slots of all tensors: f depends on the coordinates in it only."""
        return directions(self.average, self.variables, self.numbers)

    def has(self, degree: int) -> bool:
        """Whether the tensor of this degree is at hand, after an attempt to compute it."""
        if self.is_finite or degree <= self.reached:
            return True
        before = remaining()
        if degree > self.limit or before == 0 or 2 * self._cost > before:
            return False
        wanted = min(max(degree, 2 * self.reached), self.limit)
        self.reached = wanted
        found = self._table(self.rest, self.variables)
        self._found = {**found, **self._found}  # what was found first had more time
        self._cost = before - remaining()
        return True

    def tensor(self, degree: int) -> Tensor:
        """The entries of C_k that are not proved to be 0; `has(degree)` must have been true."""
        if self.is_finite:
            return self.finite.get(degree, {})
        if degree not in self._tensors:
            self._tensors[degree] = self._entries(degree)
        return self._tensors[degree]

    def evidence(self, degree: int) -> Evidence:
        """EXACT if all numbers up to this degree are closed forms, else PROVED."""
        used = (q for s, q in self._found.items() if 0 < sum(s) <= degree)
        return Evidence.EXACT if all(q.evidence is Evidence.EXACT for q in used) else Evidence.PROVED

    def why_zero(self, degree: int) -> Facts:
        """Why C_k vanishes, once it is proved to."""
        if self.is_finite:
            return remark("the polynomial has no such term")
        by_symmetry = [s for s, q in self._found.items() if sum(s) == degree and _is_symmetric(q)]
        for index in by_symmetry:
            found = self._certificate(index)
            if found is not None:
                return found.facts
        return remark("each of its terms vanishes by a symmetry" if by_symmetry else _CANCEL)

    def witness(self, index: Index) -> Coefficient:
        """c_S, which is not 0."""
        entry = self.tensor(sum(index)).get(index, S.Zero)
        is_written = self.numbers.is_closed(entry) and display.plain_text(entry) is not None
        return Coefficient(index=index, value=entry if is_written else self.numbers.enclosure(entry))

    def _certificate(self, index: Index) -> Certificate | None:
        """A symmetry of f as a whole that makes c_S vanish; a share of the time is spent on it."""
        try:
            with limited(share(_WHY_SHARE)):
                check_time()
                padded = (*index, *(0 for _ in self.noise))
                return symmetry_certificate(self.average, (*self.variables, *self.noise), padded)
        except TimeEnded:
            check_time()  # a limit around this one
            return None

    def _entries(self, degree: int) -> dict[Index, Expr]:
        found: dict[Index, Expr] = {}
        fixed = self.finite.get(degree, {})
        for index in indices(self.width, degree):
            number = fixed.get(index, S.Zero) + self._number(index)
            if number != 0 and self.numbers.is_zero(number) is not True:
                found[index] = number
        return found

    def _number(self, index: Index) -> Expr:
        q = self._found[index]
        if q.zero:
            return S.Zero
        if q.exact is not None:
            return q.exact
        shared = self._shared.number(index)
        return self._letter(index, q) if shared is None else shared

    def _letter(self, index: Index, q: Quantity) -> Expr:
        return self.numbers.letter(q, mean_of=hermite_product(index, self.variables) * self.rest)

    def _table(self, expression: Expr, variables: tuple[Symbol, ...]) -> Mapping[Index, Quantity]:
        """All coefficients of E[expression(z, xi) | z] up to the degree reached."""
        degree = self.reached
        closed, left = expression.as_independent(xi, as_Add=True)
        with allowed(share(_SHARE)):
            table = coefficient_table(closed, variables, degree, digits=_DIGITS)
            if left == 0:
                return table
            noisy = coefficient_table(left, variables, degree, noise=(xi,), digits=_DIGITS)
        return {index: total([q, noisy[index]]) for index, q in table.items()}

    def _default_limit(self) -> int:
        degree = _LEAST_DEFAULT
        while degree < _MOST_DEFAULT and count(self.width, degree + 1) <= _MOST_ENTRIES:
            degree += 1
        return degree


def _is_symmetric(q: Quantity) -> bool:
    """Whether it was a symmetry that showed that this number is 0: closed forms are exact."""
    return q.zero is True and q.evidence is Evidence.PROVED
