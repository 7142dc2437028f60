"""A bias of all neurons, fixed or learned."""

from __future__ import annotations

import numpy as np
import pytest

from hermite_analytics import Activation, Target
from hermite_analytics.errors import InputError
from hermite_analytics.numeric import SpikedRandomFeatures

TANH, SIN = Activation("tanh(z)"), Target("sin(z1)")
RELU, BENT = Activation("relu(z)"), Target("z1 + He2(z1)")
SPIKE = {"r": 1.15211, "c": 1.029945, "gamma": 0.956625}
RATIOS = {"alpha": 2, "beta": 1, "ridge": 0.1}


def test_reference_numbers():
    found = SpikedRandomFeatures(TANH, SIN, bias=0.7).solve(**SPIKE, **RATIOS)
    assert found.test_error == pytest.approx(0.163270, abs=1e-6)
    assert found.train_error == pytest.approx(0.064393, abs=1e-6)


@pytest.mark.slow
@pytest.mark.arrays
def test_bias_is_a_shift_of_the_activation():
    shifted = SpikedRandomFeatures(Activation("tanh(z + 7/10)"), SIN).solve(**SPIKE, **RATIOS)
    biased = SpikedRandomFeatures(TANH, SIN, bias=0.7).solve(**SPIKE, **RATIOS)
    assert biased.test_error == pytest.approx(shifted.test_error, rel=1e-11)
    kinked = SpikedRandomFeatures(Activation("relu(z - 3/10)"), BENT).solve(**SPIKE, **RATIOS)
    other = SpikedRandomFeatures(RELU, BENT, bias=-0.3).solve(**SPIKE, **RATIOS)
    assert other.test_error == pytest.approx(kinked.test_error, rel=1e-10)


def objective(model: SpikedRandomFeatures) -> float:
    """Mean squared error and penalty of a sample: what the readout minimises."""
    found = model.solve(**SPIKE, **RATIOS)
    share = RATIOS["ridge"] * RATIOS["beta"] / RATIOS["alpha"]
    return float(found.train_error + share * np.sum(found.overlaps["q2"]))


@pytest.mark.slow
def test_learned_bias_is_stationary_and_the_lowest():
    found = SpikedRandomFeatures(RELU, BENT, bias="learned").solve(**SPIKE, **RATIOS)
    best = found.extra["bias"]
    lowest = objective(SpikedRandomFeatures(RELU, BENT, bias=best))
    assert lowest == pytest.approx(found.alternatives[0][0]["objective"], rel=1e-9)
    scan = [objective(SpikedRandomFeatures(RELU, BENT, bias=b)) for b in np.linspace(-4, 4, 17)]
    assert lowest <= min(scan)
    near = [objective(SpikedRandomFeatures(RELU, BENT, bias=best + h)) for h in (-1e-3, 1e-3)]
    assert min(near) >= lowest and abs(near[0] - near[1]) < 1e-7
    row = found.to_dict()["results"][0]
    assert row["bias"] == best and row["alternatives"][0]["bias"] == best


def test_learned_bias_of_odd_functions():
    # the objective is even in the bias: 0 for tanh/sin
    found = SpikedRandomFeatures(TANH, SIN, bias="learned").solve(**SPIKE, **RATIOS)
    assert found.extra["bias"] == pytest.approx(0.0, abs=1e-6)
    assert found.status == "converged"


@pytest.mark.slow
def test_all_minima_are_reported():
    # an even activation and an odd target: two biases of opposite sign do equally well
    model = SpikedRandomFeatures(Activation("cos(2*z)"), SIN, bias="learned")
    found = model.solve(**SPIKE, **RATIOS)
    places = [entry["bias"] for entry in found.alternatives[0]]
    assert len(places) > 1 and places == sorted(places)
    lowest = min(entry["objective"] for entry in found.alternatives[0])
    best = [e for e in found.alternatives[0] if e["objective"] < lowest * (1 + 1e-9)]
    assert len(best) >= 2 and len({round(e["test_error"], 9) for e in best}) == 1
    assert found.status == "converged"  # equal minima of equal error are one answer


@pytest.mark.slow
def test_bias_that_runs_away_is_infinite():
    # the target is linear: with a growing bias relu becomes linear on the data
    found = SpikedRandomFeatures(RELU, Target("z1"), bias="learned").solve(
        **SPIKE, **(RATIOS | {"alpha": 50})
    )
    assert found.status == "infinite" and np.isnan(found.test_error) and np.isnan(found.extra["bias"])


def test_bad_bias():
    with pytest.raises(InputError, match="bias is 'some'"):
        SpikedRandomFeatures(TANH, SIN, bias="some")
    with pytest.raises(InputError, match="exclude each other"):
        SpikedRandomFeatures(TANH, SIN, bias="learned").solve(**SPIKE, **(RATIOS | {"ridge": "optimal"}))
