"""What an answer rests on, and numbers that carry it."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from sympy import Expr

from hermite_analytics.foundation.json import Document
from hermite_analytics.language import display

__all__ = ["Evidence", "Quantity"]


class Evidence(enum.StrEnum):
    """The ground of an answer, from the strongest to none.

    Examples
    --------
    >>> str(Evidence.PROVED), Evidence.PROVED.help
    ('proved', 'a verified symmetry, or an enclosure with a rigorous radius')
    """

    EXACT = "exact"
    PROVED = "proved"
    ESTIMATED = "estimated"
    UNDECIDED = "undecided"

    @property
    def help(self) -> str:
        """One sentence for people."""
        return _HELP[self]


_HELP = {
    Evidence.EXACT: "a closed form or an algebraic argument",
    Evidence.PROVED: "a verified symmetry, or an enclosure with a rigorous radius",
    Evidence.ESTIMATED: "a number with a convergence estimate; no ground for a discrete claim",
    Evidence.UNDECIDED: "not decided; the result says what is known",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """A real number with its evidence.

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

    Examples
    --------
    >>> from hermite_analytics import hermite
    >>> c = hermite("sign(z1*z2)", degree=2)[1, 1]
    >>> print(c, float(c) > 0.6, c.evidence)
    2/pi True exact
    """

    exact: Expr | None
    value: float
    error: float
    evidence: Evidence
    zero: bool | None
    reason: str

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        closed = self.closed_text
        return f"{self.value:.15g}" if closed is None else closed

    @property
    def closed_text(self) -> str | None:
        """The closed form; None where there is none, or none that can be written."""
        return None if self.exact is None else display.short_text(self.exact)

    def _repr_latex_(self) -> str:
        if self.exact is None or self.closed_text is None:
            return f"${self.value:.15g}$"
        return f"${display.latex(self.exact)}$"

    def to_dict(self) -> Document:
        """{"exact", "value", "error", "evidence"}: exact as text or None, an infinite value as "inf"."""
        infinite = self.value in (float("inf"), float("-inf"))
        word = "inf" if self.value > 0 else "-inf"
        return {
            "exact": self.closed_text,
            "value": word if infinite else (None if self.value != self.value else self.value),
            "error": self.error,
            "evidence": str(self.evidence),
        }
