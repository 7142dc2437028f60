"""Labels of any number of coordinates, solved along lines: randomised quasi-Monte Carlo.

Given omega and V, u = L^-1 (w - omega) is N(0, I). On a line u_o + t e, u_o orthogonal to e, the label fixes
t, and by the coarea formula

    Z = E_{u_o} sum over the roots t of g = y of phi(t)/|dg/dt|.

Half of the lines run along e_0, the gradient where the label is nearest to omega; the others in random
directions, which meet a level surface with the weight c |grad g|, c = E|cos|. All roots are weighed
together, with n_0 |e_0 . grad g| + n_1 c |grad g| in place of |dg/dt| (the balance heuristic of importance
sampling): lines that touch a surface do not weigh more. The points are those of scrambled Sobol sequences,
moved for each sample: errors of two samples are independent. Two sets of lines give the error of each
sample, and more lines follow where it is large. Labels of positive probability are averages of an indicator.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.numpy_arrays import Array, Function, Integers
from hermite_analytics.foundation.threads import in_threads
from hermite_analytics.label.cases.committee.blocks import SeparateBlocks
from hermite_analytics.label.cases.committee.parts import SeparateParts
from hermite_analytics.label.cases.given.form import GivenForm
from hermite_analytics.label.cases.given.labels import GivenLabels
from hermite_analytics.label.cases.sampled.check import require_total_probability
from hermite_analytics.label.cases.sampled.lines import (
    brackets,
    gradients,
    lines_through,
    nearest,
    ratio_correction,
    roots,
)
from hermite_analytics.label.cases.sampled.points import shifted_points
from hermite_analytics.label.cases.sampled.sets import Averages, from_two_sets, with_noise
from hermite_analytics.label.cases.space.case import Surfaces
from hermite_analytics.label.moments import EstimatedMoments, Moments

__all__ = ["SolvedChannel", "SolvedLabels", "solved_channel"]

_AT_ONCE = 400_000  # values of the label
_ROWS = 64
_LINES = (6, 9)  # binary logarithm of half of the lines of a sample, at first and at most
_POINTS = (9, 14)  # the same of the points of an average of an indicator
_REACH = 6.0  # of t, at least
_BEYOND = 4.0  # the nearest point
_SCAN = 33  # values along a line
_LEAST_SLOPE = 1e-150
_SAMPLES = 4096
_SAME = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class SolvedLabels:
    """Labels of a data set: moments at any omega and V, with the error of the sequence.

    Attributes
    ----------
    channel : SolvedChannel
    labels : ndarray, shape (n,)
    seed : int
    coarse : bool
        With half of the lines, and of the values along them.
    once : bool
        No more lines where two sets differ.
    """

    channel: SolvedChannel
    labels: Array
    seed: int = 0
    coarse: bool = False
    once: bool = False

    def __call__(self, omega: Array, variance: Array) -> Moments:
        """Moments at omega, shape (n, q), and V, shape (q, q)."""
        return self.with_error(omega, variance).moments

    def with_error(self, omega: Array, variance: Array) -> EstimatedMoments:
        """The same with a draw of the error of g, shape (n, q)."""
        hidden = self.channel.hidden
        omega, variance = with_noise(omega, variance, hidden)
        n, q = omega.shape
        factor = np.asarray(np.linalg.cholesky(variance), dtype=np.float64)
        gap = np.abs(self.labels[:, None] - self.channel.atoms).min(axis=1, initial=np.inf)
        at_atom = gap <= _SAME * np.maximum(1.0, np.abs(self.labels))
        found = Averages.unknown(n, q)
        shifts = np.random.default_rng(self.seed).random((2, n, 3 * q - 2))

        def evaluate(job: tuple[Integers, bool]) -> None:
            rows, atom = job
            method = self._in_atoms if atom else self._along_lines

            def estimate(own: Integers, half: int, logarithm: int) -> tuple[Array, Array, Array]:
                return method(self.labels[own], omega[own], factor, shifts[half, own], logarithm)

            first, most = _POINTS if atom else _LINES
            sizes = first - self.coarse, first - self.coarse if self.once else most
            at_once = _AT_ONCE if atom else _AT_ONCE // _SCAN
            found.put(rows, from_two_sets(estimate, rows, sizes, at_once, q))

        jobs = []
        for atom in (False, True):
            rows = np.flatnonzero(at_atom == atom)
            jobs += [(rows[k : k + _ROWS], atom) for k in range(0, len(rows), _ROWS)]
        in_threads(evaluate, jobs)
        return found.moments(factor, slice(q - hidden), np.ones(n, dtype=np.bool_))

    def _in_atoms(
        self, labels: Array, omega: Array, factor: Array, shifts: Array, logarithm: int
    ) -> tuple[Array, Array, Array]:
        u = shifted_points(shifts[:, : omega.shape[1]], logarithm, self.seed)
        values = self.channel.value(omega[:, None, :] + u @ factor.T)
        inside = np.abs(values - labels[:, None]) <= _SAME * np.maximum(1.0, np.abs(labels))[:, None]
        count = inside.sum(1)
        p = inside / np.maximum(count, 1)[:, None]
        with np.errstate(divide="ignore"):
            log_z = np.log(count / u.shape[1])
        mean = np.einsum("nk,nki->ni", p, u)
        return log_z, mean, np.einsum("nki,nkj->nij", p[..., None] * u, u, optimize=True)

    def _along_lines(
        self, labels: Array, omega: Array, factor: Array, shifts: Array, logarithm: int
    ) -> tuple[Array, Array, Array]:
        (n, q), count, each = omega.shape, 1 << logarithm, 1 << (logarithm - 1)
        steepest, distance = nearest(self.channel.value, labels, omega, factor)
        reach = np.maximum(_REACH, distance + _BEYOND)
        across, direction = (
            lines.reshape(n * count, q) for lines in lines_through(steepest, shifts, each, self.seed)
        )
        start, along = np.repeat(omega, count, axis=0).T + factor @ across.T, factor @ direction.T
        wanted, along = np.repeat(labels, count), along * np.repeat(reach, count)

        def at(line: Integers, t: Array) -> Array:
            return np.asarray(np.take(start, line, axis=1) + t * np.take(along, line, axis=1))

        def rest(line: Integers, t: Array) -> Array:
            return self._values(at(line, t)) - wanted[line]

        grid = np.linspace(-1.0, 1.0, _SCAN // 2 + 1 if self.coarse else _SCAN)
        values = self._values(start[:, :, None] + grid * along[:, :, None])
        line, low, high = brackets(values - wanted[:, None], grid, rest)
        t, crosses = roots(rest, line, low, high)
        line, t = line[crosses], t[crosses]
        rows, w = line // count, at(line, t)
        t = t * reach[rows]
        gradient = gradients(self.channel.value, w.T, factor).T
        # E|cos| of the angle between a random line and a normal
        cosine = math.exp(math.lgamma(0.5 * q) - math.lgamma(0.5 * (q + 1))) / math.sqrt(math.pi)
        steep = np.abs(np.einsum("in,ni->n", gradient, steepest[rows]))
        steep = each * (steep + cosine * np.sqrt((gradient**2).sum(0)))
        steep = np.maximum(steep, _LEAST_SLOPE)
        log_p = -0.5 * t * t - np.log(steep) - 0.5 * math.log(2 * math.pi)
        top = np.full(n, -np.inf)
        np.maximum.at(top, rows, log_p)
        p = np.exp(log_p - top[rows])
        total = np.bincount(rows, weights=p, minlength=n)
        u = across[line] + t[:, None] * direction[line]
        p = p / total[rows]
        columns = [np.bincount(rows, weights=p * u[:, i], minlength=n) for i in range(q)]
        mean = np.asarray(np.stack(columns, axis=1), dtype=np.float64)
        second = np.empty((n, q, q))
        for i in range(q):
            for j in range(i, q):
                second[:, i, j] = second[:, j, i] = np.bincount(
                    rows, weights=p * u[:, i] * u[:, j], minlength=n
                )
        mean += ratio_correction(rows, line % count, p, u, mean, each)
        with np.errstate(divide="ignore"):
            log_z = np.log(total) + np.where(np.isfinite(top), top, 0.0)
        return log_z, mean, second

    def _values(self, coordinates: Array) -> Array:
        """The label at points that are given by coordinate, shape (q, ...)."""
        return self.channel.value(np.moveaxis(coordinates, 0, -1))


@dataclass(frozen=True, slots=True, kw_only=True)
class SolvedChannel:
    """y = g(w) of any number of coordinates, with w ~ N(omega, V) and any V, by quasi-Monte Carlo.

    Attributes
    ----------
    value : function of points, shape (..., q)
    coordinates : int
        q, noise included.
    hidden : int
        How many coordinates, the last ones, are label noise.
    atoms : ndarray
        Labels of positive probability.
    continuous : float
        Share of the samples with other labels.
    surfaces : Surfaces or None
        Of three coordinates, where the label is smooth off planes and graphs: state evolution takes these.
    separate : SeparateParts or None
        The form of a sum of separate parts, or of the largest of them: state evolution has a rule for it.
    blocks : SeparateBlocks or None
        The form of a sum of functions of separate blocks of coordinates, for which it has one too.
    given : GivenForm or None
        That of a label without atoms that is linear in other coordinates once some are given, or has noise
        added: message passing has rules for it.
    """

    value: Function
    coordinates: int
    hidden: int
    atoms: Array
    continuous: float
    surfaces: Surfaces | None = None
    separate: SeparateParts | None = None
    blocks: SeparateBlocks | None = None
    given: GivenForm | None = None
    _checked: list[bool] = field(default_factory=list, init=False, repr=False, compare=False)

    @property
    def dimension(self) -> int:
        """Coordinates that are tracked."""
        return self.coordinates - self.hidden

    def at(self, labels: Array) -> SolvedLabels | GivenLabels:
        """The labels of a data set.

        Raises
        ------
        UnsupportedExpression
            If the label has to be solved along lines, see `along_lines`.
        """
        if self.given is None:
            return self.along_lines(labels)
        labels = np.asarray(labels, dtype=np.float64)
        return GivenLabels(form=self.given, labels=labels, along_lines=self._some_along_lines)

    def _some_along_lines(self, labels: Array) -> SolvedLabels:
        """Of few labels, whose stated error takes the place of the check."""
        return SolvedLabels(channel=self, labels=labels)

    def along_lines(
        self, labels: Array, *, seed: int = 0, coarse: bool = False, once: bool = False
    ) -> SolvedLabels:
        """The same along lines; the seed is that of the Sobol sequence, see `SolvedLabels`.

        Raises
        ------
        UnsupportedExpression
            If moments over 1024 labels of its own contradict the total probability 1.
        """
        if not self._checked:
            self._checked.append(True)  # the check asks for moments
            try:
                require_total_probability(self)
            except UnsupportedExpression:
                self._checked.clear()
                raise
        labels = np.asarray(labels, dtype=np.float64)
        return SolvedLabels(channel=self, labels=labels, seed=seed, coarse=coarse, once=once)


def solved_channel(
    value: Function,
    coordinates: int,
    *,
    hidden: int = 0,
    surfaces: Surfaces | None = None,
    separate: SeparateParts | None = None,
    blocks: SeparateBlocks | None = None,
    given: GivenForm | None = None,
) -> SolvedChannel:
    """Prepare a label; its atoms are the values that 4096 samples take more than twice.

    Raises
    ------
    UnsupportedExpression
        If it has to be solved along lines, and moments over labels of its own contradict the total
        probability 1; where others serve instead, that is asked once it is.

    Examples
    --------
    >>> channel = solved_channel(lambda w: w.sum(-1), 3)  # E[w | y] = y/3
    >>> _, g, _ = channel.at(np.array([3.0]))(np.zeros((1, 3)), np.eye(3))
    >>> bool(np.abs(g - 1).max() < 0.1)
    True
    """
    w = np.random.default_rng(0).standard_normal((_SAMPLES, coordinates))
    labels = np.sort(value(w))
    same = np.diff(labels) <= _SAME * np.maximum(1.0, np.abs(labels[1:]))
    groups = np.split(labels, np.flatnonzero(~same) + 1)
    atoms = np.array([g[0] for g in groups if len(g) > 2])
    share = sum(len(g) for g in groups if len(g) <= 2) / _SAMPLES
    found = SolvedChannel(
        value=value,
        coordinates=coordinates,
        hidden=hidden,
        atoms=atoms,
        continuous=share,
        surfaces=surfaces,
        separate=separate,
        blocks=blocks,
        given=None if len(atoms) else given,
    )
    if surfaces is None and separate is None and blocks is None and found.given is None:
        found.at(np.zeros(0))
    return found
