"""Exact one-sided bounds on a success probability (Clopper and Pearson)."""

from __future__ import annotations

from scipy.special import betaincinv

__all__ = ["lower_bound", "upper_bound"]


def lower_bound(successes: int, total: int, level: float) -> float:
    """Largest rate p with P(at least `successes` of `total`) <= level.

    Examples
    --------
    >>> round(lower_bound(20, 20, 0.01), 3)
    0.794
    """
    if successes == 0:
        return 0.0
    return float(betaincinv(successes, total - successes + 1, level))


def upper_bound(successes: int, total: int, level: float) -> float:
    """Smallest rate p with P(at most `successes` of `total`) <= level.

    Examples
    --------
    >>> round(upper_bound(0, 20, 0.01), 3)
    0.206
    """
    return 1.0 - lower_bound(total - successes, total, level)
