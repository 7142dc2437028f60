"""Compiled kernels: what `ha.compile` returns."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hermite_analytics.codegen.back_ends import back_end, names_where
from hermite_analytics.codegen.cache import load_module
from hermite_analytics.codegen.files import write_text
from hermite_analytics.errors import InputError
from hermite_analytics.foundation.arrays import Values

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
        The name of the back end.
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
        self._result: Callable[..., object] | None = None if single else namedtuple("KernelValues", outputs)

    def __reduce__(self) -> tuple[Callable[..., Kernel], tuple[object, ...]]:
        state = (self.source, self.backend, self.arguments, self.outputs, self.single, self.error_bound)
        return _rebuilt, state

    def __repr__(self) -> str:
        return f"<{self.backend} kernel ({', '.join(self.arguments)}) -> ({', '.join(self.outputs)})>"

    @property
    def answered_by(self) -> str:
        """The back end of the last values: "array" or "numba" for a kernel of "auto", else its own."""
        tiers = getattr(self._module, "TIERS", None)
        return self.backend if tiers is None else str(tiers.answered_by)

    @property
    def scalar(self) -> Callable[..., tuple[float, ...]]:
        if not back_end(self.backend).has_scalar:
            raise InputError(
                f"a kernel of backend {self.backend!r} has no scalar function; use "
                f"{names_where(lambda b: b.has_scalar)}"
            )
        scalar: Callable[..., tuple[float, ...]] = self._module.scalar
        return scalar

    def __call__(self, *values: Values) -> Any:
        if len(values) != len(self.arguments):
            raise InputError(
                f"this kernel takes {len(self.arguments)} arguments ({', '.join(self.arguments)}), "
                f"{len(values)} given"
            )
        results = back_end(self.backend).evaluate(self._module, len(self.outputs), values)
        return results[0] if self._result is None else self._result(*results)

    def save(self, path: str | Path) -> Path:
        """Write the source as a file that runs without this library.

        Parameters
        ----------
        path : str or Path

        Returns
        -------
        Path

        Raises
        ------
        InputError
            If the source imports this library, or the file cannot be written.

        Examples
        --------
        >>> import hermite_analytics as ha
        >>> kernel = ha.compile(ha.Activation("erf(z)").expression, ("z",), backend="standalone")
        >>> "import numpy as np" in kernel.source
        True
        """
        if not back_end(self.backend).is_portable:
            raise InputError(
                f"the source of a kernel of backend {self.backend!r} imports this library; compile with "
                f"backend {names_where(lambda b: b.is_portable)} to save a file that does not"
            )
        return write_text(path, self.source)


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
