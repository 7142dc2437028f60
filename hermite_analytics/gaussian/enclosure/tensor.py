"""Products of one-dimensional rules for expectations over two or three variables, with rigorous errors.

With rules Q_i for the integrals I_i, I_1 .. I_n - Q_1 .. Q_n is the sum over i of
Q_1 .. Q_(i-1) (I_i - Q_i) I_(i+1) .. I_n: the error of rule i is an envelope in the other variables, on which
the positive rules before it and the moments after it are applied.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

from flint import arb
from sympy import Expr, Symbol

from hermite_analytics.errors import BudgetExhausted, UnsupportedExpression
from hermite_analytics.foundation.clock import remaining, seconds_allowed
from hermite_analytics.gaussian.enclosure.axis_rules import AxisRule, Group, panel_axis, trapezoid_axis
from hermite_analytics.gaussian.enclosure.effort import bounded, check, check_precision
from hermite_analytics.gaussian.enclosure.forms import kink_variables
from hermite_analytics.gaussian.enclosure.moments import Measure, functional, moment
from hermite_analytics.gaussian.enclosure.parity import parity
from hermite_analytics.gaussian.enclosure.precision import BOUND_BITS, working_precision
from hermite_analytics.gaussian.enclosure.program import Program

__all__ = ["tensor_expectation"]

_GUARD_BITS = 24
_LADDER = (3, 5, 8, 12, 16, 20, 25, 30, 40, 60, 80, 100)
_SAMPLES = 40


def tensor_expectation(expr: Expr, variables: tuple[Symbol, ...], digits: int) -> arb:
    """A ball of E[expr] over independent N(0, 1) variables, of radius about 10^-digits.

    Kinks may contain one variable only, and at most one variable may have kinks.

    Raises
    ------
    UnsupportedExpression
        For other kinks, and where no strip is found.
    BudgetExhausted
        With the best ball that could be had in the time, if any.
    """
    if any(parity(expr, v) == -1 for v in variables) or parity(expr, *variables) == -1:
        return arb(0)
    ordered, kinked = _ordered(expr, variables)
    best: arb | None = None
    skipped: _Tensor | None = None
    for goal in [d for d in _LADDER if d < digits] + [digits]:
        try:
            with bounded():
                rule = _Tensor.planned(expr, ordered, kinked, goal)
            early = best is not None or remaining() > seconds_allowed() / 2
            if goal < digits and early and not _is_dear(rule, expr, ordered, 4):
                skipped = rule  # cheap: go on to more digits at once
                continue
            if _is_dear(rule, expr, ordered, 1):
                if best is None and skipped is not None:
                    best = skipped.total(expr, ordered)
                raise BudgetExhausted(
                    f"{goal} digits of {expr} take more than {seconds_allowed():.3g} s", best
                )
            best = rule.total(expr, ordered)
        except BudgetExhausted as error:
            raise BudgetExhausted(str(error), best) from None
    if best is None:  # pragma: no cover
        raise BudgetExhausted("no enclosure in the time given")
    return best


def _ordered(expr: Expr, variables: tuple[Symbol, ...]) -> tuple[tuple[Symbol, ...], bool]:
    """The variable with kinks last, and whether there is one."""
    kinks = kink_variables(expr, variables)
    if any(len(k) > 1 for k in kinks) or len(set().union(*kinks)) > 1:
        raise UnsupportedExpression(f"the kinks of {expr} lie along more than one direction")
    if not kinks:
        return variables, False
    (z,) = kinks[0]
    return (*(v for v in variables if v != z), z), True


@dataclass(frozen=True, slots=True)
class _Tensor:
    rules: tuple[AxisRule, ...]
    error: arb
    bits: int
    is_even: bool

    @staticmethod
    def planned(expr: Expr, variables: tuple[Symbol, ...], kinked: bool, digits: int) -> _Tensor:
        bits = math.ceil(digits * math.log2(10)) + _GUARD_BITS
        check_precision(bits)
        with working_precision(BOUND_BITS):
            tolerance = arb(10) ** -digits / (8 * len(variables))
        rules = []
        for i in range(len(variables)):
            make = panel_axis if kinked and i == len(variables) - 1 else trapezoid_axis
            rules.append(make(expr, variables, i, tolerance, bits))
        even = parity(expr, *variables) == 1 and not kinked
        return _Tensor(tuple(rules), _error(rules), bits, even)

    def count(self) -> int:
        return math.prod(r.count() for r in self.rules) // (2 if self.is_even else 1)

    def total(self, expr: Expr, variables: tuple[Symbol, ...]) -> arb:
        """The sum over all nodes, the errors included."""
        with working_precision(self.bits):
            total = arb(0)
            for group in self.rules[-1].groups:
                # the variable with kinks is the outermost loop, so that its pieces are compiled once
                order = (variables[-1], *variables[:-1])
                axes = (group, *(r.groups[0] for r in self.rules[:-1]))
                total = total + _Sum(group.piece, order, axes, self.bits, self.is_even).value()
            return total + arb(0, self.error.upper())


def _error(rules: list[AxisRule]) -> arb:
    """The telescoping sum of the rules' errors."""
    with working_precision(BOUND_BITS):
        total = arb(0)
        for i, rule in enumerate(rules):
            for error in rule.errors:
                measures: list[Measure] = [r.discrete for r in rules[:i]] + [moment] * (len(rules) - i)
                measures[i] = error.measure
                total = total + functional(error.envelope, measures)
        return total


class _Sum:
    """Nested sums over the nodes; each part of the integrand stands in the outermost loop that it allows."""

    def __init__(
        self,
        piece: Expr,
        variables: tuple[Symbol, ...],
        axes: tuple[Group, ...],
        bits: int,
        is_even: bool,
    ) -> None:
        self.program = Program(piece, variables, bits)
        self.axes, self.is_even = axes, is_even
        self.registers = self.program.start()

    def value(self) -> arb:
        return self.level(0)

    def level(self, depth: int) -> arb:
        check()
        nodes = self.axes[depth].nodes
        total = arb(0)
        last = depth == len(self.axes) - 1
        for x, weight in nodes:
            factor = weight
            if depth == 0 and self.is_even:
                if x < 0:
                    continue
                factor = weight if x == 0 else 2 * weight
            self.program.advance(self.registers, depth, x)
            inner = self.program.result(self.registers) if last else self.level(depth + 1)
            total = total + factor * inner
        return total


def _is_dear(rule: _Tensor, expr: Expr, variables: tuple[Symbol, ...], share: int) -> bool:
    """Whether the sum is expected to take more than 1/share of the time left, from a few evaluations."""
    with working_precision(rule.bits):
        program = Program(rule.rules[-1].groups[0].piece, variables, rule.bits)
        registers = program.start()
        for i, axis in enumerate(rule.rules):
            program.advance(registers, i, axis.groups[0].nodes[0][0])
        start = time.perf_counter()
        level = len(variables) - 1
        for x, weight in rule.rules[-1].groups[0].nodes[:_SAMPLES]:
            program.advance(registers, level, x)
            weight * program.result(registers)
        seconds = (time.perf_counter() - start) / _SAMPLES
    return seconds * rule.count() * share > remaining()
