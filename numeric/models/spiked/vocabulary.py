"""--letters, --bias, and --c beside them: values of the first readout, in texts of their own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from hermite_analytics.errors import InputError

if TYPE_CHECKING:
    from hermite_analytics.foundation.arrays import Floats
    from hermite_analytics.numeric.models.spiked.letters import Letters

__all__ = ["c_of_letters", "floats", "of_network", "vocabulary_of"]


def vocabulary_of(letters: str | None, bias: str | None) -> dict[str, object]:
    """Keyword arguments `letters` and `bias` of a model, from the texts of the flags."""
    from hermite_analytics.numeric.models.spiked.letters import Letters

    biases = () if bias in (None, "learned") else floats("--bias", str(bias), "a number, or learned")
    read = None if letters is None else _letters(letters)
    found: dict[str, object] = {} if read is None else {"letters": read}
    if bias == "learned":
        return found | {"bias": "learned"}
    if len(biases) == 1:
        return found | {"bias": biases[0]}
    if len(biases) > 1:
        if read is None:
            raise InputError("--bias takes one number, or with --letters one a letter")
        found["letters"] = Letters(values=read.values, fractions=read.fractions, biases=biases)
    return found


def of_network(values: Mapping[str, object]) -> dict[str, object]:
    """The same of a network at finite size, whose biases are given."""
    letters, bias = ("" if values[name] is None else str(values[name]) for name in ("letters", "bias"))
    if bias == "learned":
        raise InputError("--bias takes a number, or with --letters one a letter; a simulation learns no bias")
    return {"bias": None} | vocabulary_of(letters or None, bias or None)


def _letters(text: str) -> Letters:
    from hermite_analytics.numeric.models.spiked.letters import Letters

    pairs = [entry.split(":") for entry in text.split(",")]
    if any(len(pair) != 2 for pair in pairs):
        raise InputError(f"--letters is {text[:40]!r}; accepted: VALUE:FRACTION,VALUE:FRACTION,...")
    columns = [
        floats("--letters", ",".join(column), "VALUE:FRACTION,...") for column in zip(*pairs, strict=True)
    ]
    return Letters(values=columns[0], fractions=columns[1])


def floats(flag: str, text: str, accepted: str) -> tuple[float, ...]:
    """The numbers of a comma list."""
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise InputError(f"{flag} is {text[:40]!r}; accepted: {accepted}") from None


def c_of_letters(c: tuple[float, ...], letters: Letters) -> float | Floats:
    """--c beside --letters: one number, or one a letter."""
    if len(c) not in (1, letters.count):
        raise InputError(
            f"--c has {len(c)} numbers beside {letters.count} letters; give one, or one a letter"
        )
    return c[0] if len(c) == 1 else np.array(c)
