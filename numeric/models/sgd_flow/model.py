"""One-pass stochastic gradient descent at d -> infinity: `SGDFlow`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hermite_analytics.activation import Activation
from hermite_analytics.errors import InputError
from hermite_analytics.executors.timed import executor_of
from hermite_analytics.foundation.arrays import Numbers
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.foundation.ranges import Range
from hermite_analytics.numeric.checks import check_method, checked
from hermite_analytics.numeric.frozen import frozen
from hermite_analytics.numeric.models.sgd_flow.accepted import (
    accepted_method,
    accepted_readout,
    accepted_times,
    require_few_variables,
    require_single,
    shift_of,
)
from hermite_analytics.numeric.models.sgd_flow.averages import (
    Averages,
    averages_of,
    drift_coefficient,
)
from hermite_analytics.numeric.models.sgd_flow.closed_forms import closed_network
from hermite_analytics.numeric.models.sgd_flow.gradient import Gradient
from hermite_analytics.numeric.models.sgd_flow.order import flow_order
from hermite_analytics.numeric.models.sgd_flow.passage import passage_times
from hermite_analytics.numeric.models.sgd_flow.problem import FlowProblem, flow_problem, require_moments
from hermite_analytics.numeric.models.sgd_flow.record import SGD_FLOW
from hermite_analytics.numeric.models.sgd_flow.runs import Flow
from hermite_analytics.numeric.models.sgd_flow.solution import SGDFlowSolution, flow_solution
from hermite_analytics.numeric.models.sgd_flow.starts import Starts, starts_of
from hermite_analytics.numeric.models.sgd_flow.table import OverlapTable, overlap_table
from hermite_analytics.numeric.models.sgd_flow.weak_recovery import WeakRecovery, weak_recovery
from hermite_analytics.numeric.spread import flat_results, raise_if_ended
from hermite_analytics.target import Target

__all__ = ["SGDFlow"]

_MOST_ORDER = 40


@dataclass(frozen=True, slots=True, eq=False)
class SGDFlow:
    """Overlaps of a two-layer network with the directions of a target, under SGD on fresh samples.

    Inputs x ~ N(0, I_d); f = (1/p) sum_j a_j sigma(<w_j, x>) with a fixed readout a. A sample moves w_j by
    (rate/(p d)) a_j r sigma'(<w_j, x>) x, after which rows are normalised if `spherical`; r = y (correlation
    loss) or y - f (square loss). With t = samples/d and d -> infinity the overlaps follow a closed equation;
    for one neuron and one direction

        dm/dt = rate E[F (z - m h)] - (rate^2/2) m E[F^2],    F = r sigma'(h).

    Source: Saad and Solla, Phys. Rev. E 52, 4225 (1995); data reuse: arXiv 2405.15459; docs/flows.md.

    Parameters
    ----------
    activation : Activation or str
        Continuous.
    target : Target or str
        Of r directions; additive label noise a*xi is added to `noise`.
    loss : "correlation" or "square"
    reuse : float
        kappa of the method "extra-gradient": the gradient is taken at a look-ahead after a step kappa/d on
        the same sample, where its field is h + kappa F; kappa < 0 is sharpness-aware minimisation.
    method : "sgd", "extra-gradient" or "batch-reuse", optional
        By default "sgd" without reuse and "extra-gradient" with it. "batch-reuse" makes two plain steps on
        each sample.
    neurons : int >= 1
        p.
    readout : sequence of p numbers, optional
        a_j, by default 1.
    spherical : bool
        Whether |w_j| = 1 is restored after each sample.

    Raises
    ------
    InputError
        An unknown loss or method, an activation that jumps, labels that do not depend on z.
    UndefinedQuantity
        If the gradient has no second moment.

    Examples
    --------
    >>> flow = SGDFlow("erf(z/sqrt(2))", "erf(z1/sqrt(2))", loss="square")
    >>> found = flow.solve(rate=1.5, overlap=0.2, times=[1, 2, 3, 5, 10])
    >>> found.overlap.round(6).tolist()
    [0.551083, 0.763879, 0.879595, 0.969633, 0.999056]
    """

    activation: Any
    target: Any
    loss: str = field(default="correlation", kw_only=True)
    reuse: float = field(default=0.0, kw_only=True)
    method: Any = field(default=None, kw_only=True)
    neurons: int = field(default=1, kw_only=True)
    readout: Any = field(default=None, kw_only=True)
    spherical: bool = field(default=True, kw_only=True)
    problem: FlowProblem = field(init=False, repr=False)
    _network: Any = field(init=False, repr=False)

    def __post_init__(self) -> None:
        sigma = Activation.of(self.activation)
        target = Target.of(self.target)
        reuse, method = accepted_method(self.loss, self.reuse, self.method)
        readout = accepted_readout(self.neurons, self.readout)
        problem = flow_problem(sigma, target)
        require_moments(sigma, target, self.loss, reuse)
        for name, value in (
            ("activation", sigma),
            ("target", target),
            ("reuse", reuse),
            ("method", method),
            ("readout", readout),
            ("problem", problem),
            ("_network", closed_network(sigma, target) if method == "sgd" else None),
        ):
            object.__setattr__(self, name, value)
        self._variables(problem.noise)

    def __reduce__(self) -> tuple[object, ...]:
        names = ("loss", "reuse", "method", "neurons", "readout", "spherical")
        options = {name: getattr(self, name) for name in names}
        return functools.partial(SGDFlow, self.activation, self.target, **options), ()

    def solve(
        self,
        *,
        rate: ArrayLike,
        overlap: ArrayLike,
        times: ArrayLike,
        noise: ArrayLike = 0.0,
        correlations: ArrayLike | None = None,
        tolerance: float = 1e-9,
        max_steps: int = 200_000,
        throw: bool = False,
        executor: Executor | None = None,
        seconds: float | None = None,
    ) -> SGDFlowSolution:
        """The overlaps at the times.

        Parameters
        ----------
        rate : array_like > 0
            gamma.
        overlap : array_like
            Where to start, inside [-1, 1]: numbers for one neuron and one direction, (..., r) for one neuron,
            (..., p, r) for p neurons.
        times : array_like >= 0, of at most one axis
            Samples/d, in any order.
        noise : array_like >= 0
            Variance of the label noise.
        correlations : array_like, shape (p, p), optional
            <w_j, w_l> at the start. By default |w_j| = 1 and the parts outside the target's directions are
            orthogonal.
        tolerance : float
            On the overlaps; where averages are quadratures over three or four variables, 1e-7 at least, and
            what changes by 1e-5 between rules over four is an answer, with that as its numerical error.
        max_steps : int
            Evaluations of the right-hand side, in each run.
        throw : bool
            Raise `ConvergenceError` if a start has no answer.
        executor : Executor, optional
            Of `concurrent.futures`, or anything with its `submit`: pieces of the runs are tasks there.
        seconds : float > 0, optional
            Of the processor, in place of an executor: runs that have not ended by then are NaN, `time_ended`.

        Returns
        -------
        SGDFlowSolution

        Raises
        ------
        InputError
            A number outside its range, overlaps and correlations that no weights have.
        """
        check_method(tolerance, max_steps)
        asked = accepted_times(times)
        starts = starts_of(
            self.neurons, self.problem.dimension, rate, noise, overlap, correlations, self.spherical
        )
        variables = self._variables(float(starts.noise.max(initial=0.0)) + self.problem.noise)
        if self.method == "batch-reuse":
            require_moments(self.activation, self.target, self.loss, float(starts.rate.max(initial=0.0)))
        sorted_times, back = np.unique(asked, return_inverse=True)
        flow = Flow(
            table=self._table if self._is_single else None,
            pinned=self._is_single and self._pinned(starts),
            averages=self._averages,
            variables=variables,
            spherical=self.spherical,
            noise=self.problem.noise,
            times=sorted_times,
            tolerance=tolerance,
            max_steps=max_steps,
        )
        found = flat_results(flow, starts.flat(), executor_of(executor, seconds), keeps=True)
        texts = {"activation": self.activation.text, "target": self.target.text}
        settings = texts | {name: getattr(self, name) for name in ("loss", "method", "reuse")}
        solution = flow_solution(
            starts, asked, found, np.ravel(back), (self.neurons, self.problem.dimension), settings
        )
        raise_if_ended(solution)
        if throw:
            solution.raise_unless_converged()
        return solution

    def drift(self, overlap: ArrayLike, *, rate: float | None = None, noise: float = 0.0) -> Numbers:
        """E[F (z - m h)] at overlaps m: dm/dt = rate drift(m) - (rate^2/2) m fluctuation(m).

        Without reuse it is (1 - m^2) E[g'(z) sigma'(h)], for both losses. The rate is needed by "batch-reuse"
        alone, where a pass sees the other's step. ConvergenceError if it is not settled to 1e-5 of its size.

        Examples
        --------
        >>> flow = SGDFlow("relu", "He3(z1)", reuse=0.1)
        >>> print(f"{flow.drift(0.0):.6f}")
        -0.118646
        """
        return self._tabulated(overlap, rate, noise)[0]

    def fluctuation(self, overlap: ArrayLike, *, rate: float | None = None, noise: float = 0.0) -> Numbers:
        """E[F^2] at overlaps m, label noise included; ConvergenceError as for the drift."""
        return self._tabulated(overlap, rate, noise)[1]

    def drift_coefficient(self, order: int, *, rate: float | None = None) -> float:
        """C_k of the drift (1 - m^2) sum_k C_k m^(k-1)/(k-1)!, of order k >= 1, by quadrature.

        C_k = E[F(z, h) He_k(z) He_(k-1)(h)] for independent z and h; mu_k(g) mu_k(sigma) without reuse. NaN
        if the quadrature is not settled.

        Examples
        --------
        >>> flow = SGDFlow("relu", "He3(z1)", reuse=0.1)
        >>> print(f"{flow.drift_coefficient(1):.6f} {flow.drift_coefficient(2):.6f}")
        -0.118646 0.234457
        """
        require_single("drift_coefficient", self.neurons, self.problem.dimension, spherical=self.spherical)
        if not isinstance(order, int) or not 1 <= order <= _MOST_ORDER:
            raise InputError(f"order is {order!r}; accepted: an integer from 1 to {_MOST_ORDER}")
        gradient = self._gradient(self._shift(rate))
        return drift_coefficient(gradient, order, self.problem.noise)

    def weak_recovery(
        self, *, degree: int = 8, rate: float | None = None, seconds: float = 20.0
    ) -> WeakRecovery:
        """How many samples one direction needs to be seen from a random start, and with which sign.

        Parameters
        ----------
        degree : int >= 1
            How far the drift is expanded.
        rate : float
            Of "batch-reuse" alone.
        seconds : float
            Time allowed for the proofs.

        Raises
        ------
        InputError
            For several neurons or directions.

        Examples
        --------
        >>> SGDFlow("relu", "He2(z1)").weak_recovery().samples
        'd log d'
        >>> found = SGDFlow("relu", "He3(z1)", reuse=0.1).weak_recovery()
        >>> found.order.value, found.samples, str(found.order.evidence)
        (1, 'd', 'proved')
        """
        require_single("weak_recovery", self.neurons, self.problem.dimension, spherical=self.spherical)
        gradient = self._gradient(self._shift(rate))
        return weak_recovery(self.activation, self.target, gradient, degree=degree, seconds=seconds)

    def time_to(
        self, level: float, *, rate: ArrayLike, overlap: ArrayLike, noise: ArrayLike = 0.0
    ) -> Numbers:
        """The time, in samples/d, to |m| = level; infinite if never, ConvergenceError as for the drift.

        Parameters
        ----------
        level : float in (0, 1)
        rate, overlap, noise : array_like
            As in `solve`, for one neuron and one direction.

        Examples
        --------
        >>> flow = SGDFlow("relu", "He2(z1)")
        >>> flow.time_to(0.5, rate=0.1, overlap=[1e-1, 1e-2, 1e-3]).round(2).tolist()
        [23.52, 54.38, 85.17]
        """
        require_single("time_to", self.neurons, self.problem.dimension, spherical=self.spherical)
        most = float(checked("level", level, Range(low=0.0, high=1.0, open_low=True)))
        if most == 1.0:
            raise InputError("level is 1; accepted: 0 < level < 1")
        starts = starts_of(1, 1, rate, noise, overlap, None, True)
        self._variables(float(starts.noise.max(initial=0.0)) + self.problem.noise)
        found = passage_times(self._table, self.problem.noise, starts, self._pinned(starts), most)
        times: Numbers = frozen(found.reshape(starts.shape))
        return times

    @property
    def _is_single(self) -> bool:
        return self.neurons == 1 and self.problem.dimension == 1 and self.spherical

    def _variables(self, noise: float) -> int:
        """Of the quadratures, with this variance of the label noise; 0 of closed forms."""
        if self._network is not None:
            return 0
        return require_few_variables(self.problem, self.activation, self.method, self.neurons, noise)

    def _shift(self, rate: float | None) -> float:
        return shift_of(self.method, float(self.reuse), rate, self.neurons)

    def _table(self, rate: float, noise: float) -> OverlapTable:
        numbers = self._shift(rate), float(noise), float(self.readout[0])
        return overlap_table(self.activation, self.target, self.loss, self.method, *numbers)

    def _tabulated(self, overlap: ArrayLike, rate: float | None, noise: float) -> tuple[Numbers, Numbers]:
        require_single("the drift", self.neurons, self.problem.dimension, spherical=self.spherical)
        m = SGD_FLOW["overlap"].checked(overlap)
        variance = float(SGD_FLOW["noise"].checked(noise)) + self.problem.noise
        self._variables(variance)
        found = self._table(self._shift(rate), variance).settled()(m)
        return frozen(found[0]), frozen(found[1])

    def _pinned(self, starts: Starts) -> bool:
        """Whether overlap 0 is shown to be stationary; asked only where a run starts there."""
        if np.all(starts.overlap != 0.0):
            return False
        return flow_order(self.activation, self.target, self.method, degree=1).at_least != 1

    def _averages(self, rate: float) -> Callable[[Array, Array, float, int], Averages]:
        return averages_of(self._gradient(self._shift(rate)), self._network)

    def _gradient(self, shift: float) -> Gradient:
        return Gradient(
            problem=self.problem, loss=self.loss, method=self.method, shift=shift, readout=self.readout
        )
