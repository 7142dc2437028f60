"""All losses with names: those whose files stand in `named/`."""

from __future__ import annotations

import importlib
from collections.abc import Mapping

from hermite_analytics.errors import InputError
from hermite_analytics.foundation.folders import names_in
from hermite_analytics.losses import named
from hermite_analytics.losses.record import LossRecord

__all__ = ["FORMS", "LOSSES", "named_loss"]

# The order of this list is that in which messages name them.
_FIRST = ("square", "huber", "quantile", "logistic", "hinge")
LOSSES: Mapping[str, LossRecord] = {
    record.name: record
    for name in names_in(named.__path__, _FIRST)
    for record in vars(importlib.import_module(f"{named.__name__}.{name}")).values()
    if isinstance(record, LossRecord)
}
FORMS = ", ".join(record.form for record in LOSSES.values())


def named_loss(text: str) -> tuple[LossRecord, float] | None:
    """The record that a text names and the value of its parameter, 0 without one; None if it names none.

    Raises
    ------
    InputError
        A parameter that is missing, outside its range, or not taken.

    Examples
    --------
    >>> record, tau = named_loss("quantile:0.9")
    >>> record.name, tau, record.dual(tau).low
    ('quantile', 0.9, -0.09999999999999998)
    """
    name, _, size = (part.strip() for part in text.partition(":"))
    record = LOSSES.get(name)
    if record is None:
        return None
    taken = record.parameter
    if taken is None:
        if size:
            raise InputError(f"the loss {text!r}: {name} takes no parameter; accepted: {FORMS}")
        return record, 0.0
    accepted = f"{record.form} with a number {taken.range.condition(taken.symbol)} is accepted"
    try:
        value = float(size)
    except ValueError:
        raise InputError(f"the loss {text!r} has no {taken.word}; {accepted}") from None
    if value not in taken.range:
        raise InputError(f"the loss {text!r} has the {taken.word} {value:g}; {accepted}")
    return record, value
