"""AMP's moments of random labels: total probability 1, and what follows from it by derivatives.

For labels drawn at omega and V: E[Z'/Z] = 1 with Z' at another omega and V, E[g] = 0 and E[g g^T + dg] = 0,
each within 6 standard errors. The summands have heavier tails than Gaussian ones; with 4000 of them a false
alarm has a probability below 1e-6 for each label.
"""

from __future__ import annotations

import numpy as np
import pytest

from hermite_analytics import Target
from hermite_analytics.codegen import compile
from hermite_analytics.errors import HermiteAnalyticsError
from hermite_analytics.label.cases.sampled.solved import SolvedChannel
from hermite_analytics.label.channel import channel_of
from hermite_analytics.symbols import variable, xi
from tests.nets.noisy_targets import noisy_label
from tests.nets.trees import label_text

_SAMPLES = 4000
_STANDARD_ERRORS = 6
_SEQUENCES = 0.3  # of moments by solving along lines: what is further off is refused
_TAKEN = 0.98  # share of the labels that lines meet
_QUADRATURE = 1e-4
FAST = [
    "z1**2",
    "abs(z1) + xi",
    "z1*step(xi)",
    "z1**2 + sign(z1*z2)",
    "sign(z1*z2)*step(xi - 1)",
    "z1*z2",
    "max(z1**2, z2)",
    "sign(z1*z2 + xi)",
    "cos(z1) + tanh(2*xi)",
    "max(max(min(z2, 0), step(z3 + 1/2)), step(z1 - 1))",
]
SLOW = [
    "sin(z1*z2)",
    "sign(z1*z2 - 1/2)*z1",
    "z1*z2*z3",
    "cos(z1*z2)",
    "abs(z1**2 - z2)",
    "erf(z1*z2) + xi",
    "sin(z1**2 - z2**2)",  # sin(2*z1*z2), turned
]


def assert_total_probability(text, seconds=20.0):
    channel = channel_of(text, seconds=seconds)
    places = channel.followed
    q, rng = len(places), np.random.default_rng(11)
    root = rng.normal(size=(q, q))
    variance = 0.4 * root @ root.T / q + 0.2 * np.eye(q)
    omega = 0.8 * rng.normal(size=(_SAMPLES, q))
    w = rng.normal(size=(_SAMPLES, len(channel.rows)))
    w[:, places] = omega + rng.normal(size=(_SAMPLES, q)) @ np.linalg.cholesky(variance).T
    z, f = w @ channel.rows, Target(text)
    kernel = compile(f.expression, (*(variable(i + 1) for i in range(f.dimension)), xi), backend="array")
    labels = np.broadcast_to(np.asarray(kernel(*z.T, rng.normal(size=_SAMPLES)), dtype=float), _SAMPLES)
    at = channel.at(np.ascontiguousarray(labels))
    here, there = at(omega, variance), at(0.9 * omega + 0.1, 0.8 * variance)
    sampled = isinstance(channel.kind, SolvedChannel)
    taken = np.isfinite(here.log_z)
    assert taken.mean() >= (_TAKEN if sampled else 1), labels[~taken][:5]
    square = np.einsum("ni,nj->nij", here.g, here.g) - here.minus_dg
    unit = np.linalg.cholesky(variance)  # in standard deviations
    statistics = {
        "total probability": np.exp(there.log_z[taken, None] - here.log_z[taken, None]) - 1,
        "g": here.g @ unit,
        "g g^T + dg": (unit.T @ square @ unit).reshape(_SAMPLES, -1),
    }
    bias = _SEQUENCES if sampled else _QUADRATURE
    for name, x in statistics.items():
        error = _STANDARD_ERRORS * x.std(0) / np.sqrt(_SAMPLES) + bias
        assert np.all(np.abs(x.mean(0)) < error), (text, name, x.mean(0), error)


@pytest.mark.cases(1)
@pytest.mark.parametrize(
    "text", [*FAST, *(pytest.param(t, marks=[pytest.mark.slow, pytest.mark.draws(3)]) for t in SLOW)]
)
def test_total_probability(text):
    assert_total_probability(text)


@pytest.mark.slow
@pytest.mark.draws(4)
@pytest.mark.parametrize("seed", range(3000, 3036))
def test_total_probability_of_random_labels(seed):
    text = label_text(noisy_label(seed))
    try:
        assert_total_probability(text, seconds=3.0)
    except HermiteAnalyticsError as refusal:
        pytest.skip(f"refused: {refusal}")
