"""Thresholds of sums of many even parts, with noise added or none: products of transforms.

For y = sum_k g_k(z_k) + noise xi with even g_k the matrix G = E[w w^T - I | y] is diagonal: 1/alpha_c is the
largest E[G_ii^2] = int q_i(y)^2/p(y) dy, where

    p(y) = (1/2 pi) int exp(-i t y - noise^2 t^2/2) prod_k phi_k(t) dt,   phi_k(t) = E exp(i t g_k(z)),

and q_i has psi_i(t) = E[(z^2 - 1) exp(i t g_i(z))] in place of phi_i. Transforms of many parts, or of some
and noise, end early; of few parts without noise they do not, and their laws are convolved.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import fft
from sympy import Dummy, Expr

from hermite_analytics.argument.remarks import remark
from hermite_analytics.foundation.clock import check_time
from hermite_analytics.gaussian.zero.coordinates import coordinate_symmetries
from hermite_analytics.label.cases.committee.smooth import panel_rule
from hermite_analytics.label.cases.line.functions import along, full_function, pieces_between
from hermite_analytics.label.reduction.problem import Problem
from hermite_analytics.label.thresholds.result import Threshold, estimated
from hermite_analytics.symbols import xi

__all__ = ["even_parts"]

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]

_T = Dummy("t", real=True)
_LEAST = 4  # parts; of fewer the transforms seldom end
_REACH = 8.5
_PHASE = (6.0, 4.0)  # t g of a panel of z, by level
_NODES = 12  # of it
_WIDTH = (0.5, 0.35)  # of it
_MOST = 3e7  # values of the waves of a part
_FREQUENCIES = (64, 16384)  # tried as the last one, in units of the step
_ENDED = (1e-13, 1e-16)  # of the transforms, by level
_NOISY = 8.6  # exp(-t^2/2) is 1e-16 there
_MANY = 30.0
_RARE = (1e-10, 1e-12)  # density, in the largest, below which rounding is what is left
_SPREAD = 7.5  # deviations of y, besides the reach of one part
_OVER = (4, 8)  # values of y for each frequency
_SAFETY, _FLOOR = 5.0, 1e-11
_ROWS = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """g, less its mean, at nodes of z with weights, and how many have it."""

    z: Array
    weights: Array
    value: Array
    count: int

    def transforms(self, t: Array) -> tuple[Complex, Complex]:
        """phi and psi."""
        phi, psi = np.empty(len(t), dtype=complex), np.empty(len(t), dtype=complex)
        second = self.weights * (self.z**2 - 1)
        for k in range(0, len(t), _ROWS):
            check_time()
            waves = np.exp(1j * t[k : k + _ROWS, None] * self.value)
            phi[k : k + _ROWS], psi[k : k + _ROWS] = waves @ self.weights, waves @ second
        return phi, psi


def even_parts(problem: Problem) -> Threshold | None:
    """None for other labels, and where transforms do not end within some thousand frequencies."""
    parts = _parts(problem)
    if parts is None:
        return None
    noise = abs(float(problem.noise or 0))
    found = [_information(parts, noise, level) for level in (0, 1)]
    if None in found:
        return None
    coarse, fine = (x for x in found if x is not None)
    error = _SAFETY * abs(fine - coarse) + fine * _FLOOR
    return estimated(fine, error, remark("a sum of even parts: products of their transforms"))


def _parts(problem: Problem) -> Counter[Expr] | None:
    """Each part as a function of one letter, and how often it is there."""
    if problem.known or problem.noise is None or len(problem.unknown) < _LEAST:
        return None
    signal = problem.signal.subs(xi, 0) if problem.noise else problem.signal
    if not signal.is_Add or any(p != 1 for p in coordinate_symmetries(signal, problem.unknown).parities):
        return None
    parts = dict.fromkeys(problem.unknown, 0 * _T)
    for term in signal.args:
        used = [w for w in problem.unknown if term.has(w)]
        if len(used) > 1:
            return None
        for w in used:
            parts[w] += term.xreplace({w: _T})
    return Counter(parts.values())


def _information(parts: Counter[Expr], noise: float, level: int) -> float | None:
    """The largest E[G_ii^2]; None where the transforms do not end."""
    rough = [_part(g, count, level, 0.0) for g, count in parts.items()]
    spread = math.sqrt(noise**2 + sum(p.count * float(p.weights @ p.value**2) for p in rough))
    step = math.pi / (_SPREAD * spread + max(float(np.abs(p.value).max()) for p in rough))  # of t
    last, before = _FREQUENCIES[0], math.inf
    while last <= _FREQUENCIES[1]:
        t = np.asarray(step * np.arange(last), dtype=np.float64)
        pieces = [_part(g, count, level, t[-1]) for g, count in parts.items()]
        if max(len(p.z) for p in pieces) * last > _MOST:
            return None
        blur, both = np.exp(-0.5 * (noise * t) ** 2), [p.transforms(t) for p in pieces]
        powers = [phi ** (p.count - 1) for p, (phi, _) in zip(pieces, both, strict=True)]
        whole = blur * math.prod(f * phi for f, (phi, _) in zip(powers, both, strict=True))
        left = float(np.abs(whole[-last // 8 :]).max())
        if left < _ENDED[level]:
            others = (
                math.prod(f * (both[j][0] if j != k else both[k][1]) for j, f in enumerate(powers))
                for k in range(len(pieces))
            )
            return max(_squared(whole, blur * q, step, level) for q in others)
        doublings = min(
            _doublings(before, left, level), math.log2(_NOISY / (noise * t[-1])) if noise else math.inf
        )
        if max(len(p.z) for p in pieces) * last * 4**doublings > _MOST:
            return None
        last, before = 2 * last, left
    return None


def _doublings(before: float, left: float, level: int) -> float:
    """Of the last frequency, until what is left ends, if it falls with a power of it; at most as many."""
    if not before < math.inf:
        return 0.0
    falls = math.log(before / left)
    return min(math.log(left / _ENDED[level]) / falls, _MANY) if falls > 0 else _MANY


def _part(g: Expr, count: int, level: int, last: float) -> _Part:
    """With nodes for frequencies up to the last one."""
    function = along(g, _T)
    value, slope = full_function(function.value), full_function(function.slope)
    kinks = [p.high for p in pieces_between(function, -_REACH, _REACH)[:-1]]
    ends = np.unique([*np.arange(0, _REACH + 0.25, 0.5), *(abs(k) for k in kinks)])
    rules = []
    for a, b in itertools.pairwise(ends):
        steepest = float(np.abs(slope(np.linspace(a, b, 9)[1:-1])).max())
        width = min(_WIDTH[level], _PHASE[level] / max(last * steepest, 1e-9))
        rules.append(panel_rule((a, b), width, nodes=_NODES))
    z, weights = (np.concatenate(x) for x in zip(*rules, strict=True))
    weights = 2 * weights * np.exp(-0.5 * z * z) / math.sqrt(2 * math.pi)
    y = value(z)
    return _Part(z=z, weights=weights, value=y - weights @ y, count=count)


def _squared(p: Complex, q: Complex, step: float, level: int) -> float:
    """int q^2/p dy of two transforms at multiples of a step."""
    size = fft.next_fast_len(_OVER[level] * len(p), real=True)
    dy = 2 * math.pi / (size * step)
    density, moment = (fft.irfft(np.conj(f), n=size) / dy for f in (p, q))
    seen = density > _RARE[level] * density.max()
    return float(np.sum(moment[seen] ** 2 / density[seen]) * dy)
