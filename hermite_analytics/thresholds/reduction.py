"""Equivalent labels: what is known is taken off, invertible maps are dropped, signs are split.

Every rule keeps the law of w given the label and what is known, almost surely, and leaves its line in the
reasons of the problem.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import sympy
from sympy import Expr, S, Symbol

from hermite_analytics.calculus.clock import check_time
from hermite_analytics.calculus.closed_form import closed_form, expanded
from hermite_analytics.enclosure.operations import KINKS
from hermite_analytics.language import functions as own
from hermite_analytics.law.pieces import INCREASING
from hermite_analytics.symbols import xi
from hermite_analytics.thresholds.problem import Problem

__all__ = ["is_nonnegative", "reduced", "split_signs"]

_MIXED = (sympy.exp, sympy.sin, sympy.cos, sympy.sinh, sympy.cosh)
_POSITIVE = (sympy.exp, sympy.cosh, sympy.erfc, own.Phi, own.phi, own.sigmoid, own.softplus)
_ODD = (sympy.sinh, sympy.tanh, sympy.erf)
_MOST_ROUNDS = 30


def reduced(problem: Problem) -> Problem:
    """The simplest equivalent problem that the rules reach.

    Examples
    --------
    >>> from sympy import Integer
    >>> from hermite_analytics.target import Target
    >>> from hermite_analytics.thresholds.problem import orthonormal_problem
    >>> first = [(Integer(1), Integer(0), Integer(0))]
    >>> f = Target("z1**2 + 3*sign(z1*z2*z3)").expression
    >>> reduced(orthonormal_problem(f, 3, first)).signal
    sign(w1)*sign(w2)
    """
    problem = problem.with_signal(split_signs(problem.signal))
    for _ in range(_MOST_ROUNDS):
        check_time()
        found = next((p for rule in _RULES if (p := rule(problem)) is not None), None)
        if found is None or not found.unknown:
            return problem if found is None else found
        problem = found.with_signal(split_signs(found.signal))
    return problem


def split_signs(expr: Expr) -> Expr:
    """Signs and absolute values of products as products, and those that are known.

    Examples
    --------
    >>> from sympy import symbols
    >>> x, y = symbols("x y", real=True)
    >>> split_signs(sympy.sign(-2 * x * y**2) + abs(x * sympy.exp(y)))
    exp(y)*Abs(x) - sign(x)
    """
    if not expr.args:
        return expr
    arguments = [split_signs(a) for a in expr.args]
    if isinstance(expr, sympy.sign):
        return _sign(arguments[0])
    if isinstance(expr, sympy.Abs):
        return _absolute(arguments[0])
    if isinstance(expr, own.step) and (arguments[0].is_Mul or arguments[0].is_Pow):
        return (1 + _sign(arguments[0])) / 2
    found = expr.func(*arguments)
    if found.is_Pow and found.exp.is_Integer and isinstance(found.base, sympy.sign):
        return found.base if found.exp % 2 else S.One
    if found.is_Pow and found.exp.is_Integer and isinstance(found.base, sympy.Abs) and found.exp % 2 == 0:
        return found.base.args[0] ** found.exp
    return found


def _sign(argument: Expr) -> Expr:
    if argument.is_Mul:
        return sympy.Mul(*(_sign(a) for a in argument.args))
    if argument.is_Pow and argument.exp.is_Integer:
        return _sign(argument.base) if argument.exp % 2 else S.One
    if isinstance(argument, sympy.sign):
        return argument
    if isinstance(argument, _ODD):
        return _sign(argument.args[0])
    if isinstance(argument, (*_POSITIVE, sympy.Abs)) or is_nonnegative(argument):
        return S.One
    if argument.is_Add and argument.could_extract_minus_sign():
        return -sympy.sign(-argument)
    return sympy.sign(argument)


def _absolute(argument: Expr) -> Expr:
    if argument.is_Mul:
        return sympy.Mul(*(_absolute(a) for a in argument.args))
    if argument.is_Pow and argument.exp.is_Integer:
        return argument if argument.exp % 2 == 0 else _absolute(argument.base) ** argument.exp
    if isinstance(argument, sympy.sign):
        return S.One
    if isinstance(argument, _POSITIVE) or is_nonnegative(argument):
        return argument
    if argument.is_Add and argument.could_extract_minus_sign():
        return sympy.Abs(-argument)
    return sympy.Abs(argument)


def is_nonnegative(expr: Expr) -> bool:
    """Whether the form of the expression shows that it is never negative."""
    if expr.is_Add or expr.is_Mul:
        return all(is_nonnegative(a) for a in expr.args)
    if expr.is_Pow and expr.exp.is_Integer and expr.exp % 2 == 0:
        return True
    if expr.is_Pow:
        return is_nonnegative(expr.base)
    return bool(expr.is_nonnegative) or isinstance(expr, (*_POSITIVE, sympy.Abs, own.relu, own.step))


def _without_outer_map(problem: Problem) -> Problem | None:
    """F(h) for h, with F strictly monotone; for |h|, with F even and strictly monotone on the half line."""
    f = problem.signal
    if isinstance(f, INCREASING):
        return problem.with_signal(f.args[0], f"{f.func.__name__} is invertible")
    if isinstance(f, sympy.cosh):
        return problem.with_signal(_absolute(f.args[0]), "cosh is invertible on the half line")
    if isinstance(f, sympy.Abs) and isinstance(f.args[0], (*_ODD, sympy.Pow)):
        inner = f.args[0]
        if isinstance(inner, _ODD) or inner.exp.is_Integer:
            return problem.with_signal(
                sympy.Abs(inner.args[0]), "an odd function is invertible on the half line"
            )
    if f.is_Pow and f.base.free_symbols and not f.exp.free_symbols:
        inner = _absolute(f.base) if f.exp.is_Integer and f.exp % 2 == 0 else f.base
        return problem.with_signal(inner, "a power is invertible on the half line")
    if f.is_Mul and all(a.is_Pow and a.exp.is_Integer for a in f.args):
        exponents = [a.exp for a in f.args]
        common = sympy.igcd(*exponents)
        if common > 1:
            root = sympy.Mul(*(a.base ** (a.exp // common) for a in f.args))
            inner = _absolute(root) if common % 2 == 0 else root
            return problem.with_signal(inner, "a power is invertible on the half line")
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
    """s g for g, where the sign s has nothing of w in it and g is never negative: |y| = g."""
    f = problem.signal
    if not f.is_Mul:
        return None
    for part in f.args:
        rest = f / part
        apart = isinstance(part, sympy.sign) and not part.free_symbols.intersection(problem.unknown)
        if apart and is_nonnegative(rest) and not rest.has(xi):
            return problem.with_signal(rest, "the sign of the label is noise")
    return None


def _divided(problem: Problem, rest: Expr, factor: Expr) -> Problem | None:
    """y / factor, where the factor is not 0."""
    if not factor.free_symbols:
        return problem.with_signal(rest)
    share = _nonzero_probability(factor, problem.known)
    if share is None:
        return None
    found = problem.with_signal(rest, f"y is divided by {factor}, which is known")
    return dataclasses.replace(found, informative=found.informative * share)


def _nonzero_probability(factor: Expr, known: Sequence[Symbol]) -> Expr | None:
    """P(factor != 0) of a product of analytic functions, their signs, absolute values, steps and relus."""
    steps = []
    for part in sympy.Mul.make_args(factor):
        base = part.base if part.is_Pow and part.exp.is_Integer and part.exp > 0 else part
        inner = base.args[0] if isinstance(base, (sympy.sign, sympy.Abs, own.step, own.relu)) else base
        if inner.has(*KINKS):
            return None
        if isinstance(base, own.step | own.relu):
            steps.append(own.step(inner))
    return closed_form(sympy.Mul(*dict.fromkeys(steps)), list(known)) if steps else S.One


def _with_terms_apart(problem: Problem) -> Problem | None:
    """Sums by their parts in w: known parts taken off, a common known factor of the others divided out."""
    if not problem.known:
        return None
    unknown = [*problem.unknown, xi]
    plain = expanded(split_signs(_with_known_arguments_apart(problem.signal, unknown)))
    coefficients: dict[Expr, Expr] = {}
    for term in sympy.Add.make_args(plain):
        factor, part = term.as_independent(*unknown, as_Add=False)
        if part != 1:
            coefficients[part] = coefficients.get(part, S.Zero) + factor
    coefficients = {part: factor for part, factor in coefficients.items() if factor != 0}
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


def _with_known_arguments_apart(expr: Expr, unknown: Sequence[Symbol]) -> Expr:
    """exp(x + w), sin(x + w), .. by the addition theorems, max(a, b) by |a - b|."""
    if not expr.args:
        return expr
    arguments = [_with_known_arguments_apart(a, unknown) for a in expr.args]
    if isinstance(expr, sympy.Max | sympy.Min) and len(arguments) == 2:
        side = 1 if isinstance(expr, sympy.Max) else -1
        a, b = arguments
        return (a + b + side * sympy.Abs(sympy.expand(a - b))) / 2
    if isinstance(expr, _MIXED):
        known, rest = sympy.expand(arguments[0]).as_independent(*unknown, as_Add=True)
        if known.free_symbols and rest != 0:
            return _addition_theorem(expr.func, known, rest)
    return expr.func(*arguments)


def _addition_theorem(function: type, a: Expr, b: Expr) -> Expr:
    sin, cos, sinh, cosh = sympy.sin, sympy.cos, sympy.sinh, sympy.cosh
    if function is sympy.exp:
        return sympy.exp(a) * sympy.exp(b)
    if function is sin:
        return sin(a) * cos(b) + cos(a) * sin(b)
    if function is cos:
        return cos(a) * cos(b) - sin(a) * sin(b)
    if function is sinh:
        return sinh(a) * cosh(b) + cosh(a) * sinh(b)
    return cosh(a) * cosh(b) + sinh(a) * sinh(b)


_RULES = (_without_known_parts, _without_random_sign, _without_outer_map, _with_terms_apart)
