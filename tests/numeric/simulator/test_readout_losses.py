"""Readouts by other losses than the square: optimality conditions, and scipy on the same problem."""

import numpy as np
import pytest
from scipy.optimize import minimize

from hermite_analytics.errors import InputError
from hermite_analytics.losses.registry import FORMS
from hermite_analytics.numeric import SpikedRandomFeatures, simulate
from hermite_analytics.numeric.losses.loss import Loss
from hermite_analytics.numeric.simulator.backend import resolve_backend
from hermite_analytics.numeric.simulator.random_features_maps import check_features
from hermite_analytics.numeric.simulator.readout import check_loss, fit_of
from hermite_analytics.numeric.simulator.readout_losses import fit_logistic

IN_A_BOX = ["hinge", "huber:0.4", "quantile:0.8"]


def problem(n, width, seed=0):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(n, width)) / np.sqrt(width)
    return rows, np.sign(rows[:, 0] + 0.3 * rng.normal(size=n) / np.sqrt(width))


@pytest.mark.cases(1)
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


@pytest.mark.parametrize(("n", "width"), [(24, 10), (10, 24)])
@pytest.mark.parametrize("ridge", [1e-3, 0.1, 3.0])
@pytest.mark.parametrize("text", IN_A_BOX)
def test_no_duality_gap(n, width, ridge, text):
    """The primal value equals that of a dual point of the solution's own residuals, by scipy."""
    rows, y = problem(n, width)
    loss = Loss(text)
    if not loss.of_margin:
        y = y + 0.3 * np.random.default_rng(1).normal(size=n)
    a = fit_of(loss)(resolve_backend("cpu"), rows, y, ridge)
    primal = loss.value(y, rows @ a).sum() + ridge / 2 * a @ a
    signed, goal = (y[:, None] * rows, np.ones(n)) if loss.of_margin else (rows, y)
    dual = loss.record.dual(loss.parameter)

    def objective(u):
        return (signed.T @ u) @ (signed.T @ u) / (2 * ridge) + dual.bend * u @ u / 2 - goal @ u

    gap = goal - signed @ a
    start = np.clip(gap, dual.low, dual.high) if dual.bend else np.where(gap > 1e-6, dual.high, dual.low)
    found = minimize(
        objective,
        start,
        jac=lambda u: signed @ (signed.T @ u) / ridge + dual.bend * u - goal,
        bounds=[(dual.low, dual.high)] * n,
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
    for fit in (fit_of(Loss(text)) for text in ("logistic", *IN_A_BOX)):
        here = fit(resolve_backend("cpu"), rows, y, 0.1)
        there = fit(backend, torch.asarray(rows), torch.asarray(y), 0.1)
        assert np.asarray(there) == pytest.approx(here, abs=1e-6)


SMALL = {"activation": "tanh", "d": 40, "alpha": (1, 2), "beta": 1.5, "ridge": (0.1, 1.0), "seeds": 3}
LABELS = {"logistic": "sign(z1)", "hinge": "sign(z1)", "huber:0.5": "sin(z1)", "log(cosh(y - x))": "sin(z1)"}


@pytest.mark.parametrize("loss", LABELS)
def test_without_a_step_both_protocols_are_one(loss):
    """Weights, data and readout of a giant step of size 0 are those of features without a spike."""
    step = simulate("giant-step", **SMALL, target=LABELS[loss], loss=loss, n0=50, eta=0.0)
    spike = simulate("spiked-random-features", **SMALL, target=LABELS[loss], loss=loss, r=0, c=1, gamma=0)
    names = {"test_error", "train_error", "square_error", "misclassification"} & set(spike.results)
    assert ("misclassification" in names) == (LABELS[loss] == "sign(z1)")
    for name in names:
        assert step.results[name].mean.shape == (2, 2)
        np.testing.assert_allclose(step.results[name].mean, spike.results[name].mean, rtol=1e-6, atol=1e-9)
    own = "misclassification" if loss in ("logistic", "hinge") else "square_error"
    np.testing.assert_array_equal(spike.results["test_error"].mean, spike.results[own].mean)


@pytest.mark.slow
def test_spiked_features_reach_their_asymptotics():
    """Within 5 standard errors (false alarm 4e-6 for Student's t of 23 degrees) and O(1/d) of bias."""
    given = {"alpha": 2, "beta": 1.5, "ridge": 0.1, "r": 0.8, "c": 1.3, "gamma": 0.6}
    problem = {"activation": "tanh", "target": "sign(z1)", "loss": "logistic"}
    theory = SpikedRandomFeatures(**problem).solve(**given)
    found = simulate("spiked-random-features", **problem, d=150, seeds=24, **given)
    for name in ("test_error", "train_error", "square_error"):
        value, exact = found.results[name], float(getattr(theory, name))
        assert abs(float(value.mean) - exact) < 5 * float(value.stderr) + 2 * exact / 150, name


@pytest.mark.parametrize("protocol", ["giant-step", "spiked-random-features"])
def test_labels_that_the_loss_does_not_take(protocol):
    more = {"eta": 1.0} if protocol == "giant-step" else {"r": 1, "c": 1, "gamma": 0}
    with pytest.raises(InputError, match=r"this loss takes labels 1 and -1, and sin\(z1\) is not shown"):
        simulate(protocol, **SMALL, **more, target="sin(z1)", loss="hinge")
    with pytest.raises(InputError, match=r"noise is 0\.1; the loss 'logistic' takes labels without noise"):
        simulate(protocol, **SMALL, **more, target="sign(z1)", noise=0.1, loss="logistic")


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (
            lambda: check_loss("abs(y - x)"),
            f"loss is 'abs(y - x)', which has kinks: accepted are {', '.join(map(repr, FORMS.split(', ')))}, "
            "or a smooth convex text in y and x",
        ),
        (
            lambda: check_loss("huber"),
            "the loss 'huber' has no threshold; huber:D with a number D > 0 is accepted",
        ),
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
