"""The conditional law: its branches, its moments, and the identities that every channel obeys."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import erfinv
from sympy import Rational, pi

import hermite_analytics as ha
from hermite_analytics import ConditionalLaw, Evidence, InputError, UndefinedQuantity, UnsupportedExpression

NODES, WEIGHTS = np.polynomial.legendre.leggauss(40)


def panel(low, high):
    """Nodes and weights of a panel."""
    return zip((low + high + (high - low) * NODES) / 2, (high - low) * WEIGHTS / 2, strict=True)


def moments(law, label):
    """(density, E[z|y], E[z^2|y]) of one index as floats, by its branches."""
    found = law.branches(float(label))
    points = np.array([b.point.value for b in found])
    weights = np.array([b.weight.value for b in found])
    mass = weights.sum()
    return mass, weights @ points / mass, weights @ points**2 / mass


# --- branches -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "kind", "values", "atoms"),
    [
        ("z1**2", "continuous", None, ()),
        ("relu(z1)", "mixed", None, (0,)),
        ("min(max(z1, -1), 1)", "mixed", None, (-1, 1)),
        ("sign(z1*z2)", "discrete", (-1, 1), (-1, 1)),
        ("sign(z1 + xi)", "discrete", (-1, 1), (-1, 1)),
        ("sign(z1*z2) + xi", "smoothed", None, ()),
        ("z1**2 + sign(z1*z2)", "open", None, ()),
        ("cos(z1)", "open", None, ()),
    ],
)
def test_kinds(text, kind, values, atoms):
    law = ConditionalLaw(text)
    assert (law.kind, law.values, law.atoms) == (kind, values, atoms)


def test_preimages_of_a_square():
    law = ConditionalLaw("z1**2")
    assert [(b.kind, str(b.point), str(b.weight)) for b in law.branches(4)] == [
        ("point", "-2", "phi(2)/4"),
        ("point", "2", "phi(2)/4"),
    ]
    assert law.branches(-1) == () and law.density(-1).zero
    assert law.conditional_expectation("z1", 4).zero
    assert law.conditional_expectation("z1**2", "1/3").exact == Rational(1, 3)


def test_atom_and_sheet_of_a_mixed_label():
    law = ConditionalLaw("relu(z1)")
    assert law.probability(0).exact == Rational(1, 2) and law.probability(1).zero
    assert str(law.density(1)) == "phi(1)"
    assert law.conditional_expectation("z1", 0).value == pytest.approx(-math.sqrt(2 / math.pi), abs=1e-15)
    with pytest.raises(UndefinedQuantity, match="the label 0 has a positive probability"):
        law.density(0)


def test_balls_where_the_preimage_is_not_exact():
    found = ConditionalLaw("erf(z1)").conditional_expectation("z1**2", "1/3")
    assert found.exact is None and found.evidence is Evidence.PROVED
    assert found.value == pytest.approx(erfinv(1 / 3) ** 2, rel=1e-14)


def test_a_coordinate_beside_the_label_is_averaged():
    assert ConditionalLaw("z2**2 + 1").conditional_expectation("z1**2*z2**2", 3).exact == 2


def test_given_coordinates():
    law = ConditionalLaw("z1*z2", {"z1": "1/2"})
    assert [v.name for v in law.variables] == ["z2"]
    assert str(law.density(1)) == "2*phi(2)"
    assert law.conditional_expectation("z1 + z2**2", 1).exact == Rational(9, 2)
    assert ConditionalLaw("sign(z1*z2)", {"z1": -3}).conditional_expectation("z2", 1).value < 0


@pytest.mark.parametrize(
    ("ask", "error", "text"),
    [
        (lambda: ConditionalLaw("z1", {"z3": 1}), InputError, "'z3' is given, which is not a coordinate"),
        (lambda: ConditionalLaw("z1", 3), InputError, "given is not a mapping"),
        (lambda: ConditionalLaw("z1*z2").branches(1), UnsupportedExpression, "depends on several indices"),
        (lambda: ConditionalLaw("cos(z1)").density(0), UnsupportedExpression, "are not found exactly"),
        (lambda: ConditionalLaw("z1").power(1), UnsupportedExpression, "is continuous"),
        (lambda: ConditionalLaw("z1").moment((1, 2)), InputError, "needs 1 entries"),
        (lambda: ConditionalLaw("z1").moment(1, "a*y"), InputError, "not a function of y alone"),
        (lambda: ConditionalLaw("z1").conditional_expectation("z2", 0), InputError, "uses z2"),
        (lambda: ConditionalLaw("z1**2").conditional_expectation("z1", -1), UndefinedQuantity, "not taken"),
        (lambda: ConditionalLaw("He3(z1)").density(2), UndefinedQuantity, "critical point"),
    ],
)
def test_refusals_say_why(ask, error, text):
    with pytest.raises(error, match=text):
        ask()


# --- moments of a transformed label ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "index", "transformation", "expected"),
    [
        ("He3(z1)", 1, "y**3", "324"),
        ("He5(z1)", 1, "y**3", "216000"),
        ("He7(z1)", 1, "y**3", "444528000"),
        ("He4(z1)", 2, "y**2", "192"),
        ("z1*z2*z3", (2, 0, 0), "y**2", "2"),
        ("z1**2 + xi", 2, "y**2", "12"),
        ("sign(z1*z2)", (1, 1), "exp(y)", "-exp(-1)/pi + E/pi"),
        ("cos(z1)", 2, "y", "-exp(-1/2)"),
    ],
)
def test_moments(text, index, transformation, expected):
    assert str(ConditionalLaw(text).moment(index, transformation)) == expected


@pytest.mark.cases(3)
@pytest.mark.parametrize(
    ("text", "index", "threshold", "accuracy"),
    [
        ("sign(z1*z2)", (1, 1), math.pi**2 / 4, 1e-14),
        ("step(abs(z1) - 1)", (2,), 0.9249580392589039, 1e-14),
        ("step(abs(z1) - 1) + step(abs(z1) - 2)", (2,), 0.6126285349, 1e-9),
        ("sign(z1*z2 + xi)", (1, 1), 4.9225575354, 1e-8),
    ],
)
def test_power_is_the_inverse_of_the_weak_recovery_threshold(text, index, threshold, accuracy):
    assert 1 / ConditionalLaw(text).power(index).value == pytest.approx(threshold, rel=accuracy)


def test_power_of_a_sign_in_closed_form():
    assert ConditionalLaw("sign(z1*z2)").power((1, 1)).exact == 4 / pi**2


# --- the channel y = g(omega + sqrt(V) z) ----------------------------------------------------------
# g_out = E[z|y]/sqrt(V) = d log Z/d omega,  -d g_out/d omega = (1 - Var(z|y))/V,  E[g_out] = 0,
# E[g_out^2] = E[-d g_out/d omega].

SCALE = Rational(3, 4)


def channel(text, omega):
    moved = f"({omega} + {SCALE}*z1)"
    return ConditionalLaw(ha.Target(text.replace("z1", moved)))


def output(law, label):
    """(log Z, g_out, -d g_out)."""
    mass, first, second = moments(law, label)
    scale = float(SCALE)
    return math.log(mass), first / scale, (1 - second + first**2) / scale**2


@pytest.mark.cases(2)
@pytest.mark.parametrize(("text", "label"), [("z1**2", 0.7), ("z1**3 - 3*z1", 0.5), ("tanh(z1)", 0.3)])
def test_derivatives_in_the_mean_by_finite_differences(text, label):
    step = Rational(1, 10**4)
    omega = Rational(1, 5)
    below, here, above = (output(channel(text, omega + j * step), label) for j in (-1, 0, 1))
    h = 2 * float(step)
    assert (above[0] - below[0]) / h == pytest.approx(here[1], abs=1e-6)
    assert (below[1] - above[1]) / h == pytest.approx(here[2], abs=1e-6)


@pytest.mark.slow
def test_channel_identities_of_a_square():
    law = channel("z1**2", Rational(1, 5))
    mass = mean = square = slope = 0.0
    for t, weight in panel(0, 7):  # y = t^2, smooth in t
        log_z, g, minus_slope = output(law, t**2)
        p = weight * 2 * t * math.exp(log_z)
        mass, mean = mass + p, mean + p * g
        square, slope = square + p * g**2, slope + p * minus_slope
    assert mass == pytest.approx(1, abs=1e-12)
    assert mean == pytest.approx(0, abs=1e-12)
    assert square == pytest.approx(slope, rel=1e-11)


def test_channel_identities_of_a_discrete_label():
    law = ConditionalLaw("sign((1/5 + 3/4*z1)*(1/3 + z2/2))")
    parts = [(law.probability(y), law.conditional_expectation("z1", y)) for y in law.values]
    assert sum(p.value for p, _ in parts) == pytest.approx(1, abs=1e-15)
    assert sum(p.value * m.value for p, m in parts) == pytest.approx(0, abs=1e-15)
    assert sum(p.value * m.value**2 for p, m in parts) == pytest.approx(law.power((1, 0)).value, rel=1e-13)


def test_weak_recovery_of_a_square_is_exact_at_every_label():
    law = ConditionalLaw("z1**2")
    assert all(law.conditional_expectation("z1**2 - 1", y).exact == y - 1 for y in (Rational(1, 3), 2, 5))


@pytest.mark.slow
def test_first_order_power_of_a_cubic():
    """lambda_1^2 of He3: panels between critical values, y = v + (v' - v) sin(t)^2; tails y = v + s^2."""
    law = ConditionalLaw("z1**3 - 3*z1")
    nodes, weights = np.polynomial.legendre.leggauss(16)
    mass = power = 0.0
    for t, weight in zip((nodes + 1) * math.pi / 4, weights * math.pi / 4, strict=True):
        p, mean, _ = moments(law, -2 + 4 * math.sin(t) ** 2)
        mass += weight * 4 * math.sin(2 * t) * p
        power += weight * 4 * math.sin(2 * t) * p * mean**2
    for low, high in ((0, 2.5), (2.5, 6), (6, 16)):
        for s, weight in zip(
            (low + high + (high - low) * nodes) / 2, (high - low) * weights / 2, strict=True
        ):
            p, mean, _ = moments(law, 2 + s**2)
            mass += 2 * weight * 2 * s * p  # the other tail is its mirror image
            power += 2 * weight * 2 * s * p * mean**2
    assert mass == pytest.approx(1, abs=1e-8)
    assert power == pytest.approx(0.6678316716, abs=1e-8)


@pytest.mark.slow
def test_smoothed_law_of_a_noisy_sign():
    """1/alpha_c of sign(z1 z2) + xi is the integral of p(y) E[z1 z2|y]^2, an analytic function."""
    law = ConditionalLaw("sign(z1*z2) + xi")
    mass = power = 0.0
    for j in range(-32, 33):
        p = law.density(Rational(j, 4)).value / 4
        mean = law.conditional_expectation("z1*z2", Rational(j, 4)).value
        mass, power = mass + p, power + p * mean**2
    assert mass == pytest.approx(1, abs=1e-10)
    assert 1 / power == pytest.approx(4.48291951, abs=2e-8)


def test_smoothed_law_of_a_continuous_signal():
    law = ConditionalLaw("z1**2 + xi/2")
    found = law.conditional_expectation("z1**2", 1)
    z = np.linspace(-9, 9, 20001)
    weights = np.exp(-(z**2) / 2 - 2 * (1 - z**2) ** 2)
    assert found.evidence is Evidence.PROVED
    assert found.value == pytest.approx(weights @ z**2 / weights.sum(), rel=1e-12)
    assert law.density(1).value == pytest.approx(weights.sum() * (z[1] - z[0]) / math.pi, rel=1e-12)


@pytest.mark.cases(1)
@pytest.mark.parametrize("text", ["z1**2*exp(-z1**2)", "z1**4*exp(-2*z1**2)", "abs(z1)*exp(-z1**2/2)"])
def test_preimages_that_cancel(text):
    law = ConditionalLaw(text)
    for label in ("1/20", "1/9", "1/8"):
        found = law.conditional_expectation("He2(z1)", label)
        assert abs(found.value) <= found.error < 1e-14
    assert ConditionalLaw("z1**2*exp(-z1**2/2)").conditional_expectation("He2(z1)", "1/5").zero is False
