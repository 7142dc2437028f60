"""Whether the decided answers on two ways of writing a label agree."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.nets.answers import STEPS, Answers, ask, numbers, said_of
from tests.nets.dense_law import Array
from tests.nets.judge import Verdict, kind_of
from tests.nets.rewriting import SAME_FUNCTION, Pair

_ROUNDING = 1e-12  # relative, of two floats that are stated without an error


def judge_pair(pair: Pair, seconds: float) -> tuple[Verdict, dict[str, float]]:
    """The answers on both; what two decided answers say differently."""
    names = ("hermite", *STEPS) if pair.kind in SAME_FUNCTION else STEPS
    first, second = ask(pair.text, seconds, names), ask(pair.other, seconds, names)
    verdict = Verdict(str(pair))
    for answers in (first, second):
        verdict.wrong += [(kind_of(e), f"{n}: {e}", answers.text) for n, e in answers.foreign.items()]
        verdict.refused += [f"{n}: {e}" for n, e in answers.refused.items()]
    _agree_on_coefficients(verdict, pair, first, second)
    _agree_on_exponents(verdict, first, second)
    _agree_on_steps(verdict, pair, first, second)
    _agree_on_thresholds(verdict, first, second)
    spent = {n: max(first.seconds.get(n, 0.0), second.seconds.get(n, 0.0)) for n in first.seconds}
    return verdict, spent


def _both(first: Answers, second: Answers, name: str) -> tuple[Any, Any] | None:
    if name in first.found and name in second.found:
        return first.found[name], second.found[name]
    return None


def _agree_on_coefficients(verdict: Verdict, pair: Pair, first: Answers, second: Answers) -> None:
    found = _both(first, second, "hermite")
    if found is None:
        return
    one, two = found
    order = np.argmax(np.abs(pair.rotation), axis=1)
    sign = pair.rotation.sum(axis=1)
    quantities = [("E y^2", one.second_moment, two.second_moment, 1.0)]
    for index, quantity in one.coefficients.items():
        moved = tuple(int(index[list(order).index(j)]) for j in range(len(index)))
        if any(moved[len(two.variables) :]):  # a variable that went away
            continue
        moved = (*moved, *(0 for _ in two.variables))[: len(two.variables)]
        factor = float(np.prod(sign[: len(index)] ** np.array(index)))
        if moved in two.coefficients:
            quantities.append((f"c_{index}", quantity, two.coefficients[moved], factor))
    for name, a, b, factor in quantities:
        if not (np.isfinite(a.value) and np.isfinite(b.value)):
            continue
        verdict.checked += 1
        slack = a.error + b.error + _ROUNDING * (abs(a.value) + abs(b.value))
        if abs(a.value - factor * b.value) > slack or {a.zero, b.zero} == {True, False}:
            verdict.wrong.append((name, f"{a.value:.15g} zero {a.zero}", f"{b.value:.15g} zero {b.zero}"))


def _agree_on_exponents(verdict: Verdict, first: Answers, second: Answers) -> None:
    found = _both(first, second, "generative_exponent")
    if found is None:
        return
    if None in (found[0].value, found[1].value):
        verdict.open.append("k*")
    else:
        verdict.checked += 1
        if found[0].value != found[1].value:
            verdict.wrong.append(("k*", str(found[0].value), str(found[1].value)))


def _agree_on_steps(verdict: Verdict, pair: Pair, first: Answers, second: Answers) -> None:
    found = _both(first, second, "grand_staircase")
    if found is None:
        return
    one, two = found
    if one.limit_dimension is None or two.limit_dimension is None:
        verdict.open.append("staircase")
        return
    verdict.checked += 1
    same = one.orders == two.orders and one.dimensions == two.dimensions
    for a, b in zip(one.bases, two.bases, strict=False) if same else ():
        rows, others = numbers(a), numbers(b)
        if rows is not None and others is not None and len(rows):
            width = len(pair.rotation)
            padded = np.pad(rows, ((0, 0), (0, width - rows.shape[1])))
            same = same and _same_span(
                padded @ pair.rotation, np.pad(others, ((0, 0), (0, width - others.shape[1])))
            )
    if not same:
        verdict.wrong.append(("staircase", said_of(one), said_of(two)))


def _same_span(rows: Array, others: Array) -> bool:
    rank = np.linalg.matrix_rank(rows, tol=1e-9)
    both = np.concatenate([rows, others])
    return rank == np.linalg.matrix_rank(others, tol=1e-9) == np.linalg.matrix_rank(both, tol=1e-9)


def _agree_on_thresholds(verdict: Verdict, first: Answers, second: Answers) -> None:
    found = _both(first, second, "weak_recovery")
    if found is None or found[0].staircase.orders != found[1].staircase.orders:
        return
    if None in (found[0].staircase.limit_dimension, found[1].staircase.limit_dimension):
        return
    for a, b in zip(found[0].stages, found[1].stages, strict=True):
        if np.isnan(a.alpha_c.value + b.alpha_c.value):
            verdict.open.append("alpha_c")
            continue
        verdict.checked += 1
        x, y = a.alpha_c.value, b.alpha_c.value
        slack = a.alpha_c.error + b.alpha_c.error + _ROUNDING * abs(x) if np.isfinite(x) else 0.0
        if x != y and not abs(x - y) <= slack:
            shown = [f"{q.value:.12g} +- {q.error:.1g} [{q.evidence}]" for q in (a.alpha_c, b.alpha_c)]
            verdict.wrong.append(("alpha_c", *shown))
