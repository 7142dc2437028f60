"""The level surfaces of a label of three coordinates: looked for once, for thresholds and for maps."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field, replace

from sympy import Expr, Symbol

from hermite_analytics.label.cases.added_noise import AddedNoise, added_noise
from hermite_analytics.label.cases.space.pieces import PiecewiseLabel, piecewise_label
from hermite_analytics.label.cases.space.space import SpaceChannel
from hermite_analytics.label.reduction.one_value import one_value
from hermite_analytics.label.symmetries import label_symmetries
from hermite_analytics.language.kinks import STAIRS
from hermite_analytics.symbols import xi

__all__ = ["Surfaces", "surfaces_of"]

_KEPT = 1  # label: its points may take 300 MB


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Surfaces:
    """The surfaces of a value of three coordinates.

    Attributes
    ----------
    value : sympy expression
        The label, what noise is added to, or what a label with floors is a function of.
    coordinates : tuple of three symbols
    hidden : int
        How many of them, the last ones, are label noise.
    noise : AddedNoise or None
        Through which the value is seen.
    """

    value: Expr
    coordinates: tuple[Symbol, ...]
    hidden: int
    noise: AddedNoise | None
    _label: PiecewiseLabel
    _found: list[SpaceChannel] = field(default_factory=list, init=False, repr=False)

    def channel(self) -> SpaceChannel:
        """The surfaces of all labels, or of half of them where a symmetry takes these to the others; kept.

        Raises
        ------
        UnsupportedExpression
            As `SpaceChannel.of`.
        """
        if not self._found:
            every = label_symmetries(self.value, self.coordinates)
            alone = self.hidden or self._label.outer is not None
            kept = [s for s in every if s.sign > 0] if alone else every
            self._found.append(SpaceChannel.of(self._label, kept, noise=self.noise))
        return self._found[0]


@functools.lru_cache(maxsize=_KEPT)
def surfaces_of(signal: Expr, unknown: tuple[Symbol, ...]) -> Surfaces | None:
    """Of labels that `piecewise_label` takes, without noise, with noise added or as a coordinate.

    Examples
    --------
    >>> from sympy import symbols
    >>> w = symbols("w1 w2 w3", real=True)
    >>> surfaces_of(w[0] * w[1] + w[2] + xi / 2, w).value
    w1*w2 + w3
    """
    hidden = signal.has(xi)
    added = added_noise(signal, unknown) if hidden and len(unknown) == 3 else None
    value, noise = (signal, None) if added is None else added
    coordinates = (*unknown, xi) if hidden and noise is None else unknown
    outer = one_value(value, coordinates) if value.has(*STAIRS) else None
    if value.has(*STAIRS) and (outer is None or noise is not None):
        return None
    value = value if outer is None else outer.inner
    label = piecewise_label(value, coordinates)
    if label is None or (outer is not None and label.labels is not None):
        return None
    label = replace(label, outer=outer)
    return Surfaces(value=value, coordinates=coordinates, hidden=3 - len(unknown), noise=noise, _label=label)
