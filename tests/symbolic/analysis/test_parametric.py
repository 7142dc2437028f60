"""Targets with parameters: every case against quadrature, and against the answers without parameters."""

from __future__ import annotations

import functools
import math
import random

import jsonschema
import numpy as np
import pytest
import sympy
from scipy import special

import hermite_analytics as ha
from hermite_analytics.analysis.parametric.domains import domains_of
from hermite_analytics.analysis.parametric.factors import factors
from hermite_analytics.analysis.parametric.region import Region
from hermite_analytics.analysis.parametric.solutions import solutions
from hermite_analytics.language.comparisons import comparisons
from hermite_analytics.schemas import schema

FAMILIES = (
    ("sin(a*z1) + b*He3(z1)", None),
    ("sin(a*z1) - b*z1", "0 < a < 3"),
    ("erf(a*z1) - b*z1", "a != 1"),
    ("cos(a*z1 + b)", None),
    ("relu(a*z1 + b)", None),
    ("relu(z1 - a) - b*z1", None),
    ("sign(z1 - a) + b*z1", "a >= 0"),
    ("leaky_relu(z1, a) - b*z1", "b < 2"),
    ("exp(a*z1**2) + b*z1**2", "a < 1/4"),
    ("exp(a*z1) - c*z1 - b*z1**2", None),
    ("z1**2 - c*z1 + d*z1**3", None),
    ("He4(z1) + b*He2(z1) + (a**2 - 2)*z1", "b != 1"),
    ("He2(z1)/log(a) + b*z1", "a > 1"),
    ("abs(z1 - a) + b*abs(z1 + a)", None),
    ("max(a*z1, b*z1) + a*b*z1**3", None),
)
FUNCTIONS = {
    "relu": lambda x: np.maximum(x, 0.0),
    "leaky_relu": lambda x, slope: np.where(x > 0, x, slope * x),
    "He": lambda k, x: special.eval_hermitenorm(k, x),
    "erf": special.erf,
    "sigmoid": special.expit,
    "Phi": special.ndtr,
    "phi": lambda x: np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi),
}
CLOSE = 1e-11


@functools.cache
def family(text, where=None):
    return ha.analyze(text, where=where)


def rational(draw):
    return sympy.Rational(draw.randint(-12, 12), draw.choice((4, 5, 6, 8)))


def points(found, draw, count):
    """Exact parameters of each case: on its curves where it has some, and anywhere else."""
    symbols = found.target.parameters
    for case in (None, *found.cases):
        fixed = {} if case is None else {r.left: r.right for r in case.conditions if r.sign == "="}
        names = {s for s in fixed if s in symbols}
        made = 0
        for _ in range(40):
            free = {s: rational(draw) for s in symbols if s not in names}
            point = free | {s: fixed[s].subs(free) for s in names}
            if all(domain.contains(point[s]) for s, domain in found.target.domains):
                yield {s.name: x for s, x in point.items()}
                made += 1
            if made == count:
                break


def coefficients(found, point, most):
    """E[He_k f], k = 0, .., most, by Gauss-Legendre between the kinks."""
    f = found.target.expression.subs({s: point[s.name] for s in found.target.parameters})
    z = sympy.Symbol("z1", real=True)
    kinks = {float(k) for k in range(-14, 15)}
    for part in f.atoms(sympy.Function):
        if part.args[-1].is_polynomial(z) and sympy.degree(part.args[-1], z) == 1:
            kinks |= {float(x) for x in sympy.solve(part.args[-1], z) if abs(x) < 14}
        if part.args[0].is_polynomial(z) and sympy.degree(part.args[0], z) == 1:
            kinks |= {float(x) for x in sympy.solve(part.args[0], z) if abs(x) < 14}
    nodes, weights = np.polynomial.legendre.leggauss(40)
    ends = np.array(sorted(kinks))
    middle, half = (ends[1:] + ends[:-1]) / 2, (ends[1:] - ends[:-1]) / 2
    x = (middle[:, None] + half[:, None] * nodes).ravel()
    w = (half[:, None] * weights).ravel() * np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)
    values = sympy.lambdify(z, f, modules=[FUNCTIONS, "numpy"])(x) * np.ones_like(x)
    return [float(np.sum(w * values * special.eval_hermitenorm(k, x))) for k in range(most + 1)]


@pytest.mark.cases(3)
@pytest.mark.parametrize(("text", "where"), FAMILIES)
def test_cases_hold_at_exact_parameters(text, where):
    """At each point one case holds: lower moments vanish by quadrature, the first one has the value said."""
    found, draw = family(text, where), random.Random(text)
    for point in points(found, draw, 3):
        there = {s: point[s.name] for s in found.target.parameters}
        (case,) = (c for c in found.cases if c.conditions.hold(there))
        assert case == found.case_at(**point)
        order = case.information_exponent
        least = 6 if order.at_least == "inf" else order.at_least
        numbers = coefficients(found, point, least)
        scale = 1 + max(map(abs, numbers))
        assert all(abs(c) < CLOSE * scale for c in numbers[1:least]), (point, numbers)
        if isinstance(order.value, int):
            said = order.facts[-1].value.subs(there)
            assert sympy.N(said, 20) != 0
            assert float(said) == pytest.approx(numbers[least], abs=CLOSE * scale), point


@pytest.mark.slow
@pytest.mark.parametrize(("text", "where"), FAMILIES)
def test_cases_agree_with_the_answers_without_parameters(text, where):
    """On the exceptional curves too: what is decided is the same, what is open is bounded by it."""
    found, draw = family(text, where), random.Random(text)
    for point in points(found, draw, 1):
        case, there = found.case_at(**point), found.at(**point, seconds=20)
        for name in ("information_exponent", "isotropic_leap", "generative_exponent"):
            known, answer = getattr(case, name), getattr(there, name)
            assert known.value in (None, answer.value) or answer.value is None, (point, name)
            if answer.value is not None:
                assert float(known.at_least) <= float(answer), (point, name)


def lines(found, name="information_exponent"):
    return [f"{case.conditions}: {getattr(case, name)}" for case in found.cases]


@pytest.mark.cases(6)
@pytest.mark.parametrize(("text", "where"), FAMILIES)
def test_each_case_has_a_point(text, where):
    """Of these families none is empty; its point lies in no other case."""
    found = family(text, where)
    for case in found.cases:
        assert case.example is not None
        point = found._point(case.example)
        assert [other for other in found.cases if other.conditions.hold(point)] == [case]


@pytest.mark.parametrize(
    ("factor", "is_seen"),
    [
        ("sin(a)**2 + cos(a)**2 - 1", True),
        ("cos(2*a) - 2*cos(a)**2 + 1", True),
        ("Phi(a) + Phi(-a) - 1", True),
        ("tanh(a) - 1 + 2/(1 + exp(2*a))", False),
    ],
)
def test_factors_that_vanish_in_disguise(factor, is_seen):
    """0 by an identity: it is seen, or the case that it would vanish nowhere has no point."""
    cases = family(f"({factor})*z1 + He2(z1)").cases
    assert [str(c.information_exponent) for c in cases if c.example is not None] == ["2"]
    assert is_seen == (len(cases) == 1)


def test_even_sums_of_kinks():
    cases = family("abs(a*z1 + b) + abs(a*z1 - b)").cases
    assert [(str(c.conditions), str(c.information_exponent)) for c in cases] == [
        ("a != 0", "2"),
        ("a = 0", "inf"),
    ]
    shifted = family("abs(z1 - a)").cases
    assert [(str(c.conditions), str(c.generative_exponent)) for c in shifted] == [
        ("a != 0", "1"),
        ("a = 0", "2"),
    ]


def test_coefficients_that_do_not_exist():
    """E|f| is finite and E|z f| is not: integral of |z|/(1 + z^2)."""
    (case,) = family("a*z1 + exp(z1**2/2)/(1 + z1**2)").cases
    assert case.information_exponent.value is None
    assert "E|z^1 f| is not shown to be finite" in case.information_exponent.reason
    assert ha.information_exponent("z1 + exp(z1**2/2)/(1 + z1**2)").value is None
    assert ha.information_exponent("z1 + exp(z1**2/2)/(1 + z1**4)") == 1


@pytest.mark.slow
def test_equations_are_not_repeated():
    for text in ("sign((a + sin(a))*z1 + b)", "floor(sin(a))*z1 + He2(z1)", "relu((a**2 + b**2 - 1)*z1 + c)"):
        for case in family(text).cases:
            conditions = [str(r) for r in case.conditions]
            assert len(set(conditions)) == len(conditions)


def test_a_case_with_a_letter_is_found_by_its_sign():
    found = family("tanh(z1) + b*z1")
    for b in (0, -1, "-sqrt(2)/3", "-0.60570550960", "-0.60570550961"):
        assert found.case_at(b=b) is found.cases[0]
    with pytest.raises(ha.UndefinedQuantity, match="which case holds is not decided"):
        found.case_at(b="-0.60570550960215885")  # as near as the enclosure is wide


@pytest.mark.parametrize("text", ["sigmoid(z1) - a*z1 - b*z1**3", "a*tanh(z1) + sigmoid(2*z1)*b - z1/3"])
def test_letters_are_enclosed_at_points(text):
    """At rational points the case is that of the first coefficient by quadrature."""
    found, draw = family(text), random.Random(text)
    for _ in range(12):
        point = {name: rational(draw) for name in found.parameters}
        case = found.case_at(**point)
        numbers = coefficients(found, point, 1)
        assert (case.information_exponent == 1) == (abs(numbers[1]) > CLOSE), point


def test_a_quotient_of_letters_has_an_example():
    """b and a that take C_1 and C_3 away; that C_5 is left is a product of four letters."""
    case = family("tanh(z1) + a*sigmoid(z1) + b*z1").cases[2]
    assert case.information_exponent == 5
    assert set(case.example) == {"a", "b"}
    x = np.linspace(-14, 14, 2801)  # the trapezoidal rule, exact to rounding for both
    density = np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi) / 100
    third, fifth = (density * special.eval_hermitenorm(k, x) for k in (3, 5))
    a = -(third @ np.tanh(x)) / (third @ special.expit(x))
    assert abs(fifth @ (np.tanh(x) + a * special.expit(x))) > 0.01


def test_generic_answer_and_its_exceptions():
    assert lines(family("sin(a*z1) + b*He3(z1)")) == ["a != 0: 1", "a = 0, b != 0: 3", "a = 0, b = 0: inf"]
    assert lines(ha.analyze("sin(a*z1) + b*He3(z1)", where="a > 0")) == ["all parameters: 1"]
    assert lines(family("sin(a*z1) - b*z1", "0 < a < 3")) == [
        "a - b*exp(a**2/2) != 0: 1",
        "b = a*exp(-a**2/2): 3",
    ]


def test_a_curve_that_is_left_by_where():
    """b = a exp(-a^2/2) is positive for a > 0, and a = 3 b on it is not asked for."""
    assert lines(ha.analyze("sin(a*z1) - b*z1", where="a > 0, b < 0")) == ["all parameters: 1"]
    assert lines(ha.analyze("(a - 1)*z1 + He2(z1)", where="a != 1")) == ["all parameters: 1"]
    assert lines(ha.analyze("(a**2 - 2)*z1 + He2(z1)", where="0 < a < 7/5")) == ["all parameters: 1"]
    assert lines(ha.analyze("(a**2 - 2)*z1 + He2(z1)", where="a > 0")) == [
        "a**2 - 2 != 0: 1",
        "a = sqrt(2): 2",
    ]


def test_infinite_families_and_curves_are_equations():
    roots = "-sqrt(2)/2", "sqrt(2)/2"
    assert lines(family("cos(a*z1 + b)")) == [
        "a != 0, sin(b) != 0: 1",
        "a = 0: inf",
        "a != 0, sin(b) = 0: 2",
    ]
    assert lines(ha.analyze("(a**2 + b**2 - 1)*z1 + (a**4 - b**4)*He2(z1) + He3(z1)")) == [
        "a**2 + b**2 - 1 != 0: 1",
        "a**2 + b**2 - 1 = 0, 2*b**2 - 1 != 0: 2",
        *(f"a = {x}, b = {y}: 3" for y in roots for x in roots),
    ]


def test_jumps_that_vanish_are_looked_at_anew():
    """sign(a z)^2 is 1 but for a = 0, and no closed form shows it."""
    assert lines(family("sign(a*z1)**2*z1 + He2(z1)")) == ["a != 0: 1", "a = 0: 2"]
    assert lines(family("step(a*z1 + b)*z1 + He3(z1)", "b > 0"))[-1] == "a = 0: 1"
    assert lines(family("abs(sign(a*z1 + b))*z1 + He2(z1)")) == [
        "a != 0: 1",
        "a = 0, b != 0: 1",
        "a = 0, b = 0: 2",
    ]
    (open_case,) = family("sign(sin(a*z1))*z1").cases
    assert open_case.information_exponent.value is None
    assert lines(family("log(a**2*z1**2)")) == ["a != 0: 2", "a = 0: at least 1 (undecided)"]


def test_polynomials_have_generative_exponents():
    """1 unless even, then 2."""
    found = family("He4(z1) + c*He2(z1) + d*He3(z1) + e*z1*a", "e != 0")
    assert lines(found, "generative_exponent") == [
        "a != 0: 1",
        "a = 0, c != 0, d != 0: 1",
        "a = 0, d = 0, c != 0: 2",
        "a = 0, c = 0, d != 0: 1",
        "a = 0, c = 0, d = 0: 2",
    ]


SEVERAL = (
    "a*z1 + b*z2 + z1*z2",
    "z1 + a*z1*z2 + b*z2*z3",
    "He2(z1) + a*z1*z2 + b*He2(z2)",
    "z1 + (a**2 - b)*z2*z3 + b*He2(z2)*z1",
)


def test_leaps_of_several_directions():
    """z1 + z2 + z1 z2 is u + (u^2 - v^2)/2 up to scales: v enters by He_2 alone, and only there."""
    found = family("a*z1 + b*z2 + z1*z2")
    assert lines(found, "isotropic_leap") == [
        "a != 0, b != 0, a + b != 0, a - b != 0: 1",
        "a = b, b != 0: 2",
        "a = -b, b != 0: 2",
        "b = 0, a != 0: 1",
        "a = 0, b != 0: 1",
        "a = 0, b = 0: 2",
    ]
    assert lines(found, "generative_exponent")[:2] == [
        "a != 0, b != 0, a + b != 0, a - b != 0: 1",
        "a = b, b != 0: at least 1 (undecided)",
    ]


@pytest.mark.cases(1)
@pytest.mark.parametrize("text", SEVERAL)
def test_leaps_agree_with_the_answers_without_parameters(text):
    found, draw = family(text), random.Random(text)
    for point in points(found, draw, 1):
        case, there = found.case_at(**point), found.at(**point)
        assert case.information_exponent == there.information_exponent, point
        assert case.isotropic_leap == there.isotropic_leap, point
        assert case.generative_exponent.value in (None, there.generative_exponent.value), point


def test_numbers_without_closed_form_are_letters():
    found = family("tanh(z1) + b*z1")
    assert lines(found) == ["E[z1*tanh(z1)] + b != 0: 1", "b = -E[z1*tanh(z1)]: 3"]
    assert {str(case.information_exponent.evidence) for case in found.cases} == {"proved"}
    assert lines(ha.analyze("tanh(z1) + b*z1", where="b > 0")) == ["all parameters: 1"]
    (open_case,) = family("tanh(a*z1)").cases
    assert open_case.information_exponent.value is None
    assert "no closed form in the parameters" in open_case.information_exponent.reason


@pytest.mark.parametrize(
    ("text", "where", "curve", "order"),
    [
        ("exp(-a*z1**2)*(z1**2 - b)", "a > 0", "b = (1 - 1/a)/(2*a + 1)", 4),
        ("exp(a*z1)*(z1 - b)", "a > 0", "b = a + 1/a", 2),
        ("(sin(a*z1) - b*z1)*exp(-z1**2/2)", "a > 0", "b = a*exp(-a**2/4)", 3),
    ],
)
def test_parameters_in_denominators(text, where, curve, order):
    """On a curve that divides by a parameter; the coefficients there by quadrature."""
    found = ha.analyze(text, where=where)
    case = next(c for c in found.cases if str(c.conditions).startswith(curve))
    assert case.information_exponent == order
    numbers = coefficients(found, case.example, order)
    assert all(abs(c) < CLOSE for c in numbers[1:order])
    assert abs(numbers[order]) > 0.01


def test_noise_and_time():
    assert lines(family("a*z1 + b*xi")) == ["a != 0: 1", "a = 0: inf"]
    assert lines(family("sign(z1 + a*xi)")) == ["all parameters: 1"]
    late = ha.analyze("sin(a*z1 + b) + c*z1", seconds=1e-6)
    assert all(case.information_exponent.value is None for case in late.cases)
    assert "time ended" in late.cases[0].information_exponent.reason


@pytest.mark.parametrize(
    ("text", "where", "said"),
    [
        ("a*z1", "a > 0, a < 0", "where leaves no value of a: 0 < a < 0"),
        ("a*z1", "a >= 1, a <= 1", "where leaves a = 1 alone: put this value into the target"),
        ("a*z1", "a = 1", "put a fixed value into the target; a parameter is compared with numbers by"),
        ("a*z1", "b > 0", "where names 'b', which is no parameter of the target; its parameters: a"),
        ("a*z1", "z1 > 0", "z1 is an input; a parameter is compared"),
        ("a*z1 + xi", "xi > 0", "xi is an input; a parameter is compared"),
        ("a*z1 + b", "a < b", "'b' is no number; a parameter is compared with numbers"),
        ("a*z1", "a > __import__('os')", "is no number; a parameter is compared with numbers"),
        ("a*z1", "", "where is empty; a parameter is compared"),
        ("log(a)*z1", None, "a is not shown to be positive for all parameters of the target"),
        ("z1/(a - 1)", "a > 0", "a - 1 is not shown to be nonzero for all parameters of the target"),
        ("a", None, "the target a has no input; accepted: z1, z2, ..."),
        ("x*z1", None, "unknown name 'x'"),
        ("slope*z1", None, "unknown name 'slope'"),
        ("a*x1", None, "write z1"),
    ],
)
def test_bad_input(text, where, said):
    with pytest.raises(ha.InputError) as refused:
        ha.analyze(text, where=where)
    assert said in str(refused.value)


def test_other_refusals():
    with pytest.raises(ha.UndefinedQuantity, match=r"no mean for all parameters.*restrict them by where"):
        ha.analyze("exp(a*z1**2)")
    assert lines(ha.analyze("exp(a*z1**2 + b*z2**2)", where="a < 1/2, 0 < b < 1/2")) == ["all parameters: 2"]
    with pytest.raises(ha.InputError, match="activation is given for a target with parameters"):
        ha.analyze("a*z1", activation="relu")
    with pytest.raises(ha.InputError, match="where is for the text of a target"):
        ha.analyze(ha.Target("z1"), where="a > 0")
    found = family("sin(a*z1) - b*z1", "0 < a < 3")
    for values, said in (
        ({"a": 4, "b": 1}, "a is 4; accepted: 0 < a < 3"),
        ({"a": 1}, "no value for b"),
        ({"a": 1, "b": 1, "c": 1}, "c is no parameter of the target; its parameters: a, b"),
    ):
        with pytest.raises(ha.InputError, match=said):
            found.at(**values)


def test_named_parameters_and_the_document():
    found = ha.analyze("sin(slope*z1)", where="slope >= 1/2 and slope != 1")
    assert found.where == ("slope >= 1/2", "slope != 1") and found.parameters == ("slope",)
    for one in (found, family("sin(a*z1) + b*He3(z1)")):
        jsonschema.validate(one.to_dict(), schema("analyze"))
    document = family("sin(a*z1) + b*He3(z1)").to_dict()
    assert document["cases"][1]["conditions"][1] == {"text": "b != 0", "latex": r"b \neq 0"}
    assert document["cases"][1]["information_exponent"]["reason"] == "C_1 to C_2 vanish; c_(3) = 6*b"
    assert r"$a = 0$, $b \neq 0$" in family("sin(a*z1) + b*He3(z1)").latex


def test_long_conditions_leave_room_for_the_answers():
    text = str(ha.analyze("cos(a*z1) - cos(b*z1)", where="a > 0, b > 0"))
    for order in (2, 4, 6, 8):
        assert f"information_exponent = {order}" in text
    assert "not shown" not in text and max(map(len, text.splitlines())) <= 114


def test_factors_and_solutions():
    a, b = sympy.symbols("a b", real=True)
    region = Region(
        domains=dict(zip((a, b), domains_of(comparisons("b > 2"), ["a", "b"]).values(), strict=True))
    )
    assert factors(sympy.exp(a) * (a**2 - a * b)) == (a, a - b)
    assert region.is_nonzero(b**2 - 4) and not region.is_nonzero(b**2 - 5)
    assert region.is_nonzero(a**2 + b - 2) and not region.is_nonzero(a + b - 2)
    assert solutions(b**2 - 5, region).zeros == ((b, sympy.sqrt(5)),)
    assert solutions(b**2 - 3, region).zeros == ()
    assert solutions(b**5 - b - 40, region) is None and region.zeros(b**5 - b - 40) == 1
