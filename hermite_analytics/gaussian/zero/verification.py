"""Symmetries f(Rz) = chi f(z) of one form, accepted only if both sides have the same canonical form.

Candidates come from `isometries`. Values at one point, in balls, may reject a candidate; they never
accept one.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from flint import arb, fmpq

from hermite_analytics.foundation.clock import TimeEnded
from hermite_analytics.gaussian.zero.balls import enclosure
from hermite_analytics.gaussian.zero.groups import SymmetryGroup
from hermite_analytics.gaussian.zero.isometries import (
    Isometry,
    form_isometries,
    plane_rotations,
    signed_permutations,
)
from hermite_analytics.gaussian.zero.linear_forms import distinct_lines, linear_forms
from hermite_analytics.gaussian.zero.monomials import (
    Form,
    OutOfReach,
    constant,
    is_algebraic,
    negated,
    variable_form,
    variable_names,
)
from hermite_analytics.gaussian.zero.own_time import own_time
from hermite_analytics.gaussian.zero.piecewise import merged_signs
from hermite_analytics.gaussian.zero.ring import Ring
from hermite_analytics.gaussian.zero.substitution import substitute
from hermite_analytics.gaussian.zero.tensors import Index, forced_zeros

__all__ = ["Symmetry", "VerifiedSymmetries"]

_READING = 40_000
_CHECKING = 20_000
_ALL_CHECKS = 120_000
_SECONDS = 1.0  # of the whole search
_MOST_KEPT = 100
_MOST_GENERATORS = 12
_MOST_CANDIDATES = 1500
_FILTER_BITS = 96
Symmetry = tuple[Isometry, int]


class VerifiedSymmetries:
    """The symmetries of one form, found as they are asked for.

    Isometries that permute `written` linear forms, of powers before they are expanded, are tried too.
    A search that a caller's clock interrupts goes on, when it is asked again, after the candidates that
    were judged.
    """

    def __init__(self, form: Form, names: Sequence[str], written: Sequence[tuple[Form, ...]] = ()) -> None:
        self.names = list(names)
        self.written = written
        self.form = form
        with own_time(_SECONDS):
            self.merged = merged_signs(Ring(_READING), form)
        self.point = _sample_point(self.names, variable_names(form))
        self.left = _ALL_CHECKS
        self.seconds = _SECONDS
        self.kept: list[Symmetry] = []
        self.generators: list[Symmetry] = []
        self._group = SymmetryGroup(len(self.names))
        self._passed_on: set[object] = set()
        self._judged = 0
        self._search = self._verified()
        self._forced: dict[tuple[tuple[int, ...], int], frozenset[Index]] = {}

    def __iter__(self) -> Iterator[Symmetry]:
        position = 0
        while True:
            while position < len(self.kept):
                yield self.kept[position]
                position += 1
            found = self._following()
            if found is None:
                return
            self.kept.append(found)

    def forced_by(self, chosen: Sequence[Symmetry], degree: int) -> frozenset[Index]:
        """The indices of this degree whose coefficients vanish by some of these symmetries together."""
        key = tuple(map(id, chosen)), degree
        if key not in self._forced:
            self._forced[key] = forced_zeros(chosen, len(self.names), degree)
        return self._forced[key]

    def _following(self) -> Symmetry | None:
        """The next symmetry; None at the end of the candidates or of the search's own time."""
        if self.seconds <= 0:
            return None
        try:
            with own_time(self.seconds) as own:
                found = next(self._search, None)
                left = own.remaining()
        except TimeEnded:
            self._search = self._verified()  # a generator that raised is over
            raise
        except OutOfReach:
            found, left = None, 0.0
        self.seconds = left
        return found

    def _verified(self) -> Iterator[Symmetry]:
        """Candidates outside the group found so far are checked; signed permutations inside are passed on."""
        for isometry in itertools.islice(self._candidates(), self._judged, _MOST_CANDIDATES):
            if self.left <= 0 or len(self.generators) == _MOST_GENERATORS:
                return
            known = self._group.character(isometry)
            character = self.character(isometry) if known is None else known
            if character is not None and known is None:
                self._group.insert(isometry, character)
                self.generators.append((isometry, character))
            self._judged += 1
            if character is not None and (known is None or self._is_new(isometry)):
                self._passed_on.add(isometry.signed_permutation or ())
                yield isometry, character

    def _is_new(self, isometry: Isometry) -> bool:
        """Whether this element of the group is a signed permutation that is worth being passed on."""
        rows = isometry.signed_permutation
        return rows is not None and rows not in self._passed_on and len(self._passed_on) < _MOST_KEPT

    def _candidates(self) -> Iterator[Isometry]:
        n = len(self.names)
        if not self.merged:
            return
        yield from signed_permutations(n)
        yield from plane_rotations(n)
        try:
            forms = linear_forms(Ring(_READING), self.form, self.names)
            written = distinct_lines(Ring(_READING), self.written)
        except OutOfReach:
            return
        for some in (forms, written) if written != forms else (forms,):
            if any(sum(map(bool, form)) > 1 for form in some):
                yield from form_isometries(some, n)

    def character(self, isometry: Isometry) -> int | None:
        """chi if f(Rz) = chi f(z) is verified, else None."""
        if not _is_orthogonal(isometry):
            return None
        possible = self._possible_characters(isometry)
        if not possible:
            return None
        allowed = min(_CHECKING, max(self.left, 0))
        ring = Ring(allowed)
        moved: Form | None = None
        try:
            form = self.merged if _has_nested_roots(isometry) else self.form
            moved = merged_signs(ring, substitute(ring, form, self._values(ring, isometry)))
        except OutOfReach:
            pass
        self.left -= allowed - ring.left  # not where a clock ended the check: it starts again
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
