"""What the exponents and staircases return: discrete answers with their evidence."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real
from typing import Literal

from sympy import Rational

from hermite_analytics.argument import Facts, text_of
from hermite_analytics.argument.steps import Basis
from hermite_analytics.errors import InputError, UndefinedQuantity
from hermite_analytics.evidence import Evidence
from hermite_analytics.exponents.arithmetic import ComputesAsInteger
from hermite_analytics.foundation.json import Document
from hermite_analytics.rendering import Column, Frame, Result, Role
from hermite_analytics.rendering.numbers import ActsAsNumber, is_left_to
from hermite_analytics.rendering.text import cut

__all__ = ["Exponent", "FirstSubspace", "Staircase", "infinite", "known", "undecided", "weaker"]

Rows = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Exponent(ComputesAsInteger, Result):
    """A natural number, infinity, or what is known of it; it compares as the number does.

    Attributes
    ----------
    value : int, "inf" or None
        None if it is not decided.
    at_least : int or "inf"
        A proved lower bound; the value where it is decided.
    evidence : Evidence
        EXACT, PROVED or UNDECIDED.
    degree : int or None
        The largest degree of the expansion that was looked at, where the value is not decided.
    facts : facts
        The argument; `reason` is its text.

    Raises
    ------
    UndefinedQuantity
        By `<`, `<=`, `>`, `>=` and `int` where what is known does not decide, and by `int` of infinity.

    Notes
    -----
    An exponent equals its number, as a number or as text, and another exponent of the same value; one that is
    not decided equals nothing. Comparisons use the lower bound: with `at_least` 4, `> 3` is True. Sums,
    products and the like are those of its number, a plain one; what is not decided has none.

    Examples
    --------
    >>> from hermite_analytics import information_exponent
    >>> answer = information_exponent("He3(z1)")
    >>> answer.value, str(answer.evidence), answer.reason
    (3, 'exact', 'C_1 to C_2 vanish; c_(3) = 6')
    >>> answer == 3, answer < 2, int(answer)
    (True, False, 3)
    """

    value: int | Literal["inf"] | None
    at_least: int | Literal["inf"]
    evidence: Evidence
    degree: int | None
    facts: Facts

    @property
    def reason(self) -> str:
        """The argument, in one line."""
        return text_of(self.facts)

    def __str__(self) -> str:
        return f"at least {self.at_least} (undecided)" if self.value is None else str(self.value)

    def __format__(self, form: str) -> str:
        if form[-1:] in tuple("bdoxXn"):
            return format(int(self), form)
        if form[-1:] in tuple("eEfFgG%"):
            return str(self) if self.value is None else format(float(self), form)
        return format(str(self), form)

    def __int__(self) -> int:
        if not isinstance(self.value, int):
            raise UndefinedQuantity(f"the exponent is {self}: it is no integer")
        return self.value

    def __float__(self) -> float:
        """The number; NaN where it is not decided."""
        return math.nan if self.value is None else float(self.value)

    def __hash__(self) -> int:
        return hash(float(self)) if self.value is not None else hash((None, self.at_least))

    def __eq__(self, other: object) -> bool:
        there = _number(other)
        return NotImplemented if there is None else float(self) == there

    def __lt__(self, other: Exponent | Real | str) -> bool:
        return NotImplemented if _is_left(other) else self._is_below(other, "<")

    def __le__(self, other: Exponent | Real | str) -> bool:
        return NotImplemented if _is_left(other) else self._is_below(other, "<=", or_equal=True)

    def __gt__(self, other: Exponent | Real | str) -> bool:
        return NotImplemented if _is_left(other) else not self._is_below(other, ">", or_equal=True)

    def __ge__(self, other: Exponent | Real | str) -> bool:
        return NotImplemented if _is_left(other) else not self._is_below(other, ">=")

    def _is_below(self, other: Exponent | Real | str, sign: str, *, or_equal: bool = False) -> bool:
        """Whether this is less than `other` (or equal to it), by what is known of both."""
        there = _number(other)
        if there is None:
            raise InputError(f"an exponent is compared with a number or an exponent, not with {other!r}")
        low, high = float(self.at_least), math.inf if self.value is None else float(self)
        if isinstance(other, Exponent) and other.value is None:
            lowest, highest = float(other.at_least), math.inf
        else:
            lowest = highest = there
        if high < lowest or (or_equal and high == lowest):
            return True
        if low > highest or (not or_equal and low == highest):
            return False
        raise UndefinedQuantity(f"{self} {sign} {other} is not decided")

    def frame(self) -> Frame:
        """One row: the number, and why."""
        row = {"exponent": self.to_dict(), "degree": self.degree, "reason": self.reason}
        return Frame(title="exponent", rows=(row,))

    def to_dict(self) -> Document:
        """{"value", "at_least", "evidence", "degree", "reason"}, JSON-ready: a part of documents."""
        return {
            "value": self.value,
            "at_least": self.at_least,
            "evidence": str(self.evidence),
            "degree": self.degree,
            "reason": self.reason,
        }


def _is_left(other: object) -> bool:
    """Whether an order with this operand is left to it: an array, or a quantity with its error."""
    return is_left_to(other) or (isinstance(other, ActsAsNumber) and not isinstance(other, Exponent))


def _number(given: object) -> float | None:
    """The number that is meant; None if it is none."""
    if isinstance(given, Exponent | Real | Rational):
        return float(given)
    if isinstance(given, str) and (given == "inf" or given.isdecimal()):
        return float(given)
    return None


def known(value: int, evidence: Evidence, facts: Facts) -> Exponent:
    """A decided number."""
    return Exponent(value=value, at_least=value, evidence=evidence, degree=None, facts=facts)


def infinite(facts: Facts) -> Exponent:
    """Infinity, of a constant function."""
    return Exponent(value="inf", at_least="inf", evidence=Evidence.EXACT, degree=None, facts=facts)


def undecided(at_least: int, degree: int, facts: Facts) -> Exponent:
    """What is left where no proof was found up to a degree."""
    return Exponent(value=None, at_least=at_least, evidence=Evidence.UNDECIDED, degree=degree, facts=facts)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class FirstSubspace(Result):
    """The span of the first nonzero tensor.

    Attributes
    ----------
    order : Exponent
        The leap index.
    subspace : Basis or None
        Reduced row echelon form in z-coordinates; empty for a constant, None where it is not decided.
    facts : facts
        The argument for the basis.

    Examples
    --------
    >>> from hermite_analytics import first_subspace
    >>> found = first_subspace("z1 + z2")
    >>> found.order.value, found.basis
    (1, (('1', '1'),))
    """

    order: Exponent
    subspace: Basis | None
    facts: Facts

    @property
    def basis(self) -> Rows | None:
        """The rows as text."""
        return None if self.subspace is None else self.subspace.text

    @property
    def reason(self) -> str:
        """The argument for the basis, in one line."""
        return text_of(self.facts)

    def frame(self) -> Frame:
        """One row: order and basis."""
        basis = "undecided" if self.subspace is None else str(self.subspace)
        row = {"order": self.order.to_dict(), "basis": basis, "reason": self.reason}
        return Frame(title="first subspace", rows=(row,))

    def document(self) -> Document:
        """{"order", "basis"}, JSON-ready."""
        basis = None if self.basis is None else [list(row) for row in self.basis]
        return {"order": self.order.to_dict(), "basis": basis}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Staircase(Result):
    """Subspaces U_0 = {0} < U_1 < ... learned one after the other.

    Attributes
    ----------
    subspaces : tuple of Basis
        U_0, U_1, ..: reduced row echelon forms in z-coordinates. A number without a closed form stands as
        the expectation that defines it, as in E[z1*tanh(2*z1)].
    orders : tuple of int
        orders[t] is the order of the step from U_t to U_(t+1).
    limit_dimension : int or None
        Dimension of the last subspace; None if it is not decided where the steps end.
    undecided_up_to_degree : int or None
        The degree of the expansion up to which no further step was found, where the end is not decided.
    evidence : Evidence
        EXACT, PROVED or UNDECIDED.
    steps : tuple of facts
        For each step what unlocks it, why no other direction comes with it, why lower orders are empty.
    end : facts
        Why it ends, or what is open.

    Examples
    --------
    >>> from hermite_analytics import staircase
    >>> print(staircase("z1 + z1*z2"))
    dimension 0
    0 -> 1 (order 1)
    1 -> 2 (order 1)
    the dimension 2 is reached
    """

    subspaces: tuple[Basis, ...]
    orders: tuple[int, ...]
    limit_dimension: int | None
    undecided_up_to_degree: int | None
    evidence: Evidence
    steps: tuple[Facts, ...]
    end: Facts

    @property
    def dimensions(self) -> tuple[int, ...]:
        """Of U_0, U_1, ..."""
        return tuple(subspace.dimension for subspace in self.subspaces)

    @property
    def bases(self) -> tuple[Rows, ...]:
        """Of U_0, U_1, ..., as rows of text."""
        return tuple(subspace.text for subspace in self.subspaces)

    @property
    def reasons(self) -> tuple[str, ...]:
        """One line a step, and why it ends."""
        climbed = zip(self.orders, self.steps, self.subspaces[1:], strict=True)
        lines = (f"order {order}: {text_of(facts)}; learned: {basis}" for order, facts, basis in climbed)
        return (*lines, text_of(self.end))

    def __str__(self) -> str:
        steps = [
            f"{dimension} -> {following} (order {order})"
            for dimension, following, order in zip(
                self.dimensions, self.dimensions[1:], self.orders, strict=False
            )
        ]
        return cut("\n".join(["dimension 0", *steps, text_of(self.end)]))

    def frame(self) -> Frame:
        """One row a step: the dimension reached, the order, what is learned, and why."""
        climbed = zip(self.dimensions[1:], self.orders, self.steps, self.subspaces[1:], strict=True)
        rows = [
            {"step": k, "dimension": dimension, "order": order, "learned": str(basis), "reason": text_of(why)}
            for k, (dimension, order, why, basis) in enumerate(climbed, 1)
        ]
        return Frame(
            title="staircase",
            rows=tuple(rows or [{"step": 0, "dimension": 0}]),
            columns={"step": Column(name="step", role=Role.PARAMETER)},
            fixed={"limit dimension": self.limit_dimension, "evidence": self.evidence},
            remarks=(text_of(self.end),),
        )

    def document(self) -> Document:
        """JSON-ready, with the names of the attributes."""
        return {
            "dimensions": list(self.dimensions),
            "orders": list(self.orders),
            "bases": [[list(row) for row in basis] for basis in self.bases],
            "limit_dimension": self.limit_dimension,
            "undecided_up_to_degree": self.undecided_up_to_degree,
            "evidence": str(self.evidence),
            "reasons": list(self.reasons),
        }


def weaker(a: Evidence, b: Evidence) -> Evidence:
    """The evidence of an answer that rests on both."""
    order = list(Evidence)
    return max(a, b, key=order.index)
