"""Labels and frequencies for the density of a sum of separate parts or blocks, fine where it is singular.

    p(y) = Re int_0^inf phi(t) exp(-i t y) dt / pi

at a distance d from the singular label y_0 needs t up to some 1/d only: what the transform says at larger t
is of labels closer to y_0. So labels y_0 + s sinh(u) and frequencies t_0 sinh(v) take equal steps in u and v,
and the integral at each label ends where t d is large. Far from y_0 a density may be narrower than d: then
labels take equal steps there, and so do the frequencies that such a width needs.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.numpy_arrays import Array, Complex
from hermite_analytics.label.cases.committee.blocks import Block, SeparateBlocks

__all__ = ["WINDOW", "Fineness", "LabelRange", "LabelRule", "label_range", "label_rule"]


_TAIL = 1e-10  # probability of labels that are not looked at
_FAR = 6.7
_POINTS = 61  # of a coordinate, for the tails
_NOISE = 7.5  # exp(-x^2/2) is nothing there
_NEAREST = (1e-6, 1e-7)  # distance from the singular label, in the range of labels, by level
_PHASE = (50.0, 64.0, 110.0, 130.0)  # t d up to which there is anything, by level
_NARROW = (38.0, 50.0, 50.0, 50.0)  # the same in standard deviations of z
_STEP = (0.40, 0.34, 0.2, 0.17)  # of labels, by level
_TURN = 3.2  # of exp(-i t y) between frequencies, at most
_EDGE = (7.5, 7.5, 10.5, 11.0)  # of the window of frequencies, in its steepness, by level
_TINY = 1e-16
_BLURRED = (0.13, 0.1)  # the same beside a blur: as far as it is seen
_TOP = (
    12.0,
    16.0,
    16.0,
    16.0,
)  # frequency of what is far from the singular label, in its standard deviation, by level
_EVEN = (0.75, 0.6, 0.6, 0.6)  # step of labels there, in the same
_FLAT = 300.0  # cosh
_HALVINGS = 100
WINDOW = 3.0  # of what turns with a function of a coordinate, in the phase of labels
_POWER, _NOTHING = 8, 36.0
_SMEARED = 2.0  # distance from y_0, in the width of the blur, up to which steps are equal


@dataclass(frozen=True, slots=True, kw_only=True)
class Fineness:
    """How fine rules for a law are.

    Attributes
    ----------
    phase : float
        t times the distance from a singular label up to which the transform at t tells of it.
    least : float
        Distance from a singular label below which nothing is told apart.
    top : float
        Frequency up to which it tells of labels at any distance.
    edge : float
        Steepness of the ends of windows: exp(-(edge/2)^2) of a frequency in the middle is not seen.
    """

    phase: float
    least: float
    top: float = 0.0
    edge: float = _EDGE[0]

    def within(self, t: Array, distance: Array) -> Array:
        """What of each frequency is of labels at a distance, shape (t, labels)."""
        from scipy.special import erfc

        reach = np.hypot(0.5 * self.phase / distance, self.top)
        found = 0.5 * erfc(0.5 * self.edge * (t[:, None] / reach - 1))
        return np.where(found > _TINY, found, 0.0)

    def kept(self, t: Array, label: Array) -> Array:
        """1, and nothing where exp(i t label) turns too fast to count, shape (t, labels)."""
        return np.asarray(np.exp(-_NOTHING * np.minimum(t[:, None] / self.highest(label), 2.0) ** _POWER))

    def highest(self, label: Array | float) -> Array:
        """From which frequency on nothing is kept."""
        return WINDOW * np.hypot(self.phase / np.maximum(np.abs(label), _TINY), 2 * self.top)


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


def label_rule(
    where: LabelRange,
    *,
    blur: float,
    deviation: float,
    level: int,
    width: float = math.inf,
    nearest: float | None = None,
) -> LabelRule:
    """A rule for z of a least standard deviation and labels with a blur of another.

    Parameters
    ----------
    width : float
        A standard deviation of labels far from the singular one, if it is below their distance.
    level : int
        0 to 3; the last two are for densities at labels that are much rarer than those farther away.
    nearest : float or None
        Distance from the singular label below which nothing is told apart; by the level without it.

    Examples
    --------
    >>> where = LabelRange(low=-30.0, high=30.0, centre=0.0)
    >>> rule = label_rule(where, blur=0.0, deviation=1.0, level=1)
    >>> laplace = rule.density(1 / (1 + rule.t[None] ** 2) + 0j)[0]
    >>> bool(np.abs(laplace - np.exp(-np.abs(rule.labels)) / 2).max() < 1e-6)
    True
    >>> rule = label_rule(where, blur=0.0, deviation=1.0, level=1, width=0.5)
    >>> normal = rule.density(np.exp(-0.125 * rule.t[None] ** 2 + 20j * rule.t))[0]
    >>> bool(np.abs(normal @ rule.weights - 1) < 1e-7)
    True
    """
    phase = max(_PHASE[level], _NARROW[level] / deviation)
    step = min(_STEP[level] * deviation, _BLURRED[level] if blur else math.inf)
    low, high = where.low - where.centre, where.high - where.centre
    extent = max(high, -low)
    s = _SMEARED * blur if blur else nearest or _NEAREST[level] * extent
    fine = Fineness(phase=phase, least=s, top=_TOP[level] / width, edge=_EDGE[level])
    far = 1 / (_EVEN[level] * width)
    distance, weights = _between(
        lambda x: (np.arcsinh(x / s) / step + far * x, 1 / (step * np.hypot(s, x)) + far), low, high
    )
    t, widths = _frequencies(fine, extent, _NOISE / blur if blur else math.inf)
    matrix = np.exp(-1j * np.outer(t, where.centre + distance)) * fine.within(t, np.hypot(s, distance))
    return LabelRule(
        t=t,
        labels=where.centre + distance,
        weights=weights,
        matrix=np.asarray(matrix * widths[:, None] / math.pi, dtype=np.complex128),
        fineness=fine,
    )


def _frequencies(fine: Fineness, extent: float, last: float) -> tuple[Array, Array]:
    """In equal steps of their logarithm, and up to what labels far away need in equal steps too."""
    rise = _TURN / fine.phase
    start = _TURN / 2 / extent / rise
    even, each = 2 * fine.top or math.inf, extent / _TURN if fine.top else 0.0

    def number(t: Array) -> tuple[Array, Array]:
        slope = np.cosh(np.minimum(t / even, _FLAT)) ** -2
        return (
            np.arcsinh(t / start) / rise + (each * even * np.tanh(t / even) if each else 0.0),
            1 / (rise * np.hypot(start, t)) + each * slope,
        )

    t, widths = _between(number, 0.0, min(max(fine.phase / fine.least, 2 * fine.top), last))
    widths[0] *= 0.5
    return t, widths


def _between(number: Callable[[Array], tuple[Array, Array]], low: float, high: float) -> tuple[Array, Array]:
    """Points from one to another in steps of at most 1 of an increasing function, and their widths.

    The function comes with its derivative.
    """
    first, last = (float(v) for v in number(np.array([low, high]))[0])
    wanted = np.linspace(first, last, math.ceil(last - first) + 1)
    below, above = np.full(len(wanted), low), np.full(len(wanted), high)
    x = 0.5 * (below + above)
    for _ in range(_HALVINGS):
        less = number(x)[0] < wanted
        below, above = np.where(less, x, below), np.where(less, above, x)
        x = 0.5 * (below + above)
    x[0], x[-1] = low, high
    return x, (wanted[1] - wanted[0]) / number(x)[1]
