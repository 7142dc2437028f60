"""Targets: functions of independent Gaussian inputs z1, z2, ..., with optional label noise xi."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sympy import Expr, Symbol

from hermite_analytics.activation import shortened
from hermite_analytics.errors import InputError, UndefinedQuantity, UnsupportedExpression
from hermite_analytics.language.growth import moment_is_finite, verdict
from hermite_analytics.language.parser import parse, target_names
from hermite_analytics.language.shape import has_jumps
from hermite_analytics.symbols import variable, xi

if TYPE_CHECKING:
    from hermite_analytics.codegen.kernel import Kernel

__all__ = ["Target"]


@dataclass(frozen=True, slots=True)
class Target:
    """The function that a network is to learn, from its text.

    Parameters
    ----------
    text : str
        An expression in z1, z2, ... (independent N(0, 1); z alone means z1) and xi (independent N(0, 1)
        label noise), for example "sin(z1)", "He3(z1) + 0.1*xi".

    Attributes
    ----------
    expression : sympy expression
        With the label noise in it.
    dimension : int
        The largest index used.

    Raises
    ------
    ParseError
        If the text is not an expression of the language.
    UndefinedQuantity
        If E|f| is infinite, or (for one variable) cannot be shown to be finite.

    Examples
    --------
    >>> f = Target("sin(z1) + xi/2")
    >>> f.noiseless, f.noise_variance
    (sin(z1), 1/4)
    """

    text: str
    expression: Expr = field(init=False, repr=False, compare=False)
    dimension: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        expression = parse(self.text, target_names, accepted="z1, z2, ..., xi")
        indices = [int(s.name[1:]) for s in expression.free_symbols if s != xi]
        object.__setattr__(self, "expression", expression)
        object.__setattr__(self, "dimension", max(indices, default=1))
        if expression.diff(xi).is_number:  # additive noise has every moment
            expression = expression.subs(xi, 0)
        if len(expression.free_symbols) > 1:
            return
        (z,) = expression.free_symbols or {variable(1)}
        finite = moment_is_finite(expression, z, 1)
        if finite is not True:
            raise UndefinedQuantity(
                f"the target {shortened(self.text)} has no mean: E|f| {verdict(finite)} against a Gaussian"
            )

    def __str__(self) -> str:
        return self.text

    def __reduce__(self) -> tuple[Any, ...]:
        return Target, (self.text,)

    @property
    def noise_variance(self) -> Expr:
        """Variance of an additive label noise a*xi.

        Raises
        ------
        UnsupportedExpression
            If xi enters in any other way.
        """
        slope = self.expression.diff(xi)
        if slope.free_symbols:
            raise UnsupportedExpression(
                f"the label noise of {shortened(self.text)} is not additive; "
                "solvers accept a*xi with a constant a"
            )
        return slope**2

    @property
    def noiseless(self) -> Expr:
        """The target without its additive label noise: E[y | z]."""
        return self.expression.subs(xi, 0) if self.noise_variance != 0 else self.expression

    @property
    def has_jumps(self) -> bool | None:
        """Whether g is discontinuous somewhere; None if that is not decided."""
        return has_jumps(self.expression, variable(1))

    def single_index(self) -> tuple[Expr, Symbol]:
        """(g, z1) for a target g(z1) of one direction with E g^2 < infinity.

        Raises
        ------
        InputError
            If the target has more directions.
        UndefinedQuantity
            If E g^2 is infinite, or cannot be shown to be finite.
        """
        z1 = variable(1)
        g = self.noiseless
        if g.free_symbols - {z1}:
            names = ", ".join(sorted(s.name for s in g.free_symbols))
            raise InputError(
                f"the target {shortened(self.text)} uses {names}; this solver takes a target of z1 alone"
            )
        finite = moment_is_finite(g, z1, 2)
        if finite is not True:
            raise UndefinedQuantity(
                f"the target {shortened(self.text)} has no second moment: E f^2 {verdict(finite)} "
                "against a Gaussian"
            )
        return g, z1

    def function(self, backend: str = "numba") -> Kernel:
        """g(z1, ..., zr), without label noise, as a compiled kernel."""
        from hermite_analytics.codegen import compile

        return compile(self.noiseless, tuple(variable(j + 1) for j in range(self.dimension)), backend=backend)
