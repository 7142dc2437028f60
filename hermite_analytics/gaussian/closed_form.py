"""The closed form of a Gaussian expectation, or None."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence

import sympy
from sympy import Expr, S, Symbol

from hermite_analytics.errors import UndefinedQuantity
from hermite_analytics.gaussian.integrability import integrability
from hermite_analytics.gaussian.products import mean_by_rules, mean_of_product, products
from hermite_analytics.gaussian.simplify import tidy
from hermite_analytics.language.shape import changes_sign

__all__ = ["closed_form"]

_EXPONENTIALS = (sympy.exp, sympy.sinh, sympy.cosh)
_ERF = (sympy.erf, sympy.erfc)
_ERF_FAMILY = (*_ERF, sympy.sign, sympy.Abs)
_MOST_FLIPS = 6


def closed_form(integrand: Expr, variables: Sequence[Symbol]) -> Expr | None:
    """E[integrand] over N(0, 1) variables in closed form, or None where no rule applies.

    Raises
    ------
    UndefinedQuantity
        If E|integrand| is shown to be infinite.
    TimeEnded
        If a limit around the call ends (`clock.limited`); nothing is remembered then.

    Examples
    --------
    >>> from hermite_analytics.symbols import kappa, z
    >>> closed_form(sympy.sin(kappa + z), [z])
    exp(-1/2)*sin(kappa)
    >>> closed_form(sympy.tanh(kappa + z), [z]) is None
    True
    """
    return _closed_form(integrand, tuple(variables))


@functools.lru_cache(maxsize=512)
def _closed_form(integrand: Expr, variables: tuple[Symbol, ...]) -> Expr | None:
    used = [v for v in variables if integrand.has(v)]
    if not used:
        return integrand
    raw = mean_by_rules(integrand, used)  # every term of the normal form is then integrable
    if raw is None:
        decision = integrability(integrand, used)
        if decision.finite is False:
            raise UndefinedQuantity(decision.reason)
        raw = _by_parity(integrand, used) if decision.finite else None
    if raw is None:
        return None
    # 1 + erf loses the digits of a small Phi, which an exponential may multiply
    written_by_erf = integrand.has(*_ERF_FAMILY) and not integrand.has(*_EXPONENTIALS)
    return tidy(raw, prefer_erf=written_by_erf, prefer_exp=written_by_erf and integrand.has(*_ERF))


def _by_parity(integrand: Expr, used: Sequence[Symbol]) -> Expr | None:
    """Rules for some of the terms, where the others change sign with some of the variables."""
    total = S.Zero
    for part in products(integrand, used):
        if _vanishes(part, used):
            continue
        value = mean_of_product(part, used)
        if value is None:
            return None
        total += value
    return total


def _vanishes(part: Expr, used: Sequence[Symbol]) -> bool:
    own = [v for v in used if part.has(v)][:_MOST_FLIPS]
    flips = itertools.chain.from_iterable(itertools.combinations(own, n) for n in range(1, len(own) + 1))
    return any(changes_sign(part, flip) for flip in flips)
