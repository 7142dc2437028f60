"""Whether Hermite coefficients exist: E|z^k f| beside E|f|."""

from __future__ import annotations

from collections.abc import Sequence

from sympy import Expr, Pow, Rational, Symbol, exp

from hermite_analytics.gaussian.integrability.decision import integrability
from hermite_analytics.language.functions import functions_where
from hermite_analytics.language.functions.record import Growth

__all__ = ["coefficients_exist"]

_STEEP = functions_where(lambda r: r.growth in (Growth.EXPONENTIAL, Growth.OTHER))
_ROOM = Rational(1, 64)


def coefficients_exist(f: Expr, variables: Sequence[Symbol], degree: int | None = None) -> bool | None:
    """Whether E|z^degree f| is finite, where E|f| is, or all of them; None where that is not decided.

    All are where f grows like a power, and where E|f| exp(|z|^2/64) is finite: E|f| alone leaves
    exp(z^2/2)/(1 + z^2), whose first coefficient does not exist although the function is even.

    Examples
    --------
    >>> z = Symbol("z", real=True)
    >>> [coefficients_exist(f, [z]) for f in (exp(z), z**3, exp(z**2 / 2) / (1 + z**2))]
    [True, True, None]
    >>> coefficients_exist(exp(z**2 / 2) / (1 + z**4), [z], 2)
    True
    """
    used = [v for v in variables if f.has(v)]
    divides = any(p.exp.is_negative and p.has(*used) for p in f.atoms(Pow)) if used else False
    if not used or not (f.has(*_STEEP) or divides):
        return True
    if integrability(f * exp(_ROOM * sum(v**2 for v in used)), used).finite is True:
        return True
    found = [integrability(f * v**degree, used).finite for v in used] if degree else [None]
    return False if False in found else (None if None in found else True)
