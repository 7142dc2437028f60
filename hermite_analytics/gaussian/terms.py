"""Terms of the normal form of an integrand in Gaussian variables z_1, ..., z_n, and their products.

    poly(z) exp(e(z)) cos(w(z) + phase) prod_i A_i(l_i(z)),      A_i = step or Phi,

with quadratic polynomials e and w without constant, and affine forms l_i. All coefficients are free of z.

Source: docs/theory.md, "Normal form".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import sympy
from sympy import Expr, S

from hermite_analytics.foundation.clock import check_time
from hermite_analytics.gaussian.law import Form

__all__ = [
    "MAX_TERMS",
    "Atom",
    "NotInNormalForm",
    "Polynomial",
    "Term",
    "collected",
    "multiplied",
    "oscillating",
    "power",
]

MAX_TERMS = 2000

Monomial = tuple[int, ...]
Polynomial = Mapping[Monomial, Expr]


class NotInNormalForm(Exception):
    """The integrand is outside the normal form; the message names the part that is."""


@dataclass(frozen=True, slots=True)
class Atom:
    """step(form) or Phi(form)."""

    kind: str
    form: Form


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """One product of the normal form; polynomials map exponents to coefficients."""

    poly: Polynomial
    exponent: Polynomial = field(default_factory=dict)
    wave: Polynomial = field(default_factory=dict)
    phase: Expr = S.Zero
    oscillates: bool = False
    atoms: tuple[Atom, ...] = ()

    @property
    def frame(self) -> tuple[object, ...]:
        """Everything but the polynomial, to compare terms by."""
        return (
            tuple(sorted(self.exponent.items())),
            tuple(sorted(self.wave.items())),
            self.phase,
            self.oscillates,
            frozenset(Counter(self.atoms).items()),
        )

    @property
    def axes(self) -> tuple[int, ...]:
        """The variables that occur in it."""
        powers = (m for polynomial in (self.poly, self.exponent, self.wave) for m in polynomial)
        slopes = (a.form.slope for a in self.atoms)
        found = {i for row in (*powers, *slopes) for i, x in enumerate(row) if x != 0}
        return tuple(sorted(found))

    def on(self, axes: tuple[int, ...]) -> Term:
        """The same term in some of the variables, which are all that occur in it."""
        poly, exponent, wave = (
            {tuple(m[i] for i in axes): x for m, x in polynomial.items()}
            for polynomial in (self.poly, self.exponent, self.wave)
        )
        atoms = tuple(
            Atom(a.kind, Form(tuple(a.form.slope[i] for i in axes), a.form.offset)) for a in self.atoms
        )
        return replace(self, poly=poly, exponent=exponent, wave=wave, atoms=atoms)


def added(polynomials: Iterable[Polynomial]) -> dict[Monomial, Expr]:
    """Sum, without the terms that vanish."""
    parts: dict[Monomial, list[Expr]] = {}
    for polynomial in polynomials:
        for monomial, coefficient in polynomial.items():
            parts.setdefault(monomial, []).append(coefficient)
    sums = {monomial: sympy.Add(*coefficients) for monomial, coefficients in parts.items()}
    return {monomial: total for monomial, total in sums.items() if total != 0}


def poly_product(left: Polynomial, right: Polynomial) -> dict[Monomial, Expr]:
    """Product of two polynomials."""
    check_time()
    if len(left) * len(right) > MAX_TERMS * 10:
        raise NotInNormalForm("a polynomial with too many terms")
    return added(
        {tuple(i + j for i, j in zip(a, b, strict=True)): x * y}
        for a, x in left.items()
        for b, y in right.items()
    )


def scaled(terms: Iterable[Term], factor: Expr) -> list[Term]:
    """Each term times a constant."""
    return [replace(t, poly={m: factor * a for m, a in t.poly.items()}) for t in terms]


def collected(terms: Iterable[Term]) -> list[Term]:
    """Add the polynomials of terms that agree in everything else."""
    groups: dict[tuple[object, ...], list[Term]] = {}
    for term in terms:
        groups.setdefault(term.frame, []).append(term)
    merged = [replace(group[0], poly=added(t.poly for t in group)) for group in groups.values()]
    return [t for t in merged if t.poly]


def multiplied(left: list[Term], right: list[Term]) -> list[Term]:
    """Product of two sums.

    Raises
    ------
    NotInNormalForm
        If it has more than `MAX_TERMS` terms.
    """
    if len(left) * len(right) > MAX_TERMS:
        raise NotInNormalForm(f"more than {MAX_TERMS} terms")
    return collected(term for a in left for b in right for term in _product(a, b))


def power(terms: list[Term], exponent: int, one: Term) -> list[Term]:
    """A power of a sum, by repeated squaring."""
    result = [one]
    while exponent:
        if exponent & 1:
            result = multiplied(result, terms)
        exponent >>= 1
        if exponent:
            terms = multiplied(terms, terms)
    return result


def _product(a: Term, b: Term) -> list[Term]:
    atoms = _atoms(a.atoms, b.atoms)
    if atoms is None:
        return []
    base = Term(
        poly=poly_product(a.poly, b.poly),
        exponent=added((a.exponent, b.exponent)),
        atoms=atoms,
    )
    if not (a.oscillates or b.oscillates):
        return [base]
    if not (a.oscillates and b.oscillates):
        only = a if a.oscillates else b
        return [replace(base, wave=only.wave, phase=only.phase, oscillates=True)]
    (half,) = scaled([base], S.Half)
    # cos u cos v = (cos(u + v) + cos(u - v))/2
    return [
        term
        for sign in (S.One, S.NegativeOne)
        for term in oscillating(
            half, added((a.wave, {m: sign * x for m, x in b.wave.items()})), a.phase + sign * b.phase
        )
    ]


def oscillating(base: Term, wave: Polynomial, phase: Expr) -> list[Term]:
    """base cos(wave + phase) by cos and sin of one sign of the wave, so that equal waves can be added."""
    if not wave:
        return [t for t in scaled([base], sympy.cos(phase)) if any(t.poly.values())]
    first = wave[min(wave)]
    if first.could_extract_minus_sign():
        wave, phase = {m: -x for m, x in wave.items()}, -phase
    parts = ((sympy.cos(phase), S.Zero), (-sympy.sin(phase), -sympy.pi / 2))  # sin u = cos(u - pi/2)
    return [
        replace(term, wave=wave, phase=shift, oscillates=True)
        for factor, shift in parts
        if factor != 0
        for term in scaled([base], factor)
    ]


def _atoms(left: tuple[Atom, ...], right: tuple[Atom, ...]) -> tuple[Atom, ...] | None:
    """All atoms; a step that occurs twice counts once, and step(l) step(-l) = 0 (None)."""
    if any(a.kind == "step" and Atom("step", -a.form) in left for a in right):
        return None
    return left + tuple(a for a in right if a.kind != "step" or a not in left)
