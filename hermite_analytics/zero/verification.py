"""Symmetries f(Rz) = chi f(z) of one form, accepted only if both sides have the same canonical form.

Candidates come from `isometries`. Values at one point, in balls, may reject a candidate; they never
accept one.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Sequence

from flint import arb, fmpq

from hermite_analytics.zero.balls import enclosure
from hermite_analytics.zero.groups import SymmetryGroup
from hermite_analytics.zero.isometries import Isometry, form_isometries, plane_rotations, signed_permutations
from hermite_analytics.zero.linear_forms import linear_forms
from hermite_analytics.zero.monomials import (
    Form,
    OutOfReach,
    constant,
    is_algebraic,
    negated,
    variable_form,
    variable_names,
)
from hermite_analytics.zero.piecewise import merged_signs
from hermite_analytics.zero.ring import Ring
from hermite_analytics.zero.substitution import substitute

__all__ = ["Symmetry", "VerifiedSymmetries"]

_READING = 40_000
_CHECKING = 20_000
_ALL_CHECKS = 120_000
_SECONDS = 2.0  # of all checks together
_MOST_KEPT = 100
_MOST_GENERATORS = 12
_MOST_CANDIDATES = 1500
_FILTER_BITS = 96
Symmetry = tuple[Isometry, int]


class VerifiedSymmetries:
    """The symmetries of one form, found as they are asked for."""

    def __init__(self, form: Form, names: Sequence[str]) -> None:
        self.names = list(names)
        self.form = form
        self.merged = merged_signs(Ring(_READING), form)
        self.point = _sample_point(self.names, variable_names(form))
        self.left = _ALL_CHECKS
        self.seconds = _SECONDS
        self.kept: list[Symmetry] = []
        self.generators: list[Symmetry] = []
        self._search = self._verified()

    def __iter__(self) -> Iterator[Symmetry]:
        position = 0
        while True:
            while position < len(self.kept):
                yield self.kept[position]
                position += 1
            found = next(self._search, None)
            if found is None:
                return
            self.kept.append(found)

    def _verified(self) -> Iterator[Symmetry]:
        """Candidates outside the group found so far are checked; signed permutations inside are passed on."""
        group = SymmetryGroup(len(self.names))
        seen: set[object] = set()
        for isometry in itertools.islice(self._candidates(), _MOST_CANDIDATES):
            character = group.character(isometry)
            if character is not None:
                rows = isometry.signed_permutation
                if rows is not None and rows not in seen and len(seen) < _MOST_KEPT:
                    seen.add(rows)
                    yield isometry, character
                continue
            character = self.character(isometry)
            if character is not None:
                group.insert(isometry, character)
                self.generators.append((isometry, character))
                seen.add(isometry.signed_permutation or ())
                yield isometry, character
            if self.left <= 0 or self.seconds <= 0 or len(self.generators) == _MOST_GENERATORS:
                return

    def _candidates(self) -> Iterator[Isometry]:
        n = len(self.names)
        if not self.merged:
            return
        yield from signed_permutations(n)
        yield from plane_rotations(n)
        try:
            forms = linear_forms(Ring(_READING), self.form, self.names)
        except OutOfReach:
            return
        if any(sum(map(bool, form)) > 1 for form in forms):
            yield from form_isometries(forms, n)

    def character(self, isometry: Isometry) -> int | None:
        """chi if f(Rz) = chi f(z) is verified, else None."""
        if not _is_orthogonal(isometry):
            return None
        possible = self._possible_characters(isometry)
        if not possible:
            return None
        allowed, started = min(_CHECKING, max(self.left, 0)), time.monotonic()
        ring = Ring(allowed, deadline=started + self.seconds)
        try:
            form = self.merged if _has_nested_roots(isometry) else self.form
            moved = merged_signs(ring, substitute(ring, form, self._values(ring, isometry)))
        except OutOfReach:
            return None
        finally:
            self.left -= allowed - ring.left
            self.seconds -= time.monotonic() - started
        if 1 in possible and moved == self.merged:
            return 1
        return -1 if -1 in possible and moved == negated(self.merged) else None

    def _values(self, ring: Ring, isometry: Isometry) -> dict[str, Form]:
        variables = [variable_form(name) for name in self.names]
        return {
            name: ring.add(ring.multiply(entry, x) for entry, x in zip(row, variables, strict=True))
            for name, row in zip(self.names, isometry.matrix, strict=True)
        }

    def _possible_characters(self, isometry: Isometry) -> set[int]:
        """The characters that the values at one point do not exclude: a filter that never accepts."""
        try:
            here = enclosure(self.form, _FILTER_BITS, self.point)
            moved = dict(self.point)
            for name, row in zip(self.names, isometry.matrix, strict=True):
                parts = [
                    enclosure(x, _FILTER_BITS) * self.point[v]
                    for x, v in zip(row, self.names, strict=True)
                    if x
                ]
                moved[name] = sum(parts, arb(0))
            there = enclosure(self.form, _FILTER_BITS, moved)
        except OutOfReach:
            return {1, -1}
        return {chi for chi in (1, -1) if not (there - chi * here < 0 or there - chi * here > 0)}


def _sample_point(names: Sequence[str], occurring: set[str]) -> dict[str, object]:
    """A point in general position, parameters included."""
    ordered = [*names, *sorted(occurring - set(names))]
    return {
        name: arb(fmpq(37 * (k + 1) ** 2 + 11 * k + 5, 61 + 7 * k)) / 17 for k, name in enumerate(ordered)
    }


def _has_nested_roots(isometry: Isometry) -> bool:
    """Such entries cancel only in the product of the signs, not in each of them."""
    return not all(is_algebraic(entry) for row in isometry.matrix for entry in row)


def _is_orthogonal(isometry: Isometry) -> bool:
    """R'R = I exactly."""
    if isometry.plane is not None or isometry.signed_permutation is not None:
        return True
    ring, n = Ring(_CHECKING), len(isometry.matrix)
    for i in range(n):
        for j in range(i, n):
            entry = ring.add(ring.multiply(row[i], row[j]) for row in isometry.matrix)
            if entry != constant(int(i == j)):
                return False
    return True
