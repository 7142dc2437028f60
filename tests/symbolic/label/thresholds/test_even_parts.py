"""Sums of many even parts by products of transforms, against convolutions, closed forms and samples."""

from __future__ import annotations

import numpy as np
import pytest

import hermite_analytics as ha
from hermite_analytics.label.cases.parts.case import structured_law
from hermite_analytics.label.operator import top_eigenvalue
from hermite_analytics.label.reduction.problem import orthonormal_problem
from hermite_analytics.label.thresholds.even_parts import even_parts
from hermite_analytics.label.thresholds.numeric import independent_parts


def problem_of(label):
    target = ha.Target(label)
    return orthonormal_problem(target.expression, target.dimension, ())


def summed(part, count):
    return "+".join(part.format(k) for k in range(1, count + 1))


@pytest.mark.slow
@pytest.mark.parametrize(
    "label",
    [
        summed("abs(z{})", 4) + "+xi/3",
        summed("abs(z{})", 8),
        summed("z{}**2", 4) + "+xi",
        "abs(z1)+abs(z2)+z3**2+z4**2+xi/2",
    ],
)
def test_convolutions_know_them_too(label):
    found, known = even_parts(problem_of(label)).alpha, independent_parts(problem_of(label)).alpha
    assert abs(found.value - known.value) < found.error + known.error
    assert found.error < 3e-6 * found.value


def test_parts_of_different_kinds_are_asked_each():
    """Of nearly all noise and a heavy part: 1/alpha is that of the heavy one, whose E[G^2] is the largest."""
    found = even_parts(problem_of("abs(z1)/50+abs(z2)/50+z3**2/50+8*cos(z4)+xi")).alpha
    alone = ha.weak_recovery("8*cos(z1)+xi*101/100").alpha_c
    assert found.value == pytest.approx(alone.value, rel=2e-2)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("label", "known"),
    [
        ("abs(z1)+abs(z2)+abs(z3)", None),  # one of three is tracked
        ("cos(9*z1)*abs(z2)", 0.8622414265581),  # one that says little beside the other
        ("abs(z1**2-z2**2)+abs(z3)", 1.669875540928),  # a part of two coordinates is tracked as a whole
    ],
)
def test_coordinates_of_a_kind_are_tracked_once(label, known):
    """With all coordinates tracked it is the same."""
    problem = problem_of(label)
    found = independent_parts(problem).alpha
    if known is None:
        known = 1 / top_eigenvalue(structured_law(problem.signal, problem.unknown)(2).quadrature())
    assert found.value == pytest.approx(known, abs=1e-9 + found.error) and found.error < 1e-8


@pytest.mark.slow
def test_twenty_parts_by_samples():
    """E[mean of z_i^2 - 1 | y] in 200 bins of equal probability: bins take 1e-4 off, samples leave 5e-3."""
    z = np.random.default_rng(0).standard_normal((1_000_000, 20))
    y, square = np.cos(z).sum(1), (z**2 - 1).mean(1)
    means = square[np.argsort(y)].reshape(200, -1).mean(1)
    noise = 200 * 0.1 / len(z)  # of squares of means
    assert ha.weak_recovery(summed("cos(z{})", 20)).alpha_c.value == pytest.approx(
        1 / (np.mean(means**2) - noise), rel=1e-2
    )


def test_a_sum_of_squares_is_left_to_closed_forms():
    """chi^2 of eight: its transform falls with the fourth power, and 1/alpha = E[(y/8 - 1)^2] = 1/4."""
    label = summed("z{}**2", 8)
    assert even_parts(problem_of(label)) is None
    assert ha.weak_recovery(label).alpha_c.value == 4


@pytest.mark.parametrize(
    "label",
    [
        summed("abs(z{})", 3),
        summed("relu(z{})", 6),
        summed("step(abs(z{})-1)", 6) + "+z7**2",
        summed("abs(z{})", 4) + "*xi",
        "abs(z1*z2)+abs(z3)+abs(z4)+abs(z5)+xi",
    ],
)
def test_labels_that_are_left_to_others(label):
    assert even_parts(problem_of(label)) is None
