"""Kinks along curves: one coordinate by a closed form, the other by an enclosure."""

from __future__ import annotations

from collections.abc import Callable

import mpmath
import pytest
from sympy import sign

import hermite_analytics as ha
from hermite_analytics.evidence import Evidence
from hermite_analytics.gaussian.inner_mean import inner_mean
from hermite_analytics.language.functions import relu, step
from hermite_analytics.symbols import variable

X, Y = variable(1), variable(2)
Inner = Callable[[mpmath.mpf], mpmath.mpf]


def he(k: int, y: mpmath.mpf) -> mpmath.mpf:
    return mpmath.mpf(2) ** (-mpmath.mpf(k) / 2) * mpmath.hermite(k, y / mpmath.sqrt(2))


def over_y(inner: Inner, k: int, ends: list[float]) -> float:
    """E He_k(y) inner(y) by tanh-sinh quadrature."""
    with mpmath.workdps(25):
        return float(mpmath.quad(lambda y: he(k, y) * inner(y) * mpmath.npdf(y), ends))


# of z1 given z2, by hand: E[He_j(z1) f | z2] for (text, j)
BY_HAND: dict[tuple[str, int], Inner] = {
    ("step(z1 - z2**2)", 0): lambda y: mpmath.ncdf(-(y**2)),
    ("step(z1 - z2**2)", 1): lambda y: mpmath.npdf(y**2),
    ("step(z1 - z2**2)", 2): lambda y: y**2 * mpmath.npdf(y**2),
    ("relu(z1 - z2**3)", 0): lambda y: mpmath.npdf(y**3) - y**3 * mpmath.ncdf(-(y**3)),
    ("relu(z1 - sin(z2))", 1): lambda y: mpmath.ncdf(-mpmath.sin(y)),
    ("max(z1, z2**2)", 1): lambda y: mpmath.ncdf(-(y**2)),
    ("step(z1*exp(z2) - 1)*z2", 0): lambda y: y * mpmath.ncdf(-mpmath.exp(-y)),
    ("step(z1*z2 - 1)", 0): lambda y: mpmath.ncdf(-1 / abs(y)) if y else mpmath.mpf(0),
    ("step(z1*z2 - 1)", 2): lambda y: mpmath.npdf(1 / y) / abs(y) if y else mpmath.mpf(0),
    ("step(z1*z2 + z1 - 1)", 0): lambda y: mpmath.ncdf(-1 / abs(y + 1)) if y != -1 else mpmath.mpf(0),
    ("step(z1*z2**2 - 1)", 3): lambda y: (y**-4 - 1) * mpmath.npdf(y**-2) if y else mpmath.mpf(0),
    ("step(1 - z1**2 - z2**2)", 0): lambda y: _within(1 - y**2),
    ("relu(1 - z1**2 - 2*z2**2)", 0): lambda y: _cap(1 - 2 * y**2),
    ("sign(z1**2 - 2*z2**2 + 1)", 0): lambda y: 1 - 2 * _within(2 * y**2 - 1),
    ("z1*step(4 - z1**2 - z1*z2 - z2**2)", 0): lambda y: _slice(-y / 2, 16 - 3 * y**2),
}


def _within(square: mpmath.mpf) -> mpmath.mpf:
    """P(z^2 < square)."""
    return 2 * mpmath.ncdf(mpmath.sqrt(square)) - 1 if square > 0 else mpmath.mpf(0)


def _cap(square: mpmath.mpf) -> mpmath.mpf:
    """E max(square - z^2, 0)."""
    if square <= 0:
        return mpmath.mpf(0)
    root = mpmath.sqrt(square)
    return (square - 1) * _within(square) + 2 * root * mpmath.npdf(root)


def _slice(middle: mpmath.mpf, discriminant: mpmath.mpf) -> mpmath.mpf:
    """E z over |z - middle| < sqrt(discriminant)/2."""
    if discriminant <= 0:
        return mpmath.mpf(0)
    half = mpmath.sqrt(discriminant) / 2
    return mpmath.npdf(middle - half) - mpmath.npdf(middle + half)


# where the means above have their singular points
ENDS = [
    -12,
    -4,
    -4 / mpmath.sqrt(3),
    -1,
    -mpmath.sqrt("0.5"),
    0,
    mpmath.sqrt("0.5"),
    1,
    4 / mpmath.sqrt(3),
    4,
    12,
]


QUICK = {"max(z1, z2**2)", "step(1 - z1**2 - z2**2)"}


@pytest.mark.parametrize(
    ("text", "j"),
    [pytest.param(*key, marks=[] if key[0] in QUICK else [pytest.mark.slow]) for key in BY_HAND],
)
def test_coefficients_of_functions_with_curved_borders(text: str, j: int) -> None:
    found = ha.hermite(text, 3)
    for k in range(4 - j):
        expected = over_y(BY_HAND[text, j], k, ENDS)
        quantity = found[j, k]
        assert quantity.evidence in (Evidence.PROVED, Evidence.EXACT)
        assert quantity.value == pytest.approx(expected, rel=1e-13, abs=1e-15)
        assert quantity.zero is (abs(expected) < 1e-12)


def test_norms_and_means_of_such_functions() -> None:
    assert ha.expectation("step(z1 - z2**2)").at().value == pytest.approx(0.28098521692539267, rel=1e-14)
    assert ha.hermite("step(z1 - z2**2)", 1).norm_squared(1).value == pytest.approx(
        0.27835319505227736**2, rel=1e-13
    )


@pytest.mark.parametrize(
    "text",
    [
        "z1*step(z2 - z3**2)*exp(z2**2)",  # odd in z1, and E|f| is infinite
        "(tanh(z1+1) + tanh(z1-1))*step(z2 - z3**2)*exp(z2**2)",
    ],
)
def test_a_mean_that_does_not_exist_is_not_zero(text: str) -> None:
    found = ha.expectation(text).at()
    assert found.zero is None
    assert found.evidence is Evidence.UNDECIDED


# where the slope of the coordinate that is taken out vanishes on an open set
FLAT = {
    "abs(step(z2)*z1 - z2**2)": lambda y: _folded(y**2) if y > 0 else y**2,
    "max(relu(z2)*z1, z2**2 - 1)": lambda y: _larger(y, y**2 - 1) if y > 0 else max(y**2 - 1, mpmath.mpf(0)),
    "abs(z1*relu(z2) + relu(-z2))": lambda y: y * mpmath.sqrt(2 / mpmath.pi) if y > 0 else -y,
    "sign(step(z2)*z1 + z2)": lambda y: 2 * mpmath.ncdf(y) - 1 if y > 0 else mpmath.mpf(-1),
}


def _folded(m: mpmath.mpf) -> mpmath.mpf:
    """E|z - m|."""
    return 2 * mpmath.npdf(m) + m * (1 - 2 * mpmath.ncdf(-m))


def _larger(s: mpmath.mpf, m: mpmath.mpf) -> mpmath.mpf:
    """E max(s z, m), s > 0."""
    return s * mpmath.npdf(m / s) + m * mpmath.ncdf(m / s)


@pytest.mark.parametrize("text", FLAT)
def test_slopes_that_vanish_on_an_open_set(text: str) -> None:
    """Proved to be right, or open: never the number of the generic slope."""
    for found, k in ((ha.expectation(text).at(), 0), (ha.hermite(text, 2)[0, 2], 2)):
        if found.evidence in (Evidence.PROVED, Evidence.EXACT):
            assert found.value == pytest.approx(over_y(FLAT[text], k, [-12, -4, -1, 0, 1, 4, 12]), rel=1e-10)
        else:
            assert found.zero is None


def test_which_coordinate_is_taken_out() -> None:
    assert inner_mean(sign(X - Y**3), (X, Y)) is not None
    assert inner_mean(relu(X - Y**2) * Y**2, (X, Y))[1] == (Y,)
    assert inner_mean(step(X), (X, Y)) is None  # nothing is left of it
    assert inner_mean(step(1 - X**2 - Y**2), (X, Y))[1] == (Y,)
    assert inner_mean(step(X**3 + X - Y**3 - Y), (X, Y)) is None


@pytest.mark.parametrize(
    ("text", "known"),
    [("step(1 - z1**2 - z2**2)", "1 - exp(-1/2)"), ("sign(z1**2 - z2**2)", "0")],
)
def test_discs_and_cones(text: str, known: str) -> None:
    expected = ha.expectation(known).at()
    found = ha.expectation(text).at()
    assert abs(found.value - expected.value) <= found.error + expected.error


def test_a_border_inside_a_kink() -> None:
    """|z1| - z2^2 > 0 and a disc in one integrand: proved to be right, or open."""
    found = ha.expectation("step(abs(z1) - z2**2)*step(4 - z1**2 - z2**2)").at()
    with mpmath.workdps(20):
        edge = mpmath.sqrt((mpmath.sqrt(17) - 1) / 2)
        expected = mpmath.quad(
            lambda y: (_within(4 - y**2) - _within(y**4)) * mpmath.npdf(y), [-edge, 0, edge]
        )
    if found.evidence in (Evidence.PROVED, Evidence.EXACT):
        assert found.value == pytest.approx(float(expected), rel=1e-12)
    else:
        assert found.zero is None


@pytest.mark.slow
@pytest.mark.parametrize("text", ["step(z1*z2 - 1)*step(z1*z2 + z2 - 1)", "relu((z1 - 1)**2*z2 - (z1 - 1))"])
def test_poles_at_points_of_a_grid(text: str) -> None:
    """No division by zero, and no error of infinite size that is called proved."""
    found = ha.expectation(text).at()
    assert found.error < 1e-10 or found.evidence is Evidence.UNDECIDED


def test_reasons_name_the_coordinate_that_is_asked_for() -> None:
    assert "odd powers of z3 vanish" in ha.hermite("tanh(z1**2 + z2**2 + z3**2)", 2)[1, 0, 1].reason
