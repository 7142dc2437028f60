"""Full-batch descent as it is asked of the page: what the solver, code and a command line take."""

from __future__ import annotations

from hermite_analytics.explorer.messages import Given
from hermite_analytics.numeric.models import MODELS

__all__ = ["readout_of", "training_of"]

_TOLERANCE, _SECONDS = 3e-3, 4.0


def readout_of(values: Given) -> tuple[float, ...]:
    """a, one number a neuron."""
    return tuple(float(a) for a in str(values["readout"]).split(","))


def training_of(values: Given) -> dict[str, float | str]:
    """The arguments of `DMFT.solve` but the steps; "one-pass" has alpha d fresh samples in each.

    Examples
    --------
    >>> asked = {"alpha": 3.0, "eta": 0.2, "ridge": 0.0, "momentum": 0.0, "noise": 0.0, "readout_eta": 0.0}
    >>> [training_of({**asked, "schedule": text})["schedule"] for text in ("twice", "one-pass")]
    ['twice', 'one-pass:3.0']
    """
    numbers = [p.name for p in MODELS["dmft"].parameters if p.knob and p.name != "steps"]
    found: dict[str, float | str] = {name: float(values[name]) for name in numbers}
    schedule = str(values["schedule"])
    if schedule == "one-pass":
        schedule = f"one-pass:{found.pop('alpha')}"
    return found | {"schedule": schedule, "tolerance": _TOLERANCE, "seconds": _SECONDS}
