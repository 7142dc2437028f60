"""Weighted straight lines through cell means, with pooled variances and a lack-of-fit inflation.

The unit is the seed: whatever shares a seed (readouts, neurons, points of a curve) is averaged before it
comes here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.errors import InputError

__all__ = ["POOLING_RATIO", "CellMean", "LineFit", "fit_line", "weighted_least_squares"]

# Pool variances over sizes while the largest is below this multiple of the smallest.
POOLING_RATIO = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CellMean:
    """Mean and variance over the seeds at one size.

    Parameters
    ----------
    size : int > 0
        The dimension d.
    count : int >= 2
        Number of seeds.
    mean : float
        Mean over seeds.
    variance : float >= 0
        Unbiased variance of one seed.
    """

    size: int
    count: int
    mean: float
    variance: float

    @classmethod
    def of(cls, size: int, samples: NDArray[np.float64]) -> CellMean:
        """Summarise one number a seed, `samples` of shape (seeds,)."""
        return cls(
            size=size,
            count=samples.size,
            mean=float(samples.mean()),
            variance=float(samples.var(ddof=1)),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class LineFit:
    """Intercept and slope of a line, each with its standard error and degrees of freedom.

    Parameters
    ----------
    estimate, stderr, df : tuple of two float
        Of intercept and slope; the standard errors are inflated.
    chi2 : float
        Weighted residual sum of squares; 0 with two points.
    inflation : float >= 1
        Factor that the lack of fit put on the standard errors.
    pooled : bool
        Whether one variance (times the assumed power of d) serves all sizes.
    variance : array (L,)
        Variances of the cell means, sizes ascending.
    """

    estimate: tuple[float, float]
    stderr: tuple[float, float]
    df: tuple[float, float]
    chi2: float
    inflation: float
    pooled: bool
    variance: NDArray[np.float64]


def fit_line(cells: Sequence[CellMean], column: NDArray[np.float64], *, noise_power: float | None) -> LineFit:
    """Weighted least squares of cell means on (1, column).

    The variance of a cell mean is kappa^2 d^-noise_power / n_d with one pooled kappa^2 while the values
    d^noise_power s_d^2 agree within a factor of three, else s_d^2/n_d with Satterthwaite degrees of freedom.
    The standard errors are inflated by max(1, sqrt(chi2/(L-2))), L the number of sizes.

    Parameters
    ----------
    cells : sequence of CellMean
        Sizes ascending.
    column : array (L,)
        The regressor at each size.
    noise_power : float or None
        1 for self-averaging numbers; None where the noise follows no known power: no pooling.

    Raises
    ------
    InputError
        If there are fewer than two distinct sizes or fewer than two seeds at a size.
    """
    sizes = np.array([cell.size for cell in cells], dtype=float)
    counts = np.array([cell.count for cell in cells], dtype=float)
    if len(set(sizes)) < 2 or len(set(sizes)) < len(sizes):
        raise InputError(f"the sizes {[cell.size for cell in cells]} must be at least two distinct ones")
    if counts.min() < 2:
        raise InputError(f"{int(counts.min())} seed at a size gives no variance; at least 2 are needed")
    means = np.array([cell.mean for cell in cells])
    variances = np.array([cell.variance for cell in cells])
    if noise_power is None:
        variance, pooled = _positive(variances / counts), False
    else:
        variance, pooled = _variance_of_means(sizes**noise_power, counts, variances)
    design = np.stack([np.ones_like(sizes), column], axis=1)
    estimate, covariance = weighted_least_squares(design, means, variance)
    chi2 = float(np.sum((means - design @ estimate) ** 2 / variance))
    excess = len(sizes) - 2
    inflation = max(1.0, float(np.sqrt(chi2 / excess))) if excess else 1.0
    if pooled:
        df = np.full(2, np.sum(counts - 1))
    else:
        terms = (covariance @ (design / variance[:, None]).T) ** 2 * variance
        df = terms.sum(axis=1) ** 2 / (terms**2 / (counts - 1)).sum(axis=1)
    stderr = np.sqrt(np.diag(covariance)) * inflation
    return LineFit(
        estimate=(float(estimate[0]), float(estimate[1])),
        stderr=(float(stderr[0]), float(stderr[1])),
        df=(float(df[0]), float(df[1])),
        chi2=chi2,
        inflation=inflation,
        pooled=pooled,
        variance=variance,
    )


def _variance_of_means(
    scales: NDArray[np.float64], counts: NDArray[np.float64], variances: NDArray[np.float64]
) -> tuple[NDArray[np.float64], bool]:
    """Variances of the cell means, and whether they come from one pooled kappa^2."""
    scaled = scales * variances
    if scaled.any() and not scaled.max() < POOLING_RATIO * scaled.min():
        return _positive(variances / counts), False
    kappa2 = np.sum((counts - 1) * scaled) / np.sum(counts - 1)
    return _positive(kappa2 / (scales * counts)), True


def _positive(variance: NDArray[np.float64]) -> NDArray[np.float64]:
    """A noiseless observable still needs weights: the smallest positive float keeps the fit defined."""
    return np.maximum(variance, np.finfo(float).tiny)


def weighted_least_squares(
    design: NDArray[np.float64], means: NDArray[np.float64], variance: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Estimate and covariance of a weighted linear fit."""
    # Relative weights keep the normal equations finite when the variances are tiny.
    scale = variance.min()
    weighted = design * (scale / variance)[:, None]
    inverse = np.linalg.inv(design.T @ weighted)
    return inverse @ (weighted.T @ means), inverse * scale
