"""The table of the functions of the language, made from their records when the site is built."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from docutils import nodes
from docutils.parsers.rst import Directive
from docutils.statemachine import StringList
from sympy import Expr, Float, Rational, Symbol, oo, sympify

import hermite_analytics as ha
from hermite_analytics.language.derivative import almost_everywhere_derivative
from hermite_analytics.language.display import latex
from hermite_analytics.language.functions import He
from hermite_analytics.language.functions.record import Domain, Growth, Record
from hermite_analytics.language.functions.registry import RECORDS

_X, _Y = Symbol("x", real=True), Symbol("y", real=True)
_CONSTANTS = {
    "slope": Symbol("slope", real=True),
    "lo": Symbol("lo", real=True),
    "hi": Symbol("hi", real=True),
}
_CONSTANTS["a"] = Symbol("a", real=True)
_DOMAINS = {
    Domain.NONNEGATIVE: "where $x \\ge 0$ is shown",
    Domain.POSITIVE: "where $x > 0$ almost surely is shown",
}
_GROWTHS = {Growth.BOUNDED: "bounded", Growth.LINEAR: "linear", Growth.EXPONENTIAL: "exponential"}
# constants at which a function with constants is looked at as an activation
_EXAMPLE = {"leaky_relu": "leaky_relu(z, 1/10)", "clip": "clip(z, -1, 2)", "He": "He(3, z)"}
_LETTERS = {"max": "max(z1, z2)", "min": "min(z1, z2)", "norm": "norm(z1, z2)"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What the table says of a function."""

    written: str
    also: str
    definition: str
    derivative: str
    facts: tuple[str, ...]
    closed: tuple[str, ...]

    def markdown(self) -> str:
        """The row of a table."""
        cells = [
            f"`{self.written}`{self.also}",
            f"${self.definition}$" if self.definition else "",
            f"${self.derivative}$" if self.derivative else "",
            ", ".join(self.facts),
            ", ".join(self.closed) or "none",
        ]
        return "| " + " | ".join(cell.replace("|", r"\vert ") for cell in cells) + " |"


def listed() -> list[Record]:
    """The records of what a text may call."""
    return [record for record in RECORDS if record.names and record.is_listed]


def row(record: Record) -> Row:
    """The row of a function."""
    name = record.names[0]
    node = _node(record)
    names = [*record.names[1:], *record.elsewhere]
    return Row(
        written=_written(record),
        also=f" (elsewhere {', '.join(f'`{other}`' for other in names)})" if names else "",
        definition=_definition(record, node),
        derivative=_DERIVATIVES.get(name) or _latex(almost_everywhere_derivative(node, _X)),
        facts=tuple(_facts(record)),
        closed=tuple(_closed(record)),
    )


# those of clip and sinc are true as they are derived, but no reader would see it
_DERIVATIVES = {
    "He": r"k \mathrm{He}_{k-1}(x)",
    "sqrt": r"\frac{1}{2 \sqrt{x}}",
    "sinc": r"\frac{x \cos x - \sin x}{x^2}",
    "hardtanh": r"\operatorname{step}(x + 1) \operatorname{step}(1 - x)",
    "clip": r"\operatorname{step}(x - lo) \operatorname{step}(hi - x)",
}


def _latex(expr: Expr) -> str:
    """Constants of many digits, as those of selu, by their first ones."""
    long = {number: Float(number, 8) for number in expr.atoms(Rational) if number.q > 10**6}
    return latex(expr.xreplace(long))


def _definition(record: Record, node: Expr) -> str:
    """In more elementary functions, or on either side of a kink; nothing where there is nothing to say."""
    if record.kink is not None:
        right, left = record.kink.sides(*node.args)
        return rf"{latex(sympify(right))} \text{{ for }} x > 0, {latex(sympify(left))} \text{{ for }} x < 0"
    if record.definition is not None and node.func is record.function:
        return latex(record.definition(*node.args))
    return _latex(node) if record.build is not None else ""


def _written(record: Record) -> str:
    name, most = record.names[0], record.arity[1]
    letters = {"He": "k, x", "leaky_relu": "x, slope", "clip": "x, lo, hi"}.get(name)
    if letters is None:
        letters = "x, y, ..." if most is None else "x, a" if record.constants else "x"
    return f"{name}({letters})"


def _node(record: Record) -> Expr:
    name, most = record.names[0], record.arity[1]
    if name == "He":
        return He(Symbol("k", integer=True, positive=True), _X)
    arguments: list[Expr] = [_X]
    if record.constants:
        arguments += [_CONSTANTS[c] for c in record.constants if c in _CONSTANTS]
    elif most is None:
        arguments += [_Y]
    if record.build is not None:
        return record.build(*arguments)
    assert record.function is not None
    return record.function(*arguments)


def _facts(record: Record) -> list[str]:
    facts = []
    activation = _activation(record)
    if record.domain in _DOMAINS:
        facts.append(_DOMAINS[record.domain])
    if activation is not None and activation.is_odd:
        facts.append("odd")
    elif activation is not None and ha.Activation(f"z*{activation}").is_odd:
        facts.append("even")
    if record.is_strictly_increasing:
        facts.append("strictly increasing")
    elif record.is_increasing:
        facts.append("increasing")
    if record.is_convex:
        facts.append("convex")
    if (record.low, record.high) != (-oo, oo) and record.growth is Growth.BOUNDED:
        facts.append(f"in $[{latex(record.low)}, {latex(record.high)}]$")
    elif record.growth in _GROWTHS:
        facts.append(f"grows at most {'linearly' if record.growth is Growth.LINEAR else 'exponentially'}")
    if record.is_kink:
        facts.append("jumps" if record.kink is not None and record.kink.is_jump else "kink")
    elif record.strip is not None:
        facts.append(
            "entire" if record.strip == oo else rf"analytic for $|\mathrm{{Im}} x| < {latex(record.strip)}$"
        )
    return facts


def _activation(record: Record) -> ha.Activation | None:
    name = record.names[0]
    if name in _LETTERS or record.domain is not Domain.REAL:
        return None
    return ha.Activation(_EXAMPLE.get(name, f"{name}(z)"))


def _closed(record: Record) -> list[str]:
    """Which of the averages over the field $m + s z$ have closed forms."""
    name = record.names[0]
    activation = _activation(record)
    if activation is None:
        expression = _LETTERS.get(name) or f"{name}(abs(z1))"
        value = ha.expectation(expression)
        return (
            [f"$\\mathbb{{E}} = {latex(value.formula)}$ of `{expression}`"]
            if value.evidence is ha.Evidence.EXACT
            else []
        )
    coefficients = ha.conditional_coefficients(activation)
    shown = {r"\mu_0": coefficients.mu0, r"\mu_1": coefficients.mu1, r"\mu_2^2": coefficients.mu2_squared}
    return [f"${symbol}$" for symbol, value in shown.items() if not value.has(ha.GaussianExpectation)]


class Functions(Directive):
    """`{functions-of-the-language}`: the table."""

    def run(self) -> list[nodes.Node]:
        lines = ["| written | definition | derivative | known | closed |", "|---|---|---|---|---|"]
        lines += [row(record).markdown() for record in listed()]
        content = nodes.container(classes=["wide"])
        self.state.nested_parse(StringList(lines, source="records"), self.content_offset, content)
        return [content]


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.add_directive("functions-of-the-language", Functions)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
