"""Logistic and hinge readouts: optimality conditions, and scipy on the same problem."""

import numpy as np
import pytest
from scipy.optimize import minimize

from hermite_analytics.errors import InputError
from hermite_analytics.numeric.simulator.backend import resolve_backend
from hermite_analytics.numeric.simulator.random_features_losses import fit_hinge, fit_logistic
from hermite_analytics.numeric.simulator.random_features_maps import check_features
from hermite_analytics.numeric.simulator.random_features_readout import check_loss


def problem(n, width, seed=0):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(n, width)) / np.sqrt(width)
    return rows, np.sign(rows[:, 0] + 0.3 * rng.normal(size=n) / np.sqrt(width))


@pytest.mark.parametrize(("n", "width"), [(60, 25), (25, 60)])
@pytest.mark.parametrize("ridge", [1e-3, 0.1, 3.0])
def test_logistic_gradient_vanishes(n, width, ridge):
    rows, y = problem(n, width)
    a = fit_logistic(resolve_backend("cpu"), rows, y, ridge)
    gradient = ridge * a - rows.T @ (y / (1 + np.exp(y * (rows @ a))))
    assert np.linalg.norm(gradient) < 1e-9
    found = minimize(
        lambda a: np.logaddexp(0, -y * (rows @ a)).sum() + ridge / 2 * a @ a, np.zeros(width), tol=1e-12
    )
    assert np.logaddexp(0, -y * (rows @ a)).sum() + ridge / 2 * a @ a <= found.fun + 1e-9


@pytest.mark.parametrize(("n", "width"), [(60, 25), (25, 60)])
@pytest.mark.parametrize("ridge", [1e-3, 0.1, 3.0])
def test_hinge_has_no_duality_gap(n, width, ridge):
    """The primal value equals the value of a dual point made from the solution's own active set."""
    rows, y = problem(n, width)
    a = fit_hinge(resolve_backend("cpu"), rows, y, ridge)
    primal = np.maximum(0, 1 - y * (rows @ a)).sum() + ridge / 2 * a @ a
    signed = y[:, None] * rows

    def dual(u):
        return -(u.sum() - (signed.T @ u) @ (signed.T @ u) / (2 * ridge))

    start = np.clip((1 - y * (rows @ a)) > 1e-6, 0, 1).astype(float)
    found = minimize(
        dual,
        start,
        jac=lambda u: signed @ (signed.T @ u) / ridge - 1,
        bounds=[(0, 1)] * n,
        method="L-BFGS-B",
        options={"ftol": 1e-15, "gtol": 1e-9, "maxiter": 20_000, "maxfun": 100_000},
    )
    assert -found.fun <= primal + 1e-7 * n
    assert primal == pytest.approx(-found.fun, rel=1e-5)


@pytest.mark.slow
def test_torch_gives_the_same():
    torch = pytest.importorskip("torch")
    rows, y = problem(30, 20)
    backend = resolve_backend("torch")
    for fit in (fit_logistic, fit_hinge):
        here = fit(resolve_backend("cpu"), rows, y, 0.1)
        there = fit(backend, torch.asarray(rows), torch.asarray(y), 0.1)
        assert np.asarray(there) == pytest.approx(here, abs=1e-6)


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda: check_loss("huber"), "loss is 'huber': accepted are 'square', 'logistic', 'hinge'"),
        (
            lambda: check_features("kernel"),
            "features is 'kernel': accepted are 'network', 'equivalent', 'tangent'",
        ),
    ],
)
def test_bad_names(act, message):
    with pytest.raises(InputError) as error:
        act()
    assert str(error.value) == message
