"""`GaussianExpectation`: E over independent N(0, 1) variables, everything else left free.

The node is a sympy expression, so that it stands inside larger formulas; it knows how to find its
closed form, its derivative in a parameter, and its digits.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import mpmath
import sympy
from sympy import Expr, Symbol, Tuple

from hermite_analytics.foundation.clock import allowed
from hermite_analytics.gaussian.closed_form import closed_form
from hermite_analytics.gaussian.differentiation import boundary_terms, derivative_between_jumps
from hermite_analytics.gaussian.digits import expectation_digits

if TYPE_CHECKING:
    from sympy.printing.latex import LatexPrinter
    from sympy.printing.str import StrPrinter

__all__ = ["GaussianExpectation", "proved_digits"]

_SECONDS = 10.0
_ATTEMPTS = 4


class GaussianExpectation(Expr):  # type: ignore[misc]
    """E[integrand] over independent N(0, 1) `variables`; all other symbols are parameters.

    Parameters
    ----------
    integrand : sympy expression
    variables : symbol or iterable of symbols

    Notes
    -----
    `doit()` gives the closed form where one of the library's rules finds it, else the node itself;
    `evalf(n)` gives digits once no parameter is left free: from an enclosure where there is one in time
    (`hermite_analytics.expectation` says so), else from adaptive quadrature with an estimate of its error.

    Examples
    --------
    >>> import sympy
    >>> from hermite_analytics import GaussianExpectation
    >>> from hermite_analytics.symbols import z
    >>> GaussianExpectation(sympy.Abs(z), z).doit()
    sqrt(2)/sqrt(pi)
    >>> GaussianExpectation(sympy.tanh(z) ** 2, z).evalf(20)
    0.39429449039784117442
    """

    is_commutative = True
    is_extended_real = True

    def __new__(cls, integrand: Expr, variables: Symbol | Iterable[Symbol]) -> GaussianExpectation:
        listed = (variables,) if isinstance(variables, Symbol) else tuple(variables)
        node: GaussianExpectation = Expr.__new__(cls, sympy.sympify(integrand, strict=True), Tuple(*listed))
        return node

    @property
    def integrand(self) -> Expr:
        return self.args[0]

    @property
    def variables(self) -> tuple[Symbol, ...]:
        return tuple(self.args[1])

    @property
    def free_symbols(self) -> set[Symbol]:
        return set(self.integrand.free_symbols) - set(self.variables)

    @property
    def bound_symbols(self) -> list[Symbol]:
        return list(self.variables)

    def doit(self, **hints: object) -> Expr:
        """The closed form, or the node itself where no rule applies."""
        found = closed_form(self.integrand, self.variables)
        return self if found is None else found

    def in_real_functions(self) -> Expr:
        """The closed form if kernels have its functions (no complex erfc, no erfi), else the node."""
        value = self.doit()
        return self if value.has(sympy.I, sympy.erfi) else value

    def _eval_subs(self, old: Expr, new: Expr) -> Expr | None:
        if old.has(*self.variables):  # those are bound here: the outer ones are others of the same name
            return self
        clash = [v for v in self.variables if v in getattr(new, "free_symbols", ())]
        if clash:
            fresh = {v: sympy.Dummy(v.name, real=True) for v in clash}
            variables = [fresh.get(v, v) for v in self.variables]
            return GaussianExpectation(self.integrand.xreplace(fresh)._subs(old, new), variables)
        return None

    def _eval_derivative(self, symbol: Symbol) -> Expr:
        if symbol not in self.free_symbols:
            return sympy.S.Zero
        inside = GaussianExpectation(derivative_between_jumps(self.integrand, symbol), self.variables)
        return inside + boundary_terms(self.integrand, self.variables, symbol)

    def _eval_evalf(self, prec: int) -> Expr | None:
        if self.free_symbols:
            return None
        proved = proved_digits(self.integrand, self.variables, prec)
        if proved is not None:
            return proved
        value, error = expectation_digits(self.integrand, self.variables, prec)
        if value != 0 and error > mpmath.ldexp(abs(value), -prec):  # E f is much smaller than E|f|
            lost = min(int(mpmath.log(error / abs(value), 2)) + prec + 1, 2 * prec)
            value, _ = expectation_digits(self.integrand, self.variables, prec + lost)
        return Expr._from_mpmath(value, prec)

    def _sympystr(self, printer: StrPrinter) -> str:
        return f"E[{printer._print(self.integrand)}]"

    def _latex(self, printer: LatexPrinter, exp: str | None = None) -> str:
        names = ", ".join(printer._print(v) for v in self.variables)
        power = "" if exp is None else f"^{{{exp}}}"
        return rf"\mathbb{{E}}_{{{names}}}{power}\left[{printer._print(self.integrand)}\right]"


def proved_digits(integrand: Expr, variables: Iterable[Symbol], prec: int) -> Expr | None:
    """E[integrand] to `prec` relative bits from a rigorous enclosure; None where there is none in time."""
    from hermite_analytics.errors import BudgetExhausted, UnsupportedExpression
    from hermite_analytics.gaussian.enclosure import enclose

    wanted = int(0.302 * prec) + 3
    with allowed(_SECONDS):
        for _ in range(_ATTEMPTS):  # the goal of an enclosure is absolute
            try:
                ball = enclose(integrand, tuple(variables), digits=wanted)
            except (BudgetExhausted, UnsupportedExpression):
                return None
            if ball.is_zero():
                return sympy.S.Zero
            if ball.rel_accuracy_bits() > prec:
                return sympy.Float(ball.str(int(0.302 * prec) + 8, radius=False), precision=prec)
            wanted *= 2
    return None
