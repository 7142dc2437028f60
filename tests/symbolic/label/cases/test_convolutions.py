"""Sums, products and compositions of independent labels, and label noise."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import k0, k1

from hermite_analytics import weak_recovery
from hermite_analytics.label.cases.parts.branches import Term, term_density
from hermite_analytics.label.cases.parts.composition import composed_density
from hermite_analytics.label.cases.parts.convolution import added, multiplied
from hermite_analytics.label.cases.parts.smoothed import smoothed_density
from tests.symbolic.label.terms import (
    COSINE,
    ERF,
    FOURTH,
    HERMITE4,
    LINEAR,
    MODULUS,
    RELU,
    SIGN,
    SINE,
    SQUARE,
    TWICE_SQUARE,
    check_law,
    noise_term,
    product_density,
    sum_density,
    threshold,
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pieces", "alpha"),
    [
        ([SQUARE, SQUARE], 1.0),  # r/2
        ([SQUARE, SQUARE, SQUARE], 1.5),
        ([MODULUS, MODULUS], 1.0679875404),
        ([MODULUS] * 3, 1.6378683918),
        ([SQUARE, TWICE_SQUARE], 0.6157200149),
        ([FOURTH, FOURTH], 1.0281662328),
    ],
)
def test_sums(pieces, alpha):
    law = sum_density(pieces)
    check_law(law)
    assert threshold(law) == pytest.approx(alpha, abs=2e-9)


@pytest.mark.slow
@pytest.mark.parametrize(
    "pieces",
    [
        pytest.param([SINE, SINE], marks=pytest.mark.slow),
        [COSINE, COSINE],
        [RELU, RELU],
        [COSINE, RELU],
        [SIGN, MODULUS],
    ],
)
def test_sums_agree_with_their_refinement(pieces):
    coarse, fine = sum_density(pieces), sum_density(pieces, level=2)
    check_law(coarse)
    check_law(fine, 1e-11)
    assert threshold(coarse) == pytest.approx(threshold(fine), rel=5e-9)


@pytest.mark.slow
def test_sums_of_three_bounded_pieces():
    coarse, fine = sum_density([ERF] * 3), sum_density([ERF] * 3, level=2)
    check_law(fine, 1e-11)
    assert threshold(coarse) == pytest.approx(threshold(fine), rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("pieces", [[RELU, COSINE], [MODULUS, SQUARE, FOURTH]])
def test_sums_commute(pieces):
    nodes, back = (sum_density(p).quadrature() for p in (pieces, pieces[::-1]))
    np.testing.assert_allclose(
        nodes.weights @ nodes.second[:, 0, 0] ** 2, back.weights @ back.second[:, -1, -1] ** 2
    )


def test_atoms_of_a_sum():
    law = sum_density([RELU, RELU])
    phi = 1 / math.sqrt(2 * math.pi)
    assert law.atoms.tolist() == [0.0]
    np.testing.assert_allclose(law.atom_values[0], [0.25, -phi / 2, -phi / 2, 0, phi**2, 0], atol=1e-14)


def test_labels_of_a_sum_have_its_moments():
    y, values = sum_density([SQUARE, COSINE]).labels()
    assert y @ values[:, 0] == pytest.approx(1 + math.exp(-0.5), abs=1e-9)
    assert y @ values[:, 3] == pytest.approx(2.0, abs=1e-8)  # E[(w1^2 - 1) y]
    assert y @ values[:, 5] == pytest.approx(-math.exp(-0.5), abs=1e-9)  # E[(w2^2 - 1) cos w2]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pieces", "noise", "alpha"),
    [
        ([MODULUS], 1.0, 1.7620599188),
        ([MODULUS], 0.5, 0.7740222985),
        ([SQUARE], 1.0, 0.64659060),
    ],
)
def test_noise(pieces, noise, alpha):
    law = sum_density(pieces, noise=noise)
    check_law(law)
    assert threshold(law) == pytest.approx(alpha, abs=2e-9)


@pytest.mark.slow
def test_noise_is_one_more_term():
    smooth = sum_density([SQUARE], noise=0.4, level=2)
    convolved = added(term_density(SQUARE, level=3), term_density(noise_term(0.4), level=3))
    assert convolved.dimension == 1
    assert threshold(smooth) == pytest.approx(threshold(convolved), rel=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("noise", [pytest.param(0.05, marks=pytest.mark.slow), 1.0])
def test_noise_on_a_steep_label(noise):
    coarse, fine = (sum_density([HERMITE4], noise=noise, level=level) for level in (1, 2))
    check_law(coarse, 1e-11)
    assert threshold(coarse) == pytest.approx(threshold(fine), rel=2e-9)


@pytest.mark.slow
def test_noise_against_quadrature_over_the_signal():
    # E[phi((y - cos w)/s)/s] and its second moment by the trapezoid rule in w and y
    s = 0.3
    w = np.linspace(-9, 9, 4001)
    y = np.linspace(-1 - 9 * s, 1 + 9 * s, 3001)
    joint = (
        np.exp(-0.5 * w**2 - 0.5 * ((y[:, None] - np.cos(w)) / s) ** 2) / (2 * math.pi * s) * (w[1] - w[0])
    )
    p, m = joint.sum(1), joint @ (w**2 - 1)
    expected = 1 / np.sum(m**2 / p * (y[1] - y[0]))
    assert threshold(sum_density([COSINE], noise=s)) == pytest.approx(expected, rel=1e-9)


def test_noisy_sign():
    law = smoothed_density(product_density([SIGN, SIGN]), 1.0)
    check_law(law, 1e-11)
    assert threshold(law) == pytest.approx(4.48291951, abs=1e-8)


@pytest.mark.slow
def test_a_part_that_is_cut_off_keeps_its_atom():
    """min(xi, 1), which rounds to 1 - 1e-16 where it is constant: P(xi > 1) was lost.

    The number is by panels in z and y, where y = 1 + cos takes the poles of the density at 0 and 2 out.
    """
    found = weak_recovery("cos(z1) + min(xi, 1)").alpha_c
    assert "convolution" in found.reason
    assert found.value == pytest.approx(2.4330560184, abs=2e-10) and found.error < 1e-9


@pytest.mark.slow
def test_noisy_product():
    factor = term_density(LINEAR, extra=(0.0,))
    law = smoothed_density(multiplied(factor, factor), 1.0)
    check_law(law)
    assert threshold(law) == pytest.approx(1.1863871080, abs=2e-9)


@pytest.mark.cases(2)
@pytest.mark.parametrize(("count", "alpha"), [(2, 0.5937510982), (3, 2.5651804019), (4, 3.7250774241)])
def test_products(count, alpha):
    law = product_density([LINEAR] * count)
    check_law(law)
    assert threshold(law) == pytest.approx(alpha, abs=5e-9)


def test_product_of_two_is_the_bessel_law():
    nodes = product_density([LINEAR, LINEAR]).quadrature()
    y, _ = product_density([LINEAR, LINEAR]).labels()
    inside = (np.abs(y) > 1e-3) & (np.abs(y) < 8)
    a = np.abs(y) * k1(np.abs(y)) / k0(np.abs(y)) - 1
    np.testing.assert_allclose(nodes.second[inside, 0, 0], a[inside], atol=1e-7)
    np.testing.assert_allclose(nodes.second[inside, 0, 1], y[inside], atol=1e-7)


def test_products_with_atoms():
    coarse, fine = product_density([RELU, RELU]), product_density([RELU, RELU], level=2)
    check_law(coarse)
    assert coarse.atoms.tolist() == [0.0]
    assert coarse.atom_values[0, 0] == pytest.approx(0.75, abs=1e-9)
    assert threshold(coarse) == pytest.approx(threshold(fine), rel=1e-9)


def test_product_of_steps_is_a_parity():
    law = product_density([SIGN, SIGN])
    assert law.atoms.tolist() == [-1.0, 1.0]
    assert threshold(law) == pytest.approx(math.pi**2 / 4, abs=1e-13)


@pytest.mark.slow
def test_product_with_a_bounded_factor():
    coarse, fine = product_density([SINE, LINEAR]), product_density([SINE, LINEAR], level=2)
    check_law(coarse)
    assert threshold(coarse) == pytest.approx(threshold(fine), rel=1e-9)


@pytest.mark.slow
def test_a_composed_label():
    factor = term_density(LINEAR, level=2, extra=(0.0,))
    product = multiplied(factor, factor)
    squared = product_density([SQUARE, SQUARE])
    assert threshold(composed_density(SQUARE, product)) == pytest.approx(threshold(squared), rel=1e-9)
    assert threshold(composed_density(MODULUS, product)) == pytest.approx(threshold(squared), rel=1e-9)
    shifted = Term(value=lambda t: t + 3.0, derivative=np.ones_like)
    assert threshold(composed_density(shifted, product)) == pytest.approx(threshold(product), rel=1e-10)


def test_composition_makes_atoms():
    law = composed_density(RELU, term_density(LINEAR, extra=(0.0,)))
    check_law(law, 1e-10)
    np.testing.assert_allclose(law.atom_values, [[0.5, -1 / math.sqrt(2 * math.pi), 0.0]], atol=1e-10)


@pytest.mark.slow
def test_against_binned_samples():
    """E[G_11^2] of sin(w1) + |w2| - relu(w3) within 4.5 standard errors: false alarms 7e-6."""
    minus_relu = Term(value=lambda w: -np.maximum(w, 0), derivative=lambda w: -1.0 * (w > 0), points=[0.0])
    nodes = sum_density([SINE, MODULUS, minus_relu]).quadrature()
    rng = np.random.default_rng(20240601)
    found = []
    for _ in range(20):
        w = rng.standard_normal((2**17, 3))
        y = np.sin(w[:, 0]) + np.abs(w[:, 1]) - np.maximum(w[:, 2], 0)
        g = (w**2 - 1)[np.argsort(y)].reshape(-1, 32, 3)
        found.append(((32 * g.mean(1)) ** 2 - (g**2).sum(1)).mean(0) / (32 * 31))
    mean, error = np.mean(found, 0), np.std(found, 0, ddof=1) / math.sqrt(20)
    expected = np.einsum("n,nii->i", nodes.weights, nodes.second**2)
    assert np.all(np.abs(mean - expected) < 4.5 * error)
