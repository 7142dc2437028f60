"""The labels of the target at the nodes of a table, given the part of the input along the spikes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hermite_analytics.activation import Activation
from hermite_analytics.conditional import feature_points
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.numeric.gaussian_rule import Feature, gaussian_rule
from hermite_analytics.numeric.losses.interface import no_corners
from hermite_analytics.numeric.losses.loss import Loss
from hermite_analytics.numeric.models.random_features.channels import channel_for_labels, sign_channel
from hermite_analytics.numeric.models.random_features.labels import flipped, sign_cells
from hermite_analytics.numeric.models.spiked.tables import Spike, Tables
from hermite_analytics.target import Target

__all__ = ["Teacher", "teacher_at"]


_SMOOTH_NODES = 48


@dataclass(frozen=True, slots=True, kw_only=True)
class Teacher:
    """Labels at each node kappa: cells of z for classes, nodes of z otherwise; rows of one length."""

    places: Array
    labels: Array
    weights: Array
    channel: Any
    level: int


def teacher_at(
    loss: Loss, target: Target, spike: Spike, table: Tables, level: int, *, flips: float = 0.0
) -> Teacher:
    """The label given kappa and z, y = g(overlap kappa + across z), at the nodes of a table.

    A share `flips` of labels 1 and -1 has the other sign.
    """
    overlap, along = spike.gamma[0], table.kappa[0]
    if len(spike.gamma) > 1:
        overlap = spike.overlap
        along = np.array(spike.gamma) @ table.kappa / overlap if overlap > 0 else table.kappa[0]
    across = float(np.sqrt(max(1.0 - overlap**2, 0.0)))
    if loss.of_margin:
        edges, labels, _ = sign_cells(target)
        with np.errstate(divide="ignore", invalid="ignore"):
            places = (edges[None] - overlap * along[:, None]) / across
        places = np.nan_to_num(places, nan=0.0, posinf=np.inf, neginf=-np.inf)
        rows, share = np.tile(labels, (along.size, 1)), np.full((along.size, 1), flips)
        return Teacher(places=places, labels=rows, weights=share, channel=sign_channel, level=level)
    bends = loss.corners is not no_corners
    z, weights = _rows(target, overlap * along, across, level, panels=bends)
    labels = np.asarray(target.function("auto")(overlap * along[:, None] + across * z), dtype=np.float64)
    z, labels, weights = flipped((z, labels, weights), flips)
    return Teacher(places=z, labels=labels, weights=weights, channel=channel_for_labels(loss), level=level)


def _rows(target: Target, shift: Array, across: float, level: int, *, panels: bool) -> tuple[Array, Array]:
    """Nodes of z with panels at the kinks of the target: rows of one length, filled up with weight 0.

    A loss that bends takes panels in any case: the channel refines them where the label crosses a bend.
    """
    kinks = feature_points(Activation("z"), target)[1]
    if across == 0.0:
        return np.zeros((shift.size, 1)), np.ones((shift.size, 1))
    if not kinks and not panels:
        z, w = np.polynomial.hermite_e.hermegauss(round(_SMOOTH_NODES * 1.5**level))
        return np.tile(z, (shift.size, 1)), np.tile(w / w.sum(), (shift.size, 1))
    rules = [
        gaussian_rule([Feature(center=(b - x) / across, width=0.0) for b in kinks], level) for x in shift
    ]
    longest = max(z.size for z, _ in rules)
    found = np.zeros((2, shift.size, longest))
    for index, rule in enumerate(rules):
        found[:, index, : rule[0].size] = rule
    return found[0], found[1]
