"""Random labels with noise of every kind: inside jumps, kinks, products, extremes, compositions, or added."""

from __future__ import annotations

import re
from fractions import Fraction

from tests.nets.trees import label_text, renamed, tree_of
from tests.symbolic.random_trees import TAME, Grammar, Tree, has, variables_of

NOISE = (
    *("step(xi)", "step(xi - 1)", "step(xi + 1/2)", "sign(xi)", "sign(xi - 1/2)", "step(abs(xi) - 1)"),
    *("sign(xi**2 - 2)", "abs(xi)", "xi**2", "exp(xi/2)", "tanh(2*xi)", "sin(xi)", "cos(2*xi)", "max(xi, 0)"),
    *("relu(xi - 1)", "min(xi, 1)", "erf(xi)", "Phi(xi)", "He2(xi)", "xi", "xi**3", "max(step(xi), xi)"),
)
SMOOTH = (
    *("z", "z**2", "He2(z)", "He3(z)", "z**3", "tanh(z)", "erf(z)", "exp(z/2)", "cos(z)", "sin(2*z)"),
    *(
        "z**2*exp(-z**2/2)",
        "log(1 + z**2)",
        "sqrt(1 + z**2)",
        "Phi(z)",
        "sigmoid(2*z)",
        "z**4 - 5*z**2",
        "gelu(z)",
    ),
)
KINKED = ("abs(z)", "relu(z)", "max(z, 1)", "min(z, 0)", "relu(z**2 - 1)", "abs(z - 1)", "leaky_relu(z, 1/4)")
JUMPS = (
    "sign(z)",
    "step(z - 1)",
    "sign(z**2 - 1)",
    "step(z + 1/2)",
    "sign(z) + step(z - 1)",
    "step(abs(z) - 1)",
)
GATES = (
    *("sign(relu(z))", "sign(relu(z - 1))", "(1 + sign(z))**2", "abs(sign(z) - sign(z - 1))", "step(z)"),
    *("sign(relu(z))**2", "relu(sign(z))", "max(sign(z), 0)", "min(step(z), step(1 - z))", "step(z**2 - 1)"),
)
# what only seems to depend on z, is 0 on an open set by cancellation, or is a number in disguise
DISGUISES = (
    *("sign(z**2)", "step(z)*relu(-z)", "abs(z) - sign(z)*z", "(z + 1)**2 - z**2 - 2*z", "sign(abs(z) + 1)"),
    *("sign(abs(z - 1) + abs(z + 1) - 2)", "step(abs(z + 1/3) + abs(z - 1/3) - 2/3)", "step(z) + step(-z)"),
    *("relu(z) - max(z, 0)", "cosh(z)**2 - sinh(z)**2", "sign(sign(z) - sign(z - 1))", "max(z, min(z, 1))"),
    *("sign(z - abs(z) + 1e-13)", "step(relu(z) - z)", "abs(abs(z) - z) + 2*z", "sign(z**3 + z)*sign(z)"),
)
PAIRS = (
    *(
        "a*b",
        "sign(a*b)",
        "a + b",
        "max(abs(a), abs(b))",
        "a**2 - b**2",
        "a**2 + 2*b**2",
        "a*b**2",
        "min(a, b)",
    ),
    *("sign(abs(a) + abs(b) - abs(a + b))", "max(a, b) + min(a, b)", "relu(a + b) - relu(-a - b)"),
    *("abs(a) + abs(b)", "abs(a*b)", "relu(a + b)", "sign(a + b)", "sign(a)*b**2", "relu(a*b)", "tanh(a*b)"),
)
TWO = ("({p}) + ({q})", "({p})*({q})", "({p}) + ({g})*({q})", "({p}) + ({g})*({q})", "max({p}, {q})")
MIXED = (
    *("({f})*({n})", "({f})*({n})", "({f}) + ({n})", "({f}) + ({n})", "({f}) + {c}*xi", "({f})*step({n})"),
    *("step(({f}) + ({n}))", "sign(({f}) + {c}*({n}))", "sign(({f}) + {c}*xi)", "abs(({f}) + ({n}))"),
    *("step(({g})*({n}))", "({f})*step(({p})*({n}))", "({f}) + sign(({g})*({n}))"),
    *("min({f}, {n})", "max({f}, {n})", "tanh(({f})*({n}))", "(({f}) + ({n}))**2", "relu(({f}) - ({n}))"),
    *("({p})*step({n}) + ({f})*step(-({n}))", "({f}) + ({p})*({n})", "step(max({f}, {c}) + {c}*xi)"),
    *(
        "erf({f}) + ({n})",
        "step({f}) + step({n})",
        "step({f})*({n})",
        "step(step({f}) + ({n}))",
        "({f})*({n}) + xi/2",
    ),
)
_MOST = 400  # letters of a target


class NoisyGrammar(Grammar):
    """Labels of up to three indices with noise.

    Parameters
    ----------
    seed : int
    variables : int
    """

    def __init__(self, seed: int, variables: int) -> None:
        super().__init__(seed, variables, TAME)

    def constant(self) -> str:
        return self.random.choice(("1/3", "1/2", "1", "2"))

    def one(self, index: int) -> str:
        """A function of one index."""
        kinds = self.random.choice((SMOOTH, SMOOTH, SMOOTH, KINKED, KINKED, JUMPS, JUMPS, GATES, DISGUISES))
        return _of(self.random.choice(kinds), f"z{index}")

    def gate(self, index: int) -> str:
        return _of(self.random.choice(GATES), f"z{index}")

    def part(self) -> str:
        """A function of all indices."""
        pick = self.random
        order = pick.sample(range(1, self.variables + 1), self.variables)
        if self.variables == 1 or pick.random() < 0.1:
            return self.one(order[0])
        if pick.random() < 0.3:
            text = pick.choice(PAIRS)
            text = _of(text, f"z{order[0]}", "a")
            text = _of(text, f"z{order[1]}", "b")
        else:
            text = pick.choice(TWO).format(p=self.one(order[0]), q=self.one(order[1]), g=self.gate(order[0]))
        for index in order[2:]:
            text = pick.choice(TWO).format(p=text, q=self.one(index), g=self.gate(order[0]))
        return text

    def label(self) -> Tree:
        """z-part and noise, mixed."""
        pick = self.random
        if pick.random() < 0.12:
            return self.expression(1)
        function = self.part()
        if pick.random() < 0.2:
            return tree_of(function)
        index = pick.randint(1, self.variables)
        names = {"f": function, "p": self.one(index), "n": pick.choice(NOISE), "c": self.constant()}
        names["g"] = self.gate(index)
        return tree_of(pick.choice(MIXED).format(**names))


def noisy_label(seed: int) -> Tree:
    """The label of a seed: one index (half of them), two, or three."""
    draw = Grammar(seed, 1).random
    variables = draw.choice((1, 1, 1, 1, 2, 2, 2, 3))
    for attempt in range(100):
        tree = NoisyGrammar(1000 * seed + attempt, variables).label()
        if variables_of(tree) - {0} and not left_out(tree) and len(label_text(tree)) < _MOST:
            return compact(tree)
    raise AssertionError(f"no label for seed {seed}")


def compact(tree: Tree) -> Tree:
    """With the indices 1, 2, ... in their order."""
    used = sorted(variables_of(tree) - {0})
    return renamed(tree, {i: ("z", j + 1) for j, i in enumerate(used)})


def left_out(tree: Tree) -> bool:
    """Oscillations of curved arguments, and several of them: the estimates of their thresholds are weak."""
    waves = _waves(tree)
    return len(waves) > 1 or any(has(w, "**", "He") or _bilinear(w) for w in waves)


def _waves(tree: Tree) -> list[Tree]:
    if isinstance(tree, Fraction | int) or tree[0] == "z":
        return []
    here = [tree] if tree[0] in ("sin", "cos") and variables_of(tree) - {0} else []
    return here + [w for child in tree[1:] for w in _waves(child)]


def _bilinear(tree: Tree) -> bool:
    """Whether two factors of a product depend on variables."""
    if isinstance(tree, Fraction | int) or tree[0] == "z":
        return False
    if tree[0] == "*" and sum(bool(variables_of(c)) for c in tree[1:]) > 1:
        return True
    return any(_bilinear(child) for child in tree[1:])


def _of(text: str, name: str, letter: str = "z") -> str:
    """The letter as a variable replaced by a name."""
    return re.sub(rf"\b{letter}\b", name, text)
