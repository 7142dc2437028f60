"""Which nodes of a panel need evaluation: from the middle outwards, until they carry no probability."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hermite_analytics.foundation.clock import check_time
from hermite_analytics.foundation.numpy_arrays import Array, Integers
from hermite_analytics.label.cases.parts.density import grid

__all__ = ["fill_panel"]

_CHUNK = 8.0  # further nodes are evaluated by such steps in s
_AT_ONCE = 48  # nodes between looks at the clock
_NOTHING = 1e-20  # probability of a node


def fill_panel(
    evaluate: Callable[[Integers], None],
    density: Array,
    length: float,
    step: float,
    *,
    core: float = 16.0,
    farthest: float = np.inf,
) -> None:
    """Call `evaluate` with the nodes of a panel that matter; it looks at the clock between calls.

    Parameters
    ----------
    evaluate : function of an array of indices
        Fills in `density` at these nodes.
    density : ndarray
        Over all nodes `grid(step)`, initially 0.
    length : float
        Of the panel.
    core : float
        |s| of the nodes that are always evaluated, unless every eighth of them carries nothing.
    farthest : float
        Largest |s| wanted.
    """
    s = grid(step)
    half, inner, chunk = len(s) // 2, int(core / step), int(_CHUNK / step)

    def filled(nodes: Integers) -> float:
        for first in range(0, len(nodes), _AT_ONCE):
            check_time()
            evaluate(nodes[first : first + _AT_ONCE])
        weight = step * length / (2 + np.exp(s[nodes]) + np.exp(-s[nodes]))
        return float(np.max(weight * density[nodes], initial=0.0))

    middle = np.arange(half - inner, half + inner + 1)
    if filled(middle[::8]) < 1e-3 * _NOTHING:
        return
    filled(np.delete(middle, np.s_[::8]))
    for start, sign in ((half - inner - 1, -1), (half + inner + 1, 1)):
        k = start
        while 0 <= k < len(s) and abs(s[k]) <= farthest:
            nodes = k + sign * np.arange(chunk)
            nodes = nodes[(nodes >= 0) & (nodes < len(s))]
            nodes = nodes[np.abs(s[nodes]) <= farthest]
            if filled(nodes) < _NOTHING:
                break
            k += sign * chunk
