"""Staircases: the subspaces that are learned one after the other, and why they end."""

from __future__ import annotations

from hermite_analytics.argument import Facts
from hermite_analytics.argument.remarks import remark
from hermite_analytics.argument.steps import NoFurther, OpenOrder, WholeSpace
from hermite_analytics.evidence import Evidence
from hermite_analytics.exponents.coefficients import DEFAULT_SECONDS, Coefficients
from hermite_analytics.exponents.results import Staircase, weaker
from hermite_analytics.exponents.spans import Span
from hermite_analytics.exponents.steps import Step, is_everything, step
from hermite_analytics.foundation.clock import TimeEnded, allowed, limited
from hermite_analytics.target import Target

__all__ = ["leap_decomposition", "staircase"]

_ENDED = remark("the time ended before a proof that there are no further directions")
_NOT_FOUND = remark("no further direction was found, nor a proof that there is none")
_NO_FORM = "what is learned has no echelon form that is proved"


def staircase(
    target: Target | str, *, seconds: float = DEFAULT_SECONDS, max_degree: int | None = None
) -> Staircase:
    """The subspaces U_0 = {0} < U_1 < ... that several giant steps with n ~ d samples learn.

    U_(t+1) = U_t + span over n of C_n[., U_t^(n-1)], the range of E[mu mu^T] with
    mu(x) = E[grad_perp f | P_U z = x]. A staircase that is stuck ends with the proof: the coefficients of a
    finite expansion, or a symmetry.

    Source: Dandi, Krzakala, Loureiro, Pesce and Stephan, arXiv:2305.18270. Parameters as in
    `information_exponent`.

    Returns
    -------
    Staircase
        All orders are 1.

    Examples
    --------
    >>> steps = staircase("z1 + z2 + z1**2 - z2**2")
    >>> steps.dimensions, steps.bases[1], steps.limit_dimension
    ((0, 1, 2), (('1', '1'),), 2)
    >>> print(staircase("erf(z1) + erf(z2)").reasons[-1])
    no further direction of order 1: f(z2, z1) = f(z1, z2)
    """
    with allowed(seconds):
        return _Climb(Coefficients(target, max_degree=max_degree), 1).result()


def leap_decomposition(
    target: Target | str, *, seconds: float = DEFAULT_SECONDS, max_degree: int | None = None
) -> Staircase:
    """The greedy decomposition: at each step all directions of the least order at which something is new.

    Its largest order is the isotropic leap, its last subspace holds all directions that f depends on.

    Source: after Abbe, Boix-Adsera and Misiakiewicz, arXiv:2302.11055; see `isotropic_leap`. Parameters as in
    `information_exponent`.

    Examples
    --------
    >>> steps = leap_decomposition("z1 + (z1**2 - 1)*z2*z3")
    >>> steps.dimensions, steps.orders
    ((0, 1, 3), (1, 2))
    """
    with allowed(seconds):
        coefficients = Coefficients(target, max_degree=max_degree)
        return _Climb(coefficients, coefficients.last).result()


class _Climb:
    """The steps up to a largest order."""

    def __init__(self, coefficients: Coefficients, highest: int) -> None:
        self.coefficients = coefficients
        self.highest = highest
        self.spans = [Span(width=coefficients.width)]
        self.orders: list[int] = []
        self.steps: list[Facts] = []
        self.evidence = Evidence.EXACT

    def result(self) -> Staircase:
        """All steps, and why they end."""
        try:
            with limited():
                return self._climbed()
        except TimeEnded:
            return self._undecided(_ENDED)

    def _climbed(self) -> Staircase:
        while True:
            span = self.spans[-1]
            if is_everything(self.coefficients, span):
                return self._ended(_all_learned(span))
            found = self._next()
            if found is None:
                return self._undecided(_NOT_FOUND)
            order, following = found
            if not following.is_complete:
                return self._undecided((OpenOrder(order=order, because=following.facts),))
            if not following.span.is_reduced:
                return self._undecided(remark(f"order {order}: {_NO_FORM}"))
            self.evidence = weaker(self.evidence, following.evidence)
            if not following.is_new:
                return self._ended((NoFurther(order=order, because=following.facts),))
            self.spans.append(following.span)
            self.orders.append(order)
            self.steps.append(following.facts)

    def _next(self) -> tuple[int, Step] | None:
        """The first order that is new or open; for a staircase also a proof that order 1 is empty."""
        for order in range(1, self.highest + 1):
            following = step(self.coefficients, self.spans[-1], order)
            if following.is_new or not following.is_complete or self.highest == 1:
                return order, following
            self.evidence = weaker(self.evidence, following.evidence)
        return None

    def _ended(self, end: Facts) -> Staircase:
        return self._staircase(self.spans[-1].dimension, None, self.evidence, end)

    def _undecided(self, end: Facts) -> Staircase:
        return self._staircase(None, self.coefficients.reached, Evidence.UNDECIDED, end)

    def _staircase(self, limit: int | None, degree: int | None, evidence: Evidence, end: Facts) -> Staircase:
        return Staircase(
            subspaces=tuple(span.basis(self.coefficients.numbers) for span in self.spans),
            orders=tuple(self.orders),
            limit_dimension=limit,
            undecided_up_to_degree=degree,
            evidence=evidence,
            steps=tuple(self.steps),
            end=end,
        )


def _all_learned(span: Span) -> Facts:
    if span.dimension == 0:
        return remark("the function is constant")
    if span.is_whole:
        return (WholeSpace(dimension=span.width),)
    return remark("the function depends on the learned directions only")
