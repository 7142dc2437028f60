"""What `design` returns: targets with the evidence of each property, and what was searched."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, overload

from hermite_analytics.designs.request import SPOKEN, Request
from hermite_analytics.evidence import Evidence
from hermite_analytics.foundation.json import Document
from hermite_analytics.language import display
from hermite_analytics.rendering import Frame, Result
from hermite_analytics.rendering.text import cut
from hermite_analytics.target import Target

if TYPE_CHECKING:
    from hermite_analytics.analysis import Analysis

__all__ = ["Design", "Designs", "Property", "SearchReport"]

_LINE = 100  # characters of a printed reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Property:
    """What was found of one property of a target.

    Attributes
    ----------
    name : str
        The argument of `design`.
    found : str
    evidence : Evidence
    reason : str
        The argument, in one line.
    """

    name: str
    found: str
    evidence: Evidence
    reason: str

    def __str__(self) -> str:
        return f"{SPOKEN[self.name]} {self.found}  [{self.evidence}]  {self.reason}"

    def to_dict(self) -> dict[str, str]:
        """{"name", "found", "evidence", "reason"}."""
        return {
            "name": self.name,
            "found": self.found,
            "evidence": str(self.evidence),
            "reason": self.reason,
        }


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Design(Result):
    """A target that has all properties of a request.

    Attributes
    ----------
    target : Target
    size : int
        Degrees of polynomials, symbols of other functions, and plus signs, added up.
    properties : tuple of Property
        Each is exact or proved.

    Examples
    --------
    >>> from hermite_analytics import design
    >>> found = design(information_exponent=3, generative_exponent=1)[0]
    >>> found.text, found.size
    ('He3(z1)', 3)
    """

    target: Target
    size: int
    properties: tuple[Property, ...]

    @property
    def text(self) -> str:
        """The target, as it is typed."""
        return self.target.text

    @property
    def analysis(self) -> Analysis:
        """Everything about the target, computed when it is asked for; see `analyze`."""
        from hermite_analytics.analysis import Analysis

        return Analysis(self.target)

    def __str__(self) -> str:
        width = max(len(SPOKEN[p.name]) for p in self.properties)
        lines = [
            f"  {SPOKEN[p.name]:<{width}}  {p.found}  [{p.evidence}]  {_cut(p.reason)}"
            for p in self.properties
        ]
        return cut("\n".join([self.text, *lines]))

    def frame(self) -> Frame:
        """One row: what each property is."""
        return Frame(
            title=f"target {self.text}",
            rows=({"target": self.text, "size": self.size, **{p.name: p.found for p in self.properties}},),
            remarks=("each property is exact or proved",),
        )

    def _repr_latex_(self) -> str:
        return f"$f(z) = {display.latex(self.target.expression)}$"

    def document(self) -> Document:
        """{"target", "size", "properties"}, JSON-ready."""
        return {
            "target": self.text,
            "size": self.size,
            "properties": [p.to_dict() for p in self.properties],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchReport:
    """What was searched.

    Attributes
    ----------
    candidates : int
        Constructions and sums of the grammar that were looked at.
    excluded : mapping of property to int
        Candidates that are proved not to have it; each is counted at the first property that it lacks.
    undecided : int
        Candidates of which some property is neither proved nor refuted.
    met : mapping of property to (int, str)
        How many candidates were proved to have it, as far as it was examined, and the first of them.
    largest_size : int
        All sums of the grammar up to this size were looked at.
    dimension : int
        Sums of at most so many coordinates.
    end : str
        Why the search ended.
    """

    candidates: int
    excluded: Mapping[str, int]
    undecided: int
    met: Mapping[str, tuple[int, str]]
    largest_size: int
    dimension: int
    end: str

    def to_dict(self) -> Document:
        """JSON-ready, with the names of the attributes."""
        return {
            "candidates": self.candidates,
            "excluded": dict(self.excluded),
            "undecided": self.undecided,
            "met": {name: {"count": n, "first": first} for name, (n, first) in self.met.items()},
            "largest_size": self.largest_size,
            "dimension": self.dimension,
            "end": self.end,
        }


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Designs(Result, Sequence[Design]):
    """The targets that were found, smallest first; empty where none was.

    Attributes
    ----------
    request : Request
    found : tuple of Design
    is_smallest : bool
        Whether all smaller sums of the grammar are proved to lack a property.
    search : SearchReport

    Examples
    --------
    >>> from hermite_analytics import design
    >>> found = design(information_exponent=3, generative_exponent=1)
    >>> found[0].text, found.is_smallest
    ('He3(z1)', True)
    """

    request: Request
    found: tuple[Design, ...]
    is_smallest: bool
    search: SearchReport

    def __len__(self) -> int:
        return len(self.found)

    @overload
    def __getitem__(self, index: int) -> Design: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Design, ...]: ...
    def __getitem__(self, index: int | slice) -> Design | tuple[Design, ...]:
        return self.found[index]

    def __iter__(self) -> Iterator[Design]:
        return iter(self.found)

    def __str__(self) -> str:
        if not self.found:
            return "\n".join(self._nothing())
        return cut("\n".join([*map(str, self.found), self._remark()]))

    def frame(self) -> Frame:
        """One row a target: what it was asked for."""
        rows = [
            {"target": d.text, "size": d.size, **{p.name: p.found for p in d.properties}} for d in self.found
        ]
        return Frame(
            title="targets",
            rows=tuple(rows),
            fixed={"request": str(self.request), "evidence": "each property is exact or proved"},
            remarks=(self._remark() if self.found else "; ".join(self._nothing()),),
        )

    def _remark(self) -> str:
        report = self.search
        if self.is_smallest:
            return f"no smaller sum of the grammar has this, in at most {report.dimension} coordinates"
        return f"whether a smaller target has this is open: {report.undecided} undecided; {report.end}"

    def _nothing(self) -> list[str]:
        report = self.search
        lines = [
            f"no target found: {self.request}",
            f"  searched  {report.candidates} candidates, all sums up to size {report.largest_size} "
            f"in at most {report.dimension} coordinates; {report.undecided} undecided; {report.end}",
        ]
        for name in self.request.asked:
            count, first = report.met.get(name, (0, ""))
            example = f", such as {first}" if first else ""
            lines.append(
                f"  {SPOKEN[name]} {self.request.wanted(name)}  met by {count}{example}; "
                f"{report.excluded.get(name, 0)} excluded"
            )
        return lines

    def _repr_html_(self) -> str:
        if not self.found:
            return f"<pre>{html.escape(str(self))}</pre>"
        rows = [row for design in self.found for row in _rows(design)]
        return "\n".join(
            [
                "<div><table><thead><tr><th>target</th><th>property</th><th>value</th><th>evidence</th>"
                "<th>why</th></tr></thead><tbody>",
                *rows,
                f"</tbody></table><p>{html.escape(self._remark())}</p></div>",
            ]
        )

    def _repr_latex_(self) -> str | None:
        if not self.found:
            return None
        lines = r" \\ ".join(rf"f(z) &= {display.latex(d.target.expression)}" for d in self.found)
        return rf"$\begin{{aligned}} {lines} \end{{aligned}}$"

    def document(self) -> Document:
        """The document that `hermite-analytics design --json` prints; its schema is `design`."""
        return {
            "request": self.request.to_dict(),
            "designs": [d.document() for d in self.found],
            "is_smallest": self.is_smallest,
            "search": self.search.to_dict(),
        }


def _cut(reason: str) -> str:
    """One line for people; `to_dict` has all of it."""
    return reason if len(reason) <= _LINE else reason[:_LINE].rpartition(" ")[0] + " ..."


def _rows(design: Design) -> Iterator[str]:
    for number, p in enumerate(design.properties):
        cells = (design.text if number == 0 else "", SPOKEN[p.name], p.found, str(p.evidence), p.reason)
        yield "<tr>" + "".join(f"<td style='text-align:left'>{html.escape(c)}</td>" for c in cells) + "</tr>"
