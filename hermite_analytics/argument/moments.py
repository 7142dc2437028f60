"""Facts about transformed labels: moments E[He_k(z) T(y)] that are not 0, and lists that are complete."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from sympy import Expr, S, Symbol

from hermite_analytics.argument.fact import Fact, Facts, joined
from hermite_analytics.argument.formulas import formula
from hermite_analytics.argument.sentences import Math, Paragraph

__all__ = [
    "Association",
    "Moment",
    "Transformation",
    "ValueTensors",
    "at_most",
    "equal_to",
    "power",
    "speaks_of_label",
    "wave",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Transformation:
    """T(y): a power of the label, a wave, or the indicator of some of its values.

    Attributes
    ----------
    of : "power", "cos", "sin", "equal" or "at most"
    number : expression
        The exponent, the frequency, or the value that y is compared with.
    """

    of: Literal["power", "cos", "sin", "equal", "at most"]
    number: Expr

    def math(self) -> Math:
        """T."""
        v = formula(self.number)
        if self.of == "power":
            return Math("y", "y") if self.number == S.One else Math(f"y**{v.text}", f"y^{{{v.latex}}}")
        if self.of in ("cos", "sin"):
            phase = formula(self.number * Symbol("y", real=True))
            return Math(f"{self.of}({phase.text})", rf"\{self.of}({phase.latex})")
        if self.of == "equal":
            return Math(f"1{{y = {v.text}}}", rf"1\{{y = {v.latex}\}}")
        return Math(f"1{{y <= {v.text}}}", rf"1\{{y \le {v.latex}\}}")


def power(exponent: int) -> Transformation:
    """y to a power.

    Examples
    --------
    >>> [power(k).math().text for k in (1, 2)]
    ['y', 'y**2']
    """
    return Transformation(of="power", number=S(exponent, strict=True))


def wave(of: Literal["cos", "sin"], frequency: Expr) -> Transformation:
    """cos(t y) or sin(t y).

    Examples
    --------
    >>> wave("sin", S.Half).math().text
    'sin(y/2)'
    """
    return Transformation(of=of, number=frequency)


def equal_to(value: Expr) -> Transformation:
    """The indicator of one value."""
    return Transformation(of="equal", number=value)


def at_most(value: Expr) -> Transformation:
    """The indicator of all values up to one."""
    return Transformation(of="at most", number=value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment(Fact):
    """The tensor E[He_n(z) T(y)] is not 0, in entries that show a new direction.

    Attributes
    ----------
    degree : int
        n.
    order : int
        How many of its slots are outside the learned subspace.
    transformation : Transformation
        T.

    Examples
    --------
    >>> fact = Moment(degree=2, order=1, transformation=power(1))
    >>> print(fact)
    E[He_2 T(y)] != 0 with T = y, 1 slot outside
    """

    kind: ClassVar[str] = "moment"
    degree: int
    order: int
    transformation: Transformation

    def line(self) -> Paragraph:
        slots = "1 slot" if self.order == 1 else f"{self.order} slots"
        return *self._claim(""), "" if self.order == self.degree else f", {slots} outside"

    def sentence(self) -> Paragraph:
        many = "1 index" if self.order == 1 else f"{self.order} indices"
        where = "" if self.order == self.degree else f", in entries with {many} outside the subspace"
        return *self._claim("(z)"), where

    def _claim(self, argument: str) -> tuple[Math, str, Math]:
        n, t = self.degree, self.transformation.math()
        mean = Math(
            f"E[He_{n}{argument} T(y)] != 0",
            rf"\mathbb{{E}}[\mathrm{{He}}_{{{n}}}{argument} T(y)] \neq 0",
        )
        return mean, " with ", Math(f"T = {t.text}", f"T = {t.latex}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Association(Fact):
    """The label grows or falls with the sizes of coordinates: E[He_2(z_i) T(y)] is not 0 for increasing T.

    A bounded T, so that it exists whatever the moments of y are.

    Attributes
    ----------
    rising, falling : tuple of symbols

    Examples
    --------
    >>> from sympy import symbols
    >>> z1, z2, z3 = symbols("z1:4", real=True)
    >>> print(Association(rising=(z1, z2), falling=(z3,)))
    y grows with |z1|, |z2| and falls with |z3|: E[He_2(z_i) T(y)] != 0 for increasing T
    """

    kind: ClassVar[str] = "association"
    rising: tuple[Expr, ...]
    falling: tuple[Expr, ...]

    def line(self) -> Paragraph:
        sides = [("grows", self.rising), ("falls", self.falling)]
        said_of: list[Paragraph] = []
        for verb, names in sides:
            sizes = [(Math(f"|{z}|", rf"|{formula(z).latex}|"),) for z in names]
            if sizes:
                said_of.append((f"{verb} with ", *joined(sizes, ", ")))
        claim = Math("E[He_2(z_i) T(y)] != 0", r"\mathbb{E}[\mathrm{He}_2(z_i) T(y)] \neq 0")
        return Math("y", "y"), " ", *joined(said_of, " and "), ": ", claim, " for increasing ", Math("T", "T")


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueTensors(Fact):
    """The tensors E[He_k(z) 1{y = v}] of all values v of a label with finitely many.

    Attributes
    ----------
    order : int
        k.
    values : int
        How many values there are.
    zero : bool
        Whether all tensors are 0; else they span no other directions.
    """

    kind: ClassVar[str] = "value_tensors"
    order: int
    values: int
    zero: bool

    def line(self) -> Paragraph:
        k = self.order
        mean, tex = f"E[He_{k} 1{{Y=y}}]", rf"\mathbb{{E}}[\mathrm{{He}}_{{{k}}} 1\{{Y=y\}}]"
        if self.zero:
            return Math(f"{mean} = 0", f"{tex} = 0"), f" for each of the {self.values} values"
        return Math(mean, tex), f" of all {self.values} values"

    def sentence(self) -> Paragraph:
        if self.zero:
            return self.line()
        k = self.order
        mean = Math(f"E[He_{k}(z) 1{{y = v}}]", rf"\mathbb{{E}}[\mathrm{{He}}_{{{k}}}(z) 1\{{y = v\}}]")
        v = Math("v", "v")
        return "the tensors ", mean, f" of all {self.values} values ", v, " of the label add nothing"


def speaks_of_label(facts: Facts) -> bool:
    """Whether a fact is about y itself, and not about all labels from which y can be told."""
    return any(
        isinstance(fact, Moment | Association | ValueTensors) or speaks_of_label(getattr(fact, "because", ()))
        for fact in facts
    )
