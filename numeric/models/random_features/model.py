"""`RandomFeatures`: empirical risk minimisation with any convex loss on random features, at d -> infinity."""

from __future__ import annotations

import functools
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from hermite_analytics.activation import Activation
from hermite_analytics.errors import InputError
from hermite_analytics.executors.timed import executor_of
from hermite_analytics.foundation.arrays import Numbers
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.foundation.ranges import Range
from hermite_analytics.label.reduction.one_direction import one_direction
from hermite_analytics.numeric.best_ridge import RIDGES, Alternatives, looked_for, measure_of, with_best_ridge
from hermite_analytics.numeric.checks import check_method, checked, grid_shape, read_texts
from hermite_analytics.numeric.frozen import ReadOnly, frozen
from hermite_analytics.numeric.learning_curve import LearningCurve
from hermite_analytics.numeric.losses.loss import Loss
from hermite_analytics.numeric.models.random_features import square
from hermite_analytics.numeric.models.random_features.constants import (
    FeatureConstants,
    TargetConstants,
    feature_constants,
    target_constants,
)
from hermite_analytics.numeric.models.random_features.labels import checked_flips
from hermite_analytics.numeric.models.random_features.record import RANDOM_FEATURES
from hermite_analytics.numeric.spread import flat_results, raise_if_ended
from hermite_analytics.numeric.status import AT_BORDER, status_texts, statuses
from hermite_analytics.target import Target

__all__ = ["RandomFeatures"]

RATIOS = ("alpha", "beta", "ridge", "noise")
_SQUARE_SOURCE = "arXiv 1908.05355 (Mei, Montanari), closed form of docs/random_features.md"
_CONVEX_SOURCE = "arXiv 2002.09339 (Gerace et al.), as in docs/random_features.md"
_MOST_DEGREE = 20


@dataclass(frozen=True, slots=True)
class RandomFeatures:
    """Features sigma(w.x), w uniform on the unit sphere, with a readout trained by a convex loss.

    Parameters
    ----------
    activation : Activation or str
        E sigma(z)^2 finite. It is not centred: where E sigma is not 0, the features learn the mean of y.
    target : Target or str
        Any number of directions for the square loss. For others one, or labels 1 and -1 of two (of any number
        without a linear part) with a symmetry that keeps the direction of the linear part alone. Additive
        label noise a*xi is added to `noise`.
    loss : Loss or str
        See `losses.Loss`. A loss of the margin y x takes targets with the values 1 and -1.
    degree : int
        k >= 1. At k > 1 the polynomial scaling n, p ~ d^k, for the square loss: alpha and beta are then n
        and p over the number of harmonics of degree k (about d^k/k!), lower degrees are learned where the
        activation has them, and higher ones act as noise.
    flips : float in [0, 1/2)
        Share of training labels 1 and -1 that have the other sign. E[y|x] is then (1 - 2 flips) f.

    Examples
    --------
    >>> model = RandomFeatures("tanh(z)", "tanh(z1)")
    >>> solution = model.solve(alpha=4, beta=2, ridge=[0.0, 0.2], noise=0.09)
    >>> solution.test_error.round(8)
    array([0.19291676, 0.10353441])
    >>> logistic = RandomFeatures("tanh(z)", "sign(z1)", loss="logistic")
    >>> print(f"{logistic.solve(alpha=2, beta=1.5, ridge=0.1).test_error:.8f}")
    0.25552424
    """

    activation: Activation
    target: Target
    loss: Loss = Loss("square")  # noqa: RUF009 -- immutable
    degree: int = 1
    flips: float = 0.0

    def __post_init__(self) -> None:
        read_texts(self, activation=Activation, target=Target, loss=Loss)
        if not isinstance(self.degree, int) or not 1 <= self.degree <= _MOST_DEGREE:
            raise InputError(f"degree is {self.degree!r}; accepted: 1 to {_MOST_DEGREE}")
        if self.degree > 1 and not self.loss.is_square:
            raise InputError(f"degree is {self.degree} with the loss {self.loss}; accepted there: square")
        feature_constants(self.activation, self.degree)
        target_constants(self.target, self.degree)
        if not self.loss.is_square:
            from hermite_analytics.numeric.models.random_features.convex import check_label

            check_label(self.label, self.loss)
        object.__setattr__(self, "flips", checked_flips(self.flips, self.label))

    @property
    def label(self) -> Target:
        """The target of z1 alone that isotropic features see as this one, where there is one."""
        return one_direction(self.target)

    @property
    def features(self) -> FeatureConstants:
        """mu_1, mu_2^2 (or those of the degree) and the mean of the activation."""
        return feature_constants(self.activation, self.degree)

    @property
    def norms(self) -> TargetConstants:
        """Squared norms of E[y|x] below, at and above the degree."""
        return target_constants(self.target, self.degree).flipped(self.flips)

    def solve(
        self,
        *,
        alpha: ArrayLike,
        beta: ArrayLike,
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
            n/d.
        beta : array_like > 0
            p/d.
        ridge : array_like >= 0, or a text
            lambda of sum_i (y_i - a.phi_i/sqrt p)^2 + lambda |a|^2, where 0 is the limit lambda -> 0; or of
            sum_i l + (lambda/2) |a|^2 for another loss, which needs lambda > 0. "optimal" is the one of the
            smallest test error, over all ridges for the square loss (0 and inf included) and from 1e-9 to 1e9
            for others, where the status is `at_border` at either end; "optimal:square_error" and
            "optimal:misclassification" are the best for these. `parameters["ridge"]` holds what was found.
        noise : array_like >= 0
            Variance of the label noise.
        tolerance : float
            On the relative undamped residual, and on the change of results when the quadratures are refined.
        max_steps : int
            Steps a point.
        throw : bool
            Raise `ConvergenceError` if a point does not converge.
        executor : Executor, optional
            Of `concurrent.futures`, or anything with its `submit`: the points are solved there, in pieces.
        seconds : float > 0, optional
            Of the processor, in place of an executor: pieces of the points that are not begun by then are
            NaN, `time_ended`.

        Returns
        -------
        LearningCurve
            test_error is E (E[y|x] - yhat)^2, or the misclassification rate for a loss of the margin; both
            stand there by name where they are known, with the calibration error of probabilities. The
            status is `infinite` at the interpolation peak of the ridgeless square loss. Overlaps: the
            prediction for a fresh sample has mean `intercept`, variance Q = mu1^2 q1 + mu2^2 q2, overlap
            M = mu1 psi with the target's (normalised) part of degree k, and response V = mu1^2 V1 + mu2^2 V2.

        Raises
        ------
        InputError
            A ratio outside its range; ridge 0 or label noise where the loss does not take them.
        """
        from hermite_analytics.numeric.classes import check_measure

        measure = measure_of(ridge)
        given, flat = _ratios(alpha=alpha, beta=beta, ridge=1.0 if measure else ridge, noise=noise)
        check_method(tolerance, max_steps)
        flat["noise"] = flat["noise"] + self.norms.noise

        solved = functools.partial(self._results, tolerance=tolerance, max_steps=max_steps)
        results = functools.partial(
            flat_results, solved, executor=executor_of(executor, seconds), keeps=measure is None
        )

        if measure is None:
            found, listed = results(flat), None
        else:
            check_measure(measure, self.target, known=self.degree == 1)
            best = with_best_ridge(
                flat, measure, results, power=self.norms.second_moment, at_border=AT_BORDER,
                limits=self.loss.is_square,
            )  # fmt: skip
            found, listed = best.results, best.alternatives
            given["ridge"] = best.ridge.reshape(given["ridge"].shape)
        solution = self._solution(given, found, listed, measure)
        raise_if_ended(solution)
        if throw:
            solution.raise_unless_converged()
        return solution

    def export(
        self,
        path: str | Path,
        *,
        beta: float | None = None,
        ridge: float | None = None,
        noise: float | None = None,
    ) -> Path:
        """Write this problem as one file of Python that runs without this library.

        The file holds the constants of this activation and target, the equations and a solver, and takes
        alpha and what is not given here as flags.

        Parameters
        ----------
        path : str or Path
        beta, ridge, noise : float, optional
            As in `solve`; what is given is the default of the file's flag.

        Returns
        -------
        Path

        Raises
        ------
        InputError
            A list where one number is taken, a value out of range, a file that cannot be written.
        UnsupportedExpression
            Another loss than the square.
        """
        from hermite_analytics.codegen.files import write_text
        from hermite_analytics.numeric.exported.flags import one_number
        from hermite_analytics.numeric.exported.random_features import random_features_file

        given = {"beta": beta, "ridge": ridge, "noise": noise}
        values = {name: one_number(name, value) for name, value in given.items()}
        return write_text(path, random_features_file(self, values))

    def reliability(self, solution: LearningCurve, at: ArrayLike) -> Array:
        """P(y = 1) among fresh samples to which the readout gives the probability `at` of the label 1.

        The probability that a prediction x stands for is that of the logistic loss, 1/(1 + exp(-x)); of
        another loss l the p with p l'(1, x) + (1 - p) l'(-1, x) = 0.

        Parameters
        ----------
        solution : LearningCurve
            Of this model, with a smooth loss and a target of the values 1 and -1.
        at : array_like, shape (k,)
            Probabilities in (0, 1).

        Returns
        -------
        ndarray, shape of the solution's ratios + (k,)
            NaN where the readout vanishes.

        Raises
        ------
        InputError
            A probability outside (0, 1), another target.
        """
        from hermite_analytics.numeric.classes import cells_of, frequency, no_classes, prediction

        cells = cells_of(self.target)
        if cells is None or self.degree > 1:
            raise InputError(no_classes(self.target, "reliability"))
        x = prediction(self.loss, np.atleast_1d(checked("at", at, Range(low=0, high=1))))
        shape = solution.shape
        state = (np.ravel(np.broadcast_to(solution.overlaps[n], shape)) for n in ("intercept", "Q", "M"))
        rows = [frequency(cells, x, *point, flips=self.flips) for point in zip(*state, strict=True)]
        return np.reshape(rows, (*shape, x.size))

    def _results(self, flat: dict[str, Array], tolerance: float, max_steps: int) -> dict[str, Array]:
        """Flat arrays by name."""
        from hermite_analytics.numeric.classes import add_classes

        if self.loss.is_square:
            found = square.square_results(self.features, self.norms, flat, tolerance, max_steps)
        else:
            from hermite_analytics.numeric.models.random_features.convex import convex_results

            found = convex_results(self, flat, tolerance, max_steps)
        if self.degree == 1:
            add_classes(found, self.target, self.loss, found["intercept"], flips=self.flips)
        return found

    def _solution(
        self,
        given: dict[str, Array],
        found: dict[str, Array],
        listed: Alternatives | None,
        measure: str | None,
    ) -> LearningCurve:
        shape = given["alpha"].shape
        shaped = {name: values.reshape(shape) for name, values in found.items()}
        overlaps = {n: frozen(shaped[n]) for n in ("intercept", "M", "Q", "V", "psi", "q1", "q2", "V1", "V2")}
        floor = target_constants(self.target, 1).flipped(self.flips).above
        texts = {"activation": self.activation.text, "target": self.target.text, "loss": self.loss.text}
        if measure is not None:
            texts["optimised"] = looked_for(measure, RIDGES)
        degree = {} if self.degree == 1 else {"degree": self.degree}
        flips = {} if self.flips == 0.0 else {"flips": self.flips}
        return LearningCurve(
            model="random-features",
            equations=_SQUARE_SOURCE if self.loss.is_square else _CONVEX_SOURCE,
            parameters=ReadOnly(texts | degree | flips | {name: frozen(given[name]) for name in RATIOS}),
            varied=RATIOS,
            test_error=frozen(shaped["test_error"]),
            train_error=frozen(shaped["train_error"]),
            square_error=frozen(shaped["square_error"]),
            misclassification=_one(shaped, "misclassification"),
            calibration_error=_one(shaped, "calibration_error"),
            linear_floor=float("nan") if self.loss.of_margin else floor,
            overlaps=ReadOnly(overlaps),
            status=statuses(status_texts(shaped["code"])),
            residual=frozen(shaped["residual"]),
            iterations=frozen(shaped["steps"]),
            numerical_error=frozen(shaped["numerical_error"]),
            alternatives=listed,
        )


def _one(found: dict[str, Array], name: str) -> Numbers | None:
    return frozen(found[name]) if name in found else None


def _ratios(
    *, alpha: ArrayLike, beta: ArrayLike, ridge: ArrayLike, noise: ArrayLike
) -> tuple[dict[str, Array], dict[str, Array]]:
    """The ratios, checked: broadcast against each other, and the same as flat contiguous arrays."""
    values = zip(RATIOS, (alpha, beta, ridge, noise), strict=True)
    arrays = {name: RANDOM_FEATURES[name].checked(value) for name, value in values}
    shape = grid_shape(**{name: x.shape for name, x in arrays.items()})
    given = {name: np.broadcast_to(x, shape) for name, x in arrays.items()}
    return given, {name: np.ascontiguousarray(value.reshape(-1)) for name, value in given.items()}
