"""`solve deterministic-equivalent` and `solve scaling-law`."""

from __future__ import annotations

import jsonschema
import numpy as np
import pytest

from hermite_analytics.numeric import DeterministicEquivalent
from hermite_analytics.schemas import schema

RIDGE = ("solve", "deterministic-equivalent", "--eigenvalue-power", "1.5", "--coefficient-power", "2.2")
LAW = ("solve", "scaling-law", "--capacity", "2", "--source", "0.8")


@pytest.mark.slow
def test_reference_numbers(run):
    sizes = (
        "--levels",
        "2500",
        "--samples",
        "200",
        "--features",
        "400",
        "--ridge",
        "0.01",
        "--noise",
        "0.01",
    )
    outcome = run(*RIDGE, *sizes, "--json")
    (row,) = outcome.document["results"]
    assert outcome.status == 0 and row["status"] == "converged"
    assert row["test_error"] == pytest.approx(0.02659859017913525, rel=1e-12)
    assert row["bias"] == pytest.approx(0.014262859931115613, rel=1e-12)
    assert row["variance"] == pytest.approx(0.012335730248019637, rel=1e-12)
    assert row["train_error"] == pytest.approx(2.329035141850431e-4, rel=1e-12)
    assert row["nu1"] == pytest.approx(6.267786024326588e-4, rel=1e-12)
    assert row["nu2"] == pytest.approx(1.1609451452966903e-3, rel=1e-12)


@pytest.mark.slow
def test_last_flag_is_fastest_across_spectra(run):
    flags = ("--features", "inf,50", "--levels", "100,inf", "--samples", "20,30", "--ridge", "0.1")
    rows = run(*RIDGE, *flags, "--json").document["results"]
    order = [(row["features"], row["levels"], row["samples"]) for row in rows]
    assert order == [(p, k, n) for p in ("inf", 50) for k in (100, "inf") for n in (20, 30)]
    for row in rows:
        model = DeterministicEquivalent.power_law(1.5, 2.2, float(row["levels"]))
        found = model.solve(samples=row["samples"], features=float(row["features"]), ridge=0.1)
        assert row["test_error"] == found.test_error and row["noise"] == 0.0


@pytest.mark.slow
@pytest.mark.arrays
def test_infinite_is_an_answer(run):
    flags = ("--levels", "inf", "--samples", "50", "--features", "50", "--ridge", "0", "--noise", "0.1")
    outcome = run(*RIDGE, *flags, "--json")
    (row,) = outcome.document["results"]
    assert outcome.status == 0
    assert (row["status"], row["test_error"], row["train_error"]) == ("infinite", "inf", 0.0)


def test_no_convergence_exits_with_1(run, monkeypatch):
    solve = DeterministicEquivalent.solve
    monkeypatch.setattr(
        DeterministicEquivalent, "solve", lambda self, **rest: solve(self, **rest, max_steps=1)
    )
    flags = ("--levels", "100", "--samples", "50", "--features", "70", "--ridge", "0.1")
    outcome = run(*RIDGE, *flags, "--json")
    assert outcome.status == 1
    jsonschema.validate(outcome.document, schema("solve-deterministic-equivalent"))
    (row,) = outcome.document["results"]
    assert (row["status"], row["test_error"]) == ("max_steps_reached", None)


def test_optimal_exponents(run):
    document = run(*LAW, "--optimal", "--json").document
    (row,) = document["results"]
    found = [row[name] for name in ("ridge_exponent", "exponent", "features_exponent")]
    assert found == pytest.approx([10 / 21, 16 / 21, 11 / 21], rel=1e-15)
    assert document["parameters"] == {"capacity": 2.0, "source": 0.8, "optimal": True}


def test_exponents_at_points(run):
    rows = run(*LAW, "--ridge-exponent", "0.5,1", "--features-exponent", "0.3,inf", "--json").document[
        "results"
    ]
    assert [row["bias_exponent"] for row in rows] == pytest.approx([0.55, 0.8, 0.6, 1.6], rel=1e-15)
    assert [row["variance_exponent"] for row in rows] == pytest.approx([0.75, 0.75, 0.7, 0.5], rel=1e-15)
    assert [row["exponent"] for row in rows] == pytest.approx([0.55, 0.75, 0.6, 0.5], rel=1e-15)
    assert [row["features_exponent"] for row in rows] == [0.3, "inf", 0.3, "inf"]
    peak = run(*LAW, "--ridge-exponent", "inf", "--features-exponent", "1", "--json").document["results"]
    assert (peak[0]["region"], peak[0]["exponent"]) == ("interpolation-peak", "-inf")


@pytest.mark.parametrize("command", [RIDGE[:2], LAW[:2]])
def test_help(run, command):
    outcome = run(*command, "--help")
    assert outcome.status == 0 and "--json" in outcome.out
    assert f"  {command[1]} " in run("solve", "--help").out


def test_text_for_people(run):
    sizes = ("--levels", "100", "--samples", "20", "--features", "10,40", "--ridge", "0.1")
    for arguments in ((*RIDGE, *sizes), (*LAW, "--optimal")):
        outcome = run(*arguments)
        assert outcome.status == 0 and outcome.err == "" and "2405.15699" in outcome.out


SIZES = {"--levels": "10", "--samples": "5", "--features": "5", "--ridge": "1"}


def sizes(**changed):
    flags = SIZES | {f"--{name}": value for name, value in changed.items()}
    return (*RIDGE, *np.ravel(list(flags.items())).tolist())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (RIDGE, "--levels"),
        (LAW[:4], "--source"),
        (sizes(levels="2.5"), "levels is 2.5; accepted: an integer >= 1, or inf"),
        (sizes(samples="0"), "samples is 0; accepted: samples > 0"),
        (sizes(features="-2"), "features is -2; accepted: features > 0"),
        (sizes(ridge="-1"), "ridge is -1; accepted: finite numbers ridge >= 0"),
        (sizes(noise="-1"), "noise is -1"),
        (sizes(samples="many"), "comma list of numbers"),
        ((*RIDGE[:3], "1", *sizes(levels="inf")[4:]), "whose trace is infinite; accepted: "),
        (LAW, "--ridge-exponent, --features-exponent not given; give both exponents, or --optimal"),
        ((*LAW, "--ridge-exponent", "1"), "--features-exponent not given"),
        ((*LAW, "--optimal", "--ridge-exponent", "1"), "--optimal finds --ridge-exponent"),
        ((*LAW[:3], "1", *LAW[4:], "--optimal"), "capacity is 1.0; accepted: finite capacity > 1"),
        ((*LAW[:5], "0", "--optimal"), "source is 0.0; accepted: finite source > 0"),
        ((*LAW, "--ridge-exponent", "-1", "--features-exponent", "1"), "ridge_exponent is -1.0; accepted"),
        ((*LAW, "--ridge-exponent", "1", "--features-exponent", "0"), "features_exponent is 0.0; accepted"),
    ],
)  # fmt: skip
def test_bad_input(run, arguments, message):
    outcome = run(*arguments)
    assert (outcome.status, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert message in outcome.err
