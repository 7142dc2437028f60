"""Quadratic forms of two unknown coordinates beside a known one."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr

import hermite_analytics as ha
from hermite_analytics.label.thresholds.conditional_form import law_of_form


def later(text: str) -> float:
    """The second threshold, the first being 0."""
    first, second = ha.weak_recovery(text).stages
    assert first.alpha_c.value == 0
    assert second.alpha_c.error < 1e-7
    return second.alpha_c.value


def test_known_value():
    # by Bessel integrals of each form and a trapezoidal rule over x
    assert later("He2(z1) + He2(z2)*z3") == pytest.approx(0.64533636, abs=2e-8)


@pytest.mark.slow
@pytest.mark.parametrize("moved", ["z3 + z3*(3*z1/5 + 4*z2/5)**2 + (4*z1/5 - 3*z2/5)**2 - 1"])
def test_rotations_of_the_unknown_change_nothing(moved):
    assert later(moved) == pytest.approx(later("z3 + z3*z1**2 + z2**2"), abs=1e-8)


def test_axes_that_turn_with_the_known_coordinate():
    """E[G_ij^2] at one x against sorted samples; bins of 2000 cost up to 1 %, other axes more than 20 %."""
    found = law_of_form(np.array([[0.7, 0.5], [0.5, 0.0]]), level=1)
    w = np.random.default_rng(3).standard_normal((2, 2_000_000))
    order = np.argsort(0.7 * w[0] ** 2 + w[0] * w[1])
    for i, j in ((0, 0), (0, 1), (1, 1)):
        products = (w[i] * w[j] - (i == j))[order]
        first, second = (products[k::2].reshape(-1, 1000).mean(1) for k in (0, 1))
        expected = float(np.mean(first * second))  # two halves of a bin: no bias from its own noise
        assert float(found.weights @ found.second[:, i, j] ** 2) == pytest.approx(expected, rel=0.03)


def squares_given(k):
    """E[G_11^2] and E[G_22^2] of y = k u^2 + v^2, k not 0, by the parameter of its level curves."""
    s = np.linspace(-50, 8, 1501)
    y, found = np.exp(s)[:, None], np.zeros(2)
    for side in (1, -1):
        t = np.linspace(0, 2 * np.pi, 200, endpoint=False) if k > 0 else np.linspace(-38, 38, 1201)
        curve = (np.sin(t), np.cos(t)) if k > 0 else (np.sinh(t), np.cosh(t))[::side]
        u, v = np.sqrt(y / abs(k)) * curve[0], np.sqrt(y) * curve[1]
        e = np.exp(-(u * u + v * v) / 2) * (t[1] - t[0]) / (2 * np.pi * np.sqrt(abs(k)))
        p = np.maximum(e.sum(1), 1e-290)
        found += [(((e * (w * w - 1)).sum(1) ** 2 / p) @ y[:, 0]) * (s[1] - s[0]) for w in (u, v)]
    return found / (4 if k > 0 else 1)  # one curve, seen from both sides; two branches of a hyperbola


@pytest.mark.slow
@pytest.mark.arrays
def test_coefficients_that_jump_and_vanish():
    """floor(x) u^2 + v^2: between 0 and 1 the label is a square; floor(x) u v tells nothing there."""
    ends = np.arange(-8, 9)
    shares = np.diff(ndtr(ends))
    laws = np.array([squares_given(k) if k else [0.0, 2.0] for k in ends[:-1]])
    assert later("z1 + floor(z1)*z2**2 + z3**2") == pytest.approx(1 / (shares @ laws).max(), abs=1e-9)
    of_product = ha.weak_recovery("z1*z2").alpha_c.value
    assert later("floor(z1)*z2*z3") == pytest.approx(of_product / (1 - shares[8]), abs=1e-10)
