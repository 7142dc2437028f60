"""The one-step map (r, c, gamma)."""

from __future__ import annotations

import math

import numpy as np
import pytest

from hermite_analytics import Activation, Target
from hermite_analytics.errors import InputError, UndefinedQuantity
from hermite_analytics.numeric import GiantStep

TANH, SIN, ERF = Activation("tanh(z)"), Target("sin(z1)"), Activation("erf(z/sqrt(2))")


@pytest.mark.parametrize(
    ("activation", "ratios", "expected", "tolerance"),
    [
        (TANH, (20, 3, 1), (1.13405550928, 1.01897320046, 0.971854444487), 1e-9),
        (TANH, (2, 1.5, 0.5), (1.3886927386, 1.1897320046, 0.7936506445), 1e-8),
        (TANH, (2, 6, 2), (1.3886927386, 1.1897320046, 0.7936506445), 1e-8),
        (ERF, (5, 2, 1), (0.7605860788, 1.0170313738, 0.8998278824), 1e-8),
    ],
)
def test_reference_numbers(activation, ratios, expected, tolerance):
    alpha0, eta, beta = ratios
    step = GiantStep(activation, SIN).solve(alpha0=alpha0, eta=eta, beta=beta)
    assert (step.r, step.c, step.gamma) == pytest.approx(expected, abs=tolerance)


def test_label_noise():
    step = GiantStep(TANH, SIN).solve(alpha0=20, eta=3, beta=1, noise=0.25)
    assert (step.r, step.c, step.gamma) == pytest.approx((1.1521092848, 1.029944621, 0.9566252972), abs=1e-9)
    noisy = GiantStep(TANH, Target("sin(z1) + xi/2")).solve(alpha0=20, eta=3, beta=1)
    assert (noisy.r, noisy.c, noisy.gamma) == (step.r, step.c, step.gamma)


def test_closed_form_of_erf():
    # h1 = 1/sqrt(pi), Var sigma' = 2/(pi sqrt 3) - 1/pi; E z sin z = e^-1/2, E sin^2 = (1 - e^-2)/2
    slope, variance = 1 / math.sqrt(math.pi), 2 / (math.pi * math.sqrt(3)) - 1 / math.pi
    target_slope, power = math.exp(-0.5), (1 - math.exp(-2)) / 2
    step = GiantStep(ERF, SIN).solve(alpha0=3, eta=2, beta=0.8)
    norm = math.sqrt(power / 3 + target_slope**2)
    assert step.r == pytest.approx(2.5 * slope * norm, rel=1e-14)
    assert step.c == pytest.approx(1 + 2.5**2 * power / 3 * variance, rel=1e-14)
    assert step.gamma == pytest.approx(target_slope / norm, rel=1e-14)


def test_limits():
    model = GiantStep(TANH, SIN)
    infinite = model.solve(alpha0=np.inf, eta=3, beta=1)
    assert (infinite.c, infinite.gamma) == (1.0, 1.0)
    assert infinite.r == pytest.approx(3 * 0.605705509602 * 0.606530659713, rel=1e-11)
    none = model.solve(alpha0=0, eta=3, beta=1)
    assert (none.r, none.c, none.gamma) == (0.0, 1.0, 0.0)


def test_negative_slope_of_the_target_turns_the_spike():
    model = GiantStep(TANH, Target("-sin(z1)")).solve(alpha0=4, eta=1, beta=1)
    mirror = GiantStep(TANH, SIN).solve(alpha0=4, eta=1, beta=1)
    assert model.gamma == -mirror.gamma and model.r == mirror.r


def test_target_without_linear_part_leaves_no_overlap():
    step = GiantStep(TANH, Target("He3(z1)")).solve(alpha0=4, eta=1, beta=1)
    assert step.gamma == 0.0 and step.r > 0


def test_conventions_agree_at_beta_1_only():
    model = GiantStep(TANH, SIN)
    paper = model.solve(alpha0=2, eta=3, beta=[1.0, 0.5])
    notebook = model.solve(alpha0=2, eta=3, beta=[1.0, 0.5], step_convention="notebook")
    assert paper.r[0] == notebook.r[0] and paper.c[0] == notebook.c[0]
    assert paper.r[1] == pytest.approx(2 * notebook.r[1], rel=1e-14)
    assert paper.c[1] - 1 == pytest.approx(4 * (notebook.c[1] - 1), rel=1e-13)
    assert np.all(paper.gamma == notebook.gamma)


def test_broadcasts_and_is_read_only():
    step = GiantStep(TANH, SIN).solve(alpha0=[[1.0], [2.0]], eta=[1.0, 2.0, 3.0], beta=1)
    assert step.r.shape == step.c.shape == step.gamma.shape == (2, 3)
    with pytest.raises(ValueError, match="read-only"):
        step.r[0, 0] = 1.0


@pytest.mark.parametrize("text", ["sign(z)", "z + sign(z)"])
def test_jump_is_refused_with_the_reason(text):
    with pytest.raises(UndefinedQuantity, match=r"its derivative is not square integrable \(a jump\)"):
        GiantStep(Activation(text), SIN)


def test_closed_form_of_relu():
    # E sigma' = 1/2, Var sigma' = 1/4, E sigma = E z sigma' = 1/sqrt(2 pi); F = z - E sigma
    mean, e, alpha0 = 1 / math.sqrt(2 * math.pi), 2.5, 3.0
    step = GiantStep("relu(z)", "z1").solve(alpha0=alpha0, eta=2, beta=0.8)
    power = 1 + mean**2
    length = math.sqrt(1 + power / alpha0)
    assert (step.r, step.gamma) == pytest.approx((e * length / 2, 1 / length), rel=1e-13)
    noise, kept = e**2 / (4 * alpha0), (1 - e * mean**2) ** 2
    assert step.c == pytest.approx(kept + noise * power, rel=1e-13)
    assert step.c_target == pytest.approx(kept + noise * (3 + mean**2), rel=1e-12)
    assert not step.is_isotropic and "the rows have directions" in step.remarks[0]


def test_the_mean_output_is_taken_from_the_labels():
    # tanh + 1/2 has no second coefficient: the map of tanh on the target less 1/2
    shifted = GiantStep("tanh(z) + 1/2", "sin(z1)").solve(alpha0=2, eta=3, beta=1)
    plain = GiantStep("tanh(z)", "sin(z1) - 1/2").solve(alpha0=2, eta=3, beta=1)
    assert shifted.is_isotropic and shifted.remarks == ()
    for name in ("r", "c", "gamma", "c_spike", "c_target"):
        assert getattr(shifted, name) == pytest.approx(getattr(plain, name), rel=1e-12)


def test_letters_scale_the_mean_output_and_need_isotropic_rows():
    half = GiantStep("tanh(z) + 1/2", "sin(z1)", letters={2: 0.5, -1: 0.5}).solve(alpha0=2, eta=3, beta=1)
    plain = GiantStep("tanh(z)", "sin(z1) - 1/4").solve(alpha0=2, eta=3, beta=1)
    assert half.r == pytest.approx(plain.r, rel=1e-12)
    assert half.c == pytest.approx([1 + 4 * (plain.c - 1), plain.c], rel=1e-12)
    with pytest.raises(InputError, match=r"letters other than 1 .* that of relu\(z\) is not: each letter"):
        GiantStep("relu(z)", "z1", letters={1: 0.5, -1: 0.5})


@pytest.mark.parametrize("text", ["z**2", "z + 1", "exp(z)", "sigmoid(z)", "gelu(z)", "softplus(z)"])
def test_activations_that_are_not_odd_are_accepted(text):
    step = GiantStep(text, "z1 + He2(z1)/2").solve(alpha0=[2, np.inf], eta=1, beta=1, noise=0.1)
    assert np.all(np.isfinite([step.r, step.c, step.gamma, step.c_spike, step.c_target]))
    assert step.gamma[1] == pytest.approx(1.0) and step.c_spike[1] == pytest.approx(step.c_target[1])


def test_fourth_moments_that_are_infinite_leave_the_directions_open():
    step = GiantStep("relu(z)", "exp(z1**2/6) + z1").solve(alpha0=2, eta=1, beta=1)  # E g^4 is infinite
    assert np.isfinite(step.c) and np.isnan(step.c_spike) and np.isnan(step.c_target)


@pytest.mark.slow
@pytest.mark.arrays
@pytest.mark.parametrize("text", ["tanh(2*z)", "sin(z)", "z**3", "He3(z)", "z*abs(z)", "relu(z) - relu(-z)"])
def test_odd_activations_are_accepted(text):
    assert GiantStep(Activation(text), SIN).solve(alpha0=1, eta=1, beta=1).c >= 1.0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"alpha0": -1}, "alpha0 is -1; accepted: alpha0 >= 0"),
        ({"eta": -2}, "eta is -2; accepted: finite numbers eta >= 0"),
        ({"beta": 0}, "beta is 0; accepted: finite numbers beta > 0"),
        ({"beta": np.inf}, "beta is inf"),
        ({"noise": -0.1}, "noise is -0.1"),
        ({"eta": "fast"}, "eta is 'fast': 'fast' is not a number or a range"),
        ({"eta": [1.0, np.nan]}, "eta is nan"),
        ({"step_convention": "mine"}, "unknown step convention 'mine'; accepted: paper, notebook"),
    ],
)
def test_bad_parameters(change, message):
    given = {"alpha0": 1, "eta": 1, "beta": 1} | change
    with pytest.raises(InputError) as caught:
        GiantStep(TANH, SIN).solve(**given)
    assert message in str(caught.value)


def test_target_of_several_directions_is_refused():
    with pytest.raises(InputError, match="z1 alone"):
        GiantStep(TANH, Target("z1*z2"))
