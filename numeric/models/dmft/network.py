"""A network of p neurons, and what it answers on samples: values, prediction, gradients.

Samples are arrays of numpy, or of the namespace for whose arrays the functions of the problem are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.numeric.models.dmft.training_loss import TrainingLoss
from hermite_analytics.numeric.models.sgd_flow.problem import FlowProblem

__all__ = ["Answer", "Network"]

Array = Any


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Answer:
    """What a network says of samples, and how its loss changes.

    Attributes
    ----------
    values : array, shape (p, n)
        sigma(h_j); with reuse after the look-ahead, as slope and gradient are.
    prediction, slope : array, shape (n,)
        f before a look-ahead, and s l'(f, y).
    gradient : array, shape (p, n)
        s dl/dh_j = a_j sigma'(h_j) s l'(f, y).
    """

    values: Array
    prediction: Array
    slope: Array
    gradient: Array

    def seen(self, prediction: Array, mask: Array | None) -> Answer:
        """With this prediction, and without the gradients of samples outside the mask."""
        if mask is None:
            return replace(self, prediction=prediction)
        return replace(self, prediction=prediction, slope=self.slope * mask, gradient=self.gradient * mask)

    def pull(self, weights: Array) -> Array:
        """E[s l'(f, y) sigma(h_j)], the gradient of the readout, shape (p,)."""
        return self.values @ (weights * self.slope)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Network:
    """f(x) = sum_j a_j sigma(h_j), and what it is trained on.

    Attributes
    ----------
    problem : FlowProblem
    loss : TrainingLoss
    readout : ndarray, shape (p,)
        At the start.
    has_affine_activation : bool
    reuse : float
        kappa: a sample's gradient is taken at the fields h - kappa dl/dh.
    """

    problem: FlowProblem
    loss: TrainingLoss
    readout: NDArray[np.float64]
    has_affine_activation: bool
    reuse: float = 0.0

    @property
    def is_linear(self) -> bool:
        """Whether gradients are affine in the fields and the label."""
        return self.has_affine_activation and self.loss.is_quadratic

    def label_variables(self, noise: float) -> int:
        """How many normals a label is made of: z, label noise in the target, additive one of a variance."""
        return self.problem.dimension + self.problem.hidden + int(noise > 0.0)

    def label(self, normals: Array, noise: float) -> Array:
        """y, shape (n,), of these normals, shape (label_variables, n) or more rows."""
        known = self.problem.dimension + self.problem.hidden
        label = self.problem.label(normals[:known])
        return label + math.sqrt(noise) * normals[known] if noise > 0.0 else label

    def output(self, readout: Array, fields: Array) -> Array:
        """f, shape (n,), of fields (p, n)."""
        return readout @ self.problem.activation(fields)

    def answer(self, readout: Array, fields: Array, label: Array, mask: Array | None) -> Answer:
        """Of fields (p, n) and labels (n,); samples without mask have no gradients."""
        found = self._answer(readout, fields, label)
        prediction = found.prediction
        if self.reuse:
            found = self._answer(readout, fields - self.reuse * found.gradient, label)
        return found.seen(prediction, mask)

    def _answer(self, readout: Array, fields: Array, label: Array) -> Answer:
        values = self.problem.activation(fields)
        prediction = readout @ values
        slope = self.loss.slope(label, prediction)
        gradient = readout[:, None] * self.problem.slope(fields) * slope
        return Answer(values=values, prediction=prediction, slope=slope, gradient=gradient)
