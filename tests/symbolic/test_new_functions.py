"""clip, elu, selu, mish, softsign, atan, sinc, norm, floor, ...: read, averaged, compiled, differentiated.

Values are those of the usual definitions, written here with mpmath alone.
"""

from __future__ import annotations

from collections.abc import Callable

import mpmath
import numpy as np
import pytest
import sympy
from sympy import Rational, pi, sqrt

import hermite_analytics as ha
from hermite_analytics import Activation, ParseError, Target
from hermite_analytics.gaussian.closed_form import closed_form
from hermite_analytics.gaussian.quantities import expected_quantity
from hermite_analytics.gaussian.zero.symmetry import symmetry_certificate
from hermite_analytics.language.derivative import almost_everywhere_derivative
from hermite_analytics.language.evaluation import reference_function
from hermite_analytics.language.functions import sigmoid, sinc
from hermite_analytics.language.kinks import JUMPS, slopes
from hermite_analytics.language.quotients import known_logarithm, known_quotient
from hermite_analytics.symbols import c, kappa, r, z
from tests.symbolic.codegen.back_ends import argument, others_than

x, y, w = sympy.symbols("x y w", real=True)
Real = Callable[[mpmath.mpf], mpmath.mpf]
FLOORS = [(n - 1 / 3) / 2 for n in range(-30, 30)]
FUNCTIONS: dict[str, tuple[Real, list[float]]] = {  # value, kinks
    "clip(z, -1/2, 2)": (lambda t: min(max(t, mpmath.mpf(-1) / 2), mpmath.mpf(2)), [-0.5, 2.0]),
    "hardtanh(z)": (lambda t: min(max(t, mpmath.mpf(-1)), mpmath.mpf(1)), [-1.0, 1.0]),
    "elu(z)": (lambda t: t if t > 0 else mpmath.expm1(t), [0.0]),
    "elu(z, 1/3)": (lambda t: t if t > 0 else mpmath.expm1(t) / 3, [0.0]),
    "selu(z)": (lambda t: selu(t), [0.0]),
    "mish(z)": (lambda t: t * mpmath.tanh(mpmath.log(1 + mpmath.exp(t))), []),
    "softsign(z)": (lambda t: t / (1 + abs(t)), [0.0]),
    "atan(z)": (mpmath.atan, []),
    "sinc(z)": (lambda t: mpmath.sin(t) / t if t else mpmath.mpf(1), []),
    "norm(z, 2)": (lambda t: mpmath.sqrt(t * t + 4), []),
    "norm(z)": (abs, [0.0]),
    "floor(2*z + 1/3)": (lambda t: mpmath.floor(2 * t + mpmath.mpf(1) / 3), FLOORS),
}


def selu(t: mpmath.mpf) -> mpmath.mpf:
    scale, depth = mpmath.mpf("1.0507009873554805"), mpmath.mpf("1.6732632423543773")
    return scale * (t if t > 0 else depth * mpmath.expm1(t))


every = pytest.mark.parametrize("text", FUNCTIONS)


def mean(f: Real, kinks: list[float]) -> mpmath.mpf:
    edges = [-14, *sorted({-4.0, 4.0, *kinks}), 14]
    return mpmath.quad(lambda t: f(t) * mpmath.npdf(t), edges, maxdegree=8)


@every
def test_values_and_derivatives(text: str) -> None:
    exact, kinks = FUNCTIONS[text]
    expression = Activation(text).expression
    value = reference_function(expression, (z,))
    slope = reference_function(almost_everywhere_derivative(expression, z), (z,))
    with mpmath.workdps(30):
        for t in (mpmath.mpf(k) / 8 for k in (-40, -17, -9, -3, 0, 1, 5, 13, 40)):
            assert mpmath.almosteq(value(t), exact(t), 1e-25, 1e-25)
            if t not in kinks and t != 0:
                assert mpmath.almosteq(slope(t), mpmath.diff(exact, t), 1e-12, 1e-12)


@pytest.mark.cases(1)
@every
def test_means(text: str) -> None:
    """E f, E f^2 and E z f by the library, and by quadrature."""
    exact, kinks = FUNCTIONS[text]
    f = Activation(text).expression
    with mpmath.workdps(20):
        for factor, weight in ((f, exact), (sympy.Integer(1), lambda t: mpmath.mpf(1)), (z, lambda t: t)):
            found = expected_quantity(f * factor, [z]).value
            assert abs(found - mean(lambda t, weight=weight: exact(t) * weight(t), kinks)) < 1e-12


@pytest.mark.slow
@pytest.mark.parametrize("backend", others_than("cuda"))
def test_kernels(backend: str) -> None:
    """Values and slopes of all of them in one kernel."""
    outputs = {f"f{i}": Activation(text).expression for i, text in enumerate(FUNCTIONS)}
    slopes = {f"d{name}": almost_everywhere_derivative(f, z) for name, f in outputs.items()}
    kernel = ha.compile(outputs | slopes, (z,), backend=backend)
    with mpmath.workdps(30):
        for t in (-6.5, -1.25, -0.375, 0.125, 0.75, 1.5, 9.0):
            found = [float(np.squeeze(v)) for v in kernel(argument(backend, t))]
            values = [f(mpmath.mpf(t)) for f, _ in FUNCTIONS.values()]
            derivatives = [mpmath.diff(f, mpmath.mpf(t)) for f, _ in FUNCTIONS.values()]
            assert np.allclose(found, [float(v) for v in values + derivatives], rtol=1e-12, atol=1e-12)


@pytest.mark.slow
@pytest.mark.draws(3, spread=True)
@every
def test_kernels_of_conditional_coefficients(text: str) -> None:
    """mu0, mu1 and mu2_squared of f(m + s z), compiled, by their definitions: the second is E z f/s."""
    exact, kinks = FUNCTIONS[text]
    kernel = ha.compile(ha.conditional_coefficients(Activation(text)), (kappa, c, r), backend="numba")
    for position, variance in ((0.5, 1.0), (-1.75, 2.25)):
        with mpmath.workdps(20):
            m, s = mpmath.mpf(position), mpmath.sqrt(mpmath.mpf(variance))
            places = [float((k - m) / s) for k in kinks]
            moved = [mean(lambda t, k=k: exact(m + s * t) * t**k, places) for k in (0, 1)]  # noqa: B023
            square = mean(lambda t: exact(m + s * t) ** 2, places)  # noqa: B023
            expected = [moved[0], moved[1] / s, square - moved[0] ** 2 - moved[1] ** 2]
        found = [float(np.squeeze(v)) for v in kernel(position, variance, 1.0)]
        assert np.allclose(found, [float(v) for v in expected], rtol=1e-10, atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("backend", others_than("cuda"))
def test_sinc_at_zero(backend: str) -> None:
    """No division by zero, and the second derivative -1/3."""
    expression = sinc(z)
    outputs = {"value": expression, "slope": expression.diff(z), "bend": expression.diff(z, 2)}
    found = ha.compile(outputs, (z,), backend=backend)(argument(backend, 0.0))
    assert np.allclose(np.asarray([np.ravel(v)[0] for v in found], dtype=float), [1, 0, -1 / 3], atol=1e-15)


@pytest.mark.slow
@pytest.mark.parametrize("order", [1, 2, 5])
def test_derivatives_of_sinc_are_spherical_bessel_functions(order: int) -> None:
    f = reference_function(sinc(z).diff(z, order), (z,))
    kernel = ha.compile({"f": sinc(z).diff(z, order)}, (z,), backend="numba")
    with mpmath.workdps(30):
        for t in (-30.5, -7.0, -2.5, -0.5, 0.25, 1.9, 3.1, 12.0):
            exact = mpmath.diff(mpmath.sinc, mpmath.mpf(t), order)
            assert mpmath.almosteq(f(mpmath.mpf(t)), exact, 1e-12, 1e-12)
            assert abs(float(np.squeeze(kernel(t))) - exact) < 1e-13


def test_closed_forms() -> None:
    """By hand: E elu(z) = 1/sqrt(2 pi) + sqrt(e) Phi(-1) - 1/2, as E exp(z) 1{z < 0} = sqrt(e) Phi(-1)."""
    exact = 1 / sqrt(2 * pi) + sympy.exp(Rational(1, 2)) * ha.language.functions.Phi(-1) - Rational(1, 2)
    assert sympy.simplify(closed_form(Activation("elu(z)").expression, [z]) - exact) == 0
    assert closed_form(Activation("hardtanh(z)").expression, [z]) == 0


def test_selu_keeps_the_mean_and_the_variance() -> None:
    """Its two constants are those for which 0 and 1 stay, up to the digits that are written."""
    f = Activation("selu(z)").expression
    assert abs(expected_quantity(f, [z]).value) < 1e-15
    assert abs(expected_quantity(f**2, [z]).value - 1) < 1e-15


ACCEPTED = {
    "sqrt(z1**2 + z2**2)": "sqrt(z1**2 + z2**2)",
    "sqrt(abs(z1))": "sqrt(Abs(z1))",
    "abs(z1)**(3/2)": "Abs(z1)**(3/2)",
    "log(abs(z1))": "log(Abs(z1))",
    "log(z1**2 + z2**2)": "log(z1**2 + z2**2)",
    "log(mish(z1) + 1)": "log(mish(z1) + 1)",
    "exp(z1)/(exp(z1) + exp(z2))": "sigmoid(z1 - z2)",
    "2*exp(z1)/(exp(z1) + 3*exp(z2))": "2*sigmoid(z1 - z2 - log(3))",
    "1/(1 + exp(-z1))": "sigmoid(z1)",
    "log(1 + exp(z1))": "softplus(z1)",
    "log(exp(z2) + 3)": "softplus(z2 - log(3)) + log(3)",
    "z2/(2 + 2*exp(z1))": "z2*sigmoid(-z1)/2",
    "sin(2*z1)/z1": "2*sinc(2*z1)",
}


@pytest.mark.parametrize("text", ACCEPTED)
def test_accepted(text: str) -> None:
    assert str(Target(text).expression) == ACCEPTED[text]


def test_quotients_are_what_they_were() -> None:
    """At points, against the quotient itself."""
    for above, below in (
        (3 * sympy.exp(x), 2 * sympy.exp(x) + 5 * sympy.exp(y)),
        (x * sympy.exp(y), sympy.exp(x - 1) + sympy.exp(y)),
        (sympy.cos(y), 4 + sympy.exp(-x) / 3),
        (y * sympy.sin(3 * x), x),
    ):
        found = known_quotient(above, below)
        assert found is not None and found.has(sigmoid, sinc)
        for at in ({x: Rational(1, 3), y: Rational(-7, 4)}, {x: Rational(-9, 4), y: Rational(5, 3)}):
            assert abs(sympy.N((found - above / below).subs(at), 30)) < 1e-25
    assert known_quotient(x, sympy.exp(x) - sympy.exp(y)) is None
    assert known_quotient(sympy.exp(x), sympy.exp(x) + sympy.exp(y) + 1) is None


def test_logarithms_are_what_they_were() -> None:
    for inside in (1 + sympy.exp(-x), 3 * sympy.exp(y) + 2, sympy.exp(x) / 5 + 2 * sympy.exp(x * y)):
        found = known_logarithm(inside)
        assert found is not None
        for at in ({x: Rational(1, 3), y: Rational(-7, 4)}, {x: Rational(-9, 4), y: Rational(5, 3)}):
            assert abs(sympy.N((found - sympy.log(inside)).subs(at), 30)) < 1e-25
    for other in (1 - sympy.exp(x), sympy.exp(x), 1 + sympy.exp(x) + sympy.exp(y), 1 + x**2):
        assert known_logarithm(other) is None


REFUSED = {
    "sqrt(z1)": "sqrt is accepted where its argument is shown to be nonnegative",
    "log(relu(z1))": "log is accepted where its argument is shown to be positive",
    "1/sqrt(z1**2 + z2**2)": "the denominator is a nonzero constant or is shown to be positive",
    "clip(z1, 2, 1)": "clip(x, lo, hi) takes bounds lo <= hi",
    "clip(z1, 0, z2)": "the hi of clip(x, lo, hi) is a constant",
    "elu(z1, z2)": "the a of elu(x, a) is a constant",
    "clip(z1, 2)": "clip takes 3 argument(s): clip(x, lo, hi), as in clip(z, -1, 1); 2 given",
    "arctan(z1)": "write atan",
    "Mish(z1)": "did you mean mish?",
    "leakyrelu(z1, 1/10)": "did you mean leaky_relu?",
    "hard_tanh(z1)": "did you mean hardtanh?",
    "relu6(z1)": "write clip(x, 0, 6)",
    "hypot(z1, z2)": "write norm",
    "floor(exp(z1))": "floor is accepted of polynomials",
    "floor(z1*sign(z1))": "floor is accepted of polynomials",
    "floor(abs(z1)+abs(z2)+relu(z1+z2)+relu(z1))": "in at most 3 kinks such as abs and relu",
    "round(z1)": "write floor(x + 1/2)",
    "|z1|": "write abs(x) for |x|",
}


@pytest.mark.parametrize("text", REFUSED)
def test_refused(text: str) -> None:
    with pytest.raises(ParseError) as caught:
        Target(text)
    assert REFUSED[text] in str(caught.value)


@pytest.mark.parametrize("jump", JUMPS)
def test_jumps_are_no_kinks(jump: type[sympy.Function]) -> None:
    """By normal form and by the ring of zeros: sympy's own step too, which its derivative of max holds."""
    right, left = slopes(jump(z))
    middle, half = sympy.sympify(right + left) / 2, sympy.sympify(right - left) / 2
    assert closed_form(jump(z), [z]) == middle
    assert closed_form(z * jump(z), [z]) == half * sqrt(2 / pi)
    false = jump(z) - z * half - middle  # odd, and c_1 = half (sqrt(2/pi) - 1)
    assert expected_quantity(z * false, [z]).zero is False
    found = symmetry_certificate(false + z**2, [z], [1])
    assert found is None


def test_mean_of_a_derivative_of_the_maximum() -> None:
    a, b = sympy.symbols("z1 z2", real=True)
    assert ha.expectation(sympy.diff(sympy.Max(a, b), a)).exact == Rational(1, 2)


@pytest.mark.slow
def test_an_integrable_singularity_is_no_infinity() -> None:
    """E |log z^2| = 1.7... is finite, whatever the quadrature meets at 0."""
    exact = 2 * mpmath.quad(lambda t: abs(2 * mpmath.log(t)) * mpmath.npdf(t), [0, 1, 10])
    found = expected_quantity(sympy.Abs(sympy.log(z**2)), [z])
    assert not found.value <= 0 and (np.isnan(found.value) or abs(found.value - exact) <= found.error)
    assert ha.generative_exponent("abs(log(z**2))", seconds=2).value in (None, 2)


def test_no_value_for_0_over_0_on_an_open_set() -> None:
    with pytest.raises(ParseError, match="positive"):
        Activation("sin(relu(z))/relu(z)")
    assert Activation("sin(z**2)/z**2").expression == sinc(z**2)
