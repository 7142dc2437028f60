"""The law of y = max_i g_i(w_i) or min_i g_i(w_i).

With F_i the distribution functions, P(max <= y) = prod_i F_i(y), and the same for moments:
E[w_i; max <= y] = E[w_i; g_i <= y] prod_{j != i} F_j(y). Densities are their derivatives.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array, Integers
from hermite_analytics.label.cases.parts.branches import (
    Branch,
    Tables,
    Term,
    branches_of,
    singular_values,
    tabulated,
)
from hermite_analytics.label.cases.parts.density import (
    LabelDensity,
    channel_count,
    distinct,
    second_channels,
    spacing,
)

__all__ = ["extreme_density"]

_WHOLE = np.array([1.0, 0.0, 0.0])  # E[1], E[w], E[w^2 - 1]


def extreme_density(terms: Sequence[Term], *, largest: bool, level: float = 1) -> LabelDensity:
    """The law of the largest (smallest) of g_1(w_1), ..., g_q(w_q) and of w given it.

    Parameters
    ----------
    terms : sequence of Term
        One for each coordinate, in order; of those that are not tracked, noise, no moments are asked.
    largest : bool
        max or min.
    level : float >= 1
        The spacing of the rule is divided by it.

    Examples
    --------
    >>> import numpy as np
    >>> modulus = Term(value=np.abs, derivative=np.sign, points=[0.0])
    >>> law = extreme_density([modulus, modulus], largest=True)  # |z1| + |z2|, rotated and rescaled
    >>> round(law.mass, 12)
    1.0
    """
    branches = [branches_of(term) for term in terms]
    points = distinct(np.concatenate([singular_values(b) for b in branches]))
    step = spacing(level)
    tables = [tabulated(b, points, step) for b in branches]
    tails = [_tail(t.cumulative, largest) for t in tables]
    factors = _factors([term.tracked for term in terms])
    values = _derivative([t.density for t in tables], tails, factors)
    atoms, atom_values = _atoms(branches, points, tables, factors, largest)
    return LabelDensity(points=points, values=values, atoms=atoms, atom_values=atom_values, step=step)


def _tail(cumulative: Array, largest: bool) -> Array:
    """Moments over {g <= y}, or over {g > y}."""
    return cumulative if largest else _WHOLE - cumulative


def _factors(tracked: Sequence[bool]) -> Integers:
    """(channels, terms): which of 1, w, w^2 - 1 of each coordinate makes up each joint channel."""
    places = np.flatnonzero(tracked)
    factors = np.zeros((channel_count(len(places)), len(tracked)), dtype=np.int64)
    second = second_channels(len(places))
    for i, place in enumerate(places):
        factors[1 + i, place] = 1
        for j in range(i):
            factors[second[i, j], [place, places[j]]] = 1
        factors[second[i, i], place] = 2
    return factors


def _product(tails: Sequence[Array], factors: Integers) -> Array:
    """Joint moments over the product of the sets: the last axis goes from 3 to the joint channels."""
    found = np.ones((*tails[0].shape[:-1], len(factors)))
    for i, tail in enumerate(tails):
        found *= tail[..., factors[:, i]]
    return found


def _derivative(densities: Sequence[Array], tails: Sequence[Array], factors: Integers) -> Array:
    """The product rule."""
    q = len(tails)
    parts = [_product([densities[j] if j == i else tails[j] for j in range(q)], factors) for i in range(q)]
    return np.asarray(sum(parts))


def _atoms(
    branches: Sequence[Sequence[Branch]],
    points: Array,
    tables: Sequence[Tables],
    factors: Integers,
    largest: bool,
) -> tuple[Array, Array]:
    """Jumps of the joint distribution function at the values of constant branches."""
    flat = distinct([b.bottom for term in branches for b in term if b.from_bottom is None])
    found = np.zeros((len(flat), len(factors)))
    for n, v in enumerate(flat):
        place = int(np.argmin(np.abs(points - v)))
        after = [t.at_points[place] for t in tables]
        before = [a - _jump(term, points, place) for a, term in zip(after, branches, strict=True)]
        here, left = (_product([_tail(t, largest) for t in side], factors) for side in (after, before))
        found[n] = here - left if largest else left - here
    kept = found[:, 0] > 0
    return flat[kept], found[kept]


def _jump(branches: Sequence[Branch], points: Array, place: int) -> Array:
    """Moments over the constant branches of a term with the value of a point."""
    total = np.zeros(3)
    for b in branches:
        if b.from_bottom is None and int(np.argmin(np.abs(points - b.bottom))) == place:
            total += b.moments
    return total
