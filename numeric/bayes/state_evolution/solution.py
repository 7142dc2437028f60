"""Overlaps and errors of Bayes-AMP in the limit of many dimensions, and the thresholds of its one overlap."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.foundation.arrays import Numbers
from hermite_analytics.foundation.json import Document
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.numeric.frozen import json_number
from hermite_analytics.numeric.solution import Solution
from hermite_analytics.numeric.status import Rule
from hermite_analytics.rendering import Column, Drawing, Frame, Mark, Result, Role

__all__ = ["StateEvolutionSolution", "Thresholds"]

_STATISTICS = ("status", "residual", "iterations", "numerical_error", "error_of_test_error", "rule")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Thresholds(Result):
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

    def marks(self) -> tuple[Mark, ...]:
        """Weak and exact recovery as lines, and the jumps of AMP."""
        places = {
            "weak recovery": self.weak_recovery,
            "exact recovery": self.exact_recovery,
            "exact recovery, any method": self.exact_recovery_information,
        }
        jumps = (
            Mark(name="jump", place=place, jump=(before, after))
            for place, before, after in self.algorithmic_jumps
        )
        return (*(Mark(name=name, place=place) for name, place in places.items()), *jumps)

    def frame(self) -> Frame:
        """A row a place, with the overlaps from which and to which AMP, or the equilibrium, jumps there."""
        from hermite_analytics.numeric.models.state_evolution.record import STATE_EVOLUTION

        places = [
            ("weak recovery", self.weak_recovery, math.nan, math.nan),
            *(("jump of AMP", *jump) for jump in self.algorithmic_jumps),
            *(("jump of the equilibrium", *jump) for jump in self.equilibrium_jumps),
            ("exact recovery by AMP", self.exact_recovery, math.nan, math.nan),
            ("exact recovery by any method", self.exact_recovery_information, math.nan, math.nan),
        ]
        names = ("threshold", "alpha", "overlap_before", "overlap_after")
        return Frame(
            title="thresholds of state evolution",
            rows=tuple(dict(zip(names, place, strict=True)) for place in places),
            columns={
                "threshold": Column(name="threshold", role=Role.PARAMETER),
                "alpha": Column(name="alpha", symbol=r"\alpha", formula="n/d"),
            },
            fixed={"rule": str(self.rule)},
            sources=STATE_EVOLUTION.sources,
        )

    def document(self) -> Document:
        """JSON-ready."""
        return {
            "weak_recovery": json_number(self.weak_recovery),
            "algorithmic_jumps": [list(jump) for jump in self.algorithmic_jumps],
            "equilibrium_jumps": [list(jump) for jump in self.equilibrium_jumps],
            "exact_recovery": json_number(self.exact_recovery),
            "exact_recovery_information": json_number(self.exact_recovery_information),
            "rule": str(self.rule),
        }


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
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
    error_of_test_error : float or ndarray
        Estimated error of `test_error`: twice the change with a coarser rule, and what errors of the overlaps
        change. NaN where `test_error` is no number.
    rule : Rule or ndarray of str
        How F was found there: "quadrature", "quadrature, interpolated to complete overlap" (three
        coordinates with M = m I and m > 0.95), or "randomised quasi-Monte Carlo".
    alpha : float or ndarray
    start : str
    """

    overlap: Any
    test_error: Numbers
    numerical_error: Numbers
    error_of_test_error: Numbers
    rule: str | NDArray[np.str_]
    alpha: Numbers
    start: str
    model: str = "state-evolution"

    columns: ClassVar[tuple[str, ...]] = ("alpha", "start", "overlap", "test_error", *_STATISTICS)
    shaped: ClassVar[str] = "alpha"

    def drawing(self) -> Drawing:
        """Eigenvalues of the overlap, a curve for each group of them that agree everywhere, and the error."""
        count = math.prod(self.shape)
        overlap = np.reshape(self.overlap, (count, *np.shape(self.overlap)[-2:]))
        groups = _staircase(_eigenvalues(overlap))
        base = self.frame()
        rows = tuple(
            {name: cell for name, cell in row.items() if name != "overlap"}
            | {name: float(column[j]) for name, column in groups}
            for j, row in enumerate(base.rows)
        )
        values = (*(name for name, _ in groups), "test_error")
        return Drawing(
            frame=replace(base, rows=rows),
            values=values,
            ordinate="overlap, error",
            jumps=self.start == "uninformed",
        )


def _eigenvalues(overlap: Array) -> Array:
    """In decreasing order, shape (points, r); NaN where there is no answer."""
    found = np.full(overlap.shape[:2], np.nan)
    known = np.isfinite(overlap).all(axis=(1, 2))
    found[known] = np.linalg.eigvalsh(overlap[known])[:, ::-1]
    return found


def _staircase(values: Array) -> list[tuple[str, Array]]:
    """One curve for each group of eigenvalues that agree everywhere."""
    columns: list[tuple[list[int], Array]] = []
    for k, column in enumerate(values.T):
        if columns and np.allclose(columns[-1][1], column, atol=1e-6, equal_nan=True):
            columns[-1][0].append(k + 1)
        else:
            columns.append(([k + 1], column))
    if len(columns) == 1:
        return [("overlap", columns[0][1])]
    return [("eigenvalue " + " and ".join(map(str, which)) + " of the overlap", c) for which, c in columns]
