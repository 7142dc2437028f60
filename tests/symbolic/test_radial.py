"""Means of polynomials times powers and logarithms of radii, against integrals in polar coordinates."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
import sympy
from sympy import Rational, log, sqrt

import hermite_analytics as ha
from hermite_analytics.foundation.panels import panel_rule
from hermite_analytics.gaussian.closed_form import closed_form
from hermite_analytics.gaussian.enclosure.constants import ball_of
from hermite_analytics.gaussian.products import mean_of_product, products
from hermite_analytics.gaussian.radial import beside_radius, radial_mean
from hermite_analytics.gaussian.zero.constants import decide_constant
from hermite_analytics.language.functions import He, hermite_polynomial

x, y, w = sympy.symbols("x y w", real=True)

# part, dimension k of r, power m of one coordinate, power of r beside it, power of log(r^2)
RADII = [
    (sqrt(x**2 + y**2), 2, 0, 1, 0),
    (x**2 * sqrt(x**2 + y**2) ** 3, 2, 2, 3, 0),
    (w**4 / sqrt(x**2 + y**2 + w**2), 3, 4, -1, 0),
    (3 * y**2 * sqrt(x**2 / 9 + y**2 / 9 + w**2 / 9), 3, 2, 1, 0),
    (y**2 * log(x**2 + y**2) ** 2, 2, 2, 0, 2),
    (w**4 * log(x**2 + y**2 + w**2) ** 3 * sqrt(x**2 + y**2 + w**2), 3, 4, 1, 3),
]


@pytest.mark.parametrize(("part", "k", "m", "power", "logs"), RADII)
def test_means_of_powers_of_a_radius(part: sympy.Expr, k: int, m: int, power: int, logs: int) -> None:
    """In polar coordinates: E cos^m by the angle, times E r^(m + power) log(r^2)^j by the radius."""
    found = radial_mean(part, (x, y) if k == 2 else (x, y, w))
    with mpmath.workdps(25):
        latitudes = [0, mpmath.pi / 2, mpmath.pi]
        area = mpmath.quad(lambda t: mpmath.sin(t) ** (k - 2), latitudes)
        angular = mpmath.quad(lambda t: mpmath.cos(t) ** m * mpmath.sin(t) ** (k - 2), latitudes) / area
        shells = [
            mpmath.quad(
                lambda r, n=n, j=j: r ** (k - 1 + n) * mpmath.exp(-r * r / 2) * (2 * mpmath.log(r)) ** j,
                [0, 1, 2, 6, 16],
            )
            for n, j in ((m + power, logs), (0, 0))
        ]
        expected = angular * shells[0] / shells[1]
        assert mpmath.almosteq(mpmath.mpmathify(sympy.N(found, 25)), expected, 1e-18)


HOMOGENEOUS = [
    abs(x) * sqrt(x**2 + y**2),
    sympy.Max(x, y) * sqrt(2 * x**2 + 2 * y**2) ** 3,
    sqrt(abs(x * y)) * sqrt(sqrt(x**2 + y**2)),
    He(4, x) * abs(y) / sqrt(x**2 + y**2),
    sympy.sign(x + y) * He(3, x) * sqrt(x**2 + y**2),
    abs(x - y) * y**2 / (x**2 + y**2),
]


@pytest.mark.parametrize("part", HOMOGENEOUS)
def test_means_of_homogeneous_functions_beside_a_radius(part: sympy.Expr) -> None:
    """In polar coordinates, where the whole of it has one degree for each power of r."""
    means = [mean_of_product(term, (x, y)) for term in products(part, (x, y))]
    assert None not in means
    found = sympy.Add(*means)
    written = part.replace(He, lambda k, z: hermite_polynomial(int(k), z))
    function = sympy.lambdify((x, y), written, "numpy")
    r, shells = panel_rule([0.0, *np.geomspace(1e-4, 15, 40)], 16)
    s, weights = panel_rule([0.0, 1.0], 40)  # the root of the distance to a corner, at both ends of an octant
    octants = np.arange(8)[:, None] + s * s * (3 - 2 * s)
    t = 0.25 * math.pi * octants.ravel()
    around = np.tile(0.75 * weights * s * (1 - s), 8)  # of the turn
    values = function(r[:, None] * np.cos(t), r[:, None] * np.sin(t))
    expected = (shells * r * np.exp(-0.5 * r * r)) @ values @ around
    assert abs(float(found) - expected) < 1e-11 * abs(expected)


def test_functions_beside_a_radius_that_are_not_homogeneous() -> None:
    assert mean_of_product(sympy.tanh(x) * x * sqrt(x**2 + y**2), (x, y)) is None
    assert beside_radius(abs(x - 1) * sqrt(x**2 + y**2), (x, y)) is None
    assert beside_radius(abs(x) * sqrt(x**2 + y**2) * sqrt(x**2 + w**2), (x, y, w)) is None
    assert beside_radius(abs(x) * abs(y), (x, y)) is None
    assert beside_radius(abs(x + w) * sqrt(x**2 + y**2), (x, y, w)) is None  # partly outside of the radius
    assert beside_radius(x * sympy.sign(x + w) * sqrt(x**2 + y**2), (x, y, w)) is None


@pytest.mark.parametrize("text", ["sqrt(abs(z1*z2*z3))", "sqrt(abs(z1))*sqrt(abs(z2))*sqrt(abs(z3))"])
def test_roots_of_products(text: str) -> None:
    """Gamma(3/4)^3 (2/pi^2)^(3/4): E |z|^(1/2) = 2^(1/4) Gamma(3/4)/sqrt(pi)."""
    mean = ha.hermite(text, 2)[0, 0, 0]
    assert mean.evidence == "exact"
    assert abs(mean.value - (2**0.25 * math.gamma(0.75) / math.sqrt(math.pi)) ** 3) < 1e-14


def test_radial_means_refuse_what_they_do_not_cover() -> None:
    assert radial_mean(sqrt(x**2 + 2 * y**2), (x, y)) is None
    assert radial_mean(sqrt(x**2 + y**2) * sympy.tanh(x), (x, y)) is None
    assert radial_mean((x**2) ** Rational(1, 3) * (x**2 + y**2) ** Rational(-7, 6), (x, y)) is None
    assert radial_mean(x * sqrt(x**2 + y**2), (x, y)) == 0
    assert radial_mean(log(abs(x)) * log(abs(y)), (x, y)) is None
    assert radial_mean(log(abs(x - 1)), (x,)) is None
    assert radial_mean(log(abs(x)) ** Rational(1, 2), (x,)) is None
    assert radial_mean(log(abs(x)) / x**2, (x,)) is None


# the expression, and its mean given that x = s > 0, the other coordinate integrated by hand
LOGARITHMS = {
    log(abs(x)): lambda s: mpmath.log(s),
    x**4 * log(3 * abs(x)) ** 2: lambda s: s**4 * mpmath.log(3 * s) ** 2,
    (x**2 - 1) * log(x**2): lambda s: (s**2 - 1) * 2 * mpmath.log(s),
    abs(x) * log(abs(x)) ** 3: lambda s: s * mpmath.log(s) ** 3,
    x**2 * abs(x) ** Rational(-2, 3): lambda s: s ** (mpmath.mpf(4) / 3),
    # E y^2 = 1, E log|y| = -(gamma + log 2)/2, E log|y|^2 = that squared + pi^2/8
    x**2 * y**2 * log(abs(x * y)): lambda s: s**2 * (mpmath.log(s) + 1 - (mpmath.euler + mpmath.log(2)) / 2),
    # u = (x + 2 y)/sqrt(5) takes the place of s; given u, E[x y] = 2/5 (u^2 - 1)
    x * y * log(abs(x + 2 * y)): lambda s: (s**2 - 1) * 2 / 5 * mpmath.log(s * mpmath.sqrt(5)),
    # u = (x - y)/sqrt(2), v beside it: x^2 y^2 = (u^2 - v^2)^2/4
    x**2 * y**2 * sqrt(abs(x - y)): lambda s: (s**4 - 2 * s**2 + 3) / 4 * mpmath.sqrt(s * mpmath.sqrt(2)),
}


@pytest.mark.cases(4)
@pytest.mark.parametrize("part", LOGARITHMS, ids=str)
def test_logarithms_and_powers_of_linear_forms(part: sympy.Expr) -> None:
    found = closed_form(part, (x, y))
    with mpmath.workdps(25):
        expected = 2 * mpmath.quad(lambda s: LOGARITHMS[part](s) * mpmath.npdf(s), [0, 0.1, 1, 3, 8, 16])
        assert mpmath.almosteq(mpmath.mpmathify(sympy.N(found, 25)), expected, 1e-18)


def test_factors_without_a_common_variable() -> None:
    """log|x| times a kink, and two logarithms of different coordinates: the product of the means."""
    mean = -(sympy.EulerGamma + log(2)) / 2
    assert sympy.expand(closed_form(log(abs(x)) * log(abs(y)), (x, y)) - mean**2) == 0
    assert closed_form(log(abs(x)) * sympy.sign(y), (x, y)) == 0
    together = closed_form(log(2 * abs(x * y)) ** 2, (x, y))
    expected = 2 * (mean**2 + sympy.pi**2 / 8) + 2 * mean**2 + 4 * mean * log(2) + log(2) ** 2
    assert abs(sympy.N(together - expected, 30)) < 1e-25


def test_the_number_gamma_of_euler() -> None:
    """A ball, and no theorem of vanishing: it may be rational for all that is known."""
    assert ball_of(sympy.EulerGamma, 100).overlaps(
        ball_of(Rational("0.5772156649015328606065120900824024"), 60)
    )
    assert decide_constant(2 * sympy.EulerGamma - sympy.EulerGamma - sympy.EulerGamma).zero
    assert decide_constant(sympy.EulerGamma - Rational(57, 100)).zero is None


def test_exponents_of_logarithms() -> None:
    """c_2k of log|z| is E[He_(2k-1)(z)/z] by parts: 1, -2, 8."""
    found = ha.hermite("log(abs(z1))", degree=6)
    assert [found[k].exact for k in (2, 4, 6)] == [1, -2, 8]
    assert ha.information_exponent("log(abs(z1))") == 2
    assert ha.hermite("log(abs(z1*z2))", degree=2)[0, 2].exact == 1
    assert ha.information_exponent("log(abs(z1)) - z1**2/2") == 4
    assert ha.information_exponent("log(z1**2 + z2**2) - (z1**2 + z2**2)/2") == 4
