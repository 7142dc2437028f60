"""`DualKernel`: the conjugate and tangent kernels of an activation."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral

from sympy import Expr, Symbol

from hermite_analytics.activation import Activation
from hermite_analytics.errors import InputError
from hermite_analytics.evidence import Evidence, Quantity
from hermite_analytics.foundation.json import Document
from hermite_analytics.gaussian.ends import without_removable_poles
from hermite_analytics.gaussian.integrability import moment_is_finite
from hermite_analytics.gaussian.simplify import tidy
from hermite_analytics.language import display
from hermite_analytics.pair.closed import keeps_its_digits, pair_expression, spread_root
from hermite_analytics.pair.node import PairExpectation
from hermite_analytics.pair.table import Table
from hermite_analytics.rendering import Frame, Result
from hermite_analytics.rendering.html import formula_html
from hermite_analytics.symbols import variable
from hermite_analytics.target import Target

__all__ = ["DualKernel", "dual_kernel", "rho"]

rho = Symbol("rho", real=True)


@dataclass(frozen=True, slots=True, repr=False)
class DualKernel(Result):
    """Kernels of sigma as functions of the correlation `rho` of two standard normals u, v.

    Attributes
    ----------
    conjugate : sympy expression
        K(rho) = E sigma(u) sigma(v): the kernel of the features. Where no rule gives a closed form it is a
        `PairExpectation`, whose numbers come from a table; `method`, `evidence` and `error_bound` say how.
    tangent : sympy expression or None
        E sigma'(u) sigma'(v); the tangent kernel of a two-layer network is K + rho times it. None where
        sigma jumps, or E sigma'(z)^2 is not shown to be finite.

    Notes
    -----
    Values hold for rho in [-1, 1], the ends included: K(1) = E sigma(z)^2, K(-1) = E sigma(z) sigma(-z).

    Examples
    --------
    >>> kernel = dual_kernel("sign")
    >>> kernel.conjugate
    2*asin(rho)/pi
    >>> [str(x) for x in kernel.eigenvalues(3)]
    ['0', '2/pi', '0', '1/(3*pi)']
    >>> kernel = dual_kernel("tanh")
    >>> kernel.conjugate, kernel.method
    (K[tanh(z)](rho), '250 Hermite coefficients, proved')
    >>> str(kernel.evidence), kernel.error_bound < 1e-15
    ('proved', True)
    """

    activation: Activation
    conjugate: Expr
    tangent: Expr | None

    @property
    def method(self) -> str:
        """How the conjugate kernel is computed, in one line: "closed form" or what its table rests on."""
        tables = _tables(self.conjugate)
        return "; ".join(t.method for t in tables) if tables else "closed form"

    @property
    def evidence(self) -> Evidence:
        """Of the conjugate kernel: exact, proved (a Parseval tail) or estimated (quadrature)."""
        found = {t.evidence for t in _tables(self.conjugate)}
        if Evidence.ESTIMATED in found:
            return Evidence.ESTIMATED
        return Evidence.PROVED if found else Evidence.EXACT

    @property
    def error_bound(self) -> float:
        """On the conjugate kernel at any rho in [-1, 1], rounding apart: 0 if it is closed."""
        return sum(t.error_bound for t in _tables(self.conjugate))

    @property
    def tangent_error_bound(self) -> float:
        """On the tangent kernel; NaN if there is none."""
        return float("nan") if self.tangent is None else sum(t.error_bound for t in _tables(self.tangent))

    def eigenvalues(self, degree: int) -> list[Quantity]:
        """mu_k^2/k!, k = 0..degree, the coefficients of rho^k in K, with their evidence.

        They are the eigenvalues of K on the functions of degree k, up to the dimension of that space.
        """
        from hermite_analytics.expansion import hermite

        if not isinstance(degree, Integral) or degree < 0:
            raise InputError(f"degree is {degree!r}; accepted: an integer >= 0")
        expansion = hermite(
            Target(self.activation.expression.subs(self.activation.variable, variable(1))), degree
        )
        return [expansion.norm_squared(k) for k in range(degree + 1)]

    def _repr_latex_(self) -> str:
        tangent = "" if self.tangent is None else rf",\quad \dot K(\rho) = {display.latex(self.tangent)}"
        return rf"$K(\rho) = {display.latex(self.conjugate)}{tangent}$"

    latex = property(_repr_latex_, doc="Both as formulas.")

    def _repr_html_(self) -> str:
        return formula_html(self._repr_latex_().strip("$"))

    def frame(self) -> Frame:
        """One row: the kernels, and what the conjugate one rests on."""
        row: dict[str, object] = {"conjugate": display.formula(self.conjugate)}
        if self.tangent is not None:
            row["tangent"] = display.formula(self.tangent)
        row |= {"method": self.method, "evidence": str(self.evidence), "error_bound": self.error_bound}
        return Frame(title=f"kernels of {self.activation.text}", rows=(row,))

    def document(self) -> Document:
        """{"activation", "conjugate", "tangent", "method", "evidence", "error_bound"}, JSON-ready."""
        return {
            "activation": self.activation.text,
            "conjugate": display.text(self.conjugate),
            "tangent": None if self.tangent is None else display.text(self.tangent),
            "method": self.method,
            "evidence": str(self.evidence),
            "error_bound": self.error_bound,
        }


def dual_kernel(activation: Activation | str) -> DualKernel:
    """The conjugate and tangent kernels of an activation, in closed form where the rules give one.

    Otherwise each is a `PairExpectation`: a sum of proved Hermite coefficients below Parseval's tail where
    few of them are needed, else a Chebyshev sum in arccos(rho) of a quadrature that follows the kinks.

    Raises
    ------
    UndefinedQuantity
        If E sigma(z)^2 is infinite.

    Examples
    --------
    >>> dual_kernel("sign").conjugate
    2*asin(rho)/pi
    >>> dual_kernel("erf(z/sqrt(2))").conjugate
    2*asin(rho/2)/pi
    >>> import hermite_analytics as ha
    >>> kernel = ha.compile(dual_kernel("silu").conjugate, ["rho"])
    >>> [f"{kernel(x):.12f}" for x in (-1, 0, 1)]
    ['-0.144224480183', '0.042692222823', '0.355775519817']
    """
    sigma = Activation.of(activation)
    sigma.require_second_moment()
    conjugate = pair_expression(sigma.expression, sigma.variable, rho)
    return DualKernel(sigma, conjugate, _tangent(sigma, conjugate))


def _tangent(sigma: Activation, conjugate: Expr) -> Expr | None:
    """Price: dK/drho = E sigma'(u) sigma'(v)."""
    if sigma.has_jumps is not False:
        return None
    derivative = sigma.derivative
    if conjugate.has(PairExpectation):
        finite = moment_is_finite(derivative, sigma.variable, 2) is True
        return PairExpectation(derivative, sigma.variable, rho) if finite else None
    found = spread_root(tidy(without_removable_poles(conjugate.diff(rho), rho)), rho)
    return found if keeps_its_digits(found, rho) else pair_expression(derivative, sigma.variable, rho)


def _tables(expr: Expr) -> list[Table]:
    return [node.table for node in expr.atoms(PairExpectation)]
