"""The exported curve after a giant step: numpy alone gives the numbers of the library and of the paper."""

from __future__ import annotations

import re
import subprocess
import sys
import venv

import numpy as np
import pytest

from hermite_analytics import InputError, UndefinedQuantity, UnsupportedExpression
from hermite_analytics.numeric import GiantStep, SpikedRandomFeatures
from hermite_analytics.numeric.exported.spiked_solver import Functions, responses
from tests.standalone import check_lint, rows_of, run_alone

ALPHAS = [0.2, 0.9, 1.6, 2.3, 3.0]
LIST = ",".join(map(str, ALPHAS))
OVERLAPS = ("m", "zeta", "psi", "q1", "q2", "V1", "V2")


def compare(rows, solution):
    for k, row in enumerate(rows):
        for name in ("test_error", "train_error"):
            assert row[name] == pytest.approx(getattr(solution, name)[k], rel=1e-10)
        for name in OVERLAPS:
            assert row[name] == pytest.approx(solution.overlaps[name][k], rel=1e-10, abs=1e-12), name
        assert row["numerical_error"] <= 1e-10


@pytest.fixture(scope="module")
def curve(tmp_path_factory):
    path = tmp_path_factory.mktemp("exported") / "curve.py"
    return SpikedRandomFeatures("tanh(z)", "sin(z1)").export(path, alpha0=20, eta=3, beta=1, ridge=0.1)


def test_errors_of_the_paper(curve):
    """The d -> infinity limit, from independent code; to the digits that are known."""
    rows = rows_of(curve, "--alpha", LIST)
    exact = [0.048482902, 0.042503929, 0.037311328, 0.034304665, 0.032518208]
    assert [row["test_error"] for row in rows] == pytest.approx(exact, abs=1e-9)
    exact = [0.012493798, 0.016859455, 0.019589771, 0.021185524, 0.022197932]
    assert [row["train_error"] for row in rows] == pytest.approx(exact, abs=1e-9)


@pytest.mark.slow
def test_agrees_with_the_library(curve):
    model = SpikedRandomFeatures("tanh(z)", "sin(z1)")
    step = GiantStep("tanh(z)", "sin(z1)").solve(alpha0=20, eta=3, beta=1)
    compare(rows_of(curve, "--alpha", LIST), model.solve(step=step, alpha=ALPHAS, ridge=0.1))
    step = GiantStep("tanh(z)", "sin(z1)").solve(alpha0=2, eta=1.5, beta=0.5, noise=0.25)
    flags = ("--alpha0", "2", "--eta", "1.5", "--beta", "0.5", "--ridge", "1e-6", "--noise", "0.25")
    compare(rows_of(curve, "--alpha", LIST, *flags), model.solve(step=step, alpha=ALPHAS, ridge=1e-6))


def test_is_readable_python(curve):
    check_lint(curve)
    text = curve.read_text(encoding="utf-8")
    assert max(map(len, text.splitlines())) <= 110
    docstring = text.split('"""')[1]
    for part in (
        "sigma(z) = tanh(z)",
        "g(z1) = sin(z1)",
        "V2 = 2/(b + sqrt(b^2",
        "arXiv 2402.04980",
        "eqs 17-25",
    ):
        assert part in docstring


def test_plain_table(curve):
    lines = run_alone(curve, "--alpha", "0.2,3").stdout.splitlines()
    assert lines[0].split() == ["alpha", "test_error", "train_error"] and len(lines) == 3
    assert float(lines[2].split()[1]) == pytest.approx(0.032518208, abs=1e-9)


@pytest.mark.cases(1)
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "the following arguments are required: --alpha"),
        (("--alpha", "1,-1"), "argument --alpha: -1 is not above 0"),
        (("--alpha", "1", "--ridge", "0"), "argument --ridge: 0 is not above 0"),
        (("--alpha", "one"), "argument --alpha: invalid"),
    ],
)
def test_bad_flags(curve, arguments, message):
    outcome = run_alone(curve, *arguments)
    assert outcome.returncode == 2 and message in outcome.stderr


def test_flags_that_were_not_given_are_required(tmp_path):
    path = SpikedRandomFeatures("erf(z)", "z1**3").export(tmp_path / "curve.py", eta=1)
    required = "the following arguments are required: --alpha0, --beta, --ridge"
    assert required in run_alone(path, "--alpha", "1").stderr


CASES = {
    "a jump and a noisy target": ("sign(z)", "abs(z1) + 0.3*xi", 0.7, 1.3, 0.5, 1.5),
    "kinks": ("relu(z)", "max(z1, 1/2)", 1.2, 1.1, -0.8, 1.0),
    "no average is left": ("tanh(z)", "sign(z1)", 1.0, 1.2, 1.0, 0.5),
    "no spike": ("min(max(z, -1), 1)", "sin(2*z1)", 0.0, 1.0, 0.0, 2.0),
}


@pytest.mark.cases(1)
@pytest.mark.parametrize("name", CASES)
def test_spikes_without_a_step(name, tmp_path):
    activation, target, *numbers = CASES[name]
    spike = dict(zip(("r", "c", "gamma", "beta"), numbers, strict=True))
    model = SpikedRandomFeatures(activation, target)
    path = model.export(tmp_path / "curve.py", **spike, ridge=0.01, noise=0.1)
    assert "--eta" not in path.read_text(encoding="utf-8")
    compare(rows_of(path, "--alpha", LIST), model.solve(alpha=ALPHAS, ridge=0.01, noise=0.1, **spike))
    check_lint(path)


@pytest.mark.slow
def test_small_ridges_about_the_interpolation_peak(tmp_path):
    """A strong spike: there plain iteration is slow, and Newton's method may lose its way."""
    model = SpikedRandomFeatures("gelu(z)", "min(max(z1, -1), 1)")
    spike = {"r": 20.0, "c": 1.0, "gamma": 0.9999, "beta": 0.5}
    path = model.export(tmp_path / "curve.py", **spike, ridge=1e-6)
    solution = model.solve(alpha=[0.45, 0.5, 0.9], ridge=1e-6, **spike)
    compare(rows_of(path, "--alpha", "0.45,0.5,0.9"), solution)


@pytest.mark.cases(1)
@pytest.mark.parametrize("alpha0", [0.0, np.inf])
@pytest.mark.parametrize("convention", ["paper", "notebook"])
def test_ends_of_the_step(alpha0, convention, tmp_path):
    model = SpikedRandomFeatures("erf(z)", "z1")
    given = {"alpha0": alpha0, "eta": 1.5, "beta": 0.5}
    path = model.export(tmp_path / "curve.py", **given, ridge=0.1, step_convention=convention)
    step = GiantStep("erf(z)", "z1").solve(**given, step_convention=convention)
    compare(rows_of(path, "--alpha", LIST), model.solve(step=step, alpha=ALPHAS, ridge=0.1))


def test_refusals(tmp_path):
    path = tmp_path / "curve.py"
    model = SpikedRandomFeatures("tanh(z)", "sin(z1)")
    for other, said in (
        ({"loss": "huber:0.3"}, "loss is huber:0.3"),
        ({"letters": {1: 0.5, -1: 0.5}}, "letters is several"),
        ({"bias": 0.5}, "bias is 0.5"),
        ({"bulk": "none"}, "bulk is none"),
    ):
        with pytest.raises(
            UnsupportedExpression, match=f"for the square loss, one letter, no bias, .*{said}"
        ):
            SpikedRandomFeatures("tanh(z)", "sin(z1)", **other).export(path)
    with pytest.raises(InputError, match="alpha0 and r exclude each other"):
        model.export(path, alpha0=1, r=1)
    with pytest.raises(InputError, match=r"ridge is \[0\.1, 1\]; a file is exported with one number for it"):
        model.export(path, ridge=[0.1, 1])
    with pytest.raises(InputError, match="ridge is 0; an exported file takes ridge > 0"):
        model.export(path, ridge=0)
    with pytest.raises(InputError, match=r"gamma is 2; an exported file takes gamma in \[-1, 1\]"):
        model.export(path, gamma=2)
    with pytest.raises(InputError, match="unknown step convention 'other'; accepted: paper, notebook"):
        model.export(path, step_convention="other")
    with pytest.raises(UndefinedQuantity, match="the giant step is undefined for sign"):
        SpikedRandomFeatures("sign(z)", "z1").export(path, alpha0=1)
    assert not path.exists()


def test_a_ridge_that_is_too_small_is_said(curve):
    outcome = run_alone(curve, "--alpha", "1", "--ridge", "1e-300")
    assert outcome.returncode == 1 and outcome.stderr.startswith("curve.py: no solution was found: ")


@pytest.mark.parametrize("target", ["sin(z1)", "cos(3*z1)"])
def test_a_strong_spike_of_an_activation_that_saturates(target, tmp_path):
    model = SpikedRandomFeatures("tanh(z)", target)
    spike = {"r": 20.0, "c": 1.0, "gamma": 0.999, "beta": 0.2}
    path = model.export(tmp_path / "curve.py", **spike, ridge=0.1)
    compare(rows_of(path, "--alpha", "0.05,1"), model.solve(alpha=[0.05, 1.0], ridge=0.1, **spike))


@pytest.mark.cases(1)
@pytest.mark.parametrize(
    ("activation", "r", "gamma", "said"),
    [
        ("exp(z/2)", 20.0, 0.999, "averages over kappa do not settle, the last refinement changes 1"),
        ("tanh(10**7*z)", 1.0, 0.9, r"mu0 at kappa = -\d\S+ is no finite number"),
        ("exp(40*z)", 20.0, 0.999, r"mu0 at kappa = -\d\S+ is no finite number"),
    ],
)
def test_what_the_library_gives_as_nan_is_no_answer(activation, r, gamma, said, tmp_path):
    model = SpikedRandomFeatures(activation, "sin(z1)")
    point = {"r": r, "c": 1.0, "gamma": gamma, "beta": 0.2, "ridge": 0.1}
    solution = model.solve(alpha=0.05, **point)
    assert solution.status == "diverged" and np.isnan(solution.test_error)
    outcome = run_alone(model.export(tmp_path / "curve.py", **point), "--alpha", "0.05")
    assert outcome.returncode == 1 and outcome.stdout == ""
    assert re.fullmatch(rf"curve\.py: no solution was found: {said}\n", outcome.stderr)


def test_an_overflow_of_the_iteration_is_said_at_once():
    node = np.ones(1)
    functions = Functions(node, node, node, 1e200 * node, node, node, node, node)
    with (
        np.errstate(over="ignore", invalid="ignore"),
        pytest.raises(ArithmeticError, match=r"\(V1, V2\) is NaN after 1 steps: numbers overflow"),
    ):
        responses(functions, 1.0, 1.0, 0.1, 1.0)


@pytest.mark.slow
def test_in_an_environment_with_numpy_only(curve, tmp_path):
    venv.create(tmp_path / "bare")
    python = tmp_path / "bare" / "bin" / "python"
    install = [sys.executable, "-m", "pip", "--python", python, "install", "-q", "numpy"]
    subprocess.run(install, check=True)
    flags = ("--alpha", LIST)
    found = subprocess.run([python, curve, *flags], capture_output=True, text=True, check=True)
    here = subprocess.run([sys.executable, curve, *flags], capture_output=True, text=True, check=True)
    assert found.stdout == here.stdout
