"""Equivalent labels: what is known is taken off, invertible maps are dropped, signs are split.

Every rule keeps the law of w given the label and what is known, almost surely, and leaves its line in the
reasons of the problem. Rewritings keep the label itself almost surely, in z and in the noise; maps of it keep
the sigma-algebra of the label and of what is known. What divides by a factor, or takes a sign for 1, asks
`nonzero_set` first.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import sympy
from sympy import Expr, S, Symbol

from hermite_analytics.foundation.clock import check_time
from hermite_analytics.gaussian.cells import constant_cells, own_parts, probability_between
from hermite_analytics.gaussian.closed_form import closed_form
from hermite_analytics.gaussian.distribution import expanded
from hermite_analytics.gaussian.zero.null_sets import is_nonzero, nonzero_set
from hermite_analytics.label.exact.pieces import INCREASING
from hermite_analytics.label.exact.signs import absolute, is_nonnegative, split_signs
from hermite_analytics.label.reduction.extremes import flat_extremes
from hermite_analytics.label.reduction.problem import Problem
from hermite_analytics.language.functions import functions_where, record_of
from hermite_analytics.symbols import xi

__all__ = ["reduced"]

_ODD = functions_where(lambda r: r.parity == -1 and r.is_strictly_increasing)
_MOST_ROUNDS = 30


def reduced(problem: Problem) -> Problem:
    """The simplest equivalent problem that the rules reach.

    Examples
    --------
    >>> from sympy import Integer
    >>> from hermite_analytics.target import Target
    >>> from hermite_analytics.label.reduction.problem import orthonormal_problem
    >>> first = [(Integer(1), Integer(0), Integer(0))]
    >>> f = Target("z1**2 + 3*sign(z1*z2*z3)").expression
    >>> reduced(orthonormal_problem(f, 3, first)).signal
    sign(w1)*sign(w2)
    """
    problem = problem.with_signal(split_signs(flat_extremes(problem.signal)))
    for _ in range(_MOST_ROUNDS):
        check_time()
        found = next((p for rule in _RULES if (p := rule(problem)) is not None), None)
        if found is None or not found.unknown:
            return problem if found is None else found
        problem = found.with_signal(split_signs(found.signal))
    return problem


def _without_outer_function(problem: Problem) -> Problem | None:
    """F(h) for h, F strictly monotone, exponentials multiplied; for |h|, F even and so on the half line."""
    f = problem.signal
    if isinstance(f, INCREASING):
        return problem.with_signal(f.args[0], f"{f.func.__name__} is invertible")
    if f.is_Mul and all(isinstance(a, sympy.exp) for a in f.args):
        return problem.with_signal(sympy.Add(*(a.args[0] for a in f.args)), "exp is invertible")
    if not record_of(f).increases_with_size:
        return None
    inner = f.args[0]
    if not isinstance(f, sympy.Abs):
        return problem.with_signal(absolute(inner), f"{f.func.__name__} is invertible on the half line")
    if isinstance(inner, _ODD) or (inner.is_Pow and inner.exp.is_Integer):
        return problem.with_signal(sympy.Abs(inner.args[0]), "an odd function is invertible on the half line")
    return None


def _without_outer_power(problem: Problem) -> Problem | None:
    """h^a for h, or |h|; also of a product of whole powers with a common factor a."""
    f = problem.signal
    if f.is_Pow and f.base.free_symbols and not f.exp.free_symbols:
        base, is_even = f.base, f.exp.is_Integer and f.exp % 2 == 0
    elif f.is_Mul and all(a.is_Pow and a.exp.is_Integer for a in f.args):
        common = sympy.igcd(*(a.exp for a in f.args))
        if common == 1:
            return None
        base, is_even = sympy.Mul(*(a.base ** (a.exp // common) for a in f.args)), common % 2 == 0
    else:
        return None
    return problem.with_signal(absolute(base) if is_even else base, "a power is invertible on the half line")


def _without_logarithms(problem: Problem) -> Problem | None:
    """A sum of numbers and positive multiples of logarithms, without noise, for the product of powers."""
    f = problem.signal
    if not f.is_Add:
        return None
    terms = [t.as_coeff_Mul() for t in f.args if t.free_symbols]
    if all(isinstance(g, sympy.log) and number.is_positive for number, g in terms):
        product = sympy.Mul(*(g.args[0] ** number for number, g in terms))
        return problem.with_signal(product, "exp is invertible")
    return None


def _without_known_parts(problem: Problem) -> Problem | None:
    """Terms and factors that depend on what is known only."""
    unknown = [*problem.unknown, xi]
    f = problem.signal
    if f.is_Add:
        known, rest = f.as_independent(*unknown, as_Add=True)
        if known != 0:
            reason = f"y - ({known}) is as good as y" if known.free_symbols else ""
            return problem.with_signal(rest, reason)
    if f.is_Mul:
        known, rest = f.as_independent(*unknown, as_Add=False)
        if known != 1:
            return _divided(problem, rest, known)
    if problem.noise == 0 and f.is_Add and not problem.known:
        content, rest = f.primitive()
        if content != 1:
            return problem.with_signal(rest)
    return None


def _without_random_sign(problem: Problem) -> Problem | None:
    """s g for g, where the sign s has nothing of w in it and is not 0, and g is never negative: |y| = g.

    Given g and what is known, s has nothing to do with w; where g = 0 it is not seen.
    """
    f = problem.signal
    if not f.is_Mul:
        return None
    for part in f.args:
        rest = f / part
        apart = isinstance(part, sympy.sign) and not part.free_symbols.intersection(problem.unknown)
        if apart and is_nonnegative(rest) and not rest.has(xi) and is_nonzero(part):
            return problem.with_signal(rest, "the sign of the label is noise")
    return None


def _without_gate_of_noise(problem: Problem) -> Problem | None:
    """g times what noise alone decides, one number or 0, for g: where it is 0 the label says nothing.

    Whether it is 0 is seen, as g is not 0; the event has nothing to do with g.
    """
    factor, rest = problem.signal.as_independent(*problem.unknown, *problem.known, as_Add=False)
    if not factor.has(xi) or rest.has(xi) or not is_nonzero(rest):
        return None
    parts = own_parts(factor, xi)
    cells = constant_cells(parts, xi) if parts else None
    if parts is None or cells is None:
        return None
    share, value = S.Zero, None
    for low, high, values in cells:
        here = factor.xreplace(dict(zip(parts, values, strict=True)))
        seen = nonzero_set(here)
        if seen is None:
            return None
        if seen == 0:
            continue
        if value not in (None, here):
            return None
        share, value = share + probability_between(low, high), here
    if value is None:
        return None
    found = problem.with_signal(rest, f"{factor} is noise, and seen by y = 0")
    return dataclasses.replace(found, informative=found.informative * share)


def _divided(problem: Problem, rest: Expr, factor: Expr) -> Problem | None:
    """y / factor where the factor is not 0; where it is 0 the label says nothing.

    None where it is not known where the factor is 0, or where what is left depends on that.
    """
    seen = nonzero_set(factor)
    if not factor.free_symbols:
        return None if seen is None else problem.with_signal(rest if seen == 1 else S.Zero)
    share = None if seen is None else closed_form(seen, list(problem.known))
    if share is None or share == 0 or (share != 1 and rest.free_symbols & factor.free_symbols):
        return None
    found = problem.with_signal(rest, f"y is divided by {factor}, which is known")
    return dataclasses.replace(found, informative=found.informative * share)


def _with_terms_apart(problem: Problem) -> Problem | None:
    """Sums by their parts in w: known parts taken off, a common known factor of the others divided out."""
    if not problem.known:
        return None
    unknown = [*problem.unknown, xi]
    coefficients = _coefficients(problem.signal, unknown)
    if not coefficients or any(part.free_symbols - set(unknown) for part in coefficients):
        return None
    if problem.noise not in (0, None):
        found = sympy.Add(*(factor * part for part, factor in coefficients.items()))
        return None if found == problem.signal else problem.with_signal(found)
    factors = list(coefficients.values())
    ratios = [sympy.cancel(c / factors[0]) for c in factors]
    if any(r.free_symbols for r in ratios):
        return None
    rest = sympy.Add(*(r * part for r, part in zip(ratios, coefficients, strict=True)))
    if not factors[0].free_symbols:
        return None if rest == problem.signal else problem.with_signal(rest, "known terms are taken off")
    return _divided(problem, rest, sympy.factor_terms(factors[0]))


def _coefficients(signal: Expr, unknown: Sequence[Symbol]) -> dict[Expr, Expr]:
    """The factors of the parts in w; terms of what is known alone are left out."""
    plain = expanded(split_signs(_with_known_arguments_apart(signal, unknown)))
    coefficients: dict[Expr, Expr] = {}
    for term in sympy.Add.make_args(plain):
        factor, part = term.as_independent(*unknown, as_Add=False)
        if part != 1:
            coefficients[part] = coefficients.get(part, S.Zero) + factor
    return {part: factor for part, factor in coefficients.items() if factor != 0}


def _with_known_arguments_apart(expr: Expr, unknown: Sequence[Symbol]) -> Expr:
    """exp(x + w), sin(x + w), .. by the addition theorems, max(a, b) by |a - b|, max(x + a, x + b, ..)."""
    if not expr.args:
        return expr
    arguments = [_with_known_arguments_apart(a, unknown) for a in expr.args]
    if isinstance(expr, sympy.Max | sympy.Min):
        return _extreme(expr.func, arguments, unknown)
    of_sum = record_of(expr).of_sum
    if of_sum is not None:
        known, rest = sympy.expand(arguments[0]).as_independent(*unknown, as_Add=True)
        if known.free_symbols and rest != 0:
            return of_sum(known, rest)
    return expr.func(*arguments)


def _extreme(function: type, arguments: Sequence[Expr], unknown: Sequence[Symbol]) -> Expr:
    """Of two by |a - b|; of more with what they have in common outside."""
    if len(arguments) == 2:
        side = 1 if function is sympy.Max else -1
        a, b = arguments
        return (a + b + side * sympy.Abs(sympy.expand(a - b))) / 2
    parts = [sympy.expand(a).as_independent(*unknown, as_Add=True) for a in arguments]
    common = parts[0][0]
    if common != 0 and all(known == common for known, _ in parts):
        return common + function(*(rest for _, rest in parts))
    return function(*arguments)


_RULES = (
    _without_known_parts,
    _without_gate_of_noise,
    _without_random_sign,
    _without_outer_function,
    _without_outer_power,
    _without_logarithms,
    _with_terms_apart,
)
