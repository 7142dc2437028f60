"""`design`: constructions first, then all smaller sums of a grammar, each property with its proof."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence

from hermite_analytics.activation import Activation, shortened
from hermite_analytics.designs.constructions import constructions
from hermite_analytics.designs.contradictions import refuse
from hermite_analytics.designs.examination import examine
from hermite_analytics.designs.grammar import MOST_SIZE, Candidate, enumerated
from hermite_analytics.designs.request import (
    MOST_DIMENSION,
    Request,
    interval,
    natural,
    orders,
    require_something,
    staircase_dimensions,
)
from hermite_analytics.designs.results import Design, Designs, Property, SearchReport
from hermite_analytics.designs.sketches import excluded_by
from hermite_analytics.errors import InputError
from hermite_analytics.foundation.clock import TimeEnded, allowed, has_ended, seconds_allowed, share, time_of
from hermite_analytics.foundation.seconds import require_seconds
from hermite_analytics.language.numbers import NumberLike
from hermite_analytics.learning.second_layer_fit import power_floor
from hermite_analytics.target import Target

__all__ = ["DEFAULT_SECONDS", "design"]

DEFAULT_SECONDS = 30.0
_MOST_WANTED = 50
_MOST_WIDTH = 4  # coordinates of the enumeration
_DEFAULT_WIDTH = 3
_EXAMINED = 30  # candidates smaller than a target that was found, examined beyond their sketch
_SKETCHED = 20_000
_SEPARATE_SHARE = 0.15  # of the time left, for the properties of constructions one by one
_SMALLER_SHARE = 0.4  # of the time left, for smaller targets than one that was found
_SECONDS_EACH = 4.0  # for one candidate of the enumeration
_SECONDS_CONSTRUCTION = 12.0  # for one of the few that the theory proposes


def design(
    *,
    information_exponent: int | None = None,
    generative_exponent: int | None = None,
    leap_complexity: int | None = None,
    isotropic_leap: int | None = None,
    dimension: int | None = None,
    staircase: Sequence[int] | None = None,
    leap_orders: Sequence[int] | None = None,
    grand_staircase: Sequence[int] | None = None,
    grand_orders: Sequence[int] | None = None,
    alpha_c: NumberLike | tuple[NumberLike, NumberLike] | None = None,
    tolerance: NumberLike = "1e-6",
    discrete: bool | None = None,
    polynomial: bool | None = None,
    activation: Activation | str | None = None,
    steps: int = 4,
    samples_power: NumberLike = 1,
    count: int = 1,
    seconds: float = DEFAULT_SECONDS,
) -> Designs:
    """Small targets that have all properties asked for, each exact or proved.

    Constructions of the theory come first; then the sums of products of Hermite polynomials, |z|, sign, relu,
    step, sin, cos, exp and tanh of single coordinates, by size. What parities and exact coefficients refute
    is not examined further. The targets are deterministic, without label noise.

    Source: arXiv:2302.11055 (leaps), arXiv:2305.18270 (staircases), arXiv:2403.05529 and arXiv:2506.05500
    (generative exponents), arXiv:2405.15480 (thresholds).

    Parameters
    ----------
    information_exponent, generative_exponent, leap_complexity, isotropic_leap : int, optional
        1 to 12.
    dimension : int, optional
        1 to 8, the number of directions that the target depends on.
    staircase, grand_staircase : list of int, optional
        Dimensions of the subspaces, such as [0, 1, 3].
    leap_orders, grand_orders : list of int, optional
        Orders of the steps of the leap decomposition and of the grand staircase.
    alpha_c : number, text or (low, high), optional
        The threshold of the first stage; "inf" for a hard one. Only closed forms and rigorous bounds count.
    tolerance : number >= 0
        Of an alpha_c that is one number.
    discrete : bool, optional
        Whether the label takes finitely many values.
    polynomial : bool, optional
    activation : Activation or str, optional
        Giant steps with this activation learn all directions, as `learns` says.
    steps, samples_power
        Of these giant steps: their number, and the power k of n ~ d^k.
    count : int
        1 to 50 targets.
    seconds : float > 0
        What ends within this time does not depend on it: the order of the search is fixed.

    Returns
    -------
    Designs
        A sequence of `Design`, smallest first; empty where nothing was found, with what was searched.

    Raises
    ------
    InputError
        For what is not accepted, and for requests that contradict a theorem, with the reason.

    Examples
    --------
    >>> found = design(information_exponent=3, generative_exponent=1)
    >>> found[0].text, found.is_smallest
    ('He3(z1)', True)
    >>> design(staircase=[0, 2])
    Traceback (most recent call last):
    ...
    hermite_analytics.errors.InputError: no target has a staircase 0 -> 2: C_1 is one vector, so the first \
step learns one direction (arXiv:2305.18270)
    """
    request = Request(
        information_exponent=natural(information_exponent, "information_exponent"),
        generative_exponent=natural(generative_exponent, "generative_exponent"),
        leap_complexity=natural(leap_complexity, "leap_complexity"),
        isotropic_leap=natural(isotropic_leap, "isotropic_leap"),
        dimension=natural(dimension, "dimension", MOST_DIMENSION),
        staircase=staircase_dimensions(staircase, "staircase"),
        leap_orders=orders(leap_orders, "leap_orders"),
        grand_staircase=staircase_dimensions(grand_staircase, "grand_staircase"),
        grand_orders=orders(grand_orders, "grand_orders"),
        alpha_c=interval(alpha_c, tolerance),
        discrete=_flag(discrete, "discrete"),
        polynomial=_flag(polynomial, "polynomial"),
        activation=None if activation is None else Activation.of(activation),
        steps=natural(steps, "steps", 20) or 1,
        samples_power=power_floor(samples_power, "samples_power")[0],
    )
    require_something(request)
    wanted = natural(count, "count", _MOST_WANTED) or 1
    require_seconds(seconds, finite=True)
    refuse(request)
    with allowed(seconds):
        return _Search(request, wanted).run()


def _flag(value: object, name: str) -> bool | None:
    if value is None or isinstance(value, bool):
        return value
    raise InputError(f"{name} is {shortened(str(value))}; True or False is accepted")


class _Search:
    """The candidates in their order, with what became of them."""

    def __init__(self, request: Request, wanted: int) -> None:
        self.request, self.wanted = request, wanted
        width = request.dimension or max(_DEFAULT_WIDTH, (request.staircase or (0,))[-1])
        self.width = min(width, _MOST_WIDTH)
        self.found: list[tuple[Candidate, Design]] = []
        self.excluded: Counter[str] = Counter()
        self.met: dict[str, tuple[int, str]] = {}
        self.counted: set[tuple[str, str]] = set()
        self.seen: set[str] = set()
        self.undecided: list[int] = []
        self.largest_size = 0

    def run(self) -> Designs:
        """Constructions, then the enumeration of what is smaller."""
        ready = constructions(self.request)
        for candidate in ready:
            if len(self.found) < self.wanted and not has_ended():
                self._look(candidate, excluded_by(self.request, candidate), _SECONDS_CONSTRUCTION)
        whole = seconds_allowed()
        with allowed(share(_SMALLER_SHARE if self.found else 1 - _SEPARATE_SHARE)):
            end = self._enumerate(whole)
        if not self.found and not has_ended():
            self._separately(ready)
        found = sorted(self.found, key=lambda pair: (pair[0].size, pair[0].width, pair[0].text))[
            : self.wanted
        ]
        last = found[-1][0].size if found else 0
        complete = self.largest_size >= last - 1 and all(size >= last for size in self.undecided)
        complete = complete and self.width >= (self.request.dimension or 0)
        return Designs(
            request=self.request,
            found=tuple(pair[1] for pair in found),
            is_smallest=bool(found) and len(found) == self.wanted and complete,
            search=SearchReport(
                candidates=len(self.seen),
                excluded=dict(self.excluded),
                undecided=len(self.undecided),
                met=dict(self.met),
                largest_size=self.largest_size,
                dimension=self.width,
                end=end,
            ),
        )

    def _enumerate(self, seconds: float) -> str:
        """All sums by size, up to the size of the last target that is wanted; why it ended."""
        examined = sketched = 0
        for size in range(1, MOST_SIZE + 1):
            for candidate in sorted(enumerated(size, self.width), key=lambda c: c.width):
                if size >= self._bound():
                    return "the search is through"
                if has_ended():
                    return time_of(seconds)
                lacking = excluded_by(self.request, candidate)
                sketched += 1
                examined += lacking is None
                if self.found and (examined > _EXAMINED or sketched > _SKETCHED):
                    return f"it ended at size {size}, after {examined} examinations"
                if candidate.text not in self.seen:
                    self._look(candidate, lacking)
            self.largest_size = size
        return f"the grammar ends at size {MOST_SIZE}"

    def _bound(self) -> int:
        """The size from which on nothing is wanted any more."""
        sizes = sorted(candidate.size for candidate, _ in self.found)
        return sizes[self.wanted - 1] if len(sizes) >= self.wanted else MOST_SIZE + 1

    def _separately(self, ready: Sequence[Candidate]) -> None:
        """Which properties the constructions have, each on its own, to be told if nothing is found."""
        for candidate, name in itertools.product(ready, self.request.asked):
            if has_ended():
                return
            if (name, candidate.text) not in self.counted:
                with allowed(_SECONDS_EACH):
                    self._examine(name, candidate, Target(candidate.text))

    def _examine(
        self, name: str, candidate: Candidate, target: Target
    ) -> tuple[bool | None, Property | None]:
        """One property, counted where it is met."""
        try:
            met, answer = examine(name, target, self.request)
        except TimeEnded:
            return None, None
        if met and (name, candidate.text) not in self.counted:
            self.counted.add((name, candidate.text))
            count, first = self.met.get(name, (0, candidate.text))
            self.met[name] = (count + 1, first)
        return met, answer

    def _look(self, candidate: Candidate, lacking: str | None, seconds: float = _SECONDS_EACH) -> None:
        """Examine a candidate, property by property, up to the first that it is proved to lack."""
        self.seen.add(candidate.text)
        if lacking is not None:
            self.excluded[lacking] += 1
            return
        target = Target(candidate.text)
        met: bool | None = None
        properties: list[Property] = []
        with allowed(seconds):
            for name in self.request.asked:
                met, answer = self._examine(name, candidate, target)
                if met is not True or answer is None:
                    break
                properties.append(answer)
        if met:
            design = Design(target=target, size=candidate.size, properties=tuple(properties))
            self.found.append((candidate, design))
        elif met is None:
            self.undecided.append(candidate.size)
        else:
            self.excluded[name] += 1
