"""Labels with noise as soft channels: one coordinate by where its law has kinks, two by lines and curves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sympy import Expr, Symbol

from hermite_analytics.label.cases.line.functions import along, kinks_of
from hermite_analytics.label.cases.plane.lines import breaks_of
from hermite_analytics.label.cases.soft.channel import SoftChannel
from hermite_analytics.label.cases.soft.intervals import laws_of_intervals
from hermite_analytics.label.cases.soft.rules import LineRule, PlaneRule, Rule
from hermite_analytics.label.exact.cells import laws_of_values
from hermite_analytics.label.function_of_points import function_of_points
from hermite_analytics.label.reduction.problem import Problem
from hermite_analytics.symbols import xi

__all__ = ["added", "soft_label"]


def soft_label(problem: Problem) -> SoftChannel | None:
    """Noise added to a label of one or two coordinates, or inside finitely many values.

    Examples
    --------
    >>> from sympy import sign, symbols
    >>> w1, w2 = symbols("w1 w2", real=True)
    >>> soft_label(Problem(signal=sign(w1 * w2 + xi), unknown=(w1, w2), known=())).values.tolist()
    [-1.0, 1.0]
    """
    if problem.known or not problem.signal.has(xi):
        return None
    if problem.noise is not None:
        return added(problem.signal.subs(xi, 0), problem.unknown, abs(float(problem.noise)))
    found = laws_of_values(problem.signal, problem.unknown)
    if found is None and len(problem.unknown) == 1:
        intervals = laws_of_intervals(problem.signal, *problem.unknown)
        if intervals is not None:
            values, laws, edges = intervals
            return SoftChannel(rule=LineRule(laws=laws, edges=edges), values=values)
    rule = None if found is None else _rule([law for _, law in found], problem.unknown)
    if rule is None:
        return None
    return SoftChannel(rule=rule, values=np.array([float(label) for label, _ in found or ()]))


def added(
    signal: Expr, coordinates: tuple[Symbol, ...], noise: float, slope: float = 0.0
) -> SoftChannel | None:
    """The signal and noise, beside a coordinate with a slope."""
    rule = _rule([signal], coordinates)
    return None if rule is None else SoftChannel(rule=rule, values=np.zeros(0), noise=noise, slope=slope)


def _rule(laws: Sequence[Expr], coordinates: tuple[Symbol, ...]) -> Rule | None:
    functions = tuple(function_of_points(law, coordinates) for law in laws)
    if len(coordinates) == 1:
        edges = [kinks_of(along(law, *coordinates).kinks) for law in laws]
        return LineRule(laws=functions, edges=np.unique(np.concatenate(edges)))
    breaks = breaks_of(laws, coordinates) if len(coordinates) == 2 else None
    return None if breaks is None else PlaneRule(laws=functions, breaks=breaks)
