"""log Z, g_out and its derivative: finite differences, sum rules over y, limits."""

from __future__ import annotations

import itertools
import math

import mpmath
import numpy as np
import pytest

from hermite_analytics.errors import InputError, UnsupportedExpression
from hermite_analytics.label.cases.soft.channel import SoftChannel
from hermite_analytics.label.cases.values.boxes import BoxChannel
from hermite_analytics.label.channel import channel_of

ONE_INDEX = {
    "z1**2": 1.7,
    "z1**3 - 3*z1": 0.6,
    "relu(z1)": 0.8,
    "relu(z1) ": 0.0,
    "cos(3*z1)": 0.3,
    "abs(z1) + xi": 1.1,
    "sign(z1) + xi/2": -0.4,
    "z1**3/3 + xi/3": 0.9,
}
OMEGA = np.array([-1.3, -0.2, 0.0, 0.45, 1.8])


def along(kind, label, omega, variance):
    """Moments of one coordinate, of one label at several omega."""
    log_z, g, minus_dg = kind.at(np.full(len(omega), label))(omega[:, None], np.array([[variance]]))
    return log_z, g[:, 0], minus_dg[:, 0, 0]


def moments(text, label, omega, variance):
    return along(channel_of(text.strip()).kind, label, omega, variance)


def on_boxes(box, omega, variance):
    """Moments of each value of boxes at one omega."""
    found = box.at(box.values)(np.tile(omega, (box.count, 1)), np.diag(variance))
    return list(zip(*found, strict=True))


@pytest.mark.cases(4)
@pytest.mark.parametrize("text", ONE_INDEX)
@pytest.mark.parametrize("variance", [0.2, 1.0])
def test_derivatives_are_those_of_log_z(text, variance):
    h, y = 1e-5, ONE_INDEX[text]
    _log_z, g, minus_dg = moments(text, y, OMEGA, variance)
    up, down = (moments(text, y, OMEGA + s, variance) for s in (h, -h))
    np.testing.assert_allclose((up[0] - down[0]) / (2 * h), g, rtol=2e-8, atol=2e-8)
    np.testing.assert_allclose((down[1] - up[1]) / (2 * h), minus_dg, rtol=2e-7, atol=2e-7)


@pytest.mark.parametrize("omega", [(0.3, -0.8), (1.2, 0.1)])
def test_derivatives_of_a_discrete_label_of_two_indices(omega):
    box = channel_of("sign(z1)*(2 + sign(z2 - 1/2))").kind
    assert isinstance(box, BoxChannel)
    omega, variance, h = np.array(omega), np.array([0.4, 0.7]), 1e-5
    for label, (_, g, minus_dg) in enumerate(on_boxes(box, omega, variance)):
        for k in range(2):
            up, down = (on_boxes(box, omega + s * np.eye(2)[k], variance)[label] for s in (h, -h))
            assert (up[0] - down[0]) / (2 * h) == pytest.approx(g[k], abs=1e-8)
            np.testing.assert_allclose((down[1] - up[1]) / (2 * h), minus_dg[k], atol=1e-8)


@pytest.mark.cases(1)
@pytest.mark.parametrize("text", ["sign(z1*z2)", "step(z1)*step(z2)", "sign(z1*z2*z3)", "sign(z1**2 - 1)"])
def test_sum_rules_of_discrete_labels(text):
    """sum Z = 1, sum Z g = 0, sum Z (-dg) = sum Z g g^T."""
    box = channel_of(text).kind
    q = box.dimension
    omega, variance = np.array([0.4, -0.9, 0.2])[:q], np.array([0.5, 0.8, 0.3])[:q]
    found = on_boxes(box, omega, variance)
    z = np.exp([f[0] for f in found])
    assert z.sum() == pytest.approx(1, abs=1e-13)
    np.testing.assert_allclose(sum(p * f[1] for p, f in zip(z, found, strict=True)), 0, atol=1e-13)
    square = sum(p * np.outer(f[1], f[1]) for p, f in zip(z, found, strict=True))
    np.testing.assert_allclose(sum(p * f[2] for p, f in zip(z, found, strict=True)), square, atol=1e-12)


def test_sum_rules_of_soft_labels():
    soft = channel_of("sign(z1**2 - 1 + xi)").kind
    assert isinstance(soft, SoftChannel)
    found = [along(soft, v, OMEGA, 0.6) for v in soft.values]
    z = np.exp([f[0] for f in found])
    np.testing.assert_allclose(z.sum(0), 1, atol=1e-13)
    np.testing.assert_allclose(sum(p * f[1] for p, f in zip(z, found, strict=True)), 0, atol=1e-13)
    gap = sum(p * (f[2] - f[1] ** 2) for p, f in zip(z, found, strict=True))
    np.testing.assert_allclose(gap, 0, atol=1e-12)


@pytest.mark.slow
def test_sum_rules_of_a_noisy_label():
    noisy = channel_of("abs(z1) + xi/2").kind
    assert isinstance(noisy, SoftChannel)
    y = np.arange(-6, 12, 0.05)
    found = [along(noisy, float(v), OMEGA[:2], 0.6) for v in y]
    z = np.exp([f[0] for f in found]) * 0.05
    g = np.array([f[1] for f in found])
    np.testing.assert_allclose(z.sum(0), 1, atol=1e-12)
    np.testing.assert_allclose((z * g).sum(0), 0, atol=1e-12)
    np.testing.assert_allclose((z * (np.array([f[2] for f in found]) - g**2)).sum(0), 0, atol=1e-11)


def test_square_has_a_closed_form():
    """y = z^2: g = (sqrt(y) tanh(omega sqrt(y)/V) - omega)/V."""
    y, v = 1.7, 0.35
    _, g, _ = moments("z1**2", y, OMEGA, v)
    root = math.sqrt(y)
    np.testing.assert_allclose(g, (root * np.tanh(OMEGA * root / v) - OMEGA) / v, rtol=1e-13)


def test_density_of_a_cubic_at_high_precision():
    y, omega, v = 0.6, 0.45, 0.2
    log_z, _, _ = moments("z1**3 - 3*z1", y, np.array([omega]), v)
    roots = [z.real for z in mpmath.polyroots([1, 0, -3, -y], maxsteps=200)]
    total = sum(mpmath.npdf(z, omega, mpmath.sqrt(v)) / abs(3 * z**2 - 3) for z in roots)
    assert log_z[0] == pytest.approx(float(mpmath.log(total)), abs=1e-13)


def test_atom_of_a_relu():
    log_z, g, _ = moments("relu(z1)", 0.0, OMEGA, 0.3)
    x = OMEGA / math.sqrt(0.3)
    expected = [float(mpmath.ncdf(-t)) for t in x]
    np.testing.assert_allclose(np.exp(log_z), expected, rtol=1e-12)
    density = np.exp(-0.5 * x * x) / math.sqrt(2 * math.pi * 0.3)
    np.testing.assert_allclose(g, -density / expected, rtol=1e-12)


def on_intervals(intervals, omega, variance):
    """(log Z, g, -dg) of N(omega, V) on (low, high, probability), of 60 digits."""
    with mpmath.workdps(60):
        size, z, first, second = mpmath.sqrt(mpmath.mpf(variance)), 0, 0, 0
        for low, high, p in intervals:
            a, b = ((mpmath.mpf(x) - mpmath.mpf(omega)) / size for x in (low, high))
            above = [mpmath.erfc(x / mpmath.sqrt(2)) / 2 for x in ((a, b) if a > 0 else (-b, -a))]
            at_low, at_high = (mpmath.npdf(x) if mpmath.isfinite(x) else mpmath.mpf(0) for x in (a, b))
            edges = [x * f if f else 0 for x, f in ((a, at_low), (b, at_high))]
            z += p * (above[0] - above[1])
            first, second = first + p * (at_low - at_high), second + p * (edges[0] - edges[1])
        g = first / z
        return mpmath.log(z), g / size, (g * g - second / z) / size**2


TAILS = {
    ("relu(z1)-1", -1.0): [(-math.inf, 0, 1)],
    ("relu(abs(z1)-1)", 0.0): [(-1, 1, 1)],
    ("max(min(z1,1),-1)", 1.0): [(1, math.inf, 1)],
    ("relu(z1)+sign(z2)+sign(z3)", 2.0): [(-math.inf, 0, 0.25)],
    ("sign(z1)", -1.0): [(-math.inf, 0, 1)],
    ("sign(z1**2-1)", 1.0): [(-math.inf, -1, 1), (1, math.inf, 1)],
    ("floor(z1)", 2.0): [(2, 3, 1)],
}


@pytest.mark.cases(3)
@pytest.mark.parametrize("case", TAILS)
@pytest.mark.parametrize("variance", [0.5, 0.01, 1e-4, 1e-8])
def test_labels_whose_probability_underflows(case, variance):
    """Their log Z and its derivatives are numbers: of the tail of a normal law and its Mills ratio."""
    (text, label), omega = case, np.array([6.0, -6.0, 1.5, -0.7, 0.02])
    kept = [w for w in omega if not any(low <= w <= high for low, high, _ in TAILS[case])]
    found = moments(text, label, np.array(kept), variance)
    for row, w in enumerate(kept):
        log_z, g, minus_dg = on_intervals(TAILS[case], float(w), variance)
        assert found[0][row] == pytest.approx(float(log_z), rel=1e-13)
        assert found[1][row] == pytest.approx(float(g), rel=1e-12)
        assert found[2][row] * variance == pytest.approx(float(minus_dg * variance), abs=1e-11)


def test_label_that_is_not_taken():
    with pytest.raises(InputError, match=r"y\[0\] is -1, a value that the target does not take"):
        moments("z1**2", -1.0, OMEGA, 0.5)


def test_small_variance_keeps_the_nearest_preimage():
    log_z, g, minus_dg = moments("z1**2", 4.0, np.array([1.999]), 1e-8)
    assert (
        np.isfinite(log_z[0])
        and g[0] == pytest.approx(1e-3 / 1e-8, rel=1e-9)
        and minus_dg[0] == pytest.approx(1e8)
    )


@pytest.mark.slow
def test_labels_of_the_nodes_have_all_mass():
    for text, mass in {"z1**2": 1, "relu(z1)": 0.5, "cos(3*z1)": 1, "z1**2 + sign(z1*z2*z3)": 1}.items():
        nodes = channel_of(text).kind.nodes()
        assert nodes.weights.sum() == pytest.approx(mass, abs=1e-12)


@pytest.mark.arrays
@pytest.mark.cases(1)
@pytest.mark.parametrize("text", ["z1**2 + sign(z1*z2*z3)", "relu(z1) + 2*step(z2 - 1)*step(z3)"])
def test_the_law_along_a_line_has_the_moments_of_its_discrete_coordinates(text):
    """E over labels of E[u | y] and of E[u u^T | y] - I is 0, u = (w, v); relu has an atom on each sheet."""
    found = channel_of(text).kind.quadrature()
    assert found.dimension == 3
    assert found.weights.sum() == pytest.approx(1, abs=1e-12)
    assert found.weights @ found.first == pytest.approx(np.zeros(3), abs=1e-11)
    assert found.weights @ found.second.reshape(-1, 9) == pytest.approx(np.zeros(9), abs=1e-11)


def test_symmetries_of_boxes():
    assert channel_of("sign(z1*z2*z3)").kind.orbits() == [[0, 1, 2]]
    assert channel_of("sign(z1) + 2*step(z2 - 1)").kind.orbits() == [[0], [1]]
    assert channel_of("sign(z1*z2)").kind.keeps_axes()
    assert not channel_of("step(z1)*step(z2)").kind.keeps_axes()


@pytest.mark.parametrize(
    ("text", "kind", "rows"),
    [
        ("z2**2", "SheetChannel", [[0, 1]]),
        ("exp(z1 + z2)", "SheetChannel", [[0.5**0.5, 0.5**0.5]]),
        ("sign(z1 + z2)", "BoxChannel", [[0.5**0.5, 0.5**0.5]]),
        ("max(z1,z2) + xi", "SoftChannel", [[0.5**0.5, 0.5**0.5], [0.5**0.5, -(0.5**0.5)]]),
        ("max(z1,z2) - z3", "PlaneChannel", [[6**-0.5, 6**-0.5, -2 * 6**-0.5], [0.5**0.5, -(0.5**0.5), 0]]),
    ],
)
def test_kinds_and_frames(text, kind, rows):
    found = channel_of(text)
    assert type(found.kind).__name__ == kind
    np.testing.assert_allclose(found.rows, rows, atol=1e-15)


def test_regression_in_products():
    terms = channel_of("z1**2 + sign(z1*z2*z3)").regression.terms
    point = np.array([[0.7], [-0.2], [1.1]])
    total = sum(t.coefficient * math.prod(f.value(point[k])[0] for k, f in t.factors.items()) for t in terms)
    assert total == pytest.approx(0.49 - 1)


def test_what_is_not_covered_says_so():
    with pytest.raises(UnsupportedExpression, match="has no engine: labels of up to 8 coordinates are taken"):
        channel_of("+".join(f"sin(z{k}*z{k + 1})" for k in range(1, 9)))


def test_signs_of_omega_give_signs_of_g():
    box = channel_of("sign(z1*z2)").kind
    omega, variance = np.array([0.3, 0.9]), np.array([0.5, 0.5])
    _, g, _ = on_boxes(box, omega, variance)[0]
    for s in itertools.product((1, -1), repeat=2):
        label = 0 if s[0] * s[1] > 0 else 1
        np.testing.assert_allclose(on_boxes(box, omega * s, variance)[label][1], g * s, atol=1e-14)
