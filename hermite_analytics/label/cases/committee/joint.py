"""What the law of the label jointly with the sum of the coordinates is reduced to.

With S = z_1 + ... + z_r known and the label unchanged when the z_i are permuted, E[w w^T - I | y, S] commutes
with the permutations; on the complement of (1, ..., 1), where they act irreducibly, it is a(y, S) times the
identity, with

    a = (E[z_1^2 + ... + z_r^2 | y, S] - S^2/r)/(r - 1) - 1 >= -1,    1/alpha_c = E[a^2].
"""

from __future__ import annotations

from typing import NamedTuple, TypeVar

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array, Complex

__all__ = ["JointLaw", "excess"]

Values = TypeVar("Values", Array, Complex)

_RARE = 1e-13  # density, relative to the largest, below which a ratio is rounding


class JointLaw(NamedTuple):
    """Probabilities of the nodes (y, S), and a times them.

    Attributes
    ----------
    masses, moments : ndarray of the same shape
    """

    masses: Array
    moments: Array

    @property
    def eigenvalue(self) -> float:
        """E[a^2], with a >= -1 where rounding has it smaller."""
        return float((self.masses * self._ratios() ** 2).sum())

    def eigenvalue_seen_by(self, blurred: JointLaw) -> float:
        """E[2 f a - f^2] <= E[a^2], with f the a of a blurred law: what is lost is E[(f - a)^2]."""
        f = blurred._ratios()
        return float((f * (2 * self.moments - f * self.masses)).sum())

    def _ratios(self) -> Array:
        """The a of each node, and 0 where the density is rounding."""
        p = self.masses
        found = np.divide(self.moments, p, out=np.zeros_like(p), where=p > _RARE * float(p.max()))
        return np.maximum(found, -1.0, out=found)

    @property
    def loss(self) -> float:
        """What is missing of E[1] = 1 and E[a] = 0, and the probability of nodes where it is negative."""
        negative = float(np.abs(self.masses[self.masses < 0]).sum())
        return abs(float(self.masses.sum()) - 1.0) + abs(float(self.moments.sum())) + negative


def excess(second: Values, masses: Values, total: Array, count: int) -> Values:
    """The moments of `JointLaw` from E[z_1^2 + ... + z_r^2; node], the masses, and S at the nodes.

    Examples
    --------
    >>> excess(np.array([3.0]), np.array([1.0]), np.array([0.0]), 3).tolist()
    [0.5]
    """
    found = (second - total**2 / count * masses) / (count - 1) - masses
    return np.asarray(found, dtype=masses.dtype)
