"""Kinds of coordinates of a label of separate parts, and the factors of combinations of nodes of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array, Complex, Integers
from hermite_analytics.label.cases.committee.parts import Part, SeparateParts
from hermite_analytics.label.cases.committee.parts_law import PartsLaw, Tables
from hermite_analytics.label.cases.committee.sum_factors import SumFactor
from hermite_analytics.numeric.bayes.maps.omega_rule import OmegaRule

__all__ = ["Factors", "Kinds"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kinds:
    """The parts that are even, with one overlap each, and the others, in the order of both.

    Attributes
    ----------
    parts : tuple of Part
    evens : int
    sums : tuple of (SumFactor, tuple of int)
        Factors of several parts, and which these are.
    """

    parts: tuple[Part, ...]
    evens: int
    sums: tuple[tuple[SumFactor, tuple[int, ...]], ...]

    @classmethod
    def of(cls, form: SeparateParts) -> Kinds:
        even = [p for p in form.parts if p.even]
        ordered = (*even, *(p for p in form.parts if not p.even))
        index = {p.places: i for i, p in enumerate(ordered)}
        sums = tuple((f, tuple(index[p.places] for p in f.parts)) for f in form.sums)
        return cls(parts=ordered, evens=len(even), sums=sums)

    @property
    def others(self) -> tuple[Part, ...]:
        return self.parts[self.evens :]

    @property
    def joint(self) -> tuple[int, ...]:
        """Those of factors of several parts."""
        return tuple(i for _, own in self.sums for i in own)

    def units(self, count: int) -> Array:
        """The unit vectors along the sums of the coordinates of each part, shape (g, r)."""
        found = np.zeros((len(self.parts), count))
        for row, part in zip(found, self.parts, strict=True):
            row[list(part.places)] = part.signs / math.sqrt(len(part.places))
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Factors:
    """The factors of combinations: tables of the nodes of parts by themselves, those of sums when asked for.

    Attributes
    ----------
    kinds : Kinds
    law : PartsLaw
    rule : OmegaRule
    own : ndarray, shape (g,)
        What omega says of a coordinate of each kind.
    layers : list of (plain, moved)
        Of the nodes of parts by themselves, shape (k, n, l).
    """

    kinds: Kinds
    law: PartsLaw
    rule: OmegaRule
    own: Array
    layers: Tables

    def of(self, rows: slice) -> tuple[Tables, Integers, Integers, Integers]:
        """(tables, members, places, replaced) of some combinations; see `parts_sums.products`."""
        members, places = self.rule.members[rows], self.rule.places[rows]
        if not self.kinds.sums:
            return self.layers, members, places, np.take_along_axis(members, places, axis=1)
        kinds, sums = self._owners(), self.kinds.sums
        alone = np.flatnonzero(~np.isin(kinds, self.kinds.joint))
        column = np.zeros(members.shape[1], dtype=np.int64)
        column[alone] = np.arange(len(alone))
        local, values, deviations = self._nodes()
        chosen, replaced = [local[members[:, alone]]], local[np.take_along_axis(members, places, axis=1)]
        tables = [[(plain, moved)] for plain, moved in self.layers]
        counts = [self.layers[0][0].shape[1]] * 2
        for s, (factor, own) in enumerate(sums):
            inside = np.concatenate([np.flatnonzero(kinds == i) for i in own])
            column[inside] = len(alone) + s
            different, back = np.unique(members[:, inside], axis=0, return_inverse=True)
            chosen.append(counts[0] + back.reshape(-1, 1))
            at = np.argsort(inside)[np.clip(np.searchsorted(np.sort(inside), places), 0, len(inside) - 1)]
            first = counts[1] + back.reshape(-1, 1) * len(inside) + at
            replaced = np.where((places >= 0) & np.isin(places, inside), first, replaced)
            found = self.law.tables_of_sum(factor, values[different], deviations[kinds[inside]] ** 2)
            for layer, pair in zip(tables, found, strict=True):
                layer.append(pair)
            counts = [counts[0] + len(different), counts[1] + len(different) * len(inside)]
        joined = [tuple(_joined([pair[j] for pair in layer]) for j in (0, 1)) for layer in tables]
        positions = np.where(places >= 0, column[places], -1)
        return [(p, m) for p, m in joined], np.concatenate(chosen, axis=1), positions, replaced

    def _owners(self) -> Integers:
        """The kind of each member of a combination."""
        return np.repeat(np.arange(len(self.kinds.parts)), [p.count for p in self.kinds.parts])

    def _nodes(self) -> tuple[Integers, Array, Array]:
        """(places of nodes among those of parts by themselves, omega at nodes, deviations of kinds)."""
        sizes = [len(x) for x in self.rule.nodes]
        alone = np.repeat([i not in self.kinds.joint for i in range(len(sizes))], sizes)
        scaled = [math.sqrt(m) * x for m, x in zip(self.own, self.rule.nodes, strict=True)]
        return np.cumsum(alone) - 1, np.concatenate(scaled), np.sqrt(1 - self.own)


def _joined(tables: Sequence[Complex]) -> Complex:
    """Side by side, with the frequencies of sums of all of them, shape (k, n, l)."""
    count = tables[0].shape[2]
    return np.concatenate([np.broadcast_to(t, (*t.shape[:2], count)) for t in tables], axis=1)
