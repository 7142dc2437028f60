"""A set of parameters: domains, parameters that are functions of the others, relations that hold besides."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import sympy
from sympy import Expr, Poly, S, Symbol

from hermite_analytics.analysis.parametric.domains import Domain
from hermite_analytics.analysis.parametric.factors import factors, normal
from hermite_analytics.analysis.parametric.letters import enclosed_sign
from hermite_analytics.argument.formulas import formula
from hermite_analytics.argument.sentences import Math
from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.evidence import Quantity
from hermite_analytics.gaussian.order import sign_of
from hermite_analytics.language import display
from hermite_analytics.language.bounds import is_shown_nonnegative, is_shown_positive

__all__ = ["Region", "Relation"]

RelationSign: TypeAlias = Literal["=", "!=", ">", ">="]
_MOST_CHARTS = 16
_LARGEST = 200  # operations of an expression whose sign is looked for
_OTHER_WAVE = {sympy.sin: sympy.cos, sympy.cos: sympy.sin}
_LATEX = {"=": "=", "!=": r"\neq", ">": ">", ">=": r"\ge"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """left = right, left != right, left > right or left >= right, an exact condition on parameters.

    Examples
    --------
    >>> a = Symbol("a", real=True)
    >>> print(Relation(left=a**2 - 2, sign="!="), Relation(left=a, sign="=", right=sympy.sqrt(2)))
    a**2 - 2 != 0 a = sqrt(2)
    """

    left: Expr
    sign: RelationSign
    right: Expr = S.Zero

    @property
    def difference(self) -> Expr:
        """left - right."""
        return self.left - self.right

    @property
    def symbolic(self) -> sympy.Basic:
        """As a relation of sympy."""
        kinds = {"=": sympy.Eq, "!=": sympy.Ne, ">": sympy.Gt, ">=": sympy.Ge}
        return kinds[self.sign](self.left, self.right, evaluate=False)

    def math(self) -> Math:
        """As a formula."""
        left, right = (
            formula(self.left, display.text(self.left)),
            formula(self.right, display.text(self.right)),
        )
        return Math(
            f"{left.text} {self.sign} {right.text}", f"{left.latex} {_LATEX[self.sign]} {right.latex}"
        )

    def __str__(self) -> str:
        return self.math().text

    def holds(self, point: Mapping[Symbol, Expr], letters: Mapping[Symbol, Quantity]) -> bool:
        """Whether it holds at exact values of all parameters; it does not where it divides by 0.

        Parameters
        ----------
        point : mapping of Symbol to expression
        letters : mapping of Symbol to Quantity
            Enclosed numbers that the relation names.

        Raises
        ------
        UnsupportedExpression
            If that is not decided.
        """
        value = self.difference.subs(point)
        if value.has(sympy.zoo, sympy.nan, sympy.oo, -sympy.oo):
            return False
        sign = 1 if value.is_positive else -1 if value.is_negative else enclosed_sign(value, letters)
        return {"=": sign == 0, "!=": sign != 0, ">": sign > 0, ">=": sign >= 0}[self.sign]


@dataclass(frozen=True, slots=True, kw_only=True)
class Region:
    """The parameters in their domains for which the relations hold.

    Attributes
    ----------
    domains : mapping of Symbol to Domain
        Of the parameters that are free.
    solved : tuple of (Symbol, expression)
        The other parameters, in those that are free.
    relations : tuple of Relation
        Between free ones.
    """

    domains: Mapping[Symbol, Domain]
    solved: tuple[tuple[Symbol, Expr], ...] = ()
    relations: tuple[Relation, ...] = ()

    @property
    def conditions(self) -> tuple[Relation, ...]:
        """All that holds here besides the domains."""
        solved = sorted(self.solved, key=lambda found: found[0].name)
        fixed = (Relation(left=p, sign="=", right=x) for p, x in solved)
        return (*fixed, *self.relations)

    @property
    def equations(self) -> tuple[Expr, ...]:
        """What is 0 here, and is not solved for a parameter."""
        return tuple(r.left for r in self.relations if r.sign == "=")

    def is_positive(self, x: Expr, *, or_zero: bool = False) -> bool:
        """Whether it is shown that x > 0 (or x >= 0) everywhere here."""
        if not x.free_symbols:
            return _sign(x) in ((1, 0) if or_zero else (1,))
        if any(r.sign == ">" and sympy.expand(r.left - x) == 0 for r in self.relations):
            return True
        shown = is_shown_nonnegative if or_zero else is_shown_positive
        return sympy.count_ops(x) <= _LARGEST and any(shown(y) for y in self.written(x))

    def is_nonzero(self, g: Expr) -> bool:
        """Whether it is shown that g vanishes nowhere here; sine and cosine have no common zero."""
        known = {h for r in self.relations if r.sign in ("!=", ">") for h in factors(r.left)}
        known |= {_OTHER_WAVE[h.func](h.args[0]) for h in self.equations if h.func in _OTHER_WAVE}
        return all(self._is_nonzero(h, known) for h in factors(g))

    def _is_nonzero(self, g: Expr, known: set[Expr]) -> bool:
        if not g.free_symbols:
            return _sign(g) in (1, -1)
        terms = g.args if g.is_Add and all(is_shown_nonnegative(t) for t in g.args) else ()
        if any(set(factors(t)) <= known for t in terms):  # one of them is not 0
            return True
        return g in known or self.zeros(g) == 0 or self.is_positive(g) or self.is_positive(-g)

    def zeros(self, g: Expr) -> int | None:
        """How many values of its only parameter make a polynomial 0; None for other functions."""
        if len(g.free_symbols) != 1:
            return None
        (p,) = g.free_symbols
        if p not in self.domains or not g.is_polynomial(p):
            return None
        polynomial = Poly(g, p)
        if not (polynomial.domain.is_ZZ or polynomial.domain.is_QQ):
            return None
        return self.domains[p].zeros(polynomial.sqf_part())

    def charts(self, x: Expr) -> Iterator[tuple[dict[Symbol, Expr], dict[Symbol, Expr]]]:
        """Parameters as they are, or counted from the ends of their domains; how to come back from there."""
        ways = [[None, *((p, *way) for way in d.charts(p))] for p, d in self.domains.items() if x.has(p)]
        for chosen in itertools.islice(itertools.product(*ways), _MOST_CHARTS):
            taken = [way for way in chosen if way is not None]
            yield {p: form for p, form, _, _ in taken}, {t: back for _, _, t, back in taken}

    def written(self, x: Expr) -> Iterator[Expr]:
        """The expression in these ways."""
        for there, _ in self.charts(x):
            y = x.subs(there)
            yield y
            if there:
                yield sympy.expand(y)

    def reduced(self, x: Expr) -> Expr:
        """x, or something simpler that is equal here."""
        for g in self.equations:
            if x == 0:
                break
            if g in factors(x):
                return S.Zero
            names = sorted(g.free_symbols, key=str)
            if names and x.is_polynomial(*names) and g.is_polynomial(*names):
                x = sympy.reduced(sympy.expand(x), [g], *names)[1]
        return x

    def without(self, gs: Iterable[Expr]) -> Region | None:
        """The part where none of the g vanishes; None where that is empty."""
        left = [g for g in gs if not self.is_nonzero(g)]
        if S.Zero in left or any(g in self.equations for g in left):
            return None
        more = (Relation(left=g, sign="!=") for g in left)
        return replace(self, relations=(*self.relations, *more))

    def on(self, g: Expr) -> Region:
        """The part where g = 0."""
        if g in self.equations:
            return self
        return replace(self, relations=(*self.relations, Relation(left=g, sign="=")))

    def forgetting(self, g: Expr) -> Region:
        """Without the equation g = 0, which is about to be solved."""
        left = tuple(r for r in self.relations if r.sign != "=" or r.left != g)
        return replace(self, relations=left)

    def solved_for(self, p: Symbol, x: Expr) -> Region | None:
        """The part where p = x, a function of the other parameters; None where that is shown to be empty."""
        domain = self.domains[p]
        rest = replace(
            self,
            domains={q: d for q, d in self.domains.items() if q != p},
            solved=(*((q, y.subs(p, x)) for q, y in self.solved), (p, x)),
            relations=(),
        )
        within: list[Relation] = []
        if domain.low.is_finite:
            within.append(Relation(left=x - domain.low, sign=">=" if domain.has_low else ">"))
        if domain.high.is_finite:
            within.append(Relation(left=domain.high - x, sign=">=" if domain.has_high else ">"))
        within += [Relation(left=x - e, sign="!=") for e in domain.excluded]
        moved = (replace(r, left=r.left.subs(p, x)) for r in self.relations)
        for relation in (*within, *moved):
            found = rest._and(relation)
            if found is None:
                return None
            rest = found
        return rest

    def _and(self, relation: Relation) -> Region | None:
        """The part where one more relation holds."""
        x = relation.left
        if relation.sign == "!=":
            return self.without(factors(x))
        if relation.sign == "=":
            left = factors(x)
            if left == (S.Zero,):
                return self
            return None if self.is_nonzero(x) else self.on(normal(x))
        strict = relation.sign == ">"
        if self.is_positive(x, or_zero=not strict):
            return self
        if self.is_positive(-x, or_zero=strict):
            return None
        return replace(self, relations=(*self.relations, replace(relation, left=x)))


def _sign(number: Expr) -> int | None:
    try:
        return sign_of(number)
    except UnsupportedExpression:
        return None
