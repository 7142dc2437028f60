"""Phrases that several sections of an explanation use."""

from __future__ import annotations

import itertools
import math
import re

from hermite_analytics.analysis.explanation import Steps
from hermite_analytics.analysis.reasons import decimal_latex, read_reason, rows_math
from hermite_analytics.argument.sentences import Math, Paragraph, said
from hermite_analytics.evidence import Evidence, Quantity
from hermite_analytics.exponents import Exponent, Staircase
from hermite_analytics.language import display

__all__ = [
    "climb",
    "digits_of",
    "ending",
    "exponent_math",
    "is_open",
    "label_reason",
    "number_math",
    "sentence",
    "step_reasons",
    "subspace",
]

_MOST_LIMITS = 3
_LOWER = "none of order"
_WHOLE = re.compile(r"the dimension (\d+) is reached")
_NO_STEP = re.compile(r"no further direction of order (\d+): ")
# shorthand of one-line reasons, and what it says in full
_IN_FULL = (
    (re.compile(r"\bHe_(\d+)(?= T\(y\)| \|)"), r"He_\1(z)"),
    (re.compile(r", 1 slots? outside"), ", in entries with 1 index outside the subspace"),
    (re.compile(r", (\d+) slots outside"), r", in entries with \1 indices outside the subspace"),
    (
        re.compile(r"E\[He_(\d+) 1\{Y=y\}\] of all (\d+) values"),
        r"the tensors E[He_\1(z) 1{y = v}] of all \2 values v of the label add nothing",
    ),
    (re.compile(r"^C_(\d+) = 0: "), r"C_\1 = 0, since "),
    (re.compile(r"^the slots of C_1 to C_1 span all .*"), "seen in the Hermite tensor C_1"),
    (re.compile(r"^the slots of C_1 to C_(\d+) span all .*"), r"seen in the Hermite tensors C_1 to C_\1"),
)


def number_math(q: Quantity) -> Math:
    """A number: closed form and digits, or digits with their error."""
    if math.isnan(q.value):
        return Math("unknown", r"\text{unknown}")
    if math.isinf(q.value):
        sign = "-" if q.value < 0 else ""
        return Math(f"{sign}infinity", rf"{sign}\infty")
    if q.exact is not None:
        closed, tex = display.text(q.exact), display.latex(q.exact)
        if q.exact.is_Rational:
            return Math(closed, tex)
        digits = f"{q.value:.10g}"
        return Math(f"{closed} = {digits}...", rf"{tex} = {decimal_latex(digits)}\ldots")
    value, error = digits_of(q), f"{q.error:.1g}"
    return Math(f"{value} ± {error}", rf"{decimal_latex(value)} \pm {decimal_latex(error)}")


def digits_of(q: Quantity) -> str:
    """As many digits as the error leaves, and one more.

    Examples
    --------
    >>> digits_of(Quantity(exact=None, value=0.68785345007, error=6e-10, evidence=Evidence.ESTIMATED,
    ...                    zero=None, reason=""))
    '0.6878534501'
    """
    if q.value == 0 or q.error == 0:
        return f"{q.value:.15g}"
    return f"{q.value:.{min(max(math.ceil(math.log10(abs(q.value) / q.error)), 1), 15)}g}"


def exponent_math(name: str, tex: str, e: Exponent) -> Math:
    """ "k* = 2", "k* >= 3", "k* = infinity"."""
    if e.value is None:
        return Math(f"{name} >= {e.at_least}", rf"{tex} \ge {e.at_least}")
    if e.value == "inf":
        return Math(f"{name} = infinity", rf"{tex} = \infty")
    return Math(f"{name} = {e.value}", f"{tex} = {e.value}")


def sentence(reason: str) -> Paragraph:
    """A reason as the end of a sentence.

    Examples
    --------
    >>> from hermite_analytics.argument.sentences import as_text
    >>> as_text(sentence("E[He_2 T(y)] != 0 with T = y, 1 slots outside"))
    'E[He_2(z) T(y)] != 0 with T = y, in entries with 1 index outside the subspace.'
    """
    full = "; ".join(_in_full(part) for part in reason.rstrip(".").split("; "))
    return said(read_reason(full), ".")


def _in_full(reason: str) -> str:
    for shorthand, words in _IN_FULL:
        reason = shorthand.sub(words, reason)
    return reason


def subspace(t: int, letter: str = "U") -> Math:
    """U_t."""
    return Math(f"{letter}_{t}", f"{letter}_{{{t}}}")


def step_reasons(reason: str) -> tuple[str, list[str]]:
    """(what unlocks a step, why nothing more comes with it), of its reason.

    Examples
    --------
    >>> step_reasons("order 1: c_(1, 0) = 1; f(z1, -z2) = f(z1, z2); learned: (1, 0)")
    ('c_(1, 0) = 1', ['f(z1, -z2) = f(z1, z2)'])
    """
    _, colon, rest = reason.partition(": ")
    kept = rest if colon and reason.startswith("order ") else reason
    parts = (kept.rpartition("; learned: ")[0] or kept).split("; ")
    unlocking = list(itertools.takewhile(lambda part: part.startswith(("c_(", "C_", "E[")), parts))
    if not unlocking:
        return "; ".join(parts), []
    return "; ".join(unlocking), parts[len(unlocking) :]


def label_reason(reason: str) -> Paragraph:
    """What gives a generative exponent, and why lower orders show nothing; other directions are left out."""
    parts = reason.split("; ")
    first = next((i for i, part in enumerate(parts) if part.startswith(_LOWER)), len(parts))
    upper = itertools.takewhile(lambda part: not part.startswith("no other: "), parts[:first])
    return said(sentence("; ".join(upper)), *_limits(parts[first:]))


def climb(steps: Staircase) -> Steps:
    """One numbered sentence a step."""
    items = []
    for t, (order, basis, reason) in enumerate(
        zip(steps.orders, steps.bases[1:], steps.reasons, strict=False)
    ):
        unlocking, limits = step_reasons(reason)
        span = rows_math(basis)
        items.append(
            said(
                f"Order {order}: ",
                Math(f"U_{t + 1} = {span.text}", f"U_{{{t + 1}}} = {span.latex}"),
                f", of dimension {steps.dimensions[t + 1]}. What unlocks the step: ",
                sentence(unlocking),
                *_limits(limits),
            )
        )
    return Steps(tuple(items))


def _limits(limits: list[str]) -> Paragraph:
    """Why nothing more is learned at a step, and why nothing is learned at lower orders."""
    first_lower = next((i for i, part in enumerate(limits) if part.startswith(_LOWER)), len(limits))
    others, lower = limits[:first_lower], limits[first_lower:]
    return said(
        *_listed(" Why nothing else comes with it: ", [part.removeprefix("no other: ") for part in others]),
        *_listed(" Why no lower order shows it: ", [part.replace(_LOWER, "order") for part in lower]),
    )


def _listed(start: str, reasons: list[str]) -> Paragraph:
    if not reasons:
        return ()
    more = len(reasons) - _MOST_LIMITS
    end = f"; and {more} more of the kind" if more > 0 else ""
    return said(start, sentence("; ".join(reasons[:_MOST_LIMITS]) + end))


def ending(steps: Staircase, whole: int | None) -> Paragraph:
    """Why there is no further step, or what is open."""
    last = subspace(len(steps.orders))
    reason = steps.reasons[-1] if steps.reasons else ""
    if steps.limit_dimension is None:
        upto = steps.undecided_up_to_degree
        where = "" if upto is None else f" (coefficients up to degree {upto} were looked at)"
        return said("Whether it goes on after ", last, f" is not decided{where}: ", sentence(reason))
    if match := _WHOLE.fullmatch(reason):
        return said("It ends at ", last, f", the whole space of dimension {match[1]}.")
    where = f", of dimension {steps.limit_dimension}"
    if whole is not None and steps.limit_dimension < whole:
        stalled = _NO_STEP.match(reason)
        order = "" if stalled is None else f", which no step of order {stalled[1]} leaves"
        return said(
            "It stalls at ", last, f"{where} out of {whole}{order}: ", sentence(_NO_STEP.sub("", reason, 1))
        )
    return said("It ends at ", last, f"{where}: ", sentence(reason))


def is_open(evidence: Evidence) -> bool:
    """Whether an answer with this evidence is not decided."""
    return evidence in (Evidence.UNDECIDED, Evidence.ESTIMATED)
