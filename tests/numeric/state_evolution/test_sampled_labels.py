"""State evolution of labels that are sampled: it comes to an end, and its error holds."""

from __future__ import annotations

import dataclasses
import zlib

import numpy as np
import pytest

from hermite_analytics.numeric import StateEvolution
from hermite_analytics.numeric.bayes.maps.commutant import Commutant
from hermite_analytics.numeric.bayes.maps.parts_map import PartsMap
from hermite_analytics.numeric.bayes.state_evolution.fixed_point import fixed_point
from hermite_analytics.numeric.bayes.state_evolution.iteration import Search
from hermite_analytics.numeric.bayes.state_evolution.stages import overlaps_at
from hermite_analytics.numeric.status import Status

SEARCH = Search(informed=False, tolerance=1e-10, max_steps=200)


def overlap_of_sum(alpha, *, samples=4_000_000, bins=200):
    """The overlap of s = (z1+..+z4)/2 where nothing across it is known, by the joint histogram of s and y."""
    s_edges, y_edges = np.linspace(-6, 6, bins + 1), np.linspace(0, 13, bins)
    y_edges = np.concatenate([[-1.0, 1e-12], y_edges[1:]])  # y = 0 has positive probability
    z = np.random.default_rng(1).standard_normal((samples, 4))
    counts = np.histogram2d(z.sum(1) / 2, np.maximum(z, 0).sum(1), [s_edges, y_edges])[0]
    given = counts / np.maximum(counts.sum(1, keepdims=True), 1)
    s = 0.5 * (s_edges[1:] + s_edges[:-1])
    nodes, weights = np.polynomial.hermite_e.hermegauss(41)
    m = 0.5
    for _ in range(60):
        omega = np.sqrt(m) * nodes[:, None]
        p = np.exp(-((s - omega) ** 2) / (2 * (1 - m)))
        p /= p.sum(1, keepdims=True)
        z_out, slope = p @ given, ((s - omega) / (1 - m) * p) @ given
        squares = np.divide(slope**2, z_out, out=np.zeros_like(z_out), where=z_out > 0).sum(1)
        f = alpha * float(weights @ squares) / weights.sum()
        m = f / (1 + f)
    return m


@pytest.mark.slow
def test_a_committee_of_four():
    """Of the sum, with next to nothing known across it; before, negative overlaps came out, after minutes.

    The label has a rule of its own: here samples stand in for it.
    """
    model = StateEvolution("relu(z1)+relu(z2)+relu(z3)+relu(z4)")
    seen = model._overlaps.seen
    committee = seen.overlap_map
    assert isinstance(committee, PartsMap)
    sampled = dataclasses.replace(seen, overlap_map=committee.others)
    found = overlaps_at(sampled, None, 2.0, SEARCH)
    assert found.status is Status.CONVERGED
    values = np.linalg.eigvalsh(found.matrix)
    assert values[0] > -1e-12 and values[2] < 0.03
    assert 0.03 <= found.error < 0.06  # overlaps below .03 are not seen
    of_sum = overlap_of_sum(2.0)
    assert abs(values[3] - of_sum) < found.error
    by_rule = model.solve(alpha=2.0)
    assert by_rule.numerical_error < 1e-3
    assert abs(np.linalg.eigvalsh(by_rule.overlap)[3] - of_sum) < 3e-3  # of the histogram


@pytest.mark.parametrize("slope", [0.4, 2.0])
def test_noise_is_no_overlap_and_does_not_hide_one(slope):
    """F = diag(1, slope m) with noise that changes from one M to the next: 1/2 and 1 - 1/slope."""
    true = max(1 - 1 / slope, 0.0)

    def noisy(matrix, level):
        rng = np.random.default_rng([zlib.crc32(matrix.tobytes()), level < 0])
        noise = 2e-3 * rng.standard_normal((2, 2))
        f = np.diag([1.0, slope * matrix[1, 1]]) + 0.5 * (noise + noise.T)
        return f * (0.99 if level == 0 else 1.0)

    where = Commutant.diagonal([(0,), (1,)])
    found = fixed_point(
        noisy, where, 1.0, SEARCH, exact_alpha=lambda: np.inf, resolution=1e-2, sampled=True, settled=0.1
    )
    assert found.status is Status.CONVERGED
    assert np.linalg.eigvalsh(found.matrix)[0] >= 0
    assert np.abs(found.matrix - np.diag([0.5, true])).max() < found.error
    assert (found.matrix[1, 1] == 0) == (true == 0)


@pytest.mark.parametrize(("slope", "known"), [(1.1, False), (1.2, False), (1.3, True), (2.0, True)])
def test_an_error_leads_as_far_as_the_map_with_it(slope, known):
    """F = slope m (1 - m)^(1/2)/2, off by 20 %, which moves overlaps by more than to first order."""

    def f(m, share):
        return share * slope / 2 * m * np.sqrt(1 - m)

    def overlap_map(matrix, level):
        return np.array([[f(matrix[0, 0], 1.2 if level == 0 else 1.0)]])

    def largest(share):
        m = np.linspace(1e-4, 0.9999, 9999)
        step = 2 * f(m, share) / (1 + 2 * f(m, share))
        return float(m[step > m].max(initial=0.0))

    where = Commutant.diagonal([(0,)])
    options = {"exact_alpha": lambda: np.inf, "resolution": 1e-2, "sampled": True, "settled": 0.1}
    found = fixed_point(overlap_map, where, 2.0, SEARCH, **options)
    assert found.status is (Status.CONVERGED if known else Status.UNRESOLVED)
    assert max(abs(largest(share) - found.matrix[0, 0]) for share in (0.8, 1.0, 1.2)) <= found.error


@pytest.mark.parametrize("alpha", [2.0, 300.0])
@pytest.mark.parametrize("off", [0.0, 0.2])
def test_overlaps_at_a_ceiling(alpha, off):
    """F = 1/(1.0001 - m): all of it lies beyond the ceiling, which is as much as is known."""

    def overlap_map(matrix, level):
        return np.eye(2) / (1.0001 - matrix[0, 0]) * (1 + off * (level == 0))

    where = Commutant.diagonal([(0, 1)])
    options = {"exact_alpha": lambda: np.inf, "resolution": 1e-2, "sampled": True, "settled": 0.1}
    found = fixed_point(overlap_map, where, alpha, SEARCH, **options)
    m = found.matrix[0, 0]
    assert found.status is Status.CONVERGED
    true = np.linspace(0.9, 1, 100_001)
    true = true[alpha / (1.0001 - true) / (1 + alpha / (1.0001 - true)) > true].max()
    assert m >= 0.98 and abs(true - m) <= found.error < 0.03
