"""BibTeX of a result: an entry for each paper that its sources name, and one for the software."""

from __future__ import annotations

import re
from pathlib import Path

from hermite_analytics.rendering.papers import PAPERS
from hermite_analytics.rendering.symbols import latex_of_words

__all__ = ["bibtex_of", "software"]

_ARXIV = re.compile(r"\b(\d{4}\.\d{4,5})\b")
_PLACE = Path(__file__).resolve().parent.parent / "CITATION.cff"


def bibtex_of(sources: str) -> str:
    """The papers, then the software.

    Parameters
    ----------
    sources : str
        As `cite()` gives them; papers by their numbers in arXiv, with authors and title where they are known.

    Examples
    --------
    >>> print(bibtex_of("arXiv 1908.05355, Theorem 2").splitlines()[1].strip())
    author = {Song Mei and Andrea Montanari},
    """
    papers = [_paper(number, sources) for number in dict.fromkeys(_ARXIV.findall(sources))]
    return "\n\n".join([*papers, software()])


def _paper(number: str, sources: str) -> str:
    year, month = int(number[:2]), number[2:4]
    paper = PAPERS.get(number)
    known = {} if paper is None else {"author": paper.authors, "title": f"{{{paper.title}}}"}
    fields = known | {
        "eprint": number,
        "archiveprefix": "arXiv",
        "url": f"https://arxiv.org/abs/{number}",
        "year": str(2000 + year),
        "month": str(int(month)),
        "note": latex_of_words(" ".join(sources.split())),
    }
    return _entry("misc", f"arXiv:{number}", fields)


def software() -> str:
    """The entry of this library, from CITATION.cff: the authors are one body, in braces of their own."""
    said = _read(_PLACE.read_text(encoding="utf-8"))
    fields = {
        "author": f"{{{latex_of_words(said['name'])}}}",
        "title": f"{{{latex_of_words(said['title'])}}}",
        "version": said["version"],
        "note": f"{said['license']} licence; {latex_of_words(said['message'])}",
    }
    return _entry("software", said["title"], fields)


def _read(text: str) -> dict[str, str]:
    """The plain entries of a CITATION.cff, with the name of its authors."""
    pairs = re.findall(r"^[ -]*([a-z][a-z-]*):[ ]*(.*?)[ ]*$", text, re.MULTILINE)
    return {key: value.strip("\"'") for key, value in pairs if value}


def _entry(kind: str, key: str, fields: dict[str, str]) -> str:
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items()]
    return "\n".join([f"@{kind}{{{key},", *lines, "}"])
