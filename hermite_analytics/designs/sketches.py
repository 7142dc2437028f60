"""What the terms of a candidate prove at once: exact coefficients, parities, and finitely many values."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sympy import Add, Expr, Integer, S, oo

from hermite_analytics.designs.grammar import Candidate, Factor, Term
from hermite_analytics.designs.request import Request
from hermite_analytics.expansion import hermite

__all__ = ["Sketch", "excluded_by", "sketch_of"]

Index = tuple[int, ...]
_DEGREE = 8
_SECONDS = 5.0
_MOST = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Sketch:
    """Coefficients c_S of a sum of products, |S| <= 8, each proved to be nonzero, proved to be 0, or open.

    Attributes
    ----------
    nonzero, open : frozenset of indices
        All others with |S| <= 8 are proved to vanish.
    is_whole : bool
        Whether these are all coefficients: a polynomial of degree at most 8.
    """

    nonzero: frozenset[Index]
    open: frozenset[Index]
    is_whole: bool

    def first_order(self) -> int | None:
        """The information exponent, where it is decided by these coefficients."""
        orders = sorted({sum(s) for s in self.nonzero | self.open if any(s)})
        if orders and any(sum(s) == orders[0] for s in self.nonzero):
            return orders[0]
        return None

    def first_order_at_least(self) -> int:
        """A lower bound on the information exponent."""
        return min((sum(s) for s in self.nonzero | self.open if any(s)), default=_DEGREE + 1)

    def leap_at_most(self, width: int) -> int | None:
        """A level of leaps at which the proved coefficients reach all coordinates."""
        levels = range(1, _DEGREE + 1)
        return next((k for k in levels if len(_closure(self.nonzero, k)) == width), None)


@functools.lru_cache(maxsize=4096)
def sketch_of(candidate: Candidate) -> Sketch | None:
    """None for a candidate that is not given by terms."""
    if candidate.terms is None:
        return None
    found: dict[Index, list[Expr | None]] = {}
    for term in candidate.terms:
        for index, number in _coefficients(term, candidate.width):
            found.setdefault(index, []).append(number)
    nonzero: set[Index] = set()
    undecided: set[Index] = set()
    for index, numbers in found.items():
        verdict = _is_nonzero(numbers)
        if verdict is not False:
            (nonzero if verdict else undecided).add(index)
    return Sketch(
        nonzero=frozenset(nonzero),
        open=frozenset(undecided),
        is_whole=_polynomial_degree(candidate) is not None,
    )


def excluded_by(request: Request, candidate: Candidate) -> str | None:
    """The name of a property that the candidate is proved not to have."""
    if candidate.terms is None:
        return None
    for name, rule in _RULES.items():
        wanted = getattr(request, name)
        if wanted is not None and rule(wanted, candidate):
            return name
    return None


def _information(wanted: int, c: Candidate) -> bool:
    sketch = sketch_of(c)
    if sketch is None:
        return False
    if any(0 < sum(s) < wanted for s in sketch.nonzero):
        return True
    possible = sketch.nonzero | sketch.open
    return wanted <= _DEGREE and not any(sum(s) == wanted for s in possible)


def _leap(wanted: int, c: Candidate) -> bool:
    """Whether the proved coefficients reach all coordinates at a lower level, or all of them do not."""
    sketch = sketch_of(c)
    if sketch is None:
        return False
    most = sketch.leap_at_most(c.width)
    if sketch.first_order_at_least() > wanted or (most is not None and most < wanted):
        return True
    return sketch.is_whole and not sketch.open and (most is None or most > wanted)


def _isotropic(wanted: int, c: Candidate) -> bool:
    """Some leap is larger: a rotation only raises it."""
    sketch = sketch_of(c)
    if sketch is None:
        return False
    if sketch.first_order_at_least() > wanted:
        return True
    if not sketch.is_whole or sketch.open:
        return False
    most = sketch.leap_at_most(c.width)
    return most is not None and most > wanted


def _first_leap(wanted: tuple[int, ...], c: Candidate) -> bool:
    return len(wanted) > c.width or _information(wanted[0], c)


def _staircase(wanted: tuple[int, ...], c: Candidate) -> bool:
    if wanted[-1] > c.width:
        return True
    sketch = sketch_of(c)
    if sketch is None:
        return False
    if len(wanted) == 1:
        return any(sum(s) == 1 for s in sketch.nonzero)
    return not any(sum(s) == 1 for s in sketch.nonzero | sketch.open)


def _generative(wanted: int, c: Candidate) -> bool:
    """Polynomials have at most 2, one index at most l; at least 2 where flips hide a coordinate."""
    if wanted > 2 and _is_polynomial(c):
        return True
    if c.width == 1 and wanted > _first_order(c):
        return True
    return wanted == 1 and not _order_one_may_reach_all(c)


def _grand_orders(wanted: tuple[int, ...], c: Candidate) -> bool:
    return len(wanted) > c.width or wanted[0] > _first_order(c) or _generative(max(wanted), c)


def _threshold(wanted: tuple[Expr, Expr], c: Candidate) -> bool:
    """C_1 != 0 makes alpha_c 0; C_2 != 0 and polynomials make it finite."""
    low, _ = wanted
    sketch = sketch_of(c)
    if sketch is None:
        return False
    first = min((sum(s) for s in sketch.nonzero if any(s)), default=_DEGREE)
    if low != 0 and first == 1:
        return True
    return low == oo and (first <= 2 or _is_polynomial(c))


def _first_order(c: Candidate) -> int:
    """An upper bound on the information exponent."""
    sketch = sketch_of(c)
    nonzero = () if sketch is None else sketch.nonzero
    return min((sum(s) for s in nonzero if any(s)), default=_MOST)


def _is_polynomial(c: Candidate) -> bool:
    return all(factor.degree is not None for term in c.terms or () for _, factor in term.factors)


def _is_finite(c: Candidate) -> bool:
    return all(factor.is_finite for term in c.terms or () for _, factor in term.factors)


_RULES = {
    "dimension": lambda wanted, c: wanted > c.width,
    "information_exponent": _information,
    "leap_complexity": _leap,
    "isotropic_leap": _isotropic,
    "leap_orders": _first_leap,
    "staircase": _staircase,
    "polynomial": lambda wanted, c: wanted != _is_polynomial(c),
    "discrete": lambda wanted, c: not wanted and _is_finite(c),
    "generative_exponent": _generative,
    "grand_staircase": lambda wanted, c: wanted[-1] > c.width,
    "grand_orders": _grand_orders,
    "alpha_c": _threshold,
}


def _coefficients(term: Term, width: int) -> Iterator[tuple[Index, Expr | None]]:
    """(S, number) for all S with |S| <= 8 that are not proved to vanish; None: not known."""
    tables = [[(i, k, q) for k, q in _of_factor(factor).items()] for i, factor in term.factors]
    for entries in itertools.product(*tables):
        if sum(k for _, k, _ in entries) > _DEGREE:
            continue
        index = [0] * width
        number: Expr | None = Integer(term.coefficient)
        for i, k, q in entries:
            index[i - 1] = k
            number = None if q is None or number is None else number * q
        yield tuple(index), number


@functools.cache
def _of_factor(factor: Factor) -> Mapping[int, Expr | None]:
    """The coefficients of a factor that are not 0, by degree; None where that is open."""
    if factor.degree is not None:
        return {factor.degree: Integer(math.factorial(factor.degree))} if factor.degree <= _DEGREE else {}
    expansion = hermite(factor.text(1), _DEGREE, seconds=_SECONDS)
    return {
        k: (S.Infinity if q.exact is None else q.exact) if q.zero is False else None
        for (k,), q in expansion.items()
        if q.zero is not True
    }


def _is_nonzero(numbers: list[Expr | None]) -> bool | None:
    """Whether the sum is nonzero; infinity stands for a nonzero number without a closed form."""
    known = [number for number in numbers if number is not None]
    if len(known) < len(numbers):
        return None
    if len(known) == 1:
        return True
    if all(number.is_Rational for number in known):
        return bool(Add(*known) != 0)
    return None


def _closure(indices: frozenset[Index], level: int) -> set[int]:
    """The coordinates that leaps of at most this level reach."""
    reached: set[int] = set()
    grown = True
    while grown:
        grown = False
        for s in indices:
            outside = {i: k for i, k in enumerate(s) if k and i not in reached}
            if outside and sum(outside.values()) <= level:
                reached |= set(outside)
                grown = True
    return reached


def _order_one_may_reach_all(c: Candidate) -> bool:
    """Steps of order 1 show no coordinate that a symmetry flips which fixes what is learned."""
    flips = [flip for flip in itertools.product((0, 1), repeat=c.width) if _is_invariant(c, flip)]
    learned: set[int] = set()
    while True:
        fixing = [flip for flip in flips if not any(flip[i] for i in learned)]
        new = {i for i in range(c.width) if not any(flip[i] for flip in fixing)} - learned
        if not new:
            return len(learned) == c.width
        learned |= new


def _is_invariant(c: Candidate, flip: tuple[int, ...]) -> bool:
    """Whether f stays the same when these coordinates change their sign."""
    for term in c.terms or ():
        parities = [factor.parity for i, factor in term.factors if flip[i - 1]]
        if math.prod(parities) != 1:
            return False
    return True


def _polynomial_degree(c: Candidate) -> int | None:
    """The degree of a polynomial of degree at most 8."""
    if not _is_polynomial(c):
        return None
    degree = max(sum(factor.degree or 0 for _, factor in term.factors) for term in c.terms or ())
    return degree if degree <= _DEGREE else None
