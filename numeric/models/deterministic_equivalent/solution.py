"""Errors of random-feature ridge regression at finite sizes, from its deterministic equivalent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hermite_analytics.foundation.arrays import Numbers
from hermite_analytics.numeric.solution import Solution
from hermite_analytics.numeric.status import Status

__all__ = ["RATIOS", "DeterministicEquivalentSolution"]

RATIOS = ("samples", "features", "ridge", "noise")
_RESULTS = ("test_error", "bias", "variance", "train_error", "nu1", "nu2")
_STATISTICS = ("status", "residual", "iterations", "numerical_error")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class DeterministicEquivalentSolution(Solution):
    """Results at all points; arrays have the broadcast shape of samples, features, ridge and noise.

    Attributes
    ----------
    test_error : float or ndarray
        bias + variance = E (E[y|x] - yhat)^2, label noise excluded. NaN where not converged, infinite at the
        interpolation threshold without a ridge.
    bias, variance : float or ndarray
        Of the target, and of the label noise.
    train_error : float or ndarray
        Mean of (y - yhat)^2 over the samples.
    nu1, nu2 : float or ndarray
        Effective ridges of the sample and of the features; equal for infinitely many features.
    status : Status or ndarray of str
        "infinite" is an answer: the test error has no finite limit there.
    residual : float or ndarray
        Of the two equations, relative to min(samples, features).
    iterations : int or ndarray
    numerical_error : float or ndarray
        Estimated relative error of nu2: rounding, and eigenvalues that are counted by their trace only.
    parameters : mapping
        samples, features, ridge, noise, broadcast.
    """

    test_error: Numbers
    bias: Numbers
    variance: Numbers
    train_error: Numbers
    nu1: Numbers
    nu2: Numbers
    numerical_error: Numbers
    model: str = "deterministic-equivalent"

    columns: ClassVar[tuple[str, ...]] = (*RATIOS, *_RESULTS, *_STATISTICS)
    shaped: ClassVar[str] = "test_error"
    answers: ClassVar[tuple[Status, ...]] = (Status.CONVERGED, Status.INFINITE, Status.AT_BORDER)
