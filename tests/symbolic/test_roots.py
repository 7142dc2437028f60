"""The root between two ends is that of scipy, which is Brent's method too, to the last digit."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy.optimize import brentq

from hermite_analytics.foundation.roots import root_between

FUNCTIONS: dict[str, Callable[[float, float], float]] = {
    "exp": lambda x, c: math.exp(x) - c,
    "cube": lambda x, c: x**3 - c,
    "flat": lambda x, c: x**9 - 1e-3 * c,
    "steep": lambda x, c: math.tanh(30 * (x - c)),
    "root": lambda x, c: math.copysign(math.sqrt(abs(x - c)), x - c),
    "jump": lambda x, c: 1.0 if x > c else -1.0,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_digits_and_evaluations_are_those_of_scipy(name: str) -> None:
    function, rng, found = FUNCTIONS[name], np.random.default_rng(3), 0
    for _ in range(200):
        c, a, b = (float(x) for x in rng.uniform(-3, 3, 3))
        within, relative = 10 ** rng.uniform(-14, -4), 10 ** rng.uniform(-15, -6)
        if function(a, c) * function(b, c) > 0:
            continue
        root, result = brentq(function, a, b, args=(c,), xtol=within, rtol=relative, full_output=True)
        own = root_between(lambda x, c=c: function(x, c), a, b, within=within, relative=relative)
        assert own == (root, result.function_calls)
        found += 1
    assert found > 50


def test_ends_that_are_roots() -> None:
    assert root_between(lambda x: x, 0.0, 1.0) == (0.0, 2)
    assert root_between(lambda x: x - 1, 0.0, 1.0) == (1.0, 2)


def test_refusals() -> None:
    with pytest.raises(ValueError, match=r"one sign at both ends, 0\.0 and 1\.0"):
        root_between(lambda x: x + 1, 0.0, 1.0)
    with pytest.raises(ValueError, match=r"NaN at 0\.5"):
        root_between(lambda x: math.nan if x == 0.5 else x - 0.5, 0.0, 1.0)
    with pytest.raises(ArithmeticError, match="no root between"):
        root_between(lambda x: x**3 if x else 1.0, -1.0, 1e30, within=1e-300, relative=1e-300)
