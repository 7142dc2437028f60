"""`GaussianCovariates`: a generalised linear model on correlated Gaussian features, with any convex loss."""

from __future__ import annotations

import functools
from concurrent.futures import Executor
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from hermite_analytics.conditional import target_data
from hermite_analytics.errors import InputError
from hermite_analytics.executors.timed import executor_of
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.foundation.ranges import NOT_NEGATIVE, POSITIVE
from hermite_analytics.numeric.best_ridge import RIDGES, Alternatives, looked_for, measure_of, with_best_ridge
from hermite_analytics.numeric.checks import (
    check_method,
    checked,
    on_one_grid,
    read_texts,
    take_one_direction,
)
from hermite_analytics.numeric.classes import add_classes, check_measure
from hermite_analytics.numeric.frozen import ReadOnly, frozen
from hermite_analytics.numeric.learning_curve import LearningCurve
from hermite_analytics.numeric.losses.loss import Loss
from hermite_analytics.numeric.models.random_features.convex import outcome, saddle_points
from hermite_analytics.numeric.models.random_features.covariates_square import square_covariates
from hermite_analytics.numeric.models.random_features.labels import checked_flips
from hermite_analytics.numeric.models.random_features.saddle import COLUMNS
from hermite_analytics.numeric.spread import flat_results, raise_if_ended
from hermite_analytics.numeric.status import AT_BORDER, status_texts, statuses
from hermite_analytics.target import Target

__all__ = ["GaussianCovariates"]

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
    flips : float in [0, 1/2)
        Share of training labels 1 and -1 that have the other sign.

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
    >>> solution = model.solve(alpha=2, ridge=0, noise=0.5)
    >>> print(f"{solution.test_error:.6f}")
    0.500000
    """

    psi: ArrayLike = field(repr=False)
    phi: ArrayLike = field(repr=False)
    omega: ArrayLike = field(repr=False)
    theta: ArrayLike = field(repr=False)
    target: Target
    loss: Loss = Loss("square")  # noqa: RUF009 -- immutable
    flips: float = 0.0
    spectrum: Array = field(init=False, repr=False)
    shares: Array = field(init=False, repr=False)

    def __post_init__(self) -> None:
        read_texts(self, target=Target, loss=Loss)
        take_one_direction(self)
        spectrum, shares = _diagonal(
            *(checked(n, getattr(self, n)) for n in ("psi", "phi", "omega", "theta"))
        )
        object.__setattr__(self, "spectrum", frozen(spectrum))
        object.__setattr__(self, "shares", frozen(shares))
        if self.loss.of_margin:
            from hermite_analytics.numeric.models.random_features.labels import sign_cells

            sign_cells(self.target)
        object.__setattr__(self, "flips", checked_flips(self.flips, self.target))

    def solve(
        self,
        *,
        alpha: ArrayLike,
        ridge: ArrayLike,
        noise: ArrayLike = 0.0,
        tolerance: float = 1e-12,
        max_steps: int = 200,
        throw: bool = False,
        executor: Executor | None = None,
        seconds: float | None = None,
    ) -> LearningCurve:
        """Test error, training error and overlaps.

        Parameters
        ----------
        alpha : array_like > 0
            n/p.
        ridge : array_like >= 0, or a text
            lambda of sum_i (y_i - a.v_i/sqrt p)^2 + lambda |a|^2, where 0 is the limit lambda -> 0; or of
            sum_i l + (lambda/2) |a|^2 for another loss, which needs lambda > 0. "optimal" is the one of the
            smallest test error, over all ridges for the square loss (0 and inf included) and from 1e-9 to 1e9
            for others, with the status `at_border` at either end; "optimal:square_error" and
            "optimal:misclassification" are the best for these.
        noise : array_like >= 0
            Variance of the label noise.
        tolerance, max_steps, throw
            As for `RandomFeatures.solve`.
        executor : Executor, optional
            Of `concurrent.futures`, or anything with its `submit`: the points are solved there, in pieces.
        seconds : float > 0, optional
            Of the processor, in place of an executor: pieces of the points that are not begun by then are
            NaN, `time_ended`.

        Returns
        -------
        LearningCurve
            With the overlaps V, Q, M of the field: its response, variance and overlap with z1; with the
            misclassification of a target of the values 1 and -1, and the calibration error of probabilities.
        """
        measure = measure_of(ridge)
        given = on_one_grid(
            alpha=checked("alpha", alpha, POSITIVE),
            ridge=checked("ridge", 1.0 if measure else ridge, NOT_NEGATIVE),
            noise=checked("noise", noise, NOT_NEGATIVE),
        )
        check_method(tolerance, max_steps)
        flat = {name: np.array(x, dtype=np.float64).reshape(-1) for name, x in given.items()}
        flat["noise"] += float(self.target.noise_variance)

        solved = functools.partial(self._results, tolerance=tolerance, max_steps=max_steps)
        results = functools.partial(
            flat_results, solved, executor=executor_of(executor, seconds), keeps=measure is None
        )

        if measure is None:
            found, listed = results(flat), None
        else:
            check_measure(measure, self.target)
            best = with_best_ridge(
                flat, measure, results, power=target_data(self.target)[2], at_border=AT_BORDER,
                limits=self.loss.is_square,
            )  # fmt: skip
            found, listed = best.results, best.alternatives
            given["ridge"] = best.ridge.reshape(given["ridge"].shape)
        solution = self._solution(given, found, listed, measure)
        raise_if_ended(solution)
        if throw:
            solution.raise_unless_converged()
        return solution

    @property
    def _floor(self) -> float:
        mean, slope, second = target_data(self.target)
        return (1.0 - 2.0 * self.flips) ** 2 * (second - slope**2 - mean**2)

    def _results(self, flat: dict[str, Array], tolerance: float, max_steps: int) -> dict[str, Array]:
        """Flat arrays by name."""
        kept = 1.0 - 2.0 * self.flips
        _, slope, second = target_data(self.target)
        if self.loss.is_square:
            found = square_covariates(flat, self.spectrum, self.shares, kept * slope, second)
        else:
            found = self._convex_results(flat, tolerance, max_steps)
        found["square_error"] = kept**2 * second - 2.0 * kept * slope * found["M"] + found["Q"]
        found["test_error"] = found["wrong"] if self.loss.of_margin else found["square_error"]
        none = np.zeros_like(found["Q"])
        add_classes(found, self.target, self.loss, none, flips=self.flips)
        return found

    def _convex_results(self, flat: dict[str, Array], tolerance: float, max_steps: int) -> dict[str, Array]:
        grid = saddle_points(
            self.loss,
            self.target,
            (flat["alpha"], np.ones_like(flat["alpha"]), flat["ridge"], flat["noise"]),
            intercept=False,
            features=(np.array(self.spectrum), np.array(self.shares)),
            constants=(1.0, 0.0),
            flips=self.flips,
            tolerance=tolerance,
            max_steps=max_steps,
        )
        return {name: grid.values[:, j] for j, name in enumerate(COLUMNS)} | outcome(self.loss, grid)

    def _solution(
        self,
        given: dict[str, Array],
        found: dict[str, Array],
        listed: Alternatives | None,
        measure: str | None,
    ) -> LearningCurve:
        shaped = {name: frozen(values.reshape(given["alpha"].shape)) for name, values in found.items()}
        texts: dict[str, object] = {"target": self.target.text, "loss": self.loss.text, **self.target.origin}
        if self.flips > 0.0:
            texts["flips"] = self.flips
        if measure is not None:
            texts["optimised"] = looked_for(measure, RIDGES)
        return LearningCurve(
            model="gaussian-covariates",
            equations="arXiv 2102.08127 (Loureiro et al.), as in docs/random_features.md",
            parameters=ReadOnly(texts | {name: frozen(x) for name, x in given.items()}),
            varied=_RATIOS,
            **{name: shaped[name] for name in ("test_error", "train_error", "square_error")},
            misclassification=shaped.get("misclassification"),
            calibration_error=shaped.get("calibration_error"),
            linear_floor=float("nan") if self.loss.of_margin else self._floor,
            overlaps=ReadOnly({name: shaped[name] for name in ("V", "Q", "M")}),
            status=statuses(status_texts(found["code"].reshape(given["alpha"].shape))),
            residual=shaped["residual"],
            iterations=shaped["steps"],
            numerical_error=shaped["numerical_error"],
            alternatives=listed,
        )


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
