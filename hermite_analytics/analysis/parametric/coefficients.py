"""Hermite coefficients as functions of the parameters: closed forms, and letters for enclosed numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import sympy
from sympy import Dummy, Expr, Pow, S, Symbol

from hermite_analytics.analysis.parametric.region import Region
from hermite_analytics.coefficient_table import coefficient_table, hermite_product
from hermite_analytics.errors import UndefinedQuantity
from hermite_analytics.evidence import Quantity
from hermite_analytics.exponents.terms import summands
from hermite_analytics.foundation.attempts import attempted
from hermite_analytics.foundation.clock import check_time, share
from hermite_analytics.gaussian.coefficients import closed_coefficients, exact_coefficients
from hermite_analytics.gaussian.integrability import coefficients_exist, integrability
from hermite_analytics.gaussian.reals import NoClosedForm
from hermite_analytics.gaussian.terms import NotInNormalForm
from hermite_analytics.gaussian.zero.tensors import indices
from hermite_analytics.symbols import variable, xi

__all__ = ["Coefficients", "is_integrable"]

Index = tuple[int, ...]
_DIGITS = 18
_MOST_ENTRIES = 300
_SHARE = 0.2  # of the time left, for the numbers of one term


class Coefficients:
    """c_S(parameters) of functions of z1, .., zr.

    Parameters
    ----------
    dimension : int
        r.
    """

    def __init__(self, dimension: int) -> None:
        self.variables: tuple[Symbol, ...] = tuple(variable(j + 1) for j in range(dimension))
        self.letters: dict[Symbol, Quantity] = {}
        self._tables: dict[tuple[Expr, int], dict[Index, Expr] | None] = {}

    def exist(self, f: Expr, region: Region, degree: int) -> bool:
        """Whether all c_S, |S| = degree, are shown to exist for all parameters; E|f| is finite."""
        return any(
            coefficients_exist(f.subs(there), (*self.variables, xi), degree) for there, _ in region.charts(f)
        )

    def entries(self, f: Expr, region: Region, degree: int) -> dict[Index, Expr] | None:
        """All c_S, |S| = degree, that are not 0 in closed form; None where one has no closed form.

        Valid where nothing vanishes that it divides by.
        """
        total: dict[Index, list[Expr]] = {}
        for term in summands(self._expanded(f), self.variables):
            check_time()
            factor, g = term.as_independent(*self.variables, xi, as_Add=False)
            found = {} if g == 1 else self._table(g, region, degree)
            if found is None:
                return None
            for index, entry in found.items():
                total.setdefault(index, []).append(factor * entry)
        sums = {index: sympy.Add(*parts) for index, parts in total.items()}
        return {index: x for index, x in sums.items() if x != 0}

    def _expanded(self, f: Expr) -> Expr:
        """As a sum; what divides by functions of the parameters is kept apart from the inputs.

        An exponential of inputs would become a part of the denominator else, which no rule reads.
        """
        inputs = (*self.variables, xi)
        kept: dict[Expr, Expr] = {}

        def masked(x: Expr) -> Expr:
            if not x.has(*inputs):
                divides = any(p.exp.is_negative and p.free_symbols for p in x.atoms(Pow))
                return kept.setdefault(x, Dummy(real=True)) if divides else x
            if x.is_Add or x.is_Mul:
                alone, rest = x.as_independent(*inputs, as_Add=x.is_Add)
                return x.func(masked(alone), *map(masked, x.func.make_args(rest)))
            return x

        there = sympy.expand_mul(masked(f))
        return there.xreplace({letter: x for x, letter in kept.items()})

    def _table(self, g: Expr, region: Region, degree: int) -> dict[Index, Expr] | None:
        used = [v for v in self.variables if g.has(v)]
        if not used:  # label noise alone
            return {}
        if math.comb(len(used) + degree - 1, degree) > _MOST_ENTRIES:
            return None
        wanted = indices(len(used), degree)
        key = g, degree
        if key not in self._tables:
            free = g.free_symbols - {*used, xi}
            table = self._closed(g, used, region, wanted) if free else self._numbers(g, used, wanted)
            self._tables[key] = None if table is None else {s: x for s, x in table.items() if x != 0}
        found = self._tables[key]
        places = [self.variables.index(v) for v in used]
        return None if found is None else {self._placed(s, places): x for s, x in found.items()}

    def _placed(self, index: Index, places: Sequence[int]) -> Index:
        found = [0] * len(self.variables)
        for place, power in zip(places, index, strict=True):
            found[place] = power
        return tuple(found)

    def _closed(
        self, g: Expr, used: Sequence[Symbol], region: Region, wanted: Sequence[Index]
    ) -> Mapping[Index, Expr] | None:
        """Closed forms, by the rules that the signs of the parameters allow."""
        noise = (xi,) if g.has(xi) else ()
        longer = {s: (*s, *(0 for _ in noise)) for s in wanted}
        degree = max(map(sum, wanted))
        for forward, back in region.charts(g):
            there = g.subs(forward)
            for rule in (exact_coefficients, closed_coefficients):
                try:
                    found = rule(there, (*used, *noise), degree, wanted=list(longer.values()))
                except (NoClosedForm, NotInNormalForm, UndefinedQuantity):
                    continue
                if all(s in found for s in longer.values()):
                    return {s: found[full].subs(back) for s, full in longer.items()}
        return None

    def _numbers(
        self, g: Expr, used: Sequence[Symbol], wanted: Sequence[Index]
    ) -> Mapping[Index, Expr] | None:
        """Of a function without parameters: closed forms, or letters whose sign a ball shows."""
        z = tuple(variable(j + 1) for j in range(len(used)))
        moved = g.xreplace(dict(zip(used, z, strict=True)))
        noise = (xi,) if g.has(xi) else ()
        table = None
        with attempted(share(_SHARE)):
            degree = max(map(sum, wanted))
            table = coefficient_table(moved, z, degree, wanted=wanted, noise=noise, digits=_DIGITS)
        if table is None or any(q.exact is None and q.zero is None for q in table.values()):
            return None
        return {s: self._letter(s, q, g, used) for s, q in table.items()}

    def _letter(self, index: Index, q: Quantity, g: Expr, used: Sequence[Symbol]) -> Expr:
        if q.exact is not None:
            return q.exact
        if q.zero:
            return S.Zero
        sign = {"positive": True} if q.value > 0 else {"negative": True}
        letter = Symbol(f"E[{hermite_product(index, used) * g}]", **sign)
        self.letters[letter] = q
        return letter


def is_integrable(f: Expr, variables: Sequence[Symbol], region: Region) -> tuple[bool | None, str]:
    """(whether E|f| is shown to be finite for all parameters, or infinite for all; why not)."""
    decisions = [integrability(f.subs(there), list(variables)) for there, _ in region.charts(f)]
    for decided in (True, False):
        for decision in decisions:
            if decision.finite is decided:
                return decided, decision.reason
    return None, decisions[0].reason
