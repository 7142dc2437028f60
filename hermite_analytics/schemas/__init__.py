"""JSON Schemas of what the commands print with --json, and of the explorer's answers.

None is written by hand: those of `solve` and `simulate` are made from the records of models and
protocols, the others from typed documents.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Mapping

from hermite_analytics.errors import InputError
from hermite_analytics.foundation.json import JSON
from hermite_analytics.numeric.exported import EXPORTED
from hermite_analytics.numeric.models import MODELS
from hermite_analytics.schemas import explorer, system, targets
from hermite_analytics.schemas.document import json_schema
from hermite_analytics.schemas.simulate import simulate_document
from hermite_analytics.schemas.solve import exported_document, solve_document, stored_document

__all__ = ["schema", "schema_names"]

_ANSWERS: Mapping[str, object] = {
    "about": explorer.About,
    "activation": explorer.Activation,
    "coefficients": explorer.Coefficients,
    "curve": explorer.Curve,
    "drawing": explorer.Drawing,
    "error": explorer.Error,
    "explanation": explorer.Explanation,
    "learns": explorer.Learns,
    "points": explorer.Points,
    "target": explorer.TargetAnswer,
}
_COMMANDS: Mapping[str, object] = {
    "analyze": targets.Analysis | targets.ParametricAnalysis | targets.Failure,
    "cache": system.Cache,
    "complexities": targets.Complexities,
    "design": targets.Design,
    "doctor": system.Doctor,
    "expect": targets.Expectation,
    "explore": system.Explore,
    "hermite": targets.Hermite,
    "mu": targets.Mu,
    "second-layer": targets.SecondLayer,
    "staircase": targets.StaircaseDocument,
    "validate": system.Validation,
}
_EXPORT = "export-solve"


def schema_names() -> tuple[str, ...]:
    """Names of the documents: a command and its sub-command, joined by a hyphen; `explore-` and an answer."""
    answers = (f"explore-{name}" for name in _ANSWERS)
    return tuple(sorted((*_COMMANDS, "simulate", _EXPORT, *answers, *(f"solve-{name}" for name in MODELS))))


def schema(name: str) -> Mapping[str, JSON]:
    """The JSON Schema (draft 2020-12) of a document.

    Raises
    ------
    InputError
        If there is no such document.

    Examples
    --------
    >>> schema("mu")["title"]
    'hermite-analytics mu --json'
    """
    if name not in schema_names():
        raise InputError(f"{name!r} is not a document; accepted: {', '.join(schema_names())}")
    group, _, part = name.partition("-")
    if group == "explore" and part:
        return json_schema(_ANSWERS[part], f"the explorer's answer {part}")
    if group == "solve":
        either = solve_document(MODELS[part]) | stored_document(MODELS[part])
        return json_schema(either, f"hermite-analytics solve {part} --json")
    if name == "simulate":
        return json_schema(simulate_document(), "hermite-analytics simulate PROTOCOL --json")
    if name == _EXPORT:
        files = (exported_document(MODELS[model], names) for model, names in EXPORTED.items())
        return json_schema(functools.reduce(operator.or_, files), "hermite-analytics export solve --json")
    return json_schema(_COMMANDS[name], f"hermite-analytics {name} --json")
