"""Closed forms of E[term] over one N(0, 1) variable: one recursion, small rules at its end.

    weight     exp(-P z^2/2 + a z)         -> a shifted, scaled Gaussian                 (R3, G9)
    stein      E[z^n g] = (n-1) E[z^(n-2) g] + E[z^(n-1) g'],   d step = delta, d Phi = phi (R7, G6)
    terminals  products of at most two steps or Phi's                           (G1, G4, G12, G13, G16)

Rule names are those of docs/theory.md, "Catalogue". Every function states its condition; where no
rule applies the recursion raises `NoClosedForm` and the expectation stays unevaluated.
"""

from __future__ import annotations

import sympy
from sympy import Expr, Integer, S, pi, sqrt

from hermite_analytics.calculus.normal_form import Atom, Term
from hermite_analytics.language.functions import OwenT, Phi, Phi2, phi, step

__all__ = ["NoClosedForm", "expect_term", "is_infinite"]


class NoClosedForm(Exception):
    """No rule covers this term; the message says which part."""


def is_infinite(term: Term) -> bool:
    """Whether the weight alone makes E|term| infinite: 1 + P <= 0 without atoms to cut it off."""
    width = 1 + term.quadratic
    return bool(width.is_nonpositive) and not term.atoms


def expect_term(term: Term) -> Expr:
    """E[term] for z ~ N(0, 1).

    Raises
    ------
    NoClosedForm
        If the term oscillates and carries a step or Phi, has more than two of those, or its weight is
        not shown to be integrable.
    """
    if term.oscillates and term.atoms:
        raise NoClosedForm("a sine or cosine times a step or Phi")
    width = 1 + term.quadratic
    if width.is_positive is not True:
        raise NoClosedForm("a Gaussian weight whose integrability is not shown")
    if term.oscillates:
        return _oscillating(term, width)
    if term.quadratic == 0 and term.linear == 0:
        return _stein(term.poly, term.atoms)
    return _weighted(term, width)


def _root(x: Expr) -> Expr:
    """sqrt of a positive rational function, numerator and denominator apart."""
    numerator, denominator = sympy.fraction(sympy.cancel(x))
    return sqrt(numerator) / sqrt(denominator)


def _moved(atom: Atom, mean: Expr, scale: Expr) -> Atom:
    """The atom as a function of y, z = mean + scale y."""
    return Atom(
        kind=atom.kind, slope=atom.slope * scale, offset=sympy.cancel(atom.offset + atom.slope * mean)
    )


def _moment(n: int) -> Integer:
    """E z^n."""
    return S.Zero if n % 2 else sympy.factorial2(n - 1)


def _weighted(term: Term, width: Expr) -> Expr:
    """R3: E[g(z) e^{-P z^2/2 + a z}] = (1+P)^{-1/2} e^{a^2/(2(1+P))} E[g(mean + z/sqrt(1+P))]."""
    mean, scale = sympy.cancel(term.linear / width), 1 / _root(width)
    factor = scale * sympy.exp(sympy.cancel(term.linear**2 / (2 * width)))
    atoms = tuple(_moved(a, mean, scale) for a in term.atoms)
    return factor * _stein(_shift(term.poly, mean, scale), atoms)


def _shift(poly: tuple[Expr, ...], mean: Expr, scale: Expr) -> tuple[Expr, ...]:
    """Coefficients in y of poly(mean + scale y)."""
    n = len(poly)
    sums: list[list[Expr]] = [[] for _ in range(n)]
    for k, a in enumerate(poly):
        if a == 0:
            continue
        for j in range(k + 1):
            if j == k or mean != 0:
                sums[j].append(a * sympy.binomial(k, j) * mean ** (k - j) * scale**j)
    return tuple(sympy.Add(*s) for s in sums)


def _oscillating(term: Term, width: Expr) -> Expr:
    """G8, G9 with a complex linear part a + i w: the real part, kept as a pair (re, im)."""
    a, w = term.linear, term.frequency
    factor = sympy.exp(sympy.cancel((a**2 - w**2) / (2 * width))) / _root(width)
    mean = (a / width, w / width)
    powers = [(S.One, S.Zero)]
    for _ in range(len(term.poly) - 1):
        re, im = powers[-1]
        powers.append((re * mean[0] - im * mean[1], re * mean[1] + im * mean[0]))
    real, imaginary = S.Zero, S.Zero
    for k, coefficient in enumerate(term.poly):
        for j in range(0, k + 1, 2):  # E (mean + y/sqrt(1+P))^k
            weight = coefficient * sympy.binomial(k, j) * _moment(j) / width ** (j // 2)
            real += weight * powers[k - j][0]
            imaginary += weight * powers[k - j][1]
    angle = term.phase + a * w / width
    return factor * (real * sympy.cos(angle) - imaginary * sympy.sin(angle))


def _stein(poly: tuple[Expr, ...], atoms: tuple[Atom, ...]) -> Expr:
    """E[poly(z) prod atoms] by R7, from the highest power down."""
    if not atoms:
        return sympy.Add(*(a * _moment(k) for k, a in enumerate(poly) if a != 0 and k % 2 == 0))
    values: list[Expr] = []  # E[z^n prod atoms]
    for n in range(len(poly)):
        if n == 0:
            values.append(_terminal(atoms))
            continue
        boundary = _derivative(n - 1, atoms)
        values.append(boundary + ((n - 1) * values[n - 2] if n >= 2 else S.Zero))
    return sympy.Add(*(a * v for a, v in zip(poly, values, strict=True) if a != 0))


def _derivative(power: int, atoms: tuple[Atom, ...]) -> Expr:
    """E[z^power d/dz prod atoms]: each atom in turn is replaced by its density."""
    total = S.Zero
    for j, atom in enumerate(atoms):
        rest = atoms[:j] + atoms[j + 1 :]
        if atom.slope == 0:
            continue
        if atom.kind == "Phi":
            monomial = (*(S.Zero,) * power, atom.slope * sympy.exp(-(atom.offset**2) / 2) / sqrt(2 * pi))
            gaussian = Term(
                poly=monomial, quadratic=atom.slope**2, linear=-atom.slope * atom.offset, atoms=rest
            )
            total += _density(gaussian, atom)
        else:
            threshold = -atom.offset / atom.slope
            total += _direction(atom) * threshold**power * phi(threshold) * _at(rest, threshold)
    return total


def _density(term: Term, atom: Atom) -> Expr:
    """E[z^n a phi(a z + b) rest]: the weight a phi(az+b) phi(z) = (a/A) phi(b/A) x a Gaussian (G5)."""
    width = 1 + atom.slope**2
    mean, scale = -atom.slope * atom.offset / width, 1 / _root(width)
    atoms = tuple(_moved(a, mean, scale) for a in term.atoms)
    n = len(term.poly) - 1
    monomial = (*(S.Zero,) * n, S.One)
    factor = atom.slope * scale * phi(atom.offset * scale)
    return factor * _stein(_shift(monomial, mean, scale), atoms)


def _direction(atom: Atom) -> Expr:
    return sympy.sign(atom.slope)


def _at(atoms: tuple[Atom, ...], point: Expr) -> Expr:
    """The product of the atoms at z = point."""
    values = [(step if a.kind == "step" else Phi)(sympy.cancel(a.slope * point + a.offset)) for a in atoms]
    return sympy.Mul(*values)


def _threshold_probability(atom: Atom) -> Expr:
    """G1, G4 at order 0: P(atom), as Phi of the standardised offset."""
    scale = sympy.Abs(atom.slope) if atom.kind == "step" else _root(1 + atom.slope**2)
    return Phi(atom.offset / scale)


def _terminal(atoms: tuple[Atom, ...]) -> Expr:
    """E[prod atoms]: orthant probabilities in one or two dimensions."""
    if len(atoms) == 1:
        return _threshold_probability(atoms[0])
    if len(atoms) == 2:
        return _pair(*atoms)
    if all(a == atoms[0] for a in atoms) and atoms[0] == Atom(kind="Phi", slope=S.One, offset=S.Zero):
        return Integer(1) / (len(atoms) + 1)  # G18: Phi(z) is uniform
    raise NoClosedForm(f"a product of {len(atoms)} steps or Phi's")


def _pair(a: Atom, b: Atom) -> Expr:
    if a.kind == "Phi" and a == b:
        h = a.offset / _root(1 + a.slope**2)
        return Phi(h) - 2 * OwenT(h, 1 / _root(1 + 2 * a.slope**2))  # G13
    if a.kind == b.kind == "step":
        return _interval(a, b)
    scales = [sympy.Abs(x.slope) if x.kind == "step" else _root(1 + x.slope**2) for x in (a, b)]
    thresholds = [x.offset / s for x, s in zip((a, b), scales, strict=True)]
    correlation = a.slope * b.slope / (scales[0] * scales[1])
    return Phi2(thresholds[0], thresholds[1], correlation)  # G12, G16: P(lifted forms positive)


def _interval(a: Atom, b: Atom) -> Expr:
    """P of an interval, where the order of its ends is known (merged steps never reach here)."""
    up_a, up_b = a.slope.is_positive, b.slope.is_positive
    if up_a is None or up_b is None or up_a == up_b:
        raise NoClosedForm("two steps whose order is not known")
    right, left = (a, b) if up_a else (b, a)
    low, high = -right.offset / right.slope, -left.offset / left.slope
    gap = sympy.cancel(high - low)
    if gap.is_positive is not True:
        raise NoClosedForm("two steps whose order is not known")
    return Phi(high) - Phi(low)
