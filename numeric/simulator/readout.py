"""The second layer: its fit on features by any loss, and its errors, for all protocols with a readout."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from array_api_compat import array_namespace
from numpy.typing import NDArray

from hermite_analytics.errors import InputError
from hermite_analytics.losses.registry import LOSSES, named_loss
from hermite_analytics.numeric.losses.interface import no_corners
from hermite_analytics.numeric.losses.loss import Loss
from hermite_analytics.numeric.models.random_features.labels import has_signs, no_signs, sign_cells
from hermite_analytics.numeric.simulator.backend import Array, Backend
from hermite_analytics.numeric.simulator.data import Samples, chunks
from hermite_analytics.numeric.simulator.functions import TargetLike
from hermite_analytics.numeric.simulator.protocol import Sample
from hermite_analytics.numeric.simulator.readout_losses import fit_in_box, fit_logistic, fit_smooth
from hermite_analytics.numeric.simulator.ridge import ridge_curve
from hermite_analytics.numeric.simulator.streams import Purpose

if TYPE_CHECKING:
    from hermite_analytics.target import Target

__all__ = ["FeatureRows", "Readout", "check_loss", "checked_loss", "errors_of", "fit_of", "fit_readout"]

Fit = Callable[[Backend, Array, Array, float], Array]
_FITS: Mapping[str, Fit] = {"logistic": fit_logistic}  # beside those with a dual


class FeatureRows(Protocol):
    """phi of inputs, with predictions a.phi of order 1 at coefficients of order 1."""

    def __call__(self, x: Array, *, first: int, purpose: Purpose) -> Array:
        """Features of shape (..., count, p) of the samples first, first + 1, ... of a data set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Readout:
    """Readouts over a grid of sample sizes and ridges, and their errors.

    Attributes
    ----------
    coefficients : array of float64, shape (..., sizes, ridges, p), or None
        a, of predictions a.phi; "..." is the axis of the seeds if there are several, else nothing. None of
        tangent features, which are never formed.
    test_error : ndarray, shape (..., sizes, ridges)
        `square_error`, or `wrong_signs` for a loss of the margin.
    train_error : ndarray, shape (..., sizes, ridges)
        Mean loss over the training samples, label noise included, penalty excluded.
    square_error : ndarray, shape (..., sizes, ridges)
        Mean of (g - a.phi)^2 over fresh samples without label noise.
    wrong_signs : ndarray, shape (..., sizes, ridges), or None
        Fraction of these with g a.phi <= 0; None of tangent features.
    """

    coefficients: Array | None
    test_error: NDArray[np.float64]
    train_error: NDArray[np.float64]
    square_error: NDArray[np.float64]
    wrong_signs: NDArray[np.float64] | None

    def reshape(self, grid: tuple[int, ...]) -> Readout:
        """The same over another shape of the grid (without the axes of length 1 that no one asked for)."""
        shape = (*self.train_error.shape[:-2], *grid)
        a = self.coefficients
        return Readout(
            coefficients=None if a is None else array_namespace(a).reshape(a, (*shape, a.shape[-1])),
            test_error=self.test_error.reshape(shape),
            train_error=self.train_error.reshape(shape),
            square_error=self.square_error.reshape(shape),
            wrong_signs=None if self.wrong_signs is None else self.wrong_signs.reshape(shape),
        )


def fit_readout(
    features: FeatureRows,
    *,
    shape: tuple[int, ...],
    training: Samples,
    testing: Samples,
    backend: Backend,
    sizes: Sequence[int],
    ridges: Sequence[float],
    n_test: int,
    chunk_rows: int,
    loss: str = "square",
    gram_dtype: str | None = None,
) -> Readout:
    """Fit a.phi and test it: sum (y - a.phi)^2 + ridge |a|^2, or sum l(y, a.phi) + (ridge/2) |a|^2.

    Parameters
    ----------
    features : callable
        See `FeatureRows`.
    shape : (..., p)
        Of the coefficients: their number, after the number of seeds if there are several.
    training, testing : Samples
        Nested training sets; labels without noise for the test.
    backend : Backend
    sizes : sequence of int >= 1
    ridges : sequence of float > 0
    n_test, chunk_rows : int >= 1
    loss : str
        Other than "square" for one seed; of the margin for labels 1 and -1.
    gram_dtype : {"float64", "float32"}, optional
        See `ridge_curve`; of the square loss.

    Returns
    -------
    Readout

    Raises
    ------
    ConvergenceError
        If a ridge is below the rounding error of the Gram matrix, or a readout does not converge.
    """
    xp, kind = backend.xp, check_loss(loss)

    def rows(first: int, count: int) -> tuple[Array, Array]:
        x, y = training.rows(first, count)
        return features(x, first=first, purpose=Purpose.READOUT_FEATURES), y

    if kind.is_square:
        curve = ridge_curve(
            backend,
            rows,
            width=shape[-1],
            sizes=sizes,
            ridges=ridges,
            chunk_rows=chunk_rows,
            gram_dtype=gram_dtype,
        )
        coefficients, train = curve.coefficients, curve.train_error
    else:
        coefficients, train = _curve_of(backend, rows(0, max(sizes)), kind, sizes, ridges)
    columns = xp.matrix_transpose(backend.narrow(xp.reshape(coefficients, (*shape[:-1], -1, shape[-1]))))
    squares, signs = (backend.zeros(*shape[:-1], columns.shape[-1]) for _ in range(2))
    for first, count in chunks(0, n_test, chunk_rows):
        x, y = testing.rows(first, count)
        guess = features(x, first=first, purpose=Purpose.TEST_FEATURES) @ columns
        residuals = y[..., None] - guess
        squares += xp.sum(residuals * residuals, axis=-2, dtype=xp.float64)
        signs += xp.sum(xp.astype(y[..., None] * guess <= 0, xp.float64), axis=-2)
    square, wrong = (np.reshape(backend.host(x) / n_test, train.shape) for x in (squares, signs))
    return Readout(
        coefficients=coefficients,
        test_error=wrong if kind.of_margin else square,
        train_error=train,
        square_error=square,
        wrong_signs=wrong,
    )


def errors_of(readout: Readout, target: TargetLike) -> Sample:
    """test_error, train_error, square_error, and misclassification of a target with the values 1 and -1."""
    sample = {name: getattr(readout, name) for name in ("test_error", "train_error", "square_error")}
    if readout.wrong_signs is not None and has_signs(target):  # type: ignore[arg-type]  # by its use
        sample["misclassification"] = readout.wrong_signs
    return sample


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


def checked_loss(text: str, target: Target, noise: float) -> Loss:
    """As `check_loss`; InputError also for a loss of the margin if labels are not shown to be 1 and -1."""
    loss = check_loss(text)
    if not loss.of_margin:
        return loss
    if noise > 0:
        raise InputError(f"noise is {noise:g}; the loss {text!r} takes labels without noise")
    if target.dimension <= 1:
        sign_cells(target)
    elif not has_signs(target):
        raise InputError(no_signs(target))
    return loss


def fit_of(loss: Loss) -> Fit:
    """What minimises sum_i l(y_i, a.phi_i) + (ridge/2) |a|^2 over a."""
    if loss.record is None:
        return functools.partial(fit_smooth, loss=loss)
    if loss.record.name in _FITS:
        return _FITS[loss.record.name]
    assert loss.record.dual is not None
    return functools.partial(fit_in_box, dual=loss.record.dual(loss.parameter), of_margin=loss.of_margin)


def _curve_of(
    backend: Backend, rows: tuple[Array, Array], loss: Loss, sizes: Sequence[int], ridges: Sequence[float]
) -> tuple[Array, NDArray[np.float64]]:
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
