"""Whether E|f|^order is finite against a Gaussian: a decision with its reason.

decision      the question, the quick way by envelopes, the way by cells
envelopes     upper bounds of the growth of f, read off its structure
cells         f on cells without kinks            geometry, signs    cells and the signs on them
reader        f on one cell as a sum of terms     terms, powers, towers
sums          the verdict on one cell             exponents, copositivity, singularities
moments       whether the coefficients of f exist as well
"""

from __future__ import annotations

from hermite_analytics.gaussian.integrability.decision import (
    Integrability,
    integrability,
    moment_is_finite,
    verdict,
)
from hermite_analytics.gaussian.integrability.moments import coefficients_exist

__all__ = ["Integrability", "coefficients_exist", "integrability", "moment_is_finite", "verdict"]
