"""Transformations of sums and extremes of functions of one coordinate each: their moments are products.

    y = g_1(z_1) + ... + a xi:    E[He_S exp(i t y)] = exp(-(a t)^2/2) prod_j E[He_{S_j} exp(i t g_j)]
    y = max(g_1(z_1), ...):       E[He_S 1{y <= t}] = prod_j E[He_{S_j} 1{g_j <= t}]

Every number is an integral over one line, however many coordinates there are; of equal parts there is one.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import sympy
from flint import acb, arb
from sympy import Expr, Rational, Symbol, cos, sin

from hermite_analytics.argument.moments import Transformation, at_most, wave
from hermite_analytics.errors import BudgetExhausted, UnsupportedExpression
from hermite_analytics.exponents.contraction import Index, Tensor
from hermite_analytics.exponents.numbers import Numbers
from hermite_analytics.foundation.clock import check_time
from hermite_analytics.gaussian.enclosure import ball_of, enclose_coefficients
from hermite_analytics.gaussian.enclosure.precision import working_precision
from hermite_analytics.gaussian.products import separate_factors
from hermite_analytics.gaussian.quantities import quantity_of_ball, unknown_quantity
from hermite_analytics.gaussian.zero.tensors import indices
from hermite_analytics.label.orders.boxes import typical_values
from hermite_analytics.label.orders.transformations import TransformedLabel
from hermite_analytics.language.affine import linear_part
from hermite_analytics.language.functions import step
from hermite_analytics.symbols import variable, xi

__all__ = ["SeparateParts", "separate_parts"]

_MOST_ENTRIES = 3000  # of a tensor
_FREQUENCIES = 6  # more than parts that differ
_DIGITS = 20
_BITS = 96
_Z = variable(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class SeparateParts:
    """Functions of one coordinate each, and how the label is made of them.

    Attributes
    ----------
    parts : mapping of symbol to expression
        g_j, as a function of z1.
    joined : Add, Max or Min
    noise : expression
        a.
    number : expression or None
        What is added, or another argument of the extreme.
    """

    parts: Mapping[Symbol, Expr]
    joined: type[Expr]
    noise: Expr
    number: Expr | None

    def transformations(
        self, label: Expr, variables: tuple[Symbol, ...], numbers: Numbers
    ) -> Iterator[TransformedLabel]:
        """cos(t y) and sin(t y), or 1{y <= t}, at some t."""
        if self.joined is not sympy.Add:
            for t in typical_values(label, tuple(self.parts)):
                yield self._one(at_most(t), self._levels(t), self._share, variables, numbers)
            return
        for t in self._frequencies(label):
            waves = functools.cache(functools.partial(self._wave, t))
            sine, cosine = (functools.partial(part, self._of_noise(t)) for part in (_sine, _cosine))
            yield self._one(wave("sin", t), waves, sine, variables, numbers)
            yield self._one(wave("cos", t), waves, cosine, variables, numbers)

    def _share(self, product: acb) -> arb:
        """Of 1{y <= t}: for a smallest value the product is that of 1{y > t}."""
        return -product.real if self.joined is sympy.Min else product.real

    def _of_noise(self, t: Expr) -> arb:
        """E exp(i t a xi)."""
        with working_precision(_BITS):
            return (-(ball_of(self.noise * t, _BITS) ** 2) / 2).exp()

    def _one(
        self,
        transformation: Transformation,
        factor: Callable[[Expr, int], list[acb]],
        side: Callable[[acb], arb],
        variables: tuple[Symbol, ...],
        numbers: Numbers,
    ) -> TransformedLabel:
        entries = functools.partial(self._entries, factor, side, variables, numbers)
        return TransformedLabel(transformation, lambda degree: None, entries, is_quick=True)

    def _entries(
        self,
        factor: Callable[[Expr, int], list[acb]],
        side: Callable[[acb], arb],
        variables: tuple[Symbol, ...],
        numbers: Numbers,
        degree: int,
    ) -> Tensor:
        own = [i for i, v in enumerate(variables) if v in self.parts]
        if math.comb(len(own) + degree - 1, degree) > _MOST_ENTRIES:
            return {}
        try:
            tables = [factor(self.parts[variables[i]], degree) for i in own]
            start = acb(1) if self.number is None else factor(self.number, 0)[0]
        except (UnsupportedExpression, BudgetExhausted):
            return {}
        tensor: dict[Index, Expr] = {}
        for powers in indices(len(own), degree):
            check_time()
            with working_precision(_BITS):
                ball = side(math.prod((t[k] for t, k in zip(tables, powers, strict=True)), start=start))
            if ball.is_zero():
                continue
            index = [0] * len(variables)
            for i, k in zip(own, powers, strict=True):
                index[i] = k
            known = quantity_of_ball(ball) if ball.is_finite() else unknown_quantity("no enclosure")
            tensor[tuple(index)] = numbers.letter(known)
        return tensor

    def _frequencies(self, label: Expr) -> list[Rational]:
        values = [float(v) for v in typical_values(label.subs(xi, 0), tuple(self.parts))]
        spread = max(values) - min(values) if values else 0.0
        unit = Rational(1, round(spread)) if spread >= 1 else Rational(round(1 / max(spread, 0.01)))
        count = _FREQUENCIES + len(set(self.parts.values()))
        return [k * unit / 2 for k in range(1, count + 1)]

    def _wave(self, t: Expr, part: Expr, degree: int) -> list[acb]:
        real, imaginary = (_line(f(t * part), degree) for f in (cos, sin))
        return [acb(a, b) for a, b in zip(real, imaginary, strict=True)]

    def _levels(self, t: Expr) -> Callable[[Expr, int], list[acb]]:
        """1{g <= t}, or of a smallest value 1{g > t}: 1{y <= t} is 1 minus their product."""
        above = self.joined is sympy.Min
        return lambda part, degree: [acb(x) for x in _line(step(part - t if above else t - part), degree)]


def separate_parts(label: Expr, variables: Sequence[Symbol]) -> SeparateParts | None:
    """The parts of a label in this form with two or more of them; None for others.

    Examples
    --------
    >>> z = sympy.symbols("z1:4", real=True)
    >>> found = separate_parts(sympy.erf(z[0]) + 2 * sympy.erf(z[2]) + xi / 3, z)
    >>> found.parts[z[2]], found.noise
    (2*erf(z1), 1/3)
    """
    linear = linear_part(label, xi)
    if linear is None or not linear[1].is_number:
        return None
    signal, noise = linear
    joined = next((kind for kind in (sympy.Add, sympy.Max, sympy.Min) if isinstance(signal, kind)), None)
    if joined is None or (joined is not sympy.Add and noise != 0):
        return None
    parts: dict[Symbol, Expr] = {}
    numbers: list[Expr] = []
    for members in separate_factors(signal.args, variables):
        block = joined(*members)
        names = block.free_symbols
        if len(names) > 1 or not names <= set(variables):
            return None
        if names:
            [where] = names
            parts[where] = block.xreplace({where: _Z})
        else:
            numbers.append(block)
    if len(parts) < 2:
        return None
    number = joined(*numbers) if numbers else None
    return SeparateParts(parts=parts, joined=joined, noise=noise, number=number)


def _sine(noise: arb, product: acb) -> arb:
    return noise * product.imag


def _cosine(noise: arb, product: acb) -> arb:
    return noise * product.real


def _line(function: Expr, degree: int) -> list[arb]:
    """E[He_k(z) f(z)], k up to a degree, 0 where the parity says so."""
    if not function.has(_Z):
        return [ball_of(function, _BITS) if k == 0 else arb(0) for k in range(degree + 1)]
    flipped = function.xreplace({_Z: -_Z})
    vanishing = {function: 1, -function: 0}.get(flipped)
    balls = enclose_coefficients(function, _Z, degree, digits=_DIGITS)
    return [arb(0) if vanishing is not None and k % 2 == vanishing else b for k, b in enumerate(balls)]
