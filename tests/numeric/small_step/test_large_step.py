"""tau* of a large step: the table, infima that are not attained, and quadrature by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import erf

from hermite_analytics.errors import InputError
from hermite_analytics.foundation.panels import panel_rule
from hermite_analytics.numeric import LargeStep
from tests.numeric.reference import gauss


@pytest.mark.slow
@pytest.mark.arrays
@pytest.mark.parametrize(
    ("activation", "target", "tau", "scale"),
    [
        ("erf(z)", "erf(z1)", 0.0, np.sqrt(3)),
        ("tanh(z)", "tanh(z1)", 9.4526506634e-5, 1.588268),
        ("tanh(z)", "erf(z1)", 6.4169487e-6, 1.879294),
        ("sign(z)", "erf(z1)", 0.0, np.sqrt(2)),
        ("relu(z)", "tanh(z1)", 0.342455, 0.67075),
        ("relu(z) - 1/sqrt(2*pi)", "tanh(z1)", 0.099768, 0.87715),
        ("relu(z) - 1/sqrt(2*pi)", "relu(z1) - 1/sqrt(2*pi)", 0.040056, 0.96179),
        ("sigmoid(z)", "tanh(z1)", 0.306009, 6.54435),
        ("sigmoid(z) - 1/2", "tanh(z1)", 0.056009, 6.54435),
        ("-tanh(z)", "tanh(z1)", 9.4526506634e-5, -1.588268),
    ],
)
def test_table(activation, target, tau, scale):
    found = LargeStep(activation, target).solve()
    assert found.tau == pytest.approx(tau, abs=6e-7 if tau > 1e-3 else 1e-13)  # digits of the table
    assert found.scale == pytest.approx(scale, rel=2e-5)
    assert found.upper_bound == 16 * found.tau and found.numerical_error < 1e-12
    assert found.status == "converged"


@pytest.mark.arrays
@pytest.mark.cases(1)
@pytest.mark.parametrize(
    ("activation", "target", "tau", "scale"),
    [
        ("sign(z)", "sign(z1)", 0.0, np.inf),
        ("tanh(z)", "-sign(z1)", 0.0, -np.inf),
        ("step(z)", "sign(z1)", 0.5, np.inf),
        ("Phi(z)", "step(z1 - 1)", None, None),
    ],
)
def test_infima_that_no_scale_attains(activation, target, tau, scale):
    found = LargeStep(activation, target).solve()
    if tau is not None:
        assert found.tau == pytest.approx(tau, abs=1e-14) and found.scale == scale
        assert found.results()[0]["scale"] == ("inf" if scale > 0 else "-inf")
    else:  # a finite scale is better than the limit
        assert np.isfinite(found.scale) and found.tau < 0.34


@pytest.mark.slow
@pytest.mark.arrays
def test_activations_that_oscillate():
    """D(e) = 1 + 2 exp(-(1 + e^2)/2) + (1 + exp(-2 e^2))/(2 e), which falls to 1 + 1/(2 e), for cos and -1.

    By a fixed rule sigma(e k) is another function at large e: 0.84 was found at e = 365.
    """
    found = LargeStep("cos(z)", "-1").solve()
    assert found.tau == pytest.approx(1 + np.exp(-1) / 2, rel=1e-8) and found.numerical_error < 1e-9
    k, w = np.polynomial.hermite_e.hermegauss(120)
    w = w / w.sum()
    inside = LargeStep("cos(z)", "-1 - z1**2").solve()
    direct = w @ (-1 - k**2 - np.exp(-0.5) * np.cos(inside.scale * k)) ** 2
    assert abs(inside.scale) == pytest.approx(2.0, abs=1e-3) and inside.tau == pytest.approx(
        direct, rel=1e-10
    )


ROUGH = [
    ("tanh(60*z1)", lambda k: np.tanh(60 * k), 1e-4),
    ("abs(z1)**(1/3)*sign(z1)", np.cbrt, 1e-2),
    ("log(abs(z1))", lambda k: np.log(np.abs(k)), 1e-2),
]


@pytest.mark.slow
@pytest.mark.arrays
@pytest.mark.parametrize(("target", "g", "error"), ROUGH)
def test_rough_targets(target, g, error):
    """By panels that shrink towards 0, at the scale and beside it; what a rule leaves is in the error."""
    found = LargeStep("tanh(z)", target).solve()
    t, p = np.polynomial.hermite_e.hermegauss(150)
    k, w = panel_rule([0.0, *np.geomspace(1e-14, 9.0, 200)], 16)
    w = w * np.exp(-0.5 * k * k) / np.sqrt(2 * np.pi)

    def distance(e):
        sides = (w @ (g(s * k) - np.tanh(e * s * k[:, None] + t) @ p / p.sum()) ** 2 for s in (1, -1))
        return sum(sides)

    off = abs(found.tau - distance(found.scale))
    assert off <= found.numerical_error + 1e-13 * found.tau and found.numerical_error <= error * found.tau
    for beside in (found.scale - 0.3, found.scale + 0.3):
        assert distance(beside) > distance(found.scale)
    assert 2 * w @ g(k) ** 2 > found.tau  # and e = 0 is not better


@pytest.mark.slow
def test_by_hand():
    # E_x erf(e k + x) = erf(e k/sqrt 3): sin is not reached
    kappa, weight = gauss()
    e = np.linspace(0, 4, 4001)
    distance = (np.sin(kappa) - erf(np.outer(e, kappa) / np.sqrt(3))) ** 2 @ weight
    found = LargeStep("erf(z)", "sin(z1)").solve()
    assert found.tau == pytest.approx(distance.min(), rel=1e-6)
    assert found.scale == pytest.approx(e[np.argmin(distance)], abs=1e-3)


@pytest.mark.slow
def test_against_kernels():
    assert LargeStep("tanh(z)", "tanh(z1)").solve().beats_kernels
    found = LargeStep("relu(z)", "tanh(z1)").solve()
    assert not found.beats_kernels
    assert found.kernel_lower_bound == pytest.approx(2.741533e-2, rel=1e-6)


@pytest.mark.slow
def test_one_direction_of_several_coordinates():
    found, same = (LargeStep("tanh(z)", text).solve() for text in ("sin(z1 + z2)", "sin(sqrt(2)*z1)"))
    assert (found.scale, found.tau) == (same.scale, same.tau) and "z1 = (z1 + z2)/sqrt(2)" in str(found)


def test_several_directions_are_refused():
    with pytest.raises(InputError, match="takes a target of z1 alone"):
        LargeStep("tanh(z)", "z1*z2")
