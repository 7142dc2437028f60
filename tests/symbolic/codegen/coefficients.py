"""Kernels of conditional coefficients, and their check against quadrature in mpmath."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import mpmath
import pytest

import hermite_analytics as ha
from hermite_analytics import Activation
from hermite_analytics.codegen.kernel import Kernel
from hermite_analytics.symbols import c, kappa, r
from tests.symbolic.references import coefficients

POINTS = [(0.7, 1.3, 1.0), (-1.9, 0.6, 1.75), (0.0, 2.25, 2.0), (2.5, 0.2, -0.3)]


def numbers(point: tuple[float, ...]) -> list[Any]:
    return [mpmath.mpf(x) for x in point]


def check_against_reference(name: str, evaluate: Callable[..., Any]) -> None:
    """mu0, mu1, mu2_squared to relative 1e-12, away from cancellation."""
    for point in POINTS:
        with mpmath.workdps(25):
            mu0, mu1, mu2_squared, square = coefficients(name, *numbers(point))
            scale = float(mpmath.sqrt(square))
        found = evaluate(*point)
        assert float(found[0]) == pytest.approx(float(mu0), rel=1e-12, abs=1e-15 + 1e-13 * scale)
        assert float(found[1]) == pytest.approx(
            float(mu1), rel=1e-12, abs=1e-13 * scale / math.sqrt(point[1])
        )
        assert float(found[2]) == pytest.approx(float(mu2_squared), rel=1e-12, abs=1e-15 + 2e-14 * scale**2)


def coefficients_kernel(name: str, backend: str) -> Kernel:
    return ha.compile(ha.conditional_coefficients(Activation(name)), (kappa, c, r), backend=backend)
