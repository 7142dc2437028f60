"""The compiled saddle point: the bulk formulas and their identities."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermite_analytics.numeric.square_loss import bulk, bulk_moments, solve_points

from .reference import marchenko_pastur


@pytest.mark.parametrize(
    ("point", "expected"),
    [
        (
            (1.3, 0.5, 0.7, 0.25),
            (
                1.0035829127489877,
                1.1899678443028352,
                1.8799070185557607,
                1.0285586995198506,
                1.0663474826700363,
            ),
        ),
        (
            (1.0, 1.0, 1.0, 0.1),
            (
                0.7298437881283576,
                2.7015621187164243,
                15.617376188860606,
                1.1398244998303637,
                0.6158613381453213,
            ),
        ),
    ],
)
def test_reference_numbers(point, expected):
    c, beta, s, t = point
    v1, v2 = bulk(s, t, c, beta)
    assert (v1, v2, *bulk_moments(s, v1, v2, c, beta)) == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize(
    ("c", "beta", "s", "t"), [(1.3, 0.5, 0.7, 0.25), (0.8, 3.0, 2.0, 0.4), (1.1, 1.5, 0.2, 2)]
)
def test_against_the_spectral_integral(c, beta, s, t):
    x, weights = marchenko_pastur(beta, 4000)
    x = c * x
    v1, v2 = bulk(s, t, c, beta)
    assert v1 == pytest.approx(weights @ (x / (t + s * x)), rel=1e-10)
    assert v2 == pytest.approx(weights @ (1 / (t + s * x)), rel=1e-10)
    for k, value in enumerate(bulk_moments(s, v1, v2, c, beta)):
        assert value == pytest.approx(weights @ (x**k / (t + s * x) ** 2), rel=1e-10)


positive = st.floats(1e-3, 1e3)


@settings(max_examples=300, deadline=None)
@given(positive, st.floats(1e-2, 1e2), positive, positive)
def test_identities(c, beta, s, t):
    v1, v2 = bulk(s, t, c, beta)
    a0, a1, a2 = bulk_moments(s, v1, v2, c, beta)
    assert s * v1 + t * v2 == pytest.approx(1.0, rel=1e-9)
    assert c * v2 * (1 - beta * s * v1) == pytest.approx(v1, abs=1e-9 * c * v2)  # the bracket cancels
    condition = 1.0 - beta * s * s * v1 * v1  # the moments divide by it
    if condition > 1e-4:
        assert s * a1 + t * a0 == pytest.approx(v2, rel=1e-9)
        assert s * a2 + t * a1 == pytest.approx(v1, rel=1e-9)


def test_no_spectrum_is_a_constant():
    v1, v2 = bulk(0.0, 0.5, 1.3, 0.7)
    assert v2 == pytest.approx(2.0, rel=1e-15) and v1 == pytest.approx(2.6, rel=1e-15)
    assert np.isclose(bulk_moments(0.0, v1, v2, 1.3, 0.7)[2], 1.3**2 * (1 + 0.7) / 0.25)


def reference(columns, c, alpha, beta, ridge, noise, start):
    """(test error, V1, V2) of the equations as they stand in docs/theory.md, in 250 digits from a start."""
    with mpmath.workdps(250):
        weight, kappa, mu0, mu1, mu2s, h, h1, hh = ([mpmath.mpf(float(x)) for x in row] for row in columns)
        c, alpha, beta, ridge, noise = (mpmath.mpf(x) for x in (c, alpha, beta, ridge, noise))
        weight = [x / mpmath.fsum(weight) for x in weight]  # beside the threshold the last digit of 1 counts
        nodes = range(len(weight))

        def mean(f):
            return mpmath.fsum(weight[k] * f(k) for k in nodes)

        def hats(v1, v2):
            w = [1 / (1 + mu1[k] ** 2 * v1 + mu2s[k] * v2) for k in nodes]
            s = alpha / beta * mean(lambda k: mu1[k] ** 2 * w[k])
            return w, s, ridge + alpha / beta * mean(lambda k: mu2s[k] * w[k])

        def image(v1, v2):
            _, s, t = hats(v1, v2)
            b = t + s * c * (1 - beta)
            v = 2 / (b + mpmath.sqrt(b * b + 4 * t * s * c * beta))
            return c * v / (1 + beta * s * c * v), v

        def off(x, y):
            v1, v2 = mpmath.exp(x), mpmath.exp(y)
            f1, f2 = image(v1, v2)
            return mpmath.log(f1 / v1), mpmath.log(f2 / v2)

        v1, v2 = (mpmath.exp(x) for x in mpmath.findroot(off, [mpmath.log(x) for x in start], tol=1e-300))
        w, s, _ = hats(v1, v2)
        z = alpha * c * v2
        a00 = mean(lambda k: mu0[k] ** 2 * w[k])
        a01 = mean(lambda k: kappa[k] * mu1[k] * mu0[k] * w[k])
        a11 = mean(lambda k: (kappa[k] * mu1[k]) ** 2 * w[k])
        b0, b1 = mean(lambda k: mu0[k] * h[k] * w[k]), mean(lambda k: kappa[k] * mu1[k] * h[k] * w[k])
        m, zeta = mpmath.lu_solve(mpmath.matrix([[a00, a01], [a01, a11 + 1 / z]]), mpmath.matrix([b0, b1]))
        psi_hat = alpha / mpmath.sqrt(beta) * mean(lambda k: mu1[k] * h1[k] * w[k])
        psi, zeta_hat = mpmath.sqrt(beta) * psi_hat * v1, zeta / (mpmath.sqrt(beta) * c * v2)
        x = 1 - beta * s**2 * v1**2
        a0, a1 = v2**2 / x, v1**2 / (c * x)
        a2 = beta * v1**2 + a1 * v1**2 / (c * v2**2)

        def squared(k, q1, q2):
            cc = mu0[k] * m + kappa[k] * mu1[k] * zeta
            own = hh[k] - 2 * cc * h[k] + cc**2 - 2 * mu1[k] * psi * h1[k]
            return own + mu1[k] ** 2 * q1 + mu2s[k] * q2 + noise

        def moved(q1, q2):
            hat1 = alpha / beta * mean(lambda k: mu1[k] ** 2 * squared(k, q1, q2) * w[k] ** 2) + psi_hat**2
            hat2 = alpha / beta * mean(lambda k: mu2s[k] * squared(k, q1, q2) * w[k] ** 2) + c * zeta_hat**2
            return mpmath.matrix([hat1 * a2 + hat2 * a1, hat1 * a1 + hat2 * a0])

        at0 = moved(0, 0)
        matrix = mpmath.matrix(2, 2)
        for j, unit in enumerate(((1, 0), (0, 1))):
            column = moved(*unit) - at0
            for i in range(2):
                matrix[i, j] = (1 if i == j else 0) - column[i]
        q1, q2 = mpmath.lu_solve(matrix, at0)
        error = mean(lambda k: squared(k, q1, q2)) - noise
        return float(error), float(v1), float(v2)


@pytest.mark.parametrize(
    ("alpha", "ridge"),
    [
        (1.5 - 2**-43, 0.0),
        (1.5 + 2**-43, 0.0),
        (1.5 - 2**-30, 1e-20),
        (1.5 - 2**-20, 1e-8),
        (1.5, 1e-25),
        (0.7, 1e-100),
        (0.7, 0.3),
    ],
)
def test_all_digits_beside_the_threshold(alpha, ridge):
    """Errors there are about 1e13 and come from a matrix that is singular but for 1e-13."""
    rng, beta, c = np.random.default_rng(4), 1.5, 0.8
    weight, mu2s, spread = rng.dirichlet(np.ones(3)), rng.uniform(0.2, 1, 3), rng.uniform(0.1, 1, 3)
    kappa, mu0, mu1, h, h1 = rng.normal(size=(5, 3))
    columns = (weight, kappa, mu0, mu1, mu2s, h, h1, h**2 + h1**2 + spread)
    out, start = np.empty((1, 9)), np.full((1, 2), np.nan)
    residual, steps, code = np.empty(1), np.empty(1, dtype=np.int64), np.empty(1, dtype=np.int64)
    given = [np.array([x]) for x in (alpha, beta, ridge, 0.1)]
    solve_points(columns, c, *given, 1e-12, 500, start, out, residual, steps, code)
    small = ridge or mpmath.mpf(10) ** -120
    first = out[0, 7:] if np.isfinite(out[0, 7]) else [x / small for x in start[0].tolist()]
    error, v1, v2 = reference(columns, c, alpha, beta, small, 0.1, first)
    assert code[0] == 0 and out[0, 0] == pytest.approx(error, rel=1e-11)
    if ridge or alpha > beta:
        assert out[0, 7:] == pytest.approx([v1, v2], rel=1e-11)
