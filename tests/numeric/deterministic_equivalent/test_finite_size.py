"""The equations against the regression itself, with Gaussian eigenfunctions of a given spectrum.

A comparison fails if the mean over seeds is further from the theory than 4.5 standard errors and a margin of
order 1/n. Were the theory exact, one of the 8 would fail with probability below 2e-4 (Student's t).
"""

from __future__ import annotations

import numpy as np
import pytest

from hermite_analytics.numeric import DeterministicEquivalent

from .reference import simulated

K = np.arange(1.0, 2501.0)


@pytest.mark.draws(2, spread=True)  # one of many levels, one of few
@pytest.mark.slow
@pytest.mark.parametrize(
    ("levels", "samples", "features", "ridge", "seeds", "seed"),
    [
        (2500, 200, 400, 1e-2, 250, 1),
        (2500, 300, 300, 1e-3, 250, 2),
        (600, 100, 60, 1e-3, 1500, 3),
        (600, 60, 120, 1e-5, 1500, 4),
    ],
)
def test_regression_with_gaussian_eigenfunctions(levels, samples, features, ridge, seeds, seed):
    spectrum, target = K[:levels] ** -1.5, K[:levels] ** -2.2
    found = DeterministicEquivalent(spectrum, target).solve(
        samples=samples, features=features, ridge=ridge, noise=0.01
    )
    errors = simulated(spectrum, target, samples, features, ridge, 0.01, seeds, seed)
    for name, values, theory in zip(
        ("test", "train"), errors, (found.test_error, found.train_error), strict=True
    ):
        deviation, stderr = values.mean() - theory, values.std(ddof=1) / np.sqrt(seeds)
        assert abs(deviation) < 4.5 * stderr + 3.0 / min(samples, features) * theory, (
            name,
            deviation / stderr,
        )
        assert stderr < 0.025 * theory  # enough seeds to see an error of a few percent
