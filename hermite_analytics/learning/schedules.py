"""Which samples a step of gradient descent sees, by its text."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from hermite_analytics.errors import InputError

__all__ = ["ACCEPTED", "Schedule", "read_schedule"]

ACCEPTED = ("full", "minibatch:b", "epochs:B", "twice", "one-pass:alpha_b", "extra-gradient:eta")
_OUTSIDE = " (methods that are not linear in the weights, such as Adam and clipping, are outside the theory)"


@dataclass(frozen=True, slots=True)
class Schedule:
    """A schedule by its text.

    Attributes
    ----------
    kind : str
        "full", "minibatch", "epochs", "twice", "one-pass" or "extra-gradient".
    value : float
        What stands after the colon; 0 without one.
    """

    text: str
    kind: str
    value: float

    @property
    def look_ahead(self) -> float:
        """The step size of the look-ahead before every step; 0 without."""
        return self.value if self.kind == "extra-gradient" else 0.0

    @property
    def first_memory(self) -> int | None:
        """The first step whose gradient is that of samples seen before; None if there is none.

        Examples
        --------
        >>> [read_schedule(text).first_memory for text in ("full", "epochs:3", "one-pass:1")]
        [2, 4, None]
        """
        if self.kind == "epochs":
            return int(self.value) + 1
        if self.kind == "one-pass":
            return None
        return 1 if self.look_ahead else 2

    def alpha(self, asked: Any, steps: int) -> Any:
        """n/d: as asked, or all that a one-pass run sees.

        Raises
        ------
        InputError
            If it is missing.
        """
        if asked is not None:
            return asked
        if self.kind != "one-pass":
            raise InputError(f"alpha is missing; the schedule {self.text} takes a number alpha = n/d > 0")
        return steps * self.value

    def require_samples(self, alpha: float, steps: int) -> None:
        """Refuse less than what a one-pass run sees."""
        seen = steps * self.value
        if self.kind == "one-pass" and alpha < seen * (1.0 - 1e-12):
            raise InputError(
                f"alpha is {alpha:g}, but {steps} steps of {self.text} see {seen:g} d samples; accepted: "
                f"alpha >= {seen:g}, or none"
            )


def read_schedule(text: str, *, others: tuple[str, ...] = ()) -> Schedule:
    """The schedule of a text.

    Parameters
    ----------
    text : str
    others : tuple of str
        What the caller accepts besides, for the message.

    Raises
    ------
    InputError
        An unknown schedule, or a number outside its range.

    Examples
    --------
    >>> read_schedule("epochs:2").kind
    'epochs'
    """
    kind, _, rest = (text if isinstance(text, str) else "").partition(":")
    forms = {form.partition(":")[0]: form for form in ACCEPTED}
    if kind not in forms or (":" in forms[kind]) != bool(rest):
        raise InputError(
            f"schedule is {str(text)[:40]!r}; accepted: {', '.join((*others, *ACCEPTED))}{_OUTSIDE}"
        )
    if not rest:
        return Schedule(text, kind, 0.0)
    try:
        value = float(rest)
    except ValueError:
        value = float("nan")
    ranges = {
        "minibatch": ("0 < b <= 1", 0.0 < value <= 1.0),
        "epochs": ("an integer B >= 1", value >= 1.0 and value == round(value) < math.inf),
        "one-pass": ("alpha_b > 0", 0.0 < value < math.inf),
        "extra-gradient": ("a number eta", math.isfinite(value)),
    }
    accepted, good = ranges[kind]
    if not good:
        raise InputError(f"schedule is {text!r}; accepted: {forms[kind]} with {accepted}")
    return Schedule(text, kind, value)
