"""Answers of the library against the dense law and against quadrature: what is contradicted, what is open."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hermite_analytics import Target
from hermite_analytics.evidence import Evidence
from tests.nets.answers import DEGREES, Answers, numbers, said_of
from tests.nets.dense_law import Array, complement, orthonormal
from tests.nets.dense_steps import strength, threshold
from tests.nets.reference import Reference
from tests.symbolic.random_trees import Tree
from tests.symbolic.tree_quadrature import moments

_MAY_REFUSE = ("UndefinedQuantity", "UnsupportedExpression")  # a target without a moment, ...
_QUADRATURE = 2  # variables, noise included, whose panels are fast
_LAST_ORDER = 4  # that the dense law looks at


@dataclass
class Verdict:
    """Of one label.

    Attributes
    ----------
    wrong : list of (kind, said, right)
    doubtful : list of (kind, said, right)
        Claims that the dense law neither supports nor contradicts.
    open : list of str
        Kinds of questions that the library left undecided.
    refused : list of str
    """

    text: str
    wrong: list[tuple[str, str, str]] = field(default_factory=list)
    doubtful: list[tuple[str, str, str]] = field(default_factory=list)
    open: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    checked: int = 0


def judge(tree: Tree, answers: Answers) -> Verdict:
    """All answers of the library on a label."""
    verdict = Verdict(answers.text)
    verdict.wrong += [(kind_of(e), f"{name}: {e}", "") for name, e in answers.foreign.items()]
    for name, error in answers.refused.items():
        verdict.refused.append(f"{name}: {error}")
        if not error.startswith(_MAY_REFUSE):
            verdict.wrong.append(("refused", f"{name}: {error}", "an answer: the target is in the language"))
    found, reference = answers.found, Reference(tree)
    if found and Target(answers.text).dimension < reference.dimension:
        verdict.refused.append("the last coordinate cancels when the text is read")
        return verdict
    if "hermite" in found:
        judge_moments(verdict, reference, found["hermite"], found.get("information_exponent"))
    if "grand_staircase" in found:
        judge_staircase(verdict, reference, found["grand_staircase"])
        if "generative_exponent" in found:
            judge_exponent(verdict, reference, found["generative_exponent"], found["grand_staircase"])
        if "information_exponent" in found:
            judge_orders(verdict, found["information_exponent"], found["grand_staircase"])
    if "weak_recovery" in found and not any(kind == "staircase" for kind, _, _ in verdict.wrong):
        judge_thresholds(verdict, reference, found["weak_recovery"])
    return verdict


def kind_of(raised: str) -> str:
    """A warning, which the tests take for an error, or an exception of another family."""
    return "warning" if raised.split(":")[0].endswith("Warning") else "foreign exception"


def shown(verdict: Verdict) -> str:
    """For the message of a failing test."""
    lines = [f"  {kind}: said {said}; right {right}" for kind, said, right in verdict.wrong]
    return "\n".join([verdict.text, *lines])


# moments


def judge_moments(verdict: Verdict, reference: Reference, expansion: Any, exponent: Any) -> None:
    """Coefficients and E y^2: two variables by panels that end at the kinks, more by the dense points."""
    dimension, noisy = reference.dimension, reference.noisy
    indices = [s for s in expansion if sum(s) <= DEGREES[dimension]]
    if dimension + noisy <= _QUADRATURE:
        exact = moments(reference.placed, [(*s, 0)[: dimension + noisy] for s in indices])
        values, tolerance = exact.values, 3 * exact.tolerance() + 1e-10
    else:
        values, tolerance = reference.law(np.zeros((0, dimension))).coefficients(indices)
    asked = [*(expansion[s] for s in indices), expansion.second_moment]
    names = [*(f"c_{s}" for s in indices), "E y^2"]
    for name, quantity, value, slack in zip(names, asked, values, tolerance, strict=True):
        compare(verdict, name, quantity, value, slack)
    if exponent is not None and exponent.value is not None:
        judge_information(
            verdict, exponent, dict(zip(indices, zip(values, tolerance, strict=False), strict=False))
        )


def judge_information(
    verdict: Verdict, exponent: Any, known: dict[tuple[int, ...], tuple[float, float]]
) -> None:
    """The information exponent: no smaller degree has a coefficient."""
    verdict.checked += 1
    for index, (value, slack) in known.items():
        if 0 < sum(index) < float(exponent.value) and abs(value) > slack:
            said = f"information exponent {exponent.value} [{exponent.evidence}]"
            verdict.wrong.append(("information exponent", said, f"c_{index} = {value:.6g} +- {slack:.1g}"))
            return


def compare(verdict: Verdict, name: str, quantity: Any, value: float, slack: float) -> None:
    """A number with its stated error against a number with its own."""
    if quantity.evidence is Evidence.UNDECIDED or math.isnan(quantity.value):
        verdict.open.append(name.split("_")[0])
        return
    verdict.checked += 1
    if math.isinf(quantity.value) and not slack < 1e-3 * abs(value):
        return
    off = not abs(quantity.value - value) <= slack + quantity.error
    if off or (quantity.zero and abs(value) > slack):
        said = f"{quantity.value:.12g} +- {quantity.error:.1g} [{quantity.evidence}]"
        verdict.wrong.append((name, said, f"{value:.10g} +- {slack:.1g}"))


# steps


def judge_staircase(verdict: Verdict, reference: Reference, staircase: Any) -> None:
    """Orders said to be empty, directions left out, and the end."""
    said = said_of(staircase)
    bases = [numbers(basis) for basis in staircase.bases]
    open_end = staircase.limit_dimension is None
    for t, order in enumerate(staircase.orders):
        before, after = bases[t], bases[t + 1]
        if before is None or after is None:
            return
        partial = open_end and t + 1 == len(staircase.orders)  # the last step may lack directions
        judge_step(verdict, reference, said, order, before, after, partial)
    if open_end:
        verdict.open.append("staircase")
    elif bases[-1] is not None:
        empty_up_to(verdict, reference, said, bases[-1], _LAST_ORDER)


def judge_step(
    verdict: Verdict, reference: Reference, said: str, order: int, before: Array, after: Array, partial: bool
) -> None:
    """One step of an order, from one subspace to the next; all of it, or a part of its directions."""
    if not empty_up_to(verdict, reference, said, before, min(order - 1, _LAST_ORDER)) or order > _LAST_ORDER:
        return
    law = reference.law(before)
    found = strength(law, order)
    learned = orthonormal(np.reshape(after, (-1, reference.dimension)))
    inside = law.unknown @ learned.T  # of the unknown coordinates, those that are learned
    left, values, _ = np.linalg.svd(inside)
    new = left.T[: int((values > 1e-9).sum())]
    missed = found.along(complement(new, len(law.unknown)))
    verdict.checked += 1
    if missed > found.tolerance and not partial:
        verdict.wrong.append(("staircase", said, f"more directions of order {order}: {missed:.3g}"))
    weakest = float(np.linalg.eigvalsh(new @ found.gram @ new.T)[0])
    if weakest < 1e-7 and found.noise < 1e-7:
        verdict.doubtful.append(
            ("staircase", said, f"a direction of order {order} of strength {weakest:.1g}")
        )


def empty_up_to(verdict: Verdict, reference: Reference, said: str, known: Array, last: int) -> bool:
    """Whether the orders 1..last are empty given a subspace, as far as the dense law sees."""
    law = reference.law(known)
    if not len(law.unknown):
        return True
    for order in range(1, last + 1):
        found = strength(law, order)
        size = float(np.trace(found.gram))
        verdict.checked += 1
        if size > found.tolerance:
            given = f" given {len(law.known)} directions" if len(law.known) else ""
            verdict.wrong.append(("staircase", said, f"order {order}{given} has strength {size:.3g}"))
            return False
    return True


def judge_exponent(verdict: Verdict, reference: Reference, exponent: Any, staircase: Any) -> None:
    """k* against the staircase, and an infinite one against the dense law."""
    said = f"k* = {exponent.value} [{exponent.evidence}]"
    if exponent.value is None:
        verdict.open.append("k*")
        return
    if exponent.value == "inf":
        empty_up_to(verdict, reference, said, np.zeros((0, reference.dimension)), 2)
    elif staircase.limit_dimension is not None and exponent.value != max(staircase.orders):
        verdict.wrong.append(("k*", said, f"the largest of the orders {staircase.orders}"))


def judge_orders(verdict: Verdict, exponent: Any, staircase: Any) -> None:
    """The first order is at most the information exponent, that of T(y) = y."""
    if exponent.value in (None, "inf") or staircase.limit_dimension is None:
        return
    verdict.checked += 1
    if not staircase.orders or staircase.orders[0] > exponent.value:
        verdict.wrong.append(("staircase", said_of(staircase), f"information exponent {exponent.value}"))


# thresholds


def judge_thresholds(verdict: Verdict, reference: Reference, recovery: Any) -> None:
    """alpha_c of every stage: 0, the dense threshold, or inf."""
    staircase, stages = recovery.staircase, recovery.stages
    if set(staircase.orders) <= {1}:
        expected = [0.0] if staircase.orders else [math.inf]
        if staircase.limit_dimension is not None:
            for stage, alpha in zip(stages, expected, strict=True):
                judge_number(verdict, stage, alpha)
        return
    for order, before, stage in zip(staircase.orders, staircase.bases, stages, strict=False):
        rows = numbers(before)
        if order != 2:
            judge_number(verdict, stage, 0.0 if order == 1 else math.inf)
        elif rows is not None:
            judge_threshold(verdict, reference, stage, rows)


def judge_number(verdict: Verdict, stage: Any, alpha: float) -> None:
    if not math.isnan(stage.alpha_c.value) and stage.alpha_c.value != alpha:
        verdict.wrong.append(("alpha_c", str(stage.alpha_c), str(alpha)))


def judge_threshold(verdict: Verdict, reference: Reference, stage: Any, known: Array) -> None:
    """Of a step of order 2, given exact knowledge of what came before."""
    alpha = stage.alpha_c
    if math.isnan(alpha.value):
        verdict.open.append("alpha_c")
        return
    dense = threshold(reference.law(known))
    if dense is None:
        return
    verdict.checked += 1
    said = f"{alpha.value:.10g} +- {alpha.error:.1g} [{alpha.evidence}]"
    if alpha.value - alpha.error > dense.most:
        verdict.wrong.append(("alpha_c", said, f"at most {dense.most:.5g}"))
    elif alpha.value < dense.value and reference.may_merge(known):
        return  # labels near a limit are equal in float64 only: the dense law says less than the label
    elif abs(alpha.value - dense.value) > alpha.error + dense.error:
        verdict.wrong.append(("alpha_c", said, f"{dense.value:.6g} +- {dense.error:.1g}"))
