"""Thresholds of floors of kinks: probabilities of their labels in closed form, or given one coordinate."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
import sympy
from scipy.special import ndtr

import hermite_analytics as ha
from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.label.orders.climb import climb
from hermite_analytics.label.reduction.problem import Problem
from hermite_analytics.label.thresholds.stepped import between_points
from hermite_analytics.language.functions import floor


def density(x):
    return np.exp(-0.5 * x * x) / np.sqrt(2 * np.pi)


def test_the_first_step_is_read_off_the_floor_as_it_stands():
    """It grows with |z1| and |z2|; of its steps one after the other this took 16 s."""
    (step,) = climb(ha.Target("floor(abs(z1) + abs(z2))"), max_degree=None, first_only=True).steps
    assert step.order == step.span.dimension == 2
    assert "grows with |z1|, |z2|" in "; ".join(map(str, step.facts))


@pytest.mark.slow
def test_sums_of_absolute_values():
    """|z1| + |z2| < s is a square, |u| and |v| < s/sqrt(2): E[z1^2 - 1; .] is that of u^2 - 1."""
    with mpmath.workdps(80):
        ends = [n / mpmath.sqrt(2) for n in range(19)]
        inside = [2 * mpmath.ncdf(s) - 1 for s in ends]
        told = [-2 * s * mpmath.npdf(s) * p for s, p in zip(ends, inside, strict=True)]
        total = mpmath.fsum(
            (told[n + 1] - told[n]) ** 2 / (inside[n + 1] ** 2 - inside[n] ** 2) for n in range(18)
        )
        (stage,) = ha.weak_recovery("floor(abs(z1) + abs(z2))").stages
        assert abs(stage.alpha_c.value - 1 / total) <= stage.alpha_c.error < 1e-8
    assert "a floor of one value" in stage.reason


@pytest.mark.slow
def test_the_second_step_of_a_larger_value():
    """Given x = (z1 + z2)/sqrt(2) the label is the floor of 3 (x + |w|)/sqrt(2): intervals of |w|."""
    nodes, weights = np.polynomial.legendre.leggauss(24)
    ends = np.sqrt(2) / 3 * np.arange(-15, 16)
    x = (ends[:-1, None] + np.diff(ends)[:, None] * (nodes + 1) / 2).ravel()
    weight = (np.diff(ends)[:, None] * weights / 2).ravel() * density(x)
    low, high = (np.maximum(np.sqrt(2) / 3 * (np.arange(-60, 80)[:, None] + k) - x, 0.0) for k in (0, 1))
    p, told = 2 * (ndtr(-low) - ndtr(-high)), 2 * (low * density(low) - high * density(high))
    total = weight @ np.where(p > 1e-30, told**2 / np.maximum(p, 1e-30), 0.0).sum(0)
    first, second = ha.weak_recovery("floor(3*max(z1, z2))").stages
    assert first.alpha_c.value == 0
    assert abs(second.alpha_c.value - 1 / total) <= second.alpha_c.error < 1e-8


def test_a_value_that_is_a_place_where_it_is_constant():
    """3*.7 - .1 is 2, in floats below it: the label there is 2. Intervals of w, for values of x."""
    w, x = sympy.symbols("w x", real=True)
    label = floor(3 * sympy.Max(w + x / 2, sympy.Rational(7, 10)) - sympy.Rational(1, 10))
    found = between_points(Problem(signal=label, unknown=(w,), known=(x,)))
    at, weight = np.polynomial.hermite_e.hermegauss(100)
    ends = np.concatenate([[-np.inf], (np.arange(3, 60) + 0.1) / 3, [np.inf]])[:, None] - at / 2
    edge = np.where(np.isfinite(ends), ends, 0.0) * density(ends)
    p, told = ndtr(ends[1:]) - ndtr(ends[:-1]), edge[:-1] - edge[1:]
    total = weight / weight.sum() @ np.where(p > 1e-25, told**2 / np.maximum(p, 1e-25), 0.0).sum(0)
    assert abs(found.alpha.value - 1 / total) < found.alpha.error + 1e-9 < 1e-7


def test_floors_of_too_many_values_are_refused_in_a_line():
    with pytest.raises(UnsupportedExpression, match="takes 653897 values within 8"):
        ha.weak_recovery("floor(z1+z2**6)")
