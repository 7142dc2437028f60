"""Gaussian laws with exact parameters: conditioning on a form and tilting by a Gaussian weight.

Entries are sympy expressions free of the random variables, rational wherever the input is: square roots
enter only through densities, never through a change of variables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sympy
from sympy import Expr, S

from hermite_analytics.foundation.clock import check_time

__all__ = ["Form", "GaussianLaw", "canonical", "rationalised", "standard_law"]

Vector = tuple[Expr, ...]
Square = tuple[Vector, ...]


@dataclass(frozen=True, slots=True)
class Form:
    """The affine form sum_i slope_i x_i + offset."""

    slope: Vector
    offset: Expr

    def __neg__(self) -> Form:
        return Form(tuple(-a for a in self.slope), -self.offset)


@dataclass(frozen=True, slots=True)
class GaussianLaw:
    """N(mean, covariance) of a vector x; the covariance may be singular, the mean complex."""

    mean: Vector
    covariance: Square

    def mean_of(self, form: Form) -> Expr:
        """E of a form."""
        return canonical(sympy.Add(form.offset, *_products(form.slope, self.mean)))

    def covariances_with(self, form: Form) -> Vector:
        """Cov(x_i, form) for every i."""
        return tuple(canonical(sympy.Add(*_products(form.slope, row))) for row in self.covariance)

    def covariance_of(self, a: Form, b: Form) -> Expr:
        """Cov(a, b)."""
        return canonical(sympy.Add(*_products(a.slope, self.covariances_with(b))))

    def given_zero(self, form: Form) -> GaussianLaw:
        """The law conditioned on form = 0 (its variance must not be 0)."""
        moved = self.covariances_with(form)
        variance = canonical(sympy.Add(*_products(form.slope, moved)))
        center = self.mean_of(form)
        return GaussianLaw(
            tuple(canonical(m - v * center / variance) for m, v in zip(self.mean, moved, strict=True)),
            tuple(
                tuple(canonical(c - v * w / variance) for c, w in zip(row, moved, strict=True))
                for row, v in zip(self.covariance, moved, strict=True)
            ),
        )


def standard_law(dimension: int) -> GaussianLaw:
    """N(0, identity)."""
    rows = range(dimension)
    identity = tuple(tuple(S.One if i == j else S.Zero for j in rows) for i in rows)
    return GaussianLaw((S.Zero,) * dimension, identity)


def canonical(expr: Expr) -> Expr:
    """One form for equal algebraic numbers or rational functions of the parameters; bounded cost."""
    if expr.is_Rational:
        return expr
    check_time()
    if expr.is_number:
        return sympy.radsimp(sympy.expand(expr), max_terms=3) if _algebraic(expr) else sympy.expand(expr)
    return sympy.cancel(expr) if sympy.count_ops(expr) < _MOST_OPERATIONS else expr


def rationalised(number: Expr) -> Expr:
    """A number without roots in denominators, or with common factors cancelled where it is not algebraic."""
    if number.is_Rational:
        return number
    check_time()
    return sympy.radsimp(sympy.expand(number)) if _algebraic(number) else sympy.cancel(number)


_MOST_OPERATIONS = 200


def _algebraic(expr: Expr) -> bool:
    return not expr.has(sympy.Function, sympy.NumberSymbol, S.ImaginaryUnit)


def _products(a: Sequence[Expr], b: Sequence[Expr]) -> list[Expr]:
    return [x * y for x, y in zip(a, b, strict=True) if x != 0 and y != 0]
