"""Parity and continuity, shown by algebra or left open."""

from __future__ import annotations

import pytest

from hermite_analytics import Activation
from hermite_analytics.language.shape import has_jumps, is_even, is_odd
from hermite_analytics.symbols import z

ODD = [
    "tanh(z)",
    "He3(z)",
    "He(41, z)",
    "sigmoid(z) - 1/2",
    "Phi(z) - 1/2",
    "relu(z) - relu(-z)",
    "softplus(z) - softplus(-z)",
    "max(z, 0) - max(-z, 0)",
    "z*abs(z)",
    "step(z) - 1/2",
    "sign(z - 1) + sign(z + 1)",
    "exp(z) - exp(-z)",
    "abs(z + 1) - abs(z - 1)",
    "sin(z)*cos(z)",
    "(z + 1)**3 - 3*z**2 - 1",
    "z**2*sign(z)",
    "tanh(z) + z*He(20, z)",
    "erfc(z) - 1",
    "leaky_relu(z, 1/10) - leaky_relu(-z, 1/10)",
    "0*z",
]
EVEN = [
    "abs(z)",
    "He4(z)",
    "gelu(z) - z/2",
    "silu(z) - z/2",
    "cos(z)",
    "abs(z - 1) + abs(z + 1)",
    "phi(z)",
    "1 + 0*z",
]
NEITHER = ["relu(z)", "z + 1", "exp(z)", "step(z)", "sigmoid(z)", "z + z**2", "sign(z - 1)", "abs(z - 1)"]


@pytest.mark.parametrize("text", ODD + EVEN + NEITHER)
def test_parity(text):
    expression = Activation(text).expression
    assert is_odd(expression, z) == (text in ODD)
    assert is_even(expression, z) == (text in EVEN or text == "0*z")


@pytest.mark.parametrize(
    ("text", "jumps"),
    [
        ("sign(z)", True),
        ("step(z - 1)", True),
        ("z + sign(z)", True),
        ("sign(z**3 - z - 1)", True),
        ("sign(z**2 - 2)", True),
        ("sign(z)*cos(z)", True),
        ("z*sign(z - 1)", True),
        ("sign(z - pi)", True),
        ("z*sign(z)", False),
        ("z**2*sign(z)", False),
        ("step(z)*z", False),
        ("sign(z)*sin(z)", False),
        ("(z**2 - 2)*sign(z**2 - 2)", False),
        ("(z**3 - z - 1)*sign(z**3 - z - 1)", False),
        ("sign(z)*sign(z)", False),
        ("sign(z)*step(z) - step(z)", False),
        ("sign((z - 1)**2)*z", False),
        ("abs(z)", False),
        ("relu(z)", False),
        ("z*sign(z) + (z - 1)*sign(z - 1)", False),
        ("tanh(z)", False),
        ("(z - pi)*sign(z - pi)", False),
        ("sign(sin(z))", None),
        ("sign(z + sign(z))", None),
    ],
)
def test_jumps(text, jumps):
    assert has_jumps(Activation(text).expression, z) is jumps
