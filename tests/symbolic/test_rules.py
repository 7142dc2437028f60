"""One row for every rule of the catalogue: its closed form against a quadrature that knows nothing of it.

Rows in one variable: mpmath at 32 digits, split at kinks typed by hand. Rows in the plane: nested
Gauss-Legendre panels, split where the inner variable meets a line. Cones and spherical polygons: one
integral over an angle. Maxima: one integral over their distribution function.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy
from numpy.typing import NDArray
from sympy import Rational

import hermite_analytics as ha
from hermite_analytics import conditional_coefficients
from hermite_analytics.gaussian.coefficients import closed_coefficients
from hermite_analytics.symbols import c, kappa, r
from tests.symbolic.references import expectation

mp = mpmath.mp
N, n = mpmath.ncdf, mpmath.npdf


def half(p: int, q: int = 2) -> Any:
    return mpmath.mpf(p) / q


def step(x: Any) -> Any:
    return mpmath.mpf(x > 0)


def he(k: int, x: Any) -> Any:
    """He_k by its recurrence."""
    low, high = mpmath.mpf(1), x
    for j in range(1, k):
        low, high = high, x * high - j * low
    return high if k else low


def relu(x: Any) -> Any:
    return max(x, mpmath.mpf(0))


Line = tuple[str, str, Callable[[Any], Any], tuple[float, ...]]
LINE: list[Line] = [  # (rule, expression, the same in mpmath, kinks)
    ("G0", "z1**6*(z1 + 3)**2", lambda x: x**6 * (x + 3) ** 2, ()),
    ("G0", "He(4, z1/2)", lambda x: he(4, x / 2), ()),
    ("G1", "He(5, z1)*step(z1 - 1/2)", lambda x: he(5, x) * step(x - half(1)), (0.5,)),
    ("G1", "He(4, z1)*step(1 - z1**2)", lambda x: he(4, x) * step(1 - x * x), (-1, 1)),
    ("G1", "He(3, z1)*sign(2*z1 + 3)", lambda x: he(3, x) * mpmath.sign(2 * x + 3), (-1.5,)),
    ("G2", "relu(1/2 - 2*z1)", lambda x: relu(half(1) - 2 * x), (0.25,)),
    ("G2", "He(1, z1)*relu(1/2 - 2*z1)", lambda x: x * relu(half(1) - 2 * x), (0.25,)),
    ("G2", "He(4, z1)*relu(1/2 - 2*z1)", lambda x: he(4, x) * relu(half(1) - 2 * x), (0.25,)),
    ("G2", "He(6, z1)*abs(4*z1 + 1)", lambda x: he(6, x) * abs(4 * x + 1), (-0.25,)),
    ("G2", "He(2, z1)*leaky_relu(z1 - 1, 1/8)",
     lambda x: he(2, x) * (x - 1 if x > 1 else (x - 1) / 8), (1,)),
    ("G2", "He(5, z1)*relu(z1 + 1)**3", lambda x: he(5, x) * relu(x + 1) ** 3, (-1,)),
    ("G3", "abs(z1 + 3/2)", lambda x: abs(x + half(3)), (-1.5,)),
    ("G3", "abs(z1 - 1/4)**5", lambda x: abs(x - half(1, 4)) ** 5, (0.25,)),
    ("G4", "Phi(2*z1 - 1)", lambda x: N(2 * x - 1), ()),
    ("G4", "He(3, z1)*Phi(2*z1 - 1)", lambda x: he(3, x) * N(2 * x - 1), ()),
    ("G5", "z1**3*phi(2*z1 - 1)", lambda x: x**3 * n(2 * x - 1), ()),
    ("G6", "z1**4*Phi(z1/2 + 1)", lambda x: x**4 * N(x / 2 + 1), ()),
    ("G7", "He(3, z1)*exp(z1/2)", lambda x: he(3, x) * mpmath.exp(x / 2), ()),
    ("G8", "He(2, z1)*sin(2*z1 + 1/2)", lambda x: he(2, x) * mpmath.sin(2 * x + half(1)), ()),
    ("G8b", "z1**3*exp(-z1/2)", lambda x: x**3 * mpmath.exp(-x / 2), ()),
    ("G9", "z1**2*exp(-z1**2/3 + z1/2)", lambda x: x * x * mpmath.exp(-x * x / 3 + x / 2), ()),
    ("G9", "z1*exp(z1**2/8)*sin(z1)", lambda x: x * mpmath.exp(x * x / 8) * mpmath.sin(x), ()),
    ("G9", "cos(z1**2/2 + 1)*z1**2", lambda x: mpmath.cos(x * x / 2 + 1) * x * x, ()),
    ("G10", "exp(z1/2)*step(z1 - 1)", lambda x: mpmath.exp(x / 2) * step(x - 1), (1,)),
    ("G10", "sign(z1)*sin(2*z1)", lambda x: mpmath.sign(x) * mpmath.sin(2 * x), (0,)),
    ("G10", "abs(z1)*cos(3*z1)", lambda x: abs(x) * mpmath.cos(3 * x), (0,)),
    ("G10", "exp(-abs(z1))", lambda x: mpmath.exp(-abs(x)), (0,)),
    ("G10", "step(z1 - 1)*sin(2*z1)", lambda x: step(x - 1) * mpmath.sin(2 * x), (1,)),
    ("G10", "relu(-1 - z1)*cos(3*z1)*exp(z1/2)",
     lambda x: relu(-1 - x) * mpmath.cos(3 * x) * mpmath.exp(x / 2), (-1,)),
    ("G12", "Phi(z1 - 1)*Phi(2*z1 + 1/2)", lambda x: N(x - 1) * N(2 * x + half(1)), ()),
    ("G12", "Phi(-3*z1 - 1)*Phi(z1 - 1/2)", lambda x: N(-3 * x - 1) * N(x - half(1)), ()),
    ("G12", "Phi(3*z1)*Phi(z1 + 1)", lambda x: N(3 * x) * N(x + 1), ()),
    ("G13", "Phi(z1/2 + 1)**2", lambda x: N(x / 2 + 1) ** 2, ()),
    ("G13", "erf(z1/2 - 1)**2", lambda x: mpmath.erf(x / 2 - 1) ** 2, ()),
    ("G14", "phi(z1 + 1)*Phi(2*z1 - 1)", lambda x: n(x + 1) * N(2 * x - 1), ()),
    ("G15", "z1*Phi(z1)*Phi(2*z1 - 1)", lambda x: x * N(x) * N(2 * x - 1), ()),
    ("G15", "He(4, z1)*Phi(z1 + 1)*Phi(2*z1 - 1)", lambda x: he(4, x) * N(x + 1) * N(2 * x - 1), ()),
    ("G16", "Phi(2*z1 + 1)*step(z1 - 1/2)", lambda x: N(2 * x + 1) * step(x - half(1)), (0.5,)),
    ("G16", "Phi(2*z1)*step(z1)", lambda x: N(2 * x) * step(x), (0,)),
    ("G16", "erf(3*z1)*sign(z1)", lambda x: mpmath.erf(3 * x) * mpmath.sign(x), (0,)),
    ("G17", "Phi(z1)*Phi(2*z1)*Phi(-z1/3)", lambda x: N(x) * N(2 * x) * N(-x / 3), ()),
    ("G17", "z1*Phi(z1 + 1)*Phi(2*z1)*Phi(z1 - 1)", lambda x: x * N(x + 1) * N(2 * x) * N(x - 1), ()),
    ("G17", "z1*Phi(z1)**2*Phi(2*z1)**2", lambda x: x * N(x) ** 2 * N(2 * x) ** 2, ()),
    ("G18", "Phi(z1)**5", lambda x: N(x) ** 5, ()),
    ("G18", "Phi(z1)*step(z1 - 1)", lambda x: N(x) * step(x - 1), (1,)),
    ("G18", "erf(z1/sqrt(2))**6", lambda x: mpmath.erf(x / mpmath.sqrt(2)) ** 6, ()),
    ("G19", "gelu(1/2 + 2*z1)", lambda x: (half(1) + 2 * x) * N(half(1) + 2 * x), ()),
    ("G19", "gelu(1/2 + 2*z1)*z1", lambda x: (half(1) + 2 * x) * N(half(1) + 2 * x) * x, ()),
    ("G19", "gelu(1/2 + 2*z1)**2", lambda x: ((half(1) + 2 * x) * N(half(1) + 2 * x)) ** 2, ()),
    ("F1", "Phi(z1)*Phi(z1)*Phi(z1)*Phi(z1)*z1**2", lambda x: N(x) ** 4 * x * x, ()),
]  # fmt: skip


def exact(text: str) -> sympy.Expr:
    value = ha.expectation(text)
    assert value.exact is not None, value.reason
    assert not value.exact.has(sympy.I) or value.exact.has(sympy.re, sympy.im)
    return value.exact


def named(rows: Sequence[tuple[Any, ...]]) -> list[Any]:
    return [pytest.param(*row, id=f"{row[0]}: {row[1]}") for row in rows]


@pytest.mark.cases(4)
@pytest.mark.parametrize(("rule", "text", "function", "kinks"), named(LINE))
def test_rules_in_one_variable(rule: str, text: str, function: Any, kinks: tuple[float, ...]) -> None:
    with mpmath.workdps(32):
        reference = expectation(function, kinks, reach=20)
        found = sympy.N(exact(text), 32)._to_mpmath(mp.prec)
        assert mpmath.almosteq(found, reference, 1e-25, 1e-25)


Array = NDArray[np.float64]
NODES, WEIGHTS = np.polynomial.legendre.leggauss(24)
REACH = 10.0


def panels(ends: Sequence[float]) -> tuple[Array, Array]:
    """Nodes and weights on panels no wider than 1 between the ends."""
    edges = np.concatenate(
        [np.linspace(a, b, 2 + int(b - a))[:-1] for a, b in itertools.pairwise(ends)] + [[ends[-1]]]
    )
    size, middle = np.diff(edges)[:, None] / 2, (edges[1:] + edges[:-1])[:, None] / 2
    return (middle + size * NODES).ravel(), (size * WEIGHTS).ravel()


def plane(function: Callable[[Any, Array], Array], lines: Sequence[tuple[float, float, float]]) -> float:
    """E f(x, y), f smooth between the lines a x + b y + t = 0."""
    crossings = [-REACH, REACH, *(-t / a for a, b, t in lines if b == 0)]
    for (a, b, t), (d, e, s) in itertools.combinations(lines, 2):
        if a * e != b * d:
            crossings.append((b * s - e * t) / (a * e - b * d))
    outer, weights = panels(sorted({x for x in crossings if abs(x) <= REACH}))
    total = 0.0
    for x, w in zip(outer, weights, strict=True):
        cuts = {-(a * x + t) / b for a, b, t in lines if b}
        inner, v = panels(sorted({-REACH, REACH} | {y for y in cuts if abs(y) < REACH}))
        total += w * np.exp(-x * x / 2) * float(np.sum(v * np.exp(-inner * inner / 2) * function(x, inner)))
    return total / (2 * np.pi)


def positive(x: Any) -> Any:
    return np.maximum(x, 0.0)


def erf(x: Any) -> Any:
    from scipy.special import erf as scipy_erf

    return scipy_erf(x)


def gelu(x: Any) -> Any:
    return x * (1 + erf(x / np.sqrt(2))) / 2


Plane = tuple[str, str, Callable[[Any, Any], Any], list[tuple[float, float, float]]]
PLANE: list[Plane] = [  # (rule, expression, the same in NumPy, lines of its kinks)
    ("G19", "gelu(z1)*gelu(3*z1/5 + 4*z2/5)", lambda x, y: gelu(x) * gelu(0.6 * x + 0.8 * y), []),
    ("B1", "sign(z1)*sign(z1 + 2*z2)", lambda x, y: np.sign(x) * np.sign(x + 2 * y), [(1, 0, 0), (1, 2, 0)]),
    ("B1", "step(z1)*step(z2 - 3*z1)", lambda x, y: (x > 0) * (y > 3 * x), [(1, 0, 0), (-3, 1, 0)]),
    ("B2", "relu(z1)*relu(z1 - 2*z2)",
     lambda x, y: positive(x) * positive(x - 2 * y), [(1, 0, 0), (1, -2, 0)]),
    ("B3", "abs(z1 + z2)*abs(z1 - 3*z2)", lambda x, y: abs(x + y) * abs(x - 3 * y), [(1, 1, 0), (1, -3, 0)]),
    ("B4", "relu(z1)**2*relu(3*z1/5 + 4*z2/5)**2",
     lambda x, y: positive(x) ** 2 * positive(0.6 * x + 0.8 * y) ** 2, [(1, 0, 0), (0.6, 0.8, 0)]),
    ("B4", "relu(z1)**3*relu(3*z1/5 + 4*z2/5)**3",
     lambda x, y: positive(x) ** 3 * positive(0.6 * x + 0.8 * y) ** 3, [(1, 0, 0), (0.6, 0.8, 0)]),
    ("B4", "relu(z1)*relu(4*z1/5 - 3*z2/5)**4",
     lambda x, y: positive(x) * positive(0.8 * x - 0.6 * y) ** 4, [(1, 0, 0), (0.8, -0.6, 0)]),
    ("B5", "z1**2*(z1 + z2)*step(z1 - 1/2)*step(z1 + z2 + 1/4)",
     lambda x, y: x**2 * (x + y) * (x > 0.5) * (x + y > -0.25), [(1, 0, -0.5), (1, 1, 0.25)]),
    ("B5", "z2**3*step(z1 + 1)*step(z1 - z2 + 1)",
     lambda x, y: y**3 * (x > -1) * (x - y > -1), [(1, 0, 1), (1, -1, 1)]),
    ("B6", "relu(1/2 + z1)*relu(z1/2 + z2 - 1/4)",
     lambda x, y: positive(0.5 + x) * positive(x / 2 + y - 0.25), [(1, 0, 0.5), (0.5, 1, -0.25)]),
    ("B6", "relu(1/2 - z1)*abs(z1/2 + z2 - 1/4)",
     lambda x, y: positive(0.5 - x) * abs(x / 2 + y - 0.25), [(1, 0, -0.5), (0.5, 1, -0.25)]),
    ("B7", "max(1 + 2*z1, z1 - z2)", lambda x, y: np.maximum(1 + 2 * x, x - y), [(1, 1, 1)]),
    ("B7", "max(1 + 2*z1, z1 - z2)**2", lambda x, y: np.maximum(1 + 2 * x, x - y) ** 2, [(1, 1, 1)]),
    ("B7", "min(z1, 1/2 - z2)**3", lambda x, y: np.minimum(x, 0.5 - y) ** 3, [(1, 1, -0.5)]),
    ("B8", "z1**3*z2*sign(z1)*sign(z1 + z2)",
     lambda x, y: x**3 * y * np.sign(x) * np.sign(x + y), [(1, 0, 0), (1, 1, 0)]),
    ("B9", "erf(z1)*erf(z1/2 + z2)", lambda x, y: erf(x) * erf(x / 2 + y), []),
    ("B9", "erf(z1 + 1/2)*erf(z1/2 + z2)", lambda x, y: erf(x + 0.5) * erf(x / 2 + y), []),
    ("B9", "z1*z2*erf(z1 + 1/2)*sign(z1/2 + z2 - 1)",
     lambda x, y: x * y * erf(x + 0.5) * np.sign(x / 2 + y - 1), [(0.5, 1, -1)]),
    ("B10", "step(z1)*step(z2)*step(z1 + z2 - 1)",
     lambda x, y: (x > 0) * (y > 0) * (x + y > 1), [(1, 0, 0), (0, 1, 0), (1, 1, -1)]),
    ("B10", "max(z1, 2*z2, z1 + z2 - 1)",
     lambda x, y: np.maximum(np.maximum(x, 2 * y), x + y - 1), [(1, -2, 0), (0, 1, -1), (1, -1, -1)]),
    ("B10", "abs(z1)*abs(z2)*abs(z1 + z2)",
     lambda x, y: abs(x * y * (x + y)), [(1, 0, 0), (0, 1, 0), (1, 1, 0)]),
    ("B10", "z1**2*relu(1 - abs(z1) - abs(z2))",
     lambda x, y: x**2 * positive(1 - abs(x) - abs(y)),
     [(1, 0, 0), (0, 1, 0), (1, 1, 1), (1, 1, -1), (1, -1, 1), (1, -1, -1)]),
    ("R3", "exp(z1*z2/3 - z1**2/4)*relu(z1 + z2 - 1/2)",
     lambda x, y: np.exp(x * y / 3 - x * x / 4) * positive(x + y - 0.5), [(1, 1, -0.5)]),
    ("R3", "cos(z1*z2)*z1**2", lambda x, y: np.cos(x * y) * x**2, []),
]  # fmt: skip


@pytest.mark.cases(5)
@pytest.mark.parametrize(("rule", "text", "function", "lines"), named(PLANE))
def test_rules_in_the_plane(rule: str, text: str, function: Any, lines: Any) -> None:
    reference = plane(function, lines)
    assert float(exact(text)) == pytest.approx(reference, rel=2e-11, abs=2e-11)


# Cones on which alone a weight is integrable: (2 pi)^-1 int dtheta / (M11 cos^2 + 2 M12 cos sin + M22 sin^2).
CONES = [
    ("exp(z1*z2)*step(z1)*step(-z2)", ((1, -1), (-1, 1)), (-0.5, 0)),
    ("exp(-2*z1*z2)*step(z1)*step(z2)", ((1, 2), (2, 1)), (0, 0.5)),
    ("exp(z1**2/8 - 2*z1*z2)*step(z1)*step(z2)", ((half(3, 4), 2), (2, 1)), (0, 0.5)),
    ("exp(3*z1*z2)*step(-z1)*step(z2)", ((1, -3), (-3, 1)), (0.5, 1)),
    ("exp(z1*z2 + z2**2/4)*step(z1)*step(-z1 - z2)", ((1, -1), (-1, half(1))), (-0.5, -0.25)),
]


@pytest.mark.parametrize(("text", "matrix", "ends"), CONES)
def test_weights_on_cones(text: str, matrix: Any, ends: tuple[float, float]) -> None:
    with mpmath.workdps(30):
        (a, b), (_, d) = matrix

        def radial(angle: Any) -> Any:
            x, y = mpmath.cospi(angle), mpmath.sinpi(angle)
            return 1 / (a * x * x + 2 * b * x * y + d * y * y)

        reference = mpmath.quad(radial, mpmath.linspace(*ends, 5)) / 2
        found = sympy.N(exact(text), 30)._to_mpmath(mp.prec)
        assert mpmath.almosteq(found, reference, 1e-20)


@pytest.mark.parametrize("a", [2, 3])
def test_weights_on_cones_are_numbers(a: int) -> None:
    """E exp(-a |z1 z2|) = 2 acosh(a)/(pi sqrt(a^2 - 1)), as a number with a proved error too."""
    found = ha.expectation(f"exp(-{a}*abs(z1*z2))*cos(z3)").at()
    with mpmath.workdps(30):
        reference = 2 * mpmath.acosh(a) / (mp.pi * mpmath.sqrt(a * a - 1)) * mpmath.exp(-half(1))
        assert mpmath.almosteq(sympy.N(found.exact, 30)._to_mpmath(mp.prec), reference, 1e-25)
    assert found.evidence == ha.Evidence.EXACT and abs(found.value - float(reference)) < 1e-15


@pytest.mark.parametrize(("text", "function", "start"), [
    ("exp(z1**2/2 - abs(z1))", lambda x: 2 * mpmath.exp(-x), 0),
    ("exp(z1**2/2 - 2*z1)*step(z1 - 1)", lambda x: mpmath.exp(-2 * x), 1),
    ("exp(z1**2/2)*erfc(abs(z1))", lambda x: 2 * mpmath.erfc(x), 0),
])  # fmt: skip
def test_weights_on_half_lines(text: str, function: Any, start: int) -> None:
    with mpmath.workdps(30):
        reference = mpmath.quad(function, [start, start + 2, start + 8, mpmath.inf]) / mpmath.sqrt(2 * mp.pi)
        assert mpmath.almosteq(sympy.N(exact(text), 30)._to_mpmath(mp.prec), reference, 1e-20)


def spherical(rows: Sequence[tuple[float, float, float]]) -> float:
    """P(all a.x > 0) for x on the sphere: over the longitude, the sine of an interval of latitudes."""
    vectors = [np.array(a, dtype=float) for a in rows]
    breaks = {0.0, 2 * np.pi}
    for a in vectors:  # the latitude of the great circle of a is 0, or +-pi/2
        breaks |= {np.arctan2(a[0], -a[1]) % (2 * np.pi), np.arctan2(-a[0], a[1]) % (2 * np.pi)}
    for a, b in itertools.combinations(vectors, 2):
        corner = np.cross(a, b)
        breaks |= {np.arctan2(s * corner[1], s * corner[0]) % (2 * np.pi) for s in (1, -1)}
    ends = sorted(breaks)
    edges = np.unique(np.concatenate([np.linspace(a, b, 40) for a, b in itertools.pairwise(ends)]))
    size, middle = np.diff(edges)[:, None] / 2, (edges[1:] + edges[:-1])[:, None] / 2
    longitude = (middle + size * NODES).ravel()
    low, high = np.full(longitude.shape, -np.pi / 2), np.full(longitude.shape, np.pi / 2)
    for a in vectors:  # level cos(latitude) + a3 sin(latitude) > 0 on a half circle around its direction
        centre = np.arctan2(a[2], a[0] * np.cos(longitude) + a[1] * np.sin(longitude))
        low, high = np.maximum(low, centre - np.pi / 2), np.minimum(high, centre + np.pi / 2)
    area = np.where(high > low, np.sin(high) - np.sin(low), 0.0)
    return float(np.sum((size * WEIGHTS).ravel() * area) / (4 * np.pi))


CORNERS = {
    "T1": [(1, 0, 0), (1, 1, 0), (1, 1, 1)],
    "T1, obtuse": [(1, 0, 0), (-2, 1, 0), (-1, -1, 3)],
    "T1, irrational": [(1, 2, 0), (0, 1, -1), (2, 1, 1)],
    "T4, four": [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, -1)],
    "T4, four, one redundant": [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 2, 3)],
    "T4, five": [(1, 0, 2), (-1, 0, 2), (0, 1, 2), (0, -1, 2), (1, 1, 2)],
    "T4, six": [(2, 0, 1), (-2, 0, 1), (1, 2, 1), (-1, 2, 1), (1, -2, 1), (-1, -2, 1)],
    "T4, empty": [(1, 0, 0), (0, 1, 0), (0, 0, 1), (-1, -1, -1)],
}


@pytest.mark.parametrize("name", CORNERS)
def test_spherical_polygons(name: str) -> None:
    factors = [f"step({a}*z1 + {b}*z2 + {d}*z3)" for a, b, d in CORNERS[name]]
    assert float(exact("*".join(factors))) == pytest.approx(spherical(CORNERS[name]), abs=1e-10)


def maximum(means: Sequence[Any], widths: Sequence[Any], power: int = 1) -> Any:
    """E max_i(m_i + s_i z_i)^power from the distribution function prod Phi((x - m_i)/s_i)."""

    def below(x: Any) -> Any:
        return mpmath.fprod(N((x - m) / s) for m, s in zip(means, widths, strict=True))

    ends = [mpmath.mpf(e) for e in range(0, 43, 3)]
    upper = mpmath.quad(lambda x: power * x ** (power - 1) * (1 - below(x)), ends)
    lower = mpmath.quad(lambda x: power * x ** (power - 1) * below(-x), ends)
    return upper + (-1) ** power * lower


MAXIMA = [
    ("T2", "max(z1, z2, z3)", (0, 0, 0), (1, 1, 1), 1),
    ("T2", "max(z1, 2*z2, 3*z3)", (0, 0, 0), (1, 2, 3), 1),
    ("T2", "max(z1 + 1, 2*z2, 3*z3 - 1)", (1, 0, -1), (1, 2, 3), 1),
    ("T2", "max(z1 + 1, 2*z2, z3 - 1/2)**2", (1, 0, -0.5), (1, 2, 1), 2),
    ("T3", "max(z1, z2, z3, z4)", (0,) * 4, (1,) * 4, 1),
    ("T3", "max(z1, 2*z2, z3, 3*z4)", (0,) * 4, (1, 2, 1, 3), 1),
    ("T3", "max(z1, z2, z3, z4, z5)", (0,) * 5, (1,) * 5, 1),
]


@pytest.mark.slow
@pytest.mark.parametrize(("rule", "text", "means", "widths", "power"), named(MAXIMA))
def test_maxima(rule: str, text: str, means: Any, widths: Any, power: int) -> None:
    with mpmath.workdps(28):
        numbers = [mpmath.mpf(x) for x in means], [mpmath.mpf(x) for x in widths]
        reference = maximum(*numbers, power)
        assert mpmath.almosteq(sympy.N(exact(text), 28)._to_mpmath(mp.prec), reference, 1e-20)


# Steps with one common variable: given it the others are Phi, one integral is left.
COMMON = [
    ("C1", "z1*step(z1 + z2)*step(z1 + 2*z3)*step(-z1 + z4)*step(2*z1 + z5)",
     lambda x: x * N(x) * N(x / 2) * N(-x) * N(2 * x)),
    ("C1", "He(3, z1)*step(z1 + z2)*step(z1 + 2*z3)*step(-z1 + z4)*step(2*z1 + z5)",
     lambda x: he(3, x) * N(x) * N(x / 2) * N(-x) * N(2 * x)),
    ("C1", "He(2, z1)*step(z1 + z2)*step(z1 + 2*z3)*step(-z1 + z4)*step(2*z1 + z5)*step(z1)",
     lambda x: he(2, x) * N(x) * N(x / 2) * N(-x) * N(2 * x) * step(x)),
    ("F1", "step(z1 + z2)*step(z1 + z3)*step(z1 + z4)*step(z1 + z5)", lambda x: N(x) ** 4),
    ("F1", "sign(z1 + z2)*sign(z1 - z2)*sign(z1 + 2*z2)*sign(z3)*sign(z3 + z4)", None),
]  # fmt: skip


@pytest.mark.cases(1)
@pytest.mark.parametrize(("rule", "text", "function"), named(COMMON))
def test_many_steps(rule: str, text: str, function: Any) -> None:
    found = exact(text)
    if function is None:  # a product over blocks, odd in one of them
        assert found == 0
        return
    with mpmath.workdps(32):
        reference = expectation(function, (0,), reach=16)
        assert mpmath.almosteq(sympy.N(found, 32)._to_mpmath(mp.prec), reference, 1e-25, 1e-25)


def test_three_signs_have_no_mean() -> None:
    assert exact("sign(z1 + z2)*sign(z2 + z3)*sign(z3 + z1)") == 0


@pytest.mark.parametrize(("name", "factor"), [("relu", 1), ("abs", 4)])
def test_residual_as_an_integral_over_the_correlation(name: str, factor: int) -> None:
    """G20: mu2^2 = c/(2 pi) int_0^1 sqrt((1 - t)/(1 + t)) exp(-(r kappa)^2/(c (1 + t))) dt for relu."""
    residual = conditional_coefficients(ha.Activation(name)).mu2_squared
    for k, width in (
        (Rational(1, 2), Rational(2)),
        (Rational(3), Rational(1, 2)),
        (Rational(0), Rational(1)),
    ):
        with mpmath.workdps(30):
            h = mpmath.mpf(int(k.p)) ** 2 / int(k.q) ** 2 * int(width.q) / int(width.p)

            def integrand(angle: Any, h: Any = h) -> Any:  # t = sin(angle)
                t = mpmath.sin(angle)
                return (1 - t) * mpmath.exp(-h / (1 + t))

            integral = mpmath.quad(integrand, [0, mp.pi / 4, mp.pi / 2])
            reference = factor * integral * int(width.p) / int(width.q) / (2 * mp.pi)
            found = sympy.N(residual.subs({kappa: k, r: 1, c: width}), 30, maxn=200)
            assert mpmath.almosteq(found._to_mpmath(mp.prec), reference, 1e-18)


def test_every_rule_has_a_row() -> None:
    rows = {row[0] for table in (LINE, PLANE, MAXIMA, COMMON) for row in table}
    rows |= {name.partition(",")[0] for name in CORNERS} | {"G20"}
    wanted = {f"G{i}" for i in range(21) if i != 11} | {"G8b"} | {f"B{i}" for i in range(1, 11)}
    assert rows >= wanted | {"T1", "T2", "T3", "T4", "C1", "F1"}


def test_a_mean_without_closed_form_has_to_cancel() -> None:
    steps = "step(z1 + z2)*step(z1 + 2*z3)*step(-z1 + z4)*step(2*z1 + z5)"
    assert ha.expectation(f"z1**2*{steps}").exact is None
    assert ha.expectation(f"(z1**2 - z2**2)*{steps}").exact is not None


@pytest.mark.slow
def test_coefficients_of_four_steps_without_their_mean() -> None:
    """C1: C_k, k >= 1, of four centred steps needs only what is closed; E f does not."""
    f = ha.expectation("step(z1 + z2)*step(z1 + 2*z3)*step(-z1 + z4)*step(2*z1 + z5)")
    assert f.exact is None
    found = closed_coefficients(f.expression, f.variables, 3)
    assert (0,) * 5 not in found
    assert len(found) == 55
    with mpmath.workdps(32):
        for k in (1, 2, 3):
            reference = expectation(
                lambda x, k=k: he(k, x) * N(x) * N(x / 2) * N(-x) * N(2 * x), (), reach=16
            )
            value = sympy.N(found[k, 0, 0, 0, 0], 32)._to_mpmath(mp.prec)
            assert mpmath.almosteq(value, reference, 1e-25, 1e-25)
        # E[z1 z2 f] by parts in z2: the density of the first step at 0
        cross = expectation(lambda x: x * n(x) * N(x / 2) * N(-x) * N(2 * x), (), reach=16)
        value = sympy.N(found[1, 1, 0, 0, 0], 32)._to_mpmath(mp.prec)
        assert mpmath.almosteq(value, cross, 1e-25, 1e-25)
