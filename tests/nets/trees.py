"""Trees of the language with label noise: read from text, renamed, evaluated.

The trees are those of `tests.symbolic.random_trees`; ("z", 0) is the label noise xi. For evaluators, which
know only variables, `noise_last` gives it the next index.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from fractions import Fraction

from tests.symbolic.random_trees import Tree, text_of, variables_of

XI: Tree = ("z", 0)
_OPERATIONS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**"}


def label_text(tree: Tree) -> str:
    """In the language of the library, without needless parentheses."""
    return ast.unparse(ast.parse(re.sub(r"\bz0\b", "xi", text_of(tree)), mode="eval"))


def dimension_of(tree: Tree) -> int:
    """The largest index, noise left aside; at least 1."""
    return max(1, *variables_of(tree), 1)


def is_noisy(tree: Tree) -> bool:
    return 0 in variables_of(tree)


def renamed(tree: Tree, names: Mapping[int, Tree]) -> Tree:
    """Variables replaced by trees."""
    if isinstance(tree, Fraction | int):
        return tree
    if tree[0] == "z":
        return names.get(tree[1], tree)
    return (tree[0], *(renamed(child, names) for child in tree[1:]))


def noise_last(tree: Tree, dimension: int) -> Tree:
    """With xi as the variable after the last."""
    return renamed(tree, {0: ("z", dimension + 1)})


def tree_of(text: str) -> Tree:
    """The tree of a text with numbers, z1, z2, ..., xi, + - * / ** and functions."""
    return _read(ast.parse(text.strip(), mode="eval").body)


def _read(node: ast.expr) -> Tree:
    match node:
        case ast.Constant(value=int() as number):
            return Fraction(number)
        case ast.Constant(value=float() as number):
            return Fraction(repr(number))
        case ast.Name(id="xi"):
            return XI
        case ast.Name(id=name) if re.fullmatch(r"z\d*", name):
            return ("z", int(name[1:] or 1))
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return _negative(_read(inner))
        case ast.BinOp(left=left, op=operation, right=right):
            return _operation(_OPERATIONS[type(operation)], _read(left), _read(right))
        case ast.Call(func=ast.Name(id=name), args=args):
            return _call(name, [_read(a) for a in args])
    raise ValueError(f"{ast.unparse(node)} is not an expression of the nets")


def _negative(tree: Tree) -> Tree:
    return -tree if isinstance(tree, Fraction) else ("*", Fraction(-1), tree)


def _operation(name: str, left: Tree, right: Tree) -> Tree:
    numbers = isinstance(left, Fraction) and isinstance(right, Fraction)
    if name == "-":
        return left - right if numbers else ("+", left, _negative(right))
    if name == "/":
        if isinstance(right, Fraction):
            return left / right if numbers else ("*", 1 / right, left)
        return ("*", left, ("**", right, -1))
    if name == "**":
        if numbers:
            return left**right
        return ("**", left, int(right) if right.denominator == 1 else right)
    if numbers:
        return left + right if name == "+" else left * right
    return (name, left, right)


def _call(name: str, args: list[Tree]) -> Tree:
    if name == "He":
        return ("He", int(args[0]), args[1])
    if re.fullmatch(r"He\d+", name):
        return ("He", int(name[2:]), args[0])
    return (name, *args)
