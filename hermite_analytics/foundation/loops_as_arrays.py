"""Sums over nodes, written as loops for a compiler, as statements on arrays that need none."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import cast

__all__ = ["as_arrays"]


def as_arrays(function: FunctionType) -> Callable[..., object]:
    """The same function, each loop over an array's places done at once.

    Such a loop, `for k in range(x.size)`, holds assignments only: it reads arrays at the place k, and adds to
    variables that were there before it.

    Raises
    ------
    TypeError
        If a loop holds something else.

    Examples
    --------
    >>> import numpy as np
    >>> def squares(x, y):
    ...     total = 0.0
    ...     for k in range(x.size):
    ...         a = x[k] - y[k]
    ...         total += a * a
    ...     return total
    >>> float(as_arrays(squares)(np.array([1.0, 2.0]), np.array([0.0, 4.0])))
    5.0
    """
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    definition = tree.body[0]
    assert isinstance(definition, ast.FunctionDef)
    definition.decorator_list = []
    body: list[ast.stmt] = []
    for statement in definition.body:
        body += _at_once(statement) if isinstance(statement, ast.For) else [statement]
    definition.body = body
    module = compile(ast.fix_missing_locations(tree), inspect.getfile(function), "exec")
    code = next(c for c in module.co_consts if isinstance(c, CodeType))
    return FunctionType(code, function.__globals__, function.__name__, function.__defaults__)


def _at_once(loop: ast.For) -> list[ast.stmt]:
    """The statements of a loop, all places of its arrays at once."""
    header = ast.unparse(loop).splitlines()[0]
    if not re.fullmatch(r"for \w+ in range\(\w+\.size\):", header) or loop.orelse:
        raise TypeError(f"{header} is no loop over the places of an array")
    assert isinstance(loop.target, ast.Name)
    place = loop.target.id
    whole, spread = _Whole(place), set[str]()  # the loop's own variables that differ from place to place
    added: set[str] = set()
    found: list[ast.stmt] = []
    for statement in loop.body:
        text = ast.unparse(statement)
        if not isinstance(statement, ast.Assign | ast.AugAssign):
            raise TypeError(f"{text} is not understood in a loop over nodes")
        targets = list[ast.expr](
            statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        )
        if any(isinstance(n, ast.Subscript) for target in targets for n in ast.walk(target)):
            raise TypeError(f"{text} writes to an array, which is no sum, in a loop over nodes")
        varies = bool(_names(statement.value) & {place, *spread})
        value = cast(ast.expr, whole.visit(statement.value))
        if isinstance(statement, ast.Assign):
            spread |= _names(*targets) if varies else set()
            found.append(ast.Assign(targets=targets, value=value))
            continue
        name = cast(ast.Name, statement.target).id
        if name not in spread:
            if not (varies and isinstance(statement.op, ast.Add)):
                raise TypeError(f"{text} is no sum over places in a loop over nodes")
            added.add(name)
            value = ast.Call(
                func=ast.Attribute(value=value, attr="sum", ctx=ast.Load()), args=[], keywords=[]
            )
        value = ast.BinOp(left=ast.Name(id=name, ctx=ast.Load()), op=statement.op, right=value)
        found.append(ast.Assign(targets=[ast.Name(id=name, ctx=ast.Store())], value=value))
    read = _names(*(cast(ast.Assign, s).value for s in loop.body))
    if read & added:
        raise TypeError(
            f"{', '.join(sorted(read & added))}: sums are read in a loop over nodes before its end"
        )
    return found


def _names(*nodes: ast.expr) -> set[str]:
    """Of all variables in some expressions."""
    return {n.id for node in nodes for n in ast.walk(node) if isinstance(n, ast.Name)}


class _Whole(ast.NodeTransformer):
    """x[k] as x."""

    def __init__(self, place: str) -> None:
        self._place = place

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        if isinstance(node.slice, ast.Name) and node.slice.id == self._place:
            return node.value
        return node
