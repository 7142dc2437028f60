"""Whether an expectation exists, and why it was refused: infinite, or only not bounded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from flint import arb
from sympy import Expr, Symbol

from hermite_analytics.errors import UndefinedQuantity, UnsupportedExpression
from hermite_analytics.gaussian.enclosure.moments import norm_1
from hermite_analytics.gaussian.enclosure.precision import BOUND_BITS, working_precision
from hermite_analytics.gaussian.enclosure.strip import NoStripBound, strip_bounds
from hermite_analytics.gaussian.integrability import integrability

__all__ = ["refuse", "require_finite"]


def refuse(integrand: Expr, variables: Sequence[Symbol], error: UnsupportedExpression) -> NoReturn:
    """Raise `UndefinedQuantity` if E|f| is shown to be infinite, else the error at hand."""
    if not isinstance(error, NoStripBound):
        raise error
    if integrability(integrand, variables).finite is False:
        raise UndefinedQuantity(f"the expectation of {integrand} is infinite") from None
    raise UnsupportedExpression(f"no rigorous bound of {integrand}: {error}") from None


def require_finite(integrand: Expr, variables: Sequence[Symbol]) -> None:
    """Raise unless E|f| is shown to be finite, by an envelope on the real axes or by growth.

    Raises
    ------
    UndefinedQuantity
        Where it is shown to be infinite.
    UnsupportedExpression
        Where neither is shown: an odd function has no mean then, though its parity says 0.
    """
    try:
        with working_precision(BOUND_BITS):
            if norm_1(strip_bounds(integrand, variables, [arb(0)] * len(variables)).size).is_finite():
                return
    except NoStripBound:
        pass
    if integrability(integrand, variables).finite:
        return
    refuse(integrand, variables, NoStripBound("E|f| is not shown to be finite"))
