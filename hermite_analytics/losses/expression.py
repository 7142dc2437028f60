"""Losses given as text: an expression in the label y and the prediction x, convex in x."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import sympy
from sympy import Expr, Symbol

from hermite_analytics.activation import shortened
from hermite_analytics.errors import InputError, UnsupportedExpression
from hermite_analytics.evidence import Evidence
from hermite_analytics.gaussian.breakpoints import breakpoints
from hermite_analytics.language.affine import affine_part
from hermite_analytics.language.bounds import bounds
from hermite_analytics.language.derivative import almost_everywhere_derivative
from hermite_analytics.language.functions import functions_where
from hermite_analytics.language.parser import parse
from hermite_analytics.losses.record import LossRecord

if TYPE_CHECKING:
    from hermite_analytics.codegen.kernel import Kernel

__all__ = ["LossExpression", "NonConvexLoss", "expression_of"]

_LABEL = Symbol("y", real=True)
_PREDICTION = Symbol("x", real=True)
_FREE = sympy.Dummy("t", real=True)
_CONVEX_INCREASING = functions_where(lambda r: r.is_convex and r.is_increasing)
_CONVEX = functions_where(lambda r: r.is_convex)


class NonConvexLoss(InputError):
    """A loss is not convex in the prediction x."""


@dataclass(frozen=True, slots=True)
class LossExpression:
    """A loss l(y, x) of label y and prediction x from its text, convex in x.

    Parameters
    ----------
    text : str
        For example "softplus(-y*x)", "abs(y - x)", "log(cosh(y - x))".

    Attributes
    ----------
    expression : sympy expression
    convexity : Evidence
        `proved` by the rules of convex analysis, or `estimated`: no counterexample on a grid.

    Raises
    ------
    ParseError
        If the text is not an expression in y and x.
    NonConvexLoss
        With two points at which the slope in x decreases.
    InputError
        If x does not occur.

    Examples
    --------
    >>> loss = LossExpression("max(0, 1 - y*x)**2")
    >>> str(loss.convexity), loss.of_margin, loss.of_residual
    ('proved', True, False)
    >>> LossExpression("cos(y - x)")
    Traceback (most recent call last):
        ...
    hermite_analytics.losses.expression.NonConvexLoss: the loss cos(y - x) is not convex in x: at y = -3 \
its slope falls from 0.998543 at x = -10.8 to 0.96792 at x = -10.6; a convex loss is accepted
    """

    text: str
    expression: Expr = field(init=False, repr=False, compare=False)
    convexity: Evidence = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        names = {"y": _LABEL, "x": _PREDICTION}
        expression = parse(self.text, names.get, accepted="y, x")
        if not expression.has(_PREDICTION):
            raise InputError(f"the loss {shortened(self.text)} does not depend on the prediction x")
        object.__setattr__(self, "expression", expression)
        convex = _is_convex(expression)
        if not convex:
            _refuse_counterexample(self)
        object.__setattr__(self, "convexity", Evidence.PROVED if convex else Evidence.ESTIMATED)

    def __reduce__(self) -> tuple[object, ...]:
        return LossExpression, (self.text,)

    @property
    def of_margin(self) -> bool:
        """Whether the loss is shown to depend on the margin x y alone."""
        return not self.expression.subs(_PREDICTION, _FREE / _LABEL).has(_LABEL)

    @property
    def of_residual(self) -> bool:
        """Whether the loss is shown to depend on the residual y - x alone."""
        return not self.expression.subs(_PREDICTION, _LABEL - _FREE).has(_LABEL)

    @property
    def slope(self) -> Expr:
        """dl/dx almost everywhere."""
        return almost_everywhere_derivative(self.expression, _PREDICTION)

    @property
    def is_even(self) -> bool:
        """Whether l(-y, -x) = l(y, x) is seen in the expression; False if it is not.

        Examples
        --------
        >>> [LossExpression(text).is_even for text in ("softplus(-y*x)", "abs(y - x)", "exp(x) - y*x")]
        [True, True, False]
        """
        signs = {_LABEL: -_LABEL, _PREDICTION: -_PREDICTION}
        return bool(self.expression.xreplace(signs).doit() == self.expression)

    @property
    def has_bounded_slope(self) -> bool:
        """Whether |dl/dx| <= C is seen, for all y and x.

        Examples
        --------
        >>> [LossExpression(text).has_bounded_slope for text in ("log(cosh(y - x))", "(y - x)**2")]
        [True, False]
        """
        return all(end.is_finite for end in bounds(sympy.trigsimp(self.slope)))

    @property
    def is_affine(self) -> bool:
        """Whether dl/dx is seen to be a positive multiple of x - y or of -y.

        Examples
        --------
        >>> [LossExpression(text).is_affine for text in ("3*(y - x)**2", "-x*y", "x**2 - y*x", "abs(y - x)")]
        [True, True, False, False]
        """
        slope = sympy.expand(self.slope)
        of_label, of_prediction = slope.diff(_LABEL), slope.diff(_PREDICTION)
        rest = sympy.expand(slope - of_label * _LABEL - of_prediction * _PREDICTION)
        return bool(of_label.is_negative and of_prediction in (0, -of_label) and rest == 0)

    @property
    def is_affine_in_label(self) -> bool:
        """Whether dl/dx is seen to be affine in the label.

        Examples
        --------
        >>> [LossExpression(text).is_affine_in_label for text in ("exp(x) - y*x", "abs(y - x)")]
        [True, False]
        """
        return affine_part(self.slope, _LABEL) is not None

    def slope_at(self, label: Expr, prediction: Expr) -> Expr:
        """dl/dx with expressions for y and x."""
        return self.slope.subs({_LABEL: label, _PREDICTION: prediction}, simultaneous=True)

    def kernel(self, backend: str = "numba") -> Kernel:
        """(value, slope, curvature) as a compiled function of (y, x)."""
        from hermite_analytics.codegen import compile

        curvature = almost_everywhere_derivative(self.slope, _PREDICTION)
        outputs = {"value": self.expression, "slope": self.slope, "curvature": curvature}
        return compile(outputs, (_LABEL, _PREDICTION), backend=backend)

    def kink_kernel(self) -> Kernel | None:
        """The predictions x at which the slope may jump, as a compiled function of y; None without any."""
        from hermite_analytics.codegen import compile

        try:
            kinks = breakpoints(self.expression, _PREDICTION)
        except UnsupportedExpression:  # they are found by bisection, where they matter
            return None
        named = {f"kink{j}": kink for j, kink in enumerate(kinks)}
        return compile(named, (_LABEL,)) if named else None


def expression_of(record: LossRecord, parameter: float) -> LossExpression:
    """The loss of a record at a value of its parameter, as `named_loss` finds them.

    Examples
    --------
    >>> from hermite_analytics.losses.registry import named_loss
    >>> expression_of(*named_loss("quantile:0.9")).text
    '(0.9)*(y - x) + relu(x - y)'
    """
    if record.parameter is None:
        return LossExpression(record.text)
    return LossExpression(re.sub(rf"\b{record.parameter.symbol}\b", f"({parameter!r})", record.text))


def _is_convex(expr: Expr) -> bool:
    """Whether convexity in x follows from the composition rules of convex analysis."""
    if _is_affine(expr):
        return True
    if expr.is_Add or isinstance(expr, sympy.Max):
        return all(_is_convex(a) for a in expr.args)
    if expr.is_Mul:
        factor, rest = expr.as_independent(_PREDICTION, as_Add=False)
        return bool(factor.is_nonnegative) and rest != expr and _is_convex(rest)
    if isinstance(expr, _CONVEX_INCREASING):
        return _is_convex(expr.args[0])
    if isinstance(expr, _CONVEX):
        return _is_affine(expr.args[0])
    if isinstance(expr, sympy.log):
        return _is_log_sum_exp(expr.args[0])
    return bool(expr.is_Pow) and _is_convex_power(expr.base, expr.exp)


def _is_convex_power(base: Expr, exponent: Expr) -> bool:
    """An even power of an affine function, or of a function that is convex and nonnegative."""
    if not (exponent.is_integer and exponent.is_even and exponent.is_positive):
        return False
    return _is_affine(base) or (bool(base.is_nonnegative) and _is_convex(base))


def _is_affine(expr: Expr) -> bool:
    return affine_part(expr, _PREDICTION) is not None


def _is_log_sum_exp(argument: Expr) -> bool:
    """Whether this is a sum of nonnegative constants and exponentials of affine functions."""
    for term in sympy.Add.make_args(argument):
        factor, rest = term.as_independent(_PREDICTION, as_Add=False)
        exponential = rest == 1 or (isinstance(rest, sympy.exp) and _is_affine(rest.args[0]))
        if not (factor.is_nonnegative and exponential):
            return False
    return True


_LABELS = (-3, -1, sympy.Rational(-1, 3), 0, sympy.Rational(2, 7), 1, 2)
_PREDICTIONS = tuple(sympy.Rational(j, 5) for j in range(-60, 61))
_CLEARLY = 1e-12


def _refuse_counterexample(loss: LossExpression) -> None:
    """Look for two predictions at which the slope decreases, or the loss lies below a tangent beside them."""
    kernel = loss.kernel(backend="python")
    for y, (x, after) in itertools.product(_LABELS, itertools.pairwise(_PREDICTIONS)):
        here, there = kernel(float(y), float(x)), kernel(float(y), float(after))
        slopes = float(here.slope), float(there.slope)
        rise, width = float(there.value) - float(here.value), float(after - x)
        slack = _CLEARLY * (1.0 + abs(slopes[0]) + abs(float(here.value)) + abs(rise))
        what = f"the loss {shortened(loss.text)} is not convex in x: at y = {float(y):g} "
        if slopes[1] < slopes[0] - slack:
            raise NonConvexLoss(
                f"{what}its slope falls from {slopes[0]:.6g} at x = {float(x):g} to {slopes[1]:.6g} "
                f"at x = {float(after):g}; a convex loss is accepted"
            )
        if not slopes[0] * width - slack <= rise <= slopes[1] * width + slack:  # a jump
            raise NonConvexLoss(
                f"{what}it moves by {rise:.6g} between x = {float(x):g} and x = {float(after):g}, where its "
                f"slope is {slopes[0]:.6g} and {slopes[1]:.6g}; a convex loss is accepted"
            )
