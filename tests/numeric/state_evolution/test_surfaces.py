"""State evolution of labels of three coordinates with finitely many values and one curved surface."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.special import k0, ndtr
from scipy.stats import chi2

from hermite_analytics.label.channel import channel_of
from hermite_analytics.numeric import StateEvolution
from hermite_analytics.numeric.bayes.maps.label_map import LabelMap
from hermite_analytics.numeric.bayes.maps.overlap_map import map_of

X, WEIGHTS = (0.5 * a for a in np.polynomial.legendre.leggauss(120))
X = np.concatenate([0.5 + X, 1 + 4.6 * (0.5 + X) / 2])  # |z1 z2|^(1/3), split at 1
WEIGHTS = np.concatenate([WEIGHTS, 2.3 * WEIGHTS]) * 3 * X**2 * k0(X**3) / math.pi
PRODUCT = np.concatenate([-(X**3), X**3])
WEIGHTS = np.concatenate([WEIGHTS, WEIGHTS])


def of_product(function):
    """E f(z1 z2), with the density K0(|p|)/pi; f may have kinks at -1 and 1."""
    return float(WEIGHTS @ function(PRODUCT))


@pytest.mark.slow
def test_a_product_against_the_third_coordinate():
    """F where only z3 is known in part: P(y = 1 | omega) = E Phi((omega + z1 z2)/sqrt(1 - m))."""
    channel = channel_of("sign(z1*z2+z3)")
    third = int(np.argmax(np.abs(channel.rows[:, 2])))
    found = map_of(channel)[0].overlap_map
    assert isinstance(found, LabelMap)
    m, width = 0.6, math.sqrt(0.4)
    t = np.linspace(-7, 7, 141)
    omega = math.sqrt(m) * t
    z = np.array([of_product(lambda p, w=w: ndtr((w + p) / width)) for w in omega])
    slope = np.array([
        of_product(lambda p, w=w: np.exp(-0.5 * ((w + p) / width) ** 2)) / (width * math.sqrt(2 * math.pi))
        for w in omega
    ])  # fmt: skip
    weight = 0.1 * np.exp(-0.5 * t * t) / math.sqrt(2 * math.pi)
    expected = float(weight @ (slope**2 / (z * (1 - z))))
    matrix = np.zeros((3, 3))
    matrix[third, third] = m
    assert found(matrix)[third, third] == pytest.approx(expected, rel=2e-5)
    none = found(np.zeros((3, 3)))
    at_zero = 2 * of_product(lambda p: np.exp(-0.5 * p * p)) / math.sqrt(2 * math.pi)  # E[y z3]
    assert none[third, third] == pytest.approx(at_zero**2, rel=2e-5)
    assert np.abs(np.delete(np.diag(none), third)).max() < 1e-12


@pytest.mark.slow
def test_inside_or_outside_a_sphere():
    """The slope of F at 0: sum_y P(y) (E[z1^2 - 1 | y])^2 by chi-squared laws."""
    found = map_of(channel_of("sign(z1**2+z2**2+z3**2-3)"))[0].overlap_map
    assert isinstance(found, LabelMap)
    p = chi2.cdf(3, 3)
    second = chi2.cdf(3, 5) - p  # E[(z1^2 - 1) 1{|z|^2 < 3}]
    slope = second**2 / p + second**2 / (1 - p)
    m = 1e-6
    assert np.diag(found(m * np.eye(3))) / m == pytest.approx(slope, rel=1e-4)


@pytest.mark.slow
def test_a_plane_and_a_surface():
    """sign(z1 z2 + |z3| - 1): four labels' worth of cells; E[z_k | y] = 0, P(y = 1) by quadrature."""
    channel = channel_of("sign(z1*z2+abs(z3)-1)+1/2")
    found = map_of(channel)[0].overlap_map
    assert isinstance(found, LabelMap)
    nodes = found.channel.label_nodes(1)
    upper = float(nodes.masses[nodes.starts[-2] :].sum())
    expected = of_product(lambda p: 2 * ndtr(-np.maximum(1 - p, 0.0)))
    assert len(nodes.labels) == 2 and upper == pytest.approx(expected, abs=1e-5)
    assert np.abs(found(np.zeros((3, 3)), level=0)).max() < 1e-10


def of_a_gated_surface(m):
    """F(m I) of sign(z1) sign(z2 - b), b = -z1 z3 (1 + z3): z2 in closed form, z1 on both sides of 0.

    The label is the same at (-z1, -z2, z3): the first omega is above 0.
    """
    size = np.sqrt(1 - m)
    x, w = np.polynomial.legendre.leggauss(60)
    x, w = np.concatenate([x - 1, x + 1]) * 4.0, np.concatenate([w, w]) * 4.0  # z1 in (-8, 8)
    u, p = np.polynomial.hermite_e.hermegauss(80)
    t, q = np.polynomial.hermite_e.hermegauss(16)
    found = np.zeros((3, 3))
    for (i, j, k), omega in zip(
        itertools.product(range(16), repeat=3), itertools.product(t, repeat=3), strict=True
    ):
        if i < 8 or q[i] * q[j] * q[k] < 1e-11 * q.sum() ** 3:
            continue
        one, two, three = np.sqrt(m) * np.array(omega)
        z1, z3 = x[:, None], three + size * u[None, :]
        law = w[:, None] * np.exp(-(((z1 - one) / size) ** 2) / 2) / size / np.sqrt(2 * np.pi) * p / p.sum()
        a = np.sign(z1) * (two + z1 * z3 * (1 + z3)) / size
        z = float((law * ndtr(a)).sum())
        slope = np.array(
            [
                (law * ndtr(a) * (z1 - one)).sum() / size**2,
                (law * np.sign(z1) * np.exp(-a * a / 2)).sum() / np.sqrt(2 * np.pi) / size,
                (law * ndtr(a) * u).sum() / size,
            ]
        )
        found += q[i] * q[j] * q[k] / q.sum() ** 3 * np.outer(slope, slope) / (z * (1 - z))
    mirror = np.diag([-1.0, -1.0, 1.0])
    return found + mirror @ found @ mirror


@pytest.mark.slow
def test_a_surface_that_is_odd_where_the_label_is_not():
    """diag(-1, -1, 1) changes the sign of g and of z1: a label is taken on both sides of the surface."""
    found = StateEvolution("sign(z1)*sign(z1*z3 + z2 + z1*z3**2)").overlap_map(0.3 * np.eye(3))
    assert found == pytest.approx(of_a_gated_surface(0.3), abs=1e-5)
