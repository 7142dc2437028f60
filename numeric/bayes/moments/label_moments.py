"""The labels of a data set against the channel of a target: which moments they have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from hermite_analytics.errors import InputError, UnsupportedExpression
from hermite_analytics.foundation.budget import Budget
from hermite_analytics.label.cases.line.sheets import SheetChannel
from hermite_analytics.label.cases.line.smooth import NoisyChannel, SoftChannel
from hermite_analytics.label.cases.values.boxes import BoxChannel
from hermite_analytics.label.channel import Channel
from hermite_analytics.label.exact.cells import finite_cells
from hermite_analytics.numeric.bayes.moments.box_moments import BoxMoments, indices_of_values
from hermite_analytics.numeric.bayes.moments.joint_moments import JointMoments
from hermite_analytics.numeric.bayes.moments.protocol import LabelMoments, Moments
from hermite_analytics.numeric.bayes.moments.sheet_moments import SheetMoments
from hermite_analytics.numeric.bayes.moments.smooth_moments import NoisyMoments, SoftMoments
from hermite_analytics.symbols import variable, xi
from hermite_analytics.target import Target

__all__ = ["PreparedMoments", "followed", "label_moments"]

Array = NDArray[np.float64]

_SECONDS = 10.0


class Prepared(Protocol):
    """Labels that a channel of several coordinates has prepared."""

    @property
    def smallest_variance(self) -> float:
        """Of V, that is resolved."""

    def __call__(self, omega: Array, variance: Array) -> tuple[Array, Array, Array]:
        """(log Z, g_out, -d g_out/d omega)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedMoments:
    """Moments that the channel itself gives for a data set."""

    prepared: Prepared

    @property
    def smallest_variance(self) -> float:
        """That of the channel."""
        return self.prepared.smallest_variance

    def __call__(self, omega: Array, variance: Array) -> Moments:
        return Moments(*self.prepared(omega, variance))


def followed(channel: Channel) -> tuple[int, ...]:
    """The coordinates of `channel.rows` that AMP follows, in the order of their moments.

    Examples
    --------
    >>> from hermite_analytics.label.channel import channel_of
    >>> followed(channel_of("z1**2 + sign(z1*z2*z3)"))
    (0, 1, 2)
    """
    return channel.seen if channel.joint is None else channel.joint[1]


def label_moments(channel: Channel, labels: Array, *, alone: bool = False) -> LabelMoments:
    """Prepare the labels of a data set.

    Parameters
    ----------
    channel : Channel
        Of the target, by `channel_of`.
    labels : ndarray, shape (n,)
    alone : bool
        Of `channel.seen` only, where others enter through finitely many values.

    Returns
    -------
    LabelMoments
        Of the coordinates `followed(channel)`.

    Raises
    ------
    InputError
        If a label is a value that the target does not take.
    UnsupportedExpression
        If the channel is that of an equivalent label, or has no moments at any omega and V.

    Examples
    --------
    >>> from hermite_analytics.label.channel import channel_of
    >>> at = label_moments(channel_of("sign(z1)"), np.array([1.0, -1.0]))
    >>> at(np.array([[0.0], [0.5]]), np.eye(1)).g.round(6).ravel().tolist()
    [0.797885, -1.141078]
    """
    if channel.reasons:
        raise UnsupportedExpression(
            "the channel of the target is prepared for an equivalent label: give the labels of the target "
            f"{channel.label} instead, with w_k = (row k of channel_of(target).rows).z"
        )
    try:
        return _moments(channel, channel.labels(labels), alone=alone)
    except InputError as refused:
        if channel.offset == 0 and channel.scale == 1:
            raise
        raise InputError(
            f"{refused}, where y stands for (y - {channel.offset:g})/{channel.scale:g}"
        ) from None


def _moments(channel: Channel, labels: Array, *, alone: bool) -> LabelMoments:
    kind = channel.kind
    if channel.joint is not None and not alone:
        return JointMoments.of(channel.joint[0], labels)
    if isinstance(kind, SheetChannel):
        return SheetMoments.of(kind, labels)
    if isinstance(kind, BoxChannel):
        return BoxMoments.of(kind, labels)
    if isinstance(kind, SoftChannel):
        code = indices_of_values(_values_of(channel), labels)
        rows = tuple(np.flatnonzero(code == k) for k in range(len(kind.likelihoods)))
        return SoftMoments(channel=kind, rows=rows)
    if isinstance(kind, NoisyChannel):
        return NoisyMoments(channel=kind, labels=labels)
    return PreparedMoments(prepared=kind.prepared(labels))


def _values_of(channel: Channel) -> Array:
    """The values of a label with the noise inside, in the order of its likelihoods."""
    target = Target(channel.label.replace(f"w{channel.seen[0] + 1}", "z1"))
    cells = finite_cells(target.expression, (variable(1), xi), budget=Budget(seconds=_SECONDS))
    if cells is None or len(cells) != len(channel.kind.likelihoods):  # type: ignore[union-attr]
        raise InputError(f"the values of {channel.label} are not found")
    return np.array([float(cell.label) for cell in cells])
