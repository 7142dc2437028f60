"""The answers to `/api/target`, `/api/explanation` and `/api/learns`."""

from __future__ import annotations

import functools
import math
from dataclasses import asdict

from hermite_analytics.analysis.analysis import Analysis
from hermite_analytics.analysis.documents import (
    exponent_of,
    quantity_of,
    stages_of,
    staircase_of,
    weak_recovery_of,
)
from hermite_analytics.analysis.explanation import Steps
from hermite_analytics.analysis.ladder import ladders
from hermite_analytics.analysis.ladder_svg import svg_of
from hermite_analytics.argument.fact import line_of
from hermite_analytics.argument.sentences import Math, Paragraph
from hermite_analytics.errors import HermiteAnalyticsError
from hermite_analytics.expansion import hermite
from hermite_analytics.explorer.exports import target_exports
from hermite_analytics.explorer.formulas import formula, mathml, quantity
from hermite_analytics.explorer.inputs import activation_of, target_of
from hermite_analytics.explorer.messages import Given, Turn
from hermite_analytics.foundation.json import JSON

__all__ = ["explanation_answer", "learns_answer", "target_answer"]

_KEPT = 32
_ANALYSIS, _EXPANSION, _LEARNS = 0.5, 0.1, 0.5  # shares of the time budget
_MOST_DEGREE, _MOST_COEFFICIENTS, _MOST_SHOWN = 10, 130, 60
_QUICK_EXPONENTS = ("leap_index", "leap_complexity", "isotropic_leap")
_EXPONENTS = (*_QUICK_EXPONENTS, "generative_exponent")
_QUICK_STAIRCASES = ("staircase", "leap_decomposition")


def target_answer(values: Given, turn: Turn) -> dict[str, object]:
    """Everything about a target; what is there after a while is reported on the way."""
    a = _analysis(str(values["target"]), turn.seconds)
    known: dict[str, object] = {"target": a.name, "dimension": a.dimension}
    turn.report(known)
    for name in _QUICK_EXPONENTS:
        known[name] = exponent_of(a, name).to_dict()
        turn.report(known)
    for name in _QUICK_STAIRCASES:
        known[name] = staircase_of(a, name).document()
        turn.report(known)
    return {
        "target": a.name,
        "formula": formula(a.target.expression),
        "analysis": a.document(),
        "reasons": {name: _pieces(line_of(exponent_of(a, name).facts)) for name in _EXPONENTS},
        "expansion": _expansion_of(a, _EXPANSION * turn.seconds),
        "moments": {name: quantity(quantity_of(a, name)) for name in ("mean", "second_moment")},
        "thresholds": _thresholds(a),
        "ladders": [asdict(ladder) for ladder in ladders(a)],
        "complexities": _complexities(a),
        "exports": target_exports(str(values["target"])),
    }


def explanation_answer(values: Given, turn: Turn) -> dict[str, object]:
    """The argument for every claim, and the ladders as SVG."""
    a = _analysis(str(values["target"]), turn.seconds)
    explained = a.explain()
    return {
        "title": explained.title,
        "sections": [
            {"title": section.title, "blocks": [_block(block) for block in section.blocks]}
            for section in explained.sections
        ],
        "exports": {"text": explained.text, "latex": explained.latex, "svg": svg_of(ladders(a))},
    }


def learns_answer(values: Given, turn: Turn) -> dict[str, object]:
    """Whether a network of an activation realises each step of the staircase."""
    from hermite_analytics.learning import learns

    target, activation = target_of(str(values["target"])), activation_of(str(values["activation"]))
    steps = max(2, target.dimension)
    found = learns(target, activation, steps, seconds=_LEARNS * turn.seconds)
    return {
        "target": target.text,
        "activation": activation.text,
        "is_realised": found.is_realised,
        "steps": [
            {
                "step": step.step,
                "order": step.order,
                "verdict": str(step.verdict),
                "status": str(step.status),
                "reason": " ".join(step.reason.split()),
                "realised_dimension": step.realised_dimension,
                "wanted_dimension": step.wanted_dimension,
            }
            for step in found.steps
        ],
        "end": found.end,
    }


@functools.lru_cache(maxsize=_KEPT)
def _analysis(text: str, seconds: float) -> Analysis:
    return Analysis(target_of(text), seconds=_ANALYSIS * seconds)


def _expansion_of(a: Analysis, seconds: float) -> dict[str, object] | None:
    """Norms by degree, coefficients, and what is left; None where E[y | z] has no expansion."""
    try:
        found = hermite(a.target, _degree(a), seconds=seconds)
    except HermiteAnalyticsError:
        return None
    nonzero = list(found.nonzero().items())
    return {
        "degree": found.degree,
        "whole": quantity(found.conditional_second_moment),
        "norms": [{"degree": k, **quantity(found.norm_squared(k))} for k in range(found.degree + 1)],
        "tail": quantity(found.tail),
        "coefficients": [{"index": list(s), **quantity(q)} for s, q in nonzero[:_MOST_SHOWN]],
        "more_coefficients": max(len(nonzero) - _MOST_SHOWN, 0),
    }


def _degree(a: Analysis) -> int:
    """As high as there are not too many coefficients, and at least to the first that does not vanish."""
    within = [k for k in range(_MOST_DEGREE + 1) if math.comb(a.dimension + k, k) <= _MOST_COEFFICIENTS]
    first = exponent_of(a, "leap_index").value
    least = first + 2 if isinstance(first, int) and a.dimension == 1 else 0
    return max(*within, min(least, 4 * _MOST_DEGREE), 1)


def _thresholds(a: Analysis) -> list[dict[str, object]]:
    """One a stage of the grand staircase."""
    found, _ = weak_recovery_of(a)
    stages = [] if found is None else stages_of(found)
    return [
        {"dimension": dimension, "alpha_c": quantity(alpha), "reason": _pieces(line_of(facts))}
        for dimension, alpha, facts in stages
    ]


def _complexities(a: Analysis) -> JSON:
    try:
        return a.complexities.document()["complexities"]
    except HermiteAnalyticsError:
        return []


def _block(block: Paragraph | Steps) -> dict[str, object]:
    if isinstance(block, Steps):
        return {"kind": "steps", "items": [_pieces(item) for item in block.items]}
    return {"kind": "paragraph", "items": [_pieces(block)]}


def _pieces(paragraph: Paragraph) -> list[dict[str, str | None]]:
    return [
        {"text": piece.text, "mathml": mathml(piece.latex)}
        if isinstance(piece, Math)
        else {"text": piece, "mathml": None}
        for piece in paragraph
    ]
