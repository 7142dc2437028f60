"""Factors of a product that are quadratic forms of several coordinates: the law of their logarithm.

Of a form G the transform phi(t) = E exp(i t G) is a closed form, see `block_transforms`. By Mellin, with
s = log t,

    E |G|^(i k) = int exp(-i k s) Re phi(e^s) ds/(Gamma(-i k) cosh(pi k/2)),
    E sign(G) |G|^(i k) = i int exp(-i k s) Im phi(e^s) ds/(Gamma(-i k) sinh(pi k/2)),

the first one for the difference from a normal G, whose averages are known. In equal steps of s all k come
from one FFT. At large t phi is that of the places where the density of G is singular, and turns like the
frequency k = t |G|: where these are off 0 it is cut off beyond the frequencies that are wanted.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sympy import Expr, S, Symbol

from hermite_analytics.foundation.numpy_arrays import Array, Complex
from hermite_analytics.label.cases.committee.block_transforms import block_transforms
from hermite_analytics.label.cases.committee.blocks import Block, quadratic_block
from hermite_analytics.label.cases.committee.label_rule import Fineness
from hermite_analytics.label.cases.committee.parts import Part
from hermite_analytics.language.affine import linear_part
from hermite_analytics.symbols import xi

__all__ = ["SumFactor", "sum_factor"]


_SAME = 1e-9
_SMALLEST, _LARGEST = 1e-14, 1e30  # t, in the size of G
_NOTHING = 1e-14  # of a transform
_LOOKED_AT = 400  # t, for its end
_OVERSAMPLED = 2  # steps of s, in those that the largest frequency asks for: others are not folded back
_PHASE, _BEYOND = 64.0, 3.0  # t |G| that is kept, at least, and in the largest frequency
_PRIOR = (160.0, 2048)  # of the logarithm of G: range, frequencies
_BLUR = 0.1  # of these, so that jumps of the density do not ring
_SHARE = 1e-10  # probability of negative values
_RARE = 1e-12  # of a value that is left out
_LAST = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class SumFactor:
    """G = block + number + noise * xi.

    Attributes
    ----------
    block : Block
        A quadratic form, along its axes.
    parts : tuple of Part
        Coordinates, or blocks of such of which only the norm enters.
    number, noise : float
    """

    block: Block
    parts: tuple[Part, ...]
    number: float
    noise: float

    @property
    def count(self) -> int:
        """One factor."""
        return 1

    @property
    def flat(self) -> bool:
        """Whether it is constant on some interval."""
        return False

    @property
    def moves(self) -> bool:
        return True

    @property
    def nonzero(self) -> float:
        """The probability that it is not 0."""
        return 1.0

    @property
    def has_negative(self) -> bool:
        """Whether it takes negative values."""
        return float(self._prior()[1][1].sum()) > _SHARE

    def logarithms(self) -> tuple[Array, Array, int]:
        """Of |G|, their probabilities, and 1."""
        logs, masses = self._prior()
        return logs, masses.sum(0), 1

    def end(self, k: Array, signs: int) -> float:
        """What it leaves of the last of these frequencies."""
        count = len(self.parts)
        plain, _ = self.averages(k, np.zeros((1, count)), np.ones(count), signs)
        return float(np.abs(plain[:, 0, -_LAST:]).max())

    def averages(self, k: Array, omega: Array, variance: Array, signs: int) -> tuple[Complex, Complex]:
        """Averages of |G|^(i k) and sign(G) |G|^(i k), and with x = (z - omega)/variance^(1/2).

        Parameters
        ----------
        k : ndarray
            Equally spaced frequencies from 0 on.
        omega : ndarray, shape (n, parts)
            Of the coordinates; of norms the length, and x is along it.
        variance : ndarray, shape (parts,)
        signs : 1 or 2

        Returns
        -------
        ndarrays, shapes (signs, n, k) and (signs, n, parts, k)
        """
        width, last = 2 * math.pi / float(k[1]), len(k) - 1
        lattice = 2 * _OVERSAMPLED * last
        fineness = Fineness(phase=max(_PHASE, _BEYOND * float(k[-1])), least=0.0)
        low = math.log(_SMALLEST / self._size)
        turns = math.ceil((self._end(variance, fineness) - low) / width)
        t = np.exp(low + width / lattice * np.arange(turns * lattice))
        plain, moved = self._transforms(t, omega, variance, fineness)
        plain -= np.exp(-0.5 * (self._size * t) ** 2)
        shift = width / lattice * np.exp(-1j * k * low)
        factors = [shift * g for g in _mellin(k)[:signs]]
        found, with_x = (
            np.stack([_waves(s, lattice)[..., : last + 1] * g for s, g in zip(sides, factors, strict=True)])
            for sides in ((f.real, f.imag)[:signs] for f in (plain, moved))
        )
        found[0] += _of_normal(k, self._size)
        return found, with_x

    @property
    def _size(self) -> float:
        """(E[G^2])^(1/2)."""
        trace, square = np.trace(self.block.quadratic), (self.block.quadratic**2).sum()
        rest = 0.5 * square + (self.block.linear**2).sum() + self.noise**2
        return math.sqrt(float((self.number + 0.5 * trace) ** 2 + rest))

    @property
    def _singular(self) -> float:
        """The label off 0 at which the density is singular; 0 where there is none."""
        if self.noise or not self.block.labels:
            return 0.0
        label = self.number + self.block.labels[0]
        return label if abs(label) > _SAME * self._size else 0.0

    def _transforms(
        self, t: Array, omega: Array, variance: Array, fineness: Fineness
    ) -> tuple[Complex, Complex]:
        """E[(1, x) exp(i t G)], shapes (n, t) and (n, parts, t)."""
        places = list(self.block.places)
        mean, v = np.zeros((len(omega), len(places))), np.empty(len(places))
        first = [places.index(part.places[0]) for part in self.parts]
        mean[:, first] = omega  # of a norm the first axis is along omega
        for part, own in zip(self.parts, variance, strict=True):
            v[[places.index(p) for p in part.places]] = own
        plain, moved = block_transforms(self.block, t, mean, v, fineness)
        beside = np.exp(1j * self.number * t - 0.5 * (self.noise * t) ** 2)
        if self._singular:
            beside = beside * fineness.kept(t, np.array([self._singular]))[:, 0]
        return plain * beside, moved[:, first] * beside

    def _end(self, variance: Array, fineness: Fineness) -> float:
        """The logarithm of t from which on there is nothing."""
        t = np.geomspace(1.0, _LARGEST, _LOOKED_AT) / self._size
        plain, _ = self._transforms(t, np.zeros((1, len(variance))), variance, fineness)
        return math.log(float(t[np.flatnonzero(np.abs(plain[0]) > _NOTHING)[-1] + 1]))

    def _prior(self) -> tuple[Array, Array]:
        """(logarithms of |G|, the probabilities of positive and of negative ones)."""
        from scipy import fft

        width, count = _PRIOR
        k = np.asarray(2 * math.pi / width * np.arange(count + 1), dtype=np.float64)
        low, none = math.log(self._size) - 0.5 * width, np.zeros((1, len(self.parts)))
        waves, _ = self.averages(k, none, np.ones(len(self.parts)), 2)
        blurred = waves[:, 0] * np.exp(-1j * k * low - 0.5 * (_BLUR * k) ** 2)
        plain, signed = fft.irfft(np.conj(blurred), axis=-1)
        masses = 0.5 * np.stack([plain + signed, plain - signed])
        logs = low + width / (2 * count) * np.arange(2 * count)
        seen = masses.sum(0) > _RARE
        return logs[seen], np.where(masses > _RARE, masses, 0.0)[:, seen]


def _waves(values: Array, lattice: int) -> Complex:
    """Sums over j of values times exp(-i k_n j step), last axis: all turns have the same phases."""
    from scipy import fft

    folded = values.reshape(*values.shape[:-1], -1, lattice).sum(-2)
    return np.asarray(fft.rfft(folded, axis=-1), dtype=np.complex128)


def _mellin(k: Array) -> tuple[Complex, Complex]:
    """1/(Gamma(-i k) cosh(pi k/2)) and i/(Gamma(-i k) sinh(pi k/2))."""
    from scipy import special

    even, odd = np.zeros((2, len(k)), dtype=np.complex128)
    odd[0], x = 2 / math.pi, k[1:]
    inverse = -special.loggamma(-1j * x) - 0.5 * math.pi * x + math.log(2)
    even[1:] = np.exp(inverse - np.log1p(np.exp(-math.pi * x)))
    odd[1:] = 1j * np.exp(inverse - np.log(-np.expm1(-math.pi * x)))
    return even, odd


def _of_normal(k: Array, size: float) -> Complex:
    """E |z|^(i k) of z ~ N(0, size^2)."""
    from scipy import special

    logs = 1j * k * (math.log(size) + 0.5 * math.log(2)) + special.loggamma(0.5 * (1 + 1j * k))
    return np.asarray(np.exp(logs) / math.sqrt(math.pi), dtype=np.complex128)


def sum_factor(expr: Expr, variables: Sequence[Symbol]) -> tuple[SumFactor, Array] | None:
    """The factor in coordinates u, and R with z = R u; None where it is no such form.

    Examples
    --------
    >>> from sympy import symbols
    >>> z = symbols("z1:6", real=True)
    >>> found, axes = sum_factor(z[0] * z[1] + z[3] * z[4], z)
    >>> [(p.places, p.even) for p in found.parts], bool(np.allclose(axes @ axes.T, np.eye(5)))
    ([((0, 1), True), ((3, 4), True)], True)
    >>> none, one = np.zeros((1, 2)), np.ones(2)  # the law of Laplace: E |G|^(i k) = Gamma(1 + i k)
    >>> found.averages(0.1 * np.arange(101), none, one, 1)[0][0, 0, 10].round(9).item()
    (0.498015668-0.154949828j)
    """
    noise = linear_part(expr, xi) if expr.has(xi) else (expr, S.Zero)
    found = None if noise is None or not noise[1].is_number else quadratic_block(noise[0], variables)
    if noise is None or found is None:
        return None
    block, number = found
    along = _axes(block.quadratic, block.linear)
    if along is None:
        return None
    own, groups = along
    inner, axes = list(block.inner), np.eye(len(variables))
    axes[np.ix_(inner, inner)] = own
    parts = tuple(_part([inner[i] for i in group], even=even) for group, even in groups)
    block = block.along(own)
    return SumFactor(block=block, parts=parts, number=number, noise=abs(float(noise[1]))), axes


def _axes(quadratic: Array, linear: Array) -> tuple[Array, list[tuple[list[int], bool]]] | None:
    """Eigenvectors, of equal eigenvalues one along the linear form; which enter alike, and whether evenly.

    None where a direction does not enter.
    """
    values, vectors = np.linalg.eigh(quadratic)
    groups: list[tuple[list[int], bool]] = []
    scale, start = float(np.abs(quadratic).max() + np.abs(linear).max()), 0
    while start < len(values):
        stop = start + int((values[start:] - values[start] <= _SAME * scale).sum())
        own = vectors[:, start:stop]
        along = own.T @ linear
        if np.abs(along).max() > _SAME * scale:
            turn = np.linalg.qr(np.column_stack([along, np.eye(stop - start)]))[0]
            vectors[:, start:stop] = own @ turn
            groups.append(([start], False))
            start += 1
        if start < stop:
            if abs(values[start]) <= _SAME * scale:
                return None
            groups.append((list(range(start, stop)), True))
        start = stop
    return vectors, groups


def _part(places: Sequence[int], *, even: bool) -> Part:
    return Part(
        value=np.asarray,
        pieces=(),
        flat=(),
        places=tuple(places),
        signs=np.ones(len(places)),
        even=even,
        dimension=len(places),
    )
