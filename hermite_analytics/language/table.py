"""Which names a text may use, with how many arguments, and what they become."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import sympy
from sympy import Expr

from hermite_analytics.language import functions as own

__all__ = ["CONSTANTS", "FUNCTIONS", "FunctionEntry"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionEntry:
    """One function of the language: the sympy object it builds and its arity."""

    build: Callable[..., Expr]
    minimum: int = 1
    maximum: int | None = 1


CONSTANTS: dict[str, Expr] = {"pi": sympy.pi, "E": sympy.E}

_absolute = FunctionEntry(build=sympy.Abs)
_maximum = FunctionEntry(build=sympy.Max, minimum=2, maximum=None)
_minimum = FunctionEntry(build=sympy.Min, minimum=2, maximum=None)

FUNCTIONS: dict[str, FunctionEntry] = {
    "He": FunctionEntry(build=own.He, minimum=2, maximum=2),
    "sign": FunctionEntry(build=sympy.sign),
    "abs": _absolute,
    "Abs": _absolute,
    "relu": FunctionEntry(build=own.relu),
    "leaky_relu": FunctionEntry(build=own.leaky_relu, minimum=2, maximum=2),
    "step": FunctionEntry(build=own.step),
    "Heaviside": FunctionEntry(build=lambda x, at_zero=sympy.S.Zero: own.step(x), minimum=1, maximum=2),
    "max": _maximum,
    "Max": _maximum,
    "min": _minimum,
    "Min": _minimum,
    "exp": FunctionEntry(build=sympy.exp),
    "log": FunctionEntry(build=sympy.log),
    "sqrt": FunctionEntry(build=sympy.sqrt),
    "sin": FunctionEntry(build=sympy.sin),
    "cos": FunctionEntry(build=sympy.cos),
    "tanh": FunctionEntry(build=sympy.tanh),
    "sinh": FunctionEntry(build=sympy.sinh),
    "cosh": FunctionEntry(build=sympy.cosh),
    "erf": FunctionEntry(build=sympy.erf),
    "erfc": FunctionEntry(build=sympy.erfc),
    "Phi": FunctionEntry(build=own.Phi),
    "phi": FunctionEntry(build=own.phi),
    "sigmoid": FunctionEntry(build=own.sigmoid),
    "softplus": FunctionEntry(build=own.softplus),
    "gelu": FunctionEntry(build=own.gelu),
    "silu": FunctionEntry(build=own.silu),
    "Rational": FunctionEntry(build=sympy.Rational, minimum=2, maximum=2),
}
