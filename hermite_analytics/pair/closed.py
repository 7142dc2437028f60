"""E sigma(u) sigma(v) in closed form where the rules give one that keeps its digits, else a table's node."""

from __future__ import annotations

import mpmath
import sympy
from sympy import Expr, S, Symbol, sqrt

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.foundation.clock import TimeEnded, limited
from hermite_analytics.gaussian.node import GaussianExpectation
from hermite_analytics.gaussian.pair_moments import pieces_of, piecewise_pair
from hermite_analytics.pair.node import PairExpectation
from hermite_analytics.symbols import variable

__all__ = ["closed_pair", "keeps_its_digits", "pair_expression", "spread_root"]

_PLACES = ("-1", "-0.999999999", "-0.97", "-0.5", "0.25", "0.75", "0.97", "0.999999999", "1")
_SECONDS = 5.0  # for the search of a closed form
_LOST = 1e-12  # of the largest value


def pair_expression(sigma: Expr, z: Symbol, rho: Expr) -> Expr:
    """The closed form, or a `PairExpectation`."""
    found = closed_pair(sigma, z, rho)
    return PairExpectation(sigma, z, rho) if found is None else found


def closed_pair(sigma: Expr, z: Symbol, rho: Expr) -> Expr | None:
    """A closed form that float64 evaluates to 1e-12 E sigma^2 on all of [-1, 1]; None where there is none.

    Examples
    --------
    >>> from hermite_analytics.language.functions import relu
    >>> from hermite_analytics.symbols import z
    >>> r = Symbol("rho", real=True)
    >>> closed_pair(relu(z) - relu(z - 1), z, r).diff(r).subs(r, 0).evalf(10)
    0.1165162357
    """
    r = sympy.Dummy("rho", real=True)
    found = piecewise_pair(sigma, z, r) if _is_of_pieces(sigma, z) else _by_rules(sigma, z, r)
    if found is None or not keeps_its_digits(found, r):
        return None
    return found.xreplace({r: rho})


def _is_of_pieces(sigma: Expr, z: Symbol) -> bool:
    """Whether sigma is of pieces, with a threshold other than 0 or an exponential among them."""
    pieces = pieces_of(sigma, z)
    if pieces is None:
        return False
    return any(p.tilt != 0 or p.threshold not in (S.Zero, S.NegativeInfinity) for p in pieces)


def _by_rules(sigma: Expr, z: Symbol, rho: Expr) -> Expr | None:
    u, v = variable(1), variable(2)
    second = rho * u + sqrt(1 - rho**2) * v
    pair = GaussianExpectation(sigma.subs(z, u) * sigma.subs(z, second), (u, v))
    try:
        with limited(_SECONDS):
            found = pair.in_real_functions()
    except TimeEnded:
        return None
    return None if found.has(GaussianExpectation) else spread_root(found, rho)


def spread_root(expr: Expr, rho: Expr) -> Expr:
    """sqrt(1 - rho^2) as sqrt((1 - rho)(1 + rho)), which keeps its digits near rho = +-1."""

    def is_root(part: Expr) -> bool:
        return bool(part.is_Pow and part.base == 1 - rho**2 and (2 * part.exp).is_odd)

    return expr.replace(is_root, lambda p: ((1 - rho) * (1 + rho)) ** p.exp)


def keeps_its_digits(expr: Expr, rho: Symbol) -> bool:
    """Whether 53 bits give what 200 give, up to 1e-12 of the largest value, the ends included."""
    from hermite_analytics.language.evaluation import reference_function

    try:
        function = reference_function(expr, (rho,), mpmath)
        exact, rounded = [], []
        for place in _PLACES:
            x = mpmath.mpf(float(place))
            with mpmath.workprec(200):
                exact.append(function(x))
            with mpmath.workprec(53):
                rounded.append(function(x))
    except (UnsupportedExpression, ArithmeticError, TypeError, ValueError):
        return False
    if not all(isinstance(x, mpmath.mpf) and mpmath.isfinite(x) for x in exact + rounded):
        return False
    scale = max(abs(x) for x in exact)
    return all(abs(x - y) <= _LOST * scale for x, y in zip(exact, rounded, strict=True))
