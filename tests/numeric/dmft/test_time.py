"""The time of a run: where it ends inside of a sample, what was found by then, and how far it is."""

from __future__ import annotations

import time

import numpy as np
import pytest

from hermite_analytics.errors import InputError
from hermite_analytics.numeric import DMFT
from hermite_analytics.numeric.models.dmft.arguments import Training, checked_runs
from hermite_analytics.numeric.models.dmft.place import on_the_processor
from hermite_analytics.numeric.models.dmft.points import estimated_seconds
from hermite_analytics.numeric.models.dmft.quadrature import Quadrature
from hermite_analytics.numeric.models.dmft.sampled import REPLICATES, sampled_rows


def test_a_run_ends_inside_of_its_first_sample():
    """Steps that were made in time are those of a run with time; later ones are not there, and it says so."""
    model, options = DMFT("relu", "z1 + z1*z2", (1, -1)), {"alpha": 3.0, "eta": 0.1, "tolerance": 1e-2}
    whole = model.solve(**options, steps=3)  # compiled and loaded, too
    start, seconds = time.process_time(), 0.5
    cut = model.solve(**options, steps=90, seconds=seconds)
    used = time.process_time() - start
    assert used < 1.2 * seconds + 0.05  # 0.05 s: two collections of memory, which do not count
    assert cut.status == "time_ended"
    made = int(np.isfinite(cut.overlap[:, 0, 0]).sum())
    assert 1 <= made < 91
    assert np.all(np.isnan(cut.overlap[made:])) and np.all(np.isnan(cut.correlation[:, made:]))
    assert np.all(np.isfinite(cut.norm[:made]))
    for t in range(min(made, 4)):
        away = np.abs(cut.overlap[t] - whole.overlap[t]).max()
        assert away <= cut.numerical_error[t] + whole.numerical_error[t] or np.isnan(cut.numerical_error[t])
    with pytest.raises(InputError, match="the run ended before; a step before is accepted"):
        cut.law(90)
    assert cut.records()[-1]["status"] == "time_ended"


def test_without_time_there_is_the_start():
    found = DMFT("tanh", "He3(z1)").solve(alpha=3, eta=0.2, steps=4, seconds=1e-9)
    assert found.status == "time_ended"
    assert found.overlap[0, 0, 0] == 0.0 and np.all(np.isnan(found.overlap[1:]))


def test_a_run_tells_how_far_it_is():
    told = []
    model = DMFT("tanh", "tanh(z1)")
    model.solve(alpha=[2, 3], eta=0.3, steps=3, tolerance=1e-2, progress=lambda *done: told.append(done))
    done, total = np.array(told).T
    assert np.all(np.diff(done) >= 0) and np.all(np.diff(total) >= 0) and np.all(done <= total)
    assert done[-1] == total[-1] >= 8 and len(told) > 8


def test_what_a_long_run_is_said_to_take():
    """Schedules that show each sample once keep no gradients, and take a part of the time."""
    network = DMFT("tanh", "tanh(z1)").network

    def said(**options):
        return estimated_seconds(network, checked_runs(network, Training(eta=0.5, **options))[1])

    assert said(steps=1000, schedule="one-pass:0.01") < 0.4 * said(steps=1000, alpha=1.0)
    assert said(steps=20, alpha=[1.0, 2.0]) == 2.0 * said(steps=20, alpha=1.0) < 1.0
    # dimensions for all directions: twice as many points a unit of alpha
    assert said(steps=1000, alpha=8.0) == pytest.approx(8 * said(steps=1000, alpha=1.0))


@pytest.mark.slow
def test_measured_and_estimated_time():
    """What a replicate of the smallest sample takes; processors differ, and are busy."""
    model = DMFT("tanh", "tanh(z1)")
    network = model.network
    DMFT("tanh", "tanh(z1)").solve(alpha=3, eta=0.5, steps=1)
    for options in ({"alpha": 3.0}, {"schedule": "one-pass:0.01"}):
        run = checked_runs(network, Training(eta=0.5, steps=120, **options))[1][0]
        quadrature = Quadrature(network=network, noise=run.noise, usage=run.usage)
        rows, fresh = sampled_rows(quadrature, on_the_processor(model.network), run.alpha, 11, [0, 0])
        weights = run.weights(network)
        start = time.process_time()
        for t in range(120):
            step = weights.advance(rows.measure(weights.last, weights.readout))
            rows.absorb(step, fresh[t : t + 1], finite=True)
        measured = REPLICATES * (time.process_time() - start)
        assert measured / 3 < estimated_seconds(network, [run]) < 6 * measured
