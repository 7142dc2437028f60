"""All answers that a worker gives, by the name of the question."""

from __future__ import annotations

from collections.abc import Mapping

from hermite_analytics.explorer.activation_answer import activation_answer, coefficients_answer
from hermite_analytics.explorer.curve_answer import curve_answer
from hermite_analytics.explorer.endpoints import ENDPOINTS
from hermite_analytics.explorer.messages import Answer, Turn, answered
from hermite_analytics.explorer.parameters import defaults
from hermite_analytics.explorer.target_answer import explanation_answer, learns_answer, target_answer
from hermite_analytics.explorer.words import START

__all__ = ["ANSWERS", "warm_up"]

ANSWERS: Mapping[str, Answer] = {
    "target": target_answer,
    "explanation": explanation_answer,
    "learns": learns_answer,
    "activation": activation_answer,
    "coefficients": coefficients_answer,
    "curve": curve_answer,
}


def warm_up(turn: Turn) -> None:
    """Answer what the page asks first, so that all that loads on first use is there."""
    quiet = Turn(seconds=turn.seconds, report=lambda known: None)
    for endpoint in ENDPOINTS.values():
        target = START["curve_target" if endpoint.question == "curve" else "target"]
        texts = {"target": target, "activation": START["activation"]}
        given = {p.name: texts[p.name] for p in endpoint.parameters if p.name in texts}
        answered(
            ANSWERS[endpoint.question], {**endpoint.fixed, **defaults(endpoint.parameters), **given}, quiet
        )
