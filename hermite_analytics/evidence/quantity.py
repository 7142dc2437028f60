"""Numbers that carry what they rest on, and their arithmetic in balls."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from numbers import Real
from typing import Any, ClassVar, TypeAlias

import mpmath
import sympy
from flint import arb
from sympy import Basic, Expr

from hermite_analytics.errors import InputError, UndefinedQuantity
from hermite_analytics.evidence.evidence import Evidence
from hermite_analytics.evidence.operators import ComputesWithErrors, Operation
from hermite_analytics.foundation.json import Document
from hermite_analytics.language import display
from hermite_analytics.rendering import Frame, Result
from hermite_analytics.rendering.numbers import ActsAsNumber, is_left_to

__all__ = ["Number", "Quantity", "number_of"]

_DIGITS = 30  # of a closed form, before it is rounded to a double


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Quantity(ComputesWithErrors, Result):
    """A real number with its evidence, which behaves as the number does.

    Attributes
    ----------
    exact : sympy expression or None
        The closed form, where there is one.
    value : float
        May be infinite; NaN if nothing is known.
    error : float
        Bound on |value - truth|, rigorous unless the evidence is `estimated`.
    evidence : Evidence
        Of the value.
    zero : bool or None
        Whether the number is 0: proved, or None where it is open.
    reason : str
        The argument for `zero`, in one line.

    Raises
    ------
    UndefinedQuantity
        By `<`, `<=`, `>`, `>=` where the error does not tell which of the two is larger, by `//` where it
        does not tell the integer, by a division by what may be 0, and by a power that is no integer of what
        may be negative.

    Notes
    -----
    Two quantities are equal if their closed forms are, or if both have none and their values are equal; a
    quantity equals a rational or symbolic number if that is its closed form, a float if that is its value,
    and a text if that is what `str` shows. What is undecided equals nothing. Sums, differences, products,
    quotients and powers keep closed forms and carry errors on; `//`, `math.floor` and `math.ceil` give an
    integer, or say that the error leaves two. `isclose` compares within the error.

    Examples
    --------
    >>> from hermite_analytics import hermite
    >>> c = hermite("sign(z1*z2)", degree=2)[1, 1]
    >>> print(c, float(c) > 0.6, c.evidence)
    2/pi True exact
    >>> print(2 * c**2 - 1, c > 0.6, c == "2/pi")
    -1 + 8/pi**2 True True
    """

    exact: Expr | None
    value: float
    error: float
    evidence: Evidence
    zero: bool | None
    reason: str

    _op_priority: ClassVar[float] = 20.0  # sympy leaves its operators to ours

    def __float__(self) -> float:
        return self.value

    def __int__(self) -> int:
        if self.exact is None or not self.exact.is_Integer:
            raise UndefinedQuantity(f"{self} is not known to be an integer; float() gives its value")
        return int(self.exact)

    def __str__(self) -> str:
        closed = self.closed_text
        return f"{self.value:.15g}" if closed is None else closed

    def __format__(self, form: str) -> str:
        return format(self.value, form) if form else str(self)

    def __hash__(self) -> int:
        return hash(self.value)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str):
            return other == str(self)
        if isinstance(other, Quantity):
            if self.exact is not None and other.exact is not None:
                return bool(self.exact == other.exact)
            return self.exact is other.exact and self.value == other.value
        if isinstance(other, ActsAsNumber):
            return self == _of_exponent(other)
        if isinstance(other, Basic | int | Fraction):
            return self.exact is not None and bool(self.exact == sympy.sympify(other, strict=True))
        if isinstance(other, Real):
            return self.value == float(other)
        return NotImplemented

    def __lt__(self, other: Number) -> bool:
        return NotImplemented if is_left_to(other) else self._is_below(other, "<")

    def __gt__(self, other: Number) -> bool:
        return NotImplemented if is_left_to(other) else number_of(other)._is_below(self, ">", turned=True)

    def __le__(self, other: Number) -> bool:
        return NotImplemented if is_left_to(other) else self == other or self._is_below(other, "<=")

    def __ge__(self, other: Number) -> bool:
        if is_left_to(other):
            return NotImplemented
        return self == other or number_of(other)._is_below(self, ">=", turned=True)

    def isclose(self, other: Number) -> bool:
        """Whether both can be the same number: they differ by no more than their errors."""
        there = number_of(other)
        return self.value == there.value or abs(self.value - there.value) <= self.error + there.error

    def _is_below(self, other: Number, sign: str, *, turned: bool = False) -> bool:
        there = number_of(other)
        if self.value == there.value and math.isinf(self.value):
            return False
        if self.value + self.error < there.value - there.error:
            return True
        if self.value - self.error > there.value + there.error:
            return False
        if self.exact is not None and self.exact == there.exact:
            return False
        first, second = (there, self) if turned else (self, there)
        asked = f"{first._known()} {sign} {second._known()} is not decided"
        if math.isnan(self.value) or math.isnan(there.value):
            raise UndefinedQuantity(asked)
        raise UndefinedQuantity(
            f"{asked}: the errors overlap; float() compares the values, isclose() within the errors"
        )

    def _sympy_(self) -> Expr:
        return sympy.Float(self.value) if self.exact is None else self.exact

    def _known(self) -> str:
        if math.isnan(self.value):
            return f"an undecided number ({self.reason})"
        return str(self) if self.error == 0 or self.exact is not None else f"{self} +- {self.error:.1g}"

    def _quantity(self, other: Number) -> Quantity:
        return number_of(other)

    def _combined(self, parts: tuple[Quantity, ...], operation: Operation) -> Quantity:
        return _combined(parts, operation)

    @property
    def closed_text(self) -> str | None:
        """The closed form; None where there is none, or none that can be written."""
        return None if self.exact is None else display.short_text(self.exact)

    def _repr_latex_(self) -> str:
        if self.exact is None or self.closed_text is None:
            return f"${self.value:.15g}$"
        return f"${display.latex(self.exact)}$"

    latex = property(_repr_latex_, doc="The number as a formula: its closed form, or its digits.")

    def _repr_html_(self) -> str:
        return f"<div>\\({self._repr_latex_().strip('$')}\\) [{self.evidence}]</div>"

    def frame(self) -> Frame:
        """One row."""
        return Frame(title="quantity", rows=({"quantity": self, "reason": self.reason},))

    @property
    def is_infinite(self) -> bool:
        """Whether the number itself is, not only its value because it is beyond floating point."""
        return math.isinf(self.value) and (self.exact is None or bool(self.exact.is_infinite))

    @property
    def decimal(self) -> str:
        """Ten digits, of numbers too large or too small for floating point, too.

        Examples
        --------
        >>> number_of(10**600 / sympy.Integer(3)).decimal, number_of(sympy.Rational(1, 4)).decimal
        ('3.333333333e+599', '0.25')
        """
        too_small = self.value == 0 and self.exact is not None and self.exact != 0
        if too_small or (math.isinf(self.value) and not self.is_infinite):
            return str(mpmath.nstr(mpmath.mpmathify(sympy.N(self.exact, _DIGITS)), 10))
        return f"{self.value:.10g}"

    def to_dict(self) -> Document:
        """{"exact", "value", "error", "evidence"}, a part of documents.

        An infinite value is "inf"; one that is beyond floating point is null, and so is its error.
        """
        beyond = math.isinf(self.value) and not self.is_infinite
        unknown = None if math.isnan(self.value) or beyond else self.value
        return {
            "exact": self.closed_text,
            "value": str(self.value) if self.is_infinite else unknown,
            "error": None if beyond else self.error,
            "evidence": str(self.evidence),
        }


Number: TypeAlias = Quantity | Expr | Fraction | Real | int | float


def number_of(given: Number) -> Quantity:
    """A number as a quantity: integers, fractions and symbolic numbers are exact, floats as they are.

    Raises
    ------
    InputError
        If it is none, or has free symbols.
    """
    if isinstance(given, Quantity):
        return given
    if isinstance(given, ActsAsNumber):
        return _of_exponent(given)
    if isinstance(given, Expr | int | Fraction):
        exact = sympy.sympify(given, strict=True)
        if not exact.free_symbols and exact.is_extended_real is not False:
            return _exact(exact)
    elif isinstance(given, Real):
        return Quantity(
            exact=None,
            value=float(given),
            error=0.0,
            evidence=Evidence.UNDECIDED if math.isnan(given) else Evidence.EXACT,
            zero=float(given) == 0,
            reason="a number of floating point",
        )
    raise InputError(f"a real number or a quantity is accepted, not {given!r}")


def _of_exponent(given: Any) -> Quantity:
    """An exponent as a quantity; NaN with its reason where it is not decided."""
    decided = None if given.value is None else _exact(sympy.sympify(given, strict=True))
    if decided is not None:
        return replace(decided, evidence=given.evidence, reason=given.reason)
    return Quantity(
        exact=None,
        value=math.nan,
        error=math.inf,
        evidence=Evidence.UNDECIDED,
        zero=None,
        reason=f"the exponent is {given}",
    )


def _exact(exact: Expr) -> Quantity:
    """A closed form by its digits; whether it is 0 is claimed only of rational numbers."""
    value = float(exact.evalf(_DIGITS))
    is_double = exact.is_Rational and exact == sympy.Rational(value)
    return Quantity(
        exact=exact,
        value=value,
        error=0.0 if is_double or math.isinf(value) else math.ulp(value),
        evidence=Evidence.EXACT,
        zero=exact == 0 if exact.is_Rational else None,
        reason="a closed form",
    )


def _combined(parts: tuple[Quantity, ...], operation: Operation) -> Quantity:
    """The number that an operation makes: closed forms of closed forms, and a ball of the balls."""
    order = list(Evidence)
    evidence = max((q.evidence for q in parts), key=order.index)
    if evidence is Evidence.UNDECIDED or not all(math.isfinite(q.value) for q in parts):
        return _without_ball(parts, operation, evidence)
    value, error = _ball(parts, operation)
    zero: bool | None = False if evidence is not Evidence.ESTIMATED and abs(value) > error else None
    exact = _closed(parts, operation)
    if exact is None and math.isinf(value):
        known = ", ".join(q._known() for q in parts)
        raise UndefinedQuantity(f"a result beyond the numbers of floating point, of {known}")
    if exact is None and evidence is Evidence.EXACT:
        evidence = Evidence.PROVED
    if exact is not None and (zero is False or exact.is_Rational):
        sharp = _exact(exact)
        value, error, zero = sharp.value, sharp.error, zero if sharp.zero is None else sharp.zero
    reason = "; ".join(dict.fromkeys(q.reason for q in parts))
    return Quantity(exact=exact, value=value, error=error, evidence=evidence, zero=zero, reason=reason)


def _ball(parts: tuple[Quantity, ...], operation: Operation) -> tuple[float, float]:
    """(a double, a bound on its distance from the result)."""
    ball = operation(*(arb(q.value, q.error) for q in parts))
    value = float(ball.mid())
    return value, math.nextafter(float(ball.rad()) + abs(float(ball.mid() - arb(value))), math.inf)


def _closed(parts: tuple[Quantity, ...], operation: Operation) -> Expr | None:
    """The result in closed form; None unless all parts have one."""
    return operation(*(q.exact for q in parts)) if all(q.exact is not None for q in parts) else None


def _without_ball(parts: tuple[Quantity, ...], operation: Operation, evidence: Evidence) -> Quantity:
    """Of numbers that are infinite or unknown: what floating point says of it."""
    value = operation(*(q.value for q in parts))
    unknown = math.isnan(value)
    evidence = Evidence.UNDECIDED if unknown else evidence
    limits = {0.0: sympy.S.Zero, math.inf: sympy.oo, -math.inf: -sympy.oo}
    exact = limits.get(value) if evidence is Evidence.EXACT else None
    return Quantity(
        exact=exact,
        value=value,
        error=math.inf if unknown else 0.0,
        evidence=evidence,
        zero=None if unknown else value == 0 and exact is not None,
        reason="; ".join(dict.fromkeys(q.reason for q in parts)),
    )
