"""Labels that see their coordinates through one linear form only: one of z1 alone that has the same law.

Networks whose first layer is isotropic see of sign(z1 + 2*z2) what they see of sign(z1).
"""

from __future__ import annotations

import functools

import numpy as np

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.language.one_direction import along_one_direction
from hermite_analytics.symbols import variable
from hermite_analytics.target import Target

__all__ = ["one_direction", "one_row"]


@functools.lru_cache(maxsize=64)
def one_direction(target: Target) -> Target:
    """The label h(|a| z1) of a target h(a.z) of several coordinates; the target where it is shown to be none.

    Examples
    --------
    >>> one_direction(Target("sign(3*z1 + 4*z2 - 5/2) + xi/2")).text
    'xi/2 + sign(5*z1 - 5/2)'
    >>> one_direction(Target("sign(z1)*z2")).text
    'sign(z1)*z2'
    """
    if target.dimension < 2:
        return target
    found = target.along_its_direction()
    return target if found is None else found


@functools.lru_cache(maxsize=64)
def one_row(target: Target) -> Array | None:
    """The unit row v, shape (r,), of a target g(v.z); None where it is not shown to have one.

    Examples
    --------
    >>> one_row(Target("sin(z1 + z2)")).round(4).tolist()
    [0.7071, 0.7071]
    """
    if target.dimension < 2:
        return np.ones(1)
    found = along_one_direction(target.noiseless, [variable(k + 1) for k in range(target.dimension)])
    return None if found is None else np.array([float(a) for a in found[0]])
