"""From flat results to a `LearningCurve`; the affine floor of the target."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from hermite_analytics.conditional import target_data
from hermite_analytics.numeric.best_ridge import FEWER_RIDGES, RIDGES, looked_for
from hermite_analytics.numeric.classes import cells_of
from hermite_analytics.numeric.frozen import ReadOnly, frozen
from hermite_analytics.numeric.learning_curve import LearningCurve
from hermite_analytics.numeric.models.giant_step.model import GiantStepSolution
from hermite_analytics.numeric.models.spiked.letters import Letters, ReadoutLaw
from hermite_analytics.numeric.models.spiked.optimum import Choice
from hermite_analytics.numeric.models.spiked.points import Problem
from hermite_analytics.numeric.models.spiked.ratios import Ratios
from hermite_analytics.numeric.models.spiked.statuses import STATUSES
from hermite_analytics.numeric.status import statuses
from hermite_analytics.target import Target

__all__ = ["learning_curve", "linear_floor", "settings_of"]

_CODES = np.array([str(s) for s in STATUSES])
_EQUATIONS = "arXiv 2402.04980, Result 3.3, eqs (17)-(25), closed d -> infinity form"
_STEP_ROWS = ", with the rows of the step (docs/giant_step.md, any activation)"
_RATIOS = ("alpha", "beta", "ridge", "r", "c", "gamma", "noise")


def linear_floor(target: Target) -> float:
    """E g^2 - (E g)^2 - (E z g)^2: the error of the best affine predictor of a single-index target."""
    mean, slope, second = target_data(target)
    return second - mean**2 - slope**2


def learning_curve(
    problem: Problem,
    ratios: Ratios,
    step: GiantStepSolution | None,
    choice: Choice,
    settings: Mapping[str, object],
    *,
    measure: str | None,
) -> LearningCurve:
    """The results in the shape of the ratios, with the parameters that they belong to."""
    results, shape = choice.results, ratios.shape
    wrong, told = results.measures[:, 1], results.measures[:, 2]
    parameters: dict[str, object] = {"activation": problem.activation.text, "target": problem.target.text}
    parameters |= {**problem.target.origin, **settings}
    varied: list[str] = []
    if step is not None:
        for name in ("alpha0", "eta"):
            parameters[name] = frozen(np.broadcast_to(step.parameters[name], shape))
            varied.append(name)
        parameters["step_convention"] = step.parameters["step_convention"]
    given = dict(ratios.values)
    if measure is not None:
        given["ridge"] = choice.points.ridge.reshape(shape)
        ridges = RIDGES if problem.loss == "square" else FEWER_RIDGES
        parameters["optimised"] = looked_for(measure, ridges)
    parameters |= {name: frozen(given[name]) for name in _RATIOS}
    overlaps = results.layout.overlaps(results.values, shape)
    extra = {} if choice.bias is None else {"bias": frozen(choice.bias.reshape(shape))}
    return LearningCurve(
        model="spiked-random-features",
        equations=_EQUATIONS + (_STEP_ROWS if problem.bulk == "step" else ""),
        parameters=ReadOnly(parameters),
        varied=(*varied, *_RATIOS),
        test_error=frozen(results.values[:, 0].reshape(shape)),
        train_error=frozen(results.values[:, 1].reshape(shape)),
        square_error=frozen(results.measures[:, 0].reshape(shape)),
        misclassification=None if cells_of(problem.target) is None else frozen(wrong.reshape(shape)),
        calibration_error=None if np.all(np.isnan(told)) else frozen(told.reshape(shape)),
        linear_floor=problem.kept**2 * linear_floor(problem.target),
        overlaps=ReadOnly({name: frozen(value) for name, value in overlaps.items()}),
        status=statuses(_CODES[results.code].reshape(shape)),
        residual=frozen(results.residual.reshape(shape)),
        iterations=frozen(results.steps.reshape(shape)),
        numerical_error=frozen(results.numerical_error.reshape(shape)),
        extra=ReadOnly(extra),
        alternatives=choice.alternatives,
    )


def settings_of(problem: Problem, letters: Letters | ReadoutLaw, bias: float | str) -> dict[str, object]:
    """What of a model differs from its defaults."""
    found: dict[str, object] = {}
    if not problem.letters.is_uniform:
        found["letters"] = letters.name if isinstance(letters, ReadoutLaw) else problem.letters.text()
    if bias != 0.0:
        found["bias"] = bias if isinstance(bias, str) else f"{bias:g}"
    if problem.loss != "square":
        found["loss"] = str(problem.loss)
    if problem.bulk != "gaussian":
        found["bulk"] = problem.bulk
    if problem.flips > 0.0:
        found["flips"] = problem.flips
    return found
