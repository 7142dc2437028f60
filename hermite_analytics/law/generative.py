"""The generative exponent k*: the leap of the best transformation of the label.

One index: k* = min {k >= 1: E[He_k(z) | Y] != 0}. Several: the largest order of the greedy decomposition
in which a step of order k adds to U the directions of E[He_k(w) | Y, z_U], w orthogonal to U; equally, the
least K such that steps of order at most K reach all directions on which the target depends.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sympy import Poly, Symbol

from hermite_analytics.calculus.clock import TimeEnded, limited
from hermite_analytics.enclosure import Budget
from hermite_analytics.errors import InputError, ParseError, UndefinedQuantity, UnsupportedExpression
from hermite_analytics.evidence import Evidence
from hermite_analytics.exponents.contraction import slots
from hermite_analytics.exponents.dependence import depends_only_on
from hermite_analytics.exponents.numbers import Numbers
from hermite_analytics.exponents.results import Exponent, infinite, known, undecided
from hermite_analytics.exponents.spans import Row, Span, complement, extended
from hermite_analytics.law.node import ConditionalLaw
from hermite_analytics.law.order import sign_of
from hermite_analytics.law.pieces import INCREASING
from hermite_analytics.law.stalls import Invariances, preimages_cancel
from hermite_analytics.law.transformations import TransformedLabel, indicators, powers
from hermite_analytics.law.zeros import in_elementary_functions
from hermite_analytics.symbols import variable, xi
from hermite_analytics.target import Target

__all__ = ["generative_exponent"]

DEFAULT_SECONDS = 30.0
_DEGREES = {1: 8, 2: 6, 3: 5}
_DEGREE = 4
_MOST_DEGREE = 40
_SHARE = 0.7  # of the time left, for one attempt


def generative_exponent(
    target: Target | str, *, seconds: float = DEFAULT_SECONDS, max_degree: int | None = None
) -> Exponent:
    """k*, the exponent of algorithms that may transform the label.

    Source: arXiv:2403.05529 (one index), arXiv:2506.05500 (several: the generative leap), arXiv:2406.01581
    (polynomials of one index: k* <= 2).
    Additive Gaussian label noise leaves k* as it is.

    Parameters
    ----------
    target : Target or str
    seconds : float > 0
    max_degree : int, optional
        Largest degree of the moments of a transformed label; by default 8, 6, 5 for 1, 2, 3 indices, else 4.

    Returns
    -------
    Exponent
        Upper bounds come from nonzero moments of y, y^2, y^3 or of the indicators of finitely many values;
        lower bounds from verified symmetries, from complete finite lists, and from preimages that cancel.
        Where they do not meet the answer is undecided, with the proved lower bound.

    Examples
    --------
    >>> print(generative_exponent("He3(z1)"), generative_exponent("z1**2 * exp(-z1**2)"))
    1 4
    >>> print(generative_exponent("z1*z2*z3"), generative_exponent("sign(z1*z2*z3)"))
    2 3
    """
    f = Target(target) if isinstance(target, str) else target
    if max_degree is not None and not 1 <= max_degree <= _MOST_DEGREE:
        raise InputError(f"max_degree is {max_degree}; accepted: 1 to {_MOST_DEGREE}")
    budget = Budget(seconds=seconds)
    inner = _without_outer_maps(f)
    if not inner.expression.free_symbols - {xi}:
        return infinite("the label does not depend on z")
    theorem = _of_polynomial(inner)
    if theorem is not None:
        return theorem
    law = ConditionalLaw(inner, seconds=budget.part(_SHARE).seconds)
    if depends_only_on(law.signal, law.variables, Span(width=len(law.variables))):
        return infinite("the label does not depend on z")
    degree = _DEGREES.get(len(law.variables), _DEGREE) if max_degree is None else max_degree
    try:
        with limited(budget):
            return _Search(law, degree, budget).answer()
    except TimeEnded:
        return undecided(1, degree, f"the time of {seconds:g} seconds ended")


def _without_outer_maps(target: Target) -> Target:
    """The target inside strictly monotone functions, without additive noise there."""
    inner, before = target.expression, None
    while inner != before:
        before = inner
        if inner.is_Add or inner.is_Mul:
            inner = inner.as_independent(*inner.free_symbols, as_Add=bool(inner.is_Add))[1]
        elif isinstance(inner, INCREASING):
            inner = inner.args[0]
        if not inner.diff(xi).free_symbols:
            inner = inner.subs(xi, 0)
    try:
        return Target(str(inner))
    except (UndefinedQuantity, ParseError):  # no mean without the outer function; too long a text
        return target


def _of_polynomial(target: Target) -> Exponent | None:
    """Polynomials of one index: k* = 1 unless even, then 2."""
    signal = in_elementary_functions(target.expression)
    if target.dimension > 1 or xi in signal.free_symbols or not signal.is_polynomial(variable(1)):
        return None
    poly = Poly(signal, variable(1))
    if any(k % 2 and sign_of(a) != 0 for (k,), a in poly.terms()):
        return known(1, Evidence.EXACT, "the label is a monotone function of a polynomial that is not even")
    if all(k == 0 or sign_of(a) == 0 for (k,), a in poly.terms()):
        return infinite("the label does not depend on z")
    return known(2, Evidence.EXACT, "the label is a monotone function of an even polynomial")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reached:
    """What steps of order at most K reach with some transformations, and what the last of them was."""

    span: Span
    reason: str
    evidence: Evidence


class _Search:
    """Upper bounds by closures, lower bounds by certificates."""

    def __init__(self, law: ConditionalLaw, degree: int, budget: Budget) -> None:
        self._law, self._degree, self._budget = law, degree, budget
        self._noise: tuple[Symbol, ...] = (xi,) if law.signal.has(xi) else ()
        self._numbers = Numbers()
        self._invariances = Invariances(law.signal, law.variables, self._noise)
        self._complete = law.values is not None

    def answer(self) -> Exponent:
        at_least, reason = 1, "no transformation of the label that was tried has a finite moment"
        used: list[TransformedLabel] = []
        for more in self._transformations():
            used += more
            found = self._attempt(used)
            if found.value is not None:
                return found
            lower = int(found.at_least)
            if lower >= at_least:
                at_least, reason = lower, found.reason
        return undecided(at_least, self._degree, reason)

    def _transformations(self) -> Iterator[list[TransformedLabel]]:
        law, n, numbers, budget = self._law, self._degree, self._numbers, self._budget
        if self._complete:
            yield indicators(law.cells, law.variables, self._noise, n, numbers, budget)
            return
        for one in powers(law.signal, law.variables, self._noise, n, numbers, budget):
            yield [one]

    def _attempt(self, used: Sequence[TransformedLabel]) -> Exponent:
        """The exponent, or the lower bound that these transformations give."""
        below: list[str] = []
        evidence = Evidence.EXACT
        signal, variables = self._law.signal, self._law.variables
        most = self._closure(used, self._degree).span
        irrelevant = complement(most).rows if depends_only_on(signal, variables, most) else ()
        at_least, stalled, reason = 1, 0, ""
        for order in range(1, self._degree + 1):
            reached = self._closure(used, order)
            if reached.span.dimension > stalled:
                at_least = order
            if Evidence.PROVED in (reached.evidence, evidence):
                evidence = Evidence.PROVED
            if reached.span.dimension and depends_only_on(signal, variables, reached.span):
                return known(order, evidence, "; ".join([reached.reason, *below]))
            stall = self._stalls(used, reached.span, order, irrelevant)
            if stall is None:
                reason = (
                    f"it is open whether steps of order {order} end at dimension {reached.span.dimension}"
                )
                break
            below = [f"steps of order {order} end at dimension {reached.span.dimension}: {stall[0]}"]
            evidence = stall[1] if evidence is Evidence.EXACT else evidence
            stalled, reason = reached.span.dimension, below[0]
            if reached.span.dimension == 0:  # also where the target depends on nothing more: k* = inf
                at_least = order + 1
        return undecided(at_least, self._degree, reason)

    def _closure(self, used: Sequence[TransformedLabel], order: int) -> _Reached:
        """The subspace that steps of at most this order reach, by moments proved nonzero."""
        span, reasons, evidence = Span(width=len(self._law.variables)), [], Evidence.EXACT
        while True:
            before = span
            for one in used:
                for degree in range(1, self._degree + 1):
                    for j in range(1, min(order, degree) + 1):
                        vectors = slots(one.tensors[degree], span.rows, complement(span).rows, j)
                        longer, _ = extended(self._numbers, span, vectors)
                        if longer.dimension > span.dimension:
                            span = longer
                            reasons.append(f"E[He_{degree} T(y)] != 0 with T = {one.name}, order {j}")
                            if one.evidence is not Evidence.EXACT:
                                evidence = Evidence.PROVED
            if span.dimension == before.dimension:
                return _Reached(span=span, reason=", ".join(reasons), evidence=evidence)

    def _stalls(
        self, used: Sequence[TransformedLabel], span: Span, order: int, irrelevant: Sequence[Row]
    ) -> tuple[str, Evidence] | None:
        """Why no step of at most this order leaves the span."""
        reasons, evidence = [], Evidence.EXACT
        for k in range(1, order + 1):
            symmetry = self._invariances.reason(span, k, irrelevant)
            if symmetry is not None:
                reasons.append(symmetry)
                evidence = Evidence.PROVED
            elif span.dimension == 0 and self._complete and not any(one.tensors[k] for one in used):
                reasons.append(f"E[He_{k} 1{{Y=y}}] = 0 for each of the {len(self._law.cells)} values")
            elif self._cancels(k):
                reasons.append(f"the preimages of each label cancel in E[He_{k} | y]")
            else:
                return None
        return "; ".join(dict.fromkeys(reasons)), evidence

    def _cancels(self, order: int) -> bool:
        law = self._law
        try:
            return len(law.variables) == 1 and preimages_cancel(law.pieces, law.variables[0], order)
        except UnsupportedExpression:  # critical values that are not told apart
            return False
