"""Labels of one Gaussian coordinate, or of a radius: E over labels by panels in that coordinate itself.

    E[h | y] = sum_i p_i h_i / sum_i p_i,   p_i = density(z_i)/|g'(z_i)| over the preimages z_i of y,
    E[F(y)] = int density(z) F(g(z)) dz,

so the density of the label, singular at critical values, is never integrated. Panels end at critical points,
kinks and inflections without slope, and at the other preimages of their values, where F has roots or
logarithms; the double exponential rule takes those. Each value of an independent discrete variable in the
label is a further *sheet* with its probability. E[G(w) G(y)] = E[G(y)^2] is checked by the rule: a preimage
that was lost breaks it.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.foundation.clock import check_time
from hermite_analytics.label.cases.line.branch import Branch, is_same_label
from hermite_analytics.label.cases.line.numeric_pieces import NumericPiece, between, distinct
from hermite_analytics.label.quadrature import LabelQuadrature

__all__ = ["GAUSSIAN", "Coordinate", "Sheet", "label_quadrature", "radius"]

Array = NDArray[np.float64]
Function = Callable[[Array], Array]

_NODES = (40, 56)  # of a panel, by level of refinement
_WIDEST = 2.5  # of a panel
_NARROW = 1.25  # of a panel where some place is slow: the law of the label turns quickly on both sides of it
_NEGLIGIBLE = 1e-18  # weight of a node that is left out
_LEAST_SLOPE = 1e-290


@dataclass(frozen=True, slots=True, kw_only=True)
class Coordinate:
    """The variable that labels are functions of.

    Parameters
    ----------
    density : function of an array
    low, high : float
        Ends beyond which the density is negligible.
    """

    density: Function
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """One value of an independent discrete variable, with the label as a function of the coordinate there.

    Parameters
    ----------
    probability : float
    value, derivative : functions of an array
    pieces : tuple of NumericPiece
    moments : function of an array (n,)
        (first (n, q), second (n, q, q)): E[w | .] and E[w w^T - I | .] at values of the coordinate.
    """

    probability: float
    value: Function
    derivative: Function
    pieces: tuple[NumericPiece, ...]
    moments: Callable[[Array], tuple[Array, Array]]


def _phi(z: Array) -> Array:
    return np.exp(-0.5 * z * z) / math.sqrt(2 * math.pi)


GAUSSIAN = Coordinate(density=_phi, low=-9.5, high=9.5)


@functools.cache
def radius(dimension: int) -> Coordinate:
    """The norm of a standard Gaussian vector."""
    constant = math.log(2.0) * (dimension / 2 - 1) + math.lgamma(dimension / 2)

    def density(r: Array) -> Array:
        return np.asarray(r ** (dimension - 1) * np.exp(-0.5 * r * r - constant))

    return Coordinate(density=density, low=0.0, high=9.5 + math.sqrt(dimension))


def label_quadrature(
    sheets: Sequence[Sheet], coordinate: Coordinate = GAUSSIAN, *, level: int = 1
) -> tuple[LabelQuadrature, float]:
    """(the law of the label as a finite sum, a bound on what lost preimages and the rule have cost).

    The defect is that of the mass and of E[G(w) G(y)] = E[G(y)^2], relative.
    """
    parts = [
        _Part(sheet=s, branch=Branch.of(s.value, s.derivative, p))
        for s in sheets
        for p in s.pieces
        if p.slope
    ]
    # cut-offs included: a label with a limit there has preimages that leave through them
    ends = [v for s in sheets for p in s.pieces for v in (p.at_low, p.at_high)]
    critical = distinct([*ends, *(place.label for part in parts for place in part.branch.slow)])
    widest = _NARROW if any(part.branch.slow for part in parts) else _WIDEST
    weights, first, second, powers = [], [], [], []
    for part in parts:
        z, w = part.nodes(critical, coordinate, level, widest)
        keep = w > _NEGLIGIBLE
        z, w = z[keep], w[keep]
        if not len(z):
            continue
        m1, m2 = _conditional(parts, coordinate, part, z)
        weights.append(part.sheet.probability * w)
        first.append(m1)
        second.append(m2)
        powers.append(float(weights[-1] @ (part.sheet.moments(z)[1] * m2).sum((1, 2))))
    for probability, m1, m2 in _atoms(sheets, coordinate):
        weights.append(np.array([probability]))
        first.append(m1[None])
        second.append(m2[None])
        powers.append(probability * float((m2 * m2).sum()))
    found = LabelQuadrature(
        weights=np.concatenate(weights), first=np.concatenate(first), second=np.concatenate(second)
    )
    own = float(np.sum(found.weights[:, None, None] * found.second**2))
    defect = abs(sum(powers) - own) / own if own else 0.0
    return found, max(found.mass_defect, defect)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """A monotone piece of a sheet."""

    sheet: Sheet
    branch: Branch

    def nodes(
        self, critical: Sequence[float], coordinate: Coordinate, level: int, widest: float
    ) -> tuple[Array, Array]:
        z, w = self.branch.nodes(critical, nodes=_NODES[level], widest=widest)
        return z, w * coordinate.density(z)


def _conditional(parts: Sequence[_Part], coordinate: Coordinate, own: _Part, z: Array) -> tuple[Array, Array]:
    """E[w | y], E[w w^T - I | y] at the labels of points of one part."""
    labels = own.sheet.value(z)
    total = np.zeros(len(z))
    sums: list[Array] = []
    # the weights p_i relative to the largest one, so that neither underflow nor a critical point matters
    for part in parts:
        check_time()
        inside, points, slope = part.branch.roots(labels, own.branch, z)
        if not inside.any():
            continue
        p = part.sheet.probability * coordinate.density(points) / np.maximum(slope, _LEAST_SLOPE)
        m1, m2 = part.sheet.moments(points)
        if not sums:
            sums = [np.zeros((len(z), *m1.shape[1:])), np.zeros((len(z), *m2.shape[1:]))]
        total[inside] += p
        sums[0][inside] += p[:, None] * m1
        sums[1][inside] += p[:, None, None] * m2
    safe = np.where(total > 0, total, 1.0)
    return sums[0] / safe[:, None], sums[1] / safe[:, None, None]


def _atoms(sheets: Sequence[Sheet], coordinate: Coordinate) -> list[tuple[float, Array, Array]]:
    """(probability, E[w | y], E[w w^T - I | y]) of each label that is taken on a set of positive measure."""
    flat = [(p.at_low, s, p) for s in sheets for p in s.pieces if p.slope == 0]
    result = []
    for value in distinct([v for v, _, _ in flat]):
        mass, m1, m2 = 0.0, np.zeros(1), np.zeros(1)
        for v, sheet, piece in flat:
            if is_same_label(v, value):
                z, w = between([piece.low, piece.high], nodes=_NODES[-1], widest=_WIDEST)
                p = sheet.probability * w * coordinate.density(z)
                one, two = sheet.moments(z)
                mass = mass + p.sum()
                m1 = m1 + p @ one
                m2 = m2 + np.tensordot(p, two, 1)
        if mass > 0:
            result.append((float(mass), np.asarray(m1 / mass), np.asarray(m2 / mass)))
    return result
