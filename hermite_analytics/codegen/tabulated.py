"""Expressions whose values come from a table that is made once: what code generation asks of them."""

from __future__ import annotations

from typing import Protocol

from sympy import Expr

__all__ = ["Coefficients", "Tabulated"]


class Coefficients(Protocol):
    """Chebyshev coefficients of a function on [-1, 1], as in `ir.Table`."""

    @property
    def edges(self) -> tuple[float, ...]: ...

    @property
    def rows(self) -> tuple[tuple[float, ...], ...]: ...

    @property
    def relative_error(self) -> float: ...


class Tabulated(Expr):  # type: ignore[misc]
    """A function of one argument in [-1, 1] that has a table."""

    @property
    def argument(self) -> Expr:
        """Where the function is taken."""
        raise NotImplementedError

    @property
    def function(self) -> Expr:
        """The same node for all arguments: those that agree in it share a table."""
        raise NotImplementedError

    @property
    def table(self) -> Coefficients:
        """Made when first asked for."""
        raise NotImplementedError
