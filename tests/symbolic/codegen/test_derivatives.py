"""Derivatives in arguments, against differences of the 30-digit reference."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest
import sympy
from sympy import Expr, Symbol

import hermite_analytics as ha
from hermite_analytics import Activation, GaussianExpectation, InputError, UnsupportedExpression
from hermite_analytics.language import functions as own
from hermite_analytics.symbols import c, kappa, r, z
from tests.symbolic.codegen.back_ends import others_than

M, S = Symbol("m", real=True), Symbol("s", positive=True)
X = M + S * z
H = mpmath.mpf(10) ** -8  # the difference errs by 1e-16 times a third derivative, and 1e-22
POINTS = [(0.3, 0.8), (-1.4, 1.7), (0.0, 0.4)]
CLOSED: dict[str, Expr] = {
    "erf": sympy.erf(X),
    "sin": sympy.sin(2 * X) * X,
    "gelu": own.gelu(X),
    "relu": own.relu(X - 1),
    "sign": sympy.sign(X),
    "step": own.step(X - 1) * X**2,
    "abs": sympy.Abs(X),
    "clip": sympy.Min(sympy.Max(X, -1), 1),
    "leaky": own.leaky_relu(X, sympy.Rational(1, 10)),
    "phi_squared": own.Phi(X) ** 2,
}
OPEN: dict[str, Expr] = {
    "tanh": sympy.tanh(X),
    "softplus": own.softplus(X) ** 2,
    "sign_tanh": sympy.sign(X) * sympy.tanh(X + 1),
    "step_softplus": own.step(X - 1) * own.softplus(X),
    "abs_tanh": sympy.Abs(sympy.tanh(X)),
}


def expectations(integrands: dict[str, Expr]) -> dict[str, Expr]:
    return {name: GaussianExpectation(f, z) for name, f in integrands.items()}


def differences(evaluate: Any, point: tuple[float, ...], direction: int) -> list[Any]:
    """Central differences of all outputs of a 30-digit kernel in one argument."""
    with mpmath.workdps(30):
        ends = []
        for side in (1, -1):
            moved = [mpmath.mpf(x) for x in point]
            moved[direction] += side * H
            ends.append(evaluate(*moved))
        return [(high - low) / (2 * H) for high, low in zip(*ends, strict=True)]


def check(outputs: dict[str, Expr], backend: str, points: list[tuple[float, float]]) -> None:
    reference = ha.compile(outputs, (M, S), backend="python")._module.evaluate
    compiled = ha.compile(outputs, (M, S), backend=backend, wrt=("m", S))
    for point in points:
        values = compiled(*point)
        for direction, symbol in enumerate("ms"):
            for name, exact in zip(outputs, differences(reference, point, direction), strict=True):
                found = float(getattr(values, f"d{name}_d{symbol}"))
                assert found == pytest.approx(float(exact), rel=1e-12, abs=2e-14), (name, symbol, point)


@pytest.mark.cases(1)
@pytest.mark.parametrize("backend", others_than("numba"))
def test_closed_forms(backend: str) -> None:
    check(expectations(CLOSED), backend, POINTS)


@pytest.mark.slow
@pytest.mark.parametrize("name", OPEN)
def test_open_expectations_on_arrays(name: str) -> None:
    check(expectations({name: OPEN[name]}), "array", POINTS[:1])


@pytest.mark.slow
def test_moving_jumps_in_numba() -> None:
    check(expectations({"step_softplus": OPEN["step_softplus"]}), "numba", POINTS[:1])


@pytest.mark.slow
@pytest.mark.draws(6, spread=True)  # every expectation and every back end
@pytest.mark.parametrize("backend", others_than("array"))
@pytest.mark.parametrize("name", OPEN)
def test_open_expectations(name: str, backend: str) -> None:
    check(expectations({name: OPEN[name]}), backend, POINTS[: 1 if backend == "python" else 2])


@pytest.mark.slow
def test_closed_forms_in_numba() -> None:
    check(expectations(CLOSED), "numba", POINTS)


@pytest.mark.cases(1)
@pytest.mark.parametrize("name", ["relu(z)", "erf(z)", "sign(z)", "tanh(z)"])
def test_coefficients(name: str) -> None:
    """mu2_squared too, whose kernel is guarded."""
    coefficients = ha.conditional_coefficients(Activation(name))
    reference = ha.compile(dict(coefficients), (kappa, c, r), backend="python")._module.evaluate
    compiled = ha.compile(coefficients, (kappa, c, r), backend="array", wrt=(kappa, c, r))
    point = (0.7, 1.3, 1.1)
    values = compiled(*point)
    for direction, symbol in enumerate(("kappa", "c", "r")):
        for output, exact in zip(coefficients, differences(reference, point, direction), strict=True):
            found = float(getattr(values, f"d{output}_d{symbol}"))
            assert found == pytest.approx(float(exact), rel=1e-11, abs=2e-14), (output, symbol)


def test_names_of_outputs() -> None:
    single = ha.compile(M**2 * S, (M, S), backend="array", wrt="m")
    assert single.outputs == ("value", "dvalue_dm")
    assert single(3.0, 2.0) == (18.0, 12.0)
    several = ha.compile({"a": M * S, "b": S**2}, (M, S), backend="array", wrt=(S, M))
    assert several.outputs == ("a", "b", "da_ds", "da_dm", "db_ds", "db_dm")
    assert [float(v) for v in several(3.0, 2.0)] == [6.0, 4.0, 3.0, 2.0, 4.0, 0.0]


def test_derivative_of_a_jump_is_that_between_jumps() -> None:
    kernel = ha.compile(sympy.sign(M) * M**2 + own.step(M), (M,), backend="array", wrt=(M,))
    np.testing.assert_allclose(kernel(np.asarray([-2.0, 0.5])).dvalue_dm, [4.0, 1.0], rtol=1e-15)


def test_refusals() -> None:
    with pytest.raises(InputError, match=r"wrt names q, which is not among the arguments \(m, s\)"):
        ha.compile(M * S, (M, S), wrt=("q",))
    with pytest.raises(InputError, match="dvalue_dm cannot name the derivative of value in m: rename them"):
        ha.compile(M * S, (M, S), wrt=(M, M))
    with pytest.raises(InputError, match="da_dm cannot name the derivative of a in m: rename them"):
        ha.compile({"a": M * S, "da_dm": S}, (M, S), wrt=(M,))
    y = Symbol("y", real=True)
    pair = GaussianExpectation(sympy.sign(M + y * z) * sympy.tanh(y * z) ** 3, (y, z))
    with pytest.raises(UnsupportedExpression, match="over several variables with moving jumps"):
        ha.compile(pair, (M,), wrt=(M,), backend="array")


@pytest.mark.slow
def test_jumps_at_close_zeros_of_a_polynomial() -> None:
    """They are told apart exactly; where a transcendental function jumps is not, and is refused."""
    integrand = own.sigmoid(M + z) * sympy.sign((z + M - 1) * (z + M - 1 - sympy.Rational(1, 10**8)))
    slope = ha.compile(GaussianExpectation(integrand, z), (M,), wrt=(M,), backend="python")
    plain = ha.compile(GaussianExpectation(own.sigmoid(M + z), z), (M,), wrt=(M,), backend="python")
    assert slope(0.3).dvalue_dm == pytest.approx(plain(0.3).dvalue_dm, abs=1e-7)
    waves = GaussianExpectation(sympy.sign(sympy.sin(M + z)) * sympy.tanh(z), z)
    with pytest.raises(UnsupportedExpression, match="where it jumps is not exact"):
        ha.compile(waves, (M,), wrt=(M,), backend="python")
