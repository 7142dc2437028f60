"""Parameters that show that a case is not empty."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sympy import Expr, Rational, S, Symbol, pi

from hermite_analytics.analysis.parametric.domains import Domain
from hermite_analytics.analysis.parametric.region import Relation
from hermite_analytics.errors import HermiteAnalyticsError
from hermite_analytics.evidence import Quantity

__all__ = ["example"]

_VALUES = (1, 2, Rational(1, 2), -1, 3, Rational(-1, 2), 0, -2, Rational(1, 3), Rational(5, 2), pi, pi / 2)
_TRIED = 30


def example(
    domains: tuple[tuple[Symbol, Domain], ...],
    conditions: tuple[Relation, ...],
    letters: Mapping[Symbol, Quantity],
) -> dict[Symbol, Expr] | None:
    """Exact values of all parameters at which the conditions are shown to hold; None where none are found.

    Parameters
    ----------
    domains : tuple of (Symbol, Domain)
    conditions : tuple of Relation
    letters : mapping of Symbol to Quantity
        Enclosed numbers that the conditions name.

    Examples
    --------
    >>> a, b = Symbol("a", real=True), Symbol("b", real=True)
    >>> found = (Relation(left=b, sign="=", right=a**2), Relation(left=a - 1, sign="!="))
    >>> example(((a, Domain()), (b, Domain(low=S.Zero))), found, {})
    {a: 2, b: 4}
    """
    fixed = {r.left: r.right for r in conditions if r.sign == "=" and r.left in dict(domains)}
    free = [(p, _values(d)) for p, d in domains if p not in fixed]
    for point in _points(free):
        whole = {p: point.get(p, fixed.get(p, S.Zero)).subs(point) for p, _ in domains}
        try:
            if all(d.contains(whole[p]) for p, d in domains) and all(
                r.holds(whole, letters) for r in conditions
            ):
                return whole
        except HermiteAnalyticsError:  # not decided there
            continue
    return None


def _points(free: list[tuple[Symbol, list[Expr]]]) -> Iterator[Mapping[Symbol, Expr]]:
    """Different values first; then equal ones and opposite ones come up too."""
    for k in range(_TRIED if free else 1):
        yield {p: values[(k + (k // 6 + 1) * i) % len(values)] for i, (p, values) in enumerate(free)}


def _values(domain: Domain) -> list[Expr]:
    """Of the usual ones those inside, and some between the ends."""
    low, high = domain.low, domain.high
    if low.is_finite and high.is_finite:
        inside = [low + (high - low) * Rational(k, 8) for k in (4, 2, 6, 3, 5, 1, 7, 0, 8)]
    else:
        end = low if low.is_finite else high if high.is_finite else S.Zero
        inside = [end + x if high is S.Infinity else end - x for x in (S.One, S(2), S.Half, S(4))]
    usual = [S(x) for x in _VALUES if domain.contains(S(x))]
    return list(dict.fromkeys([*usual, *(x for x in inside if domain.contains(x))]))
