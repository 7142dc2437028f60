"""The channel of Bayes-AMP: moments of z given a label y, when z is N(omega, V) before y is seen."""

from __future__ import annotations

from hermite_analytics.label.channel.preparation import Channel, channel_of

__all__ = ["Channel", "channel_of"]
