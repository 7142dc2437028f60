"""Labels in which a logarithm oscillates or is quantised, against sums over their preimages and intervals.

y = sin(c log|z|): log|z| is (t + 2 pi k)/c or (pi - t + 2 pi k)/c with sin t = y, each with the same slope:
a preimage x has the weight phi(x) x beside the others.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from scipy.special import ndtr
from sympy import Rational, sign

import hermite_analytics as ha
from hermite_analytics.label.cases.values.latent import latent_coordinates
from hermite_analytics.label.channel import channel_of
from hermite_analytics.numeric import StateEvolution
from hermite_analytics.numeric.bayes.maps.label_map import LabelMap
from hermite_analytics.symbols import variable


def preimages(c: int) -> tuple[np.ndarray, np.ndarray]:
    """(points x > 0, weights of dt), shapes (labels, preimages), by the midpoint rule in t over a period."""
    count = 200
    t = (np.arange(count) + 0.5) * np.pi / count - np.pi / 2
    turns = 2 * np.pi * np.arange(-12 * c, 2 * c)
    logs = np.stack([t[:, None] + turns, np.pi - t[:, None] + turns], axis=1).reshape(count, -1) / c
    return np.exp(np.clip(logs, -36, 3.2)), np.full(logs.shape, np.pi / count / c) * (np.abs(logs - 1) < 35)


def information(c: int, m: float) -> float:
    """F(m) = E (dZ/domega)^2/Z^2, z ~ N(omega, 1 - m) and omega ~ N(0, m)."""
    x, w = preimages(c)
    v, total = 1 - m, 0.0
    nodes, chances = np.polynomial.hermite_e.hermegauss(300)
    for omega, chance in zip(np.sqrt(m) * nodes, chances / np.sqrt(2 * np.pi), strict=True):
        p = [w * x * np.exp(-((s * x - omega) ** 2) / 2 / v) / np.sqrt(2 * np.pi * v) for s in (1, -1)]
        z = p[0].sum(1) + p[1].sum(1)
        slope = ((x - omega) * p[0] - (x + omega) * p[1]).sum(1) / v
        total += chance * float((slope**2 / np.maximum(z, 1e-300)).sum())
    return total


OSCILLATING = [("sin(log(abs(z1)))", 1, 1.0), ("sin(log(z1**2))", 2, 2.5)]


@pytest.mark.slow
@pytest.mark.parametrize(("text", "c", "alpha"), OSCILLATING)
def test_oscillating_logarithm(text: str, c: int, alpha: float) -> None:
    """Its pieces at |z| = exp(-k pi/c), of which a uniform grid saw a few."""
    x, w = preimages(c)
    p = 2 * w * x * np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi)
    assert p.sum() == pytest.approx(1, abs=1e-13)
    weak = 1 / ((p * (x**2 - 1)).sum(1) ** 2 / p.sum(1)).sum()
    (stage,) = ha.weak_recovery(text).stages
    assert abs(stage.alpha_c.value - weak) <= stage.alpha_c.error + 1e-13 < 1e-10
    model = StateEvolution(text)
    assert model.weak_recovery() == pytest.approx(weak, rel=1e-10)
    found = model.solve(alpha=alpha)
    m, step = float(found.overlap.squeeze()), 1e-4

    def residual(m: float) -> float:
        f = alpha * information(c, m)
        return f / (1 + f) - m

    slope = (residual(m + step) - residual(m - step)) / (2 * step)
    assert abs(residual(m) / slope) < 1e-8
    assert float(found.numerical_error) < 1e-8
    assert 0 < float(found.test_error) < 0.5


@pytest.mark.slow
@pytest.mark.arrays
def test_quantised_logarithm() -> None:
    """-2, -1, 0, 1 and, beyond e^2, 2: the argument of the last step was 0 there, up to rounding."""
    text = "floor(clip(log(abs(z1)), -2, 2))"
    ends = np.exp([-np.inf, -1.0, 0.0, 1.0, 2.0, np.inf])
    masses, density = 2 * np.diff(ndtr(ends)), np.exp(-(ends[:-1] ** 2) / 2) / np.sqrt(2 * np.pi)
    told = 2 * -np.diff(np.append(ends[:-1] * density, 0.0))  # E[(z^2 - 1) 1{y}]
    masses[-1] = 2 * ndtr(-ends[-2])
    alpha = 1 / (told**2 / masses).sum()
    (stage,) = ha.weak_recovery(text).stages
    assert abs(stage.alpha_c.value - alpha) <= stage.alpha_c.error + 1e-14 < 1e-11
    model = StateEvolution(text)
    assert model.weak_recovery() == pytest.approx(alpha, rel=1e-12)
    found = model.solve(alpha=2.5)
    assert found.status == "converged" and 0.9 < float(found.overlap.squeeze()) < 1


def test_lost_preimages_are_in_the_error() -> None:
    """Without two of its pieces the label keeps its probability, by the weights of its places."""
    whole = channel_of("cos(2*z1) + z1").kind
    (sheet,) = whole.sheets
    at = next(k for k, p in enumerate(sheet.pieces) if p.low > 0)
    joined = dataclasses.replace(
        sheet.pieces[at], high=sheet.pieces[at + 2].high, at_high=sheet.pieces[at + 2].at_high
    )
    pieces = (*sheet.pieces[:at], joined, *sheet.pieces[at + 3 :])
    lossy = dataclasses.replace(whole, sheets=(dataclasses.replace(sheet, pieces=pieces),))
    assert LabelMap.of_line(whole).mass_defect < 1e-9
    assert LabelMap.of_line(lossy).mass_defect > 1e-3


def test_points_inside_of_cells() -> None:
    """sign(v)^2 is 1 but for v = 0, the centre of its one cell; and a cell of 1e-8 has its point inside."""
    v, w = variable(1), variable(2)
    (cell,) = latent_coordinates(sign(v) ** 2 * w, [v, w])[v]
    assert (sign(v) ** 2).subs(v, cell.point) == 1
    narrow = sign(v) - sign(v - Rational(1, 10**8))
    cells = latent_coordinates(narrow * w, [v, w])[v]
    assert [narrow.subs(v, c.point) for c in cells] == [0, 2, 0]
