"""Flags of protocols whose values stand in texts of their own: letters, biases, readouts, starts, degrees."""

from __future__ import annotations

from hermite_analytics.cli.given import Given
from hermite_analytics.cli.values import rows_of
from hermite_analytics.cli.vocabulary import vocabulary_of
from hermite_analytics.errors import InputError

__all__ = ["read"]


def read(given: Given) -> Given:
    """The same with the values of those flags, for whichever the protocol has."""
    names = {parameter.name for parameter in given.record.parameters}
    values: dict[str, object] = {}
    if "bias" in names:
        values |= {"bias": None} | _vocabulary(given["letters"], given["bias"])
    for name, reader in (("readout", _readout), ("overlap", _start), ("directions", _directions)):
        if name in names and isinstance(given[name], str):
            values[name] = reader(given[name])
    if "degrees" in names:
        values["degrees"] = [int(x) if x == int(x) else x for x in given["degrees"]]
    return given.read(**values)


def _vocabulary(letters: str | None, bias: str | None) -> dict[str, object]:
    if bias == "learned":
        raise InputError("--bias takes a number, or with --letters one a letter; a simulation learns no bias")
    return vocabulary_of(letters, bias)


def _readout(text: str) -> str | list[float]:
    """A name, or numbers between colons."""
    if not any(c.isdigit() for c in text):
        return text
    try:
        return [float(part) for part in text.split(":")]
    except ValueError:
        raise _refused("readout", text, "ones, signs, gaussian, or numbers as A1:A2:...") from None


def _start(text: str) -> float | list[float] | list[list[float]]:
    """One number; one a direction; or one row a neuron."""
    rows = rows_of("overlap", text, "M, M1:M2 for two directions, M1:M2;M1:M2 for two neurons")
    if len(rows) > 1:
        return rows
    return rows[0][0] if len(rows[0]) == 1 else rows[0]


def _directions(text: str) -> list[list[float]]:
    return rows_of("directions", text, 'rows of numbers, as "1,1;1,-1"')


def _refused(name: str, text: str, accepted: str) -> InputError:
    return InputError(f"--{name} is {text[:40]!r}; accepted: {accepted}")
