"""Where a simulation runs: the one place that knows array libraries and devices.

Protocols see the array API namespace `xp` only. Random numbers are made on the host and handed over here.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any, TypeAlias

import array_api_compat
import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from hermite_analytics.errors import ConvergenceError, InputError

__all__ = ["DTYPES", "Array", "Backend", "resolve_backend", "solve_positive"]

Array: TypeAlias = Any
"""An array of the backend's namespace (the standard defines no common static type)."""

DTYPES = ("float64", "float32")

# (namespace, device of its arrays) from the device's number, None where none was given.
Loader: TypeAlias = Callable[[int | None], tuple[ModuleType, Any]]


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

    xp: Any
    place: Any
    dtype: str

    def array(self, values: NDArray[Any]) -> Array:
        """A host array, on the device, in the working precision."""
        host = np.ascontiguousarray(values, dtype=self.dtype)
        return self.xp.asarray(host, device=self.place)

    def wide(self, values: Array) -> Array:
        """The same values in float64."""
        return self.xp.astype(values, self.xp.float64, copy=False)

    def narrow(self, values: Array) -> Array:
        """The same values in the working precision."""
        return self.xp.astype(values, getattr(self.xp, self.dtype), copy=False)

    def zeros(self, *shape: int) -> Array:
        """A float64 array of zeros, to accumulate in."""
        return self.xp.zeros(shape, dtype=self.xp.float64, device=self.place)

    def host(self, values: Array) -> NDArray[np.float64]:
        """A float64 array on the host."""
        if array_api_compat.is_torch_array(values) or array_api_compat.is_cupy_array(values):
            values = array_api_compat.to_device(values, "cpu")
        return np.asarray(values, dtype=np.float64)

    def total(self, values: Array) -> float:
        """The sum of all values, in float64."""
        return float(self.xp.sum(values, dtype=self.xp.float64))


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


def solve_positive(xp: Any, matrix: Array, right: Array) -> Array:
    """Solve matrix @ x = right for a symmetric positive definite float64 matrix.

    Parameters
    ----------
    xp : module
        The arrays' namespace.
    matrix : array, shape (size, size)
    right : array, shape (size,)

    Returns
    -------
    array, shape (size,)

    Raises
    ------
    ConvergenceError
        If the matrix is not positive definite to its precision.
    """
    if not array_api_compat.is_numpy_namespace(xp):
        return xp.linalg.solve(matrix, right[:, None])[:, 0]
    try:
        factor = scipy.linalg.cho_factor(matrix, lower=True, check_finite=False)
    except scipy.linalg.LinAlgError:
        raise ConvergenceError(
            "the ridge is below the rounding error of the Gram matrix: use float64 or a larger ridge"
        ) from None
    return scipy.linalg.cho_solve(factor, right, check_finite=False)


def _load_numpy(number: int | None) -> tuple[ModuleType, Any]:
    return importlib.import_module("array_api_compat.numpy"), "cpu"


def _load_torch(number: int | None) -> tuple[ModuleType, Any]:
    torch = _import("torch", device="torch", extra="gpu")
    return importlib.import_module("array_api_compat.torch"), torch.device("cpu")


def _load_cuda(number: int | None) -> tuple[ModuleType, Any]:
    torch = _import("torch", device="cuda", extra="gpu")
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if (number or 0) >= count:
        raise InputError(
            f"device 'cuda:{number or 0}' is asked for, but torch sees {count} CUDA devices: use 'cpu'"
        )
    return importlib.import_module("array_api_compat.torch"), torch.device("cuda", number or 0)


def _load_cupy(number: int | None) -> tuple[ModuleType, Any]:
    cupy = _import("cupy", device="cupy", extra="cupy")
    return importlib.import_module("array_api_compat.cupy"), cupy.cuda.Device(0)


LOADERS: dict[str, Loader] = {
    "cpu": _load_numpy,
    "torch": _load_torch,
    "cuda": _load_cuda,
    "cupy": _load_cupy,
}


def _import(library: str, *, device: str, extra: str) -> Any:
    try:
        return importlib.import_module(library)
    except ImportError:
        raise InputError(
            f"device {device!r} needs {library}, which is not installed: "
            f"install hermite-analytics[{extra}], or use device 'cpu'"
        ) from None


def _listed(names: Any) -> str:
    return ", ".join(repr(name) for name in names)
