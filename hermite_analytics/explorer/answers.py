"""All answers that a worker gives, by the name of the question."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hermite_analytics.codegen.auto_backend.tiers import compile_waiting
from hermite_analytics.explorer.activation_answer import activation_answer, coefficients_answer
from hermite_analytics.explorer.curve_answer import curve_answer
from hermite_analytics.explorer.drawing_answer import drawing_answer
from hermite_analytics.explorer.endpoints import ENDPOINTS
from hermite_analytics.explorer.messages import Answer, Given, Turn, answered, topic_of
from hermite_analytics.explorer.parameters import defaults
from hermite_analytics.explorer.points_answer import points_answer
from hermite_analytics.explorer.target_answer import explanation_answer, learns_answer, target_answer
from hermite_analytics.explorer.words import START

__all__ = ["ANSWERS", "WarmUps", "beginning"]

ANSWERS: Mapping[str, Answer] = {
    "target": target_answer,
    "explanation": explanation_answer,
    "learns": learns_answer,
    "activation": activation_answer,
    "coefficients": coefficients_answer,
    "curve": curve_answer,
    "drawing": drawing_answer,
    "points": points_answer,
}


# what of the page comes first when there is time
_FIRST = ("curve/giant-step", "activation", "coefficients", "target")
_ON_REQUEST = ("drawing", "points")
_SMALL: Mapping[str, float] = {"points": 2, "d": 20, "seeds": 2}


def beginning(path: str) -> dict[str, str | float]:
    """The first question of the page to an endpoint.

    Examples
    --------
    >>> beginning("learns")
    {'target': 'z1 + z1*z2 + z1*z2*z3', 'activation': 'tanh'}
    """
    endpoint = ENDPOINTS[path]
    target = START["curve_target" if "model" in endpoint.fixed else "target"]
    texts = {"target": target, "activation": START["activation"]}
    given = {p.name: texts[p.name] for p in endpoint.parameters if p.name in texts}
    return {**endpoint.fixed, **defaults(endpoint.parameters), **given}


class WarmUps:
    """What a worker has loaded and compiled of all that it may need, and what it has not.

    Parameters
    ----------
    seconds : float
        The time budget of an answer.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._left = [*_FIRST, *(path for path in ENDPOINTS if path not in _FIRST)]

    def needs(self, question: str, asked: Given) -> str | None:
        """The path that must be loaded before a question is answered; None if it was."""
        path = f"{question}/{asked['model']}" if "model" in asked else question
        return path if path in self._left else None

    def load(self, path: str | None = None) -> tuple[str | None, bool]:
        """Load one path, by default a kernel that waits or the next; its topic, and whether to ask again."""
        if path is None and compile_waiting():
            return None, True
        path = path or next(self._idle(), None)
        if path is None:
            return None, False
        self._left.remove(path)
        asked = beginning(path)
        if path not in _FIRST:  # what is loaded and compiled does not depend on the sizes
            asked |= {name: value for name, value in _SMALL.items() if name in asked}
        answer = ANSWERS[ENDPOINTS[path].question]
        answered(answer, asked, Turn(seconds=self._seconds, report=lambda known: None))
        return topic_of(asked), next(self._idle(), None) is not None

    def _idle(self) -> Iterator[str]:
        """What is worth loading before anybody asks."""
        return (path for path in self._left if ENDPOINTS[path].question not in _ON_REQUEST)
