"""Labels that are one number but for a rare part: what tells something is seen to its last digits."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

import hermite_analytics as ha
from hermite_analytics.numeric import StateEvolution

_X, _W = np.polynomial.legendre.leggauss(60)
_ENDS = np.array([0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.5, 8.0, 10.0, 12.0])
_SHARES = np.array([0.0, 0.05, 0.15, 0.3, 0.5, 0.7, 0.85, 0.95, 1.0])


def by_gauss(ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights on the last axis, one panel after the other."""
    half, middle = 0.5 * np.diff(ends)[..., None], 0.5 * (ends[..., 1:] + ends[..., :-1])[..., None]
    shape = (*ends.shape[:-1], -1)
    return (middle + half * _X).reshape(shape), (half * _W * np.ones_like(middle)).reshape(shape)


class Part:
    """relu(|z| - c): its atom, and its density with that of z^2 - 1."""

    def __init__(self, c: float) -> None:
        self.c, self.atom = c, math.erf(c / math.sqrt(2))
        self.rare = math.erfc(c / math.sqrt(2))
        self.moment = -2 * c * math.exp(-c * c / 2) / math.sqrt(2 * math.pi)  # E[z^2 - 1; y = 0]

    def density(self, y: np.ndarray) -> np.ndarray:
        return 2 * np.exp(-0.5 * (self.c + y) ** 2) / math.sqrt(2 * math.pi)

    def tilted(self, y: np.ndarray) -> np.ndarray:
        return self.density(y) * ((self.c + y) ** 2 - 1)


def of_sum(one: Part, other: Callable[[np.ndarray], np.ndarray], atom: float) -> float:
    """1/alpha_c of one + other where the latter is 0 with probability `atom` and has this density beside."""
    y, w = by_gauss(_ENDS)
    t, v = by_gauss(y[:, None] * _SHARES)
    beside = other(y[:, None] - t)
    p = one.atom * other(y) + atom * one.density(y) + (v * one.density(t) * beside).sum(1)
    g = one.moment * other(y) + atom * one.tilted(y) + (v * one.tilted(t) * beside).sum(1)
    return one.moment**2 * atom / one.atom + float(w @ (g * g / p))


def of_product(one: Part) -> float:
    """1/alpha_c of the product of two such parts: y = e^v, of which u is shared evenly."""
    v, w = by_gauss(np.concatenate([np.arange(-44, -6, 2.0), np.arange(-6, 4.6, 0.5)]))
    root = np.exp(v / 2)[:, None]
    reach = math.log(12.0) - np.log(root)
    u, weight = by_gauss(reach * np.linspace(-1, 1, 25))
    t, x = root * np.exp(u), root * np.exp(-u)
    p = (weight * one.density(t) * one.density(x)).sum(1)
    g = (weight * one.tilted(t) * one.density(x)).sum(1)
    share = one.atom * (1 + one.rare)  # 1 - rare^2
    return (one.moment * one.rare) ** 2 / share + float((w * np.exp(v)) @ (g * g / p))


def half_normal(c: float) -> Callable[[np.ndarray], np.ndarray]:
    """The density of relu(xi - c) beside 0."""
    return lambda y: np.exp(-0.5 * (c + y) ** 2) / math.sqrt(2 * math.pi)


CASES = {
    **{
        f"relu(abs(z1) - {c}) + relu(abs(z2) - {c})": of_sum(Part(c), Part(c).density, Part(c).atom)
        for c in (1, 3, 4)
    },
    "relu(abs(z1) - 2) + relu(xi - 2)": of_sum(Part(2), half_normal(2), 0.5 * (1 + Part(2).atom)),
    "relu(abs(z1) - 3)*relu(abs(z2) - 3)": of_product(Part(3)),
}


def test_the_references():
    """By mpmath's quadrature with 18 digits."""
    known = [
        1.0363369455503116,
        7.3585040861308504,
        109.12088765656492,
        1.2345802236632532,
        1394.4290041913764,
    ]
    assert [1 / x for x in CASES.values()] == pytest.approx(known, rel=2e-14)


@pytest.mark.parametrize("text", CASES)
def test_thresholds(text):
    """Nodes were left out by their probability: off by five times the error in the twelfth digit."""
    found = ha.weak_recovery(text).alpha_c
    assert found.error < 1e-11 * found.value
    assert found.value == pytest.approx(1 / CASES[text], abs=found.error, rel=0)


@pytest.mark.parametrize("text", [pytest.param(t, marks=pytest.mark.slow) for t in CASES])
def test_by_state_evolution(text):
    assert StateEvolution(text).weak_recovery() == pytest.approx(1 / CASES[text], rel=2e-9)
