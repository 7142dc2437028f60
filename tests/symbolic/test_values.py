"""Exponents and quantities compare, order and combine as the numbers that they are."""

from __future__ import annotations

import copy
import dataclasses
import math
import operator
import pickle
import re
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

import hermite_analytics as ha
from hermite_analytics import numeric as hn
from hermite_analytics.argument.remarks import remark
from hermite_analytics.argument.steps import Basis
from hermite_analytics.errors import InputError, ParseError, UndefinedQuantity
from hermite_analytics.evidence import Evidence, Quantity, number_of
from hermite_analytics.exponents.results import Staircase, infinite, known, undecided

z1, z2 = sympy.symbols("z1 z2")
OPEN = Staircase(
    subspaces=(Basis(rows=()),),
    orders=(),
    limit_dimension=None,
    undecided_up_to_degree=2,
    evidence=Evidence.UNDECIDED,
    steps=(),
    end=remark("nobody looked"),
)
TWO_OVER_PI = ha.hermite("sign(z1*z2)", degree=2)[1, 1]
ALPHA = ha.weak_recovery("z1*z2").alpha_c  # about .5937510982, estimated


def made(value: float, error: float, evidence: Evidence = Evidence.PROVED) -> Quantity:
    return Quantity(exact=None, value=value, error=error, evidence=evidence, zero=None, reason="made up")


UNKNOWN = made(math.nan, math.inf, Evidence.UNDECIDED)


def test_exponents_are_numbers():
    three = known(3, Evidence.EXACT, ())
    assert three == 3 == int(three) and three != 2 and three == 3.0 and three == np.int64(3)
    assert (
        three == ha.information_exponent("He3(z1)") and three != "inf" and three == "3" and three is not None
    )
    assert 2 < three < 4 and three <= 3 <= three and three > ha.leap_index("z1") and not three > 3
    assert {three: "x"}[3] == "x" and f"{three:>4}" == "   3" and f"{three:d}" == "3" and float(three) == 3
    assert sorted([three, ha.leap_index("z1*z2")])[0] == 2


def test_infinite_exponents():
    never = infinite(())
    assert never == "inf" and never == math.inf and never > 10**9 and not never < math.inf and never == never
    assert math.isinf(float(never)) and hash(never) == hash(math.inf) and known(5, Evidence.EXACT, ()) < never
    with pytest.raises(UndefinedQuantity, match="inf: it is no integer"):
        int(never)


def test_undecided_exponents_equal_nothing_and_are_ordered_by_what_is_known():
    open_ = undecided(4, 8, ())
    assert (
        open_ != 4
        and open_ != 7
        and open_ != "inf"
        and open_ != undecided(4, 8, ())
        and open_ != copy.copy(open_)
    )
    assert (
        open_ > 3 and open_ >= 4 and not open_ < 4 and not open_ <= 3 and known(3, Evidence.EXACT, ()) < open_
    )
    assert open_ <= math.inf and str(open_).startswith("at least 4") and math.isnan(float(open_))
    for ask in (
        lambda: open_ > 4,
        lambda: open_ < 6,
        lambda: open_ <= 4,
        lambda: open_ >= 5,
        lambda: int(open_),
    ):
        with pytest.raises(UndefinedQuantity, match="at least 4"):
            ask()
    with pytest.raises(InputError, match="compared with a number"):
        assert open_ < "many"


def test_closed_forms_stay_closed_forms():
    c = TWO_OVER_PI
    for found, exact in [
        (c + 1, 2 / sympy.pi + 1),
        (1 - c, 1 - 2 / sympy.pi),
        (c * c, 4 / sympy.pi**2),
        (3 / c, 3 * sympy.pi / 2),
        (c**-2, sympy.pi**2 / 4),
        (Fraction(1, 3) * c, 2 / (3 * sympy.pi)),
        (abs(-c), 2 / sympy.pi),
        (sympy.sqrt(2) - c, sympy.sqrt(2) - 2 / sympy.pi),
    ]:
        assert found.exact == exact and found == exact and found.evidence is Evidence.EXACT
        assert found.zero is False
        assert abs(mpmath.mpf(found.value) - mpmath.mpf(str(sympy.N(exact, 30)))) <= found.error < 1e-15
    assert c - c == 0 and (c - c).zero and c == "2/pi" and c != "pi" and c == 2 / math.pi and c != 0.6


def test_powers_of_any_numbers():
    c = TWO_OVER_PI
    for found, exact in [
        (2**c, 2 ** (2 / sympy.pi)),
        (c ** Fraction(1, 2), sympy.sqrt(2 / sympy.pi)),
        (c**c, (2 / sympy.pi) ** (2 / sympy.pi)),
    ]:
        assert found.exact == exact and found.evidence is Evidence.EXACT
        assert abs(mpmath.mpf(found.value) - mpmath.mpf(str(sympy.N(exact, 30)))) <= found.error < 1e-15
    root = made(2.0, 1e-6) ** 0.5
    assert 1e-6 / 2**1.5 < root.error < 1e-6 and abs(root.value - math.sqrt(2)) < 1e-9
    for base, power in ((10.0, 1000.5), (1e300, 2)):
        with pytest.raises(UndefinedQuantity, match="beyond the numbers of floating point"):
            assert made(base, 1e-3) ** power
    for base in (-c, made(1e-9, 1e-8)):
        with pytest.raises(UndefinedQuantity, match="the base is to be positive"):
            assert base**0.5


def test_integers_below():
    c, near = TWO_OVER_PI, made(3.0, 1e-9)
    assert c // 1 == 0 and 7 // c == 10 and c % 1 == c and (7 % c).exact == 7 - 20 / sympy.pi
    assert (math.floor(10 * c), math.ceil(10 * c), math.trunc(-10 * c)) == (6, 7, -6)
    assert divmod(2, c) == (3, 2 - 6 / sympy.pi) and +c is c
    assert (ALPHA // 0.1) == 5 and (ALPHA // 0.1).evidence is Evidence.ESTIMATED
    assert near // 2 == 1 and math.isnan((UNKNOWN // 1).value)
    with pytest.raises(UndefinedQuantity, match=r"^the integer below 3 \+- 1e-09 is not decided: 2 or 3$"):
        assert near // 1
    with pytest.raises(UndefinedQuantity, match="which is 0"):
        assert c // (c - c)


@pytest.mark.slow
@given(
    x=st.fractions(-9, 9, max_denominator=50),
    y=st.fractions(-9, 9, max_denominator=50).filter(bool),
    operation=st.sampled_from([operator.add, operator.sub, operator.mul, operator.truediv]),
    reach=st.sampled_from([0.0, 1e-9, 1e-3]),
)
@settings(max_examples=150, deadline=None)
def test_errors_are_carried_on(x, y, operation, reach):
    """The true result of numbers that are known up to an error lies within the stated error."""
    a, b = made(float(x) + reach / 2, reach + 1e-15), made(float(y) - reach / 3, reach + 1e-15)
    if b.error >= abs(b.value):
        return
    for found in (operation(a, b), operation(a, y), operation(x, b)):
        assert abs(Fraction(found.value) - operation(x, y)) <= Fraction(found.error)
        assert found.exact is None and found.evidence is Evidence.PROVED


def test_estimates_stay_estimates_and_what_is_not_known_stays_unknown():
    assert (ALPHA + 0).evidence is Evidence.ESTIMATED and (2 * ALPHA).error >= 2 * ALPHA.error
    assert math.isnan((UNKNOWN + 1).value) and (UNKNOWN + 1).evidence is Evidence.UNDECIDED
    assert UNKNOWN != UNKNOWN and UNKNOWN != 1 and not UNKNOWN.isclose(1)
    far = ha.weak_recovery("He3(z1)*0 + He(3, z1)*0 + sign(z1*z2*z3)").alpha_c
    assert far == math.inf and far + 1 == math.inf and 1 / far == 0 and math.isnan((far - far).value)
    with pytest.raises(UndefinedQuantity, match="may be 0"):
        assert 1 / (made(0.0, 1e-9))


def test_exponents_beside_quantities_are_their_numbers():
    two, far = known(2, Evidence.EXACT, ()), infinite(())
    assert two > ALPHA and two > ALPHA and not two <= ALPHA and two == number_of(2) and number_of(2) >= two
    assert str(TWO_OVER_PI + two) == "2/pi + 2" and far + TWO_OVER_PI == math.inf and two != TWO_OVER_PI
    open_one = ha.Exponent(value=None, at_least=2, evidence=Evidence.UNDECIDED, degree=4, facts=())
    assert open_one != number_of(2) and math.isnan((ALPHA + open_one).value)
    with pytest.raises(
        UndefinedQuantity, match=r"^2 < an undecided number \(.*at least 2 \(undecided\)\) is not"
    ):
        assert number_of(2) < open_one


def test_an_order_that_is_not_decided_says_what_was_asked():
    with pytest.raises(UndefinedQuantity, match=r"^an undecided number \(made up\) > 1 is not decided$"):
        assert UNKNOWN > 1
    with pytest.raises(UndefinedQuantity, match=r"^a division by 0, which is 0$"):
        assert TWO_OVER_PI / 0


def test_order_by_the_errors():
    assert ALPHA < 0.6 < TWO_OVER_PI < 1 and ALPHA > 0.59 and Fraction(1, 2) < ALPHA <= ALPHA
    assert TWO_OVER_PI >= TWO_OVER_PI and not TWO_OVER_PI < TWO_OVER_PI and max(ALPHA, TWO_OVER_PI) == "2/pi"
    assert ALPHA.isclose(0.5937510982222) and not ALPHA.isclose(0.5937)
    with pytest.raises(
        UndefinedQuantity, match=r"0\.5937510982\d* \+- \de-13 < 0\.59375109.* is not decided"
    ):
        operator.lt(ALPHA, ALPHA.value)
    with pytest.raises(UndefinedQuantity, match="made up"):
        assert UNKNOWN < 1
    with pytest.raises(InputError, match="a real number or a quantity"):
        assert ALPHA < "1"
    assert f"{ALPHA:.3f}" == "0.594" and int(number_of(7)) == 7
    with pytest.raises(UndefinedQuantity, match="not known to be an integer"):
        int(ALPHA)


@pytest.mark.parametrize("value", [TWO_OVER_PI, ALPHA, known(3, Evidence.EXACT, ()), infinite(())], ids=str)
def test_copies_are_equal(value):
    assert copy.deepcopy(value) == value == pickle.loads(pickle.dumps(value))
    assert hash(copy.copy(value)) == hash(value)


def test_a_threshold_that_is_not_known_is_a_number_all_the_same():
    found = dataclasses.replace(ha.weak_recovery("z1"), stages=(), staircase=OPEN)
    assert found.stages == () and math.isnan(float(found.alpha_c)) and found.alpha_c.reason == "nobody looked"
    assert found.to_dict()["alpha_c"] == {
        "exact": None,
        "value": None,
        "error": math.inf,
        "evidence": "undecided",
    }


def test_targets_from_sympy_and_from_hermite_coefficients():
    assert ha.leap_index(z1 * z2) == 2 and ha.information_exponent(sympy.Abs(z1)) == 2
    assert ha.weak_recovery(z1 * z2).alpha_c == ALPHA and ha.staircase(z1 + z1 * z2).orders == (1, 1)
    coefficients = np.array([[0.0, 0.5, 0], [0, 0, -6]])
    found = ha.hermite(coefficients, degree=3)
    assert [found[0, 1], found[1, 2], found[1, 0]] == [sympy.Rational(1, 2), -6, 0]
    assert ha.hermite(np.array([1, 0, 0.1]), degree=2)[2] == sympy.Rational(1, 10)
    assert ha.learns(z1, ha.Activation(sympy.tanh(sympy.Symbol("z"))))


def square(z1, z2):
    return z1 * z2


@pytest.mark.parametrize(
    ("given", "refusal", "words"),
    [
        (
            square,
            ParseError,
            r'Python function square is given: write what it computes, as text, .*"tanh\(z1\*z2\)',
        ),
        (np.array([1j]), InputError, "complex128 .*Hermite coefficients"),
        (np.array([np.nan]), InputError, "finite real Hermite coefficients"),
        (np.array(3.0), InputError, "one axis for each coordinate"),
        (1.5 * z1, InputError, "holds floats"),
        (3, ParseError, "3 of type int is given: an expression is text"),
    ],
)
def test_what_is_no_target(given, refusal, words):
    for ask in (ha.leap_index, ha.weak_recovery, ha.analyze, ha.hermite):
        with pytest.raises(refusal, match=words):
            ask(given) if ask is not ha.hermite else ask(given, 2)


def test_exponents_compute_as_their_numbers():
    two, never = ha.leap_index("z1*z2"), ha.leap_index("xi")
    assert (two + 1, 3 - two, 2 * two, two**2) == (3, 1, 4, 4)
    assert (two / 4, two % 2, -two, abs(two)) == (0.5, 0, -2, 2)
    assert isinstance(two + 1, int) and two + two == 4 and sum([two, two]) == 4 and 2**two == 4
    assert list(range(two)) == [0, 1] and np.zeros(two).shape == (2,) and "abc"[two] == "c"
    assert (f"{two:.1f}", f"{two:d}", f"{two:>3}", str(never)) == ("2.0", "2", "  2", "inf")
    assert never + 1 == np.inf and sympy.Symbol("a") * two == 2 * sympy.Symbol("a")
    open_one = undecided(4, 10, ())
    assert f"{open_one:.1f}" == "at least 4 (undecided)" and repr(open_one).startswith("Exponent(at least 4")
    with pytest.raises(UndefinedQuantity, match="it is no number to compute with"):
        open_one + 1


def test_numbers_are_floats_beside_arrays():
    exact, near = ha.weak_recovery("sign(z1*z2)").alpha_c, ha.weak_recovery("z1*z2").alpha_c
    two, three = ha.leap_index("z1*z2"), np.array([1.0, 2.0, 3.0])
    for number in (exact, near, two):
        for found in (number * three, three * number):
            assert found.dtype == float and np.array_equal(found, float(number) * three)
        assert np.sqrt(number) == np.sqrt(float(number)) and round(number, 2) == round(float(number), 2)
        assert np.array([number, number]).dtype == float and np.isscalar(number)
        np.testing.assert_allclose(number, float(number))
        assert (number < three).tolist() == (float(number) < three).tolist()
    np.testing.assert_equal(two, 2)
    assert (two == three).tolist() == [False, True, False]
    double = np.float64(2) * exact
    assert isinstance(double, Quantity) and double.error > 0  # single numbers keep their evidence
    a = sympy.Symbol("a")
    assert a * exact == a * sympy.pi**2 / 4 and sympy.sympify(exact) == sympy.pi**2 / 4
    assert repr(exact) == "Quantity(pi**2/4 = 2.46740110027234, exact)"
    assert re.fullmatch(r"Quantity\(0\.5937510982\d* \N{PLUS-MINUS SIGN} \de-1\d, estimated\)", repr(near))


@pytest.mark.slow
def test_what_is_meant_is_taken():
    assert len(ha.table("z1*z2")) == 1 and len(ha.table(ha.Target("z1"))) == 1
    assert ha.conditional_coefficients("relu") == ha.conditional_coefficients(ha.Activation("relu"))
    model = hn.RandomFeatures("tanh", "sin(z1)")
    ranged = model.solve(alpha=1, beta=1, ridge="0.1:1:3").parameters["ridge"]
    np.testing.assert_allclose(ranged, [0.1, 0.55, 1.0])
    x, y = sympy.symbols("x y")
    assert hn.Loss(sympy.log(1 + sympy.exp(-x * y))).of_margin
    for other, message in (
        ({"alpha": []}, "alpha is empty; a number or an array of numbers is accepted"),
        ({"tolerance": "a"}, "tolerance is 'a'; accepted: a number between 0 and 1"),
        ({"max_steps": 1.5}, "max_steps is 1.5; accepted: an integer >= 1"),
    ):
        with pytest.raises(InputError, match=re.escape(message)):
            model.solve(**({"alpha": 1, "beta": 1, "ridge": 0.1} | other))
    with pytest.raises(InputError, match=r"degree is 2\.5; accepted: an integer from 0"):
        ha.hermite("z1", degree=2.5)
