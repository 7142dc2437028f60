"""Coefficients and moments of the largest or smallest of independent variables, as integrals over one line.

For g = max(a_1 z_1 + b_1, .., a_m z_m + b_m, c) and S != 0, with the layers 1{g > t} of g,

    c_S = -int_c^inf prod_i E[He_{S_i}(z) 1{a_i z + b_i <= t}] dt,
    E[He_0 1{z <= u}] = Phi(u),     E[He_k 1{z <= u}] = -He_{k-1}(u) phi(u),

and the mirror image at u where a_i < 0. One factor phi(u_i) is the weight of the line. The mean of a power is
that of the density sum_i phi prod_{j != i} Phi, and of c at its atom.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

import sympy
from sympy import Dummy, Expr, Integer, S, Symbol

from hermite_analytics.evidence import Quantity
from hermite_analytics.gaussian.quantities import constant_quantity, enclosed_quantity, expected_quantity
from hermite_analytics.language.functions import He, Phi, phi, step

__all__ = ["extreme_coefficient", "extreme_power", "is_extreme_of_many", "is_extreme_of_separate"]

Index = tuple[int, ...]
Line = tuple[Expr, Expr]  # a, b of a z + b
_FEW = 3  # variables; of more the rules for closed forms go through many orthants
_MANY = 5  # variables; of more an orthant probability has no closed form
_U = Dummy("u", real=True)


def is_extreme_of_separate(function: Expr) -> bool:
    """Whether this is the max or min of a z_i + b of different coordinates, and perhaps of a number.

    Examples
    --------
    >>> z = sympy.symbols("z1:4", real=True)
    >>> functions = sympy.Max(z[0], 2 * z[1], z[2], 0), sympy.Max(z[0], z[0] + z[1])
    >>> [is_extreme_of_separate(f) for f in functions]
    [True, False]
    """
    return _lines(function) is not None


def is_extreme_of_many(function: Expr) -> bool:
    """The same, of so many that the rules for closed forms have none."""
    lines = _lines(function)
    return lines is not None and len(lines) > _MANY


def extreme_power(function: Expr, power: int, *, digits: int) -> Quantity:
    """E f^power of such a function.

    Examples
    --------
    >>> z = sympy.symbols("z1:4", real=True)
    >>> str(extreme_power(sympy.Max(*z), 2, digits=18).exact)
    'sqrt(3)/(2*pi) + 1'
    """
    side, forms, number = _largest(function, sorted(_separate(function), key=str))
    return _over_line(side**power * _mean(forms, number, power), len(forms), digits)


def extreme_coefficient(
    function: Expr, variables: tuple[Symbol, ...], index: Index, *, digits: int
) -> Quantity:
    """c_S of such a function of these variables.

    Examples
    --------
    >>> z = sympy.symbols("z1:3", real=True)
    >>> found = [extreme_coefficient(sympy.Max(*z), z, s, digits=18) for s in ((1, 0), (1, 1))]
    >>> [str(value.exact) for value in found]
    ['1/2', '-1/(2*sqrt(pi))']
    """
    side, forms, number = _largest(function, variables)
    if sum(index) == 1 and len(set(forms)) == 1 and number is None:  # all are the largest equally often
        return constant_quantity(side * forms[0][0] / len(forms))
    if not any(index):
        return _over_line(side * _mean(forms, number, 1), len(forms), digits)
    return _over_line(side * _integrand(forms, number, index), len(forms), digits)


def _over_line(integrand: Expr, count: int, digits: int) -> Quantity:
    if count <= _FEW:
        return expected_quantity(integrand, (_U,), digits=digits)
    return enclosed_quantity(integrand, (_U,), digits=digits)


def _largest(function: Expr, variables: Sequence[Symbol]) -> tuple[Expr, list[Line], Expr | None]:
    """(side, lines, number): the function is side times the largest of them; min(x) = -max(-x)."""
    lines = _separate(function)
    forms = [lines[v] for v in variables]
    number = next((a for a in function.args if a.is_number), None)
    if isinstance(function, sympy.Max):
        return S.One, forms, number
    return S.NegativeOne, [(-a, -b) for a, b in forms], None if number is None else -number


def _separate(function: Expr) -> dict[Symbol, Line]:
    lines = _lines(function)
    if lines is None:
        raise ValueError(f"{function} is no extreme of separate coordinates")
    return lines


@functools.lru_cache(maxsize=128)
def _lines(function: Expr) -> dict[Symbol, Line] | None:
    if not isinstance(function, sympy.Max | sympy.Min):
        return None
    found: dict[Symbol, Line] = {}
    numbers = 0
    for a in function.args:
        if a.is_number:
            numbers += 1
            continue
        names = a.free_symbols
        if len(names) != 1 or names & found.keys():
            return None
        [v] = names
        slope = a.diff(v) if a.is_polynomial(v) else None
        if slope is None or slope.has(v) or slope.is_positive is slope.is_negative:
            return None
        found[v] = (slope, a.subs(v, 0))
    return found if numbers < 2 else None


def _integrand(forms: list[Line], number: Expr | None, index: Index) -> Expr:
    """A function of u ~ N(0, 1) whose mean is c_S, S != 0."""
    first = next(i for i, k in enumerate(index) if k)
    t = forms[first][0] * _U + forms[first][1]
    factors = [-sympy.Abs(forms[first][0]), _weight(forms[first], index[first], _U)]
    for i, (form, k) in enumerate(zip(forms, index, strict=True)):
        if i == first:
            continue
        u = (t - form[1]) / form[0]
        factors.append(_below(form, u) if k == 0 else _weight(form, k, u) * phi(u))
    return sympy.Mul(*factors, _above(number, t))


def _mean(forms: list[Line], number: Expr | None, power: int) -> Expr:
    """A function of u ~ N(0, 1) whose mean is that of a power of the largest."""
    parts = []
    for i, (a, b) in enumerate(forms):
        t = a * _U + b
        others = (_below(form, (t - form[1]) / form[0]) for j, form in enumerate(forms) if j != i)
        parts.append(t**power * sympy.Mul(*others) * _above(number, t))
    if number is not None:
        below = sympy.Mul(*(_below(form, (number - form[1]) / form[0]) for form in forms))
        parts.append(number**power * below)
    return sympy.Add(*parts)


def _weight(form: Line, k: int, u: Expr) -> Expr:
    """E[He_k(z) 1{a z + b <= t}] / phi(u), u = (t - b)/a, k >= 1."""
    value = He(Integer(k - 1), u)
    return -value if form[0].is_positive else value


def _below(form: Line, u: Expr) -> Expr:
    """P(a z + b <= t)."""
    return Phi(u) if form[0].is_positive else Phi(-u)


def _above(number: Expr | None, t: Expr) -> Expr:
    return S.One if number is None else step(t - number)
