"""Names in generated code: arguments that clash with nothing, expressions cut to a line."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sympy import Expr, Symbol

from hermite_analytics.errors import InputError

__all__ = ["PAGE", "argument_names", "plain", "shown"]

_UNCHANGED = {"alpha", "beta", "c", "eta", "gamma", "kappa", "lam", "m", "r", "rho", "s", "x", "y", "z"}
_WIDTH = 60
PAGE = 2000


def shown(expr: Expr, width: int = _WIDTH) -> str:
    """The text of an expression, cut to a line (or to `width`), for messages and docstrings."""
    text = str(expr)
    return text if len(text) <= width else text[: width - 3] + "..."


def plain(text: str) -> str:
    """A line that can stand in the docstring of the generated module."""
    return text.replace("\\", "").replace('"', "'")


def argument_names(arguments: Sequence[Symbol]) -> tuple[str, ...]:
    """Names of the arguments in the generated code.

    Raises
    ------
    InputError
        If there is none, or one is given twice.
    """
    repeated = {s.name for s in arguments if sum(t.name == s.name for t in arguments) > 1}
    if repeated:
        raise InputError(
            f"the argument {min(repeated)} is given twice; the arguments of a kernel are distinct"
        )
    if not arguments:
        raise InputError("a kernel takes at least one argument; give one in args, or use evalf for a number")
    variable = re.compile(r"z\d+")
    return tuple(
        s.name
        if s.name in _UNCHANGED or variable.fullmatch(s.name)
        else re.sub(r"\W", "_", f"argument{j}_{s.name}", flags=re.ASCII)
        for j, s in enumerate(arguments)
    )
