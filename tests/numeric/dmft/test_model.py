"""Schedules that are the same run, symmetries, ends of runs, refusals."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest

from hermite_analytics.errors import ConvergenceError, InputError, UndefinedQuantity
from hermite_analytics.learning.schedules import read_schedule
from hermite_analytics.numeric import DMFT, Loss
from hermite_analytics.numeric.models.dmft.schedule import usage_of

LOOSE = {"tolerance": 1e-2, "seconds": 100}


@pytest.fixture(scope="module")
def model():
    return DMFT("tanh", "He3(z1)")


@pytest.mark.slow
@pytest.mark.parametrize("schedule", ["minibatch:1", "epochs:1", "extra-gradient:0"])
def test_schedules_that_are_the_full_batch(model, schedule):
    full = model.solve(alpha=2, eta=0.3, steps=2, **LOOSE)
    same = model.solve(alpha=2, eta=0.3, steps=2, schedule=schedule, **LOOSE)
    assert np.array_equal(full.overlap, same.overlap) and np.array_equal(full.norm, same.norm)


def test_one_fresh_batch_is_the_full_batch(model):
    full = model.solve(alpha=2, eta=0.3, steps=1, **LOOSE)
    for schedule in ("one-pass:2", "twice"):
        same = model.solve(alpha=2, eta=0.3, steps=1, schedule=schedule, **LOOSE)
        assert np.array_equal(full.overlap, same.overlap) and np.array_equal(full.norm, same.norm)


def test_a_block_used_twice_is_a_full_batch_of_its_size(model):
    full = model.solve(alpha=2, eta=0.3, steps=2, **LOOSE)
    twice = model.solve(alpha=2, eta=0.3, steps=2, schedule="twice", **LOOSE)
    assert np.array_equal(full.overlap, twice.overlap)


def test_samples_that_no_step_sees_do_not_matter(model):
    least = model.solve(eta=0.3, steps=2, schedule="one-pass:1", **LOOSE)
    more = model.solve(alpha=5, eta=0.3, steps=2, schedule="one-pass:1", **LOOSE)
    assert least.parameters["alpha"] == 2.0
    assert least.overlap == pytest.approx(more.overlap, abs=1e-6)
    assert least.norm == pytest.approx(more.norm, abs=1e-6)


def test_rows_of_norm_one(model):
    """The first row is that of a plain run over its norm; with a ridge the same run has a smaller eta."""
    plain = model.solve(alpha=2, eta=0.3, steps=1, overlap=0.4, **LOOSE)
    found = model.solve(alpha=2, eta=0.3, steps=2, overlap=0.4, spherical=True, **LOOSE)
    assert found.overlap[1] == pytest.approx(plain.cosine[1], abs=1e-7)
    assert found.norm[:, 0, 0] == pytest.approx(np.ones(3), abs=1e-12)
    same = model.solve(alpha=2, eta=0.15, steps=2, ridge=0.5 / 0.15, overlap=0.4, spherical=True, **LOOSE)
    assert same.overlap == pytest.approx(found.overlap, abs=2e-2)
    mean, error = model.sample(
        d=5000, seeds=range(8), alpha=2, eta=0.3, steps=2, overlap=0.4, spherical=True
    ).mean("overlap")
    # 12 standard errors of seven degrees of freedom (false alarm in 10^5), the bias 10/d, and the tolerance
    assert abs(mean - found.overlap)[2, 0, 0] < 12 * error[2, 0, 0] + 10 / 5000 + 1e-2
    assert abs(mean[2, 0, 0] - 0.4) > 0.05


def test_a_look_ahead_moves_the_weights_alone():
    """One step of extra-gradient is one of two steps whose first leaves the readout; a_1 = a_0 - E[l' sigma]
    after a look-ahead, which for a linear network is at M = eta~ alpha (E y z = 1) with h = w.x of Q."""
    alpha, eta, look = 2.0, 0.3, 0.1
    found = DMFT("z", "z1").solve(
        alpha=alpha, eta=eta, steps=1, schedule=f"extra-gradient:{look}", readout_eta=0.5, tolerance=1e-8
    )
    first, second = alpha, alpha**2 + alpha  # moments of B = X^T X/d
    third = alpha**3 + 3 * alpha**2 + alpha
    # w~ = (1 - look B) w_0 + look B w*, <w_0, w*> = 0: w~.B w~ - w~.B w*
    pull = first - 2 * look * second + 2 * look**2 * third - look * second
    assert found.trained_readout[:, 0] == pytest.approx([1.0, 1.0 - 0.5 * pull / alpha], abs=1e-8)


def test_readouts_may_start_at_nothing(model):
    """With a_0 = 0 the first step moves the readout alone, by E[y sigma(h)]."""
    found = DMFT("tanh", "tanh(z1)", (0.0,)).solve(alpha=2, eta=0.3, steps=2, overlap=0.5, readout_eta=0.4)
    assert np.array_equal(found.overlap[0], found.overlap[1])
    line = np.linspace(-8, 8, 801)
    z, rest = np.meshgrid(line, line)
    density = np.exp(-(z**2 + rest**2) / 2)
    pull = np.sum(density * np.tanh(z) * np.tanh(0.5 * z + np.sqrt(0.75) * rest)) / density.sum()
    assert found.trained_readout[1, 0] == pytest.approx(0.4 * pull, abs=1e-7)
    assert found.overlap[2, 0, 0] > 0.5
    fixed = model.solve(alpha=2, eta=0.3, steps=1, **LOOSE)
    assert np.array_equal(fixed.trained_readout, [[1.0], [1.0]]) and "trained_readout" not in fixed.rows()[0]


@pytest.mark.slow
def test_stated_errors_hold_for_trained_readouts(model):
    options = {"alpha": 3, "eta": [0.2, 0.3], "steps": 3, "readout_eta": 0.5}
    coarse, fine = (model.solve(**options, tolerance=x, seconds=100) for x in (1e-2, 1e-4))
    for name in ("overlap", "norm", "trained_readout", "train_error", "test_error"):
        size = np.abs(getattr(fine, name)).reshape(2, 4)
        away = np.abs(getattr(coarse, name) - getattr(fine, name)).reshape(2, 4)
        assert np.all(away <= (coarse.numerical_error + fine.numerical_error) * np.maximum(1.0, size))
    assert fine.status.tolist() == ["converged"] * 2


@pytest.mark.slow
def test_many_patterns_are_drawn():
    """Seven mini-batches have 128 patterns: masks are drawn, and their law is the same."""
    model = DMFT("z", "z1")
    found = model.solve(alpha=1.3, eta=0.4, steps=7, schedule="minibatch:0.5", tolerance=0.05)
    exact = model.solve(alpha=1.3, eta=0.4, steps=5, schedule="minibatch:0.5", tolerance=1e-6)
    assert "sobol" in found.averages and set(exact.averages) == {"quadrature"}
    assert found.overlap[:6] == pytest.approx(exact.overlap, abs=0.05)


@pytest.mark.slow
def test_a_constant_activation_moves_the_readout_alone():
    """sigma = 2: gradients of the weights are 0, and a <- a - eta_a 2 (2 a - E y)."""
    found = DMFT("2", "1 + He3(z1)").solve(alpha=3, eta=0.2, steps=2, ridge=0.5, overlap=0.5, readout_eta=0.1)
    assert found.overlap[:, 0, 0] == pytest.approx([0.5, 0.45, 0.405], abs=1e-12)
    assert found.trained_readout[:, 0] == pytest.approx([1.0, 0.8, 0.68], abs=1e-9)
    assert found.test_error == pytest.approx([7.0, 6.36, 6.1296], abs=1e-8)


def test_two_equal_neurons_are_one():
    """w_1 = w_2 at the start with a = (1/2, 1/2) is one neuron with eta halved; all roots are singular."""
    pair = DMFT("tanh", "tanh(z1)", (0.5, 0.5)).solve(
        alpha=2, eta=1.0, steps=2, correlations=[[1, 1], [1, 1]], **LOOSE
    )
    one = DMFT("tanh", "tanh(z1)").solve(alpha=2, eta=0.5, steps=2, **LOOSE)
    assert pair.overlap[:, 0] == pytest.approx(one.overlap[:, 0], abs=2e-2)
    assert pair.overlap[1, 1] == pytest.approx(one.overlap[1, 0], abs=1e-5)
    assert pair.overlap[:, 0] == pytest.approx(pair.overlap[:, 1], abs=1e-9)


@pytest.mark.slow
def test_odd_activations_see_only_odd_directions():
    """(z2, h, y) -> (z2, -h, -y) with z1 -> -z1 is a symmetry of z1 + z1 z2: M[:, z2] stays 0 for tanh."""
    found = DMFT("tanh", "z1 + z1*z2").solve(alpha=3, eta=0.3, steps=3, **LOOSE)
    assert np.abs(found.overlap[:, 0, 1]).max() < found.numerical_error.max()
    assert found.overlap[3, 0, 0] > 0.3


@pytest.mark.slow
@pytest.mark.parametrize("loss", ["huber:1", "quantile:0.8", "log(cosh(y - x))", "abs(y - x)"])
def test_other_losses_in_the_first_step(loss):
    """M_1 = -eta alpha E[l'(f, y) sigma'(h) z], against a plain sum over a grid."""
    found = DMFT("tanh", "tanh(z1)", loss=loss).solve(alpha=2, eta=0.5, steps=1, **LOOSE)
    line = np.linspace(-8, 8, 1601)
    z, h = np.meshgrid(line, line)
    density = np.exp(-(z**2 + h**2) / 2)
    f, y = np.tanh(h), np.tanh(z)
    slope = {
        "huber:1": np.clip(f - y, -1, 1),
        "log(cosh(y - x))": np.tanh(f - y),
        "quantile:0.8": np.where(f > y, 0.2, -0.8),
        "abs(y - x)": np.sign(f - y),
    }
    expected = -np.sum(density * slope[loss] * (1 - f**2) * z) / density.sum()
    assert found.overlap[1, 0, 0] == pytest.approx(expected, abs=found.numerical_error[1] + 1e-4)
    assert Loss(loss).text == loss and set(found.averages[1:]) == {"sobol"}


def test_targets_with_curved_kinks():
    found = DMFT("relu", "abs(z1**2 + z2**2 - 1) + z1").solve(alpha=2, eta=0.2, steps=1, **LOOSE)
    assert found.overlap[1, 0] == pytest.approx([0.2, 0.0], abs=found.numerical_error[1])


def test_divergence_names_the_step():
    found = DMFT("z", "z1").solve(alpha=3, eta=50, steps=8)
    assert found.status == "diverged" and 1 < found.diverged <= 8
    assert np.all(np.isfinite(found.overlap[: found.diverged]))
    assert np.all(np.isnan(found.overlap[found.diverged :]))
    assert [r["status"] for r in found.records()][found.diverged - 1 :][:2] == ["converged", "diverged"]
    with pytest.raises(ConvergenceError, match=f"dmft: diverged at step {found.diverged}: "):
        found.raise_unless_converged()


@pytest.mark.slow
def test_curves_are_points_beside_each_other(model):
    """alpha and eta broadcast; each point is the run alone, and one that diverges is alone in it."""
    curve = model.solve(alpha=[[1.0], [2.0]], eta=[0.2, 0.3], steps=1, noise=0.1, **LOOSE)
    assert curve.overlap.shape == (2, 2, 2, 1, 1) and curve.shape == (2, 2, 2)
    alone = model.solve(alpha=2.0, eta=0.2, steps=1, noise=0.1, **LOOSE)
    for name in ("overlap", "norm", "train_error", "correlation", "numerical_error"):
        assert np.array_equal(getattr(curve, name)[1, 0], getattr(alone, name))
    rows = curve.records()
    assert [(r["alpha"], r["eta"], r["step"]) for r in rows[2:6]] == [
        (1, 0.3, 0),
        (1, 0.3, 1),
        (2, 0.2, 0),
        (2, 0.2, 1),
    ]
    assert rows[4:6] == alone.records() and rows[0]["noise"] == 0.1
    ends = DMFT("z", "z1").solve(alpha=3, eta=[0.1, 50], steps=8)
    assert ends.status.tolist() == ["converged", "diverged"] and ends.diverged[0] == 0
    with pytest.raises(ConvergenceError, match="point 1 of dmft: diverged at step"):
        ends.raise_unless_converged()


def test_divergence_of_sampled_runs():
    found = DMFT("relu", "z1*z2", (1, -1)).solve(alpha=3, eta=2000, steps=6, **LOOSE)
    assert found.status == "diverged" and found.averages[-1] == "sobol"
    assert np.all(np.isnan(found.norm[found.diverged :]))
    assert np.all(np.isfinite(found.norm[: found.diverged]))


def test_solutions_are_json_and_pickle(model):
    found = model.solve(alpha=2, eta=0.3, steps=1, **LOOSE)
    text = json.loads(json.dumps(found.to_dict()))
    assert text["model"] == "dmft" and text["parameters"]["schedule"] == "full"
    assert [row["step"] for row in text["results"]] == [0, 1]
    assert text["results"][1]["overlap"] == found.overlap[1].tolist()
    again = pickle.loads(pickle.dumps(model)).solve(alpha=2, eta=0.3, steps=1, **LOOSE)
    assert np.array_equal(again.overlap, found.overlap)
    assert found.overlap.shape == (2, 1, 1) and not found.overlap.flags.writeable
    assert found.cosine[0, 0, 0] == 0.0 and "dmft.md" in found.cite()


REFUSED = [
    ({"schedule": "weekly"}, "schedule is 'weekly'; accepted: full, minibatch:b, epochs:B, twice, one-pass:"),
    ({"schedule": "minibatch"}, "schedule is 'minibatch'; accepted: full,"),
    ({"schedule": "full:2"}, "schedule is 'full:2'; accepted: full,"),
    ({"schedule": "minibatch:1.5"}, "accepted: minibatch:b with 0 < b <= 1"),
    ({"schedule": "epochs:2.5"}, "accepted: epochs:B with an integer B >= 1"),
    ({"schedule": "one-pass:2"}, "alpha is 2, but 2 steps of one-pass:2 see 4 d samples"),
    ({"alpha": None}, "alpha is missing; the schedule full takes a number alpha"),
    ({"alpha": [1, 2], "eta": [1, 2, 3]}, "the shapes do not broadcast: alpha (2,), eta (3,); for a grid"),
    ({"alpha": 0}, "alpha is 0; accepted: finite numbers alpha > 0"),
    ({"eta": float("inf")}, "eta is inf; accepted: finite numbers"),
    ({"steps": 0}, "steps is 0; accepted: an integer from 1 to"),
    ({"ridge": -1}, "ridge is -1; accepted"),
    ({"overlap": [[1, 2]]}, "overlap has shape (1, 2); accepted: (1, 1)"),
    ({"overlap": 2}, "has the eigenvalue -3; accepted: none below 0"),
    ({"tolerance": 0}, "tolerance is 0; a number in (0, 1) is accepted"),
    ({"tolerance": [1e-2, 1e-3]}, "tolerance is [0.01, 0.001]; a number in (0, 1) is accepted"),
    ({"steps": np.array([1, 2])}, "steps is array([1, 2]); accepted: an integer from 1 to 1000"),
    ({"seed": True}, "seed is True; accepted: an integer >= 0"),
    ({"steps": 1000}, "seconds is 30, and 1000 gradients, 1 neurons and 1 points take about 1.1e+02 seconds"),
    ({"steps": 1000, "schedule": "epochs:500"}, "and 1000 gradients, 1 neurons and 1 points take about"),
    ({"steps": 1000, "alpha": 1e3}, "with the schedule full take 34 GB; accepted: 2.1 GB"),
    ({"spherical": 1}, "spherical is 1; accepted: True"),
    ({"readout_eta": "much"}, "readout_eta"),
    ({"schedule": "adam"}, "Adam and clipping, are outside the theory"),
]


@pytest.mark.parametrize(("given", "text"), REFUSED)
def test_refused_runs(model, given, text):
    with pytest.raises(InputError) as error:
        model.solve(**{"alpha": 2, "eta": 0.3, "steps": 2, **given})
    assert text in str(error.value) and "\n" not in str(error.value)


def test_integers_of_numpy_and_schedules_of_very_many_blocks(model):
    found = model.solve(alpha=2, eta=0.3, steps=np.int64(1), seed=np.int64(0), **LOOSE)
    assert np.array_equal(found.overlap, model.solve(alpha=2, eta=0.3, steps=1, **LOOSE).overlap)
    linear = DMFT("z", "z1").solve(alpha=2e9, eta=0.25, steps=2, schedule="epochs:1000000000")
    assert linear.overlap[:, 0, 0] == pytest.approx(
        [0.0, 0.5, 0.75]
    )  # fresh batches of 2 d, M += eta 2 (1 - M)
    masks, _ = usage_of(read_schedule("minibatch:1"), 2.0, 60).patterns(60)
    assert masks.shape == (1, 60) and np.all(masks)  # not 2^60


def test_what_does_not_fit_into_memory_is_refused_before_the_work():
    wide = DMFT("tanh", "z1", (0.01,) * 100)
    with pytest.raises(
        InputError, match=r"100 neurons and 1000 gradients: C\(t, s\) and R\(t, s\) take 1\.6e\+02"
    ):
        wide.solve(alpha=1, eta=0.1, steps=1000)
    with pytest.raises(InputError, match="GB"):
        DMFT("tanh", "z1").sample(d=10**9, alpha=4, eta=0.1, steps=900)


def test_refused_models():
    with pytest.raises(
        InputError, match="loss is 'squared'; accepted: correlation, square, huber:D, quantile:tau"
    ):
        DMFT("tanh", "z1", loss="squared")
    with pytest.raises(InputError, match="not shown to be continuous"):
        DMFT("sign(z)", "z1")
    with pytest.raises(InputError, match="reuse is inf; accepted: finite numbers"):
        DMFT("tanh", "z1", reuse=float("inf"))
    with pytest.raises(InputError, match="readout is empty"):
        DMFT("tanh", "z1", readout=())
    with pytest.raises(UndefinedQuantity, match="no second moment"):
        DMFT("tanh", "exp(z1**2/3)")
    with pytest.raises(UndefinedQuantity, match=r"no mean at the start: E \(y - f\)\^2 is infinite"):
        DMFT("tanh", "exp(z1**2/3)", loss="huber:1").solve(alpha=1, eta=0.1, steps=1)
    with pytest.raises(UndefinedQuantity, match=r"no mean after a step: .* cannot be shown to be finite"):
        DMFT("z**3", "exp(z1**2/5)").solve(alpha=1, eta=0.1, steps=1)
    growing = DMFT("exp(z/4)", "z1")  # one step has all moments, the next none
    with pytest.raises(UndefinedQuantity, match="no second moment"):
        growing.solve(alpha=1, eta=0.1, steps=2)
    with pytest.raises(InputError, match="takes labels 1 and -1 only"):
        DMFT("tanh", "z1", loss="logistic").solve(alpha=1, eta=0.1, steps=1)
    with pytest.raises(InputError, match=r"noise is 0\.5, and the loss hinge"):
        DMFT("tanh", "sign(z1)", loss="hinge").solve(alpha=1, eta=0.1, steps=1, noise=0.5)


@pytest.mark.slow
def test_a_bounded_slope_needs_no_moment_of_the_label():
    """|tanh| <= 1: E (y sigma')^2 need not be known. Exact law at 5 standard errors of 12 networks."""
    model = DMFT("tanh", "z1*z2 + z1", loss="log(cosh(y - x))")
    limit = model.solve(alpha=3, eta=0.3, steps=1)
    mean, error = model.sample(d=10_000, seeds=range(12), alpha=3, eta=0.3, steps=1).mean("overlap")
    room = 5 * error[1] + limit.numerical_error[1]
    assert np.all(np.abs(mean[1] - limit.overlap[1]) < room)
