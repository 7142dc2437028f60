"""The monotone iteration of the overlap matrix, finished by Newton's method."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.numeric.bayes.state_evolution.known_coordinate import KnownCoordinate
from hermite_analytics.numeric.bayes.state_evolution.steps import (
    AT_CEILING,
    FLOOR,
    TOO_FAR,
    Secant,
    Steps,
)
from hermite_analytics.numeric.status import Status

__all__ = ["CLOSER", "Beside", "FoundMatrix", "Iteration", "Search", "beside_known"]

Beside = Callable[[Array], KnownCoordinate | None]

_NEARLY = 2e-3  # a residual at which it is asked for all of its samples
_NEAR = 1e-3  # distance to complete overlap below which the map is homogeneous in I - M
_NEAREST_CEILING = 0.1  # the same beside a ceiling, at most
_SWITCH = 1e-2  # relative change in any direction below which Newton's method is tried
_MOVING = 1e-4  # a residual far from rest; of M and I - M too, relative to them, where Newton's method works
_FAR = 1e-6  # a move that shows a slope
_TURNING = 1e-3  # share of I - M that is lost in a step
_MOST_TURNS = 40
_LOOKS = 4  # steps of them between two looks whether M goes to I from there
_WAITING = 0.25
_HURRY = 30.0  # steps in one, of a direction that grows slowly
_SMALL = 0.05  # overlap below which it may be at its start
_TINY = 2e-3  # overlap from which a growing direction leaps; from beyond a fixed point it falls back
_LEAP = 3.0  # times the overlap, in one step of a direction that small
_LONGEST_PAUSE = 15  # steps
_FALLING = 0.5  # share of the residual that a Newton step by the coarse rule leaves at most
CLOSER = 4.0  # ratio of distances from 1 at which overlaps that go there are looked at


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """Which fixed point is wanted, and how well.

    Attributes
    ----------
    informed : bool
        From I-, not from 0+.
    tolerance : float
        On the residual.
    max_steps : int
        Evaluations of F, about.
    """

    informed: bool
    tolerance: float
    max_steps: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundMatrix:
    """One fixed point with its statistics; `sampled` where its map was not that of the other points."""

    matrix: Array
    status: Status
    residual: float
    iterations: int
    error: float
    sampled: bool = False


def beside_known(known: KnownCoordinate, alpha: float, search: Search) -> FoundMatrix:
    """1 in the known direction, and the overlap across it by its own map."""
    m, residual, count, error = known.point(alpha, informed=search.informed)
    x, w = known.label.known, known.label.other
    return FoundMatrix(
        matrix=np.outer(x, x) + m * np.outer(w, w),
        status=Status.CONVERGED if residual <= search.tolerance else Status.MAX_STEPS_REACHED,
        residual=residual,
        iterations=count,
        error=error,
    )


@dataclass(slots=True)
class _Patience:
    """Steps without Newton's method: it converges anyway; twice as many each time that it fails far off."""

    left: int = 0
    pause: int = 0

    def is_over(self) -> bool:
        self.left -= 1
        return self.left < 0

    def begin_again(self, *, lost: bool) -> None:
        self.left = self.pause = min(2 * self.pause + 1, _LONGEST_PAUSE) if lost else 0


@dataclass(slots=True, kw_only=True)
class _Walk:
    """Where an iteration stands."""

    m: Array
    ceiling: float
    near: float
    level: int
    held: bool = True  # whether overlaps stay above the start
    count: int = 0
    turns: int = 0
    at_ceiling: int = 0  # directions there, when it was last asked what they are
    before: float = np.inf  # the residual at the last step of Newton's method
    patience: _Patience = field(default_factory=_Patience)
    last: tuple[int, Array, Array] | None = None  # by a finer rule: its level, M, and what a step added
    secants: list[Secant] = field(default_factory=list)

    def look(self, added: Array) -> None:
        """What a step adds to M here: two places show the slope of a rule between them."""
        if self.last is not None and self.last[0] == self.level:
            move = self.m - self.last[1]
            if np.abs(move).max() > _FAR:
                self.secants.append((move, added - self.last[2]))
        self.last = self.level, self.m, added


@dataclass(frozen=True, slots=True, kw_only=True)
class Iteration:
    """M -> alpha F (I + alpha F)^-1 until it rests, see `fixed_point`."""

    steps: Steps
    search: Search
    exact_alpha: Callable[[], float]
    beside: Beside | None = None
    undetermined: Callable[[Array], bool] | None = None
    settled: float = 0.0

    def run(self, start: Array, ceiling: float, near: float = _NEAR) -> FoundMatrix:
        """From a matrix, with eigenvalues held below a ceiling; what rises so near to I goes there."""
        near = min(max(near, 2 * (1 - ceiling)), _NEAREST_CEILING)
        walk = _Walk(m=start, ceiling=ceiling, near=near, level=self.steps.coarse)
        found, residual = None, np.inf
        while found is None and walk.count < self.search.max_steps:
            found, residual = self._advanced(walk)
        return found or self._ended(walk, Status.MAX_STEPS_REACHED, residual)

    def _ended(self, walk: _Walk, status: Status, residual: float) -> FoundMatrix:
        error = self.steps.error(walk.m, walk.ceiling)
        if self.steps.sampled and error > TOO_FAR:
            status = Status.UNRESOLVED
        return FoundMatrix(
            matrix=walk.m, status=status, residual=residual, iterations=walk.count, error=error
        )

    def _whole(self, walk: _Walk) -> FoundMatrix:
        unit = np.eye(len(walk.m))
        return FoundMatrix(
            matrix=unit, status=Status.CONVERGED, residual=0.0, iterations=walk.count, error=0.0
        )

    def _advanced(self, walk: _Walk) -> tuple[FoundMatrix | None, float]:
        """(the fixed point where one is reached, the residual)."""
        free = self.steps.rising(walk.m, walk.level)
        following, pinned = self.steps.between(free, walk.ceiling, held=walk.held)
        walk.count += 1
        residual = float(np.abs(following - walk.m).max())
        arrives, lost = self._near_identity(walk.m, free, walk.near)
        if arrives:
            return self._whole(walk), residual
        if lost > _TURNING and walk.turns < _MOST_TURNS:  # I - M turns to where all of it falls
            if walk.turns % _LOOKS == _LOOKS - 1 and self._leads_to_identity(walk):
                return self._whole(walk), residual
            walk.m, walk.level, walk.turns = following, self.steps.coarse, walk.turns + 1
            return None, residual
        top = self.steps.directions_at(walk.m, walk.ceiling)
        if top.shape[1] != walk.at_ceiling:
            walk.at_ceiling = top.shape[1]
            if top.size and self.undetermined is not None and self.undetermined(top):
                walk.ceiling = 1.0  # no label holds them there while the others move
                return None, residual
            known = self._known_beside(walk.m, top, walk.ceiling)
            if known is not None:
                return beside_known(known, self.steps.alpha, self.search), residual
        if self._rests(walk, free, following - walk.m):
            return self._at_rest(walk, pinned, residual), residual
        self._move(walk, following, pinned, residual)
        return None, residual

    def _at_rest(self, walk: _Walk, pinned: Array, residual: float) -> FoundMatrix | None:
        """By the finer rule, and without what only the start holds: else it goes on so."""
        if walk.level < 1:
            self._refine(walk)
            return None
        if not pinned.size:
            return self._ended(walk, Status.CONVERGED, residual)
        allowed = np.eye(len(walk.m)) - pinned @ pinned.T
        walk.m, walk.held = allowed @ walk.m @ allowed, False
        return None

    def _move(self, walk: _Walk, following: Array, pinned: Array, residual: float) -> None:
        """A plain step while it changes much, else one of Newton's method."""
        growth, along = _fastest(walk.m, following)
        if not walk.patience.is_over() or growth > _SWITCH:
            is_tiny = 0 < float(np.linalg.eigvalsh(along)[-1]) < _TINY
            walk.m = following + _LEAP * along if is_tiny and growth > _SWITCH else following
            return
        if walk.level > self.steps.coarse and not (self.steps.sampled or pinned.size or walk.at_ceiling):
            walk.look(following - walk.m)
        secants = walk.secants if walk.level > self.steps.coarse else None
        newton = self.steps.newton(walk.m, following, pinned, walk.ceiling, secants)
        walk.count += len(self.steps.where.basis)
        moving = residual > _MOVING
        if newton is None:
            coarse = moving
        else:
            coarse = _changes_much(walk.m, following) and residual < _FALLING * walk.before
        walk.before = residual
        if not coarse and not self.steps.sampled and walk.level < 1:
            self._refine(walk)
        walk.patience.begin_again(lost=newton is None and moving)
        walk.m = _further(newton, following, growth, along)

    def _refine(self, walk: _Walk) -> None:
        """To the next level; level 0 of a map that is sampled has its error in it."""
        walk.level = 1 if self.steps.sampled else walk.level + 1
        walk.before = np.inf

    def _near_identity(self, m: Array, free: Array, near: float) -> tuple[bool, float]:
        """(whether M goes to I from here, share of I - M that the step loses), where I is stable and near."""
        far = float(self.steps.where.split(m)[0].min()) <= 1 - near
        if far or self.steps.alpha < self.exact_alpha() * (1 - AT_CEILING):
            return False, 0.0
        lost = float(np.trace(free - m) / np.trace(np.eye(len(m)) - m))
        arrives = bool(self.steps.where.split(free - m)[0].min() > 0 and lost > self._least_fall())
        return arrives and (self.steps.alpha > self.exact_alpha() or self._rises_closer(m)), lost

    def _leads_to_identity(self, walk: _Walk) -> bool:
        """Whether M goes to I, some of its eigenvalues being at a ceiling at which others wait for them.

        Those that wait lie lower in I - V, V <= 1.25 (I - M). If I - t V rises in all directions for every t
        in (0, 1], no fixed point but I lies above it, for F increases; that is asked at t = 1 and 1/4, nearer
        to I the map is homogeneous in V.
        """
        top = self.steps.directions_at(walk.m, walk.ceiling)
        if not top.size or self.steps.sampled or self.steps.alpha <= self.exact_alpha():
            return False
        rest = np.eye(len(walk.m)) - top @ top.T
        left = np.eye(len(walk.m)) - walk.m
        lower = np.eye(len(walk.m)) - left - _WAITING * rest @ left @ rest
        rises = self.steps.where.split(self.steps.rising(lower, self.steps.coarse) - lower)[0].min() > 0
        return bool(rises and self._rises_closer(lower))

    def _rises_closer(self, m: Array) -> bool:
        """Whether M still rises at a quarter of the distance from I: at the alpha where I becomes stable."""
        closer = np.eye(len(m)) - (np.eye(len(m)) - m) / CLOSER
        return bool(
            self.steps.where.split(self.steps.rising(closer, self.steps.coarse) - closer)[0].min() > 0
        )

    def _known_beside(self, m: Array, top: Array, ceiling: float) -> KnownCoordinate | None:
        """The map of the others, where the directions at the ceiling go on to 1."""
        known = self.beside(top) if self.beside is not None and top.size else None
        goes_on = known is not None and self.steps.alpha * known.share > 1 and self._rises(m, top, ceiling)
        return known if goes_on else None

    def _least_fall(self) -> float:
        """Half of the share that I - M loses in a step where M = I is what attracts."""
        return max(0.5 * (1 - self.exact_alpha() / self.steps.alpha), 0.0)

    def _rises(self, m: Array, top: Array, ceiling: float) -> bool:
        """Whether directions at a ceiling still rise closer to 1."""
        closer = m + (1 - ceiling) * (1 - 1 / CLOSER) * top @ top.T
        least = np.linalg.eigvalsh(top.T @ (self.steps.rising(closer, 1) - closer) @ top)[0]
        return bool(least > 0)

    def _rests(self, walk: _Walk, free: Array, change: Array) -> bool:
        """Whether a step changes nothing; of a map that is not exact, a share of what its level does at most.

        Both in size and relative to M: an overlap that has hardly left the start 0+ changes little where it
        grows slowly, and the level changes it as little.
        """
        residual = float(np.abs(change).max())
        if walk.level < 1:
            return residual <= (_NEARLY if self.steps.sampled else 0.0)
        if residual <= self.search.tolerance:
            return True
        if not self.settled:
            return False
        moved = free - self.steps.rising(walk.m, 0)
        small = residual <= self.settled * float(np.abs(moved).max())
        return small and _growth(walk.m, change) <= self.settled * _growth(walk.m, moved)

    def goes_to_one(self, matrices: Sequence[Array], distances: Sequence[float], top: Array) -> bool:
        """Whether alpha (1 - m) F has a limit above 1 in some directions, by its values at two distances.

        It has no limit but 0 where labels never determine an overlap; the error at both is about
        (1 - m)^(1/2).
        """
        products = [
            self.steps.alpha * left * np.linalg.eigvalsh(top.T @ self.steps.overlap_map(m, 1) @ top)
            for m, left in zip(matrices, distances, strict=True)
        ]
        return bool(np.all(2 * products[1] - products[0] > 1))


def _fastest(m: Array, following: Array) -> tuple[float, Array]:
    """The largest relative change of M in any direction, and M there: a matrix of low rank.

    The eigenvalue of largest modulus of M^(-1/2) (following - M) M^(-1/2), and M^(1/2) P M^(1/2) with P the
    projection on its eigenvectors; 0 where it is no growth.
    """
    root, changes, directions = _relative(m, following - m, least=0.5 * FLOOR)
    largest = float(np.abs(changes).max(initial=0.0))
    growing = directions[:, changes >= 0.9 * largest]
    return largest, root @ growing @ growing.T @ root.T


def _growth(m: Array, change: Array) -> float:
    """The largest change relative to M in any direction."""
    return float(np.abs(_relative(m, change, least=0.5 * FLOOR)[1]).max(initial=0.0))


def _relative(m: Array, change: Array, *, least: float) -> tuple[Array, Array, Array]:
    """(M^(1/2), eigenvalues and eigenvectors of M^(-1/2) change M^(-1/2)), of eigenvalues above the least."""
    values, vectors = np.linalg.eigh(m)
    present = values > least
    root = vectors[:, present] * np.sqrt(values[present])
    inverse = vectors[:, present] / np.sqrt(values[present])
    return root, *np.linalg.eigh(inverse.T @ change @ inverse)


def _changes_much(m: Array, following: Array) -> bool:
    """Whether a step is far from rest, relative to M or to I - M."""
    change = following - m
    sides = (m, 0.5 * FLOOR), (np.eye(len(m)) - m, AT_CEILING)
    largest = [np.abs(_relative(x, change, least=least)[1]).max(initial=0.0) for x, least in sides]
    return bool(max(largest) > _MOVING)


def _further(newton: Array | None, following: Array, growth: float, along: Array) -> Array:
    """Newton's step, or the slowest direction further along: it leaves 0 near its threshold."""
    if newton is not None:
        return newton
    if float(np.linalg.eigvalsh(along)[-1]) > _SMALL:
        return following
    return np.asarray(following + _HURRY * growth * along)
