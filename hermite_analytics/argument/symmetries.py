"""Facts about the function: its verified symmetries, and what it does not see."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from sympy import Expr, Matrix, Symbol

from hermite_analytics.argument.fact import Fact, Facts, line_of
from hermite_analytics.argument.formulas import formula
from hermite_analytics.argument.sentences import Math, Paragraph, said

__all__ = [
    "EvenInEach",
    "EvenInPairs",
    "OddInEach",
    "OfTerm",
    "OnlyThroughDirection",
    "SymmetricIn",
    "Symmetry",
    "UnseenOrder",
    "symmetry_of",
]

_MOST_NAMED = 4  # coordinates


@dataclass(frozen=True, slots=True, kw_only=True)
class Symmetry(Fact):
    """f(Rz) = chi f(z) for an orthogonal R: a signed permutation, a reflection, a rotation.

    Attributes
    ----------
    variables : tuple of symbols
        z.
    images : tuple of expressions
        Rz, linear forms of the variables.
    character : int
        chi, 1 or -1.
    letter : str
        "f" for the function, "g" for a part of it.

    Examples
    --------
    >>> from sympy import symbols
    >>> z1, z2 = symbols("z1 z2", real=True)
    >>> flip = Symmetry(variables=(z1, z2), images=(-z1, z2), character=-1)
    >>> print(flip, flip.latex)
    f(-z1, z2) = -f(z1, z2) $f(- z_{1}, z_{2}) = -f(z_{1}, z_{2})$
    """

    kind: ClassVar[str] = "symmetry"
    variables: tuple[Expr, ...]
    images: tuple[Expr, ...]
    character: int
    letter: str = "f"

    def line(self) -> Paragraph:
        moved, plain = (_listed(forms) for forms in (self.images, self.variables))
        sign = "" if self.character > 0 else "-"
        f = self.letter
        return (
            Math(
                f"{f}({moved.text}) = {sign}{f}({plain.text})",
                f"{f}({moved.latex}) = {sign}{f}({plain.latex})",
            ),
        )


def symmetry_of(
    matrix: Matrix, character: int, variables: Sequence[Symbol], *, letter: str = "f"
) -> Symmetry:
    """The symmetry f(Rz) = chi f(z) of a matrix R that was verified."""
    images = tuple(matrix * Matrix(list(variables)))
    return Symmetry(variables=tuple(variables), images=images, character=character, letter=letter)


@dataclass(frozen=True, slots=True, kw_only=True)
class OddInEach(Fact):
    """f changes its sign with each of some coordinates, so that c_S = 0 unless all of them have odd powers.

    Attributes
    ----------
    variables : tuple of symbols

    Examples
    --------
    >>> from sympy import symbols
    >>> print(OddInEach(variables=symbols("z1:13")))
    f is odd in each of z1, .., z12
    """

    kind: ClassVar[str] = "odd_in_each"
    variables: tuple[Expr, ...]

    def line(self) -> Paragraph:
        return _each("is odd in", self.variables)


@dataclass(frozen=True, slots=True, kw_only=True)
class EvenInEach(Fact):
    """f does not change with the sign of any of some coordinates, so that c_S = 0 where one has an odd power.

    Attributes
    ----------
    variables : tuple of symbols
    """

    kind: ClassVar[str] = "even_in_each"
    variables: tuple[Expr, ...]

    def line(self) -> Paragraph:
        return _each("is even in", self.variables)


@dataclass(frozen=True, slots=True, kw_only=True)
class EvenInPairs(Fact):
    """f does not change where two of some coordinates change their signs together.

    Then c_S = 0 unless their powers are all even or all odd.

    Attributes
    ----------
    variables : tuple of symbols
    """

    kind: ClassVar[str] = "even_in_pairs"
    variables: tuple[Expr, ...]

    def line(self) -> Paragraph:
        words = " does not change with the signs of two of "
        return said(Math("f", "f"), words, _enumerated(self.variables))


@dataclass(frozen=True, slots=True, kw_only=True)
class SymmetricIn(Fact):
    """f does not change under the permutations of some coordinates.

    Attributes
    ----------
    variables : tuple of symbols

    Examples
    --------
    >>> from sympy import symbols
    >>> print(SymmetricIn(variables=symbols("z1:4")))
    f is symmetric in z1, z2, z3
    """

    kind: ClassVar[str] = "symmetric_in"
    variables: tuple[Expr, ...]

    def line(self) -> Paragraph:
        return said(Math("f", "f"), " is symmetric in ", _enumerated(self.variables))


def _each(words: str, variables: Sequence[Expr]) -> Paragraph:
    of = " each of " if len(variables) > 1 else " "
    return said(Math("f", "f"), f" {words}{of}", _enumerated(variables))


def _enumerated(variables: Sequence[Expr]) -> Math:
    """z1, .., z12, or all of few."""
    shown = [formula(x) for x in variables]
    if len(shown) > _MOST_NAMED:
        first, last = shown[0], shown[-1]
        return Math(f"{first.text}, .., {last.text}", rf"{first.latex}, \ldots, {last.latex}")
    return Math(", ".join(x.text for x in shown), ", ".join(x.latex for x in shown))


@dataclass(frozen=True, slots=True, kw_only=True)
class OnlyThroughDirection(Fact):
    """f depends on the coordinates w of a block through w/|w| only.

    Attributes
    ----------
    forms : tuple of expressions
        w, orthogonal linear forms; of a single one the direction is its sign.
    """

    kind: ClassVar[str] = "only_through_direction"
    forms: tuple[Expr, ...]

    def line(self) -> Paragraph:
        start = Math("f", "f"), " depends on "
        if len(self.forms) == 1:
            return *start, formula(self.forms[0]), " only through its sign"
        names = _listed(self.forms)
        block = Math(f"w = ({names.text})", f"w = ({names.latex})")
        return *start, block, " only through ", Math("w/|w|", "w/|w|")


@dataclass(frozen=True, slots=True, kw_only=True)
class UnseenOrder(Fact):
    """E[He_j(t) | h(t)] = 0 for the one function h through which f sees a direction t.

    Attributes
    ----------
    order : int >= 1
        j.
    form : expression or None
        t, a linear form; None where the label is a function of the one coordinate that there is.
    why : str
        How it was shown, for people.
    """

    kind: ClassVar[str] = "unseen_order"
    order: int
    form: Expr | None
    why: str

    def line(self) -> Paragraph:
        return self._said("")

    def sentence(self) -> Paragraph:
        return self._said("(z)")

    def _said(self, argument: str) -> Paragraph:
        j = self.order
        if self.form is None:
            mean = Math(
                f"E[He_{j}{argument} | y] = 0",
                rf"\mathbb{{E}}[\mathrm{{He}}_{{{j}}}{argument} \mid y] = 0",
            )
            return mean, f", {self.why}"
        t = formula(self.form)
        mean = Math(
            f"E[He_{j}({t.text}) | h({t.text})] = 0",
            rf"\mathbb{{E}}[\mathrm{{He}}_{{{j}}}({t.latex}) \mid h({t.latex})] = 0",
        )
        return said(
            mean, " for the function ", Math("h", "h"), " of ", t, " in ", Math("f", "f"), f", {self.why}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class OfTerm(Fact):
    """What is said of one term of the function.

    Attributes
    ----------
    term : expression
    because : facts
    """

    kind: ClassVar[str] = "of_term"
    term: Expr
    because: Facts

    def line(self) -> Paragraph:
        return said(formula(self.term), ": ", line_of(self.because))


def _listed(forms: Sequence[Expr]) -> Math:
    shown = [formula(x) for x in forms]
    return Math(", ".join(x.text for x in shown), ", ".join(x.latex for x in shown))
