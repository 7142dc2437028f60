"""Errors of random-feature ridge regression at finite sizes, from its deterministic equivalent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hermite_analytics.errors import ConvergenceError
from hermite_analytics.numeric.solution import Status, json_number

__all__ = ["RATIOS", "DeterministicEquivalentSolution"]

RATIOS = ("samples", "features", "ridge", "noise")
_RESULTS = ("test_error", "bias", "variance", "train_error", "nu1", "nu2")
_STATISTICS = ("status", "residual", "iterations", "numerical_error")
_ANSWERED = (Status.CONVERGED, Status.INFINITE)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeterministicEquivalentSolution:
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

    test_error: Any
    bias: Any
    variance: Any
    train_error: Any
    nu1: Any
    nu2: Any
    status: Any
    residual: Any
    iterations: Any
    numerical_error: Any
    parameters: Mapping[str, Any]
    model: str = "deterministic-equivalent"

    def raise_unless_converged(self) -> None:
        """Raise `ConvergenceError` naming the first point without an answer."""
        for index, code in enumerate(np.ravel(np.asarray(self.status, dtype=object))):
            if code not in _ANSWERED:
                raise ConvergenceError(f"point {index} of {self.model}: {code}: {Status(code).help}")

    def records(self) -> list[dict[str, Any]]:
        """One flat dictionary a point, in C order."""
        columns = {name: self.parameters[name] for name in RATIOS}
        columns |= {name: getattr(self, name) for name in (*_RESULTS, *_STATISTICS)}
        lists = [np.ravel(np.asarray(value)).tolist() for value in columns.values()]
        return [
            {name: json_number(x) for name, x in zip(columns, point, strict=True)}
            for point in zip(*lists, strict=True)
        ]

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready: the model and one result a point."""
        return {"model": self.model, "parameters": {}, "results": self.records()}

    def plot(self, axes: Any = None, *, against: str | None = None) -> Any:
        """Draw test error, its two parts and the training error against a size; returns the axes."""
        import matplotlib.pyplot as plt

        name = against or max(RATIOS, key=lambda k: np.unique(np.asarray(self.parameters[k])).size)
        if axes is None:
            axes = plt.subplots()[1]
        place = np.ravel(np.asarray(self.parameters[name]))
        styles = {"test_error": "-", "bias": "--", "variance": "-.", "train_error": ":"}
        for result, style in styles.items():
            axes.plot(place, np.ravel(getattr(self, result)), style, label=result.replace("_", " "))
        axes.set(xlabel=name, ylabel="error", xscale="log", yscale="log")
        axes.legend()
        return axes

    def cite(self) -> str:
        """The source of the equations."""
        return "deterministic equivalents of arXiv 2405.15699"
