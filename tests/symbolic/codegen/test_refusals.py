"""What is refused, and what the message says."""

from __future__ import annotations

import math
import pickle
import types

import numpy as np
import pytest
import sympy
from sympy import Symbol

import hermite_analytics as ha
from hermite_analytics import GaussianExpectation, InputError, UnsupportedExpression
from hermite_analytics.codegen.array_backend import special as array_special
from hermite_analytics.codegen.back_ends import BACK_ENDS
from hermite_analytics.codegen.ir import Call, Name
from hermite_analytics.codegen.printing import ExpressionPrinter
from hermite_analytics.codegen.spellings import Spellings
from hermite_analytics.language import functions as own
from hermite_analytics.symbols import kappa, z

BACKENDS = list(BACK_ENDS)


def test_refusals() -> None:
    other = Symbol("other")
    with pytest.raises(InputError, match=r"has the symbol other, which is not among the arguments \(z\)"):
        ha.compile(z + other, (z,))
    with pytest.raises(
        InputError, match="unknown backend 'fortran'; accepted: numba, cuda, array, python, standalone"
    ):
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


def test_what_is_no_expression() -> None:
    for value in (1, 1.5, "z", None):
        with pytest.raises(InputError, match=r"value is of type \w+; accepted is an expression of sympy"):
            ha.compile(value, (z,))


@pytest.mark.parametrize("backend", BACKENDS)
def test_unknown_functions(backend: str) -> None:
    for expression, text in (
        (sympy.gamma(z), "gamma"),
        (sympy.besselj(0, z), "besselj"),
        (sympy.floor(z), "floor"),
    ):
        with pytest.raises(UnsupportedExpression, match=f"no code is known for {text}"):
            ha.compile(expression, (z,), backend=backend)
    degree = Symbol("k", integer=True, positive=True)
    with pytest.raises(UnsupportedExpression, match="the degree is not a small number"):
        ha.compile(own.He(degree, z), (degree, z), backend=backend)


@pytest.mark.parametrize("backend", BACKENDS)
def test_cases_that_are_not_comparisons(backend: str) -> None:
    case = sympy.Piecewise((1, (z > 0) & (z < 1)), (2, True))
    with pytest.raises(UnsupportedExpression, match="accepted are <, <=, >, >= and a last case without"):
        ha.compile(case, (z,), backend=backend)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_function_that_a_back_end_lacks(backend: str) -> None:
    """The message names the function, the back end and what to do."""
    printer = ExpressionPrinter(Spellings(), backend)
    message = f"the function tanh is not available in the {backend} back end; compile for another one"
    with pytest.raises(UnsupportedExpression, match=message):
        printer(Call("tanh", (Name("z"),)))


def test_namespace_without_a_function(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(array_special, "_library", lambda name: types.SimpleNamespace())
    with pytest.raises(UnsupportedExpression, match="erf is not available for"):
        ha.compile(sympy.erf(z), (z,), backend="array")(np.ones(2))


@pytest.mark.slow
def test_size_guard() -> None:
    """The text of the expression is cut to a line."""
    long = sympy.Add(*(z**k for k in range(1, 11_001)), evaluate=False)
    message = r"value = z\*\*11000 .*\.\.\. has more than 20000 operations; compile its parts"
    with pytest.raises(UnsupportedExpression, match=message) as refusal:
        ha.compile(long, (z,), backend="array")
    assert len(str(refusal.value)) < 200


@pytest.mark.parametrize("accuracy", [0.0, 1e-16, 2e-3, -1e-9, math.nan, math.inf])
def test_accuracy_out_of_range(accuracy: float) -> None:
    with pytest.raises(InputError, match=r"accuracy is \S+; accepted: 1e-15 to 0\.001"):
        ha.compile(z, (z,), accuracy=accuracy)


@pytest.mark.parametrize("backend", ["array", "cuda", "python", "standalone"])
def test_threads_are_an_option_of_numba(backend: str) -> None:
    with pytest.raises(
        InputError, match=f"parallel is an option of the back end 'numba', not of '{backend}'"
    ):
        ha.compile(z, (z,), backend=backend, parallel=True)


@pytest.mark.parametrize("backend", ["array", "python", "standalone"])
def test_scalar_functions_are_those_of_compilers(backend: str) -> None:
    with pytest.raises(
        InputError, match=f"of backend '{backend}' has no scalar function; use 'numba' or 'cuda'"
    ):
        _ = ha.compile(z, (z,), backend=backend).scalar


@pytest.mark.parametrize("backend", BACKENDS)
def test_kernels_pickle(backend: str) -> None:
    kernel = ha.compile({"a": sympy.tanh(z), "b": 2 * z}, (z,), backend=backend)
    again = pickle.loads(pickle.dumps(kernel))
    assert (again.source, again.arguments, again.outputs) == (kernel.source, ("z",), ("a", "b"))
    assert (again.backend, again.single, again.error_bound) == (backend, False, 0.0)
    assert tuple(again(0.5)) == tuple(kernel(0.5)) == pytest.approx((math.tanh(0.5), 1.0), rel=1e-15)
    with pytest.raises(InputError, match=r"this kernel takes 1 arguments \(z\), 2 given"):
        again(1.0, 2.0)


@pytest.mark.parametrize("backend", BACKENDS)
def test_unbound_symbols(backend: str) -> None:
    a = Symbol("a", real=True)
    message = r"expression value = E\[tanh\(a \+ z\)\] has the symbol a, .* add it to args or substitute it"
    with pytest.raises(InputError, match=message):
        ha.compile(GaussianExpectation(sympy.tanh(a + z), z), (kappa,), backend=backend)
