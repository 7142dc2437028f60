"""Readouts of given features by a loss with a name, and their errors."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.errors import InputError
from hermite_analytics.losses.registry import LOSSES, named_loss
from hermite_analytics.numeric.losses.interface import no_corners
from hermite_analytics.numeric.losses.loss import Loss
from hermite_analytics.numeric.simulator.backend import Array, Backend
from hermite_analytics.numeric.simulator.data import chunks
from hermite_analytics.numeric.simulator.random_features_losses import fit_in_box, fit_logistic, fit_smooth
from hermite_analytics.numeric.simulator.random_features_maps import FirstLayer, Samples
from hermite_analytics.numeric.simulator.ridge import ridge_curve
from hermite_analytics.numeric.simulator.streams import Purpose

__all__ = ["FeatureReadout", "check_loss", "fit_features", "fit_of"]

Fit = Callable[[Backend, Array, Array, float], Array]
_FITS: Mapping[str, Fit] = {"logistic": fit_logistic}  # beside those with a dual


def check_loss(text: str) -> Loss:
    """The loss, or InputError: one with a name, or a smooth one."""
    taken = [r.form for r in LOSSES.values() if r.dual is not None or r.name in _FITS]
    accepted = f"{', '.join(map(repr, taken))}, or a smooth convex text in y and x"
    if not isinstance(text, str):
        raise InputError(f"loss is {text!r}: accepted are {accepted}")
    named = named_loss(text)
    if named is not None and named[0].form not in taken:
        raise InputError(f"loss is {text!r}: accepted are {accepted}")
    loss = Loss(text)
    if loss.record is None and loss.corners is not no_corners:
        raise InputError(f"loss is {text!r}, which has kinks: accepted are {accepted}")
    return loss


def fit_of(loss: Loss) -> Fit:
    """What minimises sum_i l(y_i, a.phi_i) + (ridge/2) |a|^2 over a."""
    if loss.record is None:
        return functools.partial(fit_smooth, loss=loss)
    if loss.record.name in _FITS:
        return _FITS[loss.record.name]
    assert loss.record.dual is not None
    return functools.partial(fit_in_box, dual=loss.record.dual(loss.parameter), of_margin=loss.of_margin)


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureReadout:
    """Readouts over a grid of sample sizes and ridges.

    Attributes
    ----------
    coefficients : array of float64, shape (..., sizes, ridges, p)
        a, of predictions a.phi; "..." is the axis of the seeds if there are several, else nothing.
    train_error : ndarray, shape (..., sizes, ridges)
        Mean of (y - a.phi)^2, or of another loss, over the training samples, without the penalty.
    square_error : ndarray, shape (..., sizes, ridges)
        Mean of (y - a.phi)^2 over fresh samples without label noise.
    wrong_signs : ndarray, shape (..., sizes, ridges)
        Fraction of these with y a.phi <= 0.
    """

    coefficients: Array
    train_error: NDArray[np.float64]
    square_error: NDArray[np.float64]
    wrong_signs: NDArray[np.float64]


def fit_features(
    layer: FirstLayer,
    features: str,
    training: Samples,
    testing: Samples,
    *,
    loss: Loss,
    sizes: Sequence[int],
    ridges: Sequence[float],
    n_test: int,
    chunk_rows: int,
) -> FeatureReadout:
    """Fit and test: sum (y - a.phi)^2 + ridge |a|^2, or sum l(y, a.phi) + (ridge/2) |a|^2.

    Parameters
    ----------
    layer : FirstLayer
    features : {"network", "equivalent"}
    training, testing : Samples
        Nested training sets; labels without noise for the test.
    loss : Loss
        Other than the square one for one seed; of the margin for labels 1 and -1.
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
    if loss.is_square:
        curve = ridge_curve(backend, rows, width=width, sizes=sizes, ridges=ridges, chunk_rows=chunk_rows)
        coefficients, train = curve.coefficients, curve.train_error
    else:
        coefficients, train = _curve_of(layer, rows(0, max(sizes)), loss, sizes, ridges)
    columns = xp.matrix_transpose(backend.narrow(xp.reshape(coefficients, (*stack, -1, width))))
    squares, signs = (backend.zeros(*stack, columns.shape[-1]) for _ in range(2))
    for first, count in chunks(0, n_test, chunk_rows):
        x, y = testing.rows(first, count)
        guess = layer.rows(features, x, first=first, purpose=Purpose.TEST_FEATURES) @ columns
        label = y[..., None]
        squares += xp.sum((label - guess) ** 2, axis=-2, dtype=xp.float64)
        signs += xp.sum(xp.astype(label * guess <= 0, xp.float64), axis=-2)
    return FeatureReadout(
        coefficients=coefficients,
        train_error=train,
        square_error=np.reshape(backend.host(squares) / n_test, train.shape),
        wrong_signs=np.reshape(backend.host(signs) / n_test, train.shape),
    )


def _curve_of(
    layer: FirstLayer, rows: tuple[Array, Array], loss: Loss, sizes: Sequence[int], ridges: Sequence[float]
) -> tuple[Array, NDArray[np.float64]]:
    backend = layer.backend
    xp = backend.xp
    phi, y = (backend.wide(values) for values in rows)
    train = np.empty((len(sizes), len(ridges)))
    found, fit = [], fit_of(loss)
    for place in np.ndindex(*train.shape):
        n, ridge = sizes[place[0]], ridges[place[1]]
        a = fit(backend, phi[:n], y[:n], ridge)
        found.append(a)
        train[place] = np.mean(loss.value(backend.host(y[:n]), backend.host(phi[:n] @ a)))
    return xp.reshape(xp.stack(found), (*train.shape, -1)), train
