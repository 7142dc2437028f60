"""The answers to `/api/activation` and `/api/coefficients`: mu0, mu1, mu2^2 as formulas and as curves."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import numpy as np

from hermite_analytics.conditional import conditional_coefficients
from hermite_analytics.explorer.exports import activation_exports, coefficients_latex
from hermite_analytics.explorer.formulas import formula
from hermite_analytics.explorer.inputs import activation_of
from hermite_analytics.explorer.messages import Given, Turn
from hermite_analytics.foundation.arrays import Floats
from hermite_analytics.gaussian.node import GaussianExpectation

if TYPE_CHECKING:
    from hermite_analytics.codegen.kernel import Kernel

__all__ = ["activation_answer", "coefficients_answer"]

_POINTS = 161
_KEPT = 32


def activation_answer(values: Given, turn: Turn) -> dict[str, object]:
    """The formulas."""
    activation = activation_of(str(values["activation"]))
    coefficients = conditional_coefficients(activation)
    found = {name: formula(expression) for name, expression in coefficients.items()}
    latex = {name: str(entry["latex"]) for name, entry in found.items()}
    return {
        "activation": activation.text,
        "formula": formula(activation.expression),
        "is_odd": activation.is_odd,
        "has_jumps": activation.has_jumps,
        "coefficients": {
            name: {**found[name], "closed": not expression.has(GaussianExpectation)}
            for name, expression in coefficients.items()
        },
        "exports": {**activation_exports(activation.text), "latex": coefficients_latex(latex)},
    }


def coefficients_answer(values: Given, turn: Turn) -> dict[str, object]:
    """The curves over kappa at given c and r."""
    kernel = _kernel(str(values["activation"]))
    kappa = np.linspace(-float(values["kappa_max"]), float(values["kappa_max"]), _POINTS)
    found = kernel(kappa, values["c"], values["r"])
    return {
        "activation": values["activation"],
        "c": values["c"],
        "r": values["r"],
        "kappa": kappa.tolist(),
        "curves": {
            name: np.broadcast_to(_clipped(name, y), kappa.shape).tolist()
            for name, y in zip(("mu0", "mu1", "mu2_squared"), found, strict=True)
        },
    }


def _clipped(name: str, values: Floats) -> Floats:
    """mu2^2 is a variance: rounding does not make it negative."""
    return np.maximum(values, 0.0) if name == "mu2_squared" else np.asarray(values, dtype=float)


@functools.lru_cache(maxsize=_KEPT)
def _kernel(activation: str) -> Kernel:
    """The three coefficients on arrays, without machine code: a new activation is there at once."""
    from hermite_analytics.codegen import compile

    coefficients = conditional_coefficients(activation_of(activation))
    return compile(coefficients.kernel_form(), ("kappa", "c", "r"), backend="array")
