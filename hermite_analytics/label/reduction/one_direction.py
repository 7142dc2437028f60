"""Labels that see their coordinates through one linear form only: one of z1 alone that has the same law.

Networks whose first layer is isotropic see of sign(z1 + 2*z2) what they see of sign(z1).
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

import sympy
from sympy import Expr, Symbol

from hermite_analytics.language.affine import linear_part
from hermite_analytics.symbols import variable, xi
from hermite_analytics.target import Target

__all__ = ["one_direction"]


@functools.lru_cache(maxsize=64)
def one_direction(target: Target) -> Target:
    """The label h(|a| z1) of a target h(a.z) of several coordinates, read off its terms; else the target.

    Examples
    --------
    >>> one_direction(Target("sign(3*z1 + 4*z2 - 5/2) + xi/2")).text
    'xi/2 + sign(5*z1 - 5/2)'
    >>> one_direction(Target("sign(z1)*z2")).text
    'sign(z1)*z2'
    """
    variables = tuple(variable(j + 1) for j in range(target.dimension))
    if len(variables) < 2:
        return target
    forms: list[tuple[Expr, ...]] = []
    _collect(target.noiseless, variables, forms)
    first = next((form for form in forms if any(form)), None)
    if first is None:
        return target
    norm = sympy.sqrt(sympy.Add(*(x**2 for x in first)))  # z1 and -z1 have one law
    factors = {}
    for form in forms:
        factor = _ratio(form, first)
        if factor is None:
            return target
        factors[form] = factor
    image = _replaced(target.noiseless, variables, {form: x * norm for form, x in factors.items()})
    noise = sympy.sqrt(target.noise_variance) * xi
    return Target(image + noise)


def _form(expr: Expr, variables: Sequence[Symbol]) -> tuple[tuple[Expr, ...], Expr] | None:
    """(slopes, rest) of an affine function of the variables."""
    slopes = []
    for z in variables:
        found = linear_part(expr, z)
        if found is None:
            return None
        expr, slope = found
        slopes.append(slope)
    return tuple(slopes), expr


def _collect(expr: Expr, variables: Sequence[Symbol], forms: list[tuple[Expr, ...]]) -> None:
    """The slopes of the largest parts of an expression that are affine."""
    found = _form(expr, variables)
    if found is not None:
        if any(found[0]):
            forms.append(found[0])
        return
    for part in expr.args:
        _collect(part, variables, forms)


def _replaced(expr: Expr, variables: Sequence[Symbol], scales: dict[tuple[Expr, ...], Expr]) -> Expr:
    """These parts as functions of z1."""
    found = _form(expr, variables)
    if found is not None:
        return expr if not any(found[0]) else scales[found[0]] * variables[0] + found[1]
    return expr.func(*(_replaced(part, variables, scales) for part in expr.args))


def _ratio(form: Sequence[Expr], first: Sequence[Expr]) -> Expr | None:
    """The number x with form = x first."""
    place = next(j for j, value in enumerate(first) if value != 0)
    ratio = form[place] / first[place]
    gaps = (sympy.expand(a - ratio * b) for a, b in zip(form, first, strict=True))
    return ratio if all(gap == 0 for gap in gaps) else None
