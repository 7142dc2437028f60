"""What is to be compiled: named expressions and the order of their arguments, checked."""

from __future__ import annotations

import keyword
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hermite_analytics.errors import InputError
from hermite_analytics.language.text import callable_refusal

if TYPE_CHECKING:
    from sympy import Expr, Symbol

    from hermite_analytics.codegen.ir import Program

__all__ = ["Request", "kernel_form"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """Expressions and arguments; hashable.

    Attributes
    ----------
    named : tuple of (str, Expr)
        What is computed.
    described : tuple of (str, Expr)
        What the docstring of the module shows, where it differs.
    symbols, directions : tuples of Symbol
        The arguments, and those of them in which derivatives are wanted.
    single : bool
        One expression that was given without a name.
    source : str
        Where the formulas come from, if the mapping says so.
    """

    named: tuple[tuple[str, Expr], ...]
    described: tuple[tuple[str, Expr], ...]
    symbols: tuple[Symbol, ...]
    directions: tuple[Symbol, ...]
    single: bool
    source: str

    @classmethod
    def of(
        cls,
        expression: Expr | Mapping[str, Expr],
        args: Sequence[Symbol | str],
        wrt: Sequence[Symbol | str] = (),
    ) -> Request:
        """The request of `compile`.

        Raises
        ------
        InputError
            A name that cannot be one, something that is no expression, a direction that is no argument.
        """
        single = not isinstance(expression, Mapping)
        named: dict[str, Expr] = {"value": expression} if single else dict(kernel_form(expression))
        _check(named)
        symbols = _symbols(named, args)
        directions = _directions(symbols, wrt)
        return cls(
            named=tuple(named.items()),
            described=() if single else tuple(dict(expression).items()),
            symbols=symbols,
            directions=directions,
            single=single and not directions,
            source=str(getattr(expression, "source", "")),
        )

    def program(self) -> Program:
        """Lowered, with the derivatives that are wanted.

        Raises
        ------
        InputError
            An unbound symbol.
        UnsupportedExpression
            A function or an expectation for which there is no code.
        """
        from hermite_analytics.codegen.derivatives import with_derivatives
        from hermite_analytics.codegen.lower import lower

        outputs = with_derivatives(dict(self.named), dict(self.described or self.named), self.directions)
        return lower(outputs, self.symbols, described=dict(self.described))


def kernel_form(expressions: Mapping[str, Expr]) -> Mapping[str, Expr]:
    """A mapping that knows a form of itself that keeps its digits in floating point gives that form."""
    form = getattr(expressions, "kernel_form", None)
    return expressions if form is None else form()


def _check(named: Mapping[str, Expr]) -> None:
    import sympy

    for name, expression in named.items():
        if not isinstance(name, str) or not name.isidentifier() or keyword.iskeyword(name) or name[0] == "_":
            raise InputError(f"{name!r} cannot name an output; accepted are names like mu0")
        if not isinstance(expression, sympy.Expr):
            if callable(expression):
                raise InputError(
                    callable_refusal(expression, "as an expression of sympy, for example sympy.tanh(z)")
                )
            kind = type(expression).__name__
            raise InputError(f"{name} is of type {kind}; accepted is an expression of sympy")


def _symbols(named: Mapping[str, Expr], args: Sequence[Symbol | str]) -> tuple[Symbol, ...]:
    import sympy

    free = {s.name: s for e in named.values() for s in e.free_symbols}
    return tuple(
        a if isinstance(a, sympy.Symbol) else free.get(str(a), sympy.Symbol(str(a), real=True)) for a in args
    )


def _directions(symbols: tuple[Symbol, ...], wrt: Sequence[Symbol | str]) -> tuple[Symbol, ...]:
    listed = (wrt,) if isinstance(wrt, str) or hasattr(wrt, "free_symbols") else tuple(wrt)
    by_name = {s.name: s for s in symbols}
    for w in listed:
        if str(w) not in by_name:
            raise InputError(
                f"wrt names {w}, which is not among the arguments ({', '.join(by_name) or 'none'})"
            )
    return tuple(by_name[str(w)] for w in listed)
