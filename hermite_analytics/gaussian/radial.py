"""Means of monomials, or other homogeneous functions, times powers and logarithms of a radius.

For r^2 = z_1^2 + ... + z_k^2 the direction z/r is independent of r, so that with M = m_1 + ... + m_k

    E[z^m r^(2s)] = E[z^m] E[r^(M + 2s)]/E[r^M] = E[z^m] 2^s Gamma((k + M)/2 + s)/Gamma((k + M)/2),

and each derivative by s is one more factor log r^2. The absolute value of a linear form is the radius of one
coordinate, k = 1, once the polynomial beside it is averaged over what is orthogonal to the form. Any function
that is homogeneous of degree M in these coordinates may stand in place of the monomial.

Source: docs/theory.md, the catalogue.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import sympy
from sympy import Expr, Poly, S, Symbol, gamma, log

from hermite_analytics.gaussian.distribution import distributed
from hermite_analytics.gaussian.homogeneity import homogeneous_degree
from hermite_analytics.language import functions as own

__all__ = ["beside_radius", "radial_mean"]

_MOST_DEGREE = 60
_MOST_LOGARITHMS = 8
_MOST_TERMS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class _Radius:
    """scale * r^2 to a power: the r of several coordinates (`form` None), or of one linear form.

    `form` is the unit vector of the form as its pairs (variable, entry).
    """

    variables: tuple[Symbol, ...]
    form: tuple[tuple[Symbol, Expr], ...] | None
    scale: Expr
    power: Expr

    @property
    def direction(self) -> tuple[object, ...]:
        return (self.variables, self.form)

    @property
    def dimension(self) -> int:
        return len(self.variables) if self.form is None else 1


def radial_mean(part: Expr, variables: Sequence[Symbol]) -> Expr | None:
    """E[part] for a polynomial times powers and logarithms of one radius; None for others.

    Parameters
    ----------
    part : sympy expression
        A product, integrable.
    variables : sequence of symbols
        Independent N(0, 1).

    Examples
    --------
    >>> x, y = sympy.symbols("x y", real=True)
    >>> radial_mean(x**2 * sympy.sqrt(x**2 + y**2), (x, y))
    3*sqrt(2)*sqrt(pi)/4
    >>> radial_mean(log(abs(x)), (x,))
    -log(2)/2 - EulerGamma/2
    """
    power, factor, rest = S.Zero, S.One, []
    logarithms = Poly(1, _LOG)
    radii: list[_Radius] = []
    for a in sympy.Mul.make_args(part):
        base, exponent = a.as_base_exp()
        is_logarithm = isinstance(base, log)
        found = _radius(base.args[0] if is_logarithm else a, variables, in_logarithm=is_logarithm)
        if found is None:
            rest.append(a.replace(own.He, lambda k, x: own.hermite_polynomial(int(k), x)))
            continue
        radii.append(found)
        if not is_logarithm:
            power, factor = power + found.power, factor * found.scale**found.power
        elif exponent.is_Integer and exponent > 0:
            value = found.power * (log(found.scale) + _LOG)
            logarithms *= Poly(value**exponent, _LOG)
        else:
            return None
    polynomial = sympy.Mul(*rest)
    if len({r.direction for r in radii}) != 1 or logarithms.degree() > _MOST_LOGARITHMS:
        return None
    if not polynomial.is_polynomial(*variables):
        return None
    poly = Poly(polynomial, *variables)
    if poly.total_degree() > _MOST_DEGREE:
        return None
    total = _mean(_projected(poly, radii[0]), radii[0], power, logarithms)
    return None if total is None else factor * total


_LOG = Symbol("log_r2", real=True)


def beside_radius(part: Expr, variables: Sequence[Symbol]) -> list[tuple[Expr, Expr]] | None:
    """[(c, g), ...] with E[part] = sum c E[g], for g that are homogeneous in the coordinates of the radius.

    Parameters
    ----------
    part : sympy expression
        A product, integrable, in which a power of a radius of two coordinates or more is a factor.
    variables : sequence of symbols
        Independent N(0, 1).

    Examples
    --------
    >>> x, y = sympy.symbols("x y", real=True)
    >>> beside_radius(abs(x) * sympy.sqrt(x**2 + y**2), (x, y))  # E|x| E r^2/E r
    [(2*sqrt(2)/sqrt(pi), Abs(x))]
    """
    factors = sympy.Mul.make_args(part)
    read = ((a, _radius(a, variables, in_logarithm=False)) for a in factors)
    radii = {a: radius for a, radius in read if radius is not None and radius.form is None}
    if len({radius.direction for radius in radii.values()}) != 1:
        return None
    rest = sympy.Mul(*(a for a in factors if a not in radii)).replace(
        own.He, lambda k, x: own.hermite_polynomial(int(k), x)
    )
    terms = sympy.Add.make_args(distributed(rest))
    if len(terms) > _MOST_TERMS:
        return None
    block = next(iter(radii.values())).variables
    power = sympy.Add(*(radius.power for radius in radii.values()))
    scale = sympy.Mul(*(radius.scale**radius.power for radius in radii.values()))
    ratios = [_ratio(term, variables, block, power) for term in terms]
    found = [(scale * ratio, term) for ratio, term in zip(ratios, terms, strict=True) if ratio is not None]
    return found if len(found) == len(terms) else None


def _ratio(term: Expr, variables: Sequence[Symbol], block: Sequence[Symbol], power: Expr) -> Expr | None:
    """E[g r^(2s)]/E[g] of one term g; None where it is not homogeneous, or one of the means is infinite."""
    rows = [[S.One if v == u else S.Zero for v in variables] for u in block]
    degree = homogeneous_degree(term, tuple(variables), rows)
    if degree is None or not degree.is_Rational:
        return None
    half = (len(block) + degree) / 2
    if not (half.is_positive and (half + power).is_positive):
        return None
    return 2**power * sympy.expand_func(gamma(half + power) / gamma(half))


def _mean(poly: Poly, radius: _Radius, power: Expr, logarithms: Poly) -> Expr | None:
    """E[poly r^(2 power) logarithms(log r^2)]."""
    total = S.Zero
    for powers, coefficient in poly.terms():
        inside = sum(m for v, m in zip(poly.gens, powers, strict=True) if v in radius.variables)
        half = sympy.Rational(radius.dimension + inside, 2)
        if not (half + power).is_positive:
            return None
        if any(m % 2 for m in powers):
            continue
        moment = sympy.Mul(*(sympy.factorial2(m - 1) for m in powers))
        if logarithms.degree() > 0 and not (2 * power).is_Integer:
            return None
        ratio = 2**power * sympy.expand_func(gamma(half + power) / gamma(half))
        slopes = _slopes(half + power, int(logarithms.degree()))
        average = sum((c * slopes[j] for (j,), c in logarithms.terms()), S.Zero)
        total += coefficient * moment * ratio * average
    # without logarithms as it is; with them, what cancels among the terms cancels here
    return total if logarithms.degree() == 0 else sympy.expand(total)


def _slopes(at: Expr, most: int) -> list[Expr]:
    """(d/ds)^j of 2^s Gamma(at + s) at s = 0, over Gamma(at), for j = 0..most: moments by their cumulants."""
    cumulants = [(log(2) if j == 0 else S.Zero) + _polygamma(j, at) for j in range(most)]
    moments: list[Expr] = [S.One]
    for n in range(1, most + 1):
        terms = (math.comb(n - 1, j) * cumulants[j] * moments[n - 1 - j] for j in range(n))
        moments.append(sympy.expand(sympy.Add(*terms)))
    return moments


def _polygamma(order: int, at: Expr) -> Expr:
    """psi^(order)(at), twice `at` an integer, by the recurrence from 1/2 or 1."""
    start = at - (sympy.ceiling(at) - 1)
    sign = (-1) ** order * sympy.factorial(order)
    steps = sympy.Add(*(sign / (start + i) ** (order + 1) for i in range(int(at - start))))
    if order == 0:
        return -sympy.EulerGamma - (2 * log(2) if start == S.Half else S.Zero) + steps
    return -sign * (2 ** (order + 1) - 1 if start == S.Half else 1) * sympy.zeta(order + 1) + steps


def _projected(poly: Poly, radius: _Radius) -> Poly:
    """The polynomial averaged over what is orthogonal to a linear form, as one in the form's value.

    That value takes the place of the form's first variable; averaging is exp(L/2) at the point on the form's
    line, with L the Laplacian of the orthogonal complement.
    """
    if radius.form is None or len(radius.form) == 1:
        return poly
    total, term, order = poly.as_expr(), poly.as_expr(), 0
    while term != 0:
        order += 1
        term = sympy.expand(_laplacian(term, radius.form) / (2 * order))
        total += term
    stand = radius.variables[0]
    line = {v: a * _LOG for v, a in radius.form}
    return Poly(sympy.expand(total.xreplace(line)).xreplace({_LOG: stand}), *poly.gens)


def _laplacian(expr: Expr, form: tuple[tuple[Symbol, Expr], ...]) -> Expr:
    """Of the variables of the form, less the second derivative along it."""
    slopes = [(v, a, sympy.diff(expr, v)) for v, a in form]
    along = sympy.Add(*(a * d for _, a, d in slopes))
    own_part = sympy.Add(*(sympy.diff(d, v) for v, _, d in slopes))
    return own_part - sympy.Add(*(a * sympy.diff(along, v) for v, a in form))


def _radius(factor: Expr, variables: Sequence[Symbol], *, in_logarithm: bool) -> _Radius | None:
    """What `factor` is, where it is a power of a multiple of a radius."""
    base, exponent = factor.as_base_exp()
    used = tuple(v for v in variables if base.has(v))
    if not used or not exponent.is_Rational:
        return None
    if isinstance(base, sympy.Abs):
        return _of_form(base.args[0], used, exponent / 2)
    if not base.is_polynomial(*used):
        return None
    if not in_logarithm and exponent.is_Integer and exponent > 0:
        return None  # a part of the polynomial
    form = _of_form(base, used, exponent / 2) if exponent.is_even else None
    if form is not None:
        return form
    poly = Poly(base, *used)
    scale = poly.coeff_monomial(used[0] ** 2)
    if scale.free_symbols or not scale.is_positive:
        return None
    isotropic = sympy.expand(base - scale * sympy.Add(*(v**2 for v in used))) == 0
    return _Radius(variables=used, form=None, scale=scale, power=exponent) if isotropic else None


def _of_form(inner: Expr, used: tuple[Symbol, ...], power: Expr) -> _Radius | None:
    """|l|^(2 power) of a linear form without constant."""
    if not inner.is_polynomial(*used):
        return None
    poly = Poly(inner, *used)
    entries = [poly.coeff_monomial(v) for v in used]
    if poly.free_symbols_in_domain or poly.total_degree() != 1 or poly.coeff_monomial(1) != 0:
        return None
    square = sympy.expand(sympy.Add(*(a**2 for a in entries)))
    form = tuple((v, a / sympy.sqrt(square)) for v, a in zip(used, entries, strict=True))
    return _Radius(variables=used[:1], form=form, scale=square, power=power)
