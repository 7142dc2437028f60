"""Thresholds of labels that are piecewise linear in two unknown coordinates, given none or one known.

Additive noise is a mixture over the nodes of the label without it.
"""

from __future__ import annotations

from sympy import Expr, Symbol

from hermite_analytics.argument.remarks import remark
from hermite_analytics.gaussian.distribution import expanded
from hermite_analytics.label.cases.plane.lines import planar_label
from hermite_analytics.label.cases.plane.polygons import polygon_density, vertex_order
from hermite_analytics.label.cases.values.noisy import noisy_density
from hermite_analytics.label.quadrature import LabelQuadrature
from hermite_analytics.label.reduction.problem import Problem
from hermite_analytics.label.thresholds.numeric import refined
from hermite_analytics.label.thresholds.outer import outer_nodes, over_known, segments
from hermite_analytics.label.thresholds.result import Threshold
from hermite_analytics.language.kinks import JUMPS, opened
from hermite_analytics.symbols import xi

__all__ = ["is_piecewise_linear", "piecewise_linear"]

_NODES = (16, 24)  # of a segment of the known coordinate, by level


def piecewise_linear(problem: Problem) -> Threshold | None:
    """Two unknown coordinates and at most one known: the level sets are segments."""
    if problem.noise is None or len(problem.known) > 1 or len(problem.unknown) != 2:
        return None
    signal, noise = problem.signal.subs(xi, 0), abs(float(problem.noise))
    if not is_piecewise_linear(signal, problem.unknown):
        return None
    at = planar_label(signal, problem.unknown, problem.known)
    if at is None:
        return None

    def quadrature(*x: float, level: int = 0) -> tuple[LabelQuadrature, float]:
        value, lines = at(*x)
        if noise:
            return noisy_density(lambda finer: polygon_density(value, lines, level=finer), noise, level=level)
        found = polygon_density(value, lines, level=level + 1).quadrature()
        return found, found.mass_defect

    if not problem.known:
        method = remark("a piecewise linear label of two coordinates: its level sets are segments")
        return refined(lambda level: quadrature(level=level), method)
    jumps = signal.has(*JUMPS)
    ends = segments(lambda x: vertex_order(*at(x), jumps=jumps))
    return refined(
        lambda level: over_known(quadrature, *outer_nodes(ends, nodes=_NODES[level])),
        remark("a label piecewise linear in two coordinates for each value of one known: segments"),
    )


def is_piecewise_linear(signal: Expr, unknown: tuple[Symbol, ...]) -> bool:
    """Whether a label is linear in some coordinates where no sign changes.

    Examples
    --------
    >>> from sympy import Max, symbols
    >>> a, b, x = symbols("a b x", real=True)
    >>> is_piecewise_linear(Max(a, b + x, 0) + abs(a), (a, b)), is_piecewise_linear(a * abs(b), (a, b))
    (True, False)
    """
    plain, _ = opened(signal)
    slopes = [plain.diff(w) for w in unknown]
    return all(expanded(slope.diff(w)) == 0 for slope in slopes for w in unknown)
