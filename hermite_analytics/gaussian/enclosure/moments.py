"""Gaussian moments and tails of envelopes: the sizes behind every error bound.

All results are upper bounds as balls, infinite where the envelope does not decay against the Gaussian.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from flint import arb

from hermite_analytics.gaussian.enclosure.envelope import Envelope, Quadratic

__all__ = [
    "Measure",
    "at_most",
    "functional",
    "hermite_mass",
    "moment",
    "norm_1",
    "norm_2",
    "tail",
    "tail_term",
]

Measure = Callable[[int, arb, arb], arb]


def moment(power: int, linear: arb, square: arb) -> arb:
    """Bound of E t^n exp(l t + s t^2), t = |Z|, Z ~ N(0, 1).

    s < 1/2: with v = 1/(1 - 2s), rho = l sqrt v: v^((n+1)/2) E|Z|^n for l <= 0, else (complete the square,
    Minkowski) at most 2 v^((n+1)/2) exp(rho^2/2) (|Z|_n + rho)^n. For s = 1/2, l < 0 it is
    2 n!/((-l)^(n+1) sqrt(2 pi)).
    """
    rest = 1 - 2 * square
    if rest > 0:
        scale = 1 / rest.sqrt()
        absolute = arb(2) ** (arb(power) / 2) * (arb(power + 1) / 2).gamma() / arb.pi().sqrt()
        bound = scale ** (power + 1)
        if linear <= 0:
            return bound * absolute
        shift = linear * scale
        if power == 0:
            return 2 * bound * (shift**2 / 2).exp()
        return 2 * bound * (shift**2 / 2).exp() * (absolute.root(power) + shift) ** power
    if rest >= 0 and linear < 0:
        return 2 * arb(power).fac() / ((-linear) ** (power + 1) * (2 * arb.pi()).sqrt())
    return arb("inf")


def functional(envelope: Envelope, measures: Sequence[Measure]) -> arb:
    """Sum of c prod_i measures[i](n_i, l_i, s_i) over the terms c prod_i t_i^n_i exp(l_i t_i + s_i t_i^2)."""
    total = arb(0)
    for piece in envelope.pieces:
        for powers, coefficient in piece.terms.items():
            term = coefficient
            for measure, n, linear, square in zip(measures, powers, piece.linear, piece.square, strict=True):
                term = term * measure(n, linear, square)
            total = total + term
    return total


def norm_1(envelope: Envelope) -> arb:
    """Bound of E env(|Z|)."""
    return functional(envelope, [moment] * len(envelope.pieces[0].linear))


def norm_2(envelope: Envelope) -> arb:
    """Bound of sqrt(E env(|Z|)^2), by Minkowski."""
    total = arb(0)
    for piece in envelope.pieces:
        for powers, coefficient in piece.terms.items():
            term = coefficient
            for n, linear, square in zip(powers, piece.linear, piece.square, strict=True):
                term = term * moment(2 * n, 2 * linear, 2 * square).sqrt()
            total = total + term
    return total


def hermite_mass(envelope: Envelope, width: arb, degree: int) -> arb:
    """Bound of int |f He_k phi|(x + ib) dx/sqrt(k!) for |b| <= width, k = degree, |f| <= envelope there.

    By Cauchy-Schwarz e^(a^2/2) |f|_2 sqrt(L_k(-a^2)), as E|He_k(Z + ib)|^2 = k! L_k(-b^2). Where the
    second moment is infinite: |He_k(w)| <= k! p^-k exp(p |w| + p^2/2) for every p > 0 (Cauchy's estimate of
    the generating function), with p = sqrt(k)/2. The first bound grows with k.
    """
    growth = (width * width / 2).exp()
    size = norm_2(envelope)
    if size.is_finite() or degree == 0:
        if degree == 0:
            return growth * norm_1(envelope)
        return growth * size * _laguerre(degree, width * width).sqrt()
    count = len(envelope.pieces[0].linear)
    p = arb(degree).sqrt() / 2
    tilted = envelope.times(_tilt(p, count))
    constant = (arb(degree).lgamma() + arb(degree).log()) / 2 - degree * p.log() + p * p / 2 + p * width
    return growth * constant.exp() * norm_1(tilted)


def _tilt(slope: arb, count: int) -> Envelope:
    zero = (arb(0),) * count
    return Quadratic(arb(0), (slope,) * count, zero).exponential()


def _laguerre(degree: int, y: arb) -> arb:
    """L_k(-y) = sum_i C(k, i) y^i/i! for y >= 0: no cancellation."""
    total = term = arb(1)
    for i in range(degree):
        term = term * y * (degree - i) / (i + 1) ** 2
        total = total + term
    return total


def tail_term(start: arb, power: int, linear: arb, square: arb) -> arb:
    """Bound of the integral of 2 g over t > start, g = t^n exp(l t + s t^2) phi(t), possibly infinite.

    g has log-derivative -D with D = (1 - 2s) t - l - n/t increasing, so the integral is at most
    g(start)/D(start) where D(start) > 0; g decreases there, so the same bounds h times any sum of g(jh) over
    jh > start.
    """
    rest = 1 - 2 * square
    decay = rest * start - linear - arb(power) / start
    if not (rest >= 0 and decay > 0):
        return arb("inf")
    exponent = linear * start - rest * start * start / 2
    return start**power * exponent.exp() * 2 / (2 * arb.pi()).sqrt() / decay


def tail(envelope: Envelope, start: arb, power: int = 0) -> arb:
    """Bound of the integral of 2 env(t) t^power phi(t) over t > start, one variable."""
    return functional(envelope, [lambda n, linear, square: tail_term(start, n + power, linear, square)])


def at_most(factor: arb, reach: arb) -> Measure:
    """g -> factor * sup of t^n exp(l t + s t^2) over 0 <= t <= reach."""

    def measure(n: int, linear: arb, square: arb) -> arb:
        growth = linear.max(arb(0)) * reach + square.max(arb(0)) * reach * reach
        return factor * reach**n * growth.exp()

    return measure
