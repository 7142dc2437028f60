"""The values that a parameter may have: an interval without some points."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from sympy import Dummy, Expr, Poly, S, Symbol

from hermite_analytics.errors import InputError
from hermite_analytics.gaussian.order import compare
from hermite_analytics.language import display
from hermite_analytics.language.comparisons import Comparison

__all__ = ["Domain", "domains_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Domain:
    """An interval with exact ends, without some points.

    Attributes
    ----------
    low, high : exact numbers, possibly infinite
    has_low, has_high : bool
        Whether the ends belong to it.
    excluded : tuple of exact numbers
        Inner points that do not.

    Examples
    --------
    >>> from sympy import Integer
    >>> from hermite_analytics.language.comparisons import comparisons
    >>> domain = domains_of(comparisons("0 < a <= 1, a != 1/2"), ["a"])["a"]
    >>> [domain.contains(Integer(k) / 2) for k in range(4)], domain.texts("a")
    ([False, False, True, False], ('0 < a <= 1', 'a != 1/2'))
    """

    low: Expr = S.NegativeInfinity
    high: Expr = S.Infinity
    has_low: bool = False
    has_high: bool = False
    excluded: tuple[Expr, ...] = ()

    def limited(self, comparison: Comparison) -> Domain:
        """What a comparison leaves of it."""
        number, sign = comparison.number, comparison.sign
        if sign == "!=":
            return replace(self, excluded=tuple(dict.fromkeys((*self.excluded, number))))
        closed = sign.endswith("=")
        if sign.startswith(">"):
            order = compare(number, self.low)
            keeps = order < 0 or (order == 0 and (closed or not self.has_low))
            return self if keeps else replace(self, low=number, has_low=closed)
        order = compare(number, self.high)
        keeps = order > 0 or (order == 0 and (closed or not self.has_high))
        return self if keeps else replace(self, high=number, has_high=closed)

    @property
    def tidied(self) -> Domain:
        """The same set, with the points that are excluded inside it only."""
        left = [e for e in self.excluded if compare(e, self.low) >= 0 and compare(e, self.high) <= 0]
        return replace(
            self,
            has_low=self.has_low and self.low not in left,
            has_high=self.has_high and self.high not in left,
            excluded=tuple(e for e in left if e not in (self.low, self.high)),
        )

    @property
    def size(self) -> int:
        """0 where it is empty, 1 for a point, else 2."""
        order = compare(self.low, self.high)
        if order < 0:
            return 2
        return 1 if order == 0 and self.has_low and self.has_high else 0

    def contains(self, number: Expr) -> bool:
        """Whether a number lies in it."""
        below, above = compare(number, self.low), compare(number, self.high)
        inside = (below > 0 or (below == 0 and self.has_low)) and (
            above < 0 or (above == 0 and self.has_high)
        )
        return inside and all(compare(number, e) != 0 for e in self.excluded)

    def symbol(self, name: str) -> Symbol:
        """The parameter, with the sign that it has on the whole of the domain."""
        if self.low.is_nonnegative:
            strict = not (self.low == 0 and self.has_low)
            return Symbol(name, positive=True) if strict else Symbol(name, nonnegative=True)
        if self.high.is_nonpositive:
            strict = not (self.high == 0 and self.has_high)
            return Symbol(name, negative=True) if strict else Symbol(name, nonpositive=True)
        return Symbol(name, real=True, nonzero=True) if S.Zero in self.excluded else Symbol(name, real=True)

    def charts(self, symbol: Symbol) -> Iterator[tuple[Expr, Symbol, Expr]]:
        """(form, t, inverse): the parameter as an end plus or minus t > 0, and t in the parameter."""
        for end, has_end, sign in ((self.low, self.has_low, 1), (self.high, self.has_high, -1)):
            if end.is_finite:
                t = Dummy("t", nonnegative=True) if has_end else Dummy("t", positive=True)
                yield end + sign * t, t, sign * (symbol - end)

    def zeros(self, polynomial: Poly) -> int | None:
        """How many real zeros a square-free polynomial with rational coefficients has here."""
        ends = [e for e in (self.low, self.high) if e.is_finite]
        if not all(e.is_Rational for e in (*ends, *self.excluded)):
            return None
        low = self.low if self.low.is_finite else None
        high = self.high if self.high.is_finite else None
        count = int(polynomial.count_roots(low, high))
        outside = [e for e, has in ((low, self.has_low), (high, self.has_high)) if e is not None and not has]
        return count - sum(bool(polynomial.eval(e) == 0) for e in (*outside, *self.excluded))

    def texts(self, name: str) -> tuple[str, ...]:
        """The comparisons that say it."""
        low = f"{display.text(self.low)} {'<=' if self.has_low else '<'} " if self.low.is_finite else ""
        high = f" {'<=' if self.has_high else '<'} {display.text(self.high)}" if self.high.is_finite else ""
        if low and high:
            interval = [f"{low}{name}{high}"]
        elif low:
            interval = [f"{name} {'>=' if self.has_low else '>'} {display.text(self.low)}"]
        else:
            interval = [f"{name}{high}"] if high else []
        return (*interval, *(f"{name} != {display.text(e)}" for e in self.excluded))


def domains_of(given: tuple[Comparison, ...], names: list[str]) -> dict[str, Domain]:
    """The domain of each parameter.

    Raises
    ------
    InputError
        If a comparison names no parameter of the target, or nothing or a single value is left.
    """
    found = {name: Domain() for name in names}
    for comparison in given:
        if comparison.name not in found:
            raise InputError(
                f"where names {comparison.name!r}, which is no parameter of the target; its parameters: "
                f"{', '.join(names) or 'none'}"
            )
        found[comparison.name] = found[comparison.name].limited(comparison)
    for name, domain in found.items():
        tidied = found[name] = domain.tidied
        if tidied.size == 0:
            raise InputError(f"where leaves no value of {name}: {', '.join(domain.texts(name))}")
        if tidied.size == 1:
            raise InputError(
                f"where leaves {name} = {display.text(tidied.low)} alone: put this value into the target"
            )
    return found
