"""Means of products: factors without a common variable one by one, each by the rules or by its radius."""

from __future__ import annotations

from collections.abc import Sequence

import sympy
from sympy import Expr, S, Symbol, log

from hermite_analytics.gaussian.distribution import distributed
from hermite_analytics.gaussian.expectation import Expectation
from hermite_analytics.gaussian.radial import beside_radius, radial_mean
from hermite_analytics.gaussian.reals import NoClosedForm
from hermite_analytics.gaussian.rewriting import normal_form
from hermite_analytics.gaussian.terms import NotInNormalForm

__all__ = ["mean_by_rules", "mean_of_product", "products", "renamed", "separate_factors"]


def products(expr: Expr, variables: Sequence[Symbol]) -> tuple[Expr, ...]:
    """The addends of `expr` with products of sums written out, logarithms and powers of products taken apart.

    Equal almost everywhere: log(a b) = log a + log b and (a b)^p = a^p b^p for nonnegative a and b.

    Examples
    --------
    >>> x, y = sympy.symbols("x y", real=True)
    >>> products(x * log(2 * abs(x * y)), (x, y))
    (x*log(2), x*log(Abs(x)), x*log(Abs(y)))
    >>> products(sympy.sqrt(abs(x * y)), (x, y))
    (sqrt(Abs(x))*sqrt(Abs(y)),)
    """
    opened: dict[Expr, Expr] = {}
    for node in expr.atoms(log, sympy.Pow):
        factors = _factors(node.args[0])
        if not node.has(*variables) or len(factors) == 1 or not all(a.is_nonnegative for a in factors):
            continue
        if isinstance(node, log):
            opened[node] = sympy.Add(*(log(a) for a in factors))
        else:
            opened[node] = sympy.Mul(*(a**node.exp for a in factors))
    apart = sympy.expand_multinomial(expr.xreplace(opened)) if opened else expr
    return tuple(sorted(sympy.Add.make_args(distributed(apart)), key=sympy.default_sort_key))


def mean_by_rules(expr: Expr, variables: Sequence[Symbol]) -> Expr | None:
    """E[expr] by the normal form of `rewriting`, or None."""
    try:
        return Expectation(len(variables)).of(normal_form(expr, variables))
    except (NotInNormalForm, NoClosedForm):
        return None


def mean_of_product(part: Expr, variables: Sequence[Symbol]) -> Expr | None:
    """E[part] for a product that is integrable, or None where a factor has no rule.

    Examples
    --------
    >>> x, y = sympy.symbols("x y", real=True)
    >>> mean_of_product(log(abs(x)) * sympy.sign(y - 1), (x, y)) is None
    False
    """
    value = S.One
    for factors in separate_factors(sympy.Mul.make_args(part), variables):
        factor = sympy.Mul(*factors)
        mean = mean_by_rules(factor, variables)
        if mean is None:
            mean = radial_mean(factor, variables)
        if mean is None:
            mean = _beside_radius(factor, variables)
        if mean is None:
            return None
        value *= mean
    return value


def _beside_radius(part: Expr, variables: Sequence[Symbol]) -> Expr | None:
    total = S.Zero
    for coefficient, function in beside_radius(part, variables) or [(S.One, None)]:
        mean = None if function is None else mean_of_product(function, variables)
        if mean is None:
            return None
        total += coefficient * mean
    return total


def _factors(expr: Expr) -> list[Expr]:
    """The factors of a product, |a b| being one of two."""
    if isinstance(expr, sympy.Abs) and expr.args[0].is_Mul:
        return [f for a in expr.args[0].args for f in _factors(sympy.Abs(a))]
    return [f for a in expr.args for f in _factors(a)] if expr.is_Mul else [expr]


def separate_factors(factors: Sequence[Expr], variables: Sequence[Symbol]) -> list[list[Expr]]:
    """Groups of factors without a common variable."""
    everything = set(variables)
    groups: list[tuple[set[Symbol], list[Expr]]] = []
    for factor in factors:
        own = factor.free_symbols & everything
        met = [g for g in groups if g[0] & own]
        groups = [g for g in groups if not g[0] & own]
        groups.append((own.union(*(g[0] for g in met)), [f for g in met for f in g[1]] + [factor]))
    return [members for _, members in groups]


def renamed(block: Expr, variables: Sequence[Symbol]) -> tuple[Expr, tuple[Symbol, ...]]:
    """A function with its variables called by the first names, in order: one for all that differ by names.

    Examples
    --------
    >>> z = sympy.symbols("z1:4", real=True)
    >>> renamed(z[0] * z[2] ** 2, z)
    (z1*z2**2, (z1, z2))
    """
    used = block.free_symbols
    own = [v for v in variables if v in used]
    names = tuple(variables[: len(own)])
    return block.xreplace(dict(zip(own, names, strict=True))), names
