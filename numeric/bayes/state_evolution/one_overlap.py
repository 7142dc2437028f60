"""All fixed points of one overlap: alpha as a function of m, without iteration.

F does not depend on alpha, so m = alpha F/(1 + alpha F) reads alpha(m) = m / ((1 - m) F(m)): a fixed point is
stable where alpha increases, and extrema of alpha(m) are the points where two of them merge. The free entropy

    f(m) = alpha E log Z_out + (m + log(1 - m))/2,    f'(m) = (alpha F(m) - m/(1 - m))/2,

decides which stable one is the equilibrium.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.polynomial.legendre import Legendre, legvander

from hermite_analytics.foundation.clock import check_time
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.foundation.panels import gauss_legendre
from hermite_analytics.foundation.roots import root_between
from hermite_analytics.numeric.bayes.state_evolution.curve import Curve, FixedPoint, Spinodal

__all__ = ["OneOverlap"]

_ZERO = 1e-12  # F(0) below which m = 0 counts as a fixed point, where nothing is proved
_INFINITE = 1e3  # alpha(0+) above which it counts as infinite, where nothing is proved
_LINEAR = (1e-9, 1e-7, 1e-5)  # where the slope of F at 0 is read off
_MOST_UNSEEN = 0.1  # relative error beyond what any case may lose
_LEVELS = 1e-6  # relative difference of F by level 0 that may be one of the rule
_GRID = np.concatenate(
    [np.geomspace(1e-8, 0.02, 14), np.linspace(0.04, 0.94, 46), 1 - np.geomspace(0.05, 1e-6, 26)]
)
_THINNED = 8
_NEAREST = 1e-13  # distance from 1 of the nearest overlap that is looked at
_LAST_DIGIT = 2.0**-53
_ROUNDING = 1e-13  # of F, relative; of F(0) in F where a slope is read off
_SLACK = 1e-9  # relative height of an extremum that is not rounding
_NODES, _WEIGHTS = gauss_legendre(20)
# parts of [0, 1] on which a polynomial through the nodes errs by 3^-20 of what F varies by: F is smooth
# but at 0 and 1, from which each part is as far as a third of its length; of the first, F is all but linear
_PARTS = (2.0**-9, 2.0**-7, 2.0**-5, 2.0**-3, 0.5, *(1 - 0.5 * 4.0**-k for k in range(1, 20)))


@dataclass(frozen=True, slots=True, kw_only=True)
class OneOverlap:
    """State evolution in one overlap m.

    Parameters
    ----------
    overlap_map : function of m and level
        F(m) >= 0, increasing.
    exact_share : float in [0, 1]
        lim (1 - m) F(m) at m -> 1.
    resolution : float
        The least 1 - m of the grid on which alpha(m) is tabulated.
    threshold : float, optional
        alpha(0+), where it is known better than by the map, which is sampled: the grid is then coarser.
    first_order : int, math.inf or None
        Least k with E[He_k(w) | y] != 0, where it is proved: F(0) = 0 above 1, F'(0) = 0 above 2. Where it is
        None both are read off the quadrature.
    unseen : function without arguments
        Error of F that the coarser rule does not show, relative to the F of a label that tells all.
    linear : function without arguments, optional
        alpha(0+) by the law of the label where nothing is known; else it is read off the map near 0.
    """

    overlap_map: Callable[[float, int], float]
    exact_share: float
    resolution: float = 1e-6
    threshold: float | None = None
    first_order: float | None = None
    unseen: Callable[[], float] = float
    linear: Callable[[], float] | None = None
    _values: dict[tuple[float, int], float] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    _integrals: dict[tuple[float, float], Legendre] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def value(self, m: float, level: int = 1) -> float:
        """F(m), kept; less what the rule leaves of an F(0) that is proved to be 0."""
        key = (m, level)
        if key not in self._values:
            check_time()
            self._values[key] = self.overlap_map(m, level)
        proved = m > 0 and self.first_order is not None and self.first_order > 1
        return max(self._values[key] - self.value(0.0, level), 0.0) if proved else self._values[key]

    def alpha(self, m: float, level: int = 1) -> float:
        """The alpha of which 0 < m < 1 is a fixed point."""
        f = self.value(m, level)
        return m / ((1 - m) * f) if f > 0 else math.inf

    @property
    def starts_at_zero(self) -> bool:
        """Whether m = 0 is a fixed point: E[z | y] = 0."""
        if self.first_order is None and self.threshold is not None:
            return not self.threshold <= 0  # NaN: not known
        return self.value(0.0) <= _ZERO if self.first_order is None else self.first_order > 1

    @property
    def grid(self) -> Array:
        """Overlaps at which alpha(m) is tabulated."""
        resolved = _GRID[0.999 * self.resolution <= 1 - _GRID]
        return np.asarray(resolved[:: 1 if self.threshold is None else _THINNED])

    @property
    def weak_recovery(self) -> float:
        """alpha(0+): above it m = 0 is unstable; 0 where it is none, inf where it is stable for any alpha.

        NaN where it is proved to be finite, and too large to be seen.
        """
        if not self.starts_at_zero:
            return 0.0
        if self.first_order is not None and self.first_order > 2:
            return math.inf
        if self.threshold is not None:
            return self.threshold
        if self.linear is not None:
            found = self._kept_linear()
            return math.nan if found == math.inf and self.first_order == 2 else found  # too small to be seen
        # where rounding leaves F(0) > 0 the slope is read off farther out
        near = next((m for m in _LINEAR[:-1] if self.value(0.0) <= _ROUNDING * self.value(m)), _LINEAR[-1])
        a, b = (self.alpha(near * k) for k in (1, 2))
        return 2 * a - b if b < _INFINITE or self.first_order == 2 else math.inf

    def _kept_linear(self) -> float:
        key = (0.0, -1)
        if key not in self._values and self.linear is not None:
            self._values[key] = self.linear()
        return self._values[key]

    @property
    def at_one(self) -> float:
        """alpha(1-): above it m = 1 is stable."""
        return 1 / self.exact_share if self.exact_share > 0 else math.inf

    def extrema(self) -> tuple[Spinodal, ...]:
        """The extrema of alpha(m) between 0 and 1, from small m on."""
        values = np.array([self.alpha(float(m), 0) for m in self.grid])
        found = []
        for k in range(1, len(self.grid) - 1):
            before, here, after = values[k - 1 : k + 2]
            for side, kind in ((1.0, "maximum"), (-1.0, "minimum")):
                near = side * (here - before) > _SLACK * here and side * (here - after) >= _SLACK * here
                if near and self._turns(k, side):
                    found.append(self._extremum(k, side, kind))
        return tuple(found)

    def _turns(self, k: int, side: float) -> bool:
        """Whether alpha(m) turns at a node of the grid by more than the rules for F differ there."""
        nodes = [float(m) for m in self.grid[k - 1 : k + 2]]
        fine = [self.alpha(m) for m in nodes]
        errors = [abs(a - self.alpha(m, 0)) for a, m in zip(fine, nodes, strict=True)]
        return all(side * (fine[1] - fine[j]) > errors[1] + errors[j] for j in (0, 2))

    def _extremum(self, k: int, side: float, kind: str) -> Spinodal:
        from scipy.optimize import minimize_scalar

        result = minimize_scalar(
            lambda m: -side * self.alpha(float(m)),
            bounds=(float(self.grid[k - 1]), float(self.grid[k + 1])),
            method="bounded",
            options={"xatol": 1e-8},
        )
        return Spinodal(overlap=float(result.x), alpha=self.alpha(float(result.x)), kind=kind)

    def knots(self) -> list[float]:
        """Overlaps between which alpha(m) is monotone."""
        return sorted({*map(float, self.grid), *(s.overlap for s in self.extrema())})

    def uninformed(self, alpha: float) -> tuple[float, int]:
        """(the fixed point that the iteration reaches from m = 0+, evaluations of the map).

        F rises with m, so that between m and alpha F/(1 + alpha F) there is none: nodes in between are left
        out.
        """
        if self.starts_at_zero and alpha <= self.weak_recovery:
            return 0.0, 1
        grid = self.grid
        last, k = -1, 0
        while k < len(grid):
            m = float(grid[k])
            value = self.alpha(m, 0)
            if value * (1 + _LEVELS) >= alpha and self.alpha(m) >= alpha:
                return self._root(alpha, float(grid[k - 1]) if k else 0.0, m)
            peak = self._peak_beside(last) if last == k - 1 else None
            if peak is not None and peak.alpha >= alpha:
                return self._root(alpha, float(grid[last - 1]), peak.overlap)
            reached = alpha * self.value(m, 0)
            ahead = int(np.searchsorted(grid, reached * (1 - _LEVELS) / (1 + reached), side="right")) - 1
            if ahead == len(grid) - 1:
                break
            last, k = k, max(k + 1, ahead)
        return self._beyond(alpha)

    def _peak_beside(self, k: int) -> Spinodal | None:
        """The maximum of alpha(m) that a node encloses with its neighbours."""
        if k < 1:
            return None
        before, here, after = (self.alpha(float(m), 0) for m in self.grid[k - 1 : k + 2])
        return self._extremum(k, 1.0, "maximum") if before < here > after else None

    def informed(self, alpha: float) -> tuple[float, int]:
        """(the largest stable fixed point, evaluations of the map)."""
        if alpha > self.at_one:
            return 1.0, 1
        stable = [p for p in self.fixed_points(alpha) if p.stable]
        return stable[-1].overlap if stable else self._beyond(alpha)[0], len(self._values)

    def fixed_points(self, alpha: float) -> tuple[FixedPoint, ...]:
        """All fixed points of an alpha, from small overlaps on."""
        found = []
        if self.starts_at_zero:
            found.append(FixedPoint(overlap=0.0, stable=alpha <= self.weak_recovery))
        first = self.weak_recovery if self.starts_at_zero else 0.0
        knots = self.knots()
        sides = [alpha - first, *(alpha - self.alpha(m) for m in knots)]
        for k, (a, b) in enumerate(itertools.pairwise([0.0, *knots])):
            if sides[k] * sides[k + 1] < 0:
                overlap, _ = self._root(alpha, a, b)
                found.append(FixedPoint(overlap=overlap, stable=sides[k] > 0))
        if self.exact_share > 0:  # at alpha(1-) and just below it the last one is within 1e-6 of 1
            found.append(FixedPoint(overlap=1.0, stable=alpha > self.at_one or sides[-1] > 0))
        elif sides[-1] > 0:
            found.append(FixedPoint(overlap=self._beyond(alpha)[0], stable=True))
        return tuple(found)

    def _beyond(self, alpha: float) -> tuple[float, int]:
        """Past the last node: exact recovery, or an overlap within 1e-6 of 1 and 1e-13 from it at least."""
        if self.exact_share > 0:
            return 1.0, len(self.grid)
        v = 1 - float(self.grid[-1])
        while self.alpha(1 - v) < alpha:
            if v <= _NEAREST:
                return 1 - v, len(self._values)
            v /= 4
        return self._root(alpha, 1 - 8 * v, 1 - v)

    def _root(self, alpha: float, low: float, high: float) -> tuple[float, int]:
        """The overlap with alpha(m) = alpha in a bracket; in log(m/(1 - m)), both ends resolved."""
        low = max(low, 1e-6 * high if high < 1e-7 else 1e-12)
        a, b = (math.log(m / (1 - m)) for m in (low, high))

        def excess(x: float, level: int = 1) -> float:
            return math.log(self.alpha(1 / (1 + math.exp(-x)), level) / alpha)

        count = 2
        ends = excess(a, 0), excess(b, 0)
        if ends[0] * ends[1] < 0:  # by the coarser rule; how far off, and on which side, by the finer
            middle, more = root_between(lambda x: excess(x, 0), a, b, within=1e-5)
            count += more
            left = excess(middle)
            slope = (ends[1] - ends[0]) / (b - a)
            width = -math.copysign(max(2e-5, abs(2 * left / slope)), left * slope)
            while a < middle + width < b:
                if left * excess(middle + width) <= 0:
                    a, b = sorted((middle, middle + width))
                    break
                width *= 4
        if excess(a) * excess(b) > 0:
            return (low if abs(excess(a)) < abs(excess(b)) else high), count
        exact = 1e-14 if self.threshold is None else 1e-11
        x, more = root_between(excess, a, b, within=exact, relative=1e-14)
        return 1 / (1 + math.exp(-x)), count + more

    def residual(self, m: float, alpha: float) -> float:
        """|m - alpha F/(1 + alpha F)|."""
        if m >= 1 or (m <= 0 and self.starts_at_zero):
            return 0.0
        f = alpha * self.value(m)
        return abs(m - f / (1 + f))

    def error(self, m: float, alpha: float) -> float:
        """Estimated error of a fixed point: by the change of F with the rule, its rounding, and that of m.

        Where it is nearer to 1 than is looked at, the distance from there.
        Over the slope of log alpha(m); of m = 0 it is what would be reached at alpha (1 + e) if F has a
        relative error e.
        """
        if m >= 1:
            return 0.0
        # lost labels may tell all: m/(1 - m) for each, where F is m/(1 - m)/alpha
        more = max(1.0, alpha)
        if m <= 0:
            if not self.starts_at_zero or alpha * (1 + more * _MOST_UNSEEN) <= self.weak_recovery:
                return 0.0
            further = alpha * (1 + more * self.unseen())
            return self.uninformed(further)[0] if further > self.weak_recovery else 0.0
        if 1 - m <= _NEAREST and self.alpha(m) < alpha:
            return 1 - m
        change = abs(self.alpha(m, 0) / self.alpha(m) - 1) + _ROUNDING + more * self.unseen()
        h = 1e-4 * min(m, 1 - m)
        slope = (math.log(self.alpha(m + h)) - math.log(self.alpha(m - h))) / (2 * h)
        return min(change / max(abs(slope), 1e-12) + _LAST_DIGIT * m, 1.0)

    def free_entropy_difference(self, alpha: float, low: float, high: float) -> float:
        """f(high) - f(low), infinite where high = 1 and exact recovery is possible."""
        if high >= 1:
            return math.copysign(math.inf, alpha - self.at_one)
        integral = self.integral(high) - self.integral(low)
        return 0.5 * (alpha * integral + high - low + math.log1p(-high) - math.log1p(-low))

    def integral(self, m: float) -> float:
        """The integral of F from 0 to m < 1, by polynomials between fixed ends: few nodes serve all m."""
        nearest = 1 - self.resolution
        ends = [0.0, *(end for end in _PARTS if end < nearest), nearest]
        beside = [] if m <= nearest else [(nearest, m)]
        parts = [(a, b) for a, b in itertools.pairwise(ends) if a < m] + beside
        return float(sum(self._integral_over(a, b)(min(b, m)) for a, b in parts))

    def _integral_over(self, a: float, b: float) -> Legendre:
        """The integral of F from a on, up to b; kept."""
        if (a, b) not in self._integrals:
            values = [self.value(float(m)) for m in (a + b) / 2 + (b - a) / 2 * _NODES]
            degrees = np.arange(len(_NODES))
            series = (degrees + 0.5) * (legvander(_NODES, len(_NODES) - 1).T @ (_WEIGHTS * values))
            self._integrals[a, b] = Legendre(series, domain=(a, b)).integ(lbnd=a)
        return self._integrals[a, b]

    def curve(self) -> Curve:
        """alpha(m) on a grid and at its extrema."""
        spinodals = self.extrema()
        overlap = np.array(self.knots())
        alpha = np.array([self.alpha(float(m)) for m in overlap])
        middle = np.array([s.overlap for s in spinodals])
        rising = [s.kind == "maximum" for s in spinodals]
        if not rising:
            rises = bool(alpha[-1] > alpha[0])
            stable = np.full(len(overlap), rises)
        else:
            place = np.searchsorted(middle, overlap, side="left")
            stable = np.array([rising[k] if k < len(rising) else not rising[-1] for k in place])
        return Curve(
            overlap=overlap,
            alpha=alpha,
            stable=stable,
            spinodals=spinodals,
            at_zero=self.weak_recovery,
            at_one=self.at_one,
        )
