"""The grand staircase: the subspaces that algorithms learn which may transform the label."""

from __future__ import annotations

from hermite_analytics.argument.steps import Basis
from hermite_analytics.errors import InputError
from hermite_analytics.evidence import Evidence
from hermite_analytics.exponents.results import Staircase
from hermite_analytics.exponents.spans import Span
from hermite_analytics.foundation.clock import allowed
from hermite_analytics.label.orders.climb import climb
from hermite_analytics.target import Target

__all__ = ["grand_staircase"]

DEFAULT_SECONDS = 30.0
MOST_DEGREE = 40


def grand_staircase(
    target: Target | str, *, seconds: float = DEFAULT_SECONDS, max_degree: int | None = None
) -> Staircase:
    """The greedy generative decomposition: subspaces learned from any transformation of the label.

    From U a step has the least order k with zeta_k(y, x) = E[He_k(w) | Y = y, z_U = x] != 0, w the
    coordinates orthogonal to U, and adds the slots of zeta_k(y, x) for all y and x. Its largest order is
    the generative exponent. Additive Gaussian label noise leaves it as it is.

    Source: arXiv:2506.05500 (the generative leap), arXiv:2403.05529 (one index).

    Parameters
    ----------
    target : Target or str
    seconds : float > 0
    max_degree : int, optional
        1 to 40, the largest degree of the moments of a transformed label; by default 8, 6, 5 for 1, 2, 3
        indices, else 4.

    Returns
    -------
    Staircase
        Of each step it is proved that lower orders are empty and that there are no other directions. Where
        that is open, `limit_dimension` is None and the steps before stand.

    Examples
    --------
    >>> steps = grand_staircase("z1**2 + sign(z1*z2*z3)")
    >>> steps.orders, steps.bases[1], steps.limit_dimension
    ((2, 2), (('1', '0', '0'),), 3)
    >>> print(grand_staircase("z1 + abs(z2)").reasons[0])
    order 1: E[He_1 T(y)] != 0 with T = y; no other: f(z1, -z2) = f(z1, z2); learned: (1, 0)
    """
    f = Target.of(target)
    if max_degree is not None and not 1 <= max_degree <= MOST_DEGREE:
        raise InputError(f"max_degree is {max_degree}; accepted: 1 to {MOST_DEGREE}")
    with allowed(seconds):
        found = climb(f, max_degree=max_degree)
    spans = [Span(width=f.dimension), *(step.span for step in found.steps)]
    decided = found.is_decided
    return Staircase(
        subspaces=tuple(Basis(rows=span.rows) for span in spans),
        orders=tuple(step.order for step in found.steps),
        limit_dimension=spans[-1].dimension if decided else None,
        undecided_up_to_degree=None if decided else found.degree,
        evidence=found.evidence if decided else Evidence.UNDECIDED,
        steps=tuple((*step.facts, *step.empty) for step in found.steps),
        end=found.end,
    )
