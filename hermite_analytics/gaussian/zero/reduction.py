"""Terms of f that cannot contribute to a Hermite coefficient, by independence and orthogonality alone.

If a term depends on z_i through z_i^a only, its part in c_S is a multiple of E[He_{S_i}(z_i) z_i^a], which
is zero for a < S_i and for a - S_i odd. Terms may be taken apart where each is square integrable.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from hermite_analytics.gaussian.zero.monomials import (
    ONE,
    VARIABLE,
    Form,
    Frozen,
    Monomial,
    is_constant,
    thaw,
    variable_names,
)
from hermite_analytics.gaussian.zero.piecewise import is_polynomial
from hermite_analytics.language.functions import RECORDS, Growth

__all__ = ["contributing", "is_tame"]

_BOUNDED = {r.value or r.code for r in RECORDS if r.growth is Growth.BOUNDED} | {"sign of polynomial"}


def is_tame(form: Form) -> bool:
    """Whether every term of the form has moments of all orders, read off the generators.

    Bounded functions of anything; polynomials, logcosh and exponentials of linear forms otherwise.
    """
    return all(_is_tame_monomial(m) for m in form)


def _is_tame_monomial(monomial: Monomial) -> bool:
    exponent = thaw(monomial.exponent)
    if not is_constant(exponent) and not (is_polynomial(exponent) and _degree(exponent) <= 1):
        return False
    return all(_is_tame_generator(name, arguments, n) for (name, arguments), n in monomial.generators)


def _is_tame_generator(name: str, arguments: Sequence[Frozen], n: int) -> bool:
    itself: Form = {ONE._replace(generators=(((name, tuple(arguments)), 1),)): Fraction(1)}
    if is_constant(itself):
        return True
    if n < 0:
        return False
    if name.startswith(VARIABLE) or name in _BOUNDED:
        return True
    return name == "logcosh" and is_tame(thaw(arguments[0]))


def _degree(form: Form) -> int:
    return max(sum(n for _, n in m.generators) for m in form)


def contributing(form: Form, variables: Sequence[str], wanted: Sequence[Sequence[int]]) -> Form:
    """The form without the terms whose part in c_S is zero for every wanted S.

    Examples
    --------
    >>> from hermite_analytics.gaussian.zero.monomials import variable_form
    >>> contributing(variable_form("x"), ["x", "y"], [(1, 1)])
    {}
    """
    if not is_tame(form):
        return form
    kept = {}
    for monomial, coefficient in form.items():
        powers = _powers(monomial, variables)
        if not all(_is_orthogonal(powers, variables, index) for index in wanted):
            kept[monomial] = coefficient
    return kept


def _powers(monomial: Monomial, variables: Sequence[str]) -> dict[str, int]:
    """{variable: power} for the variables that occur in this monomial as a power only."""
    plain = {g[0][len(VARIABLE) :]: n for g, n in monomial.generators if g[0].startswith(VARIABLE)}
    others = tuple((g, n) for g, n in monomial.generators if not g[0].startswith(VARIABLE))
    hidden = variable_names([monomial._replace(generators=others)])
    return {v: plain.get(v, 0) for v in variables if v not in hidden}


def _is_orthogonal(powers: Mapping[str, int], variables: Sequence[str], index: Sequence[int]) -> bool:
    pairs = [(powers[v], s) for v, s in zip(variables, index, strict=True) if v in powers]
    return any(a < s or (a - s) % 2 for a, s in pairs)
