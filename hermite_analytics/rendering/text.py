"""A frame as text: the numbers first, at most 25 lines."""

from __future__ import annotations

from collections.abc import Sequence

from hermite_analytics.rendering.frame import Frame
from hermite_analytics.rendering.shown import Grid, grid_of

__all__ = ["MOST_LINES", "cut", "middle_left_out", "text_of"]

MOST_LINES = 25
_WIDTH = 110
_ROWS = 15
_PAIRS = 17
_LONG = 50  # of a first column, which has lines of its own where the others do not fit beside it


def text_of(frame: Frame) -> str:
    """Numbers, how they ended, what they share, where they come from."""
    grid = grid_of(frame)
    body = _pairs(grid) if len(frame.rows) == 1 else _table(grid)
    shared = [f"{name} = {cell.text}" for name, cell in grid.constant.items()]
    shared += [f"{name} = {value}" for name, value in frame.fixed.items()]
    lines = [frame.title, *body, *_wrapped(grid.summary, 1, "; "), *_wrapped(shared, 2, ", ")]
    lines += [_short(remark) for remark in frame.remarks[:1]]
    lines += [_short(frame.sources)] if frame.sources else []
    return cut("\n".join(line.rstrip() for line in lines if line))


def cut(text: str, most: int = MOST_LINES) -> str:
    """A text of at most so many lines, and how many there are.

    Examples
    --------
    >>> print(cut("1\\n2\\n3\\n4", most=3))
    1
    2
    ... 2 more lines: records() has all
    """
    lines = text.splitlines()
    if len(lines) <= most:
        return text
    return "\n".join([*lines[: most - 1], f"... {len(lines) - most + 1} more lines: records() has all"])


def middle_left_out(count: int, most: int) -> list[int | None]:
    """Places of the rows that are shown; None for those between.

    Examples
    --------
    >>> middle_left_out(9, 5)
    [0, 1, None, 7, 8]
    """
    if count <= most:
        return list(range(count))
    before = (most - 1) // 2
    after = most - 1 - before
    return [*range(before), None, *range(count - after, count)]


def _pairs(grid: Grid) -> list[str]:
    """One row, a name a line."""
    names = [name for name in grid.names if name in grid.rows[0]][:_PAIRS]
    width = max(map(len, names), default=0)
    return [f"  {name:<{width}}  {grid.rows[0][name].text}"[: 2 * _WIDTH] for name in names]


def _table(grid: Grid) -> list[str]:
    """Rows under their names; the columns that are too many are named."""
    places = middle_left_out(len(grid.rows), _ROWS)
    columns: list[list[str]] = []
    names: list[str] = []
    used = 0
    for name in grid.names:
        cells = ["..." if p is None else _text_at(grid, p, name) for p in places]
        width = max(len(name), *(len(cell) for cell in cells)) + 2 if cells else len(name) + 2
        if columns and used + width > _WIDTH:
            break
        used += width
        names.append(name)
        columns.append([name, *cells])
    widths = [max(map(len, column)) for column in columns]
    lines = [
        "  ".join(c.rjust(w) for c, w in zip(row, widths, strict=True)) for row in zip(*columns, strict=True)
    ]
    rest = grid.names[len(names) :]
    if rest and widths[0] > _LONG:
        return [line for p in places for line in _block(grid, p)]
    return [*lines, *([f"not shown: {_short(', '.join(rest))}"] if rest else [])]


def _block(grid: Grid, place: int | None) -> list[str]:
    """A row under its first cell; what has none is left out."""
    if place is None:
        return ["..."]
    first, *others = (name for name in grid.names if name in grid.rows[place])
    cells = [f"{name} = {_text_at(grid, place, name)}" for name in others]
    head = _short(f"{first}: {_text_at(grid, place, first)}")
    return [head, *(f"    {line}" for line in _wrapped(cells, 2, ", "))]


def _text_at(grid: Grid, place: int, name: str) -> str:
    cell = grid.rows[place].get(name)
    return "-" if cell is None else cell.text[:_WIDTH]


def _wrapped(parts: Sequence[str], most: int, between: str) -> list[str]:
    """Parts in lines of the width, at most so many."""
    lines: list[str] = []
    for part in parts:
        if lines and len(lines[-1]) + len(part) + len(between) <= _WIDTH:
            lines[-1] += between + part
        else:
            lines.append(part)
    return [_short(line) for line in lines[:most]]


def _short(line: str) -> str:
    line = " ".join(line.split())
    return line if len(line) <= _WIDTH else line[: _WIDTH - 4] + " ..."
