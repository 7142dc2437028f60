"""Generated kernels: the same numbers as mpmath, on every back end, and the manners of a ufunc."""

from __future__ import annotations

import ast
import math
import pickle
import re

import array_api_strict
import mpmath
import numpy as np
import pytest
import sympy
from numba import njit
from sympy import Symbol

import hermite_analytics as ha
from hermite_analytics import Activation, GaussianExpectation, InputError, UnsupportedExpression
from hermite_analytics.symbols import c, kappa, r, z
from tests.symbolic.references import CLOSED, FUNCTIONS, OPEN, coefficients, expectation

POINTS = [(0.7, 1.3, 1.0), (-1.9, 0.6, 1.75), (0.0, 2.25, 2.0), (2.5, 0.2, -0.3)]
NUMBA_ALWAYS = ["relu(z)", "erf(z)", "gelu(z)", "tanh(z)", "abs(tanh(z))", "min(max(z, -1), 1)"]
FAST_POINTS = [x / 4 for x in range(-24, 25)]


def numbers(point: tuple[float, ...]) -> list[mpmath.mpf]:
    return [mpmath.mpf(x) for x in point]


def check_against_reference(name: str, evaluate: object) -> None:
    """mu0, mu1, mu2_squared to relative 1e-12, away from cancellation."""
    for point in POINTS:
        with mpmath.workdps(25):
            mu0, mu1, mu2_squared, square = coefficients(name, *numbers(point))
            scale = float(mpmath.sqrt(square))
        found = evaluate(*point)  # type: ignore[operator]
        assert float(found[0]) == pytest.approx(float(mu0), rel=1e-12, abs=1e-15 + 1e-13 * scale)
        assert float(found[1]) == pytest.approx(
            float(mu1), rel=1e-12, abs=1e-13 * scale / math.sqrt(point[1])
        )
        assert float(found[2]) == pytest.approx(float(mu2_squared), rel=1e-12, abs=1e-15 + 2e-14 * scale**2)


def coefficients_kernel(name: str, backend: str) -> ha.codegen.kernel.Kernel:  # type: ignore[name-defined]
    return ha.compile(ha.conditional_coefficients(Activation(name)), (kappa, c, r), backend=backend)


@pytest.mark.parametrize("name", NUMBA_ALWAYS)
def test_numba_kernels(name: str) -> None:
    check_against_reference(name, coefficients_kernel(name, "numba"))


@pytest.mark.slow
@pytest.mark.parametrize("name", [n for n in FUNCTIONS if n not in NUMBA_ALWAYS])
def test_numba_kernels_of_every_function(name: str) -> None:
    check_against_reference(name, coefficients_kernel(name, "numba"))


NO_PAIR_DISTRIBUTION = [
    n for n in CLOSED if "Phi2" not in str(dict(ha.conditional_coefficients(Activation(n))))
]


@pytest.mark.parametrize("name", NO_PAIR_DISTRIBUTION)
def test_array_kernels(name: str) -> None:
    kernel = coefficients_kernel(name, "array")
    check_against_reference(name, lambda *point: kernel(*(np.asarray(x) for x in point)))


@pytest.mark.parametrize(
    "name", ["relu(z)", "erf(z)", "gelu(z)", "sign(z)", "sin(z)", "He(3, z)", "leaky_relu(z, 1/10)"]
)
def test_array_kernels_on_a_strict_namespace(name: str) -> None:
    kernel = coefficients_kernel(name, "array")

    def evaluate(*point: float) -> list[float]:
        return [float(x[0]) for x in kernel(*(array_api_strict.asarray([x]) for x in point))]

    check_against_reference(name, evaluate)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_activations_on_arrays(name: str) -> None:
    kernel = Activation(name).function(backend="array")
    for xp in (np, array_api_strict):
        found = kernel(xp.asarray(FAST_POINTS))
        assert found.dtype == xp.float64
        for x, value in zip(FAST_POINTS, found, strict=True):
            exact = FUNCTIONS[name][0](mpmath.mpf(x))
            assert float(value) == pytest.approx(float(exact), rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("name", ["tanh(z)*relu(z) + He(3, z)", "leaky_relu(z, 1/10)*sign(z - 1)"])
def test_activations_in_numba(name: str) -> None:
    expression = Activation(name).expression
    kernel = Activation(name).function()
    slope = Activation(name).derivative_function()
    x = np.linspace(-3.1, 2.9, 25)
    exact = [float(expression.subs(z, sympy.Float(t, 25)).evalf(20)) for t in x]
    np.testing.assert_allclose(kernel(x), exact, rtol=1e-12)
    h = 1e-6
    away = np.abs(x) > 0.01
    np.testing.assert_allclose(
        slope(x)[away], ((kernel(x + h) - kernel(x - h)) / (2 * h))[away], rtol=1e-6, atol=1e-8
    )


def test_hermite_of_high_degree_keeps_its_digits() -> None:
    kernel = ha.compile(ha.language.functions.He(60, z) / sympy.sqrt(sympy.factorial(60)), (z,))  # type: ignore[attr-defined]
    with mpmath.workdps(60):
        for x in (-7.3, -0.4, 1.1, 5.0):
            exact = mpmath.hermite(60, mpmath.mpf(x) / mpmath.sqrt(2)) / mpmath.mpf(2) ** 30
            exact /= mpmath.sqrt(mpmath.factorial(60))
            assert float(kernel(x)) == pytest.approx(float(exact), rel=1e-11, abs=1e-12)


@pytest.fixture(scope="module")
def kernel() -> object:
    return coefficients_kernel("relu(z)", "numba")


class TestManners:
    """One cheap kernel: what callers may rely on."""

    def test_named_tuple(self, kernel) -> None:  # type: ignore[no-untyped-def]
        values = kernel(0.7, 1.3, 1.0)
        assert values._fields == ("mu0", "mu1", "mu2_squared")
        assert values.mu0 == values[0] == pytest.approx(0.8879941358872854, abs=1e-15)

    def test_broadcasting(self, kernel) -> None:  # type: ignore[no-untyped-def]
        grid = kernel(np.linspace(-1, 1, 5)[:, None], np.asarray([0.5, 1.0, 2.0]), 1)
        assert all(a.shape == (5, 3) and a.dtype == np.float64 for a in grid)
        assert grid.mu1[2, 1] == kernel(0, 1, 1).mu1
        assert kernel(np.ones((0, 2)), 1.0, 1.0).mu0.shape == (0, 2)
        assert np.ndim(kernel(np.float32(0.5), 1, 2).mu0) == 0
        with pytest.raises(ValueError, match="shape"):
            kernel(np.ones(2), np.ones(3), 1.0)

    def test_strided_and_integer_arrays(self, kernel) -> None:  # type: ignore[no-untyped-def]
        x = np.arange(12).reshape(3, 4)
        np.testing.assert_array_equal(kernel(x.T, 1, 1).mu0, kernel(x.astype(float), 1.0, 1.0).mu0.T)

    def test_wrong_number_of_arguments(self, kernel) -> None:  # type: ignore[no-untyped-def]
        with pytest.raises(InputError, match=r"takes 3 arguments \(kappa, c, r\), 2 given"):
            kernel(1.0, 2.0)

    def test_called_from_compiled_code(self, kernel) -> None:  # type: ignore[no-untyped-def]
        scalar = kernel.scalar

        @njit
        def total(n: int) -> float:
            result = 0.0
            for j in range(n):
                result += scalar(0.1 * j, 1.0, 1.0)[1]
            return result

        assert total(10) == pytest.approx(float(np.sum(kernel(0.1 * np.arange(10), 1.0, 1.0).mu1)), rel=1e-14)

    def test_pickles(self, kernel) -> None:  # type: ignore[no-untyped-def]
        again = pickle.loads(pickle.dumps(kernel))
        assert again.source == kernel.source
        assert again(0.7, 1.3, 1.0) == tuple(kernel(0.7, 1.3, 1.0))
        assert repr(again) == "<numba kernel (kappa, c, r) -> (mu0, mu1, mu2_squared)>"

    def test_source_is_readable(self, kernel) -> None:  # type: ignore[no-untyped-def]
        tree = ast.parse(kernel.source)
        assert "mu1 = Phi(kappa*r/sqrt(c))" in ast.get_docstring(tree, clean=False)
        for name in ("scalar", "point"):
            (body,) = (ast.unparse(f) for f in tree.body if isinstance(f, ast.FunctionDef) and f.name == name)
            assert body.count("math.sqrt(c)") == 1  # shared by the three outputs

    def test_one_expression_gives_one_array(self) -> None:
        kernel = ha.compile(sympy.sin(z) ** 2, ["z"], backend="array")
        np.testing.assert_allclose(kernel(np.asarray([0.0, 1.0])), np.sin([0.0, 1.0]) ** 2, rtol=1e-15)


def test_array_kernels_broadcast_their_constants() -> None:
    coefficient = {"constant": sympy.Integer(2), "slope": r * kappa, "both": c + kappa}
    kernel = ha.compile(coefficient, (kappa, c, r), backend="array")
    for xp in (np, array_api_strict):
        values = kernel(xp.ones((4, 1)), xp.ones(3), xp.asarray(2.0))
        assert all(v.shape == (4, 3) for v in values)
        assert float(values.constant[3, 2]) == 2.0
    single = kernel(*(np.ones(2, dtype=np.float32) for _ in range(3)))
    assert all(v.dtype == np.float32 for v in single)


def test_array_kernels_take_numbers() -> None:
    kernel = coefficients_kernel("relu(z)", "array")
    assert float(kernel(0.7, 1.3, 1).mu0) == pytest.approx(0.8879941358872854, abs=1e-15)


def test_no_expanded_powers() -> None:
    kernel = ha.compile({"he": Activation("He(40, z)").expression, "power": z**30}, (z,), backend="array")
    assert "special.hermite(xp, 40.0, z)" in kernel.source
    assert "z ** 30" in kernel.source
    products = re.findall(r"z(?: \* z)+", ha.compile(z**8, (z,), backend="array").source)
    assert max(len(p.split("*")) for p in products) == 8


@pytest.mark.parametrize(
    "names",
    [
        ("k", "node"),
        ("width", "step_size"),
        ("lambda", "class"),
        ("first", "values"),
        ("t_1", "mean_1"),
        ("i", "out"),
    ],
)
def test_names_of_arguments_do_not_clash_with_generated_names(names: tuple[str, str]) -> None:
    a, b = (Symbol(n, real=True) for n in names)
    node = GaussianExpectation(sympy.tanh(a + b * z), z)
    kernel = ha.compile(
        {"one": node, "two": node**2 + sympy.sin(a) ** 2 + sympy.exp(sympy.sin(a) ** 2)}, (a, b)
    )
    assert kernel.arguments == names
    with mpmath.workdps(20):
        exact = expectation(lambda x: mpmath.tanh(mpmath.mpf(0.3) + mpmath.mpf(1.2) * x))
    assert kernel(0.3, 1.2).one == pytest.approx(float(exact), rel=1e-13)
    sine = math.sin(0.3) ** 2
    assert kernel(0.3, 1.2).two == pytest.approx(float(exact) ** 2 + sine + math.exp(sine), rel=1e-13)


def test_symbols_with_odd_names() -> None:
    a = Symbol(r'\alpha "quoted"', real=True)
    kernel = ha.compile(a**2 + 1, (a,), backend="array")
    assert float(kernel(np.asarray(3.0))) == 10.0


def test_refusals() -> None:
    other = Symbol("other")
    with pytest.raises(InputError, match=r"has the symbol other, which is not among the arguments \(z\)"):
        ha.compile(z + other, (z,))
    with pytest.raises(InputError, match="unknown backend 'fortran'; accepted: numba, cuda, array, python"):
        ha.compile(z, (z,), backend="fortran")
    with pytest.raises(InputError, match="given twice"):
        ha.compile(z, (z, z))
    with pytest.raises(InputError, match="at least one argument"):
        ha.compile(sympy.Integer(1), ())
    for name in ("class", "_x", "a b", ""):
        with pytest.raises(InputError, match="cannot name an output"):
            ha.compile({name: z}, (z,))
    with pytest.raises(UnsupportedExpression, match="no code is known for gamma"):
        ha.compile(sympy.gamma(z), (z,))
    y = Symbol("y", real=True)
    with pytest.raises(UnsupportedExpression, match="over 2 variables"):
        ha.compile(GaussianExpectation(sympy.tanh(y * z) ** 2, (y, z)), (kappa,))
    kernel = ha.compile(z, (z,), backend="array")
    with pytest.raises(InputError, match="has no scalar function"):
        _ = kernel.scalar


class TestHardPoints:
    """Far from the origin, narrow, wide, and where the integral does not exist."""

    @pytest.mark.parametrize(
        ("name", "point"),
        [
            ("tanh(z)", (3.0, 0.01, 20.0)),
            ("tanh(z)", (0.01, 0.01, 20.0)),
            ("tanh(z)", (0.1, 400.0, 2.0)),
            ("abs(tanh(z))", (3.0, 0.01, 20.0)),
            ("abs(tanh(z))", (-0.02, 100.0, 2.0)),
            ("gelu(z)", (-0.1, 0.01, 20.0)),
            ("erf(z)", (0.02, 0.01, 20.0)),
            ("relu(z)", (0.01, 0.01, 20.0)),
        ],
    )
    def test_large_r_and_narrow_width(self, name: str, point: tuple[float, float, float]) -> None:
        kernel = coefficients_kernel(name, "numba")
        with mpmath.workdps(25):
            kap, cc, rr = numbers(point)
            function, kinks = FUNCTIONS[name]
            mean, width = rr * kap, mpmath.sqrt(cc)
            moved = [(mpmath.mpf(k) - mean) / width for k in kinks]
            fine = [x / 8 - float(mean / width) for x in range(-16, 17)] if float(width) > 2 else []

            def shifted(t: mpmath.mpf) -> mpmath.mpf:
                return function(mean + width * t)

            mu0 = expectation(shifted, [*moved, *fine], 16)
            mu1 = expectation(lambda t: t * shifted(t), [*moved, *fine], 16) / width
            square = expectation(lambda t: shifted(t) ** 2, [*moved, *fine], 16)
            residual = square - mu0**2 - cc * mu1**2
        found = kernel(*point)
        assert found.mu0 == pytest.approx(float(mu0), rel=1e-12, abs=1e-14)
        assert found.mu1 == pytest.approx(float(mu1), rel=1e-11, abs=1e-13 / math.sqrt(point[1]))
        assert found.mu2_squared == pytest.approx(float(residual), abs=1e-13 * float(square) + 1e-17)

    def test_residual_is_never_negative(self, spiked_kernel) -> None:  # type: ignore[no-untyped-def]
        for name in ("relu(z)", "tanh(z)"):
            kernel = spiked_kernel(name)
            values = kernel(np.linspace(-4, 4, 81)[:, None], np.asarray([0.01, 0.5, 3.0]), 20.0, 0.5)
            assert np.all(values.mu2_squared >= 0)
            assert np.all(np.isfinite(values.mu0))

    def test_no_finite_number_for_an_infinite_integral(self) -> None:
        for name in ("exp(z**2/5)*tanh(z)", "exp(z**2/5)*abs(tanh(z))"):
            found = ha.conditional_coefficients(Activation(name))
            clipped = sympy.Max(found.mu2_squared, 0, evaluate=False)
            kernel = ha.compile({**found, "clipped": clipped}, (kappa, c, r))
            assert np.isfinite(kernel(0.5, 0.9, 0.7)).all()
            beyond = kernel(0.5, 1.3, 0.7)  # 2 c/5 > 1/2: E sigma^2 is infinite
            assert np.isfinite([beyond.mu0, beyond.mu1]).all()
            assert not np.isfinite([beyond.mu2_squared, beyond.clipped]).any()
            assert not np.isfinite(kernel(0.5, 2.7, 0.7).mu0)

    def test_mass_far_from_the_origin(self) -> None:
        kernel = ha.compile(GaussianExpectation(sympy.exp(c * z) * sympy.Abs(sympy.tanh(z)), z), (c,))
        with mpmath.workdps(25):
            for t in (5, 15):
                tilted = expectation(lambda x, t=t: abs(mpmath.tanh(x + t)), [-t], 14)
                exact = tilted * mpmath.exp(mpmath.mpf(t) ** 2 / 2)
                assert kernel(t) == pytest.approx(float(exact), rel=1e-12)


def test_closed_and_open_lists_are_right() -> None:
    for name in OPEN:
        values = ha.conditional_coefficients(Activation(name)).values()
        assert any(e.has(GaussianExpectation) for e in values)
