"""What stands in a document for an answer that does not exist or was not reached."""

from __future__ import annotations

from hermite_analytics.argument.remarks import remark
from hermite_analytics.argument.steps import Basis
from hermite_analytics.evidence import Evidence
from hermite_analytics.exponents.results import Exponent, FirstSubspace, Staircase

__all__ = ["open_exponent", "open_first_subspace", "open_staircase"]


def open_exponent(reason: str) -> Exponent:
    """No exponent, and why."""
    return Exponent(value=None, at_least=1, evidence=Evidence.UNDECIDED, degree=None, facts=remark(reason))


def open_first_subspace(reason: str) -> FirstSubspace:
    """No first subspace, and why."""
    return FirstSubspace(order=open_exponent(reason), subspace=None, facts=remark(reason))


def open_staircase(reason: str) -> Staircase:
    """A staircase of no step, and why."""
    return Staircase(
        subspaces=(Basis(rows=()),),
        orders=(),
        limit_dimension=None,
        undecided_up_to_degree=None,
        evidence=Evidence.UNDECIDED,
        steps=(),
        end=remark(reason),
    )
