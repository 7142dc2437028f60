"""Several giant steps: what one step does to a neuron, and the staircase of 2305.18270.

Statistical tests have fixed seeds; "rate" is their false-alarm rate over the choice of the seeds.
"""

import math
import pickle

import numpy as np
import pytest

from hermite_analytics import Activation, Target
from hermite_analytics.errors import InputError
from hermite_analytics.numeric.protocols.giant_step.protocol import GiantStepProtocol
from hermite_analytics.numeric.simulator.backend import Backend, resolve_backend
from hermite_analytics.numeric.simulator.running import run_seeds
from hermite_analytics.numeric.simulator.simulation import simulate
from hermite_analytics.numeric.simulator.step_size import default_effective_step

BACKEND = resolve_backend("cpu")
LEARNING = "z1+He2(z1)+z2-He2(z2)"  # in v, v_perp = (z1 +- z2)/sqrt 2: sqrt 2 v + 2 v v_perp
BLIND = "z1+He2(z1)+z2+He2(z2)"  # sqrt 2 v + He2(v) + He2(v_perp): v_perp would need d^2 samples
STEPS = {"activation": "relu", "d": 40, "p": 6, "n0": 120, "steps": 2, "seeds": 2}


def protocol(**parameters):
    return GiantStepProtocol.create(
        **{"activation": Activation("relu"), "init": "symmetric", "p": 16, **parameters}
    )


def first_step(experiment, seed):
    """W0, omega and W1 of a seed, and theta."""
    theta = experiment._directions(BACKEND, seed)
    weights, neurons = experiment._initial_weights(BACKEND, seed), experiment._neurons()
    moved = weights + experiment._step(BACKEND, weights, theta, neurons, seed, 0).displacement
    return weights, neurons.letters, moved, theta


def test_a_linear_target_moves_every_neuron_alike():
    # omega (w1 - w0).theta = E y sigma'(h) z1 = 1/2, and |w1|^2 = 1 + (d/n) E y^2 sigma'^2 + 1/4.
    experiment = protocol(target=Target("z1"), d=256, n0=2048)
    assert experiment.effective_step == 1
    pulls, norms = [], []
    for seed in range(10):
        before, letters, after, theta = first_step(experiment, seed)
        pulls.append(np.mean(letters * ((after - before) @ theta[0])))
        norms.append(np.mean(np.sum(after**2, axis=1)))
    for found, expected, spread in ((pulls, 0.5, 0.012), (norms, 1.3125, 0.02)):
        error = np.std(found, ddof=1) / math.sqrt(10)
        assert abs(np.mean(found) - expected) < 4.5 * error + 1 / 256  # t with 9 degrees: rate 0.0015
        assert error < spread


@pytest.mark.slow
def test_a_quadratic_target_stretches_what_is_there():
    # n = d^2 and e = sqrt d: omega (w1 - w0).theta = e 2 E[sigma''] u0, E sigma'' = phi(0) for relu.
    experiment = protocol(target=Target("He2(z1)"), d=200, n0=200**2)
    assert experiment.effective_step == pytest.approx(math.sqrt(200))
    starts, pulls = [], []
    for seed in range(6):
        before, letters, after, theta = first_step(experiment, seed)
        starts.append((before @ theta[0])[:8])  # the other eight mirror these
        pulls.append((letters * ((after - before) @ theta[0]))[:8])
    x, y = np.ravel(starts), np.ravel(pulls)
    slope = x @ y / (x @ x)
    error = math.sqrt(np.sum((y - slope * x) ** 2) / (x.size - 1) / (x @ x))
    assert error < 0.5
    assert abs(slope - 2 * math.sqrt(200 / (2 * math.pi))) < 4 * error  # rate 2e-4


def test_a_symmetric_network_is_zero_and_stays_a_mirror_for_a_step():
    experiment = protocol(target=Target(LEARNING), d=50, n0=400)
    before, letters, after, _ = first_step(experiment, 3)
    assert np.array_equal(before, before[::-1]) and np.array_equal(letters, -letters[::-1])
    assert np.allclose(after - before, -(after - before)[::-1], rtol=0, atol=1e-13)


@pytest.mark.slow
@pytest.mark.parametrize("d", [256, 512])
def test_staircase(d):
    # Reference: means over 8 seeds of another program, with their standard errors where they were given.
    common = {"activation": "relu", "d": d, "p": 20, "n0": 8 * d, "steps": 3, "seeds": 8, "first_seed": 100}
    axes = {"directions": [[1, 1], [1, -1]]}
    learning, blind = (
        simulate("giant-step", target=target, **common, **axes) for target in (LEARNING, BLIND)
    )
    overlap, error = learning.results["overlap"].mean, learning.results["overlap"].stderr
    assert np.all(np.abs(overlap[:, 0] - [0.268, 0.459, 0.557]) < 4 * error[:, 0] + 0.01)
    reference = {256: 0.0540, 512: 0.0508}[d]
    assert abs(overlap[1, 1] - reference) < 4 * math.hypot(error[1, 1], 0.0015)
    assert abs(overlap[2, 1] - 0.1455) < 4 * error[2, 1] + 0.01
    verdicts = [[one["verdict"] for one in step] for step in learning.conclusions["learned"]]
    assert verdicts == [["learned", "not learned"], ["learned", "learned"], ["learned", "learned"]]

    overlap, error = blind.results["overlap"].mean, blind.results["overlap"].stderr
    assert np.all(np.abs(overlap[:, 0] - [0.266, 0.466, 0.550]) < 4 * error[:, 0] + 0.01)
    assert abs(overlap[1, 1] - {256: 0.0065, 512: 0.0027}[d]) < 4 * math.hypot(error[1, 1], 0.0003 * 512 / d)
    assert {step[1]["verdict"] for step in blind.conclusions["learned"]} <= {"not learned", "undecided"}


def test_span_does_not_depend_on_the_axes():
    plain = simulate("giant-step", target=LEARNING, **STEPS)
    turned = simulate("giant-step", target=LEARNING, **STEPS, directions=[[3, 4], [4, -3], [1, 0]])
    span, overlap = plain.samples["span"], turned.samples["overlap"]
    assert np.array_equal(span, turned.samples["span"]) and np.all(np.diff(span, axis=-1) < 0)
    assert np.allclose(span.sum(axis=-1), overlap[..., :2].sum(axis=-1))  # an orthonormal pair
    assert np.allclose(overlap[..., 2], plain.samples["overlap"][..., 0])
    assert overlap.shape == (2, 2, 3)  # seed, step, direction


def test_fresh_and_reused_batches():
    fresh, reused = (simulate("giant-step", target=LEARNING, **STEPS, batch=b) for b in ("fresh", "reused"))
    assert np.array_equal(fresh.samples["overlap"][:, 0], reused.samples["overlap"][:, 0])
    assert not np.array_equal(fresh.samples["overlap"][:, 1], reused.samples["overlap"][:, 1])


def test_reused_batches_descend_on_their_own_loss():
    # A small step on the same samples: two steps of e are one step of 2 e up to O(e^2).
    found = {}
    for steps, eta in ((2, 1e-3), (1, 2e-3)):
        experiment = protocol(target=Target(LEARNING), d=30, p=6, n0=60, steps=steps, eta=eta,
                              step_convention="notebook", batch="reused", init="equal")  # fmt: skip
        found[steps] = experiment.run(1)["overlap"][-1]
    start = protocol(target=Target(LEARNING), d=30, p=6, n0=60, eta=0.0, init="equal").run(1)["overlap"][-1]
    moved = found[1] - start
    assert np.all(np.abs(moved) > 0) and np.allclose(found[2] - start, moved, rtol=0.01, atol=1e-8)


@pytest.mark.parametrize(
    ("convention", "eta", "step"), [("paper", 0.3, 2.0), ("notebook", 2.0, 2.0), ("mean-field", 12.0, 2.0)]
)
def test_step_conventions(convention, eta, step):
    experiment = protocol(target=Target("z1"), d=40, p=6, n0=120, eta=eta, step_convention=convention)
    assert experiment.effective_step == pytest.approx(step)
    default = protocol(target=Target("z1"), d=40, p=6, n0=40**2, step_convention=convention)
    assert default.effective_step == pytest.approx(math.sqrt(40))


def test_default_effective_step():
    assert [default_effective_step(10, n) for n in (5, 10, 99, 100, 999, 1000)] == pytest.approx(
        [1, 1, 1, math.sqrt(10), math.sqrt(10), 10]
    )
    assert default_effective_step(1, 7) == 1


def test_letters_scale_the_steps_of_their_neurons():
    # f = 0 before the first step only if omega cancels: with the target scaled up, what is f's own is small.
    experiment = protocol(
        target=Target("1000*z1"), d=40, p=8, n0=200, init="equal", letters={1.0: 0.5, -3.0: 0.5}
    )
    before, letters, after, _ = first_step(experiment, 2)
    alike = protocol(target=Target("1000*z1"), d=40, p=8, n0=200, init="equal")
    reference = first_step(alike, 2)[2] - before
    assert letters.tolist() == [1, 1, 1, 1, -3, -3, -3, -3]
    assert np.allclose(after - before, letters[:, None] * reference, rtol=0.02, atol=0.5)
    assert np.abs(reference).max() > 100


def test_biases_are_those_of_a_shifted_activation():
    shifted = {**STEPS, "activation": "tanh(z + 3/10)"}
    biased = {**STEPS, "activation": "tanh", "bias": 0.3}
    ours, theirs = (simulate("giant-step", target=LEARNING, n=50, **p) for p in (biased, shifted))
    for name, values in ours.samples.items():
        assert np.allclose(values, theirs.samples[name], rtol=1e-9), name
    both = simulate("giant-step", target=LEARNING, n=50, **{**biased, "bias": 0.1}, letters={(1, 0.2): 1})
    assert np.allclose(both.samples["overlap"], ours.samples["overlap"])


def test_biases_of_the_readout_alone():
    plain, late, early = (
        simulate("giant-step", target=LEARNING, n=50, **STEPS, bias=bias, bias_from=start)
        for bias, start in ((0.0, "start"), (0.4, "readout"), (0.4, "start"))
    )
    assert np.array_equal(plain.samples["overlap"], late.samples["overlap"])
    assert not np.array_equal(plain.samples["test_error"], late.samples["test_error"])
    assert not np.array_equal(early.samples["overlap"], late.samples["overlap"])


def test_the_readout_is_optional_and_lends_its_size():
    without = simulate("giant-step", target="z1", **STEPS)
    assert "test_error" not in without.samples and without.parameters["n"] is None
    lent = protocol(target=Target("z1"), d=40, n=[80, 120])
    assert lent.n0 == 120 and lent.ridge == 0.01
    with_one = simulate("giant-step", target="z1", **STEPS, n=80)
    assert np.array_equal(with_one.samples["overlap"], without.samples["overlap"])


def test_noise_of_the_target_enters_the_steps():
    quiet, loud = (simulate("giant-step", target=f"z1{xi}", **STEPS) for xi in ("", " + 3*xi"))
    same = simulate("giant-step", target="z1", **STEPS, noise=9.0)
    assert np.array_equal(loud.samples["overlap"], same.samples["overlap"])
    assert np.mean(loud.samples["overlap"]) < np.mean(quiet.samples["overlap"])


@pytest.mark.slow
def test_r_c_gamma_of_two_letters():
    # docs/giant_step.md, "Finite vocabularies": c_j = 1 + omega_j^2 (c - 1), r and gamma those of letter 1.
    letters, theory = {1.0: 0.5, -2.0: 0.5}, (1.3886927386 / 3, 1 + (0.1897320046 / 9), 0.7936506445)
    means = {}
    for d, seeds in ((60, 200), (150, 100)):
        experiment = protocol(activation=Activation("tanh"), target=Target("sin(z1)"), d=d, p=2 * d, n0=2 * d,
                              eta=2.0, letters=letters, init="symmetric")  # fmt: skip
        found = run_seeds([experiment], seeds=seeds).simulations[0].results
        means[d] = {name: (found[name].mean, found[name].stderr) for name in ("r", "c", "gamma")}
    expected = {"r": theory[0], "gamma": theory[2], "c": np.array([theory[1], 1 + 4 * (theory[1] - 1)])}
    for name, value in expected.items():  # extrapolated in 1/d; 4.5 standard errors: rate 7e-6 a number
        small, large = means[60][name], means[150][name]
        estimate = (150 * large[0] - 60 * small[0]) / 90
        error = np.hypot(150 * large[1], 60 * small[1]) / 90
        assert np.all(np.abs(estimate - value) < 4.5 * error)
        assert np.all(error < (0.01 if name == "c" else 0.03))


def test_more_indices_than_dimensions():
    with pytest.raises(InputError, match=r"^the target z1\*z7 uses z7, and d is only 5$"):
        protocol(target=Target("z1*z7"), d=5, n0=10)


WHOLE = {
    **STEPS,
    "target": LEARNING + " + xi/3",
    "n": [5, 90],
    "ridge": list(np.geomspace(0.1, 1, 16)),
    "letters": {(1.0, 0.2): 0.5, (2.0, -0.1): 0.5},
    "directions": [[1, 1], [1, -1]],
    "n_test": 60,
}


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_the_array_standard_is_enough(strict_device, dtype):
    ours, strict = (
        simulate("giant-step", **WHOLE, dtype=dtype, device=where) for where in ("cpu", strict_device)
    )
    for name, values in ours.samples.items():
        assert np.allclose(values, strict.samples[name], rtol=1e-9 if dtype == "float64" else 1e-3), name


@pytest.mark.parametrize("chunk_rows", [1, 29, 1000])
def test_chunks_change_rounding_only(chunk_rows):
    ours, other = simulate("giant-step", **WHOLE), simulate("giant-step", **WHOLE, chunk_rows=chunk_rows)
    for name, values in ours.samples.items():
        assert np.allclose(values, other.samples[name], rtol=1e-9), name


def test_random_numbers_of_a_device(monkeypatch):
    ours = simulate("giant-step", **WHOLE)
    monkeypatch.setattr(Backend, "on_host", property(lambda self: False))
    monkeypatch.setattr(Backend, "free_memory", lambda self: None)
    there = simulate("giant-step", **WHOLE)
    for name, values in ours.samples.items():
        assert np.allclose(values, there.samples[name], rtol=1e-9), name


def test_the_protocol_pickles():
    parameters = {
        name: value for name, value in WHOLE.items() if name not in ("seeds", "activation", "target")
    }
    experiment = protocol(**parameters, target=Target(WHOLE["target"]))
    copy = pickle.loads(pickle.dumps(experiment))
    assert copy == experiment
    assert np.array_equal(copy.run(0)["overlap"], experiment.run(0)["overlap"])


TWO_LETTERS = {"alpha0": 20, "eta": 4.0, "ridge": 0.3, "letters": {1.0: 0.5, 3.0: 0.5}}
SMALL_LETTER = {"alpha0": 5, "eta": 6.0, "ridge": 0.1, "letters": {0.3: 0.5, 1.0: 0.5}}
BIASED = {
    "target": Target("sin(z1) + cos(z1)"),
    "alpha0": 5,
    "eta": 3.0,
    "ridge": 0.1,
    "bias": 0.7,
    "bias_from": "readout",
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changes", "test_error", "train_error"),  # of the closed equations with the same letters or bias
    [
        (TWO_LETTERS, 0.03045157, 0.02078314),
        (SMALL_LETTER, 0.07397411, 0.03290096),
        (BIASED, 0.37096353, 0.16784020),  # without the bias 0.88: tanh is odd, the target is not
    ],
)
def test_errors_with_letters_and_biases_are_those_of_the_limit(changes, test_error, train_error):
    # Extrapolated in 1/d; 4 standard errors (rate 6e-5 a number), and 4 % for what the equivalence is off by.
    common = {"activation": Activation("tanh"), "target": Target("sin(z1)"), "beta": 1, "alpha": 2}
    found = []
    for d, seeds in ((80, 120), (200, 60)):
        experiment = GiantStepProtocol.create(**{**common, "d": d, "n_test": 10 * d, **changes})
        found.append(run_seeds([experiment], seeds=seeds).simulations[0].results)
    for name, theory in (("test_error", test_error), ("train_error", train_error)):
        small, large = (results[name] for results in found)
        estimate = (200 * large.mean - 80 * small.mean) / 120
        error = math.hypot(200 * large.stderr, 80 * small.stderr) / 120
        assert abs(estimate - theory) < 4 * error + 0.04 * theory
        assert error < 0.08 * theory
