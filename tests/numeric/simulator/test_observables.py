"""Observables on weights and readouts made so that the answers are known."""

import math

import numpy as np
import pytest

from hermite_analytics.numeric.models.spiked.letters import Letters
from hermite_analytics.numeric.simulator.backend import resolve_backend
from hermite_analytics.numeric.simulator.initial_network import neurons_of
from hermite_analytics.numeric.simulator.observables import (
    measured_spike,
    readout_overlaps,
    squared_overlaps,
)

ONE = Letters(values=(1.0,), fractions=(1.0,))
BACKEND = resolve_backend("cpu")
RANDOM = np.random.default_rng(8)


@pytest.mark.parametrize("slope", [1.0, -1.0])
def test_spike_of_a_made_displacement(slope):
    p, d = 10, 30
    theta = np.eye(d)[0]
    spike = np.zeros(d)
    spike[:2] = 0.6, 0.8
    deviations = RANDOM.normal(size=(p, d))
    deviations -= deviations.mean(axis=0)
    neurons = neurons_of(ONE, p, "equal")
    before = RANDOM.normal(size=(p, d))
    displacement = 1.5 * slope * spike + deviations
    measured = measured_spike(BACKEND, displacement, theta, slope, neurons, before, is_odd=True)
    assert measured.r == pytest.approx(1.5 * slope)  # r carries the sign of E sigma'
    assert measured.gamma == pytest.approx(0.6)
    assert measured.c == pytest.approx(1 + np.sum(deviations**2) / (p - 1))
    rows = before + deviations
    assert measured.c_target == pytest.approx(d * np.mean(rows[:, 0] ** 2))
    assert measured.c_spike == pytest.approx(d * np.mean((rows @ spike) ** 2))
    other = measured_spike(BACKEND, displacement, theta, slope, neurons, before, is_odd=False)
    assert other.c == pytest.approx(measured.c + 2 * np.sum(before * deviations) / (p - 1))


def test_no_step_and_one_neuron():
    four, one = (neurons_of(ONE, p, "equal") for p in (4, 1))
    rows = np.eye(4)[:, :3]
    still = measured_spike(BACKEND, np.zeros((4, 3)), np.eye(3)[0], 0.5, four, rows, is_odd=True)
    assert still == (0.0, 1.0, 0.0, 0.0, 0.75)
    alone = measured_spike(BACKEND, np.ones((1, 3)), np.eye(3)[0], 0.5, one, rows[:1], is_odd=True)
    assert math.isnan(alone.c)


def test_spike_with_letters():
    # D_k = omega_k (2 v + g_k), |v| = 1, g_k independent of |g_k|^2 = s: r = 2, c_j = 1 + omega_j^2 s
    p, d, s = 400, 2000, 0.3
    neurons = neurons_of(Letters(values=(1, -3), fractions=(0.5, 0.5)), p, "equal")
    noise = RANDOM.normal(size=(p, d)) * math.sqrt(s / d)
    spike = np.eye(d)[0] * 0.6 + np.eye(d)[1] * 0.8
    displacement = neurons.letters[:, None] * (2 * spike + noise)
    rows = np.zeros((p, d))
    measured = measured_spike(BACKEND, displacement, np.eye(d)[0], 0.1, neurons, rows, is_odd=True)
    assert measured.r == pytest.approx(2, rel=0.01) and measured.gamma == pytest.approx(0.6, rel=0.03)
    assert measured.c == pytest.approx([1 + s, 1 + 9 * s], rel=0.02)


def test_squared_overlaps():
    weights = np.array([[3.0, 4.0, 0.0], [0.0, 0.0, -2.0]])
    assert np.allclose(squared_overlaps(BACKEND, weights, np.eye(3)), [0.18, 0.32, 0.5])


def test_readout_overlaps():
    p, d = 12, 9
    bulk = RANDOM.normal(size=(p, d))
    frame = np.linalg.qr(RANDOM.normal(size=(d, 2)))[0].T
    spike, orthogonal = frame
    readouts = RANDOM.normal(size=(2, 3, p))
    values = readout_overlaps(BACKEND, readouts, bulk, spike, orthogonal)
    a = readouts[1, 2]
    projector = np.eye(d) - np.outer(spike, spike)
    expected = {
        "m": a.sum() / math.sqrt(p),
        "zeta": a @ bulk @ spike / math.sqrt(p),
        "psi": a @ bulk @ orthogonal / math.sqrt(p),
        "q1": a @ bulk @ projector @ bulk.T @ a / p,
        "q2": a @ a / p,
    }
    assert list(values) == list(expected)
    for name, number in expected.items():
        assert values[name].shape == (2, 3)
        assert values[name][1, 2] == pytest.approx(number)
