"""Which directions a step surely learns: nonzero moments E[He_n(z) T(Y)] of transformed labels."""

from __future__ import annotations

import enum
import functools
import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sympy import Expr, Rational, S, Symbol

from hermite_analytics.argument import Facts
from hermite_analytics.argument.moments import Association, Moment, Transformation, at_most
from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.evidence import Evidence
from hermite_analytics.exponents.contraction import Index, slots
from hermite_analytics.exponents.numbers import Numbers
from hermite_analytics.exponents.results import weaker
from hermite_analytics.exponents.spans import Row, Span, complement, extended, whole
from hermite_analytics.gaussian.association import trend_in_size
from hermite_analytics.gaussian.order import between
from hermite_analytics.gaussian.quantities import quantity_of_ball
from hermite_analytics.label.exact.node import ConditionalLaw
from hermite_analytics.label.orders.boxes import SublevelMoments, typical_values
from hermite_analytics.label.orders.rank import Rank
from hermite_analytics.label.orders.separate import separate_parts
from hermite_analytics.label.orders.transformations import TransformedLabel, indicators, powers
from hermite_analytics.language.affine import linear_part
from hermite_analytics.symbols import xi
from hermite_analytics.target import Target
from hermite_analytics.target.whole import whole_expression

if TYPE_CHECKING:
    from flint import arb

__all__ = ["Effort", "LabelMoments", "Learned"]

_BOXES = (1000, 3000, 12_000, 30_000)
_MOST_BOXED = 3  # variables
_BOX_DEGREE = 4
_MOST_THRESHOLDS = 5
_QUICK_BALLS = 2 * _MOST_THRESHOLDS


class Effort(enum.Enum):
    """How much is computed before "not proved" is the answer."""

    FIRST = "one transformation"
    QUICK = "closed forms, or else a few balls"
    THOROUGH = "everything"


@dataclass(frozen=True, slots=True, kw_only=True)
class Learned:
    """What moments prove to be learned together with U.

    Attributes
    ----------
    span : Span
        A part of it.
    dimension : int
        A lower bound of the dimension of all of it.
    facts : facts
    evidence : Evidence
    """

    span: Span
    dimension: int
    facts: Facts
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class _Look:
    """A transformation, up to which degree, and whether only at its closed forms."""

    label: TransformedLabel
    degree: int
    closed_only: bool = False


class LabelMoments:
    """The moments of transformations of one label, computed when they are needed.

    First y, y^2, .. or, for finitely many values, their indicators; then the indicators 1{y <= t}, in balls.

    Parameters
    ----------
    law : ConditionalLaw
    noise : tuple of symbols
        Label noise in the signal.
    degree : int
        Largest degree of the moments.
    numbers : Numbers
    """

    def __init__(self, law: ConditionalLaw, noise: tuple[Symbol, ...], degree: int, numbers: Numbers) -> None:
        self._law, self._noise, self._degree = law, noise, degree
        self._numbers = numbers
        self._width = len(law.variables)
        self._used = tuple(v for v in law.variables if law.signal.has(v))
        self._exact = _Remembered(self._transformations())
        self._balls = _Remembered(self._boxed())

    @functools.cached_property
    def finite(self) -> list[TransformedLabel] | None:
        """The indicators of all values but one; None for a label that is not discrete."""
        law = self._law
        if law.values is None:
            return None
        return indicators(law.cells, law.variables, self._noise, self._numbers)

    def step(self, learned: Span, order: int, room: int, *, effort: Effort) -> Learned:
        """U and directions of one order that are proved to be new, until the dimension `room` is reached."""
        found = Learned(span=learned, dimension=learned.dimension, facts=(), evidence=Evidence.EXACT)
        rank = Rank(self._numbers, learned.rows)
        if order == 2 and not learned.dimension:
            found = self._with_sizes(found, rank)
        low = order + 1 if learned.dimension else order
        for look in self._schedule(low, effort, balls=True):
            if found.dimension >= room:
                break
            found = self._extended(found, learned, look, [order], rank, room)
        return found

    def _with_sizes(self, found: Learned, rank: Rank) -> Learned:
        """With the axes of coordinates with whose size the label grows or falls: rows of C_2 along them."""
        trends = self._trends
        if not trends:
            return found
        axes = [tuple(S.One if v == z else S.Zero for v in self._law.variables) for z in trends]
        fact = Association(
            rising=tuple(z for z, t in trends.items() if t > 0),
            falling=tuple(z for z, t in trends.items() if t < 0),
        )
        rank.add(axes, (fact, Evidence.PROVED))
        span, _ = extended(self._numbers, found.span, axes)
        return Learned(span=span, dimension=span.dimension, facts=(fact,), evidence=Evidence.PROVED)

    @functools.cached_property
    def _whole(self) -> Expr:
        """The signal with floors of kinks as they are written."""
        whole = whole_expression(Target.of(self._law.target))
        additive = linear_part(whole, xi)
        return whole if additive is None else additive[0]

    @functools.cached_property
    def _trends(self) -> dict[Symbol, int]:
        everything = (*self._used, *self._noise)
        found = {}
        for z in self._used:
            trend = trend_in_size(self._whole, z, [v for v in everything if v != z])
            if trend is not None:
                found[z] = trend
        return found

    def closure(self, order: int, room: int, *, effort: Effort) -> Learned:
        """What all steps of at most this order reach, until the dimension `room` is reached."""
        nothing = Span(width=len(self._law.variables))
        found = Learned(span=nothing, dimension=0, facts=(), evidence=Evidence.EXACT)
        before = -1
        while before < found.dimension < room:
            before = found.dimension
            for look in self._schedule(order + 1, effort, balls=False):
                found = self._steps_of(found, look, order, room)
        return found

    def _steps_of(self, found: Learned, look: _Look, order: int, room: int) -> Learned:
        """What one transformation adds, step after step."""
        before = -1
        while before < found.dimension < room and found.span.is_short:
            before = found.dimension
            found = self._extended(found, found.span, look, range(1, order + 1), None, room)
        return found

    def _shown(
        self, look: _Look, learned: Span, orders: Iterable[int]
    ) -> Iterator[tuple[tuple[Moment, Evidence], list[Row]]]:
        """What one transformation shows beside U, moment by moment, where they are not shown to be 0."""
        one, unlearned = look.label, complement(learned).rows
        for degree, order in itertools.product(range(1, look.degree + 1), orders):
            if order > degree or (order < degree and not learned.rows):
                continue
            tensor = one.closed(degree) if look.closed_only else one.tensor(degree)
            if tensor:
                moment = Moment(degree=degree, order=order, transformation=one.transformation)
                vectors = list(slots(tensor, learned.rows, unlearned, order))
                yield (moment, one.evidence(degree)), vectors

    def _extended(
        self,
        found: Learned,
        learned: Span,
        look: _Look,
        orders: Iterable[int],
        rank: Rank | None,
        room: int,
    ) -> Learned:
        """With the directions that one transformation shows from U = `learned`, up to a dimension `room`.

        With a `rank` only closed forms enter the span; of others the dimension alone is proved.
        """
        span, dimension, facts, evidence = found.span, found.dimension, list(found.facts), found.evidence
        shown = self._shown(look, learned, orders)
        while dimension < min(room, span.width) and (following := next(shown, None)) is not None:
            (fact, kind), vectors = following
            if rank is None or look.label.closed(fact.degree) is not None:
                span, _ = extended(self._numbers, span, vectors)
            if rank is not None:
                rank.add(vectors, (fact, kind))
            reached = max(span.dimension, rank.value if rank else 0)
            if reached > dimension:
                dimension = reached
                by_rank = rank is not None and rank.value == reached > span.dimension
                used = list(rank.sources) if rank is not None and by_rank else [(fact, kind)]
                facts += [fact for fact, _ in used if fact not in facts]
                evidence = functools.reduce(weaker, (kind for _, kind in used), evidence)
        if dimension == span.width:
            span = whole(dimension)
        return Learned(span=span, dimension=dimension, facts=tuple(facts), evidence=evidence)

    def _schedule(self, low: int, effort: Effort, *, balls: bool) -> Iterator[_Look]:
        """What is looked at: closed forms; where y has none, little of it; then everything.

        Parameters
        ----------
        low : int
            The degree that is needed at least.
        balls : bool
            Whether the indicators 1{y <= t} are looked at.
        """
        highest, boxed = self._degree, min(self._degree, _BOX_DEGREE)
        few = len(self._used) + len(self._noise) < _MOST_BOXED
        low = min(low, highest)
        for one in itertools.islice(self._exact, 1 if effort is Effort.FIRST else None):
            yield _Look(one, highest, closed_only=not one.is_quick)
        if effort is Effort.FIRST:
            return
        first = next(iter(self._exact), None)
        if first is None or first.closed(low) is None:
            yield from self._without_closed_form(first, low, boxed if balls and few else None)
        if effort is Effort.THOROUGH:
            for degree, most in ((low, _QUICK_BALLS), (highest, None)):
                for one in self._exact:
                    yield _Look(one, degree)
                for one in itertools.islice(self._balls, most) if balls else ():
                    yield _Look(one, boxed)

    def _without_closed_form(
        self, first: TransformedLabel | None, low: int, boxed: int | None
    ) -> Iterator[_Look]:
        """A little of y, and first indicators in balls, which come first where kinks in floors are opened."""

        def balls() -> Iterator[_Look]:
            if boxed is not None:
                for one in itertools.islice(self._balls, _QUICK_BALLS):
                    yield _Look(one, boxed)

        own = [] if first is None else [_Look(first, low)]
        is_opened = self._whole != self._law.signal  # of kinks a floor is many, with boxes it is one
        yield from itertools.chain(balls(), own) if is_opened else itertools.chain(own, balls())

    def _transformations(self) -> Iterator[TransformedLabel]:
        law = self._law
        if self.finite is not None:
            yield from self.finite
            return
        yield from powers(law.signal, law.variables, self._noise, self._numbers)
        apart = separate_parts(law.signal, law.variables)
        if apart is not None:
            yield from apart.transformations(law.signal, law.variables, self._numbers)

    def _boxed(self) -> Iterator[TransformedLabel]:
        """1{y <= t} for some t, with balls that get sharper."""
        degree = min(self._degree, _BOX_DEGREE)
        if len(self._used) + len(self._noise) > _MOST_BOXED:
            return
        try:
            thresholds = self._thresholds()[:_MOST_THRESHOLDS]
            sets = [SublevelMoments(self._whole, self._used, self._noise, t, degree) for t in thresholds]
        except UnsupportedExpression:
            return
        for boxes in _BOXES:
            for t, moments in zip(thresholds, sets, strict=True):
                moments.refine(boxes)
                yield self._from_balls(at_most(t), moments.balls())

    def _thresholds(self) -> list[Rational]:
        law = self._law
        if law.values is not None:
            return [between(a, b) for a, b in zip(law.values, law.values[1:], strict=False)]
        return typical_values(self._whole, (*self._used, *self._noise))

    def _from_balls(self, transformation: Transformation, balls: dict[Index, arb]) -> TransformedLabel:
        tensors: dict[int, dict[Index, Expr]] = {}
        places = [i for i, v in enumerate(self._law.variables) if v in self._used]
        for power, ball in balls.items():
            index = tuple(power[places.index(i)] if i in places else 0 for i in range(self._width))
            letter = self._numbers.letter(quantity_of_ball(ball))
            tensors.setdefault(sum(index), {})[index] = letter

        return TransformedLabel(transformation, lambda degree: None, lambda degree: tensors.get(degree, {}))


class _Remembered:
    """A generator that may be run through several times; an interruption loses nothing that was found."""

    def __init__(self, source: Iterator[TransformedLabel]) -> None:
        self._source, self._found = source, list[TransformedLabel]()

    def __iter__(self) -> Iterator[TransformedLabel]:
        position = 0
        while True:
            while position < len(self._found):
                yield self._found[position]
                position += 1
            following = next(self._source, None)
            if following is None:
                return
            self._found.append(following)
