"""Enclosures of forms by ball arithmetic: the signs of arguments, and algebraic numbers that are not zero."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction

import flint
from flint import arb, fmpq

from hermite_analytics.foundation.clock import check_time
from hermite_analytics.gaussian.zero.monomials import VARIABLE, Form, Frozen, Monomial, OutOfReach

__all__ = ["enclosure", "sign_of_constant"]

_PRECISIONS = (128, 512)
Bindings = Mapping[str, arb]


def enclosure(form: Form, bits: int, bindings: Bindings | None = None) -> arb:
    """A ball (flint.arb) that contains the value, at a point if there are variables.

    Raises
    ------
    OutOfReach
        If some generator has no evaluation here.
    """
    with flint.ctx.workprec(bits):
        return _sum(form.items(), bindings or {})


def sign_of_constant(form: Form) -> int:
    """1, 0 or -1; 0 only for the empty form.

    Raises
    ------
    OutOfReach
        If no ball excludes zero.
    """
    if not form:
        return 0
    for bits in _PRECISIONS:
        ball = enclosure(form, bits)
        if ball > 0:
            return 1
        if ball < 0:
            return -1
    raise OutOfReach("a sign that no ball decides")


def _sum(items: Iterable[tuple[Monomial, Fraction]], bindings: Bindings) -> arb:
    total = arb(0)
    for monomial, coefficient in items:
        total += arb(fmpq(coefficient.numerator, coefficient.denominator)) * _monomial(monomial, bindings)
    return total


def _rational(x: Fraction) -> arb:
    return arb(fmpq(x.numerator, x.denominator))


def _monomial(monomial: Monomial, bindings: Bindings) -> arb:
    check_time()
    value = arb(1)
    for p, e in monomial.radical:
        value *= arb(p) ** _rational(e)
    if monomial.pi:
        value *= arb.pi() ** _rational(monomial.pi)
    if monomial.exponent:
        value *= _sum(monomial.exponent, bindings).exp()
    if monomial.wave:
        kind, inner = monomial.wave
        angle = _sum(inner, bindings)
        value *= angle.cos() if kind == "cos" else angle.sin()
    for generator, n in monomial.generators:
        value *= _generator(generator, bindings) ** n
    return value


def _generator(generator: tuple[str, tuple[Frozen, ...]], bindings: Bindings) -> arb:
    name, arguments = generator
    if name.startswith(VARIABLE):
        return bindings[name[len(VARIABLE) :]]
    evaluate = _EVALUATIONS.get(name)
    if evaluate is None:
        raise OutOfReach(f"no ball for {name}")
    return evaluate(*(_sum(a, bindings) for a in arguments))


def _gauss(square: arb) -> arb:
    """int_0^t exp(-x^2/2) dx with t^2 given; for t^2 < 0 the integral of exp(x^2/2)."""
    if square > 0:
        return (arb.pi() / 2).sqrt() * (square / 2).sqrt().erf()
    if square < 0:
        return (arb.pi() / 2).sqrt() * (-square / 2).sqrt().erfi()
    raise OutOfReach("a sign that no ball decides")


def _sign(x: arb) -> arb:
    if x > 0:
        return arb(1)
    if x < 0:
        return arb(-1)
    raise OutOfReach("a sign that no ball decides")


def _logcosh(x: arb) -> arb:
    return x.cosh().log()


_EVALUATIONS: dict[str, Callable[..., arb]] = {
    "angle": lambda square: square.sqrt().asin(),
    "cos of pi times": lambda x: x.cos_pi(),
    "gauss": _gauss,
    "erf": lambda x: x.erf(),
    "erfi": lambda x: x.erfi(),
    "log": lambda x: x.log(),
    "logcosh": _logcosh,
    "power": lambda base, exponent: base**exponent,
    "root": lambda x: x.sqrt(),
    "sign": _sign,
    "sign of polynomial": _sign,
    "tanh": lambda x: x.tanh(),
    "atan": lambda x: x.atan(),
    "asinh": lambda x: x.asinh(),
}
