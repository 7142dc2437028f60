"""What the library says of a label, each answer asked for once, with the time it took."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import sympy

import hermite_analytics as ha
from hermite_analytics.errors import HermiteAnalyticsError
from tests.nets.dense_law import Array

CALLS: dict[str, Callable[[Any, float], Any]] = {
    "hermite": lambda f, seconds: ha.hermite(f, DEGREES[min(3, f.dimension)], seconds=seconds),
    "information_exponent": lambda f, seconds: ha.information_exponent(f, seconds=seconds),
    "generative_exponent": lambda f, seconds: ha.generative_exponent(f, seconds=seconds),
    "grand_staircase": lambda f, seconds: ha.grand_staircase(f, seconds=seconds),
    "weak_recovery": lambda f, seconds: ha.weak_recovery(f, seconds=seconds),
}
DEGREES = {1: 4, 2: 3, 3: 2}
STEPS = ("generative_exponent", "grand_staircase", "weak_recovery")


@dataclass(frozen=True)
class Answers:
    """By the name of the call; a refusal or a foreign exception in place of an answer."""

    text: str
    found: dict[str, Any] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    foreign: dict[str, str] = field(default_factory=dict)


def ask(target: Any, seconds: float, names: tuple[str, ...] = tuple(CALLS)) -> Answers:
    """All answers on a target, or on a text."""
    answers = Answers(str(target))
    try:
        f = target if isinstance(target, ha.Target) else ha.Target(target)
    except HermiteAnalyticsError as refusal:
        answers.refused["Target"] = f"{type(refusal).__name__}: {refusal}"
        return answers
    except Exception as error:  # that is what is looked for
        answers.foreign["Target"] = f"{type(error).__name__}: {error}"
        return answers
    for name in names:
        start = time.perf_counter()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                answers.found[name] = CALLS[name](f, seconds)
        except HermiteAnalyticsError as refusal:
            answers.refused[name] = f"{type(refusal).__name__}: {refusal}"
        except Exception as error:  # that is what is looked for
            answers.foreign[name] = f"{type(error).__name__}: {error}"
        answers.seconds[name] = time.perf_counter() - start
    return answers


def numbers(rows: Any) -> Array | None:
    """A basis as numbers; None where a row has no closed form."""
    try:
        return np.array([[float(sympy.sympify(x)) for x in row] for row in rows], dtype=float)
    except (TypeError, ValueError, sympy.SympifyError, AttributeError):
        return None


def said_of(staircase: Any) -> str:
    """A staircase in a line."""
    rows = [" ".join("(" + ",".join(row) + ")" for row in basis) for basis in staircase.bases[1:]]
    steps = "; ".join(f"{k}: {b}" for k, b in zip(staircase.orders, rows, strict=True))
    return f"{steps or 'no step'} | end {staircase.limit_dimension} [{staircase.evidence}]"
