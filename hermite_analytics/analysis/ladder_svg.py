"""Ladders as one SVG element, self-contained and escaped."""

from __future__ import annotations

import html
import textwrap

from hermite_analytics.analysis.ladder import Ladder, Rung

__all__ = ["svg_of"]

_COLUMN, _MARGIN, _TOP = 300, 16, 84
_RUNG, _LINE = 74, 14
_RAIL = 34  # distance of the rails
_CHARACTERS, _MOST_LINES = 36, 3
_COLOURS = {1: "#1a7f4b", 2: "#b7791f"}
_HIGHER = "#b3261e"  # the colour of orders 3 and more


def svg_of(drawn: tuple[Ladder, ...]) -> str:
    """The ladders side by side, subspaces of one dimension at one height; tooltips hold the full texts.

    Examples
    --------
    >>> from hermite_analytics.analysis.answers import Answers
    >>> from hermite_analytics.analysis.ladder import ladders
    >>> svg_of(ladders(Answers("z1"))[:1])[:26]
    '<svg xmlns="http://www.w3.'
    """
    levels = sorted({rung.dimension for ladder in drawn for rung in ladder.rungs})
    height = _TOP + len(levels) * _RUNG
    width = _COLUMN * len(drawn) + _MARGIN
    described = "; ".join(f"{ladder.title}: {_described(ladder)}" for ladder in drawn)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="img" font-family="sans-serif" font-size="11" fill="currentColor">',
        f"<title>{html.escape(described)}</title>",
    ]
    for place, ladder in enumerate(drawn):
        heights = [height - 20 - levels.index(rung.dimension) * _RUNG for rung in ladder.rungs]
        parts += _ladder(ladder, _MARGIN + place * _COLUMN, heights)
    return "\n".join([*parts, "</svg>"])


def _described(ladder: Ladder) -> str:
    return "dimensions " + ", ".join(str(rung.dimension) for rung in ladder.rungs)


def _ladder(ladder: Ladder, x: int, heights: list[int]) -> list[str]:
    """One ladder, its rungs at the given heights from the ground up."""
    dash = ' stroke-dasharray="4 3"' if ladder.is_open else ""
    parts = [
        _text(x, 16, ladder.title, weight="bold"),
        *_paragraph(x, 34, ("open: " if ladder.is_open else "ends: ") + ladder.end, style="italic"),
    ]
    look = f'stroke="#888" stroke-width="2"{dash}'
    parts += [
        f'<line x1="{rail}" y1="{heights[-1] - 10}" x2="{rail}" y2="{heights[0]}" {look}/>'
        for rail in (x, x + _RAIL)
    ]
    for rung, y in zip(ladder.rungs, heights, strict=True):
        parts += _rung(rung, x, y)
    return parts


def _rung(rung: Rung, x: int, y: int) -> list[str]:
    colour = "#555" if rung.order is None else _COLOURS.get(rung.order, _HIGHER)
    right = x + _RAIL + 8
    parts = [
        f'<line x1="{x}" y1="{y}" x2="{x + _RAIL}" y2="{y}" stroke="{colour}" stroke-width="5"/>',
        _text(right, y + 4, f"{rung.dimension}:  {rung.basis}", weight="bold"),
    ]
    if rung.order is not None:
        parts += _paragraph(right, y + 4 + _LINE + 4, f"order {rung.order}: {rung.unlocked_by}", fill=colour)
    return parts


def _paragraph(x: int, y: int, text: str, **look: str) -> list[str]:
    lines = textwrap.wrap(text, _CHARACTERS, max_lines=_MOST_LINES, placeholder=" ...")
    return [_text(x, y + number * _LINE, line, whole=text, **look) for number, line in enumerate(lines)]


def _text(
    x: int,
    y: int,
    text: str,
    *,
    whole: str = "",
    weight: str = "normal",
    style: str = "normal",
    fill: str = "",
) -> str:
    shown = text if len(text) <= _CHARACTERS + 3 else text[:_CHARACTERS] + "..."
    colour = f' fill="{fill}"' if fill else ""
    return (
        f'<text x="{x}" y="{y}" font-weight="{weight}" font-style="{style}"{colour}>'
        f"<title>{html.escape(whole or text)}</title>{html.escape(shown)}</text>"
    )
