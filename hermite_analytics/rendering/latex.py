"""A frame as a table of LaTeX in the manner of booktabs."""

from __future__ import annotations

from hermite_analytics.rendering.frame import Frame
from hermite_analytics.rendering.shown import grid_of
from hermite_analytics.rendering.symbols import latex_of_words

__all__ = ["latex_of"]


def latex_of(frame: Frame) -> str:
    """A `tabular` between rules of booktabs; what all rows share stands in comments above it."""
    grid = grid_of(frame)
    head = []
    for name in grid.names:
        column = frame.column(name)
        head.append(f"${column.symbol}$" if column.symbol else latex_of_words(column.words))
    body = [" & ".join(row[n].latex if n in row else "--" for n in grid.names) for row in grid.rows]
    shared = [f"{name} = {cell.text}" for name, cell in grid.constant.items()]
    shared += [f"{name} = {value}" for name, value in frame.fixed.items()]
    comments = [frame.title, ", ".join(shared), frame.sources, *grid.summary, *frame.remarks]
    return "\n".join(
        [
            *(f"% {' '.join(comment.split())}" for comment in comments if comment),
            "% needs \\usepackage{booktabs}",
            rf"\begin{{tabular}}{{{'l' * len(grid.names)}}}",
            r"\toprule",
            " & ".join(head) + r" \\",
            r"\midrule",
            *(f"{row} \\\\" for row in body),
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )
