"""The arguments for all discrete claims and thresholds about a target, as facts."""

from __future__ import annotations

from collections.abc import Iterator

from hermite_analytics.analysis.answers import Answers
from hermite_analytics.analysis.documents import (
    STAIRCASES,
    exponent_of,
    first_subspace_of,
    stages_of,
    staircase_of,
    weak_recovery_of,
)
from hermite_analytics.analysis.phrases import exponent_math, number_math
from hermite_analytics.argument import Argument
from hermite_analytics.argument.remarks import remark
from hermite_analytics.errors import HermiteAnalyticsError
from hermite_analytics.exponents import Exponent, FirstSubspace, Staircase
from hermite_analytics.learning import Learning

__all__ = ["arguments_of"]

_EXPONENTS = ("leap_index", "leap_complexity", "isotropic_leap", "generative_exponent")


def arguments_of(a: Answers) -> tuple[Argument, ...]:
    """One argument a claim: dimension, exponents, first subspace, steps of staircases and ends, thresholds.

    Examples
    --------
    >>> for argument in arguments_of(Answers("z1 + z1*z2"))[:2]:
    ...     print(argument)
    number of directions = 2: the slots of C_1 to C_2 span all directions that f depends on
    leap index = 1: c_(1, 0) = 1
    """
    return tuple(_arguments(a))


def _arguments(a: Answers) -> Iterator[Argument]:
    whole = exponent_of(a, "intrinsic_dimension")
    yield _exponent("number of directions", whole)
    for name in _EXPONENTS:
        yield _exponent(_spoken(name), exponent_of(a, name))
    yield _first(first_subspace_of(a))
    for name in STAIRCASES:
        yield from _steps(_spoken(name), staircase_of(a, name))
    yield from _thresholds(a)
    if a.activation is not None:
        yield from _network(a, "learns", f"network with activation {a.activation}")
        yield from _network(a, "learns_full_batch", f"network with activation {a.activation}, full batch")


def _exponent(spoken: str, e: Exponent) -> Argument:
    return Argument(claim=exponent_math(spoken, "", e).text, facts=e.facts)


def _first(found: FirstSubspace) -> Argument:
    if found.subspace is None:
        return Argument(claim="the first subspace is not decided", facts=found.facts)
    claim = f"the first subspace has dimension {found.subspace.dimension}"
    return Argument(claim=claim, facts=found.facts, conclusion=found.subspace)


def _steps(spoken: str, steps: Staircase) -> Iterator[Argument]:
    climbed = zip(steps.orders, steps.steps, steps.subspaces[1:], strict=True)
    for number, (order, facts, learned) in enumerate(climbed, 1):
        claim = f"{spoken}: step {number} has order {order} and reaches dimension {learned.dimension}"
        yield Argument(claim=claim, facts=facts, conclusion=learned)
    last = steps.dimensions[-1]
    end = f"is not decided beyond dimension {last}"
    if steps.limit_dimension is not None:
        end = f"ends at dimension {last}"
    yield Argument(claim=f"{spoken}: {end}", facts=steps.end)


def _thresholds(a: Answers) -> Iterator[Argument]:
    found, reason = weak_recovery_of(a)
    if found is None:
        yield Argument(claim="weak recovery is not decided", facts=remark(reason))
        return
    for number, (_, alpha, facts) in enumerate(stages_of(found), 1):
        yield Argument(claim=f"alpha_c of stage {number} = {number_math(alpha).text}", facts=facts)


def _network(a: Answers, name: str, spoken: str) -> Iterator[Argument]:
    try:
        found: Learning = getattr(a, name)
    except HermiteAnalyticsError as error:
        yield Argument(claim=f"{spoken}: not known", facts=remark(" ".join(str(error).split())))
        return
    for step in found.steps:
        yield Argument(claim=f"{spoken}: step {step.step} is {step.verdict}", facts=step.facts)
    yield Argument(claim=f"{spoken}: no more steps are looked at", facts=found.ending)


def _spoken(name: str) -> str:
    return name.replace("_", " ")
