"""Whether f(Rz) = f(z) for one given isometry R, by canonical forms."""

from __future__ import annotations

from collections.abc import Sequence

from sympy import Expr, Matrix, Symbol

from hermite_analytics.foundation.clock import TimeEnded
from hermite_analytics.gaussian.zero.monomials import OutOfReach, variable_form
from hermite_analytics.gaussian.zero.own_time import own_time
from hermite_analytics.gaussian.zero.piecewise import merged_signs
from hermite_analytics.gaussian.zero.reader import read
from hermite_analytics.gaussian.zero.ring import Ring
from hermite_analytics.gaussian.zero.substitution import substitute

__all__ = ["is_invariant"]

_OPERATIONS = 40_000
_SECONDS = 1.0


def is_invariant(expr: Expr, variables: Sequence[Symbol], matrix: Matrix) -> bool:
    """Whether f(Rz) = f(z) almost everywhere is verified; False may mean that it was not shown.

    Examples
    --------
    >>> from sympy import symbols
    >>> z1, z2 = symbols("z1 z2", real=True)
    >>> [is_invariant(f, [z1, z2], Matrix([[0, 1], [1, 0]])) for f in (z1 * z2, z1 - z2)]
    [True, False]
    """
    names = [v.name for v in variables]
    try:
        with own_time(_SECONDS):
            ring = Ring(_OPERATIONS)
            form = merged_signs(ring, read(ring, expr))
            values = {
                name: ring.add(
                    ring.multiply(read(ring, matrix[i, j]), variable_form(other))
                    for j, other in enumerate(names)
                    if matrix[i, j] != 0
                )
                for i, name in enumerate(names)
            }
            return bool(merged_signs(ring, substitute(ring, form, values)) == form)
    except (OutOfReach, RecursionError, TimeEnded):
        return False
