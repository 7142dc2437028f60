"""Wrong formulas, by hand; `test_suites.py` asks whether claims can tell them from the right ones."""

import math
from pathlib import Path

import numpy as np
import pytest

import hermite_analytics as ha
from hermite_analytics.errors import InputError
from hermite_analytics.validation import read_suite
from hermite_analytics.validation.experiments.mutants import (
    MUTANTS,
    Spike,
    mutate_overlaps,
    mutate_ridge,
    mutate_spike,
)

GIANT_STEP = Path(__file__).parents[2] / "validation" / "suites" / "families" / "giant_step.toml"
SPIKE = Spike(r=2.0, c=1.3, gamma=0.8)
ERF = ha.Activation("erf(z/sqrt(2))")


@pytest.mark.parametrize(
    ("mutant", "spike"),
    [
        (None, SPIKE),
        ("zeta-dropped", SPIKE),
        ("ridge-doubled", SPIKE),
        ("c-extra-mu1-squared", Spike(r=2.0, c=1 + 0.3 / math.pi, gamma=0.8)),  # E erf'(z/sqrt 2) = 1/sqrt pi
        ("p-over-d", Spike(r=0.5, c=1 + 0.3 / 16, gamma=0.8)),
        ("gamma-one", Spike(r=2.0, c=1.3, gamma=1.0)),
    ],
)
def test_mutants_of_the_map(mutant, spike):
    made = mutate_spike(SPIKE, mutant, activation=ERF, beta=0.5)
    assert (made.r, made.c, made.gamma) == pytest.approx((spike.r, spike.c, spike.gamma), rel=1e-10)


def test_mutants_that_act_later():
    overlaps = {"m": np.array([1.0, 2.0]), "zeta": np.array([0.1, 0.2])}
    assert np.array_equal(mutate_overlaps(overlaps, "zeta-dropped")["zeta"], [0, 0])
    assert np.array_equal(mutate_overlaps(overlaps, "zeta-dropped")["m"], [1, 2])
    assert np.array_equal(mutate_overlaps(overlaps, None)["zeta"], [0.1, 0.2])
    assert (mutate_ridge(0.3, "ridge-doubled"), mutate_ridge(0.3, "p-over-d")) == (0.6, 0.3)


def test_unknown_mutant():
    message = (
        "'two' is not a mutant; accepted are bias-dropped, c-extra-mu1-squared, gamma-one, isotropic-rows, "
        "one-letter, output-dropped, p-over-d, ridge-doubled, zeta-dropped"
    )
    for act in (
        lambda: mutate_spike(SPIKE, "two", activation=ERF, beta=1.0),
        lambda: mutate_overlaps({}, "two"),
        lambda: mutate_ridge(1.0, "two"),
    ):
        with pytest.raises(InputError) as error:
            act()
        assert str(error.value) == message


def test_claims_of_the_giant_step_name_every_mutant():
    claims = [claim for study in read_suite(GIANT_STEP).studies for claim in study.claims]
    # A bound has no wrong formula here; every other claim has one.
    assert all(claim.mutants or claim.prediction.endswith("bound") for claim in claims)
    assert {name for claim in claims for name in claim.mutants} <= set(MUTANTS)
