"""What the second layer fits once the first has learned a subspace, and the error that is left."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass

import sympy
from sympy import Expr, Symbol

from hermite_analytics.activation import shortened
from hermite_analytics.argument.coefficients import Enclosure
from hermite_analytics.argument.steps import OpenOrder
from hermite_analytics.errors import InputError, UndefinedQuantity
from hermite_analytics.evidence import Evidence, Quantity
from hermite_analytics.exponents.coefficients import DEFAULT_SECONDS, Coefficients
from hermite_analytics.exponents.numbers import Numbers
from hermite_analytics.exponents.spans import Span, extended
from hermite_analytics.exponents.steps import step
from hermite_analytics.foundation.clock import allowed, share
from hermite_analytics.foundation.json import Document
from hermite_analytics.gaussian.integrability import integrability, verdict
from hermite_analytics.gaussian.node import GaussianExpectation
from hermite_analytics.gaussian.quantities import unknown_quantity
from hermite_analytics.label_noise import conditional_second_moment
from hermite_analytics.language import display
from hermite_analytics.language.functions import He
from hermite_analytics.language.numbers import NumberLike, RowsLike, exact_number
from hermite_analytics.language.rows import Rows, exact_rows
from hermite_analytics.learning.frames import frame, span_of_rows
from hermite_analytics.learning.projection import MOST_INDICES, projection
from hermite_analytics.learning.rates import written
from hermite_analytics.rendering import Frame, Result
from hermite_analytics.target import Target

__all__ = ["SecondLayer", "power_floor", "second_layer"]

_THEOREM = "theorem: lower bound for p = O(1) and bounded second layers (arXiv:2305.18270)"
_CONJECTURE = "conjectured lower bound (arXiv:2305.18270, Conjecture 3)"
_ROUNDED = "the basis of U has no closed form: the error is that of U rounded to 12 digits"
_ROUNDING = 1e-9  # of the error of a rounded subspace
_MOST_POWER = 100
_VARIANCE_SHARE = 0.2  # of the time left, for a variance that rests on the label noise


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SecondLayer(Result):
    """The part of a target that the second layer can fit, for n ~ d^k1 samples and p ~ d^k2 neurons.

    Attributes
    ----------
    target : str
    samples_power, width_power : str
        k1 and k2, exact.
    kappa : int
        floor(min(k1, k2)): the degree that is fitted in directions that are not learned.
    learned : tuple of rows of text, or None
        Reduced row echelon basis of U in z-coordinates; None where it is not decided.
    fitted, unfitted : str or None
        f = fitted + unfitted, as text of the language where all of it has a closed form; E_z2[..] is an
        expectation over z2. None where U is not decided, or has no basis in closed form.
    error : Quantity
        E unfitted^2, the lower bound of the test error.
    status : str
        Theorem or conjecture.
    remarks : tuple of str
        What U rests on, and which limit is meant.
    fitted_expression, unfitted_expression : sympy expression or None

    Examples
    --------
    >>> answer = second_layer("z1 + z1*z2 + He2(z2)", samples_power=1)
    >>> print(answer.fitted, answer.error)
    z1 3
    """

    target: str
    samples_power: str
    width_power: str
    kappa: int
    learned: Rows | None
    fitted: str | None
    unfitted: str | None
    error: Quantity
    status: str
    remarks: tuple[str, ...]
    fitted_expression: Expr | None
    unfitted_expression: Expr | None

    def frame(self) -> Frame:
        """One row: what is fitted, what is not, and the error."""
        row = {
            "kappa": self.kappa,
            "learned": _basis_text(self.learned),
            "fitted": _shown(self.fitted),
            "unfitted": _shown(self.unfitted),
            "error": self.error,
            "kind": self.status,
        }
        fixed = {name: getattr(self, name) for name in ("target", "samples_power", "width_power")}
        return Frame(title="second layer", rows=(row,), fixed=fixed, remarks=self.remarks)

    def document(self) -> Document:
        """JSON-ready, without the sympy expressions."""
        return {
            "target": self.target,
            "samples_power": self.samples_power,
            "width_power": self.width_power,
            "kappa": self.kappa,
            "learned": None if self.learned is None else [list(row) for row in self.learned],
            "fitted": self.fitted,
            "unfitted": self.unfitted,
            "error": self.error.to_dict(),
            "status": self.status,
            "remarks": list(self.remarks),
        }

    def __str__(self) -> str:
        return "\n".join(
            [
                f"n ~ {written(self.samples_power)}, p ~ {written(self.width_power)}: kappa = {self.kappa}",
                f"learned:  {_basis_text(self.learned)}",
                f"fitted:   {_shown(self.fitted)}",
                f"unfitted: {_shown(self.unfitted)}",
                f"error:    {self.error} [{self.error.evidence}]",
                self.status,
                *self.remarks,
            ]
        )


def second_layer(
    target: Target | str,
    samples_power: NumberLike = 1,
    width_power: NumberLike = 0,
    learned: RowsLike | None = None,
    *,
    exact: bool = False,
    seconds: float = DEFAULT_SECONDS,
) -> SecondLayer:
    """The part of f that a trained second layer fits, and the error that is left, d -> infinity.

    With U learned by the first layer, n ~ d^k1 and p ~ d^k2, what is fitted is the projection on polynomials
    of degree <= kappa = floor(min(k1, k2)) in the directions outside U, whose coefficients may be any
    functions in U. The error is

        sum over n and j > kappa of binom(n, j) |C_n[U^(n - j), perp^j]|^2/n!.

    Source: Dandi, Krzakala, Loureiro, Pesce and Stephan, arXiv:2305.18270; without learned directions the
    degree of Mei, Misiakiewicz and Montanari. Label noise is averaged out: the error is that of E[y | z].

    Parameters
    ----------
    target : Target or str
    samples_power, width_power : exact number >= 0
        k1 and k2; decimals are read exactly. width_power = 0 is p ~ 1.
    learned : rows of exact numbers, optional
        A basis of U in z-coordinates; [] for none. By default what one giant step with n ~ d^k1 learns: all
        directions of C_1, ..., C_k with k = floor(k1). For several steps give what `staircase` says.
    exact : bool
        Whether floats in `learned` stand for the fractions or square roots of fractions that they are near;
        otherwise they are the decimals that they print, and long ones warn.
    seconds : float > 0
        Time allowed.

    Returns
    -------
    SecondLayer

    Raises
    ------
    InputError
        If a power is not a number >= 0, or the rows do not fit the target.
    UndefinedQuantity
        If E f^2 is infinite, or cannot be shown to be finite.
    BudgetExhausted
        If the time ends before the polynomial part of f is expanded in coordinates adapted to U.

    Examples
    --------
    >>> f = "z1 + He2(z2) + He2(z1)*z2 + He4(z1)*He2(z2)*z3 + He2(z2)*He2(z3)"
    >>> [str(second_layer(f, *powers).error) for powers in [(1, 0), (1, 1), (2, 0), (2, 1), (2, 2)]]
    ['56', '54', '52', '4', '0']
    >>> answer = second_layer(f, 2, 1)
    >>> answer.fitted, answer.unfitted
    ('z1 + z2*He2(z1) + z3*He2(z2)*He4(z1) + He2(z2)', 'He2(z2)*He2(z3)')
    >>> print(second_layer("relu(z1 + z2)", learned=[[1, 0]]).fitted)
    z1*Phi(z1) + phi(z1)
    """
    k1, _ = power_floor(samples_power, "samples_power")
    k2, _ = power_floor(width_power, "width_power")
    kappa = int(sympy.floor(sympy.Min(k1, k2)))
    rows = None if learned is None else exact_rows(learned, "learned", exact=exact, level=3)
    with allowed(seconds):
        return _second_layer(target, k1, k2, kappa, rows)


def _second_layer(target: Target | str, k1: Expr, k2: Expr, kappa: int, learned: Rows | None) -> SecondLayer:
    coefficients = Coefficients(target)
    f = Target.of(target)
    _require_variance(f, coefficients)
    span, source = _subspace(coefficients, learned, int(sympy.floor(k1)))
    remarks = [source]
    if kappa >= 1 and kappa == sympy.Min(k1, k2):
        remarks.append(f"d^{kappa} is a critical regime: the value is the limit from above")
    fitted = unfitted = None
    if span is None:
        error = unknown_quantity(source)
    else:
        _check_size(coefficients.width - span.dimension, kappa)
        near = span if span.is_closed else _rounded(span, coefficients.numbers)
        split = projection(coefficients, frame(near), kappa)
        error = split.error if span.is_closed else _estimate(split.error)
        if span.is_closed:
            fitted, unfitted = split.fitted, split.unfitted
        else:
            remarks.append(_ROUNDED)
    return SecondLayer(
        target=f.text if f.directions is None else str(f.expression),
        samples_power=str(k1),
        width_power=str(k2),
        kappa=kappa,
        learned=None if span is None else tuple(tuple(row) for row in span.text()),
        fitted=_text(fitted),
        unfitted=_text(unfitted),
        error=error,
        status=_THEOREM if k2 == 0 else _CONJECTURE,
        remarks=tuple(remarks),
        fitted_expression=fitted,
        unfitted_expression=unfitted,
    )


def power_floor(value: NumberLike, name: str) -> tuple[Expr, int]:
    """(an exact power >= 0, its floor).

    Raises
    ------
    InputError
        If it is negative, no number, or beyond 100.
    """
    try:
        power = exact_number(value, name)
    except InputError:
        power = None
    if power is None or power < 0 or power > _MOST_POWER:
        raise InputError(f"{name} is {str(value)[:40]!r}; accepted: a number from 0 to {_MOST_POWER}")
    return power, int(power)  # the floor of a number >= 0


def _require_variance(target: Target, coefficients: Coefficients) -> None:
    """Raise unless E f^2 < infinity is shown, f = E[y | z]."""
    if coefficients.is_finite:
        return
    symbols = (*coefficients.variables, *coefficients.noise)
    decision = integrability(coefficients.average, symbols, order=2)
    if decision.finite is True:
        return
    if coefficients.noise:  # the average over xi may have a variance that y has not
        y, variables = coefficients.average, coefficients.variables
        with allowed(share(_VARIANCE_SHARE)):
            whole = conditional_second_moment(y, sympy.S.Zero, y, variables, digits=5)
        if math.isfinite(whole.value):
            return
    raise UndefinedQuantity(
        f"the target {shortened(str(target.text))} has no error of the second layer: "
        f"E f^2 {verdict(decision.finite)} against a Gaussian"
    )


def _subspace(coefficients: Coefficients, learned: Rows | None, order: int) -> tuple[Span | None, str]:
    """(U, what it rests on)."""
    if learned is not None:
        return span_of_rows(learned, coefficients.width, coefficients.numbers), "U: as given"
    span = Span(width=coefficients.width)
    proved = "theorem"
    for degree in range(1, order + 1):
        if coefficients.is_finite and degree > coefficients.last:
            break
        found = step(coefficients, Span(width=coefficients.width), degree)
        if not found.is_complete:
            return None, f"U is not decided: {OpenOrder(order=degree, because=found.facts)}; give `learned`"
        if span.dimension and found.is_new:
            proved = "conjecture: orders beyond the first"
        span, decided = extended(coefficients.numbers, span, found.span.rows)
        if not decided:
            return None, "U is not decided: the sum of the spans has no proved dimension; give `learned`"
        if span.is_whole:
            break
    tensors = {0: "n << d learns nothing", 1: "the span of C_1"}.get(order, f"the span of C_1 to C_{order}")
    return span, f"U after one giant step: {tensors} ({proved})"


def _rounded(span: Span, numbers: Numbers) -> Span:
    """The subspace with all entries rounded to 12 digits."""
    rows = [[_rounded_entry(numbers.enclosure(x)) for x in row] for row in span.rows]
    return extended(numbers, Span(width=span.width), rows)[0]


def _rounded_entry(x: Enclosure | None) -> Expr:
    if x is None:
        raise UndefinedQuantity("a direction of U has an entry that is not known; give `learned`")
    return sympy.Rational(f"{x.value:.12g}")


def _estimate(error: Quantity) -> Quantity:
    """The error of the true subspace, from that of a rounded one."""
    return dataclasses.replace(
        error,
        exact=None,
        error=error.error + _ROUNDING * max(abs(error.value), 1.0),
        evidence=Evidence.ESTIMATED if error.evidence is not Evidence.UNDECIDED else error.evidence,
        zero=None,
        reason=_ROUNDED,
    )


def _check_size(outside: int, kappa: int) -> None:
    size = math.comb(outside + kappa, kappa)
    if size > MOST_INDICES:
        raise InputError(
            f"the smaller power gives degree {kappa} in {outside} directions that are not learned, {size} "
            f"coefficient functions; accepted: at most {MOST_INDICES}"
        )


def _text(expr: Expr | None) -> str | None:
    """As the language reads it: He2(z1), and E_z2[..] for an expectation without a closed form."""
    if expr is None:
        return None
    named = expr.replace(He, lambda k, x: sympy.Function(f"He{k}")(x))
    named = named.replace(GaussianExpectation, _expectation_name)
    return display.text(named)


def _expectation_name(integrand: Expr, variables: Sequence[Symbol]) -> Expr:
    names = ",".join(str(v).removeprefix("_") for v in variables)
    return Symbol(f"E_{names}[{display.text(integrand).replace('_', '')}]")


def _basis_text(learned: Rows | None) -> str:
    if learned is None:
        return "not decided"
    return " ".join(f"({', '.join(row)})" for row in learned) or "nothing"


def _shown(text: str | None) -> str:
    return "not written out" if text is None else text
