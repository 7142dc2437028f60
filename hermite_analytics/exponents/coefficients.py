"""The tensors C_k = E[He_k(z) f(z)] of a target, degree by degree, as exact numbers or letters."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Protocol, runtime_checkable

from sympy import Expr, Poly, S, Symbol

from hermite_analytics.activation import shortened
from hermite_analytics.argument import Facts
from hermite_analytics.argument.coefficients import Coefficient, Enclosure
from hermite_analytics.argument.remarks import remark
from hermite_analytics.argument.symmetries import OddInEach
from hermite_analytics.errors import InputError, UndefinedQuantity
from hermite_analytics.evidence import Evidence
from hermite_analytics.exponents.contraction import Index, Tensor
from hermite_analytics.exponents.dependence import directions
from hermite_analytics.exponents.numbers import Numbers
from hermite_analytics.exponents.polynomials import hermite_tensors, polynomial_part
from hermite_analytics.exponents.spans import Span
from hermite_analytics.exponents.sparse import SparseTensors
from hermite_analytics.foundation.attempts import attempted
from hermite_analytics.foundation.clock import check_time, remaining, share
from hermite_analytics.gaussian.integrability import coefficients_exist
from hermite_analytics.gaussian.zero import symmetry_certificate
from hermite_analytics.gaussian.zero.certificate import Certificate
from hermite_analytics.gaussian.zero.coordinates import coordinate_symmetries
from hermite_analytics.label_noise import averaged
from hermite_analytics.language import display
from hermite_analytics.symbols import variable, xi
from hermite_analytics.target import Target

__all__ = ["DEFAULT_SECONDS", "Coefficients", "Signal"]

DEFAULT_SECONDS = 30.0
MOST_DEGREE = 100
_MOST_ENTRIES = 1000  # that the default degree gives
_MOST_DEFAULT = 30
_LEAST_DEFAULT = 4
_SOON = 2  # degrees above the order of a step
_WHY_SHARE = 0.1  # of the time left, for the symmetry behind a zero that is proved
_CANCEL = "its entries cancel in closed form"


@runtime_checkable
class Signal(Protocol):
    """A function of z1, .., zr, and of the label noise: a target is one."""

    @property
    def expression(self) -> Expr:
        """f."""

    @property
    def dimension(self) -> int:
        """r."""


class Coefficients:
    """The Hermite tensors of E[y | z], computed when they are asked for.

    f = polynomial + rest: the tensors of the polynomial are exact and finitely many, those of the rest are
    closed forms, verified zeros or enclosures (`SparseTensors`). An enclosed number is a letter.

    Parameters
    ----------
    target : Target, str or Signal
    max_degree : int, optional
        Largest degree of the rest that is looked at; by default at most 1000 coefficients.
    numbers : Numbers, optional
        What decides zero or not; other ones than numbers for polynomials only.
    """

    def __init__(
        self,
        target: Target | str | Signal,
        *,
        max_degree: int | None = None,
        numbers: Numbers | None = None,
    ) -> None:
        f: Signal = target if isinstance(target, Signal) else Target.of(target)
        if max_degree is not None and not 1 <= max_degree <= MOST_DEGREE:
            raise InputError(f"max_degree is {shortened(str(max_degree))}; accepted: 1 to {MOST_DEGREE}")
        self.numbers = Numbers() if numbers is None else numbers
        self.variables: tuple[Symbol, ...] = tuple(variable(j + 1) for j in range(f.dimension))
        closed, left = averaged(f.expression)
        self.noise = (xi,) if left != 0 else ()
        self.average: Expr = closed + left
        polynomial, self.rest = polynomial_part(self.average, self.variables)
        self.polynomial: Poly = polynomial
        self.finite: Mapping[int, Tensor] = hermite_tensors(polynomial, self.numbers)
        self.width = len(self.variables)
        self.terms = SparseTensors(self.rest, self.variables, self.numbers)
        self.limit = self._default_limit() if max_degree is None else max_degree
        self.reached = 0 if self.rest != 0 else self.limit
        self._tensors: dict[int, Tensor] = {}
        self._cost = 0.0  # seconds of the last degree; the next one takes longer

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
        if not self._exist(degree):
            return False
        while self.reached < degree:
            self.terms.tensor(self.reached + 1)
            self.reached += 1
        self._cost = before - remaining()
        return True

    @functools.cached_property
    def _known_to_exist(self) -> bool:
        """Whether all tensors are shown to exist."""
        return coefficients_exist(self.rest, (*self.variables, *self.noise)) is True

    def _exist(self, degree: int) -> bool:
        """Whether C_k is shown to exist, for functions that grow as fast as a Gaussian falls.

        Raises
        ------
        UndefinedQuantity
            If it is shown not to.
        """
        if self._known_to_exist:
            return True
        found = coefficients_exist(self.rest, (*self.variables, *self.noise), degree)
        if found is False:
            raise UndefinedQuantity(f"C_{degree} does not exist: E|z^{degree} f| is infinite")
        return found is True

    def at_once(self, order: int) -> int:
        """The degree up to which tensors are looked at before a search for symmetries."""
        return max(self.reached, order + _SOON if self.terms.is_separate else 0)

    def tensor(self, degree: int) -> Tensor:
        """The entries of C_k that are not proved to be 0; `has(degree)` must have been true."""
        if self.is_finite:
            return self.finite.get(degree, {})
        if degree not in self._tensors:
            self._tensors[degree] = self._entries(degree)
        return self._tensors[degree]

    def evidence(self, degree: int) -> Evidence:
        """EXACT if all numbers up to this degree are closed forms, else PROVED."""
        return self.terms.evidence(degree)

    def why_zero(self, degree: int) -> Facts:
        """Why C_k vanishes, once it is proved to."""
        if self.is_finite:
            return remark("the polynomial has no such term")
        group = coordinate_symmetries(self.average, self.variables)
        if len(group.odd) > degree:
            return (OddInEach(variables=tuple(self.variables[i] for i in group.odd)),)
        by_symmetry = self.terms.symmetric_zeros(degree)
        for index in by_symmetry:
            found = self._certificate(index)
            if found is not None:
                return found.facts
        return remark("each of its terms vanishes by a symmetry" if by_symmetry else _CANCEL)

    def witness(self, index: Index) -> Coefficient:
        """c_S, which is not 0."""
        return Coefficient(index=index, value=self.written(self.tensor(sum(index)).get(index, S.Zero)))

    def written(self, number: Expr) -> Expr | Enclosure | None:
        """In closed form where that is text of the language, else a ball around it."""
        is_written = self.numbers.is_closed(number) and display.plain_text(number) is not None
        return number if is_written else self.numbers.enclosure(number)

    def _certificate(self, index: Index) -> Certificate | None:
        """A symmetry of f as a whole that makes c_S vanish; a share of the time is spent on it."""
        with attempted(share(_WHY_SHARE)):
            check_time()
            padded = (*index, *(0 for _ in self.noise))
            return symmetry_certificate(self.average, (*self.variables, *self.noise), padded)
        return None

    def _entries(self, degree: int) -> dict[Index, Expr]:
        rest = self.terms.tensor(degree) or {}
        fixed = self.finite.get(degree, {})
        sums = {index: fixed.get(index, S.Zero) + rest.get(index, S.Zero) for index in {**fixed, **rest}}
        return {s: x for s, x in sums.items() if x != 0 and self.numbers.is_zero(x) is not True}

    def _default_limit(self) -> int:
        degree = _LEAST_DEFAULT
        entries = sum(map(self.terms.most, range(degree + 1)))
        while degree < _MOST_DEFAULT and entries + self.terms.most(degree + 1) <= _MOST_ENTRIES:
            degree += 1
            entries += self.terms.most(degree)
        return degree
