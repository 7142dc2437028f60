"""Each rule on numbers that can be worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from hermite_analytics.errors import InputError
from hermite_analytics.validation.statistics.clopper_pearson import lower_bound, upper_bound
from hermite_analytics.validation.statistics.decision import MAX_LOOKS, PASS_LEVEL, Status
from hermite_analytics.validation.statistics.equivalence import seeds_factor
from hermite_analytics.validation.statistics.question import Question
from hermite_analytics.validation.statistics.rules import Direction, Limit, Median, Slope, SuccessRate
from hermite_analytics.validation.statistics.rules.direction import fisher
from hermite_analytics.validation.statistics.rules.median import order_statistic_interval

P, F, U = Status.PASSED, Status.FAILED, Status.INCONCLUSIVE
LEVEL = PASS_LEVEL / MAX_LOOKS


def outcomes(successes, total):
    return np.arange(total) < successes


class TestClopperPearson:
    @pytest.mark.parametrize(("successes", "total"), [(20, 20), (38, 40), (73, 80), (1, 7), (0, 5)])
    def test_bounds_are_scipys(self, successes, total):
        exact = stats.binomtest(successes, total).proportion_ci(confidence_level=0.98, method="exact")
        assert lower_bound(successes, total, 0.01) == pytest.approx(exact.low, abs=1e-12)
        assert upper_bound(successes, total, 0.01) == pytest.approx(exact.high, abs=1e-12)

    def test_numbers_of_seeds(self):
        """At 99 %: 20 of 20 cannot show 0.8; 38 of 40 and 73 of 80 can, one less cannot."""
        assert lower_bound(20, 20, 0.01) == pytest.approx(0.794, abs=5e-4)
        assert lower_bound(38, 40, 0.01) > 0.8 > lower_bound(37, 40, 0.01)
        assert lower_bound(73, 80, 0.01) > 0.8 > lower_bound(72, 80, 0.01)


class TestSuccessRate:
    rule = SuccessRate(threshold=0.9)

    def ask(self, theory, *pairs, level=0.01):
        samples = {100 * (k + 1): outcomes(*pair).astype(float) for k, pair in enumerate(pairs)}
        question = Question(theory=theory, margin=0.2, pass_level=level, fail_level=level)
        return self.rule.compare(samples, question)

    def test_passes_where_the_bound_does(self):
        assert self.ask(1.0, (38, 40), (39, 40)).status is P
        assert self.ask(1.0, (37, 40), (39, 40)).status is U  # every size must pass
        assert self.ask(0.0, (2, 40), (1, 40)).status is P
        assert self.ask(0.0, (3, 40), (1, 40)).status is U

    def test_fails_on_the_largest_size(self):
        assert self.ask(1.0, (40, 40), (20, 40)).status is F
        assert self.ask(1.0, (10, 40), (40, 40)).status is U
        assert self.ask(0.0, (0, 40), (20, 40)).status is F

    def test_p_values_are_binomial(self):
        made = self.ask(1.0, (38, 40), (39, 40))
        assert made.p_pass == pytest.approx(stats.binom.sf(37, 40, 0.8))
        assert made.p_fail == pytest.approx(stats.binom.cdf(39, 40, 0.8))
        assert made.value == 39 / 40 and [point.count for point in made.points] == [40, 40]

    def test_power_at_forty_seeds(self):
        """One size, level 1 %: 88 % at a true rate of 0.97."""
        assert self.ask(1.0, (40, 40)).power == pytest.approx(0.88, abs=0.005)

    def test_prediction_is_a_side_of_the_threshold(self):
        assert self.rule.predicted(0.95, 0.01) == (1.0, 0.0)
        assert self.rule.predicted(0.5, 0.01) == (0.0, 0.0)
        assert math.isnan(self.rule.predicted(0.905, 0.01)[0])

    def test_a_run_without_a_result_decides_nothing(self):
        made = self.rule.compare({100: np.array([1.0] * 80 + [np.nan])}, Question(theory=1.0, margin=0.2))
        assert (made.status, made.p_pass) == (U, 1.0)

    def test_threshold(self):
        with pytest.raises(InputError, match=r"^threshold is inf; a finite number is needed$"):
            SuccessRate(threshold=math.inf)


class TestMedian:
    def test_interval_covers_as_it_should(self):
        """Exact: the rank is the largest whose binomial tail is within the level."""
        values = np.arange(1.0, 41.0)
        low, high = order_statistic_interval(values, 0.01)
        rank = int(low)
        assert stats.binom.cdf(rank - 1, 40, 0.5) <= 0.01 < stats.binom.cdf(rank, 40, 0.5)
        assert high == 41 - rank

    def test_sign_tests(self):
        values = np.array([0.0] * 3 + [1.0] * 30 + [5.0] * 3)
        question = Question(theory=1.0, margin=0.5)
        made = Median().compare({100: values}, question)
        assert made.status is P and made.value == 1.0
        assert made.p_pass == pytest.approx(stats.binom.sf(32, 36, 0.5))
        assert Median().compare({100: values}, Question(theory=3.0, margin=0.5)).status is F
        assert Median().compare({100: values[:8]}, question).status is U

    def test_every_size_must_pass_and_the_largest_one_fails(self):
        right, wrong = np.full(40, 1.0), np.full(40, 2.0)
        question = Question(theory=1.0, margin=0.5)
        assert Median().compare({100: right, 200: right}, question).status is P
        assert Median().compare({100: wrong, 200: right}, question).status is U
        assert Median().compare({100: right, 200: wrong}, question).status is F

    def test_one_sided(self):
        values = np.full(40, 2.0)
        assert (
            Median().compare({9: values}, Question(theory=1.0, margin=0.5, relation="at_least")).status is P
        )
        assert Median().compare({9: values}, Question(theory=1.0, margin=0.5, relation="at_most")).status is F

    def test_not_finite(self):
        values = np.array([1.0] * 50 + [np.inf])
        assert Median().compare({9: values}, Question(theory=1.0, margin=0.5)).status is U


class TestSlope:
    def test_a_power_law_is_found(self):
        random = np.random.default_rng(0)
        samples = {d: 3 * d**-0.5 * np.exp(0.05 * random.standard_normal(20)) for d in (100, 200, 400)}
        made = Slope().compare(samples, Question(theory=-0.5, margin=0.1))
        fit = made.fits[0]
        assert made.status is P and made.value == pytest.approx(-0.5, abs=4 * made.stderr)
        assert fit.prefactor == pytest.approx(3, rel=0.2)
        assert [point.value for point in made.points] == pytest.approx([0.3, 0.212, 0.15], rel=0.05)

    def test_it_is_weighted_least_squares_of_logarithms(self):
        random = np.random.default_rng(1)
        samples = {
            d: d**2 * np.exp(s * random.standard_normal(9)) for d, s in ((10, 0.1), (20, 0.3), (40, 0.9))
        }
        made = Slope().compare(samples, Question(theory=2.0, margin=0.1))
        logs = {d: np.log(values) for d, values in samples.items()}
        weights = [1 / np.sqrt(v.var(ddof=1) / v.size) for v in logs.values()]
        slope = np.polyfit(np.log(list(logs)), [v.mean() for v in logs.values()], 1, w=weights)[0]
        assert made.value == pytest.approx(slope, rel=1e-9)

    def test_what_has_no_logarithm_decides_nothing(self):
        samples = {10: np.array([1.0, 2.0]), 40: np.array([1.0, 0.0])}
        assert Slope().compare(samples, Question(theory=0.0, margin=0.1)).status is U

    def test_a_short_range_is_refused(self):
        assert Slope().fault((100, 200, 400)) == ""
        assert Slope().fault((100, 200)) == (
            "the rule 'slope' needs sizes over a factor of 4 or more, not (100, 200)"
        )


class TestDirection:
    def samples(self, signal, *, size=200, seeds=16, controls=100):
        random = np.random.default_rng(size)
        values = random.chisquare(1, (seeds, 1 + controls)) / size
        if signal is not None:
            values[:, 0] = signal
        return values

    def ask(self, theory, one, two):
        return Direction().compare({200: one, 400: two}, Question(theory=theory, margin=0.5))

    def test_learned(self):
        learned = self.samples(0.2), self.samples(0.2, size=400)
        assert self.ask(1.0, *learned).status is P and self.ask(0.0, *learned).status is F

    def test_not_learned(self):
        null = self.samples(1 / 200), self.samples(1 / 400, size=400)
        assert self.ask(0.0, *null).status is P and self.ask(1.0, *null).status is F

    def test_in_between_is_open(self):
        """A signal of 7/d is neither."""
        between = self.samples(7 / 200), self.samples(7 / 400, size=400)
        assert self.ask(0.0, *between).status is U and self.ask(1.0, *between).status is U

    def test_large_but_not_above_its_controls_is_open(self):
        one, two = (0.2 + 0 * self.samples(None, size=d) for d in (200, 400))
        assert self.ask(1.0, one, two).status is U

    def test_fisher_by_scipy(self):
        values = self.samples(None)
        p = [(1 + np.sum(row[1:] >= row[0])) / len(row) for row in values]
        assert fisher(values) == pytest.approx(stats.combine_pvalues(p, method="fisher").pvalue)

    def test_prediction_is_one_or_zero(self):
        assert Direction().predicted(1.0, 0.0) == (1.0, 0.0)
        assert math.isnan(Direction().predicted(0.7, 0.0)[0])

    def test_controls_are_needed(self):
        with pytest.raises(InputError) as error:
            Direction().compare({10: np.ones((4, 1))}, Question(theory=1.0, margin=0.5))
        assert str(error.value) == (
            "the rule 'direction' needs an array of the signal and at least one control a seed, "
            "not the shape (1,)"
        )


class TestLimit:
    def test_logarithms_are_taken_back_for_reading(self):
        random = np.random.default_rng(2)
        samples = {d: 5 * np.exp(0.1 * random.standard_normal(60)) for d in (100, 160, 240)}
        made = Limit(scale="log").compare(samples, Question(theory=5.0, margin=1.0))
        assert made.status is P and (made.theory, made.margin) == (5.0, 1.0)
        assert made.value == pytest.approx(5, rel=0.1) and made.low < made.value < made.high
        assert made.points[0].value == pytest.approx(stats.gmean(samples[100]))
        assert not made.fits[0].pooled

    def test_a_number_without_a_logarithm_decides_nothing(self):
        samples = {d: np.array([1.0, 2.0, -1.0]) for d in (100, 160, 240)}
        assert Limit(scale="log").compare(samples, Question(theory=1.0, margin=0.5)).status is U
        assert math.isnan(Limit(scale="log").predicted(-1.0, 0.0)[0])

    def test_power_and_the_seeds_that_it_needs(self):
        """Power at the truth by simulation of the t-test; the factor makes it 90 %."""
        random = np.random.default_rng(3)
        samples = {d: 1 + random.standard_normal(40) / np.sqrt(d) for d in (100, 160, 240)}
        made = Limit().compare(samples, Question(theory=1.0, margin=0.08))
        fit = made.fits[0]
        draws = fit.stderr * random.standard_normal(200_000)
        half = fit.stderr * stats.t.ppf(1 - LEVEL, fit.df)
        assert made.power == pytest.approx(np.mean(np.abs(draws) + half < 0.08), abs=0.01)
        factor = seeds_factor(made)
        smaller = fit.stderr / math.sqrt(factor)
        room = 0.08 / smaller - stats.t.ppf(1 - LEVEL, fit.df)
        assert 2 * stats.t.cdf(room, fit.df) - 1 == pytest.approx(0.9)
