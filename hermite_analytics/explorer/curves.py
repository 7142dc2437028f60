"""The learning curves of the models, on solvers that are kept between two moves of a slider."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from hermite_analytics.errors import HermiteAnalyticsError
from hermite_analytics.explorer.descent import readout_of, training_of
from hermite_analytics.explorer.inputs import activation_of, target_of
from hermite_analytics.explorer.messages import Given
from hermite_analytics.foundation.numpy_arrays import Array

if TYPE_CHECKING:
    from hermite_analytics.numeric import (
        DMFT,
        DeterministicEquivalent,
        GiantStep,
        RandomFeatures,
        SmallStep,
        SpikedRandomFeatures,
    )
    from hermite_analytics.numeric.learning_curve import LearningCurve
    from hermite_analytics.numeric.models.small_step.model import SmallStepSolution

__all__ = ["CURVES", "Found"]

_KEPT = 16
_BESIDE = 1e-4  # of a jump, the distance of the points on both sides


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A solved model over its abscissa.

    Attributes
    ----------
    curves : mapping of str to array
    levels : mapping of str to float
    statuses : sequence of str
    facts : mapping of str to float
        Numbers of the whole curve, such as r, c, gamma after a step.
    ridges : sequence of float
        The ridge of each point, where the solver takes one.
    marks : sequence of (float, str)
        Places on the abscissa with a meaning.
    abscissa : sequence of float, optional
        Where points were added to those that were asked for, as beside a jump.
    note : str
        Anything that the reader should know of the curve.
    source : str
    """

    curves: Mapping[str, ArrayLike]
    statuses: Sequence[str]
    levels: Mapping[str, float] = field(default_factory=dict)
    facts: Mapping[str, float] = field(default_factory=dict)
    ridges: Sequence[float] = ()
    marks: Sequence[tuple[float, str]] = ()
    abscissa: Sequence[float] | None = None
    note: str = ""
    source: str


def _giant_step(values: Given, alpha: Array) -> Found:
    step, model = _giant_step_model(*_texts_of(values))
    moved = step.solve(alpha0=values["alpha0"], eta=values["eta"], beta=values["beta"], noise=values["noise"])
    solution = model.solve(step=moved, alpha=alpha, ridge=_ridge(values))
    facts = {name: float(getattr(moved, name)) for name in ("r", "c", "gamma")}
    return _errors(solution, facts=facts)


def _spiked(values: Given, alpha: Array) -> Found:
    model = _spiked_model(*_texts_of(values))
    return _errors(
        model.solve(
            alpha=alpha,
            r=values["r"],
            c=values["c"],
            gamma=values["gamma"],
            beta=values["beta"],
            ridge=_ridge(values),
            noise=values["noise"],
        )
    )


def _texts_of(values: Given) -> tuple[str, str, str]:
    return str(values["activation"]), str(values["target"]), str(values["loss"])


def _ridge(values: Given) -> float | str:
    return "optimal" if values["ridge_choice"] == "optimal" else values["ridge"]


def _random_features(values: Given, alpha: Array) -> Found:
    model = _random_features_model(*_texts_of(values))
    return _errors(model.solve(alpha=alpha, beta=values["beta"], ridge=_ridge(values), noise=values["noise"]))


def _small_step(values: Given, alpha: Array) -> Found:
    model = _small_step_model(str(values["activation"]), str(values["target"]))
    solution = model.solve(
        alpha=alpha, eta=values["eta"], beta=values["beta"], ridge=_ridge(values), noise=values["noise"]
    )
    names = ("risk_after", "risk_before", "train_after")
    return Found(
        curves={name: getattr(solution, name) for name in names},
        statuses=_texts(solution.status),
        ridges=_ridges(solution),
        note="" if solution.scope == "theorem" else f"outside the theorem: {solution.scope}",
        source=solution.cite(),
    )


def _state_evolution(values: Given, alpha: Array) -> Found:
    evolution = _evolution(str(values["target"]))
    places = _with_jumps(alpha.tolist(), [place for place, _ in evolution.marks])
    reached = [evolution.point(a, "uninformed") for a in places]
    largest = [evolution.point(a, "informed") for a in places]
    return Found(
        curves={
            "overlap": [p.overlap for p in reached],
            "overlap_informed": [p.overlap for p in largest],
            "test_error": [p.test_error for p in reached],
        },
        statuses=[p.status for p in reached],
        marks=evolution.marks,
        abscissa=places,
        source=evolution.source,
    )


def _deterministic_equivalent(values: Given, samples: Array) -> Found:
    model = _power_law_model(float(values["eigenvalue_power"]), float(values["coefficient_power"]))
    solution = model.solve(
        samples=samples, features=values["features"], ridge=values["ridge"], noise=values["noise"]
    )
    names = ("test_error", "bias", "variance", "train_error")
    return Found(
        curves={name: getattr(solution, name) for name in names},
        statuses=_texts(solution.status),
        source="arXiv 2405.15699",
    )


def _full_batch(values: Given, steps: Array) -> Found:
    activation, target, loss = _texts_of(values)
    training: Mapping[str, Any] = training_of(values)
    solution = _descent(activation, target, readout_of(values), loss).solve(steps=steps.size - 1, **training)
    overlaps = np.moveaxis(solution.overlap[:, 0], 1, 0)
    names = ("overlap", "overlap_2", "overlap_3")
    ends = ("test_error", solution.test_error), ("train_error", solution.train_error)
    last = {f"{name} at the end": float(values[-1]) for name, values in ends}
    notes = []
    if overlaps.shape[0] > len(names):
        notes.append(f"{overlaps.shape[0]} directions, of which {len(names)} are drawn")
    if solution.status == "time_ended":
        notes.append(f"the time ended with a numerical error of {np.nanmax(solution.numerical_error):.1g}")
    if solution.diverged:
        notes.append(f"the weights leave all bounds at step {solution.diverged}")
    return Found(
        curves=dict(zip(names, overlaps, strict=False)),
        statuses=["converged" if np.isfinite(x) else "diverged" for x in overlaps[0]],
        facts={name: value for name, value in last.items() if np.isfinite(value)},
        note="; ".join(notes),
        source="arXiv 2006.08098, 2402.03220; docs/dmft.md",
    )


CURVES: Mapping[str, Callable[[Given, Array], Found]] = {
    "giant-step": _giant_step,
    "spiked-random-features": _spiked,
    "random-features": _random_features,
    "small-step": _small_step,
    "state-evolution": _state_evolution,
    "deterministic-equivalent": _deterministic_equivalent,
    "dmft": _full_batch,
}
"""The model's curve over the values of its abscissa, by name."""


def _errors(solution: LearningCurve, *, facts: Mapping[str, float] | None = None) -> Found:
    """Of a `Solution`."""
    return Found(
        curves={"test_error": solution.test_error, "train_error": solution.train_error},
        statuses=_texts(solution.status),
        levels={"linear_floor": solution.linear_floor},
        facts=facts or {},
        ridges=_ridges(solution),
        source=solution.cite(),
    )


def _ridges(solution: LearningCurve | SmallStepSolution) -> list[float]:
    return [float(ridge) for ridge in np.ravel(solution.parameters["ridge"])]


def _texts(status: object) -> list[str]:
    return [str(s) for s in np.ravel(np.asarray(status, dtype=object))]


def _with_jumps(places: list[float], jumps: list[float]) -> list[float]:
    """Two more places at each jump inside the range, so that it is drawn as one."""
    inside = [jump for jump in jumps if places[0] < jump < places[-1]]
    added = [float(f"{jump * (1 + side):.6g}") for jump in inside for side in (-_BESIDE, _BESIDE)]
    return sorted({*places, *added})


@functools.lru_cache(maxsize=_KEPT)
def _giant_step_model(activation: str, target: str, loss: str) -> tuple[GiantStep, SpikedRandomFeatures]:
    from hermite_analytics.numeric import GiantStep

    return GiantStep(activation_of(activation), target_of(target)), _spiked_model(activation, target, loss)


@functools.lru_cache(maxsize=_KEPT)
def _spiked_model(activation: str, target: str, loss: str) -> SpikedRandomFeatures:
    from hermite_analytics.numeric import SpikedRandomFeatures

    return SpikedRandomFeatures(activation_of(activation), target_of(target), loss=loss)


@functools.lru_cache(maxsize=_KEPT)
def _random_features_model(activation: str, target: str, loss: str) -> RandomFeatures:
    from hermite_analytics.numeric import RandomFeatures
    from hermite_analytics.numeric.losses.loss import Loss

    return RandomFeatures(activation_of(activation), target_of(target), loss=Loss(loss))


@functools.lru_cache(maxsize=_KEPT)
def _small_step_model(activation: str, target: str) -> SmallStep:
    from hermite_analytics.numeric import SmallStep

    return SmallStep(activation_of(activation), target_of(target))


@functools.lru_cache(maxsize=_KEPT)
def _descent(activation: str, target: str, readout: tuple[float, ...], loss: str) -> DMFT:
    from hermite_analytics.numeric import DMFT

    return DMFT(activation_of(activation), target_of(target), readout, loss)


@functools.lru_cache(maxsize=_KEPT)
def _power_law_model(eigenvalue_power: float, coefficient_power: float) -> DeterministicEquivalent:
    from hermite_analytics.numeric import DeterministicEquivalent

    return DeterministicEquivalent.power_law(eigenvalue_power, coefficient_power)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Point:
    """State evolution at one alpha."""

    overlap: float
    test_error: float
    status: str


class _Evolution:
    """State evolution of one target, each point computed once."""

    def __init__(self, target: str) -> None:
        from hermite_analytics.numeric import StateEvolution

        self._model = StateEvolution(target_of(target))
        self._points: dict[tuple[float, str], _Point] = {}
        self.marks = self._thresholds()
        self.source = "arXiv 1708.03395, 2405.15480"

    def point(self, alpha: float, start: str) -> _Point:
        """The fixed point."""
        key = (alpha, start)
        if key not in self._points:
            found = self._model.solve(alpha=alpha, start=start)
            overlap = float(np.trace(found.overlap)) / max(len(found.overlap), 1)
            self._points[key] = _Point(
                overlap=overlap, test_error=float(found.test_error), status=str(found.status)
            )
        return self._points[key]

    def _thresholds(self) -> tuple[tuple[float, str], ...]:
        """Where AMP begins to see, and where it recovers exactly; nothing for several overlaps."""
        try:
            found = self._model.thresholds()
        except HermiteAnalyticsError:
            return ()
        marks = [(found.weak_recovery, "weak recovery")]
        marks += [(jump[0], "AMP jumps") for jump in found.algorithmic_jumps]
        marks += [(jump[0], "the equilibrium jumps") for jump in found.equilibrium_jumps]
        return tuple((float(place), name) for place, name in marks if 0.0 < place < float("inf"))


@functools.lru_cache(maxsize=_KEPT)
def _evolution(target: str) -> _Evolution:
    return _Evolution(target)
