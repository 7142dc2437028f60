"""Requests against a theorem are refused at once, in one line with the reason."""

from __future__ import annotations

import pytest

import hermite_analytics as ha
from hermite_analytics.errors import InputError

REFUSED = {
    "k* > l": ({"dimension": 1, "information_exponent": 2, "generative_exponent": 3}, "arXiv:2403.05529"),
    "k* > iso": ({"isotropic_leap": 2, "generative_exponent": 3}, "generative exponent 3 > isotropic leap 2"),
    "leap > iso": ({"leap_complexity": 3, "isotropic_leap": 2}, "leap complexity 3 > isotropic leap 2"),
    "l > leap": ({"information_exponent": 3, "leap_complexity": 2}, "arXiv:2302.11055"),
    "one index": ({"dimension": 1, "information_exponent": 1, "isotropic_leap": 2}, "they are equal"),
    "first step": ({"staircase": [0, 2]}, "C_1 is one vector"),
    "no step": ({"staircase": [0, 1], "information_exponent": 2}, "if and only if C_1 != 0"),
    "too far": ({"staircase": [0, 1, 3], "dimension": 2}, "stays in the relevant subspace"),
    "iso 1": (
        {"staircase": [0, 1], "dimension": 2, "isotropic_leap": 1},
        "if and only if the isotropic leap is 1",
    ),
    "leap orders": ({"leap_orders": [1, 1], "staircase": [0, 1]}, "the part of order 1 of the leaps"),
    "first leap": (
        {"leap_orders": [2], "information_exponent": 1},
        "first leap 2 and information exponent 1",
    ),
    "largest leap": ({"leap_orders": [1, 3], "isotropic_leap": 2}, "the isotropic leap"),
    "grand": ({"grand_orders": [2, 3], "generative_exponent": 2}, "the largest order is the exponent"),
    "grand end": ({"grand_staircase": [0, 1], "dimension": 2}, "ends with all directions"),
    "grand first": ({"grand_orders": [3], "information_exponent": 2}, "a first grand order 3"),
    "polynomial": ({"polynomial": True, "generative_exponent": 3}, "arXiv:2406.01581"),
    "polynomial labels": ({"polynomial": True, "discrete": True}, "its values are an interval"),
    "trivial": ({"generative_exponent": 1, "alpha_c": "1/2"}, "its threshold is 0"),
    "hard": ({"dimension": 1, "generative_exponent": 3, "alpha_c": (1, 2)}, "its threshold is inf"),
    "too low": ({"dimension": 1, "alpha_c": ("1/10", "2/5")}, "Jensen's inequality"),
    "network": ({"activation": "relu", "information_exponent": 2}, "arXiv:2305.18270"),
}


@pytest.mark.parametrize(("request_", "reason"), REFUSED.values(), ids=REFUSED)
def test_refused_with_the_reason(request_, reason):
    with pytest.raises(InputError) as refusal:
        ha.design(**request_)
    message = str(refusal.value)
    assert message.startswith("no target has ") and reason in message and "\n" not in message


@pytest.mark.parametrize(
    "target",
    ["z1", "He3(z1)", "z1 + z2 + z1*z2", "z1 + He3(z2)", "He2(z1)*z2", "z1*z2", "sign(z1*z2*z3)", "abs(z1)"],
)
def test_what_exists_is_not_refused(target):
    """The request made of all answers about a target passes every rule."""
    from hermite_analytics.designs.contradictions import contradiction
    from hermite_analytics.designs.request import Request, interval

    a = ha.analyze(target)
    alpha = a.weak_recovery.alpha_c
    request = Request(
        dimension=a.intrinsic_dimension.value,
        information_exponent=a.information_exponent.value,
        leap_complexity=a.leap_complexity.value,
        isotropic_leap=a.isotropic_leap.value,
        generative_exponent=a.generative_exponent.value,
        leap_orders=a.leap_decomposition.orders,
        staircase=a.staircase.dimensions,
        grand_staircase=a.grand_staircase.dimensions,
        grand_orders=a.grand_staircase.orders,
        alpha_c=interval(
            "inf" if alpha.exact is not None and alpha.exact.is_infinite else alpha.value, "1e-9"
        ),
        polynomial=a.target.expression.is_polynomial(),
    )
    assert contradiction(request) is None


BAD = {
    "nothing": ({}, "no property is asked for; accepted: dimension, information_exponent"),
    "zero": (
        {"information_exponent": 0},
        "information_exponent is 0; a whole number from 1 to 12 is accepted",
    ),
    "text": ({"dimension": "two"}, "dimension is 'two'; a whole number from 1 to 8 is accepted"),
    "flag": ({"dimension": True}, "dimension is True; a whole number"),
    "dims": ({"staircase": [1, 2]}, "increasing dimensions from 0"),
    "list": ({"staircase": "0,1"}, "staircase is 0,1; a list of whole numbers is accepted"),
    "orders": ({"leap_orders": []}, "1 to 8 orders from 1 to 12"),
    "alpha": ({"alpha_c": "x"}, "alpha_c is 'x'"),
    "pair": ({"alpha_c": (1, 2, 3)}, "a number or (low, high) is accepted"),
    "reversed": ({"alpha_c": (2, 1)}, "low <= high"),
    "tolerance": ({"alpha_c": 1, "tolerance": -1}, "tolerance is -1"),
    "discrete": ({"discrete": 1}, "discrete is 1; True or False is accepted"),
    "seconds": ({"dimension": 1, "seconds": 0}, "seconds is 0; a finite number > 0 is accepted"),
    "count": ({"dimension": 1, "count": 0}, "count is 0; a whole number from 1 to 50 is accepted"),
}


@pytest.mark.parametrize(("request_", "message"), BAD.values(), ids=BAD)
def test_bad_input(request_, message):
    with pytest.raises(InputError) as refusal:
        ha.design(**request_)
    assert message in str(refusal.value) and "\n" not in str(refusal.value)


def test_the_bound_on_alpha_is_kept_by_known_thresholds():
    """1/alpha_c <= dimension + 1, with thresholds from the closed forms of the library."""
    for target, dimension in [
        ("z1**2", 1),
        ("abs(z1)", 1),
        ("sign(z1*z2)", 2),
        ("z1**2 + z2**2", 2),
        ("z1*z2*z3", 3),
    ]:
        alpha = ha.weak_recovery(target).alpha_c.value
        assert 1 / alpha <= dimension + 1 + 1e-12
