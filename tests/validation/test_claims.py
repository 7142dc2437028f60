"""Claims, studies and suites: what is measured, what is compared, and what is refused."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from hermite_analytics.errors import InputError
from hermite_analytics.validation.campaign.seeds import first_seed, seed_blocks
from hermite_analytics.validation.campaign.study_run import StudyRun, Theory
from hermite_analytics.validation.experiments.experiment import Prediction
from hermite_analytics.validation.statistics.decision import Margin
from hermite_analytics.validation.statistics.rules import Direction, Limit, Slope, SuccessRate
from tests.validation import synthetic

SCALAR = Prediction(values={"error": np.array(2.0), "bound": np.array(3.0)}, errors={"error": 0.1})
CURVE = Prediction(values={"error": np.array([2.0, 4.0])}, errors={"error": 0.4})


def start(study):
    """A run of the study without cells."""
    blocks = seed_blocks([study])
    return StudyRun.start(study, Theory.of(study), {size: blocks[study.id, size] for size in study.sizes})


def test_the_number_itself():
    claim = synthetic.claim()
    assert claim.theory(SCALAR) == (2, 0.1)
    assert claim.measure({"error": 2.5}, SCALAR) == 2.5
    assert np.isnan(claim.measure({"error": None}, SCALAR))
    assert claim.observable_text == "error"


def test_offset_is_taken_from_both():
    claim = synthetic.claim(offset=1.0)
    assert (claim.theory(SCALAR)[0], claim.measure({"error": 2.5}, SCALAR)) == (1, 1.5)
    assert claim.observable_text == "error - 1"


def test_another_number_of_the_theory():
    claim = synthetic.claim(prediction="bound")
    assert claim.theory(SCALAR) == (3, 0)
    assert claim.observable_text == "error with bound"


def test_mean_ratio_over_the_curve():
    claim = synthetic.claim(reduction="mean-ratio")
    assert claim.measure({"error": [2.2, 4.8]}, CURVE) == pytest.approx((1.1 + 1.2) / 2)
    assert claim.theory(CURVE) == (1, pytest.approx((0.2 + 0.1) / 2))
    wrong = Prediction(values={"error": np.array([3.0, 4.0])}, errors={})
    assert claim.theory(wrong, CURVE)[0] == pytest.approx(1.25)
    assert claim.observable_text == "mean over the curve of error, simulated over predicted"
    bound = synthetic.claim(reduction="mean-ratio", prediction="bound")
    assert bound.observable_text == "mean over the curve of error, simulated over bound"


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (
            lambda: synthetic.claim(observable="risk").measure({"error": 1.0, "r": 2.0}, SCALAR),
            "claim 'error': the experiment measures error, r, not 'risk'",
        ),
        (
            lambda: synthetic.claim(prediction="risk").theory(SCALAR),
            "claim 'error': the theory has error, bound, not 'risk'",
        ),
        (
            lambda: synthetic.claim().theory(CURVE),
            "claim 'error': error has 2 values along the curve; the reductions 'mean', 'mean-ratio' and "
            "'log-slope' make one of them",
        ),
        (
            lambda: synthetic.claim(id="a b"),
            "claim id 'a b': letters, digits, '.', '_' and '-' are accepted",
        ),
        (lambda: synthetic.study(""), "study id '': letters, digits, '.', '_' and '-' are accepted"),
        (lambda: synthetic.claim(source=" "), "claim 'error': source is empty; a text is needed"),
        (lambda: synthetic.claim(argument=""), "claim 'error': argument is empty; a text is needed"),
        (lambda: Limit(exponents=()), "exponents () must be numbers > 0"),
        (lambda: Limit(exponents=(1.0, -0.5)), "exponents (1.0, -0.5) must be numbers > 0"),
        (
            lambda: synthetic.study(sizes=(50,), seeds=(4,)),
            "study 'first': sizes (50,) must be at least two distinct integers > 0",
        ),
        (
            lambda: synthetic.study(sizes=(50, 50), seeds=(4, 4)),
            "study 'first': sizes (50, 50) must be at least two distinct integers > 0",
        ),
        (
            lambda: synthetic.study(seeds=(4, 1, 4)),
            "study 'first': seeds (4, 1, 4) must be one integer >= 2 for each size",
        ),
        (lambda: synthetic.study(looks=6), "study 'first': looks is 6; 1 to 5 is accepted"),
        (lambda: synthetic.study(claims=()), "study 'first' has no claim"),
        (
            lambda: synthetic.study(claims=(synthetic.claim(), synthetic.claim())),
            "study 'first': claim 'error' occurs more than once",
        ),
        (
            lambda: synthetic.suite(synthetic.study(), synthetic.study()),
            "suite 'synthetic': study 'first' occurs more than once",
        ),
        (
            lambda: start(synthetic.study(experiment=synthetic.SyntheticExperiment(theory=(0.0,)))),
            "claim 'first/error': the margin is 0.05 of a prediction that is 0; an absolute margin is needed",
        ),
        (
            lambda: start(synthetic.study(experiment=synthetic.SyntheticExperiment(theory=(float("nan"),)))),
            "claim 'first/error': the theory gives nan for the rule 'limit'; a finite prediction is needed",
        ),
    ],
)
def test_bad_input(act, message):
    with pytest.raises(InputError) as error:
        act()
    assert str(error.value) == message


def test_an_absolute_margin_serves_a_prediction_of_zero():
    study = synthetic.study(
        experiment=synthetic.SyntheticExperiment(truth=(0.0,), theory=(0.0,)),
        claims=(synthetic.claim(margin=Margin(absolute=0.1)),),
    )
    assert start(study).margin(study.claims[0]) == 0.1


def test_seeds_of_a_look_contain_those_of_the_look_before():
    run = start(synthetic.study())
    for size, count in zip((50, 80, 120), (6, 5, 4), strict=True):
        looks = [run.seeds(size, look) for look in range(4)]
        assert [len(seeds) for seeds in looks] == [count, 2 * count, 4 * count, 8 * count]
        assert all(later[: len(seeds)] == seeds for seeds, later in itertools.pairwise(looks))


def test_seeds_of_different_experiments_and_sizes_are_apart():
    one, other = synthetic.SyntheticExperiment(), replace(synthetic.SyntheticExperiment(), noise=0.4)
    starts = [first_seed(experiment.identity, size) for experiment in (one, other) for size in (50, 80)]
    gaps = np.diff(sorted(starts))
    assert gaps.min() > 1000 and min(starts) >= 0 and max(starts) < 2**32 - 10**6


def test_mean_over_the_curve():
    claim = synthetic.claim(reduction="mean")
    assert claim.theory(CURVE) == (3, 0.4)
    assert claim.measure({"error": [2.0, 6.0]}, CURVE) == 4
    assert claim.observable_text == "mean over the curve of error"


def test_logarithmic_slope_along_the_curve():
    """y = 5 x^-2 at x = 1, 2, 4; by numpy's polynomial fit for values that are no power."""
    claim = synthetic.claim(reduction="log-slope")
    abscissa = (1.0, 2.0, 4.0)
    law = Prediction(values={"error": 5 * np.array(abscissa) ** -2.0}, errors={"error": 0.01})
    theory, error = claim.theory(law, abscissa=abscissa)
    assert theory == pytest.approx(-2)
    values = np.array([3.0, 1.0, 0.4])
    slope = np.polyfit(np.log(abscissa), np.log(values), 1)[0]
    assert claim.measure({"error": values}, law, abscissa=abscissa) == pytest.approx(slope)
    assert np.isnan(claim.measure({"error": [1.0, -1.0, 1.0]}, law, abscissa=abscissa))
    # The bound holds for the worst change of each value by 0.01.
    shifted = [
        claim.measure({"error": law.values["error"] + 0.01 * np.array(signs)}, law, abscissa=abscissa)
        for signs in itertools.product((-1, 1), repeat=3)
    ]
    assert max(abs(value - theory) for value in shifted) <= error < 0.1
    exponent = synthetic.claim(reduction="log-slope", prediction="exponent")
    number = Prediction(values={"exponent": np.array(-2.0)}, errors={"exponent": 1e-3})
    assert exponent.theory(number, abscissa=abscissa) == (-2, 1e-3)


def test_an_expected_number_stands_for_the_theory():
    claim = synthetic.claim(expected=-1.0, mutants=(), rule=Slope())
    assert claim.theory(SCALAR) == (-1, 0) and claim.observable_text == "exponent of d in error"


def test_rules_take_the_prediction_their_way():
    rate = synthetic.claim(rule=SuccessRate(threshold=1.0), margin=None)
    assert rate.theory(SCALAR) == (1, 0) and rate.observable_text == "fraction of runs with large error"
    direction = synthetic.claim(rule=Direction(), margin=None, prediction="learned")
    learned = Prediction(values={"learned": np.array(1.0)}, errors={})
    assert direction.theory(learned) == (1, 0)
    assert direction.measure({"error": [0.5, 0.1, 0.2]}, learned).tolist() == [0.5, 0.1, 0.2]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"margin": None}, "claim 'error': the rule 'limit' needs a margin"),
        (
            {"rule": Direction()},
            "claim 'error': the rule 'direction' takes no margin",
        ),
        (
            {"rule": Direction(), "margin": None, "reduction": "mean"},
            "claim 'error': the rule 'direction' takes no reduction",
        ),
        (
            {"rule": SuccessRate(threshold=1.0), "relation": "at_most"},
            "claim 'error': the rule 'success-rate' accepts the relation 'equal', not 'at_most'",
        ),
        ({"expected": 1.0}, "claim 'error': expected and mutants exclude each other"),
        (
            {"expected": 1.0, "mutants": (), "offset": 1.0},
            "claim 'error': expected and offset exclude each other",
        ),
        (
            {"expected": 1.0, "mutants": (), "reduction": "mean-ratio"},
            "claim 'error': 'mean-ratio' divides by the theory; expected replaces it",
        ),
        (
            {"expected": float("inf"), "mutants": ()},
            "claim 'error': expected is inf; a finite number is needed",
        ),
    ],
)
def test_contradictions(changes, message):
    with pytest.raises(InputError) as error:
        synthetic.claim(**changes)
    assert str(error.value) == message


def test_a_curve_is_needed_for_a_slope():
    with pytest.raises(
        InputError, match=r"^claim 'error': 'log-slope' needs a curve of at least two values$"
    ):
        synthetic.claim(reduction="log-slope").measure({"error": 1.0}, SCALAR)


def test_sizes_must_suit_the_rule():
    with pytest.raises(InputError) as error:
        synthetic.study(claims=(synthetic.claim(rule=Slope()),))
    assert str(error.value) == (
        "study 'first', claim 'error': the rule 'slope' needs sizes over a factor of 4 or more, "
        "not (50, 80, 120)"
    )


def test_a_prediction_on_the_threshold_is_refused():
    study = synthetic.study(
        claims=(synthetic.claim(rule=SuccessRate(threshold=2.0), margin=None, mutants=()),)
    )
    with pytest.raises(
        InputError, match=r"^claim 'first/error': the theory gives nan for the rule 'success-rate'"
    ):
        start(study)


def test_blocks_of_seeds_never_meet(monkeypatch):
    """A space of 40 000 seeds for blocks of 96, 80 and 64: hashes alone would meet."""
    monkeypatch.setattr("hermite_analytics.validation.campaign.seeds._SEEDS", 40_000)
    studies = [
        synthetic.study(f"s{k}", replace(synthetic.SyntheticExperiment(), noise=0.1 + k / 100))
        for k in range(40)
    ]
    blocks = seed_blocks(studies)
    taken = sorted(
        (blocks[s.id, d], blocks[s.id, d] + 16 * n)
        for s in studies
        for d, n in zip(s.sizes, s.seeds, strict=True)
    )
    assert len(taken) == 120
    assert all(end <= start for (_, end), (start, _) in itertools.pairwise(taken))
    plain = sorted(first_seed(s.experiment.identity, d) for s in studies for d in s.sizes)
    assert min(np.diff(plain)) < 64  # otherwise this test would show nothing
