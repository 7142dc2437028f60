"""Bounds read off the structure of an expression."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from sympy import S

from hermite_analytics.language.bounds import bounds, is_shown_positive
from hermite_analytics.language.parser import parse
from hermite_analytics.symbols import z


def read(text: str) -> sympy.Expr:
    return parse(text, lambda name: z if name == "z" else None, accepted="z")


BOUNDS = {
    "2 + sin(z)": (1, 3),
    "3 - 2*cos(z)": (1, 5),
    "1 + z**2": (1, S.Infinity),
    "tanh(z)*4": (-4, 4),
    "exp(sin(z))": (sympy.exp(-1), sympy.E),
    "Phi(z) + sigmoid(z)": (0, 2),
    "exp(-exp(z))": (0, 1),
    "max(sin(z), 1/2)": (sympy.Rational(1, 2), 1),
    "min(cosh(z), 2)": (1, 2),
    "z**2*abs(z)": (0, S.Infinity),
    "relu(z) + softplus(z) + 1": (1, S.Infinity),
    "z": (S.NegativeInfinity, S.Infinity),
    "z*sin(z)": (S.NegativeInfinity, S.Infinity),
}


@pytest.mark.parametrize("text", BOUNDS)
def test_bounds(text: str) -> None:
    assert bounds(read(text)) == BOUNDS[text]


@pytest.mark.parametrize("text", ["1 + z**2", "cosh(z)", "exp(z)", "2 + sin(z)", "1 + abs(z) + z**4", "3"])
def test_shown_positive(text: str) -> None:
    assert is_shown_positive(read(text))


@pytest.mark.parametrize(
    "text", ["z", "z**2", "1 + sin(z)", "tanh(z)", "1 - tanh(z)", "abs(z)", "0", "-3", "z**3 + 9"]
)
def test_not_shown_positive(text: str) -> None:
    assert not is_shown_positive(read(text))


@given(st.sampled_from(list(BOUNDS)), st.floats(-5, 5))
def test_bounds_hold(text: str, point: float) -> None:
    low, high = bounds(read(text))
    value = read(text).subs(z, sympy.Float(point)).evalf(20)
    assert low <= value <= high


def test_powers_lie_between_their_bounds():
    """Of bases of either sign and of both, at points; roots of bases that are not negative alone."""
    t = sympy.Symbol("t", real=True)
    at = np.linspace(-9, 9, 721)
    bases = {
        2 + sympy.sin(t): 2 + np.sin(at),
        -2 - sympy.cos(t): -2 - np.cos(at),
        sympy.sin(t): np.sin(at),
        1 + t**2: 1 + at**2,
        sympy.Abs(t): np.abs(at),
        -sympy.exp(t): -np.exp(at),
    }
    powers = [sympy.Rational(p, q) for p in (-3, -2, -1, 1, 2, 3) for q in (1, 2, 3)]
    for base, values in bases.items():
        for power in powers:
            if (power.q > 1 and values.min() < 0) or (power < 0 and np.abs(values).min() < 1e-6):
                continue
            low, high = (float(b) for b in bounds(base**power))
            found = values ** (int(power) if power.q == 1 and power > 0 else float(power))
            assert low <= found.min() + 1e-12 and found.max() <= high * (1 + 1e-12) + 1e-12
