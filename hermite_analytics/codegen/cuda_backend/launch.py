"""Calling an elementwise CUDA kernel with arrays of the host or of the device."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeGuard

import numpy as np

from hermite_analytics.errors import InputError
from hermite_analytics.foundation.arrays import Array, Values

if TYPE_CHECKING:
    from numba.cuda.dispatcher import CUDADispatcher

__all__ = ["few_blocks_allowed", "launch"]

_THREADS = 128


def launch(kernel: CUDADispatcher, outputs: int, values: tuple[Values, ...]) -> list[object]:
    """One array for each output, of the broadcast shape of the values.

    Host arrays are copied there and back. Arrays that stand on the device (numba's, cupy's, torch's: they
    have `__cuda_array_interface__`) stay there, and so do the results; these must be of one shape.
    """
    from numba import cuda

    if not cuda.is_available():
        raise InputError(
            "no CUDA device was found; use backend 'numba' or 'array', or set NUMBA_ENABLE_CUDASIM=1 to "
            "run CUDA kernels in the simulator"
        )
    if any(_is_on_device(v) for v in values):
        return _on_device(kernel, outputs, values)
    arrays = [np.asarray(v, dtype=np.float64) for v in values]
    shape = np.broadcast_shapes(*(a.shape for a in arrays))
    size = math.prod(shape)
    if size == 0:
        return [np.empty(shape) for _ in range(outputs)]
    flat = [
        cuda.to_device(
            a.reshape(1) if a.size == 1 else np.ascontiguousarray(np.broadcast_to(a, shape)).reshape(-1)
        )
        for a in arrays
    ]
    out = cuda.device_array((outputs, size), dtype=np.float64)
    with few_blocks_allowed():
        kernel[_blocks(size), _THREADS](out, *flat)
    return [row.reshape(shape)[()] for row in out.copy_to_host()]


@contextlib.contextmanager
def few_blocks_allowed() -> Iterator[None]:
    """Launch without numba's warning that few points leave a device idle: how many there are is not ours."""
    from numba import config

    before = config.CUDA_LOW_OCCUPANCY_WARNINGS
    config.CUDA_LOW_OCCUPANCY_WARNINGS = 0
    try:
        yield
    finally:
        config.CUDA_LOW_OCCUPANCY_WARNINGS = before


def _on_device(kernel: CUDADispatcher, outputs: int, values: tuple[Values, ...]) -> list[object]:
    from numba import cuda

    arrays = [v for v in values if _is_on_device(v)]
    shape = tuple(arrays[0].shape)
    if any(tuple(a.shape) != shape for a in arrays):
        shapes = ", ".join(str(tuple(a.shape)) for a in arrays)
        raise InputError(
            f"device arrays of shapes {shapes} were given; they are not broadcast: give one shape"
        )
    size = math.prod(shape)
    flat = [
        cuda.as_cuda_array(v).reshape(size)
        if _is_on_device(v)
        else cuda.to_device(np.full(1, float(np.asarray(v))))
        for v in values
    ]
    out = cuda.device_array((outputs, size), dtype=np.float64)
    if size:
        with few_blocks_allowed():
            kernel[_blocks(size), _THREADS](out, *flat)
    return [out[k].reshape(*shape) for k in range(outputs)]


def _is_on_device(value: Values) -> TypeGuard[Array]:
    return hasattr(value, "__cuda_array_interface__")


def _blocks(size: int) -> int:
    return (size + _THREADS - 1) // _THREADS
