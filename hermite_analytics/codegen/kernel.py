"""Compiled kernels: what `ha.compile` returns."""

from __future__ import annotations

import math
from collections import namedtuple
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

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
        "numba", "cuda", "array" or "python".
    arguments, outputs : tuple of str
    error_bound : float
        Of the quadratures in it, relative to E|integrand| at each point, and of the tables of dual kernels,
        relative to E sigma^2: 0 if every output is a closed form. A quadrature that does not reach it at
        some point gives NaN there, unless all that its last refinement changed is rounding. Rounding comes
        on top.
    scalar : callable
        (numba, cuda) The compiled scalar function, callable from other compiled code; returns a tuple.
    """

    def __init__(
        self,
        *,
        source: str,
        backend: str,
        arguments: tuple[str, ...],
        outputs: tuple[str, ...],
        single: bool,
        error_bound: float,
    ) -> None:
        self.source = source
        self.backend = backend
        self.arguments = arguments
        self.outputs = outputs
        self.single = single
        self.error_bound = error_bound
        self._module = load_module(source)
        self._result: Any = namedtuple("KernelValues", outputs) if not single else None

    def __reduce__(self) -> tuple[Any, ...]:
        state = (self.source, self.backend, self.arguments, self.outputs, self.single, self.error_bound)
        return _rebuilt, state

    def __repr__(self) -> str:
        return f"<{self.backend} kernel ({', '.join(self.arguments)}) -> ({', '.join(self.outputs)})>"

    @property
    def scalar(self) -> Any:
        if self.backend not in ("numba", "cuda"):
            raise InputError(
                f"a kernel of backend {self.backend!r} has no scalar function; use 'numba' or 'cuda'"
            )
        return self._module.scalar

    def __call__(self, *values: Any) -> Any:
        if len(values) != len(self.arguments):
            raise InputError(
                f"this kernel takes {len(self.arguments)} arguments ({', '.join(self.arguments)}), "
                f"{len(values)} given"
            )
        results = self._evaluate[self.backend](self, values)
        return results[0] if self.single else self._result(*results)

    def _with_numba(self, values: tuple[Any, ...]) -> list[Any]:
        """Arrays are broadcast against each other; numbers stay numbers, computed with once."""
        arrays = [np.asarray(v, dtype=np.float64) for v in values]
        shape = np.broadcast_shapes(*(a.shape for a in arrays))
        point = all(a.ndim == 0 for a in arrays)
        flat = [float(a) if a.ndim == 0 and not point else _column(a, shape) for a in arrays]
        out = np.empty((len(self.outputs), math.prod(shape)))
        if self._module.over_arrays(out, 0, out.shape[1], *flat):
            self._module.repair(out, *flat)
        return [row.reshape(shape)[()] for row in out]

    def _with_cuda(self, values: tuple[Any, ...]) -> list[Any]:
        from hermite_analytics.codegen.cuda_backend.launch import launch

        return launch(self._module.over_arrays, len(self.outputs), values)

    def _with_arrays(self, values: tuple[Any, ...]) -> list[Any]:
        return list(self._module.evaluate(*_in_one_namespace(values)))

    def _with_python(self, values: tuple[Any, ...]) -> list[Any]:
        arrays = np.broadcast_arrays(*(np.asarray(v, dtype=np.float64) for v in values))
        points = [
            self._module.evaluate(*(float(x) for x in p)) for p in zip(*(a.flat for a in arrays), strict=True)
        ]
        out = np.array(points, dtype=np.float64).reshape(-1, len(self.outputs))
        return [out[:, k].reshape(arrays[0].shape)[()] for k in range(len(self.outputs))]

    _evaluate: ClassVar[dict[str, Callable[[Kernel, tuple[Any, ...]], list[Any]]]] = {
        "numba": _with_numba,
        "cuda": _with_cuda,
        "array": _with_arrays,
        "python": _with_python,
    }


def _column(values: NDArray[np.float64], shape: tuple[int, ...]) -> NDArray[np.float64]:
    """All points in one contiguous row, writeable so that one compiled loop serves every array."""
    full = values if values.shape == shape else np.broadcast_to(values, shape)
    return np.require(full, requirements=["C", "W"]).reshape(-1)


def _in_one_namespace(values: tuple[Any, ...]) -> list[Any]:
    """Arrays of floats: numbers become arrays of the type and on the device of the others."""
    from array_api_compat import array_namespace, device

    values = tuple(v.item() if isinstance(v, np.generic) else v for v in values)
    arrays = [v for v in values if hasattr(v, "dtype")]
    if not arrays:
        return [np.asarray(v, dtype=np.float64) for v in values]
    xp = array_namespace(*arrays)
    place = device(arrays[0])
    floats = [v if xp.isdtype(v.dtype, "real floating") else xp.astype(v, xp.float64) for v in arrays]
    common = xp.result_type(*floats)
    waiting = iter(floats)
    return [
        next(waiting) if any(v is a for a in arrays) else xp.asarray(v, dtype=common, device=place)
        for v in values
    ]


def _rebuilt(
    source: str,
    backend: str,
    arguments: tuple[str, ...],
    outputs: tuple[str, ...],
    single: bool,
    bound: float,
) -> Kernel:
    return Kernel(
        source=source,
        backend=backend,
        arguments=arguments,
        outputs=outputs,
        single=single,
        error_bound=bound,
    )
