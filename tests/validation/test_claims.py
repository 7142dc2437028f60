"""Claims, studies and suites: what is measured, what is compared, and what is refused."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from hermite_analytics.errors import InputError
from hermite_analytics.validation.claims import Prediction
from hermite_analytics.validation.decision import Margin
from hermite_analytics.validation.study_run import StudyRun, first_seed
from tests.validation import synthetic

SCALAR = Prediction(values={"error": np.array(2.0), "bound": np.array(3.0)}, errors={"error": 0.1})
CURVE = Prediction(values={"error": np.array([2.0, 4.0])}, errors={"error": 0.4})


def test_the_number_itself():
    claim = synthetic.claim()
    assert claim.theory(SCALAR) == 2 and claim.numerical_error(SCALAR) == 0.1
    assert claim.measure({"error": 2.5}, SCALAR) == 2.5
    assert np.isnan(claim.measure({"error": None}, SCALAR))
    assert claim.observable_text == "error"


def test_offset_is_taken_from_both():
    claim = synthetic.claim(offset=1.0)
    assert (claim.theory(SCALAR), claim.measure({"error": 2.5}, SCALAR)) == (1, 1.5)
    assert claim.observable_text == "error - 1"


def test_another_number_of_the_theory():
    claim = synthetic.claim(prediction="bound")
    assert claim.theory(SCALAR) == 3 and claim.numerical_error(SCALAR) == 0
    assert claim.observable_text == "error with bound"


def test_mean_ratio_over_the_curve():
    claim = synthetic.claim(reduction="mean-ratio")
    assert claim.theory(CURVE) == 1
    assert claim.measure({"error": [2.2, 4.8]}, CURVE) == pytest.approx((1.1 + 1.2) / 2)
    assert claim.numerical_error(CURVE) == pytest.approx((0.2 + 0.1) / 2)
    wrong = Prediction(values={"error": np.array([3.0, 4.0])}, errors={})
    assert claim.theory(wrong, CURVE) == pytest.approx(1.25)
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
            "claim 'error': error has 2 values along the curve; the reduction 'mean-ratio' makes one of them",
        ),
        (
            lambda: synthetic.claim(id="a b"),
            "claim id 'a b': letters, digits, '.', '_' and '-' are accepted",
        ),
        (lambda: synthetic.study(""), "study id '': letters, digits, '.', '_' and '-' are accepted"),
        (lambda: synthetic.claim(source=" "), "claim 'error': source is empty; a text is needed"),
        (lambda: synthetic.claim(argument=""), "claim 'error': argument is empty; a text is needed"),
        (lambda: synthetic.claim(exponents=()), "claim 'error': exponents () must be numbers > 0"),
        (
            lambda: synthetic.claim(exponents=(1.0, -0.5)),
            "claim 'error': exponents (1.0, -0.5) must be numbers > 0",
        ),
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
            lambda: StudyRun.start(synthetic.study(experiment=synthetic.SyntheticExperiment(theory=(0.0,)))),
            "claim 'first/error': the margin is 0.05 of a prediction that is 0; an absolute margin is needed",
        ),
        (
            lambda: StudyRun.start(
                synthetic.study(experiment=synthetic.SyntheticExperiment(theory=(float("nan"),)))
            ),
            "claim 'first/error': the theory gives nan; a finite prediction is needed",
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
    assert StudyRun.start(study).margin(study.claims[0]) == 0.1


def test_seeds_of_a_look_contain_those_of_the_look_before():
    run = StudyRun.start(synthetic.study())
    for size, count in zip((50, 80, 120), (6, 5, 4), strict=True):
        looks = [run.seeds(size, look) for look in range(4)]
        assert [len(seeds) for seeds in looks] == [count, 2 * count, 4 * count, 8 * count]
        assert all(later[: len(seeds)] == seeds for seeds, later in itertools.pairwise(looks))


def test_seeds_of_different_experiments_and_sizes_are_apart():
    one, other = synthetic.SyntheticExperiment(), replace(synthetic.SyntheticExperiment(), noise=0.4)
    starts = [first_seed(experiment.identity, size) for experiment in (one, other) for size in (50, 80)]
    gaps = np.diff(sorted(starts))
    assert gaps.min() > 1000 and min(starts) >= 0 and max(starts) < 2**32 - 10**6
