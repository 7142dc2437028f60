"""Whether E|f|^order is finite against a Gaussian: a decision with its reason.

decision      the question, the quick way by envelopes, the way by cells
envelopes     upper bounds of the growth of f, read off its structure
cells         f on cells without kinks            geometry, signs    cells and the signs on them
reader        f on one cell as a sum of terms     terms, powers, towers
sums          the verdict on one cell             exponents, copositivity, singularities
"""

from __future__ import annotations

from hermite_analytics.gaussian.integrability.decision import (
    Integrability,
    integrability,
    moment_is_finite,
    verdict,
)

__all__ = ["Integrability", "integrability", "moment_is_finite", "verdict"]
