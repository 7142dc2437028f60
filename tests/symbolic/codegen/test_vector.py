"""The functions that loops inline, against mpmath over their whole range, in loops as kernels run them."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest
from numba import njit
from numpy.typing import NDArray

from hermite_analytics.codegen.numba_backend import special, vector, vector_tables
from tests.symbolic.codegen.test_special import owen, pair

NORMAL = 2.2250738585072014e-308
LARGEST = np.finfo(float).max
Array = NDArray[np.float64]


def beyond(threshold: float, function: Callable[[Any], Any], left: float, right: float) -> Callable[..., Any]:
    """A function with its limits beyond a threshold, where mpmath would take for ever."""
    return lambda x: function(x) if abs(x) < threshold else mpmath.mpf(right if x > 0 else left)


# function: (reference, smallest and largest argument that it is made for)
REFERENCES: dict[str, tuple[Callable[[Any], Any], float, float]] = {
    "exp": (beyond(1e4, mpmath.exp, 0, mpmath.inf), -math.inf, math.inf),
    "log": (mpmath.log, 2.3e-308, 1.7e308),
    "sin": (mpmath.sin, -1e6, 1e6),
    "cos": (mpmath.cos, -1e6, 1e6),
    "tanh": (beyond(1e4, mpmath.tanh, -1, 1), -math.inf, math.inf),
    "sinh": (mpmath.sinh, -700.0, 700.0),
    "cosh": (mpmath.cosh, -700.0, 700.0),
    "erf": (beyond(1e3, mpmath.erf, -1, 1), -math.inf, math.inf),
    "erfc": (beyond(1e3, mpmath.erfc, 2, 0), -math.inf, math.inf),
    "normal_cdf": (beyond(1e3, mpmath.ncdf, 0, 1), -math.inf, math.inf),
    "normal_density": (beyond(1e3, mpmath.npdf, 0, 0), -math.inf, math.inf),
    "sigmoid": (beyond(1e4, lambda x: 1 / (1 + mpmath.exp(-x)), 0, 1), -math.inf, math.inf),
    "softplus": (
        lambda x: max(x, 0) + mpmath.log1p(beyond(1e4, mpmath.exp, 0, 0)(-abs(x))),
        -math.inf,
        math.inf,
    ),
}
# where a formula gives way to another: ends of tables, multiples of log(2)/2 and pi/4, underflow
PANEL_ENDS = [1.0, 6.0, 22.0, 28.0, 39.0, 40.0, 700.0, 709.7827128933841, 745.1332191019412, 746.0, 1e6]
PANEL_ENDS += [k * math.log(2.0) / 2.0 for k in (1, 3, 5, 401)]
PANEL_ENDS += [k * math.pi / 4.0 for k in (1, 2, 3, 4, 5, 6, 7, 8, 636_618, 1_273_239)]
PANEL_ENDS += [math.sqrt(0.5), math.sqrt(2.0), 1.0 / 3.0, 2.0**-27, 2.0**52]
SMALL = [0.0, 5e-324, 1e-310, NORMAL, 2.3e-308, 1e-300, 1e-160, 1e-20, 1e-9]
LARGE = [1.0000001e6, 1e15, 1.7e308, LARGEST, math.inf]


def arguments() -> Array:
    rng = np.random.default_rng(20)
    spread = [10.0 ** rng.uniform(-320, 0, 60), rng.uniform(0, 1, 150), rng.uniform(0, 45, 300)]
    spread += [rng.uniform(0, 800, 60), 10.0 ** rng.uniform(1, 7, 60)]
    ends = np.asarray(PANEL_ENDS)
    near = [ends, np.nextafter(ends, 0.0), np.nextafter(ends, np.inf), np.asarray(SMALL), np.asarray(LARGE)]
    sizes = np.concatenate([*spread, *near])
    around_one = 1.0 + np.linspace(-0.45, 0.6, 50)
    return np.concatenate([sizes, -sizes, around_one, [math.nan]])


POINTS = arguments()


def looped(function: Any) -> Callable[[Array], Array]:
    """The function inlined into a loop that vectorises, as generated code has it."""

    @njit(error_model="numpy", fastmath={"contract"})
    def over(values: Array) -> Array:
        out = np.empty_like(values)
        for i in range(values.size):
            out[i] = function(values[i])
        return out

    return over  # type: ignore[no-any-return]


@pytest.mark.cases(1)
@pytest.mark.parametrize("name", REFERENCES)
def test_one_argument(name: str) -> None:
    """Relative 2e-15; two units of the last place where the value is subnormal."""
    reference, low, high = REFERENCES[name]
    found = looped(getattr(vector, name))(POINTS)
    with mpmath.workdps(40):
        for x, value in zip(POINTS, found, strict=True):
            if not low <= x <= high:
                assert math.isnan(value), (name, x, value)
                continue
            exact = reference(mpmath.mpf(float(x)))
            if abs(exact) > LARGEST * (1 + 1e-16):
                assert value == mpmath.sign(exact) * math.inf, (name, x)
            elif abs(exact) < NORMAL:
                assert abs(value - exact) <= 1e-323, (name, x, value)
            elif mpmath.isinf(exact):
                assert value == exact, (name, x)
            else:
                assert abs(value / exact - 1) < 2e-15, (name, x, value)


@pytest.mark.parametrize("name", ["sin", "tanh", "sinh", "erf"])
def test_negative_zero_stays_negative(name: str) -> None:
    assert math.copysign(1.0, getattr(vector, name)(-0.0)) == -1.0
    assert math.copysign(1.0, getattr(vector, name)(0.0)) == 1.0


@pytest.mark.parametrize("name", REFERENCES)
def test_single_calls(name: str) -> None:
    reference = REFERENCES[name][0]
    with mpmath.workdps(30):
        for x in (0.3, 2.7, 5.9):
            assert abs(getattr(vector, name)(x) / reference(mpmath.mpf(x)) - 1) < 2e-15


@pytest.mark.slow
def test_owen() -> None:
    """Absolute 1e-15; NaN for an infinite second argument."""
    heights = (0.0, 1e-300, 1e-8, 0.1, 0.7, 1.5, 2.9, 4.4, 7.0, 15.0, 40.0, 1e10, 1e300)
    widths = (0.0, 1e-300, 1e-9, 0.2, 0.9, 1.0, np.nextafter(1.0, 2.0), 1.1, 3.0, 25.0, 1e4, 1e12, 9e299)
    with mpmath.workdps(22):
        for h in heights:
            for a in widths:
                exact = owen(h, float(a))
                for side, sign in ((1, 1), (-1, 1), (1, -1), (-1, -1)):
                    assert abs(vector.owen_t(side * h, sign * a) - sign * exact) < 1e-15
    assert max(abs(vector.owen_t(math.inf, 0.5)), abs(vector.owen_t(-math.inf, 3.0))) < 1e-300
    for h, a in ((0.3, math.inf), (0.3, -math.inf), (math.nan, 0.5), (math.nan, 2.0), (0.3, math.nan)):
        assert math.isnan(vector.owen_t(h, a))


@pytest.mark.cases(1)
@pytest.mark.parametrize("rho", [0.0, 1e-20, 0.4, 0.9, 0.9999, 1 - 1e-9, 1 - 1e-15])
def test_pair_distribution(rho: float) -> None:
    """Absolute 1e-15."""
    with mpmath.workdps(18):
        for h in (-3.0, -0.4, 0.0, 1e-9, 2.0):
            for k in (-2.5, -0.4, -1e-200, 0.4000001, 1.0):
                for correlation in {rho, -rho}:
                    exact = pair(h, k, correlation)
                    assert abs(vector.normal_pair_cdf(h, k, correlation) - exact) < 1e-15


@pytest.mark.parametrize("name", ["normal_given_cdf", "pair_bell", "normal_pair_density"])
def test_functions_of_pairs_are_those_of_the_scalar_code(name: str) -> None:
    mine, theirs = getattr(vector, name), getattr(special, name)
    for rho in (-1 + 1e-15, -0.9, 0.0, 0.4, 1 - 1e-9, 1 - 1e-15):
        for h in (-3.0, 0.0, 0.4, 2.0):
            for k in (-2.0, 0.0, 0.4, 0.40001, 3.0):
                assert mine(h, k, rho) == pytest.approx(theirs(h, k, rho), rel=1e-13, abs=1e-300)
    for rho in (-1.0, 1.0, 1.5, math.nan):
        assert math.isnan(mine(0.3, 0.2, rho))


def test_pair_distribution_leaves_the_edges_to_the_scalar_function() -> None:
    edges = [(0.0, 0.0, 0.5), (1.0, 1.0, 1.0), (1.0, 1.0, -1.0), (math.inf, 1.0, 0.5)]
    edges += [(1.0, -math.inf, 0.5), (0.3, 0.2, 1.5)]
    for edge in edges:
        assert math.isnan(vector.normal_pair_cdf(*edge))
        assert not math.isnan(special.normal_pair_cdf(*edge))
    for edge in ((math.nan, 1.0, 0.5), (1.0, math.nan, 0.5), (1.0, 1.0, math.nan)):
        assert math.isnan(vector.normal_pair_cdf(*edge))
        assert math.isnan(special.normal_pair_cdf(*edge))


def test_coefficients_are_those_of_the_script() -> None:
    path = Path(__file__).parents[3] / "docs" / "examples" / "vector_coefficients.py"
    specification = importlib.util.spec_from_file_location("vector_coefficients", path)
    assert specification is not None and specification.loader is not None
    script = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(script)
    with mpmath.workdps(45):
        found = script.tables()
    for name, (powers, error) in found.items():
        assert tuple(powers) == getattr(vector_tables, name)
        assert error < 1e-16
