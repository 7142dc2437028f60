"""State evolution of Bayes-AMP: fixed points, thresholds and errors of the posterior mean."""

from __future__ import annotations
