"""Random expressions as trees: their text, and their values in numpy, independent of the library.

A tree is a number (Fraction), a variable ("z", i), or (name, *children). `quadrature` integrates against the
Gaussian: panels split at the kinks in one variable, the same inside an adaptive rule in two, and
scrambled Sobol points in three.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special
from scipy.stats import qmc

Tree = Any
Array = NDArray[np.float64]

_REACH = 13.0
_SMOOTH: dict[str, Callable[..., Array]] = {
    "erf": special.erf,
    "erfc": special.erfc,
    "Phi": special.ndtr,
    "phi": lambda x: np.exp(-x * x / 2) / np.sqrt(2 * np.pi),
    "gelu": lambda x: x * special.ndtr(x),
    "exp": np.exp,
    "sin": np.sin,
    "cos": np.cos,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "sigmoid": special.expit,
    "softplus": lambda x: np.logaddexp(0, x),
    "silu": lambda x: x * special.expit(x),
}
_KINKED: dict[str, Callable[..., Array]] = {
    "sign": np.sign,
    "abs": np.abs,
    "relu": lambda x: np.maximum(x, 0),
    "step": lambda x: np.where(x > 0, 1.0, 0.0),
}
BOUNDED = ("erf", "erfc", "Phi", "phi", "sin", "cos", "tanh", "sigmoid")
COMMON = ("sign", "abs", "relu", "step", "max", "min", "erf", "Phi", "gelu", "sin", "cos", "exp", "He", "phi")
OPEN = ("tanh", "sigmoid", "softplus", "silu")


def text_of(tree: Tree) -> str:
    """In the language of the library."""
    if isinstance(tree, Fraction):
        return f"({tree})" if tree.denominator > 1 or tree < 0 else str(tree)
    name, *children = tree
    if name == "z":
        return f"z{children[0]}"
    if name == "He":
        return f"He({children[0]}, {text_of(children[1])})"
    if name in "+*":
        return "(" + f" {name} ".join(text_of(c) for c in children) + ")"
    if name == "**":
        return f"({text_of(children[0])})**{children[1]}"
    return f"{name}({', '.join(text_of(c) for c in children)})"


def values_of(tree: Tree, points: list[Array], kinks: list[Array] | None = None) -> Array:
    """At the points, one array a variable; what changes sign at the kinks is appended to `kinks`."""
    if isinstance(tree, Fraction):
        return np.full_like(points[0], float(tree))
    name, *children = tree
    if name == "z":
        return points[children[0] - 1]
    if name == "He":
        return special.eval_hermitenorm(children[0], values_of(children[1], points, kinks))
    if name == "**":
        return values_of(children[0], points, kinks) ** children[1]
    below = [values_of(c, points, kinks) for c in children]
    if name == "+":
        return np.sum(below, axis=0)
    if name == "*":
        return np.prod(below, axis=0)
    if name in ("max", "min"):
        if kinks is not None:
            kinks += [a - b for a, b in itertools.combinations(below, 2)]
        return np.max(below, axis=0) if name == "max" else np.min(below, axis=0)
    if name in _KINKED:
        if kinks is not None:
            kinks.append(below[0])
        return _KINKED[name](below[0])
    return _SMOOTH[name](below[0])


def variables_of(tree: Tree) -> set[int]:
    if isinstance(tree, Fraction):
        return set()
    if tree[0] == "z":
        return {tree[1]}
    return set().union(*(variables_of(c) for c in tree[1:] if isinstance(c, tuple | Fraction)), set())


class Grammar:
    """Draws trees.

    Parameters
    ----------
    seed : int
    variables : int
    names : tuple of str
        Functions allowed.
    """

    def __init__(self, seed: int, variables: int, names: tuple[str, ...] = COMMON + OPEN) -> None:
        self.random = random.Random(seed)
        self.variables = variables
        self.names = names

    def number(self) -> Fraction:
        pick = self.random
        return Fraction(pick.choice((-3, -2, -1, 1, 1, 1, 2, 3)), pick.choice((1, 1, 1, 2, 3)))

    def variable(self) -> Tree:
        return ("z", self.random.randint(1, self.variables))

    def form(self) -> Tree:
        """A linear form, sometimes with an offset."""
        pick = self.random
        used = pick.sample(range(1, self.variables + 1), pick.randint(1, min(2, self.variables)))
        parts: list[Tree] = []
        for i in used:
            a = self.number()
            parts.append(("z", i) if a == 1 else ("*", a, ("z", i)))
        if pick.random() < 0.3:
            parts.append(self.number())
        return parts[0] if len(parts) == 1 else ("+", *parts)

    def atom(self, depth: int) -> Tree:
        pick = self.random
        name = pick.choice(self.names)
        if name == "He":
            return ("He", pick.randint(1, 3), self.form() if pick.random() < 0.4 else self.variable())
        if name in ("max", "min"):
            return (name, *(self.form() for _ in range(pick.choice((2, 2, 3)))))
        if name == "exp":
            if pick.random() < 0.5:
                return ("exp", ("*", -abs(self.number()), ("**", self.form(), 2)))
            return ("exp", self.form())
        if depth and pick.random() < 0.25:
            inner = self.expression(depth - 1)
            if name not in (*BOUNDED, "sign", "step") and _grows(inner):
                return (name, self.form())
            return (name, inner)
        if name in ("sign", "abs", "step") and pick.random() < 0.2:
            return (name, ("*", self.form(), self.form()))
        return (name, self.form())

    def factor(self, depth: int) -> Tree:
        pick = self.random
        if pick.random() < 0.25:
            return pick.choice((self.variable(), ("**", self.variable(), 2), self.form()))
        return self.atom(depth)

    def expression(self, depth: int = 1) -> Tree:
        pick = self.random
        terms: list[Tree] = []
        for _ in range(pick.choice((1, 1, 2))):
            factors = [self.factor(depth) for _ in range(pick.choice((1, 1, 2, 2, 3)))]
            if pick.random() < 0.3:
                factors.insert(0, self.number())
            terms.append(factors[0] if len(factors) == 1 else ("*", *factors))
        if len(terms) > 1:
            return ("+", *terms)
        if pick.random() < 0.1 and not _grows(terms[0]):
            return ("**", terms[0], 2)
        return terms[0]


def _grows(tree: Tree) -> bool:
    """Whether an exponential stands outside bounded functions."""
    if isinstance(tree, Fraction):
        return False
    if tree[0] in ("exp", "sinh", "cosh"):
        return True
    if tree[0] in BOUNDED:
        return False
    return any(_grows(c) for c in tree[1:] if isinstance(c, tuple))


_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)
_Function = Callable[[Array, list[Array] | None], Array]  # (points, kinks) -> values (moments, points)


def line(function: _Function, panels: int = 40) -> Array:
    """Integrals over [-13, 13] of the rows of a function, panels split at its kinks."""
    grid = np.linspace(-_REACH, _REACH, 641) + 1e-7
    found: list[Array] = []
    function(grid, found)
    cuts: list[float] = []
    for which, row in enumerate(found):
        (at,) = np.nonzero(np.sign(row[1:]) * np.sign(row[:-1]) < 0)
        if len(at):
            cuts += _bisected(function, which, grid[at], grid[at + 1])
    edges = np.unique(np.concatenate([np.linspace(-_REACH, _REACH, panels + 1), cuts]))
    half, centre = np.diff(edges) / 2, (edges[1:] + edges[:-1]) / 2
    points = (centre[:, None] + half[:, None] * _NODES).ravel()
    weights = (half[:, None] * _WEIGHTS).ravel()
    return function(points, None) @ weights


def _bisected(function: _Function, which: int, low: Array, high: Array) -> list[float]:
    rows: list[Array] = []
    function(low, rows)
    start = np.sign(rows[which])
    for _ in range(46):
        middle = (low + high) / 2
        rows = []
        function(middle, rows)
        same = np.sign(rows[which]) == start
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    return list((low + high) / 2)


def density(x: Array) -> Array:
    return np.exp(-x * x / 2) / np.sqrt(2 * np.pi)


def weights_of(points: list[Array], indices: list[tuple[int, ...]]) -> Array:
    """He_S at the points, a row for each S."""
    return np.array(
        [
            np.prod([special.eval_hermitenorm(k, x) for k, x in zip(s, points, strict=True)], axis=0)
            for s in indices
        ]
    )


def quadrature(tree: Tree, indices: list[tuple[int, ...]]) -> tuple[Array, Array]:
    """(E[He_S f] for the indices, tolerance of each)."""
    dimension = len(indices[0])
    if dimension == 1:

        def integrand(x: Array, kinks: list[Array] | None) -> Array:
            return weights_of([x], indices) * values_of(tree, [x], kinks) * density(x)

        value, coarse = line(integrand), line(integrand, 33)
        return value, 1e-9 + 1e-9 * np.abs(value) + 20 * np.abs(value - coarse)
    if dimension == 2:
        return _plane(tree, indices)
    return _sobol(tree, indices)


_ANGLE = 0.4567  # no kink of a form with small coefficients is parallel to an axis


def _plane(tree: Tree, indices: list[tuple[int, ...]]) -> tuple[Array, Array]:
    c, s = np.cos(_ANGLE), np.sin(_ANGLE)
    nodes, weights = np.polynomial.legendre.leggauss(6)

    def inner(u: float) -> Array:
        def integrand(v: Array, kinks: list[Array] | None) -> Array:
            points = [c * u - s * v, s * u + c * v]
            return weights_of(points, indices) * values_of(tree, points, kinks) * density(v)

        return line(integrand, 20) * float(density(np.array(u)))

    def panel(low: float, high: float) -> Array:
        half, centre = (high - low) / 2, (high + low) / 2
        return half * sum(w * inner(centre + half * x) for x, w in zip(nodes, weights, strict=True))

    total = np.zeros(len(indices))
    error = np.zeros(len(indices))
    edges = np.linspace(-9.5, 9.5, 20)
    work = [(a, b, panel(a, b), 0) for a, b in itertools.pairwise(edges)]
    while work:
        low, high, whole, level = work.pop()
        middle = (low + high) / 2
        left, right = panel(low, middle), panel(middle, high)
        change = np.abs(left + right - whole)
        if change.max() < 2e-8 * (1 + np.abs(left + right).max()) or level == 12:
            total += left + right
            error += change
        else:
            work += [(low, middle, left, level + 1), (middle, high, right, level + 1)]
    return total, 5e-5 + 1e-6 * np.abs(total) + 5 * error  # two kinks between grid points are missed


def _sobol(tree: Tree, indices: list[tuple[int, ...]], power: int = 14) -> tuple[Array, Array]:
    rows = []
    for seed in range(8):
        uniform = qmc.Sobol(len(indices[0]), seed=seed).random_base2(power)
        points = list(special.ndtri(np.clip(uniform, 1e-15, 1 - 1e-15)).T)
        rows.append((weights_of(points, indices) * values_of(tree, points)).mean(axis=1))
    mean = np.mean(rows, axis=0)
    return mean, 8 * np.std(rows, axis=0) / np.sqrt(8) + 1e-6
