"""Products of r factors, contracted with weights of observations of sums, and squares of what they tell.

With the limit of these squares where the law of the label has a scale.
"""

from __future__ import annotations

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array, Complex, Integers
from hermite_analytics.numeric.compiled import summing

__all__ = ["products", "squares", "without_scale"]

_SLOWEST = 0.9  # ratio of the steps from scale to scale that is still extrapolated


def products(
    plain: Complex,
    moved: Complex,
    weights: Complex,
    members: Integers,
    places: Integers,
    replaced: Integers,
) -> Complex:
    """Of each combination: the product of its factors, and those with one factor replaced.

    Parameters
    ----------
    plain : ndarray, shape (k, n, l)
        The factor at each of n nodes.
    moved : ndarray, shape (k, n', l)
        What takes the place of one.
    weights : ndarray, shape (l, t)
    members : ndarray, shape (c, r)
        The nodes of each combination, equal ones side by side.
    places : ndarray, shape (c, d)
        The members that are replaced; -1 where there is none.
    replaced : ndarray, shape (c, d)
        By which of the n'.

    Returns
    -------
    ndarray, shape (c, 1 + d, t, k)
    """
    shape = len(members), 1 + places.shape[1], len(plain), plain.shape[2]
    found = np.empty(shape, dtype=np.complex128)
    others = np.empty((2, members.shape[1] + 1), dtype=np.complex128)
    _products(plain, moved, members, places, replaced, others, found)
    summed = found.reshape(-1, shape[3]) @ weights
    return np.swapaxes(summed.reshape(*shape[:3], -1), 2, 3)


@summing
def _products(
    plain: Complex,
    moved: Complex,
    members: Integers,
    places: Integers,
    replaced: Integers,
    others: Complex,
    found: Complex,
) -> None:
    """Before the contraction: shape (c, 1 + d, k, l); `others` is room, of products before and after."""
    k_count, _, l_count = plain.shape
    c_count, r = members.shape
    d_count = places.shape[1]
    before, after = others[0], others[1]
    before[0], after[r] = 1.0, 1.0
    for c in range(c_count):
        for k in range(k_count):
            for i in range(l_count):
                for j in range(r):
                    before[j + 1] = before[j] * plain[k, members[c, j], i]
                    after[r - 1 - j] = after[r - j] * plain[k, members[c, r - 1 - j], i]
                found[c, 0, k, i] = before[r]
                for d in range(d_count):
                    j = places[c, d]
                    if j < 0:
                        found[c, 1 + d, k, i] = 0.0
                    else:
                        found[c, 1 + d, k, i] = before[j] * after[j + 1] * moved[k, replaced[c, d], i]


def squares(
    masses: Array, sides: Array, owners: Integers, counts: Array, shift: Array, share: Array, rare: Array
) -> Array:
    """Sums of squares of posterior means over combinations, xi and labels.

    Parameters
    ----------
    masses : ndarray, shape (c, 1 + d, t, y)
        Of the label, and with x of one coordinate of each different node.
    sides : ndarray, shape (c, d, 2)
        How many coordinates share each node, times the first and second power of the scale of x; 0 where
        there is none.
    owners : ndarray, shape (c, d)
        The kind of each, of g.
    counts : ndarray, shape (g,)
        Coordinates of each kind.
    shift : ndarray, shape (t, g)
        What the observations of sums say of one of them.
    share : ndarray, shape (c, t)
        Weights.
    rare : ndarray, shape (t,)
        Share of the largest mass, up to which it is ringing.

    Returns
    -------
    ndarray, shape (g, g + 1)
        Between the sums of the coordinates of the kinds; in the last column of the coordinates, less that of
        their sum divided by their number.
    """
    g = len(counts)
    found = np.zeros((g, g + 1))
    _squares(masses, sides, owners, counts, shift, share, rare, np.empty((g, g + 1)), np.empty((2, g)), found)
    lower = np.tril(found[:, :g])
    return np.column_stack([lower + np.tril(lower, -1).T, found[:, g]])


@summing
def _squares(
    masses: Array,
    sides: Array,
    owners: Integers,
    counts: Array,
    shift: Array,
    share: Array,
    rare: Array,
    part: Array,
    work: Array,
    found: Array,
) -> None:
    """The lower triangle, and the last column; `part` and `work` are room."""
    c_count, d_count, t_count, y_count = masses.shape
    g_count = len(counts)
    total, every = work[0], work[1]
    for c in range(c_count):
        for t in range(t_count):
            top = 0.0
            for y in range(y_count):
                top = max(top, masses[c, 0, t, y])
            for g in range(g_count):
                for h in range(g_count + 1):
                    part[g, h] = 0.0
            for y in range(y_count):
                p = masses[c, 0, t, y]
                if p <= rare[t] * top:
                    continue
                for g in range(g_count):
                    total[g], every[g] = 0.0, 0.0
                for d in range(d_count - 1):
                    g = owners[c, d]
                    if g >= 0:
                        x = masses[c, d + 1, t, y]
                        total[g] += sides[c, d, 0] * x
                        every[g] += sides[c, d, 1] * x * x
                for g in range(g_count):
                    part[g, g_count] += (every[g] - total[g] * total[g] / counts[g]) / p
                    total[g] -= counts[g] * shift[t, g] * p
                for g in range(g_count):
                    for h in range(g + 1):
                        part[g, h] += total[g] * total[h] / p
            for g in range(g_count):
                for h in range(g + 1):
                    found[g, h] += share[c, t] * part[g, h]
                found[g, g_count] += share[c, t] * part[g, g_count]


def without_scale(sums: Array, growth: int) -> Array:
    """Of the first axis, one scale or three."""
    if len(sums) == 1:
        return np.asarray(sums[0])
    found = [_extrapolated(c, growth) for c in sums.reshape(len(sums), -1).T]
    return np.reshape(found, sums.shape[1:])


def _extrapolated(values: Array, growth: int) -> float:
    """Without a scale, from three: errors of second and fourth order in it, or of a lower one.

    Densities that are singular where several parts have their limits leave an order below 2; it is read off.

    Parameters
    ----------
    values : ndarray, shape (3,)
    growth : int
        By which the square of the scale grows from one to the next.

    Examples
    --------
    >>> round(_extrapolated(np.array([1 + s + s**2 for s in (0.01, 0.04, 0.16)]), 4), 12)
    1.0
    """
    one, two, three = (float(v) for v in values)
    near, far = one - two, two - three
    ratio = near / far if far != 0 else 0.0
    if 1 / growth < ratio < _SLOWEST:
        return one + near * ratio / (1 - ratio)
    # near = a (1 - q) + c (1 - q^2), far = a (q - q^2) + c (q^2 - q^4), wanted -a - c
    q = float(growth)
    matrix = np.array([[1 - q, q - q * q], [1 - q * q, q * q - q**4]])
    x, y = np.linalg.solve(matrix, [-1.0, -1.0])
    return float(one + x * near + y * far)
