"""From an expression of the language to the normal form.

What is not in it directly is rewritten: sign(u) = 2 step(u) - 1, |u| = u sign(u), max by differences, erf by
Phi, products inside a sign by their factors, functions of kinks by cases.

Source: docs/theory.md, "Normal form".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import sympy
from sympy import Expr, Integer, S, Symbol

from hermite_analytics.foundation.clock import check_time
from hermite_analytics.gaussian.cases import cases, sign_factors
from hermite_analytics.gaussian.cells import may_be_zero
from hermite_analytics.gaussian.law import Form
from hermite_analytics.gaussian.terms import (
    MAX_TERMS,
    Atom,
    Monomial,
    NotInNormalForm,
    Term,
    added,
    collected,
    multiplied,
    oscillating,
    poly_product,
    power,
    scaled,
)
from hermite_analytics.gaussian.zero.null_sets import is_nonzero
from hermite_analytics.language import functions as own
from hermite_analytics.language.functions import record_of
from hermite_analytics.language.kinks import JUMPS, KINKS, slopes

__all__ = ["normal_form"]

MAX_POWER = 400
_MOST_SEPARATE = 5  # parts of an extreme: of more the orthant probabilities have no closed form


def normal_form(expr: Expr, variables: Sequence[Symbol]) -> list[Term]:
    """`expr` as a list of terms in the variables.

    Raises
    ------
    NotInNormalForm
        If some factor has no rewriting; the message names it.
    """
    rewriter = _Rewriter(tuple(variables))
    # sympy turns erfc(-x) into 2 - erfc(x), two terms that a weight may make infinite one by one
    expr = expr.replace(lambda e: isinstance(e, sympy.erfc), _definition)
    expr = expr.replace(lambda e: isinstance(e, KINKS) and e.has(own.He), _in_powers)
    try:
        return collected(rewriter.rewrite(expr))
    except _InNoForm:
        raise
    except NotInNormalForm:
        branches = cases(expr, rewriter.variables)
        if branches is None:
            raise
    return collected(rewriter.rewrite(branches))


class _InNoForm(NotInNormalForm):
    """No list of cases helps either."""


class _Rewriter:
    """The rules for one list of variables."""

    def __init__(self, variables: tuple[Symbol, ...]) -> None:
        self.variables = variables
        self._one: Monomial = (0,) * len(variables)
        self._known: dict[Expr, list[Term]] = {}

    def rewrite(self, expr: Expr) -> list[Term]:
        if expr not in self._known:
            check_time()
            self._known[expr] = self._rewrite(expr)
        return self._known[expr]

    def _rewrite(self, expr: Expr) -> list[Term]:
        if not expr.has(*self.variables):
            return [self.constant(expr)] if expr != 0 else []
        if expr in self.variables:
            return [Term(poly={self._unit(self.variables.index(expr)): S.One})]
        if expr.is_Add:
            terms = [term for a in expr.args for term in self.rewrite(a)]
            if len(terms) > MAX_TERMS:
                raise NotInNormalForm(f"more than {MAX_TERMS} terms")
            return collected(terms)
        if expr.is_Mul:
            return self._multiplication(expr.args)
        if expr.is_Pow and not isinstance(expr, sympy.exp):
            return self._power(expr.base, expr.exp)
        rule = _RULES.get(expr.func)
        return self._by_facts(expr) if rule is None else rule(self, *expr.args)

    def _by_facts(self, expr: Expr) -> list[Term]:
        """What the record of a function says: sides of a kink, a wave, exponentials, a definition."""
        if isinstance(expr, KINKS):
            return self.kink(expr)
        known = record_of(expr)
        if known.phase is not None:
            return self.cosine(expr.args[0], known.phase)
        if known.in_exponentials is not None:
            return self.rewrite(known.in_exponentials(expr.args[0]))
        definition = _definition(expr)
        if definition is expr:
            raise NotInNormalForm(f"{expr.func.__name__} has no rewriting")
        return self.rewrite(definition)

    def constant(self, value: Expr) -> Term:
        return Term(poly={self._one: value})

    def _unit(self, index: int) -> Monomial:
        return tuple(int(i == index) for i in range(len(self.variables)))

    def _multiplication(self, factors: Sequence[Expr]) -> list[Term]:
        result = [self.constant(S.One)]
        for factor in factors:
            result = multiplied(result, self.rewrite(factor))
        return result

    def _power(self, base: Expr, exponent: Expr) -> list[Term]:
        if not (exponent.is_Integer and exponent > 0):
            raise NotInNormalForm(f"the power {exponent} has no rewriting")
        if exponent > MAX_POWER:
            raise NotInNormalForm(f"a power above {MAX_POWER}")
        if isinstance(base, own.step):
            return self.rewrite(base)
        if isinstance(base, sympy.Abs) and exponent.is_even:
            return self.rewrite(base.args[0] ** exponent)
        if isinstance(base, own.relu):
            return multiplied(self.rewrite(base.args[0] ** exponent), self.step(base.args[0]))
        if isinstance(base, sympy.sign) and is_nonzero(base.args[0]):
            return [self.constant(S.One)] if exponent.is_even else self.rewrite(base)
        return power(self.rewrite(base), int(exponent), self.constant(S.One))

    def polynomial(self, expr: Expr) -> dict[Monomial, Expr]:
        """`expr` as a polynomial in the variables."""
        terms = self.rewrite(expr)
        if any(t.atoms or t.oscillates or t.exponent for t in terms):
            raise NotInNormalForm(f"{expr} is not a polynomial")
        return added(t.poly for t in terms)

    def form(self, expr: Expr) -> Form:
        """`expr` as an affine form."""
        poly = self.polynomial(expr)
        if any(sum(m) > 1 for m in poly):
            raise NotInNormalForm(f"{expr} is not affine")
        slope = tuple(poly.get(self._unit(i), S.Zero) for i in range(len(self.variables)))
        return Form(slope, poly.get(self._one, S.Zero))

    def step(self, argument: Expr) -> list[Term]:
        """Step of an affine form, or of a product of affine forms by signs."""
        factors = sign_factors(argument, self.variables)
        if len(factors) == 1 and factors[0] == argument:
            return self._step_of_form(argument)
        side, product = self._signs(factors)
        if side == 0 or not product:  # step(0) = 0
            return []
        return collected([*scaled(product, side / 2), self.constant(side**2 / 2)])

    def _signs(self, factors: Sequence[Expr]) -> tuple[Expr, list[Term]]:
        """(sign of the constant factors, product of the signs of the others)."""
        side, product = S.One, [self.constant(S.One)]
        for factor in factors:
            if factor.has(*self.variables):
                product = multiplied(product, self.sign(factor))
            else:
                side *= sympy.sign(factor)
        return side, product

    def _step_of_form(self, argument: Expr) -> list[Term]:
        form = self.form(argument)
        one = {self._one: S.One}
        if not any(form.slope):
            value = own.step(form.offset)
            return [self.constant(value)] if value != 0 else []
        _check_slope(form)
        return [Term(poly=one, atoms=(Atom("step", _primitive(form)),))]

    def sign(self, argument: Expr) -> list[Term]:
        factors = sign_factors(argument, self.variables)
        if len(factors) > 1 or factors[0] != argument:
            side, product = self._signs(factors)
            return scaled(product, side) if side != 0 else []
        form = self.form(argument)
        if not any(form.slope):
            value = sympy.sign(form.offset)
            return [self.constant(value)] if value != 0 else []
        _check_slope(form)
        return collected([*scaled(self._step_of_form(argument), Integer(2)), self.constant(S.NegativeOne)])

    def times(self, factor: Expr, terms: list[Term]) -> list[Term]:
        return multiplied(self.rewrite(factor), terms)

    def phi_atom(self, argument: Expr) -> list[Term]:
        form = self.form(argument)
        return [Term(poly={self._one: S.One}, atoms=(Atom("Phi", form),))]

    def exponential(self, argument: Expr) -> list[Term]:
        constant, exponent = self._quadratic(argument, "exp")
        return [Term(poly={self._one: sympy.exp(constant)}, exponent=exponent)]

    def cosine(self, argument: Expr, phase: Expr) -> list[Term]:
        constant, wave = self._quadratic(argument, "cos or sin")
        return oscillating(self.constant(S.One), wave, constant + phase)

    def _quadratic(self, argument: Expr, name: str) -> tuple[Expr, dict[Monomial, Expr]]:
        poly = self.polynomial(argument)
        if any(sum(m) > 2 for m in poly):
            raise NotInNormalForm(f"{name} of a polynomial of degree above 2")
        constant = poly.pop(self._one, S.Zero)
        return constant, poly

    def maximum(self, *arguments: Expr) -> list[Term]:
        """sum_i a_i prod_j 1{a_i > a_j}, or a_i >= a_j where i < j; of two equal by algebra one is left out.

        Two may be equal on an open set without algebra seeing it: sign(x)^2 and 1.
        """
        kept = list(dict.fromkeys(sympy.expand(a) for a in arguments))
        if len(kept) == 2:
            a, b = kept
            return collected([*self.rewrite(b), *self.times(a - b, self.step(a - b))])
        self._check_extreme(kept)
        result: list[Term] = []
        for i, a in enumerate(kept):
            cell = [self.constant(S.One)]
            for j, b in enumerate(kept):
                if i != j:
                    cell = multiplied(cell, self._side(a - b, first=i < j))
            result += self.times(a, cell)
        return collected(result)

    def _check_extreme(self, arguments: Sequence[Expr]) -> None:
        own_variables = [a.free_symbols.intersection(self.variables) for a in arguments]
        random = [names for names in own_variables if names]
        if len(random) > _MOST_SEPARATE and sum(map(len, random)) == len(set().union(*random)):
            raise _InNoForm("an extreme of many independent parts")

    def _side(self, difference: Expr, *, first: bool) -> list[Term]:
        """step of a difference; of two arguments that are equal, on an open set too, the first one counts."""
        if not difference.has(*self.variables):
            value = 1 - own.step(-difference) if first else own.step(difference)
            return [self.constant(value)] if value != 0 else []
        if not first or is_nonzero(difference):
            return self.step(difference)
        return collected([self.constant(S.One), *scaled(self.step(-difference), S.NegativeOne)])

    def kink(self, expr: Expr) -> list[Term]:
        """By its slopes on both sides of 0; a jump by the sign of its argument, at 0 it is 0."""
        x, (right, left) = expr.args[0], slopes(expr)
        if isinstance(expr, JUMPS):
            side = self.sign(x)
            square = multiplied(side, side)
            return [*scaled(square, (right + left) / 2), *scaled(side, (right - left) / 2)]
        return [*scaled(self.rewrite(x), left), *scaled(self.times(x, self.step(x)), right - left)]

    def hermite(self, degree: Expr, argument: Expr) -> list[Term]:
        """He_k of a polynomial: the sum over its powers."""
        x, power = self.polynomial(argument), {self._one: S.One}
        parts = []
        for coefficient in own.hermite_coefficients(int(degree)):
            if coefficient:
                parts.append({m: coefficient * a for m, a in power.items()})
            power = poly_product(x, power)
        return [Term(poly=added(parts))]


def _definition(expr: Expr) -> Expr:
    form = record_of(expr).definition
    return expr if form is None else form(*expr.args)


def _check_slope(form: Form) -> None:
    """Refuse a form that may be constant in the variables on an open set of the parameters: relu(a) z."""
    if all(may_be_zero(a) for a in form.slope if a != 0):
        raise NotInNormalForm("the sign of a form whose slope may be 0")


def _in_powers(kink: Expr) -> Expr:
    """With powers in place of Hermite polynomials: the places of kinks are roots of polynomials."""
    return kink.replace(own.He, lambda degree, x: own.hermite_polynomial(int(degree), x))


def _primitive(form: Form) -> Form:
    """A positive multiple with first slope 1 or -1, where that is a number: equal steps then look equal."""
    leading = next(a for a in form.slope if a != 0)
    if not leading.is_Rational:
        return form
    size = abs(leading)
    return Form(tuple(a / size for a in form.slope), sympy.expand(form.offset / size))


_RULES: dict[type, Callable[..., list[Term]]] = {
    own.step: _Rewriter.step,
    sympy.sign: _Rewriter.sign,
    sympy.Abs: lambda self, x: self.times(x, self.sign(x)),
    own.relu: lambda self, x: self.times(x, self.step(x)),
    sympy.Max: _Rewriter.maximum,
    sympy.Min: lambda self, *a: scaled(self.maximum(*(-x for x in a)), S.NegativeOne),
    own.Phi: _Rewriter.phi_atom,
    sympy.exp: _Rewriter.exponential,
    own.He: _Rewriter.hermite,
}
