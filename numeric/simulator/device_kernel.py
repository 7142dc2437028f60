"""The normals of a stream on a CUDA device in one kernel: nothing but the table is written to its memory.

The words are those of `philox`, bit for bit, by the same function; the logarithm, sine and cosine are the
device's in float64, so that normals differ from those of the host by rounding. By array operations
(`device_normals`) each of about a hundred operations reads and writes a table of its own.

To import this module needs numba-cuda: `backend` asks whether it works before.
"""

from __future__ import annotations

import functools
import inspect
import math
from typing import Any

import numpy as np
from numba import cuda

from hermite_analytics.codegen.cuda_backend.launch import few_blocks_allowed
from hermite_analytics.foundation.arrays import Array
from hermite_analytics.numeric.simulator.normals import NORMALS_PER_COUNTER
from hermite_analytics.numeric.simulator.philox import philox4x32
from hermite_analytics.numeric.simulator.streams import GaussianStream, Purpose

__all__ = ["check", "fill_on_device"]

_THREADS, _ROWS = 256, 8  # of a block, and how many of them are along rows where there are as many
_MOST_BLOCKS = 65_535  # along rows and along tables: what a launch can have
_WORD_SCALE = 2.0**-32
_TURN = 2.0 * math.pi

_words = cuda.jit(device=True)(inspect.unwrap(philox4x32))


@cuda.jit(cache=True)  # type: ignore[untyped-decorator]
def _fill(out: Any, seeds: Any, first_row: Any, step: Any, stream: Any, purpose: Any) -> None:
    """`out` has shape (seeds, rows, columns); a thread takes one counter, four columns of a row.

    It goes on by the height and the depth of the grid.
    """
    block, first, first_table = cuda.grid(3)
    _, height, depth = cuda.gridsize(3)
    column = NORMALS_PER_COUNTER * block
    left = out.shape[2] - column
    if left <= 0:
        return
    for table in range(first_table, out.shape[0], depth):
        seed = np.uint64(seeds[table])
        for row in range(first, out.shape[1], height):
            w0, w1, w2, w3 = _words(
                np.uint64(block), np.uint64(first_row + row), np.uint64(step), np.uint64(stream),
                seed, np.uint64(purpose),
            )  # fmt: skip
            radius = math.sqrt(-2.0 * math.log((np.float64(w0) + 0.5) * _WORD_SCALE))
            angle = _TURN * ((np.float64(w1) + 0.5) * _WORD_SCALE)
            out[table, row, column] = radius * math.cos(angle)
            if left > 1:
                out[table, row, column + 1] = radius * math.sin(angle)
            if left > 2:
                radius = math.sqrt(-2.0 * math.log((np.float64(w2) + 0.5) * _WORD_SCALE))
                angle = _TURN * ((np.float64(w3) + 0.5) * _WORD_SCALE)
                out[table, row, column + 2] = radius * math.cos(angle)
            if left > 3:
                out[table, row, column + 3] = radius * math.sin(angle)


def fill_on_device(out: Array, stream: GaussianStream, *, first_row: int, step: int, number: int = 0) -> None:
    """Fill a table that stands on a device: rows first_row, first_row + 1, ... of a stream.

    Parameters
    ----------
    out : array of float64 or float32, shape (seeds, rows, columns)
        Of torch, cupy or numba; float32 takes the rounded float64 normals.
    stream : GaussianStream
        One seed, or as many as `out` has tables.
    first_row, step : int
        See `GaussianStream.normals`.
    number : int
        Of the device.
    """
    tables, rows, columns = out.shape
    if 0 in (tables, rows, columns):
        return
    seeds = stream.seed if isinstance(stream.seed, tuple) else (stream.seed,)
    height = _ROWS if rows >= _ROWS else 1
    lanes, width = -(-columns // NORMALS_PER_COUNTER), _THREADS // height
    grid = (-(-lanes // width), min(-(-rows // height), _MOST_BLOCKS), min(tables, _MOST_BLOCKS))
    with cuda.gpus[number], few_blocks_allowed():
        there = _there(seeds, number)
        _fill[grid, (width, height, 1)](out, there, first_row, step, 0, int(stream.purpose))


@functools.lru_cache(maxsize=64)
def _there(seeds: tuple[int, ...], number: int) -> Any:
    """The seeds in the memory of the device: to copy a few takes longer than to make many normals."""
    return cuda.to_device(np.asarray(seeds, dtype=np.uint64))


def check(number: int) -> None:
    """Fill a small table on a device; raises what the driver or the compiler does, or ArithmeticError."""
    stream = GaussianStream(seed=0, purpose=Purpose.CONTROL)
    with cuda.gpus[number]:
        table = cuda.to_device(np.full((1, 2, 6), np.nan))
    fill_on_device(table, stream, first_row=0, step=0, number=number)
    if not np.allclose(table.copy_to_host()[0], stream.normals(2, 6), rtol=0, atol=1e-13):
        raise ArithmeticError("its normals are not those of the host")
