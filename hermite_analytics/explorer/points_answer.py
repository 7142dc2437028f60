"""The answer to `/api/points/MODEL`: networks of finite size at one place of the curve."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hermite_analytics.errors import InputError
from hermite_analytics.explorer.inputs import activation_of, target_of
from hermite_analytics.explorer.messages import Given, Turn
from hermite_analytics.explorer.models import MODELS, SIMULATED

__all__ = ["points_answer"]

_RENAMED = {"risk_after": "test_error"}  # curves, and how the simulator calls them


def points_answer(values: Given, turn: Turn) -> dict[str, object]:
    """Means over seeds and standard errors of what the model draws, where the simulator has it."""
    from hermite_analytics.numeric import Simulation, simulate

    networks: Callable[..., Simulation] = simulate
    model = MODELS[str(values["model"])]
    names = {knob.name for knob in model.knobs} - {"ridge_choice", "loss"}
    given: dict[str, object] = {name: values[name] for name in names}
    given |= _loss(values) | {"target": target_of(str(values["target"]))}
    if "activation" in values:
        given["activation"] = activation_of(str(values["activation"]))
    found = networks(
        SIMULATED[model.name],
        d=int(values["d"]),
        seeds=int(values["seeds"]),
        alpha=float(values["alpha"]),
        **given,
    ).results
    points: dict[str, object] = {}
    for curve in model.curves:
        name = _RENAMED.get(curve.name, curve.name)
        if name in found:
            mean, error = np.asarray(found[name].mean), np.asarray(found[name].stderr)
            points[curve.name] = {"mean": float(np.mean(mean)), "stderr": float(np.mean(error))}
    return {
        "model": model.name,
        "parameters": {name: value for name, value in values.items() if name != "model"},
        "alpha": float(values["alpha"]),
        "points": points,
    }


def _loss(values: Given) -> dict[str, object]:
    """The loss, where the simulator takes one; else it must be the square, and the ridge a number."""
    if values.get("ridge_choice") == "optimal":
        raise InputError("networks are simulated at the ridge of the slider; choose: as set")
    loss = values.get("loss", "square")
    if values["model"] == "random-features":
        return {"loss": str(loss)}
    if loss != "square":
        raise InputError(f"networks of this model are simulated with the loss square, not {loss}")
    return {}
