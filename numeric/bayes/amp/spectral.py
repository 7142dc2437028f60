"""The spectral method: leading eigenvectors of sum_i T(y_i) x_i x_i^T with the best preprocessing T."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from hermite_analytics.errors import ConvergenceError, InputError
from hermite_analytics.foundation import arrays
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.foundation.ranges import POSITIVE
from hermite_analytics.foundation.seconds import require_seconds
from hermite_analytics.label.channel import Channel, channel_of
from hermite_analytics.numeric.bayes.amp.data import Data, start_normals
from hermite_analytics.numeric.bayes.amp.overlaps import principal_overlaps
from hermite_analytics.numeric.bayes.amp.preprocessing import Preprocessing, predicted
from hermite_analytics.numeric.checks import checked
from hermite_analytics.numeric.frozen import ReadOnly, frozen
from hermite_analytics.numeric.solution import Along, Solution

if TYPE_CHECKING:
    from hermite_analytics.target import Target

__all__ = ["Modes", "SpectralMethod", "SpectralResult", "leading_modes"]

_DENSE = 400  # order of the matrix up to which it is formed
_SILENT = 1e-9  # of E[z z^T | y] - I


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class SpectralResult(Solution):
    """Directions found by the spectral method. Arrays are read-only.

    Attributes
    ----------
    estimate : ndarray, shape (d, r)
        Orthonormal in the directions that the label depends on: their span is the estimate, its basis and
        signs are free. For one direction a unit vector.
    overlap : float or ndarray of shape (q,), or None
        With a teacher, squared cosines of the principal angles between the spans, descending; a float for one
        direction.
    predicted_overlap : float or None
        Its limit for one direction, with the averages over labels estimated from those given; None for
        several.
    eigenvalues : ndarray, descending
        The leading ones of (1/d) sum_i x_i x_i^T (x) T(y_i): q^2 that may leave the bulk, and one more.
    predicted_eigenvalue, predicted_edge : float or None
        The limit of the first one, and of the edge of the bulk, for one direction.
    threshold : float
        The alpha = n/d above which the method finds something, estimated from the labels; inf if none does.
    parameters : mapping
        target, n, d, alpha.

    Examples
    --------
    >>> x = np.random.default_rng(1).standard_normal((800, 200))
    >>> result = SpectralMethod("z1**2").run(x, x[:, 0] ** 2, teacher=np.eye(200)[0])
    >>> result.estimate.shape, bool(result.overlap > 0.5)
    ((200, 1), True)
    """

    estimate: Array
    overlap: arrays.Numbers | None
    predicted_overlap: float | None
    eigenvalues: Array
    predicted_eigenvalue: float | None
    predicted_edge: float | None
    threshold: float
    model: str = "spectral"
    equations: str = "optimal preprocessing: arXiv 1708.05932, 1811.04420; overlap: arXiv 1702.06435"

    columns: ClassVar[tuple[str, ...]] = (
        *(
            "overlap",
            "predicted_overlap",
            "eigenvalues",
            "predicted_eigenvalue",
            "predicted_edge",
            "threshold",
        ),
        *("status", "residual", "iterations"),
    )
    shaped: ClassVar[str] = "threshold"
    along: ClassVar[Along | None] = Along(
        name="number",
        values=("eigenvalues",),
        first=1,
        points=True,
        levels={"predicted_edge": "edge of the bulk", "predicted_eigenvalue": "outlier"},
    )


@dataclass(frozen=True, slots=True, eq=False)
class SpectralMethod:
    """Estimate the directions of a target from second-order statistics of the data.

    The leading eigenvectors of sum_i x_i x_i^T (x) T(y_i) with T(y) = I - E[z z^T | y]^-1: AMP linearised at
    the estimate 0. It finds something above the weak-recovery threshold alpha_c of the target if
    E[z | y] = 0, and nothing below.

    Parameters
    ----------
    target : Target or str
        With labels that `AMP` takes.
    seconds : float > 0
        Time to prepare the channel.

    Raises
    ------
    UnsupportedExpression
        For labels whose law no engine covers.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> teacher = np.ones(400) / 20
    >>> x = rng.standard_normal((1200, 400))
    >>> found = SpectralMethod("z1**2").run(x, (x @ teacher) ** 2, teacher=teacher)
    >>> found.overlap > 0.6, abs(found.overlap - found.predicted_overlap) < 0.15
    (True, True)
    """

    target: Target | str
    seconds: float = field(default=30.0, kw_only=True)
    channel: Channel = field(init=False, repr=False)

    def __post_init__(self) -> None:
        require_seconds(self.seconds)
        object.__setattr__(self, "channel", channel_of(self.target, seconds=self.seconds))
        self.channel.require_information(self.target)

    def run(
        self,
        x: arrays.Values,
        y: arrays.Values,
        *,
        teacher: ArrayLike | None = None,
        tolerance: float = 1e-8,
        seed: int = 0,
        normals: Array | None = None,
    ) -> SpectralResult:
        """Find the directions.

        Parameters
        ----------
        x : array, shape (n, d)
            Inputs N(0, I_d), of any array API library.
        y : array, shape (n,)
        teacher : array, shape (d, r) or (d,), optional
            To measure overlaps: column k is the direction of z_k.
        tolerance : float > 0
            Relative, of the eigenvalues.
        seed : int
            Of the vector that the eigenvalue solver starts from: changes results by rounding, and signs.
        normals : array, shape (d, q), optional
            That vector, instead of the seed's.

        Raises
        ------
        InputError
            If the data do not fit, or the labels say nothing of second order.
        ConvergenceError
            If the eigenvalue solver does not converge.
        """
        checked("tolerance", tolerance, POSITIVE)
        data = Data.of(x, y)
        rows = self.channel.rows[list(self.channel.seen)]
        q, r = rows.shape
        moments = self.channel.at(data.y, alone=True)
        preprocessing = Preprocessing.of(moments, data.n, q)
        if float(np.abs(preprocessing.second - np.eye(q)).max()) < _SILENT:
            raise InputError(
                f"the labels of {self.target} say nothing of second order, E[z z^T | y] = I: the spectral "
                "method takes labels that do; where E[z | y] is not 0, AMP needs no spectral start"
            )
        first = start_normals(seed, (data.d, q)) if normals is None else normals
        modes = leading_modes(data, preprocessing.matrices, first, tolerance=tolerance)
        basis = modes.span()
        overlap = None
        if teacher is not None:
            w = data.directions(teacher, r) @ rows.T
            measured = principal_overlaps(basis.T @ basis, basis.T @ w, w.T @ w)
            overlap = float(measured[0]) if q == 1 else frozen(measured)
        limit = None
        if q == 1:
            limit = predicted(preprocessing.matrices[:, 0, 0], preprocessing.second[:, 0, 0], data.n / data.d)
        return SpectralResult(
            estimate=frozen(basis @ rows),
            overlap=overlap,
            predicted_overlap=None if limit is None else limit.overlap,
            eigenvalues=frozen(modes.eigenvalues),
            predicted_eigenvalue=None if limit is None else limit.eigenvalue,
            predicted_edge=None if limit is None else limit.edge,
            threshold=preprocessing.threshold,
            parameters=ReadOnly(
                {"target": str(self.target), "n": data.n, "d": data.d, "alpha": data.n / data.d}
            ),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Modes:
    """Leading eigenvectors, each a d x q matrix of norm 1, and their eigenvalues with one more.

    There are up to q^2 that leave the bulk: the (q^2 + 1)-th eigenvalue stands for its edge, and the distance
    to it is the weight of a mode.
    """

    eigenvalues: Array
    matrices: Array

    @property
    def weights(self) -> Array:
        """(l_k - edge)/(l_1 - edge), shape (q^2,)."""
        above = self.eigenvalues[:-1] - self.eigenvalues[-1]
        return np.asarray(above / max(float(above[0]), np.finfo(float).tiny))

    def span(self) -> Array:
        """The q orthonormal directions that carry most weight, shape (d, q)."""
        q = self.matrices.shape[2]
        scaled = np.sqrt(self.weights)[:, None, None] * self.matrices
        stacked = scaled.transpose(1, 0, 2).reshape(scaled.shape[1], -1)
        return np.asarray(np.linalg.svd(stacked, full_matrices=False)[0][:, :q])


def leading_modes(data: Data, matrices: Array, first: Array, *, tolerance: float) -> Modes:
    """The leading q^2 + 1 eigenpairs of (1/d) sum_i x_i x_i^T (x) T_i, without forming it if it is large.

    Each mode has the sign of its product with `first`, shape (d, q), where the solver starts: a random one.

    Raises
    ------
    InputError
        If d is too small for them.
    ConvergenceError
        If the solver does not converge.
    """
    q = matrices.shape[1]
    order, count = data.d * q, q * q + 1
    if order <= count:
        raise InputError(f"x has {data.d} columns: the spectral method takes d > {(count // q)} of them")
    if q == 1:
        flat = data.device(matrices[:, 0, 0])[:, None]

        def weighed(p: arrays.Array) -> arrays.Array:
            return flat * p
    else:
        stack = data.device(matrices)

        def weighed(p: arrays.Array) -> arrays.Array:
            return data.xp.sum(stack * p[:, None, :], axis=2)

    def apply(vector: Array) -> Array:
        w = data.device(np.reshape(vector, (data.d, q)))
        return data.host(data.of_weights(weighed(data.of_samples(w)))).ravel() / data.d

    if order <= _DENSE:
        matrix = np.stack([apply(e) for e in np.eye(order)], axis=1)
        values, vectors = np.linalg.eigh(0.5 * (matrix + matrix.T))
    else:
        operator = LinearOperator((order, order), matvec=apply, dtype=np.float64)
        try:
            values, vectors = eigsh(operator, k=count, which="LA", v0=first.ravel(), tol=tolerance)
        except ArpackNoConvergence:
            raise ConvergenceError(
                "the eigenvalues are too close for the solver: try a larger tolerance"
            ) from None
    leading = np.argsort(values)[::-1][:count]
    modes = vectors[:, leading[:-1]]
    modes = modes * np.where(first.ravel() @ modes < 0, -1.0, 1.0)
    return Modes(eigenvalues=values[leading], matrices=modes.T.reshape(count - 1, data.d, q))
