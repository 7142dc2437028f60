"""Thresholds of three coordinates, noise inside the label being one of them: by level surfaces."""

from __future__ import annotations

from hermite_analytics.argument.remarks import remark
from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.attempts import attempted
from hermite_analytics.foundation.clock import share
from hermite_analytics.label.cases.space.case import surfaces_of
from hermite_analytics.label.operator import top_eigenvalue
from hermite_analytics.label.reduction.problem import Problem
from hermite_analytics.label.thresholds.numeric import FLOOR
from hermite_analytics.label.thresholds.result import Threshold, estimated
from hermite_analytics.language.kinks import STAIRS

__all__ = ["between_surfaces", "level_surfaces"]

_SHARE = 0.8  # of the time; samples are left
_SAFETY = 2.0  # times the change with the level
_LOST = (
    5.0  # times the probability, weighed far out, that is lost: in the total other labels make up for some
)


def between_surfaces(problem: Problem) -> Threshold | None:
    """Floors of one value of three coordinates, as they stand: the surfaces of that value between places."""
    if problem.noise != 0 or not problem.signal.has(*STAIRS):
        return None
    try:
        return level_surfaces(problem)
    except UnsupportedExpression:
        return None


def level_surfaces(problem: Problem) -> Threshold | None:
    """Labels without or with noise that `piecewise_label` takes, where nothing is known.

    Raises
    ------
    UnsupportedExpression
        As `SpaceChannel.of` and its `label_nodes`.
    """
    surfaces = None if problem.known else surfaces_of(problem.signal, problem.unknown)
    if surfaces is None:
        return None
    with attempted(share(_SHARE)):
        channel, asked = surfaces.channel(), len(problem.unknown)
        coarse, fine = (top_eigenvalue(channel.quadrature(k).of_first(asked)) for k in (0, 1))
        error = _SAFETY * abs(fine - coarse) + fine * (_LOST * channel.mass_defect + FLOOR)
        return estimated(fine, error, remark("a label of three coordinates: its level surfaces"))
    return None
