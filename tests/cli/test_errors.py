"""Bad input: exit status 2, one sentence, nothing on standard output, never a traceback."""

from __future__ import annotations

import pytest

MODEL = ("solve", "spiked-random-features", "--activation", "tanh(z)", "--target", "sin(z1)")
SPIKE = ("--r", "1", "--c", "1", "--gamma", "1", "--beta", "1", "--alpha", "1", "--ridge", "0.1")
STEP = ("solve", "giant-step", "--target", "sin(z1)", "--alpha0", "1", "--eta", "1", "--beta", "1")
SIMULATE = (
    "simulate",
    "giant-step",
    "--activation",
    "tanh(z)",
    "--target",
    "sin(z1)",
    "--alpha0",
    "1",
    "--eta",
    "1",
    "--beta",
    "1",
    "--alpha",
    "1",
    "--ridge",
    "0.1",
)


def with_option(arguments: tuple[str, ...], name: str, value: str) -> tuple[str, ...]:
    place = arguments.index(name)
    return (*arguments[: place + 1], value, *arguments[place + 2 :])


CASES = {
    "unknown function": (("mu", "softmax(z)"), "softmax"),
    "unbalanced parenthesis": (("mu", "tanh(z"), "never closed"),
    "injection": (
        ("mu", "__import__('os').system('id')"),
        "only the functions of the language can be called; given: __import__",
    ),
    "lambda": (("mu", "(lambda: 0)()"), "given: (lambda: 0)()"),
    "division by zero": (("mu", "1/0"), "zero"),
    "degree": (("mu", "He(1000000, z)"), "degree"),
    "power": (("mu", "z**99999999"), "exponent"),
    "empty": (("mu", ""), "empty"),
    "second moment": (("mu", "exp(z**2/3)"), "E sigma(z)^2 is infinite"),
    "variable": (("mu", "tanh(x)"), "'x'"),
    "c": (("mu", "relu(z)", "--c", "-1"), "accepted: finite c > 0"),
    "kappa": (("mu", "relu(z)", "--kappa", "much"), "--kappa"),
    "sign in a giant step": ((*STEP, "--activation", "sign(z)"), "not square integrable"),
    "relu in a giant step": ((*STEP, "--activation", "relu(z)"), "not shown to be odd"),
    "negative alpha": ((*MODEL, *with_option(SPIKE, "--alpha", "-1")), "alpha is -1"),
    "negative beta": ((*MODEL, *with_option(SPIKE, "--beta", "-2")), "beta is -2"),
    "zero c": ((*MODEL, *with_option(SPIKE, "--c", "0")), "c is 0"),
    "gamma": ((*MODEL, *with_option(SPIKE, "--gamma", "1.5")), "-1 <= gamma <= 1"),
    "negative ridge": ((*MODEL, *with_option(SPIKE, "--ridge", "-0.1")), "ridge is -0.1"),
    "ridge 0 at the peak": ((*MODEL, *with_option(SPIKE, "--ridge", "0")), "interpolation peak"),
    "not a number": ((*MODEL, *with_option(SPIKE, "--alpha", "1,x")), "comma list of numbers"),
    "nan": ((*MODEL, *with_option(SPIKE, "--alpha", "nan")), "nan is not a number"),
    "spike and step": ((*MODEL, *SPIKE, "--alpha0", "1"), "exclude each other"),
    "half a spike": (
        (*MODEL, "--r", "1", "--beta", "1", "--alpha", "1", "--ridge", "1"),
        "--c, --gamma not given",
    ),
    "half a step": (
        (*STEP[:2], "--activation", "tanh", "--target", "sin(z1)", "--eta", "1", "--beta", "1"),
        "alpha0",
    ),
    "two directions": ((*STEP[:2], "--activation", "tanh", *STEP[4:], "--target", "z1*z2"), "z1 alone"),
    "undefined target": (("hermite", "exp(z1**2)", "--degree", "2"), "E|f| is infinite against a Gaussian"),
    "undefined in the plane": (("expect", "exp(z1*z2)"), "E|f| is infinite: exp(z1*z2) against a Gaussian"),
    "pole": (("expect", "1/z1"), "shown to be positive"),
    "logarithm": (("hermite", "log(z1)", "--degree", "2"), "log is accepted where"),
    "degree of the expansion": (("hermite", "z1", "--degree", "-1"), "accepted: 0 to 200"),
    "too many coefficients": (("hermite", "z9", "--degree", "30"), "at most 20000 coefficients"),
    "no value": (("expect", "relu(k+z1)", "--at", "m=1"), "'m' is not a parameter"),
    "value missing": (("expect", "relu(k+m*z1)", "--at", "m=1"), "no value for k"),
    "value twice": (("expect", "relu(k+z1)", "--at", "k=1,k=2"), "twice"),
    "value without a name": (("expect", "relu(k+z1)", "--at", "1"), "name=value"),
    "value that is no number": (("expect", "relu(k+z1)", "--at", "k=many"), "k is 'many'"),
    "huge value": (("expect", "relu(k+z1)", "--at", "k=1e999999999"), "k is '1e999999999'"),
    "no digits": (("expect", "z1", "--digits", "0"), "--digits"),
    "unknown command": (
        ("analyse", "z1"),
        "unknown command 'analyse'; accepted: hermite, expect, mu, solve, simulate",
    ),
    "unknown model": (("solve", "everything"), "everything"),
    "unknown option": ((*MODEL, *SPIKE, "--speed", "1"), "--speed"),
    "missing option": (("solve", "giant-step", "--activation", "tanh"), "--target"),
    "no dimension": (SIMULATE, "--d"),
    "dimension 0": ((*SIMULATE, "--d", "0"), "--d"),
    "no seeds": ((*SIMULATE, "--d", "10", "--seeds", "0"), "--seeds"),
    "device": ((*SIMULATE, "--d", "10", "--device", "abacus"), "abacus"),
    "dtype": ((*SIMULATE, "--d", "10", "--dtype", "int8"), "int8"),
    "ratio and size": ((*SIMULATE, "--d", "10", "--n0", "10"), "n0"),
    "size that is no integer": ((*SIMULATE, "--d", "10", "--p", "7.5"), "--p takes integers"),
    "no such suite": (("validate", "slow", "--out", "nowhere"), "slow"),
    "no workers": (("validate", "quick", "--out", "nowhere", "--workers", "0"), "--workers"),
    "no folder": (("validate", "quick"), "--out"),
}


@pytest.mark.parametrize("name", CASES)
def test_bad_input(run, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    arguments, expected = CASES[name]
    outcome = run(*arguments)
    assert outcome.status == 2
    assert outcome.out == ""
    lines = outcome.err.rstrip("\n").split("\n")
    assert lines[0].startswith("hermite-analytics: ")
    assert expected in lines[0]
    assert len(lines) == 1 or (len(lines) == 3 and lines[2].strip() == "^")
    assert all(len(line) <= 64 for line in lines[1:])  # 60 columns of text around the fault
    assert "Traceback" not in outcome.err
    assert list(tmp_path.iterdir()) == []


def test_injection_prints_one_line_and_runs_nothing(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    outcome = run("mu", "__import__('os').system('touch harmed')")
    assert (outcome.status, outcome.err.count("\n")) == (2, 1)
    assert not (tmp_path / "harmed").exists()


def test_caret_stands_under_the_fault(run):
    first, text, caret = run("mu", "tanh(z) + softmax(z)").err.rstrip("\n").split("\n")
    assert "softmax" in first
    assert text[caret.index("^") :].startswith("softmax")


def test_activation_may_start_with_a_minus_after_two(run):
    assert run("mu", "--", "-z").status == 0
    assert "mu1 = -1" in run("mu", "--", "-z").out
