"""Runs at finite n and d, drawn from their exact law."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from hermite_analytics.errors import InputError
from hermite_analytics.foundation.json import Document
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.numeric.frozen import ReadOnly, frozen
from hermite_analytics.numeric.models import MODELS
from hermite_analytics.numeric.models.dmft.arguments import Run
from hermite_analytics.numeric.models.dmft.exact_law import exact_run, require_dimension
from hermite_analytics.numeric.models.dmft.fresh import fresh_errors
from hermite_analytics.numeric.models.dmft.network import Network
from hermite_analytics.numeric.models.dmft.place import Place
from hermite_analytics.numeric.models.dmft.quadrature import Quadrature
from hermite_analytics.numeric.models.dmft.response import correlations_of
from hermite_analytics.numeric.simulator.backend import require_memory
from hermite_analytics.numeric.simulator.results import Estimate
from hermite_analytics.rendering import Drawing, Frame
from hermite_analytics.rendering.result import ByFields

__all__ = ["DMFTSample", "bytes_of", "errors_on_fresh_samples", "sampled_networks", "size_of"]

_NUMBERS = ("overlap", "norm", "trained_readout", "train_error", "train_loss", "test_error", "test_loss")
_TEST_TOLERANCE = 1e-5


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class DMFTSample(ByFields):
    """Overlaps and errors of networks after t = 0, ..., T steps; the first axis is that of the seeds.

    Attributes
    ----------
    overlap : ndarray, shape (seeds, T + 1, p, r)
        NaN from where a run diverged.
    norm : ndarray, shape (seeds, T + 1, p, p)
    correlation : ndarray, shape (seeds, T + 1, T + 1, p, p)
        <w_j(t), w_l(s)>.
    trained_readout : ndarray, shape (seeds, T + 1, p)
        a_j.
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

    overlap: Array
    norm: Array
    correlation: Array
    trained_readout: Array
    train_error: Array
    train_loss: Array
    parameters: Mapping[str, Any]
    quadrature: Quadrature = field(compare=False)
    model: str = "dmft"

    @property
    def test_error(self) -> Array:
        """E (g - f)^2 on a fresh sample, label noise excluded, shape (seeds, T + 1); found when asked for."""
        return self._test[..., 0]

    @property
    def test_loss(self) -> Array:
        """E l(f, y) on a fresh sample, label noise included, shape (seeds, T + 1); found when asked for."""
        return self._test[..., 1]

    def mean(self, what: str) -> tuple[Array, Array]:
        """The mean over the seeds of "overlap", "norm" or an error or loss, and its error.

        It is one standard error, NaN for a single seed. Both have the shape of one run.
        """
        found = Estimate.of(np.asarray(getattr(self, what)))
        return found.mean, np.full(found.mean.shape, np.nan) if found.stderr is None else found.stderr

    def rows(self) -> list[dict[str, Any]]:
        """One dictionary a step: means with standard errors over seeds."""
        names = [n for n in _NUMBERS if n != "trained_readout" or self.parameters["readout_eta"]]
        found = {name: Estimate.of(np.asarray(getattr(self, name))).to_json() for name in names}
        steps = range(np.shape(self.train_error)[1])
        return [{"step": t} | {name: numbers[t] for name, numbers in found.items()} for t in steps]

    def document(self) -> Document:
        """JSON-ready: the model, its parameters, and for each step means with standard errors over seeds."""
        fixed = {name: list(x) if isinstance(x, tuple) else x for name, x in self.parameters.items()}
        return {"model": self.model, "parameters": fixed, "results": self.rows()}

    def frame(self) -> Frame:
        """The steps with the parameters of the runs."""
        record = MODELS[self.model]
        columns = dict(record.columns())
        return Frame(
            title=f"{self.model}, simulated",
            rows=tuple(self.rows()),
            columns=columns,
            fixed={n: x for n, x in self.parameters.items() if x is not None},
            sources=record.sources,
        )

    def drawing(self) -> Drawing:
        """Mean overlaps with one standard error."""
        return replace(MODELS[self.model].drawing(self.frame()), points=True)

    @property
    def _test(self) -> Array:
        return errors_on_fresh_samples(self.quadrature, self.trained_readout, self.overlap, self.norm)


def errors_on_fresh_samples(quadrature: Quadrature, readout: Array, overlap: Array, norm: Array) -> Array:
    """E (g - f)^2 and E l, shape (..., 2), at readouts (..., p), overlaps (..., p, r), norms (..., p, p)."""
    p, r = overlap.shape[-2:]
    networks = zip(readout.reshape(-1, p), overlap.reshape(-1, p, r), norm.reshape(-1, p, p), strict=True)
    missing = np.full(2, np.nan)
    found = [
        fresh_errors(quadrature, a, m, q, _TEST_TOLERANCE)[0] if np.all(np.isfinite(q)) else missing
        for a, m, q in networks
    ]
    return np.reshape(found, (*overlap.shape[:-2], 2))


def size_of(network: Network, run: Run, d: int) -> int:
    """n = alpha d, rounded; a d or an n that is too small is refused."""
    if not isinstance(d, int) or isinstance(d, bool):
        raise InputError(f"d is {d!r}; an integer is accepted")
    require_dimension(network, run, d)
    n = round(run.alpha * d)
    if n < 1:
        raise InputError(f"alpha d is {run.alpha * d:g}; accepted: at least one sample")
    return n


def bytes_of(network: Network, run: Run, n: int) -> int:
    """Of n rows under the exact law, with what is made beside them."""
    p, r = network.readout.size, network.problem.dimension
    return 8 * n * (2 * p * (run.usage.steps + 3) + p + r + 5)


def sampled_networks(
    place: Place, run: Run, d: int, seeds: int | Sequence[int], parameters: Mapping[str, Any]
) -> DMFTSample:
    """One run a seed; the rows stand at the place, and errors on fresh samples are the processor's."""
    network = place.network
    n = size_of(network, run, d)
    require_memory(place.device, bytes_of(network, run, n), "fewer samples, steps or neurons")
    chosen = [seeds] if isinstance(seeds, int) else list(seeds)
    if not chosen or not all(isinstance(seed, int) for seed in chosen):
        raise InputError(f"seeds is {seeds!r}; an integer or several are accepted")
    p, r, times = network.readout.size, network.problem.dimension, run.times
    overlap = np.full((len(chosen), len(times), p, r), np.nan)
    correlation = np.full((len(chosen), len(times), len(times), p, p), np.nan)
    readout = np.full((len(chosen), len(times), p), np.nan)
    train = np.full((len(chosen), len(times), 2), np.nan)
    for i, seed in enumerate(chosen):
        with np.errstate(over="ignore", invalid="ignore"):
            weights, errors = exact_run(place, run, n, d, seed)
        train[i] = errors[times]
        for at, t in enumerate(times):
            if t < len(weights.coordinates):
                overlap[i, at], readout[i, at] = weights.overlap(t, r), weights.readouts[t]
        correlation[i] = correlations_of([weights], times)
    return DMFTSample(
        overlap=frozen(overlap),
        norm=frozen(np.einsum("sttjl->stjl", correlation)),
        correlation=frozen(correlation),
        trained_readout=frozen(readout),
        train_error=frozen(train[:, :, 0]),
        train_loss=frozen(train[:, :, 1]),
        parameters=ReadOnly({**parameters, "n": n, "d": d, "seeds": tuple(chosen)}),
        quadrature=Quadrature(network=network, noise=run.noise, usage=run.usage),
    )
