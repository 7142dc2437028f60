"""An argument: what is claimed, the facts that it rests on, and what follows from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hermite_analytics.argument.documents import fact_from_dict, fact_to_dict
from hermite_analytics.argument.fact import Fact, Facts, joined, line_of
from hermite_analytics.argument.sentences import Paragraph, as_html, as_latex, as_text, said
from hermite_analytics.errors import InputError
from hermite_analytics.foundation.json import JSON, Document

__all__ = ["Argument"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """Why something is claimed.

    Attributes
    ----------
    claim : str
        In words.
    facts : tuple of Fact
        What it rests on.
    conclusion : Fact or None
        What follows, where that is more than the claim: the basis of a subspace.

    Examples
    --------
    >>> from hermite_analytics.argument.coefficients import VanishingTensors
    >>> argument = Argument(claim="the leap index is at least 2", facts=(VanishingTensors(last=1),))
    >>> print(argument)
    the leap index is at least 2: C_1 vanishes
    >>> argument.to_dict()["facts"][0]["kind"]
    'vanishing_tensors'
    """

    claim: str
    facts: Facts
    conclusion: Fact | None = None

    def line(self) -> Paragraph:
        """Claim, facts and conclusion."""
        end: tuple[Paragraph, ...] = () if self.conclusion is None else (self.conclusion.line(),)
        return said(f"{self.claim}: ", joined([line_of(self.facts), *(said("learned: ", p) for p in end)]))

    def __str__(self) -> str:
        return as_text(self.line())

    @property
    def latex(self) -> str:
        """One line for a paper."""
        return as_latex(self.line())

    @property
    def html(self) -> str:
        r"""One line for a page: formulas between \( and \), everything escaped."""
        return as_html(self.line())

    def to_dict(self) -> Document:
        """{"claim", "facts"}, and "conclusion" where there is one; JSON-ready."""
        end = {} if self.conclusion is None else {"conclusion": fact_to_dict(self.conclusion)}
        return {"claim": self.claim, "facts": [fact_to_dict(fact) for fact in self.facts], **end}

    @classmethod
    def from_dict(cls, document: Mapping[str, JSON]) -> Argument:
        """The argument of a document.

        Raises
        ------
        InputError
            For what `to_dict` does not write.
        """
        match document:
            case {"claim": str(claim), "facts": list(facts)}:
                end = document.get("conclusion")
                return cls(
                    claim=claim,
                    facts=tuple(fact_from_dict(fact) for fact in facts),
                    conclusion=None if end is None else fact_from_dict(end),
                )
        raise InputError('an argument is {"claim": text, "facts": list}; given: ' + repr(document)[:60])
