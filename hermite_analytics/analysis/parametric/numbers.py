"""Zero or not, for numbers that depend on parameters."""

from __future__ import annotations

import sympy
from sympy import Expr, S

from hermite_analytics.analysis.parametric.factors import factors
from hermite_analytics.analysis.parametric.region import Region
from hermite_analytics.argument.coefficients import Enclosure
from hermite_analytics.exponents.numbers import Numbers

__all__ = ["RegionNumbers"]

_LARGEST = 60  # operations of an expression that sympy may rewrite


class RegionNumbers(Numbers):
    """Numbers as functions of the parameters of a region: zero or nonzero is said of all of it.

    Attributes
    ----------
    open : list of expressions
        Factors of which that was not decided.

    Examples
    --------
    >>> from hermite_analytics.analysis.parametric.domains import Domain
    >>> a = sympy.Symbol("a", real=True)
    >>> numbers = RegionNumbers(Region(domains={a: Domain()}))
    >>> [numbers.is_zero(x) for x in (a**2 + 1, (a + 1) ** 2 - a**2 - 2 * a - 1, 2 * a - 2)]
    [False, True, None]
    >>> numbers.open
    [a - 1]
    """

    def __init__(self, region: Region) -> None:
        super().__init__()
        self._region = region
        self.open: list[Expr] = []

    def is_closed(self, x: Expr) -> bool:
        """Whether only parameters occur."""
        return bool(x.free_symbols <= set(self._region.domains))

    def is_zero(self, x: Expr) -> bool | None:
        """True or False if proved on the whole region, None if not."""
        if not x.free_symbols:
            return super().is_zero(x)
        left = [g for g in factors(self._region.reduced(x)) if not self._region.is_nonzero(g)]
        if S.Zero in left:
            return True
        self.open += left
        return None if left else False

    def excludes_zero(self, x: Expr) -> bool:
        """Whether it vanishes nowhere on the region."""
        return self._region.is_nonzero(x) if x.free_symbols else super().excludes_zero(x)

    def simplified(self, x: Expr) -> Expr:
        """The same function, with its factors."""
        if not x.free_symbols:
            return super().simplified(x)
        return sympy.factor(sympy.cancel(x)) if sympy.count_ops(x) <= _LARGEST else x

    def enclosure(self, x: Expr) -> Enclosure | None:
        """None for what depends on parameters."""
        return None if x.free_symbols else super().enclosure(x)
