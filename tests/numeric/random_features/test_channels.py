"""Averages over labels and fields: the closed form of losses that are quadratic in pieces, and quadrature."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad

from hermite_analytics.numeric.losses.loss import Loss
from hermite_analytics.numeric.models.random_features.channels import (
    bent_channel,
    channel_for_labels,
    label_channel,
)

NODE, WEIGHT = np.polynomial.legendre.leggauss(16)


def panels(count=12, end=9.0):
    edges = np.linspace(-end, end, count + 1)
    half, middle = np.diff(edges) / 2, (edges[1:] + edges[:-1]) / 2
    z = (middle[:, None] + half[:, None] * NODE).ravel()
    return z, (half[:, None] * WEIGHT).ravel() * np.exp(-0.5 * z**2) / np.sqrt(2 * np.pi)


@pytest.mark.parametrize("text", ["huber:0.5", "huber:3", "quantile:0.7"])
def test_closed_form_is_the_quadrature(text):
    loss, rng = Loss(text), np.random.default_rng(4)
    z, weight = panels()
    for _ in range(4):
        power, variance = 10 ** rng.uniform(-4, 1), 10 ** rng.uniform(-2, 1)
        state = (variance, power, np.sqrt(power) * rng.uniform(-0.9, 0.9), rng.normal())
        found = np.zeros((2, 6))
        for channel, out in zip((label_channel, bent_channel), found, strict=True):
            teacher = (z, np.sin(z) + 0.3 * z**2, weight)
            channel(loss.proximal, loss.corners, loss.parameter, teacher, 0.2, state, 1, out)
        np.testing.assert_allclose(found[1], found[0], rtol=1e-10, atol=1e-13 / min(variance, 1.0))


@pytest.mark.parametrize(("variance", "power"), [(0.5, 0.3), (1e-9, 2.0), (30.0, 1e-8), (0.7, 0.0)])
def test_one_label_by_an_adaptive_rule(variance, power):
    """E f^2 and the loss of one label y at z = 0, where the field is N(m, Q); at V -> 0 both bends meet."""
    loss, y, mean = Loss("quantile:0.7"), 0.4, 0.35
    teacher = (np.zeros(1), np.array([y]), np.ones(1))
    out = np.zeros(6)
    state = (variance, power, 0.0, mean)
    bent_channel(loss.proximal, loss.corners, loss.parameter, teacher, 0.0, state, 0, out)
    deviation = np.sqrt(power)

    def average(place):
        def weighted(h):
            value = loss.proximal(y, mean + deviation * h, variance, loss.parameter)
            return {1: value[2] ** 2, 4: value[4]}[place] * np.exp(-0.5 * h * h) / np.sqrt(2 * np.pi)

        bends = [(y - 0.7 * variance - mean), (y + 0.3 * variance - mean)]
        inside = [b / deviation for b in bends if deviation > 0 and abs(b) < 9 * deviation]
        return quad(weighted, -9, 9, points=inside or None, limit=200, epsabs=1e-13)[0]

    for place in (1, 4):
        assert out[place] == pytest.approx(average(place), rel=1e-9, abs=1e-12)


def test_which_losses_have_it():
    taken, others = ("huber:1", "quantile:0.3", "hinge"), ("logistic", "log(cosh(y - x))")
    assert all(channel_for_labels(Loss(text)) is bent_channel for text in taken)
    assert all(channel_for_labels(Loss(text)) is label_channel for text in others)
