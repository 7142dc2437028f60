"""One step of the overlap matrix, its derivatives, and what an error of F moves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from hermite_analytics.foundation.clock import check_time
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.numeric.bayes.maps.commutant import Commutant

__all__ = ["AT_CEILING", "FLOOR", "TOO_FAR", "Map", "Secant", "Steps", "joined"]

Secant = tuple[Array, Array]  # a move of M, and how it changed what a step adds
Map = Callable[[Array, int], Array]

FLOOR = 1e-5  # the start 0+
_SAMPLED_FLOOR = 0.03  # that of a map that is sampled: above its noise
_STEP = 1e-5  # relative, of its differences
TOO_FAR = 0.25  # error of overlaps, of a map that is sampled, beyond which it tells nothing of them
_LEAST_LED = 1e-3  # error of such overlaps
_SAMPLED_STEP = 0.03  # those of a map that is sampled: it jumps where a sample changes sides
_LONGEST = 100.0  # of its steps, in residuals
_NEARER = 16.0  # times, to complete overlap
_TURNED = 1e-3
_NEAR_REST = 1e-3  # residual below which a stable fixed point may lie the other way in some directions
_ABSENT = 1e-12  # overlap that is none
_LEAVING = 0.1  # share of the residual that leads back from a ceiling: more than a direction that turns
AT_CEILING = 1e-9
_SAME = 1e-9
_ROUNDING = 1e-12  # of eigenvalues
# times the lost probability, since in the total other labels make up for some of it: 3.3 were measured
_MISPLACED = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Steps:
    """M -> alpha F (I + alpha F)^-1, with eigenvalues between a start and a ceiling.

    Attributes
    ----------
    overlap_map : function of M and a level
        F.
    where : Commutant
    alpha : float
    unseen : float
        Error of F that the levels do not show, relative to the F of a label that tells all.
    sampled : bool
        Whether F has noise, of the size of its change with the level.
    safety : float
        How many times that change F may be off.
    coarse : int
        The level that comes near, and whose derivatives serve: 0 or -1.
    takes : function of M, optional
        Whether F is found there as it is at M; differences are taken to a side where it is.
    """

    overlap_map: Map
    where: Commutant
    alpha: float
    unseen: float
    sampled: bool = False
    safety: float = 1.0
    coarse: int = 0
    takes: Callable[[Array], bool] | None = None

    @property
    def floor(self) -> float:
        """The start 0+: of a map that is sampled it stands above the noise."""
        return _SAMPLED_FLOOR if self.sampled else FLOOR

    def rising(self, m: Array, level: int) -> Array:
        """alpha F (I + alpha F)^-1."""
        check_time()
        return self._step_of(self.overlap_map(m, level))

    def _step_of(self, f: Array) -> Array:
        values, vectors = self.where.split(self.where.projected(self.alpha * f))
        return joined(values / (1 + values), vectors)

    def directions_at(self, m: Array, ceiling: float) -> Array:
        """The directions, as columns, at a ceiling below 1."""
        values, vectors = self.where.split(m)
        return vectors[:, (np.abs(values - ceiling) < AT_CEILING) & (ceiling < 1)]

    def between(self, matrix: Array, ceiling: float, *, held: bool) -> tuple[Array, Array]:
        """Eigenvalues between the start and a ceiling; the directions, as columns, that would fall below.

        Where a map is sampled, what fell below the start is 0 later, and what it has there is its noise.
        """
        values, vectors = self.where.split(matrix)
        low = (values < self.floor) & held
        limited = np.where(low, self.floor, np.minimum(values, ceiling))
        if self.sampled and not held:
            limited[values < self.floor] = 0.0
        return joined(limited, vectors) if (limited != values).any() else matrix, vectors[:, low]

    def _directions(self, m: Array, pinned: Array, top: Array) -> tuple[Array, Array]:
        """(orthonormal matrices in which M may move, steps for differences).

        Overlaps that are 0 stay so. Those of pinned directions, at the start, and of the directions `top`, at
        a ceiling, stay there, but these may turn.
        """
        values, vectors = np.linalg.eigh(m)
        gone = vectors[:, values < _ABSENT]
        allowed = np.eye(len(m)) - gone @ gone.T
        moved = [allowed @ b @ allowed for b in self.where.basis]
        for kept in (pinned @ pinned.T, top @ top.T):
            moved = [b - kept @ b @ kept for b in moved]
        parts = [b for b in moved if np.abs(b).max() > AT_CEILING]
        if not parts:
            return np.zeros((0, *m.shape)), np.zeros(0)
        flat = np.array(parts).reshape(len(parts), -1)
        if len(parts) < len(self.where.basis) or gone.size or pinned.size or top.size:
            _, sizes, rows = np.linalg.svd(flat, full_matrices=False)
            flat = rows[sizes > _SAME]
        directions = flat.reshape(-1, *m.shape)
        # relative to M and to I - M
        roots = [vectors / np.sqrt(np.maximum(x, _ABSENT)) for x in (values, 1 - values)]
        sizes = np.array(
            [max(np.abs(np.linalg.eigvalsh(r.T @ d @ r)).max() for r in roots) for d in directions]
        )
        return directions, (_SAMPLED_STEP if self.sampled else _STEP) / sizes

    def newton(
        self, m: Array, following: Array, pinned: Array, ceiling: float, secants: Sequence[Secant] | None
    ) -> Array | None:
        """One step of Newton's method in the direction of the iteration, else None.

        Beside a stable fixed point it may lead the other way in some directions, which others draw along.
        Of a step that ends below I all is taken that leaves a sixteenth of I - M in every direction; one that
        holds directions at a ceiling is taken whole.
        `secants` of a finer rule, None where the coarse one is followed.
        """
        residual = following - m
        largest = float(np.abs(residual).max())
        top = self._held(following, self.directions_at(m, ceiling), ceiling - _LEAVING * largest)
        directions, steps = self._directions(m, pinned, top)
        if not len(directions):
            return None
        same = secants is None
        limit = ceiling if same or top.size else 1.0  # the coarser rule may rise where the finer one falls
        matrix = self._jacobian(m, (directions, steps), limit, following if same else None, self.coarse)
        matrix = _corrected(matrix, directions, secants or ())
        wanted = np.einsum("lij,ij->l", directions, residual)
        try:
            move = np.einsum("k,kij->ij", np.linalg.solve(matrix, wanted), directions)
        except np.linalg.LinAlgError:
            return None
        values, vectors = self.where.split(residual)
        turns = np.einsum("ia,ij,ja->a", vectors, move, vectors) * values < -_TURNED * largest**2
        may_turn = largest < _NEAR_REST and np.linalg.eigvals(matrix).real.min() > 0
        far = float(np.abs(move).max()) > _LONGEST * largest
        new = self.between(m + move, ceiling, held=False)[0] if top.size else m + move
        if far or (turns.any() and not may_turn) or not _is_inside(new, ceiling):
            return None
        return new if top.size else m + _least_share(m, move) * move

    def _held(self, following: Array, top: Array, least: float) -> Array:
        """Of the directions at a ceiling those that the step leaves there; the others fall below it again."""
        values, vectors = np.linalg.eigh(top.T @ following @ top)
        return np.asarray(top @ vectors[:, values >= least])

    def _jacobian(
        self, m: Array, moves: tuple[Array, Array], ceiling: float, known: Array | None, level: int
    ) -> Array:
        """1 - d step/d M on some directions, with steps, where a step ends below the ceiling.

        `known`: where the step of M ends.
        """
        directions, steps = moves
        base = self.between(self.rising(m, level), ceiling, held=False)[0] if known is None else known
        columns = []
        for d, h in zip(directions, steps, strict=True):
            side = self._side(m, h * d)
            moved = self.between(self.rising(m - side * h * d, level), ceiling, held=False)[0]
            columns.append(d - (base - moved) / (side * h))
        return np.asarray(np.einsum("kij,lij->lk", np.array(columns), directions))

    def _side(self, m: Array, change: Array) -> float:
        """1 for m - change, where M has less, or -1."""
        if self.takes is None or self.takes(m - change) or not self.takes(m + change):
            return 1.0
        return -1.0 if np.linalg.eigvalsh(m + change)[-1] < 1 else 1.0

    def error(self, m: Array, ceiling: float) -> float:
        """What a change of F moves: that with the rule, and what the rule does not show.

        Of a map that is sampled it is no small change: as far as it leads. An overlap below its start is not
        seen, and 1 is said where samples are too few to tell anything.
        """
        moved = self._moved(m, ceiling)
        return min(self._led(m, moved, ceiling) if self.sampled else moved, 1.0)

    def _moved(self, m: Array, ceiling: float) -> float:
        """What these change in M, and what is left of a step, to first order."""
        coarse, fine = (self.between(self.rising(m, k), ceiling, held=False)[0] for k in (0, 1))
        none = np.zeros((len(m), 0))
        directions, steps = self._directions(m, none, self.directions_at(m, ceiling))
        if not len(directions):
            return 0.0
        causes = np.stack([self.safety * (coarse - fine), self._lost(m), fine - m])
        level = self.coarse if self.sampled else 0
        matrix = self._jacobian(m, (directions, steps), ceiling, None if self.sampled else coarse, level)
        given = np.einsum("lij,cij->lc", directions, causes)
        changes = np.einsum("kc,kij->cij", np.linalg.lstsq(matrix, given, rcond=None)[0], directions)
        return float(np.abs(changes).sum(axis=0).max())

    def _led(self, m: Array, moved: float, ceiling: float) -> float:
        """How far fixed points of F with its error added, and taken off, lie: `moved`, or 2, 4, .. times it.

        A direction at a ceiling may lie anywhere above it. F increases with M: where a step from M + e leads
        down in all directions, the error added, no overlap of that map that rises from M gets beyond M + e,
        and the other way round.
        """
        values, vectors = self.where.split(m)
        moved = max(moved, _LEAST_LED, 1 - ceiling if self.directions_at(m, ceiling).size else 0.0)
        if values.min() < self.floor:
            moved = max(moved, self.floor)

        def leads_back(side: int) -> bool:
            check_time()
            ends = values + side * moved
            free = vectors[:, ends < ceiling] if side > 0 else vectors[:, ends > self.floor]
            if not free.size:
                return True
            highest = np.minimum(ceiling, 1 - (1 - values) / _NEARER)
            there = joined(np.clip(ends, self.floor, highest), vectors)
            fine, with_error = (self.overlap_map(there, level) for level in (1, 0))
            step = self._step_of(fine + side * (with_error - fine)) - there
            return bool(np.linalg.eigvalsh(side * free.T @ step @ free)[-1] <= 0)

        for side in (1, -1):
            while moved <= TOO_FAR and not leads_back(side):
                moved *= 2
        return moved if moved <= TOO_FAR else 1.0

    def _lost(self, m: Array) -> Array:
        """The change of M by labels that are lost and may tell all.

        F = (I - M)^-1 of them in the directions that labels see from 0, and (I - M)^-1 M in those of which
        they do not tell the sign. What some labels lose others may have.
        """
        if not self.unseen:
            return np.zeros_like(m)
        left = np.eye(len(m)) - m
        values, vectors = self.where.split(
            self.where.projected(self.overlap_map(np.zeros_like(m), self.coarse))
        )
        seen = vectors[:, values > _SAME]
        all_of_them = m + seen @ (seen.T @ left @ seen) @ seen.T
        change = _MISPLACED * max(1.0, self.alpha) * self.unseen * all_of_them @ left
        return np.asarray(0.5 * (change + change.T))


def _is_inside(m: Array, ceiling: float) -> bool:
    ends = np.linalg.eigvalsh(m)
    return bool(ends[0] >= 0 and ends[-1] < 1 and ends[-1] <= ceiling + _ROUNDING)


def _least_share(m: Array, move: Array) -> float:
    """The share of a move that leaves at least 1/_NEARER of I - M in every direction, at most 1.

    A derivative says little of overlaps that come to rest nearer to 1, and grids may not resolve them.
    """
    values, vectors = np.linalg.eigh(np.eye(len(m)) - m)
    inverse = vectors / np.sqrt(np.maximum(values, _ABSENT))
    rises = float(np.linalg.eigvalsh(inverse.T @ move @ inverse)[-1])
    return min(1.0, (1 - 1 / _NEARER) / rises) if rises > 0 else 1.0


def _corrected(matrix: Array, directions: Array, secants: Sequence[Secant]) -> Array:
    """1 - d step/d M by the coarse rule, with what a finer one has shown between points (Broyden)."""
    for secant in secants:
        moved, changed = (np.einsum("lij,ij->l", directions, x) for x in secant)
        square = float(moved @ moved)
        if square > 0:
            matrix = matrix - np.outer(changed + matrix @ moved, moved) / square
    return matrix


def joined(values: Array, vectors: Array) -> Array:
    return np.asarray((vectors * values) @ vectors.T)
