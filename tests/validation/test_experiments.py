"""The experiments: predictions against reference numbers, sizes, and code that repeats a cell."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

from hermite_analytics.errors import InputError
from hermite_analytics.numeric import simulate
from hermite_analytics.validation.experiments import (
    GiantStepExperiment,
    SpikedRandomFeaturesExperiment,
    ThreeLayerExperiment,
)

STEP = GiantStepExperiment(
    activation="tanh", target="sin(z1)", alpha0=2.0, eta=6.0, beta=2.0, alpha=(0.5, 1.5), ridge=0.01, test=2.0
)
FEATURES = SpikedRandomFeaturesExperiment(
    activation="tanh", target="sin(z1)", r=0.9, c=1.0, gamma=1.0, beta=0.5, alpha=(1.0,), ridge=0.1, test=2.0
)


def test_prediction_of_the_step():
    values = STEP.predict().values
    assert values["r"] == pytest.approx(1.3886927386, abs=1e-9)
    assert values["c"] == pytest.approx(1.1897320046, abs=1e-9)
    assert values["gamma"] == pytest.approx(0.7936506445, abs=1e-9)
    assert values["test_error"].shape == (2,)
    assert values["test_error"][1] == pytest.approx(0.126797644, abs=1e-8)
    assert values["train_error"][1] == pytest.approx(0.008062982, abs=1e-8)
    assert values["zeta"][1] == pytest.approx(0.044934031, abs=1e-8)


def test_prediction_of_a_step_with_directions():
    step = replace(
        STEP, activation="relu(z)", target="z1", alpha0=4.0, eta=2.0, beta=1.0, alpha=(2.0,), ridge=0.1
    )
    right = step.predict().values
    assert (right["c"], right["c_target"]) == pytest.approx((0.7544901, 1.2544901), abs=1e-6)
    assert right["test_error"] == pytest.approx([0.58428], abs=1e-5)
    rows = step.predict("isotropic-rows").values
    assert rows["c_target"] == rows["c"] == right["c"]
    assert rows["test_error"] == pytest.approx([0.60546], abs=1e-5)
    # |z|^2 = 1 and Var sigma' = 1/4 with labels for residuals: r = 1.118, c = 1 + 4/16
    plain = step.predict("output-dropped").values
    assert (plain["r"], plain["c"]) == pytest.approx((np.sqrt(1.25), 1.25))
    assert step.predict("ridge-doubled").values["c"] == right["c"]


def test_prediction_of_bounds():
    values = FEATURES.predict().values
    assert values["upper_bound"] == pytest.approx([0.0291049006433], abs=1e-11)
    assert values["lower_bound"] == pytest.approx([0.00166905325109], abs=1e-11)


def test_mutants_reach_the_readout():
    right, wrong = STEP.predict().values, STEP.predict("p-over-d").values
    assert wrong["r"] == pytest.approx(4 * right["r"])
    assert wrong["test_error"] != pytest.approx(right["test_error"], rel=0.1)
    doubled = replace(FEATURES, ridge=0.2).predict().values
    assert FEATURES.predict("ridge-doubled").values["train_error"] == pytest.approx(doubled["train_error"])
    aligned = FEATURES.predict("gamma-one").values
    assert aligned["test_error"] == pytest.approx(FEATURES.predict().values["test_error"])


@pytest.mark.parametrize("experiment", [STEP, FEATURES])
def test_code_in_the_report_repeats_the_cells(experiment):
    cell = experiment.cell(20)
    scope = {"simulate": simulate}
    simulation = eval(experiment.reproduce(20, 2, 7), scope)
    for number, seed in enumerate((7, 8)):
        for name, value in cell.run(seed).items():
            assert np.array_equal(simulation.samples[name][number], value), name


@pytest.mark.parametrize("experiment", [STEP, FEATURES])
def test_cells_pickle(experiment):
    cell = experiment.cell(20)
    copy = pickle.loads(pickle.dumps(cell))
    assert np.array_equal(copy.run(3)["test_error"], cell.run(3)["test_error"])


def test_identity_holds_every_parameter():
    changes = {
        "activation": "sin",
        "target": "sin(z1) ",
        "alpha0": 3.0,
        "eta": 5.0,
        "beta": 1.0,
        "alpha": (1.0,),
        "ridge": 0.02,
        "noise": 0.1,
        "test": 3.0,
    }
    others = [replace(STEP, **{name: value}).identity for name, value in changes.items()]
    assert len({STEP.identity, FEATURES.identity, *others}) == 2 + len(changes)


def test_parameters_that_came_later_leave_the_seeds_of_older_claims():
    assert '"noise": 0.0' in STEP.identity and '"bias"' not in STEP.identity
    assert '"bias": 0.5' in replace(STEP, bias=0.5).identity
    assert '"letters"' not in FEATURES.identity and '"letters"' in STEP.identity
    assert replace(FEATURES, letters=((1.0, 0.5), (-1.0, 0.5))).identity != FEATURES.identity


def test_sizes_that_a_ratio_does_not_divide():
    with pytest.raises(InputError) as error:
        STEP.cell(21)
    assert str(error.value) == "alpha = 0.5 times d = 21 is 10.5; an integer >= 1 is needed"
    assert replace(STEP, alpha=(0.1, 0.3)).cell(30).n == (3, 9)  # 0.1 * 30 is not 3 in floats, but is meant


def test_curve_and_reading():
    assert STEP.abscissa() == ("alpha", (0.5, 1.5)) and FEATURES.abscissa() is None
    assert STEP.refined((1.0, 2.0, 3.0)).predict().values["test_error"].shape == (3,)
    shown = dict(STEP.parameters())
    assert (shown["alpha"], shown["eta"], shown["protocol"]) == ("0.5, 1.5", "6", "giant-step")


def test_the_fields_are_the_keywords_of_the_protocol():
    """Ratios as sizes, a curve of one value as that value, other lists as lists; nothing else."""
    network = replace(STEP, bias=0.5, letters=((0.5, 0.5), (2.0, 0.5)))
    assert network.arguments(20) == {
        "d": 20,
        "activation": "tanh",
        "target": "sin(z1)",
        "eta": 6.0,
        "ridge": 0.01,
        "noise": 0.0,
        "n0": 40,
        "p": 40,
        "n": [10, 30],
        "n_test": 40,
        "letters": {0.5: 0.5, 2.0: 0.5},
        "bias": 0.5,
        "bias_from": "readout",
    }
    assert FEATURES.arguments(20)["n"] == 20 and "letters" not in FEATURES.arguments(20)
    tree = ThreeLayerExperiment(kappa=1.5, degrees=(2,))
    assert tree.arguments(36) == {"d": 36, "degrees": [2], "epsilon": 0.5, "kappa": 1.5, "scenario": "proxy"}
