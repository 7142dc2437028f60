"""Overlaps and errors of Bayes-AMP in the limit of many dimensions, and the thresholds of its one overlap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.numeric.solution import Rule, Solution, json_number

__all__ = ["StateEvolutionSolution", "Thresholds"]

_STATISTICS = ("status", "residual", "iterations", "numerical_error", "rule")


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
    rule : Rule
        How the map F was found from which these are read.
    """

    weak_recovery: float
    algorithmic_jumps: tuple[tuple[float, float, float], ...]
    equilibrium_jumps: tuple[tuple[float, float, float], ...]
    exact_recovery: float
    exact_recovery_information: float
    rule: Rule = Rule.QUADRATURE

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "weak_recovery": json_number(self.weak_recovery),
            "algorithmic_jumps": [list(jump) for jump in self.algorithmic_jumps],
            "equilibrium_jumps": [list(jump) for jump in self.equilibrium_jumps],
            "exact_recovery": json_number(self.exact_recovery),
            "exact_recovery_information": json_number(self.exact_recovery_information),
            "rule": str(self.rule),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class StateEvolutionSolution(Solution):
    """Results at all alpha; arrays have its shape, with two more axes for the overlap.

    Attributes
    ----------
    overlap : ndarray, shape (..., r, r)
        M = W^^T W*/d in the coordinates of the target, 0 <= M <= I: E z^ z for z^ = E[z | data].
    test_error : float or ndarray
        E (E[y|x] - yhat)^2 of the posterior mean of a fresh label, noise excluded. NaN where not converged,
        or where E[y|z] has no closed form; infinite with E f^2.
    status : Status or ndarray of str
    residual : float or ndarray
        |M - step(M)|, largest entry, undamped.
    iterations : int or ndarray
        Evaluations of the map F, or steps.
    numerical_error : float or ndarray
        Estimated error of the overlaps: a coarser rule for F against the one used, and probability that this
        leaves out; where F is sampled, from two standard errors of it.
    rule : Rule or ndarray of str
        How F was found there: "quadrature", "quadrature, interpolated to complete overlap" (three
        coordinates with M = m I and m > 0.95), or "randomised quasi-Monte Carlo".
    alpha : float or ndarray
    start : str
    """

    overlap: Any
    test_error: Any
    numerical_error: Any
    rule: Any
    alpha: Any
    start: str
    model: str = "state-evolution"

    columns: ClassVar[tuple[str, ...]] = ("alpha", "start", "overlap", "test_error", *_STATISTICS)
    shaped: ClassVar[str] = "alpha"

    def plot(self, axes: Any = None, *, thresholds: Thresholds | None = None) -> Any:
        """Draw the eigenvalues of the overlap and the test error against alpha; returns the matplotlib axes.

        Parameters
        ----------
        axes : matplotlib axes, optional
        thresholds : Thresholds, optional
            From `StateEvolution.thresholds()`: weak and exact recovery as vertical lines, jumps of AMP (of
            the equilibrium for the informed start) as dotted ones, where the curves are interrupted.
        """
        import matplotlib.pyplot as plt

        if axes is None:
            axes = plt.subplots()[1]
        alpha = np.ravel(np.asarray(self.alpha))
        order = np.argsort(alpha)
        overlap = np.asarray(self.overlap).reshape(len(alpha), *np.shape(self.overlap)[-2:])[order]
        alpha, error = alpha[order], np.ravel(self.test_error)[order]
        jumps = self._jumps(thresholds)
        for k, (label, column) in enumerate(_staircase(_eigenvalues(overlap))):
            x, y = _interrupted(alpha, column, [j[0] for j in jumps])
            axes.plot(x, y, color=f"C{k}", label=label)
        x, y = _interrupted(alpha, error, [j[0] for j in jumps])
        axes.plot(x, y, "k--", label="test error")
        for place, before, after in jumps:
            axes.plot([place, place], [before, after], ":", color="C0")
        if thresholds is not None:
            for name, place in (
                ("weak recovery", thresholds.weak_recovery),
                ("exact recovery", thresholds.exact_recovery),
                ("exact recovery, any method", thresholds.exact_recovery_information),
            ):
                if alpha[0] <= place <= alpha[-1]:
                    axes.axvline(place, color="0.6", linewidth=0.8)
                    axes.annotate(name, (place, 1.0), rotation=90, va="top", ha="right", fontsize="small")
        axes.set(xlabel="alpha = n/d", ylabel="overlap, error")
        axes.legend()
        return axes

    def _jumps(self, thresholds: Thresholds | None) -> tuple[tuple[float, float, float], ...]:
        if thresholds is None:
            return ()
        alpha = np.asarray(self.alpha)
        found = thresholds.algorithmic_jumps if self.start == "uninformed" else ()
        return tuple(j for j in found if alpha.min() < j[0] < alpha.max())


def _eigenvalues(overlap: NDArray[np.float64]) -> NDArray[np.float64]:
    """In decreasing order, shape (points, r); NaN where there is no answer."""
    found = np.full(overlap.shape[:2], np.nan)
    known = np.isfinite(overlap).all(axis=(1, 2))
    found[known] = np.linalg.eigvalsh(overlap[known])[:, ::-1]
    return found


def _staircase(values: NDArray[np.float64]) -> list[tuple[str, NDArray[np.float64]]]:
    """One curve for each group of eigenvalues that agree everywhere."""
    columns: list[tuple[list[int], NDArray[np.float64]]] = []
    for k, column in enumerate(values.T):
        if columns and np.allclose(columns[-1][1], column, atol=1e-6, equal_nan=True):
            columns[-1][0].append(k + 1)
        else:
            columns.append(([k + 1], column))
    if len(columns) == 1:
        return [("overlap", columns[0][1])]
    return [("overlap, eigenvalue " + " and ".join(map(str, which)), column) for which, column in columns]


def _interrupted(
    x: NDArray[np.float64], y: NDArray[np.float64], places: Sequence[float]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """A curve with a gap at each of some places."""
    at = np.searchsorted(x, places)
    return np.insert(x, at, places), np.insert(y, at, np.nan)
