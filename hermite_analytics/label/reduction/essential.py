"""The label as far as its information goes: without invertible maps of it, and without what noise hides."""

from __future__ import annotations

import sympy
from sympy import Dummy, Expr, Poly, S

from hermite_analytics.argument.remarks import Theorem
from hermite_analytics.errors import ParseError, UndefinedQuantity
from hermite_analytics.gaussian.distribution import expanded
from hermite_analytics.gaussian.order import sign_of
from hermite_analytics.gaussian.zero import decide_constant
from hermite_analytics.gaussian.zero.null_sets import is_nonzero
from hermite_analytics.label.exact.pieces import INCREASING
from hermite_analytics.label.exact.signs import has_known_signs, split_signs
from hermite_analytics.label.exact.zeros import in_elementary_functions
from hermite_analytics.label.reduction.extremes import flat_extremes
from hermite_analytics.language.affine import linear_part
from hermite_analytics.symbols import variable, xi
from hermite_analytics.target import Target
from hermite_analytics.target.directions import largest_index
from hermite_analytics.target.whole import whole_expression

__all__ = ["essential_label", "order_of_polynomial"]


def essential_label(target: Target) -> Target:
    """A target with the same orders and steps: E[He_k | y, x] vanishes for one where it does for the other.

    Strictly monotone functions around the target are taken off, which keeps the sigma-algebra of the label;
    additive noise inside them, which keeps the orders only, as the convolution with its density is injective,
    and changes thresholds. A sign that the symmetric noise hides, as in sign(z1) xi, is replaced by 1. Nested
    largest and smallest values get one form.

    Examples
    --------
    >>> [str(essential_label(Target(f))) for f in ("2 - tanh(3*z1**2 + xi)", "z2*exp(xi*sign(z1*z3))")]
    ['z1**2', 'z2*exp(xi)']
    >>> str(essential_label(Target("sign(z1*xi) + z2")))
    'z2 + sign(xi)'
    """
    whole = whole_expression(target)
    label = flat_extremes(whole)
    splits = has_known_signs(label) or any(_mixes(a) for a in label.atoms(sympy.sign))
    inner, before = _without_hidden_signs(split_signs(label) if splits else label), None
    while inner != before:
        before = inner
        if inner.is_Add or inner.is_Mul:
            inner = _without_numbers(inner)
        elif isinstance(inner, INCREASING):
            inner = inner.args[0]
        additive = linear_part(inner, xi)
        inner = inner if additive is None else additive[0]
    return target if inner == whole else _as_target(inner, target)


def order_of_polynomial(target: Target) -> tuple[int, Theorem] | None:
    """(k*, why) of a polynomial of one index that is not constant: 1 unless it is even, then 2.

    Source: arXiv:2406.01581.

    Examples
    --------
    >>> order, why = order_of_polynomial(Target("z1**4 - 6*z1**2"))
    >>> order, str(why), why.source
    (2, 'the label is a monotone function of an even polynomial', 'arXiv:2406.01581')
    """
    signal = in_elementary_functions(target.expression)
    if target.dimension > 1 or xi in signal.free_symbols or not signal.is_polynomial(variable(1)):
        return None
    poly = Poly(signal, variable(1))
    if any(k % 2 and sign_of(a) != 0 for (k,), a in poly.terms()):
        return 1, _theorem("a polynomial that is not even")
    if all(k == 0 or sign_of(a) == 0 for (k,), a in poly.terms()):
        return None
    return 2, _theorem("an even polynomial")


def _theorem(what: str) -> Theorem:
    return Theorem(statement=f"the label is a monotone function of {what}", source="arXiv:2406.01581")


def _without_numbers(label: Expr) -> Expr:
    """Without an added number, and without a factor that is not 0; the constant 0 where it is."""
    number, rest = label.as_independent(*label.free_symbols, as_Add=bool(label.is_Add))
    if label.is_Add:
        return rest
    zero = decide_constant(number).zero
    return label if zero is None else S.Zero if zero else rest


def _mixes(sign: Expr) -> bool:
    """Whether it is the sign of a product in which the noise is a factor: that of z1 xi is noise itself."""
    product = sign.args[0]
    return bool(product.is_Mul and product.has(xi) and product.free_symbols != {xi})


def _without_hidden_signs(expr: Expr) -> Expr:
    """Each sign s of z with f(-s, -xi) = f(s, xi) replaced by 1: -xi has the law of xi, whatever z is.

    The law of the label given z stays as it is, where s is not 0.
    """
    for atom in sorted(expr.atoms(sympy.sign), key=sympy.count_ops, reverse=True):
        if expr.has(xi) and not atom.has(xi):
            s = Dummy("s", real=True)
            f = expr.xreplace({atom: s})
            mirrored = f.subs({s: -s, xi: -xi}, simultaneous=True)
            if is_nonzero(atom) and expanded(mirrored - f) == 0:
                expr = f.subs(s, S.One)
    return expr


def _as_target(inner: Expr, target: Target) -> Target:
    """The inner function with the dimension of the target."""
    identity = sympy.eye(target.dimension).tolist()
    try:
        return Target(str(inner), directions=identity[: largest_index(inner)])
    except (UndefinedQuantity, ParseError):  # no mean without the outer function; too long a text
        return target
