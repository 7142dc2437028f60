"""The limits d -> infinity of what was simulated at several sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hermite_analytics.numeric.simulator.results import Simulation

__all__ = ["limits_of"]

_Point = Mapping[str, float]


def limits_of(points: Sequence[_Point], done: Sequence[Simulation]) -> list[tuple[dict[str, float], Any]]:
    """(the point without d, the grouped limits) of each point whose sizes, two at least, were all run.

    Parameters
    ----------
    points : sequence of mapping
        Of all runs, each with its d.
    done : sequence of Simulation
        Of the first of them.
    """
    from hermite_analytics.numeric.simulator.finite_sizes import FiniteSizes

    wanted: dict[tuple[tuple[str, float], ...], int] = {}
    runs: dict[tuple[tuple[str, float], ...], list[Simulation]] = {}
    for j, point in enumerate(points):
        key = tuple((name, value) for name, value in point.items() if name != "d")
        wanted[key] = wanted.get(key, 0) + 1
        if j < len(done):
            runs.setdefault(key, []).append(done[j])
    found = []
    for key, simulations in runs.items():
        if len(simulations) == wanted[key] > 1:
            limits = FiniteSizes(simulations=tuple(simulations)).limits
            numbers = {name: estimate.to_json() for name, estimate in limits.items()}
            if numbers:
                found.append((dict(key), simulations[-1].grouped(numbers)))
    return found
