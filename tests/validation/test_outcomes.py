"""What a campaign concludes: Holm over the claims, and margins against mutants."""

from dataclasses import replace

import pytest

from hermite_analytics.validation.campaign.outcomes import conclude
from hermite_analytics.validation.campaign.study_run import StudyRun, Theory
from hermite_analytics.validation.campaign.workers import run_cells
from hermite_analytics.validation.statistics.decision import Margin, Status
from tests.validation.synthetic import SyntheticExperiment, claim, study


def looked_once(name, noise, *claims):
    """A run with the cells of its first look."""
    one = study(name, SyntheticExperiment(noise=noise), claims=claims or (claim(),))
    run = StudyRun.start(one, Theory.of(one), dict.fromkeys(one.sizes, 7))
    for size in run.study.sizes:
        cells = run_cells(run.study.experiment.cell(size), run.seeds(size, 0))
        run.results[size].update({cell.seed: cell for cell in cells})
    for one in run.study.claims:
        run.comparisons[one.id].append(run.compare(one, 0))
    return run


def given(run, status, p_pass, p_fail):
    comparison = run.comparisons["error"][0]
    run.comparisons["error"] = [replace(comparison, status=status, p_pass=p_pass, p_fail=p_fail)]
    return run


def test_holm_may_fail_what_bonferroni_left_open():
    """Corrected for five looks: 0.0025, 0.004, 1; Holm over three claims: 0.0075, 0.008, 1."""
    runs = [
        given(looked_once(name, noise), Status.INCONCLUSIVE, 1.0, p)
        for name, noise, p in (("one", 0.31, 0.0005), ("two", 0.32, 0.0008), ("three", 0.33, 0.5))
    ]
    statuses = [outcome.claims[0].decision.status for outcome in conclude(runs)]
    assert statuses == [Status.FAILED, Status.FAILED, Status.INCONCLUSIVE]
    alone = conclude(runs[1:])  # two claims: 0.008 and 1
    assert [outcome.claims[0].decision.status for outcome in alone] == [Status.FAILED, Status.INCONCLUSIVE]


def test_holm_does_not_revise_a_pass():
    runs = [
        given(looked_once(name, noise), Status.PASSED, p, 1.0)
        for name, noise, p in (("one", 0.31, 0.0005), ("two", 0.32, 0.0019), ("three", 0.33, 0.0001))
    ]
    claims = [outcome.claims[0] for outcome in conclude(runs)]
    assert [one.decision.status for one in claims] == [Status.PASSED] * 3
    assert [one.holm_p for one in claims] == pytest.approx([2 * 0.0025, 0.0095, 3 * 0.0005])


def test_a_margin_beyond_half_of_the_effect_is_marked():
    """The mutant predicts 3 for 2: margins up to 0.5 discriminate."""
    run = looked_once(
        "one",
        0.3,
        claim(id="fine", margin=Margin(absolute=0.5)),
        claim(id="wide", margin=Margin(absolute=0.51)),
        claim(id="none", mutants=()),
    )
    (outcome,) = conclude([run])
    assert [one.discriminating for one in outcome.claims] == [True, False, None]
    assert outcome.claims[2].mutants == ()


def test_samples_and_seconds():
    run = looked_once("one", 0.3)
    (outcome,) = conclude([run])
    assert outcome.samples["error", 50].shape == (6,) and outcome.samples["error", 120].shape == (4,)
    assert outcome.seconds == run.seconds() >= 0
    assert outcome.claims[0].decision.looks[0].points[0].value == pytest.approx(
        outcome.samples["error", 50].mean()
    )
