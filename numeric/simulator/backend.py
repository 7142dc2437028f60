"""Where a simulation runs: the one place that knows array libraries and devices.

Protocols see the array API namespace `xp` only. On the processor, random numbers are made by compiled loops
and handed over; on a device they are made there.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import ModuleType
from typing import Any, TypeAlias

import array_api_compat
import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from hermite_analytics.errors import ConvergenceError, InputError
from hermite_analytics.foundation.arrays import Namespace
from hermite_analytics.numeric.checks import free_memory
from hermite_analytics.numeric.simulator.device_normals import device_normals
from hermite_analytics.numeric.simulator.row_blocks import in_row_blocks
from hermite_analytics.numeric.simulator.streams import GaussianStream

__all__ = ["DTYPES", "Array", "Backend", "on_host", "require_memory", "resolve_backend", "solve_positive"]

Array: TypeAlias = Any
"""An array of the backend's namespace (the standard defines no common static type)."""

DTYPES = ("float64", "float32")

# (namespace, device of its arrays) from the device's number, None where none was given.
Loader: TypeAlias = Callable[[int | None], tuple[Namespace, object]]

_GIGABYTE = 1e9
_REMEDIES = "smaller sizes, fewer chunk_rows, or dtype 'float32'"

# A processor gains by stacking what is so small that calls cost more than work, and loses what no longer
# fits into its caches (docs/performance.md, "Many seeds"); only millions of numbers keep a device busy.
_NUMBERS_ON_HOST = 2**18
_NUMBERS_ON_DEVICE = 2**24


@dataclass(frozen=True, slots=True, kw_only=True)
class Backend:
    """An array namespace, a device and a working precision.

    Parameters
    ----------
    xp : module
        An array API namespace with the `linalg` extension.
    place : object
        The device of its arrays, in the namespace's own terms.
    dtype : {"float64", "float32"}
        The type of data, weights and features; sums over chunks are float64 always.
    """

    xp: Namespace
    place: object
    dtype: str

    @property
    def on_host(self) -> bool:
        """Whether the arrays live in the memory of the processor."""
        if array_api_compat.is_torch_namespace(self.xp):
            return bool(getattr(self.place, "type", None) == "cpu")
        return not array_api_compat.is_cupy_namespace(self.xp)

    def array(self, values: NDArray[np.floating]) -> Array:
        """A host array, on the device, in the working precision."""
        host = np.ascontiguousarray(values, dtype=self.dtype)
        return self.xp.asarray(host, device=self.place)

    def normals(
        self, stream: GaussianStream, rows: int, columns: int, *, first_row: int = 0, step: int = 0
    ) -> Array:
        """Rows of a stream, on the device, in the working precision; see `GaussianStream.normals`."""
        if self.on_host:
            return self.array(stream.normals(rows, columns, first_row=first_row, step=step, dtype=self.dtype))
        number = self._cuda_number()
        if number is None or not _kernel_works(number):
            there = device_normals(self.xp, self.place, stream, rows, columns, first_row=first_row, step=step)
            return self.narrow(there)
        several = isinstance(stream.seed, tuple)
        shape = (len(stream.seed) if isinstance(stream.seed, tuple) else 1, rows, columns)
        table = self.xp.empty(shape, dtype=getattr(self.xp, self.dtype), device=self.place)
        kernel = importlib.import_module("hermite_analytics.numeric.simulator.device_kernel")
        kernel.fill_on_device(table, stream, first_row=first_row, step=step, number=number)
        return table if several else table[0, ...]

    def _cuda_number(self) -> int | None:
        """The number of the CUDA device; None of another one."""
        if array_api_compat.is_torch_namespace(self.xp):
            return int(getattr(self.place, "index", None) or 0) if not self.on_host else None
        return int(getattr(self.place, "id", 0)) if array_api_compat.is_cupy_namespace(self.xp) else None

    def wide(self, values: Array) -> Array:
        """The same values in float64."""
        return self.xp.astype(values, self.xp.float64, copy=False)

    def narrow(self, values: Array) -> Array:
        """The same values in the working precision."""
        return self.xp.astype(values, getattr(self.xp, self.dtype), copy=False)

    def in_row_blocks(self, work: Callable[[slice], Array], rows: int, numbers: int) -> list[Array]:
        """As `in_row_blocks`; all rows at once where numpy does not do the work."""
        if array_api_compat.is_numpy_namespace(self.xp):
            return in_row_blocks(work, rows, numbers)
        return [work(slice(0, rows))]

    def zeros(self, *shape: int) -> Array:
        """A float64 array of zeros, to accumulate in."""
        return self.xp.zeros(shape, dtype=self.xp.float64, device=self.place)

    def host(self, values: Array) -> NDArray[np.float64]:
        """A float64 array on the host."""
        return on_host(values)

    def total(self, values: Array) -> float:
        """The sum of all values, in float64."""
        return float(self.xp.sum(values, dtype=self.xp.float64))

    @property
    def numbers_at_once(self) -> int:
        """Numbers to work on at once where there is a choice."""
        return _NUMBERS_ON_HOST if self.on_host else _NUMBERS_ON_DEVICE

    def free_memory(self) -> int | None:
        """Bytes that can be had on the device now; None if that is not known."""
        if self.on_host:
            return free_memory()
        if array_api_compat.is_torch_namespace(self.xp):
            return int(importlib.import_module("torch").cuda.mem_get_info(self.place)[0])
        return int(importlib.import_module("cupy").cuda.runtime.memGetInfo()[0])


def on_host(values: Array) -> NDArray[np.float64]:
    """A float64 array of numpy, from one of any namespace."""
    if array_api_compat.is_torch_array(values) or array_api_compat.is_cupy_array(values):
        values = array_api_compat.to_device(values, "cpu")
    return np.asarray(values, dtype=np.float64)


def resolve_backend(device: str, dtype: str = "float64") -> Backend:
    """The backend behind a device's name.

    Parameters
    ----------
    device : str
        "cpu" (numpy), "torch" (torch on the processor), "cuda" or "cuda:<number>" (torch), "cupy".
    dtype : {"float64", "float32"}

    Returns
    -------
    Backend

    Raises
    ------
    InputError
        If the name is unknown, the library is not installed, or there is no such device.
    """
    if dtype not in DTYPES:
        raise InputError(f"dtype is {dtype!r}: accepted are {_listed(DTYPES)}")
    name, colon, number = device.partition(":")
    if name not in LOADERS or (colon and not (name == "cuda" and number.isdecimal())):
        raise InputError(f"device is {device!r}: accepted are {_listed(LOADERS)} and 'cuda:<number>'")
    xp, place = LOADERS[name](int(number) if colon else None)
    return Backend(xp=xp, place=place, dtype=dtype)


def require_memory(device: str, needed: int, remedies: str = _REMEDIES) -> None:
    """Refuse a simulation that cannot fit, before anything is run.

    Parameters
    ----------
    device : str
        See `resolve_backend`.
    needed : int
        Bytes that it holds at once.
    remedies : str
        What can be tried instead.

    Raises
    ------
    InputError
        If the device has less to give; where that is not known, nothing is refused.
    """
    free = resolve_backend(device).free_memory()
    if free is not None and needed > free:
        raise InputError(
            f"this size needs {needed / _GIGABYTE:.1f} GB of memory, and device {device!r} has "
            f"{free / _GIGABYTE:.1f} GB free: try {remedies}"
        )


def solve_positive(xp: Namespace, matrix: Array, right: Array) -> Array:
    """Solve matrix @ x = right for a symmetric positive definite float64 matrix, or for each of a stack.

    Parameters
    ----------
    xp : module
        The arrays' namespace.
    matrix : array, shape (..., size, size)
    right : array, shape (..., size)

    Returns
    -------
    array, shape (..., size)

    Raises
    ------
    ConvergenceError
        If the matrix is not positive definite to its precision.
    """
    if not array_api_compat.is_numpy_namespace(xp):
        return xp.linalg.solve(matrix, right[..., None])[..., 0]
    if right.ndim > 1:
        return np.stack([solve_positive(xp, one, its) for one, its in zip(matrix, right, strict=True)])
    try:
        factor = scipy.linalg.cho_factor(matrix, lower=True, check_finite=False)
    except scipy.linalg.LinAlgError:
        raise ConvergenceError(
            "the ridge is below the rounding error of the Gram matrix: use float64 or a larger ridge"
        ) from None
    return scipy.linalg.cho_solve(factor, right, check_finite=False)


@functools.cache
def _kernel_works(number: int) -> bool:
    """Whether numba-cuda is there and makes normals; if it is there and does not, a warning says why."""
    if importlib.util.find_spec("numba_cuda") is None:
        return False
    try:
        importlib.import_module("hermite_analytics.numeric.simulator.device_kernel").check(number)
    except Exception as error:  # of the driver, the compiler, or versions that do not fit: no common class
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        warnings.warn(
            f"numba-cuda does not work on this device ({reason}): random numbers are made by array "
            "operations, to rounding the same ones, and more slowly",
            RuntimeWarning,
            stacklevel=2,
        )
        return False
    return True


def _load_numpy(number: int | None) -> tuple[Namespace, object]:
    return importlib.import_module("array_api_compat.numpy"), "cpu"


def _load_torch(number: int | None) -> tuple[Namespace, object]:
    torch = _import("torch", device="torch", extra="gpu")
    return importlib.import_module("array_api_compat.torch"), torch.device("cpu")


def _load_cuda(number: int | None) -> tuple[Namespace, object]:
    torch = _import("torch", device="cuda", extra="gpu")
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if (number or 0) >= count:
        there = ", ".join(f"'cuda:{k}'" for k in range(count)) or "no CUDA device"
        raise InputError(
            f"device 'cuda:{number or 0}' is asked for, but torch sees {there}: "
            "use one that is there, 'cpu' or 'torch'"
        )
    return importlib.import_module("array_api_compat.torch"), torch.device("cuda", number or 0)


def _load_cupy(number: int | None) -> tuple[Namespace, object]:
    cupy = _import("cupy", device="cupy", extra="cupy")
    try:
        count = cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError:
        count = 0
    if not count:
        raise InputError("device 'cupy' is asked for, but cupy sees no CUDA device: use 'cpu'")
    return importlib.import_module("array_api_compat.cupy"), cupy.cuda.Device(0)


LOADERS: dict[str, Loader] = {
    "cpu": _load_numpy,
    "torch": _load_torch,
    "cuda": _load_cuda,
    "cupy": _load_cupy,
}


def _import(library: str, *, device: str, extra: str) -> ModuleType:
    try:
        return importlib.import_module(library)
    except ImportError:
        raise InputError(
            f"device {device!r} needs {library}, which is not installed: "
            f"install hermite-analytics[{extra}], or use device 'cpu'"
        ) from None


def _listed(names: Iterable[str]) -> str:
    return ", ".join(repr(name) for name in names)
