"""Labels as a value and a distance from it: one number does not hold those beside critical values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array, Bools, Integers

__all__ = ["LabelPlaces", "panel_places"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelPlaces:
    """Labels `origins` + `distances`.

    The label cos(h) is 1 - h^2/2 beside 1: as one number it holds h to 1e-8, and where the density of h is
    infinite at 0, as that of a product of two coordinates, labels of probability 1e-7 are then all 1.

    Attributes
    ----------
    origins, distances : ndarray, one shape
    """

    origins: Array
    distances: Array

    @classmethod
    def of(cls, labels: Array) -> LabelPlaces:
        """Labels that are known as numbers only."""
        return cls(origins=labels, distances=np.zeros(np.shape(labels)))

    @property
    def labels(self) -> Array:
        """As numbers."""
        return np.asarray(self.origins + self.distances)

    def above(self, value: float) -> Array:
        """Distances from a value, without rounding where it is the origin."""
        return np.asarray((self.origins - value) + self.distances)

    def chosen(self, some: Bools | Integers) -> LabelPlaces:
        """Some of them."""
        return LabelPlaces(origins=self.origins[some], distances=self.distances[some])


def panel_places(low: Array, high: Array, s: Array) -> tuple[LabelPlaces, Array]:
    """(labels between two ends at log-ratios s of their distances, d label/d s); arrays that broadcast.

    Examples
    --------
    >>> places, slopes = panel_places(np.array(0.0), np.array(2.0), np.array([0.0, 40.0]))
    >>> places.labels.tolist(), bool(places.above(2.0)[1] < 0), slopes[0].item()
    ([1.0, 2.0], True, 0.5)
    """
    near, far = (high - low) / (1 + np.exp(-s)), (high - low) / (1 + np.exp(s))
    beside_low = s < 0
    places = LabelPlaces(origins=np.where(beside_low, low, high), distances=np.where(beside_low, near, -far))
    return places, np.asarray(near * far / (high - low))
