"""The polynomial coefficients in `hermite_analytics/codegen/numba_backend/vector_tables.py`.

    python docs/examples/vector_coefficients.py

Chebyshev interpolants at 45 digits, rewritten in powers and rounded once; printed with the largest relative
error of the rounded polynomial.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath

Function = Callable[[Any], Any]
EXTRA = 8  # interpolation points beyond the degree


def erf_over_x(u: Any) -> Any:
    """erf(x)/x in u = x^2."""
    return mpmath.erf(mpmath.sqrt(u)) / mpmath.sqrt(u) if u > 0 else 2 / mpmath.sqrt(mpmath.pi)


def scaled_erfcx(t: Any) -> Any:
    """(1 + 2x) exp(x^2) erfc(x) in t = (x - 3.5)/(x + 3.5)."""
    x = mpmath.mpf("3.5") * (1 + t) / (1 - t)
    return (1 + 2 * x) * mpmath.exp(x * x) * mpmath.erfc(x)


def atanh_rest(u: Any) -> Any:
    """(atanh(s)/s - 1)/s^2 in u = s^2."""
    s = mpmath.sqrt(u)
    return (mpmath.atanh(s) / s - 1) / u if u > mpmath.mpf(10) ** -20 else mpmath.mpf(1) / 3


def coefficients(function: Function, low: Any, high: Any, degree: int) -> list[float]:
    """Ascending powers of the interpolant on [low, high]."""
    count = degree + 1 + EXTRA
    angles = [mpmath.pi * (k + mpmath.mpf(1) / 2) / count for k in range(count)]
    values = [function((low + high) / 2 + (high - low) / 2 * mpmath.cos(a)) for a in angles]
    total = [mpmath.mpf(0)] * (degree + 1)
    before, power = (
        [mpmath.mpf(0)],
        [mpmath.mpf(1)],
    )  # Chebyshev polynomials in s = (2x - low - high)/(high - low)
    shift, slope = -(low + high) / (high - low), 2 / (high - low)
    for j in range(degree + 1):
        weight = 2 * mpmath.fsum(v * mpmath.cos(j * a) for v, a in zip(values, angles, strict=True)) / count
        for k, p in enumerate(power):
            total[k] += (weight / 2 if j == 0 else weight) * p
        following = [(1 if j == 0 else 2) * c for c in _times_line(power, shift, slope)]
        for k, b in enumerate(before):
            following[k] -= b if j else 0
        before, power = power, following
    return [float(c) for c in total]


def _times_line(powers: list[Any], shift: Any, slope: Any) -> list[Any]:
    """The product with shift + slope x."""
    product = [shift * p for p in powers] + [mpmath.mpf(0)]
    for k, p in enumerate(powers):
        product[k + 1] += slope * p
    return product


def largest_error(function: Function, powers: list[float], low: Any, high: Any) -> float:
    """Relative, on a grid that leaves out the lower end."""
    worst = mpmath.mpf(0)
    for k in range(1, 301):
        x = low + (high - low) * mpmath.mpf(k) / 300
        exact = function(x)
        worst = max(worst, abs(mpmath.polyval([mpmath.mpf(p) for p in reversed(powers)], x) / exact - 1))
    return float(worst)


def tables() -> dict[str, tuple[list[float], float]]:
    """Each table by the name it has in the module, with its error."""
    mpmath.mp.dps = 45
    end = (mpmath.mpf(28) - mpmath.mpf("3.5")) / (28 + mpmath.mpf("3.5"))
    asked = {
        "ERF_SMALL": (erf_over_x, mpmath.mpf(0), mpmath.mpf(1), 11),
        "ERFCX": (scaled_erfcx, mpmath.mpf(-1), end, 22),
        "ATANH": (atanh_rest, mpmath.mpf(0), mpmath.mpf(1) / 9, 10),
    }
    found = {}
    for name, (function, low, high, degree) in asked.items():
        powers = coefficients(function, low, high, degree)
        found[name] = (powers, largest_error(function, powers, low, high))
    return found


if __name__ == "__main__":
    for name, (powers, error) in tables().items():
        print(f"{name} = (  # largest relative error {error:.1e}")
        for p in powers:
            print(f"    {p!r},")
        print(")")
