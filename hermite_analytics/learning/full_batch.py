"""What gradient descent on n = alpha d samples learns, by a schedule of who is seen when.

With M_0 = 0 and the square loss a step adds -eta alpha E[g_t z^T] to the overlaps, g_t = a sigma'(h_t)(f - y)
averaged over the law of a training sample (docs/dmft.md). While z enters h_t through y and the learned
coordinates alone, E[g_t z] is an average of E[z | y, z_U]: the steps of order 1 of the grand staircase bound
what is learned. For odd sigma a map (z, h, y) -> (S z, -h, -y) leaves only the rows with M S = -M. What is
learned is read off the least powers of eta: with u = E[y z].z and n = 1 + i + m,

    M_t = sum over i, m of c_tim (a eta)^n alpha^(1+m) mu_1^m E[sigma^(n) sigma'^i] E[y^(1+i) u^m z]

up to higher powers of eta for the same monomials. A sample that was seen N_t times before moved its field by
eta a N_t y sigma'(h), so that at the first step with memory c_tim is a positive multiple of the sum over
s < t of E[s_s N_s^i] k_s^m, k_s the number of samples seen before; for i = 0 that is so from the second step
on. At later steps other products come with the same power, as E[sigma' sigma''^2] beside
E[sigma^(3) sigma'^2]: what was learned is then not lost but at special alpha and eta. A look-ahead is a step
with memory before the first. The correlation loss has the same monomials at their least powers, for f has no
label. Of other losses let the readout go to 0 with a eta fixed: l'(f, y) goes to l'(0, y), and the run to
that of the correlation loss on s = -l'(0, y). What that learns is learned for small readouts; "not learned"
is for all. A slope that is affine in y shows E[y z] alone in the first step, at any readout.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace

import sympy

from hermite_analytics.activation import Activation
from hermite_analytics.argument import Fact, Facts
from hermite_analytics.argument.fact import line_of
from hermite_analytics.argument.remarks import remark
from hermite_analytics.argument.sentences import Math, Paragraph
from hermite_analytics.argument.symmetries import symmetry_of
from hermite_analytics.evidence import Evidence
from hermite_analytics.exponents.coefficients import Coefficients
from hermite_analytics.exponents.numbers import Numbers
from hermite_analytics.exponents.results import Rows, weaker
from hermite_analytics.exponents.spans import Row, Span, complement, extended, whole
from hermite_analytics.exponents.steps import is_everything
from hermite_analytics.exponents.steps import step as step_of_order
from hermite_analytics.foundation.clock import TimeEnded, limited, share
from hermite_analytics.label.orders.climb import climb
from hermite_analytics.label.symmetries import label_symmetries
from hermite_analytics.language.shape import is_even
from hermite_analytics.learning.batch_moments import BatchMoments, Sight
from hermite_analytics.learning.learned_steps import DecidingCoefficient, LearnedStep, rows_of, verdict_of
from hermite_analytics.learning.neurons import Readout
from hermite_analytics.learning.schedules import Schedule
from hermite_analytics.losses.expression import LossExpression
from hermite_analytics.symbols import variable
from hermite_analytics.target import Target

__all__ = ["AFFINE_LOSSES", "FullBatch"]

AFFINE_LOSSES = ("square", "correlation")  # of which the slope is affine in the label

_MOST_DEGREE = 6  # of the monomials in y and u
_MOST_MIRRORED = 4  # coordinates, for the search of symmetries
_CLIMB_SHARE = 0.4  # of the time left
_SIGHT_SHARE = 0.8  # of the time left
_PSI = r"\psi(y) = \mathbb{E}[\sigma'(h) \, l'(f, y)]"
_STATUS = "mean-field limit"
_MOST_SIGNS = 2  # rows, if readouts are signs


@dataclass(frozen=True, slots=True)
class _Bound:
    """A subspace that holds the rows of M_t, and why."""

    span: Span
    facts: Facts
    evidence: Evidence


class FullBatch:
    """The steps one after the other; `result` as that of a `Walk`."""

    def __init__(
        self,
        target: Target,
        activation: Activation,
        readout: Readout,
        schedule: Schedule,
        loss: LossExpression | None,
    ) -> None:
        self.target, self.activation, self.readout = target, activation, readout
        self.schedule, self.loss = schedule, loss
        self.numbers = Numbers()
        self.width = target.dimension
        seen = None if loss is None else -loss.slope_at(target.expression, sympy.S.Zero)
        self.moments = BatchMoments(target, activation, self.numbers, seen)
        self.rows: list[LearnedStep] = []
        self.span = Span(width=self.width)

    def result(self, steps: int) -> tuple[tuple[LearnedStep, ...], Facts, bool]:
        """(rows, why they end, whether what follows is open)."""
        outside = self._outside
        if outside:
            return (), remark(outside), True
        ladder, is_whole = self._ladder
        last = ladder[-1]
        if not last.span.dimension and is_whole:
            return (), remark(*self._nothing, ": no step learns a direction: ", *line_of(last.facts)), False
        stride = 2 if self.schedule.look_ahead else 1
        wanted = 1 if stride == 1 or self._is_blind_at_first else 2
        for number in range(1, steps + 1):
            row, sight = self._row(number, wanted)
            is_stuck = sight.span.dimension == self.span.dimension
            self.rows.append(row)
            if row.realised is None:
                return self._ended(f"after step {number} what follows is open: {row.verdict}", is_open=True)
            self.span = sight.span
            is_top = _rung(ladder, wanted).span.dimension == last.span.dimension
            if (is_top or is_stuck) and self.span.dimension == self._allowed(last).span.dimension:
                if self.span.dimension == last.span.dimension and is_whole:
                    return self._ended("all directions that such steps can learn are learned")
                return self._ended(f"every later step adds nothing to step {number}")
            wanted += stride * bool(self.span.dimension)
        return self._ended("1 step was asked for" if steps == 1 else f"{steps} steps were asked for")

    @property
    def _outside(self) -> str:
        """Why nothing is said; empty where something is."""
        if self.activation.has_jumps is not False:
            return "sigma jumps, or may: gradients are then no functions"
        return "a look-ahead of negative step size is not looked at" if self.schedule.look_ahead < 0.0 else ""

    def _ended(self, words: str, *, is_open: bool = False) -> tuple[tuple[LearnedStep, ...], Facts, bool]:
        return tuple(self.rows), remark(words), is_open

    @functools.cached_property
    def _climb(self) -> tuple[list[_Bound], bool]:
        """(bounds U_1, U_2, .. of steps of order 1, whether it is proved that there are no more)."""
        try:
            with limited(share(_CLIMB_SHARE)):
                found = climb(self.target, max_degree=None)
        except TimeEnded:
            return [_Bound(whole(self.width), remark("no bound was found in time"), Evidence.EXACT)], False
        bounds: list[_Bound] = []
        evidence = Evidence.EXACT
        for step in found.steps:
            evidence = weaker(evidence, step.evidence)
            if step.order > 1 or not step.span.is_closed:
                span = bounds[-1].span if bounds else Span(width=self.width)
                if step.order > 1:
                    return [*bounds, _Bound(span, step.empty or step.facts, evidence)], True
                break
            bounds.append(_Bound(step.span, step.facts, evidence))
        else:
            if found.is_decided or found.next_order > 1:
                span = bounds[-1].span if bounds else Span(width=self.width)
                return bounds or [_Bound(span, found.end, found.evidence)], True
        return [*bounds, _Bound(whole(self.width), (), Evidence.EXACT)], False

    @functools.cached_property
    def _fresh_climb(self) -> tuple[list[_Bound], bool]:
        """The same of fresh samples and a loss that is affine in the label: the steps of a staircase."""
        coefficients, bounds = Coefficients(self.target), list[_Bound]()
        span, evidence = Span(width=self.width), Evidence.EXACT
        try:
            with limited(share(_CLIMB_SHARE)):
                while not is_everything(coefficients, span):
                    found = step_of_order(coefficients, span, 1)
                    longer, decided = extended(coefficients.numbers, span, found.span.rows)
                    if not (decided and found.is_complete and longer.is_closed):
                        return [*bounds, _Bound(whole(self.width), found.facts, Evidence.EXACT)], False
                    evidence = weaker(evidence, found.evidence)
                    if longer.dimension == span.dimension:
                        return bounds or [_Bound(span, found.facts, evidence)], True
                    span = longer
                    bounds.append(_Bound(span, found.facts, evidence))
        except TimeEnded:
            return [*bounds, _Bound(whole(self.width), remark("the time ended"), Evidence.EXACT)], False
        return bounds, True

    @property
    def _is_fresh(self) -> bool:
        """Whether each sample shows its label itself, once."""
        return self.schedule.first_memory is None and self.loss is None

    @property
    def _ladder(self) -> tuple[list[_Bound], bool]:
        return self._fresh_climb if self._is_fresh else self._climb

    @property
    def _nothing(self) -> Paragraph:
        if self._is_fresh:
            return (Math("E[y z] = 0", r"\mathbb{E}[y z] = 0"),)
        return (Math("E[z | y] = 0", r"\mathbb{E}[z \mid y] = 0"),)

    @property
    def _is_blind_at_first(self) -> bool:
        """Whether it is shown that the first gradient of a look-ahead moves no overlap."""
        first = self.moments.first()
        return self.loss is None and first.is_all and not first.span.dimension

    @functools.cached_property
    def _forbidden(self) -> tuple[Span, Facts]:
        """(directions in which no row of any M_t has a part, why)."""
        z = self.activation.variable
        if is_even(self.activation.expression, z):
            words = "for even sigma the map h -> -h leaves the labels as they are and changes the sign of g"
            return whole(self.width), remark(words)
        if self.loss is None and sympy.diff(self.activation.expression, z).is_number:
            row, _ = self.moments.label_vector
            line, decided = extended(self.numbers, Span(width=self.width), [row])
            if decided and line.is_closed:
                return complement(line), remark("gradients of a linear network are affine in the label")
        if not self.activation.is_odd or self.width > _MOST_MIRRORED or not self._is_loss_symmetric:
            return Span(width=self.width), ()
        return self._mirrored()

    def _mirrored(self) -> tuple[Span, Facts]:
        """What an odd activation does not see, as z -> S z changes the sign of the label."""
        variables = [variable(i + 1) for i in range(self.width)]
        span, facts = Span(width=self.width), list[Fact]()
        for found in label_symmetries(self.target.expression, variables):
            if found.sign > 0 or found.shift:
                continue
            matrix = sympy.Matrix(found.matrix.astype(int).tolist())
            columns = [tuple(row) for row in (matrix + sympy.eye(self.width)).T.tolist()]
            longer, _ = extended(self.numbers, span, columns)
            if longer.dimension > span.dimension:
                facts.append(symmetry_of(matrix, -1, variables))
            span = longer
        if not facts:
            return span, ()
        kept = "sigma is odd, so that (z, h, y) -> (Sz, -h, -y) keeps the dynamics and "
        return span, (*remark(kept, Math("M S = -M", "M S = -M")), *facts)

    def _allowed(self, bound: _Bound) -> _Bound:
        """The bound without what symmetries forbid."""
        forbidden, facts = self._forbidden
        both, _ = extended(self.numbers, forbidden, complement(bound.span).rows)
        return _Bound(complement_span(self.numbers, both), facts or bound.facts, bound.evidence)

    @property
    def _is_loss_symmetric(self) -> bool:
        """Whether l(-f, -y) = l(f, y), read off the expression."""
        return self.loss is None or self.loss.is_even

    def _row(self, number: int, rung: int) -> tuple[LearnedStep, Sight]:
        wanted = _rung(self._ladder[0], rung)
        memory = self.schedule.first_memory
        is_seen_before = memory is not None and number >= memory
        is_fresh = self.loss is None and not is_seen_before and number > 1  # the first has all of E[y z]
        most = self._allowed(_rung(self._fresh_climb[0], rung) if is_fresh else wanted)
        with limited(share(_SIGHT_SHARE)):
            sight = self._sight(number, most.span, is_seen_before)
        asked = wanted.span.dimension - self.span.dimension
        new = sight.span.dimension - self.span.dimension
        is_known = sight.is_all or sight.span.dimension == most.span.dimension
        taken = self._taken(sight, new) if is_known else None
        is_forbidden = sight.span.dimension == most.span.dimension < wanted.span.dimension
        facts = (*sight.facts, *(self._forbidden[1] if is_forbidden else ()))
        if not is_known:
            facts = (*facts, *remark("not decided: ", *sight.left))
        elif taken != new:
            facts = (*facts, *remark(f"rows of M_{number} of neurons with equal readouts are equal"))
        is_full = is_known and taken == new
        realised: Rows | None = rows_of(sight.span) if is_full else None
        evidence = Evidence.UNDECIDED if taken is None else weaker(sight.evidence, most.evidence)
        row = LearnedStep(
            step=number,
            order=1,
            wanted=rows_of(wanted.span),
            wanted_dimension=asked,
            realised=realised,
            realised_dimension=taken,
            coefficients=tuple(DecidingCoefficient(degree=1, value=q) for q in [self.moments.mu_1]),
            verdict=verdict_of(taken, asked),
            status=_STATUS,
            evidence=evidence,
            facts=facts or _nothing_new(is_fresh, new),
        )
        return row, sight

    def _sight(self, number: int, most: Span, is_seen_before: bool) -> Sight:
        if not most.dimension:
            return Sight(span=most, is_all=True)
        if self.loss is not None:
            return self._sight_of_loss(self.loss, number, most, is_seen_before)
        if number == 1 and not is_seen_before:
            return self.moments.first()
        return self.moments.later(most.dimension, _MOST_DEGREE, memory=is_seen_before)

    def _sight_of_loss(self, loss: LossExpression, number: int, most: Span, is_seen_before: bool) -> Sight:
        """What small readouts see; of the first step all, where the slope of the loss is affine in y."""
        if number == 1 and not is_seen_before:
            found = self.moments.first()
            sees = self.moments.mu_1.zero is False
            found = replace(found, is_all=found.is_all and sees and loss.is_affine_in_label)
        else:
            found = self.moments.later(most.dimension, _MOST_DEGREE, memory=is_seen_before)
        named = Math("s = -l'(0, y)", "s = -l'(0, y)")
        facts = (*remark("small readouts see ", named), *found.facts)
        left = found.left or ("what other readouts see, ", Math("psi(y) = E[sigma'(h) l'(f, y)]", _PSI))
        return replace(found, facts=facts, left=left)

    def _taken(self, sight: Sight, new: int) -> int | None:
        """The rank of M_t outside what was learned before, where these readouts decide it.

        Neurons with equal readouts have equal rows; for odd sigma the sign of the readout is that of the row.
        """
        if self.readout == "gaussian" or new <= 1:
            return new
        if self.readout == "equal" or self.activation.is_odd:
            return 1
        rank = len({n % 2 for n in sight.degrees[-new:]})
        return rank if rank == min(_MOST_SIGNS, new) else None


def _rung(ladder: list[_Bound], number: int) -> _Bound:
    return ladder[min(number, len(ladder)) - 1]


def _nothing_new(is_fresh: bool, new: int) -> Facts:
    if new:
        return remark("as before")
    return remark("fresh samples show no more" if is_fresh else "nothing is learned")


def complement_span(numbers: Numbers, span: Span) -> Span:
    """The orthogonal complement in echelon form."""
    rows: tuple[Row, ...] = complement(span).rows
    return extended(numbers, Span(width=span.width), rows)[0]
