"""`PairExpectation`: E sigma(u) sigma(v), u and v standard normals of correlation rho, as an expression.

It stands where no rule gives a closed form. Its numbers come from a table, made when first asked for.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import sympy
from sympy import Expr, S, Symbol, sqrt

from hermite_analytics.codegen.tabulated import Tabulated
from hermite_analytics.gaussian.node import GaussianExpectation
from hermite_analytics.pair.table import Table
from hermite_analytics.symbols import variable

if TYPE_CHECKING:
    from sympy.printing.latex import LatexPrinter
    from sympy.printing.str import StrPrinter

__all__ = ["PairExpectation"]

_BITS_OF_TABLES = 72  # of the working precision for 15 digits; more digits come from adaptive quadrature


class PairExpectation(Tabulated):
    """E[sigma(u) sigma(v)] over standard normals u, v of correlation rho.

    Parameters
    ----------
    sigma : sympy expression in z
    z : Symbol
    rho : sympy expression
    regular : bool
        The slope in rho is meant, without the densities at the jumps of sigma.

    Notes
    -----
    `evalf` of up to 15 digits and compiled code use `table`, whose error they share; more digits come from
    adaptive quadrature. At rho = 0 and +-1 one variable is left.

    Examples
    --------
    >>> from hermite_analytics.symbols import z
    >>> r = Symbol("rho", real=True)
    >>> kernel = PairExpectation(sympy.tanh(z), z, r)
    >>> kernel, kernel.diff(r)
    (K[tanh(z)](rho), K[1 - tanh(z)**2](rho))
    >>> kernel.table.method
    '250 Hermite coefficients, proved'
    >>> print(f"{kernel.subs(r, 1).evalf():.12f} {kernel.subs(r, sympy.Rational(1, 2)).evalf():.12f}")
    0.394294490398 0.186324413203
    """

    is_commutative = True
    is_extended_real = True

    def __new__(cls, sigma: Expr, z: Symbol, rho: Expr, regular: bool = False) -> PairExpectation:
        node: PairExpectation = Expr.__new__(
            cls, sigma, z, sympy.sympify(rho, strict=True), sympy.Integer(int(regular))
        )
        return node

    @property
    def sigma(self) -> Expr:
        return self.args[0]

    @property
    def variable(self) -> Symbol:
        return self.args[1]

    @property
    def rho(self) -> Expr:
        return self.args[2]

    @property
    def argument(self) -> Expr:
        """rho."""
        return self.rho

    @property
    def function(self) -> Expr:
        """The node at rho = 0."""
        return self.func(self.sigma, self.variable, S.Zero, self.is_regular_slope)

    @property
    def is_regular_slope(self) -> bool:
        return bool(self.args[3])

    @property
    def free_symbols(self) -> set[Symbol]:
        return set(self.rho.free_symbols)

    @property
    def bound_symbols(self) -> list[Symbol]:
        return [self.variable]

    @property
    def table(self) -> Table:
        """The numbers behind it."""
        return _table(self.sigma, self.variable, self.is_regular_slope)

    def doit(self, **hints: object) -> Expr:
        """An expectation over one variable where rho is 0 or +-1, else the node."""
        found = self._of_one_variable()
        return self if found is None else found

    def _of_one_variable(self) -> Expr | None:
        z, sigma = self.variable, self.sigma
        if self.is_regular_slope or self.rho not in (S.Zero, S.One, S.NegativeOne):
            return None
        if self.rho == 0:
            return GaussianExpectation(sigma, z) ** 2
        return GaussianExpectation(sigma * sigma.subs(z, self.rho * z), z)

    def _eval_subs(self, old: Expr, new: Expr) -> Expr:
        return self.func(self.sigma, self.variable, self.rho._subs(old, new), self.is_regular_slope)

    def _eval_derivative(self, symbol: Symbol) -> Expr | None:
        inner = self.rho.diff(symbol)
        if inner == 0:
            return S.Zero
        found = None if self.is_regular_slope else _slope(self.sigma, self.variable, self.rho)
        return None if found is None else inner * found

    def _eval_evalf(self, prec: int) -> Expr | None:
        if self.free_symbols:
            return None
        single = self._of_one_variable()
        if single is not None:
            return single.evalf(int(0.302 * prec) + 1)
        if prec > _BITS_OF_TABLES and not self.is_regular_slope:
            return self._pair()._eval_evalf(prec)
        import mpmath

        with mpmath.workprec(prec + 10):
            rho = mpmath.mpmathify(self.rho.evalf(int(0.302 * prec) + 5)._to_mpmath(prec + 10))
            return Expr._from_mpmath(self.table.value(rho), prec)

    def _pair(self) -> GaussianExpectation:
        u, v = variable(1), variable(2)
        second = self.rho * u + sqrt((1 - self.rho) * (1 + self.rho)) * v
        pair = self.sigma.subs(self.variable, u) * self.sigma.subs(self.variable, second)
        return GaussianExpectation(pair, (u, v))

    def _sympystr(self, printer: StrPrinter) -> str:
        slope = "'" if self.is_regular_slope else ""
        return f"K{slope}[{printer._print(self.sigma)}]({printer._print(self.rho)})"

    def _latex(self, printer: LatexPrinter, exp: str | None = None) -> str:
        power = "" if exp is None else f"^{{{exp}}}"
        dot = r"\dot K" if self.is_regular_slope else "K"
        return rf"{dot}_{{{printer._print(self.sigma)}}}{power}\left({printer._print(self.rho)}\right)"


def _slope(sigma: Expr, z: Symbol, rho: Expr) -> Expr | None:
    """The derivative of E sigma(u) sigma(v) in rho; None where E f^2 is not shown to be finite.

    Examples
    --------
    >>> from hermite_analytics.language.functions import step
    >>> from hermite_analytics.symbols import z
    >>> _slope(step(z - 1) * sympy.tanh(z), z, Symbol("rho", real=True))
    0.58002565838597393*phi2(1, 1, rho) + K'[tanh(z)*step(z - 1)](rho)
    """
    from hermite_analytics.gaussian.integrability import moment_is_finite
    from hermite_analytics.language.derivative import almost_everywhere_derivative
    from hermite_analytics.language.functions import phi2
    from hermite_analytics.pair.slope import jumps

    f = almost_everywhere_derivative(sigma, z)
    if moment_is_finite(f, z, 2) is not True:
        return None
    found = jumps(sigma, z)
    if not found:
        return PairExpectation(f, z, rho)
    steps = (x * y * phi2(a, b, rho) for a, x in found for b, y in found)
    rest = S.Zero if f == 0 else PairExpectation(sigma, z, rho, regular=True)
    return sympy.Add(*steps) + rest


@functools.lru_cache(maxsize=64)
def _table(sigma: Expr, z: Symbol, regular: bool) -> Table:
    from hermite_analytics.pair.angle import angle_table
    from hermite_analytics.pair.series import proved_table
    from hermite_analytics.pair.slope import regular_slope_table

    if regular:
        return regular_slope_table(sigma, z)
    return proved_table(sigma, z) or angle_table(sigma, z)
