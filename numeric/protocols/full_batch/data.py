"""The data set of a run with its matrix, and the gradients of a network on it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.codegen import compile
from hermite_analytics.numeric.models.dmft.arguments import Run
from hermite_analytics.numeric.models.dmft.exact_law import masks_of
from hermite_analytics.numeric.models.dmft.model import DMFT
from hermite_analytics.numeric.simulator.backend import Array, Backend
from hermite_analytics.numeric.simulator.data import IndexData, chunks
from hermite_analytics.numeric.simulator.functions import Elementwise
from hermite_analytics.numeric.simulator.streams import Purpose
from hermite_analytics.symbols import variable, xi
from hermite_analytics.target import Target

__all__ = ["MOST_BYTES_KEPT", "TrainingData"]

Floats = NDArray[np.float64]
MOST_BYTES_KEPT = 4e9  # of inputs; larger ones are made anew at each pass


def _link(model: DMFT) -> Elementwise:
    """g of the indices, and of a label noise that is not additive."""
    target: Target = model.target
    if not model.network.problem.hidden:
        return target.function("array")
    symbols = (*(variable(j + 1) for j in range(target.dimension)), xi)
    return compile(target.expression, symbols, backend="array")


class TrainingData:
    """A data set in chunks, kept where that is not too much."""

    __slots__ = ("_backend", "_kept", "_masks", "_model", "_n", "_pieces", "_source")

    def __init__(
        self, model: DMFT, what: Run, n: int, directions: Floats, seed: int, backend: Backend, chunk_rows: int
    ) -> None:
        self._model, self._n, self._backend = model, n, backend
        self._source = IndexData(
            backend=backend,
            directions=backend.array(directions),
            link=_link(model),
            seed=seed,
            purpose=Purpose.STEP_DATA,
            noise_purpose=Purpose.STEP_NOISE,
            noise=what.noise,
            hidden=model.network.problem.hidden,
        )
        self._masks = masks_of(what, n, seed)
        self._pieces = list(chunks(0, n, chunk_rows))
        size = 4 if backend.dtype == "float32" else 8
        self._kept: dict[int, tuple[Array, Floats]] | None = (
            {} if size * n * directions.shape[1] <= MOST_BYTES_KEPT else None
        )

    def gradient(
        self, weights: Floats, readout: Floats, t: int, progress: Callable[[float], None] | None
    ) -> tuple[Floats, Floats, tuple[float, float]]:
        """Of gradient t sum_i s_i g_i x_i (p, d) and (1/n) sum_i s_i l' sigma (p,); error and loss of all."""
        network, backend = self._model.network, self._backend
        turned = backend.array(weights.T)
        total, pull, error, loss = np.zeros_like(weights), np.zeros(len(weights)), 0.0, 0.0
        for first, count in self._pieces:
            x, y = self._rows(first, count)
            fields = np.ascontiguousarray(backend.host(x @ turned).T)
            is_step = t < self._masks.shape[0]
            answer = network.answer(
                readout, fields, y, self._masks[t, first : first + count] if is_step else None
            )
            error += float(np.sum((y - answer.prediction) ** 2))
            loss += float(np.sum(network.loss.value(y, answer.prediction)))
            if is_step:
                total += backend.host(backend.array(answer.gradient) @ x)
                pull += answer.pull(np.full(count, 1.0 / self._n))
            if progress is not None:
                progress((first + count) / self._n)
        return total, pull, (error / self._n, loss / self._n)

    def _rows(self, first: int, count: int) -> tuple[Array, Floats]:
        if self._kept is not None and first in self._kept:
            return self._kept[first]
        x, y = self._source.rows(first, count)
        found = x, self._backend.host(y)
        self._model.network.loss.check_labels(found[1])
        if self._kept is not None:
            self._kept[first] = found
        return found
