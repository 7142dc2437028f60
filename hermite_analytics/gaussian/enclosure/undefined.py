"""Why an expectation was refused: infinite, or only not bounded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from sympy import Expr, Symbol

from hermite_analytics.errors import UndefinedQuantity, UnsupportedExpression
from hermite_analytics.gaussian.enclosure.strip import NoStripBound
from hermite_analytics.gaussian.integrability import integrability

__all__ = ["refuse"]


def refuse(integrand: Expr, variables: Sequence[Symbol], error: UnsupportedExpression) -> NoReturn:
    """Raise `UndefinedQuantity` if E|f| is shown to be infinite, else the error at hand."""
    if not isinstance(error, NoStripBound):
        raise error
    if integrability(integrand, variables).finite is False:
        raise UndefinedQuantity(f"the expectation of {integrand} is infinite") from None
    raise UnsupportedExpression(f"no rigorous bound of {integrand}: {error}") from None
