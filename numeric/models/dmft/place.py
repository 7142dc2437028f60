"""Where training rows stand: in the memory of the processor, or on a device."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.numeric.models.dmft.network import Network
from hermite_analytics.numeric.simulator.backend import Array, Backend, resolve_backend

__all__ = ["Place", "on_the_processor"]

_ROWS_OF_A_CACHE = 2**14
_ROWS_OF_A_DEVICE = 2**24


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Place:
    """Rows are arrays of `backend` in float64; weights and averages, few numbers, stay with the processor.

    Attributes
    ----------
    device : str
        See `resolve_backend`.
    backend : Backend
    network : Network
        Its functions take arrays that stand there.
    """

    device: str
    backend: Backend
    network: Network

    def parts(self, rows: int) -> list[slice]:
        """Rows that are worked on together: what they hold stays in the cache of a processor."""
        at_once = _ROWS_OF_A_CACHE if self.backend.on_host else _ROWS_OF_A_DEVICE
        return [slice(first, first + at_once) for first in range(0, rows, at_once)]

    def empty(self, *shape: int) -> Array:
        return self.backend.xp.empty(shape, dtype=self.backend.xp.float64, device=self.backend.place)

    def zeros(self, *shape: int) -> Array:
        return self.backend.zeros(*shape)

    def there(self, values: NDArray[np.float64]) -> Array:
        """An array of the processor, there, in float64."""
        host = np.ascontiguousarray(values, dtype=np.float64)
        if not (host.flags.writeable or self.device == "cpu"):
            host = host.copy()  # torch takes no others
        return self.backend.xp.asarray(host, device=self.backend.place)

    def here(self, values: Array) -> NDArray[np.float64]:
        """An array from there, of the processor."""
        return self.backend.host(values)

    def mask(self, values: NDArray[np.bool_]) -> Array:
        """Who is seen, there."""
        return self.backend.xp.asarray(np.ascontiguousarray(values), device=self.backend.place)


def on_the_processor(network: Network) -> Place:
    """With numpy."""
    return Place(device="cpu", backend=resolve_backend("cpu"), network=network)
