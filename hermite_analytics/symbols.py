"""The symbols of the closed forms.

kappa : projection on the spike, N(0, 1);  r : spike strength;  c > 0 : squared norm of a bulk row;
gamma : overlap of spike and target;  z : the variable of an activation.

Rooms that do no symbolic work take the types of symbols and expressions from here.
"""

from __future__ import annotations

from sympy import Expr, Symbol

__all__ = ["Expr", "Symbol", "c", "gamma", "kappa", "r", "variable", "xi", "z"]

kappa = Symbol("kappa", real=True)
r = Symbol("r", real=True)
c = Symbol("c", positive=True)
gamma = Symbol("gamma", real=True)
z = Symbol("z", real=True)
xi = Symbol("xi", real=True)


def variable(index: int) -> Symbol:
    """z1, z2, ...: the independent N(0, 1) inputs of a target."""
    return Symbol(f"z{index}", real=True)
