"""Channels of labels without a special form: level curves, smooth laws in the plane, solving along lines."""

from __future__ import annotations

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.label.cases.committee.blocks import separate_blocks
from hermite_analytics.label.cases.committee.counts import counted_parts
from hermite_analytics.label.cases.committee.parts import separate_parts
from hermite_analytics.label.cases.committee.products import product_parts
from hermite_analytics.label.cases.found import Found
from hermite_analytics.label.cases.given.form import given_form
from hermite_analytics.label.cases.plane.case import plane_case
from hermite_analytics.label.cases.sampled.solved import solved_channel
from hermite_analytics.label.cases.soft.case import soft_label
from hermite_analytics.label.cases.soft.steep import steep_label
from hermite_analytics.label.cases.space.case import surfaces_of
from hermite_analytics.label.function_of_points import function_of_points
from hermite_analytics.label.reduction.problem import Problem
from hermite_analytics.symbols import xi

__all__ = ["level_curves", "smooth_plane", "solved"]

_MOST_COORDINATES = 8
_MOST_PARTS = 20  # separate ones


def level_curves(problem: Problem) -> Found | None:
    """Two coordinates without noise, or one and a noise that is no term by itself."""
    hidden = problem.signal.has(xi)
    if hidden and problem.noise is not None:
        return None
    coordinates = (*problem.unknown, xi) if hidden else problem.unknown
    if len(coordinates) != 2:
        return None
    try:
        found = plane_case(problem.signal, coordinates, hidden=hidden)
    except UnsupportedExpression:
        return None
    return None if found is None else Found(found, problem.unknown)


def smooth_plane(problem: Problem) -> Found | None:
    """Two coordinates with noise added, or inside finitely many values."""
    kind = soft_label(problem) if len(problem.unknown) == 2 else None
    if kind is None:
        return None
    steep = steep_label(problem, kind) if kind.is_too_steep else None
    return Found(kind if steep is None else steep, problem.unknown)


def solved(problem: Problem) -> Found | None:
    """Anything else: noise is one more coordinate, of which nothing is ever known."""
    hidden = int(problem.signal.has(xi))
    count = len(problem.unknown) + hidden
    if not problem.unknown or count < 2:
        return None
    forms = (form(problem.signal, problem.unknown) for form in (counted_parts, separate_parts, product_parts))
    separate = next((form for form in forms if form is not None), None)
    if count > (_MOST_COORDINATES if separate is None else _MOST_PARTS):
        return None
    coordinates = (*problem.unknown, xi) if hidden else problem.unknown
    value = function_of_points(problem.signal, coordinates)
    surfaces = surfaces_of(problem.signal, problem.unknown)
    blocks = separate_blocks(problem.signal, problem.unknown)
    found = solved_channel(
        value,
        count,
        hidden=hidden,
        surfaces=surfaces,
        separate=separate,
        blocks=blocks,
        given=given_form(problem.signal, problem.unknown),
    )
    return Found(found, problem.unknown)
