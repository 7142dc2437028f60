"""The laws of a neuron's field: of a sample that was trained on, and of a fresh one.

Given all variables before xi_{t-1}, the field h_t = D_t x of a training sample is Gaussian: its mean is that
of the row without xi_{t-1}, its standard deviation the size s of the newest coordinates. The density is thus
an average of Gaussian densities over rows, without a bandwidth, and moments are averages likewise. The field
of a fresh sample is N(0, Q_t).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hermite_analytics.errors import InputError
from hermite_analytics.foundation.arrays import Floats
from hermite_analytics.foundation.json import Document
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.numeric.checks import checked, integer
from hermite_analytics.numeric.frozen import ReadOnly, frozen, json_number
from hermite_analytics.numeric.models import MODELS
from hermite_analytics.numeric.models.dmft.place import on_the_processor
from hermite_analytics.numeric.models.dmft.quadrature import Quadrature
from hermite_analytics.numeric.models.dmft.rows import TrainingRows
from hermite_analytics.numeric.models.dmft.sampled import sampled_rows
from hermite_analytics.numeric.models.dmft.weights import Weights
from hermite_analytics.rendering import Column, Drawing, Frame, Role
from hermite_analytics.rendering.result import ByFields

__all__ = ["FieldLaw", "FinishedRun", "field_law"]

_REPLICATES, _LOGARITHM, _SEED = 8, 13, 2
_PLACES, _REACH = 181, 4.5
_AT_ONCE = 2**11  # rows
_MOMENTS = ("mean", "second", "fourth", "label")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FinishedRun:
    """One point of a solution, to ask further.

    Attributes
    ----------
    quadrature : Quadrature
    weights : list of Weights
    times : list of int
        How many gradients have been taken after each step.
    """

    quadrature: Quadrature
    weights: list[Weights]
    times: list[int]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class FieldLaw(ByFields):
    """The laws of h_j after a step.

    Attributes
    ----------
    field : ndarray, shape (n,)
        Values of h_j.
    training, fresh : ndarray, shape (n,)
        The densities there, of a sample that was trained on and of a fresh one.
    numerical_error : ndarray, shape (n,)
        Of `training`: three standard errors over eight scrambles of the points.
    moments, moment_errors : mapping
        Of a training sample: "mean" E h, "second" E h^2, "fourth" E h^4 and "label" E h y, label noise
        included; and their errors.
    fresh_moments : mapping
        The same of a fresh sample, "mean", "second" and "fourth".
    parameters : mapping
        Those of the run, with step and neuron.

    Examples
    --------
    >>> from hermite_analytics.numeric import DMFT
    >>> law = DMFT("tanh", "He3(z1)").solve(alpha=3, eta=0.2, steps=1).law(1)
    >>> round(law.moments["fourth"] / law.moments["second"] ** 2, 1)  # of a Gaussian field 3
    4.1
    """

    field: Floats
    training: Floats
    fresh: Floats
    numerical_error: Floats
    moments: Mapping[str, float]
    moment_errors: Mapping[str, float]
    fresh_moments: Mapping[str, float]
    parameters: Mapping[str, Any]
    model: str = "dmft"

    def rows(self) -> list[dict[str, Any]]:
        """One dictionary a value of the field."""
        names = ("field", "training", "fresh", "numerical_error")
        columns = [np.asarray(getattr(self, name)).tolist() for name in names]
        return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]

    def frame(self) -> Frame:
        """The densities with the parameters of the run."""
        columns = {
            "field": Column(name="field", role=Role.PARAMETER, symbol="h", help="field of the neuron"),
            "training": Column(name="training", role=Role.VALUE, help="density of a training sample"),
            "fresh": Column(name="fresh", role=Role.VALUE, help="density of a fresh sample"),
            "numerical_error": Column(name="numerical_error", role=Role.STATISTIC),
        }
        return Frame(
            title="laws of a field",
            rows=tuple(self.rows()),
            columns=columns,
            fixed={name: x for name, x in self.parameters.items() if x is not None},
            sources=MODELS[self.model].sources,
        )

    def drawing(self) -> Drawing:
        """Both densities."""
        return Drawing(frame=self.frame(), values=("training", "fresh"), against="field", ordinate="density")

    def document(self) -> Document:
        """JSON-ready: parameters, moments and the densities."""
        return {
            "model": self.model,
            "parameters": {name: json_number(x) for name, x in self.parameters.items()},
            "moments": json_number(self.moments),
            "moment_errors": json_number(self.moment_errors),
            "fresh_moments": json_number(self.fresh_moments),
            "results": [{name: json_number(x) for name, x in row.items()} for row in self.rows()],
        }


def field_law(
    run: FinishedRun, step: int, neuron: int, field: ArrayLike | None, parameters: Mapping[str, Any]
) -> FieldLaw:
    """The laws of one neuron's field after a step of a run.

    Raises
    ------
    InputError
        A step or a neuron that there is not, or a step after a divergence or the end of the time.
    """
    p = run.quadrature.network.readout.size
    step, neuron = integer("step", step, 0, len(run.times) - 1), integer("neuron", neuron, 0, p - 1)
    gradients = run.times[step]
    if any(gradients >= len(weights.coordinates) for weights in run.weights):
        raise InputError(f"step is {step}, and the run ended before; a step before is accepted")
    size = float(np.mean([weights.product(gradients, gradients)[neuron, neuron] for weights in run.weights]))
    rows = [_means(run, gradients, neuron, j) for j in range(_REPLICATES)]
    stacks = [_moments(*row) for row in rows]
    spread = max(size, float(np.mean([found[1] for found in stacks])))
    if field is None:
        places = np.linspace(-_REACH, _REACH, _PLACES) * np.sqrt(spread)
    else:
        places = np.ravel(checked("field", field))
        if not places.size:
            raise InputError("field is empty; accepted: at least one number")
    densities = np.array([_density(places, *row[:3]) for row in rows])
    mean, error = _with_errors(np.array(stacks))
    training, training_error = _with_errors(densities)
    fresh = np.exp(-(places**2) / (2.0 * size)) / np.sqrt(2.0 * np.pi * size)
    return FieldLaw(
        field=frozen(places),
        training=frozen(training),
        fresh=frozen(fresh),
        numerical_error=frozen(training_error),
        moments=ReadOnly(dict(zip(_MOMENTS, mean.tolist(), strict=True))),
        moment_errors=ReadOnly(dict(zip(_MOMENTS, error.tolist(), strict=True))),
        fresh_moments=ReadOnly({"mean": 0.0, "second": size, "fourth": 3.0 * size**2}),
        parameters=ReadOnly({**parameters, "step": step, "neuron": neuron}),
    )


def _means(
    run: FinishedRun, gradients: int, neuron: int, replicate: int
) -> tuple[Array, float, Array, Array]:
    """Means of the field given all but the newest variables, their spread; weights and labels of the rows."""
    weights, network = run.weights[replicate % len(run.weights)], run.quadrature.network
    rows, fresh = sampled_rows(
        run.quadrature, on_the_processor(network), weights.alpha, _LOGARITHM, [_SEED, replicate]
    )
    p = network.readout.size
    coordinates = weights.coordinates[gradients][neuron]
    newest = slice(coordinates.size - p, coordinates.size) if gradients else slice(0, p)
    for t in range(gradients):
        rows.errors(weights.coordinates[t], weights.readouts[t])
        here = fresh[p * t : p * (t + 1)]
        rows.absorb(weights.increments[t], here if t < gradients - 1 else np.zeros_like(here))
    return _given(rows, coordinates, newest, gradients), _size(coordinates[newest]), rows.weights, rows.label


def _given(rows: TrainingRows, coordinates: Array, newest: slice, gradients: int) -> Array:
    """D x without the fresh noise of the newest coordinates; at the start these are all noise."""
    if gradients:
        return np.asarray(coordinates @ rows.features)
    others = coordinates.copy()
    others[newest] = 0.0
    return np.asarray(others @ rows.features)


def _size(coordinates: Array) -> float:
    return float(np.sqrt(coordinates @ coordinates))


def _moments(means: Array, spread: float, mass: Array, label: Array) -> Array:
    second = means**2 + spread**2
    fourth = means**4 + 6.0 * means**2 * spread**2 + 3.0 * spread**4
    return np.array([mass @ means, mass @ second, mass @ fourth, mass @ (means * label)])


def _density(places: Array, means: Array, spread: float, mass: Array) -> Array:
    total = np.zeros_like(places)
    for first in range(0, means.size, _AT_ONCE):
        part = slice(first, first + _AT_ONCE)
        away = (places[:, None] - means[part]) / spread
        total += np.exp(-0.5 * away**2) @ mass[part]
    return np.asarray(total / (spread * np.sqrt(2.0 * np.pi)))


def _with_errors(stack: Array) -> tuple[Array, Array]:
    return stack.mean(axis=0), 3.0 * stack.std(axis=0, ddof=1) / np.sqrt(_REPLICATES)
