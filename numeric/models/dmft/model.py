"""Full-batch gradient descent at n, d -> infinity with n/d fixed: `DMFT`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from hermite_analytics.activation import Activation
from hermite_analytics.errors import InputError
from hermite_analytics.foundation.clock import allowed, share
from hermite_analytics.foundation.seconds import require_seconds
from hermite_analytics.foundation.threads import ONE_EACH
from hermite_analytics.numeric.checks import checked, integer, read_texts
from hermite_analytics.numeric.frozen import frozen
from hermite_analytics.numeric.models.dmft.arguments import Run, Training, checked_run, checked_runs
from hermite_analytics.numeric.models.dmft.moments import (
    has_affine_activation,
    require_finite_errors,
    require_finite_gradients,
)
from hermite_analytics.numeric.models.dmft.network import Network
from hermite_analytics.numeric.models.dmft.place import Place
from hermite_analytics.numeric.models.dmft.points import (
    joined_points,
    limit_point,
    require_room,
    require_time,
)
from hermite_analytics.numeric.models.dmft.record import REUSE
from hermite_analytics.numeric.models.dmft.sample import DMFTSample, sampled_networks
from hermite_analytics.numeric.models.dmft.solution import DMFTSolution
from hermite_analytics.numeric.models.dmft.training_loss import TrainingLoss
from hermite_analytics.numeric.models.dmft.work import Work
from hermite_analytics.numeric.models.sgd_flow.problem import flow_problem
from hermite_analytics.numeric.simulator.backend import resolve_backend
from hermite_analytics.target import Target

__all__ = ["DMFT", "placed"]


@dataclass(frozen=True, slots=True, eq=False)
class DMFT:
    """A two-layer network under gradient descent on a batch that it sees again and again.

    n inputs x_i ~ N(0, I_d), f(x) = sum_j a_j sigma(<w_j, x>); a step is

        w_j <- (1 - eta ridge) w_j - (eta/d) sum_i a_j sigma'(<w_j, x_i>) l'(f(x_i), y_i) x_i,
        a_j <- a_j - (readout_eta/n) sum_i l'(f(x_i), y_i) sigma(<w_j, x_i>), fixed where readout_eta is 0.

    As n, d -> infinity with alpha = n/d, the overlaps follow from the law of one training row: its fields are
    not Gaussian, for they remember its own gradients with weight alpha^{-1/2}. No kernel and no fixed point
    is needed: one pass through the steps, each a few averages.

    Source: arXiv 2006.08098, 2112.07572, 2210.06591, 2402.03220; docs/dmft.md.

    Parameters
    ----------
    activation : Activation or str
        Continuous.
    target : Target or str
        Of r directions; additive label noise a*xi is added to `noise`, and xi may stand anywhere else, as in
        sign(z1 + xi/2).
    readout : sequence of p numbers
        a_j at the start.
    loss : str
        "square" (f - y)^2/2, "correlation" -y f, or a text of `Loss`: a name such as "quantile:0.9", or an
        expression in y and x.
    reuse : float
        kappa: each sample's gradient is taken at the fields h - kappa dl/dh, those after a step of its own,
        w_j - (kappa/|x_i|^2) times its gradient; with the loss "correlation" or "square" and fresh samples
        that of `SGDFlow`.

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
    -0.140957 ['quadrature' 'quadrature' 'quadrature']
    """

    activation: Any
    target: Any
    readout: Any = (1.0,)
    loss: str = "square"
    reuse: float = 0.0
    network: Network = field(init=False, repr=False)

    def __post_init__(self) -> None:
        read_texts(self, activation=Activation, target=Target)
        readout = np.array(checked("readout", self.readout))
        if readout.ndim != 1 or readout.size == 0:
            raise InputError(f"readout has shape {readout.shape}; accepted: one number for each neuron")
        readout.flags.writeable = False
        loss = TrainingLoss(self.loss)
        problem = flow_problem(self.activation, self.target, curved=True, hidden=True)
        reuse = float(REUSE.checked(self.reuse))
        require_finite_gradients(self.activation, self.target, self.loss, later=reuse != 0.0)
        network = Network(
            problem=problem,
            loss=loss,
            readout=readout,
            has_affine_activation=has_affine_activation(self.activation),
            reuse=reuse,
        )
        object.__setattr__(self, "readout", tuple(readout.tolist()))
        object.__setattr__(self, "reuse", reuse)
        object.__setattr__(self, "network", network)

    def __reduce__(self) -> tuple[object, ...]:
        return DMFT, (self.activation, self.target, self.readout, self.loss, self.reuse)

    def solve(
        self,
        *,
        alpha: ArrayLike | None = None,
        eta: ArrayLike,
        steps: int,
        ridge: ArrayLike = 0.0,
        noise: ArrayLike = 0.0,
        schedule: str = "full",
        momentum: ArrayLike = 0.0,
        overlap: ArrayLike | None = None,
        correlations: ArrayLike | None = None,
        spherical: bool = False,
        readout_eta: ArrayLike = 0.0,
        tolerance: float = 1e-3,
        seconds: float = 30.0,
        seed: int = 0,
        device: str = "cpu",
        throw: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> DMFTSolution:
        """The overlaps and errors after each step.

        alpha, eta, ridge, noise, momentum and readout_eta broadcast; all points share their Sobol points, so
        that curves are smooth.

        Parameters
        ----------
        alpha : float or array_like > 0
            n/d. May be left out for "one-pass:alpha_b", where it is steps alpha_b.
        eta : float or array_like
            Step size, of the sum over samples divided by d.
        steps : int >= 1
        ridge : float or array_like >= 0
            Weight decay: a step multiplies the weights by 1 - eta ridge.
        noise : float or array_like >= 0
            Variance of the label noise.
        schedule : str
            Which samples a step sees: "full"; "minibatch:b", each with probability b; "epochs:B", B blocks in
            turn; "one-pass:alpha_b", fresh alpha_b d samples a step; "twice", fresh blocks for two steps
            each; "extra-gradient:eta", all samples, and gradients after a look-ahead of the weights with
            that step size, along the gradient of the loss alone: the ridge does not act in it.
        momentum : float or array_like in [0, 1]
            Of the heavy ball.
        overlap : array_like, shape (p, r), optional
            M_0, by default 0.
        correlations : array_like, shape (p, p), optional
            Q_0, by default I.
        spherical : bool
            Divide each w_j by its norm after every step.
        readout_eta : float or array_like
            Step size of the readout, of the mean over the samples; 0 keeps it as it is.
        tolerance : float
            Of `numerical_error`. Quadratures serve the first steps, as long as the variables are few; then
            more and more Sobol points.
        seconds : float
            Time allowed, of the processor: no quadrature and no larger sample is begun that would take
            longer, and long runs whose smallest samples would are refused. Where it ends before, later steps
            are NaN and the status is `time_ended`. Points share what is left of it equally.
        seed : int >= 0
            Of the Sobol points.
        device : str
            Where sampled rows stand, as in `simulate`: "cpu", "torch", "cuda", "cuda:1" or "cupy".
            Quadratures are the processor's.
        throw : bool
            Raise `ConvergenceError` unless the status is `converged`.
        progress : callable, optional
            progress(done, total), in gradients of the smallest sample; the total grows where more is begun.

        Returns
        -------
        DMFTSolution

        Raises
        ------
        InputError
            A number outside its range, an unknown schedule, an overlap that no weights have; what does not
            fit into memory or into `seconds`.
        UndefinedQuantity
            If a gradient after the first step has no second moment, or the errors have no mean.
        """
        require_seconds(seconds)
        if not (isinstance(tolerance, Real) and 0.0 < float(tolerance) < 1.0):
            raise InputError(f"tolerance is {tolerance!r}; a number in (0, 1) is accepted")
        seed = integer("seed", seed, 0)
        training = Training(
            alpha=alpha,
            eta=eta,
            steps=steps,
            ridge=ridge,
            noise=noise,
            schedule=schedule,
            momentum=momentum,
            overlap=overlap,
            correlations=correlations,
            spherical=spherical,
            readout_eta=readout_eta,
        )
        place = placed(self, device)
        shape, runs = checked_runs(self.network, training)
        require_room(self.network, runs[0])
        require_time(place, runs, seconds)
        if runs[0].usage.steps > 1:
            require_finite_gradients(self.activation, self.target, self.loss, later=True)
        require_finite_errors(self.activation, self.target, self.loss)
        points: list[dict[str, Any]] = []
        work = Work(progress=progress)
        with allowed(seconds), ONE_EACH:
            for run in runs:
                with allowed(share(1.0 / (len(runs) - len(points)))):
                    found = limit_point(self.network, place, run, tolerance=tolerance, seed=seed, work=work)
                    points.append(found)
        work.close()
        solution = joined_points(points, shape, self._parameters(runs, shape))
        if throw:
            solution.raise_unless_converged()
        return solution

    def sample(
        self, *, d: int, seeds: int | Sequence[int] = 0, device: str = "cpu", **training: Unpack[Training]
    ) -> DMFTSample:
        """Networks of dimension d trained on n = alpha d samples, drawn from their exact law without data.

        As d grows they approach `solve`; the cost is that of n rows of p (T + 1) + r numbers each.

        Parameters
        ----------
        d : int
            At least r + p (T + 1) for T gradients.
        seeds : int or sequence of int
            0 <= seed < 2**32; one network each. The numbers come from the streams of the simulator.
        device : str
            Where the rows stand, as in `solve`; one seed gives the same network everywhere, up to rounding.
        alpha, eta, steps, ridge, noise, schedule, momentum, overlap, correlations, spherical, readout_eta
            As in `solve`, one number each; n is alpha d, rounded. The weights start with exactly this overlap
            and norm.

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
        run = checked_run(self.network, training)
        with ONE_EACH:
            return sampled_networks(placed(self, device), run, d, seeds, self._parameters([run], ()))

    def _parameters(self, runs: list[Run], shape: tuple[int, ...]) -> dict[str, Any]:
        """Of the constructor, then of the runs; ratios have the shape of the points."""
        first = runs[0]
        ratios = {
            "alpha": [run.alpha for run in runs],
            "eta": [run.method.eta for run in runs],
            "ridge": [run.method.ridge for run in runs],
            "noise": [run.asked_noise for run in runs],
            "momentum": [run.method.momentum for run in runs],
            "readout_eta": [run.method.readout_eta for run in runs],
        }
        return {
            "activation": self.activation.text,
            "target": self.target.text,
            "readout": list(self.readout),
            "loss": self.loss,
            "reuse": self.reuse,
            "steps": first.steps,
            "schedule": first.schedule.text,
            "spherical": first.method.spherical,
        } | {name: frozen(np.reshape(values, shape)) for name, values in ratios.items()}


def placed(model: DMFT, device: str, dtype: str = "float64") -> Place:
    """The network of a model on a device, see `resolve_backend`; functions keep the kind of their arrays."""
    backend = resolve_backend(device, dtype)
    if device == "cpu":
        return Place(device=device, backend=backend, network=model.network)
    problem = flow_problem(model.activation, model.target, curved=True, hidden=True, backend="array")
    return Place(device=device, backend=backend, network=replace(model.network, problem=problem))
