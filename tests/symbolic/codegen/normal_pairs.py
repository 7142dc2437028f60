"""The distribution function of two correlated normals in 18 digits, found once for all back ends."""

from __future__ import annotations

import functools

import mpmath

H = (-3.0, -0.4, 0.0, 0.4, 2.0)
K = (-2.5, -0.4, 0.0, 0.4000001, 1.0)
CORRELATIONS = [-0.999999, -0.95, -0.3, 0.0, 0.4, 0.9, 0.9999, 1 - 1e-9, -1 + 1e-9]


@functools.cache
def pair(h: float, k: float, rho: float) -> mpmath.mpf:
    """E over X of P(Y <= k | X): a cliff of width sqrt(1 - rho^2) at X = k/rho."""
    with mpmath.workdps(18):
        a, b, r = (mpmath.mpf(x) for x in (h, k, rho))
        root = mpmath.sqrt((1 - r) * (1 + r))
        edges = {mpmath.mpf(e) for e in (-14, -8, -5, -3, -2, -1, 0, 1, 2)}
        if r:
            edges |= {b / r + s * root for s in (-12, -6, -3, -1, 0, 1, 3, 6, 12)}
        inside = sorted(e for e in edges if -14 <= e < a)

        def integrand(t: mpmath.mpf) -> mpmath.mpf:
            return mpmath.npdf(t) * mpmath.ncdf((b - r * t) / root)

        return mpmath.quad(integrand, [*inside, a], method="gauss-legendre", maxdegree=5)
