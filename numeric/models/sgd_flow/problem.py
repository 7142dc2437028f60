"""What the flow asks of an activation and a target: compiled functions, their kinks, and finite moments."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hermite_analytics.activation import Activation, shortened
from hermite_analytics.errors import InputError, UndefinedQuantity, UnsupportedExpression
from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.gaussian.breakpoints import kink_arguments, real_breakpoints
from hermite_analytics.gaussian.enclosure.forms import affine_form
from hermite_analytics.gaussian.integrability import integrability, verdict
from hermite_analytics.language.affine import linear_part
from hermite_analytics.language.functions import He, step
from hermite_analytics.language.numbers import exact_number
from hermite_analytics.language.rules import polynomial_degree
from hermite_analytics.symbols import variable, xi, z
from hermite_analytics.target import Target

if TYPE_CHECKING:
    from hermite_analytics.codegen.kernel import Kernel
    from hermite_analytics.symbols import Expr, Symbol

__all__ = ["FlowProblem", "flow_problem", "require_gradient_moments", "require_moments"]

Plane = tuple[tuple[float, ...], float]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FlowProblem:
    """Functions of arrays and where they break.

    Attributes
    ----------
    dimension : int
        r, directions of the target.
    activation, slope : callable
        sigma and sigma', of arrays.
    label : callable
        g, of an array of shape (r + hidden, n).
    bends : tuple of float
        Kinks of sigma and of sigma'.
    planes : tuple of (coefficients, offset)
        Planes on which the target has kinks or jumps.
    noise : float
        Variance of the additive label noise in the target.
    curved : bool
        Whether the target has kinks or jumps elsewhere; `planes` is then empty.
    hidden : int
        Coordinates of label noise that is not additive, behind those of z: networks do not see them.
    degrees : (int, int), optional
        Of sigma and of g, where both are polynomials.
    """

    dimension: int
    activation: Callable[[Array], Array]
    slope: Callable[[Array], Array]
    label: Callable[[Array], Array]
    bends: tuple[float, ...]
    planes: tuple[Plane, ...]
    noise: float
    curved: bool
    hidden: int = 0
    degrees: tuple[int, int] | None = None

    @property
    def is_smooth(self) -> bool:
        """Whether neither the activation nor the target has a kink."""
        return not self.bends and not self.planes and not self.curved


@functools.lru_cache(maxsize=64)
def flow_problem(
    activation: Activation,
    target: Target,
    *,
    curved: bool = False,
    hidden: bool = False,
    backend: str = "auto",
) -> FlowProblem:
    """The problem of a pair, checked.

    Parameters
    ----------
    activation, target
    curved : bool
        Whether kinks of the target that are not planes are accepted.
    hidden : bool
        Whether label noise that is not additive is accepted, as a coordinate that only labels see.
    backend : {"auto", "array"}
        Functions of arrays of numpy, or of any array API namespace.

    Raises
    ------
    InputError
        An activation with jumps, or a target that does not depend on z.
    UnsupportedExpression
        Kinks of the target that are not planes, label noise that is not additive, unless accepted.
    """
    if activation.has_jumps is not False:
        raise InputError(
            f"the activation {shortened(activation.text)} is not shown to be continuous; gradient descent "
            "needs sigma': a continuous activation is accepted"
        )
    symbols = tuple(variable(j + 1) for j in range(target.dimension))
    unseen = (xi,) if hidden and linear_part(target.expression, xi) is None else ()
    g, noise = (target.expression, 0.0) if unseen else (target.noiseless, float(target.noise_variance))
    if not any(g.has(s) for s in symbols):
        raise InputError(
            f"the labels of {shortened(target.text)} do not depend on z: there is nothing to learn; "
            'a target such as "tanh(z1)" is accepted'
        )
    planes: tuple[Plane, ...] = ()
    has_curved = False
    try:
        planes = _planes(target, g, (*symbols, *unseen))
    except UnsupportedExpression:
        if not curved:
            raise
        has_curved = True
    bends = {float(b) for e in (activation.expression, activation.derivative) for b in real_breakpoints(e, z)}
    sigma, slope, label = _functions(activation, target, unseen, backend)
    return FlowProblem(
        dimension=target.dimension,
        activation=sigma,
        slope=slope,
        label=label,
        bends=tuple(sorted(bends)),
        planes=planes,
        noise=noise,
        curved=has_curved,
        hidden=len(unseen),
        degrees=_degrees(activation.expression, g, (*symbols, *unseen)),
    )


def _degrees(sigma: Expr, g: Expr, symbols: tuple[Symbol, ...]) -> tuple[int, int] | None:
    """Bounds of those of two polynomials; None where one of them is none."""
    powers = (f.replace(He, lambda degree, x: x**degree) for f in (sigma, g))
    if not all(f.is_polynomial(z, *symbols) for f in powers):
        return None
    return polynomial_degree(sigma), polynomial_degree(g)


def _functions(
    activation: Activation, target: Target, unseen: tuple[Symbol, ...], backend: str
) -> tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any]]:
    """sigma, sigma' and g; those of numpy give float64 of the shape of their argument, constants too."""
    from hermite_analytics.codegen import compile

    sigma, slope = activation.function(backend), activation.derivative_function(backend)
    if unseen:
        symbols = tuple(variable(j + 1) for j in range(target.dimension))
        kernel = compile(target.expression, (*symbols, *unseen), backend=backend)
    else:
        kernel = target.function(backend)
    if backend == "array":
        return sigma, slope, functools.partial(_labels_anywhere, kernel)
    here = functools.partial
    return here(_values, sigma), here(_values, slope), here(_labels, kernel)


def _values(kernel: Kernel, x: Array) -> Array:
    """A constant derivative, too, has the shape of its argument."""
    return np.broadcast_to(np.asarray(kernel(x), dtype=np.float64), x.shape)


def _labels(kernel: Kernel, values: Array) -> Array:
    """Of the rows of coordinates."""
    return np.broadcast_to(np.asarray(kernel(*values), dtype=np.float64), values.shape[1:])


def _labels_anywhere(kernel: Callable[..., Any], values: Any) -> Any:
    """Of the rows of an array of any namespace, which is not iterated over."""
    return kernel(*(values[j, :] for j in range(values.shape[0])))


def _planes(target: Target, g: Expr, symbols: tuple[Symbol, ...]) -> tuple[Plane, ...]:
    found: dict[Plane, None] = {}
    for symbol in symbols:
        for argument in kink_arguments(g, symbol):
            for factor in argument.args if argument.is_Mul else (argument,):
                for plane in _planes_of(target, factor, symbols):
                    found[plane] = None
    return tuple(found)


def _planes_of(target: Target, factor: Expr, symbols: tuple[Symbol, ...]) -> list[Plane]:
    """The planes on which one factor of a kink's argument changes sign."""
    used = [j for j, s in enumerate(symbols) if factor.has(s)]
    if not used:
        return []
    if len(used) == 1:
        axis = tuple(float(j == used[0]) for j in range(len(symbols)))
        return [(axis, float(b)) for b in real_breakpoints(step(factor), symbols[used[0]])]
    form = affine_form(factor, symbols)
    if form is None:
        raise UnsupportedExpression(
            f"the target {shortened(target.text)} has a kink where {shortened(str(factor))} vanishes; kinks "
            "on planes and products of functions of single variables are accepted"
        )
    return [(tuple(float(a) for a in form[1]), -float(form[0]))]


def require_moments(activation: Activation, target: Target, loss: str, reuse: float) -> None:
    """Refuse gradients of infinite variance.

    Raises
    ------
    UndefinedQuantity
        If E (gradient)^2 is infinite, or cannot be shown to be finite, at overlap 0 or 1.
    """
    g, sigma = target.noiseless, activation.expression
    require_gradient_moments(
        activation, target, lambda h: g if loss == "correlation" else g - sigma.subs(z, h), reuse
    )


def require_gradient_moments(
    activation: Activation, target: Target, residual: Callable[[Expr], Expr | int], reuse: float
) -> None:
    """The same for a residual r(h), an expression of a field's expression: the gradient is r(h) sigma'(h).

    With reuse it is asked for at the look-ahead h + reuse r(h) sigma'(h).
    """
    slope = activation.derivative
    symbols = tuple(variable(j + 1) for j in range(target.dimension))
    shift = exact_number(reuse, "reuse")
    for h in (*symbols, variable(target.dimension + 1)):
        ahead = h if reuse == 0.0 else h + shift * residual(h) * slope.subs(z, h)
        gradient = residual(ahead) * slope.subs(z, ahead)
        fields = (*symbols, h) if h not in symbols else symbols
        decision = integrability(gradient, (*fields, xi) if gradient.has(xi) else fields, 2)
        if decision.finite is not True:
            raise UndefinedQuantity(
                f"the gradient of {shortened(activation.text)} on {shortened(target.text)} has no second "
                f"moment: E (y sigma')^2 {verdict(decision.finite)}"
            )
