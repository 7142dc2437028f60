"""Rules that are as fine as they get: what a smaller tolerance cannot make less."""

from __future__ import annotations

import numpy as np
import pytest

from hermite_analytics.numeric import DMFT
from hermite_analytics.numeric.models.dmft import limit
from hermite_analytics.numeric.models.dmft import refine as refinement


def test_variables_without_a_finer_rule():
    """One variable moves the result by 2e-3 at every level, the others do not: the error is its."""

    def evaluate(levels):
        return np.array([0.5 + 1e-3 * (-1) ** levels[0]]), 1

    found = refinement.refined(evaluate, (0, 0, 5), 1e-5)
    assert found.finest == pytest.approx(2e-3) and found.error == pytest.approx(found.finest)
    settled = refinement.refined(lambda levels: (np.array([0.5]), 1), (0, 0, 5), 1e-5)
    assert settled.finest == settled.error == 0


def test_a_run_whose_rules_are_the_finest_is_not_repeated(monkeypatch):
    """Less is asked of each step only where that may help: few nodes have 6e-9, and 1e-10 is asked for."""
    count, plain = 0, limit._by_quadrature

    def counted(*arguments):
        nonlocal count
        count += 1
        return plain(*arguments)

    monkeypatch.setattr(refinement, "_MOST_NODES", 3000)
    monkeypatch.setattr(limit, "_by_quadrature", counted)
    monkeypatch.setattr(limit, "by_sampling", lambda *arguments: None)  # of the last errors
    found = DMFT("tanh", "z1").solve(alpha=1.5, eta=0.3, steps=1, tolerance=1e-10)
    assert set(found.averages) == {"quadrature"} and 1e-10 < found.numerical_error[0] < 1e-6
    assert count == 1
