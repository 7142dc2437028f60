"""The intermediate representation between a symbolic expression and printed code.

A `Program` is straight-line code: named assignments in order, loops that evaluate Gaussian
expectations and integrals, and outputs. Nodes are immutable; equal sub-expressions are the same name.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TypeAlias

__all__ = [
    "Add",
    "Assign",
    "Call",
    "Compare",
    "Divide",
    "Guard",
    "HermiteSum",
    "Integral",
    "Loop",
    "Multiply",
    "Name",
    "Node",
    "Number",
    "Power",
    "Program",
    "Select",
    "Statement",
    "Table",
    "names_in",
]


@dataclass(frozen=True, slots=True)
class Number:
    """A constant; `text` is the nearest float64, `digits` has 40 digits where that is not exact."""

    text: str
    digits: str = ""


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
    """A function by its name in programs (`Record.code`), for example Call("erf", (x,))."""

    function: str
    arguments: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Compare:
    """left < right, or another of the relations <, <=, >, >=."""

    relation: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Select:
    """`then` where the condition holds, else `otherwise`; both may be evaluated."""

    condition: Compare
    then: Node
    otherwise: Node


@dataclass(frozen=True, slots=True)
class HermiteSum:
    """sum_k coefficients[k] He_k(argument), by a Clenshaw recurrence."""

    coefficients: tuple[Number, ...]
    argument: Node


@dataclass(frozen=True, slots=True)
class Guard:
    """`value` where check >= 1e-3 scale, else the result of the program named `fallback`."""

    value: Node
    check: Node
    scale: Node
    fallback: str


Node: TypeAlias = (
    Number | Name | Add | Multiply | Divide | Power | Call | Compare | Select | HermiteSum | Guard
)


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
    graded : tuple of Node
        Further ends of panels, closer and closer to points where the integrand is like a logarithm or a root.
    nonnegative : tuple of bool
        For each integrand whether it is known not to be negative.
    """

    variable: str
    body: tuple[Assign, ...]
    values: tuple[tuple[str, Node], ...]
    strip: Node | None
    breakpoints: tuple[Node, ...] = ()
    graded: tuple[Node, ...] = ()
    nonnegative: tuple[bool, ...] = ()

    @property
    def edges(self) -> tuple[Node, ...]:
        """The ends of panels of a rule without nodes that crowd there."""
        return (*self.breakpoints, *self.graded)


@dataclass(frozen=True, slots=True, kw_only=True)
class Integral:
    """An integral over [0, end] of a smooth function that may vary quickly near 0.

    Attributes
    ----------
    variable : str
    body : tuple of Assign
    values : tuple of (str, Node)
    end : Number
    """

    variable: str
    body: tuple[Assign, ...]
    values: tuple[tuple[str, Node], ...]
    end: Number


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Coefficients of a Chebyshev sum in an argument, or of several, one a panel, in its arccosine.

    Attributes
    ----------
    name : str
    edges : tuple of float
        Of the panels in the arccosine; empty for a sum in the argument itself.
    rows : tuple of tuples of float
        One for each panel.
    error : float
        Of the values, relative to their scale.
    """

    name: str
    edges: tuple[float, ...]
    rows: tuple[tuple[float, ...], ...]
    error: float


Statement: TypeAlias = Assign | Loop | Integral


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """Arguments, statements in order, and (name, value) outputs.

    Attributes
    ----------
    fallbacks : tuple of (str, Program)
        What the guards call: programs of the same arguments with one output.
    tables : tuple of Table
    documentation : tuple of str
        A line for each output, cut where it is long.
    formulas : tuple of str
        The same in full, up to a page.
    """

    arguments: tuple[str, ...]
    statements: tuple[Statement, ...]
    outputs: tuple[tuple[str, Node], ...]
    fallbacks: tuple[tuple[str, Program], ...] = ()
    tables: tuple[Table, ...] = ()
    documentation: tuple[str, ...] = field(default=())
    formulas: tuple[str, ...] = field(default=())

    def loops(self) -> tuple[Loop, ...]:
        """The quadratures over Gaussian variables."""
        return tuple(s for s in self.statements if isinstance(s, Loop))

    @property
    def has_quadratures(self) -> bool:
        """Whether a point takes many evaluations: of an expectation or integral, also behind a guard."""
        parts = (self, *(fallback for _, fallback in self.fallbacks))
        return any(isinstance(s, Loop | Integral) for part in parts for s in part.statements)

    def constants(self) -> list[tuple[str, str]]:
        """(name, text of a list of numbers) of what stands at the top of the module."""
        found = []
        for table in self.tables:
            rows = table.rows if table.edges else table.rows[0]
            found.append((table.name, _listed(rows)))
            if table.edges:
                found.append((f"{table.name}_edges", _listed(table.edges)))
        return found


def _listed(numbers: tuple[float, ...] | tuple[tuple[float, ...], ...]) -> str:
    return repr([list(x) if isinstance(x, tuple) else x for x in numbers])


def names_in(node: object) -> set[str]:
    """The names that a node, a statement or a tuple of them refers to."""
    if isinstance(node, Name):
        return {node.text}
    if isinstance(node, tuple):
        return set().union(*(names_in(n) for n in node))
    if hasattr(node, "__dataclass_fields__"):
        return set().union(*(names_in(getattr(node, f.name)) for f in fields(node)))  # type: ignore[arg-type]
    return set()
