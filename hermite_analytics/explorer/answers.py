"""All answers that a worker gives, by the name of the question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hermite_analytics.explorer.activation_answer import activation_answer, coefficients_answer
from hermite_analytics.explorer.curve_answer import curve_answer
from hermite_analytics.explorer.endpoints import ENDPOINTS
from hermite_analytics.explorer.messages import Answer, Turn, answered, topic_of
from hermite_analytics.explorer.parameters import defaults
from hermite_analytics.explorer.target_answer import explanation_answer, learns_answer, target_answer
from hermite_analytics.explorer.words import START

__all__ = ["ANSWERS", "WarmUp", "warm_ups"]

ANSWERS: Mapping[str, Answer] = {
    "target": target_answer,
    "explanation": explanation_answer,
    "learns": learns_answer,
    "activation": activation_answer,
    "coefficients": coefficients_answer,
    "curve": curve_answer,
}


# what the page asks as soon as it is there, in two parts for two workers
_FIRST = (("target",), ("activation", "coefficients", "curve/giant-step"))


@dataclass(frozen=True, slots=True, kw_only=True)
class WarmUp:
    """A question of the page that is answered before it is asked: what loads on first use is there then."""

    path: str
    seconds: float

    def run(self) -> str:
        """Answer it; its topic."""
        endpoint = ENDPOINTS[self.path]
        target = START["curve_target" if endpoint.question == "curve" else "target"]
        texts = {"target": target, "activation": START["activation"]}
        given = {p.name: texts[p.name] for p in endpoint.parameters if p.name in texts}
        asked = {**endpoint.fixed, **defaults(endpoint.parameters), **given}
        if self.path not in _FIRST[1]:  # what is loaded and compiled does not depend on the number of points
            asked |= {"points": 2} if "points" in asked else {}
        answered(ANSWERS[endpoint.question], asked, Turn(seconds=self.seconds, report=lambda known: None))
        return topic_of(asked)


def warm_ups(seconds: float, share: int | None) -> tuple[list[WarmUp], list[WarmUp]]:
    """What a worker does before it is ready, and what it does while nobody asks.

    Parameters
    ----------
    seconds : float
        The time budget of an answer.
    share : int, optional
        Which part of the first questions of the page is its own; by default all there is comes first.
    """
    if share is None:
        return [WarmUp(path=path, seconds=seconds) for path in ENDPOINTS], []
    own = _FIRST[share % len(_FIRST)]
    rest = [path for path in ENDPOINTS if path not in own]
    rest.sort(key=lambda path: path not in (*_FIRST[0], *_FIRST[1]))
    return (
        [WarmUp(path=path, seconds=seconds) for path in own],
        [WarmUp(path=path, seconds=seconds) for path in rest],
    )
