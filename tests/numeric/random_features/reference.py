"""Second implementations: the equations as the papers print them, by damped iteration in plain numpy."""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq
from scipy.special import erfc


def two_equations(alpha, beta, ridge, first, second):
    """(s1, s2) of alpha - ridge/s1 = t(s2), beta (1 - s1/s2) = t(s2), by bracketing in s2."""

    def t(s):
        return first / (first + s) + second / s

    def gap(log_s):
        s = np.exp(log_s)
        return (alpha - t(s)) * s * (1 - t(s) / beta) - ridge

    least = brentq(lambda u: t(np.exp(u)) - min(alpha, beta), -80, 80, xtol=1e-15)
    s2 = np.exp(brentq(gap, least, 80, xtol=1e-15))
    return s2 * (1 - t(s2) / beta), s2


def ridge_risk(alpha, beta, ridge, first, second, level, above, noise):
    """(risk, training error) of ridge regression, from the formulas as printed."""
    s1, s2 = two_equations(alpha, beta, ridge, first, second)
    t, t2 = first / (first + s2) + second / s2, (first / (first + s2)) ** 2
    rho = s1 / s2
    upsilon = beta / alpha * ((1 - rho) ** 2 + rho**2 * t2 / (beta - t2))
    chi = (first / (first + s2) ** 2 + second / s2**2) / (beta - t2)
    bias = s2**2 * (1 + chi * first) / (first + s2) ** 2
    risk = (level * bias + above + noise * upsilon) / (1 - upsilon)
    return risk, (1 - t / alpha) ** 2 * (risk + noise)


def gerace(prox, alpha, beta, ridge, first, second, loss, nodes):
    """The saddle point for y = sign(z1) in the letters of arXiv 2002.09339, damped.

    prox(y, w, V) -> (prox, derivative); alpha, beta are n/d and p/d. Returns the misclassification rate, the
    mean training loss, and V, Q, M.
    """
    ratio, shape = alpha / beta, 1 / beta  # n/p and d/p
    x = 9.5 * ((2 * np.arange(nodes) + 1) / nodes - 1)
    w = 19.0 / nodes * np.exp(-0.5 * x**2) / np.sqrt(2 * np.pi)
    vs, qs, ms, vw, qw = 1.0, 1.0, 0.5, 1.0, 1.0
    for _ in range(4000):
        v, q, m = first * vs + second * vw, first * qs + second * qw, np.sqrt(first) * ms
        width = np.sqrt(1 - m * m / q)
        h = np.sqrt(q) * x
        a = b = c = train = 0.0
        for y in (1.0, -1.0):
            law = 0.5 * erfc(-y * m / q * h / width / np.sqrt(2))
            slope = y * np.exp(-0.5 * (m / q * h / width) ** 2) / np.sqrt(2 * np.pi) / width
            eta, derivative = prox(y, h, v)
            force = (eta - h) / v
            a += w @ (law * (1 - derivative)) / v
            b += w @ (law * force**2)
            c += w @ (slope * force)
            train += w @ (law * loss(y * eta))
        vs_hat, qs_hat = ratio / shape * first * a, ratio / shape * first * b
        ms_hat = ratio / shape * np.sqrt(first) * c
        vw_hat, qw_hat = ratio * second * a, ratio * second * b
        top = ridge + vw_hat
        z = top / vs_hat
        root = np.sqrt((shape - 1 - z) ** 2 + 4 * shape * z)
        g = ((shape - 1 - z) + root) / (2 * shape * z)
        slope_of_root = (-(shape - 1 - z) + 2 * shape) / root
        g1 = g / z - (slope_of_root - 1) / (2 * shape * z)
        mixed = -z * g + z * z * g1
        new = np.array([
            (1 - z * g) / vs_hat,
            (ms_hat**2 + qs_hat) / vs_hat**2 * (1 - 2 * z * g + z * z * g1) - qw_hat / (top * vs_hat) * mixed,
            ms_hat * (1 - z * g) / vs_hat,
            shape / top * (1 / shape - 1 + z * g),
            shape * qw_hat / top**2 * (1 / shape - 1 + z * z * g1)
            - shape * (ms_hat**2 + qs_hat) / (top * vs_hat) * mixed,
        ])  # fmt: skip
        old = np.array([vs, qs, ms, vw, qw])
        vs, qs, ms, vw, qw = 0.5 * old + 0.5 * new
        if np.max(np.abs(new - old)) < 1e-13 * np.max(np.abs(new)):
            break
    return np.arccos(m / np.sqrt(q)) / np.pi, train, v, q, m


def logistic_prox(y, w, v):
    """By bisection."""
    low, high = y * w, y * w + v
    for _ in range(80):
        middle = 0.5 * (low + high)
        up = middle - y * w - v / (1 + np.exp(middle)) > 0
        low, high = np.where(up, low, middle), np.where(up, middle, high)
    p = 1 / (1 + np.exp(low))
    return y * low, 1 / (1 + v * p * (1 - p))
