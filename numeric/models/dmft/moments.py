"""What must hold before anything is averaged: gradients with a second moment, now and a step later."""

from __future__ import annotations

from typing import Any

from hermite_analytics.activation import Activation
from hermite_analytics.loss import LossExpression
from hermite_analytics.numeric.losses.registry import named_loss
from hermite_analytics.numeric.models.sgd_flow.problem import require_gradient_moments, require_moments
from hermite_analytics.symbols import z
from hermite_analytics.target import Target

__all__ = ["has_affine_activation", "require_finite_gradients"]


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
    reuse = 1.0 if later else 0.0
    if loss in ("square", "correlation"):
        require_moments(activation, target, loss, reuse)
        return
    named = named_loss(loss)
    is_known = named is not None and named[0].has_bounded_slope
    expression = None if is_known else LossExpression(loss)
    if expression is None or expression.has_bounded_slope:
        require_gradient_moments(activation, target, lambda h: 1, reuse)
        return

    def residual(h: Any) -> Any:
        return -expression.slope_at(target.noiseless, activation.expression.subs(z, h))

    require_gradient_moments(activation, target, residual, reuse)
