"""What the contractions of the Hermite tensors say: the staircase, and the leaps."""

from __future__ import annotations

from hermite_analytics.analysis.answers import Answers
from hermite_analytics.analysis.certificates import stall_symmetry
from hermite_analytics.analysis.claims_expansion import has_expansion
from hermite_analytics.analysis.documents import exponent_of, staircase_of
from hermite_analytics.analysis.explanation import Section, Steps
from hermite_analytics.analysis.phrases import climb, ending, exponent_math
from hermite_analytics.argument.fact import line_of, walk
from hermite_analytics.argument.sentences import Math, Paragraph, said
from hermite_analytics.argument.symmetries import Symmetry
from hermite_analytics.exponents import Exponent, Staircase

__all__ = ["leap_section", "staircase_section"]


def staircase_section(a: Answers) -> Section | None:
    """The classic staircase step by step."""
    if not has_expansion(a):
        return None
    steps, whole = staircase_of(a, "staircase"), exponent_of(a, "intrinsic_dimension")
    rule = said(
        "With ",
        Math("n ~ d", r"n \sim d"),
        " samples a step, several giant steps learn ",
        Math(
            "U_(t+1) = U_t + span over n of C_n[., U_t^(n-1)]",
            r"U_{t+1} = U_t + \sum_n \operatorname{span}\, C_n[\,\cdot\,, U_t^{\,n-1}]",
        ),
        " from ",
        Math("U_0 = {0}", r"U_0 = \{0\}"),
        " on, where one slot of ",
        Math("C_n", "C_n"),
        " stays free and vectors of ",
        Math("U_t", "U_t"),
        " fill the others: the directions ",
        Math("w", "w"),
        " for which ",
        Math("E[w.z f(z) | P_U z]", r"\mathbb{E}[\langle w, z\rangle f(z) \mid P_{U_t} z]"),
        " does not vanish, ",
        Math("P_U", "P_U"),
        " the orthogonal projection on ",
        Math("U", "U"),
        ".",
    )
    blocks: list[Paragraph | Steps] = [rule]
    if steps.orders:
        blocks.append(climb(steps))
    blocks.append(ending(steps, _dimension(whole)))
    if steps.limit_dimension is not None and steps.limit_dimension != whole.value:
        blocks += _stall(a, steps)
    return Section("Staircase", tuple(blocks))


def _stall(a: Answers, steps: Staircase) -> list[Paragraph]:
    """The symmetry behind a stall, where there is one that the reason does not name."""
    if any(isinstance(fact, Symmetry) for fact in walk(steps.end)):
        return []
    symmetries = stall_symmetry(a.hermite, steps.subspaces[-1])
    if not symmetries:
        return []
    return [
        said(
            "Behind it stands the symmetry ",
            line_of(symmetries),
            ", which fixes this subspace and no vector orthogonal to it.",
        )
    ]


def leap_section(a: Answers) -> Section | None:
    """Leap decomposition, leap complexity and isotropic leap."""
    if not has_expansion(a):
        return None
    steps = staircase_of(a, "leap_decomposition")
    leap, isotropic = exponent_of(a, "leap_complexity"), exponent_of(a, "isotropic_leap")
    blocks: list[Paragraph | Steps] = [
        said(
            "At each step the leap decomposition adds all directions of the least order ",
            Math("j", "j"),
            " at which a tensor with ",
            Math("j", "j"),
            " slots outside ",
            Math("U_t", "U_t"),
            " and all others inside is nonzero.",
        )
    ]
    if steps.orders:
        blocks.append(climb(steps))
    blocks.append(ending(steps, _dimension(exponent_of(a, "intrinsic_dimension"))))
    blocks.append(
        said(
            "The leap complexity in the given coordinates is ",
            exponent_math("Leap", r"\mathrm{Leap}", leap),
            " (",
            line_of(leap.facts),
            "). Its largest value over all rotations is ",
            exponent_math("isoLeap", r"\mathrm{isoLeap}", isotropic),
            " (",
            line_of(isotropic.facts),
            ")",
            ", which is the largest order of the leap decomposition: no rotation has to be searched for."
            if isinstance(isotropic.value, int)
            else ".",
        )
    )
    if isinstance(leap.value, int) and isinstance(isotropic.value, int):
        blocks.append(_comparison(leap.value, isotropic.value, a))
    return Section("Leaps", tuple(blocks))


def _comparison(leap: int, isotropic: int, a: Answers) -> Paragraph:
    """What it means that the two leaps agree or differ."""
    if leap == isotropic == 1:
        return said("They agree, and as both are 1 the staircase reaches all directions.")
    if leap == isotropic:
        return said(
            "They agree: the given coordinates are as hard as any others, and steps of order below "
            f"{isotropic} do not reach all directions."
        )
    stalled = staircase_of(a, "staircase").subspaces[-1].span()
    return said(
        "They differ, because the leap complexity depends on the basis: in coordinates adapted to the "
        f"subspace where steps of order at most {isotropic - 1} stall",
        *((", ", stalled, ",") if isotropic == 2 else ()),
        f" every coefficient that leaves it has {isotropic} or more slots outside. A leap complexity of "
        f"{leap} therefore does not make all directions learnable by steps of that order.",
    )


def _dimension(e: Exponent) -> int | None:
    return e.value if isinstance(e.value, int) else None
