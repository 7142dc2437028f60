"""The closed equations against SGD at d = 500.

Each number agrees within 4.5 standard errors (a false alarm in 150 000 numbers) and a bias of order 1/d, for
which 3/d is granted.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import erf

from hermite_analytics.numeric import SGDFlow
from tests.numeric.sgd_flow.simulation import Problem, Seeds, simulated_overlaps

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


FUNCTIONS = "activation", "slope", "label"


@pytest.mark.parametrize(
    "options", [{"passes": 2, "spherical": False}, {"kappa": 0.3, "readout": np.array([1.0, -0.5])}], ids=repr
)
def test_weights_and_products(options):
    """SGD on weights in a plain loop has the overlaps and products that are followed without weights."""
    d, r, seeds, rate = 12, 2, 5, 1.5
    problem = Problem(
        activation=np.tanh, slope=dtanh, label=lambda z: z.sum(-1), d=d, rate=rate, square=True, **options
    )
    rng = np.random.default_rng(3)
    w = rng.normal(size=(seeds, 2, d))
    w /= np.linalg.norm(w, axis=2, keepdims=True)
    state = Seeds(overlaps=w[:, :, :r].copy(), rest=w[:, :, r:] @ w[:, :, r:].mT)
    a, kappa = options.get("readout", np.ones(2)), options.get("kappa", 0.0)
    for x in rng.normal(size=(30, seeds, d)):
        z, others = x[:, :r], x[:, r:]
        state.step(
            problem, z, np.einsum("spd,sd->sp", w[:, :, r:], others), np.sum(others**2, axis=1), z.sum(1)
        )
        for number in range(seeds):
            for _ in range(options.get("passes", 1)):
                h = w[number] @ x[number]
                for _ in range(2 if kappa else 1):
                    f = a * (z[number].sum() - np.mean(a * np.tanh(h))) / np.cosh(h) ** 2
                    h = w[number] @ x[number] + kappa * f * (x[number] @ x[number]) / d
                w[number] += rate / (2 * d) * np.outer(f, x[number])
                if options.get("spherical", True):
                    w[number] /= np.linalg.norm(w[number], axis=1, keepdims=True)
    assert state.overlaps == pytest.approx(w[:, :, :r], abs=1e-11)
    assert state.rest == pytest.approx(w[:, :, r:] @ w[:, :, r:].mT, abs=1e-11)


@pytest.mark.draws(3, spread=True)
@pytest.mark.slow
@pytest.mark.parametrize("name", SINGLE)
def test_one_direction(name):
    texts, options, functions, loop, start, rate = SINGLE[name]
    times = [0.5, 1.5]
    found = SGDFlow(*texts, **options).solve(
        rate=rate, overlap=start, times=times, noise=loop.get("noise", 0.0)
    )
    problem = Problem(**dict(zip(FUNCTIONS, functions, strict=True)), d=D, rate=rate, **loop)
    simulated = simulated_overlaps(problem, np.array([[start]]), seeds=SEEDS, times=times)
    agrees(found.overlap, simulated[:, :, 0, 0])


@pytest.mark.slow
def test_two_directions():
    start = np.array([[0.2, 0.3]])
    found = SGDFlow("tanh", "z1 + z1*z2").solve(rate=0.8, overlap=start[0], times=[0.5, 1.5])
    problem = Problem(
        activation=np.tanh, slope=dtanh, label=lambda z: z[..., 0] * (1 + z[..., 1]), d=D, rate=0.8
    )
    simulated = simulated_overlaps(problem, start, seeds=SEEDS, times=[0.5, 1.5])
    agrees(found.overlap, simulated[:, :, 0])


@pytest.mark.slow
def test_committee_by_quadrature():
    start = np.array([[0.5, 0.1], [0.1, 0.4]])
    flow = SGDFlow("tanh", "sin(z1) + z2**2/2", loss="square", neurons=2, readout=[1, -1])
    found = flow.solve(
        rate=2.0, overlap=start, times=1, tolerance=1e-4, correlations=np.eye(2) + _cross(start)
    )
    problem = Problem(
        activation=np.tanh,
        slope=dtanh,
        label=lambda z: np.sin(z[..., 0]) + z[..., 1] ** 2 / 2,
        d=D,
        rate=2.0,
        square=True,
        readout=np.array([1.0, -1.0]),
    )
    simulated = simulated_overlaps(problem, start, seeds=SEEDS, times=[1])
    assert found.status == "converged"
    agrees(found.overlap, simulated)


@pytest.mark.slow
@pytest.mark.parametrize("spherical", [True, False])
def test_committee(spherical):
    start = np.array([[0.5, 0.1], [0.1, 0.4]])
    target = "(erf(z1/sqrt(2)) + erf(z2/sqrt(2)))/2"
    flow = SGDFlow("erf(z/sqrt(2))", target, loss="square", neurons=2, spherical=spherical)
    found = flow.solve(rate=2.0, overlap=start, times=[1, 3], correlations=np.eye(2) + _cross(start))
    problem = Problem(
        activation=s,
        slope=ds,
        label=lambda z: s(z).mean(axis=-1),
        d=D,
        rate=2.0,
        square=True,
        spherical=spherical,
    )
    simulated = simulated_overlaps(problem, start, seeds=SEEDS, times=[1, 3])
    agrees(found.overlap, simulated)


def _cross(start):
    both = start @ start.T
    return both - np.diag(np.diagonal(both))
