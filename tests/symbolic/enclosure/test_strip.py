"""The bounds on strips really bound: sampled complex points never exceed them."""

from __future__ import annotations

import random

import mpmath
import pytest
import sympy
from flint import arb
from sympy import Abs, Rational, cos, cosh, erf, erfc, exp, log, sin, sinh, sqrt, tanh

from hermite_analytics.gaussian.enclosure.precision import working_precision
from hermite_analytics.gaussian.enclosure.strip import NoStripBound, StripBounds, strip_bounds
from hermite_analytics.language.functions import He, Phi, gelu, phi, relu, sigmoid, silu, softplus
from hermite_analytics.symbols import variable, z

x, y = variable(1), variable(2)


def cdf(w: mpmath.mpc) -> mpmath.mpc:
    return mpmath.erfc(-w / mpmath.sqrt(2)) / 2


OWN = {
    "sigmoid": lambda w: 1 / (1 + mpmath.exp(-w)),
    "softplus": lambda w: mpmath.log(1 + mpmath.exp(w)),
    "silu": lambda w: w / (1 + mpmath.exp(-w)),
    "gelu": lambda w: w * cdf(w),
    "Phi": cdf,
    "phi": lambda w: mpmath.exp(-w * w / 2) / mpmath.sqrt(2 * mpmath.pi),
    "relu": lambda w: max(w, 0),
    "He": lambda k, w: mpmath.sqrt(2) ** -k * mpmath.hermite(k, w / mpmath.sqrt(2)),
}

ANALYTIC = [
    tanh(z),
    tanh(2 * z - 1) ** 3,
    sigmoid(z + 1),
    softplus(z),
    softplus(-2 * z) * sigmoid(z),
    silu(z) * z,
    gelu(z - 1),
    Phi(z) * phi(z / 2),
    erf(z) ** 2 - erfc(2 * z),
    exp(sin(z)),
    exp(sin(z) * cos(z) - z**2 / 3),
    cos(z**2) * z,
    sinh(z) * tanh(z),
    1 / (1 + z**2),
    log(2 + z**2),
    sqrt(1 + z**2),
    (2 + z**2) ** Rational(-3, 2),
    (3 + sin(z)) ** Rational(5, 3),
    1 / (2 + sin(z)),
    1 / cosh(z),
    1 / (1 + exp(z)),
    log(cosh(z / 2)),
    exp(-(z**4)),
    exp(z - z**2 / 4) * z**3,
    tanh(sin(z)),
    tanh(erf(z) / 3),
    He(5, tanh(z)) * sympy.pi,
    z**5 - 3 * z + 1,
    1 / (z**4 + z + 2),
    sqrt(1 + exp(z)),
    exp(-relu(sympy.Integer(3)) * z),
]


def value_of(bounds: StripBounds, t: tuple[float, ...]) -> arb:
    """The majorant of the size at |Re z| = t."""
    total = arb(0)
    for piece in bounds.size.pieces:
        exponent = arb(0)
        for s, linear, square in zip(t, piece.linear, piece.square, strict=True):
            exponent += linear * s + square * s * s
        for powers, coefficient in piece.terms.items():
            term = coefficient * exponent.exp()
            for s, n in zip(t, powers, strict=True):
                term = term * arb(s) ** n
            total += term
    return total


def quadratic(q: object, t: tuple[float, ...]) -> arb:
    value = q.constant
    for s, linear, square in zip(t, q.linear, q.square, strict=True):
        value += linear * s + square * s * s
    return value


@working_precision(64)
def check(expr: sympy.Expr, symbols: tuple[sympy.Symbol, ...], widths: list[Rational], points: int) -> None:
    try:
        bounds = strip_bounds(expr, symbols, [arb(int(w.p)) / int(w.q) for w in widths])
    except NoStripBound:
        return
    function = sympy.lambdify(symbols, expr, modules=[OWN, "mpmath"])
    rng = random.Random(str(expr))
    slack = 1 + arb(2) ** -30
    for _ in range(points):
        real = [rng.choice([0.0, rng.uniform(-1, 1), rng.uniform(-9, 9)]) for _ in symbols]
        heights = [float(w) * rng.choice([-1.0, 1.0, rng.uniform(-1, 1)]) for w in widths]
        is_real = all(h == 0 for h in heights)
        arguments = [
            mpmath.mpf(r) if is_real else mpmath.mpc(r, h) for r, h in zip(real, heights, strict=True)
        ]
        value = mpmath.mpc(function(*arguments))
        t = tuple(abs(r) for r in real)
        size, re, im = (arb(mpmath.nstr(v, 20)) for v in (abs(value), value.real, value.imag))
        tiny = arb(2) ** -40
        assert size <= value_of(bounds, t) * slack + tiny, (expr, arguments)
        assert size >= bounds.away / slack - tiny, (expr, arguments)
        if bounds.upper is not None:
            assert re <= quadratic(bounds.upper, t) + tiny * (1 + size), (expr, arguments)
        if bounds.lower is not None:
            assert re >= quadratic(bounds.lower, t) - tiny * (1 + size), (expr, arguments)
        if bounds.imaginary is not None:
            assert abs(im) <= quadratic(bounds.imaginary, t) + tiny * (1 + size), (expr, arguments)


@pytest.mark.cases(8)
@pytest.mark.parametrize("expr", ANALYTIC, ids=str)
def test_sampled_points_stay_below(expr: sympy.Expr) -> None:
    for width in (Rational(0), Rational(1, 4), Rational(3, 4), Rational(5, 4), Rational(5, 2)):
        check(expr, (z,), [width], 60)


@pytest.mark.parametrize(
    "expr",
    [
        Abs(tanh(z)) - Abs(z - 2),
        relu(sin(z)) * z,
        exp(z**2 / 2 - Abs(z)),
        exp(z**2 / 2) * erfc(Abs(z)),
        sympy.Max(z, -1, tanh(z)) - sympy.Min(z, 2),
        Phi(-Abs(z) + 1),
    ],
    ids=str,
)
def test_kinks_on_the_real_axis(expr: sympy.Expr) -> None:
    check(expr, (z,), [Rational(0)], 200)


@pytest.mark.parametrize(
    "expr",
    [
        tanh(x) * tanh(x / 2 + y),
        exp(x * y / 2),
        cos(x * y),
        1 / (1 + x**2 + y**2),
        x**2 * y - Phi(x - y),
        exp(-((x - y) ** 2)),
    ],
    ids=str,
)
def test_two_variables(expr: sympy.Expr) -> None:
    for width in (Rational(1, 2), Rational(1)):
        check(expr, (x, y), [width, Rational(0)], 60)
        check(expr, (x, y), [Rational(0), width], 60)


@pytest.mark.parametrize(
    ("expr", "width"),
    [
        (tanh(z), Rational(8, 5)),
        (sigmoid(z), Rational(16, 5)),
        (softplus(2 * z), Rational(8, 5)),
        (1 / (1 + z**2), Rational(1)),
        (sqrt(1 + z**2), Rational(1)),
        (log(sympy.Rational(1, 4) + z**2), Rational(1, 2)),
        (1 / (2 + sin(z)), Rational(3, 2)),
        (tanh(z**3), Rational(1, 100)),
        (Abs(z), Rational(1, 100)),
        (exp(z**3), Rational(0)),
        (1 / z, Rational(0)),
        (sympy.gamma(z), Rational(0)),
    ],
    ids=str,
)
def test_beyond_the_nearest_singularity_is_refused(expr: sympy.Expr, width: Rational) -> None:
    with pytest.raises(NoStripBound):
        strip_bounds(expr, [z], [arb(int(width.p)) / int(width.q)])


@pytest.mark.parametrize(
    "inner", [z**3 * Phi(z), z**2 * tanh(z), z**2 * Abs(z), exp(z) * z**3, z * relu(z - 1) * sin(z)]
)
def test_a_density_is_bounded_whatever_its_argument(inner: sympy.Expr) -> None:
    bounds = strip_bounds(phi(inner), [z], [arb(0)])
    assert bounds.top() <= 0.39894228041
    assert bounds.bottom() >= 0


def test_even_powers_are_not_negative() -> None:
    assert strip_bounds(z**6 + 3 * z**4 + 2, [z], [arb(0)]).bottom() >= 2
    assert strip_bounds(-(z**6) * Phi(z) ** 2, [z], [arb(0)]).top() <= 0
