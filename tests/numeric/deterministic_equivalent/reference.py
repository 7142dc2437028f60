"""The equations as the paper prints them, in 60 digits by bisection; and the regression itself, simulated."""

from __future__ import annotations

import mpmath
import numpy as np


def paper_equations(eigenvalues, coefficients, multiplicities, samples, features, ridge, noise):
    """(test error, bias, variance, training error, nu1, nu2) from nu1, nu2, Upsilon, chi."""
    with mpmath.workdps(60):
        x, beta, m = ([mpmath.mpf(float(v)) for v in a] for a in (eigenvalues, coefficients, multiplicities))
        n, p, lam, sigma2 = (mpmath.mpf(float(v)) for v in (samples, features, ridge, noise))
        levels = list(zip(x, beta, m, strict=True))

        def freedom(nu2):
            return sum(k * v / (v + nu2) for v, _, k in levels)

        def effective(nu2):  # nu1 of the second equation
            return nu2 if mpmath.isinf(p) else nu2 * (1 - freedom(nu2) / p)

        low, high = mpmath.mpf(-3000), mpmath.mpf(100)
        for _ in range(260):
            middle = (low + high) / 2
            nu2 = mpmath.exp(middle)
            nu1 = effective(nu2)
            above = nu1 > 0 and n - lam / nu1 > freedom(nu2)
            low, high = (low, middle) if above else (middle, high)
        nu2 = mpmath.exp(high)
        nu1 = effective(nu2)
        t = freedom(nu2)
        t2 = sum(k * (v / (v + nu2)) ** 2 for v, _, k in levels)
        if mpmath.isinf(p):
            upsilon, chi = t2 / n, mpmath.mpf(0)
        else:
            rho = nu1 / nu2
            upsilon = p / n * ((1 - rho) ** 2 + rho**2 * t2 / (p - t2))
            chi = sum(k * v / (v + nu2) ** 2 for v, _, k in levels) / (p - t2)
        bias = nu2**2 / (1 - upsilon) * sum(b * (1 + chi * v) / (v + nu2) ** 2 for v, b, _ in levels)
        variance = sigma2 * upsilon / (1 - upsilon)
        train = (1 - t / n) ** 2 * (bias + variance + sigma2)
        return tuple(map(float, (bias + variance, bias, variance, train, nu1, nu2)))


def simulated(eigenvalues, coefficients, samples, features, ridge, noise, seeds, seed):
    """Arrays of test and training errors of ridge regression with Gaussian eigenfunctions.

    The test error is that of the linear predictor of the eigenfunctions, exact given the draw.
    """
    generator = np.random.default_rng(seed)
    roots, beta = np.sqrt(eigenvalues), np.sqrt(coefficients)
    errors = np.empty((seeds, 2))
    for j in range(seeds):
        inputs = generator.standard_normal((samples, roots.size))
        mixing = roots[:, None] * generator.standard_normal((roots.size, features)) / np.sqrt(features)
        labels = inputs @ beta + np.sqrt(noise) * generator.standard_normal(samples)
        matrix = inputs @ mixing
        dual = np.linalg.solve(matrix @ matrix.T + ridge * np.eye(samples), labels)
        missed = beta - mixing @ (matrix.T @ dual)
        errors[j] = missed @ missed, np.mean((ridge * dual) ** 2)
    return errors.T
