"""Dense laws of one label by the subspace that is known."""

from __future__ import annotations

import numpy as np

from tests.nets.dense_law import Array, DenseLaw, complement, orthonormal
from tests.nets.trees import dimension_of, is_noisy, noise_last
from tests.symbolic.random_trees import Tree, has, kinks_of, values_of, variables_of

_WITH_LIMITS = ("erf", "erfc", "Phi", "phi", "tanh", "sigmoid", "exp")
_POINTS = (2**19, 2**21)  # without and with known coordinates


class Reference:
    """Dense laws of a label by the subspace that is known."""

    def __init__(self, tree: Tree) -> None:
        self.dimension = dimension_of(tree)
        self.noisy = is_noisy(tree)
        self.placed = noise_last(tree, self.dimension)
        self._laws: dict[bytes, DenseLaw] = {}

    def law(self, rows: Array) -> DenseLaw:
        """Given the coordinates along the rows."""
        known = orthonormal(np.reshape(rows, (-1, self.dimension)))
        key = np.round(known, 12).tobytes()
        if key not in self._laws:
            rest = complement(known, self.dimension)
            breaks = self.breaks(known[0]) if len(known) == 1 else ()
            points = _POINTS[bool(len(known))]
            self._laws[key] = DenseLaw(self.label, known, rest, self.noisy, points, breaks=breaks)
        return self._laws[key]

    def label(self, z: Array) -> Array:
        return np.broadcast_to(values_of(self.placed, z), z.shape[1:])

    def may_merge(self, rows: Array) -> bool:
        """Whether labels that differ may be one atom: they have a limit, and there are atoms."""
        cells = self.law(rows).cells(2)
        return has(self.placed, *_WITH_LIMITS) and any(len(c.probabilities) > c.bins for c in cells)

    def breaks(self, row: Array) -> tuple[float, ...]:
        """Where kinks of a known axis change sign."""
        axis = int(np.argmax(np.abs(row)))
        grid = np.linspace(-5.5, 5.5, 2201) + 1e-4
        points = np.zeros((self.dimension + 1, len(grid)))
        points[axis] = grid
        found: list[float] = []
        for kink in kinks_of(self.placed):
            if variables_of(kink) == {axis + 1}:
                signs = np.sign(values_of(kink, points))
                found += list((grid[1:] + grid[:-1])[signs[1:] != signs[:-1]] / 2)
        return tuple(np.unique(np.round(found, 3))) if len(found) < 12 else ()
