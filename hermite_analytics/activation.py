"""Activations: functions of one real variable z."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sympy import Expr, Float, Symbol

from hermite_analytics.errors import InputError, UndefinedQuantity
from hermite_analytics.gaussian.integrability import moment_is_finite, verdict
from hermite_analytics.gaussian.zero.flat_kinks import with_exact_zeros
from hermite_analytics.language import display
from hermite_analytics.language.derivative import almost_everywhere_derivative
from hermite_analytics.language.parser import parse
from hermite_analytics.language.shape import has_jumps, is_odd
from hermite_analytics.language.table import FUNCTIONS
from hermite_analytics.symbols import z

if TYPE_CHECKING:
    from hermite_analytics.codegen.kernel import Kernel

__all__ = ["Activation"]


@dataclass(frozen=True, slots=True)
class Activation:
    """The activation of a two-layer network, from its text.

    Parameters
    ----------
    text : str or sympy expression
        An expression in z, for example "tanh(z)", "relu(z) - 0.4", "z + He(3, z)/10". The bare name
        of a function of one argument is accepted ("tanh" is "tanh(z)").

    Raises
    ------
    ParseError
        If the text is not an expression of the language.
    UndefinedQuantity
        If E|sigma(z)| is infinite, or cannot be shown to be finite.

    Examples
    --------
    >>> Activation("erf").expression
    erf(z)
    >>> Activation("tanh(z)").is_odd
    True
    """

    text: str
    expression: Expr = field(init=False, repr=False, compare=False)

    @classmethod
    def of(cls, given: Activation | str | Expr) -> Activation:
        """The activation itself, or that of a text or a sympy expression."""
        return given if isinstance(given, Activation) else cls(given)

    def __post_init__(self) -> None:
        if isinstance(self.text, Expr):
            object.__setattr__(self, "text", text_of_symbolic(self.text))
        text = self.text
        if isinstance(text, str) and _is_function_of_one_argument(text.strip()):
            text = f"{text.strip()}(z)"
        expression = parse(text, lambda name: z if name == "z" else None, accepted="z")
        expression = with_exact_zeros(expression)
        object.__setattr__(self, "expression", expression)
        finite = self._moment(1)
        if finite is not True:
            raise UndefinedQuantity(
                f"the activation {shortened(self.text)} has no mean: E|sigma(z)| {verdict(finite)} "
                "for z ~ N(0, 1)"
            )

    def __str__(self) -> str:
        return self.text

    def _repr_latex_(self) -> str:
        return rf"$\sigma(z) = {display.latex(self.expression)}$"

    def __reduce__(self) -> tuple[object, ...]:
        return Activation, (self.text,)

    @property
    def variable(self) -> Symbol:
        return z

    def _moment(self, order: int) -> bool | None:
        return moment_is_finite(self.expression, z, order)

    def require_second_moment(self) -> None:
        """Raise `UndefinedQuantity` unless E sigma(z)^2 is shown to be finite."""
        finite = self._moment(2)
        if finite is not True:
            raise UndefinedQuantity(
                f"the activation {shortened(self.text)} cannot be used here: E sigma(z)^2 {verdict(finite)} "
                "for z ~ N(0, 1)"
            )

    @property
    def derivative(self) -> Expr:
        """sigma'(z) almost everywhere."""
        return almost_everywhere_derivative(self.expression, z)

    @property
    def is_odd(self) -> bool:
        """Whether sigma(-z) = -sigma(z) follows by algebra."""
        return is_odd(self.expression, z)

    @property
    def has_jumps(self) -> bool | None:
        """Whether sigma is discontinuous somewhere; None if that is not decided."""
        return has_jumps(self.expression, z)

    def function(self, backend: str = "numba") -> Kernel:
        """sigma as a compiled kernel of one argument."""
        from hermite_analytics.codegen import compile

        return compile(self.expression, (z,), backend=backend)

    def derivative_function(self, backend: str = "numba") -> Kernel:
        """sigma' (almost everywhere) as a compiled kernel of one argument."""
        from hermite_analytics.codegen import compile

        return compile(self.derivative, (z,), backend=backend)

    def with_derivative(self, backend: str = "numba") -> Kernel:
        """sigma and sigma' (almost everywhere) as one kernel, (value, slope): shared parts are done once."""
        from hermite_analytics.codegen import compile

        return compile({"value": self.expression, "slope": self.derivative}, (z,), backend=backend)


def _is_function_of_one_argument(name: str) -> bool:
    return (name in FUNCTIONS and FUNCTIONS[name].arity[0] == 1) or re.fullmatch(r"He\d+", name) is not None


def shortened(text: str) -> str:
    """A text on one line of at most 60 columns, for messages."""
    line = " ".join(text.split())
    return line if len(line) <= 60 else f"{line[:57]}..."


def text_of_symbolic(expression: Expr) -> str:
    """The text of a sympy expression, which our own parser then reads.

    Raises
    ------
    InputError
        If it holds floats, whose exact value may not be what is meant.
    """
    if expression.has(Float):
        raise InputError(
            f"the expression {shortened(str(expression))} holds floats; write them as rational numbers"
        )
    return str(expression)
