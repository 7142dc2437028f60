"""Bounds of densities with poles, against their values."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from sympy import Abs

from hermite_analytics.gaussian.enclosure.strip_poles import density_with_poles
from hermite_analytics.language.functions import phi
from hermite_analytics.symbols import variable

X = variable(1)


@pytest.mark.parametrize(
    "expression",
    [
        phi(1 / Abs(X)) / Abs(X),
        phi(1 / Abs(X)) / X**4,
        phi(X**-2) / X**6,
        phi((X - 1) / Abs(X)) / Abs(X) ** 3,
        phi(1 / (20 * Abs(3 * X - 2))) / Abs(3 * X - 2) ** 2,
        phi(1 / Abs(X + 1)) / ((X + 1) * Abs(X + 1)),
    ],
)
def test_the_bound_is_above_all_values(expression):
    found = density_with_poles(expression, X)
    assert found is not None and found[1] == 1
    x = np.concatenate(
        [
            np.linspace(-6, 6, 40_001),
            *(c + s * np.geomspace(1e-3, 1, 4001) for c in (0, -1, 2 / 3) for s in (1, -1)),
        ]
    )
    plain = expression.replace(phi, lambda u: sympy.exp(-(u**2) / 2) / sympy.sqrt(2 * sympy.pi))
    with np.errstate(all="ignore"):
        values = np.abs(sympy.lambdify(X, plain, "numpy")(x))
    largest = np.nanmax(values)
    assert largest <= float(found[0]) <= 1e4 * largest


def test_where_the_density_does_not_help():
    """The numerator is 0 at the pole, the argument has none, or poles stand at two points: no bound."""
    assert density_with_poles(phi(X / Abs(X)) / Abs(X), X) is None
    assert density_with_poles(phi(X) / Abs(X), X) is None
    assert density_with_poles(phi(1 / Abs(X)) / (Abs(X) * Abs(X - 1)), X) is None
    assert density_with_poles(1 / Abs(X), X) is None
