"""The data set of a run with its matrix, and the gradients of a network on it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.codegen import compile
from hermite_analytics.numeric.models.dmft.arguments import Run
from hermite_analytics.numeric.models.dmft.exact_law import masks_of
from hermite_analytics.numeric.models.dmft.model import DMFT
from hermite_analytics.numeric.models.dmft.place import Place
from hermite_analytics.numeric.simulator.backend import Array
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

    __slots__ = ("_kept", "_masks", "_n", "_pieces", "_place", "_source")

    def __init__(
        self, model: DMFT, place: Place, what: Run, n: int, directions: Floats, seed: int, chunk_rows: int
    ) -> None:
        self._place, self._n, backend = place, n, place.backend
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
        self._kept: dict[int, tuple[Array, Array]] | None = (
            {} if size * n * directions.shape[1] <= MOST_BYTES_KEPT else None
        )

    def gradient(
        self, weights: Floats, readout: Floats, t: int, progress: Callable[[float], None] | None
    ) -> tuple[Floats, Floats, tuple[float, float]]:
        """Of gradient t sum_i s_i g_i x_i (p, d) and (1/n) sum_i s_i l' sigma (p,); error and loss of all."""
        place, backend, network = self._place, self._place.backend, self._place.network
        turned, a = backend.array(weights.T), place.there(readout)
        total, pull, error, loss = place.zeros(*weights.shape), place.zeros(len(weights)), 0.0, 0.0
        for first, count in self._pieces:
            x, y = self._rows(first, count)
            is_step = t < self._masks.shape[0]
            mask = place.mask(self._masks[t, first : first + count]) if is_step else None
            answer = network.answer(a, backend.wide((x @ turned).T), y, mask)
            error += backend.total((y - answer.prediction) ** 2)
            loss += backend.total(network.loss.value(y, answer.prediction))
            if is_step:
                total += backend.wide(backend.narrow(answer.gradient) @ x)
                pull += answer.pull(place.zeros(count) + 1.0 / self._n)
            if progress is not None:
                progress((first + count) / self._n)
        return place.here(total), place.here(pull), (error / self._n, loss / self._n)

    def _rows(self, first: int, count: int) -> tuple[Array, Array]:
        if self._kept is not None and first in self._kept:
            return self._kept[first]
        x, y = self._source.rows(first, count)
        found = x, self._place.backend.wide(y)
        self._place.network.loss.check_labels(found[1])
        if self._kept is not None:
            self._kept[first] = found
        return found
