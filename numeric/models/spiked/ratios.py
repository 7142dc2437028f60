"""What a user gives to `solve`, checked and made flat: ratios, and the spike of each point."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hermite_analytics.errors import InputError
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.numeric.checks import grid_shape
from hermite_analytics.numeric.models.spiked.letters import Letters
from hermite_analytics.numeric.models.spiked.points import Points
from hermite_analytics.numeric.models.spiked.record import SPIKED_RANDOM_FEATURES
from hermite_analytics.numeric.models.spiked.tables import Spike

__all__ = ["Ratios", "read_ratios", "read_spike", "spike_list"]

_OVERLAP = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratios:
    """Ratios broadcast to one shape; r and gamma have one more axis for several spikes, c for letters."""

    shape: tuple[int, ...]
    values: Mapping[str, Array]
    points: Points


def read_spike(r: ArrayLike, c: ArrayLike, gamma: ArrayLike, letters: Letters) -> tuple[Array, Array, Array]:
    """r (..., R), c (..., J), gamma (..., R), checked.

    Raises
    ------
    InputError
        A number outside its range, or a last axis that does not fit the letters.
    """
    r = _with_axis("r", SPIKED_RANDOM_FEATURES["r"].checked(r), letters.rank, "spike", spread=False)
    gamma_ = SPIKED_RANDOM_FEATURES["gamma"].checked(gamma)
    gamma_ = _with_axis("gamma", gamma_, letters.rank, "spike", spread=False)
    norms = np.sqrt(np.sum(gamma_**2, axis=-1))
    if letters.rank > 1 and np.any(norms > 1.0 + _OVERLAP):
        raise InputError(f"gamma has norm {norms.max():g}; at most 1 is accepted")
    c = SPIKED_RANDOM_FEATURES["c"].checked(c)
    return r, _with_axis("c", c, letters.count, "letter", spread=True), gamma_


def _with_axis(name: str, value: Array, size: int, what: str, *, spread: bool) -> Array:
    if size == 1:
        return value[..., None]
    if spread and value.ndim == 0:
        return np.full(size, float(value))
    if value.ndim == 0 or value.shape[-1] != size:
        given = "one number" if value.ndim == 0 else f"a last axis of {value.shape[-1]}"
        one = "one number or " if spread else ""
        raise InputError(f"{name} has {given}; accepted: {one}a last axis of {size}, one a {what}")
    return value


def spike_list(
    r: Array, c: Array, gamma: Array, shape: tuple[int, ...], bias: float, step: Array | None = None
) -> tuple[list[Spike], NDArray[np.int64]]:
    """The different spikes, and which of them each point of the (flat) shape has.

    `step` has alpha0, effective step and noise of the step that made them in a last axis.
    """
    parts = (r, c, gamma) if step is None else (r, c, gamma, step)
    small = np.broadcast_shapes(*(x.shape[:-1] for x in parts))
    keys = np.concatenate([np.broadcast_to(x, (*small, x.shape[-1])) for x in parts], axis=-1)
    unique, member = np.unique(keys.reshape(-1, keys.shape[-1]) + 0.0, axis=0, return_inverse=True)
    first, second = r.shape[-1], r.shape[-1] + c.shape[-1]
    third = second + gamma.shape[-1]
    spikes = [
        Spike(
            r=tuple(map(float, key[:first])),
            c=tuple(map(float, key[first:second])),
            gamma=tuple(map(float, key[second:third])),
            bias=bias,
            step=None if step is None else (float(key[-3]), float(key[-2]), float(key[-1])),
        )
        for key in unique
    ]
    everywhere = np.broadcast_to(member.reshape(small), shape)
    return spikes, np.ascontiguousarray(everywhere).ravel().astype(np.int64)


def read_ratios(
    *, alpha: ArrayLike, beta: ArrayLike, ridge: ArrayLike, noise: ArrayLike,
    r: ArrayLike, c: ArrayLike, gamma: ArrayLike, letters: Letters,
    bias: float, extra_noise: float, step: Array | None = None,
) -> Ratios:  # fmt: skip
    """All ratios checked and broadcast.

    Raises
    ------
    InputError
        A number outside its range, or shapes that do not fit.
    """
    plain = {
        "alpha": SPIKED_RANDOM_FEATURES["alpha"].checked(alpha),
        "beta": SPIKED_RANDOM_FEATURES["beta"].checked(beta),
        "ridge": SPIKED_RANDOM_FEATURES["ridge"].checked(ridge),
        "noise": SPIKED_RANDOM_FEATURES["noise"].checked(noise),
    }
    r_, c_, gamma_ = read_spike(r, c, gamma, letters)
    spike = {"r": r_.shape[:-1], "c": c_.shape[:-1], "gamma": gamma_.shape[:-1]}
    shape = grid_shape(**{name: x.shape for name, x in plain.items()}, **spike)
    spikes, member = spike_list(r_, c_, gamma_, shape, bias, step)
    flat = {name: np.ascontiguousarray(np.broadcast_to(x, shape)).ravel() for name, x in plain.items()}
    points = Points(
        alpha=flat["alpha"],
        beta=flat["beta"],
        ridge=flat["ridge"],
        noise=flat["noise"] + extra_noise,
        spikes=spikes,
        member=member,
    )
    values = {name: np.broadcast_to(x, shape) for name, x in plain.items()}
    for name, x in (("r", r_), ("c", c_), ("gamma", gamma_)):
        full = np.broadcast_to(x, (*shape, x.shape[-1]))
        values[name] = full[..., 0] if x.shape[-1] == 1 else full
    return Ratios(shape=shape, values=values, points=points)
