"""The saddle-point models of `solve`: what each result holds, and the order of results."""

from __future__ import annotations

import jsonschema
import numpy as np
import pytest

from hermite_analytics import Activation, Target
from hermite_analytics.numeric import Bounds, GiantStep, SmallStep, Spectrum
from hermite_analytics.schemas import schema

TANH = "--activation tanh(z) --target sin(z1) "
SPIKE = "--r 1 --c 1.1 --gamma 0.9 "
RIDGE = "--alpha 2 --beta 1 --ridge 0.1 "
STEP = "--alpha 4 --beta 2 --eta 4 "
SMALL = "--activation tanh(z) --target tanh(z1) "

OVERLAPS = {"m", "zeta", "psi", "q1", "q2", "V1", "V2"}
# model and flags: names in each result
FIELDS = {
    "giant-step " + TANH + "--alpha0 2 --eta 1 --beta 1": {"r", "c", "gamma"},
    "spiked-random-features " + TANH + RIDGE + SPIKE: {
        "test_error",
        "train_error",
        "linear_floor",
        "overlaps",
    },
    "bounds " + TANH + SPIKE: {"upper", "lower", "linear_floor"},
    "bounds " + TANH + "--optimise-step": {"upper", "lower", "linear_floor", "r_upper", "r_lower"},
    "random-features " + TANH + RIDGE: {"test_error", "train_error", "overlaps"},
    "small-step " + SMALL + STEP + "--ridge 0.1": {
        *("weights", "kernel", "risk_before", "risk_after", "gain", "train_before", "train_after")
    },
    "large-step " + SMALL: {"tau", "scale"},
    "deterministic-equivalent --eigenvalue-power 1.5 --coefficient-power 2.2 --levels 50 --samples 20 "
    "--features 30 --ridge 0.1": {"test_error", "bias", "variance", "train_error", "nu1", "nu2"},
    "scaling-law --capacity 2 --source 0.8 --ridge-exponent 0.5 --features-exponent 1": {
        *("bias_exponent", "variance_exponent", "exponent")
    },
    "scaling-law --capacity 2 --source 0.8 --optimal": {"ridge_exponent", "features_exponent", "exponent"},
    "spectrum --of features --activation tanh(z) --r 1 --c 1.1 --beta 1 --alpha 2 --z -1,0": {
        *("stieltjes", "atom_at_zero", "edge", "outliers")
    },
    "spectrum --of kernel " + SMALL + STEP + "--ridge 0.1 --density 0,4,5": {
        *("density", "atom_at_zero", "edge", "outliers")
    },
    "spectrum --of weights " + SMALL + STEP + "--z 1,0.5": {
        *("stieltjes", "atom_at_zero", "edge", "outliers")
    },
}


@pytest.mark.cases(3)
@pytest.mark.parametrize("line", FIELDS)
def test_every_result_has_its_fields(run, line):
    model, *flags = line.split()
    outcome = run("solve", model, *flags, "--json")
    assert outcome.status == 0
    document = outcome.document
    jsonschema.validate(document, schema(f"solve-{model}"))
    assert document["model"] == model
    for row in document["results"]:
        assert set(row) >= FIELDS[line] | {"status", "residual", "iterations"}
        if model == "spiked-random-features":
            assert set(row["overlaps"]) == OVERLAPS
        if model == "small-step":
            assert set(row["weights"]) == {"theta1", "theta2", "singular_value", "alignment", "edge"}
            assert set(row["kernel"]) == {"singular_value", "alignment", "edge"}
    assert f"{model}: " in run("solve", model, *flags).out  # for people


def test_spectrum_of_the_kernel_on_the_real_axis(run):
    flags = (SMALL + STEP + "--noise 0.09 --z -0.2,0 --ridge 1,2 --gradient-factor 2").split()
    rows = run("solve", "spectrum", "--of", "kernel", *flags, "--json").document["results"]
    assert [row["ridge"] for row in rows] == [1, 2]
    step = SmallStep("tanh(z)", "tanh(z1)", gradient_factor=2)
    expected = step.kernel_stieltjes(-0.2, alpha=4, beta=2)
    spike = step.solve(eta=4, alpha=4, beta=2, ridge=1, noise=0.09).kernel
    for row in rows:
        assert row["stieltjes"] == [expected.real, expected.imag] and abs(expected.imag) < 1e-12
        assert row["outliers"] == [spike["singular_value"] ** 2] and row["residual"] < 1e-12


def test_an_infinite_limit_is_an_answer(run):
    flags = (TANH + SPIKE + "--alpha 1,2 --beta 1 --ridge 0").split()
    outcome = run("solve", "spiked-random-features", *flags, "--json")
    assert outcome.status == 0
    jsonschema.validate(outcome.document, schema("solve-spiked-random-features"))
    rows = outcome.document["results"]
    assert [row["status"] for row in rows] == ["infinite", "converged"]
    assert (rows[0]["test_error"], rows[0]["train_error"], rows[0]["overlaps"]["V1"]) == ("inf", 0.0, None)


@pytest.mark.slow
def test_density_from_zero_on(run):
    line = "--of features --activation relu(z) --r 1 --c 1.2 --alpha 2 --beta 1 --density 0,3,4"
    (row,) = run("solve", "spectrum", *line.split(), "--json").document["results"]
    assert row["density"][0] == [0.0, None]  # it may be infinite there
    density = Spectrum(Activation("relu(z)")).solve(r=1, c=1.2, alpha=2, beta=1).density([1.0, 2.0, 3.0])
    np.testing.assert_allclose([y for _, y in row["density"][1:]], density, rtol=1e-12)
    assert row["iterations"] > 0


def test_a_linear_kernel_has_the_rank_of_the_inputs(run):
    line = "--of kernel --activation z --target z1 --eta 1 --alpha 4 --beta 2 --z -1,0"
    (row,) = run("solve", "spectrum", *line.split(), "--json").document["results"]
    assert row["atom_at_zero"] == 0.5


@pytest.mark.slow
def test_bounds_at_the_best_size_of_a_step(run):
    flags = (TANH + "--optimise-step --alpha0 2,5 --beta 0.5").split()
    rows = run("solve", "bounds", *flags, "--json").document["results"]
    assert [row["alpha0"] for row in rows] == [2, 5] and "eta" not in rows[0]
    problem = Activation("tanh(z)"), Target("sin(z1)")
    step = GiantStep(*problem).solve(alpha0=5, eta=1, beta=0.5)
    found = Bounds(*problem).solve(step=step, optimise_step=True)
    for name in ("upper", "lower", "r_upper", "r_lower", "c_upper", "c_lower"):
        assert rows[1][name] == pytest.approx(getattr(found, name), rel=1e-6)
    given = run("solve", "bounds", *flags, "--eta", "3", "--json").document["results"]
    assert given[0]["eta"] == 3 and given[0]["upper"] == pytest.approx(rows[0]["upper"], rel=1e-9)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("bounds " + TANH + "--optimise-step --r 1", "--optimise-step looks for r: it takes --c and --gamma"),
        ("bounds " + TANH + "--optimise-step --alpha0 2", "--beta not given"),
        ("bounds " + TANH + "--optimise-step --alpha0 2 --beta 1 --c 1", "exclude each other"),
        (
            "spectrum --of kernel " + SMALL + STEP + "--z 1,1 --r 1",
            "--r belongs to --of features, not to --of kernel",
        ),
        (
            "spectrum --of weights " + SMALL + STEP + "--z 1,1 --letters 1:1",
            "--letters belongs to --of features, not to --of weights",
        ),
        (
            "spectrum --of features --activation tanh(z) --alpha 1 --beta 1 --z 1,1 --eta 1",
            "--eta belongs to --of kernel and --of weights, not to --of features",
        ),
        ("spectrum --of kernel " + SMALL + STEP + "--z 0,0", "z is 0 or not finite"),
        ("spectrum --of kernel " + SMALL + STEP + "--density -1,2,3", "accepted: 0 <= LO < HI"),
    ],
)
def test_bad_input(run, line, message):
    outcome = run("solve", *line.split(), "--json")
    assert (outcome.status, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert message in outcome.err
