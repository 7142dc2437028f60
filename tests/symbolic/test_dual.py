"""Dual kernels: arcsine and arc-cosine laws, Price's theorem, eigenvalues, and all of [-1, 1]."""

from __future__ import annotations

import functools
import math
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import sympy
from numpy.polynomial.hermite_e import hermegauss
from scipy import special

import hermite_analytics as ha
from hermite_analytics.dual import rho
from hermite_analytics.pair import PairExpectation, series
from tests.symbolic.codegen.back_ends import others_than
from tests.symbolic.pair_quadrature import pair_expectation, zeros
from tests.symbolic.random_trees import Grammar, has, kinks_of, text_of, values_of

LAWS = {  # K(rho) by hand
    "sign(z)": 2 * sympy.asin(rho) / sympy.pi,
    "erf(z)": 2 * sympy.asin(2 * rho / 3) / sympy.pi,
    "relu(z)": (sympy.sqrt(1 - rho**2) + rho * (sympy.pi / 2 + sympy.asin(rho))) / (2 * sympy.pi),
    "abs(z)": 2 * (sympy.sqrt(1 - rho**2) + rho * sympy.asin(rho)) / sympy.pi,
    "sin(z)": sympy.exp(-1) * sympy.sinh(rho),
    "cos(z)": sympy.exp(-1) * sympy.cosh(rho),
    "exp(z)": sympy.exp(1 + rho),
    "step(z)": sympy.Rational(1, 4) + sympy.asin(rho) / (2 * sympy.pi),
    "He3(z)": 6 * rho**3,
    "gelu(z)": rho / 4
    + rho * sympy.asin(rho / 2) / (2 * sympy.pi)
    + 1 / (2 * sympy.pi * sympy.sqrt(4 - rho**2)),
}


@pytest.mark.cases(6)
@pytest.mark.parametrize("name", LAWS)
def test_conjugate_kernel(name):
    kernel = ha.dual_kernel(name)
    for value in (-0.9, -0.3, 0.0, 0.45, 0.99):
        point = {rho: sympy.Rational(str(value))}
        assert abs(sympy.N((kernel.conjugate - LAWS[name]).subs(point), 30)) < 1e-25


@pytest.mark.slow
@pytest.mark.parametrize("name", ["erf(z)", "gelu(z)", "sin(z)", "tanh(z)"])
def test_tangent_kernel_is_the_kernel_of_the_derivative(name):
    kernel = ha.dual_kernel(name)
    derivative = ha.Activation(name).derivative_function()
    nodes, weights = hermegauss(120)
    weights = weights / weights.sum()
    value = 0.4
    second = value * nodes[:, None] + math.sqrt(1 - value**2) * nodes
    expected = weights @ (derivative(nodes)[:, None] * derivative(second)) @ weights
    found = float(kernel.tangent.subs(rho, sympy.Rational(2, 5)).evalf())
    assert found == pytest.approx(expected, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "derivative"), [("relu(z)", "step(z)"), ("abs(z)", "sign(z)")])
def test_tangent_kernel_of_a_kink_is_the_kernel_of_its_jump(name, derivative):
    for value in (-0.9, 0.0, 0.45):
        point = {rho: sympy.Rational(str(value))}
        assert abs(sympy.N((ha.dual_kernel(name).tangent - LAWS[derivative]).subs(point), 30)) < 1e-25


def test_a_jump_has_no_tangent_kernel():
    assert ha.dual_kernel("sign(z)").tangent is None


def test_eigenvalues_are_the_taylor_coefficients():
    kernel = ha.dual_kernel("relu(z)")
    series = sympy.series(kernel.conjugate, rho, 0, 7).removeO()
    for k, value in enumerate(kernel.eigenvalues(6)):
        assert sympy.expand(value.exact - series.coeff(rho, k)) == 0
    tanh = ha.dual_kernel("tanh(z)").eigenvalues(9)
    assert sum(q.value for q in tanh) <= 0.394294490397842 and tanh[1].value == pytest.approx(
        0.605705509602159**2
    )
    assert all(q.zero for q in tanh[::2])


def test_infinite_second_moment_is_refused():
    with pytest.raises(ha.UndefinedQuantity):
        ha.dual_kernel("exp(z**2/4)")


@dataclass(frozen=True)
class Case:
    """An activation by hand: its values, those of its derivative, where they bend, how K is found."""

    values: Callable[[Any], Any]
    derivative: Callable[[Any], Any] | None
    kinks: tuple[float, ...]
    evidence: str
    reach: float = 9.5


def _between(x: Any) -> Any:
    return np.where(np.abs(x) < 1, 1.0, 0.0)


def _sech(x: Any) -> Any:
    e = np.exp(-np.abs(x))
    return (2 * e / (1 + e * e)) ** 2


CASES = {
    "max(min(z,1),-1)": Case(lambda x: np.clip(x, -1, 1), _between, (-1, 1), "exact"),
    "relu(z+1/2)": Case(
        lambda x: np.maximum(x + 0.5, 0), lambda x: np.heaviside(x + 0.5, 0), (-0.5,), "exact"
    ),
    "abs(z+1)": Case(lambda x: np.abs(x + 1), lambda x: np.sign(x + 1), (-1,), "exact"),
    "step(z-1)": Case(lambda x: np.heaviside(x - 1, 0), None, (1,), "exact"),
    "step(z)": Case(lambda x: np.heaviside(x, 0), None, (0,), "exact"),
    "relu(z)-relu(z-1)": Case(
        lambda x: np.clip(x, 0, 1), lambda x: np.where((x > 0) & (x < 1), 1.0, 0.0), (0, 1), "exact"
    ),
    "exp(-abs(z))": Case(
        lambda x: np.exp(-np.abs(x)), lambda x: -np.sign(x) * np.exp(-np.abs(x)), (0,), "exact"
    ),
    "relu(z-1)*exp(z/2)": Case(
        lambda x: np.maximum(x - 1, 0) * np.exp(x / 2),
        lambda x: np.where(x > 1, (x + 1) / 2, 0) * np.exp(x / 2),
        (1,),
        "exact",
        14.0,
    ),
    "z**3*exp(z)": Case(
        lambda x: x**3 * np.exp(x), lambda x: (x**3 + 3 * x**2) * np.exp(x), (), "exact", 16.0
    ),
    "z**3*step(z)": Case(lambda x: np.maximum(x, 0) ** 3, lambda x: 3 * np.maximum(x, 0) ** 2, (0,), "exact"),
    "tanh(z)": Case(np.tanh, _sech, (), "proved"),
    "softplus(z)": Case(lambda x: np.logaddexp(0, x), special.expit, (), "proved"),
    "1/(1+z**2)": Case(lambda x: 1 / (1 + x * x), lambda x: -2 * x / (1 + x * x) ** 2, (), "proved"),
    "exp(z**2/5)": Case(
        lambda x: np.exp(x * x / 5), lambda x: 0.4 * x * np.exp(x * x / 5), (), "proved", 26.0
    ),
    "tanh(9*z)": Case(lambda x: np.tanh(9 * x), lambda x: 9 * _sech(9 * x), (), "estimated"),
    "abs(z)*sin(z)": Case(
        lambda x: np.abs(x) * np.sin(x),
        lambda x: np.sign(x) * np.sin(x) + np.abs(x) * np.cos(x),
        (0,),
        "estimated",
    ),
    "erf(z)*relu(z-1)": Case(
        lambda x: special.erf(x) * np.maximum(x - 1, 0),
        lambda x: np.where(x > 1, special.erf(x) + 2 / math.sqrt(math.pi) * np.exp(-x * x) * (x - 1), 0),
        (1,),
        "estimated",
    ),
    "step(z-1)*tanh(z)": Case(lambda x: np.where(x > 1, np.tanh(x), 0), None, (1,), "estimated"),
}
NEAR = [1e-3, 1e-9, 1e-15]
POINTS = np.array([-1.0, *(-1 + d for d in NEAR), -0.99, -0.5, 0.0, 0.3, 0.999, *(1 - d for d in NEAR), 1.0])


@functools.cache
def references(name: str, part: str = "values") -> Any:
    """K at all points, or with `derivative` K'."""
    case = CASES[name]
    function = getattr(case, part)
    return np.array([pair_expectation(function, case.kinks, float(x), case.reach) for x in POINTS])


FAST = ("max(min(z,1),-1)", "relu(z-1)*exp(z/2)", "tanh(z)", "abs(z)*sin(z)", "step(z-1)*tanh(z)")


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        *FAST,
        *(
            pytest.param(name, marks=[pytest.mark.slow, pytest.mark.draws(1)])
            for name in CASES
            if name not in FAST
        ),
    ],
)
def test_kernels_hold_on_the_whole_interval(name):
    case, kernel = CASES[name], ha.dual_kernel(name)
    assert str(kernel.evidence) == case.evidence
    assert (kernel.method == "closed form") == (case.evidence == "exact") == (kernel.error_bound == 0)
    exact = references(name)
    for backend in others_than("cuda"):
        compiled = ha.compile(kernel.conjugate, [rho], backend=backend)
        assert np.abs(compiled(POINTS) - exact).max() <= kernel.error_bound + 1e-13 * exact[-1]
        assert compiled.error_bound <= 1e-13
    if case.derivative is None:
        assert kernel.tangent is None
        return
    slope = references(name, "derivative")
    assert kernel.tangent_error_bound <= 1e-13 * slope[-1]
    found = ha.compile(kernel.conjugate, [rho], backend="array", wrt=[rho])(POINTS).dvalue_drho
    for values in (found, ha.compile(kernel.tangent, [rho], backend="array")(POINTS)):
        assert np.abs(values - slope).max() <= 1e-12 * slope[-1]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["relu(z-1)*exp(z/2)", "tanh(z)", "abs(z)*sin(z)"])
def test_numbers_of_expressions(name):
    kernel, exact = ha.dual_kernel(name), references(name)
    for x, value in zip(POINTS, exact, strict=True):
        found = kernel.conjugate.subs(rho, sympy.Rational(float(x))).evalf()
        assert abs(float(found) - value) <= kernel.error_bound + 1e-13 * exact[-1]
    for end in (1, -1):
        assert (
            abs(float(sympy.N(kernel.conjugate.subs(rho, end))) - exact[-(1 + end) // 2]) < 1e-13 * exact[-1]
        )


@pytest.mark.slow
def test_the_ends_are_moments_of_one_variable():
    z1 = sympy.Symbol("z1", real=True)
    for name in ("relu(z)", "erf(z)", "gelu(z)", "relu(z-1)", "sigmoid(z+1)", "abs(z)*sin(z)"):
        sigma = ha.Activation(name).expression
        kernel = ha.dual_kernel(name).conjugate
        for end in (1, -1):
            moment = ha.expectation(sigma.subs(ha.z, z1) * sigma.subs(ha.z, end * z1))
            assert abs(sympy.N(kernel.subs(rho, end), 25) - moment.evalf(25)) < 1e-22


def test_many_digits_come_from_quadrature():
    found = ha.dual_kernel("tanh").conjugate.subs(rho, sympy.Rational(1, 2)).evalf(22)
    nodes, weights = hermegauss(150)
    second = (nodes[:, None] + math.sqrt(3) * nodes) / 2
    expected = weights @ (np.tanh(nodes)[:, None] * np.tanh(second)) @ weights / weights.sum() ** 2
    assert float(found) == pytest.approx(expected, abs=1e-11)
    table = ha.dual_kernel("tanh").conjugate.table.value(sympy.Float("0.5", 30)._to_mpmath(90))
    assert abs(found - sympy.Float(str(table), 25)) < 2e-16


@pytest.mark.draws(2, spread=True)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "kinks"),
    [("step(z-1)*tanh(z)", [1.0]), ("step(z-1)+step(z+1/2)", [-0.5, 1.0]), ("sign(z)*cos(z)", [0.0])],
)
def test_slopes_of_jumps(name, kinks):
    sigma = ha.Activation(name).function("array")
    kernel = ha.dual_kernel(name).conjugate
    at, h = np.array([-0.6, -0.2, 0.3, 0.7]), 2.0**-7
    shares = ((-3, -1 / 60), (-2, 3 / 20), (-1, -3 / 4), (1, 3 / 4), (2, -3 / 20), (3, 1 / 60))
    expected = sum(
        w / h * np.array([pair_expectation(sigma, kinks, float(x) + j * h) for x in at]) for j, w in shares
    )
    values = {b: ha.compile(kernel, [rho], backend=b, wrt=[rho]) for b in others_than("cuda")}
    for compiled in values.values():
        assert compiled(at).dvalue_drho == pytest.approx(expected, abs=2e-8)
        assert compiled(1.0).dvalue_drho == math.inf
    ends = np.array([-1.0, -1 + 1e-9, 1 - 1e-9])
    slopes = {b: compiled(ends).dvalue_drho for b, compiled in values.items()}
    assert np.all(~np.isnan(slopes["numba"]))
    assert slopes["array"] == pytest.approx(slopes["python"], rel=1e-12)
    assert slopes["numba"] == pytest.approx(slopes["python"], rel=1e-12)


def test_an_open_kernel_as_an_expression():
    kernel = ha.dual_kernel("tanh(z)")
    node = kernel.conjugate
    assert isinstance(node, PairExpectation) and node.free_symbols == {rho}
    assert str(node) == "K[tanh(z)](rho)" and str(kernel.tangent) == "K[1 - tanh(z)**2](rho)"
    assert sympy.latex(node) == r"K_{\tanh{\left(z \right)}}\left(\rho\right)"
    assert node.diff(rho) == kernel.tangent and node.diff(sympy.Symbol("t")) == 0
    assert pickle.loads(pickle.dumps(node)) == node
    t = sympy.Symbol("t", real=True)
    chained = ha.compile(node.subs(rho, t / 2), [t], backend="array", wrt=[t])(0.8)
    plain = ha.compile(node, [rho], backend="array", wrt=[rho])(0.4)
    assert chained.value == plain.value and chained.dvalue_dt == pytest.approx(
        plain.dvalue_drho / 2, rel=1e-14
    )
    assert node.subs(rho, 1).doit() == ha.GaussianExpectation(sympy.tanh(ha.z) ** 2, ha.z)
    assert node.subs(rho, 0).evalf() == 0
    slope = ha.dual_kernel("step(z-1)*tanh(z)").conjugate.diff(rho)
    assert str(slope).endswith("K'[tanh(z)*step(z - 1)](rho)")
    assert isinstance(slope.diff(rho).atoms(sympy.Derivative).pop(), sympy.Derivative)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["tanh(z)", "abs(z)*sin(z)"])
def test_no_value_beyond_the_correlations(name):
    kernel = ha.dual_kernel(name).conjugate
    for backend in others_than("cuda"):
        assert np.all(
            np.isnan(ha.compile(kernel, [rho], backend=backend)(np.array([-1.5, 1.0000001, np.nan])))
        )


@pytest.mark.slow
def test_what_varies_too_quickly_is_refused(monkeypatch):
    monkeypatch.setattr(series, "_SECONDS", 1.0)  # of 10, which it takes
    kernel = ha.dual_kernel("cos(exp(3*z))")
    with pytest.raises(ha.UnsupportedExpression, match="varies too quickly"):
        ha.compile(kernel.conjugate, [rho])


FEW = (4, 8, 12)
MANY = tuple(seed for seed in range(1, 62) if seed not in FEW)


def _random_kernel(seed: int) -> tuple[Any, Any, Any, list[float], float]:
    tree = Grammar(seed, 1).expression()
    text = text_of(tree).replace("z1", "z")

    def values(x: Any) -> Any:
        with np.errstate(all="ignore"):
            return np.broadcast_to(values_of(tree, x[None]), x.shape)

    def sides(kink: Any) -> Callable[[Any], Any]:
        return lambda x: np.broadcast_to(values_of(kink, x[None]), x.shape)

    with np.errstate(all="ignore"):
        kinks = sorted({round(x, 11): x for k in kinks_of(tree) for x in zeros(sides(k))}.values())
    return text, tree, values, kinks, 22.0 if has(tree, "exp", "sinh", "cosh") else 9.5


def _check_random(seed: int, backends: tuple[str, ...]) -> None:
    text, _, values, kinks, reach = _random_kernel(seed)
    try:
        kernel = ha.dual_kernel(text)
    except ha.UndefinedQuantity:
        return
    points = np.array([-1, -1 + 1e-9, -0.99, -0.5, 0, 0.3, 0.999, 1 - 1e-12, 1.0])
    exact = np.array([pair_expectation(values, kinks, float(x), reach) for x in points])
    found = {b: ha.compile(kernel.conjugate, [rho], backend=b)(points) for b in backends}
    for compiled in found.values():
        assert np.all(np.isfinite(compiled))
        assert np.abs(compiled - exact).max() <= kernel.error_bound + 1e-12 * exact[-1], text
        assert np.abs(compiled - found["array"]).max() <= 1e-12 * exact[-1]
    assert kernel.error_bound <= 1e-11 * exact[-1]


@pytest.mark.slow
@pytest.mark.parametrize("seed", FEW)
def test_random_activations(seed):
    _check_random(seed, ("array", "python"))


@pytest.mark.slow
@pytest.mark.draws(2)
@pytest.mark.parametrize("seed", MANY)
def test_many_random_activations(seed):
    _check_random(seed, ("array", "python", "numba"))
