"""Flows: reference values, symmetries, several neurons and directions, statuses, and what is refused."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

from hermite_analytics import (
    Activation,
    ConvergenceError,
    InputError,
    Target,
    UndefinedQuantity,
    UnsupportedExpression,
)
from hermite_analytics.numeric import SGDFlow
from hermite_analytics.numeric.models.sgd_flow.closed_forms import closed_network
from hermite_analytics.numeric.models.sgd_flow.integrate import Run
from hermite_analytics.numeric.models.sgd_flow.runs import _Runs
from hermite_analytics.numeric.status import Status

ERF = ("erf(z/sqrt(2))", "erf(z1/sqrt(2))")


def test_reference_values():
    """Square loss, rate 1.5 from overlap 0.2."""
    found = SGDFlow(*ERF, loss="square").solve(rate=1.5, overlap=0.2, times=[1, 2, 3, 5, 10])
    assert found.status == "converged" and found.numerical_error < 1e-9
    assert found.overlap == pytest.approx([0.5511, 0.7639, 0.8796, 0.9696, 0.9991], abs=1e-4)


def test_linear_neuron_in_closed_form():
    """sigma = z, g = z: D = 1 - m^2, E F^2 = 2 - 2 m for the square loss, so that
    dm/dt = rate (1 - m)(1 + m - rate m); at rate 1 it is 1 - m."""
    times = np.array([0.0, 0.5, 2.0])
    found = SGDFlow("z", "z1", loss="square").solve(rate=1.0, overlap=[-0.4, 0.3], times=times)
    expected = 1 - (1 - np.array([[-0.4], [0.3]])) * np.exp(-times)
    assert found.overlap == pytest.approx(expected, abs=1e-9)
    noisy = SGDFlow("z", "z1 + xi/2").solve(rate=0.7, overlap=0.1, times=3.0, noise=0.25)
    # correlation loss: E F^2 = 1 + 1/2, dm/dt = 0.7 (1 - m^2) - 0.245 * 1.5 m
    half, low = 0.3675 / 1.4, math.sqrt((0.3675 / 1.4) ** 2 + 1)
    top, bottom = -half + low, -half - low
    c = (0.1 - top) / (0.1 - bottom) * math.exp(-0.7 * (top - bottom) * 3)
    assert noisy.overlap == pytest.approx((top - bottom * c) / (1 - c), abs=1e-9)


def test_shapes_and_order_of_times():
    flow = SGDFlow(*ERF)
    found = flow.solve(rate=[[0.5], [1.0]], overlap=[0.1, 0.2, 0.3], times=[2, 0, 1])
    assert found.overlap.shape == (2, 3, 3) and found.status.shape == (2, 3)
    assert found.overlap[:, :, 1] == pytest.approx(np.tile([0.1, 0.2, 0.3], (2, 1)))
    single = flow.solve(rate=1.0, overlap=0.3, times=2)
    assert isinstance(single.overlap, float)
    assert single.overlap == pytest.approx(found.overlap[1, 2, 0], abs=1e-11)
    with pytest.raises(ValueError, match="read-only"):
        found.overlap[0, 0, 0] = 1


def test_records_and_plot():
    import matplotlib

    matplotlib.use("Agg")
    found = SGDFlow(*ERF).solve(rate=[0.5, 1.0], overlap=0.2, times=[1, 2])
    rows = found.to_dict()["results"]
    assert [(row["rate"], row["time"]) for row in rows] == [(0.5, 1), (0.5, 2), (1, 1), (1, 2)]
    assert [row["overlap"] for row in rows] == found.overlap.ravel().tolist()
    axes = found.plot()
    SGDFlow("relu", "z1").solve(rate=0.5, overlap=0.2, times=[1, 2]).plot(axes, label="relu")
    assert len(axes.lines) == 3


@pytest.mark.slow
def test_signs():
    """l even: both sides alike, and c < 0 attracts; l odd: both sides move the same way."""
    times = [0, 5]
    up = SGDFlow("relu", "He2(z1)").solve(rate=0.2, overlap=[-0.1, 0.1], times=times).overlap
    assert up[1, 1] > 0.15 and up[0, 1] == pytest.approx(-up[1, 1], abs=1e-9)
    down = SGDFlow("relu", "-He2(z1)").solve(rate=0.2, overlap=[-0.1, 0.1], times=times).overlap
    assert np.all(np.abs(down[:, 1]) < 0.06)
    odd = SGDFlow("tanh", "-He3(z1)").solve(rate=0.05, overlap=[-0.3, 0.3], times=times).overlap
    assert np.all(odd[:, 1] > odd[:, 0])


def test_overlap_zero_is_stationary_from_order_two_on():
    for target in ("He2(z1)", "He3(z1)"):
        assert SGDFlow("gelu", target).solve(rate=0.3, overlap=0.0, times=200).overlap == 0.0
    assert SGDFlow("gelu", "z1").solve(rate=0.3, overlap=0.0, times=1).overlap > 0.05


def test_times_to_a_level():
    flow = SGDFlow(*ERF, loss="square")
    time = flow.time_to(0.5, rate=1.5, overlap=[0.2, -0.3, 0.6])
    assert flow.solve(rate=1.5, overlap=0.2, times=time[0]).overlap == pytest.approx(0.5, abs=1e-8)
    assert flow.solve(rate=1.5, overlap=-0.3, times=time[1]).overlap == pytest.approx(0.5, abs=1e-8)
    assert time[2] == 0.0
    down = SGDFlow("relu", "-He2(z1)")
    assert down.time_to(0.5, rate=0.1, overlap=0.1) == math.inf
    with pytest.raises(InputError, match="level is 1; accepted: 0 < level < 1"):
        flow.time_to(1, rate=1, overlap=0.1)


@pytest.mark.slow
@pytest.mark.parametrize(("target", "power"), [("He2(z1)", 0), ("He3(z1)", 1), ("He4(z1)", 2)])
def test_times_scale_with_the_start(target, power):
    """Without noise (rate -> 0) the time from m0 grows like log(1/m0), 1/m0, 1/m0^2 for l = 2, 3, 4."""
    flow = SGDFlow("sigmoid(3*z) + exp(-z**2)", target)
    sign = np.sign(flow.weak_recovery().coefficient)
    flow = SGDFlow("sigmoid(3*z) + exp(-z**2)", target if sign > 0 else f"-({target})")
    rate, m0 = 1e-7, np.array([4e-2, 2e-2, 1e-2])
    times = rate * flow.time_to(0.3, rate=rate, overlap=m0)
    steps = np.diff(times)
    assert steps[1] / steps[0] == pytest.approx(2.0**power, rel=0.1)


@pytest.mark.parametrize("options", [{}, {"reuse": 0.2}, {"method": "batch-reuse"}])
def test_the_readout_of_one_neuron_is_a_factor_of_its_activation(options):
    """Square loss: f = a sigma(h). It was taken for 1."""
    flow = SGDFlow("tanh", "sin(z1)", loss="square", readout=[-1.5], **options)
    same = SGDFlow("-3*tanh(z)/2", "sin(z1)", loss="square", **options)
    run = {"rate": 0.4, "overlap": 0.3, "times": [1.0, 2.0]}
    assert flow.solve(**run).overlap == pytest.approx(same.solve(**run).overlap, abs=1e-9)
    assert flow.drift(0.1, rate=0.4) == pytest.approx(same.drift(0.1, rate=0.4), abs=1e-10)
    assert flow.fluctuation(0.1, rate=0.4) == pytest.approx(same.fluctuation(0.1, rate=0.4), abs=1e-10)
    unit = SGDFlow("tanh", "sin(z1)", loss="square", **options)
    assert abs(flow.solve(**run).overlap - unit.solve(**run).overlap).max() > 0.1


@pytest.mark.slow
def test_two_passes_of_two_neurons_with_fields_of_their_own():
    """Correlation loss: each neuron is alone, at rate/p. The look-ahead of both was the rate itself."""
    settings = {"method": "batch-reuse"}
    pair = SGDFlow("tanh", "sin(2*z1)", neurons=2, readout=[1.5, -1.0], **settings)
    found = pair.solve(rate=0.8, overlap=[[0.2], [-0.3]], times=1.5, tolerance=1e-6)
    assert found.status == "converged"
    for j, (a, start) in enumerate([(1.5, 0.2), (-1.0, -0.3)]):
        alone = SGDFlow("tanh", "sin(2*z1)", readout=[a], **settings)
        single = alone.solve(rate=0.4, overlap=start, times=1.5)
        assert found.overlap[j, 0] == pytest.approx(single.overlap, abs=2e-6)


@pytest.mark.slow
def test_numbers_that_are_not_as_exact_as_asked():
    """The finest rule over three variables moves overlaps by 4e-7: an answer with that error.

    A trapezoidal rule of step 0.15 in all three variables and Runge-Kutta gave these overlaps.
    """
    flow = SGDFlow("tanh", "z1**2/2", neurons=2, readout=[0.61, 1.08], reuse=0.26)
    found = flow.solve(rate=0.68, overlap=[[0.07], [0.25]], times=[0.5, 1.5])
    assert found.status == "converged" and 1e-7 < found.numerical_error < 1e-6
    assert found.residual < 1e-9
    assert found.overlap[:, :, 0] == pytest.approx(
        np.array([[0.069234234, 0.243338716], [0.067727397, 0.230466425]]), abs=2e-9
    )


@pytest.mark.slow
def test_noise_before_a_look_ahead_is_a_variable():
    """Rules over z, the noise and h are those over three variables; one over two took 44 s here, it 5 s.

    A trapezoidal rule of step 0.2 in all three and Runge-Kutta gave these overlaps.
    """
    flow = SGDFlow("tanh", "sin(z1)", readout=[-1.13], reuse=0.3, loss="square", spherical=False)
    found = flow.solve(rate=0.57, noise=0.49, overlap=[-0.05], times=[0.5, 1.5])
    assert found.status == "converged" and 1e-12 < found.numerical_error < 1e-7
    assert found.overlap.ravel() == pytest.approx([-0.1390874, -0.29472658], abs=1e-7)


@pytest.mark.slow
def test_reuse_learns_what_plain_sgd_does_not():
    plain = SGDFlow("relu", "He3(z1)").solve(rate=0.01, overlap=0.0, times=50)
    reused = SGDFlow("relu", "He3(z1)", reuse=0.1).solve(rate=0.01, overlap=0.0, times=50)
    assert plain.overlap == 0.0
    assert -0.09 < reused.overlap < -0.05  # 50 * 0.01 * D(0) = -0.059 and the feedback


@pytest.mark.slow
def test_reuse_with_growing_weights():
    """He3, relu, square loss, shift 0.1, rate 0.01, t = 50, no normalisation.

    Simulated cosine at d = 1024, 8 seeds: -0.068 +- 0.002; 4 standard errors.
    """
    flow = SGDFlow("relu", "He3(z1)", loss="square", reuse=0.1, spherical=False)
    found = flow.solve(rate=0.01, overlap=0.0, times=50, tolerance=1e-6)
    assert found.status == "converged" and found.correlations[0, 0] < 0.7
    assert found.cosine == pytest.approx(-0.068, abs=0.008)
    assert found.cosine == pytest.approx(-0.06885, abs=1e-5)


@pytest.mark.slow
def test_two_directions_are_one():
    """A target of (z1 + z2)/sqrt(2) has the flow of one direction, whichever way it is computed."""
    one = SGDFlow("tanh", "sin(z1)", loss="square").solve(rate=0.8, overlap=0.3, times=[1, 4])
    two = SGDFlow("tanh", "sin((z1 + z2)/sqrt(2))", loss="square")
    found = two.solve(rate=0.8, overlap=[0.3 / math.sqrt(2)] * 2, times=[1, 4])
    assert found.overlap == pytest.approx(np.outer(one.overlap, [1, 1]) / math.sqrt(2), abs=2e-7)
    assert found.cosine == pytest.approx(found.overlap, abs=1e-7)


@pytest.mark.slow
def test_kinks_in_three_variables():
    """relu and max(z1, z2) = (z1 + z2)/2 + |z1 - z2|/2 keep the symmetry between the directions."""
    found = SGDFlow("relu", "max(z1, z2)").solve(rate=0.3, overlap=[[0.1, 0.2], [0.2, 0.1]], times=1)
    assert np.all(found.status == "converged")
    assert found.overlap[0] == pytest.approx(found.overlap[1][::-1], abs=1e-7)
    assert found.overlap[0].sum() > 0.4


def test_equal_neurons_stay_equal():
    flow = SGDFlow(*ERF, loss="square", neurons=2, spherical=False)
    alone = SGDFlow(*ERF, loss="square", spherical=False)
    pair = flow.solve(rate=1.0, overlap=[[0.2], [0.2]], times=2, correlations=np.ones((2, 2)))
    one = alone.solve(rate=0.5, overlap=0.2, times=2)
    # two equal neurons are one of half the rate
    assert pair.overlap == pytest.approx(np.full((2, 1), one.overlap), abs=1e-9)
    assert pair.correlations == pytest.approx(np.full((2, 2), one.correlations[0, 0]), abs=1e-9)
    assert pair.cosine == pytest.approx(pair.overlap / np.sqrt(one.correlations[0, 0]), abs=1e-9)


@pytest.mark.slow
def test_generic_committee_is_the_closed_one():
    """erf(z/sqrt(2)) = 2 Phi(z) - 1, which the closed forms do not recognise."""
    options = {"rate": 1.0, "overlap": [[0.3], [-0.1]], "times": 1.0}
    closed = SGDFlow(*ERF, loss="square", neurons=2, readout=[1, -0.5]).solve(**options)
    generic = SGDFlow("2*Phi(z) - 1", ERF[1], loss="square", neurons=2, readout=[1, -0.5]).solve(**options)
    assert closed_network(Activation("2*Phi(z) - 1"), Target(ERF[1])) is None
    assert generic.overlap == pytest.approx(closed.overlap, abs=1e-7)


def test_statuses():
    flow = SGDFlow(*ERF)
    short = flow.solve(rate=1.0, overlap=0.1, times=[0, 1, 1000], max_steps=300)
    assert short.status == "max_steps_reached" and np.all(np.isnan(short.overlap))
    with pytest.raises(ConvergenceError, match="start 0 of sgd-flow: max_steps_reached"):
        flow.solve(rate=1.0, overlap=0.1, times=[1000], max_steps=300, throw=True)


@pytest.mark.slow
def test_weights_that_grow_without_end():
    free = SGDFlow("z**2", "z1**2", spherical=False).solve(rate=5.0, overlap=0.5, times=5, tolerance=1e-3)
    assert free.status == "diverged"


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        ({"loss": "hinge"}, InputError, "loss is 'hinge'; accepted: correlation, square"),
        ({"method": "sam"}, InputError, "method is 'sam'; accepted: sgd, extra-gradient, batch-reuse"),
        ({"method": "sgd", "reuse": 0.1}, InputError, "reuse is 0.1 with the method 'sgd'"),
        ({"reuse": math.inf}, InputError, "reuse is inf; accepted: finite numbers of any sign"),
        ({"neurons": 0}, InputError, "neurons is 0; an integer >= 1 is accepted"),
        ({"readout": [1, 2]}, InputError, r"readout has shape \(2,\); accepted: one number for each neuron"),
        ({"target": "3 + xi"}, InputError, "the labels of 3 \\+ xi do not depend on z"),
        ({"activation": "sign"}, InputError, "the activation sign is not shown to be continuous"),
        ({"target": "z1*xi"}, UnsupportedExpression, "the label noise of z1\\*xi is not additive"),
        ({"target": "exp(z1**2/4)"}, UndefinedQuantity, "tanh on exp.z1.* has no second moment: E .y sigma'"),
        ({"target": "sign(z1*z2 - 1)"}, UnsupportedExpression, "has a kink where z1\\*z2 - 1 vanishes"),
        (
            {"target": "z1*z2*z3*z4"},
            InputError,
            "1 neurons and 4 directions need quadrature over 5 variables",
        ),
        ({"activation": "relu", "target": "z1*z2*z3"}, InputError, "at most 4 \\(3 with kinks\\), and any"),
        (
            {"activation": "relu", "neurons": 2, "reuse": 0.1},
            InputError,
            "the look-ahead of 2 neurons takes a smooth",
        ),
        (
            {"activation": "relu", "target": "z1 + xi", "reuse": 1},
            InputError,
            "smooth activations, or no noise",
        ),
    ],
)
def test_bad_problems(make, error, text):
    given = {"activation": "tanh", "target": "z1"} | make
    with pytest.raises(error, match=text) as caught:
        SGDFlow(given.pop("activation"), given.pop("target"), **given)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("accuracy", "status"), [(1e-5, "converged"), (1e-6, "max_steps_reached")])
def test_a_change_between_rules_is_judged_by_the_number_of_variables(accuracy, status):
    runs = _Runs(1, 1, 1, 2)
    run = Run(states=np.zeros((1, 3)), status=Status.CONVERGED, evaluations=9)
    kept = runs.keep(0, run, 1e-9, 5e-6, 1e-7, accuracy)
    assert kept == (status == "converged") and runs.error[0] == 5e-6


def test_noise_that_is_used_again_is_a_variable():
    flow = SGDFlow("tanh", "z1 + z1*z2", neurons=2, reuse=0.1)
    given = {"rate": 0.1, "overlap": [[0.1, 0.0], [0.0, 0.1]], "times": [0.1]}
    with pytest.raises(InputError, match=r"2 neurons, 2 directions and a label noise .* 5 variables"):
        flow.solve(noise=0.1, **given)
    with pytest.raises(InputError, match="5 variables"):
        SGDFlow("tanh", "z1*z2 + xi", neurons=2, reuse=0.1)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"rate": 0}, "rate is 0; accepted: finite numbers rate > 0"),
        ({"overlap": 1.2}, "overlap is 1.2; accepted: -1 <= overlap <= 1"),
        ({"times": -1}, "times is -1; accepted: finite numbers times >= 0"),
        ({"times": [[1]]}, r"times has shape \(1, 1\); accepted: one number or one axis of numbers"),
        ({"noise": -1}, "noise is -1; accepted: finite numbers noise >= 0"),
        ({"tolerance": 2}, "tolerance is 2; accepted: a number between 0 and 1"),
        ({"correlations": [[2.0]]}, "correlations has a diagonal other than 1"),
        ({"correlations": [1.0]}, r"correlations has shape \(1,\); accepted: a symmetric matrix"),
    ],
)
def test_bad_points(change, text):
    with pytest.raises(InputError, match=text):
        SGDFlow("tanh", "z1").solve(**({"rate": 1, "overlap": 0.1, "times": 1} | change))


def test_bad_starts_of_several():
    flow = SGDFlow("z**2", "z1**2 + z2**2", neurons=2)
    options = {"rate": 0.1, "times": 1}
    with pytest.raises(InputError, match=r"overlap has shape \(2,\); accepted: \(2, 2\) for 2 neurons"):
        flow.solve(overlap=[0.1, 0.2], **options)
    with pytest.raises(InputError, match=r"the overlaps of neuron 2 have norm 1\.2"):
        flow.solve(overlap=[[0.1, 0.2], [0.9, 0.8]], **options)
    with pytest.raises(InputError, match="no weights have these overlaps and correlations"):
        flow.solve(overlap=[[0.9, 0], [0, 0.9]], correlations=[[1, 0.9], [0.9, 1]], **options)
    with pytest.raises(InputError, match="weak_recovery takes one neuron of norm 1 and one direction"):
        flow.weak_recovery()


def test_models_or_texts():
    found = SGDFlow(Activation("relu"), Target("z1 + xi")).solve(rate=0.1, overlap=0.1, times=1)
    assert found.overlap == SGDFlow("relu", "z1").solve(rate=0.1, overlap=0.1, times=1, noise=1).overlap


def test_pickles():
    flow = SGDFlow("tanh", "z1", reuse=0.2, spherical=False)
    again = pickle.loads(pickle.dumps(flow))
    assert (again.method, again.reuse, again.spherical) == ("extra-gradient", 0.2, False)
