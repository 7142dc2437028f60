"""Thresholds of sums of many even parts, with noise added or none: products of transforms.

For y = sum_k g_k(z_k) + noise xi with even g_k the matrix G = E[w w^T - I | y] is diagonal: 1/alpha_c is the
largest E[G_ii^2] = int q_i(y)^2/p(y) dy, where

    p(y) = (1/2 pi) int exp(-i t y - noise^2 t^2/2) prod_k phi_k(t) dt,   phi_k(t) = E exp(i t g_k(z)),

and q_i has psi_i(t) = E[(z^2 - 1) exp(i t g_i(z))] in place of phi_i. Transforms of many parts, or of some
and noise, end early. Those of few parts without noise fall like t^(-b): p has powers b - 1 of the distance
from its singular labels, a blur h of the label loses h^(2 b - 1), ..., and `SmoothLaw` has the limit.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from sympy import Add, Expr

from hermite_analytics.argument.remarks import remark
from hermite_analytics.foundation.clock import check_time
from hermite_analytics.foundation.numpy_arrays import Array, Complex
from hermite_analytics.foundation.panels import panel_rule
from hermite_analytics.gaussian.zero.coordinates import coordinate_symmetries
from hermite_analytics.label.cases.committee.smooth import LARGEST_POWER, SmoothLaw
from hermite_analytics.label.cases.line.functions import along, pieces_between
from hermite_analytics.label.orders.separate import separate_parts
from hermite_analytics.label.reduction.problem import Problem
from hermite_analytics.label.thresholds.result import Threshold, estimated
from hermite_analytics.symbols import variable, xi

__all__ = ["even_parts"]

_T = variable(1)
_MANY_PARTS = 7  # for which convolutions take long: fewer digits by transforms are worth it
_LEAST = 4  # parts; of fewer the transforms seldom end
_REACH = 8.5
_NODES = 12  # of a panel of z
_BESIDE = 1e-9
_SHARP = 1e-6  # relative error
_FREQUENCIES = (64, 16384)  # tried as the last one, in units of the step
_OF_SQUARES = 2**19  # the same where all transforms have closed forms
_NOISY = 8.6  # exp(-t^2/2) is 1e-16 there
_MOST_DOUBLINGS = 30.0
_SPREAD = 7.5  # deviations of y, besides the reach of one part
_SAFETY, _FLOOR = 5.0, 1e-11
_SLOWEST, _CHANGE = 1.0, 1.0  # power of a blur that is lost; error in what twice the frequencies change
_AT_ONCE = 1_000_000  # values of waves


class _Rule(NamedTuple):
    """Where transforms count as ended, and of what density, in the largest, no more than rounding is left.

    Then: the width of a panel of z, and what t g may be on it; values of y for each frequency; and the most
    values of the waves of all parts.
    """

    ended: float
    rare: float
    width: float
    phase: float
    over: int
    most: float


_RULES = (
    (_Rule(1e-13, 1e-10, 0.5, 6.0, 4, 6e7), _Rule(1e-16, 1e-12, 0.35, 4.0, 8, 6e7)),
    (_Rule(1e-12, 1e-9, 0.5, 6.0, 4, 0.0), _Rule(1e-13, 1e-10, 0.35, 4.0, 8, 0.0)),  # of squares alone
    (_Rule(1e-10, 1e-7, 0.5, 6.0, 4, 1e8), _Rule(1e-11, 1e-8, 0.35, 4.0, 8, 1e8)),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """g, less its mean, at nodes of z with weights, and how many have it; its a where g = a z^2."""

    z: Array
    weights: Array
    value: Array
    count: int
    of_square: float | None = None

    def transforms(self, t: Array) -> tuple[Complex, Complex]:
        """phi and psi."""
        if self.of_square is not None:
            root = 1 / np.sqrt(1 - 2j * self.of_square * t)
            phi = np.exp(-1j * self.of_square * t) * root
            return phi, phi * (root * root - 1)
        phi, psi = np.empty(len(t), dtype=complex), np.empty(len(t), dtype=complex)
        second = self.weights * (self.z**2 - 1)
        rows = max(1, _AT_ONCE // len(self.z))
        for k in range(0, len(t), rows):
            check_time()
            waves = np.exp(1j * t[k : k + rows, None] * self.value)
            phi[k : k + rows], psi[k : k + rows] = waves @ self.weights, waves @ second
        return phi, psi


def even_parts(problem: Problem) -> Threshold | None:
    """None for other labels, and where transforms do not end within the frequencies that are tried."""
    parts = _parts(problem)
    if parts is None:
        return None
    noise = abs(float(problem.noise or 0))
    pays = len(problem.unknown) >= _MANY_PARTS or all(map(_square, parts))
    rules_that_pay = _RULES if pays else _RULES[:1]
    for first, second in rules_that_pay:
        coarse = _information(parts, noise, first)
        fine = None if coarse is None else _information(parts, noise, second)
        if coarse is None or fine is None:
            continue
        error = _SAFETY * abs(fine - coarse) + fine * _FLOOR
        found = estimated(fine, error, remark("a sum of even parts: products of their transforms"))
        few = len(problem.unknown) < _MANY_PARTS
        return replace(found, is_rough=few and error > _SHARP * fine)  # convolutions may know more
    return None if noise else _by_blurs(parts)


def _parts(problem: Problem) -> Counter[Expr] | None:
    """Each part as a function of one letter, and how often it is there."""
    if problem.known or problem.noise is None or len(problem.unknown) < _LEAST:
        return None
    apart = separate_parts(problem.signal, problem.unknown)
    if apart is None or apart.joined is not Add:
        return None
    even = all(p == 1 for p in coordinate_symmetries(problem.signal.subs(xi, 0), problem.unknown).parities)
    return Counter(apart.parts.values()) if even and all(map(_is_bounded, apart.parts.values())) else None


def _is_bounded(g: Expr) -> bool:
    """Whether a part has no pole: beside its pieces' ends it is no larger than elsewhere."""
    function = along(g, _T)
    ends = np.array([0.0, *(p.high for p in pieces_between(function, -_REACH, _REACH)[:-1])])
    beside, elsewhere = (np.abs(function.value(z)) for z in (ends + _BESIDE, np.linspace(0.01, _REACH, 850)))
    return bool(beside.max() <= 2 * elsewhere.max())


def _information(parts: Counter[Expr], noise: float, rule: _Rule) -> float | None:
    """The largest E[G_ii^2]; None where the transforms do not end."""
    step, last, before = _step(parts, noise, rule), _FREQUENCIES[0], math.inf
    squares = all(map(_square, parts))
    while last <= (_OF_SQUARES if squares else _FREQUENCIES[1]):
        t = np.asarray(step * np.arange(last), dtype=np.float64)
        pieces = [_part(g, count, rule, t[-1]) for g, count in parts.items()]
        work = sum(len(p.z) for p in pieces if p.of_square is None) * last
        if work > rule.most:
            return None
        whole, moments = _products(pieces, noise, t)
        left = float(np.abs(whole[-last // 8 :]).max())
        if left < rule.ended:
            return max(_squared(whole, moment, step, rule) for moment in moments)
        doublings = _doublings(before, left, rule.ended)
        if noise:
            doublings = min(doublings, math.log2(_NOISY / (noise * t[-1])))
        if work * 4**doublings > rule.most or (squares and last * 2**doublings > 8 * _OF_SQUARES):
            return None
        last, before = 2 * last, left
    return None


def _step(parts: Counter[Expr], noise: float, rule: _Rule) -> float:
    """Of t."""
    rough = [_part(g, count, rule, 0.0) for g, count in parts.items()]
    spread = math.sqrt(noise**2 + sum(p.count * float(p.weights @ p.value**2) for p in rough))
    return math.pi / (_SPREAD * spread + max(float(np.abs(p.value).max()) for p in rough))


def _by_blurs(parts: Counter[Expr]) -> Threshold | None:
    """From transforms that end late; None where they hardly fall.

    What twice the frequencies change counts in the error too.
    """
    rule, found = _RULES[0][0], list[list[SmoothLaw]]()
    step, last = _step(parts, 0.0, rule), _FREQUENCIES[0]
    while (law := _late_laws(parts, step, last, rule)) is not None:
        found, last = [*found[-1:], law], 2 * last
    if len(found) < 2 or (found[-1][0].power or 0) < _SLOWEST:
        return None
    few, many = ([law.best() for law in laws] for laws in found)
    k = max(range(len(many)), key=lambda k: many[k][0])
    value, error = many[k]
    error = max(error, _CHANGE * abs(value - few[k][0])) + value * _FLOOR
    threshold = estimated(value, error, remark("a sum of even parts: products of their transforms, blurred"))
    return replace(threshold, is_rough=error > _SHARP * value)


def _late_laws(parts: Counter[Expr], step: float, last: int, rule: _Rule) -> list[SmoothLaw] | None:
    """Of the moments of each kind of part; None where nodes are too many."""
    t = np.asarray(step * np.arange(last), dtype=np.float64)
    pieces = [_part(g, count, rule, t[-1]) for g, count in parts.items()]
    if sum(len(p.z) for p in pieces) * last > rule.most:
        return None
    whole, moments = _products(pieces, 0.0, t)
    before, left = (float(np.abs(x).max()) for x in np.split(whole[last // 4 :], [last // 4]))
    masses, power = np.conj(whole)[None], min(2 * math.log2(before / left) - 1, LARGEST_POWER)
    return [SmoothLaw(t, masses, np.conj(m)[None], 0.0, False, power) for m in moments]


def _products(parts: Sequence[_Part], noise: float, t: Array) -> tuple[Complex, list[Complex]]:
    """The transform of y, and for each kind of part that with psi in place of one phi."""
    both = [p.transforms(t) for p in parts]
    blur = np.exp(-0.5 * (noise * t) ** 2)
    rest = blur * math.prod(phi ** (p.count - 1) for p, (phi, _) in zip(parts, both, strict=True))
    phis = [phi for phi, _ in both]
    moments = [
        rest * psi * math.prod([*phis[:k], *phis[k + 1 :]], start=np.ones(len(t), dtype=complex))
        for k, (_, psi) in enumerate(both)
    ]
    return rest * math.prod(phis), moments


def _doublings(before: float, left: float, ended: float) -> float:
    """Of the last frequency, until what is left ends, if it falls with a power of it; at most as many."""
    if not before < math.inf:
        return 0.0
    falls = math.log(before / left)
    return min(math.log(left / ended) / falls, _MOST_DOUBLINGS) if falls > 0 else _MOST_DOUBLINGS


def _part(g: Expr, count: int, rule: _Rule, last: float) -> _Part:
    """With nodes for frequencies up to the last one."""
    square = _square(g)
    last = last if square is None else 0.0
    function = along(g, _T)
    kinks = [p.high for p in pieces_between(function, -_REACH, _REACH)[:-1]]
    ends = np.unique([*np.arange(0, _REACH + 0.25, 0.5), *(abs(k) for k in kinks)])
    rules = []
    for a, b in itertools.pairwise(ends):
        steepest = float(np.abs(function.slope(np.linspace(a, b, 9)[1:-1])).max())
        width = min(rule.width, rule.phase / max(last * steepest, 1e-9))
        rules.append(panel_rule([a, b], _NODES, widest=width))
    z, weights = (np.concatenate(x) for x in zip(*rules, strict=True))
    weights = 2 * weights * np.exp(-0.5 * z * z) / math.sqrt(2 * math.pi)
    y = function.value(z)
    return _Part(z=z, weights=weights, value=y - weights @ y, count=count, of_square=square)


def _square(g: Expr) -> float | None:
    """a of a z^2."""
    factor = g.coeff(_T, 2)
    return float(factor) if g == factor * _T**2 else None


def _squared(p: Complex, q: Complex, step: float, rule: _Rule) -> float:
    """int q^2/p dy of two transforms at multiples of a step."""
    from scipy import fft

    size = fft.next_fast_len(rule.over * len(p), real=True)
    dy = 2 * math.pi / (size * step)
    density, moment = (fft.irfft(np.conj(f), n=size) / dy for f in (p, q))
    seen = density > rule.rare * density.max()
    return float(np.sum(moment[seen] ** 2 / density[seen]) * dy)
