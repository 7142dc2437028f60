"""Sample complexities against the exponents that they follow from."""

from __future__ import annotations

from fractions import Fraction

import pytest

import hermite_analytics as ha
from hermite_analytics.argument.remarks import remark
from hermite_analytics.argument.sentences import as_latex, as_text
from hermite_analytics.evidence import Evidence
from hermite_analytics.exponents.results import Exponent, infinite, known, undecided
from hermite_analytics.learning.rates import Rate, giant, low_degree, one_pass, repeated

ALGORITHMS = (
    "one-pass SGD, first directions",
    "one-pass SGD, all directions",
    "correlational queries",
    "one giant step",
    "several giant steps, n = O(d)",
    "two steps on one batch",
    "SGD with reuse",
    "Bayes-AMP",
    "statistical queries, low-degree polynomials",
    "any, without limits on time",
)
NOTHING = "not learned"


def number(k: int) -> Exponent:
    return known(k, Evidence.EXACT, remark("given"))


@pytest.mark.parametrize(
    ("rate", "expected"),
    [
        (one_pass, ["d", "d log d", "d^2", "d^3"]),
        (repeated, ["d", "d", "d^2", "d^3"]),
        (low_degree, ["d", "d", "d^(3/2)", "d^2"]),
        (giant, ["d", "d^2", "d^3", "d^4"]),
    ],
)
def test_rates(rate, expected):
    assert [str(rate(number(k))) for k in (1, 2, 3, 4)] == expected
    assert str(rate(infinite(remark("constant")))) == NOTHING
    assert str(rate(undecided(3, 5, remark("open")))) == f"at least {expected[2]}"


def test_powers():
    rates = [
        Rate(power=Fraction(x), has_log=log) for x, log in ((1, True), (2, False), (Fraction(5, 2), False))
    ]
    assert [as_text(rate.sentence()) for rate in rates] == [
        "d log d samples",
        "d^2 samples",
        "d^(5/2) samples",
    ]
    assert [as_latex(rate.sentence()) for rate in rates] == [
        r"$d \log d$ samples",
        "$d^{2}$ samples",
        "$d^{5/2}$ samples",
    ]


@pytest.mark.parametrize(
    ("target", "samples"),
    [
        ("z1", ["d"] * 10),
        ("He3(z1)", ["d^2", "d^2", "d^(3/2)", "d^3", NOTHING, "d", "d", "d", "d", "d"]),
        ("z1**2", ["d log d", "d", "d", "d^2", NOTHING, NOTHING, "d log d", "d", "d", "d"]),
        ("z1**2*exp(-z1**2)", ["d^3", "d^3", "d^2", "d^4", NOTHING, NOTHING, "d^3", NOTHING, "d^2", "d"]),
        ("z1 + z1*z2", ["d"] * 10),
        ("z1 + abs(z2)", ["d", "d", "d", "d", NOTHING, "d", "d log d", "d", "d", "d"]),
        (
            "sign(z1*z2*z3)",
            ["d^2", "d^2", "d^(3/2)", "d^3", NOTHING, NOTHING, "d^2", NOTHING, "d^(3/2)", "d"],
        ),
        ("3", [NOTHING] * 10),
    ],
)
def test_known_targets(target, samples):
    table = ha.complexities(target)
    assert tuple(row.algorithm for row in table) == ALGORITHMS
    assert [row.samples for row in table] == samples
    assert all(row.exponent.evidence in (Evidence.EXACT, Evidence.PROVED) for row in table)
    assert len(table.rows) == len(table) == 10


def test_exponents_are_those_of_the_library():
    target = "He4(z1) + sign(z1*z2)"
    table = ha.complexities(target)
    assert table[0].exponent == ha.information_exponent(target)
    assert table[1].exponent == ha.isotropic_leap(target)
    assert table[6].exponent.value == table[8].exponent.value == ha.generative_exponent(target).value
    assert table[9].exponent.value == 2


def test_remarks():
    table = ha.complexities("z1 + abs(z2)")
    assert table[3].remark == "leap index: 1 of 2 directions; needs mu_l(activation) != 0, see `learns`"
    assert table[4].remark.endswith("learned: 1 of 2 directions")
    assert table[5].remark == "first order of E[He_k(z)|y]: 1 of 2 directions have E[z|y] != 0"
    counts = "1 trivial, 1 easy, 0 hard directions"
    assert table[7].remark == (
        f"n/d > 1/2 ({counts}), or more: given exact knowledge of the directions before"
    )
    assert ha.complexities("z1**2")[5].remark.endswith("order 2 is conjectured to take O(log d) steps")
    two = "n/d > 0.593751 (0 trivial, 2 easy, 0 hard directions)"
    assert ha.complexities("z1*z2")[7].remark == f"{two}; of several in one step, that of the first"
    assert ha.complexities("sign(z1*z2*z3)")[6].remark.endswith("open for several directions from order 3 on")


def test_status():
    one, several = ha.complexities("He3(z1)"), ha.complexities("z1 + z1*z2")
    assert [row.status for row in one[:4]] == ["theorem", "conjecture", "lower bound", "theorem"]
    assert several[0].status == several[6].status == "conjecture"
    assert one[8].status == "lower bound" and one[9].status == "theorem"


def test_rows_are_computed_when_looked_at(monkeypatch):
    from hermite_analytics.label.orders import generative

    def refuse(*arguments, **options):
        raise AssertionError("not asked for")

    monkeypatch.setattr(generative, "generative_exponent", refuse)
    table = ha.complexities("He3(z1)")
    assert [row.samples for row in table[:4]] == ["d^2", "d^2", "d^(3/2)", "d^3"]
    with pytest.raises(AssertionError, match="not asked for"):
        table[6]


def test_a_sequence_of_rows():
    table = ha.complexities("z1")
    assert table[-1] is table[9] and table[0] is table[0]
    with pytest.raises(IndexError, match="row 10 of 10"):
        table[10]
    assert repr(table) == "Complexities('z1')"
    lines = str(table).splitlines()
    assert lines[0].split() == ["algorithm", "samples", "exponent", "status"] and len(lines) == 22


def test_an_open_exponent_is_a_lower_bound():
    row = ha.complexities("tanh(z1 + xi*z2)", seconds=0.02)[0]
    assert row.samples == "at least d" and row.exponent.value is None


def test_refusals():
    with pytest.raises(ha.InputError, match="seconds is 0; a number > 0 is accepted"):
        ha.complexities("z1", seconds=0)
    with pytest.raises(ha.ParseError):
        ha.complexities("z1 +")
