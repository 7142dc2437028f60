"""The protocol `full-batch`: gradient descent on one data set, with its matrix or by the exact law."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hermite_analytics.errors import InputError
from hermite_analytics.foundation.threads import ONE_EACH
from hermite_analytics.numeric.models.dmft.arguments import Run, Training, checked_run
from hermite_analytics.numeric.models.dmft.exact_law import exact_run
from hermite_analytics.numeric.models.dmft.limit_run import Diverged, require_bounded
from hermite_analytics.numeric.models.dmft.model import DMFT, placed
from hermite_analytics.numeric.models.dmft.place import Place
from hermite_analytics.numeric.models.dmft.quadrature import Quadrature
from hermite_analytics.numeric.models.dmft.sample import bytes_of, errors_on_fresh_samples, size_of
from hermite_analytics.numeric.models.dmft.weights import Weights
from hermite_analytics.numeric.protocols.full_batch.data import MOST_BYTES_KEPT, TrainingData
from hermite_analytics.numeric.simulator.backend import resolve_backend
from hermite_analytics.numeric.simulator.data import default_chunk_rows
from hermite_analytics.numeric.simulator.functions import ActivationLike, TargetLike
from hermite_analytics.numeric.simulator.parameters import positive_integer
from hermite_analytics.numeric.simulator.protocol import Sample, SimulationProtocol
from hermite_analytics.numeric.simulator.sgd.starts import teacher_directions, weights_with_overlaps

__all__ = ["FullBatchProtocol", "trained_run"]

Floats = NDArray[np.float64]
_MOST_DRAWN = 1e13  # normals, more than a day of ten processors


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class FullBatchProtocol(SimulationProtocol):
    """p neurons trained on n = alpha d samples that every step may see again.

    w_j <- (1 - eta ridge) w_j - (eta/d) sum_i s_i a_j sigma'(<w_j, x_i>) l'(f(x_i), y_i) x_i and
    a_j <- a_j - (readout_eta/n) sum_i s_i l'(f(x_i), y_i) sigma(<w_j, x_i>), with
    f = sum_j a_j sigma(h_j): the network of `DMFT`, whose limit its numbers approach. Rows start orthonormal
    to each other and to the target's directions, or with exactly the overlaps given.

    Parameters
    ----------
    model : DMFT
    d : int
    what : Run
        What every seed does.
    exact_law : bool
        Draw the run from its exact law at this n and d, without a data matrix; in float64.
    chunk_rows : int >= 1
        Samples of the data matrix worked on at once; changes the results by rounding only.
    device, dtype : str
        See `resolve_backend`.

    References
    ----------
    docs/dmft.md.
    """

    name: ClassVar[str] = "full-batch"

    model: DMFT
    d: int
    what: Run
    exact_law: bool = False
    chunk_rows: int
    device: str = "cpu"
    dtype: str = "float64"
    n: int = field(init=False)

    def __post_init__(self) -> None:
        if self.exact_law and self.dtype != "float64":
            raise InputError(f"dtype is {self.dtype!r}: the exact law takes 'float64'")
        resolve_backend(self.device, self.dtype)
        object.__setattr__(self, "n", size_of(self.model.network, self.what, self.d))
        drawn = float(self.n) * self.d * (self.what.usage.steps + 1)
        if not self.exact_law and drawn > _MOST_DRAWN:
            raise InputError(
                f"d is {self.d}: a data matrix of {self.n:,} rows, made anew at each step, takes {drawn:.2g} "
                "normals for one seed; accepted: at most 1e13, or exact_law (--exact-law), the same law "
                "without the matrix"
            )

    @classmethod
    def create(
        cls,
        *,
        activation: ActivationLike,
        target: TargetLike,
        d: int,
        alpha: float | None = None,
        eta: float,
        steps: int,
        readout: ArrayLike = (1.0,),
        loss: str = "square",
        reuse: float = 0.0,
        ridge: float = 0.0,
        noise: float = 0.0,
        schedule: str = "full",
        momentum: float = 0.0,
        overlap: ArrayLike | None = None,
        correlations: ArrayLike | None = None,
        spherical: bool = False,
        readout_eta: float = 0.0,
        exact_law: bool = False,
        chunk_rows: int | None = None,
        device: str = "cpu",
        dtype: str = "float64",
    ) -> FullBatchProtocol:
        """Build it from the arguments of `DMFT` and `DMFT.solve`.

        Raises
        ------
        InputError
            If a parameter is out of range.
        """
        model = DMFT(activation, target, readout, loss, reuse)
        training = Training(
            alpha=alpha,
            eta=eta,
            steps=steps,
            ridge=ridge,
            noise=noise,
            schedule=schedule,
            momentum=momentum,
            overlap=overlap,
            correlations=correlations,
            spherical=spherical,
            readout_eta=readout_eta,
        )
        d = positive_integer("d", d)
        rows = default_chunk_rows(d, len(model.readout), device) if chunk_rows is None else chunk_rows
        return cls(
            model=model,
            d=d,
            what=checked_run(model.network, training),
            exact_law=bool(exact_law),
            chunk_rows=positive_integer("chunk_rows", rows),
            device=device,
            dtype=dtype,
        )

    def run_many(self, seeds: Sequence[int], progress: Callable[[float], None] | None = None) -> list[Sample]:
        def after(done: int) -> Callable[[float], None] | None:
            return None if progress is None else lambda part: progress(done + part)

        return [self.run(seed, after(done)) for done, seed in enumerate(seeds)]

    def run(self, seed: int, progress: Callable[[float], None] | None = None) -> Sample:
        """One network on one data set.

        Parameters
        ----------
        seed : int
        progress : callable, optional
            progress(share of the run that is done).

        Returns
        -------
        dict of str to ndarray
            After t = 0, ..., T steps: overlap (T + 1, p, r), norm (T + 1, p, p), and trained_readout
            (T + 1, p) if readout_eta is not 0; train_error and train_loss, (1/n) sum (y - f)^2 and
            (1/n) sum l(f, y), label noise included; test_error and test_loss, E (g - f)^2 without and
            E l(f, y) with label noise on a fresh sample. NaN from where a run diverged.
        """
        network, what = self.model.network, self.what
        with np.errstate(over="ignore", invalid="ignore"):
            place = placed(self.model, self.device, self.dtype)
            if self.exact_law:
                with ONE_EACH:  # products of a cache's size: a second thread would wait for them
                    weights, train = exact_run(place, what, self.n, self.d, seed, progress)
                overlaps = [weights.overlap(t, network.problem.dimension) for t in _made(weights)]
            else:
                weights, train, directions = trained_run(
                    self.model, place, what, self.n, self.d, seed, self.chunk_rows, progress
                )
                overlaps = [weights.coordinates[t] @ directions.T for t in _made(weights)]
            norms = [weights.product(t, t) for t in _made(weights)]
        numbers = (overlaps, norms, weights.readouts)
        overlap, norm, readout = (_at(what.times, values) for values in numbers)
        quadrature = Quadrature(network=network, noise=what.noise, usage=what.usage)
        test = errors_on_fresh_samples(quadrature, readout, overlap, norm)
        return {
            "overlap": overlap,
            "norm": norm,
            **({"trained_readout": readout} if what.method.readout_eta else {}),
            "train_error": train[what.times, 0],
            "train_loss": train[what.times, 1],
            "test_error": test[:, 0],
            "test_loss": test[:, 1],
        }

    def memory(self) -> int:
        p, steps = len(self.model.readout), self.what.usage.steps
        if self.exact_law:
            return bytes_of(self.model.network, self.what, self.n)
        size = 4 if self.dtype == "float32" else 8
        inputs = size * self.n * self.d
        kept = inputs if inputs <= MOST_BYTES_KEPT else size * self.chunk_rows * self.d
        return int(kept + 8 * self.n * (3 * p + 2) + 8 * p * self.d * (steps + 2))

    def products(self) -> float:
        passes = 2 * len(self.model.readout) * (2 * self.what.usage.steps + 1)
        return 0.0 if self.exact_law else float(self.n) * self.d * (passes + 2 * self.model.target.dimension)

    def parameters(self) -> dict[str, Any]:
        return {
            "activation": self.model.activation.text,
            "target": self.model.target.text,
            "d": self.d,
            "n": self.n,
            "alpha": self.n / self.d,
            "eta": self.what.method.eta,
            "steps": self.what.steps,
            "readout": list(self.model.readout),
            "loss": self.model.loss,
            "reuse": self.model.reuse,
            "ridge": self.what.method.ridge,
            "noise": self.what.asked_noise,
            "schedule": self.what.schedule.text,
            "momentum": self.what.method.momentum,
            "spherical": self.what.method.spherical,
            "readout_eta": self.what.method.readout_eta,
            "exact_law": self.exact_law,
            "dtype": self.dtype,
        }


def trained_run(
    model: DMFT,
    place: Place,
    what: Run,
    n: int,
    d: int,
    seed: int,
    chunk_rows: int,
    progress: Callable[[float], None] | None = None,
) -> tuple[Weights, Floats, Floats]:
    """A network trained on a data matrix.

    Returns
    -------
    weights : Weights
        Its coordinates are the weights themselves, shape (p, d), after each gradient, while bounded.
    train : ndarray, shape (gradients + 1, 2)
        (1/n) sum (y - f)^2 and (1/n) sum l(f, y).
    directions : ndarray, shape (r, d)
    """
    p, r, steps = len(model.readout), model.target.dimension, what.usage.steps
    directions = teacher_directions(seed, r, d)
    start = weights_with_overlaps(seed, what.start[:, p:], what.start @ what.start.T, directions)
    weights = Weights(what.method, n / d, [start], [model.network.readout])
    data = TrainingData(model, place, what, n, directions, seed, chunk_rows)
    train = np.full((steps + 1, 2), np.nan)
    try:
        for t in range(steps + 1):
            gradient, pull, train[t] = data.gradient(
                weights.last, weights.readout, t, _step_of(progress, t, steps + 1)
            )
            if t < steps:
                weights.move(gradient / d, pull)
                require_bounded(weights)
    except Diverged as end:
        weights.cut(int(end.args[0]))
    return weights, train, directions


def _step_of(progress: Callable[[float], None] | None, t: int, passes: int) -> Callable[[float], None] | None:
    """The progress of a pass over the data, as that of the run."""
    return None if progress is None else lambda part: progress((t + part) / passes)


def _made(weights: Weights) -> range:
    return range(len(weights.coordinates))


def _at(times: list[int], values: list[Floats]) -> Floats:
    """The values at these times; NaN after the last of them."""
    missing = np.full_like(values[0], np.nan)
    return np.array([values[t] if t < len(values) else missing for t in times])
