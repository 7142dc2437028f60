"""The generative exponent k*: the leap of the best transformation of the label.

One index: k* = min {k >= 1: E[He_k(z) | Y] != 0}. Several: the largest order of the grand staircase; equally,
the least K such that steps of order at most K reach all directions on which the target depends. The second
form may be decided where the subspaces of the first are not.
"""

from __future__ import annotations

from hermite_analytics.argument import Facts
from hermite_analytics.argument.remarks import remark
from hermite_analytics.argument.steps import LargestOrder, LevelEnds
from hermite_analytics.errors import InputError
from hermite_analytics.evidence import Evidence
from hermite_analytics.exponents.results import Exponent, infinite, known, undecided, weaker
from hermite_analytics.foundation.clock import TimeEnded, allowed, limited, time_of
from hermite_analytics.label.orders.climb import Climb, climb
from hermite_analytics.label.orders.engine import Engine
from hermite_analytics.label.orders.grand_staircases import DEFAULT_SECONDS, MOST_DEGREE
from hermite_analytics.label.orders.moments import Effort
from hermite_analytics.target import Target

__all__ = ["generative_exponent"]


def generative_exponent(
    target: Target | str, *, seconds: float = DEFAULT_SECONDS, max_degree: int | None = None
) -> Exponent:
    """k*, the exponent of algorithms that may transform the label.

    Source: arXiv:2403.05529 (one index), arXiv:2506.05500 (several: the generative leap), arXiv:2406.01581
    (polynomials of one index: k* <= 2).
    Additive Gaussian label noise leaves k* as it is. Parameters as in `grand_staircase`.

    Returns
    -------
    Exponent
        Upper bounds come from nonzero moments of y, y^2, .. or of indicators of the label; lower bounds from
        verified symmetries, from complete finite lists, and from preimages that cancel. Where they do not
        meet the answer is undecided, with the proved lower bound.

    Examples
    --------
    >>> print(generative_exponent("He3(z1)"), generative_exponent("z1**2 * exp(-z1**2)"))
    1 4
    >>> print(generative_exponent("z1*z2*z3"), generative_exponent("sign(z1*z2*z3)"))
    2 3
    """
    f = Target.of(target)
    if max_degree is not None and not 1 <= max_degree <= MOST_DEGREE:
        raise InputError(f"max_degree is {max_degree}; accepted: 1 to {MOST_DEGREE}")
    with allowed(seconds):
        found = climb(f, max_degree=max_degree)
        if not found.is_decided:
            return _by_levels(found, seconds)
    if not found.steps:
        return infinite(found.end)
    largest = max(found.steps, key=lambda step: step.order)
    return of_steps(largest.order, found.evidence, (*largest.facts, *largest.empty), steps=len(found.steps))


def of_steps(order: int, evidence: Evidence, facts: Facts, *, steps: int) -> Exponent:
    """The exponent of a decided staircase: its largest order, with the facts of the step of that order."""
    several: Facts = (LargestOrder(steps=steps),) if steps > 1 else ()
    return known(order, evidence, (*several, *facts))


def _by_levels(found: Climb, seconds: float) -> Exponent:
    """The least K such that steps of order at most K reach everything, from what the climb has proved."""
    lower = max([found.next_order if not found.steps else 1, *(step.order for step in found.steps)])
    if found.engine is None:
        return undecided(lower, found.degree, found.end)
    try:
        with limited():
            return _levels(found, found.engine, lower)
    except TimeEnded:
        return undecided(lower, found.degree, remark(time_of(seconds)))


def _levels(found: Climb, engine: Engine, at_least: int) -> Exponent:
    """By the closures of steps of order at most K, for K = 1, 2, .."""
    below: Facts = ()
    evidence = Evidence.EXACT if at_least == 1 else Evidence.PROVED
    room = engine.limits.reachable.dimension
    for level in range(1, found.degree + 1):
        reached = engine.moments.closure(level, room, effort=Effort.THOROUGH)
        if reached.span.dimension and engine.is_everything(reached.span):
            if level > at_least:
                break
            facts = found.prefaced((*reached.facts, *below))
            return known(level, weaker(reached.evidence, evidence), facts)
        if at_least > level:
            continue
        stall = engine.stalls(reached.span, level)
        if stall is None:
            break
        dimension = reached.span.dimension
        below = (LevelEnds(order=level, dimension=dimension, because=stall.facts),)
        evidence = weaker(evidence, stall.evidence)
        most = engine.moments.closure(found.degree, room, effort=Effort.THOROUGH) if dimension else None
        if most is not None and most.span.dimension == dimension:
            break  # the label may depend on nothing else
        at_least = level + 1
    return undecided(at_least, found.degree, found.end)
