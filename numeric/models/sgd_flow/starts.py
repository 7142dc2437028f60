"""Rates, noises and starting overlaps, checked and broadcast."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from hermite_analytics.errors import InputError
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.numeric.checks import checked, grid_shape
from hermite_analytics.numeric.models.sgd_flow.record import SGD_FLOW

__all__ = ["Starts", "starts_of"]

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Starts:
    """One row a run.

    Attributes
    ----------
    shape : tuple of int
        Of the broadcast rate, noise and overlap.
    rate, noise : ndarray, shape (n,)
    overlap : ndarray, shape (n, p, r)
    correlations : ndarray, shape (n, p, p)
    """

    shape: tuple[int, ...]
    rate: Array
    noise: Array
    overlap: Array
    correlations: Array

    def flat(self) -> dict[str, Array]:
        """One row a run, by name."""
        return {name: getattr(self, name) for name in ("rate", "noise", "overlap", "correlations")}


def starts_of(
    neurons: int,
    directions: int,
    rate: ArrayLike,
    noise: ArrayLike,
    overlap: ArrayLike,
    correlations: ArrayLike | None,
    spherical: bool,
) -> Starts:
    """The runs of `SGDFlow.solve`.

    Raises
    ------
    InputError
        A number outside its range; overlaps of a wrong shape, or that no weights have.
    """
    given = SGD_FLOW["overlap"].checked(overlap) if spherical else checked("overlap", overlap)
    state = () if neurons == directions == 1 else (directions,) if neurons == 1 else (neurons, directions)
    if given.ndim < len(state) or given.shape[given.ndim - len(state) :] != state:
        raise InputError(
            f"overlap has shape {given.shape}; accepted: {state} for {neurons} neurons and {directions} "
            "directions, with any axes before"
        )
    batch = given.shape[: given.ndim - len(state)]
    rates = SGD_FLOW["rate"].checked(rate)
    noises = SGD_FLOW["noise"].checked(noise)
    shape = grid_shape(overlap=batch, rate=rates.shape, noise=noises.shape)
    runs = int(np.prod(shape, dtype=int))
    m = np.broadcast_to(given, (*shape, *state)).reshape(runs, neurons, directions)
    return Starts(
        shape=shape,
        rate=np.broadcast_to(rates, shape).reshape(runs),
        noise=np.broadcast_to(noises, shape).reshape(runs),
        overlap=m,
        correlations=np.stack([_correlations(row, correlations, spherical) for row in m]),
    )


def _correlations(overlap: Array, given: ArrayLike | None, spherical: bool) -> Array:
    """Q of one start: as given, or with orthogonal parts outside the target's directions."""
    if given is None:
        norms = np.sum(overlap**2, axis=1)
        if np.any(norms > 1.0 + _ROUNDING):
            j = int(np.argmax(norms))
            raise InputError(
                f"the overlaps of neuron {j + 1} have norm {np.sqrt(norms[j]):g}; accepted: at most 1, "
                "the norm of a neuron"
            )
        found: Array = overlap @ overlap.T
        np.fill_diagonal(found, 1.0)
        return found
    q = np.array(checked("correlations", given))
    if q.shape != (overlap.shape[0],) * 2 or not np.array_equal(q, q.T):
        raise InputError(
            f"correlations has shape {q.shape}; accepted: a symmetric matrix, neurons by neurons"
        )
    if spherical and np.any(np.abs(np.diagonal(q) - 1.0) > _ROUNDING):
        raise InputError(
            "correlations has a diagonal other than 1; with spherical=True the neurons have norm 1"
        )
    if np.linalg.eigvalsh(q - overlap @ overlap.T)[0] < -_ROUNDING:
        raise InputError(
            "no weights have these overlaps and correlations; accepted: correlations - overlap overlap^T "
            "without a negative eigenvalue"
        )
    return q
