"""The answer to `/api/points/MODEL`: networks of finite size at one place of the curve."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hermite_analytics.errors import InputError
from hermite_analytics.explorer.curves import CURVES
from hermite_analytics.explorer.inputs import activation_of, target_of
from hermite_analytics.explorer.messages import Given, Turn
from hermite_analytics.explorer.models import MODELS, SIMULATED

__all__ = ["points_answer"]


def points_answer(values: Given, turn: Turn) -> dict[str, object]:
    """Means over seeds and standard errors of what the model draws, where the simulator has it.

    Networks of a curve with the best ridge have the one that the theory found at their place, `ridge`.
    """
    from hermite_analytics.numeric import Simulation, simulate

    networks: Callable[..., Simulation] = simulate
    model = MODELS[str(values["model"])]
    names = {knob.name for knob in model.knobs} - {"ridge_choice", "loss"}
    given: dict[str, object] = {name: values[name] for name in names}
    given |= _loss(values) | {"target": target_of(str(values["target"]))}
    best = _best_ridge(values) if values.get("ridge_choice") == "optimal" else None
    if best is not None:
        given["ridge"] = best
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
        if curve.name in found:
            mean, error = np.asarray(found[curve.name].mean), np.asarray(found[curve.name].stderr)
            points[curve.name] = {"mean": float(np.mean(mean)), "stderr": float(np.mean(error))}
    return {
        "model": model.name,
        "parameters": {name: value for name, value in values.items() if name != "model"},
        "alpha": float(values["alpha"]),
        "points": points,
        "ridge": best,
    }


def _best_ridge(values: Given) -> float:
    """The ridge that the curve has at this place: networks have that of the theory, and search for none."""
    alpha = float(values["alpha"])
    ridge = CURVES[str(values["model"])](values, np.array([alpha])).ridges[0]
    if not 0 < ridge < np.inf:
        raise InputError(
            f"the best ridge at alpha = {alpha:g} is {ridge:g}; networks are simulated with a finite ridge "
            "> 0: choose that of the slider"
        )
    return ridge


def _loss(values: Given) -> dict[str, object]:
    """The loss, where the simulator takes one; else it must be the square."""
    loss = values.get("loss", "square")
    if values["model"] == "random-features":
        return {"loss": str(loss)}
    if loss != "square":
        raise InputError(f"networks of this model are simulated with the loss square, not {loss}")
    return {}
