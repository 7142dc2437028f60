"""Information exponent, leap index, leap complexity and isotropic leap, each with its proof."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

from sympy import S

from hermite_analytics.argument import Fact, Facts
from hermite_analytics.argument.coefficients import AllSlots, VanishingTensors
from hermite_analytics.argument.remarks import remark
from hermite_analytics.argument.sentences import Math
from hermite_analytics.argument.steps import Basis, NothingBelow, OpenOrder
from hermite_analytics.exponents.coefficients import DEFAULT_SECONDS, Coefficients
from hermite_analytics.exponents.results import Exponent, FirstSubspace, infinite, known, undecided, weaker
from hermite_analytics.exponents.spans import Row, Span, extended
from hermite_analytics.exponents.steps import Step, is_everything, step, with_gradients
from hermite_analytics.foundation.clock import TimeEnded, allowed, limited
from hermite_analytics.target import Target

__all__ = [
    "closure_leap",
    "first_subspace",
    "information_exponent",
    "intrinsic_dimension",
    "isotropic_leap",
    "leap_complexity",
    "leap_index",
]

_CONSTANT = remark("the function is constant")
_ENDED = remark("the time ended before a proof")
_OPEN = remark("whether ", Math("f", "f"), " depends on more directions is open")
Grow = Callable[[Coefficients, Span, int, Step], Span]


def information_exponent(
    target: Target | str, *, seconds: float = DEFAULT_SECONDS, max_degree: int | None = None
) -> Exponent:
    """The first k >= 1 with C_k = E[He_k(z) f(z)] != 0; infinite for a constant.

    Source: Ben Arous, Gheissari and Jagannath (one direction); the first nonzero tensor is its form that does
    not depend on the basis. Equal to `leap_index` by definition. Label noise is averaged out.

    Parameters
    ----------
    target : Target or str
    seconds : float > 0
        Time allowed: what is not proved in it is undecided.
    max_degree : int, optional
        1 to 100, the largest degree to look at where the expansion is infinite; by default at most 1000
        coefficients. Polynomials are looked at as a whole.

    Returns
    -------
    Exponent

    Raises
    ------
    InputError, ParseError, UndefinedQuantity
        For what is not a target, or a degree out of range.

    Examples
    --------
    >>> answer = information_exponent("z1**2*exp(-z1**2)")
    >>> answer.value, str(answer.evidence), answer.reason
    (4, 'exact', 'C_1 to C_3 vanish; c_(4) = -4*sqrt(3)/27')
    >>> print(information_exponent("3"))
    inf
    """
    with allowed(seconds):
        return _leap_index(Coefficients(target, max_degree=max_degree))


def leap_index(
    target: Target | str, *, seconds: float = DEFAULT_SECONDS, max_degree: int | None = None
) -> Exponent:
    """The first k >= 1 with C_k != 0; see `information_exponent`, to which it is equal.

    Source: Dandi, Krzakala, Loureiro, Pesce and Stephan, arXiv:2305.18270, in its form for all functions.

    Examples
    --------
    >>> leap_index("sign(z1*z2*z3)").value
    3
    """
    with allowed(seconds):
        return _leap_index(Coefficients(target, max_degree=max_degree))


def first_subspace(
    target: Target | str, *, seconds: float = DEFAULT_SECONDS, max_degree: int | None = None
) -> FirstSubspace:
    """U*_l: the span of the first nonzero tensor C_l, what one giant step at n ~ d^l learns.

    Source: Dandi, Krzakala, Loureiro, Pesce and Stephan, arXiv:2305.18270. Parameters as in
    `information_exponent`.

    Examples
    --------
    >>> first_subspace("sign(z1)*sign(z2 + z3)").basis
    (('1', '0', '0'), ('0', '1', '1'))
    """
    with allowed(seconds):
        return _first_subspace(Coefficients(target, max_degree=max_degree))


def _first_subspace(coefficients: Coefficients) -> FirstSubspace:
    order = _leap_index(coefficients)
    if order.value is None:
        return FirstSubspace(order=order, subspace=None, facts=order.facts)
    if order.value == "inf":
        return FirstSubspace(order=order, subspace=Basis(rows=()), facts=order.facts)
    try:
        with limited():
            found = step(coefficients, Span(width=coefficients.width), order.value)
    except TimeEnded:
        return FirstSubspace(order=order, subspace=None, facts=_ENDED)
    if found.is_complete and found.span.is_reduced:
        subspace = found.span.basis(coefficients.numbers)
        return FirstSubspace(order=order, subspace=subspace, facts=found.facts)
    known_of_it = "has no echelon form that is proved" if found.is_complete else "is not decided"
    tensor = Math(f"C_{order.value}", f"C_{{{order.value}}}")
    words = f", of dimension {found.span.dimension} or more, {known_of_it}"
    return FirstSubspace(order=order, subspace=None, facts=remark("the span of ", tensor, words))


def leap_complexity(
    target: Target | str, *, seconds: float = DEFAULT_SECONDS, max_degree: int | None = None
) -> Exponent:
    """The leap of Abbe et al., which depends on the basis: min over orderings of the largest leap.

    The least k for which adding to A the support of every S with c_S != 0 and 0 < sum of S outside A <= k
    reaches all coordinates that f depends on. Infinite for a constant.

    Source: Abbe, Boix-Adsera and Misiakiewicz, arXiv:2302.11055. Parameters as in `information_exponent`.

    Examples
    --------
    >>> [leap_complexity(f).value for f in ("z1 + z2 + z1*z2", "z1 + z2*z3", "z1*z2*z3")]
    [1, 2, 3]
    """
    with allowed(seconds):
        return _closure_leap(Coefficients(target, max_degree=max_degree), _coordinates)


def isotropic_leap(
    target: Target | str, *, seconds: float = DEFAULT_SECONDS, max_degree: int | None = None
) -> Exponent:
    """The largest leap complexity over all rotations of f.

    By the closure theorem it is the least k for which the subspaces that grow by the first slots of
    C_n[perp^j, U^(n - j)], j <= k, reach all directions that f depends on: no rotation is searched for.

    Source: Abbe, Boix-Adsera and Misiakiewicz, arXiv:2302.11055, for the definition. Parameters as in
    `information_exponent`.

    Notes
    -----
    If level k - 1 stalls at U, then in a basis adapted to U and its complement every S that leaves U has at
    least k outside: some rotation has a leap of k or more. If in some basis the coordinates stall at level k
    with span W, then C_n[perp^j, W^(n - j)] = 0 for all n and 1 <= j <= k, every step of order <= k that
    starts inside W stays there, and the subspaces stall too.

    Examples
    --------
    >>> [isotropic_leap(f).value for f in ("z1 + z2 + z1*z2", "z1 + z1*z2", "3")]
    [2, 1, 'inf']
    """
    with allowed(seconds):
        return closure_leap(Coefficients(target, max_degree=max_degree))


def closure_leap(coefficients: Coefficients) -> Exponent:
    """The isotropic leap of a function whose coefficients are at hand, in the time that is left."""
    return _closure_leap(coefficients, _subspaces)


def intrinsic_dimension(
    target: Target | str, *, seconds: float = DEFAULT_SECONDS, max_degree: int | None = None
) -> Exponent:
    """The number of directions that f depends on: the dimension of the span of all slots of all C_n.

    Parameters as in `information_exponent`. The answer is a finite number: 0 for a constant.

    Examples
    --------
    >>> [intrinsic_dimension(f).value for f in ("z1 + z1*z2 + z1*z3", "sin(z1 + z2)", "3")]
    [2, 1, 0]
    """
    with allowed(seconds):
        return _intrinsic_dimension(Coefficients(target, max_degree=max_degree))


def _intrinsic_dimension(coefficients: Coefficients) -> Exponent:
    span = Span(width=coefficients.width)
    try:
        with limited():
            for degree in range(coefficients.last + 1):
                longer = span
                if degree:
                    if not coefficients.has(degree):
                        break
                    longer = with_gradients(coefficients, span, degree)[0]
                if (degree == 0 or longer.dimension > span.dimension) and is_everything(coefficients, longer):
                    facts: Facts = (AllSlots(last=degree),) if longer.dimension else _CONSTANT
                    return known(longer.dimension, coefficients.evidence(degree), facts)
                span = longer
    except TimeEnded:
        return undecided(span.dimension, coefficients.reached, _ENDED)
    return undecided(span.dimension, coefficients.reached, _OPEN)


def _leap_index(coefficients: Coefficients) -> Exponent:
    nothing = Span(width=coefficients.width)
    degree, below = 1, list[Fact]()
    try:
        with limited():
            if is_everything(coefficients, nothing):
                return infinite(_CONSTANT)
            for degree in range(1, coefficients.last + 1):
                found = step(coefficients, nothing, degree)
                if found.is_new:
                    evidence = coefficients.evidence(degree)
                    return known(degree, evidence, (*_vanish(below), *found.facts))
                if not found.is_complete:
                    return undecided(degree, found.degree, found.facts)
                below += found.facts
    except TimeEnded:
        return undecided(degree, degree - 1, _ENDED)
    return undecided(coefficients.last + 1, coefficients.last, _vanish(below))


def _vanish(below: Sequence[Fact]) -> Facts:
    """That all C_k vanish of which this is shown, from C_1 on."""
    return (VanishingTensors(last=len(below), because=tuple(below)),) if below else ()


def _closure_leap(coefficients: Coefficients, grow: Grow) -> Exponent:
    """The least level at which the closure reaches everything.

    Directions that are proved to be new are added whether or not they are all of their order; that there are
    none is asked only where a level stalls.
    """
    first = _leap_index(coefficients)
    if not isinstance(first.value, int):
        return first
    try:
        with limited():
            return _closure(coefficients, grow, first, first.value)
    except TimeEnded:
        return undecided(first.value, coefficients.reached, _ENDED)


def _closure(coefficients: Coefficients, grow: Grow, first: Exponent, level: int) -> Exponent:
    evidence, facts = first.evidence, first.facts
    span = Span(width=coefficients.width)
    look = functools.cache(functools.partial(step, coefficients))
    while not is_everything(coefficients, span):
        rounds = (grow(coefficients, span, order, look(span, order)) for order in range(1, level + 1))
        longer = next((other for other in rounds if other.dimension > span.dimension), None)
        if longer is not None:
            span = longer
            continue
        for order in range(1, coefficients.last + 1):
            found = look(span, order)
            if found.is_new and order > level:
                level, evidence = order, weaker(evidence, found.evidence)
                facts = (NothingBelow(dimension=span.dimension, order=order), *found.facts)
                break
            if found.is_new or not found.is_complete:
                return undecided(level, coefficients.reached, (OpenOrder(order=order, because=found.facts),))
            evidence = weaker(evidence, found.evidence)
        else:
            return undecided(level, coefficients.reached, remark("no further direction up to this degree"))
    return known(level, evidence, facts)


def _subspaces(coefficients: Coefficients, span: Span, order: int, found: Step) -> Span:
    """What the step learns."""
    return found.span


def _coordinates(coefficients: Coefficients, span: Span, order: int, found: Step) -> Span:
    """The coordinates of all S with c_S != 0 and sum of S outside the span = order."""
    if found.is_complete and not found.is_new:
        return span
    for degree in range(order, coefficients.last + 1):
        if not coefficients.has(degree):
            break
        tensor = coefficients.tensor(degree)
        new = {
            i
            for index, entry in tensor.items()
            if sum(power for i, power in enumerate(index) if i not in span.pivots) == order
            and coefficients.numbers.is_zero(entry) is False
            for i, power in enumerate(index)
            if power and i not in span.pivots
        }
        if new:
            return extended(coefficients.numbers, span, [_unit(coefficients.width, i) for i in new])[0]
    return span


def _unit(width: int, i: int) -> Row:
    return tuple(S.One if i == j else S.Zero for j in range(width))
