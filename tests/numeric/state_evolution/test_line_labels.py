"""F of labels of one coordinate from label nodes, against integrals of the closed form of Z."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import ndtr

from hermite_analytics.label.channel import channel_of
from hermite_analytics.numeric import StateEvolution
from hermite_analytics.numeric.bayes.maps.label_map import LabelMap
from hermite_analytics.numeric.bayes.maps.overlap_map import special_map_of

Array = NDArray[np.float64]


def normal_rule(step: float) -> tuple[Array, Array]:
    t = step * np.arange(-math.ceil(9.5 / step), math.ceil(9.5 / step) + 1)
    return t, step * np.exp(-0.5 * t * t) / math.sqrt(2 * math.pi)


def square(m: float) -> float:
    """Of z^2: E[z | y, omega] = |z| tanh(omega |z|/V), over z and omega = m z + sqrt(m V) xi."""
    v = 1 - m
    x, w = np.polynomial.legendre.leggauss(60)
    z = np.concatenate([k + 0.5 + x / 2 for k in range(10)])
    p = np.tile(w / 2, 10) * np.exp(-0.5 * z * z) * math.sqrt(2 / math.pi)
    xi, q = normal_rule(0.02)
    omega = m * z[:, None] + math.sqrt(m * v) * xi
    g = (z[:, None] * np.tanh(omega * z[:, None] / v) - omega) / v
    return float(p @ g**2 @ q)


def rectified(m: float) -> float:
    """Of relu: z itself above 0, P(z < 0) = Phi(-omega/sqrt(V)) at the atom."""
    v = 1 - m
    t, p = normal_rule(0.005)
    x = math.sqrt(m) * t / math.sqrt(v)
    density = np.exp(-0.5 * x * x) / math.sqrt(2 * math.pi)
    seen = ndtr(x) - x * density  # E[u^2; u > -x] of u ~ N(0, 1)
    return float(p @ (seen + density**2 / ndtr(-x))) / v


def noisy_sign(m: float) -> float:
    """Of sign(z + xi/2): Z = Phi(+-omega/s) with s^2 = V + 1/4."""
    t, p = normal_rule(0.02)
    s = math.sqrt(1.25 - m)
    x = math.sqrt(m) * t / s
    density = np.exp(-0.5 * x * x) / math.sqrt(2 * math.pi)
    return float(p @ (density**2 / (ndtr(x) * ndtr(-x)))) / s**2


def noisy_square(m: float, size: float) -> tuple[float, float]:
    """Of y = z^2 + size xi: E g^2 and E[E[xi | y]^2], by sums over z, y and omega."""
    v, t, p = 1 - m, *normal_rule(0.07)
    u, q = normal_rule(0.08)
    y = np.arange(-9 * size, 80, 0.2 * size)
    found = np.zeros(2)
    for omega, weight in zip(math.sqrt(m) * t, p, strict=True):
        x = (y[:, None] - (omega + math.sqrt(v) * u) ** 2) / size
        law = np.exp(-0.5 * x * x) / math.sqrt(2 * math.pi) * q
        z = np.maximum(law.sum(1), 1e-300)
        first = np.stack([law @ u / math.sqrt(v), (law * x).sum(1)])
        found += weight * 0.2 * (first**2 / z).sum(1)
    return float(found[0]), float(found[1])


def check(text: str, m: float, expected: float, digits: float) -> None:
    channel = channel_of(text)
    found = special_map_of(channel.kind, channel.seen)
    assert found is not None
    fine, coarse = found.at_number(m), found.at_number(m, 0)
    assert fine == pytest.approx(expected, rel=digits)
    assert abs(fine - expected) <= abs(fine - coarse) + 1e-12 * expected  # what is stated covers the error


@pytest.mark.parametrize("m", [0.3, 0.7, 0.95])
def test_preimages(m):
    check("z1**2", m, square(m), 3e-10)


@pytest.mark.parametrize("m", [0.2, 0.9])
def test_an_atom_beside_preimages(m):
    check("relu(z1)", m, rectified(m), 1e-11)


@pytest.mark.parametrize("m", [0.0, 0.4, 0.99])
def test_finitely_many_labels_with_noise_inside(m):
    check("sign(z1+xi/2)", m, noisy_sign(m), 1e-12)


@pytest.mark.slow
def test_noise_is_added():
    check("z1**2+xi", 0.49, noisy_square(0.49, 1.0)[0], 1e-11)


def test_a_coordinate_that_enters_as_noise():
    """What is unknown of l, 1/2 of its variance, is noise; its slope adds E[xi | y] to F."""
    channel = channel_of("z1+z2**2+xi")
    overlap_map = LabelMap.of_line(channel.kind)
    of_w, of_l = noisy_square(0.4, math.sqrt(1.5))
    found = overlap_map(np.diag([0.5, 0.4]))
    assert found == pytest.approx(np.diag([of_l / 1.5, of_w]), rel=1e-10)


def test_boxes_along_the_coordinates():
    """step(z1)*step(z2): Z = Phi(x1) Phi(x2) at x_k = omega_k/sqrt(V_k), and 1 - Z."""
    m, (t, p) = np.array([0.9, 0.3]), normal_rule(0.02)
    x = np.sqrt(m / (1 - m))[:, None] * t
    density = np.exp(-0.5 * x * x) / np.sqrt(2 * math.pi * (1 - m))[:, None]
    z = np.multiply.outer(ndtr(x[0]), ndtr(x[1]))
    other = ndtr(-x[0])[:, None] + np.multiply.outer(ndtr(x[0]), ndtr(-x[1]))
    slopes = [np.multiply.outer(density[0], ndtr(x[1])), np.multiply.outer(ndtr(x[0]), density[1])]
    expected = [[float((np.multiply.outer(p, p) / z / other * a * b).sum()) for b in slopes] for a in slopes]
    found = LabelMap.of_boxes(channel_of("step(z1)*step(z2)").kind)(np.diag(m))
    assert found == pytest.approx(np.array(expected), rel=1e-12)


@pytest.mark.parametrize("overlaps", [(0.6, 0.6, 0.6), (0.6, 0.6, 0.3)])
def test_boxes_of_coordinates_that_are_alike(overlaps):
    """sign(z1*z2*z3): Z = (1 + e1 e2 e3)/2 with e_k = E[sign z_k]; at M = m I one entry of F is all."""
    m, (t, p) = np.array(overlaps), normal_rule(0.2)
    x = np.sqrt(m / (1 - m))[:, None] * t
    e = [row.reshape(np.roll([-1, 1, 1], k)) for k, row in enumerate(2 * ndtr(x) - 1)]
    slopes = 2 * np.exp(-0.5 * x * x) / np.sqrt(2 * math.pi * (1 - m))[:, None]
    rest, weights = (
        np.maximum(1 - (e[0] * e[1] * e[2]) ** 2, 1e-15),
        functools.reduce(np.multiply.outer, (p, p, p)),
    )
    expected = [
        float((weights * (s.reshape(e[k].shape) * e[k - 1] * e[k - 2]) ** 2 / rest).sum())
        for k, s in enumerate(slopes)
    ]
    found = LabelMap.of_boxes(channel_of("sign(z1*z2*z3)").kind)(np.diag(m))
    assert found == pytest.approx(np.diag(expected), abs=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize("text", ["sign(z1)*step(z2-1/2)", "sign(z1*z2)+step(z1)+xi/2"])
def test_boxes_by_products_and_by_regions(text):
    """M = 1/4 I lies along the coordinates, and 1e-11 beside it only about."""
    overlap_map = LabelMap.of_boxes(channel_of(text).kind)
    matrix = 0.25 * np.eye(2)
    beside = overlap_map(matrix + 1e-11 * (1 - np.eye(2)))
    assert beside == pytest.approx(overlap_map(matrix), abs=2e-10)
    assert np.diag(beside).min() > 1e-3


@pytest.mark.parametrize("m", [0.3, 0.7, 0.95])
def test_phase_retrieval_to_twelve_digits(m):
    """F of z^2: the two preimages weigh cosh, by a fine rule of its own."""
    v = 1 - m
    t = np.arange(-450, 451) * 0.02
    p = 0.02 * np.exp(-t * t / 2) / np.sqrt(2 * np.pi)
    z = t[:, None]
    omega = m * z + np.sqrt(m * v) * t
    exact = (p[:, None] * p * (z * np.tanh(z * omega / v) - omega) ** 2).sum() / v**2
    found = StateEvolution("z1**2").overlap_map([[m]]).item()
    assert found == pytest.approx(exact, rel=2e-12)


def periodic(frequency: float, period: float, m: float) -> float:
    """Of an even function of frequency z, one to one on half a period, by sums over phase and omega."""
    v, count = 1 - m, 80
    phase = period * (np.arange(count) + 0.5) / (2 * count)
    turns = period * np.arange(-20, 21)
    z = np.concatenate([(s * phase[:, None] + turns) / frequency for s in (1, -1)], axis=1)
    t, q = normal_rule(0.1)
    away = z[:, None] - math.sqrt(m) * t[:, None]
    p = np.exp(-0.5 * away**2 / v) / math.sqrt(2 * math.pi * v)
    mass, first = p.sum(2), (p * away).sum(2) / v
    return float((first**2 / mass).sum(0) @ q) * period / (2 * count * frequency)


@pytest.mark.slow
@pytest.mark.arrays
@pytest.mark.parametrize(
    ("text", "frequency", "period"),
    [("cos(3*z1)", 3.0, 2 * math.pi), ("cos(z1)**2", 2.0, 2 * math.pi), ("abs(sin(2*z1))", 2.0, math.pi)],
)
def test_preimages_beside_extrema_of_one_height(text: str, frequency: float, period: float) -> None:
    """From the label alone F was off by 4e-7 to 7e-5 of itself, and its error a quarter of that."""
    model = StateEvolution(text)
    for m in (0.01, 0.3, 0.5):
        truth = periodic(frequency, period, m)
        assert model.overlap_map([[m]]).item() == pytest.approx(truth, rel=1e-10)
    truth = periodic(frequency, period, 0.01)
    solution = model.solve(alpha=0.01 / (0.99 * truth))
    assert abs(solution.overlap[0, 0] - 0.01) <= float(solution.numerical_error) <= 1e-8


def sign_beside_a_wave(frequency: float, m: float) -> float:
    """F of z2 in cos(frequency z1) sign(z2), z1 unknown, by sums over phase and omega: two cases a label."""
    v, count = 1 - m, 200
    phase = 0.5 * math.pi * (np.arange(count) + 0.5) / count
    turns = 2 * math.pi * np.arange(-20, 21)
    plus, minus = (
        sum(np.exp(-0.5 * ((s * x[:, None] + turns) / frequency) ** 2).sum(1) for s in (1, -1))
        for x in (phase, math.pi - phase)
    )
    t, weight = normal_rule(0.05)
    up, density = ndtr(math.sqrt(m / v) * t), np.exp(-0.5 * m / v * t * t) / math.sqrt(2 * math.pi)
    one, other = (np.outer(a, up) + np.outer(b, 1 - up) for a, b in ((plus, minus), (minus, plus)))
    terms = (plus - minus)[:, None] ** 2 * density**2 * (1 / one + 1 / other)
    return float((terms @ weight).sum() / (plus + minus).sum() / v)


@pytest.mark.slow
@pytest.mark.arrays
@pytest.mark.parametrize(("frequency", "alpha"), [(3, 0.5), (2, 0.5), (3, 60.0)])
def test_lost_labels_are_in_the_error(frequency: int, alpha: float) -> None:
    """Curves of one height are told apart by the label alone: the error was up to 30 times too small."""
    solution = StateEvolution(f"cos({frequency}*z1)*sign(z2)").solve(alpha=alpha)
    low, high = 0.0, 0.999
    for _ in range(60):
        m = 0.5 * (low + high)
        f = alpha * sign_beside_a_wave(frequency, m)
        low, high = (m, high) if f / (1 + f) > m else (low, m)
    assert solution.overlap[0, 0] == pytest.approx(0.0, abs=1e-12)
    assert abs(solution.overlap[1, 1] - low) <= float(solution.numerical_error) < 1e-5
