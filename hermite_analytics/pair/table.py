"""A function of a correlation as numbers: a Chebyshev sum in it, or sums in panels of its angle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hermite_analytics.evidence import Evidence

if TYPE_CHECKING:
    from mpmath import mpf

__all__ = ["Table"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """The coefficients of a function of rho in [-1, 1], and how far it may be off.

    Attributes
    ----------
    edges : tuple of float
        Of the panels in the angle arccos(rho), 0 and pi among them; empty for a sum in rho itself.
    rows : tuple of tuples of float
        The Chebyshev coefficients of each panel.
    error_bound : float
        On the difference at any rho in [-1, 1]; rigorous unless the evidence is `estimated`. Rounding in the
        evaluation, a few 1e-16 of `scale`, comes on top.
    evidence : Evidence
        `proved` or `estimated`.
    scale : float
        What errors are to be compared with: E sigma^2.
    method : str
        How the numbers were found, in one line.
    """

    edges: tuple[float, ...]
    rows: tuple[tuple[float, ...], ...]
    error_bound: float
    evidence: Evidence
    scale: float
    method: str

    @property
    def relative_error(self) -> float:
        """The error bound in units of the scale."""
        return self.error_bound / self.scale

    def value(self, rho: mpf) -> mpf:
        """The function at an mpmath number, at the working precision."""
        from hermite_analytics.codegen.python_backend import special

        if self.edges:
            return special.angle_sum(self.edges, self.rows, rho)
        return special.chebyshev_sum(self.rows[0], rho)
