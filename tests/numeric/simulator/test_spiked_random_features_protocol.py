"""The protocol `spiked-random-features` against the asymptotic errors and overlaps.

Statistical tests have fixed seeds; "rate" is their false-alarm rate over the choice of the seeds.
"""

import math
import pickle

import numpy as np
import pytest

from hermite_analytics import Activation, Target
from hermite_analytics.errors import InputError
from hermite_analytics.numeric.models.spiked.letters import ReadoutLaw
from hermite_analytics.numeric.protocols.spiked_random_features.protocol import SpikedRandomFeaturesProtocol
from hermite_analytics.numeric.simulator.backend import resolve_backend
from hermite_analytics.numeric.simulator.running import run_seeds

SIN = Target("sin(z1)")
SPIKE = {"r": 1.3886927386, "c": 1.1897320046, "gamma": 0.7936506445}
SMALL = {
    "activation": Activation("tanh"),
    "target": SIN,
    "d": 40,
    "beta": 0.5,
    "alpha": 1.5,
    "ridge": 0.01,
    "n_test": 150,
    **SPIKE,
}

# Reference numbers of an independent computation.
REFERENCES = [
    (
        {},
        {
            "test_error": 0.189993746,
            "train_error": 0.07921722,
            "m": 0.861549139,
            "zeta": 0.003723872,
            "psi": 0.342598726,
            "q1": 0.518535585,
            "q2": 0.625074319,
        },
    ),
    (
        {"beta": 2},
        {
            "test_error": 0.126797644,
            "train_error": 0.008062982,
            "m": 0.834763497,
            "zeta": 0.044934031,
            "psi": 0.631714377,
            "q1": 0.70973126,
            "q2": 0.665349468,
        },
    ),
    (
        {
            "activation": Activation("erf(z/sqrt(2))"),
            "beta": 1,
            "ridge": 0.1,
            "r": 0.7605860788,
            "c": 1.0170313738,
            "gamma": 0.8998278824,
        },
        {
            "test_error": 0.088998051,
            "train_error": 0.037019234,
            "m": 1.395630701,
            "zeta": 0.045342478,
            "psi": 0.273305872,
        },
    ),
    (
        {"beta": 1, "ridge": 0.1, "r": 0.0, "c": 1.0, "gamma": 0.0},
        {"test_error": 0.265563879, "train_error": 0.0893588273},
    ),
    (
        {
            "activation": Activation("relu(z)"),
            "target": Target("cos(z1)+z1"),
            "alpha": 2,
            "beta": 1,
            "ridge": 0.1,
            "r": 1.3,
            "c": 1.2,
            "gamma": 0.9,
            "letters": {1: 0.5, -1: 0.5},
        },
        {"test_error": 0.6528617552, "train_error": 0.2316895755},
    ),
    (
        {"alpha": 2, "beta": 1, "ridge": 0.1, "r": 1.15211, "c": 1.029945, "gamma": 0.956625, "bias": 0.7},
        {"test_error": 0.163270, "train_error": 0.064393},
    ),
]


def create(**changes):
    return SpikedRandomFeaturesProtocol.create(**{**SMALL, **changes})


@pytest.mark.draws(3, spread=True)
@pytest.mark.slow
@pytest.mark.parametrize(("changes", "references"), REFERENCES)
def test_errors_and_overlaps_are_those_of_the_limit(changes, references):
    # Two sizes, extrapolated in 1/d; 4 standard errors: rate 6e-5 a number, 1e-3 for the whole test.
    sizes, seeds = (80, 200), (240, 120)
    runs = [
        run_seeds([create(**{**changes, "d": d, "n_test": 10 * d})], seeds=s).simulations[0]
        for d, s in zip(sizes, seeds, strict=True)
    ]
    ratio = sizes[1] / sizes[0]
    for name, theory in references.items():
        small, large = (run.results[name] for run in runs)
        mean = (ratio * large.mean - small.mean) / (ratio - 1)
        error = math.hypot(ratio * large.stderr, small.stderr) / (ratio - 1)
        assert abs(mean - theory) < 4 * error
        assert error < (0.06 * theory if "error" in name else 0.025)


def test_shape_of_the_weights():
    protocol = create(d=30)
    backend = resolve_backend("cpu")
    theta = protocol._directions(backend, 3)[0]
    spike, orthogonal = protocol._spike(backend, theta, 3)
    assert spike @ spike == pytest.approx(1) and orthogonal @ orthogonal == pytest.approx(1)
    assert spike @ theta == pytest.approx(SPIKE["gamma"])
    assert spike @ orthogonal == pytest.approx(0, abs=1e-14)
    assert orthogonal @ theta == pytest.approx(math.sqrt(1 - SPIKE["gamma"] ** 2))


@pytest.mark.parametrize("gamma", [1.0, -1.0])
def test_spike_along_the_teacher(gamma):
    sample = create(gamma=gamma).run(0)
    assert sample["psi"] == 0
    assert np.sign(sample["m"]) == gamma
    assert all(np.isfinite(value) for value in sample.values())


def test_bias_is_a_shift_of_the_activation():
    biased, shifted = create(bias=0.7).run(0), create(activation=Activation("tanh(z + 7/10)")).run(0)
    for name, value in biased.items():
        assert value == pytest.approx(float(shifted[name]), rel=1e-9)


def test_letters_of_one_kind_are_a_longer_spike():
    # omega = -2 on all neurons with half the spike, and the other sign, is the spike itself
    plain = create(alpha=[0.5, 1.5]).run(2)
    spelled = create(alpha=[0.5, 1.5], letters={-2: 1.0}, c=[SPIKE["c"]], r=-SPIKE["r"] / 2).run(2)
    for name, value in plain.items():
        assert np.allclose(value, spelled[name], rtol=1e-9)


def test_each_letter_has_its_rows_and_its_bias():
    # linear neurons without a spike, whose bias is all that the constant label can be fitted with
    linear = {
        "activation": Activation("z"),
        "target": Target("1"),
        "r": 0.0,
        "ridge": 1e-8,
        "beta": 3,
        "alpha": 5,
    }
    assert create(**linear, letters={(1.0, 0.0): 0.5, (-1.0, 0.0): 0.5}).run(0)["test_error"] > 0.5
    assert create(**linear, letters={(1.0, 0.0): 0.5, (-1.0, 2.0): 0.5}).run(0)["test_error"] < 1e-6
    protocol = create(letters={1: 0.25, 2: 0.75}, c=(0.5, 2.0))
    radii = protocol._radii(protocol._neurons())
    assert np.allclose(radii**2, [0.5] * 5 + [2.0] * 15)
    assert protocol.parameters()["c"] == [0.5, 2.0]


def test_overlaps_reproduce_the_training_objective_of_linear_features():
    # sigma(z) = z: yhat = (m r + zeta) kappa + a.W Pi x/sqrt p, whose error against y = z1 is
    # (m r + zeta - gamma)^2 + |W Pi a/sqrt p - sqrt(1-gamma^2) theta_perp|^2, all of it in the overlaps.
    s = create(activation=Activation("z"), target=Target("z1"), n_test=40000).run(1)
    sine = math.sqrt(1 - SPIKE["gamma"] ** 2)
    along = (s["m"] * SPIKE["r"] + s["zeta"] - SPIKE["gamma"]) ** 2
    exact = along + s["q1"] - 2 * sine * s["psi"] + sine**2
    # the test error is a mean of 40000 squares of one Gaussian: 4.5 standard errors, rate 7e-6
    assert s["test_error"] == pytest.approx(exact, rel=4.5 * math.sqrt(2 / 40000))


def test_a_seed_gives_the_same_numbers_and_another_others():
    first, again, other = create().run(5), create().run(5), create().run(6)
    assert list(first) == ["test_error", "train_error", "square_error", "m", "zeta", "psi", "q1", "q2"]
    for name, value in first.items():
        assert np.array_equal(value, again[name])
        assert not np.array_equal(value, other[name])


@pytest.mark.parametrize("chunk_rows", [1, 7, 60, 1000])
def test_chunks_change_rounding_only(chunk_rows):
    ours, other = create(alpha=[0.3, 1.5]).run(1), create(alpha=[0.3, 1.5], chunk_rows=chunk_rows).run(1)
    for name, value in ours.items():
        assert np.allclose(value, other[name], rtol=1e-9, atol=1e-12)


def test_curve_is_the_separate_runs():
    curve = create(alpha=[0.25, 1.5], ridge=[0.01, 1.0]).run(2)
    for i, alpha in enumerate((0.25, 1.5)):
        for j, ridge in enumerate((0.01, 1.0)):
            alone = create(alpha=alpha, ridge=ridge).run(2)
            for name, value in alone.items():
                assert curve[name].shape == (2, 2) and value.shape == ()
                assert curve[name][i, j] == pytest.approx(value.item(), rel=1e-8, abs=1e-11)


def test_float32():
    single, double = create(dtype="float32", ridge=0.1).run(3), create(ridge=0.1).run(3)
    for name, value in double.items():
        assert np.allclose(single[name], value, rtol=2e-3, atol=1e-4)
        assert not np.array_equal(single[name], value)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_only_the_array_api_is_used(strict_device, dtype):
    changes = {"dtype": dtype, "alpha": [0.3, 1.5], "ridge": 0.1, "noise": 0.1, "chunk_rows": 29}
    ours, strict = create(**changes).run(4), create(**changes, device=strict_device).run(4)
    for name, value in ours.items():
        assert np.allclose(value, strict[name], rtol=1e-9 if dtype == "float64" else 1e-4)


def test_protocol_pickles():
    protocol = create(alpha=[0.5, 1.0])
    assert pickle.loads(pickle.dumps(protocol)) == protocol


def test_activations_with_jumps_are_accepted():
    assert 0 < create(activation=Activation("sign(z)")).run(0)["test_error"] < 1


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"d": 1}, "d is 1: an integer >= 2 is accepted, for theta and v to differ"),
        ({"gamma": 1.5}, "gamma is 1.5: a number from -1 to 1 is accepted"),
        ({"gamma": math.nan}, "gamma is nan: a finite number is accepted"),
        ({"c": 0}, "c is 0: a number > 0 is accepted"),
        ({"c": (1.0, -1.0), "letters": {1: 0.5, -1: 0.5}}, "c is -1.0: a number > 0 is accepted"),
        (
            {"c": (1.0, 1.0)},
            "c has 2 values for 1 letters: one number, or one a letter is accepted",
        ),
        ({"bias": math.nan}, "bias is nan: a finite number is accepted"),
        (
            {"letters": ReadoutLaw.normal()},
            "letters is a continuous law: a simulation takes letters, such as law.letters(8)",
        ),
        ({"r": math.inf}, "r is inf: a finite number is accepted"),
        ({"beta": None}, "none is given of beta and p: exactly one is accepted"),
        (
            {"device": "tpu"},
            "device is 'tpu': accepted are 'cpu', 'torch', 'cuda', 'cupy' and 'cuda:<number>'",
        ),
        ({"dtype": "half"}, "dtype is 'half': accepted are 'float64', 'float32'"),
    ],
)
def test_bad_input(changes, message):
    with pytest.raises(InputError) as error:
        create(**changes)
    assert str(error.value) == message
