"""What an answer rests on."""

from __future__ import annotations

import enum

__all__ = ["Evidence"]


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
