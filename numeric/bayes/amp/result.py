"""What a run of AMP gives: the estimate, its path, and how far the run can be trusted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.numeric.solution import Along, Solution
from hermite_analytics.numeric.status import Rule

__all__ = ["AMPResult"]

_MOST_ERROR = 0.01  # of a squared cosine


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class AMPResult(Solution):
    """The end and the path of one run; index 0 of a path is the start. Arrays are read-only.

    Attributes
    ----------
    estimate : ndarray, shape (d, r)
        W^, the posterior mean of the directions of z_1..z_r: x W^ estimates z. |W^|^2 is near the overlap,
        not 1.
    covariance : ndarray, shape (r, r)
        V = Cov(z | data): z of a fresh x is N(x W^, V).
    overlap, expected_overlap : float or ndarray of shape (q,)
        The last of `overlaps` and `expected_overlaps`; overlap is None without a teacher.
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
    noise : ndarray, shape (q, q)
        alpha <e e^T> at the end, with e what the moments of a label are off in g_out, from two sets of points
        a label or a coarser rule; 0 where they are closed forms or fine quadratures. `square` has it in it.
    moment_error : float
        The largest eigenvalue of C noise C, C = V: the squared length per direction that this puts into W^,
        which adds to no overlap.
    residuals : ndarray, shape (iterations,)
        |change of W^|/sqrt(q), undamped; one more, not a number or huge, if the last step diverged. The last
        is `residual`.
    iterations : int
        Steps that were done; one that diverged does not count.
    impossible : int
        Labels that the last step left out, since omega and V give them probability 0.
    rule : Rule
        How the moments of the labels were found in the last step: "quadrature", closed forms included, or
        "randomised quasi-Monte Carlo" of one label at least, with one sequence for the whole run.
    parameters : mapping
        target, n, d, alpha, start, damping, damping_steps, tolerance, seed.

    Examples
    --------
    >>> import numpy as np
    >>> from hermite_analytics.numeric import AMP
    >>> x = np.random.default_rng(1).standard_normal((600, 200))
    >>> result = AMP("sign(z1)").run(x, np.sign(x[:, 0]), teacher=np.eye(200)[0])
    >>> result.estimate.shape, bool(abs(result.overlap - result.expected_overlaps[-1]) < 0.1)
    ((200, 1), True)
    """

    estimate: Array
    covariance: Array
    overlap: Any
    expected_overlap: Any
    overlaps: Array | None
    expected_overlaps: Array
    overlap_matrix: Array | None
    covariances: Array
    directions: Array
    slope: Array
    square: Array
    noise: Array
    moment_error: float
    residuals: Array
    impossible: int
    rule: Rule
    model: str = "amp"
    equations: str = "generalised AMP, arXiv 1010.5141; for several indices arXiv 2405.15480"

    columns: ClassVar[tuple[str, ...]] = (
        *("overlap", "expected_overlap", "covariance", "moment_error", "impossible", "rule"),
        *("status", "residual", "iterations"),
    )
    shaped: ClassVar[str] = "impossible"

    @property
    def remarks(self) -> tuple[str, ...]:
        """Whether what moments are off shows in the overlaps."""
        if not self.moment_error > _MOST_ERROR:
            return ()
        return (
            f"the moments of single labels are coarse: their errors put {self.moment_error:.2g} into the "
            "squared length of the estimate, and overlaps fall short of what is expected by about as much",
        )

    along: ClassVar[Along | None] = Along(name="iteration", values=("overlaps", "expected_overlaps"))
