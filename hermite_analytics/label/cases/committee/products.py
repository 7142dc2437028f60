"""Products g_1(z_1) ... g_r(z_r) of any number of coordinates, or of sums of them: their form, and their law.

The factors of a coordinate are |g(z)|^(i k) and sign(g(z)) |g(z)|^(i k), characters of (log |y|, sign y):
products of their averages are transforms of the law of both. Noise may be added, or be a factor.

A factor that is odd does not show the sign of its coordinate: -y is as good as y.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import sympy
from sympy import Dummy, Expr, S, Symbol

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.numpy_arrays import Array, Complex
from hermite_analytics.foundation.panels import panel_rule
from hermite_analytics.foundation.roots import root_between
from hermite_analytics.gaussian.distribution import expanded
from hermite_analytics.label.cases.committee.parts import Part, SeparateParts, part_of, parts_from
from hermite_analytics.label.cases.committee.parts_law import PartsLaw, Tables
from hermite_analytics.label.cases.committee.products_noise import beside_noise
from hermite_analytics.label.cases.committee.radial import grouped, norm_density, radial_form
from hermite_analytics.label.cases.committee.spread import blurs, spread_of
from hermite_analytics.label.cases.committee.sum_factors import SumFactor, sum_factor
from hermite_analytics.language.affine import linear_part
from hermite_analytics.symbols import xi

__all__ = ["ProductsLaw", "product_parts"]

Layers = list[Complex]

_FREQUENCIES = (256, 512)  # of the logarithm of the label, by level
_TAIL = 1e-9  # probability of labels outside of the period
_ENDS = 0.5 ** np.arange(48)  # of panels towards a zero of g
_ZERO = 1e-9  # |g| at an edge that counts as 0
_NODES, _PHASE = 12, 10.0  # of a panel
_COARSE = 100.0  # frequency for which values are looked at first
_ENDED, _LAST = 1e-8, 16  # what a transform leaves of so many frequencies, where no blur is asked for
_NOISE = 7.5  # exp(-x^2/2) is nothing there


def product_parts(signal: Expr, variables: Sequence[Symbol]) -> SeparateParts | None:
    """The factors of a label, up to a number; None where it has another form.

    Examples
    --------
    >>> z = sympy.symbols("z1:5", real=True)
    >>> found = product_parts(2 * z[0] * z[1] * (z[2] ** 2 - 1) + xi / 2, z[:3])
    >>> [(p.places, p.even) for p in found.parts], found.noise
    ([((0, 1), True), ((2,), True)], 0.25)
    >>> product_parts(z[0] * z[1] * (1 + xi / 4) * z[2], z[:3]).hidden.places
    (-1,)
    >>> [p.places for p in product_parts((z[0] * z[1] + z[3]) * z[2], z).parts]
    [(0,), (1,), (3,), (2,)]
    >>> product_parts(z[0] * z[1] + z[2], z[:3]) is None
    True
    """
    noise = linear_part(signal, xi) if signal.has(xi) else None
    added = noise is not None and noise[1].is_number
    label, size = noise if noise is not None and added else (signal, S.Zero)
    factors = sympy.Mul.make_args(sympy.factor_terms(label) if label.is_Add else label)
    blocks, number = grouped(factors, (*variables, xi), sympy.Mul)
    hidden = blocks.pop((xi,), None)
    every = [z for block in blocks for z in block if z is not xi]
    if not number.is_number or not number or len(every) != len(variables):
        return None
    t = Dummy("t", real=True)
    joint = {b: g for b, g in blocks.items() if len(b) > 1 and (xi in b or radial_form(g, b, t) is None)}
    if joint and len(blocks) + (hidden is not None) < 2:
        return None
    alone = {b: g for b, g in blocks.items() if b not in joint}
    sums, axes = [], np.eye(len(variables))
    for g in joint.values():
        found = sum_factor(g, variables)
        if found is None:
            return None
        sums.append(found[0])
        axes = axes @ found[1]
    parts = parts_from(alone, variables, _is_odd_or_even)
    if parts is None:
        return None
    beside = None if hidden is None else part_of(hidden, xi, [(-1, 1)], even=False)
    return SeparateParts(
        parts=(*(p for f in sums for p in f.parts), *parts),
        noise=abs(float(size / number)),
        product=True,
        hidden=beside,
        sums=tuple(sums),
        axes=axes if sums else None,
    )


def _is_odd_or_even(g: Expr, t: Symbol) -> bool:
    mirrored = g.xreplace({t: -t})
    return any(expanded(mirrored + side * g) == 0 for side in (1, -1))


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductsLaw(PartsLaw):
    """By transforms in the logarithm, of both signs; the label 0, where some factor is, is by itself.

    Attributes
    ----------
    k : ndarray
        Frequencies.
    filters : tuple of ndarrays, shape (signs, k)
        One for each scale; signs is 1 where no label is negative.
    kernel : ndarray or None, shape (signs, 2 k, y)
        From real and imaginary parts of transforms to densities of labels beside added noise, times weights;
        of two signs to the even and the odd part in y >= 0.
    at_zero : ndarray or None
        Those of the label 0; None where it has no probability of its own.
    """

    k: Array
    filters: tuple[Complex, ...]
    kernel: Array | None
    at_zero: Array | None

    @classmethod
    def of(cls, parts: SeparateParts, level: int) -> ProductsLaw:
        inside = {p.places for f in parts.sums for p in f.parts}
        every = [p for p in (*parts.parts, parts.hidden) if p is not None and p.places not in inside]
        factors: list[_Factor | SumFactor] = [*parts.sums, *(_Factor.of(p, _COARSE) for p in every)]
        if not any(f.moves for f in factors):
            raise UnsupportedExpression("a product of finitely many values is no product of densities")
        signs = 2 if any(f.has_negative for f in factors) else 1
        low, width, top, deviation = _range(factors)
        n = _FREQUENCIES[level]
        k = np.asarray(2 * math.pi / width * np.arange(n + 1), dtype=np.float64)
        factors = [*parts.sums, *(_Factor.of(p, float(k[-1])) for p in every)]
        hidden = parts.hidden
        noise = np.ones((signs, 1)) if hidden is None else _Factor.of(hidden, float(k[-1])).waves(k, signs)
        shifted = np.exp(-1j * k * low) * noise
        scales: tuple[float, ...] = (0.0,)
        if math.prod(f.end(k, signs) for f in factors) > _ENDED:
            _require_no_steep_label(factors, parts.noise * k[-1] * math.exp(-top))
            if not parts.noise:
                scales = blurs(width, n, _FREQUENCIES[1], deviation)
        filters = tuple(np.exp(-0.5 * s * s * k * k) * shifted for s in scales)
        nothing = 1.0 - math.prod(f.nonzero**f.count for f in factors)
        some = nothing > _TAIL and any(f.flat for f in factors)
        kernel, at_zero = None, np.ones(1)
        if parts.noise:
            kernel, at_zero = beside_noise(low, width, top, n, signs, parts.noise)
        return cls(
            k=k,
            filters=filters,
            kernel=kernel,
            at_zero=at_zero if some else None,
        )

    @property
    def scales(self) -> int:
        return 2 if len(self.filters) > 1 else 0

    def rule(
        self, part: Part, low: float, high: float, deviation: float, speed: float
    ) -> tuple[Array, Array]:
        return _rule(part, low, high, deviation, speed, float(self.k[-1]))

    def averages(self, part: Part, z: Array, weighted: Complex) -> Layers:
        sums = _sums(self.k, _values(part, z), weighted.reshape(len(z), -1), len(self.filters[0]))
        found = [np.ascontiguousarray(w).reshape(len(self.k), *weighted.shape[1:]) for w in sums]
        return found if self.at_zero is None else [*found, weighted.sum(0)[None]]

    def tables_of_sum(self, factor: SumFactor, omega: Array, variance: Array) -> Tables:
        plain, moved = factor.averages(self.k, omega, variance, len(self.filters[0]))
        n = len(omega)
        found = [
            (p.T[..., None], np.moveaxis(x, -1, 0).reshape(len(self.k), -1, 1))
            for p, x in zip(plain, moved, strict=True)
        ]
        some = (
            np.ones((1, n, 1), dtype=np.complex128),
            np.zeros((1, n * omega.shape[1], 1), dtype=np.complex128),
        )
        return found if self.at_zero is None else [*found, some]

    def masses(self, layers: Layers) -> list[Array]:
        signs = len(self.filters[0])
        found = [self._spread([w * s for w, s in zip(layers[:signs], f, strict=True)]) for f in self.filters]
        if self.at_zero is None:
            return found
        nothing = (layers[-1] - layers[0][..., :1] * self.filters[0][0, 0]).real
        if self.kernel is not None:
            return [m + nothing * self.at_zero for m in found]
        return [np.concatenate([m, nothing], axis=-1) for m in found]

    def _spread(self, waves: Layers) -> Array:
        from scipy import fft

        if self.kernel is None:
            either = [fft.irfft(np.conj(w), axis=-1) for w in waves]
        else:
            sides = (np.concatenate([w.real, w.imag], axis=-1) for w in waves)
            either = [side @ kernel for side, kernel in zip(sides, self.kernel, strict=True)]
        if len(either) == 1:
            return either[0]
        plain, signed = either
        return np.concatenate([0.5 * (plain + signed), 0.5 * (plain - signed)], axis=-1)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Factor:
    """A part with values of g and their probabilities, small values by themselves."""

    part: Part
    values: Array
    probabilities: Array

    @classmethod
    def of(cls, part: Part, fastest: float) -> _Factor:
        """With a rule for frequencies up to the fastest one."""
        z, weights = _rule(part, max(part.least, -part.reach), part.reach, 1.0, 0.0, fastest)
        return cls(
            part=part, values=_values(part, z), probabilities=weights * norm_density(z, part.dimension)
        )

    @property
    def count(self) -> int:
        return self.part.count

    @property
    def flat(self) -> bool:
        return bool(self.part.flat)

    @property
    def moves(self) -> bool:
        return any(piece.slope for piece in self.part.pieces)

    @property
    def has_negative(self) -> bool:
        return bool((self.values < 0).any())

    @property
    def nonzero(self) -> float:
        """The probability that it is not 0."""
        return float(self.probabilities[self.values != 0].sum())

    def logarithms(self) -> tuple[Array, Array, int]:
        """Of |g| where it is not 0, their probabilities, and of how many coordinates or blocks."""
        some = self.values != 0
        return np.log(np.abs(self.values[some])), self.probabilities[some], self.part.count

    def waves(self, k: Array, signs: int) -> Complex:
        """Averages of its characters, shape (signs, k)."""
        weights = self.probabilities[:, None].astype(np.complex128)
        return np.stack(_sums(k, self.values, weights, signs))[..., 0]

    def end(self, k: Array, signs: int) -> float:
        """What all of its kind leave of the last frequencies."""
        return float(np.abs(self.waves(k, signs)[:, -_LAST:]).max()) ** self.part.count


def _require_no_steep_label(factors: Sequence[_Factor | SumFactor], seen: float) -> None:
    """Where transforms do not end: `seen` is the largest frequency, in those that noise lets through.

    Raises
    ------
    UnsupportedExpression
        If the density has jumps or peaks that neither other factors nor noise smooth.
    """
    if 0 < seen < _NOISE:
        raise UnsupportedExpression("the labels of a product change too much beside their noise")
    if not seen and sum(f.count for f in factors if not f.flat) < 2:
        raise UnsupportedExpression(
            "a factor that stops or turns back is alone where the others are constant, without noise"
        )


def _characters(k: Array, g: Array) -> Complex:
    """|g|^(i k) at equally spaced k from 0 on, 1 where g is 0; shape (k, z)."""
    logs = np.log(np.abs(np.where(g == 0, 1.0, g)))
    rows = math.ceil(math.sqrt(len(k)))
    near = np.exp(1j * np.outer(k[:rows], logs))
    far = np.exp(1j * np.outer(k[::rows], logs))
    return np.asarray((far[:, None] * near).reshape(-1, len(g))[: len(k)])


def _sums(k: Array, g: Array, weighted: Complex, signs: int) -> list[Complex]:
    """Sums of |g|^(i k), and of these times the sign of g, without the z where g is 0."""
    waves = _characters(k, g)
    return [waves @ (weighted * side[:, None]) for side in (np.abs(np.sign(g)), np.sign(g))[:signs]]


def _values(part: Part, z: Array) -> Array:
    found = part.value(z)
    for a, b, value in part.flat:
        found = np.where((z > a) & (z < b), value, found)
    return found


def _rule(
    part: Part, low: float, high: float, deviation: float, speed: float, fastest: float
) -> tuple[Array, Array]:
    """Panels that end at kinks and are finer towards zeros and poles of g, where its logarithm has no end."""
    zeros = _zeros(part)
    inner = {e for e in (*part.edges, *zeros) if low < e < high}
    ends: list[float] = []
    for a, b in itertools.pairwise([low, *sorted(inner), high]):
        middle = 0.5 * (a + b)
        towards = [(z, middle) for z in (a, b) if z in zeros] or [(a, b)]
        ends += [a, b, middle]
        for zero, other in towards if zeros & {a, b} else ():
            ends += (zero + (other - zero) * _ENDS).tolist()
    edges = np.unique(ends)
    g = np.abs(_values(part, 0.5 * (edges[1:] + edges[:-1])))
    sides = np.log(np.clip(np.abs(_values(part, edges)), 1e-300, 1e300))
    turned = np.where(g > 0, np.abs(np.diff(sides)), 0.0)
    turned = np.where((turned > 2) & (np.diff(edges) < 1e-9), 0.0, turned)  # at a zero itself
    width = np.diff(edges)
    pieces = np.maximum(np.maximum(fastest * turned + speed * width, 1.0) / _PHASE, width / deviation)
    return panel_rule(edges, _NODES, widest=width / pieces)


def _zeros(part: Part) -> set[float]:
    """Of g, off intervals where it is 0; and where it is infinite."""
    ends = part.edges if part.dimension == 1 else (0.0, *part.edges)
    found = {e for e in ends if not _ZERO < abs(float(part.value(np.array([e]))[0])) < math.inf}
    for piece in part.pieces:
        if piece.at_low * piece.at_high < 0 and piece.slope:
            root, _ = root_between(
                lambda z: float(part.value(np.array([z]))[0]),
                piece.low,
                piece.high,
                within=1e-15,
                relative=1e-15,
            )
            found.add(root)
    return found


def _range(factors: Sequence[_Factor | SumFactor]) -> tuple[float, float, float, float]:
    """Of logarithms of labels: (start of the period, its width, the largest, standard deviation)."""
    if not all(f.nonzero for f in factors):
        raise UnsupportedExpression("a factor of the product is 0")
    found = spread_of([f.logarithms() for f in factors], _TAIL)
    margin = 0.1 * (found.high - found.low)
    return found.low - margin, found.high - found.low + 2 * margin, found.high, math.sqrt(found.variance)
