"""Coefficients of the conditional Gaussian equivalent, and averages of the teacher.

Source: H. Cui et al., "Asymptotics of feature learning in two-layer networks after one gradient-step"
(arXiv 2402.04980), Result 3.2 (eqs 13-16) and 3.3; docs/theory.md.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import sympy
from sympy import Expr, Symbol, sqrt

from hermite_analytics.activation import Activation
from hermite_analytics.evidence import Quantity
from hermite_analytics.foundation.json import Document
from hermite_analytics.gaussian.breakpoints import sharp_points
from hermite_analytics.gaussian.node import GaussianExpectation
from hermite_analytics.gaussian.quantities import expected_quantity
from hermite_analytics.gaussian.simplify import tidy
from hermite_analytics.language import display
from hermite_analytics.rendering import Column, Frame, Result
from hermite_analytics.rendering.html import formula_html
from hermite_analytics.symbols import c, gamma, kappa, r, z
from hermite_analytics.target import Target, TargetText

if TYPE_CHECKING:
    from hermite_analytics.codegen.kernel import Kernel

__all__ = [
    "ConditionalCoefficients",
    "HermiteData",
    "conditional_coefficients",
    "hermite_data",
    "spiked_features_kernel",
    "teacher_averages",
]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ConditionalCoefficients(Result, Mapping[str, Expr]):
    """mu0, mu1, mu2_squared as expressions in `kappa`, `c`, `r`; also a mapping, in this order.

    Conditionally on the projection kappa = v.x on the spike, the features of a network with weights
    r 1 v^T + W (rows of W of squared norm c) are Gaussian with

        phi = mu0 1 + mu1 W x + sqrt(mu2_squared) xi .

    Examples
    --------
    >>> coefficients = conditional_coefficients(Activation("erf"))
    >>> coefficients.mu0
    erf(kappa*r/sqrt(2*c + 1))
    >>> list(coefficients)
    ['mu0', 'mu1', 'mu2_squared']
    """

    mu0: Expr
    mu1: Expr
    mu2_squared: Expr
    activation: Activation = field(repr=False, compare=False)

    def kernel_form(self) -> dict[str, Expr]:
        """The same for kernels: mu2_squared keeps its relative digits where sigma is nearly affine."""
        from hermite_analytics.gaussian.affine_residual import stable_coefficients

        return stable_coefficients(self, self.activation.expression, z, r * kappa, sqrt(c))

    @property
    def source(self) -> str:
        """The paper, for files that are made of these formulas."""
        return "arXiv 2402.04980, Result 3.2, eqs (13)-(16)"

    def __getitem__(self, name: str) -> Expr:
        if name in self._names():
            return getattr(self, name)
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names())

    def __len__(self) -> int:
        return 3

    def _repr_latex_(self) -> str:
        names = (r"\mu_0", r"\mu_1", r"\mu_2^2")
        lines = [f"{name} &= {display.latex(e)}" for name, e in zip(names, self.values(), strict=True)]
        return r"$$\begin{aligned}" + r" \\ ".join(lines) + r"\end{aligned}$$"

    latex = property(_repr_latex_, doc="The three as formulas.")

    def _repr_html_(self) -> str:
        return formula_html(self._repr_latex_().strip("$"))

    def frame(self) -> Frame:
        """One row."""
        names = zip(self._names(), (r"\mu_0", r"\mu_1", r"\mu_2^2"), strict=True)
        return Frame(
            title=f"conditional coefficients of {self.activation.text}",
            rows=({name: display.formula(formula) for name, formula in self.items()},),
            columns={name: Column(name=name, symbol=symbol) for name, symbol in names},
            sources=self.source,
        )

    def document(self) -> Document:
        """{"activation", "mu0", "mu1", "mu2_squared"}, JSON-ready."""
        formulas = {name: display.text(formula) for name, formula in self.items()}
        return {"activation": self.activation.text, **formulas}

    @staticmethod
    def _names() -> tuple[str, str, str]:
        return ("mu0", "mu1", "mu2_squared")


def conditional_coefficients(activation: Activation | str) -> ConditionalCoefficients:
    """Coefficients of the conditional Gaussian equivalent of an activation.

        mu0 = E sigma(x),  mu1 = E sigma'(x),  mu2_squared = E sigma(x)^2 - mu0^2 - c mu1^2,
        x = r kappa + sqrt(c) z,  z ~ N(0, 1).

    Parameters
    ----------
    activation : Activation or str

    Returns
    -------
    ConditionalCoefficients
        Closed forms where the rules give them, else expressions in `GaussianExpectation`.

    Raises
    ------
    UndefinedQuantity
        If E sigma(z)^2 is infinite.

    Notes
    -----
    Eqs (13)-(16) of arXiv 2402.04980. mu1 is read as E[z sigma(x)]/sqrt(c), which also covers jumps.

    Examples
    --------
    >>> conditional_coefficients("relu").mu1
    Phi(kappa*r/sqrt(c))
    """
    return _coefficients(Activation.of(activation))


@functools.lru_cache(maxsize=128)
def _coefficients(activation: Activation) -> ConditionalCoefficients:
    activation.require_second_moment()
    sigma = activation.expression
    x = r * kappa + sqrt(c) * z
    mean = _closed(sigma.subs(z, x), z)
    slope = _mean_slope(activation, x)
    square = _closed((sigma**2).subs(z, x), z)
    residual = square - mean**2 - c * slope**2
    if all(e.is_polynomial(kappa, r, c) for e in (mean, slope, square)):
        residual = sympy.factor(sympy.expand(residual))
    return ConditionalCoefficients(mu0=mean, mu1=slope, mu2_squared=residual, activation=activation)


def _closed(integrand: Expr, variable: Symbol) -> Expr:
    return GaussianExpectation(integrand, variable).in_real_functions()


def _mean_slope(activation: Activation, x: Expr) -> Expr:
    by_parts = GaussianExpectation(z * activation.expression.subs(z, x), z)
    closed = _closed(by_parts.integrand, z)
    if not isinstance(closed, GaussianExpectation):
        return tidy(closed / sqrt(c))
    sigma, slope = activation.expression, activation.derivative
    is_unbounded = bool(sharp_points(sigma, z)) and not sharp_points(slope, z)  # as of log|x|
    if is_unbounded or activation.has_jumps is not False or sigma.has(sympy.Max, sympy.Min):
        return by_parts / sqrt(c)
    return GaussianExpectation(slope.subs(z, x), z)


def teacher_averages(target: Target | TargetText) -> dict[str, Expr]:
    """h, h1, hh of a single-index target g, as expressions in `kappa` and `gamma`.

        h = E g(u),  h1 = E[z g(u)],  hh = E g(u)^2,  u = gamma kappa + sqrt(1 - gamma^2) z.

    Section 3 of arXiv 2402.04980. At |gamma| = 1 the closed forms may be of the form 0/0; there
    h = g(gamma kappa), h1 = 0 and hh = g(gamma kappa)^2.

    Examples
    --------
    >>> teacher_averages(Target("z1"))["hh"]
    gamma**2*kappa**2 - gamma**2 + 1
    """
    g, z1 = Target.of(target).single_index()
    width = Symbol("width", positive=True)
    u = gamma * kappa + width * z1
    shifted = g.subs(z1, u)
    averages = {
        "h": _closed(shifted, z1),
        "h1": _closed(z1 * shifted, z1),
        "hh": _closed(shifted**2, z1),
    }
    return {name: _with_width(e, width) for name, e in averages.items()}


def _with_width(expr: Expr, width: Symbol) -> Expr:
    return expr.subs(width, sqrt(1 - gamma**2))


@functools.lru_cache(maxsize=128)
def spiked_features_kernel(activation: Activation, target: Target) -> Kernel:
    """One compiled module with mu0, mu1, mu2_squared, h, h1, hh as functions of (kappa, c, r, gamma).

    mu2_squared keeps its relative digits. At |gamma| = 1 the closed forms of h, h1, hh may divide by zero:
    see `teacher_averages`.
    """
    from hermite_analytics.codegen import compile
    from hermite_analytics.codegen.recipes import remembered

    def build() -> Kernel:
        coefficients = conditional_coefficients(activation).kernel_form()
        return compile({**coefficients, **teacher_averages(target)}, (kappa, c, r, gamma))

    return remembered(("spiked features", activation.text, target.text, str(target.directions)), build)


@dataclass(frozen=True, slots=True, kw_only=True)
class HermiteData:
    """Scalar Gaussian averages of an activation and a target (eq 12 of arXiv 2402.04980)."""

    slope: float  # E sigma'(z) = E z sigma(z)
    slope_variance: float  # Var sigma'(z)
    target_mean: float  # E g(z)
    target_slope: float  # E z g(z)
    target_second_moment: float  # E g(z)^2
    mean: float = 0.0  # E sigma(z)
    curvature: float = 0.0  # E z sigma'(z)


@functools.lru_cache(maxsize=128)
def target_data(target: Target) -> tuple[float, float, float]:
    """(E g, E z g, E g^2) in float64."""
    g, z1 = target.single_index()
    return tuple(_number(e, z1) for e in (g, z1 * g, g**2))  # type: ignore[return-value]


@functools.lru_cache(maxsize=128)
def activation_data(activation: Activation) -> tuple[float, float]:
    """(E sigma', Var sigma') in float64; the caller has checked that sigma' is square integrable."""
    derivative = activation.derivative
    slope = GaussianExpectation(derivative, z).doit()
    variance = GaussianExpectation(derivative**2, z).doit() - slope**2
    return float(sympy.N(slope, 20)), max(float(sympy.N(variance, 20)), 0.0)


@functools.lru_cache(maxsize=128)
def activation_mean(activation: Activation) -> float:
    """E sigma(z) in float64, 0.0 where it is shown to vanish."""
    return expected_quantity(activation.expression, (z,)).value


@functools.lru_cache(maxsize=128)
def activation_curvature(activation: Activation) -> Quantity:
    """E He2(z) sigma(z), which is E z sigma'(z) for a continuous activation, with its evidence.

    Examples
    --------
    >>> activation_curvature(Activation("tanh")).zero, activation_curvature(Activation("relu")).exact
    (True, sqrt(2)/(2*sqrt(pi)))
    """
    return expected_quantity((z**2 - 1) * activation.expression, (z,))


def has_fourth_moments(activation: Activation, target: Target) -> bool:
    """Whether E sigma'(z)^4 and E g^4 are shown to be finite."""
    from hermite_analytics.gaussian.integrability import moment_is_finite

    g, z1 = target.single_index()
    return moment_is_finite(activation.derivative, z, 4) is True and moment_is_finite(g, z1, 4) is True


@functools.lru_cache(maxsize=128)
def norm_response_kernel(activation: Activation) -> Kernel:
    """The change of mu0 with c, E (z^2 - 1) sigma(x)/(2 c), as a compiled function of (kappa, c, r)."""
    from hermite_analytics.codegen import compile
    from hermite_analytics.codegen.recipes import remembered

    def build() -> Kernel:
        x = r * kappa + sqrt(c) * z
        change = _closed((z**2 - 1) * activation.expression.subs(z, x), z) / (2 * c)
        return compile({"change": change}, (kappa, c, r), backend="auto")

    return remembered(("norm response", activation.text), build)


def hermite_data(activation: Activation, target: Target) -> HermiteData:
    """All averages of `HermiteData`.

    Examples
    --------
    >>> data = hermite_data(Activation("tanh"), Target("sin(z1)"))
    >>> print(f"{data.slope:.12f} {data.slope_variance:.12f} {data.target_second_moment:.12f}")
    0.605705509602 0.097523738086 0.432332358382
    """
    slope, variance = activation_data(activation)
    mean, target_slope, second = target_data(target)
    return HermiteData(
        slope=slope,
        slope_variance=variance,
        target_mean=mean,
        target_slope=target_slope,
        target_second_moment=second,
        mean=activation_mean(activation),
        curvature=activation_curvature(activation).value,
    )


def _number(expr: Expr, z1: Symbol) -> float:
    value: Expr = GaussianExpectation(expr, z1).doit()
    return float(sympy.N(value, 20))


def feature_points(activation: Activation, target: Target) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Kinks and jumps of the activation (in its argument) and of the target (in z1), as floats."""
    from hermite_analytics.gaussian.breakpoints import real_breakpoints

    g, z1 = target.single_index()
    inner = tuple(float(b) for b in real_breakpoints(activation.expression, z))
    return inner, tuple(float(b) for b in real_breakpoints(g, z1))


def square_integrable_derivative(activation: Activation) -> bool:
    """Whether sigma has no jump and E sigma'(z)^2 is shown to be finite."""
    from hermite_analytics.gaussian.integrability import moment_is_finite

    return activation.has_jumps is False and moment_is_finite(activation.derivative, z, 2) is True
