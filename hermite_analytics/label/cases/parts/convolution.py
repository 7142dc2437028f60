"""The law of the sum or product of two independent labels with known laws.

Channels multiply: the density of E[w_i v_j; y] is the convolution of those of E[w_i; .] and E[v_j; .].
The result is a `LabelDensity` again, so any expression in which each coordinate occurs once is in reach.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array, Integers
from hermite_analytics.label.cases.parts.convolution_kernel import (
    Density,
    Panel,
    Pointwise,
    combine_panel,
    shift_panel,
)
from hermite_analytics.label.cases.parts.density import (
    LabelDensity,
    atoms_of,
    channel_count,
    distinct,
    grid,
    second_channels,
)
from hermite_analytics.label.cases.parts.marching import fill_panel

__all__ = ["added", "multiplied"]

_BESIDE_END = 20.0  # |s| of nodes that are near it
_INNER = 2.2  # spacing of the inner rule, in that of the tables


def added(a: LabelDensity, b: LabelDensity) -> LabelDensity:
    """The law of the sum of two independent labels.

    Parameters
    ----------
    a, b : LabelDensity
        The coordinates of `a` come first.

    Examples
    --------
    >>> import numpy as np
    >>> from hermite_analytics.label.cases.parts.branches import Term, term_density
    >>> square = term_density(Term(value=np.square, derivative=lambda w: 2 * w, points=[0.0]))
    >>> chi = added(square, square).quadrature()  # G = (y/2 - 1) I
    >>> round(float(chi.weights @ chi.second[:, 0, 0] ** 2), 10)
    1.0
    """
    return _combined([(a, b)], product=False)


def multiplied(a: LabelDensity, b: LabelDensity) -> LabelDensity:
    """The law of the product of two independent labels; 0 ends a panel of each, or is outside its range.

    Parameters
    ----------
    a, b : LabelDensity
        The coordinates of `a` come first.
    """
    a_minus, a_plus = _halves(a)
    b_minus, b_plus = _halves(b)
    positive = _combined([(a_plus, b_plus), (a_minus, b_minus)], product=True)
    negative = _combined([(a_plus, b_minus), (a_minus, b_plus)], product=True)
    return _joined(_mirrored(negative), positive, *_atoms(a, b, product=True))


@dataclass(frozen=True, slots=True)
class _Factors:
    """Two densities with the places of v_j (+) u_k, of atoms too, among the points of the result."""

    a: LabelDensity
    b: LabelDensity
    places: Integers
    a_atoms: Integers
    b_atoms: Integers


def _channels(p: int, q: int) -> Integers:
    """The channels of two densities of p and q coordinates whose product is each channel of the joint law."""
    pairs = np.zeros((channel_count(p + q), 2), dtype=np.int64)
    own, left, right = second_channels(p + q), second_channels(p), second_channels(q)
    pairs[1 : 1 + p, 0] = np.arange(1, 1 + p)
    pairs[1 + p : 1 + p + q, 1] = np.arange(1, 1 + q)
    for i in range(p):
        pairs[own[i, :p], 0] = left[i]
        for j in range(q):
            pairs[own[i, p + j]] = 1 + i, 1 + j
    for j in range(q):
        pairs[own[p + j, p:], 1] = right[j]
    return pairs


def _combined(couples: Sequence[tuple[LabelDensity, LabelDensity]], *, product: bool) -> LabelDensity:
    """The law of the sum (product of non-negative labels), a mixture over the couples given."""
    a, b = couples[0]
    step = min(a.step, b.step)
    operation = np.multiply.outer if product else np.add.outer
    candidates = [
        operation(np.concatenate([c.points, c.atoms]), np.concatenate([d.points, d.atoms])).ravel()
        for c, d in couples
        if c.values.any() or d.values.any() or len(c.atoms) or len(d.atoms)
    ]
    points = distinct(np.concatenate(candidates)) if candidates else np.zeros(1)
    factors = []
    for c, d in couples:
        places = [
            _places(points, operation(u, v))
            for u, v in ((c.points, d.points), (c.atoms, d.points), (c.points, d.atoms))
        ]
        factors.append(_Factors(c, d, *places))
    pairs = _channels(a.dimension, b.dimension)
    values = np.zeros((len(points) - 1, len(grid(step)), len(pairs)))
    for i in range(len(points) - 1):
        _fill(factors, points, i, Pointwise(product, pairs), values[i], step)
    atoms, atom_values = (np.zeros(0), np.zeros((0, len(pairs)))) if product else _atoms(a, b, product=False)
    return LabelDensity(points=points, values=values, atoms=atoms, atom_values=atom_values, step=step)


def _places(points: Array, values: Array) -> Integers:
    """The index of the nearest point."""
    if not values.size:
        return np.zeros(values.shape, dtype=np.int64)
    right = np.clip(np.searchsorted(points, values), 1, max(len(points) - 1, 1))
    right = np.minimum(right, len(points) - 1)
    left = np.maximum(right - 1, 0)
    return np.where(values - points[left] < points[right] - values, left, right).astype(np.int64)


def _fill(
    factors: Sequence[_Factors], points: Array, i: int, how: Pointwise, out: Array, step: float
) -> None:
    """Evaluate the nodes of panel i that matter."""
    panel = Panel(float(points[i]), float(points[i + 1]), len(grid(step)) // 2, step)

    def evaluate(nodes: Integers) -> None:
        for factor in factors:
            _add_continuous(factor, points, i, panel, nodes, how, out)
            _add_atoms(factor, points, i, panel, nodes, how, out)

    fill_panel(evaluate, out[:, 0], panel.high - panel.low, step)


def _tables(d: LabelDensity) -> Density:
    return Density(
        d.points, d.values, d.first_node, d.last_node, _powers(d), len(grid(d.step)) // 2, float(d.step)
    )


def _powers(d: LabelDensity) -> Array:
    """The powers of the distance by which the density grows towards the ends of each panel, the largest.

    Beside the end itself a density like a root may be cut off, and show none.
    """
    powers, s = np.zeros((len(d.points) - 1, 2)), grid(d.step)
    for i in range(len(powers)):
        a, b = int(d.first_node[i]), int(d.last_node[i])
        if b - a < 8:
            continue
        with np.errstate(divide="ignore", invalid="ignore"):
            rises = np.diff(np.log(d.values[i, a : b + 1 : 4, 0])) / (4 * d.step)
        at = s[a : b + 1 : 4][: len(rises)]
        for column, (sign, last) in enumerate(((1.0, rises[:1]), (-1.0, rises[-1:]))):
            seen = sign * np.concatenate([last, rises[sign * at < -_BESIDE_END]])
            powers[i, column] = np.clip(np.min(seen[np.isfinite(seen)], initial=0.0), -0.8, 0.0)
    return powers


def _add_continuous(
    f: _Factors, points: Array, i: int, panel: Panel, nodes: Integers, how: Pointwise, out: Array
) -> None:
    if len(f.a.points) < 2 or len(f.b.points) < 2:
        return
    below = np.where(f.places <= i, points[i] - points[f.places], -1.0)
    above = np.where(f.places > i, points[f.places] - points[min(i + 1, len(points) - 1)], -1.0)
    inner = _INNER * min(f.a.step, f.b.step)
    combine_panel(how, panel, nodes, below, above, _tables(f.a), _tables(f.b), inner, out)


def _add_atoms(
    f: _Factors, points: Array, i: int, panel: Panel, nodes: Integers, how: Pointwise, out: Array
) -> None:
    """Atoms of one label with the density of the other."""
    sides = (
        (f.a, f.b, f.a_atoms, how.pairs),
        (f.b, f.a, f.b_atoms.T, np.ascontiguousarray(how.pairs[:, ::-1])),
    )
    for discrete, smooth, places, pairs in sides:
        for n, label in enumerate(discrete.atoms):
            if how.product and label == 0:
                continue
            k = int(np.searchsorted(places[n], i, side="right")) - 1
            if not 0 <= k < len(smooth.points) - 1:
                continue
            below, above = points[i] - points[places[n, k]], points[places[n, k + 1]] - points[i + 1]
            scale = float(label) if how.product else 1.0
            shift_panel(
                panel, nodes, below, above, smooth.table(k), scale, discrete.atom_values[n], pairs, out
            )


def _atoms(a: LabelDensity, b: LabelDensity, *, product: bool) -> tuple[Array, Array]:
    """Labels of positive probability of the sum or product."""
    pairs = _channels(a.dimension, b.dimension)
    found: list[tuple[float, Array]] = []
    for v, moments in zip(a.atoms, a.atom_values, strict=True):
        found += [(float(v * u if product else v + u), moments[pairs[:, 0]] * other[pairs[:, 1]])
                  for u, other in zip(b.atoms, b.atom_values, strict=True)]  # fmt: skip
        if product and v == 0:
            found.append((0.0, moments[pairs[:, 0]] * _continuous_total(b)[pairs[:, 1]]))
    if product:
        found += [(0.0, _continuous_total(a)[pairs[:, 0]] * moments[pairs[:, 1]])
                  for u, moments in zip(b.atoms, b.atom_values, strict=True) if u == 0]  # fmt: skip
    return atoms_of(found, len(pairs))


def _continuous_total(d: LabelDensity) -> Array:
    """All channels of the continuous part, integrated over labels."""
    s = grid(d.step)
    weights = np.diff(d.points)[:, None] * d.step / (2 + np.exp(s) + np.exp(-s))
    return np.asarray(np.einsum("in,inc->c", weights, d.values))


def _mirrored(d: LabelDensity) -> LabelDensity:
    """The law of -y."""
    return LabelDensity(
        points=-d.points[::-1],
        values=np.ascontiguousarray(d.values[::-1, ::-1]),
        atoms=-d.atoms[::-1],
        atom_values=d.atom_values[::-1].copy(),
        step=d.step,
    )


def _halves(d: LabelDensity) -> tuple[LabelDensity, LabelDensity]:
    """The laws of -y where y < 0 and of y where y > 0, not normalised."""
    return _positive(_mirrored(d)), _positive(d)


def _positive(d: LabelDensity) -> LabelDensity:
    panels = np.nonzero(d.points[:-1] >= 0)[0]
    kept = d.atoms > 0
    start = int(panels[0]) if len(panels) else len(d.points) - 1
    return LabelDensity(
        points=d.points[start:].copy() if len(panels) else np.zeros(1),
        values=d.values[start:].copy(),
        atoms=d.atoms[kept],
        atom_values=d.atom_values[kept],
        step=d.step,
    )


def _joined(low: LabelDensity, high: LabelDensity, atoms: Array, atom_values: Array) -> LabelDensity:
    """Two laws on disjoint ranges as one, with the atoms given; an empty panel where they do not touch."""
    parts = [d for d in (low, high) if len(d.points) > 1]
    if not parts:
        parts = [high]
    points, values = parts[0].points, parts[0].values
    if len(parts) == 2:
        gap = parts[1].points[0] > points[-1]
        points = np.concatenate([points, parts[1].points[0 if gap else 1 :]])
        empty = np.zeros((int(gap), *values.shape[1:]))
        values = np.concatenate([values, empty, parts[1].values])
    return LabelDensity(points=points, values=values, atoms=atoms, atom_values=atom_values, step=high.step)
