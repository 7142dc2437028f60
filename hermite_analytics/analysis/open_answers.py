"""What stands in a document for an answer that does not exist or was not reached."""

from __future__ import annotations

from hermite_analytics.evidence import Evidence
from hermite_analytics.exponents.results import Exponent, FirstSubspace, Staircase

__all__ = ["open_exponent", "open_first_subspace", "open_staircase"]


def open_exponent(reason: str) -> Exponent:
    """No exponent, and why."""
    return Exponent(value=None, at_least=1, evidence=Evidence.UNDECIDED, degree=None, reason=reason)


def open_first_subspace(reason: str) -> FirstSubspace:
    """No first subspace, and why."""
    return FirstSubspace(order=open_exponent(reason), basis=None, reason=reason)


def open_staircase(reason: str) -> Staircase:
    """A staircase of no step, and why."""
    return Staircase(
        dimensions=(0,),
        orders=(),
        bases=((),),
        limit_dimension=None,
        undecided_up_to_degree=None,
        evidence=Evidence.UNDECIDED,
        reasons=(reason,),
    )
