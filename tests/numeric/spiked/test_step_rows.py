"""The rows after a giant step: their equivalents against sampled matrices, limits and slopes."""

from __future__ import annotations

import numpy as np
import pytest

from hermite_analytics import Activation, Target
from hermite_analytics.numeric.models.spiked.step_rows import StepRows, step_rows

SOFTPLUS, MIXED = Activation("softplus(z)"), Activation("tanh(z) + z**2/2")
CASES = [
    (SOFTPLUS, Target("z1 + He2(z1)/2"), (4.0, 3.0, 0.3)),
    (MIXED, Target("z1 + He2(z1)/2"), (2.0, 1.0, 0.0)),
    (Activation("tanh(z)"), Target("sin(z1)"), (2.0, 2.0, 0.0)),
    (Activation("relu(z)"), Target("relu(z1)"), (0.3, 4.0, 0.0)),
]


def rows_of(case) -> StepRows:
    return step_rows(*case, 2)


def at(rows: StepRows, tau: float):
    """The trace, and the forms with their slopes."""
    trace = rows.trace(tau)
    return trace, *rows.forms(trace)


@pytest.mark.parametrize("case", CASES)
def test_slopes_are_those_of_differences(case):
    rows, tau, h = rows_of(case), 0.7, 1e-4
    (low, below, _), (high, above, _), (found, _, slope) = (at(rows, tau + move) for move in (-h, h, 0.0))
    assert (high.value - low.value) / (2 * h) == pytest.approx(found.slope, rel=1e-6)
    assert (above - below) / (2 * h) == pytest.approx(slope, rel=1e-5, abs=1e-7)
    assert rows.trace(tau, rows.trace(2.0)).value == pytest.approx(found.value, rel=1e-12)


@pytest.mark.parametrize("case", CASES)
def test_closed_forms_are_the_slopes_at_zero(case):
    rows = rows_of(case)
    start, _, slope = at(rows, 0.0)
    assert start.value == pytest.approx(rows.c, rel=1e-12)
    assert slope[0, 0] == pytest.approx(rows.c_spike, rel=1e-12)
    gamma, across = rows.gamma, np.sqrt(1 - rows.gamma**2)
    along = np.array([gamma, across])
    target = along @ slope[::2, ::2] @ along
    assert target == pytest.approx(rows.c_target, rel=1e-11)
    assert slope[1, 1] == pytest.approx(rows.norm_variance, rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES[:3])
def test_equivalents_are_those_of_sampled_matrices(case):
    # 12 draws of fixed seeds at d = 200; 5 standard errors, at most 6 % of the trace and 0.1 in the forms
    activation, target, (alpha0, step, noise) = case
    rows, d, tau = rows_of(case), 200, 1.5
    z = np.linspace(-12, 12, 20001)
    weight = np.exp(-(z**2) / 2)
    output = activation.function()(z) @ weight / weight.sum()
    rest = step**2 / alpha0 * (rows.slopes.variance - rows.slopes.curvature**2)
    drawn = []
    for seed in range(12):
        random = np.random.default_rng(seed)
        x = random.standard_normal((round(alpha0 * d), d))
        labels = target.function()(x[:, 0]) + np.sqrt(noise) * random.standard_normal(len(x))
        residual = labels - output
        u = residual @ x / len(x)
        kept = np.eye(d) + step * rows.slopes.curvature * (x.T * residual) @ x / len(x)
        sigma = kept @ kept + rest * (x.T * residual**2) @ x / len(x)
        inverse = np.linalg.inv(np.eye(d) + tau * sigma)
        v = u / np.linalg.norm(u)
        across = np.eye(d)[0] - v[0] * v
        across /= np.linalg.norm(across)
        forms = [v @ inverse @ v, across @ inverse @ across, v @ inverse @ across]
        drawn.append([np.trace(sigma @ inverse) / d, *forms])
    trace, forms, _ = at(rows, tau)
    expected = np.array([trace.value, 1 - forms[0, 0], 1 - forms[2, 2], -forms[0, 2]])
    mean, error = np.mean(drawn, axis=0), np.std(drawn, axis=0) / np.sqrt(12)
    assert np.all(np.abs(mean - expected) < 5 * error + 2 / d)
    assert np.all(5 * error < [0.06 * expected[0], 0.1, 0.1, 0.1])


@pytest.mark.slow
def test_norms_of_sampled_rows():
    # 3000 rows of one data set, of fixed seed: their variance moves by 3 %, and by O(1/sqrt d) with the data
    case = (MIXED, Target("z1 + He2(z1)/2"), (8.0, 1.0, 0.0))
    rows, d, p = rows_of(case), 300, 3000
    random = np.random.default_rng(5)
    w = random.standard_normal((p, d))
    w /= np.linalg.norm(w, axis=1)[:, None]
    x = random.standard_normal((8 * d, d))
    residual = case[1].function()(x[:, 0]) - 0.5  # E sigma = 1/2
    fields = x @ w.T
    slopes = 1 / np.cosh(fields) ** 2 + fields
    bulk = w + (slopes - rows.slopes.slope).T * residual @ x / len(x)
    v = residual @ x / np.linalg.norm(residual @ x)
    norms = np.sum(bulk**2, axis=1) - (bulk @ v) ** 2
    assert d * norms.var() == pytest.approx(rows.norm_variance, rel=0.15)
    assert d * np.mean((norms - norms.mean()) * (bulk @ v)) == pytest.approx(at(rows, 0.0)[2][0, 1], rel=0.15)


def test_infinitely_many_samples_leave_the_population():
    # no noise: rows (1 + b M) w with M = m + g2 theta theta^T
    rows = step_rows(MIXED, Target("z1 + He2(z1)/2"), (np.inf, 0.5, 0.0), 2)
    kept = 1 + 0.5 * -0.5  # E sigma'' = 1, E F = -1/2, g2 = 1
    assert rows.c == pytest.approx(kept**2, rel=1e-12)
    assert rows.c_spike == pytest.approx((kept + 0.5) ** 2, rel=1e-12)
    trace, forms, _ = at(rows, 0.8)
    assert trace.value == pytest.approx(kept**2 / (1 + 0.8 * kept**2), rel=1e-12)
    assert forms[0, 0] == pytest.approx(1 - 1 / (1 + 0.8 * (kept + 0.5) ** 2), rel=1e-12)
    assert np.all(forms[2] == 0.0)
