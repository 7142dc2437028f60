"""Runs at finite n and d, drawn from their exact law."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hermite_analytics.errors import InputError
from hermite_analytics.numeric.dmft.arguments import Run
from hermite_analytics.numeric.dmft.exact_law import exact_run, require_dimension
from hermite_analytics.numeric.dmft.response import correlations_of
from hermite_analytics.numeric.dmft.rows import Network
from hermite_analytics.numeric.solution import ReadOnly, frozen

__all__ = ["DMFTSample", "sampled_networks"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DMFTSample:
    """Overlaps and errors of networks after t = 0, ..., T steps; the first axis is that of the seeds.

    Attributes
    ----------
    overlap : ndarray, shape (seeds, T + 1, p, r)
        NaN from where a run diverged.
    norm : ndarray, shape (seeds, T + 1, p, p)
    correlation : ndarray, shape (seeds, T + 1, T + 1, p, p)
        <w_j(t), w_l(s)>.
    train_error, train_loss : ndarray, shape (seeds, T + 1)
        (1/n) sum (y - f)^2 and (1/n) sum l(f, y), label noise included.
    parameters : mapping
        With n, d and the seeds.

    Examples
    --------
    >>> from hermite_analytics.numeric import DMFT
    >>> runs = DMFT("tanh", "z1").sample(d=20, alpha=2, eta=0.3, steps=1, seeds=range(5))
    >>> runs.parameters["n"], runs.mean("train_error")[0].shape
    (40, (2,))
    """

    overlap: Any
    norm: Any
    correlation: Any
    train_error: Any
    train_loss: Any
    parameters: Mapping[str, Any]
    model: str = "dmft"

    def mean(self, what: str) -> tuple[Any, Any]:
        """The mean over the seeds of "overlap", "norm", "train_error" or "train_loss", and its error.

        It is one standard error, NaN for a single seed. Both have the shape of one run.
        """
        values = np.asarray(getattr(self, what))
        count = values.shape[0]
        spread = values.std(axis=0, ddof=1) if count > 1 else np.full(values.shape[1:], np.nan)
        return values.mean(axis=0), spread / np.sqrt(count)


def sampled_networks(
    network: Network, run: Run, d: Any, seeds: Any, parameters: Mapping[str, Any]
) -> DMFTSample:
    """One run a seed."""
    if not isinstance(d, int) or isinstance(d, bool):
        raise InputError(f"d is {d!r}; an integer is accepted")
    require_dimension(network, run, d)
    n = round(run.alpha * d)
    if n < 1:
        raise InputError(f"alpha d is {run.alpha * d:g}; accepted: at least one sample")
    chosen = [seeds] if isinstance(seeds, int) else list(seeds)
    if not chosen or not all(isinstance(seed, int) for seed in chosen):
        raise InputError(f"seeds is {seeds!r}; an integer or several are accepted")
    p, r, times = network.readout.size, network.problem.dimension, run.times
    overlap = np.full((len(chosen), len(times), p, r), np.nan)
    correlation = np.full((len(chosen), len(times), len(times), p, p), np.nan)
    train = np.full((len(chosen), len(times), 2), np.nan)
    for i, seed in enumerate(chosen):
        with np.errstate(over="ignore", invalid="ignore"):
            weights, errors = exact_run(network, run, n, d, seed)
        train[i] = errors[times]
        for place, t in enumerate(times):
            if t < len(weights.coordinates):
                overlap[i, place] = weights.overlap(t, r)
        correlation[i] = correlations_of([weights], times)
    return DMFTSample(
        overlap=frozen(overlap),
        norm=frozen(np.einsum("sttjl->stjl", correlation)),
        correlation=frozen(correlation),
        train_error=frozen(train[:, :, 0]),
        train_loss=frozen(train[:, :, 1]),
        parameters=ReadOnly({**parameters, "n": n, "d": d, "seeds": tuple(chosen)}),
    )
