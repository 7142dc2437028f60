"""Bad input: exit status 2, one sentence, nothing on standard output, never a traceback."""

from __future__ import annotations

import pytest

from hermite_analytics.errors import UnsupportedExpression

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
    "a jump in a giant step": ((*STEP, "--activation", "sign(z)"), "is not square integrable"),
    "negative alpha": ((*MODEL, *with_option(SPIKE, "--alpha", "-1")), "alpha is -1"),
    "negative beta": ((*MODEL, *with_option(SPIKE, "--beta", "-2")), "beta is -2"),
    "zero c": ((*MODEL, *with_option(SPIKE, "--c", "0")), "c is 0"),
    "gamma": ((*MODEL, *with_option(SPIKE, "--gamma", "1.5")), "-1 <= gamma <= 1"),
    "negative ridge": ((*MODEL, *with_option(SPIKE, "--ridge", "-0.1")), "ridge is -0.1"),
    "ridge 0 at the peak with a learned bias": (
        (*MODEL, *with_option(SPIKE, "--ridge", "0"), "--bias", "learned"),
        "interpolation peak",
    ),
    "a missing ratio": ((*STEP[:-2], "--activation", "tanh(z)"), "Missing option '--beta'"),
    "not a number": ((*MODEL, *with_option(SPIKE, "--alpha", "1,x")), "comma list of numbers"),
    "nan": ((*MODEL, *with_option(SPIKE, "--alpha", "nan")), "nan is not a number"),
    "spike and step": ((*MODEL, *SPIKE, "--alpha0", "1"), "exclude each other"),
    "letters that are no pairs": ((*MODEL, *SPIKE, "--letters", "1:0.5,-1"), "VALUE:FRACTION"),
    "letters that do not add up": ((*MODEL, *SPIKE, "--letters", "1:0.5,-1:0.4"), "of sum 1"),
    "norms of other letters": (
        (*MODEL, *with_option(SPIKE, "--c", "1,2,3"), "--letters", "1:0.5,-1:0.5"),
        "--c has 3 numbers beside 2 letters",
    ),
    "bias that is no number": ((*MODEL, *SPIKE, "--bias", "much"), "a number, or learned"),
    "ridge that is no number": ((*MODEL, *with_option(SPIKE, "--ridge", "best")), "--ridge is 'best'"),
    "unknown loss": ((*MODEL, *SPIKE, "--loss", "cubic"), "unknown loss 'cubic'"),
    "kernel without a step": (
        (*("solve", "spectrum", "--of", "kernel", "--activation", "z"), "--alpha=1", "--beta=1", "--z=1,1"),
        "it needs --target and --eta",
    ),
    "no place of the spectrum": (
        ("solve", "spectrum", "--of", "features", "--activation", "tanh", "--alpha", "1", "--beta", "1"),
        "give one of --z RE,IM and --density LO,HI,N",
    ),
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
    "degree of the expansion": (("hermite", "z1", "--degree", "-1"), "accepted: an integer from 0 to 200"),
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
        "unknown command 'analyse'; did you mean analyze? accepted: analyze, staircase, hermite, expect, mu",
    ),
    "a sign first": (
        ("analyze", "-z1"),
        "An expression that starts with - goes behind --, as in analyze -- -z1",
    ),
    "unknown model": (("solve", "everything"), "everything"),
    "unknown option": ((*MODEL, *SPIKE, "--speed", "1"), "--speed"),
    "missing option": (("solve", "giant-step", "--activation", "tanh"), "--target"),
    "no dimension": (SIMULATE, "--d"),
    "dimension 0": ((*SIMULATE, "--d", "0"), "d is 0: an integer >= 1 is accepted"),
    "no seeds": ((*SIMULATE, "--d", "10", "--seeds", "0"), "--seeds"),
    "device": ((*SIMULATE, "--d", "10", "--device", "abacus"), "abacus"),
    "dtype": ((*SIMULATE, "--d", "10", "--dtype", "int8"), "int8"),
    "ratio and size": ((*SIMULATE, "--d", "10", "--n0", "10"), "n0"),
    "size that is no integer": ((*SIMULATE, "--d", "10", "--p", "7.5"), "--p takes integers"),
    "no such suite": (("validate", "slow", "--out", "nowhere"), "slow"),
    "no workers": (("validate", "quick", "--out", "nowhere", "--workers", "0"), "--workers"),
    "no folder": (("validate", "quick"), "--out"),
}


@pytest.mark.cases(11)
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


HOSTILE = [
    *(
        "",
        "   ",
        "\n",
        "nan",
        "inf",
        "1e400",
        "1e-400",
        "10**10**10",
        "2**2**2**2**2",
        "9" * 5000,
        "z1" * 3000,
    ),
    *("(" * 100 + "z1" + ")" * 100, "abs(" * 70 + "z1" + ")" * 70, "-" * 500 + "z1", "z1+" * 900 + "z1)"),
    *(
        "z1**z1",
        "(-2)**z1",
        "0**-1",
        "1/0",
        "1/(z1-z1)",
        "z1**1000",
        "(z1+z2)**201",
        "exp(1e10)",
    ),
    *("log(z1)", "log(0)", "sqrt(-1)", "1/z1", "abs(z1)**(-1/2)", "1/(1-z1**2)", "1/sin(pi)"),
    *("max()", "max(z1)", "max(*[z1, z2])", "max(z1, z2, key=abs)", "Rational(1, 0)", "leaky_relu(z1)"),
    *(
        "He(-1, z1)",
        "He(2.5, z1)",
        "He(z1, z1)",
        "He(1e9, z1)",
        "He()",
        "He2(z1, z2)",
        "He-1(z1)",
        "He99999999999(z1)",
    ),
    *(
        "z0",
        "z65",
        "z999",
        "z01",
        "z1.5",
        "xi2",
        "z_1",
        "__import__('os')",
        "().__class__",
        "z1.real",
        "z1[0]",
    ),
    *("lambda: z1", "(lambda x: x)(z1)", "z1 if z1 else z2", "z1 and z2", "not z1", "z1 < z2", "z1 == z2"),
    *("(z1 := 3)", "z1 = 3", "z1; z2", "import os", "[z1]", "{z1: z2}", "(z1, z2)", "*z1", "[x for x in z1]"),
    *("f'{z1}'", "'z1'", "b'z1'", "...", "None", "True", "yield z1", "await z1", "print(z1)", "eval(z1)"),
    *(
        "z1 @ z2",
        "z1 // z2",
        "z1 % z2",
        "z1 << 2",
        "~z1",
        "z1 ^ 2",
        "2z1",
        "z1 z2",
        "(z1)(z2)",
        "1j*z1",
        "0x10*z1",
    ),
    *(
        "1_000*z1",
        "1.2.3",
        "1e",
        "z₁",
        "z1²",
        "√z1",
        "−z1",
        "ｚ1",
        "z1\u200b",
        "\ufeffz1",
        "z1\x00",
        "z1\x1b[31m",
        "😀",
    ),
    *(
        "z1 # comment",
        "sin + z1",
        "sin(",
        "sin(z1))",
        "sin(z1, z2)",
        "gamma(z1)",
        "+",
        "z1**",
        ")(",
        "\\",
        "'",
        "{}",
    ),
    *("exp(z1**2)", "exp(z1*z2)", "exp(z1**3)", "exp(exp(z1))"),
]


@pytest.mark.parametrize("command", [("mu",), ("expect",), ("hermite", "--degree", "2")])
def test_hostile_text(run, command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for text in HOSTILE:
        outcome = run(*command, "--", text)
        assert (outcome.status, outcome.out) == (2, ""), text
        first, *rest = outcome.err.rstrip("\n").split("\n")
        assert first.startswith("hermite-analytics: ") and len(first) < 320, text
        assert len(rest) in (0, 2) and all(len(line) <= 64 for line in rest), text
        assert all(character.isprintable() for character in first), text
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "value", ["nan", "inf", "1e400", "z1", "1/0", "log(0)", "10**10**10", "k", "", "2;3"]
)
def test_hostile_value_of_a_parameter(run, value):
    outcome = run("expect", "relu(k + z1)", "--at", f"k={value}")
    assert (outcome.status, outcome.out, outcome.err.count("\n")) == (2, "", 1)


def test_digits_of_a_number_in_closed_form(run):
    """It has one only as a number: 15 digits were printed, and nothing said."""
    outcome = run("expect", "exp(-abs(z1*z2))", "--digits", "40")
    assert (outcome.status, outcome.err) == (0, "")
    assert "  = 0.6366197723675813430755350534900574481378  [exact]\n  = 2/pi\n" in outcome.out
    document = run("expect", "exp(-a*abs(z1*z2))", "--at", "a=2", "--digits", "30", "--json").document
    assert document["digits"] == "0.484051295085710309671885653550"  # 2 sqrt(3) log(2 + sqrt(3))/(3 pi)


def test_digits_that_are_not_reached_are_said(run, monkeypatch):
    from hermite_analytics.expectations import ExpectedValue

    def refused(*arguments, **options):
        raise UnsupportedExpression("no enclosure")

    monkeypatch.setattr(ExpectedValue, "evalf", refused)
    outcome = run("expect", "tanh(z1)*z1", "--digits", "40")
    assert outcome.status == 1 and "= 0.605705509602159  [proved]" in outcome.out
    assert outcome.err.startswith("40 digits were not reached; the error is ")


@pytest.mark.parametrize("degree", ["2.5", "1e3", "nan", "-1", "201", "9" * 400, "x"])
def test_hostile_degree(run, degree):
    outcome = run("hermite", "z1", "--degree", degree)
    assert (outcome.status, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert len(outcome.err) < 320
