"""What a run of AMP gives: the estimate, its path, and how far the run can be trusted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.errors import ConvergenceError
from hermite_analytics.numeric.solution import Rule, Status, json_number

__all__ = ["AMPResult"]

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class AMPResult:
    """The end and the path of one run; index 0 of a path is the start. Arrays are read-only.

    Attributes
    ----------
    estimate : ndarray, shape (d, r)
        W^, the posterior mean of the directions of z_1..z_r: x W^ estimates z. |W^|^2 is near the overlap,
        not 1.
    covariance : ndarray, shape (r, r)
        V = Cov(z | data): z of a fresh x is N(x W^, V).
    overlaps : ndarray, shape (iterations + 1,) or (iterations + 1, q), or None
        With a teacher, squared cosines of the principal angles between the spans of W^ and W*, descending;
        q is the number of directions that are followed, one has no axis.
    expected_overlaps : ndarray of the same shape
        Eigenvalues of I - V: equal to the overlaps in the limit, if the run is Bayes-optimal.
    overlap_matrix : ndarray, shape (r, r), or None
        With a teacher, W^^T W* at the end.
    covariances : ndarray, shape (iterations + 1, r, r)
    directions : ndarray, shape (q, r)
        Orthonormal rows: the coordinates (row k).z that were followed; others have the estimate 0.
    slope, square : ndarray, shape (q, q)
        alpha <-d g_out> and alpha <g_out g_out^T> at the end: equal in the limit, by the Nishimori identity.
    status : Status
    residuals : ndarray, shape (iterations,)
        |change of W^|/sqrt(q), undamped; one more, not a number or huge, if the last step diverged.
    impossible : int
        Labels that the last step left out, since omega and V give them probability 0.
    rule : Rule
        How the moments of the labels were found: "quadrature", closed forms included, or "randomised
        quasi-Monte Carlo" with one sequence for the whole run.
    parameters : mapping
        target, n, d, alpha, start, damping, damping_steps, tolerance, seed.

    Examples
    --------
    >>> from hermite_analytics.numeric import AMP
    >>> x = np.random.default_rng(1).standard_normal((600, 200))
    >>> result = AMP("sign(z1)").run(x, np.sign(x[:, 0]), teacher=np.eye(200)[0])
    >>> result.estimate.shape, bool(abs(result.overlap - result.expected_overlaps[-1]) < 0.1)
    ((200, 1), True)
    """

    estimate: Array
    covariance: Array
    overlaps: Array | None
    expected_overlaps: Array
    overlap_matrix: Array | None
    covariances: Array
    directions: Array
    slope: Array
    square: Array
    status: Status
    residuals: Array
    impossible: int
    rule: Rule
    parameters: Mapping[str, Any]
    model: str = "amp"

    @property
    def overlap(self) -> Any:
        """The overlaps at the end: a float for one direction; None without a teacher."""
        if self.overlaps is None:
            return None
        return float(self.overlaps[-1]) if self.overlaps.ndim == 1 else self.overlaps[-1]

    @property
    def iterations(self) -> int:
        """Steps that were done; one that diverged does not count."""
        return len(self.expected_overlaps) - 1

    @property
    def residual(self) -> float:
        """Of the last step, undamped."""
        return float(self.residuals[-1])

    def raise_unless_converged(self) -> None:
        """Raise `ConvergenceError` if the last change is above the tolerance."""
        if self.status != Status.CONVERGED:
            raise ConvergenceError(f"{self.model}: {self.status}: {self.status.help}")

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready, without the estimate and the path."""
        return {
            "model": self.model,
            "parameters": dict(self.parameters),
            "overlap": None if self.overlaps is None else json_number(np.asarray(self.overlap).tolist()),
            "expected_overlap": json_number(self.expected_overlaps[-1].tolist()),
            "covariance": json_number(self.covariance.tolist()),
            "status": str(self.status),
            "residual": json_number(self.residual),
            "iterations": self.iterations,
            "impossible": self.impossible,
            "rule": str(self.rule),
        }

    def plot(self, axes: Any = None) -> Any:
        """Draw the overlaps of each iteration, and those expected from V (dashed); returns the axes."""
        import matplotlib.pyplot as plt

        if axes is None:
            axes = plt.subplots()[1]
        steps = np.arange(self.iterations + 1)
        expected = self.expected_overlaps.reshape(len(steps), -1).T
        measured = None if self.overlaps is None else self.overlaps.reshape(len(steps), -1).T
        for k, line in enumerate(expected):
            name = f" {k + 1}" if len(expected) > 1 else ""
            if measured is not None:
                axes.plot(steps, measured[k], color=f"C{k}", label=f"overlap{name}")
            axes.plot(steps, line, "--", color=f"C{k}", label=f"1 - V{name}")
        axes.set(xlabel="iteration", ylabel="squared overlap", ylim=(-0.02, 1.02))
        axes.legend()
        return axes

    def cite(self) -> str:
        """The source of the iteration."""
        return "generalised AMP, arXiv 1010.5141; for several indices arXiv 2405.15480"
