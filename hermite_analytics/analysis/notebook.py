"""The card of an analysis for notebooks: a table with formulas, and the ladders."""

from __future__ import annotations

import html

from hermite_analytics.analysis.answers import Answers
from hermite_analytics.analysis.card import Line, lines_of
from hermite_analytics.analysis.ladder import ladders
from hermite_analytics.analysis.ladder_svg import svg_of
from hermite_analytics.analysis.reasons import expression_math, read_reason
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
    title = as_html((expression_math(a.name),))
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
    name, value, evidence, reason = line
    cells = (html.escape(name), _value(value), html.escape(str(evidence)), as_html(read_reason(reason)))
    return "<tr>" + "".join(f"<td style='text-align:left'>{cell}</td>" for cell in cells) + "</tr>"


def _value(value: str) -> str:
    """A value of the card, its closed form as a formula."""
    closed, equals, digits = value.partition(" = ")
    return as_html((expression_math(closed), f"{equals}{digits}")) if equals else as_html(read_reason(value))
