"""Balls of the functions that python-flint lacks.

Those of one argument work on real and on complex balls alike. Owen's T and the bivariate normal
distribution function are integrals of meromorphic functions by `acb.integral`; the endpoints are
scaled to 0 and 1, so that they are exact.
"""

from __future__ import annotations

from flint import acb, arb

from hermite_analytics.gaussian.enclosure.precision import Ball

__all__ = [
    "hermite",
    "normal_cdf",
    "normal_cdf_2",
    "owen_t",
    "sigmoid",
]


def normal_cdf(x: Ball) -> Ball:
    """Phi(x) = erfc(-x/sqrt 2)/2, which keeps relative accuracy in the lower tail."""
    return (-x / arb(2).sqrt()).erfc() / 2


def sigmoid(x: Ball) -> Ball:
    """1/(1 + exp(-x))."""
    return 1 / (1 + (-x).exp())


def hermite(degree: int, x: Ball) -> Ball:
    """He_degree(x) by the forward recurrence."""
    low, high = x * 0 + 1, x
    if degree == 0:
        return low
    for j in range(1, degree):
        low, high = high, x * high - j * low
    return high


def owen_t(h: arb, a: arb) -> arb:
    """T(h, a) = (1/2pi) int_0^a exp(-h^2 (1 + t^2)/2)/(1 + t^2) dt.

    For |a| > 1 by T(h, a) = (Q(h) + Q(a h))/2 - Q(h) Q(a h) - T(a h, 1/a), h >= 0, Q = 1 - Phi: the usual
    reflection (Owen 1956), written in tail probabilities so that nothing cancels for large h.
    """
    if a < 0:
        return -owen_t(h, -a)
    if a.mid() <= 1 or not a > 0:
        return _owen_inner(h, a)
    h = abs(h)
    near, far = normal_cdf(-h), normal_cdf(-a * h)
    return (near + far) / 2 - near * far - _owen_inner(a * h, 1 / a)


def _owen_inner(h: arb, a: arb) -> arb:
    """a exp(-h^2/2)/(2 pi) int_0^1 exp(-(h a u)^2/2)/(1 + (a u)^2) du."""

    def integrand(u: acb, analytic: bool) -> acb:
        square = (a * u) ** 2
        return (-h * h * square / 2).exp() / (1 + square)

    return a * (-h * h / 2).exp() / (2 * arb.pi()) * acb.integral(integrand, 0, 1).real


def normal_cdf_2(h: arb, k: arb, rho: arb) -> arb:
    """P(X <= h, Y <= k) for standard normals of correlation rho.

    Plackett 1954: Phi(h) Phi(k) + (1/2pi) int_0^asin(rho) exp(-(h^2 + k^2 - 2 h k sin t)/(2 cos^2 t)) dt;
    h^2 + k^2 - 2 h k sin t = (h -+ k)^2 +- 2 h k (1 -+ sin t), so that the exponent stays finite for h = k.
    At rho = 1 and -1 the limits Phi(min(h, k)) and max(0, Phi(h) + Phi(k) - 1).
    """
    if rho == 1:
        return normal_cdf(h.min(k))
    if rho == -1:
        return (normal_cdf(h) - normal_cdf(-k)).max(arb(0))
    angle = rho.asin()
    sign = -1 if rho < 0 else 1
    difference = h - sign * k
    gap = difference * difference / 2
    product = sign * h * k

    def integrand(u: acb, analytic: bool) -> acb:
        t = angle * u
        sine = sign * t.sin()
        exponent = product / (1 + sine)
        if not gap.is_zero():
            exponent = exponent + gap / t.cos() ** 2
        return (-exponent).exp()

    return normal_cdf(h) * normal_cdf(k) + angle / (2 * arb.pi()) * acb.integral(integrand, 0, 1).real
