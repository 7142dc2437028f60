"""Constants and panels of the quadrature rules in kernels, the same for every back end.

Source: docs/theory.md, "Compiled quadrature".
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from hermite_analytics.foundation.panels import gauss_legendre

if TYPE_CHECKING:
    from sympy import Expr

__all__ = [
    "END",
    "GEOMETRIC_PANELS",
    "LARGEST_SIZE",
    "MARGIN",
    "PANEL_NODES",
    "SMALLEST_STEP",
    "UNDECAYED",
    "UNKNOWN_STEP",
    "graded_ends",
    "owen_rule",
    "reference_rule",
    "rounding_floor",
    "widest_step",
]

END = 38.0  # exp(-38^2/2) underflows
MARGIN = 1e6  # the trapezoidal rule aims at accuracy/MARGIN times sup|f| in the strip
LARGEST_SIZE = 1e4  # of sup|f| in the strip relative to E|f|: more shows in the even and odd sums
SMALLEST_STEP = 2.0**-14  # a strip that asks for less: out of reach
UNKNOWN_STEP = 0.5  # the first step where the strip is not known
UNDECAYED = 1e-13  # a larger relative term at END: the integral is not finite, or out of reach
PANEL_NODES = 20
_SHARP_RATIO = 0.15  # of the panels towards a logarithm or a root: each errs by 2.3^-40
_SHARP_PANELS = 15  # the last one is 4e-13 wide, its nodes are apart from its end
GEOMETRIC_PANELS = 10  # of [0, end], each half as wide as the one before


def rounding_floor(accuracy: float) -> float:
    """A smaller change in the last refinement is rounding in the integrand: no reason to give NaN."""
    return 1e-4 * math.sqrt(accuracy)


def widest_step(accuracy: float) -> float:
    """At which the trapezoidal rules on even and on odd nodes agree for a constant: to sqrt(accuracy)/100."""
    return math.pi / math.sqrt(2.0 * math.log(100.0 / math.sqrt(accuracy)))


def graded_ends(points: Iterable[Expr]) -> list[Expr]:
    """Ends of panels that become shorter towards sharp points, on both sides of each."""
    import sympy  # kernels that are kept need none

    widths = [sympy.Float(_SHARP_RATIO**k) for k in range(1, _SHARP_PANELS + 1)]
    return [b + side * w * sympy.Max(1, sympy.Abs(b)) for b in points for w in widths for side in (-1, 1)]


def owen_rule() -> tuple[tuple[float, ...], tuple[float, ...]]:
    """(x^2, weight/(2 pi)) of 10 nodes on [0, 1] for Owen's T: half of 20, for the integrand is even."""
    x, w = gauss_legendre(20)
    return tuple((x[10:] ** 2).tolist()), tuple((w[10:] / (2.0 * math.pi)).tolist())


@functools.cache
def reference_rule() -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Nodes and weights of Gauss-Legendre on [-1, 1]."""
    nodes, weights = gauss_legendre(PANEL_NODES)
    return tuple(nodes.tolist()), tuple(weights.tolist())
