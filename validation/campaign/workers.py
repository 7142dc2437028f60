"""What a worker does: the seeds of a cell, one after the other."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from hermite_analytics.errors import HermiteAnalyticsError
from hermite_analytics.validation.campaign.store import CellResult

if TYPE_CHECKING:  # a worker loads the experiments that its cells are of, if any
    from hermite_analytics.validation.experiments.experiment import Cell

__all__ = ["CellError", "run_cells"]


class CellError(HermiteAnalyticsError):
    """A simulation ended with an error; those of the batch before it are in `done`."""

    def __init__(self, message: str, done: list[CellResult]) -> None:
        super().__init__(message, done)  # both, so that it pickles
        self.done = done

    def __str__(self) -> str:
        return str(self.args[0])


def run_cells(cell: Cell, seeds: Sequence[int]) -> list[CellResult]:
    """Run the seeds of one cell one after the other; the result depends on nothing but the two arguments.

    Raises
    ------
    CellError
        If one of them raises an error, whatever it is.
    """
    results: list[CellResult] = []
    for seed in seeds:
        start = time.process_time()
        try:
            numbers = cell.run(seed)
        except Exception as error:
            kind = "" if isinstance(error, HermiteAnalyticsError) else f"{type(error).__name__}: "
            raise CellError(f"seed {seed}: {kind}{error}", results) from error
        results.append(CellResult(seed=seed, result=_plain(numbers), seconds=time.process_time() - start))
    return results


def _plain(numbers: Mapping[str, ArrayLike]) -> dict[str, object]:
    """Arrays as nested lists, numbers that are not finite as None."""
    plain: dict[str, object] = {}
    for name, value in numbers.items():
        array = np.asarray(value, dtype=float)
        values = array.astype(object)
        values[~np.isfinite(array)] = None
        plain[name] = values.tolist()
    return plain
