"""What kernels and random features without feature learning can reach."""

from __future__ import annotations

import math

from hermite_analytics.errors import InputError
from hermite_analytics.evidence import Quantity
from hermite_analytics.expansion import hermite
from hermite_analytics.target import Target

__all__ = ["kernel_lower_bound"]


def kernel_lower_bound(target: Target | str, power: float = 1.0) -> Quantity:
    """|P_{>k} f|^2, k = floor(power): no rotationally invariant kernel, and no random features, do better.

    Source: arXiv 2101.10588 (Mei, Misiakiewicz, Montanari) for n, p = d^power with a power that is not an
    integer, where it is reached; arXiv 2205.01445 for n, p of order d.

    Parameters
    ----------
    target : Target or str
        Any number of directions.
    power : float >= 0
        The smaller of the powers of samples and neurons. At an integer the bound is that of the limit from
        above; `RandomFeatures(degree=power)` has the error in between.

    Returns
    -------
    Quantity
        With its evidence.

    Examples
    --------
    >>> str(kernel_lower_bound("z1 + He2(z1)*z2", 2.5)), str(kernel_lower_bound("z1 + He2(z1)*z2", 3))
    ('2', '0')
    """
    if not 0.0 <= power < 200.0:
        raise InputError(f"power is {power!r}; accepted: 0 <= power < 200")
    return hermite(Target.of(target), math.floor(power)).tail
