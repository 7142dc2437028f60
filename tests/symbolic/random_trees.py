"""Random expressions as trees: their text, and their values in numpy, independent of the library.

A tree is a number (Fraction), a variable ("z", i), or (name, *children). Its integrals against the Gaussian
stand in `tree_quadrature`.
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

Tree = Any
Array = NDArray[np.float64]

_SMOOTH: dict[str, Callable[..., Array]] = {
    "erf": special.erf,
    "erfc": special.erfc,
    "Phi": special.ndtr,
    "phi": lambda x: np.exp(-x * x / 2) / np.sqrt(2 * np.pi),
    "gelu": lambda x: x * special.ndtr(x),
    "exp": np.exp,
    "log": np.log,
    "sqrt": np.sqrt,
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
    "abs": np.abs,
    "relu": lambda x: np.maximum(x, 0),
    "leaky_relu": lambda x, slope: np.where(x > 0, x, slope * x),
}
BOUNDED = ("erf", "erfc", "Phi", "phi", "sin", "cos", "tanh", "sigmoid")
POSITIVE = ("exp", "cosh", "Phi", "phi", "erfc", "sigmoid", "softplus", "sqrt")
ODD = ("sign", "tanh", "erf", "sinh", "gelu", "silu")  # of the sign of their argument
CLOSED = (
    *("sign", "abs", "relu", "leaky_relu", "step", "max", "min"),
    *("erf", "erfc", "Phi", "phi", "gelu", "sin", "cos", "sinh", "cosh", "exp", "He"),
)
OPEN = ("tanh", "sigmoid", "softplus", "silu", "log", "sqrt", "/")
EVERY = CLOSED + OPEN
TAME = tuple(n for n in CLOSED if n not in ("exp", "cos", "sin", "sinh", "cosh"))


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
        return f"({text_of(children[0])})**({children[1]})"
    return f"{name}({', '.join(text_of(c) for c in children)})"


def values_of(tree: Tree, points: Array) -> Array:
    """At the columns of `points`, one row a variable."""
    if isinstance(tree, Fraction):
        return np.full_like(points[0], float(tree))
    name, *children = tree
    if name == "z":
        return points[children[0] - 1]
    if name == "He":
        return special.eval_hermitenorm(children[0], values_of(children[1], points))
    if name == "**":
        return values_of(children[0], points) ** children[1]
    if name in ("sign", "step"):
        signs = signs_of(children[0], points)
        return signs if name == "sign" else np.where(signs > 0, 1.0, 0.0)
    below = [values_of(c, points) for c in children]
    if name == "+":
        return np.sum(below, axis=0)
    if name == "*":
        return np.prod(below, axis=0)
    if name in ("max", "min"):
        return np.max(below, axis=0) if name == "max" else np.min(below, axis=0)
    return (_KINKED.get(name) or _SMOOTH[name])(*below)


def signs_of(tree: Tree, points: Array) -> Array:
    """The sign of the values, from the structure where they may underflow."""
    if isinstance(tree, Fraction):
        return np.full_like(points[0], np.sign(float(tree)))
    if tree[0] in POSITIVE:
        return np.ones_like(points[0])
    if tree[0] in ODD:
        return signs_of(tree[1], points)
    if tree[0] == "*":
        return np.prod([signs_of(c, points) for c in tree[1:]], axis=0)
    if tree[0] == "**" and tree[2] > 0:
        return signs_of(tree[1], points) ** tree[2]
    if tree[0] == "+":  # 0 to rounding is 0: sums of kinks may vanish on open sets
        parts = np.stack([values_of(c, points) for c in tree[1:]])
        total = parts.sum(axis=0)
        return np.where(np.abs(total) <= 1e-15 * np.abs(parts).sum(axis=0), 0.0, np.sign(total))
    return np.sign(values_of(tree, points))


def children_of(tree: Tree) -> list[Tree]:
    """The sub-expressions one level down."""
    if isinstance(tree, Fraction) or tree[0] == "z":
        return []
    if tree[0] in ("He", "**"):
        return [tree[2] if tree[0] == "He" else tree[1]]
    return list(tree[1:])


def variables_of(tree: Tree) -> set[int]:
    if not isinstance(tree, Fraction) and tree[0] == "z":
        return {tree[1]}
    return set().union(*map(variables_of, children_of(tree)))


def kinks_of(tree: Tree) -> list[Tree]:
    """What changes sign where the expression has a kink or a jump."""
    found = [k for child in children_of(tree) for k in kinks_of(child)]
    if isinstance(tree, Fraction):
        return found
    if tree[0] in ("max", "min"):
        found += [("+", a, ("*", Fraction(-1), b)) for a, b in itertools.combinations(tree[1:], 2)]
    elif tree[0] in ("sign", "step", *_KINKED):
        found.append(tree[1])
    return found


def has(tree: Tree, *names: str) -> bool:
    return not isinstance(tree, Fraction) and (
        tree[0] in names or any(has(child, *names) for child in children_of(tree))
    )


class Grammar:
    """Draws trees.

    Parameters
    ----------
    seed : int
    variables : int
    names : tuple of str
        Functions allowed.
    """

    def __init__(self, seed: int, variables: int, names: tuple[str, ...] = EVERY) -> None:
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
        special_rule = getattr(self, _RULES.get(name, ""), None)
        if special_rule is not None:
            return special_rule(name)
        if depth and pick.random() < 0.25:
            inner = self.expression(depth - 1)
            if name not in (*BOUNDED, "sign", "step") and _grows(inner):
                return (name, self.form())
            return (name, inner)
        if name in ("sign", "abs", "step") and pick.random() < 0.25:
            return (name, self.curved())
        return (name, self.form())

    def curved(self) -> Tree:
        """A product of forms, or a parabola."""
        if self.random.random() < 0.7:
            return ("*", self.form(), self.form())
        return ("+", ("**", self.variable(), 2), ("*", self.number(), self.variable()), self.number())

    def polynomial(self, name: str) -> Tree:
        pick = self.random
        return (name, pick.randint(1, 3), self.form() if pick.random() < 0.4 else self.variable())

    def extreme(self, name: str) -> Tree:
        return (name, *(self.form() for _ in range(self.random.choice((2, 2, 3)))))

    def leaky(self, name: str) -> Tree:
        return (
            name,
            self.form(),
            Fraction(self.random.choice((1, 1, -1, 3)), self.random.choice((10, 4, 2))),
        )

    def wave(self, name: str) -> Tree:
        """Hyperbolic: of a moderate form."""
        return (name, ("*", Fraction(1, self.random.choice((1, 2, 3))), self.form()))

    def exponential(self, name: str) -> Tree:
        pick = self.random
        kind = pick.random()
        if kind < 0.5:
            return (name, ("*", -abs(self.number()), ("**", self.form(), 2)))
        if kind < 0.6:
            return (name, ("*", Fraction(1, pick.choice((4, 8, 12))), self.variable(), self.variable()))
        return (name, self.form())

    def positive(self, name: str) -> Tree:
        """A root, a logarithm, or a quotient with a denominator that is positive."""
        one_more = ("+", Fraction(self.random.choice((1, 1, 2, 3))), ("**", self.form(), 2))
        return ("**", one_more, -1) if name == "/" else (name, one_more)

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


_RULES = {
    "He": "polynomial",
    "max": "extreme",
    "min": "extreme",
    "leaky_relu": "leaky",
    "sinh": "wave",
    "cosh": "wave",
    "exp": "exponential",
    "log": "positive",
    "sqrt": "positive",
    "/": "positive",
}


def _grows(tree: Tree) -> bool:
    """Whether an exponential stands outside bounded functions."""
    if isinstance(tree, Fraction):
        return False
    if tree[0] in ("exp", "sinh", "cosh"):
        return True
    if tree[0] in BOUNDED:
        return False
    return any(_grows(c) for c in children_of(tree))
