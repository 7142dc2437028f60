"""Exponents of the three scenarios, and the spectral proxy of the first one of them at finite d."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from hermite_analytics import InputError
from hermite_analytics.numeric import ThreeLayer


def test_exponents_of_the_cubic_tree():
    """p = He2/2 + He3/6 and sqrt(d) directions: 2 and 3 without features, 3/2 with them."""
    found = ThreeLayer((2, 3), 0.5).solve()
    assert found.directions == Fraction(3, 2) and found.representation == Fraction(3, 2)
    assert dict(found.parts[0]) == {2: 2, 3: 3}
    assert dict(found.parts[1]) == dict(found.parts[2]) == {2: Fraction(3, 2), 3: Fraction(3, 2)}
    assert found.scenarios == (3, Fraction(3, 2), Fraction(3, 2)) and found.gain == Fraction(3, 2)


def test_depth_pays_in_the_outer_function():
    found = ThreeLayer((2, 3), 0.5).solve(orders=3)
    without, directions, deep = found.composition
    assert [without[j] for j in (1, 2, 3)] == [3, 6, 9]
    assert [directions[j] for j in (1, 2, 3)] == [Fraction(3, 2), 3, Fraction(9, 2)]
    assert [deep[j] for j in (1, 2, 3)] == [Fraction(3, 2)] * 3


@pytest.mark.parametrize(
    ("degrees", "epsilon", "expected"),
    [
        ((2,), 0.5, "3/2"),
        ((2, 4), 0.5, "2"),
        ((2, 3), 0.75, "9/4"),
        ((2, 3), 0.1, "11/10"),
        ((2, 3), "0.3", "13/10"),
    ],
)
def test_the_later_of_directions_and_fit(degrees, epsilon, expected):
    assert ThreeLayer(degrees, epsilon).solve().scenarios[2] == Fraction(expected)


def test_document_and_plot():
    import matplotlib

    matplotlib.use("Agg")
    found = ThreeLayer([3, 2], 0.5).solve()
    rows = found.to_dict()["results"]
    assert [row["exponent"] for row in rows] == [3.0, 1.5, 1.5]
    assert [row["directions"] for row in rows] == [None, 1.5, 1.5]
    assert [row["representation"] for row in rows] == [None, None, 1.5]
    assert rows[1]["parts"] == {"degree_2": 1.5, "degree_3": 1.5}
    assert len(found.plot().lines) == 3


@pytest.mark.parametrize(
    ("degrees", "epsilon", "text"),
    [
        ((3,), 0.5, r"degrees is \(3,\); degree 2 must be among them"),
        ((1, 2), 0.5, r"degrees is \(1, 2\); integers from 2 to 100 are accepted"),
        ((2.5, 2), 0.5, "integers from 2 to 100 are accepted"),
        ((), 0.5, "integers from 2 to 100 are accepted"),
        ("x", 0.5, r"degrees is 'x'; integers >= 2 are accepted, such as \(2, 3\)"),
        ((2, 3), 1.5, "epsilon is 1.5; accepted: 0 < epsilon < 1"),
        ((2, 3), 0, "epsilon is 0; accepted: 0 < epsilon < 1"),
        ((2, 3), "many", "epsilon is 'many'; a finite number is accepted"),
    ],
)
def test_bad_input(degrees, epsilon, text):
    with pytest.raises(InputError, match=text):
        ThreeLayer(degrees, epsilon)
    with pytest.raises(InputError, match="orders is 0; accepted: an integer from 1 to 100"):
        ThreeLayer((2, 3), 0.5).solve(orders=0)


def test_spectral_threshold():
    tree = ThreeLayer((2, 3), 0.5)
    assert [tree.spectral_overlap_is_learned(k) for k in (1.4, 1.5, 1.6)] == [False, None, True]
    assert tree.spectral_chance(400) == 0.05 and tree.spectral_chance(225) == pytest.approx(1 / 15)
    with pytest.raises(InputError, match="d is 1; an integer >= 2 is accepted"):
        tree.spectral_chance(1)


def proxy_overlap(d: int, kappa: float, seed: int) -> float:
    """|P V|^2/d_eff of the top eigenvectors, by modulus, of (1/n) sum y (x x^T - I); y = tanh(3 h)."""
    rng = np.random.default_rng(seed)
    inner, n = round(d**0.5), round(d**kappa)
    signs = rng.choice([-1.0, 1.0], size=inner)
    matrix, mean, left = np.zeros((d, d)), 0.0, n
    while left:
        size = min(left, 8192)
        x = rng.normal(size=(size, d))
        z = x[:, :inner]  # the directions are the first axes, without loss of generality
        h = ((z**2 - 1) / 2 + (z**3 - 3 * z) / 6) @ signs / np.sqrt(inner)
        y = np.tanh(3 * h)
        matrix += (x * y[:, None]).T @ x
        mean, left = mean + y.sum(), left - size
    values, vectors = np.linalg.eigh((matrix - mean * np.eye(d)) / n)
    top = vectors[:, np.argsort(-np.abs(values))[:inner]]
    return float(np.sum(top[:inner] ** 2) / inner)


@pytest.mark.slow
@pytest.mark.parametrize("d", [100, 225, 400])
def test_spectral_proxy_crosses_at_three_halves(d):
    """Curves of different d cross at kappa = 1 + epsilon; the means of 6 seeds have errors of about 0.01."""
    tree = ThreeLayer((2, 3), 0.5)
    below, at, above = (np.mean([proxy_overlap(d, k, seed) for seed in range(6)]) for k in (1.0, 1.5, 1.75))
    assert at == pytest.approx(0.33, abs=0.04)
    assert below < 3 * tree.spectral_chance(d) and above > 0.7
