"""Whether a direction is learned: p-values that are uniform under the null, and decisions."""

import numpy as np
import pytest
from scipy import stats

from hermite_analytics.numeric.simulator.backend import resolve_backend
from hermite_analytics.numeric.simulator.learned import control_directions, decisions, exceedance
from hermite_analytics.numeric.simulator.observables import squared_overlaps

BACKEND = resolve_backend("cpu")


def test_controls_are_orthogonal_unit_vectors():
    basis = np.eye(30)[:3]
    controls = control_directions(BACKEND, basis, seed=4)
    assert controls.shape == (27, 30)
    assert np.allclose(controls @ basis.T, 0, atol=1e-15)
    assert np.allclose(np.sum(controls**2, axis=1), 1)
    assert control_directions(BACKEND, np.eye(3), seed=4).shape == (0, 3)
    assert control_directions(BACKEND, np.eye(1, 2000), seed=4).shape == (1000, 2000)


def test_exceedance_is_uniform_if_nothing_is_learned():
    # Neurons with a common part, as those of one network: far from independent. 400 networks; the
    # Kolmogorov-Smirnov distance is below 0.0985 with probability 0.999.
    random = np.random.default_rng(0)
    d, basis = 40, np.eye(40)[:1]
    found = []
    for seed in range(400):
        weights = random.normal(size=(6, d)) + 2 * random.normal(size=(1, d))
        overlap = squared_overlaps(BACKEND, weights, basis)
        found.append(exceedance(BACKEND, weights, overlap, control_directions(BACKEND, basis, seed)).item())
    assert stats.kstest(found, "uniform").statistic < 0.0985
    assert min(found) >= 1 / 40 and max(found) <= 1


def test_without_controls_there_is_no_evidence():
    weights = np.eye(2)
    assert exceedance(BACKEND, weights, np.array([0.9, 0.1]), np.empty((0, 2))).tolist() == [1, 1]


def test_decisions():
    d, seeds = 400, 8
    sure, chance = np.full(seeds, 1 / 400), np.linspace(0.1, 0.9, seeds)
    spread = np.linspace(0.9, 1.1, seeds)
    overlaps = np.stack([0.05 * spread, spread / d, 7 * spread / d, 7 * spread / d], axis=1)
    exceedances = np.stack([sure, chance, sure, chance], axis=1)
    found = decisions(overlaps, exceedances, d)
    assert [one["verdict"] for one in found] == ["learned", "not learned", "undecided", "undecided"]
    assert [one["seeds"] for one in found] == [8] * 4
    assert found[0]["scaled_overlap"] == pytest.approx(20)
    # Fisher: -2 sum log p is chi^2 with 2 degrees of freedom a seed
    assert found[0]["p_value"] == pytest.approx(stats.chi2.sf(16 * np.log(400), 16))
    assert decisions(overlaps[:, None], exceedances[:, None], d) == [found]  # with an axis of steps


def test_one_seed_decides_nothing():
    one = decisions(np.array([0.5]), np.array([1 / 400]), 400)
    assert one["verdict"] == "undecided" and one["p_value"] == pytest.approx(1 / 400)
    assert decisions(np.array([0.0025]), np.array([0.5]), 400)["verdict"] == "undecided"
