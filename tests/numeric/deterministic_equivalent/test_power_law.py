"""Compressed power-law spectra against sums over all levels, and their tails."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest

from hermite_analytics.errors import InputError
from hermite_analytics.numeric import DeterministicEquivalent
from hermite_analytics.numeric.models.deterministic_equivalent.power_law import power_law

RESULTS = ("test_error", "bias", "variance", "train_error", "nu1", "nu2")


@pytest.mark.cases(3)
@pytest.mark.parametrize("power", [0.0, 0.3, 1.05, 2.0, 4.0, 10.0, 30.0])
def test_sums_over_levels(power):
    law = power_law(power, 2.2, 100_003)
    assert law.levels.size < 1500 and np.all(law.weights > 0)
    k = np.arange(1, 100_004.0)
    functions = (lambda y: 1 / (1 + y), lambda y: y / (1 + y) ** 2, lambda y: 1 / (1 + y) ** 2)
    for nu in (1.0, 1e-3, 1e-12):
        for function in functions:
            found, all_levels = function(nu * law.levels**power), function(nu * k**power)
            assert law.weights @ found == pytest.approx(math.fsum(all_levels), rel=4e-15)
            target = k**-2.2
            assert (law.weights * law.levels**-2.2) @ found == pytest.approx(
                math.fsum(target * all_levels), rel=4e-15
            )


@pytest.mark.parametrize(("a", "b"), [(1.5, 2.2), (1.001, 1.05), (3.0, 1.3), (60.0, 40.0)])
def test_infinite_sums(a, b):
    law = power_law(a, b, math.inf)
    trace = law.weights @ law.levels**-a + law.tail_trace
    norm = law.weights @ law.levels**-b + law.tail_coefficient
    assert trace == pytest.approx(float(mpmath.zeta(a)), rel=1e-14)
    assert norm == pytest.approx(float(mpmath.zeta(b)), rel=1e-14)
    assert law.cut**-a <= 1.0001e-60


def test_solution_is_that_of_all_levels():
    k = np.arange(1, 30_001.0)
    every = DeterministicEquivalent(k**-1.3, k**-1.9)
    short = DeterministicEquivalent.power_law(1.3, 1.9, 30_000)
    assert short.eigenvalues.size < 1000 and short.rank == every.rank == 30_000
    given = {
        "samples": [[100], [30_000]],
        "features": [50, 400, np.inf],
        "ridge": 1e-4,
        "noise": 0.1,
    }
    one, two = every.solve(**given), short.solve(**given)
    for name in RESULTS:
        assert getattr(one, name) == pytest.approx(getattr(two, name), rel=1e-11), name


def test_infinitely_many_levels_are_the_limit():
    given = {"samples": 200, "features": 400, "ridge": 0.01, "noise": 0.01}
    limit = DeterministicEquivalent.power_law(1.5, 2.2).solve(**given)
    gaps = [
        abs(DeterministicEquivalent.power_law(1.5, 2.2, n).solve(**given).test_error - limit.test_error)
        for n in (10**6, 10**8, 10**10)
    ]
    # the trace beyond N is 2 N^(-1/2)
    assert gaps[1] / gaps[0] == pytest.approx(0.1, rel=0.01)
    assert gaps[2] / gaps[1] == pytest.approx(0.1, rel=0.01)
    assert limit.numerical_error < 1e-14


def test_kernel_with_all_levels_in_closed_form():
    # sum over all k of 1/(1 + nu k^2) = (pi/sqrt(nu) coth(pi/sqrt(nu)) - 1)/2
    found = DeterministicEquivalent.power_law(2, 2).solve(samples=50, features=np.inf, ridge=0.0)
    place = math.pi / math.sqrt(found.nu2)
    assert (place / math.tanh(place) - 1) / 2 == pytest.approx(50, rel=1e-12)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((-1, 2, 10), "eigenvalue_power is -1; accepted: finite eigenvalue_power >= 0"),
        ((math.nan, 2, 10), "eigenvalue_power is nan"),
        ((1.5, math.inf, 10), "coefficient_power is inf"),
        ((1.5, 2, 0), "levels is 0; accepted: an integer >= 1, or inf"),
        ((1.5, 2, 2.5), "levels is 2.5; accepted: an integer"),
        ((1.5, 2, math.nan), "levels is nan"),
        ((1.0, 2, math.inf), "eigenvalue_power is 1 with infinitely many levels, whose trace is infinite"),
        ((1.5, 1, math.inf), "coefficient_power is 1 with infinitely many levels, whose target"),
        ((100, 2, 10**6), "eigenvalue_power is 100, for which .* accepted here: at most 48.33"),
        ((2, -200, 1000), "coefficient_power is -200, for which .* at most -96.67"),
    ],
)
def test_bad_input(arguments, message):
    with pytest.raises(InputError, match=message) as error:
        DeterministicEquivalent.power_law(*arguments)
    assert "\n" not in str(error.value)
