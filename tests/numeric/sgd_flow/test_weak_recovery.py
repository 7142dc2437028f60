"""Orders with their proofs, signs and rates."""

from __future__ import annotations

import math

import pytest

from hermite_analytics.numeric import SGDFlow

PHI0 = 1 / math.sqrt(2 * math.pi)


@pytest.mark.cases(4)
@pytest.mark.parametrize(
    ("activation", "target", "order", "samples", "share"),
    [
        ("relu", "sin(z1)", 1, "d", 1.0),
        ("relu", "-z1", 1, "d", 1.0),
        ("relu", "He2(z1)", 2, "d log d", 1.0),
        ("relu", "-He2(z1)", 2, "not learned", 0.0),
        ("tanh", "He3(z1)", 3, "d^2", 0.5),
        ("relu", "He4(z1)", 4, "not learned", 0.0),
        ("relu", "-He4(z1)", 4, "d^3", 1.0),
        ("tanh", "He2(z1) + He5(z1)", 5, "d^4", 0.5),  # an odd activation does not see the even part
        ("relu", "He3(z1)", "inf", "not learned", 0.0),  # mu_3(relu) = 0
    ],
)
def test_orders_of_plain_sgd(activation, target, order, samples, share):
    found = SGDFlow(activation, target).weak_recovery()
    assert (found.order.value, found.samples, found.learning_share) == (order, samples, share)
    assert str(found.order.evidence) in ("exact", "proved")
    if order != "inf":
        assert found.rate_power == -max(order - 2, 0) / 2


def test_coefficient_and_critical_rate():
    found = SGDFlow("relu", "He2(z1)").weak_recovery()
    assert found.coefficient == pytest.approx(2 * PHI0, rel=1e-10)
    assert found.critical_rate == pytest.approx(2 * 2 * PHI0 / 1.0, rel=1e-9)  # E F^2 = 2 * 1/2
    below = SGDFlow("relu", "He2(z1)").solve(rate=0.9 * found.critical_rate, overlap=1e-3, times=5)
    above = SGDFlow("relu", "He2(z1)").solve(rate=1.1 * found.critical_rate, overlap=1e-3, times=5)
    assert below.overlap > 1e-3 > above.overlap > 0


@pytest.mark.cases(1)
@pytest.mark.parametrize(
    ("target", "kappa", "order", "coefficient"),
    [
        ("He3(z1)", 0.1, 1, -0.118646),
        ("He3(z1)", -0.1, 1, -0.118646),
        ("He4(z1)", 0.1, 2, 0.084965),
        ("He4(z1)", -0.1, 2, -0.916596),
        ("He2(z1)", 1.0, 2, 0.747390),
    ],
)
def test_orders_with_reuse(target, kappa, order, coefficient):
    found = SGDFlow("relu", target, reuse=kappa).weak_recovery()
    assert found.order.value == order and str(found.order.evidence) == "proved"
    assert found.coefficient == pytest.approx(coefficient, abs=2e-6)
    repelled = order == 2 and coefficient < 0
    assert found.samples == ("not learned" if repelled else {1: "d", 2: "d log d"}[order])


def test_the_readout_counts_in_the_order():
    """F = a y sigma'(h + kappa a y sigma'(h)): C_k is a times that of the look-ahead kappa a."""
    found = SGDFlow("relu", "He3(z1)", reuse=0.2, readout=[-0.5]).weak_recovery()
    assert (found.order.value, str(found.order.evidence)) == (1, "proved")
    assert found.coefficient == pytest.approx(0.118646 / 2, abs=1e-6)
    assert found.reason.startswith("the drift at 0 points to positive") and "0.0593" in found.order.reason
    still = SGDFlow("relu", "He2(z1)", readout=[0.0]).weak_recovery()
    assert still.samples == "not learned" and still.reason == "the readout is 0: C_k = 0 for all k >= 1"


def test_coefficients_with_steep_look_aheads():
    """The drift at 0 is C_1; a coarse rule was 4e-5 off."""
    flow = SGDFlow("tanh", "He3(z1)", loss="square", reuse=0.3, readout=[2.0])
    assert flow.drift_coefficient(1) == pytest.approx(flow.drift(0.0), abs=1e-9)


@pytest.mark.slow
def test_reuse_stops_at_the_generative_exponent():
    """z^2 exp(-z^2) has generative exponent 4: E[He_k(z) | y] = 0 below, whatever is done to the label."""
    found = SGDFlow("tanh", "z1**2*exp(-z1**2)", reuse=0.3).weak_recovery(seconds=4)
    assert found.order.at_least >= 4


def test_document():
    document = SGDFlow("relu", "He2(z1)").weak_recovery().to_dict()
    assert document["samples"] == "d log d" and document["order"]["value"] == 2
    assert SGDFlow("relu", "z1").weak_recovery().to_dict()["critical_rate"] == "inf"
    assert SGDFlow("relu", "He3(z1)").weak_recovery().to_dict()["coefficient"] is None


@pytest.mark.parametrize(
    ("activation", "target", "reason"),
    [
        ("tanh", "abs(z1)", "g is even and sigma is odd"),
        ("erf(z)", "cos(z1) + xi", "g is even and sigma is odd"),
        ("abs(z)", "sign(z1)", "g is odd and sigma is even"),
    ],
)
def test_opposite_parities_are_never_learned(activation, target, reason):
    found = SGDFlow(activation, target).weak_recovery()
    assert found.samples == "not learned" and str(found.order.evidence) == "proved"
    assert found.reason == f"{reason}: mu_k(g) mu_k(sigma) = 0 for all k >= 1"
