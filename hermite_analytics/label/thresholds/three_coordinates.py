"""Thresholds of three coordinates, noise inside the label being one of them: by level surfaces."""

from __future__ import annotations

from hermite_analytics.argument.remarks import remark
from hermite_analytics.foundation.clock import TimeEnded, check_time, limited, share
from hermite_analytics.label.cases.space.noise import added_noise
from hermite_analytics.label.cases.space.pieces import piecewise_label
from hermite_analytics.label.cases.space.space import SpaceChannel
from hermite_analytics.label.operator import top_eigenvalue
from hermite_analytics.label.quadrature import LabelQuadrature
from hermite_analytics.label.reduction.problem import Problem
from hermite_analytics.label.symmetries import label_symmetries
from hermite_analytics.label.thresholds.numeric import FLOOR
from hermite_analytics.label.thresholds.result import Threshold, estimated
from hermite_analytics.symbols import xi

__all__ = ["level_surfaces"]

_SHARE = 0.8  # of the time; samples are left
_SAFETY = 2.0  # times the change with the level
_LOST = (
    5.0  # times the probability, weighed far out, that is lost: in the total other labels make up for some
)


def level_surfaces(problem: Problem) -> Threshold | None:
    """Labels without or with noise that `piecewise_label` takes, where nothing is known.

    Raises
    ------
    UnsupportedExpression
        As `SpaceChannel.of` and its `label_nodes`.
    """
    if problem.known:
        return None
    hidden = problem.signal.has(xi)
    added = added_noise(problem.signal, problem.unknown) if hidden else None
    signal, noise = (problem.signal, None) if added is None else added
    coordinates = (*problem.unknown, xi) if hidden and noise is None else problem.unknown
    if len(coordinates) != 3:
        return None
    label = piecewise_label(signal, coordinates)
    if label is None:
        return None
    try:
        with limited(share(_SHARE)):
            # all labels are asked for, not one half of them
            kept = tuple(s for s in label_symmetries(signal, coordinates) if s.sign > 0)
            channel = SpaceChannel.of(label, kept, noise=noise)

            coarse, fine = (top_eigenvalue(_law(channel, level, problem)) for level in (0, 1))
            error = _SAFETY * abs(fine - coarse) + fine * (_LOST * channel.mass_defect + FLOOR)
            return estimated(fine, error, remark("a label of three coordinates: its level surfaces"))
    except TimeEnded:
        check_time()  # a limit around this one
        return None


def _law(channel: SpaceChannel, level: int, problem: Problem) -> LabelQuadrature:
    check_time()
    law, seen = LabelQuadrature.of_nodes(channel.label_nodes(level)), channel.seen(level)
    law = law if seen is None else law.seen_through(seen)
    return law.of_first(len(problem.unknown))
