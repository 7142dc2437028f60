"""How flags are understood whose values are texts of a form of their own; records name these functions."""

from __future__ import annotations

from hermite_analytics.errors import InputError

__all__ = ["directions", "readout", "rows", "start", "whole_numbers"]

_ROWS = "rows of numbers, as 1,1;1,-1"
_DIRECTIONS = 'rows of numbers, as "1,1;1,-1"'
_START = "M, M1:M2 for two directions, M1:M2;M1:M2 for two neurons"
_READOUT = "ones, signs, gaussian, or numbers as A1:A2:..."


def rows(flag: str, value: object) -> list[list[float]]:
    """Rows between semicolons, numbers between commas or colons.

    Examples
    --------
    >>> rows("--overlap", "0.4,0.4;0.4,-0.4")
    [[0.4, 0.4], [0.4, -0.4]]
    """
    return _rows(flag, str(value), _ROWS)


def directions(flag: str, value: object) -> list[list[float]]:
    """The same, of vectors."""
    return _rows(flag, str(value), _DIRECTIONS)


def start(flag: str, value: object) -> float | list[float] | list[list[float]]:
    """One number; one a direction; or one row a neuron.

    Examples
    --------
    >>> start("--overlap", "0.1"), start("--overlap", "0.1:0.2"), start("--overlap", "0.1;0.2")
    (0.1, [0.1, 0.2], [[0.1], [0.2]])
    """
    found = _rows(flag, str(value), _START)
    if len(found) > 1:
        return found
    return found[0][0] if len(found[0]) == 1 else found[0]


def readout(flag: str, value: object) -> str | list[float]:
    """A name, or numbers between colons.

    Examples
    --------
    >>> readout("--readout", "signs"), readout("--readout", "1:-2")
    ('signs', [1.0, -2.0])
    """
    text = str(value)
    if not any(c.isdigit() for c in text):
        return text
    try:
        return [float(part) for part in text.split(":")]
    except ValueError:
        raise _refused(flag, text, _READOUT) from None


def whole_numbers(flag: str, value: object) -> list[float]:
    """Integers where the numbers of a list are whole.

    Examples
    --------
    >>> whole_numbers("--degrees", (2.0, 2.5))
    [2, 2.5]
    """
    assert isinstance(value, tuple)
    return [int(x) if float(x).is_integer() else x for x in value]


def _rows(flag: str, text: str, accepted: str) -> list[list[float]]:
    try:
        return [[float(part) for part in row.replace(":", ",").split(",")] for row in text.split(";")]
    except ValueError:
        raise _refused(flag, text, accepted) from None


def _refused(flag: str, text: str, accepted: str) -> InputError:
    return InputError(f"{flag} is {text[:40]!r}; accepted: {accepted}")
