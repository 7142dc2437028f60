"""`expectation`: E over z1, z2, ... of any expression of the language, parameters left free."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING, Any, TypeAlias

import sympy
from sympy import Expr, Symbol

from hermite_analytics.activation import shortened
from hermite_analytics.errors import InputError, UndefinedQuantity
from hermite_analytics.evidence import Evidence, Quantity
from hermite_analytics.foundation.clock import TimeEnded, allowed, check_time, limited, share
from hermite_analytics.foundation.json import Document
from hermite_analytics.gaussian.closed_form import closed_form
from hermite_analytics.gaussian.enclosure import ball_of, effort, enclose
from hermite_analytics.gaussian.integrability import integrability
from hermite_analytics.gaussian.node import GaussianExpectation
from hermite_analytics.gaussian.quantities import (
    EXACT_SHARE,
    constant_quantity,
    expected_quantity,
    interrupted,
)
from hermite_analytics.language import display
from hermite_analytics.language.numbers import NumberLike, exact_number
from hermite_analytics.language.parser import expectation_names, is_parameter, parse
from hermite_analytics.language.text import callable_refusal
from hermite_analytics.rendering import Frame, Result
from hermite_analytics.rendering.html import formula_html

if TYPE_CHECKING:
    from flint import arb

    from hermite_analytics.codegen.kernel import Kernel

__all__ = ["ExpectedValue", "digits_of", "expectation"]

Point: TypeAlias = Mapping[str, NumberLike]
"""Values of the parameters, by name."""

DEFAULT_SECONDS = 10.0


@dataclass(frozen=True, slots=True, repr=False)
class ExpectedValue(Result):
    """E of an expression over independent N(0, 1) variables.

    Attributes
    ----------
    expression : sympy expression
    variables, parameters : tuple of symbols
        z1, z2, ... that occur, and the symbols left free.
    exact : sympy expression or None
        The closed form in the parameters.
    reason : str
        Without a closed form: whether no rule gives one, or the time ended before.
    """

    expression: Expr
    variables: tuple[Symbol, ...]
    parameters: tuple[Symbol, ...]
    exact: Expr | None
    reason: str = ""

    @property
    def node(self) -> Expr:
        """The unevaluated expectation."""
        return GaussianExpectation(self.expression, self.variables)

    @property
    def formula(self) -> Expr:
        """The closed form, or the unevaluated expectation."""
        return self.node if self.exact is None else self.exact

    @property
    def evidence(self) -> Evidence:
        """`exact` with a closed form; without one it depends on the point: see `at`."""
        return Evidence.UNDECIDED if self.exact is None else Evidence.EXACT

    @property
    def latex(self) -> str:
        return display.latex(self.formula)

    def __str__(self) -> str:
        return display.text(self.formula)

    def __float__(self) -> float:
        """The number, where no parameter is free: see `at`."""
        return float(self.at())

    def _repr_latex_(self) -> str:
        return f"${self.latex}$"

    def _repr_html_(self) -> str:
        return formula_html(self.latex)

    def frame(self) -> Frame:
        """One row: the formula, and what it rests on."""
        row: dict[str, object] = {
            "expectation": display.formula(self.formula),
            "evidence": str(self.evidence),
        }
        if self.reason:
            row["reason"] = self.reason
        return Frame(title=f"E of {shortened(display.text(self.expression))}", rows=(row,))

    def document(self) -> Document:
        """{"expression", "exact", "latex", "evidence", "reason"}, JSON-ready; without a closed form null."""
        return {
            "expression": display.text(self.expression),
            "exact": None if self.exact is None else display.text(self.exact),
            "latex": self.latex,
            "evidence": str(self.evidence),
            "reason": self.reason,
        }

    def at(self, values: Point | None = None, *, seconds: float = DEFAULT_SECONDS) -> Quantity:
        """The number at a point of the parameters, with its evidence.

        Parameters
        ----------
        values : mapping of name to number
            For every parameter; floats are read as the decimals that they print.
        seconds : float > 0
            Time allowed, for a closed form at the point and an enclosure.

        Raises
        ------
        InputError
            If a parameter is missing or unknown.
        UndefinedQuantity
            If E|f| is infinite at this point.
        """
        with allowed(seconds):
            return self._at(self._point(values or {}))

    def evalf(
        self,
        digits: int = 15,
        values: Point | None = None,
        *,
        seconds: float = DEFAULT_SECONDS,
    ) -> Expr:
        """A number that is right to `digits` decimal digits, proved by a ball; as a sympy Float.

        Raises
        ------
        InputError
            If `digits` is not in 1..1000, or a parameter is missing.
        BudgetExhausted
            If no ball of this many digits is reached in time.
        """
        if not isinstance(digits, Integral) or not 1 <= digits <= 1000:
            raise InputError(f"digits is {digits!r}; accepted: an integer from 1 to 1000")
        return _float(self.ball(digits, values, seconds=seconds), digits)

    def ball(
        self,
        digits: int = 15,
        values: Point | None = None,
        *,
        seconds: float = DEFAULT_SECONDS,
    ) -> arb:
        """A python-flint ball that contains the number, of `digits` relative digits (absolute if it is 0)."""
        with allowed(seconds):
            return self._ball(self._point(values or {}), digits)

    def _at(self, point: Mapping[Symbol, Expr]) -> Quantity:
        integrand = self.expression.subs(point)
        try:
            with limited(share(EXACT_SHARE)):
                there = self._exact_at(point)
        except TimeEnded:
            check_time()  # a limit around this one
            return interrupted(expected_quantity(integrand, self.variables))
        return expected_quantity(integrand, self.variables) if there is None else constant_quantity(there)

    def _ball(self, point: Mapping[Symbol, Expr], digits: int) -> Any:
        formula = None
        if self.exact is not None:
            formula = _value_at(self.exact, point)
            if formula is None:
                with suppress(TimeEnded), limited(share(EXACT_SHARE)):
                    formula = self._closed_at(point)
        if formula is not None and not _is_singular(formula):
            return _ball_of_formula(formula, digits)
        integrand = self.expression.subs(point)
        wanted = digits + 2
        for _ in range(3):  # the goal of an enclosure is absolute
            ball = enclose(integrand, self.variables, digits=wanted)
            if ball.rel_accuracy_bits() >= 3.33 * digits + 4 or ball.contains(0):
                return ball
            wanted += digits
        return ball

    def compile(self, args: Sequence[Symbol | str] | None = None, **options: Any) -> Kernel:
        """A kernel in the parameters; see `hermite_analytics.compile`."""
        from hermite_analytics.codegen import compile

        return compile(self.formula, self.parameters if args is None else args, **options)

    def _point(self, values: Point) -> dict[Symbol, Expr]:
        names = {p.name: p for p in self.parameters}
        unknown = [n for n in values if n not in names]
        missing = [n for n in names if n not in values]
        if unknown:
            accepted = ", ".join(names) or "none"
            raise InputError(
                f"{unknown[0]!r} is not a parameter of {self.expression}; its parameters: {accepted}"
            )
        if missing:
            raise InputError(f"no value for {', '.join(missing)}; every parameter needs one")
        return {names[n]: exact_number(v, n) for n, v in values.items()}

    def _exact_at(self, point: Mapping[Symbol, Expr]) -> Expr | None:
        """The closed form at a point, by the rules there where the general one divides by zero."""
        value = None if self.exact is None else _value_at(self.exact, point)
        return self._closed_at(point) if value is None else value

    def _closed_at(self, point: Mapping[Symbol, Expr]) -> Expr | None:
        return closed_form(self.expression.subs(point), self.variables)


def digits_of(formula: Expr, digits: int) -> Expr:
    """A constant, right to `digits` decimal digits; as a sympy Float.

    Examples
    --------
    >>> digits_of(2 / sympy.pi, 30)
    0.636619772367581343075535053490
    """
    return _float(_ball_of_formula(formula, digits), digits)


def _float(ball: arb, digits: int) -> Expr:
    return sympy.Float(ball.str(digits + 5, radius=False), digits)


def _ball_of_formula(formula: Expr, digits: int) -> arb:
    """Of as many relative digits, absolute ones if it is 0."""
    bits = int(3.33 * digits) + 30
    ball = ball_of(formula, bits)
    while ball.rel_accuracy_bits() < 3.33 * digits + 4 and bits < 40_000 and ball.rad() != 0:
        if ball.contains(0) and bits > 8 * (3.33 * digits + 30):
            break
        effort.check(ball)
        bits *= 2
        ball = ball_of(formula, bits)
    return ball


def _value_at(formula: Expr, point: Mapping[Symbol, Expr]) -> Expr | None:
    """A closed form at a point; none where it divides by zero: where one of its forms is constant.

    The divisors are looked at one by one and before the rest, because Phi and phi of an infinite
    argument are finite: afterwards nothing tells that the argument had no sign.
    """
    for power in formula.atoms(sympy.Pow):
        base, exponent = (part.subs(point) for part in power.args)
        if exponent.is_nonnegative is not True and base.is_zero is not False:
            return None
    value = formula.subs(point)
    return None if _is_singular(value) else value


def _is_singular(value: Expr) -> bool:
    """Whether a number is infinite or undefined, as a whole or in a part."""
    factors = [f for term in sympy.Add.make_args(value) for f in sympy.Mul.make_args(term)]
    return bool(value.has(sympy.zoo, sympy.nan) or any(f in (sympy.oo, -sympy.oo) for f in factors))


def expectation(expr: str | Expr, *, seconds: float = DEFAULT_SECONDS) -> ExpectedValue:
    """E over z1, z2, ... (independent N(0, 1)) of an expression; all other names are real parameters.

    Parameters
    ----------
    expr : str or sympy expression
        Text of the language, for example "relu(k + c*z1)**2".
    seconds : float > 0
        Time for the closed form.

    Returns
    -------
    ExpectedValue
        With the closed form where one of the rules gives it in time.

    Raises
    ------
    ParseError
        If the text is not an expression of the language.
    UndefinedQuantity
        If E|f| is infinite.

    Examples
    --------
    >>> print(expectation("relu(k + z1)"))
    k*Phi(k) + phi(k)
    >>> expectation("tanh(z1)*z1").evalf(25)
    0.6057055096021588255835402
    >>> expectation("sin(12*z1)*z1").at().zero
    False
    >>> round(float(expectation("abs(z1)")), 12)
    0.797884560803
    """
    if isinstance(expr, str):
        expression = parse(
            expr,
            expectation_names,
            accepted="z1, z2, ... and names of parameters",
            is_constant=is_parameter,
        )
    elif isinstance(expr, Expr):
        expression = expr
    elif callable(expr):
        raise InputError(callable_refusal(expr, 'as text, for example "relu(k + z1)**2"'))
    else:
        raise InputError(
            f"the expression is {' '.join(repr(expr).split()):.40}; accepted: text, or an expression of sympy"
        )
    symbols = sorted(expression.free_symbols, key=lambda s: (len(s.name), s.name))
    variables = tuple(s for s in symbols if not is_parameter(s))
    parameters = tuple(s for s in symbols if is_parameter(s))
    exact, reason = _closed(expression, variables, seconds)
    return ExpectedValue(expression, variables, parameters, exact, reason)


def _closed(expression: Expr, variables: tuple[Symbol, ...], seconds: float) -> tuple[Expr | None, str]:
    """(closed form or None, why there is none)."""
    try:
        with limited(seconds):
            decision = integrability(expression, variables)
            if decision.finite is False:
                raise UndefinedQuantity(f"the expectation of {expression} is undefined: {decision.reason}")
            exact = closed_form(expression, variables)
    except TimeEnded as ended:
        return None, str(ended)
    return exact, "no rule gives a closed form" if exact is None else ""
