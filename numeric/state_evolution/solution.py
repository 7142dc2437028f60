"""Overlaps and errors of Bayes-AMP in the limit of many dimensions, and the thresholds of its one overlap."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hermite_analytics.errors import ConvergenceError
from hermite_analytics.numeric.solution import Status, json_number

__all__ = ["StateEvolutionSolution", "Thresholds"]

_STATISTICS = ("status", "residual", "iterations", "numerical_error")


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """Values of alpha at which fixed points of one overlap appear, end, or change places.

    Attributes
    ----------
    weak_recovery : float
        Above it the start m = 0 is unstable: 0 where E[z | y] is not 0, inf where no alpha makes it unstable.
    algorithmic_jumps : tuple of (alpha, overlap before, overlap after)
        Where the fixed point that AMP reaches ends, and the one it jumps to.
    equilibrium_jumps : tuple of (alpha, overlap before, overlap after)
        Where the maximum of the free entropy moves from one stable fixed point to another.
    exact_recovery : float
        The smallest alpha above which AMP recovers exactly; inf where none does.
    exact_recovery_information : float
        That of any method: above it exact recovery maximises the free entropy.
    """

    weak_recovery: float
    algorithmic_jumps: tuple[tuple[float, float, float], ...]
    equilibrium_jumps: tuple[tuple[float, float, float], ...]
    exact_recovery: float
    exact_recovery_information: float

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "weak_recovery": json_number(self.weak_recovery),
            "algorithmic_jumps": [list(jump) for jump in self.algorithmic_jumps],
            "equilibrium_jumps": [list(jump) for jump in self.equilibrium_jumps],
            "exact_recovery": json_number(self.exact_recovery),
            "exact_recovery_information": json_number(self.exact_recovery_information),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class StateEvolutionSolution:
    """Results at all alpha; arrays have its shape, with two more axes for the overlap.

    Attributes
    ----------
    overlap : ndarray, shape (..., r, r)
        M = W^^T W*/d in the coordinates of the target, 0 <= M <= I: E z^ z for z^ = E[z | data].
    test_error : float or ndarray
        E (E[y|x] - yhat)^2 of the posterior mean of a fresh label, noise excluded. NaN where not converged,
        or where E[y|z] is not a sum of products of functions of one coordinate; infinite with E f^2.
    status : Status or ndarray of str
    residual : float or ndarray
        |M - step(M)|, largest entry, undamped.
    iterations : int or ndarray
        Evaluations of the map F, or steps.
    numerical_error : float or ndarray
        Estimated error of the overlaps: a coarser rule for F against the one used.
    alpha : float or ndarray
    start : str
    """

    overlap: Any
    test_error: Any
    status: Any
    residual: Any
    iterations: Any
    numerical_error: Any
    alpha: Any
    start: str
    model: str = "state-evolution"

    @property
    def parameters(self) -> Mapping[str, Any]:
        """alpha and start."""
        return {"alpha": self.alpha, "start": self.start}

    def raise_unless_converged(self) -> None:
        """Raise `ConvergenceError` naming the first point without an answer."""
        for index, code in enumerate(np.ravel(np.asarray(self.status, dtype=object))):
            if code != Status.CONVERGED:
                raise ConvergenceError(f"point {index} of {self.model}: {code}: {Status(code).help}")

    def records(self) -> list[dict[str, Any]]:
        """One dictionary a point, in C order."""
        overlap = np.asarray(self.overlap)
        overlap = overlap.reshape(-1, *overlap.shape[-2:])
        columns = {name: np.ravel(np.asarray(getattr(self, name))) for name in ("test_error", *_STATISTICS)}
        return [
            {
                "alpha": json_number(float(alpha)),
                "start": self.start,
                "overlap": json_number(overlap[j].tolist()),
            }
            | {name: json_number(column[j]) for name, column in columns.items()}
            for j, alpha in enumerate(np.ravel(np.asarray(self.alpha)))
        ]

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready: the model and one result a point."""
        return {"model": self.model, "parameters": {"start": self.start}, "results": self.records()}

    def plot(self, axes: Any = None) -> Any:
        """Draw the eigenvalues of the overlap and the test error against alpha; returns the axes."""
        import matplotlib.pyplot as plt

        if axes is None:
            axes = plt.subplots()[1]
        alpha = np.ravel(np.asarray(self.alpha))
        order = np.argsort(alpha)
        overlap = np.asarray(self.overlap).reshape(len(alpha), *np.shape(self.overlap)[-2:])[order]
        for k, column in enumerate(np.linalg.eigvalsh(overlap).T[::-1]):
            axes.plot(alpha[order], column, label=f"overlap, eigenvalue {k + 1}")
        axes.plot(alpha[order], np.ravel(self.test_error)[order], "k--", label="test error")
        axes.set(xlabel="alpha = n/d", ylabel="overlap, error")
        axes.legend()
        return axes

    def cite(self) -> str:
        """The source of the equations."""
        return "state evolution of Bayes-AMP, arXiv 1708.03395 and 2405.15480"
