"""How the step size of a giant step is given, and what it is by default.

All conventions stand for one number, the effective step e: a neuron with readout omega/sqrt p moves by
e omega times the mean of (y - f) sigma' x over the samples.
"""

from __future__ import annotations

from hermite_analytics.errors import InputError

__all__ = ["STEP_CONVENTIONS", "default_effective_step", "effective_step", "eta_of"]

STEP_CONVENTIONS = ("paper", "notebook", "mean-field")


def effective_step(convention: str, eta: float, d: int, p: int) -> float:
    """e = eta d/p ("paper"), eta ("notebook") or eta/p ("mean-field").

    Raises
    ------
    InputError
        If there is no such convention.

    Examples
    --------
    >>> effective_step("paper", 1.5, 100, 50)
    3.0
    """
    if convention == "paper":
        return eta * d / p
    if convention == "mean-field":
        return eta / p
    if convention == "notebook":
        return eta
    raise InputError(
        f"step_convention is {convention!r}: accepted are 'paper' (step eta/beta), 'notebook' (step eta) "
        "and 'mean-field' (step eta/p)"
    )


def eta_of(convention: str, step: float, d: int, p: int) -> float:
    """The eta of an effective step; see `effective_step`."""
    return step / effective_step(convention, 1.0, d, p)


def default_effective_step(d: int, n0: int) -> float:
    """d^((l-1)/2) for the largest l >= 1 with n0 >= d^l: the noise then moves a row by O(1), whatever l.

    Source: arXiv 2305.18270, for n0 of order d^l.

    Examples
    --------
    >>> default_effective_step(512, 4096), default_effective_step(100, 10_000)
    (1.0, 10.0)
    """
    power = 1
    while d > 1 and d ** (power + 1) <= n0:
        power += 1
    return float(d ** ((power - 1) / 2))
