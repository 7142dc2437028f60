"""Functions of two straight pieces: the absolute value, relu and leaky_relu."""

from __future__ import annotations

from typing import TYPE_CHECKING

import mpmath
import sympy
from sympy import Expr, S

from hermite_analytics.language.functions.real_function import RealFunction
from hermite_analytics.language.functions.record import Growth, Kink, Record
from hermite_analytics.language.functions.steps import step

if TYPE_CHECKING:
    from sympy.printing.latex import LatexPrinter

__all__ = ["RECORDS", "leaky_relu", "relu"]


class relu(RealFunction):
    """max(x, 0)."""

    nargs = 1

    @classmethod
    def eval(cls, x: Expr) -> Expr | None:
        if x.is_extended_nonnegative:
            return x
        return S.Zero if x.is_extended_nonpositive else None

    def fdiff(self, argindex: int = 1) -> Expr:
        return step(self.args[0])

    def _value(self, x: mpmath.mpf) -> mpmath.mpf:
        return max(x, mpmath.mpf(0))


class leaky_relu(RealFunction):
    """x for x > 0, else slope * x; arguments (x, slope)."""

    nargs = 2

    def fdiff(self, argindex: int = 1) -> Expr:
        x, slope = self.args
        return slope + (1 - slope) * step(x) if argindex == 1 else x * (1 - step(x))

    def _value(self, x: mpmath.mpf, slope: mpmath.mpf) -> mpmath.mpf:
        return x if x > 0 else slope * x

    def _latex(self, printer: LatexPrinter, exp: str | None = None) -> str:
        x, slope = (printer._print(argument) for argument in self.args)
        power = "" if exp is None else f"^{{{exp}}}"
        return rf"\operatorname{{leakyrelu}}{power}\left({x}, {slope}\right)"


RECORDS = (
    Record(
        function=sympy.Abs,
        names=("abs", "Abs"),
        elsewhere=("fabs", "absolute"),
        code="abs",
        parity=1,
        low=S.Zero,
        vanishes_at_zero_alone=True,
        is_convex=True,
        increases_with_size=True,
        growth=Growth.LINEAR,
        asymptotes=(lambda x: -x, lambda x: x),
        kink=Kink(lambda x: (x, -x)),
    ),
    Record(
        function=relu,
        names=("relu",),
        code="relu",
        low=S.Zero,
        is_increasing=True,
        is_convex=True,
        growth=Growth.LINEAR,
        asymptotes=(lambda x: 0, lambda x: x),
        kink=Kink(lambda x: (x, 0)),
    ),
    Record(
        function=leaky_relu,
        names=("leaky_relu",),
        arity=(2, 2),
        constants=("slope",),
        example="leaky_relu(z, 0.1)",
        code="leaky_relu",
        growth=Growth.LINEAR,
        asymptotes=(lambda x, slope: slope * x, lambda x, slope: x),
        kink=Kink(lambda x, slope: (x, slope * x)),
    ),
)
