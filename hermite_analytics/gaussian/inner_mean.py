"""One coordinate taken out by a closed form with the others as parameters: E[f] = E[E[f | the others]].

A function that jumps or bends along a curve has no rule of quadrature with an error bound; its mean over a
coordinate that crosses the curve once or twice is a smooth function of its crossings:
E[step(z1 - z2^2) | z2] = Phi(-z2^2), and E[step(1 - z1^2 - z2^2) | z2] = 2 Phi(sqrt(relu(1 - z2^2))) - 1.
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy
from sympy import Dummy, Expr, Symbol, sign, sqrt

from hermite_analytics.gaussian.distribution import distributed
from hermite_analytics.gaussian.node import GaussianExpectation
from hermite_analytics.language.functions import relu
from hermite_analytics.language.kinks import BREAKS, opened

__all__ = ["inner_mean", "is_rough"]


def inner_mean(integrand: Expr, variables: Sequence[Symbol]) -> tuple[Expr, tuple[Symbol, ...]] | None:
    """(the mean over one of the variables, the others); None where no closed form is found.

    Of several the one with the fewest kinks is taken; the first without any, if there is one.

    Examples
    --------
    >>> from hermite_analytics.language.functions import step
    >>> from hermite_analytics.symbols import variable
    >>> x, y = variable(1), variable(2)
    >>> inner_mean(step(x - y**2), (x, y))
    (Phi(-z2**2), (z2,))
    >>> inner_mean(step(x**3 + x - y**3 - y), (x, y)) is None
    True
    """
    used = [v for v in variables if integrand.has(v)]
    if len(used) < 2:
        return None
    ways = [(v, *_crossings(integrand, v)) for v in used]
    ways.sort(key=lambda way: sum(_kinks(root) for root in way[2].values()))
    found = []
    for v, crossed, crossings in ways:
        mean = GaussianExpectation(crossed, v).in_real_functions()
        if not mean.has(GaussianExpectation, v) and not _may_divide_by_zero(mean):
            others = tuple(w for w in used if w != v)
            found.append((distributed(_plain_roots(mean).xreplace(crossings)), others))
            if not _kinks(found[-1][0]):
                break
    return min(found, key=lambda pair: _kinks(pair[0]), default=None)


def _may_divide_by_zero(mean: Expr) -> bool:
    """Whether a denominator may vanish on an open set: the slope of v was relu(z2) z1, say."""
    bases = (p.base for p in mean.atoms(sympy.Pow) if p.exp.is_negative)
    plain = (
        b.replace(lambda e: isinstance(e, sympy.Abs) and e.args[0].is_polynomial(), lambda e: e.args[0])
        for b in bases
    )
    return any(b.has(*BREAKS) for b in plain)


def is_rough(mean: Expr) -> bool:
    """Whether it has roots of what vanishes on an open set, or functions of poles: no closed form is known.

    Examples
    --------
    >>> from hermite_analytics.language.functions import Phi
    >>> from hermite_analytics.symbols import variable
    >>> x = variable(1)
    >>> rough, plain = (sqrt(relu(1 - x**2)), Phi(1 / sympy.Abs(x))), (sqrt(x**2 + 1), 1 / sqrt(sympy.Abs(x)))
    >>> [is_rough(f) for f in (*rough, *plain)]
    [True, True, False, False]
    """
    roots = any(p.base.has(relu) and not p.exp.is_Integer for p in mean.atoms(sympy.Pow))
    inside = (p for f in mean.atoms(sympy.Function) for p in f.args[0].atoms(sympy.Pow))
    return roots or any(p.exp.is_negative and p.free_symbols for p in inside)


def _kinks(expr: Expr) -> int:
    return len(expr.atoms(*BREAKS))


def _crossings(integrand: Expr, v: Symbol) -> tuple[Expr, dict[Symbol, Expr]]:
    """(the integrand with its jumps at the roots of quadratics in v, which are letters; the letters).

    sign(a v^2 + b v + c) = 1 - sign(v - m + h) + sign(v - m - h) for a > 0 and roots m -+ h; where the
    discriminant is negative h is 0, and the two jumps cancel.
    """
    plain, signs = opened(integrand)
    letters: dict[Symbol, Expr] = {}
    written: dict[Symbol, Expr] = {}
    for letter, known in signs.items():
        argument = known.xreplace(written)
        found = _roots(argument, v)
        if argument.has(v) and argument.is_polynomial(v) and sympy.degree(argument, v) > 1 and found is None:
            return integrand, {}
        if found is None:
            written[letter] = sign(argument)
            continue
        direction, centre, distance = found
        half = Dummy("half", nonnegative=True)
        middle = Dummy("middle", real=True) if centre else centre
        letters |= {half: distance} | ({middle: centre} if centre else {})
        written[letter] = direction * (1 - sign(v - middle + half) + sign(v - middle - half))
    return (sympy.expand(plain.xreplace(written)), letters) if letters else (integrand, {})


def _roots(argument: Expr, v: Symbol) -> tuple[int, Expr, Expr] | None:
    """(sign of the leading coefficient, mean of the roots, half of their distance) of a quadratic in v."""
    if not argument.is_polynomial(v) or sympy.degree(argument, v) != 2:
        return None
    a, b, c = (argument.expand().coeff(v, k) for k in (2, 1, 0))
    direction = 1 if a.is_positive else -1 if a.is_negative else 0
    if not direction:
        return None
    return direction, -b / (2 * a), sqrt(relu(((b / (2 * a)) ** 2 - c / a).expand()))


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
