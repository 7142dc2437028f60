"""Readouts of given features by the square, logistic or hinge loss, and their errors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.errors import InputError
from hermite_analytics.numeric.simulator.backend import Array
from hermite_analytics.numeric.simulator.data import chunks
from hermite_analytics.numeric.simulator.random_features_losses import fit_hinge, fit_logistic
from hermite_analytics.numeric.simulator.random_features_maps import FirstLayer, Samples
from hermite_analytics.numeric.simulator.ridge import ridge_curve
from hermite_analytics.numeric.simulator.streams import Purpose

__all__ = ["LOSSES", "FeatureReadout", "check_loss", "fit_features"]

LOSSES = ("square", "logistic", "hinge")
_FITS = {"logistic": fit_logistic, "hinge": fit_hinge}


def check_loss(name: str) -> str:
    """The name, or InputError."""
    if name not in LOSSES:
        raise InputError(f"loss is {name!r}: accepted are {', '.join(map(repr, LOSSES))}")
    return name


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureReadout:
    """Readouts over a grid of sample sizes and ridges.

    Attributes
    ----------
    coefficients : array of float64, shape (..., sizes, ridges, p)
        a, of predictions a.phi; "..." is the axis of the seeds if there are several, else nothing.
    train_error : ndarray, shape (..., sizes, ridges)
        Mean of (y - a.phi)^2, or of the loss of the margin, over the training samples, without the penalty.
    test_error : ndarray, shape (..., sizes, ridges)
        Mean of (y - a.phi)^2 over fresh samples without label noise; the fraction of fresh samples with
        y a.phi <= 0 for a loss of the margin.
    """

    coefficients: Array
    train_error: NDArray[np.float64]
    test_error: NDArray[np.float64]


def fit_features(
    layer: FirstLayer,
    features: str,
    training: Samples,
    testing: Samples,
    *,
    loss: str = "square",
    sizes: Sequence[int],
    ridges: Sequence[float],
    n_test: int,
    chunk_rows: int,
) -> FeatureReadout:
    """Fit and test: sum (y - a.phi)^2 + ridge |a|^2, or sum l(y a.phi) + (ridge/2) |a|^2.

    Parameters
    ----------
    layer : FirstLayer
    features : {"network", "equivalent"}
    training, testing : Samples
        Nested training sets; labels without noise for the test.
    loss : {"square", "logistic", "hinge"}
        The last two for labels 1 and -1, and one seed.
    sizes : sequence of int >= 1
    ridges : sequence of float > 0
    n_test, chunk_rows : int >= 1

    Returns
    -------
    FeatureReadout

    Raises
    ------
    ConvergenceError
        If a ridge is below the rounding error of the Gram matrix, or a readout does not converge.
    """
    backend = layer.backend
    xp = backend.xp

    def rows(first: int, count: int) -> tuple[Array, Array]:
        x, y = training.rows(first, count)
        return layer.rows(features, x, first=first, purpose=Purpose.READOUT_FEATURES), y

    *stack, width, _ = layer.weights.shape
    if loss == "square":
        curve = ridge_curve(backend, rows, width=width, sizes=sizes, ridges=ridges, chunk_rows=chunk_rows)
        coefficients, train = curve.coefficients, curve.train_error
    else:
        coefficients, train = _margin_curve(layer, rows(0, max(sizes)), loss, sizes, ridges)
    columns = xp.matrix_transpose(backend.narrow(xp.reshape(coefficients, (*stack, -1, width))))
    total = backend.zeros(*stack, columns.shape[-1])
    for first, count in chunks(0, n_test, chunk_rows):
        x, y = testing.rows(first, count)
        guess = layer.rows(features, x, first=first, purpose=Purpose.TEST_FEATURES) @ columns
        label = y[..., None]
        wrong = (label - guess) ** 2 if loss == "square" else 1.0 * (label * guess <= 0)
        total += xp.sum(wrong, axis=-2, dtype=xp.float64)
    return FeatureReadout(
        coefficients=coefficients,
        train_error=train,
        test_error=np.reshape(backend.host(total) / n_test, train.shape),
    )


def _margin_curve(
    layer: FirstLayer, rows: tuple[Array, Array], loss: str, sizes: Sequence[int], ridges: Sequence[float]
) -> tuple[Array, NDArray[np.float64]]:
    backend = layer.backend
    xp = backend.xp
    phi, y = (backend.wide(values) for values in rows)
    train = np.empty((len(sizes), len(ridges)))
    found = []
    for place in np.ndindex(*train.shape):
        n, ridge = sizes[place[0]], ridges[place[1]]
        a = _FITS[loss](backend, phi[:n], y[:n], ridge)
        found.append(a)
        margins = backend.host(y[:n] * (phi[:n] @ a))
        losses = np.logaddexp(0.0, -margins) if loss == "logistic" else np.maximum(0.0, 1 - margins)
        train[place] = math.fsum(losses) / n
    return xp.reshape(xp.stack(found), (*train.shape, -1)), train
