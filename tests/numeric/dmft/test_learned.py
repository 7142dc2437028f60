"""What `learns` says of the full batch, against the recursion itself."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.polynomial.hermite_e import hermegauss
from scipy.special import ndtr

import hermite_analytics as ha
from hermite_analytics.numeric import DMFT

POINTS, WEIGHTS = hermegauss(160)
WEIGHTS = WEIGHTS / WEIGHTS.sum()


def overlap(activation, target, **options):
    options = {"alpha": 3.0, "eta": 0.3, "steps": 2} | options
    if options.get("schedule") == "one-pass:3":
        options["alpha"] = 6.0
    found = DMFT(activation, target, loss=options.pop("loss", "square")).solve(**options)
    return np.asarray(found.overlap), np.asarray(found.numerical_error)


FULL = {"schedule": "full", "steps": 2}
HALVES = {"schedule": "minibatch:0.5", "steps": 2, "tolerance": 1e-2}
FRESH = {"schedule": "one-pass:3", "steps": 2, "tolerance": 1e-2}


@pytest.mark.cases(1)
@pytest.mark.parametrize(
    ("activation", "target", "options"),
    [
        ("tanh", "He3(z1)", FULL),
        ("relu", "He3(z1)", FULL),
        ("tanh", "z1 + z1*z2", FULL),
        ("relu", "z1 + z1*z2", FULL),
        ("gelu", "He2(z1) + He3(z1)", FULL),
        ("relu", "sign(z1*z2)", FULL),
        ("abs(z)", "z1", FULL),
        ("z", "z1 + z2**2", FULL),
        ("tanh", "He3(z1)", HALVES),
        ("tanh", "He3(z1)", {"schedule": "twice", "steps": 2}),
        ("tanh", "He3(z1)", {"schedule": "epochs:2", "steps": 3}),
        ("relu", "He3(z1)", {"schedule": "extra-gradient:0.3", "steps": 1}),
        ("tanh", "He3(z1)", FRESH),
        ("tanh", "z1 + z1*z2", HALVES),
        ("gelu", "z1 + z1*z2", FRESH),
        ("tanh", "z1 + z1*z2", {"schedule": "extra-gradient:0.3", "steps": 1}),
        ("tanh", "He3(z1)", {"loss": "correlation", **FULL}),
        ("relu", "He3(z1)", {"loss": "correlation", **FULL}),
        ("abs(z)", "sign(z1)", {"loss": "softplus(-y*x)", **FULL}),
        ("tanh", "sign(z1*z2)", {"loss": "softplus(-y*x)", **FULL}),
        ("tanh", "sign(z1)", {"loss": "logistic", **FULL}),
        ("relu", "sign(z1)", {"loss": "hinge", "tolerance": 1e-2, **FULL}),
        ("tanh", "He3(z1)", {"loss": "huber:1", "tolerance": 1e-2, **FULL}),
    ],
)
def test_directions_are_those_of_the_recursion(activation, target, options):
    """A coordinate is in the span that is learned, or its overlap is below the numerical error."""
    found, error = overlap(activation, target, **options)
    verdicts = ha.learns(
        target, activation, 4, schedule=options["schedule"], loss=options.get("loss", "square")
    )
    spans = [row.realised for row in verdicts.steps]
    for step in range(1, options["steps"] + 1):
        rows = spans[min(step, len(spans)) - 1] if spans else ()
        for k in range(found.shape[-1]):
            is_learned = any(row[k] != "0" for row in rows)
            size = abs(found[step, 0, k])
            assert (size > 10 * error[step] + 1e-6) if is_learned else (size <= error[step] + 1e-12), (
                step,
                k,
            )


@pytest.mark.slow
def test_small_readouts_see_the_slope_at_0():
    """Huber's loss with a small and eta a = 0.3 is the correlation loss on labels clip(y, -1, 1)."""
    options = {"alpha": 3.0, "steps": 2, "tolerance": 1e-2}
    clipped = DMFT("tanh", "clip(He3(z1), -1, 1)", loss="correlation").solve(eta=0.3, **options)
    gaps = []
    for a in (2.0, 0.1):
        found = DMFT("tanh", "He3(z1)", (a,), "huber:1").solve(eta=0.3 / a, **options)
        gaps.append(np.abs(found.overlap - clipped.overlap).max())
        room = found.numerical_error.max() + clipped.numerical_error.max()
    assert gaps[1] < room < 0.02 < gaps[0] and np.abs(clipped.overlap[1]).max() > 0.1


def ratio(activation, target, power, column, eta, tolerance=1e-9):
    """M_2/eta^power."""
    return overlap(activation, target, eta=eta, tolerance=tolerance)[0][2, 0, column] / eta**power


def extrapolated(activation, target, power, column, tolerance):
    """The limit of the ratio as eta -> 0, by a parabola, and how much the last point moved it."""
    ratios = [ratio(activation, target, power, column, eta, tolerance) for eta in (0.01, 0.02, 0.04)]
    line = 2 * ratios[0] - ratios[1]
    parabola = (8 * ratios[0] - 6 * ratios[1] + ratios[2]) / 3
    return parabola, abs(parabola - line)


@pytest.mark.slow
def test_the_least_power_of_eta_with_tanh():
    """alpha E[sigma''' sigma'^2]/2 E[y^3 z] for He3, alpha = 3."""
    t = np.tanh(POINTS)
    slope = 1 - t**2
    factor = WEIGHTS @ ((6 * t**2 - 2) * slope * slope**2) / 2
    expected = 3 * factor * 324 / 6**1.5
    gaps = [ratio("tanh", "He3(z1)/sqrt(6)", 3, 0, eta) / expected - 1 for eta in (0.01, 0.02)]
    assert abs(gaps[0]) < 0.025
    assert abs(gaps[0]) < abs(gaps[1]) / 2


@pytest.mark.slow
def test_the_least_power_of_eta_with_a_learned_direction():
    """alpha E[sigma'' sigma'] E[y^2 z2] + alpha^2 mu_1 mu_2 E[y u z2] for z1 + z1 z2: moments 2 and 1."""
    density = np.exp(-(POINTS**2) / 2) / np.sqrt(2 * np.pi)
    slope = ndtr(POINTS) + POINTS * density
    bend = (2 - POINTS**2) * density
    expected = 3 * 2 * (WEIGHTS @ (bend * slope)) + 9 * (WEIGHTS @ slope) * (WEIGHTS @ bend)
    found, error = extrapolated("gelu", "z1 + z1*z2", 2, 1, tolerance=1e-7)
    assert abs(found - expected) < error < 0.05 * abs(expected)


@pytest.mark.slow
def test_the_least_power_of_eta_with_a_kink():
    """For relu -alpha phi(0) E[z y s R(-y/s)], R(u) = u Phi(u) + phi(u), s^2 = alpha (1 + E y^2)/2."""
    y = (POINTS**3 - 3 * POINTS) / np.sqrt(6)
    s = np.sqrt(3 * (1 + 1) / 2)
    ramp = s * (-y / s * ndtr(-y / s) + np.exp(-((y / s) ** 2) / 2) / np.sqrt(2 * np.pi))
    expected = -3 / np.sqrt(2 * np.pi) * (WEIGHTS @ (POINTS * y * ramp))
    # M_2 is that of the step before, of few variables: 5e-9 at any tolerance, which is of the errors
    found, error = extrapolated("relu", "He3(z1)/sqrt(6)", 2, 0, tolerance=1e-4)
    assert abs(found - expected) < error < 0.05 * abs(expected)
