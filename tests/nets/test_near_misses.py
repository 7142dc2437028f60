"""Cancellations that hold, and ones that fail by 1e-12 to 1e-40: zero is zero, and nothing tiny is.

All truths here are derived by hand and exact, so no test has a false alarm.
"""

from __future__ import annotations

import math
import random

import pytest

import hermite_analytics as ha
from hermite_analytics.evidence import Evidence

IDENTITIES = {
    "1 - sign(z1)**2": 1,
    "abs(z1) - z1*sign(z1)": 1,
    "relu(z1) - relu(-z1) - z1": 1,
    "step(z1) + step(-z1) - 1": 1,
    "sign(relu(z1)) - step(z1)": 1,
    "tanh(z1) - 2*sigmoid(2*z1) + 1": 1,
    "erf(z1/sqrt(2)) - 2*Phi(z1) + 1": 1,
    "cos(z1)**2 + sin(z1)**2 - 1": 1,
    "cos(2*z1) - 1 + 2*sin(z1)**2": 1,
    "exp(z1)*exp(-z1) - 1": 1,
    "cosh(z1)**2 - sinh(z1)**2 - 1": 1,
    "sqrt(1 + 2*z1**2 + z1**4) - 1 - z1**2": 1,
    "log(1 + 2*z1**2 + z1**4) - 2*log(1 + z1**2)": 1,
    "softplus(z1) - softplus(-z1) - z1": 1,
    "gelu(z1) - gelu(-z1) - z1": 1,
    "max(z1, z2) + min(z1, z2) - z1 - z2": 2,
    "max(z1, z2) - (z1 + z2)/2 - abs(z1 - z2)/2": 2,
    "(z1 + z2)**2 - (z1 - z2)**2 - 4*z1*z2": 2,
    "sign(z1)*sign(z2) - sign(z1*z2)": 2,
    "relu(z1)*relu(-z1)": 1,
    "step(z1 - 1)*step(-z1)": 1,
    "He4(z1) - z1**4 + 6*z1**2 - 3": 1,
}


def tiny(power: int) -> str:
    return f"10**(-{power})"


def wanted(value, right):
    """A discrete answer is right or open."""
    return value is None or value == right


@pytest.mark.cases(5)
@pytest.mark.parametrize("identity", IDENTITIES)
def test_what_cancels_is_not_nonzero(identity):
    expansion = ha.hermite(identity, 3, seconds=0.4)
    for index, quantity in expansion.coefficients.items():
        assert quantity.zero is not False, (identity, index)
        assert math.isnan(quantity.value) or abs(quantity.value) <= quantity.error
    assert wanted(ha.information_exponent(identity, seconds=0.4).value, "inf")
    assert wanted(ha.generative_exponent(identity, seconds=0.4).value, "inf")


def cancelled(seed: int) -> tuple[str, int, int, int]:
    """An identity times something, and 10^-power He_k(z1)."""
    pick = random.Random(seed)
    identity = pick.choice(list(IDENTITIES))
    factor = pick.choice(("3", "z1", "exp(z1/2)", "cos(z1)", "z1**2", "abs(z1)", "sign(z1)", "tanh(z1)"))
    power, k = pick.choice((12, 16, 20, 25, 30, 40)), pick.choice((1, 2, 3, 4))
    return f"({identity})*{factor} + {tiny(power)}*He({k}, z1)", power, k, IDENTITIES[identity]


@pytest.mark.cases(2)
@pytest.mark.parametrize(
    "seed",
    [
        *range(1, 6),
        *(pytest.param(s, marks=[pytest.mark.slow, pytest.mark.draws(12)]) for s in range(100, 200)),
    ],
)
def test_what_remains_of_a_cancellation(seed):
    text, power, k, dimension = cancelled(seed)
    expansion = ha.hermite(text, 4, seconds=0.6)
    for index, quantity in expansion.coefficients.items():
        alone = index[0] == k and sum(index) == k
        right = math.factorial(k) * 10.0**-power if alone else 0.0
        assert quantity.zero in (None, not alone), (text, index, quantity)
        assert math.isnan(quantity.value) or abs(quantity.value - right) <= quantity.error + 1e-15 * right
    assert wanted(ha.information_exponent(text, seconds=0.6).value, k), text
    assert wanted(ha.generative_exponent(text, seconds=0.6).value, 2 - k % 2), text
    steps = ha.grand_staircase(text, seconds=0.6)
    if steps.limit_dimension is not None:
        assert steps.orders == (2 - k % 2,), text
        assert steps.bases[-1] == (("1", "0", "0")[:dimension],), text


@pytest.mark.parametrize("power", [12, 20, 40])
def test_small_terms(power):
    e = tiny(power)
    assert wanted(ha.information_exponent(f"He3(z1) + {e}*z1").value, 1)
    assert wanted(ha.information_exponent(f"z1**2 + {e}*sign(z1)").value, 1)
    assert wanted(ha.generative_exponent(f"z1**2 + {e}*z1**3", seconds=2).value, 1)
    near = ha.generative_exponent(f"z1**4*exp(-(2 + {e})*z1**2)", seconds=2)
    assert wanted(near.value, 2)  # at e = 0: 4
    assert wanted(ha.isotropic_leap(f"z1 + z1*z2 + {e}*z1*z3", seconds=2).value, 1)
    mean = ha.hermite(f"z1**2 - 1 - {e}", 0).mean
    assert mean.zero is False and mean.value == pytest.approx(-(10.0**-power), rel=1e-12, abs=0)


@pytest.mark.parametrize("power", [12, 20, 30, 40])
def test_a_tuned_constant_and_its_neighbours(power):
    """sign(z (z^2 - c)) has c_1 = 0 at c = 2 log 2 only, where k* = 3."""
    tuned = "sign(z1*(z1**2 - 2*log(2)))"
    near = f"sign(z1*(z1**2 - 2*log(2)*(1 + {tiny(power)})))"
    assert wanted(ha.generative_exponent(tuned, seconds=2).value, 3)
    assert ha.hermite(tuned, 1)[1].zero in (None, True)
    first = ha.hermite(near, 1)[1]
    right = -2 * math.log(2) / math.sqrt(2 * math.pi) * 10.0**-power  # c_1 = phi(0) (4 e^(-c/2) - 2)
    assert first.zero in (None, False)
    assert first.value == pytest.approx(right, rel=1e-6, abs=0)
    assert wanted(ha.generative_exponent(near, seconds=2).value, 1)
    assert wanted(ha.information_exponent(near, seconds=2).value, 1)


@pytest.mark.parametrize("power", [12, 20, 40])
def test_directions_that_are_almost_one(power):
    e = tiny(power)
    steps = ha.grand_staircase(f"z1 + {e}*z2 + He2(z3)", seconds=2)
    assert steps.limit_dimension in (None, 2)
    two = ha.staircase(f"z1*z2 + z1 + {e}*z2 + z3 + {e}*z3*z2", seconds=2)
    assert two.limit_dimension in (None, 3)
    same = ha.grand_staircase(f"(z1 + {e}*z2)**2 + (z1 - {e}*z2)**2 - 2*z1**2", seconds=2)
    assert same.limit_dimension in (None, 1)
    assert same.limit_dimension is None or same.bases[-1] == (("0", "1"),)


@pytest.mark.parametrize("far", [8, 20, 40, 100])
def test_gates_that_hardly_open(far):
    """z1 step(xi - t): c_1 = P(xi > t) is 6e-16 at 8, and below all floats at 40."""
    text = f"z1*step(xi - {far})"
    right = math.erfc(far / math.sqrt(2)) / 2
    first = ha.hermite(text, 2, seconds=2)
    assert first[1].zero in (None, False)
    assert first[0].zero in (None, True) and first[2].zero in (None, True)
    assert math.isnan(first[1].value) or abs(first[1].value - right) <= first[1].error + 1e-12 * right
    assert first.second_moment.zero in (None, False)
    assert wanted(ha.information_exponent(text, seconds=2).value, 1)
    assert wanted(ha.generative_exponent(text, seconds=2).value, 1)
    even = f"z1**2*step(xi - {far})"
    assert wanted(ha.generative_exponent(even, seconds=2).value, 2)
    alpha = ha.weak_recovery(even, seconds=2).alpha_c
    if alpha is not None and not math.isnan(alpha.value):
        # z1^2 is seen with probability P(xi > t), and E[(z1^2 - 1)^2] = 2
        assert right > 1e-300 and alpha.value == pytest.approx(1 / (2 * right), rel=1e-9)
        assert not (math.isinf(alpha.value) and alpha.evidence is Evidence.EXACT)


@pytest.mark.parametrize("far", [8, 20, 40])
def test_gates_of_the_input_that_hardly_open(far):
    """z1 + step(z1 - t) z2^2: z2 has alpha_c = 1/(2 P(z1 > t))."""
    text = f"z1 + step(z1 - {far})*z2**2"
    share = math.erfc(far / math.sqrt(2)) / 2
    steps = ha.grand_staircase(text, seconds=2)
    if steps.limit_dimension is not None:
        assert (steps.orders, steps.limit_dimension) == ((1, 2), 2)
        alpha = ha.weak_recovery(text, seconds=2).stages[1].alpha_c
        if alpha is not None and not math.isnan(alpha.value):
            assert share < 1e-300 or alpha.value == pytest.approx(1 / (2 * share), rel=1e-9)


@pytest.mark.cases(8)
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("sign(relu(z1))", "step(z1)"),
        ("sign(relu(z1))**2*z2", "step(z1)*z2"),
        ("sign(abs(z1))", "1"),
        ("step(z1**2)", "1"),
        ("step(z1**2 + xi**2)", "1"),
        ("sign(exp(z1)) + z2", "1 + z2"),
        ("relu(sign(z1))*step(xi)", "step(z1)*step(xi)"),
        ("max(step(z1), step(xi))", "1 - step(-z1)*step(-xi)"),
        ("step(xi)**2*z1", "step(xi)*z1"),
        ("step(xi)*step(-xi) + z1", "z1"),
        ("sign(step(xi) - 1/2)*z1", "sign(xi)*z1"),
    ],
)
def test_equal_almost_everywhere(one, other):
    a, b = (ha.hermite(text, 3, seconds=2) for text in (one, other))
    width = len(b.variables)
    for index, quantity in a.coefficients.items():
        if any(index[width:]):
            assert quantity.zero is not False, (one, index)
            continue
        twin = b.coefficients[index[:width]]
        assert {quantity.zero, twin.zero} != {True, False}, (one, index)
        assert math.isnan(quantity.value) or abs(quantity.value - twin.value) <= quantity.error + 1e-14
    assert abs(a.second_moment.value - b.second_moment.value) <= a.second_moment.error + 1e-14
    first, second = (ha.generative_exponent(text, seconds=2).value for text in (one, other))
    assert first is None or second is None or first == second
