"""One coordinate taken out by a closed form with the others as parameters: E[f] = E[E[f | the others]].

A function that jumps or bends along a curve has no rule of quadrature with an error bound; its mean over a
coordinate that crosses the curve once is analytic: E[step(z1 - z2^2) | z2] = Phi(-z2^2).
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy
from sympy import Expr, Symbol

from hermite_analytics.gaussian.node import GaussianExpectation
from hermite_analytics.language.kinks import BREAKS

__all__ = ["inner_mean"]


def inner_mean(integrand: Expr, variables: Sequence[Symbol]) -> tuple[Expr, tuple[Symbol, ...]] | None:
    """(the mean over one of the variables, the others); None where no closed form is found.

    Of several the one with the fewest kinks is taken.

    Examples
    --------
    >>> from hermite_analytics.language.functions import step
    >>> from hermite_analytics.symbols import variable
    >>> x, y = variable(1), variable(2)
    >>> inner_mean(step(x - y**2), (x, y))
    (Phi(-z2**2), (z2,))
    >>> inner_mean(step(1 - x**2 - y**2), (x, y)) is None
    True
    """
    used = [v for v in variables if integrand.has(v)]
    if len(used) < 2:
        return None
    found = []
    for v in used:
        mean = GaussianExpectation(integrand, v).in_real_functions()
        if not mean.has(GaussianExpectation, v):
            found.append((_plain_roots(mean), tuple(w for w in used if w != v)))
    return min(found, key=lambda pair: len(pair[0].atoms(*BREAKS)), default=None)


def _plain_roots(mean: Expr) -> Expr:
    """Roots of squares written out: sqrt(x^2 + 2 x + 1) is |x + 1|, a kink in place of a branch point."""

    def root(base: Expr, exponent: Expr) -> Expr:
        factor, parts = sympy.factor_list(base)
        if not factor.is_positive or any(power % 2 for _, power in parts):
            return base**exponent
        size = sympy.Mul(*(sympy.Abs(part) ** (power // 2) for part, power in parts))
        return factor**exponent * size ** (2 * exponent)

    def is_root(node: Expr) -> bool:
        return bool(node.is_Pow and node.exp.is_Rational and node.exp.q == 2 and node.base.is_polynomial())

    return mean.replace(is_root, lambda node: root(*node.args))
