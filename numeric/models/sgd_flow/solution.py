"""Overlaps along the flow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.foundation.arrays import Floats, Numbers
from hermite_analytics.foundation.json import Document
from hermite_analytics.numeric.frozen import ReadOnly, frozen
from hermite_analytics.numeric.models.sgd_flow.starts import Starts
from hermite_analytics.numeric.solution import Solution
from hermite_analytics.numeric.status import status_texts, statuses

__all__ = ["SGDFlowSolution", "flow_solution"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class SGDFlowSolution(Solution):
    """Overlaps at the asked times.

    The leading axes are those of rate, noise and starting overlaps, broadcast; then comes the axis of the
    times (none for a single time), then those of a state: none for one neuron and one direction, (r,) for
    one neuron, (p, r) for p neurons.

    Attributes
    ----------
    times : float or ndarray
        Samples/d.
    overlap : float or ndarray
        <w_j, w*_s>; NaN where not converged.
    correlations : ndarray
        <w_j, w_l>, with the two last axes (p, p).
    status : Status or ndarray of str
        Of each start.
    residual, numerical_error : float or ndarray
        Estimates of the error of `overlap` that the integration in time makes, and that it makes together
        with the quadrature: changes from a coarser one.
    iterations : int or ndarray
        Evaluations of the right-hand side.
    parameters : mapping
        rate and noise, broadcast; start; loss, method, reuse.
    """

    times: Floats
    overlap: Floats
    correlations: Floats
    numerical_error: Numbers
    model: str = "sgd-flow"

    columns: ClassVar[tuple[str, ...]] = (
        *("reuse", "method", "rate", "noise", "start", "time", "overlap"),
        *("status", "residual", "iterations", "numerical_error"),
    )
    shaped: ClassVar[str] = "status"
    point: ClassVar[str] = "start"

    @property
    def cosine(self) -> Floats:
        """<w_j, w*_s>/|w_j|: the overlap itself where rows stay normalised."""
        norms = np.sqrt(np.diagonal(self.correlations, axis1=-2, axis2=-1))
        shape = np.shape(self.overlap)
        return np.asarray(self.overlap) / norms.reshape(_aligned(norms.shape, shape))

    def rows(self) -> list[dict[str, Any]]:
        """One dictionary a start and time, the time fastest."""
        batch = np.shape(self.status)
        times = np.atleast_1d(self.times)
        starts = int(np.prod(batch, dtype=int))
        state = np.shape(self.parameters["start"])[len(batch) :]
        overlap = np.reshape(self.overlap, (starts, times.size, *state)).tolist()
        start = np.reshape(self.parameters["start"], (starts, *state)).tolist()
        columns = {n: np.ravel(self.parameters[n]).tolist() for n in ("rate", "noise")}
        statistics = {
            n: np.ravel(getattr(self, n)).tolist()
            for n in ("status", "residual", "iterations", "numerical_error")
        }
        flow = {name: self.parameters[name] for name in ("reuse", "method")}
        return [
            flow
            | {name: column[i] for name, column in columns.items()}
            | {"start": start[i], "time": float(time), "overlap": overlap[i][j]}
            | {name: column[i] for name, column in statistics.items()}
            for i in range(starts)
            for j, time in enumerate(times)
        ]

    def document(self) -> Document:
        """JSON-ready: the model, its parameters, and one result a start and time."""
        fixed = {name: self.parameters[name] for name in ("loss", "method", "reuse")}
        return {"model": self.model, "parameters": fixed, "results": self.results()}


def _aligned(norms: tuple[int, ...], overlap: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of one norm a neuron, broadcast against overlaps."""
    batch = norms[:-1]
    state = len(overlap) - len(batch)
    return batch if state == 0 else (*batch, *([1] if state == 1 else [norms[-1], 1]))


def flow_solution(
    starts: Starts,
    times: NDArray[np.float64],
    found: Mapping[str, NDArray[Any]],
    back: NDArray[np.int64],
    size: tuple[int, int],
    settings: Mapping[str, object],
) -> SGDFlowSolution:
    """The runs in the shape of what was given.

    Parameters
    ----------
    times : ndarray
        As they were asked; overlap[:, back] is in their order.
    found : mapping of ndarrays
        See `Flow`.
    size : (p, r)
        Neurons and directions.
    settings : mapping
        Parameters that are no numbers.
    """
    batch, (p, r) = starts.shape, size
    state = () if p == r == 1 else (r,) if p == 1 else (p, r)
    return SGDFlowSolution(
        times=frozen(times),
        overlap=frozen(found["overlap"][:, back].reshape((*batch, *times.shape, *state))),
        correlations=frozen(found["correlations"][:, back].reshape((*batch, *times.shape, p, p))),
        status=statuses(status_texts(found["code"]).reshape(batch)),
        residual=frozen(found["residual"].reshape(batch)),
        numerical_error=frozen(found["error"].reshape(batch)),
        iterations=frozen(found["evaluations"].reshape(batch)),
        parameters=ReadOnly(
            {
                "rate": frozen(starts.rate.reshape(batch)),
                "noise": frozen(starts.noise.reshape(batch)),
                "start": frozen(starts.overlap.reshape((*batch, *state))),
                **settings,
            }
        ),
    )
