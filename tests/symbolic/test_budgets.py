"""The exact stage under a limit: it stops, says so, and remembers nothing wrong.

The limits count how often they are asked instead of measuring time.
"""

from __future__ import annotations

import math
import pickle
import threading
from typing import Any

import pytest
import sympy
from flint import arb

import hermite_analytics as ha
from hermite_analytics import coefficient_table as coefficient_table_module
from hermite_analytics.coefficient_table import coefficient_table
from hermite_analytics.errors import BudgetExhausted
from hermite_analytics.evidence import Evidence
from hermite_analytics.foundation.clock import TIME_ENDED, TimeEnded, allowed, check_time, within
from hermite_analytics.gaussian import closed_form as module
from hermite_analytics.gaussian import coefficients, quantities
from hermite_analytics.gaussian.closed_form import closed_form
from hermite_analytics.gaussian.distribution import distributed, expanded
from hermite_analytics.gaussian.enclosure.effort import bounded
from hermite_analytics.gaussian.enclosure.strip import strip_bounds
from hermite_analytics.gaussian.quantities import constant_quantity, expected_quantity, total
from hermite_analytics.gaussian.reals import NoClosedForm, root, sign_of
from hermite_analytics.gaussian.simplify import tidy
from hermite_analytics.gaussian.terms import NotInNormalForm
from hermite_analytics.label_noise import averaged
from hermite_analytics.symbols import variable, xi
from tests.symbolic.ticks import Ticks, let_time_tick

z1, z2, z3 = (variable(i) for i in (1, 2, 3))
a, b = sympy.symbols("a b", real=True)
ENDLESS = 10**9


def forget() -> None:
    for cached in (module._closed_form, coefficients._mean, sign_of, root):
        cached.cache_clear()


@pytest.fixture(autouse=True)
def _without_caches() -> None:
    forget()


HARD = {
    "polynomial with a step": (z1 + z2 + z3) ** 6 * sympy.sign(z1),
    "polygons": sympy.Max(z1, 2 * z2, z1 + z2, z1 - z2, z2 + sympy.Rational(1, 2)) ** 2,
    "spherical polygons": sympy.sign(z1)
    * sympy.sign(z2)
    * sympy.sign(z1 + z2 + z3)
    * sympy.sign(z1 - 2 * z3),
    "parameters": sympy.Abs(a * z1 + z2 + 1) * sympy.Max(a * z1, z2),
    "cells of one line": sympy.Abs(sympy.Abs(sympy.Abs(z1 - 1) - 2) - z1**2),
    "waves": sympy.sin(z1 + z2) ** 6 * sympy.sign(z1),
    "cases": sympy.Max(sympy.Max(z1 - 1, 0) + sympy.Max(z2, 0) - sympy.Max(z1 + z2, 0), 0),
}


@pytest.mark.cases(1)
@pytest.mark.parametrize("name", HARD)
def test_the_rules_stop_at_the_first_look_after_the_end(name: str) -> None:
    variables = [z1, z2, z3]
    whole = Ticks(ENDLESS)
    with within(whole):
        expected = closed_form(HARD[name], variables)
    assert expected is not None
    assert whole.asked > 20  # the loops look at the time
    for share in (0.0, 0.2, 0.5, 0.9):
        forget()
        checks = max(1, int(share * whole.asked))
        limit = Ticks(checks)
        with pytest.raises(TimeEnded, match=TIME_ENDED), within(limit):
            closed_form(HARD[name], variables)
        assert limit.asked == checks  # nothing went on after the end
        assert closed_form(HARD[name], variables) == expected  # the interruption was not remembered


def test_an_interruption_is_not_the_answer_that_no_rule_applies() -> None:
    assert not issubclass(TimeEnded, NoClosedForm | NotInNormalForm)


def test_a_limit_is_that_of_its_thread() -> None:
    seen: list[object] = []
    with within(Ticks(0)):
        thread = threading.Thread(target=lambda: seen.append(closed_form(z1**2, [z1])))
        thread.start()
        thread.join()
    assert seen == [1]


def test_coefficients_that_were_finished_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    f = (z1 + z2) ** 3 * sympy.sign(z1)
    full = coefficient_table(f, (z1, z2), 5, digits=10)
    let_time_tick(monkeypatch)
    assert all(q.exact is not None for q in full.values())
    counts = set()
    for looks in (1, 200, 400, 800, 1600):
        forget()
        with allowed(looks):
            table = coefficient_table(f, (z1, z2), 5, digits=10)
        assert table.keys() == full.keys()
        for index, found in table.items():
            if found.exact is None:
                assert found.evidence is not Evidence.EXACT
                assert TIME_ENDED in found.reason or "the time ended" in found.reason
            else:
                assert sympy.expand(found.exact - full[index].exact) == 0
        counts.add(sum(q.exact is None for q in table.values()))
    assert len(counts) >= 3  # from nothing to nearly everything


def test_an_expected_value_says_that_the_time_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    f = sympy.Abs(z1 + z2) * sympy.Abs(z1 - 2 * z2)
    with monkeypatch.context() as patched:
        let_time_tick(patched)
        with allowed(8):
            found = expected_quantity(f, [z1, z2])
    assert found.exact is None
    assert found.evidence is Evidence.UNDECIDED
    assert TIME_ENDED in found.reason
    assert expected_quantity(f, [z1, z2]).exact is not None


def test_what_is_left_of_the_time_goes_to_an_enclosure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quantities, "EXACT_SHARE", 0)  # no time for closed forms, all of it for the rest
    with allowed(60):
        found = expected_quantity(sympy.Abs(z1) ** 3, [z1])
    assert found.exact is None
    assert found.evidence is Evidence.PROVED
    assert TIME_ENDED in found.reason
    assert abs(found.value - 1.5957691216057308) <= found.error + 1e-15


def test_an_expectation_says_why_it_has_no_closed_form(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "abs(k + c*z1)*max(z1, z2)"
    with monkeypatch.context() as patched:
        let_time_tick(patched)
        stopped = ha.expectation(text, seconds=10)
    assert stopped.exact is None
    assert stopped.reason == TIME_ENDED
    assert stopped.evidence is Evidence.UNDECIDED
    found = ha.expectation(text)
    assert found.exact is not None
    assert found.reason == ""
    assert ha.expectation("tanh(k + z1)").reason == "no rule gives a closed form"
    assert pickle.loads(pickle.dumps(found)) == found


def test_at_a_point_the_time_also_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    value = ha.expectation("tanh(k + z1)*abs(z1 + z2)")
    let_time_tick(monkeypatch)
    found = value.at({"k": 1}, seconds=8)
    assert found.exact is None
    assert TIME_ENDED in found.reason


def test_no_test_for_zero_after_the_end() -> None:
    value = sympy.asin(sympy.Rational(1, 3)) - sympy.asin(sympy.Rational(2, 3)) + sympy.pi / 7
    with allowed(1e-9):
        found = constant_quantity(value)
        assert constant_quantity(sympy.S.Zero).zero is True
    assert found.exact == value
    assert found.zero is False  # by the ball
    assert constant_quantity(value).value == found.value


def test_an_unknown_part_makes_the_sum_unknown() -> None:
    with allowed(1e-9):
        unknown = expected_quantity(sympy.tanh(z1 * z2) ** 2, [z1, z2])
    assert math.isnan(unknown.value)
    found = total([constant_quantity(sympy.S.Half), unknown])
    assert found.exact is None
    assert math.isnan(found.value)
    assert found.error == math.inf
    assert found.evidence is Evidence.UNDECIDED
    assert found.zero is None
    assert found.reason == unknown.reason


def test_norms_of_unknown_coefficients_are_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    let_time_tick(monkeypatch)
    found = ha.hermite("tanh(z1*z2)**2*sin(z1)", 1, seconds=4)
    for quantity in (found[1, 0], found.norm_squared(1), found.tail):
        assert math.isnan(quantity.value)
        assert quantity.error == math.inf
        assert quantity.evidence is Evidence.UNDECIDED


def test_a_constant_term_after_the_end() -> None:
    f = sympy.tanh(z1 * z2) + sympy.Rational(3, 2)
    with allowed(1e-9):
        table = coefficient_table(f, (z1, z2), 1, digits=10)
    assert table.keys() == {(0, 0), (1, 0), (0, 1)}
    parts = coefficient_table_module._Part(sympy.Rational(3, 2), (z1, z2), (), 10, estimates=True)
    found = parts.table([(0, 0), (1, 0)])
    assert found[0, 0].exact == sympy.Rational(3, 2)
    assert found[1, 0].zero
    assert coefficient_table_module._direction(sympy.Rational(3, 2), (z1, z2)) is None


def test_symmetries_come_before_enclosures(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_enclosure(*_: Any, **__: Any) -> None:
        raise BudgetExhausted("no enclosure in time")

    monkeypatch.setattr(quantities, "enclose", no_enclosure)
    f = sympy.tanh(z1 * z2) * sympy.exp(sympy.sin(z1 * z2 + z3))
    table = coefficient_table(f, (z1, z2, z3), 2, digits=10)
    assert table[1, 0, 0].zero and table[1, 0, 1].zero
    assert table[0, 0, 1].zero is None


def test_label_noise_is_left_open_when_the_time_ends() -> None:
    f = sympy.Abs(z1 + xi) * sympy.Max(z2, xi)
    with allowed(1e-9):
        assert averaged(f) == (0, f)


def test_the_end_of_the_time_stops_the_bounds_of_an_enclosure() -> None:
    with pytest.raises(BudgetExhausted, match="no enclosure of this width within 1e-09 s"):  # noqa: SIM117
        with allowed(1e-9), bounded():
            strip_bounds((z1 + sympy.tanh(z2) + sympy.exp(z2)) ** 8, [z1, z2], [arb(0), arb(0)])
    with pytest.raises(TimeEnded), within(Ticks(1)), allowed(1e-9), bounded():
        check_time()


def test_expansions_are_bounded() -> None:
    product = sympy.Mul(*(z1 + i * z2 + 1 for i in range(2, 18)))
    assert distributed(product * sympy.tanh(z1)) == product * sympy.tanh(z1)
    assert expanded((z1 + z2 + z3 + a + b + 1) ** 24 + z1) == (z1 + z2 + z3 + a + b + 1) ** 24 + z1
    assert expanded((z1 + 1) ** 2) == z1**2 + 2 * z1 + 1
    assert distributed((z1 + 1) * z2) == z1 * z2 + z2
    assert tidy((a + b) ** 40 * sympy.sqrt(2)) == (a + b) ** 40 * sympy.sqrt(2)


def test_hermite_polynomials_of_high_degree_stay_small() -> None:
    found = ha.expectation("He(40, a*z1)")
    wanted = (a**2 - 1) ** 20 * sympy.factorial2(39)
    assert sympy.expand(found.exact.subs(found.parameters[0], a) - wanted) == 0
