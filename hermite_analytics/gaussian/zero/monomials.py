"""The vocabulary of the exact forms: monomials with canonical parts, and sums of them.

A form is a dictionary {monomial: rational coefficient}. A monomial is a product

    prod_p p^{e_p} * pi^q * exp(F) * (1, cos G or sin G) * prod_i generator_i^{n_i}

with primes p, exponents 0 < e_p < 1, rational q, forms F and G, and named generators whose arguments
are forms. Every part is a sorted tuple, so that equal products are equal keys and keys have an order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import NamedTuple

__all__ = [
    "ONE",
    "Form",
    "Frozen",
    "Generator",
    "Monomial",
    "OutOfReach",
    "constant",
    "divides_out",
    "exceeds",
    "freeze",
    "generator_form",
    "is_algebraic",
    "is_constant",
    "leading_sign",
    "negated",
    "rational_value",
    "scaled",
    "thaw",
    "variable_form",
    "variable_names",
]


class OutOfReach(Exception):
    """The expression is outside the canonical forms, or too large for the work allowed; says which."""


class Monomial(NamedTuple):
    """One product; empty parts mean 1."""

    radical: tuple[tuple[int, Fraction], ...] = ()
    pi: Fraction = Fraction(0)
    exponent: Frozen = ()
    wave: tuple[()] | tuple[str, Frozen] = ()
    generators: tuple[tuple[Generator, int], ...] = ()


Form = dict[Monomial, Fraction]
Frozen = tuple[tuple[Monomial, Fraction], ...]
Generator = tuple[str, tuple[Frozen, ...]]

ONE = Monomial()
VARIABLE = "var "  # the name of the generator of a variable z is "var z"


def constant(value: int | Fraction) -> Form:
    """The form of a rational number."""
    return {ONE: Fraction(value)} if value else {}


def generator_form(name: str, *arguments: Form) -> Form:
    """The form that is one generator."""
    return {Monomial(generators=(((name, tuple(freeze(a) for a in arguments)), 1),)): Fraction(1)}


def variable_form(name: str) -> Form:
    """The form that is one variable."""
    return generator_form(VARIABLE + name)


def freeze(form: Mapping[Monomial, Fraction]) -> Frozen:
    """A form as a sorted tuple: the same tuple for the same form."""
    return tuple(sorted(form.items()))


def thaw(frozen: Frozen) -> Form:
    return dict(frozen)


def negated(form: Form) -> Form:
    return {m: -c for m, c in form.items()}


def scaled(form: Form, factor: Fraction) -> Form:
    return {m: factor * c for m, c in form.items()} if factor else {}


def leading_sign(form: Form) -> int:
    """The sign of the coefficient of the largest monomial: one of F and -F is chosen by it.

    Examples
    --------
    >>> leading_sign({ONE: Fraction(-2)})
    -1
    """
    return 1 if form[max(form)] > 0 else -1


def rational_value(form: Form) -> Fraction | None:
    """The number if the form is one rational, else None."""
    if not form:
        return Fraction(0)
    return form[ONE] if len(form) == 1 and ONE in form else None


def is_algebraic(form: Form) -> bool:
    """Whether only radicals of rationals occur: such a number has one form (Besicovitch)."""
    return all(m == Monomial(radical=m.radical) for m in form)


def generators_of(form: Iterable[Monomial]) -> Iterator[Generator]:
    """All generators at the top level of a form."""
    for monomial in form:
        for generator, _ in monomial.generators:
            yield generator


def variable_names(form: Iterable[Monomial]) -> set[str]:
    """The names of the variables anywhere in a form."""
    found: set[str] = set()
    for monomial in form:
        for inner in (monomial.exponent, *monomial.wave[1:]):
            found |= variable_names(m for m, _ in inner)
        for (name, arguments), _ in monomial.generators:
            if name.startswith(VARIABLE):
                found.add(name[len(VARIABLE) :])
            for argument in arguments:
                found |= variable_names(m for m, _ in argument)
    return found


def exceeds(form: Iterable[Monomial], size: int) -> bool:
    """Whether a form has more than `size` monomials, those of arguments included."""
    return _left_of(size, form) < 0


def _left_of(size: int, form: Iterable[Monomial]) -> int:
    for monomial in form:
        size -= 1
        arguments = [a for (_, inner), _ in monomial.generators for a in inner]
        for inner in (monomial.exponent, *monomial.wave[1:], *arguments):
            if size < 0:
                return size
            size = _left_of(size, (m for m, _ in inner))
    return size


def is_constant(form: Iterable[Monomial]) -> bool:
    return not variable_names(form)


def divides_out(form: Form) -> Monomial:
    """The part (pi, exponent, wave, generators) that all monomials share, or ONE where they differ."""
    parts = {m._replace(radical=()) for m in form}
    return parts.pop() if len(parts) == 1 else ONE
