"""The coordinates in which a channel is simplest: orthonormal axes of the linear forms of the target."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import sympy
from sympy import Expr, S, Symbol

from hermite_analytics.exponents.numbers import Numbers
from hermite_analytics.gaussian.enclosure.forms import affine_form
from hermite_analytics.gaussian.order import sign_of
from hermite_analytics.label.exact.signs import split_signs
from hermite_analytics.label.reduction.problem import ANYWHERE
from hermite_analytics.symbols import variable, xi

__all__ = ["Frame", "frames", "is_along_axes"]

Row = tuple[Expr, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """A target as a function of independent N(0, 1) coordinates w_k = (row k).z.

    Attributes
    ----------
    rows : tuple of rows of exact numbers
        Orthonormal, q rows of r entries.
    coordinates : tuple of symbols
        w1, ..., wq.
    signal : sympy expression
        In the coordinates, with the label noise xi in it.
    """

    rows: tuple[Row, ...]
    coordinates: tuple[Symbol, ...]
    signal: Expr

    def restricted(self, places: Sequence[int]) -> Frame:
        """The same with some of the coordinates, where the label does not depend on the others."""
        kept = tuple(self.coordinates[k] for k in places)
        return Frame(
            rows=tuple(self.rows[k] for k in places),
            coordinates=kept,
            signal=self.signal.xreplace({w: ANYWHERE for w in self.coordinates if w not in kept}),
        )


def frames(expression: Expr, dimension: int) -> Iterator[Frame]:
    """Candidates: along the target's forms if any two are parallel or orthogonal, its own axes, a basis.

    Examples
    --------
    >>> from hermite_analytics.target import Target
    >>> frame = next(frames(Target("max(z1,z2) - z3").expression, 3))
    >>> frame.rows[1], frame.signal
    ((sqrt(2)/2, -sqrt(2)/2, 0), sqrt(6)*w1/2 + sqrt(2)*Abs(w2)/2)
    >>> len(next(frames(Target("max(z1,z2,z3) - (z1+z2+z3)/3").expression, 3)).rows)
    2
    """
    variables = tuple(variable(j + 1) for j in range(dimension))
    plain = split_signs(_with_absolute_values(expression))  # without coordinates that seem to enter only
    numbers = Numbers()
    forms = _independent_forms(plain, variables)
    basis = _orthonormal(forms, numbers)
    inside = _with_sums_inside(plain, variables)
    if inside != plain:
        fewer = _independent_forms(inside, variables)
        least = _orthonormal(fewer, numbers)
        if len(least) < len(basis):
            plain, forms, basis = inside, fewer, least
    if not basis:  # no coordinate enters
        basis = [tuple(S.One if j == 0 else S.Zero for j in range(dimension))]
    if _are_axes(forms, basis, numbers):
        yield _frame(plain, variables, basis)
    used = [j for j, v in enumerate(variables) if plain.has(v)]
    if len(basis) == len(used):
        basis = [tuple(S.One if i == j else S.Zero for j in range(dimension)) for i in used]
    yield _frame(plain, variables, basis)


def is_along_axes(expression: Expr, dimension: int) -> bool:
    """Whether each form is a multiple of one coordinate.

    Examples
    --------
    >>> from hermite_analytics.target import Target
    >>> [is_along_axes(Target(f).expression, 2) for f in ("sign(z1)*z2", "sign(z1 + z2)")]
    [True, False]
    """
    forms = _forms(expression, tuple(variable(j + 1) for j in range(dimension)))
    return all(sum(x != 0 for x in form) < 2 for form in forms)


def _independent_forms(plain: Expr, variables: tuple[Symbol, ...]) -> list[Row]:
    """The forms once each."""
    return [tuple(f) for f in dict.fromkeys(_forms(plain, variables)) if any(x != 0 for x in f)]


def _frame(plain: Expr, variables: Sequence[Symbol], basis: Sequence[Row]) -> Frame:
    names = tuple(Symbol(f"w{k + 1}", real=True) for k in range(len(basis)))
    forms = {
        z: sympy.Add(*(row[j] * name for row, name in zip(basis, names, strict=True)))
        for j, z in enumerate(variables)
    }
    signal = _with_plain_forms(plain.xreplace(forms), names)
    return Frame(rows=tuple(basis), coordinates=names, signal=split_signs(signal))


def _with_absolute_values(expr: Expr) -> Expr:
    """max(a, b) by |a - b|: the sum beside it may then be part of a form."""
    if not expr.args:
        return expr
    arguments = [_with_absolute_values(a) for a in expr.args]
    if isinstance(expr, sympy.Max | sympy.Min) and len(arguments) == 2:
        side = 1 if isinstance(expr, sympy.Max) else -1
        a, b = arguments
        return (a + b + side * sympy.Abs(sympy.expand(a - b))) / 2
    found = expr.func(*arguments)
    return sympy.Add(*map(_distributed, found.args)) if found.is_Add else found


def _with_sums_inside(expr: Expr, variables: tuple[Symbol, ...]) -> Expr:
    """c max(a, b, ..) + l as max(c a + l, c b + l, ..), with affine l: they may have fewer directions."""
    if not expr.args:
        return expr
    expr = expr.func(*(_with_sums_inside(a, variables) for a in expr.args))
    if not expr.is_Add:
        return expr
    free = [a for a in expr.args if not a.has(*variables)]
    affine = [a for a in expr.args if a not in free and affine_form(a, variables) is not None]
    if not affine or any(a.has(xi) for a in affine):
        return expr
    slope = sympy.Add(*affine)
    factor, extreme = sympy.Add(*(a for a in expr.args if a not in (*affine, *free))).as_coeff_Mul()
    if not isinstance(extreme, sympy.Max | sympy.Min):
        return expr
    largest = isinstance(extreme, sympy.Max) == bool(factor > 0)
    arguments = [sympy.expand(factor * a + slope) for a in extreme.args]
    return sympy.Add((sympy.Max if largest else sympy.Min)(*arguments), *free)


def _distributed(term: Expr) -> Expr:
    """A number times a sum as a sum."""
    factor, rest = term.as_coeff_Mul()
    return sympy.Add(*(factor * a for a in rest.args)) if rest.is_Add else term


def _forms(expr: Expr, variables: tuple[Symbol, ...]) -> Iterator[Row]:
    """The directions of the largest affine parts; the affine terms of a sum are one part."""
    if not expr.free_symbols.intersection(variables):
        return
    form = _affine(expr, variables)
    if form is not None:
        yield tuple(sympy.expand(x) for x in form)
        return
    rest = expr.args
    if expr.is_Add:
        parts = {a: _affine(a, variables) for a in expr.args}
        affine = [f for f in parts.values() if f is not None]
        if affine:
            yield tuple(sympy.expand(sympy.Add(*column)) for column in zip(*affine, strict=True))
        rest = tuple(a for a, f in parts.items() if f is None)
    for a in rest:
        yield from _forms(a, variables)


def _affine(expr: Expr, variables: tuple[Symbol, ...]) -> Row | None:
    """The slope of an affine expression; None if it is not affine, or the slope is noisy."""
    form = affine_form(expr, variables)
    return None if form is None or any(x.free_symbols for x in form[1]) else tuple(form[1])


def _with_plain_forms(expr: Expr, names: tuple[Symbol, ...]) -> Expr:
    """Sums of multiples of coordinates with their coefficients worked out."""
    if not expr.args or not expr.free_symbols.intersection(names):
        return expr
    form = affine_form(expr, names)
    if form is None:
        arguments = [_with_plain_forms(a, names) for a in expr.args]
        found = expr.func(*arguments)
        form = affine_form(found, names) if found.is_Add else None
        if form is None and found.is_Add:
            affine = [a for a in found.args if affine_form(a, names) is not None]
            others = [a for a in found.args if affine_form(a, names) is None]
            return sympy.Add(_with_plain_forms(sympy.Add(*affine), names), *others) if affine else found
        if form is None:
            return found
    terms = (sympy.radsimp(sympy.expand(a)) * name for a, name in zip(form[1], names, strict=True))
    return sympy.Add(sympy.expand(form[0]), *terms)


def _orthonormal(forms: Sequence[Row], numbers: Numbers) -> list[Row]:
    """The method of Gram and Schmidt; forms that are not proved to be new are left out."""
    found: list[Row] = []
    for form in forms:
        rest = form
        for e in found:
            along = _product(rest, e)
            rest = tuple(sympy.expand(x - along * y) for x, y in zip(rest, e, strict=True))
        norm = sympy.expand(_product(rest, rest))
        if numbers.is_zero(norm) is False:
            side = next(sign_of(x) for x in rest if numbers.is_zero(x) is not True)
            found.append(tuple(sympy.radsimp(side * x / sympy.sqrt(norm)) for x in rest))
    return found


def _are_axes(forms: Sequence[Row], basis: Sequence[Row], numbers: Numbers) -> bool:
    """Whether each form is proved to lie along one vector of the basis."""
    for form in forms:
        zeros = [numbers.is_zero(sympy.expand(_product(form, e))) for e in basis]
        if zeros.count(True) != len(basis) - 1:
            return False
    return True


def _product(a: Row, b: Row) -> Expr:
    return sympy.Add(*(x * y for x, y in zip(a, b, strict=True)))
