"""Functions of radii: one variable for each radius, against chi-squared, beta and Laplace laws."""

from __future__ import annotations

import mpmath
import pytest
from scipy.stats import beta, chi2
from sympy import exp, pi, sign, tanh

import hermite_analytics as ha
from hermite_analytics.errors import UndefinedQuantity
from hermite_analytics.evidence import Evidence
from hermite_analytics.gaussian.radii import by_radii
from hermite_analytics.language.functions import He
from hermite_analytics.symbols import variable

Z = tuple(variable(i) for i in range(1, 9))


def squares(k: int) -> str:
    return " + ".join(f"z{i}**2" for i in range(1, k + 1))


def over_chi2(function, k: int, cuts: tuple[float, ...] = ()) -> float:
    """E function(r^2), r^2 a chi-squared variable of k degrees of freedom."""
    with mpmath.workdps(25):
        half = mpmath.mpf(k) / 2
        scale = 1 / (2**half * mpmath.gamma(half))
        density = lambda s: scale * s ** (half - 1) * mpmath.exp(-s / 2)  # noqa: E731
        return float(mpmath.quad(lambda s: function(s) * density(s), [0, *cuts, 4, 20, 120]))


@pytest.mark.cases(2)
@pytest.mark.parametrize("k", [2, 3, 4, 5, 8])
def test_coefficients_of_a_function_of_the_radius(k: int) -> None:
    """c_2 = E[(r^2/k - 1) g], c_22 = E[(r^4/(k(k+2)) - 2 r^2/k + 1) g], by hand."""
    found = ha.hermite(f"tanh({squares(k)})", 4 if k < 8 else 2)
    none = (0,) * k
    two = (0, 2, *none[2:])
    assert found[none].value == pytest.approx(over_chi2(mpmath.tanh, k), rel=1e-14)
    assert found[two].value == pytest.approx(over_chi2(lambda s: (s / k - 1) * mpmath.tanh(s), k), rel=1e-12)
    if k < 8:
        both = (2, 2, *none[2:])
        weight = lambda s: s**2 / (k * (k + 2)) - 2 * s / k + 1  # noqa: E731
        expected = over_chi2(lambda s: weight(s) * mpmath.tanh(s), k)
        assert found[both].value == pytest.approx(expected, rel=1e-12)
    assert found[two].evidence in (Evidence.PROVED, Evidence.EXACT)


@pytest.mark.parametrize("k", [2, 3, 4, 7])
def test_balls_have_exact_coefficients(k: int) -> None:
    found = ha.expectation(f"step(3 - ({squares(k)}))").at()
    assert found.exact is not None
    assert found.value == pytest.approx(chi2.cdf(3, k), rel=1e-12)


@pytest.mark.parametrize(("p", "q"), [(2, 1), (2, 2), (3, 2)])
def test_cones(p: int, q: int) -> None:
    """|u|^2 > |v|^2: the law of |u|^2/(|u|^2 + |v|^2) is a beta law."""
    text = f"sign({squares(p)} - (" + " + ".join(f"z{p + i}**2" for i in range(1, q + 1)) + "))"
    found = ha.expectation(text).at()
    assert found.evidence in (Evidence.PROVED, Evidence.EXACT)
    assert found.value == pytest.approx(2 * beta.sf(0.5, p / 2, q / 2) - 1, abs=1e-13)


def test_equal_coefficients_are_those_of_exchanged_coordinates() -> None:
    found = ha.hermite(f"sign({squares(2)} - z3**2)", 2)
    assert [str(found[index].exact) for index in ((2, 0, 0), (0, 2, 0), (0, 0, 2))] == [
        "sqrt(2)/4",
        "sqrt(2)/4",
        "-sqrt(2)/2",
    ]


@pytest.mark.slow
def test_products_are_differences_of_squares() -> None:
    """z1 z2 + z3 z4 is a Laplace variable: P(> -1) = 1 - exp(-1)/2."""
    found = ha.expectation("sign(z1*z2 + z3*z4 + 1)").at()
    assert str(found.exact) == "1 - exp(-1)"
    pairs = by_radii(tanh(Z[0] * Z[1] + Z[2] * Z[3]) * Z[0] * Z[1], Z[:4])
    assert pairs is not None
    assert len(pairs[1]) == 2
    c = ha.expectation("tanh(z1*z2 + z3*z4)**2").at()
    with mpmath.workdps(25):
        laplace = mpmath.quad(lambda x: mpmath.tanh(x) ** 2 * mpmath.exp(-x), [0, 1, 5, 60])
    assert c.value == pytest.approx(float(laplace), rel=1e-13)


def test_products_beside_other_functions() -> None:
    x, y, v, w, t = Z[:5]
    kept = by_radii(sign(x * y + v * w + exp(t)), (x, y, v, w, t))
    assert kept == (pi / 2 * abs(x) * abs(y) * sign((x**2 - y**2) / 2 + exp(t)), (x, y, t))


@pytest.mark.slow
def test_other_coordinates_stay() -> None:
    found = ha.hermite(f"z4*step(z4)*({squares(3)})*tanh({squares(3)})", 1)
    expected = over_chi2(lambda s: s * mpmath.tanh(s), 3)
    assert found[0, 0, 0, 1].value == pytest.approx(expected / 2, rel=1e-13)


def test_where_no_radius_is_seen() -> None:
    x, y, z = Z[:3]
    assert by_radii(tanh(x**2 + 2 * y**2), (x, y)) is None
    assert by_radii(tanh(x * y), (x, y)) is None
    assert by_radii(tanh(x**2 + y**2 + x), (x, y)) is None
    assert by_radii(x**2 + y**2, (x, y)) is None
    kept = by_radii(He(2, x) * sign(x**2 + y**2 - z), (x, y, z))
    assert kept is not None
    assert kept[1] == (x, z)


@pytest.mark.parametrize(
    "text",
    [
        "(z1**2 - z2**2)*exp(z1**2 + z2**2)",
        "(z1**2 - z2**2)*exp((z1**2 + z2**2)*sin(z3)**2)",
        "z1*exp((z1**2 + z2**2)*step(z3))",
        "z1*exp(z1**2*tanh(z2)**2)",
        "z1*exp(z1**2*sigmoid(z2))",
        "z1*z2*exp(z1**2*sin(z1*z2)**2)",
    ],
)
def test_a_mean_that_does_not_exist_is_not_zero(text: str) -> None:
    """Over directions, or by parity, the average is 0, and E|f| is infinite."""
    try:
        found = ha.expectation(text).at()
    except UndefinedQuantity:
        return
    assert found.zero is None
