"""Spectra at d -> infinity: the features after a giant step."""

from __future__ import annotations

from hermite_analytics.numeric.spectrum.features import Spectrum, SpectrumSolution

__all__ = ["Spectrum", "SpectrumSolution"]
