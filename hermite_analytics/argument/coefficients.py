"""Facts about the Hermite coefficients c_S = E[He_S(z) f(z)] and the tensors C_k of them."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr

from hermite_analytics.argument.fact import Fact, Facts, line_of, sentence_of
from hermite_analytics.argument.formulas import Rows, decimal_latex, formula, row_math
from hermite_analytics.argument.sentences import Math, Paragraph, said
from hermite_analytics.language import display

__all__ = [
    "AllSlots",
    "Coefficient",
    "ConditionalClosedForms",
    "Contraction",
    "Enclosure",
    "Tensor",
    "VanishingTensors",
    "ZeroCoefficients",
]

_MOST_NAMED = 3

_DOWN = 0.95  # two digits of this much of a number are below it
_MOST_DIGITS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Enclosure:
    """|number - value| <= radius."""

    value: float
    radius: float

    def math(self) -> Math:
        """The number with its radius, without digits that a wide ball does not have."""
        value, radius = f"{self.value:.{_MOST_DIGITS}g}", f"{self.radius:.1g}"
        digits = (
            2 + math.floor(math.log10(abs(self.value) / self.radius)) if self.value and self.radius else 0
        )
        if 2 <= digits < _MOST_DIGITS:
            value = f"{self.value:.{digits}g}"
            missing = self.radius + abs(self.value - float(value))
            unit = 10.0 ** math.floor(math.log10(missing))
            radius = f"{math.ceil(missing / unit) * unit:.1g}"
        return Math(f"{value} ± {radius}", rf"{decimal_latex(value)} \pm {decimal_latex(radius)}")

    def beyond(self) -> Math | None:
        """How far from 0 the number is, where the ball is too wide for its digits to say it; else None."""
        least = abs(self.value) - self.radius
        if not 0 < least < self.radius:
            return None
        digits = f"{_DOWN * least:.2g}"
        if self.value > 0:
            return Math(f"> {digits}", f"> {decimal_latex(digits)}")
        return Math(f"< -{digits}", f"< -{decimal_latex(digits)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Coefficient(Fact):
    """c_S, which is not 0.

    Attributes
    ----------
    index : tuple of int
        S, one exponent for each coordinate.
    value : expression, Enclosure or None
        Closed form, else a ball around the number; None where neither can be written.

    Examples
    --------
    >>> from sympy import Rational
    >>> print(Coefficient(index=(2, 0), value=Rational(1, 3)))
    c_(2, 0) = 1/3
    >>> print(Coefficient(index=(1,), value=Enclosure(value=0.605, radius=1e-17)))
    c_(1) = 0.605 ± 1e-17
    >>> print(Coefficient(index=(1, 0), value=Enclosure(value=0.277650340021, radius=0.0123)))
    c_(1, 0) = 0.278 ± 0.02
    >>> print(Coefficient(index=(0, 2), value=Enclosure(value=-0.5, radius=0.49999)))
    c_(0, 2) < -9.5e-06
    """

    kind: ClassVar[str] = "coefficient"
    index: tuple[int, ...]
    value: Expr | Enclosure | None

    def line(self) -> Paragraph:
        return (_nonzero(_name(self.index), self.value),)


@dataclass(frozen=True, slots=True, kw_only=True)
class Contraction(Fact):
    """C_k with vectors in its slots, which is not 0.

    Attributes
    ----------
    rows : tuple of rows
        The vectors, one for each of the k slots, equal ones beside each other.
    value : expression, Enclosure or None
        As of a coefficient.

    Examples
    --------
    >>> from sympy import S
    >>> print(Contraction(rows=((S.One, -S.One), (S.One, S.One), (S.One, S.One)), value=S(6)))
    C_3[(1, -1), (1, 1)^2] = 6
    """

    kind: ClassVar[str] = "contraction"
    rows: Rows
    value: Expr | Enclosure | None

    def line(self) -> Paragraph:
        slots = [
            (row_math(row), "" if (times := len(list(same))) == 1 else str(times))
            for row, same in itertools.groupby(self.rows)
        ]
        plain = ", ".join(row.text + (f"^{times}" if times else "") for row, times in slots)
        tex = ", ".join(row.latex + (f"^{{{times}}}" if times else "") for row, times in slots)
        k = len(self.rows)
        return (_nonzero(Math(f"C_{k}[{plain}]", f"C_{{{k}}}[{tex}]"), self.value),)


@dataclass(frozen=True, slots=True, kw_only=True)
class ZeroCoefficients(Fact):
    """Some c_S are 0 because their closed forms are.

    Attributes
    ----------
    indices : tuple of tuples of int
        All S, at least one.
    """

    kind: ClassVar[str] = "zero_coefficients"
    indices: tuple[tuple[int, ...], ...]

    def line(self) -> Paragraph:
        names = [_name(index) for index in self.indices[:_MOST_NAMED]]
        listed = [piece for name in names for piece in (", ", name)][1:]
        more = len(self.indices) - len(names)
        others = f" and {more} more" if more else ""
        return said(*listed, f"{others} {'is' if len(self.indices) == 1 else 'are'} 0 in closed form")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tensor(Fact):
    """Whether C_k is 0, and why.

    Attributes
    ----------
    degree : int
        k.
    zero : bool
    because : facts
        May be empty.
    """

    kind: ClassVar[str] = "tensor"
    degree: int
    zero: bool
    because: Facts = ()

    def line(self) -> Paragraph:
        return said(self._claim(), ": " if self.because else "", line_of(self.because))

    def sentence(self) -> Paragraph:
        return said(self._claim(), ", since " if self.because else "", sentence_of(self.because))

    def _claim(self) -> Math:
        k, (sign, tex) = self.degree, ("=", "=") if self.zero else ("!=", r"\neq")
        return Math(f"C_{k} {sign} 0", f"C_{{{k}}} {tex} 0")


@dataclass(frozen=True, slots=True, kw_only=True)
class VanishingTensors(Fact):
    """C_1 to C_k are 0.

    Attributes
    ----------
    last : int >= 1
        k.
    because : facts
        For each degree why; not said in sentences.
    """

    kind: ClassVar[str] = "vanishing_tensors"
    last: int
    because: Facts = ()

    def line(self) -> Paragraph:
        first = _tensor(1)
        return (first, " vanishes") if self.last == 1 else (first, " to ", _tensor(self.last), " vanish")


@dataclass(frozen=True, slots=True, kw_only=True)
class AllSlots(Fact):
    """The slots of C_1 to C_k span all directions that f depends on.

    Attributes
    ----------
    last : int >= 1
        k.
    """

    kind: ClassVar[str] = "all_slots"
    last: int

    def line(self) -> Paragraph:
        slots = "the slots of ", _tensor(1), " to ", _tensor(self.last)
        return said(*slots, " span all directions that ", Math("f", "f"), " depends on")

    def sentence(self) -> Paragraph:
        if self.last == 1:
            return "seen in the Hermite tensor ", _tensor(1)
        return "seen in the Hermite tensors ", _tensor(1), " to ", _tensor(self.last)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionalClosedForms(Fact):
    """The closed forms of E[He_j(y) f(x + y)] for free x in the learned subspace show no other direction.

    Attributes
    ----------
    order : int >= 1
        j.
    """

    kind: ClassVar[str] = "conditional_closed_forms"
    order: int

    def line(self) -> Paragraph:
        j = self.order
        mean = Math(f"E[He_{j}(y) f(x + y)]", rf"\mathbb{{E}}[\mathrm{{He}}_{{{j}}}(y) f(x + y)]")
        return "closed forms of ", mean, ", ", Math("x", "x"), " in the learned subspace"


def _nonzero(name: Math, value: Expr | Enclosure | None) -> Math:
    """That this number is not 0, by what is known of it."""
    if value is None:
        return Math(f"{name.text} != 0", rf"{name.latex} \neq 0")
    if isinstance(value, Enclosure):
        beyond = value.beyond()
        if beyond is not None:
            return Math(f"{name.text} {beyond.text}", f"{name.latex} {beyond.latex}")
        shown = value.math()
    else:
        shown = formula(value, display.plain_text(value))
    return Math(f"{name.text} = {shown.text}", f"{name.latex} = {shown.latex}")


def _name(index: tuple[int, ...]) -> Math:
    listed = ", ".join(map(str, index))
    return Math(f"c_({listed})", f"c_{{({listed})}}")


def _tensor(degree: int) -> Math:
    return Math(f"C_{degree}", f"C_{{{degree}}}")
