"""Sums over nodes, written as loops for a compiler, as statements on arrays that need none."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from types import CodeType, FunctionType

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
    place = loop.target.id if isinstance(loop.target, ast.Name) else ""
    own: set[str] = set()
    found: list[ast.stmt] = []
    for statement in loop.body:
        one = _Whole(place).visit(statement)
        if isinstance(one, ast.Assign):
            own |= {n.id for target in one.targets for n in ast.walk(target) if isinstance(n, ast.Name)}
            found.append(one)
        elif isinstance(one, ast.AugAssign) and isinstance(one.target, ast.Name):
            name = one.target.id
            added = one.value
            if name not in own:
                if not isinstance(one.op, ast.Add):
                    raise TypeError(f"{ast.unparse(statement)} in a loop is no sum")
                added = ast.Call(
                    func=ast.Attribute(value=added, attr="sum", ctx=ast.Load()), args=[], keywords=[]
                )
            value = ast.BinOp(left=ast.Name(id=name, ctx=ast.Load()), op=one.op, right=added)
            found.append(ast.Assign(targets=[ast.Name(id=name, ctx=ast.Store())], value=value))
        else:
            raise TypeError(f"{ast.unparse(statement)} is not understood in a loop over nodes")
    return found


class _Whole(ast.NodeTransformer):
    """x[k] as x."""

    def __init__(self, place: str) -> None:
        self._place = place

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        if isinstance(node.slice, ast.Name) and node.slice.id == self._place:
            return node.value
        return node
