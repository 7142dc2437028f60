"""Small identities that make a closed form shorter to read; each applies to a sum of products.

u^2/|u| = |u|,   exp(t^2/2) phi(t) = 1/sqrt(2 pi),   q - q Phi(t) = q Phi(-t),   q - q erf(t) = q erfc(t),
asin(x/sqrt(1 + x^2)) = atan x,    and the angles of numbers (`angle_forms.py`).
"""

from __future__ import annotations

import sympy
from sympy import Abs, Expr, S, asin, atan, erf, erfc, exp, pi, sqrt

from hermite_analytics.gaussian.angle_forms import shortest_angles
from hermite_analytics.gaussian.law import canonical
from hermite_analytics.gaussian.reals import root
from hermite_analytics.language.functions import Phi, phi

__all__ = ["polished"]


def polished(expr: Expr) -> Expr:
    """The same value, written shorter where one of the identities applies."""
    expr = expr.replace(lambda e: e.is_Mul and e.has(Abs), _without_square_over_abs)
    if expr.has(asin):
        expr = shortest_angles(expr) if expr.is_number else expr.replace(asin, _tangent_of_parameters)
    if expr.has(phi) and expr.has(exp):
        expr = sympy.Add(*(_without_exp_times_phi(t) for t in sympy.Add.make_args(expr)))
    return _complements(expr) if expr.is_Add and expr.has(Phi, erf) else expr


def _without_square_over_abs(product: Expr) -> Expr:
    """u^2/|u| as |u|."""
    for base, power in (factor.as_base_exp() for factor in product.args):
        if isinstance(base, Abs) and power == -1 and base.args[0].is_extended_real:
            shorter = product * base / base.args[0] ** 2 * base
            if sympy.count_ops(shorter) < sympy.count_ops(product):
                return shorter
    return product


def _tangent_of_parameters(x: Expr) -> Expr:
    """asin(x) as an arctangent where that has a shorter argument, without a denominator that may vanish."""
    if x.is_number:
        return asin(x)
    tangent = x / root(canonical(1 - x**2))
    shorter = sympy.count_ops(tangent) < sympy.count_ops(x)
    return atan(tangent) if shorter and not sympy.fraction(tangent)[1].free_symbols else asin(x)


def _without_exp_times_phi(term: Expr) -> Expr:
    """exp(q) phi(t) of numbers as one exponential where its exponent vanishes."""
    factors = sympy.Mul.make_args(term)
    density = next((f for f in factors if isinstance(f, phi)), None)
    exponent = sympy.Add(*(f.args[0] for f in factors if isinstance(f, exp)))
    if density is None or sympy.expand(exponent - density.args[0] ** 2 / 2) != 0:
        return term
    return sympy.Mul(*(f for f in factors if not isinstance(f, exp) and f != density)) / sqrt(2 * pi)


def _complements(expr: Expr) -> Expr:
    """q - q Phi(t) as q Phi(-t), and q - q erf(t) as q erfc(t)."""
    terms = list(expr.args)
    for term in expr.args:
        function = next((f for f in sympy.Mul.make_args(term) if isinstance(f, Phi | erf)), None)
        whole = S.Zero if function is None else -term / function
        if function is None or whole not in terms:
            continue
        (t,) = function.args
        if isinstance(function, erf) and t.could_extract_minus_sign():
            continue  # sympy writes erfc of it as 2 - erfc
        terms.remove(term)
        terms.remove(whole)
        terms.append(whole * (erfc(t) if isinstance(function, erf) else Phi(-t)))
    return sympy.Add(*terms)
