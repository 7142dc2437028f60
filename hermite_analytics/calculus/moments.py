"""E[x^alpha prod_j step(l_j(x))] for a Gaussian x: Stein's identity, with steps that condition.

    E[x_i g] = mean_i E g + sum_b Cov(x_i, x_b) E d_b g,

where the derivative of step(l) is the density of l at 0 times the expectation under the law given l = 0.
What remains at alpha = 0 is an orthant probability. All moments of one law share their sub-results.

Source: docs/theory.md, "Catalogue", R7.
"""

from __future__ import annotations

import sympy
from sympy import Expr, S

from hermite_analytics.calculus.law import Form, GaussianLaw
from hermite_analytics.calculus.orthant import orthant_probability
from hermite_analytics.calculus.reals import standardised
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
        self._factor, self._forms = _constant_forms_out(law, forms)
        self._moments: dict[tuple[int, ...], Expr] = {}
        self._given: dict[int, tuple[Expr, TruncatedMoments]] = {}

    def moment(self, alpha: tuple[int, ...]) -> Expr:
        """E[x^alpha prod step(form)].

        Raises
        ------
        NoClosedForm
            From the orthant probability at the end.
        """
        if self._factor == 0:
            return S.Zero
        if alpha not in self._moments:
            value = self._stein(alpha) if any(alpha) else orthant_probability(self.law, self._forms)
            self._moments[alpha] = value
        return self._factor * self._moments[alpha]

    def _stein(self, alpha: tuple[int, ...]) -> Expr:
        axis = max(i for i, power in enumerate(alpha) if power)
        lower = _lowered(alpha, axis)
        row = self.law.covariance[axis]
        terms = []
        if self.law.mean[axis] != 0:
            terms.append(self.law.mean[axis] * self._own(lower))
        terms += [
            power * row[b] * self._own(_lowered(lower, b))
            for b, power in enumerate(lower)
            if power and row[b] != 0
        ]
        for j, form in enumerate(self._forms):
            weight = self.law.covariances_with(form)[axis]
            if weight != 0:
                density, given = self._conditioned(j)
                terms.append(weight * density * given.moment(lower))
        return sympy.Add(*terms)

    def _own(self, alpha: tuple[int, ...]) -> Expr:
        """The moment without the constant factor."""
        if alpha not in self._moments:
            value = self._stein(alpha) if any(alpha) else orthant_probability(self.law, self._forms)
            self._moments[alpha] = value
        return self._moments[alpha]

    def _conditioned(self, j: int) -> tuple[Expr, TruncatedMoments]:
        """Density of form j at 0, and the moments given that it is 0, without its step."""
        if j not in self._given:
            form = self._forms[j]
            height, scale = standardised(self.law.mean_of(form), self.law.covariance_of(form, form))
            rest = self._forms[:j] + self._forms[j + 1 :]
            self._given[j] = (phi(height) / scale, TruncatedMoments(self.law.given_zero(form), rest))
        return self._given[j]


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
