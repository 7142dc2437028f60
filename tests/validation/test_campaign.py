"""Campaigns: looks, budgets, interruptions and workers; neither of the last two changes a decision."""

import json
import re
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from hermite_analytics.errors import HermiteAnalyticsError, InputError
from hermite_analytics.executors.processes import SerialExecutor, worker_pool
from hermite_analytics.validation.campaign.batches import Progress
from hermite_analytics.validation.campaign.campaign import Campaign
from hermite_analytics.validation.campaign.folder import open_folder
from hermite_analytics.validation.campaign.store import STORE_NAME
from hermite_analytics.validation.statistics.decision import Margin, Status
from hermite_analytics.validation.statistics.rules import Limit
from tests.validation.synthetic import SyntheticExperiment, claim, study
from tests.validation.synthetic_cell import SyntheticCell

CURVE = SyntheticExperiment(truth=(2.0, 1.0, 0.5), theory=(2.0, 1.0, 0.5), noise=0.4)
STUDIES = (
    study(),
    study("noisy", SyntheticExperiment(noise=0.5)),
    study("wrong", SyntheticExperiment(theory=(1.5,), noise=0.2)),
    study("curve", CURVE, claims=(claim(reduction="mean-ratio"),)),
    study("short", SyntheticExperiment(noise=2.0), looks=2),
)


def run(folder, *, studies=STUDIES, workers=1, executor=None, progress=None, **flags):
    with open_folder(folder, code="one", **flags) as store:
        if executor is not None:
            return Campaign(studies).run(store, executor, in_flight=3, progress=progress)
        with worker_pool(workers) as pool:
            return Campaign(studies).run(store, pool, in_flight=2 * workers, progress=progress)


def decisions(outcomes):
    """Everything that was decided, and by which numbers."""
    return Decisions(
        (study.study.claim_id(one.claim), one.decision, one.holm_p, one.mutants)
        for study in outcomes
        for one in study.claims
    )


class Decisions(list):
    """Lists that are equal if they read the same: a number that is not finite equals itself."""

    def __eq__(self, other):
        return repr(self) == repr(other)


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    return decisions(run(tmp_path_factory.mktemp("expected")))


def test_decisions(expected):
    by_name = {name: decision for name, decision, _, _ in expected}
    assert {name: decision.status for name, decision in by_name.items()} == {
        "first/error": Status.PASSED,
        "noisy/error": Status.PASSED,
        "wrong/error": Status.FAILED,
        "curve/error": Status.PASSED,
        "short/error": Status.INCONCLUSIVE,
    }
    assert len(by_name["short/error"].looks) == 2
    assert len(by_name["wrong/error"].looks) < len(by_name["noisy/error"].looks) <= 5
    assert [one.status for one in by_name["noisy/error"].looks[:-1]] == [
        Status.INCONCLUSIVE for _ in by_name["noisy/error"].looks[:-1]
    ]


def test_mutants_are_tried_on_the_same_data(expected):
    by_name = {name: mutants for name, _, _, mutants in expected}
    assert [mutant.status for mutant in by_name["noisy/error"]] == [Status.FAILED]
    assert by_name["first/error"][0].theory == 3.0


@pytest.mark.slow
def test_workers_do_not_change_decisions(tmp_path, expected):
    assert decisions(run(tmp_path, workers=2)) == expected


def test_any_executor_serves(tmp_path, expected):
    with ThreadPoolExecutor(4) as executor:
        assert decisions(run(tmp_path, executor=executor)) == expected


class Interrupting(SerialExecutor):
    """Ctrl-C before the batch of a given number."""

    def __init__(self, batches):
        self.batches = batches

    def submit(self, fn, /, *args, **kwargs):
        if self.batches == 0:
            raise KeyboardInterrupt
        self.batches -= 1
        return super().submit(fn, *args, **kwargs)


@pytest.mark.cases(1)
@pytest.mark.parametrize("batches", [0, 1, 7, 16])
def test_interruption_and_resumption_do_not_change_decisions(tmp_path, expected, batches):
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, executor=Interrupting(batches))
    kept = sqlite3.connect(tmp_path / STORE_NAME).execute("SELECT count(*) FROM cells").fetchone()[0]
    assert (kept > 0) == (batches > 0)
    computed = []
    outcomes = run(tmp_path, resume=True, progress=lambda state: computed.append(state.cells))
    assert decisions(outcomes) == expected
    assert computed[0] >= kept


def test_resuming_what_is_finished_computes_nothing(tmp_path, expected):
    run(tmp_path)
    assert decisions(run(tmp_path, resume=True, executor=Interrupting(0))) == expected


def test_more_looks_continue_where_fewer_ended(tmp_path):
    (short,) = run(tmp_path, studies=STUDIES[4:])
    (longer,) = run(tmp_path, studies=(replace(STUDIES[4], looks=4),), resume=True)
    before, after = short.claims[0].decision.looks, longer.claims[0].decision.looks
    assert len(after) > len(before) and repr(after[: len(before)]) == repr(before)


@pytest.mark.parametrize("parallel", [False, True])
def test_an_error_in_a_simulation_stops_its_study_only(tmp_path, expected, monkeypatch, parallel):
    right = SyntheticCell.run

    def crash(self, seed):
        if self.noise == 0.4 and self.size == 120 and seed % 3 == 0:
            raise ZeroDivisionError("in the simulation")
        return right(self, seed)

    monkeypatch.setattr(SyntheticCell, "run", crash)
    with ThreadPoolExecutor(4) as executor:
        outcomes = run(tmp_path, executor=executor if parallel else None)
    others = [row for row in decisions(outcomes) if row[0] != "curve/error"]
    statuses = {name: decision.status for name, decision, _, _ in expected}
    assert {name: decision.status for name, decision, _, _ in others} == {
        name: status for name, status in statuses.items() if name != "curve/error"
    }
    stopped = {outcome.study.id: outcome.stopped for outcome in outcomes if outcome.stopped}
    assert list(stopped) == ["curve"]
    assert re.fullmatch(r"d = 120, seed \d+: ZeroDivisionError: in the simulation", stopped["curve"])
    (curve,) = (outcome for outcome in outcomes if outcome.stopped)
    assert curve.claims[0].decision.status is Status.INCONCLUSIVE and not curve.complete
    monkeypatch.undo()
    again = run(tmp_path, resume=True)
    assert decisions(again) == expected and not any(outcome.stopped for outcome in again)


@pytest.mark.slow
def test_a_worker_that_dies_is_one_line(tmp_path):
    with pytest.raises(
        HermiteAnalyticsError, match=r"^a worker process ended unexpectedly .* resume, or use"
    ):
        run(tmp_path, studies=(study(experiment=SyntheticExperiment(stop="exit")),), workers=2)


def test_numbers_that_are_not_finite_are_inconclusive(tmp_path):
    (outcome,) = run(tmp_path, studies=(study(experiment=SyntheticExperiment(noise=float("nan"))),))
    (one,) = outcome.claims
    assert one.decision.status is Status.INCONCLUSIVE and len(one.decision.looks) == 5
    assert one.holm_p == 1.0


def test_several_exponents_must_agree(tmp_path):
    """The intercepts for q = 1 and q = 1/2 differ by more than the margin while the slope is large."""
    steep = SyntheticExperiment(slope=200.0, noise=0.05)
    one, both = (
        study(
            name,
            replace(steep, noise=noise),
            claims=(claim(rule=Limit(exponents=q), margin=Margin(relative=0.2)),),
        )
        for name, q, noise in (("one", (1.0,), 0.05), ("both", (1.0, 0.5), 0.06))
    )
    first, second = run(tmp_path, studies=(one, both))
    assert first.claims[0].decision.status is Status.PASSED
    assert second.claims[0].decision.status is Status.INCONCLUSIVE


def test_looks_are_in_the_store(tmp_path):
    outcomes = run(tmp_path)
    rows = sqlite3.connect(tmp_path / STORE_NAME).execute("SELECT claim, look, comparison FROM looks")
    stored = {(name, look): json.loads(text) for name, look, text in rows}
    for name, decision, _, _ in decisions(outcomes):
        for index, one in enumerate(decision.looks):
            assert stored[name, index]["status"] == one.status
            assert stored[name, index]["simulation"] == one.value
            assert stored[name, index]["seeds"] == [6 * 2**index, 5 * 2**index, 4 * 2**index]


def test_progress(tmp_path):
    states = []
    run(tmp_path, progress=states.append)
    assert all(isinstance(state, Progress) and state.cells <= state.planned for state in states)
    assert (states[-1].cells, states[-1].decided, states[-1].claims) == (states[-1].planned, 4, 5)
    assert np.all(np.diff([state.cells for state in states]) >= 0)


def test_a_campaign_of_nothing(tmp_path):
    assert run(tmp_path, studies=()) == ()


@pytest.mark.parametrize(
    ("studies", "message"),
    [
        ((study(), study()), "the studies ['first', 'first'] must have distinct ids"),
        (
            (study(), study("second")),
            "two of the studies ['first', 'second'] are the same experiment; make them one study",
        ),
    ],
)
def test_bad_input(studies, message):
    with pytest.raises(InputError) as error:
        Campaign(studies)
    assert str(error.value) == message
