"""Sums of many even parts by products of transforms, against convolutions, closed forms and samples."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from scipy.special import jv

import hermite_analytics as ha
from hermite_analytics.label.cases.parts.case import structured_law
from hermite_analytics.label.operator import top_eigenvalue
from hermite_analytics.label.reduction.problem import orthonormal_problem
from hermite_analytics.label.thresholds.even_parts import even_parts
from hermite_analytics.label.thresholds.numeric import independent_parts, quadratic_form


def problem_of(label):
    target = ha.Target(label)
    return orthonormal_problem(target.expression, target.dimension, ())


def summed(part, count):
    return "+".join(part.format(k) for k in range(1, count + 1))


@pytest.mark.slow
@pytest.mark.draws(2)  # the last two are parts of the first
@pytest.mark.parametrize(
    "label",
    [
        "abs(z1)+abs(z2)+z3**2+z4**2+xi/2",
        summed("abs(z{})", 8),
        summed("abs(z{})", 4) + "+xi/3",
        summed("z{}**2", 4) + "+xi",
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


@pytest.mark.parametrize("count", [4, 5, 6])
def test_cosines_by_bessel_functions(count):
    """exp(i t cos z) = sum_k i^k J_k(t) exp(i k z): 30 k give the moments, and 2^16 frequencies the law."""
    length = 2 * count + 3  # period of y
    t = 2 * np.pi / length * np.arange(2**16)
    k = np.arange(30)
    series = np.where(k, 2, 1) * 1j**k * np.exp(-(k**2) / 2) * jv(k, t[:, None])
    phi, psi = series.sum(1), (-(k**2) * series).sum(1)
    smooth = np.exp(-36 * (t / t[-1]) ** 8)  # without overshooting where the density is singular
    p, q = (np.fft.irfft(np.conj(f * smooth)) for f in (phi**count, phi ** (count - 1) * psi))
    seen = p > 1e-11 * p.max()
    expected = (q[seen] ** 2 / p[seen]).sum()
    found = ha.weak_recovery(summed("cos(z{})", count), seconds=30).alpha_c
    assert abs(found.value - 1 / expected) < found.error + 2e-9
    assert found.error < 2e-7 * found.value


def test_a_sum_of_squares_has_a_closed_form():
    """chi^2 of eight: its transform falls with the fourth power, and 1/alpha = E[(y/8 - 1)^2] = 1/4."""
    label = summed("z{}**2", 8)
    found = even_parts(problem_of(label)).alpha
    assert abs(found.value - 4) < found.error < 1e-4
    assert ha.weak_recovery(label).alpha_c.exact == 4


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


@pytest.mark.slow
@pytest.mark.arrays
def test_squares_with_different_factors():
    """sum a_k (u^2 + v^2), a sum of exponentials; E[u^2 + v^2 | y] is by the density with one more."""
    factors = np.array([1.0, 2.0, 3.0, 5.0])
    size, y = 2 * factors, np.linspace(0, 400, 400_001)
    others = [np.delete(size, k) for k in range(4)]
    shares = np.array([np.prod(s / (s - o)) for s, o in zip(size, others, strict=True)])
    waves = np.exp(-y / size[:, None]) / size[:, None]
    p, found = shares @ waves, []
    for k in range(4):
        more = sum(
            shares[j]
            * (
                waves[k] * y / size[k]
                if j == k
                else (size[j] * waves[j] - size[k] * waves[k]) / (size[j] - size[k])
            )
            for j in range(4)
        )
        found.append(np.sum((more - p) ** 2 / np.maximum(p, 1e-300)) * (y[1] - y[0]))
    text = "+".join(f"{int(a)}*(z{2 * k + 1}**2+z{2 * k + 2}**2)" for k, a in enumerate(factors))
    threshold = even_parts(problem_of(text)).alpha
    assert abs(1 / threshold.value - max(found)) < 1e-6 and threshold.error < 2e-6


@pytest.mark.slow
def test_quadratic_forms_of_many_coordinates():
    """A path of products has the eigenvalues cos(k pi/9), each with its negative: the label is symmetric."""
    eigenvalues = [sympy.cos(k * sympy.pi / 9) for k in range(1, 9)]
    squares = "+".join(f"({float(a)!r})*z{k}**2" for k, a in enumerate(eigenvalues, 1))
    found, own = (
        quadratic_form(problem_of("+".join(f"z{k}*z{k + 1}" for k in range(1, 8)))),
        even_parts(problem_of(squares)),
    )
    assert abs(found.alpha.value - own.alpha.value) < 1e-8
    assert found.alpha.error < 2e-6
