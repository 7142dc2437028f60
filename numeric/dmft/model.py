"""Full-batch gradient descent at n, d -> infinity with n/d fixed: `DMFT`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.activation import Activation
from hermite_analytics.errors import InputError
from hermite_analytics.foundation.clock import allowed
from hermite_analytics.numeric.checks import checked, read_texts
from hermite_analytics.numeric.dmft.arguments import Run, checked_run
from hermite_analytics.numeric.dmft.limit import solve_limit, test_errors
from hermite_analytics.numeric.dmft.limit_run import LimitRun
from hermite_analytics.numeric.dmft.moments import has_affine_activation, require_finite_gradients
from hermite_analytics.numeric.dmft.quadrature import Quadrature
from hermite_analytics.numeric.dmft.response import correlations_of, responses_of
from hermite_analytics.numeric.dmft.rows import Network
from hermite_analytics.numeric.dmft.sample import DMFTSample, sampled_networks
from hermite_analytics.numeric.dmft.solution import DMFTSolution
from hermite_analytics.numeric.dmft.training_loss import TrainingLoss
from hermite_analytics.numeric.sgd_flow.problem import flow_problem
from hermite_analytics.numeric.solution import ReadOnly, Status, frozen
from hermite_analytics.target import Target

__all__ = ["DMFT"]

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class DMFT:
    """A two-layer network under gradient descent on a batch that it sees again and again.

    n inputs x_i ~ N(0, I_d), f(x) = sum_j a_j sigma(<w_j, x>) with a fixed readout a; a step is

        w_j <- (1 - eta ridge) w_j - (eta/d) sum_i a_j sigma'(<w_j, x_i>) l'(f(x_i), y_i) x_i.

    As n, d -> infinity with alpha = n/d, the overlaps follow from the law of one training row: its fields are
    not Gaussian, for they remember its own gradients with weight alpha^{-1/2}. No kernel and no fixed point
    is needed: one pass through the steps, each a few averages.

    Source: arXiv 2006.08098, 2112.07572, 2210.06591, 2402.03220; docs/dmft.md.

    Parameters
    ----------
    activation : Activation or str
        Continuous.
    target : Target or str
        Of r directions; additive label noise a*xi is added to `noise`.
    readout : sequence of p numbers
        a_j.
    loss : str
        "square" (f - y)^2/2, "correlation" -y f, or a text of `Loss`: "huber:D", "logistic", "hinge", an
        expression in y and x.

    Raises
    ------
    InputError
        An unknown loss, an activation that jumps, labels that do not depend on z.
    UndefinedQuantity
        If the gradient has no second moment.

    Examples
    --------
    >>> found = DMFT("tanh", "He3(z1)").solve(alpha=3, eta=0.2, steps=2, tolerance=1e-7)
    >>> print(f"{found.overlap[2, 0, 0]:.6f}", found.averages)
    -0.140957 ('quadrature', 'quadrature', 'quadrature')
    """

    activation: Any
    target: Any
    readout: Any = (1.0,)
    loss: str = "square"
    network: Network = field(init=False, repr=False)

    def __post_init__(self) -> None:
        read_texts(self, activation=Activation, target=Target)
        readout = np.array(checked("readout", self.readout))
        if readout.ndim != 1 or readout.size == 0:
            raise InputError(f"readout has shape {readout.shape}; accepted: one number for each neuron")
        readout.flags.writeable = False
        loss = TrainingLoss(self.loss)
        problem = flow_problem(self.activation, self.target, curved=True)
        require_finite_gradients(self.activation, self.target, self.loss, later=False)
        network = Network(
            problem=problem,
            loss=loss,
            readout=readout,
            has_affine_activation=has_affine_activation(self.activation),
        )
        object.__setattr__(self, "readout", tuple(readout.tolist()))
        object.__setattr__(self, "network", network)

    def __reduce__(self) -> tuple[Any, ...]:
        return DMFT, (self.activation, self.target, self.readout, self.loss)

    def solve(
        self,
        *,
        alpha: float | None = None,
        eta: float,
        steps: int,
        ridge: float = 0.0,
        noise: float = 0.0,
        schedule: str = "full",
        momentum: float = 0.0,
        overlap: Any = None,
        correlations: Any = None,
        tolerance: float = 1e-3,
        seconds: float = 30.0,
        seed: int = 0,
        throw: bool = False,
    ) -> DMFTSolution:
        """The overlaps and errors after each step.

        Parameters
        ----------
        alpha : float > 0
            n/d. May be left out for "one-pass:alpha_b", where it is steps alpha_b.
        eta : float
            Step size, of the sum over samples divided by d.
        steps : int >= 1
        ridge : float >= 0
            Weight decay: a step multiplies the weights by 1 - eta ridge.
        noise : float >= 0
            Variance of the label noise.
        schedule : str
            Which samples a step sees: "full"; "minibatch:b", each with probability b; "epochs:B", B blocks in
            turn; "one-pass:alpha_b", fresh alpha_b d samples a step; "twice", fresh blocks for two steps
            each; "extra-gradient:eta", all samples, and the gradient after a look-ahead with that step size.
        momentum : float in [0, 1]
            Of the heavy ball.
        overlap : array_like, shape (p, r), optional
            M_0, by default 0.
        correlations : array_like, shape (p, p), optional
            Q_0, by default I.
        tolerance : float
            Of `numerical_error`. Quadratures serve the first steps, as long as the variables are few; then
            more and more Sobol points.
        seconds : float
            Time allowed: no larger sample is begun that would take longer.
        seed : int >= 0
            Of the Sobol points.
        throw : bool
            Raise `ConvergenceError` unless the status is `converged`.

        Returns
        -------
        DMFTSolution

        Raises
        ------
        InputError
            A number outside its range, an unknown schedule, an overlap that no weights have.
        UndefinedQuantity
            If a gradient after the first step has no second moment.
        """
        if not 0.0 < tolerance < 1.0 or not seconds > 0.0:
            raise InputError("tolerance lies in (0, 1) and seconds is positive")
        if not isinstance(seed, int) or seed < 0:
            raise InputError(f"seed is {seed!r}; an integer >= 0 is accepted")
        run = checked_run(
            self.network,
            alpha=alpha,
            eta=eta,
            steps=steps,
            ridge=ridge,
            noise=noise,
            schedule=schedule,
            momentum=momentum,
            overlap=overlap,
            correlations=correlations,
        )
        if run.usage.steps > 1:
            require_finite_gradients(self.activation, self.target, self.loss, later=True)
        quadrature = Quadrature(network=self.network, noise=run.noise, usage=run.usage)
        with allowed(seconds):
            found = solve_limit(quadrature, run.weights, tolerance=tolerance, seed=seed)
        solution = self._solution(run, quadrature, found, tolerance)
        if throw:
            solution.raise_unless_converged()
        return solution

    def sample(
        self,
        *,
        d: int,
        seeds: Any = 0,
        alpha: float | None = None,
        eta: float,
        steps: int,
        ridge: float = 0.0,
        noise: float = 0.0,
        schedule: str = "full",
        momentum: float = 0.0,
        overlap: Any = None,
        correlations: Any = None,
    ) -> DMFTSample:
        """Networks of dimension d trained on n = alpha d samples, drawn from their exact law without data.

        As d grows they approach `solve`; the cost is that of n rows of p (T + 1) + r numbers each.

        Parameters
        ----------
        d : int
            At least r + p (T + 1) for T gradients.
        seeds : int or sequence of int
            0 <= seed < 2**32; one network each. The numbers come from the streams of the simulator.
        alpha, eta, steps, ridge, noise, schedule, momentum, overlap, correlations
            As in `solve`; n is alpha d, rounded. The weights start with exactly this overlap and norm.

        Raises
        ------
        InputError
            As in `solve`, and where d or n is too small.

        Examples
        --------
        >>> found = DMFT("tanh", "tanh(z1)").sample(d=2000, alpha=3, eta=0.5, steps=2, seeds=range(4))
        >>> found.overlap.shape, bool(abs(found.mean("overlap")[0][2, 0, 0] - 0.757) < 0.02)
        ((4, 3, 1, 1), True)
        """
        run = checked_run(
            self.network,
            alpha=alpha,
            eta=eta,
            steps=steps,
            ridge=ridge,
            noise=noise,
            schedule=schedule,
            momentum=momentum,
            overlap=overlap,
            correlations=correlations,
        )
        return sampled_networks(self.network, run, d, seeds, self._parameters(run))

    def _parameters(self, run: Run) -> dict[str, Any]:
        return {
            "activation": self.activation.text,
            "target": self.target.text,
            "readout": list(self.readout),
            "loss": self.loss,
            "alpha": run.alpha,
            "eta": run.method.eta,
            "steps": run.steps,
            "ridge": run.method.ridge,
            "noise": run.noise,
            "schedule": run.schedule.text,
            "momentum": run.method.momentum,
        }

    def _solution(self, run: Run, quadrature: Quadrature, found: LimitRun, tolerance: float) -> DMFTSolution:
        times = run.times
        test, test_error = test_errors(quadrature, found, times, tolerance)
        relative = test_error / np.maximum(1.0, np.abs(test))
        error = np.max(np.concatenate([found.error[times], relative], axis=1), axis=1)
        status = found.status
        if status == Status.CONVERGED and not np.all(error <= tolerance):
            status = Status.TIME_ENDED
        return DMFTSolution(
            overlap=frozen(found.overlap[times]),
            norm=frozen(found.norm[times]),
            test_error=frozen(test[:, 0]),
            train_error=frozen(found.train[times, 0]),
            test_loss=frozen(test[:, 1]),
            train_loss=frozen(found.train[times, 1]),
            correlation=frozen(correlations_of(found.weights, times)),
            response=frozen(responses_of(found.weights, times)),
            averages=tuple(str(found.averages[t]) for t in times),
            numerical_error=frozen(error),
            status=status,
            diverged=None if found.diverged is None else -(-found.diverged // run.method.stride),
            parameters=ReadOnly(self._parameters(run)),
        )
