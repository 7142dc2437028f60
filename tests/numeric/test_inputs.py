"""What models are made from: texts, objects, sympy expressions, Hermite coefficients; and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

import hermite_analytics as ha
from hermite_analytics.errors import InputError, ParseError
from hermite_analytics.numeric import (
    DMFT,
    Bounds,
    DeterministicEquivalent,
    GaussianCovariates,
    GiantStep,
    RandomFeatures,
    ScalingLaw,
    SGDFlow,
    SmallStep,
    SpikedRandomFeatures,
    StateEvolution,
    checks,
)

z, z1 = sympy.symbols("z z1")
MODELS = [SpikedRandomFeatures, GiantStep, RandomFeatures, SGDFlow, DMFT]


@pytest.mark.parametrize("model", MODELS)
def test_all_ways_to_say_it_make_the_same_model(model):
    for activation, target in [
        ("tanh(z)", "sin(z1)"),
        (sympy.tanh(z), sympy.sin(z1)),
        (ha.Activation("tanh(z)"), ha.Target("sin(z1)")),
    ]:
        made = model(activation, target)
        assert (made.activation, made.target) == (ha.Activation("tanh(z)"), ha.Target("sin(z1)"))
    third = model("tanh(z)", np.array([0.0, 1, 0, 6])).target
    assert ha.hermite(third, degree=3)[3] == 6 and ha.hermite(third, degree=3)[1] == 1


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    ("activation", "target", "words"),
    [(np.tanh, "z1", "function tanh is given: write"), ("tanh(z)", np.sin, "function sin is given: write")],
)
def test_python_functions_are_refused_with_an_example(model, activation, target, words):
    with pytest.raises(ParseError, match=words):
        model(activation, target)


@pytest.mark.parametrize("model", MODELS)
def test_what_is_neither(model):
    with pytest.raises(InputError, match="text"):
        model("tanh(z)", 3)


@pytest.mark.parametrize(
    ("activation", "target", "words"),
    [
        (
            "erf(z)",
            "sin(z1)",
            r"the step is one of erf\(z\) on sin\(z1\), and the model has tanh\(z\) and sin",
        ),
        ("tanh(z)", "z1", r"on z1, and the model has tanh\(z\) and sin\(z1\): a step of the same"),
    ],
)
def test_a_step_of_another_network_or_target(activation, target, words):
    model = SpikedRandomFeatures("tanh(z)", "sin(z1)")
    step = GiantStep(activation, target).solve(alpha0=2, eta=1, beta=1)
    with pytest.raises(InputError, match=words):
        model.solve(step=step, alpha=1, ridge=0.1)


def test_the_same_step_written_otherwise_and_what_is_no_step():
    model = SpikedRandomFeatures("tanh(z)", "sin(z1) + xi/10")
    step = GiantStep("tanh( z )", "sin(z1)").solve(alpha0=2, eta=1, beta=1)
    assert 0 < model.solve(step=step, alpha=1, ridge=0.1).test_error < 1
    with pytest.raises(InputError, match="step is 3; the result of GiantStep"):
        model.solve(step=3, alpha=1, ridge=0.1)


def _three(x):
    return np.full(3, float(x))


NAMES = ("tanh(z)", "sin(z1)")
GRIDS = {
    "giant step": ("alpha0", lambda x: GiantStep(*NAMES).solve(alpha0=x, eta=_three(1), beta=1)),
    "spiked": (
        "alpha",
        lambda x: SpikedRandomFeatures(*NAMES).solve(alpha=x, beta=_three(1), ridge=1, r=1, c=1, gamma=0.5),
    ),
    "random features": ("alpha", lambda x: RandomFeatures(*NAMES).solve(alpha=x, beta=_three(1), ridge=1)),
    "covariates": (
        "alpha",
        lambda x: GaussianCovariates(psi=[[1.0]], phi=[[1.0]], omega=[[1.0]], theta=[1.0], target="z1").solve(
            alpha=x, ridge=_three(1)
        ),
    ),
    "small step": (
        "alpha",
        lambda x: SmallStep(*NAMES).solve(eta=1, alpha=x, beta=_three(1), ridge=1),
    ),
    "flow": ("rate", lambda x: SGDFlow("z", "z1").solve(rate=x, overlap=_three(0.1), times=[0, 1])),
    "full batch": ("alpha", lambda x: DMFT(*NAMES).solve(alpha=x, eta=_three(1), steps=1)),
    "bounds": ("r", lambda x: Bounds(*NAMES).solve(r=x, c=_three(1), gamma=0.5)),
    "equivalent": (
        "samples",
        lambda x: DeterministicEquivalent(eigenvalues=[1.0], coefficients=[1.0]).solve(
            samples=x, features=_three(5), ridge=1
        ),
    ),
    "scaling": (
        "ridge_exponent",
        lambda x: ScalingLaw(capacity=2, source=0.5).solve(ridge_exponent=x, features_exponent=_three(1)),
    ),
}


@pytest.mark.parametrize("solver", GRIDS)
def test_every_grid_is_looked_at(solver, monkeypatch):
    name, solve = GRIDS[solver]
    with pytest.raises(InputError, match=rf"the shapes do not broadcast: .*{name} \(2,\)"):
        solve([0.5, 0.6])
    monkeypatch.setattr(checks, "free_memory", lambda: 100)
    with pytest.raises(InputError, match=r"a grid of 3 points takes some .* GB are free: solve parts of"):
        solve(0.5)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda: SpikedRandomFeatures("tanh", "sin(z1)", bias=[1, 2]),
            r"bias has shape \(2,\); accepted: one",
        ),
        (
            lambda: SpikedRandomFeatures("tanh", "sin(z1)", bias=10**400),
            r"bias is 10+\.\.; a number",
        ),
        (lambda: checks.checked("alpha", 10**400), r"alpha is 10+\.\.; a number or an array of numbers is"),
        (lambda: checks.checked("alpha", np.datetime64("2020-01-01")), "alpha is .*2020-01-01.*; a number"),
        (lambda: checks.checked("alpha", np.ma.array([1.0, 2.0], mask=[0, 1])), "alpha is masked_array.*; a"),
        (lambda: checks.check_method(10**400, 5), "tolerance is 10+; accepted: a number between 0 and 1"),
        (
            lambda: GiantStep("tanh", "sin(z1)").solve(alpha0=1, eta=1e300, beta=1),
            "beyond floats at alpha0 = 1",
        ),
        (
            lambda: StateEvolution("z1**2").optimal_overlap([1, 2]),
            r"alpha has shape \(2,\); accepted: one",
        ),
        (lambda: StateEvolution("z1**2", seconds=10**400), "seconds is 10+; a number > 0 is accepted"),
    ],
)
def test_numbers_that_are_none(call, text):
    with pytest.raises(InputError, match=text):
        call()


def test_numbers_at_the_ends_of_floats():
    step = GiantStep("tanh", "sin(z1)").solve(alpha0=1e-300, eta=1, beta=1)
    assert step.r > 1e149 and np.isnan(step.c_spike)
    flow = SGDFlow("tanh", "sin(z1)").solve(rate=1e300, overlap=0.1, times=[1.0])
    assert flow.status == "diverged" and np.isnan(flow.overlap).all()
    evolution = StateEvolution("z1**2")
    assert evolution.optimal_overlap("0.6").overlap == evolution.optimal_overlap(0.6).overlap
