"""Models that follow a giant step, or a spike given instead: bounds, and spiked random features."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np

from hermite_analytics.cli.given import Given
from hermite_analytics.cli.output import progress_bar
from hermite_analytics.cli.solve.found import Found
from hermite_analytics.errors import InputError
from hermite_analytics.numeric.models.spiked.vocabulary import c_of_letters, vocabulary_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from hermite_analytics.numeric.models.bounds.model import Bounds
    from hermite_analytics.numeric.models.giant_step.model import GiantStepSolution
    from hermite_analytics.numeric.models.spiked.model import SpikedRandomFeatures

__all__ = ["bounds", "spiked_random_features"]

_STEP = ("alpha0", "eta", "beta")
_SPIKE = ("r", "c", "gamma")
_WITHOUT_A_STEP = {"c": 1.0, "gamma": 1.0}


def spiked_random_features(given: Given) -> Found:
    """Errors and overlaps of the readout at all points, of one loss after the other."""
    rows: dict[int, dict[str, object]] = {}
    losses = given.axes(["loss"])
    points = given.axes(_swept(given) + (["loss"] if losses else []))
    of_point = points.pop("loss", None)
    solution: Any = None
    bar = progress_bar("solving") if given.threads is None else nullcontext(None)  # else one around all
    with bar as progress:
        for loss in losses.get("loss", [None]):
            one = given if loss is None else given.read(loss=str(loss))
            count = next(iter(points.values())).size
            places = np.flatnonzero(of_point == loss) if loss is not None else np.arange(count)
            axes = {name: values[places] for name, values in points.items()}
            solution = _after_a_step(one, axes, progress)
            if loss is None:
                return Found(
                    solution=solution, rows=solution.results, echo=given.echo(), arrays=solution.arrays
                )
            records = [{"loss": str(loss)} | row for row in solution.results()]
            rows |= dict(zip(places.tolist(), records, strict=True))
    return Found(solution=solution, rows=lambda: [rows[j] for j in sorted(rows)], echo=given.echo())


def _after_a_step(
    given: Given, axes: dict[str, NDArray[np.number]], progress: Callable[[int, int], None] | None
) -> Any:
    """The solution of one loss at the points of these axes."""
    model = _model(given)
    of_letters = _c_of_letters(given, model)
    ratios = {"alpha": axes["alpha"], "ridge": axes.get("ridge", given["ridge"])}
    if _step_is_given(axes | of_letters):
        own: dict[str, Any] = {"step": _step(given, model, axes)}
    else:
        own = {"beta": axes["beta"], "noise": axes.get("noise"), **_spike(axes | of_letters)}
    return model.solve(**ratios, **own, workers=given.threads, progress=progress)


def bounds(given: Given) -> Found:
    """Bounds at all points; with --optimise-step the strength of the spike, or --eta, is looked for."""
    model = _model(given)
    axes = given.axes(_swept(given))
    of_letters = _c_of_letters(given, model)
    if given["optimise_step"] and "r" in axes:
        raise InputError("--optimise-step looks for r: it takes --c and --gamma, or --alpha0 and --beta")
    from_step = _step_is_given(axes | of_letters)
    rows: list[dict[str, object]] = []
    if given["optimise_step"]:
        for point in _points(axes):
            # of a step the size is what is looked for: any --eta will do
            step = {"step": _step(given, model, {"eta": 1.0} | point)} if from_step else None
            own = _WITHOUT_A_STEP | of_letters | point if step is None else step
            solution = model.solve(optimise_step=True, **own)
            rows += [(point if from_step else {}) | row for row in solution.results()]
    elif from_step:
        solution = model.solve(step=_step(given, model, axes))
        points = _points(axes)
        rows = [point | row for point, row in zip(points, solution.results(), strict=True)]
    else:
        solution = model.solve(**_spike(axes | of_letters))
        rows = solution.results()
    return Found(solution=solution, rows=lambda: rows, echo=given.echo())


def _model(given: Given) -> Any:
    own = given.arguments("model")
    return given.model(**own | vocabulary_of(own.pop("letters", None), own.pop("bias", None)))


def _swept(given: Given) -> list[str]:
    """Names whose lists of numbers span the grid."""
    return [p.name for p in given.lists if p.name != "loss"]


def _c_of_letters(given: Given, model: Bounds | SpikedRandomFeatures) -> dict[str, ArrayLike]:
    if not (given.has("letters") and given.has("c")):
        return {}
    return {"c": c_of_letters(given["c"], model.letters)}


def _points(axes: Mapping[str, NDArray[np.number]]) -> list[dict[str, float]]:
    """One mapping a point."""
    count = next((values.size for values in axes.values()), 1)
    return [{name: float(values[j]) for name, values in axes.items()} for j in range(count)]


def _step(
    given: Given, model: Bounds | SpikedRandomFeatures, axes: Mapping[str, ArrayLike]
) -> GiantStepSolution:
    """The solved giant step of --alpha0 --eta --beta."""
    from hermite_analytics.numeric.models.giant_step.model import GiantStep

    missing = [f"--{name}" for name in _STEP if name not in axes]
    if missing:
        raise InputError(f"{', '.join(missing)} not given; a giant step needs --alpha0 --eta --beta")
    return GiantStep(model.activation, model.target).solve(
        **{name: axes[name] for name in _STEP},
        noise=axes.get("noise", 0.0),
        step_convention=given["step_convention"],
    )


def _spike(axes: Mapping[str, ArrayLike]) -> dict[str, ArrayLike]:
    """r, c, gamma as given."""
    missing = [f"--{name}" for name in _SPIKE if name not in axes]
    if missing:
        raise InputError(
            f"{', '.join(missing)} not given; give --r --c --gamma, or --alpha0 --eta --beta for a giant step"
        )
    return {name: axes[name] for name in _SPIKE}


def _step_is_given(axes: Mapping[str, ArrayLike]) -> bool:
    """Whether the spike comes from a giant step; giving both is refused."""
    from_step = [name for name in ("alpha0", "eta") if name in axes]
    spike = [name for name in _SPIKE if name in axes]
    if from_step and spike:
        raise InputError(f"--{from_step[0]} and --{spike[0]} exclude each other: give the step or the spike")
    return bool(from_step)
