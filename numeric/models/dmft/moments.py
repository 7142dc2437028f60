"""What must hold before anything is averaged: gradients with a second moment, now and a step later."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from hermite_analytics.activation import Activation, shortened
from hermite_analytics.errors import UndefinedQuantity
from hermite_analytics.gaussian.integrability import integrability, verdict
from hermite_analytics.language.affine import linear_part
from hermite_analytics.losses.expression import LossExpression
from hermite_analytics.losses.registry import named_loss
from hermite_analytics.numeric.models.sgd_flow.problem import require_gradient_moments
from hermite_analytics.symbols import variable, xi, z
from hermite_analytics.target import Target

if TYPE_CHECKING:
    from hermite_analytics.symbols import Expr

__all__ = ["has_affine_activation", "require_finite_errors", "require_finite_gradients"]


def has_affine_activation(activation: Activation) -> bool:
    """Whether sigma(z) = a z + b."""
    return not activation.derivative.has(z)


def require_finite_gradients(activation: Activation, target: Target, loss: str, *, later: bool) -> None:
    """Refuse gradients of infinite variance: on Gaussian fields, and if `later` after a step of size 1.

    Raises
    ------
    UndefinedQuantity
        If E (gradient)^2 is infinite, or cannot be shown to be finite.
    """
    residual = _residual(activation, target, loss)
    require_gradient_moments(activation, target, residual, 1.0 if later else 0.0)


def require_finite_errors(activation: Activation, target: Target, loss: str) -> None:
    """Refuse labels and networks whose mean square error is infinite: on Gaussian fields, and a step later.

    Raises
    ------
    UndefinedQuantity
        If E (y - f)^2 is infinite, or cannot be shown to be finite.
    """
    residual, slope = _residual(activation, target, loss), activation.derivative
    *symbols, h = (variable(j + 1) for j in range(target.dimension + 1))
    for field, when in ((h, "at the start"), (h + residual(h) * slope.subs(z, h), "after a step")):
        error = _label(target) - activation.expression.subs(z, field)
        decision = integrability(error, (*symbols, h, xi) if error.has(xi) else (*symbols, h), 2)
        if decision.finite is not True:
            raise UndefinedQuantity(
                f"the error of {shortened(activation.text)} on {shortened(target.text)} has no mean {when}: "
                f"E (y - f)^2 {verdict(decision.finite if field is h else None)}"
            )


def _residual(activation: Activation, target: Target, loss: str) -> Callable[[Expr], Expr | int]:
    """Minus the slope of the loss at an expression of a field's expression; 1 where it is bounded."""
    label = _label(target)
    if loss == "correlation":
        return lambda h: label
    if loss == "square":
        return lambda h: label - activation.expression.subs(z, h)
    named = named_loss(loss)
    is_known = named is not None and named[0].has_bounded_slope
    expression = None if is_known else LossExpression(loss)
    if expression is None or expression.has_bounded_slope:
        return lambda h: 1
    return lambda h: -expression.slope_at(label, activation.expression.subs(z, h))


def _label(target: Target) -> Expr:
    """y, without a noise that is additive: it has all moments."""
    return target.expression if linear_part(target.expression, xi) is None else target.noiseless
