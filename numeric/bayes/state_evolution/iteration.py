"""The monotone iteration of the overlap matrix, finished by Newton's method."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.foundation.clock import check_time
from hermite_analytics.numeric.bayes.maps.commutant import Commutant
from hermite_analytics.numeric.bayes.state_evolution.known_coordinate import KnownCoordinate
from hermite_analytics.numeric.bayes.state_evolution.patience import Patience
from hermite_analytics.numeric.solution import Status

__all__ = ["CLOSER", "Beside", "FoundMatrix", "Iteration", "Map", "Search", "beside_known", "joined"]

Array = NDArray[np.float64]
Map = Callable[[Array, int], Array]
Beside = Callable[[Array], KnownCoordinate | None]

_FLOOR = 1e-5  # the start 0+
_SAMPLED_FLOOR = 0.03  # that of a map that is sampled: above its noise
_NEARLY = 2e-3  # a residual at which it is asked for all of its samples
_NEAR = 1e-3  # distance to complete overlap below which the map is homogeneous in I - M
_NEAREST_CEILING = 0.1  # the same beside a ceiling, at most
_SWITCH = 1e-2  # relative change in any direction below which Newton's method is tried
_STEP = 1e-5  # relative, of its differences
_SAMPLED_STEP = 0.03  # those of a map that is sampled: it jumps where a sample changes sides
_LONGEST = 100.0  # of its steps, in residuals
_TURNED = 1e-3
_MOVING = 1e-4  # a residual far from rest
_TURNING = 1e-3  # share of I - M that is lost in a step
_MOST_TURNS = 40
_HURRY = 30.0  # steps in one, of a direction that grows slowly
_SMALL = 0.05  # overlap below which it may be at its start
_ABSENT = 1e-12  # overlap that is none
_FALLING = 0.5  # share of the residual that a Newton step by the coarse rule leaves at most
_AT_CEILING = 1e-9
_SAME = 1e-9
_ROUNDING = 1e-12  # of eigenvalues
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
    """One fixed point with its statistics."""

    matrix: Array
    status: Status
    residual: float
    iterations: int
    error: float


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Iteration:
    """M -> alpha F (I + alpha F)^-1, see `fixed_point`."""

    overlap_map: Map
    where: Commutant
    alpha: float
    exact_alpha: Callable[[], float]
    search: Search
    unseen: float
    beside: Beside | None = None
    undetermined: Callable[[Array], bool] | None = None
    sampled: bool = False
    settled: float = 0.0
    safety: float = 1.0

    @property
    def floor(self) -> float:
        """The start 0+: of a map that is sampled it stands above the noise."""
        return _SAMPLED_FLOOR if self.sampled else _FLOOR

    @property
    def coarse(self) -> int:
        """The level that comes near, and whose derivatives serve."""
        return -1 if self.sampled else 0

    def rising(self, m: Array, level: int) -> Array:
        """alpha F (I + alpha F)^-1."""
        check_time()
        f, vectors = self.where.split(self.where.projected(self.alpha * self.overlap_map(m, level)))
        return joined(f / (1 + f), vectors)

    def run(self, start: Array, ceiling: float, near: float = _NEAR) -> FoundMatrix:
        """From a matrix, with eigenvalues held below a ceiling; what rises so near to I goes there."""
        unit, near = np.eye(len(start)), min(max(near, 2 * (1 - ceiling)), _NEAREST_CEILING)
        m, held, asked = start, True, 0
        count, residual, level = 0, np.inf, self.coarse
        turns, patience, status, before = 0, Patience(), Status.MAX_STEPS_REACHED, np.inf
        while count < self.search.max_steps:
            free = self.rising(m, level)
            following, pinned = self._between(free, ceiling, held=held)
            count += 1
            residual = float(np.abs(following - m).max())
            arrives, lost = self._near_identity(m, free, near)
            if arrives:
                return FoundMatrix(
                    matrix=unit, status=Status.CONVERGED, residual=0.0, iterations=count, error=0.0
                )
            if lost > _TURNING and turns < _MOST_TURNS:  # I - M turns to where all of it falls
                m, level, turns = following, self.coarse, turns + 1
                continue
            top = self.directions_at(m, ceiling)
            if top.shape[1] != asked:
                asked = top.shape[1]
                if top.size and self.undetermined is not None and self.undetermined(top):
                    ceiling = 1.0  # no label holds them there while the others move
                    continue
                known = self._known_beside(m, top, ceiling)
                if known is not None:
                    return beside_known(known, self.alpha, self.search)
            if residual <= self._enough(m, free, level):
                if level < 1:
                    level = 1
                    continue
                if not pinned.size:
                    status = Status.CONVERGED
                    break
                allowed = unit - pinned @ pinned.T
                m, held = allowed @ m @ allowed, False
                continue
            growth, along = _fastest(m, following)
            if not patience.is_over() or growth > _SWITCH:
                m = following
                continue
            newton = self._newton(m, following, pinned, ceiling, level)
            count += len(self.where.basis)
            coarse = residual > _MOVING and (newton is None or residual < _FALLING * before)
            level, before = (level if coarse or self.sampled else 1), residual
            patience.begin_again(lost=newton is None and residual > _MOVING)
            m = _further(newton, following, growth, along)
        error = self._error(m, ceiling)
        return FoundMatrix(matrix=m, status=status, residual=residual, iterations=count, error=error)

    def _near_identity(self, m: Array, free: Array, near: float) -> tuple[bool, float]:
        """(whether M goes to I from here, share of I - M that the step loses), where I is stable and near."""
        far = float(self.where.split(m)[0].min()) <= 1 - near
        if far or self.alpha < self.exact_alpha() * (1 - _AT_CEILING):
            return False, 0.0
        lost = float(np.trace(free - m) / np.trace(np.eye(len(m)) - m))
        arrives = bool(self.where.split(free - m)[0].min() > 0 and lost > self._least_fall())
        return arrives and (self.alpha > self.exact_alpha() or self._rises_closer(m)), lost

    def _rises_closer(self, m: Array) -> bool:
        """Whether M still rises at a quarter of the distance from I: at the alpha where I becomes stable."""
        closer = np.eye(len(m)) - (np.eye(len(m)) - m) / CLOSER
        return bool(self.where.split(self.rising(closer, self.coarse) - closer)[0].min() > 0)

    def _known_beside(self, m: Array, top: Array, ceiling: float) -> KnownCoordinate | None:
        """The map of the others, where the directions at the ceiling go on to 1."""
        known = self.beside(top) if self.beside is not None and top.size else None
        goes_on = known is not None and self.alpha * known.share > 1 and self._rises(m, top, ceiling)
        return known if goes_on else None

    def _least_fall(self) -> float:
        """Half of the share that I - M loses in a step where M = I is what attracts."""
        return max(0.5 * (1 - self.exact_alpha() / self.alpha), 0.0)

    def _rises(self, m: Array, top: Array, ceiling: float) -> bool:
        """Whether directions at a ceiling still rise closer to 1."""
        closer = m + (1 - ceiling) * (1 - 1 / CLOSER) * top @ top.T
        least = np.linalg.eigvalsh(top.T @ (self.rising(closer, 1) - closer) @ top)[0]
        return bool(least > 0)

    def directions_at(self, m: Array, ceiling: float) -> Array:
        """The directions, as columns, at a ceiling below 1."""
        values, vectors = self.where.split(m)
        return vectors[:, (np.abs(values - ceiling) < _AT_CEILING) & (ceiling < 1)]

    def _enough(self, m: Array, free: Array, level: int) -> float:
        """The residual that is none: a share of the change with the level, of a map that is not exact."""
        if level < 1:
            return _NEARLY if self.sampled else 0.0
        if not self.settled:
            return self.search.tolerance
        noise = float(np.abs(free - self.rising(m, 0)).max())
        return max(self.search.tolerance, self.settled * noise)

    def _between(self, matrix: Array, ceiling: float, *, held: bool) -> tuple[Array, Array]:
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
        parts = [b for b in moved if np.abs(b).max() > _AT_CEILING]
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

    def _newton(self, m: Array, following: Array, pinned: Array, ceiling: float, level: int) -> Array | None:
        """One step of Newton's method in the direction of the iteration, else None."""
        residual, top = following - m, self.directions_at(m, ceiling)
        directions, steps = self._directions(m, pinned, top)
        if not len(directions):
            return None
        matrix = self._jacobian(m, directions, steps, ceiling, following if level == self.coarse else None)
        wanted = np.einsum("lij,ij->l", directions, residual)
        try:
            move = np.einsum("k,kij->ij", np.linalg.solve(matrix, wanted), directions)
        except np.linalg.LinAlgError:
            return None
        largest = float(np.abs(residual).max())
        values, vectors = self.where.split(residual)
        turns = np.einsum("ia,ij,ja->a", vectors, move, vectors) * values < -_TURNED * largest**2
        far = float(np.abs(move).max()) > _LONGEST * largest
        new = self._between(m + move, ceiling, held=False)[0] if top.size else m + move
        ends = np.linalg.eigvalsh(new)
        outside = ends[0] < 0 or ends[-1] >= 1 or ends[-1] > ceiling + _ROUNDING
        return None if far or turns.any() or outside else new

    def _jacobian(
        self, m: Array, directions: Array, steps: Array, ceiling: float, known: Array | None = None
    ) -> Array:
        """1 - d step/d M on some directions, where a step ends below the ceiling, by the coarser rule.

        `known`: where that takes M.
        """
        level = self.coarse
        base = self._between(self.rising(m, level), ceiling, held=False)[0] if known is None else known
        columns = []
        for d, h in zip(directions, steps, strict=True):
            moved = self._between(self.rising(m - h * d, level), ceiling, held=False)[0]
            columns.append(d - (base - moved) / h)
        return np.asarray(np.einsum("kij,lij->lk", np.array(columns), directions))

    def _error(self, m: Array, ceiling: float) -> float:
        """What a change of F moves: that with the rule, and what the rule does not show.

        An overlap below the start of a map that is sampled is not seen.
        """
        coarse, fine = (self._between(self.rising(m, k), ceiling, held=False)[0] for k in (0, 1))
        none = np.zeros((len(m), 0))
        directions, steps = self._directions(m, none, self.directions_at(m, ceiling))
        if not len(directions):
            return 0.0
        lost = max(1.0, self.alpha) * self.unseen  # of F: lost labels may tell all, (I - M)^-1 M
        causes = np.stack(
            [self.safety * (coarse - fine), lost * m @ (np.eye(len(m)) - m), self.sampled * (fine - m)]
        )
        matrix = self._jacobian(m, directions, steps, ceiling, None if self.sampled else coarse)
        given = np.einsum("lij,cij->lc", directions, causes)
        changes = np.einsum("kc,kij->cij", np.linalg.lstsq(matrix, given, rcond=None)[0], directions)
        missed = self.floor if self.sampled and self.where.split(m)[0].min() < self.floor else 0.0
        return min(float(np.abs(changes).sum(axis=0).max()) + missed, 1.0)

    def goes_to_one(self, matrices: Sequence[Array], distances: Sequence[float], top: Array) -> bool:
        """Whether alpha (1 - m) F has a limit above 1 in some directions, by its values at two distances.

        It has no limit but 0 where labels never determine an overlap; the error at both is about
        (1 - m)^(1/2).
        """
        products = [
            self.alpha * left * np.linalg.eigvalsh(top.T @ self.overlap_map(m, 1) @ top)
            for m, left in zip(matrices, distances, strict=True)
        ]
        return bool(np.all(2 * products[1] - products[0] > 1))


def joined(values: Array, vectors: Array) -> Array:
    return np.asarray((vectors * values) @ vectors.T)


def _fastest(m: Array, following: Array) -> tuple[float, Array]:
    """The largest relative change of M in any direction, and M there: a matrix of low rank.

    The eigenvalue of largest modulus of M^(-1/2) (following - M) M^(-1/2), and M^(1/2) P M^(1/2) with P the
    projection on its eigenvectors; 0 where it is no growth.
    """
    values, vectors = np.linalg.eigh(m)
    present = values > 0.5 * _FLOOR
    root = vectors[:, present] * np.sqrt(values[present])
    inverse = vectors[:, present] / np.sqrt(values[present])
    changes, directions = np.linalg.eigh(inverse.T @ (following - m) @ inverse)
    largest = float(np.abs(changes).max(initial=0.0))
    growing = directions[:, changes >= 0.9 * largest]
    return largest, root @ growing @ growing.T @ root.T


def _further(newton: Array | None, following: Array, growth: float, along: Array) -> Array:
    """Newton's step, or the slowest direction further along: it leaves 0 near its threshold."""
    if newton is not None:
        return newton
    if float(np.linalg.eigvalsh(along)[-1]) > _SMALL:
        return following
    return np.asarray(following + _HURRY * growth * along)
