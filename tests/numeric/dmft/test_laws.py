"""The laws of fields: closed moments, reference numbers, and histograms of networks with a data matrix."""

from __future__ import annotations

import math

import numpy as np
import pytest

from hermite_analytics.errors import InputError
from hermite_analytics.numeric import DMFT


@pytest.fixture(scope="module")
def he3():
    return DMFT("tanh", "He3(z1)").solve(alpha=3, eta=0.2, steps=2, tolerance=1e-2)


def test_linear_network():
    """w_1 = w_0 - eta B w_0 + eta B w*: E h^2 = <w, B w>/alpha and E h y = <w, B w*>/alpha, B = X^T X/d."""
    alpha, eta = 2.0, 0.25
    law = DMFT("z", "z1").solve(alpha=alpha, eta=eta, steps=1).law(1)
    first, second, third = alpha, alpha**2 + alpha, alpha**3 + 3 * alpha**2 + alpha
    expected = {
        "mean": 0.0,
        "second": (first - 2 * eta * second + 2 * eta**2 * third) / alpha,
        "label": eta * second / alpha,
    }
    for name, value in expected.items():
        assert abs(law.moments[name] - value) <= law.moment_errors[name] < 0.02, name


@pytest.mark.slow
def test_reference_numbers(he3):
    """Kurtosis of h_1 and h_2, and E h_2^4 = 5.10890(78), of independent Sobol points."""
    laws = [he3.law(t) for t in range(3)]
    kurtosis = [law.moments["fourth"] / law.moments["second"] ** 2 for law in laws]
    assert kurtosis == [pytest.approx(3.0), pytest.approx(4.12, abs=0.03), pytest.approx(3.23, abs=0.02)]
    last = laws[2]
    assert abs(last.moments["fourth"] - 5.1089) <= last.moment_errors["fourth"] + 3 * 0.00078
    assert last.fresh_moments["second"] == pytest.approx(he3.norm[2, 0, 0])


def test_densities(he3):
    """They have mass 1 and the moments stated; at the start both are N(0, 1)."""
    start = he3.law(0)
    assert start.training == pytest.approx(start.fresh, abs=1e-12)
    law = he3.law(2, field=np.linspace(-12, 12, 241))
    step = law.field[1] - law.field[0]
    for density, moments in ((law.training, law.moments), (law.fresh, law.fresh_moments)):
        assert step * density.sum() == pytest.approx(1.0, abs=1e-4)
        assert step * (density @ law.field**2) == pytest.approx(moments["second"], rel=1e-2)
    assert np.abs(law.training - law.fresh).max() > 10 * law.numerical_error.max()


def test_networks_with_data():
    """Shares of |h| in four bins, d = n = 400 and 24 networks: 5.5 standard errors, 5/d and the error stated.

    Eight numbers, t with 23 degrees: a false alarm in 10^4 choices of the seed.
    """
    d, rng = 400, np.random.default_rng(1)
    edges = np.array([0.0, 0.5, 1.0, 2.0, 20.0])
    shares = []
    for _ in range(24):
        x = rng.standard_normal((d, d))
        y = 2 * np.tanh(x[:, 0])
        w = np.zeros(d)
        w[1] = 1.0
        found = []
        for _ in range(3):
            h = x @ w
            found.append(np.histogram(np.abs(h), edges)[0] / d)
            w = w - 1 / d * ((np.tanh(h) - y) / np.cosh(h) ** 2) @ x
        shares.append(found)
    mean, error = np.mean(shares, axis=0), np.std(shares, axis=0, ddof=1) / math.sqrt(24)
    limit = DMFT("tanh", "2*tanh(z1)").solve(alpha=1, eta=1, steps=2, tolerance=1e-2)
    line = np.arange(-10, 10, 0.1) + 0.05  # middles of cells that end at the edges
    bins = np.searchsorted(edges, np.abs(line), side="right") - 1
    for t in (1, 2):
        law = limit.law(t, field=line)
        room = 5.5 * error[t] + 5 / d + 0.1 * law.numerical_error.sum()
        away = [
            np.abs(mean[t] - [0.1 * density[bins == k].sum() for k in range(4)])
            for density in (law.training, law.fresh)
        ]
        assert np.all(away[0] < room), t
        assert np.any(away[1] > 2 * room), t  # samples that were not trained on have another law


def test_laws_of_points_and_refusals():
    curve = DMFT("z", "z1", (1, -1)).solve(alpha=[1.0, 3.0], eta=0.2, steps=1, tolerance=5e-2)
    with pytest.raises(InputError, match="there are 2 points; accepted: one of them, as point=0"):
        curve.law(1)
    one = DMFT("z", "z1", (1, -1)).solve(alpha=3.0, eta=0.2, steps=1, tolerance=5e-2)
    second = curve.law(1, 1, point=1)
    assert second.parameters["alpha"] == 3.0 and second.parameters["neuron"] == 1
    assert second.moments["second"] == pytest.approx(one.law(1, 1).moments["second"], abs=1e-9)
    for asked, text in (
        ({"step": 2}, "step is 2; accepted: an integer from 0 to 1"),
        ({"step": 1, "neuron": 2}, "neuron is 2; accepted: an integer from 0 to 1"),
        ({"step": 1, "point": 2}, "point is 2; accepted: an integer from 0 to 1"),
        ({"step": 1, "point": True}, "point is True; accepted: an integer from 0 to 1"),
        ({"step": 1, "field": []}, "field is empty; a number or an array of numbers is accepted"),
        ({"step": 1, "field": math.nan}, "field"),
    ):
        with pytest.raises(InputError, match=text):
            curve.law(**{"point": 0} | asked)
    ends = DMFT("z", "z1").solve(alpha=3, eta=50, steps=8)
    with pytest.raises(InputError, match="the run ended before"):
        ends.law(8)
