"""Bayes-AMP on y = g(z_1..z_r) in the limit d -> infinity, n = alpha d: `StateEvolution`."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.errors import InputError, UnsupportedExpression
from hermite_analytics.executors.timed import executor_of
from hermite_analytics.foundation.attempts import attempted
from hermite_analytics.foundation.clock import TIME_ENDED, TimeEnded, check_time, limited
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.foundation.ranges import POSITIVE
from hermite_analytics.foundation.seconds import require_seconds
from hermite_analytics.label.channel import Channel, channel_of
from hermite_analytics.numeric.bayes.state_evolution.curve import Curve
from hermite_analytics.numeric.bayes.state_evolution.equilibrium import Equilibrium
from hermite_analytics.numeric.bayes.state_evolution.iteration import FoundMatrix, Search
from hermite_analytics.numeric.bayes.state_evolution.overlap_input import overlap_inside
from hermite_analytics.numeric.bayes.state_evolution.overlaps import Overlaps
from hermite_analytics.numeric.bayes.state_evolution.solution import StateEvolutionSolution, Thresholds
from hermite_analytics.numeric.bayes.state_evolution.transitions import thresholds_of
from hermite_analytics.numeric.checks import checked, one_number
from hermite_analytics.numeric.frozen import ReadOnly, frozen
from hermite_analytics.numeric.models.state_evolution.record import STATE_EVOLUTION
from hermite_analytics.numeric.spread import left_by, raise_if_ended, results_kept
from hermite_analytics.numeric.status import Rule, Status, statuses

if TYPE_CHECKING:
    from hermite_analytics.target import Target

__all__ = ["StateEvolution"]

_STARTS = ("uninformed", "informed")
_SECONDS = 300.0  # for each alpha, preparation included
_LEAST_LEFT = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class StateEvolution:
    """State evolution of Bayes-AMP for inputs x ~ N(0, I/d), weights N(0, I) and n = alpha d labels.

    M = alpha F(M) (I + alpha F(M))^-1,  F(M) = E_{omega ~ N(0, M)} E_{y | omega} [g_out g_out^T],
    g_out(y, omega, V) = grad_omega log E_{z ~ N(omega, V)} P(y | z),  V = I - M.

    Source: arXiv 1708.03395 (one index), 2306.05139 and 2405.15480 (several).

    Parameters
    ----------
    target : Target or str
        Any label of one or two coordinates (orthogonal linear forms of z) that is smooth off straight lines,
        with noise inside or added, or without noise off up to three curves too; labels of finitely many
        values on boxes, of up to 20 coordinates of at most two kinds that are not even; a coordinate beside
        others that enter through finitely many values, as in z1 + sign(z2) + sign(z3); labels of three
        coordinates without noise, smooth off planes that have at most three directions or all pass through 0.
        Sums of up to 20 separate parts, at most three of them different and not even, and the largest or
        smallest of such parts. Sums of products and other functions of separate blocks of up to four
        coordinates together, with noise or without. Other labels of up to 8 coordinates by quasi-Monte Carlo:
        `numerical_error` is then two standard errors.
    seconds : float > 0, optional
        Time for each alpha, that to prepare the label included in the first one: a point that is not reached
        in it says so in its status. 300 where it is not given.
    seed : int
        Of the Sobol sequences.

    Raises
    ------
    UnsupportedExpression
        For other labels, with what is covered; or if the label is not prepared in time.

    Examples
    --------
    >>> model = StateEvolution("z1**2")
    >>> solution = model.solve(alpha=[0.45, 0.6, 1.0, 1.2])
    >>> solution.overlap[:, 0, 0].round(6).tolist()
    [0.0, 0.05182, 0.476264, 1.0]
    >>> found = model.thresholds()
    >>> round(found.exact_recovery, 6), found.exact_recovery_information
    (1.128471, 1.0)
    >>> StateEvolution("z1*z2").solve(alpha=1.0).overlap.round(5).tolist()  # M = m I
    [[0.21571, 0.0], [0.0, 0.21571]]
    """

    target: Target | str
    seconds: float | None = field(default=None, kw_only=True)
    seed: int = field(default=0, kw_only=True)
    channel: Channel = field(init=False, repr=False)
    _overlaps: Overlaps = field(init=False, repr=False)
    _prepared_in: list[float] = field(default_factory=list, init=False, repr=False)  # seconds, until charged

    def __post_init__(self) -> None:
        if self.seconds is not None:
            require_seconds(self.seconds)
        seconds = self.seconds or _SECONDS
        try:
            with limited(seconds) as limit:
                channel = channel_of(self.target, seconds=seconds, equivalent=True)
                overlaps = Overlaps.of(self.target, channel, seed=self.seed)
                self._prepared_in.append(limit.used())
        except TimeEnded:
            check_time()  # a limit around this one
            raise UnsupportedExpression(
                f"the state evolution of {self.target} is not prepared: {TIME_ENDED} (seconds = {seconds:g})"
            ) from None
        object.__setattr__(self, "channel", channel)
        object.__setattr__(self, "_overlaps", overlaps)

    def solve(
        self,
        *,
        alpha: Any,
        start: str = "uninformed",
        tolerance: float = 1e-10,
        max_steps: int = 2000,
        throw: bool = False,
        executor: Executor | None = None,
        progress: Callable[[int, int], None] | None = None,
        seconds: float | None = None,
    ) -> StateEvolutionSolution:
        """The fixed point that is reached at each alpha.

        Parameters
        ----------
        alpha : array of floats > 0
            n/d.
        start : {"uninformed", "informed"}
            M = 0+, what AMP reaches from a small random overlap; or M = I-, the largest overlap that is
            stable.
        tolerance : float > 0
            On the residual.
        max_steps : int >= 1
            Of the iteration, where there are several overlaps.
        throw : bool
            Raise `ConvergenceError` if a point does not converge.
        executor : Executor, optional
            Of `concurrent.futures`, or anything with its `submit`: a point is a task there, and each process
            prepares the label for itself.
        progress : callable, optional
            progress(done, total), from the calling thread, after each point.
        seconds : float > 0, optional
            Of the processor, for all points together, in place of an executor: points that are not found by
            then are NaN, `time_ended`.

        Raises
        ------
        InputError
            If the labels are proved not to depend on z, or a parameter is out of range.
        """
        self.channel.require_information(self.target)
        values = STATE_EVOLUTION["alpha"].checked(alpha)
        if start not in _STARTS:
            raise InputError(f"start is {start!r}; accepted: {', '.join(_STARTS)}")
        checked("tolerance", tolerance, POSITIVE)
        if max_steps < 1:
            raise InputError(f"max_steps is {max_steps}; accepted: integers >= 1")
        search = Search(informed=start == "informed", tolerance=tolerance, max_steps=max_steps)
        found = self._found(values.ravel(), search, executor_of(executor, seconds), progress)
        solution = self._solution(found, values, start)
        raise_if_ended(solution)
        if throw:
            solution.raise_unless_converged()
        return solution

    def export(self, path: str | Path) -> Path:
        """Write this label as one file of Python that needs numpy only and takes alpha as a flag.

        The law of the label stands in the file as a table, the equations and their solver as code.

        Parameters
        ----------
        path : str or Path

        Returns
        -------
        Path

        Raises
        ------
        UnsupportedExpression
            If the label has noise, or more than one coordinate.
        InputError
            If the labels are proved not to depend on z, or the file cannot be written.
        """
        from hermite_analytics.codegen.files import write_text
        from hermite_analytics.numeric.exported.state_evolution import state_evolution_file

        return write_text(path, state_evolution_file(self))

    def curve(self) -> Curve:
        """alpha as a function of the one overlap, with the stability of the fixed points and the spinodals.

        Raises
        ------
        UnsupportedExpression
            If there is more than one overlap.
        """
        return self._overlaps.only().curve()

    def thresholds(self) -> Thresholds:
        """Weak recovery, jumps of AMP and of the equilibrium, and exact recovery, of the one overlap."""
        found = thresholds_of(self._overlaps.only())
        inside = np.zeros((len(self.channel.rows),) * 2)
        return dataclasses.replace(found, rule=self._overlaps.rule(inside))

    def weak_recovery(self) -> float:
        """alpha_c: above it M = 0 is unstable, from the slope of F at 0; 0 where E[z | y] is not 0.

        Of the coordinates that are followed together: inf where no alpha makes M = 0 unstable, NaN where it
        is not found in the time of one alpha, or where two rules for the slope differ by 2 percent.

        Examples
        --------
        >>> round(StateEvolution("z1**2 + 2*z2**2").weak_recovery(), 6)
        0.61572
        """
        with attempted(self._seconds_left()):
            return self._overlaps.weak_recovery()
        return math.nan

    def overlap_map(self, matrix: Any) -> Array:
        """F(M), shape (r, r), for an overlap matrix M in the coordinates of the target, 0 <= M < I.

        Where the label is sampled (`rule` of a solution says so), and for sums of separate blocks where M is
        none that the symmetries of the label keep, F is an average over samples: its small entries may be
        off by tens of percent. `solve` says how far that moves overlaps.

        Raises
        ------
        InputError
            If M is no symmetric matrix of this shape with eigenvalues in [0, 1), or the label does not see
            one of its directions.
        UnsupportedExpression
            If some coordinates are found only once others are known exactly: there is no joint map then. Or
            if the map takes only matrices that the symmetries of the label keep, and M is none.

        Examples
        --------
        >>> round(StateEvolution("z1").overlap_map([[0.75]]).item(), 9)  # z1 is seen: 1/(1 - m)
        4.0
        """
        inside = overlap_inside(matrix, self.channel.rows)
        rows = self.channel.rows
        return np.asarray(rows.T @ self._overlaps.full_map(inside) @ rows)

    def optimal_overlap(
        self, alpha: float, *, tolerance: float = 1e-10, max_steps: int = 2000
    ) -> Equilibrium:
        """The overlap of the best method of any cost: the global maximum of the free entropy.

        Source: the replica-symmetric formula sup_M inf_Mhat of arXiv 1708.03395 and 2306.05139, at the fixed
        points of state evolution; along M the free entropy is

            f(M) = alpha E log Z_out + (Tr M + log det(I - M))/2,   df = Tr[(alpha F - M (I - M)^-1) dM]/2.

        Parameters
        ----------
        alpha : float > 0
            n/d.

        Returns
        -------
        Equilibrium
            With one overlap all fixed points are compared; with several those that are reached from M = 0+
            and from M = I-.

        Examples
        --------
        >>> StateEvolution("z1**2").optimal_overlap(1.05).overlap.tolist()  # AMP stops at 0.568
        [[1.0]]
        """
        value = one_number("alpha", alpha, STATE_EVOLUTION["alpha"].range)
        starts = [Search(informed=i, tolerance=tolerance, max_steps=max_steps) for i in (False, True)]
        return self._overlaps.equilibrium(value, starts[0], starts[1], self._seconds_left())

    def _found(
        self,
        alphas: Array,
        search: Search,
        executor: Executor | None,
        progress: Callable[[int, int], None] | None,
    ) -> list[FoundMatrix]:
        def told(done: int, _: FoundMatrix) -> None:
            if progress is not None:
                progress(done, len(alphas))

        one = functools.partial(self._point, search=search)
        found = results_kept(one, map(float, alphas), executor, each=told)
        missing = self._overlaps.nothing(left_by(executor))
        return [*found, *[missing] * (len(alphas) - len(found))]

    def _point(self, alpha: float, *, search: Search) -> FoundMatrix:
        return self._overlaps.point(alpha, search, self._seconds_left())

    def __reduce__(self) -> tuple[Any, ...]:
        """By its target: what was prepared does not travel, and is made once in each process."""
        return _remade, (self.target, self.seconds, self.seed)

    def _seconds_left(self) -> float:
        """For the next alpha."""
        spent = self._prepared_in.pop() if self._prepared_in else 0.0
        return max((self.seconds or _SECONDS) - spent, _LEAST_LEFT)

    def _solution(self, found: list[FoundMatrix], alpha: Array, start: str) -> StateEvolutionSolution:
        rows = self.channel.rows
        converged = [f.status == Status.CONVERGED for f in found]
        matrices = np.array([rows.T @ f.matrix @ rows for f in found])
        matrices = np.where(np.array(converged)[:, None, None], matrices, np.nan)
        errors = [
            self._overlaps.test_error(f.matrix, f.error) if good else (math.nan, math.nan)
            for f, good in zip(found, converged, strict=True)
        ]

        def shaped(values: list[Any], kind: Any = np.float64) -> Any:
            return np.array(values, dtype=kind).reshape(alpha.shape)

        return StateEvolutionSolution(
            overlap=frozen(matrices.reshape(*alpha.shape, *matrices.shape[1:])),
            test_error=frozen(shaped([value for value, _ in errors])),
            error_of_test_error=frozen(shaped([off for _, off in errors])),
            status=statuses(shaped([f.status for f in found], object)),
            residual=frozen(shaped([f.residual for f in found])),
            iterations=frozen(shaped([f.iterations for f in found], np.int64)),
            numerical_error=frozen(shaped([f.error for f in found])),
            rule=_rules(shaped([self._overlaps.rule_of(f) for f in found], object)),
            alpha=frozen(alpha),
            start=start,
            parameters=ReadOnly({"alpha": frozen(alpha), "start": start}),
        )


def _rules(texts: NDArray[Any]) -> Any:
    """`Rule` (single point) or an array of texts."""
    return Rule(texts.item()) if texts.ndim == 0 else frozen(texts)


@functools.lru_cache(maxsize=4)
def _remade(target: Target | str, seconds: float | None, seed: int) -> StateEvolution:
    return StateEvolution(target, seconds=seconds, seed=seed)
