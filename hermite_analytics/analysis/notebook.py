"""The card of an analysis for notebooks: a table with formulas, and the ladders."""

from __future__ import annotations

import html

from hermite_analytics.analysis.answers import Answers
from hermite_analytics.analysis.card import Line, lines_of
from hermite_analytics.analysis.ladder import ladders
from hermite_analytics.analysis.ladder_svg import svg_of
from hermite_analytics.argument import html_of
from hermite_analytics.argument.formulas import formula
from hermite_analytics.argument.sentences import as_html

__all__ = ["html_card"]


def html_card(a: Answers) -> str:
    r"""Self-contained and escaped; formulas stand between \( and \).

    Examples
    --------
    >>> page = html_card(Answers("z1"))
    >>> page.startswith("<div"), "<script" in page
    (True, False)
    """
    rows = [_row(line) for line in lines_of(a)]
    title = as_html((formula(a.target.expression, a.name),))
    return "\n".join(
        [
            f"<div><h4>{title}</h4>",
            "<table><thead><tr><th></th><th>value</th><th>evidence</th><th>why</th></tr></thead><tbody>",
            *rows,
            "</tbody></table>",
            svg_of(ladders(a)),
            "</div>",
        ]
    )


def _row(line: Line) -> str:
    name, evidence = html.escape(line.name), html.escape(str(line.evidence))
    cells = (name, as_html(line.value), evidence, html_of(line.facts))
    return "<tr>" + "".join(f"<td style='text-align:left'>{cell}</td>" for cell in cells) + "</tr>"
