"""A parameter of a model or a protocol: its name, what it accepts, and how it is shown."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from hermite_analytics.errors import InputError
from hermite_analytics.foundation.ranges import ANY, Range
from hermite_analytics.foundation.shapes import Number

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Kind", "Knob", "Menu", "Parameter"]


class Kind(enum.Enum):
    """What a parameter is on the command line, and what a comma list means there.

    Examples
    --------
    >>> Kind.NUMBERS.is_swept, Kind.LIST.is_swept
    (True, False)
    """

    NUMBERS = "a real number; of a comma list, each in turn"
    STARTS = "a vector M1:M2:...; of a comma list, each in turn"
    LIST = "a comma list of numbers that is one value"
    TEXTS = "a text; of a comma list, each in turn"
    SIZES = "an integer; of a comma list, each in turn"
    INTEGER = "an integer"
    NUMBER = "a real number that is one value"
    EXPRESSION = "a text in the language"
    WORDS = "a text in a form of its own, which its metavar shows"
    CHOICE = "one of several words or integers"
    FLAG = "given or not"
    SWITCH = "one of two flags"

    @property
    def is_swept(self) -> bool:
        """Whether a comma list is a list of points."""
        return self in (Kind.NUMBERS, Kind.SIZES, Kind.STARTS, Kind.TEXTS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Knob:
    """A slider for a parameter.

    Attributes
    ----------
    start, low, high : float
        Where it stands at first, and its ends.
    least, most : float, optional
        What may be typed beside it, where that is less than the range of the solver.
    logarithmic : bool
        Whether it moves by factors.
    help : str
        Its own words, where those of the command line are too short beside a slider.
    """

    start: float
    low: float
    high: float
    least: float | None = None
    most: float | None = None
    logarithmic: bool = False
    help: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Menu:
    """A choice for a parameter that is a text or a list.

    Attributes
    ----------
    words : tuple of str
        The first is where it stands at first.
    help : str
        What they mean, in one line.
    """

    words: tuple[str, ...]
    help: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """A parameter of a model.

    Attributes
    ----------
    name, help : str
        As in Python; its definition in one line, without a full stop at the end.
    kind : Kind
    symbol : str
        As in a paper; by default the name.
    formula : str
        What it stands for, in LaTeX: n/d; an axis is labelled with it.
    to : str
        Who takes it: the constructor of the model, its `solve`, or the giant `step` before it; for a flag,
        the `method` of this name in place of `solve`; the `command` alone, where it chooses between models;
        of a simulation, the `run` over the seeds.
    keyword : str
        Its name there; by default the name.
    required : bool
        On the command line.
    default : object
        What holds where it is not given.
    is_filled : bool
        Whether the default is printed among the parameters of a document.
    words : tuple of str
        What is accepted in place of numbers.
    accepted : tuple
        Of a choice, or the two flags of a switch.
    metavar : str, optional
        Its form in the help.
    range : Range
    knob : Knob, optional
    menu : Menu, optional
    in_rows : str
        Whether each result names it, only some do, or none does.
    shape : object
        Its type there.
    is_echoed : bool
        Whether a document prints it among its parameters at all.
    read : callable, optional
        Of its flag and what was given: its value, where that is a text of a form of its own (`readings`).
    """

    name: str
    help: str
    kind: Kind = Kind.NUMBERS
    symbol: str = ""
    formula: str = ""
    to: Literal["model", "solve", "step", "method", "command", "run"] = "solve"
    keyword: str = ""
    required: bool = False
    default: Any = None
    is_filled: bool = False
    words: tuple[str, ...] = ()
    accepted: tuple[Any, ...] = ()
    metavar: str | None = None
    range: Range = ANY
    knob: Knob | None = None
    menu: Menu | None = None
    in_rows: Literal["always", "sometimes", "never"] = "never"
    shape: object = Number
    is_echoed: bool = True
    read: Callable[[str, object], object] | None = None

    @property
    def flag(self) -> str:
        """Its name on the command line."""
        return f"--{self.name.replace('_', '-')}"

    @property
    def line(self) -> str:
        """Its help on the command line."""
        parts = [part for part in (self.help, self.range.infinite) if part]
        line = "; ".join(parts)
        return line if not line or line.endswith(".") else f"{line}."

    def checked(self, value: object) -> NDArray[np.float64]:
        """`value` as an array of float64 inside the range; a solver asks this of what it takes.

        Raises
        ------
        InputError
            Naming the argument, the first value outside, and the accepted range.
        """
        from hermite_analytics.numeric.checks import checked

        return checked(self.argument, value, self.range)

    def check(self, value: object) -> None:
        """Refuse a word that is no choice, or numbers outside the range; a tuple holds several values.

        Raises
        ------
        InputError
            Naming the argument, the value, and what is accepted.
        """
        if self.kind is Kind.CHOICE:
            if value not in self.accepted:
                accepted = ", ".join(map(repr, self.accepted))
                raise InputError(f"{self.argument} is {value!r}: accepted are {accepted}")
        elif self.range != ANY:
            self.checked(value)

    @property
    def argument(self) -> str:
        """Its name in Python, where it is taken."""
        return self.keyword or self.name
