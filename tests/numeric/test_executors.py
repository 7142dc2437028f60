"""solve(..., executor=): the same numbers on any executor, and what is kept of one that dies."""

from __future__ import annotations

import os
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool

import numpy as np
import pytest

import hermite_analytics as ha
from hermite_analytics.codegen.auto_backend.tiers import compiled_at_once
from hermite_analytics.executors.ordered import on_executor
from hermite_analytics.executors.processes import SerialExecutor, worker_pool
from hermite_analytics.foundation.clock import Limit
from hermite_analytics.numeric import (
    DeterministicEquivalent,
    GaussianCovariates,
    GiantStep,
    RandomFeatures,
    SGDFlow,
    SmallStep,
    SpikedRandomFeatures,
    StateEvolution,
)

EYE = np.eye(50)
ALPHAS = np.linspace(0.3, 4.0, 7)
STEP = {"alpha0": 20, "eta": 3}
RESULTS = {"state-evolution": "overlap", "flow": "overlap", "small-step": "risk_after"}


def after_a_step(**options):
    betas = np.linspace(0.5, 2.0, 3)[:, None]
    model = SpikedRandomFeatures("tanh", "sin(z1)")
    step = GiantStep("tanh", "sin(z1)").solve(**STEP, beta=betas)
    return model.solve(step=step, alpha=ALPHAS, ridge=0.1, **options)


SOLVERS = {
    "spiked": after_a_step,
    "random-features": lambda **options: RandomFeatures("tanh", "sin(z1)").solve(
        alpha=ALPHAS[:, None], beta=[0.5, 2.0], ridge=0.1, **options
    ),
    "best-ridge": lambda **options: RandomFeatures("tanh", "sin(z1)").solve(
        alpha=ALPHAS, beta=1.0, ridge="optimal", noise=0.2, **options
    ),
    "covariates": lambda **options: GaussianCovariates(
        psi=EYE, phi=EYE, omega=EYE, theta=np.ones(50), target="z1"
    ).solve(alpha=ALPHAS, ridge=0.1, **options),
    "small-step": lambda **options: SmallStep("tanh", "sin(z1)").solve(
        eta=1.0, alpha=ALPHAS, beta=1.0, ridge=0.1, **options
    ),
    "deterministic-equivalent": lambda **options: DeterministicEquivalent(
        [3.0, 1.0, 0.2], [1.0, 2.0, 0.5], [4, 3, 3]
    ).solve(samples=4 * ALPHAS, features=6, ridge=0.1, **options),
    "flow": lambda **options: SGDFlow("relu", "He2(z1)").solve(
        rate=0.1, overlap=[0.1, 0.2, 0.3], times=2.0, **options
    ),
    "state-evolution": lambda **options: StateEvolution("z1**2").solve(alpha=[0.45, 0.6, 1.2], **options),
}


class Lazy(Executor):
    """Runs a task when its result is asked for."""

    def submit(self, fn, /, *args, **kwargs):
        class Late(Future):
            def result(self, timeout=None):
                return fn(*args, **kwargs)

        return Late()


class Dying(Executor):
    """Its processes end after some tasks."""

    def __init__(self, tasks):
        self.left = tasks

    def submit(self, fn, /, *args, **kwargs):
        future = Future()
        self.left -= 1
        if self.left < 0:
            future.set_exception(BrokenProcessPool("a process was terminated abruptly"))
        else:
            future.set_result(fn(*args, **kwargs))
        return future


@pytest.mark.cases(2)
@pytest.mark.parametrize("name", SOLVERS)
def test_the_same_on_any_executor(name):
    with compiled_at_once():
        whole = SOLVERS[name]()
    assert SOLVERS[name](executor=Lazy()) == whole
    with ThreadPoolExecutor(2) as threads:
        assert SOLVERS[name](executor=threads) == whole


@pytest.mark.slow
def test_processes_of_the_caller():
    """Models travel by pickling; so does a label, which each process prepares once."""
    with worker_pool(2) as pool, compiled_at_once():
        for name in ("spiked", "state-evolution"):
            assert SOLVERS[name](executor=pool) == SOLVERS[name]()
        table = ha.table(["z1", "z1 +", "z1*z2"], executor=pool)
    assert [row.error is None for row in table] == [True, False, True]


@pytest.mark.cases(2)
@pytest.mark.parametrize("name", [name for name in SOLVERS if name != "best-ridge"])
def test_what_was_computed_is_kept(name):
    """Two pieces, or points, are there; the rest is NaN and says why."""
    with compiled_at_once():
        whole = SOLVERS[name]()
    with pytest.raises(
        ha.ExecutorEnded, match=r"^the executor ended: \d+ of \d+ points were not computed; the others"
    ) as caught:
        SOLVERS[name](executor=Dying(2))
    rows, all_rows = caught.value.solution.results(), whole.results()
    found = [j for j, row in enumerate(rows) if row["status"] != "not_computed"]
    assert len(found) == 2 < len(rows) == len(all_rows)
    result = {"state-evolution": "overlap", "flow": "overlap", "small-step": "risk_after"}.get(
        name, "test_error"
    )
    for j, row in enumerate(rows):
        numbers = np.asarray(row[result], dtype=float)
        assert row == all_rows[j] if j in found else np.isnan(numbers).all()


def test_nothing_is_kept():
    """Where no piece was computed, and where the best ridge was still looked for."""
    for name, tasks in (("spiked", 0), ("best-ridge", 3), ("state-evolution", 0)):
        with pytest.raises(
            ha.ExecutorEnded, match=r"^the executor ended before all was computed \(a process"
        ) as caught:
            SOLVERS[name](executor=Dying(tasks))
        assert caught.value.solution is None
    with pytest.raises(ha.ExecutorEnded, match="ended before all was computed") as caught:
        ha.table(["z1", "z2", "z1 +"], executor=Dying(2))
    assert [row.target for row in caught.value.solution] == ["z1", "z2"]


def test_an_executor_that_was_shut_down():
    pool = ThreadPoolExecutor(1)
    pool.shutdown()
    with pytest.raises(ha.ExecutorEnded, match="cannot schedule new futures after shutdown"):
        SOLVERS["spiked"](executor=pool)


def test_what_is_no_executor():
    with pytest.raises(ha.InputError, match=r"^executor is a int without submit; accepted: an executor of"):
        SOLVERS["spiked"](executor=2)


def test_an_error_of_a_task_is_that_error():
    with pytest.raises(ha.InputError, match=r"^three is too much$"):
        list(on_executor(_refuse_three, range(6), SerialExecutor()))


def _refuse_three(number):
    if number == 3:
        raise ha.InputError("three is too much")
    return number


def test_tasks_are_asked_for_as_they_are_needed():
    asked = []

    def arguments():
        for number in range(1000):
            asked.append(number)
            yield number

    with ThreadPoolExecutor(2) as pool:
        results = on_executor(abs, arguments(), pool)
        assert next(results) == 0 and len(asked) == 6
        results.close()


@pytest.mark.slow
def test_a_process_that_ends():
    with ProcessPoolExecutor(1) as pool, pytest.raises(ha.ExecutorEnded, match="terminated abruptly"):
        list(on_executor(os._exit, [3, 4], pool))


@pytest.mark.parametrize("name", [name for name in SOLVERS if name != "state-evolution"])
def test_seconds(name):
    """All with time enough; without, nothing but shapes and statuses."""
    whole = SOLVERS[name]()
    timed = SOLVERS[name](seconds=600)
    assert timed.shape == whole.shape and np.all(timed.status == whole.status)
    result = RESULTS.get(name, "test_error")
    assert np.allclose(getattr(timed, result), getattr(whole, result), rtol=1e-9, equal_nan=True)
    cut = SOLVERS[name](seconds=1e-9)
    assert cut.shape == whole.shape and np.all(cut.status == "time_ended")
    assert np.all(np.isnan(getattr(cut, result)))
    assert len(cut.results()) == len(whole.results()) and str(cut)


def test_what_is_found_by_the_end_of_the_time(monkeypatch):
    asked = iter([False, False, True, True, True, True, True])
    monkeypatch.setattr(Limit, "has_ended", lambda self: next(asked))
    found = SOLVERS["random-features"](seconds=1)
    whole = SOLVERS["random-features"]()
    is_there = found.status == "converged"
    assert 0 < is_there.sum() < is_there.size and np.all(found.status[~is_there] == "time_ended")
    assert np.allclose(found.test_error[is_there], whole.test_error[is_there], rtol=1e-9)
    assert np.all(np.isnan(found.test_error[~is_there]))


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"seconds": 0}, "^seconds is 0; a number > 0 is accepted$"),
        ({"seconds": "10"}, "^seconds is '10'; a number > 0 is accepted$"),
        (
            {"seconds": 1, "executor": SerialExecutor()},
            "^seconds and executor exclude each other",
        ),
    ],
)
def test_times_that_are_none(given, text):
    with pytest.raises(ha.InputError, match=text):
        SOLVERS["spiked"](**given)
