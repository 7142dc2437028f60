"""Moments E[z_i f^p] of polynomials whose terms form chains, as z1 + z1 z2 + z2 z3 + z3 z4, without f^p.

The terms are gone through in an order in which few coordinates stand in terms before and after: for each
power so far only the exponents of these are kept, and a coordinate is averaged over after its last term.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from flint import fmpq

from hermite_analytics.exponents.contraction import Index
from hermite_analytics.foundation.clock import check_time
from hermite_analytics.label.orders.nested_polynomials import one_moment

__all__ = ["Swept", "swept"]

_MOST_OPEN = 2  # coordinates between terms before and after


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Swept:
    """f = sum of coefficient * z^powers / denominator, in the order of its terms.

    Attributes
    ----------
    steps : tuple of (powers, integer coefficient, coordinates that end with this term)
    denominator : int
    """

    steps: tuple[tuple[Index, int, tuple[int, ...]], ...]
    denominator: int
    _known: dict[int, list[int]] = field(default_factory=dict, init=False, repr=False)

    def first(self, place: int, power: int) -> fmpq:
        """E[z_i f^p].

        Examples
        --------
        >>> chain = swept({(1, 0, 0): fmpq(1), (1, 1, 0): fmpq(1, 2), (0, 1, 1): fmpq(1)})
        >>> [chain.first(2, p) for p in (1, 2, 3)]
        [0, 0, 3]
        """
        if not any(powers[place] for powers, _, _ in self.steps):
            return fmpq(0)
        known = self._known.get(place, [])
        if power >= len(known):
            width = len(self.steps[0][0])
            known = self._known[place] = self._moments(place, width if power <= width else 2 * power)
        return fmpq(known[power], self.denominator**power)

    def _moments(self, place: int, most: int) -> list[int]:
        """Of the numerator, for p = 0, .., `most`."""
        states = {(0, (0,) * len(self.steps[0][0])): 1}
        for powers, coefficient, ending in self.steps:
            following: dict[tuple[int, Index], int] = {}
            for (used, exponents), weight in states.items():
                check_time()
                for n in range(most - used + 1):
                    moved = [a + n * b for a, b in zip(exponents, powers, strict=True)]
                    share = weight * math.comb(used + n, n) * coefficient**n
                    for i in ending:
                        s = int(i == place)
                        share *= one_moment(s, moved[i]) if (moved[i] - s) % 2 == 0 else 0
                        moved[i] = 0
                    if share:
                        key = used + n, tuple(moved)
                        following[key] = following.get(key, 0) + share
            states = following
        found = [0] * (most + 1)
        for (used, _), weight in states.items():
            found[used] += weight
        return found


def swept(terms: Mapping[Index, fmpq]) -> Swept | None:
    """The order of the terms of {powers: coefficient}; None where more than two coordinates stay open."""
    order = _ordered(list(terms))
    if order is None:
        return None
    denominator = math.lcm(*(int(c.q) for c in terms.values()))
    left = {i: sum(powers[i] > 0 for powers in order) for i in range(len(order[0]))}
    steps = []
    for powers in order:
        used = [i for i, a in enumerate(powers) if a]
        for i in used:
            left[i] -= 1
        ending = tuple(i for i in used if not left[i])
        steps.append((powers, int(terms[powers] * denominator), ending))
    return Swept(steps=tuple(steps), denominator=denominator)


def _ordered(terms: Sequence[Index]) -> list[Index] | None:
    """Next is the term after which fewest coordinates are open, of equal ones that with the fewest new."""
    left, done = list(terms), list[Index]()
    open_: set[int] = set()
    while left:
        check_time()

        def after(term: Index, before: set[int] = open_) -> tuple[int, int]:
            now = before | {i for i, a in enumerate(term) if a}
            others = [t for t in left if t is not term]
            return sum(any(t[i] for t in others) for i in now), len(now - before)

        best = min(left, key=after)
        left.remove(best)
        done.append(best)
        open_ = {i for i in open_ | {i for i, a in enumerate(best) if a} if any(t[i] for t in left)}
        if len(open_) > _MOST_OPEN:
            return None
    return done
