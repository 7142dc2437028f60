"""Designs have what was asked for: checked again by quadrature, hand-made answers and other parts."""

from __future__ import annotations

import math

import mpmath
import pytest

import hermite_analytics as ha
from hermite_analytics.designs.constructions import constructions
from hermite_analytics.designs.request import Request
from hermite_analytics.designs.results import Designs
from hermite_analytics.evidence import Evidence


def coefficients(f, edges, most):
    """E[He_k f], k <= most, of a function of one variable by mpmath, split at its kinks and jumps."""
    points = [-12, *sorted({-x for x in edges} | {0} | set(edges)), 12]

    def he(k, x):
        low, high = mpmath.mpf(1), x
        if k == 0:
            return low
        for j in range(1, k):
            low, high = high, x * high - j * low
        return high

    return [mpmath.quad(lambda x, k=k: he(k, x) * f(x) * mpmath.npdf(x), points) for k in range(most + 1)]


def test_information_exponent_three_and_generative_exponent_one():
    found = ha.design(information_exponent=3, generative_exponent=1)
    assert isinstance(found, Designs) and len(found) == 1
    assert found[0].text == "He3(z1)" and found.is_smallest
    c = coefficients(lambda x: x**3 - 3 * x, [], 3)
    assert max(map(abs, c[:3])) < 1e-12 and abs(c[3] - 6) < 1e-12
    assert abs(mpmath.quad(lambda x: x * (x**3 - 3 * x) ** 3 * mpmath.npdf(x), [-14, 0, 14]) - 324) < 1e-9
    text = str(found)
    assert text.splitlines()[0] == "He3(z1)"
    assert "information exponent  3  [exact]" in text and "generative exponent   1  [exact]" in text


@pytest.mark.slow
def test_one_index_of_exponents_three_and_two():
    """Cells whose first moments cancel: E[z | y] = 0, E[He_2 f] = 0, E[He_3 f] != 0, E[z^2 - 1 | y] != 0."""
    [found] = ha.design(information_exponent=3, generative_exponent=2, dimension=1)
    edges = [mpmath.sqrt(2 * mpmath.log(mpmath.mpf(4) / 3)), mpmath.sqrt(2 * mpmath.log(2))]
    edges.append(2 * mpmath.sqrt(mpmath.log(2)))
    heights = (-1, 1, -2, 2)

    def f(x):
        return mpmath.sign(x) * heights[sum(abs(x) > t for t in edges)]

    f_again = found.target.function()
    for x in (0.1, -0.5, 0.9, 1.1, -1.3, 1.6, -1.7, 2.5):
        assert float(f_again(x)) == f(x)
    c = coefficients(f, edges, 3)
    assert max(map(abs, c[:3])) < 1e-12 and abs(c[3]) > 0.1
    for label in heights:
        assert abs(cell_moment(f, edges, label, lambda x: x)) < 1e-12
        assert abs(cell_moment(f, edges, label, lambda x: x * x - 1)) > 0.01


def cell_moment(f, edges, label, g):
    """E[g(z) 1{f = label}]."""
    return mpmath.quad(lambda x: g(x) * (f(x) == label) * mpmath.npdf(x), points(edges))


def points(edges):
    return [-12, *sorted({-x for x in edges} | {0} | set(edges)), 12]


@pytest.mark.cases(4)
@pytest.mark.parametrize(
    ("request_", "text"),
    [
        ({"information_exponent": 1}, "z1"),
        ({"information_exponent": 4, "generative_exponent": 4, "dimension": 1}, "z1**2*exp(-z1**2)"),
        ({"generative_exponent": 3}, "sign(z1*z2*z3)"),
        ({"information_exponent": 2, "discrete": True}, "sign(z1*z2)"),
        ({"alpha_c": "pi**2/4"}, "sign(z1*z2)"),
        ({"alpha_c": "1/2"}, "abs(z1)"),
        ({"alpha_c": 0}, "z1"),
        ({"polynomial": True, "alpha_c": ("0.4", "0.6")}, "He2(z1)"),
        ({"leap_orders": [1, 3]}, "z1 + He3(z2)"),
        ({"information_exponent": 1, "isotropic_leap": 3, "polynomial": True}, "z1 + He3(z2)"),
    ],
)
def test_known_answers(request_, text):
    assert ha.design(**request_)[0].text == text


def test_reversed_order_for_sq_learners():
    """He2(z1)*z2 has information exponent 3; E[z2 y^3] = E[He2^3] E[z^4] = 24, then He2(z1) is known."""
    [found] = ha.design(information_exponent=3, generative_exponent=2)
    assert found.text == "z1*He2(z2)" and found.size == 3


@pytest.mark.slow
def test_staircase_of_two_steps():
    [found] = ha.design(staircase=[0, 1, 3])
    steps = ha.staircase(found.target)
    assert steps.dimensions == (0, 1, 3) and steps.limit_dimension == 3
    assert found.properties[0].evidence is Evidence.EXACT


@pytest.mark.cases(2)
@pytest.mark.parametrize(("first", "leap", "isotropic"), [(1, 1, 3), (2, 2, 3), (1, 2, 3), (2, 2, 4)])
def test_leap_in_the_basis_and_after_rotation(first, leap, isotropic):
    found = constructions(Request(information_exponent=first, leap_complexity=leap, isotropic_leap=isotropic))
    [text] = [c.text for c in found if "(z1 - z2)" in c.text]
    assert ha.information_exponent(text).value == first
    assert ha.leap_complexity(text).value == leap and ha.isotropic_leap(text).value == isotropic
    asked = {"information_exponent": first, "leap_complexity": leap, "isotropic_leap": isotropic}
    if first == 2:
        assert len(ha.design(**asked, seconds=30)) == 1


@pytest.mark.slow
def test_more_coordinates_than_the_enumeration_has():
    found = ha.design(dimension=5, information_exponent=1, seconds=10)
    assert len(found) == 1 and not found.is_smallest


def test_gated_leaps():
    """[3, 1]: He3(z1) first, then what it multiplies."""
    [found] = ha.design(leap_orders=[3, 1], dimension=2)
    assert ha.leap_decomposition(found.target).orders == (3, 1)


@pytest.mark.slow
def test_threshold_by_quadrature():
    """1/alpha_c = sum over labels of E[(z^2 - 1) 1{y}]^2 / P(y), here by numerical integration."""
    [found] = ha.design(alpha_c=(0.8, 0.9), dimension=1)
    f = found.target.function()
    edge = float(found.text.partition(" - ")[2].rstrip(")").partition("/")[0]) / 8  # step(abs(z1) - 9/8)
    assert float(f(edge + 1e-9)) == 1 and float(f(edge - 1e-9)) == 0
    inside = mpmath.quad(mpmath.npdf, [-edge, edge])
    moment = mpmath.quad(lambda x: (x * x - 1) * mpmath.npdf(x), [-edge, edge])
    alpha = 1 / (moment**2 / inside + moment**2 / (1 - inside))
    assert 0.8 < alpha < 0.9
    assert math.isclose(alpha, ha.weak_recovery(found.target).alpha_c.value, rel_tol=1e-12)


def test_an_activation_that_learns_it():
    found = ha.design(information_exponent=1, dimension=2, activation="relu", steps=2)
    assert ha.learns(found[0].target, "relu", 2).is_realised is True


def test_several_are_sorted_by_size_and_differ():
    found = ha.design(information_exponent=2, count=4)
    assert len(found) == 4 and len({d.text for d in found}) == 4
    assert [d.size for d in found] == sorted(d.size for d in found)
    assert all(ha.information_exponent(d.target).value == 2 for d in found)


def test_every_property_is_exact_or_proved():
    found = ha.design(information_exponent=2, generative_exponent=1, dimension=2, discrete=False, count=2)
    assert found
    for d in found:
        assert [p.name for p in d.properties] == list(found.request.asked)
        assert all(p.evidence in (Evidence.EXACT, Evidence.PROVED) for p in d.properties)


@pytest.mark.slow
def test_the_search_is_deterministic():
    first, second = (ha.design(information_exponent=2, isotropic_leap=3, count=2) for _ in range(2))
    assert first.to_dict() == second.to_dict()


@pytest.mark.slow
def test_an_estimate_does_not_count():
    """alpha_c = 0.64485 of He4 is an estimate: its place is taken by a closed form, or nothing is found."""
    found = ha.design(alpha_c=(0.644, 0.646), polynomial=True, seconds=3)
    assert len(found) == 0 and not found.is_smallest
    assert found.search.undecided >= 1


@pytest.mark.slow
def test_nothing_found_says_what_was_searched():
    found = ha.design(information_exponent=5, generative_exponent=5, dimension=1, seconds=20)
    assert list(found) == []
    lines = str(found).splitlines()
    assert lines[0] == "no target found: dimension 1, information exponent 5, generative exponent 5"
    assert "candidates, all sums up to size 10 in at most 1 coordinates" in lines[1]
    assert "such as He5(z1)" in str(found) and "generative exponent 5  met by 0" in str(found)
    assert found._repr_latex_() is None and found._repr_html_().startswith("<pre>")


def test_the_time_ends():
    found = ha.design(grand_orders=[1, 1], seconds=0.5)
    assert len(found) == 0 and found.search.end == "the time of 0.5 seconds ended"


def test_displays():
    found = ha.design(information_exponent=2, discrete=True)
    page = found._repr_html_()
    assert page.startswith("<div>") and "<script" not in page and "sign(z1*z2)" in page
    assert "operatorname{sign}" in found._repr_latex_()
    assert found[0].analysis.information_exponent.value == 2
    document = found.to_dict()
    assert document["request"] == {"information_exponent": 2, "discrete": True}
    assert document["designs"][0]["properties"][0]["found"] == "2"


@pytest.mark.slow
def test_cells_between_roots_of_logarithms():
    """The odd design of exponents 3 and 2 written with |z1| - t: each sign has rules, their product not."""
    steps = (
        "4*step(abs(z1) - 2*sqrt(log(2))) - 3*step(abs(z1) - sqrt(2*log(2))) "
        "+ 2*step(abs(z1) - sqrt(2*log(4/3))) - 1"
    )
    text = f"sign(z1)*({steps})"
    assert ha.information_exponent(text).value == 3 and ha.generative_exponent(text).value == 2
