"""`Frame`: rows of named cells, with what is known of each column; and the same as flat records."""

from __future__ import annotations

import enum
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, TypeAlias

__all__ = ["Column", "Frame", "Record", "Role", "Scalar", "entries_of"]

Scalar: TypeAlias = "bool | int | float | str | None"
"""A flat cell: a number (infinity included), a word, a truth value; None for a word that is not there."""
Record: TypeAlias = "dict[str, Scalar]"

_INFINITIES = {"inf": math.inf, "-inf": -math.inf}


class Role(enum.Enum):
    """What a column is for."""

    PARAMETER = "a parameter of the point"
    VALUE = "a result"
    STATISTIC = "how the point ended, and how far it can be trusted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """What is known of a column.

    Attributes
    ----------
    name : str
    role : Role
    symbol : str
        Its letter in LaTeX, without dollars; empty where it has none.
    formula : str
        What the letter stands for, in LaTeX: n/d.
    help : str
        Its definition in a line.
    """

    name: str
    role: Role = Role.VALUE
    symbol: str = ""
    formula: str = ""
    help: str = ""

    @property
    def words(self) -> str:
        """The name in words."""
        return self.name.replace("_", " ")

    @property
    def mathematics(self) -> str:
        """The letter with dollars; the name in words where it has none."""
        return f"${self.symbol}$" if self.symbol else self.words

    @property
    def label(self) -> str:
        """For an axis: the letter with its meaning, or the words with the letter.

        Examples
        --------
        >>> Column(name="tau", symbol="t", formula="n/d").label, Column(name="ridge", symbol="l").label
        ('$t = n/d$', 'ridge $l$')
        """
        if self.formula:
            return f"${self.symbol} = {self.formula}$" if self.symbol else f"${self.formula}$"
        if not self.symbol or self.symbol.strip("\\") == self.name or self.symbol == self.name:
            return self.mathematics
        return f"{self.words} {self.mathematics}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """A result as a table: one row a point, parameters beside values.

    Attributes
    ----------
    title : str
    rows : tuple of mapping
        Cells by the names of columns: numbers, words, quantities, estimates, or groups and lists of them.
    columns : mapping of str to Column
        What is known of them, parameters first; a column without an entry is a value.
    fixed : mapping
        Parameters that all rows share, and that no column names.
    sources : str
        Where the numbers come from.
    remarks : tuple of str

    Examples
    --------
    >>> frame = Frame(title="t", rows=({"alpha": 1.0, "overlaps": {"m": 0.5}},))
    >>> frame.records()
    [{'alpha': 1.0, 'overlaps_m': 0.5}]
    """

    title: str
    rows: tuple[Mapping[str, object], ...]
    columns: Mapping[str, Column] = field(default_factory=dict)
    fixed: Mapping[str, object] = field(default_factory=dict)
    sources: str = ""
    remarks: tuple[str, ...] = ()

    def column(self, name: str) -> Column:
        """What is known of a column; an entry of a group has the role of the group."""
        if name in self.columns:
            return self.columns[name]
        group = next((g for g in self.columns if name.startswith(f"{g}_")), None)
        return Column(name=name, role=Role.VALUE if group is None else self.columns[group].role)

    @property
    def names(self) -> tuple[str, ...]:
        """Of the columns, in the order of the rows."""
        return tuple(dict.fromkeys(name for row in self.rows for name in row))

    def records(self) -> list[Record]:
        """The rows with flat cells: groups, lists and errors have columns of their own.

        An entry of a group stands under group_entry, one of a list under name_1, name_2, ..., the error of
        a quantity under name_error, that of an estimate under name_stderr. What numbers lack is NaN.
        """
        flat = [dict(_flat(row)) for row in self.rows]
        names = list(dict.fromkeys(name for row in flat for name in row))
        columns = {name: _settled([row.get(name) for row in flat]) for name in names}
        return [{name: columns[name][j] for name in names} for j in range(len(flat))]


def entries_of(names: Sequence[str], wanted: str) -> list[str]:
    """The flat columns that a name stands for: itself, or all entries of its group or list."""
    if wanted in names:
        return [wanted]
    side = ("_stderr", "_error", "_evidence", "_exact")
    return [n for n in names if n.startswith(f"{wanted}_") and not n.endswith(side)]


def _flat(row: Mapping[str, object]) -> Iterator[tuple[str, Scalar]]:
    for name, value in row.items():
        yield from _cells(name, value)


def _cells(name: str, value: object) -> Iterator[tuple[str, Scalar]]:
    """The flat cells of one cell."""
    if isinstance(value, Mapping):
        yield from _of_mapping(name, value)
    elif hasattr(value, "to_dict"):
        yield from _of_mapping(name, value.to_dict())
    elif hasattr(value, "text") and hasattr(value, "latex"):  # a formula
        yield name, value.text
    elif isinstance(value, complex):
        yield from ((f"{name}_real", value.real), (f"{name}_imag", value.imag))
    elif hasattr(value, "tolist"):  # of numpy, without asking for it
        yield from _cells(name, value.tolist())
    elif isinstance(value, list | tuple):
        if len(value) == 1:
            yield from _cells(name, value[0])
        else:
            for number, entry in enumerate(value, 1):
                yield from _cells(f"{name}_{number}", entry)
    elif isinstance(value, Fraction):
        yield name, float(value)
    elif value is None or isinstance(value, bool | int | float):
        yield name, value
    else:
        yield name, str(value)


def _of_mapping(name: str, group: Mapping[str, Any]) -> Iterator[tuple[str, Scalar]]:
    """A quantity, an exponent or an estimate has its number under the name itself."""
    if "mean" in group and "stderr" in group:
        yield name, group["mean"]
        yield f"{name}_stderr", group["stderr"]
    elif "at_least" in group:
        yield name, group["value"]
        yield from ((f"{name}_{part}", group[part]) for part in ("at_least", "evidence"))
    elif "value" in group and "evidence" in group:
        yield name, group["value"]
        yield from ((f"{name}_{part}", group[part]) for part in ("exact", "error", "evidence"))
    else:
        for part, value in group.items():
            yield from _cells(f"{name}_{part}", value)


def _settled(cells: list[Scalar]) -> list[Scalar]:
    """A column of numbers with infinity and NaN as such; a column of words as it is."""
    words = [c for c in cells if isinstance(c, str) and c not in _INFINITIES]
    truths = any(isinstance(c, bool) for c in cells)
    numbers = any(c in _INFINITIES or isinstance(c, int | float) for c in cells if c is not None)
    if words or truths or not numbers:
        return cells
    if all(isinstance(c, int) for c in cells):
        return cells
    return [math.nan if c is None else _INFINITIES[c] if isinstance(c, str) else float(c) for c in cells]
