"""`SmallStep`: one gradient step of order 1 on the first layer, then ridge regression, at d -> infinity."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hermite_analytics.activation import Activation
from hermite_analytics.errors import InputError
from hermite_analytics.executors.timed import executor_of
from hermite_analytics.foundation.arrays import Numbers
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.foundation.ranges import POSITIVE
from hermite_analytics.numeric.best_ridge import RIDGES, Alternatives, looked_for, measure_of, with_best_ridge
from hermite_analytics.numeric.checks import check_method, checked, on_one_grid, read_texts
from hermite_analytics.numeric.classes import check_measure, wrong_signs
from hermite_analytics.numeric.frozen import ReadOnly, frozen
from hermite_analytics.numeric.models.random_features.constants import feature_constants, target_constants
from hermite_analytics.numeric.models.small_step import spectra
from hermite_analytics.numeric.models.small_step.record import SMALL_STEP
from hermite_analytics.numeric.models.small_step.spikes import COLUMNS, solve_steps
from hermite_analytics.numeric.solution import Solution
from hermite_analytics.numeric.spread import flat_results, raise_if_ended
from hermite_analytics.numeric.status import AT_BORDER, Status, status_texts, statuses
from hermite_analytics.target import Target

__all__ = ["SmallStep", "SmallStepSolution"]

_RATIOS = ("eta", "alpha", "beta", "ridge", "noise")
_RISKS = ("risk_before", "risk_after", "gain", "train_before", "train_after")
_WRONG = ("misclassification_before", "misclassification_after")
_MEASURES = {
    "test_error": "risk_after",
    "square_error": "risk_after",
    "misclassification": "misclassification_after",
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class SmallStepSolution(Solution):
    """Spikes and risks of a small step; arrays of the broadcast shape of the ratios.

    Attributes
    ----------
    weights : mapping
        theta1 (strength of the spike), theta2 (its part along the target's linear part), singular_value (the
        largest of the weights), alignment (squared cosine of its vector with that part), edge of the bulk.
    kernel : mapping
        singular_value of the features on fresh data, alignment of its left vector with the labels, edge.
    risk_before, risk_after, gain : float or ndarray
        E (E[y|x] - yhat)^2 of ridge regression without and with the step, and their difference.
    train_before, train_after : float or ndarray
        Mean squared training error.
    misclassification_before, misclassification_after : float or ndarray, optional
        P(f yhat <= 0) for a target f that takes the values 1 and -1 alone.
    scope : str
        "theorem", or what of its assumptions is not met (the formulas are then a conjecture).
    """

    weights: Mapping[str, Numbers]
    kernel: Mapping[str, Numbers]
    risk_before: Numbers
    risk_after: Numbers
    gain: Numbers
    train_before: Numbers
    train_after: Numbers
    misclassification_before: Numbers | None = None
    misclassification_after: Numbers | None = None
    scope: str
    model: str = "small-step"

    columns: ClassVar[tuple[str, ...]] = (
        *(*_RATIOS, "weights", "kernel", *_RISKS, *_WRONG, "scope"),
        *("status", "residual", "iterations"),
    )
    shaped: ClassVar[str] = "risk_before"
    answers: ClassVar[tuple[Status, ...]] = (Status.CONVERGED, Status.AT_BORDER)

    @property
    def weights_have_spike(self) -> bool | NDArray[np.bool_]:
        """Whether a singular value of the weights leaves the bulk."""
        found: bool | NDArray[np.bool_] = frozen(np.asarray(self.weights["alignment"]) > 0.0)
        return found

    @property
    def kernel_has_spike(self) -> bool | NDArray[np.bool_]:
        """Whether a singular value of the features leaves the bulk."""
        found: bool | NDArray[np.bool_] = frozen(
            np.asarray(self.kernel["singular_value"]) > np.asarray(self.kernel["edge"])
        )
        return found

    @property
    def remarks(self) -> tuple[str, ...]:
        """That the theorem does not hold, where it does not."""
        outside = () if self.scope == "theorem" else (f"outside the theorem: {self.scope}",)
        return (*self.borders, *outside)


@dataclass(frozen=True, slots=True)
class SmallStep:
    """W1 = W0 + eta sqrt(p) G on the first layer of p^(-1/2) sum_j a_j sigma(w_j.x), a_j of variance 1/p.

    G is the gradient, with the other sign, of half the mean square loss; then ridge regression of fresh data
    on the new features.

    Parameters
    ----------
    activation : Activation or str
        It is centred: E sigma is taken off, so that the mean of y stays in the risk.
    target : Target or str
        Any number of directions; additive label noise a*xi is added to `noise`.
    gradient_factor : 1 or 2
        2 for the gradient of the undivided loss, which is twice as long.

    Examples
    --------
    >>> solution = SmallStep("tanh(z)", "tanh(z1)").solve(eta=4, alpha=4, beta=2, ridge=0.2, noise=0.09)
    >>> print(f"{solution.weights['singular_value']:.8f} {solution.gain:.8f} {solution.status}")
    2.56174989 0.02430395 converged
    """

    activation: Activation
    target: Target
    gradient_factor: int = 1

    def __post_init__(self) -> None:
        read_texts(self, activation=Activation, target=Target)
        if self.gradient_factor not in (1, 2):
            raise InputError(f"gradient_factor is {self.gradient_factor!r}; accepted: 1, 2")
        feature_constants(self.activation, 1)
        target_constants(self.target, 1)

    @property
    def scope(self) -> str:
        """Which assumptions of the theorem are not met: it is stated for odd activations without jumps."""
        missing = []
        if not self.activation.is_odd:
            missing.append("the activation is not shown to be odd: more outliers are possible")
            if target_constants(self.target, 1).mean != 0:
                missing.append("the risks leave out that neurons of unequal norm fit a part of the mean of y")
        if self.activation.has_jumps is not False:
            missing.append("the activation is not shown to be continuous")
        return "; ".join(missing) or "theorem"

    def solve(
        self,
        *,
        eta: ArrayLike,
        alpha: ArrayLike,
        beta: ArrayLike,
        ridge: ArrayLike,
        noise: ArrayLike = 0.0,
        step_alpha: ArrayLike | None = None,
        tolerance: float = 1e-12,
        max_steps: int = 200,
        throw: bool = False,
        executor: Executor | None = None,
        seconds: float | None = None,
    ) -> SmallStepSolution:
        """Spikes of weights and kernel, and the risk before and after the step.

        Parameters
        ----------
        eta : array_like >= 0
            Step size.
        alpha, beta : array_like > 0
            n/d and p/d.
        ridge : array_like >= 0, or a text
            lambda of sum_i (y_i - a.phi_i/sqrt p)^2 + lambda |a|^2. "optimal" is the one of the smallest risk
            after the step, 0 and inf included, "optimal:misclassification" that of the fewest wrong signs;
            `parameters["ridge"]` holds what was found, and the risk before the step has the same ridge.
        noise : array_like >= 0
            Variance of the label noise.
        step_alpha : array_like > 0, optional
            n/d of the gradient's samples; as many as those of the ridge regression by default.
        tolerance : float
            On the relative residual of the equation of the risk.
        max_steps : int
        throw : bool
            Raise `ConvergenceError` if a point does not converge.
        executor : Executor, optional
            Of `concurrent.futures`, or anything with its `submit`: the points are solved there, in pieces.
        seconds : float > 0, optional
            Of the processor, in place of an executor: pieces of the points that are not begun by then are
            NaN, `time_ended`.

        Returns
        -------
        SmallStepSolution

        Raises
        ------
        InputError
            A parameter outside its range.
        """
        measure = measure_of(ridge)
        if measure is not None:
            check_measure(measure, self.target)
        given = on_one_grid(
            eta=SMALL_STEP["eta"].checked(eta),
            alpha=SMALL_STEP["alpha"].checked(alpha),
            step_alpha=checked("step_alpha", alpha if step_alpha is None else step_alpha, POSITIVE),
            beta=SMALL_STEP["beta"].checked(beta),
            ridge=SMALL_STEP["ridge"].checked(1.0 if measure else ridge),
            noise=SMALL_STEP["noise"].checked(noise),
        )
        check_method(tolerance, max_steps)
        flat = {name: np.array(x, dtype=np.float64).reshape(-1) for name, x in given.items()}

        solved = functools.partial(self._results, tolerance=tolerance, max_steps=max_steps)
        results = functools.partial(
            flat_results, solved, executor=executor_of(executor, seconds), keeps=measure is None
        )

        if measure is None:
            found, listed = results(flat), None
        else:
            power = target_constants(self.target, 1).second_moment
            name = _MEASURES[measure]
            best = with_best_ridge(flat, name, results, power=power, at_border=AT_BORDER)
            found, listed = best.results, best.alternatives
            given["ridge"] = best.ridge.reshape(given["ridge"].shape)
        solution = self._solution(given, found, listed, measure)
        raise_if_ended(solution)
        if throw:
            solution.raise_unless_converged()
        return solution

    def _results(self, flat: dict[str, Array], tolerance: float, max_steps: int) -> dict[str, Array]:
        """Flat arrays by name."""
        features, norms = feature_constants(self.activation, 1), target_constants(self.target, 1)
        count = flat["eta"].size
        noise = flat["noise"] + norms.noise
        infinite = np.isinf(flat["ridge"])  # nothing is fitted then
        ratios = (
            flat["eta"] * self.gradient_factor, flat["alpha"], flat["step_alpha"], flat["beta"],
            np.where(infinite, 1.0, flat["ridge"]), noise,
        )  # fmt: skip
        out, residual = np.empty((count, len(COLUMNS))), np.empty(count)
        steps, code = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64)
        solve_steps(
            ratios, features.slope**2, features.residual,
            norms.level, norms.above + norms.below[0], norms.second_moment,
            tolerance, max_steps, out, residual, steps, code,
        )  # fmt: skip
        found: dict[str, Array] = {name: out[:, j] for j, name in enumerate(COLUMNS)}
        for name in ("gain", "M_before", "M_after", "Q_before", "Q_after"):
            found[name][infinite] = 0.0
        for time in ("before", "after"):
            found[f"risk_{time}"][infinite] = norms.second_moment
            found[f"train_{time}"][infinite] = norms.second_moment + noise[infinite]
            state = found[f"Q_{time}"], found[f"M_{time}"]
            wrong = wrong_signs(self.target, np.zeros(count), *state)
            if wrong is not None:
                found[f"misclassification_{time}"] = wrong
        return {**found, "residual": residual, "steps": steps, "code": code}  # type: ignore[dict-item]

    def _solution(
        self,
        given: dict[str, Array],
        found: dict[str, Array],
        listed: Alternatives | None,
        measure: str | None,
    ) -> SmallStepSolution:
        shape = given["eta"].shape
        column = {name: frozen(values.reshape(shape)) for name, values in found.items()}
        texts = {"activation": self.activation.text, "target": self.target.text}
        if measure is not None:
            texts["optimised"] = looked_for(measure, RIDGES)
        return SmallStepSolution(
            weights=ReadOnly({"theta1": column["theta1"], "theta2": column["theta2"], **_spike(column, "w")}),
            kernel=ReadOnly(_spike(column, "k")),
            **{name: column[name] for name in _RISKS},
            misclassification_before=column.get("misclassification_before"),
            misclassification_after=column.get("misclassification_after"),
            parameters=ReadOnly(
                texts
                | {"gradient_factor": self.gradient_factor}
                | {name: frozen(values) for name, values in given.items()}
            ),
            scope=self.scope,
            status=statuses(status_texts(found["code"].reshape(shape))),
            residual=column["residual"],
            iterations=column["steps"],
            alternatives=listed,
        )

    def weights_density(self, x: ArrayLike, *, beta: float) -> Numbers:
        """Density of the bulk of the eigenvalues of W W^T (d x d); (1 - beta)+ more sits at 0."""
        found: Numbers = spectra.weights_density(x, beta)
        return found

    def kernel_density(self, x: ArrayLike, *, alpha: float, beta: float) -> Numbers:
        """Density of the bulk of the eigenvalues of Phi^T Phi (p x p); (1 - alpha/beta)+ more sits at 0."""
        features = feature_constants(self.activation, 1)
        found: Numbers = spectra.kernel_density(x, alpha, beta, features.slope**2, features.residual)
        return found

    def kernel_stieltjes(
        self, z: ArrayLike, *, alpha: float, beta: float
    ) -> complex | NDArray[np.complex128]:
        """(1/p) tr(Phi^T Phi - z)^(-1) at z != 0; on the real axis the limit from above."""
        features = feature_constants(self.activation, 1)
        found: complex | NDArray[np.complex128] = spectra.kernel_stieltjes(
            z, alpha, beta, features.slope**2, features.residual
        )
        return found


def _spike(column: Mapping[str, Array], prefix: str) -> dict[str, Numbers]:
    return {
        "singular_value": column[f"{prefix}_value"],
        "alignment": column[f"{prefix}_alignment"],
        "edge": column[f"{prefix}_edge"],
    }
