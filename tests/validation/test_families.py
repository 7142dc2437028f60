"""The experiments of every family: predictions against known numbers, cells that run, pickle and repeat."""

import dataclasses
import pickle

import numpy as np
import pytest
from pydantic import TypeAdapter, ValidationError

from hermite_analytics.activation import Activation
from hermite_analytics.errors import InputError
from hermite_analytics.numeric import simulate
from hermite_analytics.numeric.simulator.random_features_eigenvalues import FeatureEigenvalues
from hermite_analytics.numeric.simulator.random_features_spectrum import SpectrumFeatures
from hermite_analytics.validation.experiments import (
    AMPExperiment,
    EquivalenceExperiment,
    GiantStepExperiment,
    LargeStepExperiment,
    PowerLawExperiment,
    RandomFeaturesExperiment,
    ReuseExperiment,
    SecondLayerExperiment,
    SGDExperiment,
    SmallStepExperiment,
    SpectralExperiment,
    SpectrumExperiment,
    StaircaseExperiment,
    ThreeLayerExperiment,
)
from hermite_analytics.validation.suites.records import protocols

SMALL = SmallStepExperiment(
    activation="tanh", target="tanh(z1)", eta=4.0, alpha=4.0, beta=2.0, ridge=0.2, noise=0.09, test=1.0
)
STAIRCASE = StaircaseExperiment(
    activation="relu",
    target="z1 + z2 + z1**2 - z2**2",
    directions=((1.0, 1.0), (1.0, -1.0)),
    steps=2,
    neurons=4,
)
EXPERIMENTS = (
    SMALL,
    EquivalenceExperiment(
        activation="relu(z)", target="tanh(z1)", eta=2.0, alpha=4.0, beta=2.0, ridge=0.2, steps=(1.0, 2.0),
        test=1.0,
    ),
    LargeStepExperiment(
        activation="erf(z)", target="erf(z1)", eta=4.0, alpha=(2.0, 4.0), beta=1.0, ridge=1.0, test=1.0
    ),
    RandomFeaturesExperiment(
        activation="tanh", target="sign(z1)", alpha=(2.0,), beta=1.5, ridge=0.1, loss="logistic", test=1.0
    ),
    STAIRCASE,
    SecondLayerExperiment(
        activation="relu", target="z1 + He2(z2)", samples_power=1, width_power=0, samples_factor=4.0,
        width_factor=4.0, ridge=1.0,
    ),
    AMPExperiment(target="sign(z1)", alpha=3.0, iterations=10),
    SpectralExperiment(target="z1**2", alpha=0.9),
    SGDExperiment(
        activation="erf(z/sqrt(2))", target="erf(z1/sqrt(2))", rate=1.5, overlap=0.2, time=(1.0, 2.0)
    ),
    ReuseExperiment(activation="relu", target="He3(z1)", time=1.0),
    ThreeLayerExperiment(kappa=1.5),
    GiantStepExperiment(
        activation="tanh", target="sin(z1)", alpha0=4.0, eta=2.0, beta=1.0, alpha=(2.0,), ridge=0.1,
        letters=((0.5, 0.5), (1.5, 0.5)), test=1.0,
    ),
    PowerLawExperiment(
        eigenvalue_power=1.5, coefficient_power=2.2, features=2.0, ridge=0.01, noise=0.01, levels=2.0
    ),
    SpectrumExperiment(activation="tanh", r=1.2, c=1.1, alpha=2.0, beta=1.0, z=-0.1),
)  # fmt: skip


@pytest.mark.cases(4)
@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda experiment: experiment.protocol)
def test_cells_run_pickle_and_repeat(experiment):
    cell = experiment.cell(24)
    first, again = cell.run(11), pickle.loads(pickle.dumps(cell)).run(11)
    assert set(first) == set(again)
    for name, value in first.items():
        assert np.array_equal(value, again[name], equal_nan=True), name
    assert experiment.protocol in experiment.identity
    assert all(isinstance(name, str) and isinstance(value, str) for name, value in experiment.parameters())
    assert "seeds=2" in experiment.reproduce(24, 2, 5) or "range(5, 7)" in experiment.reproduce(24, 2, 5)


@pytest.mark.parametrize("experiment", [SMALL, EXPERIMENTS[3]], ids=lambda experiment: experiment.protocol)
def test_code_in_the_report_repeats_the_cells(experiment):
    simulation = eval(experiment.reproduce(20, 2, 7), {"simulate": simulate})
    cell = experiment.cell(20)
    for number, seed in enumerate((7, 8)):
        for name, value in cell.run(seed).items():
            assert np.array_equal(simulation.samples[name][number], value), name


@pytest.mark.parametrize("experiment", EXPERIMENTS[-2:], ids=lambda experiment: experiment.protocol)
def test_code_for_what_is_no_protocol(experiment):
    scope = {
        "Activation": Activation,
        "FeatureEigenvalues": FeatureEigenvalues,
        "SpectrumFeatures": SpectrumFeatures,
    }
    samples = eval(experiment.reproduce(20, 2, 7), scope)
    assert len(samples) == 2 and all(np.isfinite(float(v)) for sample in samples for v in sample.values())


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda experiment: experiment.protocol)
def test_files_can_hold_them(experiment):
    assert protocols()[experiment.protocol] is type(experiment)
    assert TypeAdapter(type(experiment)).validate_python(dataclasses.asdict(experiment)) == experiment
    with pytest.raises(ValidationError):
        TypeAdapter(type(experiment)).validate_python({**dataclasses.asdict(experiment), "more": 1})


@pytest.mark.slow
def test_small_step_and_its_mutants():
    values = SMALL.predict().values
    known = {
        "weights_theta1": 1.6924288379905654,
        "weights_singular_value": 2.5617498913758188,
        "weights_alignment": 0.42144879541882985,
        "kernel_singular_value": 2.3995245676216626,
        "risk_after": 0.07923045618520792,
        "kernel_lower_bound": 0.02741533,
        "large_step_bound": 16 * 9.4526506634e-5,
    }
    for name, value in known.items():
        assert values[name] == pytest.approx(value, rel=1e-6), name
    assert SMALL.predict("theta1-misprint").values["weights_theta1"] == pytest.approx(1.005, abs=1e-3)
    assert SMALL.predict("theta1-misprint").values["weights_alignment"] == 0
    assert SMALL.predict("gradient-factor").values["weights_theta1"] == pytest.approx(2 * 1.69242884)
    assert SMALL.predict("no-step").values["gain"] == 0
    assert SMALL.predict("theta1-noiseless").values["weights_theta1"] == pytest.approx(1.4675166574496443)
    ratio = SMALL.predict("alignment-with-gradient").values["weights_alignment"] / values["weights_alignment"]
    assert ratio == pytest.approx((1.6924288379905654 / 1.4675166574496443) ** 2)


def test_remainder_of_the_gradient_by_hand():
    """erf(z/sqrt 2): mu1 = 1/sqrt pi, E sigma'^2 = 2/(pi sqrt 3); y = z1, so E y^2 = mu_1*^2 = 1."""
    experiment = dataclasses.replace(SMALL, activation="erf(z/sqrt(2))", target="z1", noise=0.0)
    spread = 2 / (np.pi * np.sqrt(3)) - 1 / np.pi
    expected = np.sqrt(spread * 0.25 / (1 / np.pi * 1.25))
    assert experiment._remainder() == pytest.approx(expected, rel=1e-9)


@pytest.mark.slow
def test_resolvent_of_the_bulk_is_that_of_marchenko_pastur():
    x = np.linspace(1e-9, 1, 400_001)[1:-1]
    low, high = (1 - np.sqrt(2)) ** 2, (1 + np.sqrt(2)) ** 2
    point = low + (high - low) * (1 - np.cos(np.pi * x)) / 2
    density = np.sqrt((high - point) * (point - low)) / (2 * np.pi * point)
    measure = (high - low) / 2 * np.pi * np.sin(np.pi * x) * density / (len(x) + 1)
    assert SMALL.predict().values["weights_resolvent"] == pytest.approx(
        np.sum(measure / (point + 1)), abs=1e-6
    )


@pytest.mark.slow
def test_known_predictions():
    assert EXPERIMENTS[3].predict().values["test_error"] == pytest.approx(0.255524242282329, abs=1e-9)
    assert EXPERIMENTS[5].predict().values["test_error"] == pytest.approx(2.0)
    assert EXPERIMENTS[8].predict().values["overlap"] == pytest.approx([0.5511, 0.7639], abs=1e-4)
    assert EXPERIMENTS[10].predict().values["grows"] == 0
    spectrum = SpectrumExperiment(
        activation="tanh", r=1.2248307799585, c=1.0758928018327, alpha=2.0, beta=1.0, z=-1.0
    ).predict()
    assert spectrum.values["stieltjes"] == pytest.approx(0.732243915, abs=1e-7)
    assert spectrum.values["outlier"] == pytest.approx(0.29615, abs=1e-4)
    assert EXPERIMENTS[12].predict().values["test_error"] == 1


def test_state_evolution_and_spectral_limit():
    assert EXPERIMENTS[6].predict().values["overlap"] == pytest.approx(0.842606, abs=1e-5)
    right, wrong = (EXPERIMENTS[7].predict(mutant).values for mutant in (None, "threshold-doubled"))
    assert 0.15 < right["overlap"] < 0.22 and wrong["overlap"] == 0 and right["detects"] == 1


def test_directions_of_the_staircase():
    values = STAIRCASE.predict().values
    shown = {name: float(value) for name, value in values.items() if name.startswith("direction")}
    assert shown == {
        "direction1_step1": 1,
        "direction2_step1": 0,
        "direction1_step2": 1,
        "direction2_step2": 1,
    }
    stall = dataclasses.replace(STAIRCASE, target="z1 + z2 + z1**2 + z2**2 - 2").predict().values
    assert stall["direction2_step2"] == 0 and stall["overlap2_step2"] == 0
    assert np.isnan(
        dataclasses.replace(STAIRCASE, directions=((1.0, 0.0),)).predict().values["direction1_step1"]
    )
    signal = STAIRCASE.cell(24).run(1)["direction1_step1"]
    assert signal.shape == (1 + 22,) and signal[0] == max(signal)


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (
            lambda: SMALL.predict("zeta-dropped"),
            "'zeta-dropped' is not a mutant here; accepted are theta1-misprint",
        ),
        (lambda: SMALL.cell(0), "alpha = 4.0 times d = 0 is 0; an integer >= 1 is needed"),
        (
            lambda: dataclasses.replace(STAIRCASE, directions=((0.0, 0.0),)).predict(),
            "a direction is (0.0, 0.0); a row of numbers that are not all 0 is accepted",
        ),
    ],
)
def test_bad_input(act, message):
    with pytest.raises(InputError) as error:
        act()
    assert str(error.value).startswith(message)
