"""From Python's syntax tree to a sympy expression: every node type that is not listed is refused."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Callable

import sympy
from sympy import Expr, Integer, Rational

from hermite_analytics.language import hints
from hermite_analytics.language.rules import Rules
from hermite_analytics.language.table import CONSTANTS, FUNCTIONS
from hermite_analytics.language.text import MAX_NESTING

__all__ = ["NameLookup", "Walk"]

MAX_DIGITS = 60
MAX_EXPONENT = 300

_NUMBER = re.compile(r"\d+\.?\d*(?:[eE][+-]?\d{1,3})?|\.\d+(?:[eE][+-]?\d{1,3})?")
_HERMITE = re.compile(r"He(\d+)")

NameLookup = Callable[[str], Expr | None]


class Walk(Rules):
    """One walk over the tree of a text.

    Parameters
    ----------
    text : str
        What the user wrote.
    flat : str
        The same from column `offset` on, in one line: the text of the tree.
    offset : int
    names : callable
        Maps a variable's name to its symbol, or None if it is not accepted here.
    accepted : str
        How the accepted variables are called in messages.
    is_constant : callable
        Whether a symbol is a parameter.
    floor_of : callable
        The floor of an argument that is accepted.
    """

    def __init__(
        self,
        *,
        text: str,
        flat: str,
        offset: int,
        names: NameLookup,
        accepted: str,
        is_constant: Callable[[sympy.Symbol], bool],
        floor_of: Callable[[Expr], Expr],
    ) -> None:
        super().__init__(text=text, offset=offset, is_constant=is_constant, floor_of=floor_of)
        self.flat, self.names, self.accepted = flat, names, accepted

    def convert(self, node: ast.AST, depth: int) -> Expr:
        if depth > MAX_NESTING:
            raise self.fail(f"nested more than {MAX_NESTING} levels deep", node)
        return self.checked(self.expression(node, depth), node)

    def expression(self, node: ast.AST, depth: int) -> Expr:
        match node:
            case ast.Constant():
                return self.number(node)
            case ast.Name():
                return self.name(node)
            case ast.UnaryOp(op=ast.USub()):
                return -self.convert(node.operand, depth + 1)
            case ast.UnaryOp(op=ast.UAdd()):
                return self.convert(node.operand, depth + 1)
            case ast.BinOp():
                return self.binary(node, depth)
            case ast.Call():
                return self.call(node, depth)
        what = hints.what_it_is(node)
        raise self.fail(f"{what} is not part of the language; use numbers, names, calls and + - * / **", node)

    def number(self, node: ast.Constant) -> Expr:
        literal = ast.get_source_segment(self.flat, node) or ""
        if isinstance(node.value, str):
            raise self.fail("quotes are not part of the language; give the expression without them", node)
        if not isinstance(node.value, int | float) or not _NUMBER.fullmatch(literal):
            raise self.fail(f"{literal[:20] or node.value!r} is not a decimal number", node)
        if len(literal) > MAX_DIGITS:
            raise self.fail(
                f"a number has {len(literal)} characters; at most {MAX_DIGITS} are accepted", node
            )
        exponent = re.search(r"[eE]([+-]?\d+)", literal)
        if exponent and abs(int(exponent[1])) > MAX_EXPONENT:
            raise self.fail(f"powers of ten are accepted up to {MAX_EXPONENT} in size", node)
        return Rational(literal)  # exact: 0.1 is 1/10

    def name(self, node: ast.Name) -> Expr:
        symbol = self.names(node.id)
        if symbol is not None:
            return symbol
        if node.id in CONSTANTS:
            return CONSTANTS[node.id]
        if node.id in FUNCTIONS or _HERMITE.fullmatch(node.id):
            example = hints.example_call(node.id)
            raise self.fail(f"{node.id} is a function: give its argument, as in {example}", node)
        hint = hints.name_hint(node.id, self.accepted)
        raise self.fail(f"unknown name {node.id[:30]!r}; {hint}", node)

    def binary(self, node: ast.BinOp, depth: int) -> Expr:
        # a long sum is a deep left spine: walk it in a loop, so that only real nesting counts
        spine: list[ast.BinOp] = []
        head: ast.AST = node
        while isinstance(head, ast.BinOp):
            spine.append(head)
            head = head.left
        value = self.convert(head, depth + 1)
        # equal operators in a row make one sum or product: sympy sorts it once, not at every link
        for kind, run in itertools.groupby(reversed(spine), _operation):
            links = list(run)
            right = [self.convert(link.right, depth + 1) for link in links]
            if kind == "sum":
                signed = [-x if isinstance(k.op, ast.Sub) else x for k, x in zip(links, right, strict=True)]
                value = sympy.Add(value, *signed)
            elif kind == "product":
                value = sympy.Mul(value, *right)
            else:
                for link, x in zip(links, right, strict=True):
                    value = self.combine(link, value, x)
        return value

    def combine(self, node: ast.BinOp, left: Expr, right: Expr) -> Expr:
        match node.op:
            case ast.Div():
                return self.quotient(left, right, node.right)
            case ast.Pow():
                return self.power(left, right, node)
            case ast.BitXor():
                raise self.fail("^ is not a power here; write ** instead", node.right)
        sign = hints.operator_sign(node.op)
        raise self.fail(f"the operator {sign} is not accepted; use + - * / **", node.right)

    def call(self, node: ast.Call, depth: int) -> Expr:
        if not isinstance(node.func, ast.Name):
            raise self.fail(hints.what_is_called(node.func), node)
        name = node.func.id
        if node.keywords or any(isinstance(a, ast.Starred) for a in node.args):
            raise self.fail(f"{name[:30]} takes plain arguments only", node)
        hermite = _HERMITE.fullmatch(name)
        if hermite:
            arguments = [_degree(hermite[1]), *(self.convert(a, depth + 1) for a in node.args)]
            return self.build("He", arguments, node)
        if self.names(name) is not None or name in CONSTANTS:
            raise self.fail(_called_value(name), node)
        if name not in FUNCTIONS:
            raise self.fail(f"unknown function {name[:30]!r}; {hints.function_hint(name)}", node)
        return self.build(name, [self.convert(a, depth + 1) for a in node.args], node)


def _called_value(name: str) -> str:
    """What to say where a number, a coordinate or a parameter is called; a long name may mean a function."""
    if name in CONSTANTS or len(name) <= 2 or any(c.isdigit() for c in name):
        return f"a product needs its sign: write {name}*(...), not {name}(...)"
    meant = hints.meant_function(name)
    hint = "" if meant is None else f"{meant}; "
    return f"unknown function {name!r}; {hint}for a product write {name}*(...)"


def _operation(node: ast.BinOp) -> str:
    if isinstance(node.op, ast.Add | ast.Sub):
        return "sum"
    return "product" if isinstance(node.op, ast.Mult) else "other"


def _degree(digits: str) -> Expr:
    return Integer(digits) if len(digits) <= 6 else Integer(10**6)
