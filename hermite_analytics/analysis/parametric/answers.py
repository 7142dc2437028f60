"""The exponents on one case, with the argument for each."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set

from sympy import Expr, Symbol

from hermite_analytics.analysis.parametric.cases import Leaf
from hermite_analytics.argument import Fact
from hermite_analytics.argument.coefficients import Coefficient, VanishingTensors
from hermite_analytics.argument.moments import Moment, power
from hermite_analytics.argument.remarks import Theorem, remark
from hermite_analytics.argument.sentences import Math
from hermite_analytics.errors import HermiteAnalyticsError
from hermite_analytics.evidence import Evidence
from hermite_analytics.exponents.dependence import depends_only_on
from hermite_analytics.exponents.leaps import information_exponent, isotropic_leap
from hermite_analytics.exponents.results import Exponent, infinite, known, undecided
from hermite_analytics.exponents.spans import Span
from hermite_analytics.foundation.clock import allowed, remaining
from hermite_analytics.gaussian.zero.coordinates import coordinate_symmetries
from hermite_analytics.label.orders import generative_exponent
from hermite_analytics.language import display
from hermite_analytics.target import Target

__all__ = ["Exponents", "exponents"]

Exponents = tuple[Exponent, Exponent, Exponent]
"""Information exponent, isotropic leap, generative exponent."""

_CONSTANT = remark("the function is constant")
_SEVERAL = remark("several directions: asked for at points, by at(...)")
_FIRST = remark("steps of order 1 reach all directions, by T = y")
_POLYNOMIALS = "arXiv:2406.01581"
_POINT_SHARE = 0.2  # of the time left, for one exponent at one point


def exponents(leaf: Leaf, variables: Sequence[Symbol], letters: Set[Symbol]) -> Exponents:
    """What is known on a case.

    Parameters
    ----------
    leaf : Leaf
    variables : sequence of symbols
        z1, .., zr.
    letters : set of symbols
        Numbers that balls enclose.
    """
    f = leaf.branch.f
    used = [v for v in variables if f.has(v)]
    if leaf.is_constant or (leaf.open_because and _is_constant(f, variables)):
        constant = infinite(_CONSTANT)
        return constant, constant, constant
    is_point = not leaf.branch.region.domains and not f.free_symbols & letters
    if is_point and (used[1:] or (leaf.is_even is None and leaf.branch.degree > 1)):
        return _at_a_point(f)
    order = _order(leaf, letters)
    if len(used) != 1:  # none: the target is not defined here
        several = undecided(int(order.at_least), leaf.branch.degree, _SEVERAL)
        leap = several if leaf.leap is None else leaf.leap
        first = leap == 1
        return (
            order,
            leap,
            known(1, leap.evidence, _FIRST) if first else undecided(1, leaf.branch.degree, _SEVERAL),
        )
    return order, order, _generative(leaf, used[0], order)


def _order(leaf: Leaf, letters: Set[Symbol]) -> Exponent:
    degree = leaf.branch.degree
    below: tuple[Fact, ...] = (VanishingTensors(last=degree - 1),) if degree > 1 else ()
    if leaf.witness is None:
        return undecided(degree, degree - 1, remark(leaf.open_because))
    index, value = leaf.witness
    evidence = Evidence.PROVED if value.free_symbols & letters else Evidence.EXACT
    return known(degree, evidence, (*below, Coefficient(index=index, value=value)))


def _generative(leaf: Leaf, z: Symbol, order: Exponent) -> Exponent:
    """By the first moment, by evenness, and for polynomials by their parity.

    A polynomial of one direction that is not even has exponent 1. E[z | f(z)] = 0 would mean
    E[z 1{f > t}] = 0 for all t. Beyond the critical values {f > t} or {f < t} is a half line, where this is
    not 0, or two half lines that end at -u(t) and v(t), where it is phi(v) - phi(u): then u = v, and f is
    even. An even one has exponent 2, by He_2 on the same half lines. Additive Gaussian noise changes neither.
    """
    f, degree = leaf.branch.f, leaf.branch.degree
    if order == 1:
        return known(1, order.evidence, (Moment(degree=1, order=1, transformation=power(1)),))
    if leaf.is_even is not None:
        words = "even polynomial" if leaf.is_even else "polynomial that is not even"
        theorem = Theorem(statement=f"an {words}" if leaf.is_even else f"a {words}", source=_POLYNOMIALS)
        return known(2 if leaf.is_even else 1, Evidence.EXACT, (theorem,))
    even = Math("f(-z) = f(z)", "f(-z) = f(z)")
    if coordinate_symmetries(f, (z,)).parities[0] != 1:
        return undecided(1, degree, remark(_most(order)))
    if order == 2:
        return known(2, Evidence.PROVED, (*remark(even), Moment(degree=2, order=2, transformation=power(1))))
    return undecided(2, degree, remark(even, f"; {_most(order)}"))


def _most(order: Exponent) -> str:
    """What the information exponent says of the generative one."""
    return "open" if order.value is None else f"at most {order}, by T = y"


def _is_constant(f: Expr, variables: Sequence[Symbol]) -> bool:
    """Whether it is proved that f does not depend on z."""
    return f.has(*variables) and remaining() > 0 and depends_only_on(f, variables, Span(width=len(variables)))


def _at_a_point(f: Expr) -> Exponents:
    """The ordinary answers: no parameter is left."""
    target = Target(display.text(f))

    def asked(ask: Callable[..., Exponent]) -> Exponent:
        seconds = max(remaining() * _POINT_SHARE, 0.1)
        try:
            return ask(target, seconds=seconds)
        except HermiteAnalyticsError as refused:
            return undecided(1, 0, remark(" ".join(str(refused).split())))

    with allowed(min(remaining(), 60.0)):
        return asked(information_exponent), asked(isotropic_leap), asked(generative_exponent)
