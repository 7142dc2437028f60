"""Sums and multiples of numbers with their evidence."""

from __future__ import annotations

import dataclasses
import math

from sympy import Expr

from hermite_analytics.evidence import Quantity
from hermite_analytics.gaussian.quantities import constant_quantity, total

__all__ = ["difference", "scaled"]


def scaled(quantity: Quantity, factor: Expr) -> Quantity:
    """A rational multiple."""
    if factor == 1 or quantity.zero:
        return quantity
    if quantity.exact is not None:
        return constant_quantity(quantity.exact * factor)
    value = quantity.value * float(factor)
    error = quantity.error * abs(float(factor)) + 2.0**-52 * abs(value)
    return dataclasses.replace(quantity, value=value, error=_up(error))


def difference(larger: Quantity, smaller: Quantity) -> Quantity:
    """A norm as a difference: never below zero."""
    found = total([larger, scaled(smaller, -1)])
    if found.exact is not None or not found.value < 0:
        return found
    return dataclasses.replace(found, value=0.0)


def _up(x: float) -> float:
    return math.nextafter(x, math.inf) if x else 0.0
