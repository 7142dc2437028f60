"""F of sums of functions of separate blocks of coordinates, with noise or without.

In axes in which M stays diagonal, it says as much as an observation omega_i along each. Given these the
density of the label is the transform of a product with one factor of each block, `block_transforms`;
E[z_i | ..] has another factor for the block of z_i. omega runs over products of trapezoid rules, of which one
node in each orbit of the label's symmetries is taken.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.numpy_arrays import Array, Complex, Integers
from hermite_analytics.foundation.threads import in_threads
from hermite_analytics.label.cases.committee.block_transforms import block_transforms
from hermite_analytics.label.cases.committee.blocks import SeparateBlocks
from hermite_analytics.label.cases.committee.label_rule import (
    LabelRange,
    LabelRule,
    label_range,
    label_rule,
)
from hermite_analytics.label.symmetries import LabelSymmetry
from hermite_analytics.numeric.bayes.maps.commutant import Commutant, commutant_of
from hermite_analytics.numeric.bayes.maps.gaussian_grid import omega_nodes
from hermite_analytics.numeric.bayes.maps.orbits import Orbits, orbits
from hermite_analytics.numeric.bayes.maps.sampled_map import SampledMap
from hermite_analytics.numeric.bayes.maps.unresolved import UnresolvedOverlap

__all__ = ["BlocksMap"]

_SAME = 1e-9
_NOTHING = 1e-12
_RARE = 1e-10  # share of the largest density, below which it is rounding
_AT_ONCE = 48  # combinations
_STEP = (0.52, 0.42)  # of omega, in the standard deviations of omega and of z, by level
_FEW = ((_NOTHING, 1), (1e-3, 4), (2e-2, 6), (6e-2, 8), (0.15, 10), (0.25, 14))
_ALONE = 0.55  # the same of a coordinate whose function is added to those of the others, in these steps
_MORE_ALONE = 8  # nodes, of the same coordinates where they are few
_REACH = (4.8, 5.2)  # of omega
_MOST_COORDINATES = 4
_RESOLVED = (1e-3, 1e-3, 1e-2, 3e-2, 0.1)  # least eigenvalue of I - M, by coordinates that are not linear
_MOST = 8_000_000  # nodes of omega
_NONE = (np.zeros(1), np.ones(1))
_LOST = (1e-4, 1e-6)  # probability that labels of a rule may lack, by level: the error allows for the second


@dataclass(frozen=True, slots=True, kw_only=True)
class BlocksMap:
    """F(M) by transforms of blocks.

    Attributes
    ----------
    form : SeparateBlocks
        Along the axes.
    axes : ndarray, shape (r, r)
        Columns: in which M stays diagonal.
    sampled : SampledMap or None
        For matrices that symmetries of the label do not keep, or without that form.
    symmetries : tuple of ndarrays, shape (r, r)
        Signed permutations of the axes.
    where : Commutant
    labels : LabelRange
    """

    form: SeparateBlocks
    axes: Array
    sampled: SampledMap | None
    symmetries: tuple[Array, ...]
    where: Commutant
    labels: LabelRange
    _defects: list[float] = field(default_factory=list, init=False, repr=False, compare=False)

    @classmethod
    def of(
        cls,
        form: SeparateBlocks,
        sampled: SampledMap | None,
        symmetries: Sequence[LabelSymmetry],
        *,
        turns: bool = False,
    ) -> BlocksMap:
        """With the range of the labels; along other axes than the coordinates where it may turn.

        Raises
        ------
        UnsupportedExpression
            If the density of the label is singular at several labels, there are more coordinates, or M does
            not stay diagonal along axes of each block.
        """
        if form.count > _MOST_COORDINATES:
            raise UnsupportedExpression(f"blocks have up to {_MOST_COORDINATES} coordinates together")
        axes, group = np.eye(form.count), [s.matrix for s in symmetries]
        if turns:
            form, axes = form.turned()
            group = _with_signs([axes.T @ s @ axes for s in group], form.even)
        where = commutant_of([axes @ s @ axes.T for s in group], form.count)
        if np.abs((axes.T @ where.basis @ axes) * (1 - np.eye(form.count))).max() > _SAME:
            raise UnsupportedExpression("the overlaps of the blocks do not stay diagonal")
        return cls(
            form=form,
            axes=axes,
            sampled=sampled,
            symmetries=tuple(group),
            where=where,
            labels=label_range(form),
        )

    @property
    def exact_share(self) -> float:
        """Each label that is no atom is one equation for all directions."""
        return 0.0 if self.form.noise else 1 / self.form.count

    @property
    def resolution(self) -> float:
        """The nodes of omega are many."""
        bent = sum(len(b.places) for b in self.form.blocks if not b.is_linear)
        return _RESOLVED[bent]

    @property
    def mass_defect(self) -> float:
        """Of half of all overlaps; kept."""
        if not self._defects:
            self._defects.append(self._found(0.5 * np.eye(self.form.count), 0)[1])
        return self._defects[0]

    def takes(self, matrix: Array) -> bool:
        """Whether M is one of those, and not left to sampling."""
        return self.where.has(matrix)

    def __call__(self, matrix: Array, *, level: int = 1) -> Array:
        """F(M), shape (r, r).

        Raises
        ------
        UnresolvedOverlap
            If overlaps are so close to 1 that probability is lost.
        """
        if not self.takes(matrix) and self.sampled is not None:
            return self.sampled(matrix, level=level)
        level = max(level, 0)
        found, lost = self._found(self.where.projected(matrix), level)
        if lost > _LOST[level]:
            raise UnresolvedOverlap(
                f"overlaps of {', '.join(f'{m:.9g}' for m in np.linalg.eigvalsh(matrix))} are too close to 1 "
                f"for the transforms of blocks, which lose {lost:.1g} of the probability; simulate it by AMP"
            )
        return found

    def _found(self, matrix: Array, level: int) -> tuple[Array, float]:
        """(F, what is lost of the total probability)."""
        own = np.clip(np.diag(self.axes.T @ matrix @ self.axes), 0.0, None)
        v = 1 - own
        bent = [i for b in self.form.blocks if not b.is_linear for i in b.places]
        if v.min() <= 0:
            raise UnresolvedOverlap("an overlap is 1, of which transforms of blocks do not speak")
        deviation = math.sqrt(float(v[bent].min(initial=1.0)))
        rule = label_rule(self.labels, blur=self._blur(v), deviation=deviation, level=level)
        combined = self._orbits(self._rules(own, level))
        chosen = zip(own, combined.nodes, combined.members.T, strict=True)
        omega = np.stack([math.sqrt(m) * x[k] for m, x, k in chosen], axis=1)
        tables = [self._table(i, omega, v, rule) for i in range(len(self.form.blocks))]

        def part(rows: slice) -> tuple[Array, float]:
            transforms = _products([(p, m, at[rows], places) for p, m, at, places in tables], len(v))
            density = rule.density(transforms) * rule.weights
            share, p = combined.weights[rows, None], density[:, 0]
            kept = p > _RARE * p.max(axis=1, keepdims=True)
            lost = float((share[:, 0] * np.abs(1 - p.sum(1))).sum())
            p = np.where(kept, p, 1.0)
            means = density[:, 1:] / np.sqrt(p)[:, None] * np.sqrt(share * kept)[:, None]
            flat = np.swapaxes(means, 0, 1).reshape(len(v), -1) * np.sqrt(v)[:, None]
            return flat @ flat.T, lost

        jobs = [slice(i, i + _AT_ONCE) for i in range(0, len(omega), _AT_ONCE)]
        parts = in_threads(part, jobs)
        total = np.sum([f for f, _ in parts], axis=0) / np.outer(v, v)
        return self.where.projected(self.axes @ total @ self.axes.T), sum(lost for _, lost in parts)

    def _rules(self, own: Array, level: int) -> list[tuple[Array, Array]]:
        """Of omega, a coordinate each; linear ones need none."""
        rules = [_NONE] * len(own)
        for block in self.form.blocks:
            step, more = (_STEP[level], 0) if block.is_joint else (_ALONE * _STEP[level], _MORE_ALONE)
            for i in () if block.is_linear else block.places:
                rules[i] = _nodes(own[i], step, level, more)
        return rules

    def _blur(self, v: Array) -> float:
        """The standard deviation of noise and of linear terms."""
        square = self.form.noise**2
        for block in self.form.blocks:
            if block.is_linear:
                square += float(block.linear**2 @ v[list(block.places)])
        return math.sqrt(square)

    def _orbits(self, rules: list[tuple[Array, Array]]) -> Orbits:
        count = math.prod(len(x) for x, _ in rules)
        if count > _MOST:
            raise UnresolvedOverlap(
                f"overlaps are too close to 1 for {count} nodes of omega; simulate it by AMP"
            )
        return orbits(rules, self.symmetries)

    def _table(
        self, i: int, omega: Array, v: Array, rule: LabelRule
    ) -> tuple[Complex, Complex, Integers, list[int]]:
        """(transforms at different omega of a block, with moments; which each combination has; places)."""
        block = self.form.blocks[i]
        places = list(block.places)
        different, at = np.unique(omega[:, places], axis=0, return_inverse=True)
        plain, moved = block_transforms(block, rule.t, different, v[places], rule.fineness)
        if i == 0 and self.form.noise:
            filtered = np.exp(-0.5 * (self.form.noise * rule.t) ** 2)
            plain, moved = plain * filtered, moved * filtered
        return plain, moved, at.ravel(), places


def _with_signs(group: Sequence[Array], even: Sequence[int]) -> list[Array]:
    """The signed permutations among some symmetries, and their products with changes of signs."""
    kept = [s.round() for s in group if np.abs(s - s.round()).max() < _SAME]
    for i in even:
        flip = np.eye(len(kept[0]))
        flip[i, i] = -1.0
        kept += [flip @ s for s in kept]
    return list(np.unique(kept, axis=0))


def _nodes(m: float, step: float, level: int, more: int) -> tuple[Array, Array]:
    """For a coordinate with an overlap; `more` nodes where they are few."""
    for top, count in _FEW:
        if m <= top:
            x, w = np.polynomial.hermite_e.hermegauss(count + more + 2 * level if count > 1 else 1)
            return x, w / w.sum()
    return omega_nodes(m, step, _REACH[level], between=True)


def _products(tables: list[tuple[Complex, Complex, Integers, list[int]]], r: int) -> Complex:
    """Of each combination: the product of its factors, and those with a moment, shape (n, 1 + r, l, k)."""
    plain = [p[at] for p, _, at, _ in tables]
    found = np.empty((len(plain[0]), 1 + r, *plain[0].shape[1:]), dtype=np.complex128)
    found[:, 0] = math.prod(plain)
    for i, (_, moved, at, places) in enumerate(tables):
        others = math.prod(p for j, p in enumerate(plain) if j != i)
        factors = moved[at]
        for row, place in enumerate(places):
            found[:, 1 + place] = factors[:, row] * others
    return found
