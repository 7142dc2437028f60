"""The linear forms that an expression is made of: arguments, linear factors, lines of quadratic forms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from hermite_analytics.gaussian.zero.monomials import (
    VARIABLE,
    Form,
    Frozen,
    Monomial,
    OutOfReach,
    constant,
    freeze,
    rational_value,
    scaled,
    thaw,
    variable_names,
)
from hermite_analytics.gaussian.zero.piecewise import is_polynomial, polynomial_factors
from hermite_analytics.gaussian.zero.ring import Ring

__all__ = ["distinct_lines", "linear_forms"]


def linear_forms(ring: Ring, form: Form, variables: Sequence[str]) -> list[tuple[Form, ...]]:
    """Coefficient vectors of the forms, one for each line, the first non-zero entry 1.

    Examples
    --------
    >>> from hermite_analytics.gaussian.zero.monomials import variable_form
    >>> x, y = variable_form("x"), variable_form("y")
    >>> ring = Ring()
    >>> product = ring.subtract(ring.multiply(x, x), ring.multiply(y, y))
    >>> [[rational_value(c) for c in form] for form in linear_forms(ring, product, ["x", "y"])]
    [[Fraction(1, 1), Fraction(-1, 1)], [Fraction(1, 1), Fraction(1, 1)]]
    """
    lines = (line for polynomial in _polynomials(form) for line in _lines(ring, polynomial, variables))
    return distinct_lines(ring, lines)


def distinct_lines(ring: Ring, vectors: Iterable[tuple[Form, ...]]) -> list[tuple[Form, ...]]:
    """Each line that some vectors span once, the first non-zero entry 1."""
    found: dict[tuple[Frozen, ...], tuple[Form, ...]] = {}
    for vector in filter(any, vectors):
        normalised = _normalised(ring, vector)
        found.setdefault(tuple(freeze(x) for x in normalised), normalised)
    return [found[key] for key in sorted(found)]


def _polynomials(form: Form) -> Iterator[Form]:
    """The form itself, its products of variables, and all arguments, where they are polynomials."""
    if is_polynomial(form):
        if variable_names(form):
            yield form
        return
    for monomial in form:
        plain = tuple((g, n) for g, n in monomial.generators if g[0].startswith(VARIABLE))
        if plain:
            yield {Monomial(generators=plain): Fraction(1)}
        arguments = [a for (_, inner), _ in monomial.generators for a in inner]
        for argument in (monomial.exponent, *monomial.wave[1:], *arguments):
            yield from _polynomials(thaw(argument))


def _lines(ring: Ring, polynomial: Form, variables: Sequence[str]) -> Iterator[tuple[Form, ...]]:
    for frozen, _ in polynomial_factors(freeze(polynomial))[1]:
        factor = thaw(frozen)
        names = [v for v in variables if v in variable_names(factor)]
        degree = max((sum(n for _, n in m.generators) for m in factor), default=0)
        if degree == 1:
            yield tuple(_coefficient(factor, {v: 1}) for v in variables)
            continue
        pair = _roots(ring, factor, names) if degree == 2 and len(names) == 2 else None
        if pair is not None:
            for root in pair:  # x - root y
                values = {names[0]: constant(1), names[1]: scaled(root, Fraction(-1))}
                yield tuple(values.get(v, {}) for v in variables)
        else:
            for name in names:
                yield tuple(constant(1) if v == name else {} for v in variables)


def _coefficient(form: Form, powers: dict[str, int]) -> Form:
    """The coefficient, in radicals, of a product of powers of variables."""
    wanted = tuple(sorted(((VARIABLE + v, ()), n) for v, n in powers.items()))
    return {m._replace(generators=()): c for m, c in form.items() if m.generators == wanted}


def _roots(ring: Ring, form: Form, names: Sequence[str]) -> tuple[Form, Form] | None:
    """The roots x/y of a homogeneous rational a x^2 + b x y + c y^2 with a != 0, if they are real."""
    x, y = names
    if any(sum(n for _, n in m.generators) != 2 for m in form):
        return None
    terms = ({x: 2}, {x: 1, y: 1}, {y: 2})
    a, b, c = (rational_value(_coefficient(form, powers)) for powers in terms)
    if not a or b is None or c is None or b * b - 4 * a * c <= 0:
        return None
    root = ring.rational_power(b * b - 4 * a * c, Fraction(1, 2))
    middle = constant(-b)
    return (
        scaled(ring.add((middle, root)), 1 / (2 * a)),
        scaled(ring.subtract(middle, root), 1 / (2 * a)),
    )


def _normalised(ring: Ring, vector: tuple[Form, ...]) -> tuple[Form, ...]:
    first = next(x for x in vector if x)
    inverse = ring.inverse(first)
    if inverse is None:
        raise OutOfReach("the inverse of a coefficient")
    return tuple(ring.multiply(inverse, x) for x in vector)
