"""The learned function along the target and the spike, and the drawings of results."""

from __future__ import annotations

import numpy as np
import pytest

from hermite_analytics import Activation, Target
from hermite_analytics.errors import InputError
from hermite_analytics.numeric import SpikedRandomFeatures

from ..reference import gauss

TANH, SIN = Activation("tanh(z)"), Target("sin(z1)")
SPIKE = {"r": 1.2, "c": 1.1, "gamma": 0.8, "beta": 1.0}


@pytest.mark.parametrize("letters", [None, {0.5: 0.5, 1.5: 0.5}])
def test_correlation_with_the_target(letters):
    """E[f yhat] from the function along the target is that of the equations: E[h cc + mu1 psi h1]."""
    model = SpikedRandomFeatures(TANH, SIN, letters=letters)
    found = model.solve(alpha=1.5, ridge=0.1, **SPIKE)
    t, w = gauss(60)
    correlation = w @ (np.sin(t) * model.learned(found, t))
    # test error = E f^2 - 2 E f yhat + E yhat^2, and E yhat^2 = E cc^2 + q
    spread = w @ np.sin(t) ** 2 - 2 * correlation
    assert -2 * correlation < spread < found.test_error
    direct = simulated_correlation(model, found, letters)
    assert correlation == pytest.approx(direct, abs=1e-10)


def simulated_correlation(model, found, letters):
    """The same by quadrature over (kappa, z)."""
    x, w = gauss(80)
    k, z = np.meshgrid(x, x, indexing="ij")
    s, share = gauss(80)
    values = np.zeros_like(k)
    m, zeta, psi = (np.atleast_1d(found.overlaps[n]) for n in ("m", "zeta", "psi"))
    for j, omega in enumerate(letters or {1.0: 1.0}):
        sigma = np.tanh(1.2 * omega * x[:, None] + np.sqrt(1.1) * s)
        mu0, mu1 = sigma @ share, (1 - sigma**2) @ share
        values += (m[j] * mu0 + zeta[j] * x * mu1)[:, None] + psi[j] * mu1[:, None] * z
    return np.sum(np.outer(w, w) * np.sin(0.8 * k + 0.6 * z) * values)


def test_along_the_spike():
    model = SpikedRandomFeatures(TANH, SIN)
    found = model.solve(alpha=[0.5, 1.5], ridge=0.1, **SPIKE)
    t = np.array([-1.0, 0.0, 0.5])
    curve = model.learned(found, t, along="spike")
    assert curve.shape == (2, 3) and curve[:, 1] == pytest.approx([0, 0], abs=1e-12)
    s, share = gauss()
    sigma = np.tanh(1.2 * t[:, None] + np.sqrt(1.1) * s)
    by_hand = found.overlaps["m"][1] * (sigma @ share) + found.overlaps["zeta"][1] * t * (
        (1 - sigma**2) @ share
    )
    assert curve[1] == pytest.approx(by_hand, abs=1e-12)


def test_full_overlap_has_one_function():
    model = SpikedRandomFeatures(TANH, SIN)
    found = model.solve(alpha=1.5, ridge=0.1, **(SPIKE | {"gamma": 1.0}))
    t = np.linspace(-2, 2, 5)
    assert model.learned(found, t) == pytest.approx(model.learned(found, t, along="spike"), abs=1e-13)


def test_bad_direction():
    model = SpikedRandomFeatures(TANH, SIN)
    found = model.solve(alpha=1.5, ridge=0.1, **SPIKE)
    with pytest.raises(InputError, match="along is 'up'; accepted: target, spike"):
        model.learned(found, 0.0, along="up")


def test_phase_diagram():
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    model = SpikedRandomFeatures(TANH, SIN)
    grid = model.solve(alpha=np.geomspace(0.1, 10, 6)[:, None], ridge=np.geomspace(1e-3, 1, 5), **SPIKE)
    axes = grid.phase_diagram("alpha", "ridge")
    assert (axes.get_xlabel(), axes.get_xscale()) == (r"$\alpha = n/d$", "log")
    plt.close(axes.figure)
    with pytest.raises(InputError, match="a parameter of the map is 'ridge'; accepted: alpha"):
        model.solve(alpha=[1, 2], ridge=0.1, **SPIKE).phase_diagram("alpha", "ridge")
