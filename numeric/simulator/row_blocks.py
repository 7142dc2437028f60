"""Long arrays on the processor, a block of rows at a time, in as many threads as matrix products take.

A block stays in the caches, what is made on the way too. Blocks do not depend on the number of threads, and
neither do results.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from hermite_analytics.foundation.threads import in_threads, threads_of_products

__all__ = ["elementwise", "in_row_blocks"]

Result = TypeVar("Result")

_NUMBERS = 2**16  # of a block
_LEAST = 2**19  # what is shorter is done before threads have begun


def in_row_blocks(work: Callable[[slice], Result], rows: int, numbers: int) -> list[Result]:
    """work(block) for consecutive blocks of rows, in order, each of about 2**16 numbers.

    Parameters
    ----------
    work : callable
        Takes a slice of rows.
    rows : int
    numbers : int
        Of a row.

    Examples
    --------
    >>> in_row_blocks(lambda block: (block.start, block.stop), rows=10, numbers=2**14)
    [(0, 4), (4, 8), (8, 10)]
    """
    if 0 < rows * numbers <= _NUMBERS:  # short steps come in thousands
        return [work(slice(0, rows))]
    step = max(1, _NUMBERS // max(numbers, 1))
    blocks = [slice(first, min(first + step, rows)) for first in range(0, rows, step)]
    threads = threads_of_products() if rows * numbers >= _LEAST else 1
    return in_threads(work, blocks, threads)


def elementwise(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function, which takes long arrays of numpy in blocks; others at once."""

    def of_arrays(*arguments: Any) -> Any:
        first = arguments[0]
        alike = all(type(a) is np.ndarray and a.flags.c_contiguous and a.dtype.kind == "f" for a in arguments)
        alike = alike and len({(a.shape, a.dtype) for a in arguments}) == 1
        if not alike or first.size < _LEAST:
            return function(*arguments)
        flat, out = [a.reshape(-1) for a in arguments], np.empty_like(first).reshape(-1)

        def fill(block: slice) -> None:
            out[block] = function(*(a[block] for a in flat))

        in_row_blocks(fill, out.size, 1)
        return out.reshape(first.shape)

    return of_arrays
