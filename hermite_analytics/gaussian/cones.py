"""Cells on which a weight is integrable although it is not over the whole space.

After the steps are taken as coordinates u > 0 the integrand is exp(-u.A.u/2 + b.u) on the positive orthant:

    one coordinate, A = 0, b < 0      -1/b
    two coordinates, b = 0            J(A) = (pi/2 - atan(A12/d))/d with d^2 = det A > 0,
                                      1/A12 at det A = 0, acosh(A12/sqrt(A11 A22))/sqrt(-det A) below,
                                      for A12 > 0 where det A <= 0 (A is then copositive).

Derived by polar coordinates, and continuation in A12.
"""

from __future__ import annotations

import sympy
from sympy import Expr, S, atan, log, pi, sqrt

from hermite_analytics.gaussian.law import Form, canonical
from hermite_analytics.gaussian.reals import NoClosedForm, root, sign_of

__all__ = ["cone_integral"]


def cone_integral(precision: list[list[Expr]], linear: list[Expr], forms: tuple[Form, ...]) -> Expr:
    """(2 pi)^(-n/2) int exp(-x.M.x/2 + a.x) over {forms > 0}, with n independent forms of n variables.

    Raises
    ------
    NoClosedForm
        For other shapes.
    """
    n = len(linear)
    if len(forms) != n or n > 2:
        raise NoClosedForm("a Gaussian weight whose integrability is not shown")
    matrix = sympy.Matrix([f.slope for f in forms])
    determinant = canonical(matrix.det())
    if determinant == 0:
        raise NoClosedForm("a Gaussian weight whose integrability is not shown")
    inverse = matrix.inv()
    start = -inverse * sympy.Matrix([f.offset for f in forms])  # x = start + inverse u
    weight = sympy.Matrix(precision)
    a = (inverse.T * weight * inverse).applyfunc(canonical)
    slope = (inverse.T * (sympy.Matrix(linear) - weight * start)).applyfunc(canonical)
    height = (sympy.Matrix(linear).dot(start)) - (start.T * weight * start)[0] / 2
    integral = _line(a, slope) if n == 1 else _quadrant(a, slope)
    return sympy.exp(canonical(height)) * integral / (sqrt(2 * pi) ** n * sympy.Abs(determinant))


def _line(a: sympy.Matrix, slope: sympy.Matrix) -> Expr:
    if a[0, 0] == 0 and sign_of(slope[0]) == -1:
        return -1 / slope[0]
    raise NoClosedForm("a Gaussian weight whose integrability is not shown")


def _quadrant(a: sympy.Matrix, slope: sympy.Matrix) -> Expr:
    area = canonical(a[0, 0] * a[1, 1] - a[0, 1] ** 2)
    if any(x != 0 for x in slope) or sign_of(a[0, 0]) not in (0, 1) or sign_of(a[1, 1]) not in (0, 1):
        raise NoClosedForm("a Gaussian weight whose integrability is not shown")
    side = sign_of(area)
    if side == 1:
        return (pi / 2 - atan(a[0, 1] / root(area))) / root(area)
    if side is None or sign_of(a[0, 1]) != 1 or S.Zero in (a[0, 0], a[1, 1]):
        raise NoClosedForm("a Gaussian weight whose integrability is not shown")
    if side == 0:
        return 1 / a[0, 1]
    # acosh(A12/sqrt(A11 A22)) in functions of the language
    return log((a[0, 1] + root(-area)) / root(a[0, 0] * a[1, 1])) / root(-area)
