"""E sigma(u) sigma(v) of a function of pieces, u and v standard normals of correlation rho.

Each piece is a polynomial times an exponential right of a threshold:

    sigma(z) = sum_i Q_i(z) exp(l_i z) 1(z > h_i).

A tilt takes the exponentials away, and integration by parts lowers the powers until three functions are left:
P(u > h, v > k), phi(h) P(v > k | u = h) and sqrt(1 - rho^2) bell2(h, k), all regular up to rho = +-1.
"""

from __future__ import annotations

import functools
import itertools
from dataclasses import dataclass

import sympy
from sympy import Expr, S, Symbol, exp, pi, sqrt

from hermite_analytics.gaussian.reals import NoClosedForm, sign_of
from hermite_analytics.gaussian.rewriting import normal_form
from hermite_analytics.gaussian.terms import Atom, NotInNormalForm, Term
from hermite_analytics.language.functions import Phi, Phi2, PhiGiven, bell2, phi

__all__ = ["HalfLine", "pair_moment", "pieces_of", "piecewise_pair"]

_ROOT = sympy.Dummy("root", positive=True)  # sqrt(1 - rho^2), to be written without the cancellation
_MOST_PIECES = 12
_HIGHEST_DEGREE = 12  # beyond it the powers lose digits


@dataclass(frozen=True, slots=True)
class HalfLine:
    """sum_m polynomial[m] z^m exp(tilt z) for z > threshold; minus infinity if there is none."""

    polynomial: tuple[Expr, ...]
    tilt: Expr
    threshold: Expr


def piecewise_pair(sigma: Expr, z: Symbol, rho: Expr) -> Expr | None:
    """E sigma(u) sigma(v), or None where sigma is not of such pieces.

    Parameters
    ----------
    sigma : sympy expression in z
    z : Symbol
    rho : sympy expression
        The correlation, in [-1, 1].

    Examples
    --------
    >>> from hermite_analytics.language.functions import step
    >>> from hermite_analytics.symbols import z
    >>> r = Symbol("rho", real=True)
    >>> piecewise_pair(step(z - 1), z, r)
    Phi2(-1, -1, rho)
    >>> piecewise_pair(sympy.tanh(z), z, r) is None
    True
    """
    pieces = pieces_of(sigma, z)
    if pieces is None:
        return None
    terms: dict[Expr, Expr] = {}
    for a, b in itertools.product(pieces, repeat=2):
        for function, coefficient in _pair(a, b, rho).items():
            terms[function] = terms.get(function, S.Zero) + coefficient
    return sympy.Add(*(_shorter(c) * f for f, c in terms.items())).subs(_ROOT, sqrt((1 - rho) * (1 + rho)))


def pieces_of(sigma: Expr, z: Symbol) -> list[HalfLine] | None:
    """The pieces that add up to sigma, equal thresholds and tilts put together; None where it has others."""
    try:
        parts = [p for term in normal_form(sigma, [z]) for p in _pieces_of_term(term)]
    except (NotInNormalForm, NoClosedForm):
        return None
    sums: dict[tuple[Expr, Expr], list[HalfLine]] = {}
    for part in parts:
        sums.setdefault((part.tilt, part.threshold), []).append(part)
    merged = [HalfLine(_sum([p.polynomial for p in group]), *key) for key, group in sums.items()]
    kept = [p for p in merged if any(p.polynomial)]
    small = all(len(p.polynomial) <= _HIGHEST_DEGREE + 1 for p in kept) and len(kept) <= _MOST_PIECES
    return kept if small else None


def _sum(polynomials: list[tuple[Expr, ...]]) -> tuple[Expr, ...]:
    columns = itertools.zip_longest(*polynomials, fillvalue=S.Zero)
    return tuple(sympy.expand(sympy.Add(*column)) for column in columns)


def _pieces_of_term(term: Term) -> list[HalfLine]:
    if term.oscillates or any(m != (1,) for m in term.exponent) or any(a.kind != "step" for a in term.atoms):
        raise NotInNormalForm("a wave, a Gaussian or an error function")
    size = max(m[0] for m in term.poly)
    polynomial = tuple(term.poly.get((m,), S.Zero) for m in range(size + 1))
    low, high = _interval(term.atoms)
    tilt = term.exponent.get((1,), S.Zero)
    if high is S.Infinity:
        return [HalfLine(polynomial, tilt, low)]
    if low is not S.NegativeInfinity and _sign(high - low) <= 0:
        return []
    return [HalfLine(polynomial, tilt, low), HalfLine(tuple(-a for a in polynomial), tilt, high)]


def _interval(steps: tuple[Atom, ...]) -> tuple[Expr, Expr]:
    """(low, high) between which all steps are 1."""
    low, high = S.NegativeInfinity, S.Infinity
    for step in steps:
        (slope,) = step.form.slope
        place = -step.form.offset / slope
        if _sign(slope) > 0:
            low = place if low is S.NegativeInfinity or _sign(place - low) > 0 else low
        else:
            high = place if high is S.Infinity or _sign(high - place) > 0 else high
    return low, high


def _sign(expr: Expr) -> int:
    side = sign_of(expr)
    if side is None:
        raise NoClosedForm("thresholds whose order is not known")
    return int(side)


def _pair(a: HalfLine, b: HalfLine, rho: Expr) -> dict[Expr, Expr]:
    """E a(u) b(v) as coefficients of functions."""
    left, right = a.tilt + rho * b.tilt, b.tilt + rho * a.tilt
    weight = exp((a.tilt**2 + 2 * rho * a.tilt * b.tilt + b.tilt**2) / 2)
    h, k = sympy.expand(a.threshold - left), sympy.expand(b.threshold - right)
    found: dict[Expr, Expr] = {}
    products = itertools.product(
        enumerate(_moved(a.polynomial, left)), enumerate(_moved(b.polynomial, right))
    )
    for (m, x), (n, y) in products:
        if x != 0 and y != 0:
            for function, coefficient in pair_moment(m, n, h, k, rho).items():
                key = _density(a, b, rho) if isinstance(function, bell2) else weight * function
                found[key] = found.get(key, S.Zero) + x * y * coefficient
    return found


def _density(a: HalfLine, b: HalfLine, rho: Expr) -> Expr:
    """The tilted bell, at the thresholds before the tilt."""
    bell = bell2(a.threshold, b.threshold, rho)
    return exp(a.tilt * a.threshold + b.tilt * b.threshold) * bell


def _moved(polynomial: tuple[Expr, ...], shift: Expr) -> list[Expr]:
    """The coefficients of Q(z + shift)."""
    if shift == 0:
        return list(polynomial)
    z = sympy.Dummy()
    moved = sympy.Poly(sympy.Add(*(a * (z + shift) ** m for m, a in enumerate(polynomial))), z)
    return list(reversed(moved.all_coeffs()))


@functools.lru_cache(maxsize=1024)
def pair_moment(m: int, n: int, h: Expr, k: Expr, rho: Expr) -> dict[Expr, Expr]:
    """E u^m v^n 1(u > h) 1(v > k) as coefficients, polynomials in rho and the root, of functions.

    E u g(u, v) = E dg/du + rho E dg/dv gives the powers of u, and with u and v exchanged those of v.
    """
    if m == 0 and n > 0:
        return pair_moment(n, 0, k, h, rho)
    if m == 0:
        return {_probability(h, k, rho): S.One}
    parts = [(rho * n, pair_moment(m - 1, n - 1, h, k, rho))] if n else []
    if m > 1:
        parts.append((sympy.Integer(m - 1), pair_moment(m - 2, n, h, k, rho)))
    if h is not S.NegativeInfinity:
        parts.append((h ** (m - 1), _edge(n, h, k, rho)))
    if k is not S.NegativeInfinity:
        parts.append((rho * k**n, _edge(m - 1, k, h, rho)))
    return _combined(parts)


@functools.lru_cache(maxsize=1024)
def _edge(n: int, h: Expr, k: Expr, rho: Expr) -> dict[Expr, Expr]:
    """phi(h) E[v^n 1(v > k) | u = h]: the moments of a normal of mean rho h and variance 1 - rho^2."""
    if n == 0:
        share = S.One if k is S.NegativeInfinity else PhiGiven(-k, -h, rho)
        return _terms(sympy.expand(phi(h) * share))
    parts = [(rho * h, _edge(n - 1, h, k, rho))]
    if n > 1:
        parts.append(((n - 1) * (1 - rho**2), _edge(n - 2, h, k, rho)))
    if k is not S.NegativeInfinity:
        parts.append((k ** (n - 1) * _ROOT / (2 * pi), {bell2(h, k, rho): S.One}))
    return _combined(parts)


def _terms(expr: Expr) -> dict[Expr, Expr]:
    """The terms of a sum: numbers are coefficients of what they multiply."""
    split = (t.as_coeff_Mul() for t in sympy.Add.make_args(expr))
    return {function: coefficient for coefficient, function in split}


def _probability(h: Expr, k: Expr, rho: Expr) -> Expr:
    """P(u > h, v > k)."""
    if h is S.NegativeInfinity or k is S.NegativeInfinity:
        return Phi(-k) if h is S.NegativeInfinity else Phi(-h)
    return Phi2(*sorted((-h, -k), key=sympy.default_sort_key), rho)


def _combined(parts: list[tuple[Expr, dict[Expr, Expr]]]) -> dict[Expr, Expr]:
    total: dict[Expr, list[Expr]] = {}
    for factor, terms in parts:
        for function, coefficient in terms.items():
            total.setdefault(function, []).append(factor * coefficient)
    return {f: sympy.Add(*c) for f, c in total.items() if sympy.Add(*c) != 0}


def _shorter(coefficient: Expr) -> Expr:
    expanded = sympy.expand(coefficient)
    return min(expanded, sympy.factor_terms(expanded), key=sympy.count_ops)
