"""Averages of an activation and of a step's labels, at the nodes of a rule."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np

from hermite_analytics.activation import Activation
from hermite_analytics.conditional import activation_mean, feature_points, has_fourth_moments
from hermite_analytics.errors import InputError, UndefinedQuantity
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.numeric.gaussian_rule import Feature, gaussian_rule
from hermite_analytics.numeric.models.spiked.letters import Letters
from hermite_analytics.target import Target

__all__ = ["LabelNodes", "SlopeMoments", "label_nodes", "require_step_rows", "slope_moments"]

_NOISE_NODES = 24  # exact to degree 47 in the noise; the averages below are of degree 4, or smooth


@dataclass(frozen=True, slots=True, kw_only=True)
class SlopeMoments:
    """Averages of P = sigma' - E sigma', of what its linear part leaves, q = P - curvature z, and of h = z P.

    Attributes
    ----------
    slope : E sigma'.
    curvature : E z sigma', the second coefficient of sigma.
    third : E (z^2 - 1) sigma'.
    variance : Var sigma'.
    skew : E z P^2.
    h_variance, h_square, h_rest : variance of h, its covariances with P^2 and with q.
    square_variance, square_rest : variance of P^2, its covariance with q.
    """

    slope: float
    curvature: float
    third: float
    variance: float
    skew: float
    h_variance: float
    h_square: float
    h_rest: float
    square_variance: float
    square_rest: float


@functools.lru_cache(maxsize=64)
def slope_moments(activation: Activation, level: int) -> SlopeMoments:
    """The averages at one level of the rule; E sigma'^4 is finite, as the caller has checked."""
    kinks, _ = feature_points(activation, Target("z1"))
    z, weight = gaussian_rule([Feature(center=b, width=0.0) for b in kinks], level)
    slopes = np.asarray(activation.derivative_function("auto")(z), dtype=np.float64) * np.ones_like(z)

    def mean(values: Array) -> float:
        return float(weight @ values)

    slope = mean(slopes)
    curvature = mean(z * slopes)
    rest = slopes - slope
    linear = rest - curvature * z
    h, square = z * rest, rest**2
    variance = mean(square)
    return SlopeMoments(
        slope=slope,
        curvature=curvature,
        third=mean((z**2 - 1.0) * slopes),
        variance=variance,
        skew=mean(z * square),
        h_variance=mean((h - curvature) ** 2),
        h_square=mean((h - curvature) * (square - variance)),
        h_rest=mean(h * linear),
        square_variance=mean((square - variance) ** 2),
        square_rest=mean(square * linear),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelNodes:
    """Nodes of (z, F): the target's coordinate and the label minus the network's output before the step."""

    z: Array
    residual: Array
    weight: Array

    def mean(self, values: Array) -> float:
        return float(np.sum(self.weight * values))  # threads of a BLAS take longer to wake


@functools.lru_cache(maxsize=64)
def label_nodes(activation: Activation, target: Target, noise: float, level: int) -> LabelNodes:
    """F = g(z) - E sigma + sqrt(noise) xi, where all readouts are 1: the output is E sigma as d -> infinity.

    Parameters
    ----------
    noise : float >= 0
        Variance of all label noise, taken as Gaussian.
    """
    _, kinks = feature_points(activation, target)
    z, weight = gaussian_rule([Feature(center=b, width=0.0) for b in kinks], level)
    residual = np.asarray(target.function("auto")(z), dtype=np.float64) * np.ones_like(z)
    residual = residual - activation_mean(activation)
    if noise > 0.0:
        xi, share = np.polynomial.hermite_e.hermegauss(_NOISE_NODES)
        share = share / share.sum()
        residual = (residual[:, None] + np.sqrt(noise) * xi).ravel()
        z, weight = np.repeat(z, xi.size), (weight[:, None] * share).ravel()
    return LabelNodes(z=z, residual=residual, weight=weight)


def require_step_rows(activation: Activation, target: Target, letters: object, loss: object) -> None:
    """Refuse what the equations of the rows that a step makes do not cover.

    Raises
    ------
    InputError
        Another loss than the square, other readouts in the step than 1.
    UndefinedQuantity
        A fourth moment that is not shown to be finite: that of sigma', or of the target.
    """
    directed = f"the rows that a step of {activation.text} makes have directions, and then"
    if loss != "square":
        raise InputError(f"{directed} the loss is 'square', not {loss}")
    if not (isinstance(letters, Letters) and letters.is_uniform):
        raise InputError(f"{directed} all readouts of the step are 1: no letters are accepted")
    if not has_fourth_moments(activation, target):
        raise UndefinedQuantity(
            f"{directed} E sigma'(z)^4 and E g^4 have to be finite, which is not shown for {target.text}"
        )
