"""Fresh batches against the flow of one-pass SGD, and against its closed recursion."""

from __future__ import annotations

import numpy as np
import pytest

from hermite_analytics.numeric import DMFT, SGDFlow


@pytest.mark.slow
def test_small_fresh_batches_are_the_flow():
    """alpha_b -> 0 at fixed eta: time samples/d, rate eta; the difference is of order alpha_b.

    Extrapolated from alpha_b and alpha_b/2, it is of second order.
    """
    eta, end = 1.5, 1.2
    flow = SGDFlow("erf(z/sqrt(2))", "erf(z1/sqrt(2))", loss="square", spherical=False)
    exact = flow.solve(rate=eta, overlap=0.2, times=end)
    model = DMFT("erf(z/sqrt(2))", "erf(z1/sqrt(2))")
    found = []
    for steps in (3, 6):
        run = model.solve(
            eta=eta, steps=steps, schedule=f"one-pass:{end / steps}", overlap=0.2, tolerance=4e-3, seconds=100
        )
        assert run.status == "converged"
        found.append(np.array([run.overlap[-1, 0, 0], run.norm[-1, 0, 0]]))
    limit = 2 * found[1] - found[0]
    known = [float(exact.overlap), float(np.ravel(exact.correlations)[0])]
    assert np.all(np.abs(found[1] - known) > 1e-2)  # no run alone is the flow
    assert limit == pytest.approx(known, abs=6e-3)


@pytest.mark.slow
def test_fresh_batches_follow_the_fresh_law():
    """He3 and relu, alpha_b = 1: M stays 0 and Q = .95, .9085, .874055 (closed recursion of the norm)."""
    found = DMFT("relu", "He3(z1)").solve(
        eta=0.2, steps=3, schedule="one-pass:1", tolerance=3e-3, seconds=100, throw=True
    )
    assert found.overlap[:3, 0, 0] == pytest.approx(np.zeros(3), abs=1e-6)
    assert abs(found.overlap[3, 0, 0]) < found.numerical_error[3]
    assert found.norm[1:3, 0, 0] == pytest.approx([0.95, 0.9085], abs=1e-6)
    assert found.norm[3, 0, 0] == pytest.approx(0.874055, abs=found.numerical_error[3])
