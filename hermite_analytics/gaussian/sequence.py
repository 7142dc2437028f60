"""All Hermite coefficients E[He_k(z) f(z)], k = 0..K, of a function of one variable, at once.

Under the weight exp(-P z^2/2 + a z) the variable is N(mean, v), and u_k = E[He_k f] satisfies

    u_{k+1} = mean u_k - (1 - v) k u_{k-1} + v E[He_k f'],

where f' takes a step to the value of the rest at its threshold and a Phi to one more Gaussian weight.
A factor z acts as (z f)_k = f_{k+1} + k f_{k-1}. Numbers are rational; what is transcendental stands once in
front of a whole sequence, so that 30 orders cost about a millisecond and order 200 loses no digit.

Source: docs/theory.md, "Hermite coefficients"; G1, G2, G4, G7-G9 are special cases.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import flint
import sympy
from sympy import Expr, Rational, S, cos, exp, pi, sin, sqrt

from hermite_analytics.foundation.clock import check_time
from hermite_analytics.gaussian.expectation import Expectation
from hermite_analytics.gaussian.reals import NoClosedForm
from hermite_analytics.gaussian.terms import Atom, Term
from hermite_analytics.language.functions import Phi, phi, step

__all__ = ["hermite_sequence"]

Numbers = list[flint.fmpq]
Table = dict[Expr, Numbers]  # transcendental factor -> rational numbers by order
_ZERO, _ONE = flint.fmpq(0), flint.fmpq(1)


def hermite_sequence(terms: Sequence[Term], order: int) -> list[Expr]:
    """E[He_k(z) f(z)] for k = 0..order, f a sum of terms in one variable.

    Raises
    ------
    NoClosedForm
        If a term has an irrational weight or slope, an oscillation times a step or Phi, or a product of steps
        and Phi's without a closed form.
    """
    total: Table = {}
    for term in terms:
        _add(total, _term(term, order))
    return [
        sympy.Add(*(_rational(numbers[k]) * factor for factor, numbers in total.items() if numbers[k] != 0))
        for k in range(order + 1)
    ]


def _term(term: Term, order: int) -> Table:
    check_time()
    degree = max(m[0] for m in term.poly)
    bare = replace(term, poly={(0,): S.One})
    base = _oscillating(bare, order + degree) if term.oscillates else _weighted(bare, order + degree)
    result: Table = {}
    for factor, numbers in base.items():
        powers = numbers
        for j in range(degree + 1):
            check_time()
            coefficient = term.poly.get((j,), S.Zero)
            if coefficient != 0:
                scalar, rest = coefficient.as_coeff_Mul(rational=True)
                weight = _fraction(scalar)
                _add(result, {rest * factor: [weight * x for x in powers[: order + 1]]})
            powers = [powers[k + 1] + (k * powers[k - 1] if k else _ZERO) for k in range(len(powers) - 1)]
    return result


def _weighted(term: Term, order: int) -> Table:
    """The sequence of exp(exponent) times steps and Phi's."""
    precision, linear = _quadratic(term)
    if precision == 0:
        raise NoClosedForm("a weight that cancels the Gaussian")
    v = 1 / precision
    mean = linear * v
    start = Expectation(1).of([term])  # order 0 in closed form; also says where there is none
    inhomogeneous: Table = {}
    for j, atom in enumerate(term.atoms):
        rest = term.atoms[:j] + term.atoms[j + 1 :]
        _add(inhomogeneous, _derivative(term, atom, rest, order))
    result = {start: _recurrence(mean, v, order, _ONE, None)}
    for factor, numbers in inhomogeneous.items():
        _add(result, {factor: _recurrence(mean, v, order, _ZERO, [v * x for x in numbers])})
    return result


def _recurrence(
    mean: flint.fmpq, v: flint.fmpq, order: int, first: flint.fmpq, source: Numbers | None
) -> Numbers:
    """u_0 = first, u_{k+1} = mean u_k - (1 - v) k u_{k-1} + source_k."""
    numbers = [first]
    for k in range(order):
        following = mean * numbers[k] + (source[k] if source else _ZERO)
        if k:
            following -= (1 - v) * k * numbers[k - 1]
        numbers.append(following)
    return numbers


def _derivative(term: Term, atom: Atom, rest: tuple[Atom, ...], order: int) -> Table:
    """E[He_k times the weight times the derivative of one atom times the rest]."""
    slope, offset = atom.form.slope[0], atom.form.offset
    if atom.kind == "step":
        at = -offset / slope
        linear, quadratic = term.exponent.get((1,), S.Zero), term.exponent.get((2,), S.Zero)
        density = sympy.sign(slope) * phi(at) * exp(linear * at + quadratic * at**2)
        value = density * sympy.Mul(*(_value(a, at) for a in rest))
        return {value: _hermite(_fraction(at), order)} if value != 0 else {}
    exponent = dict(term.exponent)  # slope phi(slope z + offset) is one more weight
    exponent[(2,)] = exponent.get((2,), S.Zero) - slope**2 / 2
    exponent[(1,)] = exponent.get((1,), S.Zero) - slope * offset
    tilted = Term(poly={(0,): S.One}, exponent={m: x for m, x in exponent.items() if x != 0}, atoms=rest)
    height = slope * exp(-(offset**2) / 2) / sqrt(2 * pi)
    return {height * factor: numbers for factor, numbers in _weighted(tilted, order).items()}


def _value(atom: Atom, at: Expr) -> Expr:
    argument = atom.form.slope[0] * at + atom.form.offset
    if argument == 0 and atom.kind == "step":
        raise NoClosedForm("two steps at one threshold")
    return step(argument) if atom.kind == "step" else Phi(argument)


def _hermite(x: flint.fmpq, order: int) -> Numbers:
    """He_0(x)..He_order(x)."""
    return _recurrence(x, _ZERO, order, _ONE, None)


def _oscillating(term: Term, order: int) -> Table:
    """The sequence of exp(exponent) cos(w z + phase)."""
    if term.atoms:
        raise NoClosedForm("an oscillation times a step or Phi")
    if any(m != (1,) for m in term.wave):
        raise NoClosedForm("a quadratic oscillation")
    precision, linear = _quadratic(term)
    w = _fraction(term.wave[(1,)])
    v = 1 / precision
    real, imaginary = [_ONE], [_ZERO]
    for k in range(order):
        re = v * (linear * real[k] - w * imaginary[k])
        im = v * (linear * imaginary[k] + w * real[k])
        if k:
            re -= (1 - v) * k * real[k - 1]
            im -= (1 - v) * k * imaginary[k - 1]
        real.append(re)
        imaginary.append(im)
    p, a, b = _rational(precision), _rational(linear), _rational(w)
    size = exp((a**2 - b**2) / (2 * p)) / sqrt(p)
    angle = term.phase + a * b / p
    return {key: numbers for key, numbers in
            ((size * cos(angle), real), (-size * sin(angle), imaginary)) if key != 0}  # fmt: skip


def _quadratic(term: Term) -> tuple[flint.fmpq, flint.fmpq]:
    """(1 + P, a) of the weight exp(-P z^2/2 + a z)."""
    return _fraction(1 - 2 * term.exponent.get((2,), S.Zero)), _fraction(term.exponent.get((1,), S.Zero))


def _fraction(x: Expr) -> flint.fmpq:
    if not isinstance(x, Rational):
        raise NoClosedForm("a sequence with irrational numbers")
    return flint.fmpq(int(x.p), int(x.q))


def _rational(x: flint.fmpq) -> Rational:
    return Rational(int(x.p), int(x.q))


def _add(total: Table, more: Table) -> None:
    for factor, numbers in more.items():
        old = total.get(factor)
        total[factor] = numbers if old is None else [x + y for x, y in zip(old, numbers, strict=True)]
