"""The intermediate representation between a symbolic expression and printed code.

A `Program` is straight-line code: named assignments in order, loops that evaluate Gaussian
expectations, and outputs. Nodes are immutable; equal sub-expressions are the same name.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

__all__ = [
    "Add",
    "Assign",
    "Call",
    "Divide",
    "Loop",
    "Multiply",
    "Name",
    "Node",
    "Number",
    "Power",
    "Program",
]


@dataclass(frozen=True, slots=True)
class Number:
    """A constant; `text` has enough digits to round to the nearest float64."""

    text: str


@dataclass(frozen=True, slots=True)
class Name:
    """An argument or an assigned value."""

    text: str


@dataclass(frozen=True, slots=True)
class Add:
    terms: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Multiply:
    factors: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Divide:
    numerator: Node
    denominator: Node


@dataclass(frozen=True, slots=True)
class Power:
    """base ** exponent with a constant exponent; small integers are printed as products."""

    base: Node
    exponent: Node
    integer: int | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """A function of the language by its name there, for example Call("erf", (x,))."""

    function: str
    arguments: tuple[Node, ...]


Node: TypeAlias = Number | Name | Add | Multiply | Divide | Power | Call


@dataclass(frozen=True, slots=True)
class Assign:
    target: str
    value: Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop:
    """Expectations over one N(0, 1) variable, evaluated together on shared nodes.

    Attributes
    ----------
    variable : str
        Name of the variable inside `body`.
    body : tuple of Assign
        Evaluated at each node.
    values : tuple of (str, Node)
        For each expectation the name of its result and the integrand.
    strip : Node or None
        Half-width of the strip of analyticity in the variable; a huge number for entire functions;
        None if unknown (the step is then halved until the results settle).
    breakpoints : tuple of Node
        Kinks and jumps in the variable; empty for analytic integrands.
    """

    variable: str
    body: tuple[Assign, ...]
    values: tuple[tuple[str, Node], ...]
    strip: Node | None
    breakpoints: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """Arguments, statements in order, and (name, value) outputs."""

    arguments: tuple[str, ...]
    statements: tuple[Assign | Loop, ...]
    outputs: tuple[tuple[str, Node], ...]
    documentation: tuple[str, ...] = field(default=())
