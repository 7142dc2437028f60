"""Labels of finitely many values on boxes of any number of coordinates: their form, and their law.

Coordinates that may be exchanged, up to the sign of one of them, are equal parts, and the label depends on
how many of each part lie in each cell: parities, majorities, committees of signs, k of n. With a factor

    exp(2 pi i k_c/(r + 1)) of a coordinate in the cell c, 1 in the first one,

of each of r equal coordinates, products are transforms of the law of these numbers: finitely many frequencies
have all of it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from sympy import Expr, S, Symbol

from hermite_analytics.codegen import compile
from hermite_analytics.foundation.numpy_arrays import Array, Complex
from hermite_analytics.gaussian.distribution import expanded
from hermite_analytics.label.cases.committee.parts import Counts, Part, SeparateParts
from hermite_analytics.label.cases.committee.parts_law import PartsLaw, Tables
from hermite_analytics.label.cases.line.numeric_pieces import NumericPiece
from hermite_analytics.label.cases.values.latent import LatentCell, latent_coordinates
from hermite_analytics.label.exact.signs import split_signs
from hermite_analytics.language.affine import linear_part
from hermite_analytics.symbols import xi

__all__ = ["CountsLaw", "counted_parts"]


_MOST = 1024  # vectors of counts
_SAME = 1e-12
_FARTHEST = 20.0  # exp(-x^2/2) is nothing there
_TAIL = 8.5  # of the noise
_STEP = (0.45, 0.38)  # of labels in the noise, in its standard deviations, by level


def counted_parts(signal: Expr, variables: Sequence[Symbol]) -> SeparateParts | None:
    """The parts of a label of finitely many values; None of others, or where its cells are too many.

    Examples
    --------
    >>> from sympy import sign, symbols
    >>> from hermite_analytics.language.functions import step
    >>> z = symbols("z1:6", real=True)
    >>> found = counted_parts(sign(z[0] * z[1]) + sign(z[2] - z[3]), z[:4])
    >>> found is None
    True
    >>> found = counted_parts(sign(z[0] * z[1] * z[2] * z[3]) + step(z[4] ** 2 - 1) + xi / 2, z)
    >>> [(p.places, p.even) for p in counted_parts(sign(z[0] * z[1] * z[2]), z[:3]).parts]
    [((0, 1, 2), True)]
    >>> [(p.places, p.even) for p in found.parts], found.table.values.tolist(), found.noise
    ([((0, 1, 2, 3), False), ((4,), True)], [-1.0, 0.0, 1.0, 2.0], 0.5)
    """
    noise = linear_part(split_signs(signal), xi) if signal.has(xi) else (split_signs(signal), S.Zero)
    if noise is None or not noise[1].is_number:
        return None
    label, size = noise[0], abs(float(noise[1]))
    cells = latent_coordinates(label, variables)
    if not all(cells.get(z) for z in variables):
        return None
    groups = _grouped(label, variables, cells)
    own = [cells[variables[g[0][0]]] for g in groups]
    table = _table(label, variables, groups, own)
    if table is None:
        return None
    flips = [{variables[g[0][0]]: -variables[g[0][0]]} for g in groups]
    return SeparateParts(
        parts=tuple(
            _part(c, group, even=_is_hidden(label, label.xreplace(flip)))
            for c, group, flip in zip(own, groups, flips, strict=True)
        ),
        noise=size,
        table=table,
    )


def _table(
    label: Expr,
    variables: Sequence[Symbol],
    groups: Sequence[Sequence[tuple[int, int]]],
    own: Sequence[Sequence[LatentCell]],
) -> Counts | None:
    """The label at a point for each vector of counts; None where there are too many."""
    shape = [len(g) + 1 for g, its in zip(groups, own, strict=True) for _ in its[1:]]
    if math.prod(shape) > _MOST:
        return None
    counts = list(_counts([len(g) for g in groups], [len(its) for its in own]))
    points = np.empty((len(variables), len(counts)))
    for column, of_parts in enumerate(counts):
        for group, its, numbers in zip(groups, own, of_parts, strict=True):
            chosen = [c for c, number in enumerate(numbers) for _ in range(number)]
            for (place, sign), c in zip(group, chosen, strict=True):
                points[place, column] = sign * float(its[c].point)
    kernel = compile(label, tuple(variables), backend="array")
    values = np.broadcast_to(np.asarray(kernel(*points), dtype=np.float64), (len(counts),))
    ordered = np.sort(values)
    distinct = ordered[np.diff(ordered, prepend=-np.inf) > _SAME * np.maximum(1.0, np.abs(ordered))]
    index = np.full(shape, -1, dtype=np.int64)
    for of_parts, value in zip(counts, values.tolist(), strict=True):
        index[tuple(n for numbers in of_parts for n in numbers[1:])] = np.argmin(np.abs(distinct - value))
    return Counts(values=distinct, index=index)


def _grouped(
    label: Expr, variables: Sequence[Symbol], cells: dict[Symbol, tuple[LatentCell, ...]]
) -> list[list[tuple[int, int]]]:
    """(place, sign) of coordinates that may be exchanged with the first of their group."""
    groups: list[list[tuple[int, int]]] = []
    for i, z in enumerate(variables):
        for group in groups:
            first = variables[group[0][0]]
            sign = next((s for s in (1, -1) if _may_be_exchanged(label, first, s * z, cells)), None)
            if sign is not None:
                group.append((i, sign))
                break
        else:
            groups.append([(i, 1)])
    return groups


def _may_be_exchanged(
    label: Expr, first: Symbol, other: Expr, cells: dict[Symbol, tuple[LatentCell, ...]]
) -> bool:
    [z] = other.free_symbols
    sign = 1 if other == z else -1
    one, two = (np.array([c.low for c in cells[v]][1:]) for v in (first, z))
    if len(one) != len(two) or not np.allclose(one, np.sort(sign * two), rtol=0, atol=_SAME):
        return False
    return _are_equal(label, label.xreplace({first: other, z: sign * first}))


def _is_hidden(label: Expr, image: Expr) -> bool:
    """Whether a change of sign leaves the label as it is, or turns it around: c - y is as good as y."""
    return _are_equal(label, image) or bool(expanded(split_signs(image) + label).is_number)


def _are_equal(label: Expr, image: Expr) -> bool:
    return bool(label == image or expanded(split_signs(image) - label) == 0)


def _counts(sizes: Sequence[int], cells: Sequence[int]) -> Iterator[tuple[tuple[int, ...], ...]]:
    """For each part the coordinates in each of its cells."""
    each = []
    for r, m in zip(sizes, cells, strict=True):
        rest = itertools.product(range(r + 1), repeat=m - 1)
        each.append([(r - sum(numbers), *numbers) for numbers in rest if sum(numbers) <= r])
    yield from itertools.product(*each)


def _part(cells: Sequence[LatentCell], group: Sequence[tuple[int, int]], *, even: bool) -> Part:
    """The number of the cell."""
    ends = np.array([c.low for c in cells][1:])
    return Part(
        value=lambda z: np.searchsorted(ends, z).astype(np.float64),
        pieces=tuple(
            NumericPiece(low=c.low, high=c.high, at_low=k, at_high=k, slope=0) for k, c in enumerate(cells)
        ),
        flat=tuple((c.low, c.high, float(k)) for k, c in enumerate(cells)),
        places=tuple(place for place, _ in group),
        signs=np.array([sign for _, sign in group], dtype=np.float64),
        even=even,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CountsLaw(PartsLaw):
    """By transforms in the numbers of coordinates in cells.

    Attributes
    ----------
    factors : dict
        By the places of a part: those of its cells at all frequencies, shape (k, cells).
    matrix : complex ndarray, shape (k, y)
        From products to probabilities of labels, or to their densities times weights beside noise.
    """

    factors: dict[tuple[int, ...], Complex]
    matrix: Complex

    @classmethod
    def of(cls, parts: SeparateParts, level: int) -> CountsLaw:
        table = parts.table
        assert table is not None
        index, every = table.index, range(len(table.values))
        lattice = np.stack([k.ravel() for k in np.indices(index.shape)], axis=1)
        phases = 2 * math.pi * lattice / np.array(index.shape)
        # of each label the sum of exp(-i k n) over its counts n
        matrix = np.stack([np.fft.fftn(index == y, norm="forward").ravel() for y in every], axis=1)
        factors, start = {}, 0
        for part in parts.parts:
            more = len(part.flat) - 1
            own = np.exp(1j * phases[:, start : start + more])
            factors[part.places] = np.concatenate([np.ones((len(own), 1)), own], axis=1)
            start += more
        if parts.noise:
            matrix = np.asarray(matrix @ _beside_noise(table.values, parts.noise, level))
        return cls(factors=factors, matrix=matrix)

    def tables(self, part: Part, nodes: Array, deviation: float, frequencies: Array) -> Tables:
        from scipy.special import wofz

        ends = np.array([-np.inf, *part.edges, np.inf])
        x = (ends[:, None, None] - nodes[:, None]) / deviation
        far = np.clip(x, -_FARTHEST, _FARTHEST)
        # E exp(i b x) 1{x < e} = exp(-b^2/2) P(e - i b), with P(e) = phi(e) R(-e), R Mills' ratio, for e < 0;
        # with the factor x: i b times this - phi(e) exp(i b e)
        density = np.exp(-0.5 * far * far + 1j * frequencies * far) / math.sqrt(2 * math.pi)
        sides = np.where(far > 0, frequencies, -frequencies)
        ratio = math.sqrt(math.pi / 2) * wofz((1j * np.abs(far) + sides) / math.sqrt(2))
        below = np.where(far > 0, np.exp(-0.5 * frequencies**2) - density * ratio, density * ratio)
        plain = np.diff(below, axis=0)
        moved = 1j * frequencies * plain - np.diff(density, axis=0)
        factors = self.factors[part.places]
        return [(np.tensordot(factors, plain, axes=1), np.tensordot(factors, moved, axes=1))]

    def masses(self, layers: list[Complex]) -> list[Array]:
        return [np.ascontiguousarray((layers[0] @ self.matrix).real)]


def _beside_noise(values: Array, noise: float, level: int) -> Array:
    """Densities of y given each label, times weights.

    The poles of a posterior are pi noise^2/gap off the line.
    """
    gap = float(np.diff(values).max(initial=noise))
    step = noise * min(_STEP[level], 0.7 * noise / gap)
    y = np.arange(values[0] - _TAIL * noise, values[-1] + _TAIL * noise, step)
    return np.exp(-0.5 * ((y - values[:, None]) / noise) ** 2) * (step / noise / math.sqrt(2 * math.pi))
