"""Numeric solvers on generated kernels: closed equations at d -> infinity, and the simulator.

Imported as `hermite_analytics.numeric`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if __name__ != "hermite_analytics.numeric":
    raise ImportError("this folder is the package hermite_analytics.numeric; import it under that name")

_LAZY = {
    "Bounds": "bounds",
    "GiantStep": "giant_step",
    "Solution": "solution",
    "SpikedRandomFeatures": "spiked_random_features",
    "Status": "solution",
    "simulate": "simulator.simulation",
}

__all__ = sorted(_LAZY)

if TYPE_CHECKING:
    from hermite_analytics.numeric.bounds import Bounds as Bounds
    from hermite_analytics.numeric.giant_step import GiantStep as GiantStep
    from hermite_analytics.numeric.simulator.simulation import simulate as simulate
    from hermite_analytics.numeric.solution import Solution as Solution
    from hermite_analytics.numeric.solution import Status as Status
    from hermite_analytics.numeric.spiked_random_features import (
        SpikedRandomFeatures as SpikedRandomFeatures,
    )


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(importlib.import_module(f"hermite_analytics.numeric.{_LAZY[name]}"), name)
    raise AttributeError(f"module 'hermite_analytics.numeric' has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__all__)
