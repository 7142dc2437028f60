"""Products of r transforms, contracted with weights of the sum of the coordinates."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.numeric.compiled import summing

__all__ = ["products"]

Complex = NDArray[np.complex128]
Integers = NDArray[np.int64]


@summing
def products(
    plain: Complex, moved: Complex, weights: Complex, members: Integers, places: Integers
) -> Complex:
    """Of each combination: the product of its factors, and those with one factor replaced.

    Parameters
    ----------
    plain, moved : ndarray, shape (k, n, l)
        The factor at each of n nodes, and what takes its place.
    weights : ndarray, shape (l, t)
    members : ndarray, shape (c, r)
        The nodes of each combination, equal ones side by side.
    places : ndarray, shape (c, d)
        The members that are replaced, one of each node; -1 where there is none.

    Returns
    -------
    ndarray, shape (c, 1 + d, t, k)
    """
    k_count, _, l_count = plain.shape
    c_count, r = members.shape
    d_count, t_count = places.shape[1], weights.shape[1]
    found = np.empty((c_count, 1 + d_count, t_count, k_count), dtype=np.complex128)
    before = np.empty(r, dtype=np.complex128)
    sums = np.empty((1 + d_count, t_count), dtype=np.complex128)
    for c in range(c_count):
        held = 0
        while held < d_count and places[c, held] >= 0:
            held += 1
        for k in range(k_count):
            sums[:] = 0.0
            for i in range(l_count):
                whole = 1.0 + 0.0j
                for j in range(r):
                    before[j] = whole
                    whole *= plain[k, members[c, j], i]
                for t in range(t_count):
                    sums[0, t] += whole * weights[i, t]
                after = 1.0 + 0.0j
                d = held
                for j in range(r - 1, -1, -1):
                    node = members[c, j]
                    if d > 0 and places[c, d - 1] == j:
                        rest = before[j] * after * moved[k, node, i]
                        for t in range(t_count):
                            sums[d, t] += rest * weights[i, t]
                        d -= 1
                    after *= plain[k, node, i]
            found[c, :, :, k] = sums
    return found
