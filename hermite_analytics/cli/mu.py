"""`hermite-analytics mu ACTIVATION`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from hermite_analytics.cli.output import json_option, print_json
from hermite_analytics.errors import InputError

if TYPE_CHECKING:
    from sympy import Expr, Symbol

__all__ = ["command"]


@click.command("mu")
@click.argument("activation")
@click.option("--kappa", type=float, help="Projection on the spike.")
@click.option("--c", type=float, help="Squared norm of a bulk row, > 0.")
@click.option("--r", type=float, help="Strength of the spike.")
@json_option
def command(activation: str, kappa: float | None, c: float | None, r: float | None, as_json: bool) -> None:
    """mu0, mu1 and mu2^2 of an ACTIVATION such as "tanh(z)", as functions of kappa, c, r.

    With x = r kappa + sqrt(c) z: mu0 = E sigma(x), mu1 = E sigma'(x), mu2^2 = E sigma(x)^2 - mu0^2 - c mu1^2.
    """
    from hermite_analytics.activation import Activation
    from hermite_analytics.conditional import conditional_coefficients
    from hermite_analytics.symbols import c as c_symbol
    from hermite_analytics.symbols import kappa as kappa_symbol
    from hermite_analytics.symbols import r as r_symbol

    if c is not None and not 0.0 < c < float("inf"):
        raise InputError(f"--c is {c:g}; accepted: finite c > 0")
    for name, value in (("--kappa", kappa), ("--r", r)):
        if value is not None and not abs(value) < float("inf"):
            raise InputError(f"{name} is {value:g}; accepted: finite numbers")
    coefficients = conditional_coefficients(Activation(activation))
    point = {s: v for s, v in ((kappa_symbol, kappa), (c_symbol, c), (r_symbol, r)) if v is not None}
    document = {name: _entry(expr, point, clip=name == "mu2_squared") for name, expr in coefficients.items()}
    if as_json:
        print_json(document)
        return
    for name, entry in document.items():
        formula = coefficients[name] if entry["exact"] is None else entry["exact"]
        click.echo(f"{name} = {formula}")
        if entry["value"] is not None:
            click.echo(f"{' ' * len(name)} = {entry['value']!r}")
        elif point:
            missing = sorted(s.name for s in coefficients[name].free_symbols - point.keys())
            click.echo(f"{' ' * len(name)}   no number without {', '.join('--' + m for m in missing)}")


def _entry(expr: Expr, point: dict[Symbol, float], *, clip: bool) -> dict[str, object]:
    """The exact text (None where an expectation has no closed form), LaTeX, and the value at a full point."""
    import sympy

    from hermite_analytics.gaussian.node import GaussianExpectation
    from hermite_analytics.language import display
    from hermite_analytics.language.evaluation import float_at

    value = None
    if expr.free_symbols <= point.keys():
        if expr.has(GaussianExpectation):
            exact_point = {s: sympy.Rational(*float(v).as_integer_ratio()) for s, v in point.items()}
            value = float(sympy.N(expr.subs(exact_point), 20))
        else:
            value = float_at(expr, point)
        value = max(value, 0.0) if clip else value
    return {
        "exact": None if expr.has(GaussianExpectation) else display.text(expr),
        "latex": display.latex(expr),
        "value": value,
    }
