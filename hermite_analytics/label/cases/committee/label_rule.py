"""Labels and frequencies for the density of a sum of separate blocks, fine where it is singular.

    p(y) = Re int_0^inf phi(t) exp(-i t y) dt / pi

at a distance d from the singular label y_0 needs t up to some 1/d only: what the transform says at larger t
is of labels closer to y_0. So labels y_0 + s sinh(u) and frequencies t_0 sinh(v) take equal steps in u and v,
and the integral at each label ends where t d is large.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import erfc

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.label.cases.committee.block_transforms import Fineness
from hermite_analytics.label.cases.committee.blocks import Block, SeparateBlocks

__all__ = ["LabelRange", "LabelRule", "label_range", "label_rule"]

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]

_TAIL = 1e-10  # probability of labels that are not looked at
_FAR = 6.7
_POINTS = 61  # of a coordinate, for the tails
_NOISE = 7.5  # exp(-x^2/2) is nothing there
_NEAREST = (1e-6, 1e-7)  # distance from the singular label, in the range of labels, by level
_PHASE = (50.0, 64.0)  # t d up to which there is anything, by level
_NARROW = (38.0, 50.0)  # the same in standard deviations of z
_STEP = (0.40, 0.34)  # of labels, by level
_TURN = 3.2  # of exp(-i t y) between frequencies, at most
_EDGE = 7.5
_TINY = 1e-16
_BLURRED = (0.13, 0.1)  # the same beside a blur: as far as it is seen
_SMEARED = 2.0  # distance from y_0, in the width of the blur, up to which steps are equal


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelRange:
    """Labels of a sum: between which of them nearly all are, and where the density is singular."""

    low: float
    high: float
    centre: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelRule:
    """Labels and frequencies.

    Attributes
    ----------
    t : ndarray, shape (k,)
    labels, weights : ndarrays, shape (n,)
    matrix : ndarray, shape (k, n)
        The density is the real part of transform @ matrix.
    fineness : Fineness
        What rules for the transforms have to keep apart.
    """

    t: Array
    labels: Array
    weights: Array
    matrix: Complex
    fineness: Fineness

    def density(self, transforms: Complex) -> Array:
        """Of each label, shape (..., n), by transforms of shape (..., k)."""
        flat = transforms.reshape(-1, transforms.shape[-1])
        real, imaginary = np.ascontiguousarray(flat.real), np.ascontiguousarray(flat.imag)
        found = real @ self.matrix.real
        found -= imaginary @ self.matrix.imag
        return found.reshape(*transforms.shape[:-1], -1)


def label_range(form: SeparateBlocks) -> LabelRange:
    """From the laws of the blocks, with nothing known of z.

    Raises
    ------
    UnsupportedExpression
        If, without a blur, the density of a block is singular at several labels, or steep at none.
    """
    labels = [b.labels for b in form.blocks]
    blurred = form.noise > 0 or any(b.is_linear for b in form.blocks)
    if not blurred and any(len(found) != 1 for found in labels):
        raise UnsupportedExpression("the densities of the blocks are not singular at one label each")
    centre = sum(found[len(found) // 2] for found in labels if found)
    ends = np.array([_ends(b) for b in form.blocks])
    low, high = ends[:, 0].sum() - _FAR * form.noise, ends[:, 1].sum() + _FAR * form.noise
    return LabelRange(low=float(low), high=float(high), centre=float(centre))


def _ends(block: Block) -> tuple[float, float]:
    p = len(block.places)
    z = np.linspace(-_FAR, _FAR, _POINTS)
    points = np.stack(np.meshgrid(*[z] * p, indexing="ij"), -1).reshape(-1, p)
    weights = np.exp(-0.5 * (points**2).sum(1))
    g = block.value(points)
    order = np.argsort(g)
    g, share = g[order], np.cumsum(weights[order]) / weights.sum()
    low, high = (min(int(np.searchsorted(share, q)), len(g) - 1) for q in (_TAIL, 1 - _TAIL))
    return float(g[low]), float(g[high])


def label_rule(where: LabelRange, *, blur: float, deviation: float, level: int) -> LabelRule:
    """A rule for z of a least standard deviation and labels with a blur of another.

    Examples
    --------
    >>> where = LabelRange(low=-30.0, high=30.0, centre=0.0)
    >>> rule = label_rule(where, blur=0.0, deviation=1.0, level=1)
    >>> laplace = rule.density(1 / (1 + rule.t[None] ** 2) + 0j)[0]
    >>> bool(np.abs(laplace - np.exp(-np.abs(rule.labels)) / 2).max() < 1e-6)
    True
    """
    phase = max(_PHASE[level], _NARROW[level] / deviation)
    step = min(_STEP[level] * deviation, _BLURRED[level] if blur else math.inf)
    extent = max(where.high - where.centre, where.centre - where.low)
    s = _SMEARED * blur if blur else _NEAREST[level] * extent
    u_low, u_high = (math.asinh((x - where.centre) / s) for x in (where.low, where.high))
    u = np.linspace(u_low, u_high, math.ceil((u_high - u_low) / step) + 1)
    step = float(u[1] - u[0])
    labels = where.centre + s * np.sinh(u)
    distance = s * np.cosh(u)
    rise = _TURN / phase
    start = _TURN / 2 / extent / rise
    top = min(phase / s, _NOISE / blur if blur else math.inf)
    v = np.arange(math.ceil(math.asinh(top / start) / rise) + 1) * rise
    t = start * np.sinh(v)
    weights = start * np.cosh(v) * rise / math.pi
    weights[0] *= 0.5
    within = 0.5 * erfc(_EDGE * (np.outer(t, distance) / phase - 0.5))
    within = np.where(within > _TINY, within, 0.0)
    matrix = np.exp(-1j * np.outer(t, labels)) * within * weights[:, None]
    fine = Fineness(phase=phase, least=s)
    return LabelRule(t=t, labels=labels, weights=distance * step, matrix=matrix, fineness=fine)
