"""What the solver of spiked random features is given: a giant step, or its numbers one by one."""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hermite_analytics.activation import Activation
from hermite_analytics.errors import InputError
from hermite_analytics.numeric.models.giant_step.model import GiantStepSolution
from hermite_analytics.numeric.models.spiked.evaluation import Progress
from hermite_analytics.numeric.models.spiked.points import Problem
from hermite_analytics.numeric.models.spiked.ratios import Ratios, read_ratios
from hermite_analytics.target import Target

__all__ = ["Given", "Options", "loss_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """The arguments of `SpikedRandomFeatures.solve`, the ridge apart; None for those left out."""

    alpha: ArrayLike
    step: GiantStepSolution | None
    beta: ArrayLike | None
    r: ArrayLike | None
    c: ArrayLike | None
    gamma: ArrayLike | None
    noise: ArrayLike | None

    def ratios(self, problem: Problem, ridge: ArrayLike, *, bias: float) -> Ratios:
        """Checked and broadcast; r, c, gamma, beta and the noise of the step where there is one.

        Raises
        ------
        InputError
            Both a step and its numbers, neither, a step of another problem, a number outside its range.
        """
        beta, r, c, gamma, noise = self.beta, self.r, self.c, self.gamma, self.noise
        if self.step is not None:
            if any(v is not None for v in (beta, r, c, gamma)):
                raise InputError("give either step or beta, r, c, gamma, not both")
            _check_step(self.step, problem)
            step = self.step
            beta, r, c, gamma = step.parameters["beta"], step.r, step.c_of(problem.letters), step.gamma
            noise = step.parameters["noise"] if noise is None else noise
        if beta is None or r is None or c is None or gamma is None:
            named = (("beta", beta), ("r", r), ("c", c), ("gamma", gamma))
            missing = ", ".join(name for name, value in named if value is None)
            raise InputError(f"{missing} not given; give step or all of beta, r, c, gamma")
        ratios = read_ratios(
            alpha=self.alpha,
            beta=beta,
            ridge=ridge,
            noise=0.0 if noise is None else noise,
            r=r,
            c=c,
            gamma=gamma,
            letters=problem.letters,
            bias=bias,
            extra_noise=float(problem.target.noise_variance),
            step=_rows(self.step, problem) if problem.bulk == "step" else None,
        )
        if problem.bulk == "orthogonal" and np.any(ratios.points.beta > 1.0):
            raise InputError(
                f"beta is {ratios.points.beta.max():g} with orthogonal rows; at most 1 is accepted (p <= d)"
            )
        return ratios


def _rows(step: GiantStepSolution | None, problem: Problem) -> NDArray[np.float64]:
    """alpha0, effective step and variance of all label noise of a step, along the last axis."""
    if step is None:
        raise InputError("bulk 'step' takes step, the result of GiantStep(activation, target).solve")
    noise = np.asarray(step.parameters["noise"]) + float(problem.target.noise_variance)
    return np.stack(np.broadcast_arrays(step.parameters["alpha0"], step.effective_step, noise), axis=-1)


def _check_step(step: object, problem: Problem) -> None:
    """Refuse what is no giant step, or one of another network or target."""
    if not isinstance(step, GiantStepSolution):
        raise InputError(f"step is {step!r}; the result of GiantStep(activation, target).solve is accepted")
    of = [str(step.parameters[name]) for name in ("activation", "target")]
    here = [problem.activation.text, problem.target.text]
    if of == here:
        return
    same = Activation(of[0]).expression == problem.activation.expression
    if not same or Target(of[1]).noiseless != problem.target.noiseless:
        raise InputError(
            f"the step is one of {of[0]} on {of[1]}, and the model has {here[0]} and {here[1]}: a step "
            "of the same activation and target is accepted (beta, r, c, gamma take any)"
        )


def loss_of(given: Any) -> Any:
    """ "square", or another loss; the square loss has equations of its own."""
    if isinstance(given, str) and given == "square":
        return given
    from hermite_analytics.numeric.losses.loss import Loss

    loss = given if isinstance(given, Loss) else Loss(given)
    return "square" if loss.is_square else loss


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The knobs of the method."""

    tolerance: float
    max_steps: int
    workers: int | None
    progress: Progress | None
    executor: Executor | None = None
    keeps: bool = False

    def keywords(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}
