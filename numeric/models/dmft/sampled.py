"""Steps whose averages have too many variables for quadratures: replicates of scrambled Sobol points."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from hermite_analytics.foundation.clock import allowed, has_ended, remaining, share
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.numeric.models.dmft.bartlett import bartlett_factor
from hermite_analytics.numeric.models.dmft.limit_run import Averages, Diverged, LimitRun, require_bounded
from hermite_analytics.numeric.models.dmft.network import Network
from hermite_analytics.numeric.models.dmft.once import RowsSeenOnce
from hermite_analytics.numeric.models.dmft.place import Place
from hermite_analytics.numeric.models.dmft.quadrature import Quadrature
from hermite_analytics.numeric.models.dmft.rows import There, TrainingRows
from hermite_analytics.numeric.models.dmft.schedule import Usage
from hermite_analytics.numeric.models.dmft.sobol import gaussian_sample
from hermite_analytics.numeric.models.dmft.weights import Weights
from hermite_analytics.numeric.models.dmft.work import Work
from hermite_analytics.numeric.status import Status

__all__ = [
    "MOST_NUMBERS",
    "REPLICATES",
    "by_sampling",
    "least_logarithm",
    "nodes_of_points",
    "numbers_of_points",
    "sampled_rows",
]

REPLICATES = 8
_FIRST_POINTS, _STRIDE = 11, 2  # binary logarithms
MOST_NUMBERS = 2**28  # of features and gradients held at once
_SAMPLED_NUMBERS = "overlap", "norm", "readout", "train"
_ROOM = 1.25  # of a long run: dimensions for each direction that it makes
_CLEARLY = 0.5  # of the spread: curves do not change their start for less


def by_sampling(
    quadrature: Quadrature, place: Place, run: LimitRun, first: int, tolerance: float, seed: int, work: Work
) -> None:
    """Fill in a run from the averages of step `first` on, from more and more points.

    The error is three standard errors over the replicates, and a third of what changed with four times as
    many points: a bias of the averages, which depend on one another, falls like 1/points.

    The first steps are those of quadratures, where that is the better start. In long runs it is not:
    gradients that are orthonormal on average are not so in a sample, and what is left of them grows. Samples
    of long runs are networks of N samples and dimension N/alpha, drawn from their exact law: points of one
    weight, noise orthogonal to the gradients, new directions of random size. What is no gradient descent on
    some data drifts away over hundreds of steps, by weights of the points alone, too.

    Where the time ends within the smallest sample, the steps that were made are there and the others are not;
    where it ends within a larger one, all is as the one before had it.
    """
    steps, (known,) = quadrature.usage.steps, run.weights
    logarithm = least = least_logarithm(quadrature.network, quadrature.usage, known.alpha)
    size = numbers_of_points(quadrature.network, quadrature.usage, 0)
    run.averages[first + 1 :] = [Averages.SOBOL] * (steps - first)
    before: list[Array] | None = None
    sampling = _Sampling(quadrature=quadrature, place=place, first=first, least=least, seed=seed, work=work)
    start, samples = _better_start(sampling, known)
    while True:
        began = remaining()
        if logarithm > least:
            larger = sampling.replicates(start, logarithm)
            if any(s.is_cut for s in larger):
                run.status = Status.TIME_ENDED
                return
            samples = larger
        before = _fill(run, samples, first, before)
        ends = [len(s.weights.coordinates) for s in samples if s.diverged]
        if ends:
            run.end(min(ends))
            return
        if any(s.is_cut for s in samples):
            run.status = Status.TIME_ENDED
            return
        run.status = Status.CONVERGED
        if logarithm > least and np.max(run.error) <= tolerance:
            return
        logarithm += _STRIDE
        if 2.0**_STRIDE * (began - remaining()) >= remaining():  # both are 0 after the end
            run.status = Status.TIME_ENDED
            return
        if size * 2**logarithm > MOST_NUMBERS:
            run.status = Status.MAX_STEPS_REACHED
            return


def least_logarithm(network: Network, usage: Usage, alpha: float) -> int:
    """Of the points of the smallest samples: long runs need dimensions N/alpha for their directions."""
    if not usage.is_long:
        return _FIRST_POINTS
    directions = network.problem.dimension + network.readout.size * (usage.steps + 1)
    return max(_FIRST_POINTS, math.ceil(math.log2(_ROOM * alpha * directions)))


def numbers_of_points(network: Network, usage: Usage, logarithm: int) -> int:
    """Features and gradients of a sample."""
    numbers = 2 * network.readout.size * (usage.steps + 1) + 8
    return numbers * nodes_of_points(usage, logarithm)


def nodes_of_points(usage: Usage, logarithm: int) -> int:
    """Nodes of a sample: of each point one for each pattern."""
    listed = usage.listed
    return (1 if listed is None else listed[1].size) << logarithm


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Replicate:
    """Overlap, norm, readout and training errors from the first sampled step on.

    They are NaN from where it diverged, or was cut as its time ended.
    """

    overlap: Array
    norm: Array
    readout: Array
    train: Array
    weights: Weights
    diverged: bool
    is_cut: bool


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Sampling:
    """What replicates of any size have in common.

    `first` is the step of the first averages that are sampled, `least` the logarithm of the fewest points.
    """

    quadrature: Quadrature
    place: Place
    first: int
    least: int
    seed: int
    work: Work

    def replicates(self, start: Weights, logarithm: int) -> list[_Replicate]:
        """Runs of 2**logarithm points each, in equal shares of the time; all as long as the shortest."""
        steps = self.quadrature.usage.steps
        weight = 1 << logarithm - self.least
        self.work.expect(weight * REPLICATES * steps)
        samples: list[_Replicate] = []
        least = steps
        for j in range(REPLICATES):
            with allowed(share(1.0 / (REPLICATES - j))):
                found = self._replicate(start.copy(), logarithm, [self.seed, j], least)
            if found.is_cut:
                least = len(found.weights.coordinates) - 1
                if weight > 1:
                    return [found]
            samples.append(found)
        if least < steps:
            samples = [_shortened(found, least, self.first) for found in samples]
        return samples

    def _replicate(self, weights: Weights, logarithm: int, seed: list[int], last: int) -> _Replicate:
        """The run after at most `last` gradients."""
        quadrature, first = self.quadrature, self.first
        steps, p = quadrature.usage.steps, quadrature.network.readout.size
        known = len(weights.increments)
        train = np.full((steps + 1 - first, 2), np.nan)
        if has_ended():
            return self._finished(weights, train, diverged=False, is_cut=True)
        rows, fresh = sampled_rows(quadrature, self.place, weights.alpha, logarithm, seed)
        rng = np.random.default_rng([*seed, logarithm, 1])
        diverged = is_cut = False
        try:
            for t in range(last):
                if has_ended():
                    is_cut = True
                    break
                if t < known:
                    rows.errors(weights.coordinates[t], weights.readouts[t])
                    step = weights.increments[t]
                else:
                    moments = rows.measure(weights.last, weights.readout)
                    if not np.all(np.isfinite(moments.vector)):
                        raise Diverged(t + 1)
                    if t >= first:
                        train[t - first] = moments.error, moments.loss
                    step = weights.advance(moments, self._factor(weights, logarithm, rng))
                    require_bounded(weights)
                rows.absorb(step, fresh[p * t : p * (t + 1)], finite=not known)
                self.work.add(1 << logarithm - self.least)
            if last == steps and not is_cut:
                train[-1] = rows.errors(weights.last, weights.readout)
        except Diverged as end:
            diverged = True
            weights.cut(int(end.args[0]))
        return self._finished(weights, train, diverged=diverged, is_cut=is_cut)

    def _factor(self, weights: Weights, logarithm: int, rng: np.random.Generator) -> Array | None:
        """That of the new directions: of a network of dimension N/alpha in long runs."""
        if not self.quadrature.usage.is_long:
            return None
        p, features = weights.last.shape
        d = 2.0**logarithm / weights.alpha
        return np.asarray(bartlett_factor(rng.standard_normal((p, p)), d - features) / np.sqrt(d))

    def _finished(self, weights: Weights, train: Array, *, diverged: bool, is_cut: bool) -> _Replicate:
        network, first, count = self.quadrature.network, self.first, train.shape[0]
        p, r = network.readout.size, network.problem.dimension
        overlap, norm = np.full((count, p, r), np.nan), np.full((count, p, p), np.nan)
        readout = np.full((count, p), np.nan)
        for t in range(first, len(weights.coordinates)):
            overlap[t - first], norm[t - first] = weights.overlap(t, r), weights.product(t, t)
            readout[t - first] = weights.readouts[t]
        return _Replicate(
            overlap=overlap,
            norm=norm,
            readout=readout,
            train=train,
            weights=weights,
            diverged=diverged,
            is_cut=is_cut,
        )


def _shortened(found: _Replicate, gradients: int, first: int) -> _Replicate:
    """The same up to the weights after so many gradients; their training errors may be open."""
    found.weights.cut(gradients + 1)
    for name in _SAMPLED_NUMBERS:
        getattr(found, name)[max(gradients + (name != "train") - first, 0) :] = np.nan
    return replace(found, is_cut=True)


def _better_start(sampling: _Sampling, known: Weights) -> tuple[Weights, list[_Replicate]]:
    """The weights to begin with, after all known steps or none, and what the smallest sample makes of it."""
    is_long = sampling.quadrature.usage.is_long
    start = known.beginning() if is_long else known
    began = remaining()
    samples = sampling.replicates(start, sampling.least)
    if is_long or not sampling.first or began - remaining() > remaining():
        return start, samples
    none = known.beginning()
    others = sampling.replicates(none, sampling.least)
    if any(s.is_cut for s in others) or not _spread(others) < _CLEARLY * _spread(samples):
        return known, samples
    return none, others


def _spread(samples: list[_Replicate]) -> float:
    """The largest standard deviation of a number; infinite after a divergence."""
    if any(s.diverged for s in samples):
        return np.inf
    return max(
        float(np.max(np.std([getattr(s, name) for s in samples], axis=0))) for name in _SAMPLED_NUMBERS
    )


def _fill(run: LimitRun, samples: list[_Replicate], first: int, before: list[Array] | None) -> list[Array]:
    """Put the means into the run, with their errors; returns the means."""
    run.weights = [s.weights for s in samples]
    stacks = [np.array([getattr(s, name) for s in samples]) for name in _SAMPLED_NUMBERS]
    means = [stack.mean(axis=0) for stack in stacks]
    largest = []
    for number, (stack, mean) in enumerate(zip(stacks, means, strict=True)):
        error = 3.0 * stack.std(axis=0, ddof=1) / np.sqrt(REPLICATES)
        if before is not None:
            error += np.abs(mean - before[number]) / (2**_STRIDE - 1)
        relative = error / np.maximum(1.0, np.abs(mean))
        largest.append(np.max(relative.reshape(relative.shape[0], -1), axis=1))
    run.overlap[first + 1 :], run.norm[first + 1 :] = means[0][1:], means[1][1:]
    run.readout[first + 1 :], run.train[first:] = means[2][1:], means[3]
    known = run.error[first, 0]
    run.error[first + 1 :, 0] = known + np.max(largest[:3], axis=0)[1:]
    run.error[first:, 1] = known + largest[3]
    return means


def sampled_rows(
    quadrature: Quadrature, place: Place, alpha: float, logarithm: int, seed: list[int]
) -> tuple[TrainingRows, There]:
    """Rows before the first step, and all xi, shape (p T, n); each pattern of use has the same points.

    Points and labels are made by the processor, and stand at the place then.
    """
    network, usage, noise = quadrature.network, quadrature.usage, quadrature.noise
    p, r, known = network.readout.size, network.problem.dimension, network.label_variables(noise)
    once, patterns = usage.sees_once, usage.listed
    uniform = 0 if patterns is not None else usage.steps if usage.probability is not None else 1
    stretched = 0 if usage.is_long else r
    plain = known - stretched + p * (usage.steps + 1)
    normals, mass, uniforms = gaussian_sample(stretched, plain, uniform, logarithm, seed)
    if patterns is None:
        masks = usage.drawn(uniforms)
    else:
        masks = np.repeat(patterns[0].T, mass.size, axis=1)
        normals, mass = np.tile(normals, patterns[1].size), np.outer(patterns[1], mass).ravel()
    label = network.label(normals, noise)
    there = place.there
    start = there(np.concatenate([normals[known : known + p], normals[:r]]))
    fresh, label, mass = there(normals[known + p :]), there(label), there(mass)
    if once:
        assert usage.blocks is not None and usage.shares is not None
        rows = RowsSeenOnce(place, alpha, start, label, mass, masks)
        return rows.with_shares(usage.shares[usage.blocks]), fresh
    return TrainingRows(place, alpha, start, label, mass, masks), fresh
