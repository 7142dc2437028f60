"""Labels that see their coordinates through one linear form only: one of z1 alone that has the same law.

Networks whose first layer is isotropic see of sign(z1 + 2*z2) what they see of sign(z1).
"""

from __future__ import annotations

import functools

from hermite_analytics.target import Target

__all__ = ["one_direction"]


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
