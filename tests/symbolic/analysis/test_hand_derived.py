"""Answers derived by hand, or with a few lines of code that share nothing with the library.

Notation: c_S = E[He_S f], Leap the leap complexity in the given basis, iso the largest over rotations.
"""

from __future__ import annotations

import itertools
import json
import math
from fractions import Fraction

import numpy as np
import pytest
import sympy
from scipy.special import k0e, k1e

import hermite_analytics as ha

INF = "inf"
HALF = 0.5
HE4 = 0.6448504699  # z^4 - 6 z^2: the partner of u = z^2 is 6 - u

# target: intrinsic dimension, information exponent, Leap, iso, staircase, (dimensions, orders) of the leap
# decomposition and of the grand staircase, thresholds of its stages
HAND = {
    # E[z f] = 3, and f is not even
    "z1**3 + z1**2": (1, 1, 1, 1, [0, 1], ([0, 1], [1]), ([0, 1], [1]), [0]),
    "2": (0, INF, INF, INF, [0], ([0], []), ([0], []), [math.inf]),
    "xi": (0, INF, INF, INF, [0], ([0], []), ([0], []), [math.inf]),
    "z3": (1, 1, 1, 1, [0, 1], ([0, 1], [1]), ([0, 1], [1]), [0]),
    # c_2 = sqrt(3) (3 - 1) though E y^2 is infinite; injective in |z|
    "exp(z1**2/3)": (1, 2, 2, 2, [0], ([0, 1], [2]), ([0, 1], [2]), [HALF]),
    "0.1*z1 + z2**2": (2, 1, 2, 2, [0, 1], ([0, 1, 2], [1, 2]), ([0, 1, 2], [1, 2]), [0, HALF]),
    "sign(z1 + xi)": (1, 1, 1, 1, [0, 1], ([0, 1], [1]), ([0, 1], [1]), [0]),
    # c_01 = 1, c_11 = 1: z2, then z1; E[z1 y^2] != 0 shows z1 to a transformation at once
    "exp(z1)*sin(z2)": (2, 1, 1, 1, [0, 1, 2], ([0, 1, 2], [1, 1]), ([0, 2], [1]), [0]),
    "step(z1)*z2": (2, 1, 1, 1, [0, 1, 2], ([0, 1, 2], [1, 1]), ([0, 2], [1]), [0]),
    "gelu(z1)*z2": (2, 1, 1, 1, [0, 1, 2], ([0, 1, 2], [1, 1]), ([0, 2], [1]), [0]),
    # (z1 + z2)/2 + |z1 - z2|/2: the difference is known up to its sign
    "max(z1, z2)": (2, 1, 1, 2, [0, 1], ([0, 1, 2], [1, 2]), ([0, 1, 2], [1, 2]), [0, HALF]),
    "abs(z1 - z2)": (1, 2, 2, 2, [0], ([0, 1], [2]), ([0, 1], [2]), [HALF]),
    # z1 -> -z1 leaves f: z1^2 = y/z2 after z2
    "z1**2*z2": (2, 1, 2, 2, [0, 1], ([0, 1, 2], [1, 2]), ([0, 1, 2], [1, 2]), [0, HALF]),
    # He2(z1) z2: c_21 = 2 alone, but E[z2 y^3] = E He2^3 E z^4 = 24
    "z1**2*z2 - z2": (2, 3, 3, 3, [0], ([0, 2], [3]), ([0, 1, 2], [1, 2]), [0, HALF]),
    "sqrt(1 + z1**2)*z2": (2, 1, 2, 2, [0, 1], ([0, 1, 2], [1, 2]), ([0, 1, 2], [1, 2]), [0, HALF]),
    "He4(z1) + He3(z2)": (2, 3, 4, 4, [0], ([0, 1, 2], [3, 4]), ([0, 1, 2], [1, 2]), [0, HE4]),
    # |z3| = |y| first, then the parity of two signs: alpha_c = 1/(2/pi)^2
    "sign(z1)*sign(z2)*z3": (3, 3, 3, 3, [0], ([0, 3], [3]), ([0, 1, 3], [2, 2]), [HALF, math.pi**2 / 4]),
    # a hyperbola: z1 z2 in rotated coordinates
    "z1**2 - z2**2": (2, 2, 2, 2, [0], ([0, 2], [2]), ([0, 2], [2]), [0.5937510982]),
    "z1**2 + z2**2 + z3**2 + z4**2": (4, 2, 2, 2, [0], ([0, 4], [2]), ([0, 4], [2]), [2]),
    # E[|w| (w^2 - 1)] = 0 at variance 1/2, and the preimages of each label cancel
    "abs(z1)*exp(-z1**2/2)": (1, 4, 4, 4, [0], ([0, 1], [4]), ([0, 1], [4]), [math.inf]),
    "erf(z1)**2": (1, 2, 2, 2, [0], ([0, 1], [2]), ([0, 1], [2]), [HALF]),
    "log(1 + z1**2)": (1, 2, 2, 2, [0], ([0, 1], [2]), ([0, 1], [2]), [HALF]),
    "1/(2 + sin(z1))": (1, 1, 1, 1, [0, 1], ([0, 1], [1]), ([0, 1], [1]), [0]),
    # disguises of z1, z2, 0 and |z|
    "relu(z1) - relu(-z1)": (1, 1, 1, 1, [0, 1], ([0, 1], [1]), ([0, 1], [1]), [0]),
    "max(z1, z2) + min(z1, z2) - z1": (1, 1, 1, 1, [0, 1], ([0, 1], [1]), ([0, 1], [1]), [0]),
    "z1**2 + z2**2 - (z1 + z2)**2/2 - (z1 - z2)**2/2": (
        *(0, INF, INF, INF, [0], ([0], []), ([0], [])),
        [math.inf],
    ),
    "leaky_relu(z1, 0.3) - 1.3*z1/2": (1, 2, 2, 2, [0], ([0, 1], [2]), ([0, 1], [2]), [HALF]),
    # +-xi has the law of xi: z2 leaves no trace
    "sign(z1) + xi*sign(z2)": (1, 1, 1, 1, [0, 1], ([0, 1], [1]), ([0, 1], [1]), [0]),
    # y = 0 says that z1 + xi is negative
    "step(z1 + xi)*z2": (2, 1, 1, 1, [0, 1, 2], ([0, 1, 2], [1, 1]), ([0, 2], [1]), [0]),
    # y = 2 where z1, z2 > 0; y = -2 where z1 < 0 < z2; y = 0 where z2 < 0
    "sign(z1)*sign(z2) + sign(z1)": (2, 1, 1, 1, [0, 1, 2], ([0, 1, 2], [1, 1]), ([0, 2], [1]), [0]),
    # C_1 ~ (1, 1), C_2 ~ diag(1, -1); E[z | y = 2] and E[z | y = -2] are independent
    "sign(z1 - 1/2) + sign(z2 + 1/2)": (
        *(2, 1, 1, 1, [0, 1, 2], ([0, 1, 2], [1, 1]), ([0, 2], [1])),
        [0],
    ),
    "(3*z1 + 4*z2)**3/125": (1, 1, 1, 1, [0, 1], ([0, 1], [1]), ([0, 1], [1]), [0]),
}


@pytest.mark.cases(3)
@pytest.mark.parametrize("target", HAND)
def test_full_answer(target):
    whole, order, leap, isotropic, stairs, decomposition, grand, thresholds = HAND[target]
    d = ha.analyze(target).to_dict()
    assert d["intrinsic_dimension"] == whole
    assert d["information_exponent"]["value"] == d["leap_index"]["value"] == order
    assert (d["leap_complexity"]["value"], d["isotropic_leap"]["value"]) == (leap, isotropic)
    assert d["staircase"]["dimensions"] == stairs
    for name, wanted in (("leap_decomposition", decomposition), ("grand_staircase", grand)):
        assert (d[name]["dimensions"], d[name]["orders"]) == wanted, name
    assert d["generative_exponent"]["value"] == max(grand[1], default=INF)
    found = [float(stage["alpha_c"]["value"]) for stage in d["weak_recovery"]["stages"]]
    assert found == pytest.approx(thresholds, abs=1e-9)
    discrete = [d[name]["evidence"] for name in ("staircase", "leap_decomposition", "grand_staircase")]
    assert set(discrete) <= {"exact", "proved"}
    json.dumps(d, allow_nan=False)


@pytest.mark.slow
def test_a_label_that_shows_z_in_its_variance_only():
    # y = z1 xi has the law of a product of two: E[z1^2 - 1 | y] = a(y) = |y| K1(|y|)/K0(|y|) - 1
    y = np.exp(np.linspace(-40, 4, 8001))
    weight = 2 / np.pi * k0e(y) * np.exp(-y) * y * 44 / 8000  # density of |y|, for the integral over log|y|
    a = y * k1e(y) / k0e(y) - 1
    assert weight.sum() == pytest.approx(1, abs=1e-12)
    found = ha.analyze("z1*xi")
    assert found.leap_index.value == INF and found.generative_exponent.value == 2
    (stage,) = found.weak_recovery.stages
    assert stage.alpha_c.value == pytest.approx(1 / (weight * a**2).sum(), rel=1e-9)


def test_directions():
    # the quadratic form (4 u^2 - v^2)/5 of orthonormal u, v; value by Bessel functions
    f = ha.Target("z1*z2", directions=[["3/5", "4/5"], ["1", "0"]])
    found = ha.analyze(f)
    assert found.leap_index.value == found.generative_exponent.value == 2
    assert [s.alpha_c.value for s in found.weak_recovery.stages] == pytest.approx([0.5139356278], abs=1e-9)
    g = ha.analyze(ha.Target("z1 + abs(z2)", directions=[[1, 1, 0], [0, 0, 2]]))
    assert g.leap_decomposition.bases == ((), (("1", "1", "0"),), (("1", "1", "0"), ("0", "0", "1")))
    assert (g.intrinsic_dimension.value, g.leap_complexity.value, g.staircase.limit_dimension) == (2, 2, 1)


# --- the second layer, by monomials alone ---


def _hermite_terms(polynomial: sympy.Poly) -> dict[tuple[int, ...], Fraction]:
    """Coefficients a_S of sum a_S He_S, from x^n = sum_m n!/(2^m m! (n - 2m)!) He_(n - 2m)."""
    terms: dict[tuple[int, ...], Fraction] = {}
    for powers, value in polynomial.terms():
        options = [
            [
                (n - 2 * m, Fraction(math.factorial(n), 2**m * math.factorial(m) * math.factorial(n - 2 * m)))
                for m in range(n // 2 + 1)
            ]
            for n in powers
        ]
        for choice in itertools.product(*options):
            index = tuple(degree for degree, _ in choice)
            factor = math.prod(weight for _, weight in choice)
            terms[index] = terms.get(index, Fraction(0)) + Fraction(value.p, value.q) * factor
    return terms


Z = sympy.symbols("z1:4")
ROTATION = sympy.Matrix([["3/5", "4/5", 0], ["-4/5", "3/5", 0], [0, 0, 1]])


@pytest.mark.parametrize("kappa", [0, 1, 2, 3])
@pytest.mark.parametrize("learned", [(), (0,), (0, 2)])
@pytest.mark.parametrize("text", ["z1**3*z2 + z2**2*z3", "z1**2*z3**2 - z1*z2 + z3"])
def test_error_of_the_second_layer(text, learned, kappa):
    """In coordinates u = R z with U spanned by some u: the sum of a_S^2 S! over |S outside U| > kappa."""
    u = sympy.symbols("u1:4")
    turned = sympy.sympify(text).subs(
        dict(zip(Z, ROTATION.T * sympy.Matrix(u), strict=True)), simultaneous=True
    )
    error = Fraction(0)
    for index, value in _hermite_terms(sympy.Poly(sympy.expand(turned), *u)).items():
        if sum(n for i, n in enumerate(index) if i not in learned) > kappa:
            error += value**2 * math.prod(math.factorial(n) for n in index)
    rows = [list(ROTATION.row(i)) for i in learned]
    found = ha.second_layer(text, samples_power=kappa, width_power=kappa + 1, learned=rows)
    assert found.kappa == kappa
    assert Fraction(str(found.error.exact)) == error


# --- rotations change nothing that has no basis ---


@pytest.mark.parametrize("text", ["z1*z2 + z1**2", "z1 + z1*z2", "He3(z1) + He2(z2)", "z1**2 + 2*z2**2"])
def test_rotation(text):
    f = ha.Target(text)
    turned = f.rotate([["3/5", "4/5"], ["-4/5", "3/5"]])
    a, b = ha.analyze(f), ha.analyze(turned)
    for name in ("information_exponent", "isotropic_leap", "generative_exponent", "intrinsic_dimension"):
        assert getattr(a, name).value == getattr(b, name).value, name
    for name in ("staircase", "leap_decomposition", "grand_staircase"):
        one, two = getattr(a, name), getattr(b, name)
        assert (one.dimensions, one.orders) == (two.dimensions, two.orders), name
    one, two = ([s.alpha_c.value for s in x.weak_recovery.stages] for x in (a, b))
    assert one == pytest.approx(two, abs=1e-9)
    for power in (1, 2):
        errors = [ha.second_layer(x, samples_power=power, width_power=power).error.exact for x in (f, turned)]
        assert errors[0] == errors[1]


# --- what a reader sees ---


def test_one_number_in_one_document():
    """The samples of message passing quote the threshold of the section before."""
    a = ha.analyze("z1**2 + z1*z2")
    (stage,) = a.weak_recovery.stages
    assert a.complexities[7].remark.startswith(f"n/d > {stage.alpha_c.value:.6g} ")
    assert a.complexities[7].exponent == a.generative_exponent


def test_sentences():
    text = " ".join(ha.analyze("sign(z1)*sign(z2)*z3").explain().text.split())
    assert "The label is y = f(z) = z3*sign(z1)*sign(z2), where" in text
    assert "f depends on 3 directions" in text
    assert "which no step of order 1 leaves: C_1 = 0, since" in text
    assert "It ends at U_2, the whole space of dimension 3." in text
    assert "Leap index: 3 of 3 directions. Conjecture (" in text
    assert "E[He_2(z) T(y)] != 0 with T = y**2" in text
    assert "slots outside." not in text and "1 directions" not in text
    constant = " ".join(ha.analyze("2").explain().text.split())
    assert "information exponent and leap index are infinite: the function is constant." in constant
    assert "no rotation has to be searched for" not in constant


def test_a_bad_line_has_an_error_of_one_line():
    (row,) = ha.table(["z1 +* 2"], workers=1).rows
    assert row.error is not None and row.error.endswith("operators are + - * / **; given: z1 +* 2")
