"""Bayes-optimal approximate message passing on data, and the spectral method: `AMP` and `SpectralMethod`.

Both take inputs x ~ N(0, I_d), labels y and a target that says how they depend on a few projections of x.
"""

from __future__ import annotations

from hermite_analytics.numeric.bayes.amp.model import AMP
from hermite_analytics.numeric.bayes.amp.result import AMPResult
from hermite_analytics.numeric.bayes.amp.spectral import SpectralMethod, SpectralResult

__all__ = ["AMP", "AMPResult", "SpectralMethod", "SpectralResult"]
