"""The label as far as its information goes: without invertible maps of it, and without what noise hides."""

from __future__ import annotations

import sympy
from sympy import Dummy, Expr, Poly, S

from hermite_analytics.calculus.closed_form import expanded
from hermite_analytics.errors import ParseError, UndefinedQuantity
from hermite_analytics.law.order import sign_of
from hermite_analytics.law.pieces import INCREASING
from hermite_analytics.law.zeros import in_elementary_functions
from hermite_analytics.symbols import variable, xi
from hermite_analytics.target import Target

__all__ = ["essential_label", "order_of_polynomial"]


def essential_label(target: Target) -> Target:
    """A target whose label has the same conditional laws, up to an invertible map and additive noise.

    Strictly monotone functions around the target and additive noise inside them are taken off. A sign that
    the symmetric noise hides, as in sign(z1) xi, is replaced by 1.

    Examples
    --------
    >>> [str(essential_label(Target(f))) for f in ("2 - tanh(3*z1**2 + xi)", "z2*exp(xi*sign(z1*z3))")]
    ['z1**2', 'z2*exp(xi)']
    """
    inner, before = _without_hidden_signs(target.expression), None
    while inner != before:
        before = inner
        if inner.is_Add or inner.is_Mul:
            inner = inner.as_independent(*inner.free_symbols, as_Add=bool(inner.is_Add))[1]
        elif isinstance(inner, INCREASING):
            inner = inner.args[0]
        if not inner.diff(xi).free_symbols:
            inner = inner.subs(xi, 0)
    return _as_target(inner, target)


def order_of_polynomial(target: Target) -> tuple[int, str] | None:
    """(k*, why) of a polynomial of one index that is not constant: 1 unless it is even, then 2.

    Source: arXiv:2406.01581.

    Examples
    --------
    >>> order_of_polynomial(Target("z1**4 - 6*z1**2"))
    (2, 'the label is a monotone function of an even polynomial')
    """
    signal = in_elementary_functions(target.expression)
    if target.dimension > 1 or xi in signal.free_symbols or not signal.is_polynomial(variable(1)):
        return None
    poly = Poly(signal, variable(1))
    if any(k % 2 and sign_of(a) != 0 for (k,), a in poly.terms()):
        return 1, "the label is a monotone function of a polynomial that is not even"
    if all(k == 0 or sign_of(a) == 0 for (k,), a in poly.terms()):
        return None
    return 2, "the label is a monotone function of an even polynomial"


def _without_hidden_signs(expr: Expr) -> Expr:
    """Each sign s of z with f(-s, -xi) = f(s, xi) replaced by 1: -xi has the law of xi, whatever z is."""
    for atom in sorted(expr.atoms(sympy.sign), key=sympy.count_ops, reverse=True):
        if expr.has(xi) and not atom.has(xi):
            s = Dummy("s", real=True)
            f = expr.xreplace({atom: s})
            mirrored = f.subs({s: -s, xi: -xi}, simultaneous=True)
            if expanded(mirrored - f) == 0:
                expr = f.subs(s, S.One)
    return expr


def _as_target(inner: Expr, target: Target) -> Target:
    """The inner function with the dimension of the target."""
    if inner == target.expression:
        return target
    identity = sympy.eye(target.dimension).tolist()
    try:
        return Target(str(inner), directions=identity)
    except (UndefinedQuantity, ParseError):  # no mean without the outer function; too long a text
        return target
