"""The steps of a staircase as neurons take them: what is wanted, seen, and taken up."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import sympy

from hermite_analytics.activation import Activation
from hermite_analytics.argument import Fact, Facts
from hermite_analytics.argument.fact import joined, line_of
from hermite_analytics.argument.remarks import remark
from hermite_analytics.argument.sentences import Math, Paragraph
from hermite_analytics.evidence import Quantity
from hermite_analytics.expansion import hermite
from hermite_analytics.exponents.coefficients import Coefficients
from hermite_analytics.exponents.contraction import contractions, slots
from hermite_analytics.exponents.results import Rows
from hermite_analytics.exponents.spans import Row, Span, complement, extended
from hermite_analytics.exponents.steps import is_everything, step
from hermite_analytics.foundation.clock import TimeEnded, limited, share
from hermite_analytics.learning.blindness import is_blind
from hermite_analytics.learning.learned_steps import DecidingCoefficient, LearnedStep, Verdict
from hermite_analytics.learning.neurons import Readout, parity_rank, population_rank
from hermite_analytics.symbols import variable
from hermite_analytics.target import Target

__all__ = ["Walk"]

_MOST_DEGREE = 60
_NEURONS = 16
_SHARE = 0.4  # of the time left, for one step
_ACTIVATION_SHARE = 0.3  # of the time left, for the coefficients of the activation


@dataclass(frozen=True, slots=True)
class _Seen:
    """What the gradient shows at one step.

    `least` holds what is proved to be seen, `most` what may be, `anything` what the target has; `degrees` are
    those that show new directions.
    """

    least: Span
    most: Span
    anything: Span
    degrees: tuple[int, ...]
    parities: frozenset[int]
    is_complete: bool


class Walk:
    """The steps one after the other."""

    def __init__(self, target: Target, activation: Activation, order: int, readout: Readout) -> None:
        self.coefficients = Coefficients(target)
        self.order, self.readout, self.activation = order, readout, activation
        degree = min(max(self.coefficients.last, 1), _MOST_DEGREE)
        text = activation.expression.subs(activation.variable, variable(1))
        self.mu: Mapping[int, Quantity] = {
            index[0]: q
            for index, q in hermite(Target(text), degree, seconds=share(_ACTIVATION_SHARE)).items()
        }
        self.span = Span(width=self.coefficients.width)
        self.rows: list[LearnedStep] = []
        self.is_generic = True  # the overlaps of each neuron are generic in all of U

    def result(self, steps: int) -> tuple[tuple[LearnedStep, ...], Facts, bool]:
        """(rows, why they end, whether the staircase itself is undecided there)."""
        end = remark("1 step was asked for" if steps == 1 else f"{steps} steps were asked for")
        is_open = False
        for number in range(1, steps + 1):
            if is_everything(self.coefficients, self.span):
                end = remark("all directions of the target are learned")
                break
            wanted, facts = self._wanted()
            if wanted is None:
                start = f"step {number}: what the staircase reaches is not decided: "
                end, is_open = remark(start, *line_of(facts)), True
                break
            if wanted.dimension == self.span.dimension:
                start = f"step {number}: no further direction of order {self.order} or less: "
                end = remark(start, *line_of(facts))
                break
            row, following = self._row(number, wanted)
            self.rows.append(row)
            if following is None:
                end = remark(f"after step {number} what follows is open: {row.verdict}")
                break
            if following.dimension == self.span.dimension:
                end = remark(f"every later step is as step {number}")
                break
            self.is_generic &= following.dimension - self.span.dimension <= 1
            self.span = following
        return tuple(self.rows), end, is_open

    def _wanted(self) -> tuple[Span | None, Facts]:
        """U + all directions of order <= k."""
        whole, facts = self.span, list[Fact]()
        for order in range(1, min(self.order, self.coefficients.last) + 1):
            found = step(self.coefficients, self.span, order)
            if not found.is_complete:
                return None, found.facts
            facts += found.facts
            whole, decided = extended(self.coefficients.numbers, whole, found.span.rows)
            if not decided:
                return None, remark("the sum of the spans has no proved dimension")
        return whole, tuple(facts)

    def _vectors(self, degree: int) -> Iterator[Row]:
        """What C_n shows: its first slots, the others in U but for at most k - 1."""
        unlearned = complement(self.span).rows
        for order in range(1, min(self.order, degree) + 1):
            if self.span.dimension or order == degree:
                yield from slots(self.coefficients.tensor(degree), self.span.rows, unlearned, order)

    def _seen(self, wanted: Span) -> _Seen:
        """What the gradient shows, degree by degree."""
        seen = _Seen(self.span, self.span, self.span, (), frozenset(), True)
        is_complete = self.coefficients.is_finite or not self.span.dimension
        last = self.coefficients.last if self.span.dimension else self.order
        try:
            with limited(share(_SHARE)):
                for degree in range(1, min(last, self.coefficients.last) + 1):
                    if seen.least.dimension == wanted.dimension and not self.coefficients.is_finite:
                        break
                    if not self.coefficients.has(degree) or degree not in self.mu:
                        is_complete = False
                        break
                    seen = self._with_degree(seen, degree, wanted)
        except TimeEnded:
            is_complete = False
        is_complete &= seen.is_complete
        if not is_complete and seen.most.dimension == self.span.dimension:
            is_complete = self._is_blind()
        return dataclasses.replace(seen, is_complete=is_complete)

    def _with_degree(self, seen: _Seen, degree: int, wanted: Span) -> _Seen:
        """The same with what C_n shows."""
        numbers, zero = self.coefficients.numbers, self.mu[degree].zero
        if zero and seen.anything.dimension == wanted.dimension:
            return seen
        vectors = list(self._vectors(degree))
        alone, decided = extended(numbers, self.span, vectors)
        if alone.dimension == self.span.dimension:
            return dataclasses.replace(seen, is_complete=seen.is_complete and decided)
        anything, most, least = (
            extended(numbers, span, vectors)[0] if shown else span
            for span, shown in (
                (seen.anything, True),
                (seen.most, zero is not True),
                (seen.least, zero is False),
            )
        )
        longer = (anything.dimension, least.dimension) != (seen.anything.dimension, seen.least.dimension)
        return _Seen(
            least,
            most,
            anything,
            (*seen.degrees, degree) if longer else seen.degrees,
            seen.parities if zero else seen.parities | {degree % 2},
            seen.is_complete and decided,
        )

    def _is_blind(self) -> bool:
        """Whether it is proved that no degree shows anything to this activation."""
        average, variables = self.coefficients.average, self.coefficients.variables
        return is_blind(average, variables, self.span, self.activation, self.mu[1], order=self.order)

    def _row(self, number: int, wanted: Span) -> tuple[LearnedStep, Span | None]:
        """(the row, the subspace afterwards or None where it is not known)."""
        seen = self._seen(wanted)
        new, asked = seen.least.dimension - self.span.dimension, wanted.dimension - self.span.dimension
        known = new == asked or (seen.is_complete and seen.most.dimension == seen.least.dimension)
        at_least, at_most = self._ranks(number, seen, new)
        blind = [Math(f"mu_{n} = 0", rf"\mu_{{{n}}} = 0") for n in seen.degrees if self.mu[n].zero]
        following: Span | None = None
        realised: int | None = None
        if not known:
            facts = remark("whether the activation sees more is not decided: ", *self._named(seen.degrees))
        elif at_least < at_most:
            facts = remark(f"at least {at_least} and at most {at_most} of {new} directions that are seen")
        elif at_least < new:
            realised, facts = at_least, self._fewer(new, at_least)
        else:
            following, realised = seen.least, new
            facts = self._full(seen, new)
        if blind and known and new < asked:
            facts = (*remark(*_listed(blind), f": {asked - new} of {asked} directions are not seen"), *facts)
        row = LearnedStep(
            step=number,
            order=self.order,
            wanted=_rows(wanted),
            wanted_dimension=asked,
            realised=None if following is None else _rows(following),
            realised_dimension=realised,
            coefficients=tuple(DecidingCoefficient(degree=n, value=self.mu[n]) for n in seen.degrees),
            verdict=_verdict(realised, asked),
            status=self._status(number),
            facts=facts,
        )
        return row, following

    def _ranks(self, number: int, seen: _Seen, new: int) -> tuple[int, int]:
        """Bounds of the number of directions that the neurons take up, of `new` that are seen."""
        if self.span.dimension == 0 or new == 0 or (new == 1 and self.is_generic):
            return new, new  # one direction at order 1; at higher orders initial overlaps in all directions
        on_a_line = self.span.dimension == 1 and self.order == 1
        if on_a_line and self.readout == "gaussian":
            return new, new
        at_most = self._most_ways(new)
        if at_most == 1 and self.is_generic:
            return 1, 1
        if on_a_line:
            vectors, highest = self._on_the_line()
            outside = complement(self.span).rows
            at_least = parity_rank(vectors, self.mu, outside, highest=highest)
            return at_least, min(at_most, len(seen.parities)) if seen.is_complete else at_most
        if not self.coefficients.is_finite:
            return int(self.is_generic), at_most
        return min(self._population_rank(number), at_most), at_most

    def _most_ways(self, new: int) -> int:
        """In how many ways, of `new`, neurons with readouts of this kind can move at most."""
        ways = {"equal": 1, "signs": 2, "gaussian": new}[self.readout] if self.order == 1 else new
        return min(new, ways)

    def _population_rank(self, number: int) -> int:
        tensors = [self.coefficients.tensor(n) for n in range(1, self.coefficients.last + 1)]
        return population_rank(
            [t for t in tensors if t],
            self.mu,
            complement(self.span).rows,
            readout=self.readout,
            order=self.order,
            steps=number,
            neurons=_NEURONS,
        )

    def _on_the_line(self) -> tuple[dict[int, Row], int | None]:
        """(C_n[., e^(n - 1)] in closed form, e the learned direction; largest n, None if all)."""
        found: dict[int, Row] = {}
        for degree in range(1, self.coefficients.last + 1):
            computed = self.coefficients.is_finite or degree <= self.coefficients.reached
            row = self._along(degree) if computed and degree in self.mu else None
            if row is None:
                return found, degree - 1
            found[degree] = row
        return found, None if self.coefficients.is_finite else self.coefficients.last

    def _along(self, degree: int) -> Row | None:
        """C_n[., e^(n - 1)], None without a closed form."""
        width = self.coefficients.width
        units = [tuple(int(i == j) for j in range(width)) for i in range(width)]
        tensor = self.coefficients.tensor(degree)
        inner = next(contractions(tensor, self.span.rows, degree - 1), {}) if tensor else {}
        row = tuple(inner.get(unit, sympy.S.Zero) for unit in units)
        return row if all(self.coefficients.numbers.is_closed(x) for x in row) else None

    def _fewer(self, new: int, taken: int) -> Facts:
        shared = {"equal": "all neurons have the same overlap", "signs": "the neurons share |overlap|"}
        why = shared.get(self.readout, "the overlaps of the neurons lie on one curve")
        return remark(f"{why}: {taken} of {new} directions, which combination depends on the step size")

    def _full(self, seen: _Seen, new: int) -> Facts:
        if new == 0:
            return remark("nothing is learned")
        shown = [n for n in seen.degrees if self.mu[n].zero is False]
        return remark("seen by ", *self._named(shown))

    def _named(self, degrees: Sequence[int]) -> Paragraph:
        return _listed([DecidingCoefficient(degree=n, value=self.mu[n]).math() for n in degrees])

    def _status(self, number: int) -> str:
        if number == 1:
            below = any(self.coefficients.tensor(n) for n in range(1, self.order) if self.coefficients.has(n))
            return "conjecture" if below else "theorem"
        return "theorem in expectation" if number == 2 and self.order == 1 else "conjecture"


def _listed(formulas: Sequence[Math]) -> Paragraph:
    return joined([(each,) for each in formulas], ", ")


def _verdict(realised: int | None, asked: int) -> Verdict:
    if realised is None:
        return "undecided"
    if realised == asked:
        return "learned"
    return "partly learned" if realised else "not learned"


def _rows(span: Span) -> Rows:
    return tuple(tuple(row) for row in span.text())
