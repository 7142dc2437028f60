"""Bounds of an expression on a strip |Im z_i| <= a_i, read off its structure.

For each part w of the expression: a majorant of |w|, quadratic bounds of Re w from both sides, a bound of
|Im w|, and a lower bound of |w|. A part that is not shown to be analytic in the strip, or not bounded by
polynomials times exponentials of quadratics, is refused. With all a_i = 0 the bounds hold on the real axes
and kinks are allowed.

Sources: the bound of each function is derived in its docstring or comment from the addition theorems; the
use of such bounds for the trapezoidal rule is Trefethen and Weideman, SIAM Review 56 (2014), Theorem 5.1.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace

import sympy
from flint import arb
from sympy import Expr, S, Symbol

from hermite_analytics.foundation.clock import check_time
from hermite_analytics.gaussian.enclosure.constants import ball_of
from hermite_analytics.gaussian.enclosure.envelope import Envelope, Quadratic
from hermite_analytics.gaussian.enclosure.polynomials import ball_polynomial, polynomial_bounds
from hermite_analytics.gaussian.enclosure.precision import BOUND_BITS, working_precision
from hermite_analytics.gaussian.enclosure.real_rules import real_rule
from hermite_analytics.gaussian.enclosure.strip_algebra import (
    NoStripBound,
    StripBounds,
    from_size,
    negated,
    product,
    scaled,
    tightest,
    total,
    with_away,
)
from hermite_analytics.gaussian.enclosure.strip_poles import density_with_poles
from hermite_analytics.gaussian.enclosure.strip_powers import exponential, integer_power, real_power
from hermite_analytics.gaussian.enclosure.strip_rules import analytic_rule
from hermite_analytics.language import functions as own
from hermite_analytics.language.functions import record_of

__all__ = ["NoStripBound", "StripBounds", "strip_bounds"]


def strip_bounds(expr: Expr, variables: Sequence[Symbol], widths: Sequence[arb]) -> StripBounds:
    """Bounds of `expr` for |Im z_i| <= widths_i (exact, >= 0).

    Raises
    ------
    NoStripBound
        Where the expression is not shown to be analytic and bounded in the way described above.

    Examples
    --------
    >>> from hermite_analytics.symbols import z
    >>> bounds = strip_bounds(sympy.tanh(z), [z], [arb(1)])
    >>> bounds.top() < 1.56  # tan(1) = 1.557...
    True
    """
    with working_precision(BOUND_BITS):
        return _Visitor(tuple(variables), tuple(widths)).visit(expr)


class _Visitor:
    def __init__(self, variables: tuple[Symbol, ...], widths: tuple[arb, ...]) -> None:
        self.variables, self.widths = variables, widths
        self.count = len(variables)
        self.known: dict[Expr, StripBounds] = {}

    def visit(self, expr: Expr) -> StripBounds:
        if expr not in self.known:
            check_time()
            self.known[expr] = self.fresh(expr)
        return self.known[expr]

    def fresh(self, expr: Expr) -> StripBounds:
        polynomial = ball_polynomial(expr, self.variables)
        if polynomial is None:
            return self.structural(expr)
        found = polynomial_bounds(polynomial, self.widths)
        bounds = with_away(StripBounds(found.size, found.upper, found.lower, found.imaginary, arb(0)))
        if self.count == 1 or max(map(sum, polynomial)) < 2:
            return bounds
        # expanded, (x + y)^2 is not seen to be positive; unexpanded, x^2 - x^2/2 is not seen to be one square
        return tightest(bounds, self.structural(expr))

    def structural(self, expr: Expr) -> StripBounds:
        """Bounds from the bounds of the parts; on the real axes at least those of the function's values."""
        try:
            return self.by_parts(expr)
        except NoStripBound:
            found = self.by_range(expr)
            if found is None:
                raise
            return found

    def by_range(self, expr: Expr) -> StripBounds | None:
        """Bounds on the real line of a bounded function, whatever becomes of its argument: Phi(-1/|x|).

        In the plane poles would lie along lines, where panels do not end.
        """
        if self.count > 1 or not self.widths[0].is_zero():
            return None
        if expr.is_Mul:
            found = density_with_poles(expr, self.variables[0])
            return None if found is None else product(self.between(-found[0], found[0]), self.visit(found[1]))
        if isinstance(expr, sympy.exp):
            low, high = S.Zero, S.One if expr.args[0].is_nonpositive else S.Infinity
        else:
            known = record_of(expr)
            low, high = known.low, known.high
        if not (low.is_finite and high.is_finite):
            return None
        return self.between(ball_of(low, BOUND_BITS), ball_of(high, BOUND_BITS))

    def between(self, low: arb, high: arb) -> StripBounds:
        """What low <= w <= high says of a real function."""
        lower, upper, zero = (Quadratic.of(x, self.count) for x in (low, high, arb(0)))
        size = Envelope.of(low.abs_upper().max(high.abs_upper()), self.count)
        return with_away(StripBounds(size, upper, lower, zero, arb(0)))

    def by_parts(self, expr: Expr) -> StripBounds:
        if expr.is_Add:
            return self.sum(expr)
        if expr.is_Mul:
            return functools.reduce(product, [self.visit(a) for a in expr.args])
        if isinstance(expr, sympy.exp):
            return exponential(self.visit(expr.args[0]))
        if expr.is_Pow:
            return self.power(expr)
        if isinstance(expr, own.phi):
            return self.density(expr.args[0])
        if isinstance(expr, own.He) and expr.args[0].is_Integer:
            return self.hermite(int(expr.args[0]), self.visit(expr.args[1]))
        rule = analytic_rule(expr)
        if rule is not None:
            return with_away(rule(self.visit(expr.args[0])))
        definition = record_of(expr).definition
        return self.kink(expr) if definition is None else self.defined(expr, definition(*expr.args))

    def defined(self, expr: Expr, definition: Expr) -> StripBounds:
        """Bounds of the definition; on the real line those of the values too."""
        bounds, known = self.visit(definition), record_of(expr)
        if bounds.is_real():
            low, high = (
                None if not end.is_finite else Quadratic.of(ball_of(end, BOUND_BITS), self.count)
                for end in (known.low, known.high)
            )
            bounds = replace(bounds, lower=low or bounds.lower, upper=high or bounds.upper)
        return with_away(bounds)

    def sum(self, expr: Expr) -> StripBounds:
        smooth = [a for a in expr.args if self.joins(a)]
        parts = [self.visit(a) for a in expr.args if a not in smooth]
        if smooth:
            parts.append(self.visit(sympy.Add(*smooth)))
        return with_away(functools.reduce(total, parts))

    def joins(self, addend: Expr) -> bool:
        """Whether an addend is taken together with others as one polynomial."""
        polynomial = ball_polynomial(addend, self.variables)
        return polynomial is not None and (self.count == 1 or max(map(sum, polynomial)) < 2)

    def power(self, expr: Expr) -> StripBounds:
        if not expr.exp.is_number:
            raise NoStripBound(f"no bound of {expr} on a strip")
        if expr.exp.is_Integer:
            return integer_power(self.visit(expr.base), int(expr.exp), expr)
        return real_power(self.visit(expr.base), ball_of(expr.exp, BOUND_BITS), expr)

    def density(self, argument: Expr) -> StripBounds:
        """phi(w) = exp(-w^2/2)/sqrt(2 pi), w^2 bounded as it is multiplied out or as the square of w."""
        exponent = self.visit(-(argument**2) / 2)
        if exponent.upper is None:
            square = integer_power(self.visit(argument), 2, argument)
            exponent = negated(scaled(square, arb(1) / 2))
        return scaled(exponential(exponent), 1 / (2 * arb.pi()).sqrt())

    def hermite(self, degree: int, inner: StripBounds) -> StripBounds:
        """|He_k(w)| <= the polynomial with all signs positive, at |w|."""
        low, high = Envelope.of(arb(1), self.count), inner.size
        for j in range(1, degree):
            low, high = high, inner.size.times(high).plus(low.scaled(arb(j)))
        return from_size(high, inner.is_real())

    def kink(self, expr: Expr) -> StripBounds:
        parts = [self.visit(a) for a in expr.args]
        complex_here = [v for v, w in zip(self.variables, self.widths, strict=True) if not w.is_zero()]
        rule = None if expr.free_symbols.intersection(complex_here) else real_rule(expr)
        if rule is None:
            raise NoStripBound(f"no bound of {type(expr).__name__} on a strip")
        return with_away(rule(parts, ball_polynomial(expr.args[0], self.variables)))
