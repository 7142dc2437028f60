"""Transforms of a block of coordinates: E[(1, x) exp(i t G(z))], x = (z - omega)/V^(1/2), V diagonal.

Of a quadratic form in closed form: with u = R^T x in the axes of V^(1/2) Q V^(1/2), whose eigenvalues are
l_k, and d = R^T V^(1/2) (Q omega + q),

    E exp(i t G) = exp(i t G(omega)) prod_k f_k^(1/2) exp(-f_k (t d_k)^2/2),

f_k = 1/(1 - i t l_k), and u_k has the mean i f_k t d_k. With a coordinate given, t a(z_c) takes
the place of t, and z_c runs over panels that get short where a vanishes and where G has kinks or turns back.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array, Complex, Integers
from hermite_analytics.foundation.panels import panel_rule
from hermite_analytics.foundation.threads import in_threads
from hermite_analytics.label.cases.committee.blocks import Block
from hermite_analytics.label.cases.committee.graded_rule import NODES, graded_rule
from hermite_analytics.label.cases.committee.label_rule import WINDOW, Fineness
from hermite_analytics.label.cases.committee.node_weights import panels_of, weights_of_nodes
from hermite_analytics.label.compiled import compiled

__all__ = ["block_transforms"]


_FAR = 8.5  # standard deviations
_AT_ONCE = 24  # frequencies
_SIDES = 64
_LEAST = -92.0  # logarithm of what is left: numbers that are too small for a processor slow it down
_PHASE = 9.0  # of a panel
_OUTWARDS = 0.5  # width of a panel in its distance from a special point, at most


def block_transforms(
    block: Block, t: Array, omega: Array, variance: Array, fineness: Fineness
) -> tuple[Complex, Complex]:
    """The transforms at n means.

    Parameters
    ----------
    t : ndarray, shape (k,)
        Frequencies of the label, >= 0.
    omega : ndarray, shape (n, p)
        In the order of the block's places.
    variance : ndarray, shape (p,)

    Returns
    -------
    ndarrays, shapes (n, k) and (n, p, k)

    Examples
    --------
    >>> import sympy
    >>> from hermite_analytics.label.cases.committee.blocks import separate_blocks
    >>> z = sympy.symbols("z1:4", real=True)
    >>> block = separate_blocks(z[0] * z[1] + z[2], z).blocks[0]
    >>> fine = Fineness(phase=30.0, least=1e-7)
    >>> plain, _ = block_transforms(
    ...     block, np.array([1.0]), np.zeros((1, 2)), np.ones(2), fine)
    >>> round(float(plain[0, 0].real), 12) == round(2**-0.5, 12)
    True
    """
    inner = len(block.inner)
    root = np.sqrt(variance[:inner])
    eigenvalues, axes = np.linalg.eigh(root[:, None] * block.quadratic * root)
    if not inner:
        return _of_one(block, t, omega[:, 0], float(variance[0]), fineness)
    sides, back = np.unique(omega[:, :inner], axis=0, return_inverse=True)
    form = _Form(
        values=0.5 * np.einsum("ni,ij,nj->n", sides, block.quadratic, sides) + sides @ block.linear,
        slopes=(root * (sides @ block.quadratic + block.linear)) @ axes,
        eigenvalues=eigenvalues,
        axes=axes,
    )
    if block.outer is None:
        found = form.given(t)[back.ravel()]
        return found[:, 0], found[:, 1:]
    outer = omega[:, -1], float(variance[-1])
    return _with_one_given(block, t, form, back.ravel(), outer, fineness)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Form:
    """The quadratic form at some means, in the axes of its curvature: values, d, l, R."""

    values: Array
    slopes: Array
    eigenvalues: Array
    axes: Array

    def given(self, s: Array) -> Complex:
        """E[(1, x) exp(i s G)] of each mean, shape (n, 1 + p, k)."""
        factors = np.asarray(1 / (1 - 1j * s * self.eigenvalues[:, None]), dtype=np.complex128)
        first = np.asarray(np.prod(np.sqrt(factors), axis=0))
        found = _transforms(s, self.values, self.slopes, first, factors)
        found[:, 1:] = self.axes.astype(np.complex128) @ found[:, 1:]
        return found


def _of_one(
    block: Block, t: Array, omega: Array, variance: float, fineness: Fineness
) -> tuple[Complex, Complex]:
    """Of any function of one coordinate."""
    z, density, x, where = _law_of_outer(block, t, omega, variance, fineness)
    wave = _wave(block, t, z, fineness)
    plain, moved = wave @ density, wave @ (density * x)
    return plain.T[where], moved.T[where][:, None]


def _with_one_given(
    block: Block,
    t: Array,
    form: _Form,
    sides: Integers,
    outer: tuple[Array, float],
    fineness: Fineness,
) -> tuple[Complex, Complex]:
    """The same with t a(z_c) for t, summed over z_c."""
    omega, variance = outer
    z, density, x, where = _law_of_outer(block, t, omega, variance, fineness)
    p = len(block.inner)
    plain = np.empty((len(omega), len(t)), dtype=np.complex128)
    moved = np.empty((len(omega), p + 1, len(t)), dtype=np.complex128)
    scale = block.scale(z)
    top = float(t[-1]) * float(np.abs(scale).max())
    edges = panels_of(top, form.eigenvalues, min(_PHASE / fineness.phase, _OUTWARDS))
    given = form.given(panel_rule(edges, NODES)[0])

    def part(rows: slice) -> None:
        wave = density * _wave(block, t[rows], z, fineness)[..., None]
        own, with_x = (weights_of_nodes(t[rows], scale, w, edges) for w in (wave, wave * x))
        plain[:, rows], moved[:, :p, rows] = _summed(given, own, (sides, where))
        moved[:, p, rows] = _summed(given[:, :1], with_x, (sides, where))[0]

    in_threads(part, [slice(k, k + _AT_ONCE) for k in range(0, len(t), _AT_ONCE)])
    return plain, moved


def _law_of_outer(
    block: Block, t: Array, omega: Array, variance: float, fineness: Fineness
) -> tuple[Array, Array, Array, Integers]:
    """(z_c, weights times densities at different means, x there, which one each mean is)."""
    z, weights = _outer_rule(block, t, omega, variance, fineness)
    places, where = np.unique(omega, return_inverse=True)
    deviation = math.sqrt(variance)
    x = (z[:, None] - places) / deviation
    density = weights[:, None] * np.exp(-0.5 * x * x) / (math.sqrt(2 * math.pi) * deviation)
    return z, density, x, where.ravel()


def _summed(given: Complex, weights: Complex, pairs: tuple[Integers, Integers]) -> tuple[Complex, Complex]:
    """Of each pair of omega: sums over nodes of s, of the first function and the others."""
    sides, functions, _ = given.shape
    _, t_count, c_count = weights.shape
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


def _outer_rule(
    block: Block, t: Array, omega: Array, variance: float, fineness: Fineness
) -> tuple[Array, Array]:
    """(z_c, weights)."""
    deviation = math.sqrt(variance)
    low, high = float(omega.min()) - _FAR * deviation, float(omega.max()) + _FAR * deviation
    phase = fineness.phase * (1 if block.shift is None else WINDOW)
    ratio, widest = min(_PHASE / phase, _OUTWARDS), deviation
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
        wave = wave * fineness.kept(t, b - block.labels[0])
    return np.asarray(wave)


def _steepest(block: Block, low: float, high: float) -> float:
    z = np.linspace(low, high, 2001)
    b = np.zeros_like(z) if block.shift is None else block.shift(z)
    return float(np.abs(np.diff(b)).max() / (z[1] - z[0]))


@compiled
def _transforms(s: Array, values: Array, slopes: Array, first: Complex, factors: Complex) -> Complex:
    """E[(1, u) exp(i s G)], shape (n, 1 + p, k)."""
    p, k_count = factors.shape
    found = np.empty((values.size, 1 + p, k_count), dtype=np.complex128)
    for n in range(values.size):
        for k in range(k_count):
            exponent = 1j * (s[k] * values[n])
            for j in range(p):
                exponent -= 0.5 * (s[k] * slopes[n, j]) ** 2 * factors[j, k]
            whole = first[k] * np.exp(exponent) if exponent.real > _LEAST else 0.0 * first[k]
            found[n, 0, k] = whole
            for j in range(p):
                found[n, 1 + j, k] = whole * (1j * (s[k] * slopes[n, j]) * factors[j, k])
    return found
