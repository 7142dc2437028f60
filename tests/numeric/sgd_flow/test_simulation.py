"""The closed equations against SGD at d = 500.

Each number agrees within 4.5 standard errors (a false alarm in 150 000 numbers) and a bias of order 1/d, for
which 3/d is granted.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import erf

from hermite_analytics.numeric import SGDFlow
from tests.numeric.sgd_flow.simulation import simulated_overlaps

D, SEEDS = 500, 200


def s(x):
    return erf(x / np.sqrt(2))


def ds(x):
    return np.sqrt(2 / np.pi) * np.exp(-(x**2) / 2)


def relu(x):
    return np.maximum(x, 0)


def step(x):
    return (x > 0).astype(float)


def dtanh(x):
    return 1 - np.tanh(x) ** 2


def he3(z):
    return z[..., 0] ** 3 - 3 * z[..., 0]


def agrees(found, simulated):
    mean, error = simulated.mean(axis=1), simulated.std(axis=1, ddof=1) / np.sqrt(simulated.shape[1])
    assert np.all(np.abs(mean - found) < 4.5 * error + 3 / D), (mean, found, error)


SINGLE = {
    "square loss": (("erf(z/sqrt(2))", "erf(z1/sqrt(2))"), {"loss": "square"},
                    (s, ds, lambda z: s(z[..., 0])), {"square": True}, 0.2, 1.5),
    "relu and sign with noise": (("relu", "sign(z1)"), {}, (relu, step, lambda z: np.sign(z[..., 0])),
                                 {"noise": 0.25}, 0.1, 0.8),
    "extra-gradient": (("relu", "He3(z1)"), {"reuse": 0.2}, (relu, step, he3), {"kappa": 0.2}, 0.2, 0.15),
    "extra-gradient, square": (("tanh", "He3(z1)"), {"reuse": 0.3, "loss": "square"}, (np.tanh, dtanh, he3),
                               {"kappa": 0.3, "square": True}, 0.2, 0.15),
    "two passes": (("relu", "relu(z1)"), {"method": "batch-reuse", "loss": "square"},
                   (relu, step, lambda z: relu(z[..., 0])), {"passes": 2, "square": True}, 0.3, 0.5),
}  # fmt: skip


@pytest.mark.draws(3, spread=True)
@pytest.mark.slow
@pytest.mark.parametrize("name", SINGLE)
def test_one_direction(name):
    problem, options, functions, loop, start, rate = SINGLE[name]
    times = [0.5, 1.5]
    found = SGDFlow(*problem, **options).solve(
        rate=rate, overlap=start, times=times, noise=loop.get("noise", 0.0)
    )
    simulated = simulated_overlaps(
        *functions, np.array([[start]]), d=D, seeds=SEEDS, rate=rate, times=times, **loop
    )
    agrees(found.overlap, simulated[:, :, 0, 0])


@pytest.mark.slow
def test_two_directions():
    start = np.array([[0.2, 0.3]])
    found = SGDFlow("tanh", "z1 + z1*z2").solve(rate=0.8, overlap=start[0], times=[0.5, 1.5])
    simulated = simulated_overlaps(
        np.tanh,
        dtanh,
        lambda z: z[..., 0] * (1 + z[..., 1]),
        start,
        d=D,
        seeds=SEEDS,
        rate=0.8,
        times=[0.5, 1.5],
    )
    agrees(found.overlap, simulated[:, :, 0])


@pytest.mark.slow
def test_committee_by_quadrature():
    start = np.array([[0.5, 0.1], [0.1, 0.4]])
    flow = SGDFlow("tanh", "sin(z1) + z2**2/2", loss="square", neurons=2, readout=[1, -1])
    found = flow.solve(
        rate=2.0, overlap=start, times=1, tolerance=1e-5, correlations=np.eye(2) + _cross(start)
    )
    simulated = simulated_overlaps(
        np.tanh,
        dtanh,
        lambda z: np.sin(z[..., 0]) + z[..., 1] ** 2 / 2,
        start,
        d=D,
        seeds=SEEDS,
        rate=2.0,
        times=[1],
        square=True,
        readout=np.array([1.0, -1.0]),
    )
    assert found.status == "converged"
    agrees(found.overlap, simulated)


@pytest.mark.slow
@pytest.mark.parametrize("spherical", [True, False])
def test_committee(spherical):
    start = np.array([[0.5, 0.1], [0.1, 0.4]])
    target = "(erf(z1/sqrt(2)) + erf(z2/sqrt(2)))/2"
    flow = SGDFlow("erf(z/sqrt(2))", target, loss="square", neurons=2, spherical=spherical)
    found = flow.solve(rate=2.0, overlap=start, times=[1, 3], correlations=np.eye(2) + _cross(start))
    simulated = simulated_overlaps(
        s,
        ds,
        lambda z: s(z).mean(axis=-1),
        start,
        d=D,
        seeds=SEEDS,
        rate=2.0,
        times=[1, 3],
        square=True,
        spherical=spherical,
    )
    agrees(found.overlap, simulated)


def _cross(start):
    both = start @ start.T
    return both - np.diag(np.diagonal(both))
