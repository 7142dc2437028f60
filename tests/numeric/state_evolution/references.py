"""Answers by other ways that several tests compare with, and the maps that they are of."""

from __future__ import annotations

import functools

import numpy as np
from scipy.special import ive
from scipy.stats import chi2

import hermite_analytics as ha
from hermite_analytics.label.cases.committee.products import product_parts
from hermite_analytics.numeric.bayes.maps.parts_map import PartsMap
from hermite_analytics.symbols import variable


def of_a_sum_of_squares(r, m):
    """F of |z|^2: given omega and the length of z its mean has a known length; Gauss rules over both."""
    v, (x, w) = 1 - m, np.polynomial.legendre.leggauss(200)
    top = np.sqrt(m * chi2.isf(1e-13, r))
    lengths, shares = top / 2 * (1 + x), top / 2 * w
    shares = shares * chi2.pdf(lengths**2 / m, r) * 2 * lengths / m
    found = 0.0
    for length, share in zip(lengths, shares, strict=True):
        low, high = max(0.0, length - 9 * v**0.5), length + v**0.5 * (9 + r**0.5)
        t = (low + high) / 2 + (high - low) / 2 * x
        at = length * t / v
        density = t / v * (t / length) ** (r / 2 - 1) * np.exp(-((t - length) ** 2) / 2 / v)
        density, mean = density * ive(r / 2 - 1, at), t * ive(r / 2, at) / ive(r / 2 - 1, at)
        found += share * (high - low) / 2 * float(w @ (density * (mean - length) ** 2))
    return found / (r * v * v)


@functools.cache
def product(label, count):
    """F of a product, without symmetries."""
    variables = [variable(i + 1) for i in range(count)]
    return PartsMap.of(product_parts(ha.Target(label).expression, variables), None)


def normal(m, count):
    """Gauss nodes and weights of N(0, m)."""
    x, w = np.polynomial.hermite_e.hermegauss(count)
    return np.sqrt(m) * x, w / w.sum()
