"""Hermite expansions: exact values, proofs, Parseval, tensors and their contractions."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy
from numpy.polynomial.hermite_e import hermegauss
from sympy import Rational, exp, pi, sqrt

import hermite_analytics as ha
from hermite_analytics import Evidence, InputError, Target, UndefinedQuantity
from hermite_analytics.language.functions import phi


def exact(text, degree):
    """Exact coefficients of one variable, as a list."""
    expansion = ha.hermite(text, degree)
    return [expansion[k].exact for k in range(degree + 1)]


def double_factorial(n):
    return math.prod(range(n, 0, -2))


def test_textbook_sequences():
    # G1, G2, G7, G8 by hand
    assert exact("exp(z1/2)", 6) == [Rational(1, 2) ** k * exp(Rational(1, 8)) for k in range(7)]
    waves = [0, 1, 0, -1, 0, 1]
    assert exact("sin(2*z1)", 5) == [w * 2**k * exp(-2) for k, w in enumerate(waves)]
    for k, value in enumerate(exact("sign(z1)", 9)):
        expected = sqrt(2 / pi) * (-1) ** ((k - 1) // 2) * double_factorial(k - 2) if k % 2 else 0
        assert sympy.expand(value - expected) == 0
    for k, value in enumerate(exact("relu(z1)", 10)):
        if k % 2 == 0 and k > 0:
            expected = (-1) ** (k // 2 - 1) * double_factorial(k - 3) / sqrt(2 * pi)
        else:
            expected = {0: 1 / sqrt(2 * pi), 1: Rational(1, 2)}.get(k, 0)
        assert sympy.expand(value - expected) == 0


def test_shifted_step_follows_the_hermite_recurrence():
    t = Rational(3, 4)
    values = exact("step(z1 - 3/4)", 8)
    low, high = sympy.Integer(1), t
    for k in range(1, 9):
        assert sympy.expand(values[k] - low * phi(t)) == 0  # He_(k-1)(t) phi(t)
        low, high = high, sympy.expand(t * high - k * low)


@pytest.mark.parametrize(
    ("text", "function"),
    [
        ("gelu(z1)", lambda z: z * np.vectorize(math.erf)(z / math.sqrt(2)) / 2 + z / 2),
        ("tanh(z1)", np.tanh),
        ("sigmoid(2*z1 - 1)", lambda z: 1 / (1 + np.exp(1 - 2 * z))),
        ("exp(-z1**2)*cos(z1)", lambda z: np.exp(-(z**2)) * np.cos(z)),
        ("softplus(z1)", lambda z: np.logaddexp(0, z)),
        ("erf(z1)**2", lambda z: np.vectorize(math.erf)(z) ** 2),
        ("z1/(1 + z1**2)", lambda z: z / (1 + z**2)),
    ],
)
def test_against_gauss_hermite(text, function):
    nodes, weights = hermegauss(300)
    weights = weights / weights.sum()
    expansion = ha.hermite(text, 8)
    for k in range(9):
        value = float(weights @ (function(nodes) * np.polynomial.hermite_e.hermeval(nodes, [0] * k + [1])))
        # 300 nodes leave 1e-9 of sqrt(k!) for poles at distance 1
        assert expansion[k].value == pytest.approx(value, abs=2e-8 * math.sqrt(math.factorial(k)))
        assert expansion[k].error <= 1e-15 * max(1.0, abs(expansion[k].value)) * math.sqrt(math.factorial(k))


def test_a_float_near_zero_is_never_an_answer():
    tiny = ha.hermite("sin(12*z1)", 1)[1]
    assert tiny.zero is False and tiny.evidence is Evidence.EXACT and tiny.exact == 12 * exp(-72)
    cancelled = ha.hermite("sin(z1) - exp(-1/2)*z1", 1)[1]
    assert cancelled.zero is True and cancelled.evidence is Evidence.EXACT
    nearly = ha.hermite("z1**2*z2 + z1/10**40", 1)
    assert nearly[1, 0].zero is False and nearly[0, 1].zero is False


def test_zeros_of_what_has_no_closed_form_are_proved_by_symmetry():
    expansion = ha.hermite("tanh(z1)", 6)
    for k in (0, 2, 4, 6):
        assert expansion[k].zero is True and expansion[k].evidence is Evidence.PROVED
        assert "z1" in expansion[k].reason
    for k in (1, 3, 5):
        assert expansion[k].zero is False and expansion[k].evidence is Evidence.PROVED


def test_mixture_of_closed_and_open_terms():
    expansion = ha.hermite("tanh(z1) + sign(z1*z2) + sigmoid(z2)", 2)
    assert expansion[0, 0].exact == Rational(1, 2)
    assert expansion[1, 1].exact == 2 / pi
    assert expansion[1, 0].exact is None and expansion[1, 0].evidence is Evidence.PROVED
    assert expansion[1, 0].value == pytest.approx(0.6057055096021588, abs=1e-15)
    assert expansion[0, 1].value == pytest.approx(0.2066209641419070, abs=1e-15)


def test_high_order_without_loss():
    # E He_k erf = (a/A)^k (-1)^(k-1) He_(k-1)(0) phi(0) with a = sqrt 2: k = 199 by hand
    k = 199
    value = exact("erf(z1)", k)[k]
    he = (-1) ** ((k - 1) // 2) * double_factorial(k - 2)
    assert sympy.expand(value - 2 * (sqrt(2) / sqrt(3)) ** k * he / sqrt(2 * pi)) == 0
    tanh = ha.hermite("tanh(z1)", 200)
    assert tanh[199].error <= 2e-16 * abs(tanh[199].value)  # that of the double and tanh[199].zero is False


def test_parseval():
    for text in ("relu(z1)", "sign(z1)*z2", "max(z1, z2)", "sin(z1 + z2)", "tanh(z1)"):
        tails = [ha.hermite(text, degree).tail for degree in (2, 4, 8)]
        assert all(t.value > 0 or t.zero for t in tails)
        assert tails[0].value >= tails[1].value >= tails[2].value
    polynomial = ha.hermite("z1**3*z2 + z2**2", 4)
    assert polynomial.tail.zero is True
    assert polynomial.second_moment.exact == 15 + 3  # E (z1^3 z2)^2 + E z2^4


def test_norms():
    expansion = ha.hermite("z1*z2 + He3(z1)", 3)
    assert [expansion.norm_squared(k).exact for k in range(4)] == [0, 0, 1, 6]


def test_tensors_and_contractions():
    expansion = ha.hermite("z1**2*z2 + 3*z1*z3 + max(z1, z2)", 3)
    for degree in range(4):
        tensor = expansion.tensor(degree)
        assert tensor.shape == (3,) * degree
        for axes in np.ndindex(*tensor.shape):
            assert tensor[axes] == tensor[tuple(sorted(axes))]  # symmetric
    rows = np.array([[0.6, 0.8, 0.0], [0.0, 0.0, 1.0]])
    contracted = expansion.contraction(2, rows)
    assert contracted == pytest.approx(rows @ expansion.tensor(2) @ rows.T, abs=1e-15)


def test_tensor_turns_with_the_directions():
    w = [[Rational(3, 5), Rational(4, 5)], [Rational(-4, 5), Rational(3, 5)]]
    rotation = np.array(w, dtype=float)
    plain = ha.hermite(Target("relu(z1)*z2 + z1**3"), 3)
    turned = ha.hermite(Target("relu(z1)*z2 + z1**3", directions=w), 3)
    for degree in (1, 2, 3):
        assert turned.tensor(degree) == pytest.approx(plain.contraction(degree, rotation.T), abs=1e-12)


def test_reconstruction():
    expansion = ha.hermite("z1**3 - 2*z1*z2 + 4", 3)
    point = {ha.Target("z1").expression: Rational(2, 3), sympy.Symbol("z2", real=True): Rational(-1, 5)}
    difference = expansion.reconstruction() - Target("z1**3 - 2*z1*z2 + 4").expression
    assert difference.subs(point).doit() == 0


def test_label_noise_is_averaged_out():
    assert exact("z1**2 + 3*xi", 2) == [1, 0, 2]
    noisy = ha.hermite("sign(z1 + xi/2)", 1)  # E[y|z] = erf(sqrt2 z)
    assert noisy[1].exact == 2 * sqrt(10) / (5 * sqrt(pi))
    assert exact("z1*xi", 1) == [0, 0]


def test_json_and_text():
    expansion = ha.hermite("relu(z1)", 2)
    document = expansion.to_dict()
    assert [c["index"] for c in document["coefficients"]] == [[0], [1], [2]]
    assert document["coefficients"][1] == {
        "index": [1], "exact": "1/2", "value": 0.5, "error": 0.0, "evidence": "exact",
    }  # fmt: skip
    assert "c_1: 1/2  [exact]" in str(expansion)
    assert r"c_{1} &= \frac{1}{2}" in expansion._repr_latex_()
    assert "all vanish" in str(ha.hermite("sin(z1*z2)*z3", 1))


def test_bad_input():
    with pytest.raises(InputError, match="degree is 201; accepted: an integer from 0 to 200"):
        ha.hermite("z1", 201)
    with pytest.raises(InputError, match="degree is True; accepted: an integer from 0 to 200"):
        ha.hermite("z1", True)
    with pytest.raises(InputError, match="at most 20000 coefficients"):
        ha.hermite("z1*z12", 10)
    with pytest.raises(UndefinedQuantity, match=r"E\|f\| is infinite"):
        ha.hermite("exp(z1**2)", 2)
    expansion = ha.hermite("z1*z2", 2)
    with pytest.raises(InputError, match="this expansion has degrees 0 to 2"):
        expansion.tensor(3)
    with pytest.raises(InputError, match="rows of length 2"):
        expansion.contraction(1, [[1, 2, 3]])
