"""Label noise anywhere in a target: coefficients of E[y | z], second moment of y, tail of E[y | z]."""

from __future__ import annotations

import functools
import math

import mpmath
import pytest
import sympy
from sympy import pi, sqrt

import hermite_analytics as ha
from hermite_analytics import Evidence, Target
from hermite_analytics.coefficient_table import coefficient_table
from hermite_analytics.label_noise import averaged
from hermite_analytics.symbols import variable, xi

z1, z2 = variable(1), variable(2)
STEP = mpmath.mpf(1) / 6
REACH = 10


@functools.cache
def _weights():
    """The trapezoidal rule of a Gaussian, of all digits for what is analytic near the real line."""
    nodes = [STEP * j for j in range(-6 * REACH, 6 * REACH + 1)]
    return [(x, STEP * mpmath.npdf(x)) for x in nodes]


def reference(function, degree):
    """([E He_k(z) y], E y^2, E[E[y|z]^2]) of y = function(z, xi), by quadrature in the plane."""
    with mpmath.workdps(25):
        coefficients = [mpmath.mpf(0)] * (degree + 1)
        second = conditional = mpmath.mpf(0)
        for z, weight in _weights():
            values = [(w, function(z, x)) for x, w in _weights()]
            mean = mpmath.fsum(w * y for w, y in values)
            conditional += weight * mean**2
            second += weight * mpmath.fsum(w * y**2 for w, y in values)
            low, high = mpmath.mpf(1), z
            for k in range(degree + 1):
                coefficients[k] += weight * low * mean
                low, high = high, z * high - (k + 1) * low
        return coefficients, second, conditional


CASES = {
    "tanh(z1 + xi)": lambda z, x: mpmath.tanh(z + x),
    "softplus(z1 + xi/2)": lambda z, x: mpmath.log1p(mpmath.exp(z + x / 2)),
    "tanh(z1)*sigmoid(z1 + xi)": lambda z, x: mpmath.tanh(z) / (1 + mpmath.exp(-z - x)),
    "tanh(z1 - xi) + z1*xi": lambda z, x: mpmath.tanh(z - x) + z * x,
    "erf(z1**2 + xi)": lambda z, x: mpmath.erf(z**2 + x),
}


@pytest.mark.slow
@pytest.mark.parametrize("text", CASES)
def test_against_quadrature_in_the_plane(text):
    degree = 4
    coefficients, second, conditional = reference(CASES[text], degree)
    expansion = ha.hermite(Target(text), degree)
    for k in range(degree + 1):
        found = expansion[k]
        assert found.evidence in (Evidence.EXACT, Evidence.PROVED)
        if found.zero:
            assert abs(coefficients[k]) < 1e-18
        else:
            assert found.value == pytest.approx(float(coefficients[k]), rel=1e-14)
    assert expansion.second_moment.value == pytest.approx(float(second), rel=1e-14)
    assert expansion.conditional_second_moment.value == pytest.approx(float(conditional), rel=1e-14)
    norms = sum(c**2 / math.factorial(k) for k, c in enumerate(coefficients))
    assert expansion.tail.value == pytest.approx(float(conditional - norms), abs=1e-14)
    assert expansion.tail.evidence is Evidence.PROVED


@pytest.mark.slow
def test_noise_that_multiplies_another_variable():
    with mpmath.workdps(20):  # E softplus(x y), x and y independent, by quadrature in the plane
        mean = mpmath.fsum(
            w * v * mpmath.log1p(mpmath.exp(x * y)) for x, w in _weights() for y, v in _weights()
        )
    f = Target("sign(z1)*softplus(xi*z2)").expression
    table = coefficient_table(f, (z1, z2), 1, noise=(xi,), digits=8)
    (index,) = (s for s, q in table.items() if not q.zero)
    assert index == (1, 0) and table[index].evidence is Evidence.PROVED
    # the trapezoidal rule loses digits to the poles of softplus(x y) at y = i pi/x
    assert table[index].value == pytest.approx(math.sqrt(2 / math.pi) * float(mean), rel=1e-7)


def test_exact_zeros_and_closed_forms_in_several_variables():
    expansion = ha.hermite(Target("sign(z1 + xi)*sign(z2 + xi)"), 2)  # (2/pi) asin of the correlation
    assert expansion[0, 0].exact == sympy.Rational(1, 3)
    assert sympy.simplify(expansion[1, 1].exact - 2 / (sqrt(3) * pi)) == 0
    assert expansion[1, 0].zero is True
    assert expansion.second_moment.exact == 1
    assert expansion.conditional_second_moment.exact == sympy.Rational(1, 3)


def test_zeros_are_proved_by_symmetries_that_move_the_noise():
    expansion = ha.hermite(Target("tanh(z1 + xi)"), 4)
    for k in (0, 2, 4):
        assert expansion[k].zero is True and expansion[k].evidence is Evidence.PROVED
        assert "xi" in expansion[k].reason


@pytest.mark.parametrize(
    ("text", "second", "tail"),
    [
        ("z1**2 + xi", 4, 0),  # E y^2 = 3 + 1, and the expansion of z1^2 leaves nothing
        ("z1**3 - 3*z1 + xi", 7, 0),
        ("sign(z1 + xi)", 1, sympy.Rational(1, 3) - 1 / pi - 1 / (24 * pi)),
        ("z1*xi", 1, 0),
        ("exp(xi**2/3)*z1", sympy.oo, 0),
    ],
)
def test_second_moment_is_that_of_the_label(text, second, tail):
    expansion = ha.hermite(Target(text), 3)
    assert expansion.second_moment.exact == second
    assert sympy.simplify(expansion.tail.exact - tail) == 0


def test_second_moment_without_a_closed_form_includes_additive_noise():
    noisy, plain = ha.hermite("tanh(z1) + xi/2", 3), ha.hermite("tanh(z1)", 3)
    assert noisy.second_moment.value == pytest.approx(plain.second_moment.value + 0.25, rel=1e-15)
    assert noisy.conditional_second_moment.value == plain.second_moment.value
    assert noisy.tail.value == pytest.approx(plain.tail.value, abs=1e-16)


def test_average_in_closed_form_where_there_is_one():
    assert averaged(sympy.sin(z1) + 3 * xi) == (sympy.sin(z1), 0)
    assert averaged(sympy.sign(z1 + xi / 2)) == (sympy.erf(sqrt(2) * z1), 0)
    closed, left = averaged(sympy.tanh(z1 + xi) + sympy.sign(z2 + xi))
    assert (closed, left) == (sympy.erf(sqrt(2) * z2 / 2), sympy.tanh(xi + z1))
    mean = Target("tanh(z1 + xi) + z2*xi**2").conditional_mean
    assert mean == z2 + ha.GaussianExpectation(sympy.tanh(xi + z1), xi)


def test_noise_inside_a_sign_lowers_the_exponent():
    # sign(z (z^2 - 2 log 2)) has no linear part; with noise inside it has
    text = "sign(z1*(z1**2 - 2*log(2))"
    assert ha.hermite(text + ")", 1)[1].zero is True
    assert ha.hermite(text + " + xi)", 1)[1].value == pytest.approx(0.17088996, abs=1e-8)


@pytest.mark.parametrize(
    ("text", "coefficients"),
    [  # the noise has a slope that is 0 for half of the inputs: E[step(relu(z) xi) | z] = step(z)/2
        ("step(relu(z1)*xi)", (1 / 4, 1 / (2 * math.sqrt(2 * math.pi)))),
        ("step(xi*(1 + sign(z1)))", (1 / 4, 1 / (2 * math.sqrt(2 * math.pi)))),
        ("sign(relu(z1)*xi)**2", (1 / 2, 1 / math.sqrt(2 * math.pi))),
        ("tanh(step(relu(z1)*xi))", (math.tanh(1) / 4, math.tanh(1) / (2 * math.sqrt(2 * math.pi)))),
        ("step(relu(z1)*(xi + 1))", (0.5 * 0.8413447460685429, 0.8413447460685429 / math.sqrt(2 * math.pi))),
        # z > 0: P(xi > -1) = Phi(1); -1/2 < z < 0: 1
        ("step(step(z1)*xi + step(z1 + 1/2))", (0.6121348343082845, 0.2887710379632156)),
    ],
)
def test_a_slope_of_the_noise_that_shuts(text, coefficients):
    found = ha.hermite(text, 1)
    for k, value in enumerate(coefficients):
        assert found[k].value == pytest.approx(value, abs=1e-12)
    assert ha.information_exponent(text).value == 1


def test_a_parameter_that_may_switch_a_step_off():
    """E step(relu(a) z) is 1/2 for a > 0 and 0 else: no closed form is given that holds for a > 0 only."""
    assert ha.expectation("step(relu(a)*z1)").exact is None
    assert str(ha.expectation("step((1 + a**2)*z1 + abs(b)*z2)").exact) == "1/2"


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("erf(z1) + step(xi)", (0.5, 0.6514700158705599, 0.96455905439754)),
        ("z1*step(xi - 1)", (0.0, 0.15865525393145705, 0.15865525393145705)),
        ("step(exp(z1/2) + 2*xi)", (0.7052920114415906, 0.08544025697373447, 0.7052920114415906)),
        ("min(z1, step(xi))", (-0.2411288754945595, 0.6706723730342715, 0.6290146377404283)),
        ("step(step(z1 - 1) + xi**2)", (1.0, 0.0, 1.0)),
        ("abs(He2(z1) + step(xi))", (0.9839414490382867, 0.0, 2.5)),
    ],
)
def test_noise_inside_jumps(text, values):
    """c_0, c_1 and E y^2 by panels between the kinks, in another program."""
    found = ha.hermite(text, 1)
    assert [found[0].value, found[1].value, found.second_moment.value] == pytest.approx(values, abs=1e-12)
