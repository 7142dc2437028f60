"""The closed form of a Gaussian expectation, or None."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import sympy
from sympy import Expr, Symbol

from hermite_analytics.calculus.normal_form import NotInNormalForm, normal_form
from hermite_analytics.calculus.rules import NoClosedForm, expect_term, is_infinite
from hermite_analytics.calculus.simplify import tidy
from hermite_analytics.errors import UndefinedQuantity

__all__ = ["closed_form"]

_ERF_FAMILY = (sympy.erf, sympy.erfc, sympy.sign, sympy.Abs)


def closed_form(integrand: Expr, variables: Sequence[Symbol]) -> Expr | None:
    """E[integrand] over N(0, 1) variables in closed form, or None where no rule applies.

    Raises
    ------
    UndefinedQuantity
        If E|integrand| is shown to be infinite.
    """
    return _closed_form(integrand, tuple(variables))


@functools.lru_cache(maxsize=512)
def _closed_form(integrand: Expr, variables: tuple[Symbol, ...]) -> Expr | None:
    used = [v for v in variables if integrand.has(v)]
    if not used:
        return integrand
    if len(used) > 1:
        return None
    (z,) = used
    try:
        terms = normal_form(integrand, z)
        infinite = [t for t in terms if is_infinite(t)]
        if infinite:
            raise UndefinedQuantity(f"E|f| is infinite: {integrand} against a Gaussian")
        raw = sympy.Add(*(expect_term(t) for t in terms))
    except (NotInNormalForm, NoClosedForm):
        return None
    return tidy(raw, prefer_erf=integrand.has(*_ERF_FAMILY))
