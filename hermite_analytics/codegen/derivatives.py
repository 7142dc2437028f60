"""Closed forms of the expectations in an expression, and the derivatives of outputs in arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sympy import Expr, Symbol

from hermite_analytics.errors import InputError
from hermite_analytics.gaussian.differentiation import derivative_between_jumps
from hermite_analytics.gaussian.ends import without_removable_poles
from hermite_analytics.gaussian.node import GaussianExpectation
from hermite_analytics.gaussian.residual import Guarded

__all__ = ["with_derivatives"]


def with_derivatives(
    outputs: Mapping[str, Expr], plain: Mapping[str, Expr], directions: Sequence[Symbol]
) -> dict[str, Expr]:
    """The outputs, and after them dNAME_dARGUMENT for every output and direction.

    Expectations are replaced by their closed forms first, where there are any: these are differentiated
    then, which also covers jumps.

    Parameters
    ----------
    outputs : mapping
        What is computed.
    plain : mapping
        The same quantities as they are differentiated: smooth formulas without cases.
    directions : sequence of symbols

    Raises
    ------
    InputError
        If the name of a derivative is taken by an output.
    """
    found = {name: _closed(expr) for name, expr in outputs.items()}
    for name, expr in list(found.items()):
        source = expr if isinstance(expr, Guarded) else _closed(plain[name])
        for symbol in directions:
            derivative = f"d{name}_d{symbol.name}"
            if derivative in found or not derivative.isidentifier():
                raise InputError(
                    f"{derivative} cannot name the derivative of {name} in {symbol}: rename them"
                )
            slope = _closed(derivative_between_jumps(source, symbol))
            found[derivative] = without_removable_poles(slope, symbol)
    return found


def _closed(expr: Expr) -> Expr:
    nodes = expr.atoms(GaussianExpectation)
    return expr.xreplace({n: n.in_real_functions() for n in nodes}) if nodes else expr
