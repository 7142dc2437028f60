"""Dual kernels of an activation: what a wide layer makes of the correlation of two inputs."""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, Symbol, sqrt

from hermite_analytics.activation import Activation
from hermite_analytics.calculus.node import GaussianExpectation
from hermite_analytics.calculus.simplify import tidy
from hermite_analytics.errors import InputError
from hermite_analytics.evidence import Quantity
from hermite_analytics.language import display
from hermite_analytics.symbols import variable
from hermite_analytics.target import Target

__all__ = ["DualKernel", "dual_kernel", "rho"]

rho = Symbol("rho", real=True)


@dataclass(frozen=True, slots=True)
class DualKernel:
    """Kernels of sigma as functions of the correlation `rho` of two standard normals u, v.

    Attributes
    ----------
    conjugate : sympy expression
        K(rho) = E sigma(u) sigma(v): the kernel of the features.
    tangent : sympy expression or None
        E sigma'(u) sigma'(v); the tangent kernel of a two-layer network is K + rho times it. None where
        sigma jumps.

    Examples
    --------
    >>> kernel = dual_kernel("sign")
    >>> kernel.conjugate
    2*asin(rho)/pi
    >>> [str(x) for x in kernel.eigenvalues(3)]
    ['0', '2/pi', '0', '1/(3*pi)']
    """

    activation: Activation
    conjugate: Expr
    tangent: Expr | None

    def eigenvalues(self, degree: int) -> list[Quantity]:
        """mu_k^2/k!, k = 0..degree, the coefficients of rho^k in K, with their evidence.

        They are the eigenvalues of K on the functions of degree k, up to the dimension of that space.
        """
        from hermite_analytics.expansion import hermite

        if degree < 0:
            raise InputError(f"degree is {degree}; accepted: 0 and more")
        expansion = hermite(
            Target(self.activation.expression.subs(self.activation.variable, variable(1))), degree
        )
        return [expansion.norm_squared(k) for k in range(degree + 1)]

    def _repr_latex_(self) -> str:
        tangent = "" if self.tangent is None else rf",\quad \dot K(\rho) = {display.latex(self.tangent)}"
        return rf"$K(\rho) = {display.latex(self.conjugate)}{tangent}$"


def dual_kernel(activation: Activation | str) -> DualKernel:
    """The conjugate and tangent kernels of an activation, in closed form where the rules give one.

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
    """
    sigma = Activation(activation) if isinstance(activation, str) else activation
    sigma.require_second_moment()
    conjugate = _pair(sigma.expression, sigma.variable)
    if sigma.has_jumps is not False:
        return DualKernel(sigma, conjugate, None)
    if conjugate.has(GaussianExpectation):
        return DualKernel(sigma, conjugate, _pair(sigma.derivative, sigma.variable))
    return DualKernel(sigma, conjugate, tidy(conjugate.diff(rho)))  # Price: dK/drho = E sigma' sigma'


def _pair(expression: Expr, z: Symbol) -> Expr:
    u, v = variable(1), variable(2)
    second = rho * u + sqrt(1 - rho**2) * v
    return GaussianExpectation(expression.subs(z, u) * expression.subs(z, second), (u, v)).doit()
