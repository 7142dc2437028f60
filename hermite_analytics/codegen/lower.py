"""Symbolic expressions to a `Program`: closed forms first, common sub-expressions named once."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping, Sequence

import sympy
from sympy import Expr, S, Symbol

from hermite_analytics.codegen.expressions import build, defined, has_more_operations, number
from hermite_analytics.codegen.growth import moderate_half_width, panel_ends
from hermite_analytics.codegen.ir import (
    Add,
    Assign,
    Call,
    Guard,
    Integral,
    Loop,
    Multiply,
    Name,
    Node,
    Number,
    Power,
    Program,
    Statement,
    Table,
)
from hermite_analytics.codegen.names import PAGE, argument_names, plain, shown
from hermite_analytics.codegen.rules import graded_ends
from hermite_analytics.codegen.tabulated import Tabulated
from hermite_analytics.errors import InputError, UnsupportedExpression
from hermite_analytics.gaussian.breakpoints import sharp_points, strip_half_width
from hermite_analytics.gaussian.node import GaussianExpectation
from hermite_analytics.gaussian.residual import Guarded
from hermite_analytics.language.bounds import bounds

__all__ = ["lower"]

MAX_OPERATIONS = 20_000
_TWO = Number("2.0")
_BOUND = (GaussianExpectation, sympy.Integral)


def lower(
    outputs: Mapping[str, Expr], arguments: Sequence[Symbol], *, described: Mapping[str, Expr] | None = None
) -> Program:
    """Lower named expressions to a program of the given arguments.

    Parameters
    ----------
    outputs : mapping
    arguments : sequence of symbols
    described : mapping, optional
        Formulas for the docstring, where they differ from those computed.

    Raises
    ------
    InputError
        If an expression has a symbol that is not among the arguments.
    UnsupportedExpression
        If a function has no code, or the expression is over the size guard.
    """
    for name, expr in outputs.items():
        unbound = sorted(str(s) for s in expr.free_symbols - set(arguments))
        if unbound:
            raise InputError(
                f"the expression {name} = {shown(expr)} has the symbol {unbound[0]}, which is not among the "
                f"arguments ({', '.join(map(str, arguments))}); add it to args or substitute it"
            )
        if has_more_operations(expr, MAX_OPERATIONS):
            raise UnsupportedExpression(
                f"the expression {name} = {shown(expr)} has more than {MAX_OPERATIONS} operations; "
                "compile its parts"
            )
    program = _Lowering(outputs, tuple(arguments), argument_names(arguments)).program()
    shown_as = {**outputs, **(described or {})}
    lines = tuple(plain(f"{name} = {shown(e)}") for name, e in shown_as.items())
    formulas = tuple(plain(f"{name} = {shown(e, PAGE)}") for name, e in shown_as.items())
    return dataclasses.replace(program, documentation=lines, formulas=formulas)


class _Scope:
    """Assignments in order, and the name or node of every sub-expression lowered so far."""

    def __init__(self, parent: _Scope | None = None, variable: Symbol | None = None) -> None:
        self.parent = parent
        self.variable = variable
        self.statements: list[Statement] = []
        self.known: dict[Expr, Node] = {}

    def find(self, expr: Expr) -> Node | None:
        node = self.known.get(expr)
        return node if node is not None or self.parent is None else self.parent.find(expr)

    def assignments(self) -> tuple[Assign, ...]:
        return tuple(s for s in self.statements if isinstance(s, Assign))


class _Lowering:
    def __init__(
        self, outputs: Mapping[str, Expr], arguments: tuple[Symbol, ...], names: tuple[str, ...]
    ) -> None:
        self.outputs = dict(outputs)
        self.arguments = arguments
        self.names = names
        self.counter = 0
        self.uses: dict[Expr, int] = {}
        self.outer = _Scope()
        self.outer.known.update((s, Name(n)) for s, n in zip(arguments, names, strict=True))
        self.fallbacks: dict[Expr, tuple[str, Program]] = {}
        self.tables: dict[Expr, Table] = {}

    def program(self) -> Program:
        for expr in self.outputs.values():
            self.count(expr)
        for expr in list(self.uses):
            for half in self.halves(expr):
                self.uses[half] += 1
        self.loops()
        values = tuple((name, self.output(name, e)) for name, e in self.outputs.items())
        return Program(
            arguments=self.names,
            statements=tuple(self.outer.statements),
            outputs=values,
            fallbacks=tuple(self.fallbacks.values()),
            tables=tuple(self.tables.values()),
        )

    def output(self, name: str, expr: Expr) -> Node:
        """An output, with a name of its own."""
        node = self.node(expr, self.outer)
        if isinstance(node, Name | Number):
            return node
        self.outer.statements.append(Assign(f"result_{name}", node))
        return Name(f"result_{name}")

    def count(self, expr: Expr) -> None:
        """Count the uses of each sub-expression over all outputs; those used twice get a name."""
        self.uses[expr] = self.uses.get(expr, 0) + 1
        if self.uses[expr] == 1 and not isinstance(expr, _BOUND):
            for a in _parts(expr):
                self.count(a)

    def loops(self) -> None:
        """Integrals and expectations, inner ones first; expectations over one variable share a loop."""
        waiting = list(dict.fromkeys(n for e in self.outputs.values() for n in _bound_nodes(e)))
        while waiting:
            ready = [n for n in waiting if not any(m in waiting for m in _bound_nodes(n.args[0]))]
            groups: dict[Symbol, list[GaussianExpectation]] = {}
            for node in ready:
                if isinstance(node, sympy.Integral):
                    self.integral(node)
                else:
                    groups.setdefault(_variable(node), []).append(node)
            for variable, members in groups.items():
                self.loop(variable, members)
            waiting = [n for n in waiting if n not in ready]

    def loop(self, variable: Symbol, members: list[GaussianExpectation]) -> None:
        inner = self.inner_scope(variable, (m.integrand for m in members))
        integrands = [_resolved(m.integrand) for m in members]
        strip = self.strip(integrands, variable)
        kinks = dict.fromkeys(b for f in integrands for b in panel_ends(f, variable))
        sharp = dict.fromkeys(b for f in integrands for b in sharp_points(f, variable))
        points, graded = (tuple(self.node(b, self.outer) for b in p) for p in (kinks, graded_ends(sharp)))
        values = [(self.fresh("mean"), self.node(m.integrand, inner)) for m in members]
        self.outer.statements.append(
            Loop(
                variable=self.name_in(inner),
                body=inner.assignments(),
                values=tuple(values),
                strip=strip,
                breakpoints=points,
                graded=graded,
                nonnegative=tuple(bool(bounds(m.integrand)[0].is_nonnegative) for m in members),
            )
        )
        self.outer.known.update((m, Name(n)) for m, (n, _) in zip(members, values, strict=True))

    def strip(self, integrands: Sequence[Expr], variable: Symbol) -> Node | None:
        """The least half-width of a strip in which all are moderate; None where one is not known."""
        widths = [strip_half_width(f, variable) for f in integrands]
        if any(w is None for w in widths):
            return None
        is_limited = any(w is not S.Infinity for w in widths)
        widths += [moderate_half_width(f, variable, is_limited=is_limited) for f in integrands]
        finite = [w for w in dict.fromkeys(widths) if w is not S.Infinity]
        return self.node(sympy.Min(*finite) if finite else sympy.Float("1e300"), self.outer)

    def integral(self, expr: sympy.Integral) -> None:
        limits = expr.args[1]
        if len(expr.args) != 2 or len(limits) != 3 or limits[1] != 0 or not limits[2].is_number:
            raise UnsupportedExpression(f"no code is known for the integral {shown(expr)}")
        inner = self.inner_scope(limits[0], [expr.args[0]])
        result = self.fresh("integral")
        value = self.node(expr.args[0], inner)
        self.outer.statements.append(
            Integral(
                variable=self.name_in(inner),
                body=inner.assignments(),
                values=((result, value),),
                end=number(limits[2]),
            )
        )
        self.outer.known[expr] = Name(result)

    def inner_scope(self, variable: Symbol, integrands: Iterable[Expr]) -> _Scope:
        inner = _Scope(self.outer, variable)
        inner.known[variable] = Name(re.sub(r"\W", "_", f"node_{variable.name}", flags=re.ASCII))
        for integrand in integrands:
            self.count(integrand)
        return inner

    @staticmethod
    def name_in(scope: _Scope) -> str:
        name = scope.known[scope.variable]
        assert isinstance(name, Name)
        return name.text

    def fresh(self, stem: str) -> str:
        self.counter += 1
        return f"{stem}_{self.counter}"

    def node(self, expr: Expr, scope: _Scope) -> Node:
        """The node of `expr`; what does not depend on the loop variable is computed outside the loop."""
        hoisted = scope.variable is not None and scope.variable not in expr.free_symbols
        home = self.outer if hoisted else scope
        known = home.find(expr)
        if known is not None:
            return known
        if expr.is_number and not expr.has(*_BOUND, Guarded):
            return number(expr)
        built: Node | None = self.guard(expr, home) if isinstance(expr, Guarded) else None
        built = self.looked_up(expr, home) if isinstance(expr, Tabulated) else built
        built = (
            built
            or self.doubled(expr, home)
            or self.grouped(expr, home)
            or build(defined(expr), lambda part: self.node(part, home))
        )
        if isinstance(built, Name | Number):
            return built
        if self.uses.get(expr, 0) > 1 or hoisted:
            name = self.fresh("t")
            home.statements.append(Assign(name, built))
            home.known[expr] = Name(name)
            return Name(name)
        return built

    def looked_up(self, expr: Tabulated, scope: _Scope) -> Node:
        """A value from a table, which expressions of the same function share."""
        key = expr.function
        if key not in self.tables:
            made = expr.table
            self.tables[key] = Table(
                name=f"table_{len(self.tables) + 1}",
                edges=made.edges,
                rows=made.rows,
                error=made.relative_error,
            )
        table = self.tables[key]
        argument = self.node(expr.argument, scope)
        if table.edges:
            return Call("angle_sum", (Name(f"{table.name}_edges"), Name(table.name), argument))
        return Call("chebyshev_sum", (Name(table.name), argument))

    def halves(self, expr: Expr) -> tuple[Expr, ...]:
        """exp, or sin and cos, of half the argument, if these are computed anyway."""
        if not isinstance(expr, sympy.exp | sympy.sin | sympy.cos):
            return ()
        half = expr.args[0] / 2
        parts = (sympy.exp(half),) if isinstance(expr, sympy.exp) else (sympy.sin(half), sympy.cos(half))
        return parts if all(self.uses.get(p) for p in parts) else ()

    def doubled(self, expr: Expr, scope: _Scope) -> Node | None:
        """exp, sin and cos of twice an argument, from those of the argument where these are there anyway."""
        parts = [self.node(p, scope) for p in self.halves(expr)]
        if not parts:
            return None
        if isinstance(expr, sympy.exp):
            return Power(parts[0], _TWO, 2)
        sine, cosine = parts
        if isinstance(expr, sympy.sin):
            return Multiply((_TWO, sine, cosine))
        minus = Multiply((Number("-1.0"), sine))
        return Multiply((Add((cosine, minus)), Add((cosine, sine))))

    def grouped(self, expr: Expr, scope: _Scope) -> Node | None:
        """A sum or product in a loop: what does not change there is put together, outside the loop."""
        if scope.variable is None or not (expr.is_Add or expr.is_Mul):
            return None
        fixed = [a for a in expr.args if scope.variable not in a.free_symbols]
        moving = [a for a in expr.args if scope.variable in a.free_symbols]
        if len(fixed) < 2 or all(a.is_number for a in fixed):
            return None
        parts = (self.node(expr.func(*fixed), scope), self.node(expr.func(*moving), scope))
        return Add(parts) if expr.is_Add else Multiply(parts)

    def guard(self, expr: Guarded, scope: _Scope) -> Node:
        value, scale, stable, check = expr.args
        if stable not in self.fallbacks:
            name = f"stable_{len(self.fallbacks) + 1}"
            part = _Lowering({name: stable}, self.arguments, self.names).program()
            self.fallbacks[stable] = (name, part)
        return Guard(
            value=self.node(value, scope),
            check=self.node(check, scope),
            scale=self.node(scale, scope),
            fallback=self.fallbacks[stable][0],
        )


def _parts(expr: Expr) -> tuple[Expr, ...]:
    """The sub-expressions that are computed with `expr`: not what a guard falls back on."""
    if isinstance(expr, Guarded):
        value, scale, _, check = expr.args
        return (value, check, scale)
    if isinstance(expr, Tabulated):
        return (expr.argument,)
    return tuple(defined(expr).args)


def _bound_nodes(expr: Expr) -> list[Expr]:
    """Integrals and expectations in `expr`, in the order of appearance."""
    found: dict[Expr, None] = {}
    waiting = [expr]
    while waiting:
        part = waiting.pop()
        if isinstance(part, _BOUND):
            found[part] = None
            part = part.args[0]
        waiting += [a for a in _parts(part) if isinstance(a, sympy.Basic)]
    return sorted(found, key=sympy.default_sort_key)


def _variable(node: GaussianExpectation) -> Symbol:
    used = [v for v in node.variables if v in node.integrand.free_symbols]
    if len(used) != 1:
        raise UnsupportedExpression(
            f"{shown(node)} runs over {len(used)} variables; one-dimensional ones are compiled"
        )
    return used[0]


def _resolved(integrand: Expr) -> Expr:
    """The integrand with inner expectations as plain parameters."""
    inner = {n: sympy.Dummy("inner", real=True) for n in _bound_nodes(integrand)}
    return integrand.xreplace(inner) if inner else integrand
