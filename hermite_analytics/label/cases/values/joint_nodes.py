"""Places of the continuous coordinate of a joint channel, each with the other preimages of its label."""

from __future__ import annotations

import itertools

import numpy as np

from hermite_analytics.label.cases.line.functions import sign_changes
from hermite_analytics.label.cases.line.numeric_pieces import distinct
from hermite_analytics.label.cases.line.preimages import PreimageNodes, preimage_nodes
from hermite_analytics.label.cases.line.sheet_panels import LabelSheet, PanelRule
from hermite_analytics.label.cases.values.joint import JointChannel

__all__ = ["joint_nodes"]

_RULES = tuple(
    PanelRule(nodes=n, widest=4.0, narrow=4.0, negligible=p, coarser=0.1)
    for n, p in ((24, 1e-11), (40, 1e-14))
)  # by level
_GRID = 3001


def joint_nodes(channel: JointChannel, *, level: int = 1, half: bool = False) -> PreimageNodes:
    """Panels between preimages of critical values and the points where two sheets cross.

    Parameters
    ----------
    half : bool
        Only x > 0, counted twice: for labels with a symmetry that changes the sign of x.
    """
    sheets = channel.main.sheets
    pieces = [p for s in sheets for p in s.pieces if p.slope]
    crossings = _crossings(sheets, min(p.low for p in pieces), max(p.high for p in pieces))
    found = preimage_nodes(sheets, _RULES[level], cuts=[*crossings, *([0.0] if half else [])])
    return found.of(found.place > 0, 2.0) if half else found


def _crossings(sheets: tuple[LabelSheet, ...], low: float, high: float) -> list[float]:
    """Where two sheets have the same label: preimages come close to each other there."""
    grid = np.linspace(low, high, _GRID) + 0.17 * (high - low) / _GRID
    found = [np.zeros(0)]
    for one, two in itertools.combinations(sheets, 2):
        found.append(sign_changes(lambda x, a=one, b=two: a.value(x) - b.value(x), grid))
    return distinct(np.concatenate(found).tolist())
