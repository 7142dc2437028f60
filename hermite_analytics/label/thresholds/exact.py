"""Thresholds in closed form: labels that determine |w|, and functions of the radius."""

from __future__ import annotations

from collections.abc import Iterable

import sympy
from sympy import Dummy, Expr, S, Symbol

from hermite_analytics.argument.remarks import remark
from hermite_analytics.argument.sentences import Math
from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.gaussian.distribution import expanded
from hermite_analytics.gaussian.zero.null_sets import is_nonzero
from hermite_analytics.label.exact.pieces import INCREASING, monotone_pieces
from hermite_analytics.label.exact.reflections import is_invariant
from hermite_analytics.label.exact.signs import is_nonnegative
from hermite_analytics.label.reduction.problem import Problem
from hermite_analytics.label.thresholds.result import Threshold, exact_threshold
from hermite_analytics.language.functions import record_of

__all__ = ["by_injectivity", "radial_form", "trend"]

_ABSOLUTE = remark(
    "the label determines the absolute value of the coordinate: ",
    Math("1/E[(w^2 - 1)^2]", r"1/\mathbb{E}[(w^2 - 1)^2]"),
)


def by_injectivity(problem: Problem) -> Threshold | None:
    """1/2 where the label determines |w| of one coordinate, q/2 where it determines that of q.

    With q coordinates of which only R = |w| enters, G(y) = a(y) I with a = E[R^2 | y]/q - 1; where the label
    determines R, E[a^2] = Var(R^2)/q^2 = 2/q.

    Examples
    --------
    >>> from sympy import symbols
    >>> w1, w2 = symbols("w1 w2", real=True)
    >>> f = sympy.exp(-(w1**2) - w2**2)
    >>> by_injectivity(Problem(signal=f, unknown=(w1, w2), known=())).alpha.exact
    1
    """
    if problem.noise != 0 or not problem.unknown:
        return None
    if len(problem.unknown) == 1:
        w = problem.unknown[0]
        if trend(problem.signal, w) or (not problem.known and _is_even_and_injective(problem.signal, w)):
            return exact_threshold(S.Half, _ABSOLUTE)
        return None
    q = len(problem.unknown)
    form = radial_form(problem)
    if form is not None and trend(*form):
        alpha = Math(f"alpha = {q}/2", rf"\alpha = {q}/2")
        method = remark(f"the label determines the norm of {q} coordinates: ", alpha)
        return exact_threshold(sympy.Rational(q, 2), method)
    return None


def radial_form(problem: Problem) -> tuple[Expr, Symbol] | None:
    """(h, R) with signal = h(R), R = |w| over all the unknown coordinates, where that is shown."""
    first, *others = problem.unknown
    radius = Dummy("R", positive=True)
    along = sympy.sqrt(radius**2 - sympy.Add(*(w**2 for w in others)))
    found = expanded(problem.signal.subs(first, along))
    return None if found.free_symbols.intersection(problem.unknown) else (found, radius)


def _is_even_and_injective(signal: Expr, w: Symbol) -> bool:
    if not is_invariant(signal, [w], sympy.Matrix([[-1]])):
        return False
    try:
        right = [p for p in monotone_pieces(signal, w) if p.high == sympy.oo]
    except UnsupportedExpression:
        return False
    return len(right) == 1 and right[0].slope != 0 and right[0].low == 0


def trend(expr: Expr, w: Symbol) -> int:
    """1 or -1 where the form shows a function that increases or decreases strictly with |w|, else 0.

    Examples
    --------
    >>> from sympy import symbols
    >>> x, w = symbols("x w", real=True)
    >>> trend(x**2 * abs(w) + sympy.cosh(w), w), trend(sympy.exp(-(w**2)), w), trend(sympy.cos(w), w)
    (1, -1, 0)
    """
    if expr == w:
        return int(w.is_positive or False)
    if record_of(expr).increases_with_size:
        return _of_size(expr.args[0], w)
    if isinstance(expr, INCREASING):
        return trend(expr.args[0], w)
    if expr.is_Pow and not expr.exp.free_symbols:
        size = _of_powered(expr.base, expr.exp, w)
        return size if expr.exp.is_positive else -size
    if expr.is_Add:
        return _common(trend(a, w) for a in expr.args if a.has(w))
    return _of_product(expr, w) if expr.is_Mul else 0


def _of_product(expr: Expr, w: Symbol) -> int:
    factor, rest = expr.as_independent(w, as_Add=False)
    if factor == 1:
        return _common(trend(a, w) if is_nonnegative(a) else 0 for a in rest.args)
    if _is_positive(factor):
        return trend(rest, w)
    return -trend(rest, w) if _is_positive(-factor) else 0


def _common(trends: Iterable[int]) -> int:
    found = set(trends)
    return found.pop() if len(found) == 1 else 0


def _of_powered(base: Expr, exponent: Expr, w: Symbol) -> int:
    """The trend of what |base^a| increases with: |base|, or the base where it has one sign or a is odd."""
    if exponent.is_Integer and exponent % 2 == 0:
        return _of_size(base, w)
    odd = exponent.is_Integer and exponent > 0
    return trend(base, w) if odd or is_nonnegative(base) else 0


def _is_positive(factor: Expr) -> bool:
    """Almost surely: nonnegative by its form, and not 0."""
    return is_nonnegative(factor) and is_nonzero(factor)


def _of_size(base: Expr, w: Symbol) -> int:
    """The trend of |base|."""
    slope, rest = base.as_independent(w, as_Add=False)
    if not is_nonzero(slope):
        return 0
    if rest == w:
        return 1
    return trend(rest, w) if is_nonnegative(rest) else 0
