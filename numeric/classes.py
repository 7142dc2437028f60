"""What a readout is worth as a classifier: how often its sign is wrong, and whether its probabilities hold.

Where labels are 1 and -1 between edges of z ~ N(0, 1), and the prediction x of a fresh sample is Gaussian
beside z, of mean m, variance Q and E z (x - m) = M, both are functions of (m, Q, M) and of the cells, for any
loss: docs/random_features.md, "One scale for all losses".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from hermite_analytics.activation import shortened
from hermite_analytics.codegen.standalone_backend.special import normal_pair_cdf
from hermite_analytics.errors import InputError
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.label.reduction.one_direction import one_direction
from hermite_analytics.numeric.gaussian_rule import Feature, gaussian_rule
from hermite_analytics.numeric.losses.loss import Loss
from hermite_analytics.numeric.models.random_features.labels import has_signs, sign_cells
from hermite_analytics.numeric.models.random_features.two_directions import pulled_law
from hermite_analytics.target import Target

__all__ = [
    "Cells",
    "add_classes",
    "calibration_error",
    "cells_of",
    "check_measure",
    "frequency",
    "no_classes",
    "prediction",
    "probability",
    "wrong_share",
    "wrong_signs",
]

Reals: TypeAlias = "float | Array"
_LEVELS = 4
_SETTLED = 1e-10
_FAR = 40.0
_WIDEST = 1e6  # predictions between which a probability is looked for
_BISECTIONS = 100
_MISSED = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Cells:
    """Labels 1 and -1 between edges.

    Attributes
    ----------
    edges : shape (..., k), increasing along the last axis
        In z; infinite ones leave cells empty.
    labels : shape (k + 1,)
    """

    edges: Array
    labels: Array


def cells_of(target: Target) -> Cells | None:
    """The classes of a target of one direction without its noise; None where it is not shown to have them."""
    target = one_direction(target)
    if target.dimension > 1:
        return None
    plain = target if float(target.noise_variance) == 0.0 else Target(target.noiseless)
    if not has_signs(plain):
        return None
    edges, labels, _ = sign_cells(plain)
    return Cells(edges=edges, labels=labels)


def no_classes(target: Target, name: str) -> str:
    """What to say where the share of wrong signs is asked for and the target has none."""
    return (
        f"{name} asks for misclassification, and {shortened(target.text)} is not shown to take the values 1 "
        'and -1 alone in a way that is known here; a target such as "sign(z1)" is accepted'
    )


def check_measure(measure: str, target: Target, *, known: bool = True) -> None:
    """That the error for which a ridge is to be the best is one that the target has.

    Raises
    ------
    InputError
        Misclassification where the target has no classes, or the model does not know it.
    """
    has_classes = cells_of(target) is not None or pulled_law(target) is not None
    if measure == "misclassification" and not (known and has_classes):
        raise InputError(no_classes(target, "ridge"))


def wrong_signs(target: Target, mean: Array, power: Array, overlap: Array) -> Array | None:
    """`wrong_share` at flat states, of a target of any number of directions; None where it is not known."""
    cells = cells_of(target)
    if cells is not None:
        return wrong_share(cells, mean, power, overlap)
    law = pulled_law(target)
    return None if law is None else law.wrong_share(mean, power, overlap)


def wrong_share(cells: Cells, mean: Array, power: Array, overlap: Array) -> Array:
    """P(y x <= 0) in closed form, by Owen's function T.

    Parameters
    ----------
    cells : Cells
    mean, power, overlap : arrays of one shape, that of `cells.edges` without its last axis if it has more
        m, Q and M; NaN gives NaN, and so does a prediction that is 0 throughout, for it has no sign.

    Returns
    -------
    ndarray of that shape, with an absolute error of some 1e-16.
    """
    from scipy.special import ndtr

    with np.errstate(divide="ignore", invalid="ignore"):
        deviation = np.sqrt(power)
        threshold = -mean / deviation
        rho = np.clip(np.where(np.isinf(deviation), 0.0, overlap / deviation), -1.0, 1.0)
    constant = (power == 0.0) & (mean != 0.0)
    rho = np.where(constant, 0.0, rho)
    edges, labels = cells.edges, cells.labels
    # P(y = 1, x <= 0) + P(y = -1) - P(y = -1, x <= 0), summed by parts over the edges
    wrong = labels[-1] * ndtr(threshold) + 0.5 * (1.0 - labels[-1])
    for j in range(labels.size - 1):
        edge = np.broadcast_to(edges[..., j], np.shape(threshold))
        step = labels[j] - labels[j + 1]
        wrong = wrong + step * (_both_below(edge, threshold, rho) - 0.5 * ndtr(edge))
    share: Array = np.clip(wrong, 0.0, 1.0)
    return share


def _both_below(h: Array, k: Array, rho: Array) -> Array:
    """P(X <= h, Y <= k) of standard normals of correlation rho; beyond 40 there is nothing in doubles."""
    ends = np.clip(h, -_FAR, _FAR), np.clip(k, -_FAR, _FAR)
    found: Array = normal_pair_cdf(*ends, rho)
    return np.where(np.isnan(k) | np.isnan(rho), np.nan, found)


def probability(loss: Loss, x: Array) -> Array:
    """The probability p of the label 1 that a prediction x stands for: p l'(1, x) + (1 - p) l'(-1, x) = 0.

    The logistic loss says 1/(1 + exp(-x)), the square loss (1 + x)/2, cut at 0 and 1.
    """
    rises, falls = loss.slope(-np.ones_like(x), x), loss.slope(np.ones_like(x), x)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = rises / (rises - falls)
    share: Array = np.clip(found, 0.0, 1.0)
    return share


def frequency(
    cells: Cells, x: Array, mean: Reals, power: Reals, overlap: Reals, *, flips: float = 0.0
) -> Array:
    """P(y = 1) among fresh samples with the prediction x, a share of whose labels is flipped."""
    from scipy.special import ndtr

    slope = overlap / power
    width = np.sqrt(np.maximum(1.0 - overlap * slope, 0.0))
    center = slope * (x - mean)
    found = np.full(np.shape(center), 1.0 if cells.labels[-1] > 0 else 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        for j in range(cells.labels.size - 1):
            gap = cells.edges[..., j] - center
            below = np.where(width > 0.0, ndtr(gap / width), np.heaviside(gap, 0.5))
            found = found + 0.5 * (cells.labels[j] - cells.labels[j + 1]) * below
    share: Array = flips + (1.0 - 2.0 * flips) * found
    return share


def calibration_error(
    loss: Loss, cells: Cells, mean: Array, power: Array, overlap: Array, *, flips: float = 0.0
) -> tuple[Array, Array]:
    """(root mean square of P(y = 1 | x) - `probability`, its numerical error) at each of flat points.

    The mean is over fresh samples; its square is the reliability part of Brier's score.
    """
    found, errors = np.full(mean.size, np.nan), np.full(mean.size, np.nan)
    for i in range(mean.size):
        if not (np.isfinite(power[i]) and power[i] > 0.0):  # a constant prediction is of no use here
            continue
        before = np.nan
        for level in range(_LEVELS):
            value = _mean_square(loss, cells, (mean[i], power[i], overlap[i], flips), level)
            errors[i], before = abs(value - before), value
            if errors[i] <= _SETTLED * value:
                break
        found[i] = np.sqrt(before)
        errors[i] /= 2.0 * max(found[i], 1e-300)
    return found, errors


def add_classes(
    found: dict[str, Array], target: Target, loss: Loss, mean: Array, *, flips: float = 0.0
) -> None:
    """Add the misclassification to results of flat points, and the calibration error of probabilities.

    Parameters
    ----------
    found : dict
        With "Q", "M" and "numerical_error"; nothing is added for a target that has no values 1 and -1, or has
        more than two directions and a linear part.
    target, loss
    mean : ndarray
        Of the predictions.
    flips : float
        Share of labels that are flipped. Signs are wrong against the label before it is; what probabilities
        are held against is the label itself.
    """
    wrong = wrong_signs(target, mean, found["Q"], found["M"])
    if wrong is not None:
        found["misclassification"] = wrong
    cells = cells_of(target)
    if cells is not None and loss.has_probabilities:
        found["calibration_error"], error = calibration_error(
            loss, cells, mean, found["Q"], found["M"], flips=flips
        )
        found["numerical_error"] = np.fmax(found["numerical_error"], error)


def _mean_square(loss: Loss, cells: Cells, state: tuple[float, float, float, float], level: int) -> float:
    mean, power, overlap, flips = state
    deviation, slope = np.sqrt(power), overlap / np.sqrt(power)
    # where the frequency and the probability change, in deviations of the prediction
    features = [Feature(center=-mean / deviation, width=1.0 / deviation)]
    features += [Feature(center=(end - mean) / deviation, width=0.0) for end in (-1.0, 1.0) if loss.is_square]
    if slope != 0.0:
        width = np.sqrt(max(1.0 - slope**2, 0.0)) / abs(slope)
        features += [Feature(center=float(edge / slope), width=float(width)) for edge in cells.edges]
    h, weights = gaussian_rule(features, level)
    x = mean + deviation * h
    gap = frequency(cells, x, mean, power, overlap, flips=flips) - probability(loss, x)
    return float(weights @ gap**2)


def prediction(loss: Loss, wanted: Array) -> Array:
    """The prediction that stands for a probability, by bisection.

    Raises
    ------
    InputError
        A probability outside (0, 1), or one that the loss does not give.
    """
    if not np.all((wanted > 0.0) & (wanted < 1.0)):
        raise InputError(f"at is {wanted.ravel()[0]:g}...; accepted: probabilities between 0 and 1")
    low, high = np.full(wanted.shape, -_WIDEST), np.full(wanted.shape, _WIDEST)
    for _ in range(_BISECTIONS):
        middle = 0.5 * (low + high)
        below = probability(loss, middle) < wanted
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    found: Array = 0.5 * (low + high)
    missed = np.abs(probability(loss, found) - wanted) > _MISSED
    if np.any(missed):
        raise InputError(
            f"at is {wanted[missed].ravel()[0]:g}, and no prediction of the loss {loss} stands for that "
            "probability; accepted: smooth losses, such as logistic"
        )
    return found
