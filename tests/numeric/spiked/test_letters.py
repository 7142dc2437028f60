"""Letters of the readout: the reference numbers, limits with one answer, and a direct simulation."""

from __future__ import annotations

import numpy as np
import pytest

from hermite_analytics import Activation, Target
from hermite_analytics.errors import InputError
from hermite_analytics.numeric import GiantStep, Letters, ReadoutLaw, SpikedRandomFeatures
from hermite_analytics.numeric.models.spiked.letter_bulk import Vocabulary, packed, unpacked
from hermite_analytics.numeric.models.spiked.letters import letters_of

TANH, SIN, RELU = Activation("tanh(z)"), Target("sin(z1)"), Activation("relu(z)")
BENT = Target("cos(z1) + z1")
SIGNS = {1.0: 0.5, -1.0: 0.5}


def test_reference_numbers_of_relu():
    found = SpikedRandomFeatures(RELU, BENT, letters=SIGNS).solve(
        r=1.3, c=1.2, gamma=0.9, alpha=2, beta=1, ridge=0.1
    )
    assert found.test_error == pytest.approx(0.65286176, abs=1e-8)
    assert found.train_error == pytest.approx(0.23168958, abs=1e-8)
    assert found.overlaps["m"] == pytest.approx([1.06809697, -0.31651841], abs=1e-8)
    assert found.overlaps["zeta"] == pytest.approx([-0.13108243, 0.13108243], abs=1e-8)
    assert found.overlaps["psi"] == pytest.approx([0.09760691, 0.27088022], abs=1e-8)
    assert found.status == "converged" and found.residual <= 1e-12 and found.numerical_error <= 1e-12


def test_reference_numbers_of_tanh():
    found = SpikedRandomFeatures(TANH, Target("sin(2*z1)"), letters={0.5: 0.5, 1.5: 0.5}).solve(
        r=1.3, c=[1.05, 1.4], gamma=0.9, alpha=2, beta=1, ridge=0.05
    )
    assert found.test_error == pytest.approx(0.34448588, abs=1e-8)
    assert found.train_error == pytest.approx(0.13207459, abs=1e-8)
    assert found.overlaps["m"] == pytest.approx([-4.51174, 2.85251], abs=1e-5)


@pytest.mark.parametrize("fractions", [(1.0,), (0.3, 0.7), (0.3, 0.5, 0.2)])
@pytest.mark.parametrize("ridge", [0.0, 0.03])
def test_equal_letters_are_the_uniform_case(model, fractions, ridge):
    ratios = {
        "r": 0.9,
        "c": 1.2,
        "gamma": 0.8,
        "alpha": [0.5, 1.5],
        "beta": 0.7,
        "ridge": ridge,
        "noise": 0.1,
    }
    one = model.solve(**ratios)
    letters = Letters(values=(1.0,) * len(fractions), fractions=fractions)
    more = SpikedRandomFeatures(TANH, SIN, letters=letters).solve(**ratios)
    assert more.test_error == pytest.approx(one.test_error, rel=1e-11)
    assert more.train_error == pytest.approx(one.train_error, rel=1e-11, abs=1e-15)
    if len(fractions) > 1:
        for name, axes in (("m", -1), ("zeta", -1), ("psi", -1), ("q2", -1), ("q1", (-2, -1))):
            total = more.overlaps[name].sum(axis=axes)
            assert total == pytest.approx(one.overlaps[name], rel=1e-9, abs=1e-12), name


def test_a_sign_of_the_readout_is_no_matter_for_an_odd_activation(model):
    # sigma(-x) = -sigma(x): the readout of the second letter turns
    ratios = {"r": 1.1, "c": 1.1, "gamma": 0.9, "alpha": 1.3, "beta": 0.8, "ridge": 0.05}
    one = model.solve(**ratios)
    two = SpikedRandomFeatures(TANH, SIN, letters=SIGNS).solve(**ratios)
    assert two.test_error == pytest.approx(one.test_error, rel=1e-11)
    assert two.overlaps["m"] == pytest.approx([one.overlaps["m"] / 2, -one.overlaps["m"] / 2], rel=1e-9)


def test_no_spike_is_random_features(model):
    ratios = {"r": 0.0, "c": 1.0, "gamma": 0.0, "alpha": 1.5, "beta": 1.0, "ridge": 0.1}
    found = SpikedRandomFeatures(TANH, SIN, letters={0.5: 0.25, 2.0: 0.75}).solve(**ratios)
    assert found.test_error == pytest.approx(0.265563879, abs=1e-8)
    assert found.test_error == pytest.approx(model.solve(**ratios).test_error, rel=1e-11)


def test_noise_ridge_and_shapes_broadcast():
    model = SpikedRandomFeatures(TANH, SIN, letters={1.0: 0.6, 2.0: 0.4})
    grid = model.solve(r=[[0.5], [1.0]], c=[1.0, 1.3], gamma=0.8, alpha=[0.5, 1.0, 2.0], beta=1, ridge=0.1)
    assert grid.test_error.shape == (2, 3) and grid.overlaps["V1"].shape == (2, 3, 2, 2)
    assert grid.parameters["c"].shape == (2, 3, 2)
    point = model.solve(r=1.0, c=[1.0, 1.3], gamma=0.8, alpha=2.0, beta=1, ridge=0.1)
    assert point.test_error == pytest.approx(grid.test_error[1, 2], rel=1e-12)
    row = grid.to_dict()["results"][-1]
    assert row["c"] == [1.0, 1.3] and len(row["overlaps"]["m"]) == 2 and len(row["overlaps"]["q1"]) == 2


def test_giant_step_gives_each_letter_its_norm():
    letters = {1.0: 0.5, -2.0: 0.5}
    step = GiantStep(TANH, SIN, letters=letters).solve(alpha0=2, eta=[1.0, 3.0], beta=1)
    plain = GiantStep(TANH, SIN).solve(alpha0=2, eta=[1.0, 3.0], beta=1)
    assert step.c.shape == (2, 2) and np.all(step.c[:, 0] == plain.c)
    assert step.c[:, 1] - 1 == pytest.approx(4 * (plain.c - 1), rel=1e-12)
    model = SpikedRandomFeatures(TANH, SIN, letters=letters)
    one = model.solve(step=step, alpha=1, ridge=0.1)
    other = model.solve(step=plain, alpha=1, ridge=0.1)  # the letters are the model's
    by_hand = model.solve(r=step.r, c=step.c, gamma=step.gamma, beta=1, alpha=1, ridge=0.1)
    assert np.all(one.test_error == other.test_error) and np.all(one.test_error == by_hand.test_error)


def test_pairs_of_readout_and_bias():
    ratios = {"r": 1.1, "c": 1.1, "gamma": 0.9, "alpha": 1.3, "beta": 0.8, "ridge": 0.05}
    uniform = SpikedRandomFeatures(TANH, SIN, bias=0.7).solve(**ratios)
    pair = SpikedRandomFeatures(TANH, SIN, letters={(1.0, 0.7): 1.0}).solve(**ratios)
    assert pair.test_error == pytest.approx(uniform.test_error, rel=1e-12)
    two = SpikedRandomFeatures(TANH, SIN, letters={(1.0, 0.7): 0.5, (-1.0, -0.7): 0.5}).solve(**ratios)
    assert two.test_error == pytest.approx(uniform.test_error, rel=1e-11)
    mixed = SpikedRandomFeatures(TANH, SIN, letters={(1.0, 0.7): 0.5, (1.0, -0.7): 0.5}).solve(**ratios)
    assert mixed.test_error != pytest.approx(uniform.test_error, rel=1e-3)


def test_continuous_law_is_many_letters():
    ratios = {"r": 0.8, "c": 1.1, "gamma": 0.9, "alpha": 1.3, "beta": 0.8, "ridge": 0.1}
    narrow = ReadoutLaw.uniform(0.999, 1.001, nodes=4)
    law = SpikedRandomFeatures(TANH, SIN, letters=narrow).solve(**ratios)
    one = SpikedRandomFeatures(TANH, SIN).solve(**ratios)
    # the mean maps of a narrow law span more than one function: its error is below that of one letter
    assert law.test_error < one.test_error
    wide = [
        SpikedRandomFeatures(TANH, SIN, letters=ReadoutLaw.uniform(0.5, 1.5, nodes=n)).solve(**ratios)
        for n in (3, 5)
    ]
    assert abs(wide[1].test_error - wide[0].test_error) / 0.432 < 2 * wide[0].numerical_error
    assert wide[1].numerical_error < wide[0].numerical_error
    assert wide[0].parameters["letters"] == "uniform(0.5, 1.5)"
    assert (
        SpikedRandomFeatures(TANH, SIN, letters=ReadoutLaw.normal(nodes=4)).solve(**ratios).status
        == "converged"
    )


def test_spikes_of_higher_rank_along_one_direction(model):
    # u_1 = u_2 = 1: one spike of strength |r| along r/|r|
    letters = Letters(values=[[1.0, 1.0]], fractions=[1.0])
    ratios = {"c": 1.1, "alpha": 2, "beta": 1, "ridge": 0.1}
    two = SpikedRandomFeatures(TANH, SIN, letters=letters).solve(r=[0.6, 0.8], gamma=[0.54, 0.72], **ratios)
    one = model.solve(r=1.0, gamma=0.9, **ratios)
    assert two.test_error == pytest.approx(one.test_error, rel=1e-11)
    assert two.overlaps["zeta"] == pytest.approx(one.overlaps["zeta"] * np.array([0.6, 0.8]), rel=1e-9)


def test_second_spike_of_strength_0_is_no_spike(model):
    letters = Letters(values=[[1.0, 1.0], [1.0, -1.0]], fractions=[0.5, 0.5])
    ratios = {"c": 1.1, "alpha": 2, "beta": 1, "ridge": 0.1}
    two = SpikedRandomFeatures(TANH, SIN, letters=letters).solve(r=[1.0, 0.0], gamma=[0.9, 0.0], **ratios)
    one = model.solve(r=1.0, gamma=0.9, **ratios)
    assert two.test_error == pytest.approx(one.test_error, rel=1e-11)
    assert two.overlaps["zeta"].shape == (2, 2)


def simulated(
    sigma, target, *, d, seeds, alpha, beta, ridge, values, fractions, r, c, gamma, orthogonal=False
):
    """Test error of direct simulations: rows of W on spheres (or orthogonal), letters in equal blocks."""
    errors = []
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        p, n, n_test = round(beta * d), round(alpha * d), 20 * d
        w = rng.normal(size=(p, d))
        if orthogonal:
            w = np.linalg.qr(w.T)[0].T
        w /= np.linalg.norm(w, axis=1)[:, None]
        owner = np.repeat(np.arange(len(fractions)), np.round(np.array(fractions) * p).astype(int))
        v, across = np.eye(d)[0], np.eye(d)[1]
        rows = w * np.sqrt(np.array(c))[owner, None] + r * np.array(values)[owner, None] * v
        theta = gamma * v + np.sqrt(1 - gamma**2) * across
        x, x_test = rng.normal(size=(n, d)), rng.normal(size=(n_test, d))
        features, unseen = (sigma(a @ rows.T) / np.sqrt(p) for a in (x, x_test))
        a = np.linalg.solve(features.T @ features + ridge * np.eye(p), features.T @ target(x @ theta))
        errors.append(np.mean((target(x_test @ theta) - unseen @ a) ** 2))
    return np.mean(errors), np.std(errors, ddof=1) / np.sqrt(seeds)


@pytest.mark.slow
def test_against_simulation():
    """Sizes 200 and 400, extrapolated in 1/d; a deviation of 4 standard errors has probability 6e-5."""
    problem = {
        "alpha": 2, "beta": 1, "ridge": 0.1, "values": (1.0, -1.0), "fractions": (0.5, 0.5), "r": 1.3,
        "c": (1.2, 1.2), "gamma": 0.9,
    }  # fmt: skip
    theory = SpikedRandomFeatures(RELU, BENT, letters=SIGNS).solve(
        r=1.3, c=1.2, gamma=0.9, alpha=2, beta=1, ridge=0.1
    )
    relu = lambda x: np.maximum(x, 0)  # noqa: E731
    small = simulated(relu, lambda t: np.cos(t) + t, d=200, seeds=16, **problem)
    large = simulated(relu, lambda t: np.cos(t) + t, d=400, seeds=8, **problem)
    mean, error = 2 * large[0] - small[0], np.hypot(2 * large[1], small[1])
    assert abs(mean - theory.test_error) < 4 * error
    assert error < 0.05


@pytest.mark.slow
def test_orthogonal_rows_against_simulation():
    """As above, for the reading of the special case with W W^T = diag(c)."""
    model = SpikedRandomFeatures(TANH, SIN, letters={0.5: 0.5, 1.5: 0.5}, bulk="orthogonal")
    spike = {"r": 1.2, "c": (1.05, 1.4), "gamma": 0.8}
    theory = model.solve(alpha=3, beta=0.9, ridge=0.02, **spike)
    other = SpikedRandomFeatures(TANH, SIN, letters={0.5: 0.5, 1.5: 0.5}).solve(
        alpha=3, beta=0.9, ridge=0.02, **spike
    )
    problem = {
        "alpha": 3,
        "beta": 0.9,
        "ridge": 0.02,
        "values": (0.5, 1.5),
        "fractions": (0.5, 0.5),
        **spike,
    }
    small = simulated(np.tanh, np.sin, d=200, seeds=12, orthogonal=True, **problem)
    large = simulated(np.tanh, np.sin, d=400, seeds=8, orthogonal=True, **problem)
    mean, error = 2 * large[0] - small[0], np.hypot(2 * large[1], small[1])
    assert abs(mean - theory.test_error) < 4 * error
    assert abs(mean - other.test_error) > 6 * error  # independent rows are told apart


def test_orthogonal_rows_of_two_equal_letters():
    ratios = {"r": 1.2, "c": 1.1, "gamma": 0.8, "alpha": 1.5, "beta": 0.6, "ridge": 0.02}
    one = SpikedRandomFeatures(TANH, SIN, bulk="orthogonal").solve(**ratios)
    letters = Letters(values=(1.0, 1.0), fractions=(0.3, 0.7))
    two = SpikedRandomFeatures(TANH, SIN, letters=letters, bulk="orthogonal").solve(**ratios)
    assert two.test_error == pytest.approx(one.test_error, rel=1e-11)
    with pytest.raises(InputError, match=r"beta is 1.2 with orthogonal rows; at most 1 is accepted"):
        SpikedRandomFeatures(TANH, SIN, bulk="orthogonal").solve(**(ratios | {"beta": 1.2}))


def test_mean_map_alone_is_the_upper_bound():
    from hermite_analytics.numeric import Bounds

    letters = {1.0: 0.5, 2.0: 0.5}
    spike = {"r": 0.9, "c": 1.1, "gamma": 0.8}
    found = SpikedRandomFeatures(TANH, SIN, letters=letters, bulk="none").solve(
        alpha=2, beta=1, ridge=0.1, **spike
    )
    assert found.test_error == pytest.approx(
        Bounds(TANH, SIN, letters=letters).solve(**spike).upper, abs=1e-12
    )


@pytest.mark.parametrize("letters", [1, 2, 4])
def test_derivative_of_the_bulk(letters):
    rng = np.random.default_rng(letters)
    half = rng.normal(size=(letters, letters))
    s, t = half @ half.T, rng.uniform(0.2, 1.0, letters)
    vocabulary = Vocabulary(fraction=np.full(letters, 1 / letters), c=rng.uniform(0.5, 2, letters))
    beta = np.array([0.8])
    matrix = vocabulary.bulk(s[None], t[None], beta).matrix()[0]
    at, step = packed(s, t), 1e-5
    for column in range(at.size):
        move = step * np.eye(at.size)[column]
        ends = [vocabulary.bulk(*(x[None] for x in unpacked(at + k * move, letters)), beta) for k in (1, -1)]
        slope = (ends[0].responses() - ends[1].responses())[0] / (2 * step)
        assert matrix[:, column] == pytest.approx(slope, abs=1e-7)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "accepted: a mapping of values to fractions"),
        ("1:1", "letters is '1:1'; accepted: a mapping"),
        ({1: 0.5, 2: 0.4}, "the fractions of the letters are 0.5, 0.4; positive numbers of sum 1"),
        ({1: 1.5, 2: -0.5}, "positive numbers of sum 1"),
        ({(1, 2, 3): 1.0}, "a number or a pair (readout, bias)"),
        ({"a": 1.0}, "a letter is 'a'; a number is accepted"),
        ({float("inf"): 1.0}, "a letter is inf; a finite number is accepted"),
    ],
)
def test_bad_letters(given, message):
    with pytest.raises(InputError) as caught:
        letters_of(given)
    assert message in str(caught.value)


def test_bad_shapes_of_the_spike():
    model = SpikedRandomFeatures(TANH, SIN, letters=SIGNS)
    ratios = {"alpha": 1, "beta": 1, "ridge": 0.1, "gamma": 0.5}
    with pytest.raises(InputError, match="c has a last axis of 3; accepted: one number or a last axis of 2"):
        model.solve(r=1, c=[1, 1, 1], **ratios)
    with pytest.raises(InputError, match="do not broadcast"):
        model.solve(r=[1, 2], c=1, **(ratios | {"alpha": [1, 2, 3]}))
    two = SpikedRandomFeatures(TANH, SIN, letters=Letters(values=[[1, 0]], fractions=[1]))
    with pytest.raises(InputError, match="r has one number; accepted: a last axis of 2, one a spike"):
        two.solve(r=1, c=1, **ratios)
    with pytest.raises(InputError, match=r"gamma has norm 1.27279; at most 1"):
        two.solve(r=[1, 1], c=1, **(ratios | {"gamma": [0.9, 0.9]}))
    with pytest.raises(InputError, match="one step makes one spike"):
        GiantStep(TANH, SIN, letters=Letters(values=[[1, 0]], fractions=[1]))


@pytest.mark.parametrize("bulk", ["gaussian", "orthogonal"])
def test_letters_beside_the_interpolation_threshold(bulk):
    """The error times |alpha - beta| has one limit from both sides; letters 1 and -1 of erf are none."""
    beta, gap = 0.75, 2.0**-43
    alpha = np.array([beta - gap, beta + gap, beta - 1e-6])
    given = {"beta": beta, "ridge": 0, "r": 0.3, "c": 1, "gamma": 0.8}
    found = SpikedRandomFeatures("erf", "sin(z1)", letters={1: 0.5, -1: 0.5}, bulk=bulk).solve(
        alpha=alpha, **given
    )
    limits = found.test_error * np.abs(alpha - beta)
    assert (found.status == "converged").all()
    np.testing.assert_allclose(limits, limits[2], rtol=1e-5)
    alone = SpikedRandomFeatures("erf", "sin(z1)", bulk=bulk).solve(alpha=alpha[0], **given)
    assert found.test_error[0] == pytest.approx(alone.test_error, rel=1e-9)
