"""Where no proof is found the answer says so; bad input is refused."""

from __future__ import annotations

import pytest

import hermite_analytics as ha
from hermite_analytics.errors import InputError, ParseError, UndefinedQuantity
from hermite_analytics.evidence import Evidence

ALL = (
    ha.information_exponent,
    ha.leap_index,
    ha.first_subspace,
    ha.leap_complexity,
    ha.isotropic_leap,
    ha.intrinsic_dimension,
    ha.staircase,
    ha.leap_decomposition,
)


def test_degree_too_small():
    answer = ha.leap_index("sign(z1*z2*z3)", max_degree=2)
    assert answer.to_dict() == {
        "value": None,
        "at_least": 3,
        "evidence": "undecided",
        "degree": 2,
        "reason": "C_1 to C_2 vanish",
    }
    assert str(answer) == "at least 3 (undecided)"
    assert ha.first_subspace("sign(z1*z2*z3)", max_degree=2).basis is None
    assert ha.isotropic_leap("sign(z1*z2*z3)", max_degree=2).at_least == 3


@pytest.mark.slow
def test_long_closed_forms_are_not_written_out():
    """The conditional averages given the first direction are closed, and have millions of terms."""
    found = ha.staircase("z1**2*abs(z2)*exp(-z1**2/2)/2 - sin(z1) - gelu(z1)*(z1 + z2)**2", seconds=2)
    assert found.dimensions[:2] == (0, 1)
    assert found.orders[0] == 1


def test_polynomials_are_looked_at_as_a_whole():
    assert ha.leap_index("He(12, z1)", max_degree=2).value == 12
    assert ha.leap_index("z1*z2*z3*z4*z5*z6*z7*z8").value == 8


def test_staircase_with_too_small_a_degree():
    steps = ha.staircase("tanh(z1)*softplus(z2)", max_degree=1)
    assert steps.dimensions == (0, 1)
    assert steps.limit_dimension is None
    assert steps.undecided_up_to_degree == 1
    assert steps.evidence is Evidence.UNDECIDED
    assert "open" in steps.reasons[-1]
    decomposed = ha.leap_decomposition("tanh(z1)*softplus(z2)", max_degree=1)
    assert decomposed.limit_dimension is None


def test_a_zero_that_only_a_ball_approaches_is_open():
    # a constant that makes c_1 small, not zero: nothing below the width of the ball is ever taken for zero
    answer = ha.leap_index("tanh(z1) - z1*302852754801/500000000000", max_degree=1)
    assert answer.value == 1
    close = ha.leap_index(
        "tanh(z1) - z1*60570550960215888/10**17 + sign(z1)*exp(-80)", max_degree=1, seconds=5
    )
    assert close.value in (1, None)
    assert close.at_least == 1


def test_no_time():
    for function in ALL:
        found = function("tanh(z1*z2) + tanh(z1 + z2**2)", seconds=1e-6)
        assert "undecided" in str(found.to_dict())


def test_certificates_are_named():
    assert ha.staircase("erf(z1) + erf(z2)").reasons[-1].endswith("f(z2, z1) = f(z1, z2)")
    assert "depends on the learned directions only" in ha.staircase("tanh(z1 + 2*z2)").reasons[-1]
    assert (
        ha.staircase("z1 + sin(z1)*He3(z2)")
        .reasons[-1]
        .startswith("no further direction of order 1: closed forms")
    )
    assert ha.leap_index("sin(z1)**2 + cos(z1)**2").value == "inf"
    assert ha.intrinsic_dimension("step(z1 - z2) + step(z2 - z1)").value == 0


def test_numbers_without_closed_form():
    assert ha.first_subspace("tanh(z1) + 2*tanh(z2)").basis == (("1", "2"),)
    assert ha.staircase("tanh(z1) + 2*tanh(z2)").dimensions == (0, 1, 2)
    assert ha.staircase("tanh(z1) + tanh(z2)").limit_dimension == 1
    assert ha.leap_index("tanh(z1)*He3(z2)").value == 4
    assert ha.leap_complexity("z1 + tanh(z1)*He3(z2)").value == 3
    assert ha.staircase("tanh(z1 + 2*z2)").bases[-1] == (("1", "2"),)
    steps = ha.staircase("tanh(z1) + softplus(2*z2) + z1*z2")
    assert steps.dimensions == (0, 1, 2)
    assert steps.evidence is Evidence.PROVED


def test_irrational_basis():
    steps = ha.staircase("exp(z1/2)*z2 + z3")
    assert steps.bases[1] == (("0", "1", "exp(-1/8)"),)
    assert steps.dimensions == (0, 1, 2, 3)
    assert ha.first_subspace("sqrt(2)*z1 + 2*z2").basis == (("1", "sqrt(2)"),)


def test_basis_of_named_expectations():
    steps = ha.staircase("tanh(z1 + 1) + tanh(2*z2)")
    ((one, ratio),) = steps.bases[1]
    assert one == "1"
    assert ratio.count("E[") == 2
    assert steps.dimensions == (0, 1, 2)
    assert ha.isotropic_leap("tanh(z1 + 1) + tanh(2*z2)").value == 1


def test_numbers_beyond_floats():
    assert ha.first_subspace("exp(40*z1)*z2 + z3").basis == (("0", "1", "exp(-800)"),)
    assert ha.first_subspace("exp(40*z1)*z3 + z2").basis == (("0", "1", "exp(800)"),)


def test_cancelling_quadratic_forms():
    # the ridge functions cancel: the tensor is what counts
    assert ha.leap_index("z1**2 + z2**2 - (z1 + z2)**2/2 - (z1 - z2)**2/2").value == "inf"


@pytest.mark.parametrize("function", ALL)
def test_bad_input(function):
    with pytest.raises(ParseError):
        function("z1 +")
    with pytest.raises(UndefinedQuantity):
        function("exp(z1**2)")
    with pytest.raises(InputError, match="max_degree is 0; accepted: 1 to 100"):
        function("sin(z1)", max_degree=0)
    with pytest.raises(InputError, match="seconds is 0; a number > 0 is accepted"):
        function("sin(z1)", seconds=0)


@pytest.mark.parametrize(
    ("text", "row"),
    [("elu(z2 - z1)", ("1", "-1")), ("sin(1)**2*step(z1) + (1 - cos(1)**2)*step(z2)", ("1", "1"))],
)
def test_long_numbers_whose_quotient_is_rational(text, row):
    """Entries of C_1 with some ten terms each: that their quotient is 1 or -1 is decided of their sum."""
    steps = ha.staircase(text, seconds=20)
    assert steps.bases[1] == (row,)
    assert (steps.limit_dimension, steps.dimensions) == (1, (0, 1))
