"""One label written in two ways, or mapped by something that keeps its steps: decided answers must agree."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

import hermite_analytics as ha
from hermite_analytics.errors import UndefinedQuantity
from tests.nets.dense_law import Array
from tests.nets.noisy_targets import noisy_label
from tests.nets.trees import XI, dimension_of, is_noisy, label_text, renamed, tree_of
from tests.symbolic.random_trees import Tree

# y -> T(y), one to one; the label is the same for every statement on its law, not for coefficients
MAPS = (
    "2*({y}) + 1",
    "-({y})/3",
    "({y})**3",
    "tanh({y})",
    "erf(({y})/2)",
    "exp(({y})/2)",
    "({y}) + tanh({y})",
)
SAME_FUNCTION = ("respelled", "expanded", "renamed", "noise mirrored")  # coefficients agree as well


@dataclass(frozen=True)
class Pair:
    """f, and g(z) = T(f(R z)): the subspaces of g are those of f times R."""

    kind: str
    text: str
    other: Any  # text or Target
    rotation: Array

    def __str__(self) -> str:
        other = self.other if isinstance(self.other, str) else f"rotated by {self.rotation.round(3).tolist()}"
        return f"{self.kind}: {self.text} | {other}"


def rewritten(seed: int) -> Pair:
    """The pair of a seed."""
    pick = random.Random(seed)
    kinds: dict[str, Callable[[random.Random, Tree], Pair | None]] = {
        "rotated": _rotated,
        "renamed": _renamed,
        "mapped": _mapped,
        "respelled": _respelled,
        "noise mirrored": _mirrored,
        "expanded": _expanded,
    }
    for attempt in range(1000):
        kind = pick.choice(list(kinds))
        tree = noisy_label(10_000 * (seed + 1) + attempt)
        pair = kinds[kind](pick, tree) if dimension_of(tree) < 3 else None
        if pair is not None:
            return pair
    raise AssertionError(f"no pair for seed {seed}")


def _rotated(pick: random.Random, tree: Tree) -> Pair | None:
    r = dimension_of(tree)
    width = max(2, r)
    choices = [
        [["3/5", "4/5"], ["-4/5", "3/5"]],
        [["5/13", "-12/13"], ["12/13", "5/13"]],
        [["0", "-1"], ["1", "0"]],
    ]
    matrix = pick.choice(choices)
    text = label_text(tree)
    try:
        other = ha.Target(text).rotate(matrix)
    except UndefinedQuantity:
        return None
    assert width == 2
    return Pair("rotated", text, other, np.array([[float(Fraction(x)) for x in row] for row in matrix]))


def _renamed(pick: random.Random, tree: Tree) -> Pair | None:
    r = dimension_of(tree)
    order = pick.sample(range(1, r + 1), r)
    signs = [pick.choice((1, -1)) for _ in order]
    if order == sorted(order) and set(signs) == {1}:
        return None
    names = {
        i + 1: ("z", j) if s == 1 else ("*", Fraction(-1), ("z", j))
        for i, (j, s) in enumerate(zip(order, signs, strict=True))
    }
    rotation = np.zeros((r, r))
    for i, (j, s) in enumerate(zip(order, signs, strict=True)):
        rotation[i, j - 1] = s
    return Pair("renamed", label_text(tree), label_text(renamed(tree, names)), rotation)


def _mapped(pick: random.Random, tree: Tree) -> Pair | None:
    text = label_text(tree)
    return Pair("mapped", text, pick.choice(MAPS).format(y=text), np.eye(dimension_of(tree)))


def _mirrored(pick: random.Random, tree: Tree) -> Pair | None:
    if not is_noisy(tree):
        return None
    other = label_text(renamed(tree, {0: ("*", Fraction(-1), XI)}))
    return Pair("noise mirrored", label_text(tree), other, np.eye(dimension_of(tree)))


def _respelled(pick: random.Random, tree: Tree) -> Pair | None:
    other = respelled(tree)
    if other == tree:
        return None
    return Pair("respelled", label_text(tree), label_text(other), np.eye(dimension_of(tree)))


def respelled(tree: Tree) -> Tree:
    """The same function in other words."""
    if isinstance(tree, Fraction | int) or tree[0] == "z":
        return tree
    name, *below = (tree[0], *(respelled(child) for child in tree[1:]))
    if name in _SPELLINGS:
        return renamed(tree_of(_SPELLINGS[name]), dict(zip((1, 2), below, strict=False)))
    if name == "He" and below[0] in (2, 3):
        return renamed(tree_of({2: "z1**2 - 1", 3: "z1**3 - 3*z1"}[below[0]]), {1: below[1]})
    return (name, *below)


_SPELLINGS = {
    "relu": "max(z1, 0)",
    "abs": "max(z1, -z1)",
    "min": "-max(-z1, -z2)",
    "max": "z2 + relu(z1 - z2)",
    "tanh": "2*sigmoid(2*z1) - 1",
    "erfc": "1 - erf(z1)",
    "gelu": "z1*Phi(z1)",
    "step": "relu(sign(z1))",
    "sign": "step(z1) - step(-z1)",
}


def _expanded(pick: random.Random, tree: Tree) -> Pair | None:
    """A polynomial in two forms, as a product and expanded."""
    import sympy

    a, b, c = (pick.choice((-2, -1, 1, 2, 3)) for _ in range(3))
    shape = pick.choice(
        (
            "({a}*z1 + {b}*z2)**2*(z1 + {c})",
            "({a}*z1 + {b}*z2)**2 - {c}*(z1 - z2)**2",
            "({a}*z1 + {b})*(z2 + {c})*z1",
            "(z1 + {a})**3 - {b}*z2*(z1 + {c})",
            "(z1 + z2)**2*(z1 - z2)**2 + {a}*z1*z2",
            "(z1**2 + {a}*z2)**2 + {b}*xi",
            "(z1 + {a}*xi)**2 + {b}*z2",
        )
    )
    text = shape.format(a=a, b=b, c=c)
    return Pair("expanded", text, str(sympy.expand(sympy.sympify(text))), np.eye(2))
