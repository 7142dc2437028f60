"""The flags of an exported file: a range, and the value with which the file was exported."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import SupportsFloat

from hermite_analytics.codegen.standalone_backend.lines import wrapped_part
from hermite_analytics.errors import InputError

__all__ = ["Flag", "one_number"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag:
    """A number, or of `several` a list; required when the file runs, or with a default.

    Attributes
    ----------
    name, help : str
    low, high : float
        The range; `open_low` leaves `low` out.
    value : float, optional
        The default.

    Raises
    ------
    InputError
        If the default is outside the range.
    """

    name: str
    help: str
    low: float = -math.inf
    high: float = math.inf
    open_low: bool = False
    several: bool = False
    value: float | None = None

    def __post_init__(self) -> None:
        if self.value is None:
            return
        above = self.value > self.low if self.open_low else self.value >= self.low
        if not (above and self.value <= self.high):
            raise InputError(
                f"{self.name} is {self.value:g}; an exported file takes {self.name} {self._range}"
            )

    @property
    def _range(self) -> str:
        if math.isfinite(self.high):
            return f"in [{self.low:g}, {self.high:g}]"
        return f"{'>' if self.open_low else '>='} {self.low:g}"

    @property
    def reader(self) -> str:
        """Python of the function that reads it."""
        if self.open_low:
            one = f"number_above({self.low!r})"
        elif math.isfinite(self.high):
            one = f"at_least({self.low!r}, {self.high!r})"
        else:
            one = f"at_least({self.low!r})" if math.isfinite(self.low) else "float"
        return f"list_of({one})" if self.several else one

    @property
    def text(self) -> str:
        """The statement that adds it to the parser."""
        if self.value is None:
            given, shown = "required=True", ""
        else:
            given = 'default=float("inf")' if math.isinf(self.value) else f"default={self.value!r}"
            shown = " (%(default)g)"
        arguments = f'"--{self.name}", type={self.reader}, {given}, help="{self.help}{shown}"'
        return wrapped_part(f"    parser.add_argument({arguments})")


def one_number(name: str, value: SupportsFloat | None) -> float | None:
    """A parameter that is to be a default of the file.

    Raises
    ------
    InputError
        If it is no single number.
    """
    if value is None:
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if math.isnan(number):
        raise InputError(f"{name} is {str(value)[:40]}; a file is exported with one number for it")
    return number
