"""Gauss and Legendre's rule against the same in 40 digits, and against integrals in closed form."""

from __future__ import annotations

import math

import numpy as np
import pytest

from hermite_analytics.foundation.panels import gauss_legendre, panel_rule, unit_rule
from hermite_analytics.gaussian import digits


@pytest.mark.parametrize("count", [1, 2, 5, 16, 20, 64, 96])
def test_the_rule_is_right_to_the_last_digits(count):
    """numpy's weights at the ends err by 1e-12 for 64 nodes."""
    exact = sorted(digits.gauss_legendre(count, 130))
    x, w = gauss_legendre(count)
    extended = np.finfo(np.longdouble).eps < 1e-18  # else the digits are those of doubles
    assert np.abs(x - [float(a) for a, _ in exact]).max() < (1.2e-16 if extended else 1e-15)
    assert np.abs(w / [float(b) for _, b in exact] - 1).max() < (3e-15 if extended else 1e-12)


def test_on_the_unit_interval():
    x, w = unit_rule(7)
    for k in range(14):
        assert abs(w @ x**k - 1 / (k + 1)) < 1e-15


def test_rules_are_not_written_to():
    with pytest.raises(ValueError, match="read-only"):
        gauss_legendre(5)[0][0] = 0.0


def test_panels_end_at_the_edges():
    x, w = panel_rule([-1.0, 0.0, 2.0], 3)  # |x|^3 is a polynomial on each side
    assert abs(w @ np.abs(x) ** 3 - 4.25) < 1e-14


def test_panels_of_many_rows():
    edges = np.array([[[0.0, 1.0, 3.0], [1.0, 2.0, 4.0]]])
    x, w = panel_rule(edges, 4)
    assert x.shape == w.shape == (1, 2, 8)
    assert np.allclose((w * x**5).sum(-1), (edges[..., -1] ** 6 - edges[..., 0] ** 6) / 6, rtol=1e-14)


@pytest.mark.parametrize("widest", [0.3, [0.3, 5.0, 1.0]])
def test_wide_panels_are_divided_evenly(widest):
    edges = np.array([0.0, 1.0, 2.0, 4.0])
    x, w = panel_rule(edges, 1, widest=widest)
    parts = [math.ceil(a / b) for a, b in zip(np.diff(edges), np.broadcast_to(widest, 3), strict=True)]
    assert len(x) == sum(parts)
    ends = np.concatenate([[0.0], np.cumsum(w)])
    assert np.allclose(x, 0.5 * (ends[1:] + ends[:-1]), rtol=1e-15)
    assert np.isin(np.round(edges, 12), np.round(ends, 12)).all()
