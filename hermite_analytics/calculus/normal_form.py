"""The normal form of an integrand in one Gaussian variable z.

An integrand is a sum of terms

    poly(z) * exp(-P z^2/2 + a z) * cos(w z + b) * prod_i A_i(s_i z + t_i),   A_i in {step, Phi},

whose letters are free of z. Everything else of the language is rewritten (sign, abs, relu, max, erf,
gelu, sin, ...) or refused with `NotInNormalForm`.

Source: theory of the library, docs/theory.md, "Normal form".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import sympy
from sympy import Expr, S, Symbol, pi, sqrt

from hermite_analytics.language import functions as own

__all__ = ["Atom", "NotInNormalForm", "Term", "normal_form"]

MAX_TERMS = 2000
MAX_POWER = 400


class NotInNormalForm(Exception):
    """The integrand is outside the normal form; the message names the part that is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Atom:
    """step(slope z + offset) or Phi(slope z + offset)."""

    kind: str  # "step" or "Phi"
    slope: Expr
    offset: Expr


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """One product of the normal form; `poly` lists the coefficients of 1, z, z^2, ..."""

    poly: tuple[Expr, ...] = (S.One,)
    quadratic: Expr = S.Zero
    linear: Expr = S.Zero
    frequency: Expr = S.Zero
    phase: Expr = S.Zero
    atoms: tuple[Atom, ...] = ()

    @property
    def oscillates(self) -> bool:
        return self.frequency != 0


Terms = list[Term]
_CONSTANT = Term()


def normal_form(expr: Expr, z: Symbol) -> Terms:
    """Rewrite `expr` as a list of terms in z.

    Raises
    ------
    NotInNormalForm
        If some factor has no rewriting; the message names it.
    """
    return _rewrite(expr, z)


def _rewrite(expr: Expr, z: Symbol) -> Terms:
    if not expr.has(z):
        return [replace(_CONSTANT, poly=(expr,))]
    if expr == z:
        return [replace(_CONSTANT, poly=(S.Zero, S.One))]
    if expr.is_Add:
        return [term for a in expr.args for term in _rewrite(a, z)]
    if expr.is_Mul:
        terms = [_CONSTANT]
        for factor in expr.args:
            terms = _multiply(terms, _rewrite(factor, z))
        return terms
    if expr.is_Pow:
        return _power(expr.base, expr.exp, z)
    rule = _RULES.get(expr.func)
    if rule is None:
        raise NotInNormalForm(f"{expr.func.__name__} has no rewriting")
    return rule(expr, z)


def _power(base: Expr, exponent: Expr, z: Symbol) -> Terms:
    if not (exponent.is_Integer and exponent > 0):
        raise NotInNormalForm(f"the power {exponent} has no rewriting")
    if exponent > MAX_POWER:
        raise NotInNormalForm(f"a power above {MAX_POWER}")
    if isinstance(base, own.step):
        return _rewrite(base, z)
    if isinstance(base, sympy.Abs) and exponent.is_even:
        return _rewrite(base.args[0] ** exponent, z)
    if isinstance(base, sympy.sign) and exponent.is_even:
        return [_CONSTANT]  # sign^2 = 1 almost everywhere: its argument depends on z
    power = _rewrite(base, z)
    result, count = [_CONSTANT], int(exponent)
    while count:  # repeated squaring
        if count & 1:
            result = _multiply(result, power)
        count >>= 1
        if count:
            power = _multiply(power, power)
    return result


def _affine(expr: Expr, z: Symbol) -> tuple[Expr, Expr]:
    """(slope, offset) of an affine form of z."""
    slope = expr.diff(z) if expr != z else S.One
    if slope.has(z):
        raise NotInNormalForm(f"{expr} is not affine")
    return slope, expr.subs(z, 0)


def _step(argument: Expr, z: Symbol) -> Terms:
    slope, offset = _affine(argument, z)
    return [Term(atoms=(Atom(kind="step", slope=slope, offset=offset),))]


def _phi_atom(argument: Expr, z: Symbol) -> Terms:
    slope, offset = _affine(argument, z)
    return [Term(atoms=(Atom(kind="Phi", slope=slope, offset=offset),))]


def _scaled(terms: Terms, factor: Expr) -> Terms:
    return [replace(t, poly=tuple(factor * a for a in t.poly)) for t in terms]


def _sign(argument: Expr, z: Symbol) -> Terms:
    return [*_scaled(_step(argument, z), sympy.Integer(2)), Term(poly=(S.NegativeOne,))]


def _times(argument: Expr, terms: Terms, z: Symbol) -> Terms:
    return _multiply(_rewrite(argument, z), terms)


def _exponential(argument: Expr, z: Symbol) -> Terms:
    try:
        poly = sympy.Poly(argument, z)
    except sympy.PolynomialError as error:
        raise NotInNormalForm("exp of a function that is not a polynomial") from error
    if poly.degree() > 2 or any(a.has(z) for a in poly.all_coeffs()):
        raise NotInNormalForm("exp of a polynomial of degree above 2")
    constant, linear, quadratic = (poly.coeff_monomial(z**k) for k in range(3))
    return [Term(poly=(sympy.exp(constant),), linear=linear, quadratic=-2 * quadratic)]


def _wave(argument: Expr, z: Symbol, phase: Expr) -> Terms:
    frequency, offset = _affine(argument, z)
    return [Term(frequency=frequency, phase=offset + phase)]


def _maximum(expr: Expr, z: Symbol) -> Terms:
    arguments = list(expr.args)
    if len(arguments) > 2:
        rest = expr.func(*arguments[1:])
        raise NotInNormalForm(f"{expr.func.__name__} of more than two forms ({rest})")
    a, b = arguments
    first, second = (a, b) if isinstance(expr, sympy.Max) else (-a, -b)
    positive = _times(first - second, _step(first - second, z), z)
    result = [*_rewrite(second, z), *positive]
    return result if isinstance(expr, sympy.Max) else _scaled(result, S.NegativeOne)


def _leaky(expr: Expr, z: Symbol) -> Terms:
    x, slope = expr.args
    return [*_scaled(_rewrite(x, z), slope), *_scaled(_times(x, _step(x, z), z), 1 - slope)]


_Rule = Callable[[Expr, Symbol], Terms]
_SQRT2 = sqrt(2)
_RULES: dict[type, _Rule] = {
    own.step: lambda e, z: _step(e.args[0], z),
    sympy.sign: lambda e, z: _sign(e.args[0], z),
    sympy.Abs: lambda e, z: _times(e.args[0], _sign(e.args[0], z), z),
    own.relu: lambda e, z: _times(e.args[0], _step(e.args[0], z), z),
    own.leaky_relu: _leaky,
    sympy.Max: _maximum,
    sympy.Min: _maximum,
    own.Phi: lambda e, z: _phi_atom(e.args[0], z),
    own.gelu: lambda e, z: _times(e.args[0], _phi_atom(e.args[0], z), z),
    sympy.erf: lambda e, z: _rewrite(2 * own.Phi(_SQRT2 * e.args[0]) - 1, z),
    sympy.erfc: lambda e, z: _rewrite(2 * own.Phi(-_SQRT2 * e.args[0]), z),
    own.phi: lambda e, z: _scaled(_exponential(-(e.args[0] ** 2) / 2, z), 1 / sqrt(2 * pi)),
    sympy.exp: lambda e, z: _exponential(e.args[0], z),
    sympy.sinh: lambda e, z: _rewrite((sympy.exp(e.args[0]) - sympy.exp(-e.args[0])) / 2, z),
    sympy.cosh: lambda e, z: _rewrite((sympy.exp(e.args[0]) + sympy.exp(-e.args[0])) / 2, z),
    sympy.cos: lambda e, z: _wave(e.args[0], z, S.Zero),
    sympy.sin: lambda e, z: _wave(e.args[0], z, -pi / 2),
    own.He: lambda e, z: _rewrite_hermite(int(e.args[0]), e.args[1], z),
}


def _rewrite_hermite(degree: int, argument: Expr, z: Symbol) -> Terms:
    """He_k of an affine form or a polynomial, by the recurrence on its coefficient lists."""
    inner = _rewrite(argument, z)
    if any(t.atoms or t.oscillates or t.quadratic != 0 or t.linear != 0 for t in inner):
        raise NotInNormalForm("He of a function that is not a polynomial")
    x = _add_polys(*(t.poly for t in inner))
    low: tuple[Expr, ...] = (S.One,)
    high = x
    for j in range(1, degree):
        low, high = high, _add_polys(_multiply_polys(x, high), tuple(-j * a for a in low))
    return [Term(poly=high if degree else low)]


def _add_polys(*polys: tuple[Expr, ...]) -> tuple[Expr, ...]:
    length = max(len(p) for p in polys)
    return tuple(sympy.Add(*(p[k] for p in polys if k < len(p))) for k in range(length))


def _multiply_polys(left: tuple[Expr, ...], right: tuple[Expr, ...]) -> tuple[Expr, ...]:
    sums: list[list[Expr]] = [[] for _ in range(len(left) + len(right) - 1)]
    for j, a in enumerate(left):
        if a == 0:
            continue
        for k, b in enumerate(right):
            if b != 0:
                sums[j + k].append(a * b)
    return tuple(sympy.Add(*s) for s in sums)


def _multiply(left: Terms, right: Terms) -> Terms:
    if len(left) * len(right) > MAX_TERMS:
        raise NotInNormalForm(f"more than {MAX_TERMS} terms")
    return _collect([term for a in left for b in right for term in _product(a, b)])


def _collect(terms: Terms) -> Terms:
    """Add the polynomials of terms that agree in everything else."""
    groups: dict[Term, list[tuple[Expr, ...]]] = {}
    for term in terms:
        groups.setdefault(replace(term, poly=()), []).append(term.poly)
    merged = [replace(key, poly=_add_polys(*polys)) for key, polys in groups.items()]
    return [t for t in merged if any(a != 0 for a in t.poly)]


def _product(a: Term, b: Term) -> Terms:
    atoms = _merge_atoms(a.atoms + b.atoms)
    if atoms is None:
        return []
    base = Term(
        poly=_multiply_polys(a.poly, b.poly),
        quadratic=a.quadratic + b.quadratic,
        linear=a.linear + b.linear,
        atoms=atoms,
    )
    if not (a.oscillates or b.oscillates):
        return [base]
    if not (a.oscillates and b.oscillates):
        wave = a if a.oscillates else b
        return [replace(base, frequency=wave.frequency, phase=wave.phase)]
    half = replace(base, poly=tuple(p / 2 for p in base.poly))
    results = []
    for sign in (1, -1):  # cos u cos v = (cos(u + v) + cos(u - v))/2
        frequency, phase = a.frequency + sign * b.frequency, a.phase + sign * b.phase
        if frequency == 0:
            results.append(replace(half, poly=tuple(p * sympy.cos(phase) for p in half.poly)))
        else:
            results.append(replace(half, frequency=frequency, phase=phase))
    return results


def _merge_atoms(atoms: tuple[Atom, ...]) -> tuple[Atom, ...] | None:
    """Combine steps on the line: step(z-s) step(z-t) = step(z-max(s,t)); None if the product is 0."""
    others = [a for a in atoms if a.kind != "step"]
    steps = [a for a in atoms if a.kind == "step"]
    kept: list[Atom] = []
    for atom in steps:
        for j, old in enumerate(kept):
            merged = _merge_steps(old, atom)
            if merged == "zero":
                return None
            if isinstance(merged, Atom):
                kept[j] = merged
                break
        else:
            kept.append(atom)
    return tuple(sorted((*kept, *others), key=lambda a: (a.kind, str(a.slope), str(a.offset))))


def _merge_steps(a: Atom, b: Atom) -> Atom | str | None:
    if a == b:
        return a
    up_a, up_b = a.slope.is_positive, b.slope.is_positive
    if up_a is None or up_b is None:
        return None
    gap = sympy.cancel(a.offset / a.slope - b.offset / b.slope)  # threshold of b minus threshold of a
    if up_a and up_b and gap.is_extended_real:
        if gap.is_nonnegative:
            return b
        return a if gap.is_nonpositive else None
    if not up_a and not up_b:
        if gap.is_nonnegative:
            return a
        return b if gap.is_nonpositive else None
    # one opens to the right of its threshold, the other to the left
    right, left = (a, b) if up_a else (b, a)
    distance = sympy.cancel(right.offset / right.slope - left.offset / left.slope)
    return "zero" if distance.is_nonpositive else None
