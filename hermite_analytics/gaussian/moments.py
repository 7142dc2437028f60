"""E[x^alpha prod_j step(l_j(x))] for a Gaussian x: Stein's identity, with steps that condition.

    E[x_i g] = mean_i E g + sum_b Cov(x_i, x_b) E d_b g,

where the derivative of step(l) is the density of l at 0 times the expectation under the law given l = 0.
What remains at alpha = 0 is an orthant probability. All moments of one law share their sub-results.

Source: docs/theory.md, "Catalogue", R7.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

import sympy
from sympy import Expr, S

from hermite_analytics.foundation.clock import check_time
from hermite_analytics.gaussian.gaussian_cell import OpenProbability, Orthant
from hermite_analytics.gaussian.law import Form, GaussianLaw, canonical
from hermite_analytics.gaussian.orthant import orthant_probability
from hermite_analytics.gaussian.reals import NoClosedForm, sign_of, standardised
from hermite_analytics.language.functions import phi, step

__all__ = ["TruncatedMoments"]


class TruncatedMoments:
    """Moments of the first coordinates of x over the cell where all forms are positive.

    Parameters
    ----------
    law : GaussianLaw
    forms : tuple of Form
        May be degenerate under the law: constant forms become factors.
    """

    def __init__(self, law: GaussianLaw, forms: tuple[Form, ...]) -> None:
        self.law = law
        self._factor, self._forms = _without_ties(law, *_constant_forms_out(law, forms))
        self._moments: dict[tuple[int, ...], Expr] = {}
        self._given: dict[int, tuple[Expr, TruncatedMoments]] = {}

    def moment(self, alpha: tuple[int, ...]) -> Expr:
        """E[x^alpha prod step(form)]; linear in `OpenProbability` where an orthant at the end has no rule."""
        return S.Zero if self._factor == 0 else self._factor * self._own(alpha)

    def _stein(self, alpha: tuple[int, ...]) -> Expr:
        check_time()
        axis = max(i for i, power in enumerate(alpha) if power)
        lower = _lowered(alpha, axis)
        row = self.law.covariance[axis]
        terms = []
        if self.law.mean[axis] != 0:
            terms.append((self.law.mean[axis], self._own(lower)))
        terms += [
            (power * row[b], self._own(_lowered(lower, b)))
            for b, power in enumerate(lower)
            if power and row[b] != 0
        ]
        for j, form in enumerate(self._forms):
            weight = self.law.covariances_with(form)[axis]
            if weight != 0:
                density, given = self._conditioned(j)
                terms.append((weight * density, given.moment(lower)))
        return _combined(terms)

    def _own(self, alpha: tuple[int, ...]) -> Expr:
        """The moment without the constant factor."""
        if alpha not in self._moments:
            self._moments[alpha] = self._stein(alpha) if any(alpha) else self._probability()
        return self._moments[alpha]

    def _probability(self) -> Expr:
        try:
            return orthant_probability(self.law, self._forms)
        except NoClosedForm:
            return OpenProbability.of(Orthant.of(self.law, self._forms))

    def _conditioned(self, j: int) -> tuple[Expr, TruncatedMoments]:
        """Density of form j at 0, and the moments given that it is 0, without its step."""
        if j not in self._given:
            form = self._forms[j]
            height, scale = standardised(self.law.mean_of(form), self.law.covariance_of(form, form))
            given = self.law.given_zero(form)
            density, rest = phi(height) / scale, []
            for i, other in enumerate(self._forms):
                if i != j and given.covariance_of(other, other) == 0:
                    density *= self._side(j, i, given.mean_of(other))
                elif i != j:
                    rest.append(other)
            self._given[j] = (density, TruncatedMoments(given, tuple(rest)))
        return self._given[j]

    def _side(self, j: int, i: int, value: Expr) -> Expr:
        """step of form i where form j, parallel to it, vanishes; where both vanish the last one counts."""
        if value.is_number:
            return step(value)
        direction = sign_of(self.law.covariance_of(self._forms[i], self._forms[j]))
        if direction is None:
            raise NoClosedForm("parallel steps whose order is not known")
        return 1 - step(-value) if direction > 0 and i < j else step(value)


def _combined(terms: Sequence[tuple[Expr, Expr]]) -> Expr:
    """The sum of factor * moment, numbers multiplied out: the recursion would nest them ever deeper."""
    total: dict[Expr, Expr] = {}
    for factor, moment in terms:
        parts = sympy.Add.make_args(moment) if _is_algebraic(factor) else (moment,)
        for part in parts:
            factors = sympy.Mul.make_args(factor) + sympy.Mul.make_args(part)
            rest = sympy.Mul(*(x for x in factors if not _is_algebraic(x)))
            total[rest] = total.get(rest, S.Zero) + sympy.Mul(*filter(_is_algebraic, factors))
    return sympy.Add(*(sympy.expand(number) * rest for rest, number in total.items()))


def _is_algebraic(x: Expr) -> bool:
    """Whether it is a number made of rationals, roots and i."""
    return bool(x.is_Rational or not (x.free_symbols or x.has(sympy.Function, sympy.exp, sympy.NumberSymbol)))


def _lowered(alpha: tuple[int, ...], axis: int) -> tuple[int, ...]:
    return (*alpha[:axis], alpha[axis] - 1, *alpha[axis + 1 :])


def _constant_forms_out(law: GaussianLaw, forms: tuple[Form, ...]) -> tuple[Expr, tuple[Form, ...]]:
    """(product of the steps that are constant under the law, the other forms)."""
    factor: Expr = S.One
    kept = []
    for form in forms:
        if law.covariance_of(form, form) == 0:
            factor *= step(law.mean_of(form))
        else:
            kept.append(form)
    return factor, tuple(kept)


def _without_ties(law: GaussianLaw, factor: Expr, forms: tuple[Form, ...]) -> tuple[Expr, tuple[Form, ...]]:
    """Forms that are multiples of one another under the law once: each threshold gives one density."""
    kept: list[Form] = []
    for form in forms:
        side = next((s for s in (_same_half_space(law, other, form) for other in kept) if s), 0)
        if side < 0:
            return S.Zero, ()
        if side == 0:
            kept.append(form)
    return factor, tuple(kept)


@functools.lru_cache(maxsize=4096)
def _same_half_space(law: GaussianLaw, a: Form, b: Form) -> int:
    """1 if b is a positive multiple of a, -1 if a negative one, 0 if it is none."""
    if a == b:
        return 1
    variance, shared = law.covariance_of(a, a), law.covariance_of(a, b)
    if shared == 0 or canonical(shared**2 - variance * law.covariance_of(b, b)) != 0:
        return 0
    ratio = canonical(shared / variance)
    if canonical(law.mean_of(b) - ratio * law.mean_of(a)) != 0:
        return 0
    side = sign_of(ratio)
    if side is None:
        raise NoClosedForm("parallel steps whose order is not known")
    return side
