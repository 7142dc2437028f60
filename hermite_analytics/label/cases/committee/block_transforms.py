"""Transforms of a block of coordinates: E[(1, x) exp(i t G(z) + i b.x)], x = (z - omega)/V^(1/2), V diagonal.

Of a quadratic form in closed form: with u = R^T x in the axes of V^(1/2) Q V^(1/2), whose eigenvalues are
l_k, and d = R^T V^(1/2) (Q omega + q), beta = R^T b,

    E exp(i t G + i b.x) = exp(i t G(omega)) prod_k (1 - i t l_k)^(-1/2) exp(-(t d_k + beta_k)^2/(1 - i t l_k)/2),

and u_k has the mean i (t d_k + beta_k)/(1 - i t l_k). With a coordinate given, t a(z_c) takes the place of t,
and z_c runs over panels that get short where a vanishes and where G has kinks or turns back.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.foundation.threads import in_threads
from hermite_analytics.label.cases.committee.blocks import Block
from hermite_analytics.label.compiled import compiled

__all__ = ["Fineness", "block_transforms", "graded_rule"]

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]
Integers = NDArray[np.int64]

_FAR = 8.5  # standard deviations
_NODES = 10  # of a panel
_AT_ONCE = 24  # frequencies
_SIDES = 64
_CLOSE = 0.05  # s up to which transforms are polynomials
_SETTLED = 10.0
_FLAT = 1e-12
_LEAST = -92.0  # logarithm of what is left: numbers that are too small for a processor slow it down
_PHASE = 9.0  # of a panel
_OUTWARDS = 0.5  # width of a panel in its distance from a special point, at most
_POWER = 8
_NOTHING = 36.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Fineness:
    """How fine rules for a law are.

    Attributes
    ----------
    phase : float
        t times the distance from a singular label up to which the transform at t tells of it.
    turns : float
        The same of a coordinate that is given and the label of the others.
    least : float
        Distance from a singular label below which nothing is told apart.
    """

    phase: float
    turns: float
    least: float


def _cut_off(x: Array) -> Array:
    """1 below about .7, and nothing from 1 on."""
    return np.asarray(np.exp(-_NOTHING * np.minimum(np.abs(x), 2.0) ** _POWER))


def graded_rule(
    special: Sequence[float], low: float, high: float, *, widest: float, ratio: float, least: float
) -> tuple[Array, Array]:
    """(points, weights) of Gauss and Legendre on panels as wide as a share of the distance from such points.

    Examples
    --------
    >>> z, w = graded_rule((0.0,), -1.0, 2.0, widest=1.0, ratio=0.5, least=1e-9)
    >>> round(float(w @ np.abs(z) ** 0.5), 10) == round((1 + 2**1.5) / 1.5, 10)
    True
    """
    ends = [low, *(s for s in special if low < s < high), high]
    edges: list[float] = []
    for k, (a, b) in enumerate(zip(ends[:-1], ends[1:], strict=True)):
        left = _steps(b - a, widest, ratio, least) if k else None
        right = _steps(b - a, widest, ratio, least) if k < len(ends) - 2 else None
        edges += _between(a, b, left, right, widest)
    edges.append(high)
    x, w = np.polynomial.legendre.leggauss(_NODES)
    lengths = np.diff(edges)
    starts = np.array(edges[:-1])
    z = starts[:, None] + 0.5 * lengths[:, None] * (x + 1)
    return z.ravel(), (0.5 * lengths[:, None] * w).ravel()


def _steps(length: float, widest: float, ratio: float, least: float) -> list[float]:
    """Distances from a special point up to the length."""
    found, d = [], min(least, 0.25 * length)
    while d < length:
        found.append(d)
        d += min(ratio * d, widest)
    return found


def _between(
    a: float, b: float, left: list[float] | None, right: list[float] | None, widest: float
) -> list[float]:
    """Edges from a up to, but without, b."""
    if left is None and right is None:
        return np.linspace(a, b, max(1, math.ceil((b - a) / widest)) + 1)[:-1].tolist()
    half = 0.5 * (b - a) if left is not None and right is not None else b - a
    found = [a]
    if left is not None:
        found += [a + d for d in left if d < half]
    if right is not None:
        if left is not None:
            found.append(a + half)
        found += [b - d for d in reversed(right) if d < half]
    return found


def block_transforms(
    block: Block, t: Array, omega: Array, variance: Array, tilts: Array, fineness: Fineness
) -> tuple[Complex, Complex]:
    """The transforms at n means.

    Parameters
    ----------
    t : ndarray, shape (k,)
        Frequencies of the label, >= 0.
    omega : ndarray, shape (n, p)
        In the order of the block's places.
    variance : ndarray, shape (p,)
    tilts : ndarray, shape (l, p)
        b.

    Returns
    -------
    ndarrays, shapes (n, l, k) and (n, p, l, k)

    Examples
    --------
    >>> import sympy
    >>> from hermite_analytics.label.cases.committee.blocks import separate_blocks
    >>> z = sympy.symbols("z1:4", real=True)
    >>> block = separate_blocks(z[0] * z[1] + z[2], z).blocks[0]
    >>> fine = Fineness(phase=30.0, turns=30.0, least=1e-7)
    >>> plain, _ = block_transforms(
    ...     block, np.array([1.0]), np.zeros((1, 2)), np.ones(2), np.zeros((1, 2)), fine)
    >>> round(float(plain[0, 0, 0].real), 12) == round(2**-0.5, 12)
    True
    """
    n, p = omega.shape
    inner = len(block.inner)
    root = np.sqrt(variance[:inner])
    eigenvalues, axes = np.linalg.eigh(root[:, None] * block.quadratic * root)
    sides, back = np.unique(omega[:, :inner], axis=0, return_inverse=True)
    values = 0.5 * np.einsum("ni,ij,nj->n", sides, block.quadratic, sides) + sides @ block.linear
    slopes = (root * (sides @ block.quadratic + block.linear)) @ axes
    turned = tilts[:, :inner] @ axes
    plain = np.empty((n, len(tilts), len(t)), dtype=np.complex128)
    moved = np.empty((n, p, len(tilts), len(t)), dtype=np.complex128)
    if block.outer is None:
        first, factors = _quadratic_factors(t[:, None], eigenvalues)
        for l, beta in enumerate(turned):
            for j in range(len(sides)):
                found = _given(t[:, None], values[j], slopes[j], beta, first, factors)[:, :, 0]
                rows = back.ravel() == j
                plain[rows, l], moved[rows, :, l] = found[0], axes @ found[1:]
        return plain, moved
    z, weights = _outer_rule(block, t, omega[:, -1], float(variance[-1]), fineness)
    places, where = np.unique(omega[:, -1], return_inverse=True)
    deviation = math.sqrt(float(variance[-1]))
    x = (z[:, None] - places) / deviation
    density = weights[:, None] * np.exp(-0.5 * x * x) / (math.sqrt(2 * math.pi) * deviation)
    if not inner:
        wave = _wave(block, t, z, fineness)
        for l, (b,) in enumerate(tilts):
            tilted = density * (np.exp(1j * float(b) * x) if b else 1.0)
            own, with_x = (wave @ w for w in (tilted, tilted * x))
            plain[:, l], moved[:, 0, l] = own.T[where.ravel()], with_x.T[where.ravel()]
        return plain, moved
    scale = block.scale(z)
    edges = _panels_of(float(t[-1]) * float(np.abs(scale).max()), eigenvalues, fineness)
    nodes = _legendre_nodes(edges)
    first, factors = _quadratic_factors(nodes[None], eigenvalues)
    pairs = back.ravel(), where.ravel()
    for l, beta in enumerate(turned):
        given = np.stack(
            [_given(nodes[None], values[j], slopes[j], beta, first, factors)[:, 0] for j in range(len(sides))]
        )
        given[:, 1:] = np.einsum("iu,juk->jik", axes, given[:, 1:])

        def part(rows: slice, given: Complex = given, l: int = l) -> None:
            tilt = np.exp(1j * float(tilts[l, -1]) * x) if tilts[l, -1] else 1.0
            wave = density[None] * tilt * _wave(block, t[rows], z, fineness)[..., None]
            own, with_x = (_weights_of_nodes(t[rows], scale, w, edges) for w in (wave, wave * x))
            plain[:, l, rows], moved[:, :inner, l, rows] = _summed(given, own, pairs)
            moved[:, inner, l, rows] = _summed(given[:, :1], with_x, pairs)[0]

        in_threads(part, [slice(k, k + _AT_ONCE) for k in range(0, len(t), _AT_ONCE)])
    return plain, moved


def _summed(given: Complex, weights: Complex, pairs: tuple[Integers, Integers]) -> tuple[Complex, Complex]:
    """Of each pair of omega: sums over nodes of s, of the first function and the others."""
    sides, functions, _ = given.shape
    k_count, t_count, c_count = weights.shape
    used = np.flatnonzero(np.abs(weights).max(axis=(1, 2)))
    rows = slice(int(used[0]), int(used[-1]) + 1)
    right = _stacked(weights[rows].reshape(-1, t_count * c_count))
    found = np.empty((len(pairs[0]), functions, t_count), dtype=np.complex128)
    for j in range(0, sides, _SIDES):
        left = given[j : j + _SIDES, :, rows].reshape(-1, right[0].shape[0])
        sums = _product(left, right).reshape(-1, functions, t_count, c_count)
        mine = np.flatnonzero((pairs[0] >= j) & (pairs[0] < j + _SIDES))
        found[mine] = sums[pairs[0][mine] - j, :, :, pairs[1][mine]]
    return found[:, 0], found[:, 1:]


def _stacked(matrix: Complex) -> tuple[Array, Array | None]:
    """(real part, imaginary part if any)."""
    imaginary = np.ascontiguousarray(matrix.imag)
    return np.ascontiguousarray(matrix.real), imaginary if imaginary.any() else None


def _product(left: Complex, right: tuple[Array, Array | None]) -> Complex:
    n = len(left)
    both = np.concatenate([left.real, left.imag])
    real = both @ right[0]
    found = real[:n] + 1j * real[n:]
    if right[1] is not None:
        turned = both @ right[1]
        found = found + 1j * turned[:n] - turned[n:]
    return np.asarray(found)


def _panels_of(top: float, eigenvalues: Array, fineness: Fineness) -> Array:
    """Edges of panels of s on which transforms given z_c are polynomials, on both sides of 0.

    They turn up to s about 10/l, and are then smooth functions of log s.
    """
    curved = np.abs(eigenvalues[np.abs(eigenvalues) > _FLAT])
    slow = _SETTLED / min(float(curved.min(initial=1.0)), 1.0)
    ratio = min(_PHASE / fineness.turns, _OUTWARDS)
    edges = [0.0, _CLOSE]
    while edges[-1] < top:
        edges.append(edges[-1] * (1 + (ratio if edges[-1] < slow else 1.0)))
    return np.array([*(-e for e in reversed(edges)), *edges[1:]])


def _legendre_nodes(edges: Array) -> Array:
    x = np.polynomial.legendre.leggauss(_NODES)[0]
    return np.asarray((edges[:-1, None] + 0.5 * np.diff(edges)[:, None] * (x + 1)).ravel())


def _weights_of_nodes(t: Array, scale: Array, waves: Complex, edges: Array) -> Complex:
    """What each node of s counts for sums over z of functions of s = t a(z): shape (nodes, k, c)."""
    x, w = np.polynomial.legendre.leggauss(_NODES)
    barycentric = (-1.0) ** np.arange(_NODES) * np.sqrt((1 - x * x) * w)
    found = np.zeros(((len(edges) - 1) * _NODES, len(t), waves.shape[2]), dtype=np.complex128)
    _add_weights(t, scale, np.ascontiguousarray(waves), edges, x, barycentric, found)
    return found


@compiled
def _add_weights(
    t: Array, scale: Array, waves: Complex, edges: Array, x: Array, barycentric: Array, out: Complex
) -> None:
    """Lagrange's polynomials on the panel of each s."""
    values = np.empty(x.size)
    for k in range(t.size):
        row = min(k, waves.shape[0] - 1)
        for z in range(scale.size):
            s = t[k] * scale[z]
            panel = min(max(np.searchsorted(edges, s, side="right") - 1, 0), edges.size - 2)
            u = 2.0 * (s - edges[panel]) / (edges[panel + 1] - edges[panel]) - 1.0
            total = 0.0
            for i in range(x.size):
                gap = u - x[i]
                values[i] = barycentric[i] / (gap if abs(gap) > 1e-14 else 1e-14)
                total += values[i]
            for c in range(waves.shape[2]):
                wave = waves[row, z, c]
                if abs(wave.real) + abs(wave.imag) > 1e-18:
                    for i in range(x.size):
                        out[panel * x.size + i, k, c] += wave * (values[i] / total)


def _outer_rule(
    block: Block, t: Array, omega: Array, variance: float, fineness: Fineness
) -> tuple[Array, Array]:
    """(z_c, weights)."""
    deviation = math.sqrt(variance)
    low, high = float(omega.min()) - _FAR * deviation, float(omega.max()) + _FAR * deviation
    turns = fineness.turns if block.shift is None else max(fineness.turns, 3 * fineness.phase)
    ratio, widest = min(_PHASE / turns, _OUTWARDS), deviation
    if not block.special:
        widest = min(widest, _PHASE / (float(t[-1]) * _steepest(block, low, high) + 1e-300))
    return graded_rule(block.special, low, high, widest=widest, ratio=ratio, least=fineness.least)


def _wave(block: Block, t: Array, z: Array, fineness: Fineness) -> Complex:
    """exp(i t b(z)) without what turns too fast to count, shape (k or 1, z)."""
    if block.shift is None:
        return np.ones((1, len(z)), dtype=np.complex128)
    b = block.shift(z)
    wave = np.exp(1j * np.outer(t, b))
    if block.labels:
        wave = wave * _cut_off(np.outer(t, b - block.labels[0]) / (3 * fineness.phase))
    return np.asarray(wave)


def _steepest(block: Block, low: float, high: float) -> float:
    z = np.linspace(low, high, 2001)
    b = np.zeros_like(z) if block.shift is None else block.shift(z)
    return float(np.abs(np.diff(b)).max() / (z[1] - z[0]))


def _quadratic_factors(s: Array, eigenvalues: Array) -> tuple[Complex, Complex]:
    """(prod_k (1 - i s l_k)^(-1/2), 1/(1 - i s l_k)), shapes (k, z) and (p, k, z)."""
    factors = 1 / (1 - 1j * s * eigenvalues[:, None, None])
    return np.asarray(np.prod(np.sqrt(factors), axis=0)), factors


@compiled
def _given(s: Array, value: float, slopes: Array, beta: Array, first: Complex, factors: Complex) -> Complex:
    """E[(1, u) exp(i s G + i beta.u)], times another factor: shape (1 + p, k, z)."""
    p, k_count, z_count = factors.shape
    found = np.empty((1 + p, k_count, z_count), dtype=np.complex128)
    for k in range(k_count):
        for z in range(z_count):
            exponent = 1j * (s[k, z] * value)
            for j in range(p):
                moved = s[k, z] * slopes[j] + beta[j]
                exponent -= 0.5 * moved * moved * factors[j, k, z]
            whole = first[k, z]
            whole = whole * np.exp(exponent) if exponent.real > _LEAST else 0.0 * whole
            found[0, k, z] = whole
            for j in range(p):
                found[1 + j, k, z] = whole * (1j * (s[k, z] * slopes[j] + beta[j]) * factors[j, k, z])
    return found
