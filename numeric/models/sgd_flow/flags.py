"""--overlap of `sgd-flow`, which is understood beside the target."""

from __future__ import annotations

from collections.abc import Mapping

from hermite_analytics.activation import Activation
from hermite_analytics.errors import InputError
from hermite_analytics.target import Target

__all__ = ["starts"]


def starts(values: Mapping[str, object]) -> dict[str, object]:
    """One start a point: a number, or one a direction if there are several."""
    activation, target = Activation(str(values["activation"])), Target(str(values["target"]))
    text, directions = str(values["overlap"]), target.dimension
    try:
        found = [tuple(float(part) for part in entry.split(":")) for entry in text.split(",")]
    except ValueError:
        raise InputError(
            f"--overlap is {text[:40]!r}; accepted: numbers as M,M,... or M1:M2,M1:M2,..."
        ) from None
    if any(len(start) != directions for start in found):
        each = "M" if directions == 1 else ":".join(f"M{j + 1}" for j in range(min(directions, 4)))
        raise InputError(
            f"--overlap is {text[:40]!r} for a target of {directions} directions; accepted: {each} "
            "for each start"
        )
    overlap = tuple(start[0] for start in found) if directions == 1 else tuple(found)
    return {"activation": activation, "target": target, "overlap": overlap}
