"""`GaussianCovariates`: a generalised linear model on correlated Gaussian features, with any convex loss."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hermite_analytics.conditional import target_data
from hermite_analytics.errors import InputError
from hermite_analytics.numeric.checks import checked, on_one_grid, read_texts
from hermite_analytics.numeric.classes import cells_of, wrong_share
from hermite_analytics.numeric.learning_curve import LearningCurve
from hermite_analytics.numeric.losses.loss import Loss
from hermite_analytics.numeric.random_features.convex import outcome, saddle_points
from hermite_analytics.numeric.random_features.model import status_texts
from hermite_analytics.numeric.random_features.saddle import COLUMNS
from hermite_analytics.numeric.ranges import NOT_NEGATIVE, POSITIVE
from hermite_analytics.numeric.solution import ReadOnly, frozen, statuses
from hermite_analytics.target import Target

__all__ = ["GaussianCovariates"]

Array = NDArray[np.float64]
_RATIOS = ("alpha", "ridge", "noise")
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GaussianCovariates:
    """A student on features v and a teacher on features u, jointly Gaussian.

    The label is y = f(z1), z1 = theta.u/sqrt(k) scaled to variance 1; the student fits a.v/sqrt(p).

    Parameters
    ----------
    psi : array_like, shape (k, k)
        E u u^T.
    phi : array_like, shape (k, p)
        E u v^T.
    omega : array_like, shape (p, p)
        E v v^T.
    theta : array_like, shape (k,)
        The teacher's weights, theta.psi.theta > 0.
    target : Target or str
        f, of one direction.
    loss : Loss or str
        See `losses.Loss`.

    Raises
    ------
    InputError
        If the shapes do not fit or the matrices are not those of a joint law.

    Examples
    --------
    Isotropic features that the teacher shares, which is linear regression:

    >>> import numpy as np
    >>> one = np.eye(50)
    >>> model = GaussianCovariates(psi=one, phi=one, omega=one, theta=np.ones(50), target="z1")
    >>> solution = model.solve(alpha=2, ridge=1e-9, noise=0.5)
    >>> print(f"{solution.test_error:.6f}")
    0.500000
    """

    psi: Any = field(repr=False)
    phi: Any = field(repr=False)
    omega: Any = field(repr=False)
    theta: Any = field(repr=False)
    target: Target
    loss: Loss = Loss("square")  # noqa: RUF009 -- immutable
    spectrum: Array = field(init=False, repr=False)
    shares: Array = field(init=False, repr=False)

    def __post_init__(self) -> None:
        read_texts(self, target=Target, loss=Loss)
        self.target.single_index()
        spectrum, shares = _diagonal(
            *(checked(n, getattr(self, n)) for n in ("psi", "phi", "omega", "theta"))
        )
        object.__setattr__(self, "spectrum", frozen(spectrum))
        object.__setattr__(self, "shares", frozen(shares))
        if self.loss.of_margin:
            from hermite_analytics.numeric.random_features.labels import sign_cells

            sign_cells(self.target)

    def solve(
        self,
        *,
        alpha: ArrayLike,
        ridge: ArrayLike,
        noise: ArrayLike = 0.0,
        tolerance: float = 1e-12,
        max_steps: int = 200,
        throw: bool = False,
    ) -> LearningCurve:
        """Test error, training error and overlaps.

        Parameters
        ----------
        alpha : array_like > 0
            n/p.
        ridge : array_like > 0
            lambda of sum_i (y_i - a.v_i/sqrt p)^2 + lambda |a|^2, or of sum_i l + (lambda/2) |a|^2.
        noise : array_like >= 0
            Variance of the label noise.
        tolerance, max_steps, throw
            As for `RandomFeatures.solve`.

        Returns
        -------
        LearningCurve
            With the overlaps V, Q, M of the field: its response, variance and overlap with z1.
        """
        given = on_one_grid(
            alpha=checked("alpha", alpha, POSITIVE),
            ridge=checked("ridge", ridge, POSITIVE),
            noise=checked("noise", noise, NOT_NEGATIVE),
        )
        arrays = list(given.values())
        if not (0.0 < tolerance < 1.0) or max_steps < 1:
            raise InputError("tolerance lies in (0, 1) and max_steps is at least 1")
        shape = arrays[0].shape
        flat = [np.array(a, dtype=np.float64).reshape(-1) for a in arrays]
        grid = saddle_points(
            self.loss,
            self.target,
            (flat[0], np.ones_like(flat[0]), flat[1], flat[2] + float(self.target.noise_variance)),
            intercept=False,
            features=(np.array(self.spectrum), np.array(self.shares)),
            constants=(1.0, 0.0),
            tolerance=tolerance,
            max_steps=max_steps,
        )
        column = {name: grid.values[:, j].reshape(shape) for j, name in enumerate(COLUMNS)}
        shared = {name: values.reshape(shape) for name, values in outcome(self.loss, grid).items()}
        mean, slope, second = target_data(self.target)
        power = (slope - column["M"]) ** 2 + (column["Q"] - column["M"] ** 2) + (second - slope**2)
        texts = {"target": self.target.text, "loss": self.loss.text}
        cells = cells_of(self.target)
        none = np.zeros(shape)
        wrong = None if cells is None else frozen(wrong_share(cells, none, column["Q"], column["M"]))
        solution = LearningCurve(
            model="gaussian-covariates",
            equations="arXiv 2102.08127 (Loureiro et al.), as in docs/random_features.md",
            parameters=ReadOnly(texts | {n: frozen(a) for n, a in zip(_RATIOS, arrays, strict=True)}),
            varied=_RATIOS,
            test_error=frozen(column["wrong"] if self.loss.of_margin else power),
            train_error=frozen(shared["train_error"]),
            square_error=frozen(power),
            misclassification=wrong,
            linear_floor=float("nan") if self.loss.of_margin else second - slope**2 - mean**2,
            overlaps=ReadOnly({name: frozen(column[name]) for name in ("V", "Q", "M")}),
            status=statuses(status_texts(shared["code"])),
            residual=frozen(shared["residual"]),
            iterations=frozen(shared["steps"]),
            numerical_error=frozen(shared["numerical_error"]),
        )
        if throw:
            solution.raise_unless_converged()
        return solution


def _diagonal(psi: Array, phi: Array, omega: Array, theta: Array) -> tuple[Array, Array]:
    """Eigenvalues of omega, and (eigenvector . phi^T theta)^2/k of the normalised teacher."""
    k, p = theta.size, omega.shape[0] if omega.ndim == 2 else 0
    if theta.ndim != 1 or psi.shape != (k, k) or omega.shape != (p, p) or phi.shape != (k, p) or k * p == 0:
        raise InputError(
            f"psi, phi, omega, theta have shapes {psi.shape}, {phi.shape}, {omega.shape}, {theta.shape}; "
            "(k, k), (k, p), (p, p), (k,) are accepted"
        )
    for name, matrix in (("psi", psi), ("omega", omega)):
        if np.max(np.abs(matrix - matrix.T)) > _ROUNDING * max(float(np.max(np.abs(matrix))), 1e-300):
            raise InputError(f"{name} is not symmetric; a covariance matrix is accepted")
    power = float(theta @ psi @ theta) / k
    if power <= 0.0:
        raise InputError(f"theta.psi.theta is {power * k:g}; a positive variance of the teacher is accepted")
    spectrum, vectors = np.linalg.eigh(omega)
    largest = float(spectrum[-1])
    if largest <= 0.0 or spectrum[0] < -_ROUNDING * largest:
        raise InputError(f"omega has the eigenvalue {spectrum[0]:g}; a covariance matrix, not 0, is accepted")
    spectrum = np.maximum(spectrum, 0.0)
    shares = (vectors.T @ (phi.T @ theta)) ** 2 / (k * power)
    seen = spectrum > _ROUNDING * largest
    explained = float(np.sum(shares[seen] / spectrum[seen]))
    if explained > 1.0 + _ROUNDING or float(np.sum(shares[~seen])) > _ROUNDING * largest:
        raise InputError(
            f"phi explains {explained:.6g} of the teacher's variance; psi, phi, omega of a joint law explain "
            "at most 1"
        )
    return spectrum, shares
