"""The protocols `amp` and `spectral`: their numbers, their randomness, bad input."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

from hermite_analytics import Target
from hermite_analytics.errors import InputError
from hermite_analytics.numeric import StateEvolution, simulate
from hermite_analytics.numeric.protocols.amp.protocol import AMPProtocol
from hermite_analytics.numeric.protocols.spectral.protocol import SpectralProtocol
from hermite_analytics.numeric.simulator.backend import resolve_backend
from hermite_analytics.numeric.simulator.estimation import prediction_error


@pytest.mark.slow
def test_amp_agrees_with_state_evolution():
    """sign(z1) at alpha = 1 and 3: overlap and error within 4 standard errors and 0.01."""
    for alpha in (1, 3):
        theory = StateEvolution("sign(z1)").solve(alpha=alpha)
        found = simulate("amp", target="sign(z1)", alpha=alpha, d=600, seeds=8).results
        for name, value in (("overlap", theory.overlap[0, 0]), ("test_error", theory.test_error)):
            number = found[name]
            assert abs(number.mean - value) < 4 * number.stderr + 0.01, (alpha, name)
        assert found["converged"].mean == 1
        assert found["expected_overlap"].mean == pytest.approx(found["overlap"].mean, abs=0.03)


@pytest.mark.slow
def test_spectral_reaches_its_prediction():
    """z1**2 at alpha = 0.75, d = 400: another implementation has 0.107 +- 0.019."""
    found = simulate("spectral", target="z1**2", alpha=0.75, d=400, seeds=12).results
    error = math.hypot(found["overlap"].stderr, 0.019)
    assert abs(found["overlap"].mean - 0.107) < 4 * error
    assert abs(found["overlap"].mean - found["predicted_overlap"].mean) < 4 * error
    assert found["test_error"].mean < 2.1  # 2 (1 - m^2) for the overlap m


@pytest.mark.slow
def test_several_directions():
    found = simulate("amp", target="sign(z1*z2)", alpha=6, d=200, seeds=2, start="spectral", tolerance=1e-3)
    assert found.results["overlap"].mean.shape == (2,)
    assert np.all(found.results["overlap"].mean > 0.7)
    found = simulate("spectral", target="sign(z1*z2)", alpha=6, d=150, seeds=1)
    assert found.results["overlap"].mean.shape == (2,)
    assert "predicted_overlap" not in found.results


@pytest.mark.slow
def test_noise_is_told_to_the_algorithm():
    """Additive noise may stand in the target or beside it."""
    theory = float(StateEvolution("sign(z1) + xi/2").solve(alpha=2.0).overlap[0, 0])
    found = simulate("amp", target="sign(z1)", alpha=2, d=300, seeds=5, noise=0.25).results["overlap"]
    assert abs(found.mean - theory) < 4 * found.stderr + 0.015
    own = [
        AMPProtocol.create(target=Target(text), d=40, alpha=2, noise=noise).run(3)["overlap"]
        for text, noise in (("sign(z1)", 0.25), ("sign(z1) + xi/2", 0.0))
    ]
    assert own[0] == pytest.approx(float(own[1]), abs=1e-9)


@pytest.mark.slow
def test_noise_inside_the_label():
    theory = StateEvolution("sign(z1 + xi/2)").solve(alpha=3.0)
    found = simulate("amp", target="sign(z1 + xi/2)", alpha=3, d=300, seeds=6).results
    assert abs(found["overlap"].mean - theory.overlap[0, 0]) < 4 * found["overlap"].stderr + 0.02
    assert abs(found["test_error"].mean - theory.test_error) < 4 * found["test_error"].stderr + 0.02


def test_prediction_error_of_what_is_known():
    """f = z1 z2 with V = 0 in z2: E (z1 z2 - w1 z2)^2 = 1 - m."""
    teacher = np.eye(50)[:, :2]
    found = prediction_error(
        lambda z1, z2, xi: z1 * z2, teacher, teacher * [0.6, 1.0], np.diag([0.4, 0.0]), 3
    )
    assert found == pytest.approx((1 - 0.6) ** 2, abs=0.02)


def test_randomness_is_of_the_seed_alone():
    protocol = AMPProtocol.create(target=Target("sign(z1)"), d=60, alpha=2)
    again = pickle.loads(pickle.dumps(protocol))
    assert {k: v.tolist() for k, v in protocol.run(5).items()} == {
        k: v.tolist() for k, v in again.run(5).items()
    }
    backend = resolve_backend("cpu")
    data = protocol.sampled(backend, 5)
    assert data.teacher.T @ data.teacher == pytest.approx(np.eye(1), abs=1e-12)
    assert not np.array_equal(data.x, protocol.sampled(backend, 6).x)


def test_starts_differ():
    found = {
        start: simulate("amp", target="z1**2", alpha=2, d=150, seeds=1, start=start, iterations=3)
        for start in ("uninformed", "informed", "spectral")
    }
    overlaps = {start: float(s.results["overlap"].mean) for start, s in found.items()}
    assert overlaps["uninformed"] < overlaps["informed"]
    assert overlaps["uninformed"] < overlaps["spectral"]
    assert all(s.results["converged"].mean == 0 for s in found.values())


@pytest.mark.parametrize("protocol", ["amp", "spectral"])
def test_other_backend(protocol, strict_device):
    common = {"target": "z1**2", "alpha": 2, "d": 60, "seeds": 1}
    here, there = simulate(protocol, **common), simulate(protocol, **common, device=strict_device)
    assert there.results["overlap"].mean == pytest.approx(float(here.results["overlap"].mean), abs=1e-5)


@pytest.mark.parametrize(
    ("protocol", "arguments", "message"),
    [
        ("amp", {"start": "warm"}, "start is 'warm': accepted are 'uninformed', 'informed', 'spectral'"),
        ("amp", {"damping": 1}, "damping is 1: a number with 0 <= damping < 1 is accepted"),
        ("amp", {"iterations": 0}, "iterations is 0: an integer >= 1 is accepted"),
        ("amp", {"dtype": "float32"}, "dtype is 'float32': amp runs in float64"),
        ("spectral", {"dtype": "float32"}, "dtype is 'float32': spectral runs in float64"),
        ("amp", {"noise": -1}, "noise is -1: a number >= 0 is accepted"),
        ("spectral", {"tolerance": 0}, "tolerance is 0: a number > 0 is accepted"),
        ("spectral", {"d": 1}, "d is 1: an integer > 1 is accepted"),
        ("amp", {"n": 5}, "both are given of alpha and n"),
        ("amp", {"activation": "tanh"}, "activation is given, but amp takes none"),
    ],
)
def test_bad_input(protocol, arguments, message):
    with pytest.raises(InputError, match=message):
        simulate(protocol, **({"target": "z1**2", "alpha": 2, "d": 20, "seeds": 1} | arguments))


def test_parameters_are_complete():
    found = SpectralProtocol.create(target=Target("z1**2"), d=20, alpha=1.52).parameters()
    assert found["n"] == 30 and found["alpha"] == 1.5 and found["target"] == "z1**2"
