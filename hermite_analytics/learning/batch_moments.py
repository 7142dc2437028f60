"""Which monomials of the label sigma sees on a batch that is seen again, and the directions they show."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import sympy
from sympy import Expr, S, Symbol

from hermite_analytics.activation import Activation
from hermite_analytics.argument import Facts
from hermite_analytics.argument.formulas import decimal_latex, formula
from hermite_analytics.argument.remarks import remark
from hermite_analytics.argument.sentences import Math, Paragraph, said
from hermite_analytics.errors import HermiteAnalyticsError
from hermite_analytics.evidence import Evidence, Quantity
from hermite_analytics.exponents.numbers import Numbers
from hermite_analytics.exponents.results import weaker
from hermite_analytics.exponents.spans import Row, Span, extended
from hermite_analytics.foundation.clock import TimeEnded
from hermite_analytics.gaussian.integrability import integrability
from hermite_analytics.gaussian.quantities import constant_quantity, expected_quantity, weakest
from hermite_analytics.language.functions import He, record_of
from hermite_analytics.language.functions.record import Growth
from hermite_analytics.symbols import variable, xi
from hermite_analytics.target import Target

__all__ = ["BatchMoments", "Sight"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """What is seen of the target.

    Attributes
    ----------
    span : Span
        M_t v != 0 for every v != 0 in it.
    degrees : tuple of int
        The power of eta with which each of its directions comes.
    facts : facts
    left : paragraph
        What was not decided.
    evidence : Evidence
    is_all : bool
        Whether it is proved to be the row space of M_t.
    """

    span: Span
    degrees: tuple[int, ...] = ()
    facts: Facts = ()
    left: Paragraph = ()
    evidence: Evidence = Evidence.EXACT
    is_all: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shown:
    """E[y^(1 + i) u^m z], one entry a coordinate, and the average of sigma that multiplies it."""

    row: Row
    factor: Quantity | None
    factor_name: Math
    moment_name: Math
    evidence: Evidence


class _Stopped(Exception):
    """Higher monomials cannot be looked at."""

    def __init__(self, *words: str | Math) -> None:
        super().__init__()
        self.words = words


class BatchMoments:
    """E[sigma^(n) sigma'^i] and E[y^(1 + i) u^m z], n = 1 + i + m, of one target and activation.

    Parameters
    ----------
    target : Target
    activation : Activation
    numbers : Numbers
    label : sympy expression, optional
        A function of the label that stands for it, called s; by default the label, called y.
    """

    def __init__(
        self, target: Target, activation: Activation, numbers: Numbers, label: Expr | None = None
    ) -> None:
        self._letter = "y" if label is None else "s"
        self._y = target.expression if label is None else label
        self._sigma, self._z = activation.expression, activation.variable
        self._slope, self._is_odd = activation.derivative, activation.is_odd
        self._numbers = numbers
        self._variables = [variable(i + 1) for i in range(target.dimension)]
        self._all = [*self._variables, *([xi] if self._y.has(xi) else [])]
        self._is_smooth = is_smooth(self._sigma, self._z)

    @functools.cached_property
    def mu_1(self) -> Quantity:
        """E[z sigma(z)]."""
        return expected_quantity(self._z * self._sigma, [self._z])

    @functools.cached_property
    def label_vector(self) -> tuple[Row, Evidence]:
        """(E[y z], its evidence)."""
        return self._mean(0, 0, S.Zero)

    def first(self) -> Sight:
        """The row space of M_1: E[y z] times mu_1."""
        nothing = Span(width=len(self._variables))
        factor = _with_value("mu_1", r"\mu_1", self.mu_1)
        if self.mu_1.zero:
            return Sight(span=nothing, facts=remark(factor), evidence=self.mu_1.evidence, is_all=True)
        try:
            row, evidence = self.label_vector
            span, decided = extended(self._numbers, nothing, [row])
        except (TimeEnded, HermiteAnalyticsError, _Stopped):
            decided = False
        if not decided or (self.mu_1.zero is None and span.dimension):
            return Sight(span=nothing, left=(factor, ", ", self._mean_name(0, 0, "")))
        if not span.dimension:
            return Sight(
                span=span, facts=remark(self._mean_name(0, 0, " = 0")), evidence=evidence, is_all=True
            )
        return Sight(
            span=span,
            degrees=(1,),
            facts=remark(factor, ", ", _not_zero(self._mean_name(0, 0, ""))),
            evidence=weaker(self.mu_1.evidence, evidence),
            is_all=True,
        )

    def later(self, room: int, highest: int, *, memory: bool = True) -> Sight:
        """What M_t shows for small eta after the first gradient, until a dimension is reached.

        Parameters
        ----------
        room : int
            A bound of the dimension.
        highest : int
            Power of eta up to which monomials are looked at.
        memory : bool
            Whether samples were seen before; fresh ones show the label itself, monomials y u^m, and through
            Gaussian fields alone, which smooth a kink.
        """
        found = Sight(span=Span(width=len(self._variables)))
        try:
            for degree in range(1, highest + 1):
                if found.span.dimension == room:
                    return found
                if degree % 2 or not self._is_odd:  # E[g | y, u] is odd in (y, u) for odd sigma
                    found = self._with_degree(found, degree, memory)
                if found.left:
                    return found
        except _Stopped as stopped:
            return replace(found, left=stopped.words)
        except (TimeEnded, HermiteAnalyticsError):
            return replace(found, left=("the moments were not found",))
        return replace(found, left=(f"nothing new up to the power {highest} of eta",))

    def _with_degree(self, found: Sight, degree: int, memory: bool) -> Sight:
        """The same with the monomials of one degree; `left` says why higher ones cannot be looked at."""
        u = self._first_overlap
        is_smooth = self._is_smooth or not memory
        fresh = self._fresh(degree, range(degree) if memory else [degree - 1], found.span, is_smooth)
        seen = [shown for shown in fresh if shown.factor is not None and not shown.factor.zero]
        if is_smooth or u == 0 or not seen:
            _require_decided(fresh)
        every, _ = extended(self._numbers, found.span, [shown.row for shown in fresh])
        span, _ = extended(self._numbers, found.span, [shown.row for shown in seen])
        if span.dimension > found.span.dimension + 1:
            raise _Stopped("which combination of ", *_listed([shown.moment_name for shown in seen]))
        is_blind = every.dimension > span.dimension
        left = self._left(blind=is_blind, kink=bool(seen) and degree > 1 and not is_smooth)
        if not seen:
            return replace(found, left=left)
        first = seen[0]
        evidence = weaker(found.evidence, first.evidence)
        facts = (*found.facts, *remark(first.factor_name, ", ", _not_zero(first.moment_name)))
        return replace(
            found, span=span, degrees=(*found.degrees, degree), facts=facts, left=left, evidence=evidence
        )

    def _fresh(self, degree: int, powers: Iterable[int], span: Span, is_smooth: bool) -> list[_Shown]:
        """The moments y^i u^m z of one degree that are outside the span."""
        u = self._first_overlap
        wanted = [m for m in powers if m == 0 or u != 0]
        found = [self._shown(degree - 1 - m, m, u, span, is_smooth) for m in wanted]
        return [shown for shown in found if shown is not None]

    def _left(self, *, blind: bool, kink: bool) -> Paragraph:
        """Why degrees above this one cannot be looked at; empty where they can."""
        if blind:
            return ("sigma is blind to a monomial of the label at its least power of eta",)
        return ("sigma has a kink",) if kink else ()

    @functools.cached_property
    def _first_overlap(self) -> Expr:
        """u = E[y z].z where the first step learns it, else 0."""
        row, _ = self.label_vector
        verdicts = [self._numbers.is_zero(x) for x in row]
        if self.mu_1.zero or all(verdicts):
            return S.Zero
        if self.mu_1.zero is None or (None in verdicts and False not in verdicts):
            raise _Stopped(self._mean_name(0, 0, ""))
        if not all(self._numbers.is_closed(x) for x in row):
            raise _Stopped(self._mean_name(0, 0, ""), " has no closed form")
        return sympy.Add(*(a * v for a, v in zip(row, self._variables, strict=True)))

    def _shown(self, i: int, m: int, u: Expr, span: Span, is_smooth: bool) -> _Shown | None:
        """The moment, where it is outside the span."""
        row, evidence = self._mean(i, m, u)
        longer, decided = extended(self._numbers, span, [row])
        if not decided:
            raise _Stopped(self._mean_name(i, m, ""))
        if longer.dimension == span.dimension:
            return None
        factor = self._factor(i, m, u, is_smooth)
        name, tex = self._factor_name(i, m)
        return _Shown(
            row=row,
            factor=factor,
            factor_name=Math(name, tex) if factor is None else _with_value(name, tex, factor),
            moment_name=self._mean_name(i, m, ""),
            evidence=evidence if factor is None else weaker(evidence, factor.evidence),
        )

    def _factor_name(self, i: int, m: int) -> tuple[str, str]:
        n = 1 + i + m
        if i == 0:
            return f"mu_{n}", rf"\mu_{{{n}}}"
        if n == 2:
            return "E[z sigma'^2]/2", r"\mathbb{E}[z (\sigma')^2]/2"
        if not self._is_smooth:
            return "coefficient of y^3 at the kink", r"\text{coefficient of } y^3 \text{ at the kink}"
        return f"E[sigma^({n}) sigma'^{i}]", rf"\mathbb{{E}}[\sigma^{{({n})}} (\sigma')^{{{i}}}]"

    def _mean(self, i: int, m: int, u: Expr) -> tuple[Row, Evidence]:
        """E[y^(1 + i) u^m z]; its entries without a closed form are letters."""
        if integrability(self._y, self._all, 2 * (2 + i)).finite is not True:
            raise _Stopped(f"moments of the label of order {2 * (2 + i)}")
        weight = self._y ** (1 + i) * u**m
        found = [expected_quantity(weight * v, self._all) for v in self._variables]
        row = tuple(S.Zero if q.zero else self._number(q) for q in found)
        return row, weakest(found)

    def _mean_name(self, i: int, m: int, relation: str) -> Math:
        return _mean_name(self._letter, i, m, relation)

    def _number(self, quantity: Quantity) -> Expr:
        return self._numbers.letter(quantity) if quantity.exact is None else quantity.exact

    def _factor(self, i: int, m: int, u: Expr, is_smooth: bool) -> Quantity | None:
        """E[sigma^(n) sigma'^i]; with kinks where a large alpha makes that the factor, else None."""
        n = 1 + i + m
        if i == 0 and (is_smooth or n <= 2):
            return expected_quantity(He(n, self._z) * self._sigma, [self._z])
        if (i, m) == (1, 0) and (self._is_smooth or u == 0):  # sigma'' sigma' is half of (sigma'^2)'
            return expected_quantity(sympy.expand(self._z * self._slope**2) / 2, [self._z])
        if self._is_smooth:
            integrand = sympy.diff(self._sigma, self._z, n) * self._slope**i
            return expected_quantity(integrand, [self._z])
        return self._kink_at_zero if (i, m) == (2, 0) and u == 0 else None

    @functools.cached_property
    def _kink_at_zero(self) -> Quantity | None:
        """For b z + c |z| what multiplies y^3/s, s the size of the noise in h_1/eta; None for others."""
        z, positive = self._z, sympy.Dummy("t", positive=True)
        right, left = (self._sigma.xreplace({z: side * positive}).doit() / positive for side in (1, -1))
        if right.free_symbols or left.free_symbols:
            return None
        b, c = (right - left) / 2, (right + left) / 2
        return constant_quantity(-4 * c**2 * b / sympy.sqrt(2 * sympy.pi))


def _require_decided(fresh: Sequence[_Shown]) -> None:
    for shown in fresh:
        if shown.factor is None or shown.factor.zero is None:
            raise _Stopped("whether sigma sees ", shown.moment_name)


def is_smooth(sigma: Expr, z: Symbol) -> bool:
    """Whether it is shown that sigma is analytic on the line and grows like a polynomial.

    Examples
    --------
    >>> from hermite_analytics.symbols import z
    >>> [is_smooth(Activation(f).expression, z) for f in ("tanh", "gelu", "relu", "exp(z)")]
    [True, True, False, False]
    """
    if z not in sigma.free_symbols or sigma == z:
        return True
    if not all(is_smooth(x, z) for x in sigma.args):
        return False
    if isinstance(sigma, sympy.Add | sympy.Mul | He):
        return True
    if sigma.is_Pow:
        return bool(sigma.exp.is_Integer and sigma.exp > 0)
    known = record_of(sigma)
    return known.strip is not None and known.growth in (Growth.BOUNDED, Growth.LINEAR)


def _with_value(name: str, tex: str, value: Quantity) -> Math:
    text = str(value)
    closed = None if value.closed_text is None else value.exact
    shown = Math(text, decimal_latex(text)) if closed is None else formula(closed, text)
    return Math(f"{name} = {shown.text}", f"{tex} = {shown.latex}")


def _mean_name(letter: str, i: int, m: int, relation: str) -> Math:
    """ "E[y**2 u z] = 0"."""
    parts = [(letter, 1 + i), ("u", m)]
    text = " ".join(x if k == 1 else f"{x}**{k}" for x, k in parts if k)
    tex = " ".join(x if k == 1 else f"{x}^{{{k}}}" for x, k in parts if k)
    return Math(f"E[{text} z]{relation}", rf"\mathbb{{E}}[{tex} z]{relation}")


def _not_zero(name: Math) -> Math:
    return Math(f"{name.text} != 0", rf"{name.latex} \neq 0")


def _listed(names: Sequence[Math]) -> Paragraph:
    return functools.reduce(lambda a, b: said(a, ", ", b), [(name,) for name in names])
