"""Bayes-optimal AMP on data: `AMP`."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from hermite_analytics.errors import InputError
from hermite_analytics.foundation.arrays import Values
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.foundation.ranges import POSITIVE
from hermite_analytics.foundation.seconds import require_seconds
from hermite_analytics.label.channel import Channel, channel_of
from hermite_analytics.label.moments import LabelMoments
from hermite_analytics.numeric.bayes.amp.data import Data, start_normals
from hermite_analytics.numeric.bayes.amp.iteration import Path, State, iterate
from hermite_analytics.numeric.bayes.amp.overlaps import principal_overlaps
from hermite_analytics.numeric.bayes.amp.result import AMPResult
from hermite_analytics.numeric.bayes.amp.starts import (
    DEFAULT_OVERLAP,
    STARTS,
    informed,
    spectral,
    uninformed,
)
from hermite_analytics.numeric.checks import checked
from hermite_analytics.numeric.frozen import ReadOnly, frozen
from hermite_analytics.numeric.status import Rule

if TYPE_CHECKING:
    from hermite_analytics.target import Target

__all__ = ["AMP"]


@dataclass(frozen=True, slots=True, eq=False)
class AMP:
    """Approximate message passing for y = g(z_1..z_r), z = x W*, with the channel of a target.

    The prior of the rows of sqrt(d) W* is N(0, I); then AMP is the best of the known polynomial-time
    algorithms, and its overlaps follow `StateEvolution` as d -> infinity at fixed alpha = n/d.

    Scaling: inputs x ~ N(0, I_d) and directions W* with columns of norm near 1. (The papers divide x by
    sqrt(d) and multiply W* by it; nothing else changes.)

    Source: arXiv:1010.5141 (generalised AMP), 1708.03395 (one index), 2306.05139 and 2405.15480 (several).

    Parameters
    ----------
    target : Target or str
        How the labels depend on z; label noise xi is part of it. Labels of one coordinate, with noise added
        or inside signs; of finitely many values with each kink in one of up to three coordinates;
        a coordinate and up to three others that enter through finitely many values; any labels of two
        coordinates that are smooth off lines and curves, with noise or without; a*z1 + h(z2) + noise in
        orthogonal coordinates; others of up to 8 coordinates, by points or along lines.
    seconds : float > 0
        Time to prepare the channel.

    Raises
    ------
    UnsupportedExpression
        For other labels, with what is covered.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> teacher = np.ones(500) / np.sqrt(500)
    >>> x = rng.standard_normal((1500, 500))
    >>> result = AMP("sign(z1)").run(x, np.sign(x @ teacher), teacher=teacher)
    >>> str(result.status), abs(result.overlap - 0.8426) < 0.05  # state evolution: 0.842606
    ('converged', True)
    >>> bool(abs(result.overlap - result.expected_overlaps[-1]) < 0.05)  # the overlap without the teacher
    True
    """

    target: Target | str
    seconds: float = field(default=30.0, kw_only=True)
    channel: Channel = field(init=False, repr=False)

    def __post_init__(self) -> None:
        require_seconds(self.seconds)
        object.__setattr__(self, "channel", channel_of(self.target, seconds=self.seconds))
        self.channel.require_information(self.target)

    @property
    def directions(self) -> int:
        """Number of directions that are followed."""
        return len(self.channel.followed)

    def run(
        self,
        x: Values,
        y: Values,
        *,
        start: str = "uninformed",
        teacher: ArrayLike | None = None,
        start_overlap: float | None = None,
        max_steps: int = 200,
        tolerance: float = 1e-6,
        damping: float = 0.0,
        damping_steps: int | None = None,
        seed: int = 0,
        normals: Array | None = None,
    ) -> AMPResult:
        """Run to a fixed point.

        Parameters
        ----------
        x : array, shape (n, d)
            Inputs N(0, I_d), of any array API library: the products with x run where it is, in float64, the
            moments of the labels on the host.
        y : array, shape (n,)
        start : {"uninformed", "informed", "spectral"}
            A small random W^; m0 W* + noise (needs the teacher; for tests); or the spectral estimate. Where
            E[z | y] = 0, W^ = 0 is a fixed point and the uninformed start leaves it in O(log d) steps above
            the weak-recovery threshold; where it is not 0, no start is needed.
        teacher : array, shape (d, r) or (d,), optional
            To measure overlaps: column k is the direction of z_k.
        start_overlap : float in (0, 1), optional
            m0, by default 1/d (uninformed: its squared norm), 0.3 (informed), and for the spectral start the
            predicted overlap of one direction or 0.1 for several.
        max_steps : int >= 1
        tolerance : float > 0
            On |change of W^|/sqrt(q) in one undamped step.
        damping : float in [0, 1)
            Share of the old W^ and V that is kept in a step. It upsets the balance of V and the overlap: for
            runs that wander without it, in their first steps.
        damping_steps : int >= 1, optional
            How many steps are damped; all by default.
        seed : int
            Of the random numbers of the start.
        normals : array, shape (d, q), optional
            These numbers themselves, standard normal, for the q directions that the label depends on.

        Raises
        ------
        InputError
            If data or parameters do not fit.
        """
        _check(start, start_overlap, max_steps, tolerance, damping, teacher)
        damped = max_steps if damping_steps is None else damping_steps
        if damped < 1:
            raise InputError(f"damping_steps is {damped}; accepted: integers >= 1")
        data = Data.of(x, y)
        rows = self.channel.rows[list(self.channel.followed)]
        q, r = rows.shape
        hidden = None if teacher is None else data.directions(teacher, r)
        along = None if hidden is None else hidden @ rows.T
        moments = self.channel.at(data.y)
        draws = start_normals(seed, (data.d, q)) if normals is None else normals
        if draws.shape != (data.d, q):
            raise InputError(f"normals has the shape {draws.shape}: ({data.d}, {q}) is accepted")
        first = _start(data, moments, start, along, start_overlap, draws)
        overlaps: list[Array] = []
        path = iterate(
            data,
            moments,
            first,
            damping=damping,
            damping_steps=damped,
            tolerance=tolerance,
            max_steps=max_steps,
            watch=_watcher(data, along, overlaps),
        )
        parameters = {
            "target": str(self.target),
            "n": data.n,
            "d": data.d,
            "alpha": data.n / data.d,
            "start": start,
            "damping": damping,
            "damping_steps": damped if damping else 0,
            "tolerance": tolerance,
            "seed": seed,
        }
        rule = Rule.SAMPLED if path.last.drawn else Rule.QUADRATURE
        return _result(data, path, rows, hidden, overlaps, rule, parameters)


def _check(
    start: str,
    overlap: float | None,
    max_steps: int,
    tolerance: float,
    damping: float,
    teacher: ArrayLike | None,
) -> None:
    if start not in STARTS:
        raise InputError(f"start is {start!r}; accepted: {', '.join(STARTS)}")
    if start == "informed" and teacher is None:
        raise InputError("start is 'informed' without a teacher: it needs the directions W*")
    if overlap is not None and not 0 < overlap < 1:
        raise InputError(f"start_overlap is {overlap}; accepted: 0 < start_overlap < 1")
    if max_steps < 1:
        raise InputError(f"max_steps is {max_steps}; accepted: integers >= 1")
    checked("tolerance", tolerance, POSITIVE)
    if not 0 <= damping < 1:
        raise InputError(f"damping is {damping}; accepted: 0 <= damping < 1")


def _start(
    data: Data,
    moments: LabelMoments,
    start: str,
    teacher: Array | None,
    overlap: float | None,
    normals: Array,
) -> State:
    if start == "informed":
        assert teacher is not None
        return informed(data, teacher, overlap or DEFAULT_OVERLAP[start], normals)
    if start == "spectral":
        return spectral(data, moments, overlap, normals)
    return uninformed(data, overlap, normals)


def _watcher(data: Data, teacher: Array | None, overlaps: list[Array]) -> Callable[[State], None]:
    """Measure the overlaps of each state."""
    if teacher is None:
        return lambda state: None
    on_device, gram = data.device(teacher), teacher.T @ teacher

    def watch(state: State) -> None:
        w = state.weights
        overlaps.append(principal_overlaps(data.host(w.T @ w), data.host(w.T @ on_device), gram))

    return watch


def _moment_error(path: Path) -> float:
    """The largest eigenvalue of C noise C; not a number if the last step diverged so far."""
    c = path.state.covariance
    added = c @ path.last.noise @ c
    return float(np.linalg.eigvalsh(added)[-1]) if np.isfinite(added).all() else math.nan


def _result(
    data: Data,
    path: Path,
    rows: Array,
    teacher: Array | None,
    overlaps: list[Array],
    rule: Rule,
    parameters: dict[str, Any],
) -> AMPResult:
    q, r = rows.shape
    expected = np.linalg.eigvalsh(np.eye(q) - path.covariances)[:, ::-1]
    measured = np.array(overlaps) if overlaps else None
    if q == 1:
        expected = expected[:, 0]
        measured = None if measured is None else measured[:, 0]
    estimate = data.host(path.state.weights) @ rows
    known = np.eye(q) - path.covariances
    covariances = np.eye(r) - np.einsum("ki,tkl,lj->tij", rows, known, rows)
    return AMPResult(
        estimate=frozen(estimate),
        covariance=frozen(covariances[-1]),
        overlap=None if measured is None else frozen(measured[-1]),
        expected_overlap=frozen(expected[-1]),
        overlaps=None if measured is None else frozen(measured),
        expected_overlaps=frozen(expected),
        overlap_matrix=None if teacher is None else frozen(estimate.T @ teacher),
        covariances=frozen(covariances),
        directions=frozen(rows),
        slope=frozen(path.last.slope),
        square=frozen(path.last.square),
        noise=frozen(path.last.noise),
        moment_error=_moment_error(path),
        status=path.status,
        residuals=frozen(path.residuals),
        residual=float(path.residuals[-1]),
        iterations=len(expected) - 1,
        impossible=path.last.impossible,
        rule=rule,
        parameters=ReadOnly(parameters),
    )
