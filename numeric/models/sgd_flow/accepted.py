"""What `SGDFlow` accepts: methods, readouts, numbers of variables, noise beside kinks."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hermite_analytics.activation import Activation
from hermite_analytics.errors import InputError
from hermite_analytics.numeric.checks import checked
from hermite_analytics.numeric.models.sgd_flow.gradient import LOSSES, METHODS
from hermite_analytics.numeric.models.sgd_flow.problem import FlowProblem
from hermite_analytics.numeric.models.sgd_flow.record import SGD_FLOW

__all__ = [
    "accepted_method",
    "accepted_readout",
    "accepted_times",
    "require_few_variables",
    "require_single",
    "shift_of",
]

_MOST_SMOOTH, _MOST_KINKED = 4, 3  # variables of a quadrature


def accepted_method(loss: str, reuse: float, method: str | None) -> tuple[float, str]:
    """(reuse, method), the method by default "extra-gradient" where samples are used again."""
    if loss not in LOSSES:
        raise InputError(f"loss is {loss!r}; accepted: {', '.join(LOSSES)}")
    kappa = float(SGD_FLOW["reuse"].checked(reuse))
    chosen = method or ("sgd" if kappa == 0.0 else "extra-gradient")
    if chosen not in METHODS:
        raise InputError(f"method is {chosen!r}; accepted: {', '.join(METHODS)}")
    if kappa != 0.0 and chosen != "extra-gradient":
        raise InputError(f"reuse is {kappa:g} with the method {chosen!r}; it belongs to 'extra-gradient'")
    return kappa, chosen


def accepted_readout(neurons: int, readout: ArrayLike | None) -> NDArray[np.float64]:
    """One number for each neuron, read-only."""
    if not isinstance(neurons, int) or neurons < 1:
        raise InputError(f"neurons is {neurons!r}; an integer >= 1 is accepted")
    found = np.array(checked("readout", np.ones(neurons) if readout is None else readout))
    if found.shape != (neurons,):
        raise InputError(f"readout has shape {found.shape}; accepted: one number for each neuron")
    found.flags.writeable = False
    return found


def accepted_times(times: ArrayLike) -> NDArray[np.float64]:
    """One number or one axis of numbers >= 0."""
    asked = np.array(SGD_FLOW["time"].checked(times))
    if asked.ndim > 1 or asked.size == 0:
        raise InputError(f"times has shape {asked.shape}; accepted: one number or one axis of numbers")
    return asked


def require_few_variables(
    problem: FlowProblem, activation: Activation, method: str, neurons: int, noise: float
) -> int:
    """Number of variables of the quadratures: fields, directions, and the noise where a look-ahead sees it.

    Refuses more variables than are taken, and kinks where a look-ahead moves them.
    """
    looks_ahead = method != "sgd"
    if looks_ahead and neurons > 1 and problem.bends:
        raise InputError(
            f"the look-ahead of {neurons} neurons takes a smooth activation; accepted with kinks: one neuron"
        )
    _require_plain_labels(problem, activation, method, noise)
    is_noisy = looks_ahead and noise > 0.0
    variables = neurons + problem.dimension + is_noisy
    if variables > (_MOST_SMOOTH if problem.is_smooth else _MOST_KINKED):
        seen = f"{neurons} neurons and {problem.dimension} directions"
        if is_noisy:
            seen = f"{neurons} neurons, {problem.dimension} directions and a label noise that is used again"
        raise InputError(
            f"{seen} need quadrature over {variables} "
            f"variables; accepted: at most {_MOST_SMOOTH} ({_MOST_KINKED} with kinks), and any number for "
            "erf(z/sqrt(2)) with a sum of such functions, and for quadratic activations and targets"
        )
    return variables


def _require_plain_labels(problem: FlowProblem, activation: Activation, method: str, noise: float) -> None:
    """Refuse noise where samples are used again and the activation has kinks."""
    if noise > 0.0 and method != "sgd" and problem.bends:
        raise InputError(
            f"the label noise has variance {noise:g} and {activation.text} has kinks; accepted with data "
            "reuse: smooth activations, or no noise"
        )


def require_single(what: str, neurons: int, directions: int, *, spherical: bool) -> None:
    """Refuse what is known of one neuron and one direction only."""
    if not (neurons == directions == 1 and spherical):
        raise InputError(
            f"{what} takes one neuron of norm 1 and one direction; this flow has {neurons} neurons "
            f"and {directions} directions: see hermite_analytics.leap_complexity"
        )


def shift_of(method: str, reuse: float, rate: float | None, neurons: int) -> float:
    """The look-ahead, which is rate/p of a second pass: d times the step of the first."""
    if method != "batch-reuse":
        return reuse
    if rate is None:
        raise InputError("batch-reuse takes a rate here: its drift depends on it")
    return float(SGD_FLOW["rate"].checked(rate)) / neurons
