"""Which orders a label of one variable does not see: E[He_k(t) | h(t)] = 0."""

from __future__ import annotations

import functools

from sympy import Expr, Matrix

from hermite_analytics.errors import HermiteAnalyticsError, UnsupportedExpression
from hermite_analytics.exponents.numbers import Numbers
from hermite_analytics.foundation.clock import allowed, share
from hermite_analytics.label.exact.cancellation import preimages_cancel
from hermite_analytics.label.exact.node import ConditionalLaw
from hermite_analytics.label.exact.pieces import INCREASING
from hermite_analytics.label.exact.reflections import is_invariant
from hermite_analytics.label.orders.transformations import TransformedLabel, indicators
from hermite_analytics.symbols import variable
from hermite_analytics.target import Target

__all__ = ["AxisLaw"]

_SHARE = 0.3  # of the time left
_Z1 = variable(1)


class AxisLaw:
    """The law of one standard normal variable given a function of it.

    Parameters
    ----------
    function : sympy expression
        h(z1), without label noise.

    Examples
    --------
    >>> import sympy
    >>> law = AxisLaw(_Z1**2 * sympy.exp(-_Z1**2))
    >>> [law.vanishes(k) for k in (2, 4)]
    ['for the preimages of each label cancel', None]
    >>> AxisLaw(sympy.sign(_Z1)).vanishes(2)
    'checked for each of the 2 values of h'
    """

    def __init__(self, function: Expr) -> None:
        self._function = function
        self._known: dict[int, str | None] = {}

    def vanishes(self, order: int) -> str | None:
        """Why E[He_k(t) | h(t)] = 0, or None where that is not shown.

        Raises
        ------
        TimeEnded
            If the time of a limit around the call is over.
        """
        if order not in self._known:
            self._known[order] = self._reason(order)
        return self._known[order]

    def _reason(self, order: int) -> str | None:
        if isinstance(self._function, INCREASING) or self._function == _Z1:
            return None
        if order % 2 and is_invariant(self._function, [_Z1], Matrix([[-1]])):
            return "for it is even"
        law = self._law
        if law is None:
            return None
        if law.kind == "discrete":
            empty = all(t.closed(order) == {} for t in self._indicators)
            return f"checked for each of the {len(law.cells)} values of h" if empty else None
        try:
            cancels = preimages_cancel(law.pieces, _Z1, order)
        except UnsupportedExpression:  # critical values that are not told apart
            return None
        return "for the preimages of each label cancel" if cancels else None

    @functools.cached_property
    def _law(self) -> ConditionalLaw | None:
        try:
            return ConditionalLaw(Target(str(self._function)), seconds=share(_SHARE))
        except HermiteAnalyticsError:  # no mean by itself
            return None

    @functools.cached_property
    def _indicators(self) -> list[TransformedLabel]:
        if self._law is None:
            return []
        with allowed(share(_SHARE)):
            return indicators(self._law.cells, (_Z1,), (), Numbers())
