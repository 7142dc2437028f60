"""Regression on spiked random features at d -> infinity: errors and overlaps.

Source: arXiv 2402.04980, Result 3.3 (eqs 17-25) and App. D (eqs 130-164), in the closed form of
docs/giant_step.md.
"""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hermite_analytics.activation import Activation
from hermite_analytics.conditional import conditional_coefficients, target_data
from hermite_analytics.errors import InputError
from hermite_analytics.executors.timed import executor_of
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.numeric.best_ridge import measure_of
from hermite_analytics.numeric.checks import check_method, one_number, read_texts, take_one_direction
from hermite_analytics.numeric.classes import cells_of, no_classes
from hermite_analytics.numeric.learning_curve import LearningCurve
from hermite_analytics.numeric.models.giant_step.model import GiantStepSolution
from hermite_analytics.numeric.models.random_features.labels import checked_flips
from hermite_analytics.numeric.models.spiked.curve import learning_curve, settings_of
from hermite_analytics.numeric.models.spiked.evaluation import Progress, evaluate
from hermite_analytics.numeric.models.spiked.given import Given, Options, loss_of
from hermite_analytics.numeric.models.spiked.interpolation import at_peak, check_ridgeless, with_peak
from hermite_analytics.numeric.models.spiked.learned import learned_function
from hermite_analytics.numeric.models.spiked.letters import Letters, ReadoutLaw, letters_of
from hermite_analytics.numeric.models.spiked.optimum import Choice, best_bias, best_ridge
from hermite_analytics.numeric.models.spiked.points import BULKS, Points, Problem, Results
from hermite_analytics.numeric.models.spiked.record import SPIKED_RANDOM_FEATURES
from hermite_analytics.numeric.models.spiked.step_moments import require_step_rows
from hermite_analytics.numeric.spread import raise_if_ended
from hermite_analytics.target import Target

__all__ = ["SpikedRandomFeatures"]


@dataclass(frozen=True, slots=True)
class SpikedRandomFeatures:
    """Features sigma((W + r u v^T) x + b), rows of W of squared norm c, teacher of overlap gamma with v.

    Parameters
    ----------
    activation : Activation or str
        E sigma(z)^2 finite.
    target : Target or str
        One direction; additive label noise a*xi is added to `noise`.
    letters : mapping, Letters or ReadoutLaw, optional
        Values of the first readout u with their fractions of the neurons, {omega: fraction}; pairs
        {(omega, bias): fraction}; `Letters` for spikes of higher rank; a `ReadoutLaw` for a continuous law.
        By default u is 1 everywhere.
    bias : float or "learned"
        b of all neurons; "learned" minimises the training objective over it.
    loss : "square", or another loss
        Of the readout; see `hermite_analytics.numeric.losses.loss`.
    bulk : {"gaussian", "orthogonal", "none", "step"}
        Rows of W independent, of norm sqrt c each (any beta), orthogonal (beta <= 1), or without effect, so
        that only the mean map of each letter is left: two readings of the case (158)-(160) of the paper.
        "step": rows with the directions and the norms that `step` gives them, for the square loss and one
        letter; taken by itself for a step that is not isotropic (`GiantStepSolution.is_isotropic`).
    flips : float in [0, 1/2)
        Share of the readout's training labels 1 and -1 that have the other sign; with r, c, gamma given.

    Examples
    --------
    >>> from hermite_analytics import Activation, Target
    >>> from hermite_analytics.numeric import GiantStep
    >>> s, f = Activation("tanh(z)"), Target("sin(z1)")
    >>> step = GiantStep(s, f).solve(alpha0=20, eta=3, beta=1)
    >>> solution = SpikedRandomFeatures(s, f).solve(step=step, alpha=3, ridge=0.1)
    >>> print(f"{solution.test_error:.8f} {solution.status}")
    0.03251821 converged
    >>> two = SpikedRandomFeatures(Activation("relu(z)"), Target("cos(z1) + z1"), letters={1: 0.5, -1: 0.5})
    >>> print(f"{two.solve(r=1.3, c=1.2, gamma=0.9, alpha=2, beta=1, ridge=0.1).test_error:.8f}")
    0.65286176
    """

    activation: Activation
    target: Target
    letters: Any = None
    bias: Any = 0.0
    loss: Any = "square"
    bulk: str = "gaussian"
    flips: float = 0.0

    def __post_init__(self) -> None:
        read_texts(self, activation=Activation, target=Target)
        conditional_coefficients(self.activation)  # refuses an infinite second moment
        take_one_direction(self)
        object.__setattr__(self, "letters", letters_of(self.letters))
        if not (isinstance(self.bias, str) and self.bias == "learned"):
            object.__setattr__(
                self, "bias", one_number("bias", self.bias, SPIKED_RANDOM_FEATURES["bias"].range)
            )
        object.__setattr__(self, "loss", loss_of(self.loss))
        if self.loss != "square" and self.bulk == "none":
            raise InputError("bulk 'none' takes the square loss")
        if self.bulk not in BULKS:
            raise InputError(f"bulk is {self.bulk!r}; accepted: {', '.join(BULKS)}")
        if self.bulk == "step":
            require_step_rows(self.activation, self.target, self.letters, self.loss)
        object.__setattr__(self, "flips", checked_flips(self.flips, self.target))

    def solve(
        self,
        *,
        alpha: ArrayLike,
        ridge: ArrayLike,
        step: GiantStepSolution | None = None,
        beta: ArrayLike | None = None,
        r: ArrayLike | None = None,
        c: ArrayLike | None = None,
        gamma: ArrayLike | None = None,
        noise: ArrayLike | None = None,
        tolerance: float = 1e-12,
        max_steps: int = 500,
        throw: bool = False,
        workers: int | None = None,
        progress: Progress | None = None,
        executor: Executor | None = None,
        seconds: float | None = None,
    ) -> LearningCurve:
        """Test error, training error and overlaps.

        Parameters
        ----------
        alpha : array_like > 0
            n/d of the readout's samples.
        ridge : array_like >= 0, or a text
            lambda of sum_i (y_i - a.phi_i/sqrt p)^2 + lambda |a|^2 (sum l + lambda/2 |a|^2 for other losses).
            At 0 the limit lambda -> 0 is taken, which exists for alpha != beta. "optimal" minimises the
            test error over ridges from 0 to the infinite one ("optimal:square_error" and
            "optimal:misclassification" that error); `parameters["ridge"]` holds what was found. Losses other
            than the square take a second a point: they are looked at from 1e-3 to 1e3, and the status is
            `at_border` at either end.
        step : GiantStepSolution, optional
            Gives r, c, gamma, beta and noise (c for the letters of this model); otherwise these are given
            one by one.
        beta : array_like > 0
            p/d.
        r, c, gamma : array_like
            Spike strength, squared norm of a bulk row (> 0), overlap of spike and target (in [-1, 1]).
            With J letters c is one number or has a last axis of J; with R spikes r and gamma have a last
            axis of R.
        noise : array_like >= 0
            Variance of the label noise (default 0, or that of `step`).
        tolerance : float
            On the relative undamped residual, and on the change of results when the quadrature is
            refined.
        max_steps : int
            Newton steps a point.
        throw : bool
            Raise `ConvergenceError` if a point does not converge.
        workers : int, optional
            Threads; by default all processors when there are many points.
        progress : callable, optional
            progress(done, total), called as parts of a long grid are done.
        executor : Executor, optional
            Of `concurrent.futures`, or anything with its `submit`: the points are solved there, in pieces.
        seconds : float > 0, optional
            Of the processor, in place of an executor: pieces of the points that are not begun by then are
            NaN, `time_ended`.

        Returns
        -------
        LearningCurve
            Arrays of the broadcast shape of all ratios; with letters the overlaps have further axes:
            m, psi, q2, V2 (J), zeta (J, R), q1, V1 (J, J), axes of one left out.

        Raises
        ------
        InputError
            A ratio outside its range, contradictory arguments, ridge 0 where the limit does not exist.
        """
        check_method(tolerance, max_steps)
        if self.flips > 0.0 and step is not None:
            raise InputError("a step has labels that are not flipped: give r, c, gamma and beta beside flips")
        measure = measure_of(ridge)
        optimal = measure is not None
        if measure == "misclassification" and cells_of(self.target) is None:
            raise InputError(no_classes(self.target, "ridge"))
        if optimal and self.bias == "learned":
            raise InputError("ridge 'optimal' and bias 'learned' exclude each other: fix one of them")
        options = Options(
            tolerance=tolerance, max_steps=max_steps, workers=workers, progress=progress,
            executor=executor_of(executor, seconds),
            keeps=not optimal and self.bias != "learned" and not isinstance(self.letters, ReadoutLaw),
        )  # fmt: skip
        given = Given(alpha=alpha, step=step, beta=beta, r=r, c=c, gamma=gamma, noise=noise)
        model = self._of_step(step)
        problem = model._problem(self._letters())
        ratios = given.ratios(problem, 1.0 if optimal else ridge, bias=self._fixed_bias)
        if not optimal:
            check_ridgeless(problem, ratios.points, learns_bias=self.bias == "learned")
        choice = model._choice(problem, ratios.points, options, measure)
        if isinstance(self.letters, ReadoutLaw):
            model._compare_nodes(given, self.letters, choice, options)
        settings = settings_of(problem, self.letters, self.bias)
        solution = learning_curve(problem, ratios, step, choice, settings, measure=measure)
        raise_if_ended(solution)
        if throw:
            solution.raise_unless_converged()
        return solution

    def learned(self, solution: LearningCurve, at: Any, *, along: str = "target") -> Array:
        """The function that the network has learned, averaged over all but one projection of the input.

        Parameters
        ----------
        solution : LearningCurve
            Of this model.
        at : array_like, shape (k,)
            Values t of the projection.
        along : {"target", "spike"}
            E[yhat | theta.x = t], or E[yhat | v.x = t] (one spike).

        Returns
        -------
        ndarray, shape of the solution's ratios + (k,)
        """
        letters = self._letters()
        return learned_function(self.activation, letters, self.bias, solution, at, along=along)

    def reliability(self, solution: LearningCurve, at: ArrayLike) -> Array:
        """P(y = 1) among fresh samples to which the readout gives the probability `at` of the label 1.

        The probability that a prediction stands for is that of `RandomFeatures.reliability`.

        Parameters
        ----------
        solution : LearningCurve
            Of this model, with a smooth loss of the margin.
        at : array_like, shape (k,)
            Probabilities in (0, 1).

        Returns
        -------
        ndarray, shape of the solution's ratios + (k,)
            NaN where the readout vanishes or was not found.

        Raises
        ------
        InputError
            A probability outside (0, 1), a target or a loss without probabilities.
        """
        from hermite_analytics.numeric.models.spiked.reliability import reliability

        return reliability(self._problem(self._letters()), self._fixed_bias, solution, at)

    def export(
        self,
        path: str | Path,
        *,
        alpha0: float | None = None,
        eta: float | None = None,
        r: float | None = None,
        c: float | None = None,
        gamma: float | None = None,
        beta: float | None = None,
        ridge: float | None = None,
        noise: float | None = None,
        step_convention: str = "paper",
    ) -> Path:
        """Write this problem as one file of Python that needs numpy only.

        The file holds the kernels of this activation and target, the equations and a solver, and takes alpha
        and what is not given here as flags: ``python curve.py --alpha 0.2,0.9``.

        Parameters
        ----------
        path : str or Path
        alpha0, eta, beta, ridge, noise : float, optional
            As in `GiantStep.solve` and `solve`; ridge > 0. What is given is the default of the file's flag.
        r, c, gamma : float, optional
            In place of the step. Without either the file takes a step where the activation has one.
        step_convention : {"paper", "notebook"}

        Returns
        -------
        Path

        Raises
        ------
        InputError
            Both a step and a spike, a list where one number is taken, a file that cannot be written.
        UnsupportedExpression
            Another loss, letters, a bias, other rows.
        """
        from hermite_analytics.codegen.files import write_text
        from hermite_analytics.numeric.exported.flags import one_number
        from hermite_analytics.numeric.exported.spiked import spiked_file

        given = {"alpha0": alpha0, "eta": eta, "r": r, "c": c, "gamma": gamma}
        given |= {"beta": beta, "ridge": ridge, "noise": noise}
        values = {name: one_number(name, value) for name, value in given.items()}
        return write_text(path, spiked_file(self, values, step_convention=step_convention))

    def _of_step(self, step: GiantStepSolution | None) -> SpikedRandomFeatures:
        """This model, with the step's own rows where the step gives them directions."""
        if self.bulk != "gaussian" or not isinstance(step, GiantStepSolution) or step.is_isotropic:
            return self
        return replace(self, bulk="step")

    def _choice(self, problem: Problem, points: Points, options: Options, measure: str | None) -> Choice:
        def solve(some: Points, looks_at: str | None = None) -> Results:
            return evaluate(problem, some, **options.keywords(), looks_at=looks_at)

        if measure is None and self.bulk != "none" and np.any(at_peak(points)):
            return Choice(results=with_peak(problem, points, solve), points=points)
        if measure is not None:
            return best_ridge(problem, points, solve, measure)
        if self.bias == "learned":
            return best_bias(problem, points, solve)
        return Choice(results=solve(points), points=points)

    def _compare_nodes(self, given: Given, law: ReadoutLaw, choice: Choice, options: Options) -> None:
        """Add the change of the errors with 1.5 times as many nodes of the readout law to their error."""
        if given.step is None and np.ndim(0.0 if given.c is None else given.c) > 0:
            raise InputError("c has one value a letter, but the letters are nodes of a law; give one number")
        more = self._problem(law.letters(round(1.5 * law.nodes)))
        ratios = given.ratios(more, float(choice.points.ridge.reshape(-1)[0]), bias=self._fixed_bias)
        finer = self._choice(more, replace(ratios.points, ridge=choice.points.ridge), options, None)
        scale = max(target_data(self.target)[2], 1e-300)
        with np.errstate(invalid="ignore"):  # two infinite limits
            gaps = np.abs(finer.results.values[:, :2] - choice.results.values[:, :2])
        infinite = np.isinf(choice.results.values[:, 0])
        change = np.where(infinite, 0.0, np.max(gaps, axis=1) / scale)
        choice.results.numerical_error = np.maximum(choice.results.numerical_error, change)

    def _problem(self, letters: Letters) -> Problem:
        return Problem(
            activation=self.activation, target=self.target, letters=letters, bulk=self.bulk, loss=self.loss,
            flips=self.flips,
        )  # fmt: skip

    @property
    def _fixed_bias(self) -> float:
        return 0.0 if self.bias == "learned" else float(self.bias)

    def _letters(self) -> Letters:
        """A law as its nodes."""
        law = self.letters
        return law.letters(law.nodes) if isinstance(law, ReadoutLaw) else law
