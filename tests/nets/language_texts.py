"""Random texts of the whole language, valid or not to integrate, with numbers of all kinds."""

from __future__ import annotations

import random

ONE = (
    *(
        "sign",
        "abs",
        "relu",
        "step",
        "exp",
        "log",
        "sqrt",
        "sin",
        "cos",
        "tanh",
        "sinh",
        "cosh",
        "erf",
        "erfc",
    ),
    *("Phi", "phi", "sigmoid", "softplus", "gelu", "silu", "hardtanh", "selu", "mish", "softsign", "atan"),
    *("sinc", "floor", "Abs", "Heaviside", "He0", "He1", "He2", "He3", "He5"),
)
CALLS = (
    *("leaky_relu({a}, 1/4)", "clip({a}, -1, 2)", "elu({a}, 1/2)", "norm({a}, {b})", "max({a}, {b})"),
    *("min({a}, {b})", "max({a}, {b}, 0)", "He(4, {a})", "Heaviside({a}, 0)", "Max({a}, {b})", "Min({a}, 1)"),
)
BOUNDED = ("tanh", "erf", "Phi", "sign", "step", "sigmoid", "softsign", "atan")
NUMBERS = (
    "0",
    "1",
    "2",
    "-1",
    "1/3",
    "3/2",
    "0.1",
    "pi",
    "E",
    "sqrt(2)",
    "Rational(2, 7)",
    "log(3)",
    "1e-3",
    "10**6",
)


class Texts:
    """Draws texts of some depth.

    Parameters
    ----------
    seed : int
    """

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.variables = self.random.choice((1, 1, 2, 2, 3))
        self.noisy = self.random.random() < 0.6

    def leaf(self) -> str:
        pick = self.random
        kind = pick.random()
        if kind < 0.15:
            return pick.choice(NUMBERS)
        if kind < 0.4 and self.noisy:
            return "xi"
        return f"z{pick.randint(1, self.variables)}"

    def label(self, depth: int) -> str:
        """A text, made bounded for the half of the draws."""
        text = self.text(depth)
        return f"{self.random.choice(BOUNDED)}({text})" if self.random.random() < 0.5 else text

    def text(self, depth: int) -> str:
        pick = self.random
        if depth == 0:
            return self.leaf()
        kind = pick.random()
        a, b = self.text(depth - 1), self.text(depth - pick.choice((1, 1, 2)) if depth > 1 else 0)
        if kind < 0.38:
            return f"{pick.choice(ONE)}({a})"
        if kind < 0.5:
            return pick.choice(CALLS).format(a=a, b=b)
        if kind < 0.68:
            return f"({a} {pick.choice('+-')} {b})"
        if kind < 0.84:
            return f"({a})*({b})"
        if kind < 0.9:
            return f"({a})**{pick.choice(('2', '3', '4', '(-1)', '(1/2)', '0'))}"
        if kind < 0.95:
            return f"({a})/(1 + ({b})**2)"
        return f"({a})/({pick.choice(('2', '3', '(2 + cos(z1))', b))})"
