"""The protocol `giant-step` against the closed-form map and the asymptotic errors.

Statistical tests have fixed seeds; "rate" is their false-alarm rate over the choice of the seeds.
"""

import dataclasses
import math
import pickle

import numpy as np
import pytest

from hermite_analytics import Activation, Target
from hermite_analytics.errors import InputError, UndefinedQuantity, UnsupportedExpression
from hermite_analytics.numeric import GiantStep, simulate
from hermite_analytics.numeric.models.spiked.letters import Letters, ReadoutLaw
from hermite_analytics.numeric.protocols.giant_step.protocol import GiantStepProtocol
from hermite_analytics.numeric.simulator.running import run_seeds

TANH, SIN = Activation("tanh"), Target("sin(z1)")
SMALL = {
    "activation": TANH,
    "target": SIN,
    "d": 40,
    "alpha0": 2,
    "beta": 0.5,
    "alpha": 1.5,
    "eta": 1.5,
    "ridge": 0.01,
    "n_test": 150,
}

# E sigma'(z) and Var sigma'(z); E z g(z) and E g(z)^2, from an independent computation
TANH_SLOPE, TANH_SLOPE_VARIANCE = 0.605705509602, 0.0975237380859
SIN_SLOPE, SIN_SQUARE = 0.606530659713, 0.432332358382


def spike_map(*, alpha0, effective_step, noise=0.0):
    """(r, c, gamma) of the one-step map, for tanh and sin."""
    strength = (SIN_SQUARE + noise) / alpha0
    length = math.sqrt(strength + SIN_SLOPE**2)
    return (
        effective_step * TANH_SLOPE * length,
        1 + effective_step**2 * strength * TANH_SLOPE_VARIANCE,
        SIN_SLOPE / length,
    )


def slow(*values):
    return pytest.param(*values, marks=pytest.mark.slow)


def create(**changes):
    return GiantStepProtocol.create(**{**SMALL, **changes})


def extrapolated(protocols, seeds, name):
    """Intercept in 1/d through two sizes, and its standard error."""
    small, large = (
        run_seeds([p], seeds=s).simulations[0].results[name] for p, s in zip(protocols, seeds, strict=True)
    )
    ratio = protocols[1].d / protocols[0].d
    weights = -1 / (ratio - 1), ratio / (ratio - 1)
    error = np.hypot(weights[0] * small.stderr, weights[1] * large.stderr)
    return weights[0] * small.mean + weights[1] * large.mean, error


def test_map_of_the_reference_group():
    assert spike_map(alpha0=2, effective_step=3) == pytest.approx((1.3886927386, 1.1897320046, 0.7936506445))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changes", "effective_step", "noise"),
    [
        ({"beta": 0.5, "eta": 1.5}, 3.0, 0.0),
        ({"beta": 2, "eta": 6.0}, 3.0, 0.0),
        slow({"beta": 2, "eta": 3.0, "step_convention": "notebook"}, 3.0, 0.0),
        slow({"beta": 1, "eta": 2.0, "noise": 0.5}, 2.0, 0.5),
        slow({"beta": 1, "eta": 2.0, "target": Target("sin(z1) + xi/2"), "noise": 0.25}, 2.0, 0.5),
    ],
)
def test_measured_spike_is_the_closed_form_map(changes, effective_step, noise):
    # 4 standard errors: rate 6e-5 a number. c - 1 = 0.19 is biased by 5/d of itself: without the
    # extrapolation, c would be off by 10 standard errors.
    protocols = [create(d=d, alpha=0.1, n_test=1, **changes) for d in (60, 150)]
    expected = spike_map(alpha0=2, effective_step=effective_step, noise=noise)
    for name, theory in zip(("r", "c", "gamma"), expected, strict=True):
        mean, error = extrapolated(protocols, (200, 100), name)
        assert abs(mean - theory) < 4 * error
        assert error < {"r": 0.025, "c": 0.025 * (expected[1] - 1), "gamma": 0.008}[name]


def test_negative_slope_gives_a_negative_spike():
    up, down = create().run(0), create(activation=Activation("-tanh(z)")).run(0)
    assert down["r"] == pytest.approx(-up["r"], rel=0.05)
    assert down["gamma"] == pytest.approx(up["gamma"], rel=0.05)


@pytest.mark.parametrize(
    ("changes", "test_error", "train_error"),
    [
        slow({"beta": 0.5, "eta": 1.5}, 0.189993746, 0.07921722),
        slow({"beta": 2, "eta": 6.0}, 0.126797644, 0.008062982),
        slow(
            {"beta": 1, "eta": 3.0, "alpha0": 20, "alpha": 2, "ridge": 0.1, "noise": 0.25},
            0.123590311,
            0.170089612,
        ),
    ],
)
def test_errors_after_the_step_are_those_of_spiked_random_features(changes, test_error, train_error):
    # 4 standard errors (rate 6e-5 a number), and 2 % for what the equivalence itself is off by.
    protocols = [create(**{**changes, "d": d, "n_test": 10 * d}) for d in (80, 200)]
    for name, theory in (("test_error", test_error), ("train_error", train_error)):
        mean, error = extrapolated(protocols, (100, 50), name)
        assert abs(mean - theory) < 4 * error + 0.02 * theory
        assert error < 0.08 * theory


def test_overlap_after_the_step():
    # (w_k + D_k).theta = r gamma + O(1/sqrt d): the mean squared cosine is r^2 gamma^2/(c + r^2) + O(1/d).
    r, c, gamma = spike_map(alpha0=2, effective_step=3)
    protocols = [create(d=d, alpha=0.1, n_test=1) for d in (60, 150)]
    mean, error = extrapolated(protocols, (100, 50), "overlap")
    assert mean.shape == (1, 1)
    assert abs(mean.item() - (r * gamma) ** 2 / (c + r**2)) < 4 * error.item() + 0.01


def test_a_seed_gives_the_same_numbers_and_another_others():
    first, again, other = create().run(5), create().run(5), create().run(6)
    step = ["r", "c", "gamma", "c_spike", "c_target"]
    assert list(first) == [
        *step,
        "test_error",
        "train_error",
        "square_error",
        "overlap",
        "exceedance",
        "span",
    ]
    for name, value in first.items():
        assert np.array_equal(value, again[name])
        assert name == "exceedance" or not np.array_equal(value, other[name])


@pytest.mark.parametrize("chunk_rows", [1, 7, 80, 1000])
def test_chunks_change_rounding_only(chunk_rows):
    ours, other = create(noise=0.1).run(1), create(noise=0.1, chunk_rows=chunk_rows).run(1)
    for name, value in ours.items():
        assert np.allclose(value, other[name], rtol=1e-10, atol=0)


def test_curve_is_the_separate_runs():
    alphas, ridges = [0.25, 1.5, 0.7], [0.01, 1.0]
    curve = create(alpha=alphas, ridge=ridges, noise=0.1).run(2)
    assert curve["test_error"].shape == curve["train_error"].shape == (3, 2)
    for i, alpha in enumerate(alphas):
        for j, ridge in enumerate(ridges):
            alone = create(alpha=alpha, ridge=ridge, noise=0.1).run(2)
            assert alone["test_error"].shape == ()
            for name in ("test_error", "train_error"):
                assert curve[name][i, j] == pytest.approx(alone[name].item(), rel=1e-9)
    assert create(alpha=alphas).run(2)["test_error"].shape == (3,)
    assert create(ridge=ridges).run(2)["test_error"].shape == (2,)


def test_float32():
    single, double = create(dtype="float32").run(3), create().run(3)
    for name, value in double.items():
        assert single[name].dtype == np.float64
        assert np.allclose(single[name], value, rtol=2e-3)
        assert name == "exceedance" or not np.array_equal(single[name], value)


@pytest.mark.parametrize(("ridge", "products"), [(1e-6, "float64"), (0.01, "float32")])
def test_float32_with_a_small_ridge(ridge, products):
    # n = 20, 60 on both sides of p = 20
    changes = {"ridge": ridge, "alpha": [0.4, 1.5], "d": 40}
    single, double = create(**changes, dtype="float32"), create(**changes)
    assert single.parameters()["gram_dtype"] == products and double.gram_dtype == "float64"
    assert np.allclose(single.run(3)["test_error"], double.run(3)["test_error"], rtol=2e-3)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("ridge", [0.1, list(np.geomspace(0.01, 1, 16))])
def test_only_the_array_api_is_used(strict_device, dtype, ridge):
    changes = {"dtype": dtype, "ridge": ridge, "alpha": [0.3, 1.5], "noise": 0.1, "chunk_rows": 29}
    ours, strict = create(**changes).run(4), create(**changes, device=strict_device).run(4)
    for name, value in ours.items():
        assert np.allclose(value, strict[name], rtol=1e-9 if dtype == "float64" else 1e-4)


def test_sizes_and_actual_ratios():
    protocol = create(d=41, alpha=[0.3, 1.5])
    assert (protocol.n0, protocol.p, protocol.n) == (82, 20, (12, 62))
    parameters = protocol.parameters()
    assert parameters["beta"] == 20 / 41 and parameters["alpha"] == [12 / 41, 62 / 41]
    assert protocol.effective_step == 1.5 * 41 / 20  # the actual beta
    sizes = create(d=41, alpha0=None, n0=82, beta=None, p=20, alpha=None, n=np.array([12, 62]))
    assert sizes == protocol
    assert create(n_test=None).n_test == 2000 and create(n_test=None, d=1000).n_test == 3000


def test_protocol_is_frozen_and_pickles():
    protocol = create(alpha=[0.5, 1.0])
    with pytest.raises(dataclasses.FrozenInstanceError):
        protocol.d = 3
    copy = pickle.loads(pickle.dumps(protocol))
    assert copy == protocol
    assert np.array_equal(copy.run(0)["test_error"], protocol.run(0)["test_error"])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"d": 0}, "d is 0: an integer >= 1 is accepted"),
        ({"d": 2.5}, "d is 2.5: an integer >= 1 is accepted"),
        ({"d": True}, "d is True: an integer >= 1 is accepted"),
        ({"alpha0": -1}, "alpha0 is -1: a number > 0 is accepted"),
        ({"alpha0": math.inf}, "alpha0 is inf: a number > 0 is accepted"),
        ({"beta": "2"}, "beta is '2': a number > 0 is accepted"),
        ({"alpha": [0.5, 0]}, "alpha is 0: a number > 0 is accepted"),
        ({"alpha": []}, "alpha is an empty sequence: a number or a sequence of numbers is accepted"),
        (
            {"alpha": None, "alpha0": None},
            "none is given of alpha0 and n0: exactly one is accepted",
        ),
        ({"n": 3}, "both are given of alpha and n: exactly one is accepted"),
        ({"n0": 3}, "both are given of alpha0 and n0: exactly one is accepted"),
        ({"beta": None, "p": 0}, "p is 0: an integer >= 1 is accepted"),
        ({"alpha": None, "n": [3, 1.5]}, "n is 1.5: an integer >= 1 is accepted"),
        ({"ridge": 0}, "ridge is 0: a number > 0 is accepted"),
        ({"ridge": [0.1, -1]}, "ridge is -1: a number > 0 is accepted"),
        ({"eta": math.nan}, "eta is nan: a finite number is accepted"),
        ({"noise": -0.1}, "noise is -0.1: a number >= 0 is accepted"),
        ({"n_test": 0}, "n_test is 0: an integer >= 1 is accepted"),
        ({"chunk_rows": 0}, "chunk_rows is 0: an integer >= 1 is accepted"),
        (
            {"step_convention": "slides"},
            "step_convention is 'slides': accepted are 'paper' (step eta/beta), 'notebook' (step eta) and "
            "'mean-field' (step eta/p)",
        ),
        ({"activation": "tanh"}, "activation is 'tanh': an Activation is accepted, as Activation('tanh')"),
        ({"target": None}, "target is None: a Target is accepted, as Target('z1 + z1**3')"),
        ({"target": Target("z1*z41")}, "the target z1*z41 uses z41, and d is only 40"),
        ({"steps": 0}, "steps is 0: an integer >= 1 is accepted"),
        ({"batch": "new"}, "batch is 'new': accepted are 'fresh' and 'reused'"),
        ({"init": "zero"}, "init is 'zero': accepted are 'equal' and 'symmetric'"),
        (
            {"steps": 2, "beta": None, "p": 5},
            "p is 5: an even number is accepted, for neurons in pairs (init 'symmetric')",
        ),
        ({"bias_from": "end"}, "bias_from is 'end': accepted are 'start' and 'readout'"),
        ({"bias": math.inf}, "bias is inf: a finite number is accepted"),
        ({"directions": [[1, 2]]}, "directions has rows of 2 numbers: the target has 1 indices"),
        ({"directions": [[0]]}, "directions has a row of zeros: a direction is accepted"),
        (
            {"letters": ReadoutLaw.normal()},
            "letters is a continuous law: a simulation takes letters, such as law.letters(8)",
        ),
        (
            {"letters": Letters(values=[(1, 2)], fractions=[1])},
            "the letters are of rank 2: one number a letter is accepted",
        ),
    ],
)
def test_bad_input(changes, message):
    with pytest.raises(InputError) as error:
        create(**changes)
    assert str(error.value) == message


def test_what_has_no_meaning():
    with pytest.raises(
        UndefinedQuantity,
        match=r"^the activation sign\(z\) jumps, and the derivative of a jump is no function",
    ):
        create(activation=Activation("sign(z)"))
    with pytest.raises(UnsupportedExpression, match="is not additive"):
        create(target=Target("sign(z1 + xi)"))


def test_a_spike_along_one_direction_of_several_coordinates():
    """Within 5 standard errors and O(1/d); overlaps with z1 and z2 stay those of the axes."""
    given = {"alpha0": 2.0, "eta": 1.5, "beta": 1.0}
    theory = GiantStep("tanh", "sin(z1 + z2)").solve(**given)
    found = simulate("giant-step", activation="tanh", target="sin(z1 + z2)", d=100, seeds=20, **given)
    for name in ("r", "gamma"):
        value, exact = found.results[name], float(getattr(theory, name))
        assert abs(float(value.mean) - exact) < 5 * float(value.stderr) + 2 * exact / 100, name
    assert found.results["overlap"].mean.shape == (1, 2)
    both = simulate("giant-step", activation="tanh", target="z1 + z2**2", d=40, seeds=2, **given)
    assert "gamma" not in both.results
