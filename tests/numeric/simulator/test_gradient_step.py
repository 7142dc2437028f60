"""The gradient step is the gradient of the loss, whatever the chunks."""

import numpy as np
import pytest

from hermite_analytics import Activation, Target
from hermite_analytics.numeric.simulator.backend import resolve_backend
from hermite_analytics.numeric.simulator.data import IndexData, chunks
from hermite_analytics.numeric.simulator.gradient_step import gradient_step
from hermite_analytics.numeric.simulator.streams import Purpose

D, P, SAMPLES, STEP = 6, 4, 40, 1.7
TANH = Activation("tanh")
RANDOM = np.random.default_rng(5)
WEIGHTS = RANDOM.normal(size=(P, D)) / np.sqrt(D)
READOUT = RANDOM.normal(size=P) / np.sqrt(P)
THETA = np.eye(D)[0]


def data(noise=0.0):
    return IndexData(
        backend=resolve_backend("cpu"),
        directions=THETA[None],
        link=Target("sin(z1)").function("array"),
        seed=1,
        purpose=Purpose.STEP_DATA,
        noise_purpose=Purpose.STEP_NOISE,
        noise=noise,
    )


def take(chunk_rows=11, noise=0.0, step=0):
    return gradient_step(
        WEIGHTS,
        READOUT,
        data(noise),
        activation=TANH.with_derivative("array"),
        samples=SAMPLES,
        step_size=STEP,
        chunk_rows=chunk_rows,
        step=step,
    )


def test_displacement_is_minus_step_times_p_times_the_gradient_of_half_the_loss():
    x, y = data(noise=0.3).rows(0, SAMPLES)

    def half_loss(weights):
        return np.mean((y - np.tanh(x @ weights.T) @ READOUT / np.sqrt(P)) ** 2) / 2

    small = 1e-6
    gradient = np.empty((P, D))
    for index in np.ndindex(P, D):
        shift = np.zeros((P, D))
        shift[index] = small
        gradient[index] = (half_loss(WEIGHTS + shift) - half_loss(WEIGHTS - shift)) / (2 * small)
    assert np.allclose(take(noise=0.3).displacement, -STEP * P * gradient, rtol=0, atol=1e-8)


def test_mean_slope():
    x, _ = data().rows(0, SAMPLES)
    assert take().mean_slope == pytest.approx(np.mean(1 - np.tanh(x @ WEIGHTS.T) ** 2), rel=1e-12)


@pytest.mark.parametrize("chunk_rows", [1, 39, 40, 500])
def test_chunks_change_rounding_only(chunk_rows):
    assert np.allclose(take(chunk_rows).displacement, take().displacement, rtol=1e-12, atol=1e-14)


def test_steps_have_their_own_data():
    assert not np.allclose(take(step=1).displacement, take().displacement)


def test_noise_has_its_variance_and_is_the_same_in_every_chunk():
    noisy, clean = data(noise=0.25), data()
    errors = noisy.rows(0, 20000)[1] - clean.rows(0, 20000)[1]
    # standard deviation of a sample variance: 0.25 sqrt(2/20000); 4.5 of them: rate 7e-6 over seeds
    assert abs(np.var(errors) - 0.25) < 4.5 * 0.25 * np.sqrt(2 / 20000)
    assert np.array_equal(noisy.rows(7, 5)[1], noisy.rows(0, 20)[1][7:12])


def test_chunk_ranges():
    assert list(chunks(3, 11, 4)) == [(3, 4), (7, 4)]
    assert list(chunks(0, 5, 4)) == [(0, 4), (4, 1)]
    assert list(chunks(5, 5, 4)) == []
