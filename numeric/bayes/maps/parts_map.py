"""F of labels of separate parts: sums g_1(z_1) + ... + g_r(z_r) + noise, their largest, and labels of cells.

Given what M says of z, in the form of `shared_observations` an observation omega_i of each coordinate and t_k
of at most two sums, label and observations are averages over l of products of one factor for each coordinate,

    E[prod_i h_i(z_i) exp(i l.a_i (z_i - omega_i)) | omega],

with h_i as the law of the label has it (`cases/committee/laws`); E[z_i | ..] has one factor more. omega runs
over an `omega_rule`, up to permutations of equal parts: few factors serve all. An even part keeps its
coordinate by itself: its observation has no sign; that of a part of a norm has a length only.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field

import numpy as np

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.numpy_arrays import Array, Complex
from hermite_analytics.foundation.threads import in_threads
from hermite_analytics.label.cases.committee.equations import equations_each
from hermite_analytics.label.cases.committee.laws import laws_of_parts
from hermite_analytics.label.cases.committee.parts import SeparateParts
from hermite_analytics.label.cases.committee.parts_law import PartsLaw
from hermite_analytics.numeric.bayes.maps.commutant import Commutant
from hermite_analytics.numeric.bayes.maps.kinds import Factors, Kinds
from hermite_analytics.numeric.bayes.maps.label_map import LabelMap
from hermite_analytics.numeric.bayes.maps.omega_rule import OmegaRule, omega_rule
from hermite_analytics.numeric.bayes.maps.parts_sums import products, squares, without_scale
from hermite_analytics.numeric.bayes.maps.sampled_map import SampledMap
from hermite_analytics.numeric.bayes.maps.shared_observations import (
    MOST_SHARED,
    SharedObservations,
    shared_observations,
)

__all__ = ["PartsMap"]

_RARE, _UNSEEN = 1e-9, 1e-2  # share of the largest density, below which it is ringing, at least and at most
_AT_ONCE = 400_000  # products
_FREQUENCIES = 256  # of a law of cells, fewer than which leave time for more nodes of omega
_MOST_DOUBLINGS = 5
_BY_CHANCE = 1e-3  # of F, that two samples of omega may have alike
_ERRORS = 3.5  # standard errors
_ROUNDING = 1e-15
_LOST = 1e-8  # probability beyond the labels that are looked at
_TRIED = (0.05, 0.3, 0.6, 0.85)
_FALLS, _NO_F = 1e-3, 1e-6  # relative; an F below which rules for small overlaps say nothing
_SAME = 1e-9
_LEAST = 1e-12  # variance
_NEAREST = 3e-3  # of I - M, for products with noise


@dataclass(frozen=True, slots=True, kw_only=True)
class PartsMap:
    """F(M) by products of factors.

    Attributes
    ----------
    parts : SeparateParts
    others : SampledMap or LabelMap
        For matrices that symmetries of the parts do not keep, or without that form.
    laws : tuple of PartsLaw
        By level.
    axes : ndarray, shape (r, r)
        R with z = R u: parts are of coordinates u.
    where : Commutant
    """

    parts: SeparateParts
    others: SampledMap | LabelMap
    laws: tuple[PartsLaw, ...]
    kinds: Kinds
    axes: Array
    where: Commutant
    _known: dict[tuple[bytes, int], Array] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @classmethod
    def of(
        cls, parts: SeparateParts, others: SampledMap | LabelMap, kept: Commutant | None = None
    ) -> PartsMap:
        """With the laws of the label; `kept` are the matrices that all of its symmetries keep.

        Raises
        ------
        UnsupportedExpression
            If no law takes the label, if too many different parts are not even, or if the sum of the
            coordinates of equal ones is not what is learned best.
        """
        kinds = Kinds.of(parts)
        axes = np.eye(parts.count) if parts.axes is None else parts.axes
        alone = [p.count == 1 for p in kinds.others]
        if not _stay_apart(kinds, axes, kept) and len(alone) - any(alone) > MOST_SHARED:
            raise UnsupportedExpression(
                "the label has too many different parts that are not even for a rule of its own"
            )
        found = cls(
            parts=parts,
            others=others,
            laws=laws_of_parts(parts),
            kinds=kinds,
            axes=axes,
            where=_where(kinds, axes),
        )
        if not all(alone):
            for m in _TRIED:
                level = 0 if parts.table is None else -1
                f = found._levels(m * np.eye(parts.count), level)[level]
                f = f if kept is None else axes.T @ kept.projected(axes @ f @ axes.T) @ axes
                for u, part in zip(kinds.units(parts.count)[kinds.evens :], kinds.others, strict=True):
                    along = float(u @ f @ u)
                    trace = float(np.trace(f[np.ix_(part.places, part.places)]))
                    if part.count > 1 and along * part.count < trace * (1 - _FALLS) - part.count * _NO_F:
                        raise UnsupportedExpression("the sum of the coordinates is not what is learned best")
        return found

    @property
    def exact_share(self) -> float:
        """Labels that say anything, for each coordinate: of those of which they say least."""
        return equations_each(self.parts)

    @property
    def resolution(self) -> float:
        """Labels are blurred, and the nodes of omega are few; of finitely many labels neither."""
        return 2e-2 if self.parts.table is None else 1e-4

    @property
    def mass_defect(self) -> float:
        """Labels that are not looked at: of finitely many values there are next to none."""
        return _LOST if self.parts.table is None else _ROUNDING

    def takes(self, matrix: Array) -> bool:
        """Whether M is one of those, and not left to sampling.

        Beside complete overlap a little noise is resolved by sums, not by products: it is narrower in the
        logarithm of large labels than any frequency shows.
        """
        if np.abs(self.where.projected(matrix) - matrix).max() >= _SAME:
            return False
        faint = self.parts.product and self.parts.is_noisy
        if faint and float(np.linalg.eigvalsh(matrix)[-1]) > 1 - _NEAREST:
            return False
        return self._observed(self._along_axes(matrix), 0) is not None

    def _along_axes(self, matrix: Array) -> Array:
        """In the coordinates of the parts."""
        return np.asarray(self.axes.T @ matrix @ self.axes)

    def __call__(self, matrix: Array, *, level: int = 1) -> Array:
        if not self.takes(matrix):
            return self.others(matrix, level=level)
        key = np.ascontiguousarray(matrix).tobytes(), level
        if key not in self._known:
            found = self._levels(self._along_axes(self.where.projected(matrix)), level)
            self._known.update({(key[0], k): self.axes @ f @ self.axes.T for k, f in found.items()})
        return self._known[key]

    def _observed(self, matrix: Array, level: int) -> SharedObservations | None:
        """Of all kinds of coordinates; the even ones by themselves."""
        kinds, units = self.kinds, self.kinds.units(self.parts.count)
        own = np.zeros(len(kinds.parts))
        for i in range(kinds.evens):
            own[i] = max(float(units[i] @ matrix @ units[i]), 0.0)
        counts = [p.count for p in kinds.others]
        among = units[kinds.evens :]
        inner = np.linalg.inv(np.eye(len(among)) - among @ matrix @ among.T) - np.eye(len(among))
        across = np.full(len(counts), np.nan)
        for i, (part, u) in enumerate(zip(kinds.others, among, strict=True)):
            if part.count > 1:
                trace = float(np.trace(matrix[np.ix_(part.places, part.places)]))
                m = max((trace - float(u @ matrix @ u)) / (part.count - 1), 0.0)
                across[i] = m / (1 - m)
        finer = self.parts.table is not None
        found = shared_observations(inner, across, counts, level=max(level, 0), finer=finer)
        inside = [i - kinds.evens for i in kinds.joint if i >= kinds.evens]
        if found is None or found.frequencies[:, inside].any():
            return None
        own[kinds.evens :] = found.own
        none = ((0, 0), (kinds.evens, 0))
        return SharedObservations(
            own=own,
            slopes=np.pad(found.slopes, none),
            frequencies=np.pad(found.frequencies, none),
            xi=found.xi,
            weights=found.weights,
            contraction=found.contraction,
        )

    def _levels(self, matrix: Array, level: int) -> dict[int, Array]:
        """F at a level, and at others that come with it.

        Where several samples of omega are drawn level 0 is level 1 less its error, as of `SampledMap`.
        """
        observed = self._observed(matrix, level)
        if observed is None:
            found = self.others(self.axes @ matrix @ self.axes.T, level=level)
            return {level: self._along_axes(found)}
        rule = self._rule(observed, level)
        if level == 0 and len(rule.samples) > 1:
            finer = self._observed(matrix, 1)
            if finer is not None and len(self._rule(finer, 1).samples) > 1:
                return self._levels(matrix, 1)
        law = self.laws[max(level, 0)].resolving(_least_deviation(matrix))
        sums = self._sums(law, rule, observed)
        found = self._assembled(matrix, without_scale(sums.sum(0), law.scales))
        if level == 1 and len(rule.samples) > 1:
            return {1: found, 0: found * (1 - self._by_chance(sums[:, 0]))}
        return {level: found * (1 - _BY_CHANCE) if level == 0 and rule.samples else found}

    def _rule(self, observed: SharedObservations, level: int) -> OmegaRule:
        parts, table = self.kinds.parts, self.parts.table
        few = 0 if table is None else _FREQUENCIES // table.index.size
        more = min(max(few.bit_length() - 1, 0), _MOST_DOUBLINGS)
        return omega_rule(
            [p.count for p in parts],
            [p.even for p in parts],
            [float(m) for m in observed.own],
            dimensions=[p.dimension for p in parts],
            level=level,
            doublings=1 if self.parts.product else more,
            steep=() if table is None else [part.edges for part in parts],
        )

    def _sums(self, law: PartsLaw, rule: OmegaRule, observed: SharedObservations) -> Array:
        """Of squares, shape (samples of omega, scales, g, g + 1)."""
        parts = self.kinds.parts
        alone = [i for i in range(len(parts)) if i not in self.kinds.joint]
        layers = [
            (np.concatenate([t[0] for t in tables], axis=1), np.concatenate([t[1] for t in tables], axis=1))
            for tables in zip(*(self._tables(law, i, rule, observed) for i in alone), strict=True)
        ]
        if not alone:
            factor, own = self.kinds.sums[0]
            one = law.tables_of_sum(factor, np.zeros((1, len(own))), np.ones(len(own)))
            layers = [(plain[:, :0], moved[:, :0]) for plain, moved in one]
        factors = Factors(kinds=self.kinds, law=law, rule=rule, own=observed.own, layers=layers)
        spans = rule.samples or (slice(0, len(rule.members)),)
        plain = layers[0][0]
        at_once = max(1, _AT_ONCE // (len(plain) * plain.shape[2] * (1 + rule.places.shape[1])))
        jobs = [slice(i, min(i + at_once, s.stop)) for s in spans for i in range(s.start, s.stop, at_once)]
        counts = np.array([p.count for p in parts])
        owners = np.where(rule.places >= 0, np.repeat(np.arange(len(parts)), counts)[rule.places], -1)
        scales = np.sqrt(1 - observed.own)[owners]
        sides = rule.counts[..., None] * np.stack([scales, scales * scales], axis=-1)
        # transforms are multiplied by exp(xi^2/2), and their errors
        rare = np.clip(law.ringing * np.exp(0.5 * (observed.xi**2).sum(1)), _RARE, _UNSEEN)
        shift, share = observed.xi @ observed.slopes, rule.weights[:, None] * observed.weights

        def part(rows: slice) -> Array:
            tables, *at = factors.of(rows)
            found = [products(plain, moved, observed.contraction, *at) for plain, moved in tables]
            return np.array(
                [
                    squares(m, sides[rows], owners[rows], counts * 1.0, shift, share[rows], rare)
                    for m in law.masses(found)
                ]
            )

        first = np.searchsorted([job.start for job in jobs], [s.start for s in spans])
        return np.asarray(np.add.reduceat(np.array(in_threads(part, jobs)), first, axis=0))

    def _by_chance(self, sums: Array) -> float:
        """What samples of omega leave open, of F: half of 3.5 standard errors, as errors are doubled.

        With seven degrees of freedom the whole is exceeded in 1 % of all cases.
        """
        counts, g = np.array([p.count for p in self.kinds.parts]), len(self.kinds.parts)
        trace = np.einsum("kii->ki", sums[:, :, :g] / counts).sum(1) + sums[:, :, g].sum(1)
        error = float(trace.std(ddof=1)) / math.sqrt(len(trace))
        return max(_BY_CHANCE, 0.5 * _ERRORS * error / float(trace.mean()))

    def _tables(
        self, law: PartsLaw, kind: int, rule: OmegaRule, observed: SharedObservations
    ) -> list[tuple[Complex, Complex]]:
        """Of the nodes of a part, shape (k, n, l)."""
        part, m = self.kinds.parts[kind], float(observed.own[kind])
        b = observed.frequencies[:, kind]
        once = b if b.any() else b[:1]
        found = law.tables(part, math.sqrt(m) * rule.nodes[kind], math.sqrt(1 - m), once)
        shape = len(rule.nodes[kind]), len(b)
        return [
            (np.broadcast_to(p, (len(p), *shape)), np.broadcast_to(x, (len(x), *shape))) for p, x in found
        ]

    def _assembled(self, matrix: Array, sums: Array) -> Array:
        """(I - M)^-1 E[d d^T] (I - M)^-1 from sums over coordinates of a kind, d = E[z | all] - E[z | M]."""
        g, r = len(self.kinds.parts), self.parts.count
        sizes = np.sqrt([p.count for p in self.kinds.parts])
        along, across = sums[:, :g] / np.outer(sizes, sizes), sums[:, g]
        along[: self.kinds.evens] *= np.eye(g)[: self.kinds.evens]  # of omega one sign stands for both
        along[:, : self.kinds.evens] *= np.eye(g)[:, : self.kinds.evens]
        units = self.kinds.units(r)
        found = units.T @ along @ units
        for i, (u, part) in enumerate(zip(units, self.kinds.parts, strict=True)):
            inside = np.zeros(r)
            inside[list(part.places)] = 1.0
            if i < self.kinds.evens:
                each = (along[i, i] + across[i]) / len(part.places)  # of a block what lies along its omega
                found += np.diag(each * inside) - along[i, i] * np.outer(u, u)
            elif part.count > 1:
                found += max(across[i], 0.0) / (part.count - 1) * (np.diag(inside) - np.outer(u, u))
        left = np.linalg.inv(np.eye(r) - matrix)
        return np.asarray(left @ found @ left)


def _least_deviation(matrix: Array) -> float:
    """Of sums of coordinates with signs, one term or more, given what M tells: a bound."""
    left = np.eye(len(matrix)) - matrix
    return math.sqrt(max(min(float(np.diag(left).min()), 2 * float(np.linalg.eigvalsh(left)[0])), _LEAST))


def _stay_apart(kinds: Kinds, axes: Array, kept: Commutant | None) -> bool:
    """Whether symmetries leave no overlaps between different parts that are not even."""
    if kept is None:
        return False
    units = kinds.units(len(axes))[kinds.evens :] @ axes.T
    between = units @ kept.basis @ units.T
    return bool(np.abs(between * (1 - np.eye(len(units)))).max(initial=0.0) < _SAME)


def _where(kinds: Kinds, axes: Array) -> Commutant:
    """Matrices with one number for each even part, and all of the sums of the coordinates of the others."""
    basis, count = [], len(axes)
    for part in kinds.parts[: kinds.evens]:
        inside = np.zeros(count)
        inside[list(part.places)] = len(part.places) ** -0.5
        basis.append(np.diag(inside))
    units = kinds.units(count)[kinds.evens :]
    for (i, u), (j, w) in itertools.combinations_with_replacement(enumerate(units), 2):
        both = np.outer(u, w) + np.outer(w, u)
        basis.append(both / math.sqrt(2) if i != j else both / 2)
    for u, part in zip(units, kinds.others, strict=True):
        if part.count > 1:
            inside = np.zeros(count)
            inside[list(part.places)] = 1.0
            basis.append((np.diag(inside) - np.outer(u, u)) / math.sqrt(part.count - 1))
    return Commutant.spanned(axes @ np.array(basis) @ axes.T)
