"""Derivatives of functions of a correlation without the poles at +-1 that cancel between their terms.

The derivative of rho asin(rho) + sqrt(1 - rho^2) has two terms that are infinite at 1 and a sum that is not.
With s = sqrt(1 - rho^2) every coefficient of a transcendental function is A(rho) + B(rho) s; there such poles
cancel as polynomials, and what is left of 1/s is written by the density phi2, which knows its limits.
"""

from __future__ import annotations

import sympy
from sympy import Expr, S, Symbol, pi, sqrt

from hermite_analytics.language.functions import bell2, phi, phi2

__all__ = ["without_removable_poles"]

_MOST_OPERATIONS = 4000


class _NotReduced(Exception):
    """A coefficient is not of the form A + B root."""


def without_removable_poles(expr: Expr, x: Symbol) -> Expr:
    """The same function of x in [-1, 1], written so that it can be evaluated at x = +-1 where it is finite.

    Unchanged where 1 - x^2 stands in no denominator.

    Examples
    --------
    >>> r = Symbol("rho", real=True)
    >>> kernel = r * sympy.asin(r) + sqrt(1 - r**2)
    >>> without_removable_poles(kernel.diff(r), r)
    asin(rho)
    >>> without_removable_poles(sympy.asin(r).diff(r), r)
    2*pi*phi2(0, 0, rho)
    """
    if not _has_pole(expr, x) or sympy.count_ops(expr) > _MOST_OPERATIONS:
        return expr
    root = sympy.Dummy("root", positive=True)
    plain = expr.replace(phi2, lambda h, k, r: bell2(h, k, r) / (2 * pi * sqrt(1 - r**2)))
    plain = plain.replace(lambda e: _exponent(e, x) is not None, lambda e: _by_root(e, x, root))
    if not plain.has(root):
        return expr
    groups: dict[Expr, list[Expr]] = {}
    for term in sympy.Add.make_args(sympy.expand(plain, power_exp=False, log=False, func=False)):
        function, coefficient = _split(term, x)
        groups.setdefault(function, []).append(coefficient)
    try:
        terms = [_term(f, sympy.Add(*c), x, root) for f, c in groups.items()]
    except _NotReduced:
        return expr
    return sympy.Add(*(sympy.powsimp(term, combine="exp") for term in terms))


def _has_pole(expr: Expr, x: Symbol) -> bool:
    if any(n.args[2] == x for n in expr.atoms(phi2)):
        return True
    return any(p.exp.is_negative and _exponent(p, x) is not None for p in expr.atoms(sympy.Pow))


def _exponent(expr: Expr, x: Symbol) -> Expr | None:
    """n where expr is a multiple of (1 - x^2)^(n/2), or of a power of 1 - x or 1 + x; else None."""
    if not expr.is_Pow or isinstance(expr, sympy.exp) or not (2 * expr.exp).is_Integer:
        return None
    base = sympy.expand(expr.base)
    return 2 * expr.exp if base in (1 - x**2, x**2 - 1) else None


def _by_root(expr: Expr, x: Symbol, root: Symbol) -> Expr:
    n = 2 * expr.exp
    side = 1 if sympy.expand(expr.base) == 1 - x**2 else (-1) ** expr.exp
    return side * root**n


def _split(term: Expr, x: Symbol) -> tuple[Expr, Expr]:
    """(factors with x inside, with one exponential; the coefficient)."""
    function, exponent, coefficient = S.One, S.Zero, S.One
    gaussian = term.has(bell2)
    for factor in sympy.Mul.make_args(term):
        base, power = factor.as_base_exp() if not isinstance(factor, sympy.exp) else (factor, S.One)
        if not factor.has(x) and not isinstance(base, phi | sympy.exp):
            coefficient *= factor
        elif isinstance(base, sympy.exp):
            exponent += power * base.args[0]
        elif isinstance(base, phi) and (gaussian or base.args[0].has(x)):
            exponent -= power * base.args[0] ** 2 / 2
            coefficient /= sqrt(2 * pi) ** power
        elif isinstance(base, bell2) and power == 1:
            growth, bell = _untilted(base, x)
            function, exponent = function * bell, exponent + growth
        elif isinstance(base, sympy.Function):
            function *= factor
        else:
            coefficient *= factor
    fixed, moving = sympy.expand(sympy.cancel(exponent)).as_independent(x, as_Add=True)
    return function * sympy.exp(moving), coefficient * sympy.exp(fixed)


def _untilted(bell: Expr, x: Symbol) -> tuple[Expr, Expr]:
    """(g, b) with bell = exp(g(x)) b, g a polynomial and b a bell at thresholds free of x."""
    h, k, _ = bell.args
    if not (h.has(x) or k.has(x)) or not (h.is_polynomial(x) and k.is_polynomial(x)):
        return S.Zero, bell
    quotient, rest = sympy.div(sympy.expand(h**2 - 2 * x * h * k + k**2), 1 - x**2, x)
    plus, minus = (sqrt(sympy.expand(rest.subs(x, end))) for end in (-1, 1))  # |h + k| and |h - k|
    return -quotient / 2, bell2((plus + minus) / 2, (plus - minus) / 2, x)


def _term(function: Expr, coefficient: Expr, x: Symbol, root: Symbol) -> Expr:
    """function * (A + B root), with 1/root as a density where a pole of that kind is left."""
    even, odd = _by_parity(coefficient, x, root)
    total = even * function
    if odd == 0:
        return total
    over = _factored(odd * (1 - x**2))
    if not sympy.denom(odd).subs(x, 1) or not sympy.denom(odd).subs(x, -1):
        return total + over * _inverse_root(function, x)
    return total + odd * function * sqrt((1 - x) * (1 + x))


def _by_parity(coefficient: Expr, x: Symbol, root: Symbol) -> tuple[Expr, Expr]:
    """(A, B) of A(x) + B(x) root, a power of root in the denominator taken apart."""
    numerator, denominator = sympy.fraction(sympy.cancel(sympy.together(coefficient)))
    ((below,), rest), *others = sympy.Poly(denominator, root).terms()
    if others:
        raise _NotReduced
    parts = [S.Zero, S.Zero]
    for (above,), factor in sympy.Poly(numerator, root).terms():
        half, is_odd = divmod(above - below, 2)
        parts[is_odd] += factor * (1 - x**2) ** half / rest
    even, odd = (_factored(part) for part in parts)
    return even, odd


def _factored(expr: Expr) -> Expr:
    found = sympy.cancel(sympy.together(expr))
    return found if found.has(sympy.exp, S.Exp1) else sympy.factor(found)  # no powers of e as factors


def _inverse_root(function: Expr, x: Symbol) -> Expr:
    """function/sqrt(1 - x^2) by the density of a pair."""
    bells = [f for f in sympy.Mul.make_args(function) if isinstance(f, bell2) and f.args[2] == x]
    if not bells:
        return 2 * pi * phi2(S.Zero, S.Zero, x) * function
    return 2 * pi * phi2(*bells[0].args) * function / bells[0]
