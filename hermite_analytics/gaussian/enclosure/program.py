"""An expression as a straight-line program over balls: each part is evaluated once, constants beforehand."""

from __future__ import annotations

import operator
from collections.abc import Sequence

import sympy
from flint import acb, arb
from sympy import Expr, Symbol

from hermite_analytics.errors import UnsupportedExpression
from hermite_analytics.gaussian.enclosure.constants import ball_of
from hermite_analytics.gaussian.enclosure.operations import ANALYTIC, REAL, Operation, power_operation
from hermite_analytics.gaussian.enclosure.precision import Ball
from hermite_analytics.gaussian.enclosure.special import hermite
from hermite_analytics.language import functions as own
from hermite_analytics.language.functions import record_of
from hermite_analytics.language.kinks import BREAKS

__all__ = ["Program"]

_Step = tuple[int, Operation, int, int]


class Program:
    """Evaluates an expression at balls of its variables, at the precision it was made for.

    Parameters
    ----------
    expr : sympy expression
    variables : sequence of symbols
    prec : int
        Bits of the constants; evaluate at this working precision.
    analytic : bool
        Whether inputs are complex balls on which the function must be analytic; values are not finite where
        it may not be. Kinks are refused then.

    Notes
    -----
    `stages[i]` are the steps whose last variable is number i: in nested loops over the variables each is
    run once per value of that variable, see `start` and `advance`.

    Examples
    --------
    >>> from hermite_analytics.symbols import z
    >>> bool(Program(sympy.tanh(z) ** 2, [z], 60)(arb(2)) < 1)
    True
    """

    def __init__(self, expr: Expr, variables: Sequence[Symbol], prec: int, *, analytic: bool = False) -> None:
        self.variables = tuple(variables)
        self._prec, self._analytic = prec, analytic
        self._table = ANALYTIC if analytic else REAL
        self._registers: list[Ball | None] = [None] * len(self.variables)
        self._levels: list[int] = list(range(len(self.variables)))
        self._places: dict[Expr, int] = {v: i for i, v in enumerate(self.variables)}
        self.stages: list[list[_Step]] = [[] for _ in self.variables]
        self._result = self._place(expr)

    def __call__(self, *inputs: Ball) -> Ball:
        registers = self.start()
        for level, value in enumerate(inputs):
            self.advance(registers, level, value)
        return registers[self._result]

    def start(self) -> list[Ball]:
        """Fresh registers, to be filled by `advance` level by level."""
        return list(self._registers)

    def advance(self, registers: list[Ball], level: int, value: Ball) -> None:
        """Set variable number `level` and run the steps that need no later one."""
        registers[level] = value
        for place, operation, i, j in self.stages[level]:
            if j < 0:
                registers[place] = operation(registers[i])
            else:
                registers[place] = operation(registers[i], registers[j])

    def result(self, registers: list[Ball]) -> Ball:
        return registers[self._result]

    def _place(self, expr: Expr) -> int:
        if expr not in self._places:
            self._places[expr] = self._new_place(expr)
        return self._places[expr]

    def _new_place(self, expr: Expr) -> int:
        if not expr.free_symbols:
            return self._constant(ball_of(expr, self._prec))
        if expr.is_Symbol:
            raise UnsupportedExpression(f"{expr} is free: an enclosure needs a number")
        if expr.is_Add:
            return self._sum(expr)
        if expr.is_Mul:
            return self._chain(operator.mul, [self._place(a) for a in expr.args])
        if isinstance(expr, sympy.exp):
            return self._step(self._table[sympy.exp], self._place(expr.args[0]))
        if expr.is_Pow:
            if expr.exp.free_symbols:
                raise UnsupportedExpression(f"no ball of {expr}: the exponent is not constant")
            raised = power_operation(expr.exp, self._table, lambda e: ball_of(e, self._prec))
            return self._step(raised, self._place(expr.base))
        if isinstance(expr, own.He) and expr.args[0].is_Integer:
            degree = int(expr.args[0])
            return self._step(lambda x: hermite(degree, x), self._place(expr.args[1]))
        return self._function(expr)

    def _function(self, expr: Expr) -> int:
        operation = self._table.get(expr.func)
        definition = record_of(expr).definition
        if operation is None and definition is not None:
            return self._place(definition(*expr.args))
        if operation is None:
            what = "a kink" if isinstance(expr, BREAKS) else type(expr).__name__
            raise UnsupportedExpression(f"no analytic evaluation of {what} in {expr}")
        places = [self._place(a) for a in expr.args]
        if isinstance(expr, sympy.Max | sympy.Min):
            return self._chain(operation, places)
        return self._step(operation, *places)

    def _sum(self, expr: Expr) -> int:
        """Negative terms are subtracted: one step less each."""
        positive = [a for a in expr.args if not _is_negative(a)] or [expr.args[0]]
        negative = [-a for a in expr.args if a not in positive]
        total = self._chain(operator.add, [self._place(a) for a in positive])
        for term in negative:
            total = self._step(operator.sub, total, self._place(term))
        return total

    def _constant(self, ball: arb) -> int:
        self._registers.append(acb(ball) if self._analytic else ball)
        self._levels.append(-1)
        return len(self._registers) - 1

    def _step(self, operation: Operation, i: int, j: int = -1) -> int:
        level = max(self._levels[i], self._levels[j] if j >= 0 else -1)
        place = len(self._registers)
        self._registers.append(None)
        self._levels.append(level)
        self.stages[level].append((place, operation, i, j))
        return place

    def _chain(self, operation: Operation, places: list[int]) -> int:
        """Fold the operands of the lowest levels first, so that outer loops do most of the work."""
        first, *others = sorted(places, key=lambda p: self._levels[p])
        for place in others:
            if self._levels[first] < 0 and self._levels[place] < 0:
                self._registers.append(operation(self._registers[first], self._registers[place]))
                self._levels.append(-1)
                first = len(self._registers) - 1
            else:
                first = self._step(operation, first, place)
        return first


def _is_negative(term: Expr) -> bool:
    return bool(term.could_extract_minus_sign() and term.free_symbols)
