"""Closed forms with integers that Python does not write: powers of ten, or digits."""

from __future__ import annotations

import json

import pytest
import sympy
from sympy import Integer, Rational, exp, pi, sqrt

import hermite_analytics as ha
from hermite_analytics.cli import main
from hermite_analytics.evidence import Evidence
from hermite_analytics.gaussian.quantities import constant_quantity
from hermite_analytics.language import display
from hermite_analytics.language.parser import parse

LONG = Integer(3) ** 20000


def test_round_integers_by_their_power_of_ten():
    assert (
        display.text(Integer(10) ** 6000 * exp(-(Integer(10) ** 600) / 2)) == "(10**6000)*exp((-5*10**599))"
    )
    assert display.text(Rational(-7, Integer(10) ** 300)) == "-7/(10**300)"
    assert display.text(-(Integer(10) ** 300)) == "(-10**300)"
    assert display.latex(Integer(10) ** 6000 * pi) == r"(10^{6000}) \pi"
    assert display.text(sqrt(2) / sqrt(pi) / Integer(10) ** 200).count("sqrt(2/pi)") == 1


@pytest.mark.parametrize(
    "number",
    [
        Integer(10) ** 150 * 7,
        Rational(1, Integer(10) ** 200),
        Integer(10) ** 120 * sqrt(2),
        (pi + 1) / Integer(10) ** 150,
    ],
)
def test_the_text_is_read_back(number):
    again = parse(display.text(number), lambda _: None, accepted="numbers")
    assert sympy.simplify(again / number) == 1


def test_integers_that_python_writes_are_written():
    for number in (Integer(3) ** 100, Integer(3) ** 1000, Integer(10) ** 90, Rational(22, 7)):
        assert display.text(number) == str(number)
        assert display.latex(number) == sympy.latex(number)


def test_other_long_integers_are_refused_in_one_line():
    with pytest.raises(ha.UnsupportedExpression, match="an integer of about 9543 digits; it is not written"):
        display.text(LONG * pi)
    assert display.short_text(LONG * pi) is None


def test_a_quantity_without_a_text_has_digits():
    q = constant_quantity(1 / (LONG * pi))
    assert q.closed_text is None and q.exact is not None
    assert q.to_dict()["exact"] is None
    assert q.value == 0.0 and q.error > 0.0  # it underflows, and the error says so
    assert str(q) == "0" and q._repr_latex_() == "$0$"


@pytest.mark.slow
@pytest.mark.parametrize(("frequency", "closed"), [("1e300", True), ("(1e300+1)", False)])
def test_coefficients_of_a_huge_frequency(capsys, frequency, closed):
    for options in ((), ("--json",)):
        with pytest.raises(SystemExit) as stop:
            main(["hermite", f"cos({frequency}*z1)", "--degree", "20", *options])
        captured = capsys.readouterr()
        assert stop.value.code in (0, None) and captured.err == ""
    last = json.loads(captured.out)["coefficients"][-1]
    assert last["index"] == [20] and last["evidence"] == Evidence.EXACT and last["value"] == 0
    assert last["error"] > 0 and (last["exact"] is not None) == closed
    if closed:
        assert last["exact"] == "(10**6000)*exp((-5*10**599))"


def test_other_displays_of_a_huge_frequency():
    expansion = ha.hermite("cos((1e300+1)*z1)", 20)
    assert "c_20: 0 ± " in str(expansion)
    assert "c_{20} &= 0" in expansion._repr_latex_()


@pytest.mark.parametrize(
    "name",
    [
        "expect",
        "second-layer",
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("analyze", "staircase", "complexities")),
    ],
)
def test_no_command_ends_in_a_traceback(capsys, name):
    options = ("--samples-power", "1", "--width-power", "1") if name == "second-layer" else ()
    seconds = () if name in ("expect", "second-layer") else ("--seconds", "2")
    with pytest.raises(SystemExit) as stop:
        main([name, "z1**20*cos((1e300+1)*z1)", *options, *seconds])
    captured = capsys.readouterr()
    assert stop.value.code in (0, 1, 2, None)
    if stop.value.code == 2:
        assert captured.err.endswith("it is not written\n") and captured.err.count("\n") == 1


def test_what_floats_led_to_is_written_in_decimals():
    x, z1 = Rational("0.7071067811865476"), sympy.Symbol("z1")
    assert display.text(-x * z1) == "-0.7071067811865476*z1"
    assert display.latex(x * z1) == "0.7071067811865476 z_{1}"
    assert display.text(x**2) == "0.50000000000000010691335120706576"  # exact: the text is read back
    assert parse(display.text(x**2), lambda _: None, accepted="numbers") == x**2
    assert display.plain_text(x**2 * z1) == "0.50000000000000010...*z1"
    assert display.latex(x**2) == r"0.50000000000000010\ldots"
    q = constant_quantity(x**2)
    assert q.closed_text is None and q.exact == x**2 and str(q) == "0.5"
    for short in (Rational(1, 8), Rational(3, 10), Rational(1, 3**20)):
        assert display.text(short) == str(short)
