"""How a function is written in printed code: by its name in the first module of a back end that has it.

The record of a function gives its name in programs (`Record.code`), which is that of the function in Python.
A back end that computes it in its own way has a function of this name in its `special` module; else it is
taken from the library below (`math`, `mpmath`, `numpy`). Nothing is listed.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass

__all__ = ["Place", "Spellings"]

_BUILT_IN = frozenset({"abs"})
_SPECIAL_CASES = {"owen_t_inside": "owen_t"}  # what is computed where a back end has no function for the case


@dataclass(frozen=True, slots=True)
class Place:
    """A module and how its functions are called in the printed code.

    Attributes
    ----------
    names : container of str
        What it has.
    prefix : str
        Before the name, such as "math."
    first : str
        Before the arguments, such as "xp, ".
    """

    names: Container[str]
    prefix: str = ""
    first: str = ""


class Spellings:
    """The places where a back end looks for a function, in order, and the built-in functions of Python.

    Parameters
    ----------
    *places : Place
    other : mapping, optional
        Names that the places write in another way.

    Examples
    --------
    >>> import math
    >>> Spellings(Place({"step"}, "special."), Place(dir(math), "math.")).call("step", "x")
    'special.step(x)'
    """

    def __init__(self, *places: Place, other: dict[str, str] | None = None) -> None:
        self.places = (*places, Place(_BUILT_IN))
        self.other = other or {}

    def call(self, name: str, arguments: str) -> str | None:
        """The call of a function on printed arguments, None where no place has it."""
        for known in (name, self.other.get(name), _SPECIAL_CASES.get(name)):
            for place in self.places:
                if known is not None and known in place.names:
                    return f"{place.prefix}{known}({place.first}{arguments})"
        return None
