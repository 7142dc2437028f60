"""Means that are 0 by a symmetry that is verified."""

from __future__ import annotations

from collections.abc import Sequence

from sympy import Expr, S, Symbol

from hermite_analytics.evidence import Evidence, Quantity
from hermite_analytics.foundation.attempts import attempted
from hermite_analytics.foundation.clock import allowed, check_time, share
from hermite_analytics.gaussian.integrability import integrability
from hermite_analytics.gaussian.zero import symmetry_certificate

__all__ = ["SYMMETRY_SHARE", "symmetric_mean", "symmetric_zero"]

SYMMETRY_SHARE = 0.3  # of the time left, for symmetries


def symmetric_mean(integrand: Expr, variables: Sequence[Symbol]) -> Quantity | None:
    """A mean that exists, and that a symmetry shows to be 0."""
    with allowed(share(SYMMETRY_SHARE)):
        zero = symmetric_zero(integrand, variables, (0,) * len(variables))
    return zero if zero is not None and integrability(integrand, variables).finite else None


def symmetric_zero(integrand: Expr, variables: Sequence[Symbol], index: Sequence[int]) -> Quantity | None:
    """E[He_index * integrand] where a symmetry that is verified before the time ends shows that it is 0.

    It is for the caller to know that this number exists.
    """
    found = None
    with attempted():
        check_time()
        found = symmetry_certificate(integrand, variables, index)
    if found is None:
        return None
    return Quantity(
        exact=S.Zero, value=0.0, error=0.0, evidence=Evidence.PROVED, zero=True, reason=found.text
    )
