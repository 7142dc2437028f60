"""Gaussian integrals of random trees by Gauss-Legendre panels that end at the kinks.

Kinks whose arguments are affine by pieces (or products, or Hermite polynomials of such) are hyperplanes: for
every outer point the inner breakpoints are computed from the forms, and outer panels end where two inner
breakpoints meet. Other kinks are found by signs on a grid and bisection; outer panels are then halved until
the result stays. The errors come from a second, finer rule.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from scipy import special

from tests.symbolic.random_trees import ODD, POSITIVE, Array, Tree, children_of, has, kinks_of, values_of

Index = tuple[int, ...]
_MOST_PIECES = 24
_MOST_OUTER_BREAKS = 30
_CHUNK = 150_000
_MOST_PANELS = 500  # of the outermost variable


@dataclass(frozen=True)
class Rule:
    """Gauss-Legendre points a panel, panel edges, and the levels of halving in the outermost variable."""

    size: int
    edges: Array
    levels: int


@dataclass(frozen=True)
class Moments:
    """E[He_S f] for the indices, then E f^2; `error` by doubling the rule, `cut` what the ends hold."""

    values: Array
    error: Array
    cut: Array

    def tolerance(self) -> Array:
        return self.error + self.cut


def moments(tree: Tree, indices: list[Index]) -> Moments:
    """All He moments of these indices, and the second moment."""
    dimension = len(indices[0])
    grows = has(tree, "exp", "sinh", "cosh")
    problem = _Problem(tree, indices, _turned(tree, dimension))
    coarse, fine = (problem.integral(rule) for rule in _rules(dimension, grows))
    values, scale, cut = fine
    floor = (1e-12 if dimension < 3 else 1e-11) * scale
    return Moments(values, floor + 4 * np.abs(values - coarse[0]), cut)


def _rules(dimension: int, grows: bool) -> tuple[Rule, Rule]:
    reach = (16.0 if grows else 11.0) if dimension < 3 else (10.0 if grows else 8.0)
    inner = [0.8, 1.7, 2.7, 3.8, 5.0, 6.4, 8.0, 9.5, 11.0, 12.6, 14.3, 16.0]
    right = np.array([e for e in inner if e < reach] + [reach])
    coarse = np.concatenate([-right[::-1], [0.0], right])
    fine = _halved(coarse)
    if dimension == 1:
        return Rule(20, _halved(fine), 0), Rule(24, _halved(_halved(fine)), 0)
    if dimension == 3:
        return Rule(6, coarse, 0), Rule(10, coarse, 0)
    # ends of their own: a kink so close to the end of a panel that no node sees it is seen by the other rule
    return Rule(14, np.append(coarse[:-1] + 0.137, reach), 28), Rule(16, fine, 34)


def _halved(edges: Array) -> Array:
    return np.sort(np.concatenate([edges, (edges[1:] + edges[:-1]) / 2]))


# kinks


def _pieces(tree: Tree, dimension: int) -> list[Array] | None:
    """The affine functions (coefficients, constant) of which an expression is made; None if it is not."""
    if isinstance(tree, Fraction):
        return [np.array([0.0] * dimension + [float(tree)])]
    name = tree[0]
    if name == "z":
        return [np.eye(dimension + 1)[tree[1] - 1]]
    if name == "sign":
        return _constants(dimension, -1, 0, 1)
    if name == "step":
        return _constants(dimension, 0, 1)
    below = [_pieces(child, dimension) for child in children_of(tree)]
    if name == "**" and below[0] is not None and not np.any(np.array(below[0])[:, :-1]):
        return [np.append(f[:-1], f[-1] ** tree[2]) for f in below[0]]
    if any(b is None for b in below):
        return None
    known = [b for b in below if b is not None]
    combined = _combined(name, known, dimension)
    if combined is None:
        return None
    distinct = list({tuple(np.round(f, 12)): f for f in combined}.values())
    return distinct if len(distinct) <= _MOST_PIECES else None


def _constants(dimension: int, *values: float) -> list[Array]:
    return [np.array([0.0] * dimension + [v]) for v in values]


def _combined(name: str, below: list[list[Array]], dimension: int) -> list[Array] | None:
    if name == "+":
        return [np.sum(parts, axis=0) for parts in itertools.product(*below)]
    if name == "*":
        products = [_product(list(parts)) for parts in itertools.product(*below)]
        return None if any(p is None for p in products) else [p for p in products if p is not None]
    if name == "relu":
        return [*below[0], np.zeros(dimension + 1)]
    if name == "abs":
        return [s * f for f in below[0] for s in (1, -1)]
    if name == "leaky_relu":
        return [s * f for f in below[0] for s in (1, below[1][0][-1])]
    if name in ("max", "min"):
        return [f for forms in below for f in forms]
    return None


def _product(parts: list[Array]) -> Array | None:
    result = np.array(parts[0])
    for part in parts[1:]:
        if not np.any(part[:-1]):
            result = result * part[-1]
        elif not np.any(result[:-1]):
            result = part * result[-1]
        else:
            return None
    return result


def _factors(kink: Tree) -> list[Tree]:
    """Expressions among whose zeros are all zeros of the kink's argument."""
    if isinstance(kink, Fraction) or kink[0] in POSITIVE:
        return []
    if kink[0] == "*":
        return [f for child in kink[1:] for f in _factors(child)]
    if kink[0] == "**" and kink[2] > 0:
        return _factors(kink[1])
    if kink[0] in ("abs", "leaky_relu", *ODD):
        return _factors(kink[1])
    if kink[0] == "He":
        roots = special.roots_hermitenorm(kink[1])[0]
        return [
            f for r in roots for f in _factors(("+", kink[2], Fraction(-float(r) if abs(r) > 1e-9 else 0)))
        ]
    return [kink]


def _kinks(tree: Tree, dimension: int) -> tuple[list[Array], list[Tree]]:
    """(affine forms, expressions) on whose zeros all kinks lie."""
    forms, curves = [], {}
    for kink in {repr(k): k for k in kinks_of(tree)}.values():
        for factor in _factors(kink):
            found = _pieces(factor, dimension)
            if found is None:
                curves[repr(factor)] = factor
            else:
                forms += found
    return _distinct(forms), list(curves.values())


def _distinct(forms: list[Array]) -> list[Array]:
    """Non-constant ones, one of each hyperplane."""
    kept: dict[tuple[float, ...], Array] = {}
    for form in forms:
        size = np.linalg.norm(form[:-1])
        if size > 1e-12:
            lead = next(a for a in form if abs(a) > 1e-12 * size)
            unit = form / size * np.sign(lead)
            kept[tuple(np.round(unit, 10) + 0.0)] = unit
    return list(kept.values())


def _projected(forms: list[Array]) -> list[Array]:
    """Forms in one variable fewer: where two breakpoints of the last variable meet, and those without it."""
    flat = [f for f in forms if abs(f[-2]) < 1e-12]
    steep = [f for f in forms if abs(f[-2]) >= 1e-12]
    flat += [f * g[-2] - g * f[-2] for f, g in itertools.combinations(steep, 2)]
    return _distinct([np.append(f[:-2], f[-1]) for f in flat])


# coordinates


def _turned(tree: Tree, dimension: int) -> Array:
    """An orthogonal matrix in whose coordinates no kink is steep against the inner variables."""
    if dimension == 1:
        return np.eye(1)
    forms, curves = _kinks(tree, dimension)
    generator = np.random.default_rng(5)
    turns = [np.linalg.qr(generator.normal(size=(dimension, dimension)))[0] for _ in range(40)]
    if not curves:
        turns = [np.eye(dimension)[list(p)] for p in itertools.permutations(range(dimension))] + turns
    return min(turns, key=lambda q: _steepness(_in_coordinates(forms, q)))


def _in_coordinates(forms: list[Array], turn: Array) -> list[Array]:
    """z = turn u."""
    return [np.append(f[:-1] @ turn, f[-1]) for f in forms]


def _steepness(forms: list[Array]) -> float:
    worst = 0.0
    while forms and len(forms[0]) > 2:
        slopes = [np.linalg.norm(f[:-2]) / abs(f[-2]) for f in forms if abs(f[-2]) > 1e-12]
        worst = max([worst, *slopes])
        forms = _projected(forms) if len(forms[0]) > 3 else []
    return round(worst, 6)


# integrals


class _Problem:
    """The integrals of one tree."""

    def __init__(self, tree: Tree, indices: list[Index], turn: Array) -> None:
        self.tree, self.indices, self.turn = tree, indices, turn
        self.dimension = len(indices[0])
        forms, self.curves = _kinks(tree, self.dimension)
        levels = [_in_coordinates(forms, turn)]
        while len(levels) < self.dimension:
            levels.insert(0, _projected(levels[0]))
        self.forms = levels

    def integral(self, rule: Rule) -> tuple[Array, Array, Array]:
        """(values, the same of absolute values, of absolute values at the ends)."""
        if self.dimension == 1:
            points, weights, _ = self.refined(np.zeros((0, 1)), np.ones(1), rule)
            total = self.sums(points, weights, rule).sum(axis=-1)
            return total[0], total[1], total[2]
        if self.dimension == 2:
            total, unsettled = self.adaptive(rule)
            return total[0], total[1], total[2] + unsettled
        points, weights, _ = self.refined(np.zeros((0, 1)), np.ones(1), rule)
        total = self.inner(points[0], rule) @ weights
        return total[0], total[1], total[2]

    def breaks(self, points: Array) -> Array:
        """Breakpoints of the next variable at the columns of `points`, one row each."""
        level = len(points)
        forms = [f for f in self.forms[level] if abs(f[level]) > 1e-12]
        if level == 0 and self.dimension == 3 and len(forms) > _MOST_OUTER_BREAKS:
            forms = []
        rows = [-(f[:level] @ points + f[-1]) / f[level] for f in forms]
        return np.array(rows).reshape(len(forms), points.shape[1])

    def refined(self, points: Array, weights: Array, rule: Rule) -> tuple[Array, Array, Array]:
        """The points with one more variable, their weights, and the column that each comes from."""
        count = points.shape[1]
        cuts = [self.breaks(points)]
        if len(points) == self.dimension - 1:
            cuts += [self.curve_breaks(c, points, rule) for c in self.curves]
        edges = np.concatenate([np.repeat(rule.edges[:, None], count, axis=1), *cuts])
        edges = np.sort(np.clip(edges, rule.edges[0], rule.edges[-1]), axis=0)
        half, centre = np.diff(edges, axis=0) / 2, (edges[1:] + edges[:-1]) / 2
        node, weight = np.polynomial.legendre.leggauss(rule.size)
        added = (centre + half * node[:, None, None]).reshape(-1, count)
        factor = (half * weight[:, None, None]).reshape(-1, count)
        factor = factor * np.exp(-added * added / 2) / np.sqrt(2 * np.pi) * weights
        keep = factor.ravel() > 0
        which = np.broadcast_to(np.arange(count), added.shape).ravel()[keep]
        return np.vstack([points[:, which], added.ravel()[keep]]), factor.ravel()[keep], which

    def sums(self, points: Array, weights: Array, rule: Rule) -> Array:
        """(3, moments, points): terms, absolute terms, absolute terms at the ends."""
        z = self.turn @ points
        value = values_of(self.tree, z)
        degree = max(map(max, self.indices))
        powers = np.array([[special.eval_hermitenorm(k, x) for k in range(degree + 1)] for x in z])
        rows = [np.prod([powers[i, k] for i, k in enumerate(s)], axis=0) for s in self.indices]
        terms = np.array([*rows, value]) * (value * weights)
        ends = np.abs(points).max(axis=0) > rule.edges[-1] - 0.7
        return np.array([terms, np.abs(terms), np.abs(terms) * ends])

    def inner(self, x: Array, rule: Rule) -> Array:
        """(3, moments, len(x)): integrals over all variables but the first, at its values x."""
        found = np.zeros((3, len(self.indices) + 1, len(x)))
        for start in range(0, len(x), self.chunk(rule)):
            part = x[start : start + self.chunk(rule)]
            points, weights, owner = part[None, :], np.ones(len(part)), np.arange(len(part))
            for _ in range(self.dimension - 1):
                points, weights, which = self.refined(points, weights, rule)
                owner = owner[which]
            terms = self.sums(points, weights, rule)
            for i, j in itertools.product(range(3), range(terms.shape[1])):
                found[i, j, start : start + len(part)] = np.bincount(owner, terms[i, j], len(part))
        return found

    def chunk(self, rule: Rule) -> int:
        points = 1
        for forms in self.forms[1:]:
            points *= (len(rule.edges) + len(forms)) * rule.size
        return max(1, _CHUNK // points)

    def adaptive(self, rule: Rule) -> tuple[Array, Array]:
        """The outermost of two variables: panels that are halved until the halves agree with the whole."""
        edges = np.unique(np.clip(np.append(rule.edges, self.breaks(np.zeros((0, 1)))), *rule.edges[[0, -1]]))
        low, high = edges[:-1], edges[1:]
        whole = self.panels(low, high, rule)
        total = np.zeros(whole.shape[:2])
        unsettled = np.zeros(whole.shape[1])
        spent = 0
        for level in range(rule.levels + 1):
            middle = (low + high) / 2
            left, right = self.panels(low, middle, rule), self.panels(middle, high, rule)
            change = np.abs(left + right - whole)[0]
            scale = 1e-12 * (np.abs(left + right)[1].sum(axis=1) + total[1])[:, None]
            spent += len(low)
            last = level == rule.levels or spent > _MOST_PANELS
            done = np.all(change <= scale, axis=0) | last
            total += (left + right)[:, :, done].sum(axis=2)
            unsettled += change[:, done].sum(axis=1)
            if done.all():
                break
            again = ~done
            low, high = np.append(low[again], middle[again]), np.append(middle[again], high[again])
            whole = np.concatenate([left[:, :, again], right[:, :, again]], axis=2)
        return total, unsettled

    def panels(self, low: Array, high: Array, rule: Rule) -> Array:
        node, weight = np.polynomial.legendre.leggauss(rule.size)
        half, centre = (high - low) / 2, (high + low) / 2
        x = centre + half * node[:, None]
        values = self.inner(x.ravel(), rule).reshape(3, -1, len(node), len(low))
        density = np.exp(-x * x / 2) / np.sqrt(2 * np.pi)
        ends = np.abs(x) > rule.edges[-1] - 0.7
        values[2] = np.where(ends, values[1], values[2])
        return np.sum(values * (density * half * weight[:, None]), axis=2)

    # kinks without a formula

    def curve_breaks(self, curve: Tree, points: Array, rule: Rule) -> Array:
        """Where an expression changes sign in the last variable, padded with the end of the range."""
        count = points.shape[1]
        grid = np.linspace(rule.edges[0], rule.edges[-1], 321) + 1e-7

        def value(column: Array, y: Array) -> Array:
            return values_of(curve, self.turn @ np.vstack([points[:, column], y]))

        every = np.tile(np.arange(count), len(grid))
        table = value(every, np.repeat(grid, count)).reshape(len(grid), count)
        at, column = np.nonzero(np.sign(table[1:]) * np.sign(table[:-1]) < 0)
        low, high = grid[at], grid[at + 1]
        near = _near_touch(table)
        if len(near[0]):
            middle = _lowest(value, near[1], grid[near[0] - 1], grid[near[0] + 1])
            side = np.sign(table[near])
            crosses = np.sign(value(near[1], middle)) * side < 0
            touch, which = near[0][crosses], near[1][crosses]
            low = np.concatenate([low, grid[touch - 1], middle[crosses]])
            high = np.concatenate([high, middle[crosses], grid[touch + 1]])
            column = np.concatenate([column, which, which])
        return _padded(column, _bisected(value, column, low, high), count, rule.edges[-1])


def _near_touch(table: Array) -> tuple[Array, Array]:
    """(row, column) of the local minima of |g| between values of one sign."""
    size, side = np.abs(table), np.sign(table)
    lowest = (size[1:-1] <= size[:-2]) & (size[1:-1] < size[2:])
    lowest &= (side[1:-1] == side[:-2]) & (side[1:-1] == side[2:]) & (side[1:-1] != 0)
    row, column = np.nonzero(lowest)
    return row + 1, column


def _lowest(value: Callable[[Array, Array], Array], column: Array, low: Array, high: Array) -> Array:
    """The minimum of |g|, g of one sign, by golden sections (or a point where g has the other sign)."""
    ratio = (np.sqrt(5) - 1) / 2
    side = np.sign(value(column, low))
    for _ in range(36):
        a, b = high - ratio * (high - low), low + ratio * (high - low)
        left = side * value(column, a) < side * value(column, b)
        low, high = np.where(left, low, a), np.where(left, b, high)
    return (low + high) / 2


def _bisected(value: Callable[[Array, Array], Array], column: Array, low: Array, high: Array) -> Array:
    start = np.sign(value(column, low))
    for _ in range(46):
        middle = (low + high) / 2
        same = np.sign(value(column, middle)) == start
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    return (low + high) / 2


def _padded(column: Array, y: Array, count: int, end: float) -> Array:
    """Rows of breakpoints, one column a point."""
    if not len(y):
        return np.zeros((0, count))
    order = np.argsort(column, kind="stable")
    column, y = column[order], y[order]
    first = np.searchsorted(column, np.arange(count))
    place = np.arange(len(y)) - first[column]
    rows = np.full((int(place.max()) + 1, count), end)
    rows[place, column] = y
    return rows
