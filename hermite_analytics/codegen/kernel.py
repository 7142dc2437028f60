"""Compiled kernels: what `ha.compile` returns."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np

from hermite_analytics.codegen.cache import load_module
from hermite_analytics.errors import InputError

__all__ = ["Kernel"]


class Kernel:
    """One generated module and how to call it.

    Calling it broadcasts its arguments as NumPy does and returns one array, or a named tuple of arrays
    if a mapping was compiled. Kernels pickle by their source.

    Attributes
    ----------
    source : str
        The generated code.
    backend : str
        "numba" or "array".
    arguments, outputs : tuple of str
    scalar : callable
        (numba) The compiled scalar function, callable from other compiled code; returns a tuple.
    """

    def __init__(
        self, source: str, backend: str, arguments: tuple[str, ...], outputs: tuple[str, ...], single: bool
    ) -> None:
        self.source = source
        self.backend = backend
        self.arguments = arguments
        self.outputs = outputs
        self.single = single
        self._module = load_module(source)
        self._result: Any = namedtuple("KernelValues", outputs) if not single else None

    def __reduce__(self) -> tuple[Any, ...]:
        return Kernel, (self.source, self.backend, self.arguments, self.outputs, self.single)

    def __repr__(self) -> str:
        return f"<{self.backend} kernel ({', '.join(self.arguments)}) -> ({', '.join(self.outputs)})>"

    @property
    def scalar(self) -> Any:
        if self.backend != "numba":
            raise InputError(f"a kernel of backend {self.backend!r} has no scalar function; use 'numba'")
        return self._module.scalar

    def __call__(self, *values: Any) -> Any:
        if len(values) != len(self.arguments):
            raise InputError(
                f"this kernel takes {len(self.arguments)} arguments ({', '.join(self.arguments)}), "
                f"{len(values)} given"
            )
        if self.backend == "array":
            if not any(hasattr(v, "shape") for v in values):
                values = tuple(np.asarray(v, dtype=np.float64) for v in values)
            results = self._module.evaluate(*values)
        else:
            results = self._over_arrays(values)
        return results[0] if self.single else self._result(*results)

    def _over_arrays(self, values: tuple[Any, ...]) -> list[Any]:
        arrays = np.broadcast_arrays(*(np.asarray(v, dtype=np.float64) for v in values))
        shape = arrays[0].shape
        out = np.empty((len(self.outputs), arrays[0].size))
        self._module.over_arrays(out, *(np.ascontiguousarray(a).reshape(-1) for a in arrays))
        return [row.reshape(shape)[()] for row in out]
