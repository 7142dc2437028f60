"""Hermite expansions: c_S = E[He_S(z) f(z)], with the evidence for every coefficient."""

from __future__ import annotations

from hermite_analytics.expansion.coefficients import hermite
from hermite_analytics.expansion.expansion import HermiteExpansion

__all__ = ["HermiteExpansion", "hermite"]
