"""All losses with names: the one list of them."""

from __future__ import annotations

from collections.abc import Mapping

from hermite_analytics.errors import InputError
from hermite_analytics.numeric.losses.hinge import HINGE
from hermite_analytics.numeric.losses.huber import HUBER
from hermite_analytics.numeric.losses.logistic import LOGISTIC
from hermite_analytics.numeric.losses.quantile import QUANTILE
from hermite_analytics.numeric.losses.record import LossRecord
from hermite_analytics.numeric.losses.square import SQUARE

__all__ = ["FORMS", "LOSSES", "named_loss"]

LOSSES: Mapping[str, LossRecord] = {
    record.name: record for record in (SQUARE, HUBER, QUANTILE, LOGISTIC, HINGE)
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
