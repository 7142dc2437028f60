"""From an expression without kinks to a collected sum of terms, on one cell."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import sympy
from sympy import Expr, S, Symbol, pi, sqrt

from hermite_analytics.gaussian.integrability.cells import Logistic, Mask, Mills, Soft, Unit
from hermite_analytics.gaussian.integrability.envelopes import BOUNDED, envelope, is_bounded_below
from hermite_analytics.gaussian.integrability.exponents import total_degree
from hermite_analytics.gaussian.integrability.geometry import Polyhedron, Undecided
from hermite_analytics.gaussian.integrability.powers import leading_key, power_bound, power_of_terms
from hermite_analytics.gaussian.integrability.terms import (
    ONE_KEY,
    Factor,
    Key,
    Poly,
    Terms,
    added,
    is_nonzero,
    items,
    multiplied,
    powered,
    scaled,
    wave_terms,
)
from hermite_analytics.gaussian.integrability.towers import exponential_of_rest
from hermite_analytics.language import functions as own
from hermite_analytics.language.bounds import bounds
from hermite_analytics.language.functions import Growth, record_of

__all__ = ["Reader"]

MAX_EXPANDED = 3000
MAX_HERMITE = 300
_HALF = S.Half


class Reader:
    """The rules for one list of variables on one cell; `read` raises `Undecided` where none applies.

    Of the functions in `opaque` only their bounds are used.
    """

    def __init__(
        self, variables: Sequence[Symbol], cell: Polyhedron, *, opaque: tuple[type, ...] = ()
    ) -> None:
        self.variables = tuple(variables)
        self.opaque = opaque
        self.cell = cell
        self.origin = (0,) * len(self.variables)
        self._known: dict[Expr, Terms] = {}

    def read(self, expr: Expr) -> Terms:
        """`expr` as terms."""
        if expr not in self._known:
            self._known[expr] = self._read(expr)
        return self._known[expr]

    def _read(self, expr: Expr) -> Terms:
        if not expr.has(*self.variables):
            return self.constant(expr)
        if expr in self.variables:
            i = self.variables.index(expr)
            return {ONE_KEY: {tuple(int(j == i) for j in range(len(self.variables))): S.One}}
        if expr.is_Add:
            return added(self.read(a) for a in expr.args)
        if expr.is_Mul:
            result = self.constant(S.One)
            for a in expr.args:
                result = multiplied(result, self.read(a))
            return result
        if isinstance(expr, sympy.exp):
            return self.exponential(expr.args[0])
        if expr.is_Pow:
            return self._power(expr)
        return self.bounded(expr) if expr.func in self.opaque else self._function(expr)

    def _function(self, expr: Expr) -> Terms:
        """By a rule of its own, else by what its record says."""
        rule = _RULES.get(expr.func)
        if rule is not None:
            return rule(self, *expr.args)
        known = record_of(expr)
        if known.in_exponentials is not None:
            return self.read(known.in_exponentials(expr.args[0]))
        if known.asymptotes is not None and known.growth is Growth.LINEAR:
            return self.linear(expr, expr.args[0])
        return self.bounded(expr)

    def constant(self, value: Expr) -> Terms:
        return {} if value == 0 else {ONE_KEY: {self.origin: value}}

    def factor(self, factor: Factor) -> Terms:
        return {Key(factors=((factor, 1),)): {self.origin: S.One}}

    def polynomial(self, expr: Expr) -> Poly | None:
        """`expr` as a polynomial in the variables, None if it is none."""
        terms = self.read(expr)
        return terms.get(ONE_KEY, {}) if set(terms) <= {ONE_KEY} else None

    def bounded(self, expr: Expr) -> Terms:
        """A function of which bounds alone are known."""
        low, high = bounds(expr)
        away = bool(low.is_extended_positive or high.is_extended_negative)
        if isinstance(expr, BOUNDED) or (low.is_finite and high.is_finite):
            known = record_of(expr)
            odd = known.parity == -1 and known.is_strictly_increasing
            inner = away or (odd and self._varies(expr.args[0]))
            return self.factor(Factor(expr=expr, low=S.Zero if inner else None))
        found = envelope(expr, self.variables)
        if found is None or found.power >= 2:
            raise Undecided(f"the growth of {expr.func.__name__} here is not known")
        return self.factor(
            Factor(expr=expr, high=found.degree, low=S.Zero if away else None, soft=found.power > 0)
        )

    def _varies(self, argument: Expr) -> bool:
        """Whether the argument is a polynomial that is not constant: along lines it stays away from 0."""
        poly = self.polynomial(argument)
        return poly is not None and is_nonzero({m: c for m, c in poly.items() if m != self.origin})

    def exponential(self, argument: Expr) -> Terms:
        terms = dict(self.read(argument))
        poly = dict(terms.pop(ONE_KEY, {}))
        constant = sympy.exp(poly.pop(self.origin, S.Zero))
        result: Terms = {Key(exponent=items(poly)): {self.origin: constant}}
        if terms:
            result = multiplied(result, self.factor(exponential_of_rest(terms, self.cell)))
        return result

    def _power(self, expr: Expr) -> Terms:
        base, exponent = expr.base, expr.exp
        if exponent.is_Integer and exponent > 0:
            terms = self.read(base)
            if set(terms) == {ONE_KEY}:
                poly = terms[ONE_KEY]
                if sympy.binomial(len(poly) + exponent, exponent) > MAX_EXPANDED:
                    low = S.Zero if is_nonzero(poly) else None
                    return self.factor(Factor(expr=expr, high=exponent * total_degree(poly), low=low))
            try:
                return powered(terms, int(exponent), self.constant(S.One))
            except Undecided:  # too many terms
                return power_bound(terms, expr, self.variables, self.cell)
        if not exponent.is_Rational:
            raise Undecided(f"the power {exponent} is not rational")
        shown = is_bounded_below(base, self.variables)
        return power_of_terms(self.read(base), expr, shown, self.variables, self.cell)

    def wave(self, argument: Expr, kind: str) -> Terms:
        poly = self.polynomial(argument)
        if poly is None:
            return self.bounded((sympy.cos if kind == "cos" else sympy.sin)(argument))
        return wave_terms(poly, kind, self.origin)

    def linear(self, expr: Expr, argument: Expr) -> Terms:
        """g u + w with 0 <= u, w <= 1 for an argument g whose sign is not known."""
        size = multiplied(self.read(argument), self.factor(Factor(expr=Mask(expr), low=None)))
        return added((size, self.factor(Factor(expr=expr - argument * Mask(expr), low=None))))

    def hermite(self, degree: Expr, argument: Expr) -> Terms:
        """He_k, by the recurrence where that stays short, else by its size."""
        x = self.read(argument)
        if sympy.binomial(sum(map(len, x.values())) + degree, degree) <= MAX_HERMITE:
            return self._recurrence(int(degree), x)
        if set(x) <= {ONE_KEY}:
            low = S.Zero if self._varies(argument) else None
            high = degree * total_degree(x.get(ONE_KEY, {}))
            return self.factor(Factor(expr=own.He(degree, argument), high=high, low=low))
        # |He_k(x)| <= C (1 + |x|^k)
        return added((self.constant(S.One), power_bound(x, argument**degree, self.variables, self.cell)))

    def _recurrence(self, degree: int, x: Terms) -> Terms:
        low, high = self.constant(S.One), x
        for j in range(1, degree):
            low, high = high, added((multiplied(x, high), scaled(low, sympy.Integer(-j))))
        return high if degree else low

    def logarithm(self, argument: Expr) -> Terms:
        if argument.is_Pow and argument.exp.is_Rational and not argument.exp.is_Integer:  # of a base >= 0
            return scaled(self.logarithm(argument.base), argument.exp)
        terms = self.read(argument)
        of_one = self._logarithm_of_one(argument, terms)
        if of_one is not None:
            return of_one
        leading = leading_key(terms, self.cell)
        if leading is not None:  # log of a sum of exponentials: the largest exponent, and a bounded rest
            rest = Factor(expr=Mask(sympy.log(argument)), low=None)
            return added((_exponent_alone(leading), self.factor(rest)))
        if not is_bounded_below(argument, self.variables):
            raise Undecided("a logarithm of what is not shown to stay away from 0")
        degree = max(total_degree(dict(key.exponent)) for key in terms)
        if any(f.soft or f.steep for key in terms for f, _ in key.factors):
            raise Undecided("a logarithm of a function of unknown growth")
        return self.factor(Factor(expr=sympy.log(argument), high=max(sympy.Integer(degree), _HALF), low=None))

    def _logarithm_of_one(self, argument: Expr, terms: Terms) -> Terms | None:
        """log(p exp(e)) = log p + e, where the argument is one term without waves and wild factors."""
        if len(terms) != 1:
            return None
        ((key, poly),) = terms.items()
        if key.wave is not None or not all(f.pointwise and not f.soft for f, _ in key.factors):
            return None
        if set(poly) == {self.origin} and not key.factors:
            return added((_exponent_alone(key), self.constant(sympy.log(poly[self.origin]))))
        shown = is_bounded_below(argument, self.variables)
        moves = not key.exponent and not key.factors and self._varies(argument)
        low = S.Zero if moves else None  # on almost every line the polynomial is not 1 in the end
        rest = Factor(expr=sympy.log(argument), high=_HALF, low=low, logarithmic=not shown)
        return added((_exponent_alone(key), self.factor(rest)))


def _exponent_alone(key: Key) -> Terms:
    """The exponent of a term as a polynomial."""
    return {ONE_KEY: dict(key.exponent)} if key.exponent else {}


_RULES: dict[type, Callable[..., Terms]] = {
    Mills: lambda reader, x: reader.factor(Factor(expr=Mills(x), low=S.NegativeOne, pointwise=True)),
    Logistic: lambda reader, x: reader.factor(Factor(expr=Logistic(x), pointwise=True)),
    Soft: lambda reader, x: reader.factor(Factor(expr=Soft(x), pointwise=True)),
    Unit: lambda reader, x: reader.factor(Factor(expr=Unit(x), pointwise=True)),
    Mask: lambda reader, x: reader.factor(Factor(expr=Mask(x), low=None)),
    sympy.cos: lambda reader, x: reader.wave(x, "cos"),
    sympy.sin: lambda reader, x: reader.wave(x, "sin"),
    sympy.log: Reader.logarithm,
    own.phi: lambda reader, x: scaled(reader.exponential(-(x**2) / 2), 1 / sqrt(2 * pi)),
    own.He: Reader.hermite,
}
