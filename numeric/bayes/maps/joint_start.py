"""The stability of M = 0 for a continuous coordinate and others that enter through finitely many values."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.label.cases.values.joint import JointChannel
from hermite_analytics.label.cases.values.joint_nodes import joint_nodes

__all__ = ["joint_threshold"]

Array = NDArray[np.float64]

_NOTHING = 1e-9  # top eigenvalue below which no alpha makes M = 0 unstable


def joint_threshold(channel: JointChannel, *, level: int = 1) -> float:
    """1/(top eigenvalue of M -> E[G M G]), G = E[z z^T | y] - I, where E[z | y] = 0; inf if G = 0.

    All coordinates together: where the label shows products of the continuous one with others, it is below
    the thresholds of each alone.

    Source: arXiv 2405.15480.
    """
    nodes = joint_nodes(channel, level=level)
    sheets = channel.main.sheets
    labels, probability = np.empty(len(nodes.place)), nodes.weights.copy()
    for k, sheet in enumerate(sheets):
        rows = nodes.own == k
        labels[rows] = sheet.value(nodes.place[rows])
        probability[rows] *= sheet.probability
    atoms = np.array([a.label for a in channel.main.atoms()])
    labels = np.concatenate([labels, atoms])
    q = channel.dimension
    found = channel.at(labels)(np.zeros((len(labels), q)), np.eye(q))
    p = np.concatenate([probability, np.exp(found.log_z[len(probability) :])])
    g = found.g[:, :, None] * found.g[:, None, :] - found.minus_dg
    operator = np.einsum("n,nij,nkl->ikjl", p, g, g, optimize=True).reshape(q * q, q * q)
    top = float(np.linalg.eigvalsh(0.5 * (operator + operator.T))[-1])
    return 1 / top if top > _NOTHING else math.inf
