"""Symbolic expressions to a `Program`: closed forms first, common sub-expressions named once."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import sympy
from sympy import Expr, S, Symbol

from hermite_analytics.calculus.breakpoints import breakpoints, strip_half_width
from hermite_analytics.calculus.node import GaussianExpectation
from hermite_analytics.codegen.ir import (
    Add,
    Assign,
    Call,
    Divide,
    Loop,
    Multiply,
    Name,
    Node,
    Number,
    Power,
    Program,
)
from hermite_analytics.errors import InputError, UnsupportedExpression
from hermite_analytics.language import functions as own

__all__ = ["FUNCTION_NAMES", "lower"]

MAX_OPERATIONS = 20_000

FUNCTION_NAMES: dict[type, str] = {
    sympy.exp: "exp",
    sympy.log: "log",
    sympy.sin: "sin",
    sympy.cos: "cos",
    sympy.tanh: "tanh",
    sympy.sinh: "sinh",
    sympy.cosh: "cosh",
    sympy.erf: "erf",
    sympy.erfc: "erfc",
    sympy.asin: "asin",
    sympy.acos: "acos",
    sympy.atan: "atan",
    sympy.Abs: "abs",
    sympy.sign: "sign",
    sympy.Max: "max",
    sympy.Min: "min",
    own.step: "step",
    own.relu: "relu",
    own.leaky_relu: "leaky_relu",
    own.Phi: "Phi",
    own.phi: "phi",
    own.sigmoid: "sigmoid",
    own.softplus: "softplus",
    own.silu: "silu",
    own.gelu: "gelu",
    own.OwenT: "OwenT",
    own.Phi2: "Phi2",
    own.He: "He",
}


def lower(outputs: Mapping[str, Expr], arguments: Sequence[Symbol]) -> Program:
    """Lower named expressions to a program of the given arguments.

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
                f"the expression {name} = {_short(expr)} has the symbol {unbound[0]}, which is not among the "
                f"arguments ({', '.join(map(str, arguments))}); add it to args or substitute it"
            )
        if sympy.count_ops(expr) > MAX_OPERATIONS:
            raise UnsupportedExpression(
                f"the expression {name} has more than {MAX_OPERATIONS} operations; compile its parts"
            )
    return _Lowering(outputs, arguments).program()


def _short(expr: Expr) -> str:
    text = str(expr)
    return text if len(text) <= 60 else text[:57] + "..."


def _plain(text: str) -> str:
    """A line that can stand in the docstring of the generated module."""
    return text.replace("\\", "").replace('"', "'")


_PLAIN_ARGUMENTS = {"alpha", "beta", "c", "eta", "gamma", "kappa", "lam", "m", "r", "rho", "s", "x", "y", "z"}


def _argument_names(arguments: Sequence[Symbol]) -> tuple[str, ...]:
    """Names of the arguments in the generated code, where they can clash with no other name."""
    repeated = {s.name for s in arguments if sum(t.name == s.name for t in arguments) > 1}
    if repeated:
        raise InputError(
            f"the argument {min(repeated)} is given twice; the arguments of a kernel are distinct"
        )
    if not arguments:
        raise InputError("a kernel takes at least one argument; give one in args, or use evalf for a number")
    plain = re.compile(r"z\d+")
    return tuple(
        s.name
        if s.name in _PLAIN_ARGUMENTS or plain.fullmatch(s.name)
        else re.sub(r"\W", "_", f"argument{j}_{s.name}")
        for j, s in enumerate(arguments)
    )


class _Scope:
    """Assignments in order, and the name or node of every sub-expression lowered so far."""

    def __init__(self, parent: _Scope | None = None) -> None:
        self.parent = parent
        self.statements: list[Assign | Loop] = []
        self.known: dict[Expr, Node] = {}

    def find(self, expr: Expr) -> Node | None:
        node = self.known.get(expr)
        return node if node is not None or self.parent is None else self.parent.find(expr)


class _Lowering:
    def __init__(self, outputs: Mapping[str, Expr], arguments: Sequence[Symbol]) -> None:
        self.outputs = {name: _evaluate_expectations(e) for name, e in outputs.items()}
        self.arguments = tuple(arguments)
        self.counter = 0
        self.uses: dict[Expr, int] = {}
        self.outer = _Scope()
        self.names = _argument_names(self.arguments)
        for symbol, name in zip(self.arguments, self.names, strict=True):
            self.outer.known[symbol] = Name(name)

    def program(self) -> Program:
        for expr in self.outputs.values():
            self.count(expr)
        self.loops()
        values = tuple((name, self.node(e, self.outer)) for name, e in self.outputs.items())
        return Program(
            arguments=self.names,
            statements=tuple(self.outer.statements),
            outputs=values,
            documentation=tuple(_plain(f"{name} = {_short(e)}") for name, e in self.outputs.items()),
        )

    def count(self, expr: Expr) -> None:
        """Count the uses of each sub-expression over all outputs; those used twice get a name."""
        self.uses[expr] = self.uses.get(expr, 0) + 1
        if self.uses[expr] == 1 and not isinstance(expr, GaussianExpectation):
            for a in expr.args:
                self.count(a)

    def loops(self) -> None:
        """One loop per integration variable, shared by all its expectations."""
        groups: dict[Symbol, list[GaussianExpectation]] = {}
        for expr in self.outputs.values():
            for node in sorted(expr.atoms(GaussianExpectation), key=sympy.default_sort_key):
                used = [v for v in node.variables if node.integrand.has(v)]
                if len(used) != 1:
                    raise UnsupportedExpression(
                        f"{_short(node)} runs over {len(used)} variables; one-dimensional ones are compiled"
                    )
                members = groups.setdefault(used[0], [])
                if node not in members:
                    members.append(node)
        for variable, members in groups.items():
            self.loop(variable, members)

    def loop(self, variable: Symbol, members: list[GaussianExpectation]) -> None:
        inner = _Scope(self.outer)
        inner_name = re.sub(r"\W", "_", f"node_{variable.name}")
        inner.known[variable] = Name(inner_name)
        for member in members:
            self.count(member.integrand)
        widths = [strip_half_width(m.integrand, variable) for m in members]
        strip: Node | None = None
        if not any(w is None for w in widths):
            finite = [w for w in dict.fromkeys(widths) if w is not S.Infinity]
            strip = self.node(sympy.Min(*finite) if finite else sympy.Float("1e300"), self.outer)
        kinks = dict.fromkeys(b for m in members for b in breakpoints(m.integrand, variable))
        points = tuple(self.node(b, self.outer) for b in kinks)
        values = []
        for member in members:
            result = self.fresh("mean")
            values.append((result, self.node(member.integrand, inner, variable)))
            self.outer.known[member] = Name(result)
        self.outer.statements.append(
            Loop(
                variable=inner_name,
                body=tuple(s for s in inner.statements if isinstance(s, Assign)),
                values=tuple(values),
                strip=strip,
                breakpoints=points,
            )
        )

    def fresh(self, stem: str) -> str:
        self.counter += 1
        return f"{stem}_{self.counter}"

    def node(self, expr: Expr, scope: _Scope, variable: Symbol | None = None) -> Node:
        """The node of `expr`; what does not depend on the loop variable is computed outside the loop."""
        home = scope
        if variable is not None and not expr.has(variable):
            home = self.outer
        known = home.find(expr)
        if known is not None:
            return known
        if expr.is_number and not expr.has(GaussianExpectation):
            return _number(expr)
        built = self.build(expr, scope, variable)
        hoisted = variable is not None and home is self.outer
        if isinstance(built, Name | Number):
            return built
        if self.uses.get(expr, 0) > 1 or hoisted:
            name = self.fresh("t")
            home.statements.append(Assign(name, built))
            home.known[expr] = Name(name)
            return Name(name)
        return built

    def build(self, expr: Expr, scope: _Scope, variable: Symbol | None) -> Node:
        def sub(e: Expr) -> Node:
            return self.node(e, scope, variable)

        if expr.is_Add:
            return Add(tuple(sub(a) for a in expr.args))
        if expr.is_Mul:
            numerator, denominator = expr.as_numer_denom() if _has_negative_power(expr) else (expr, S.One)
            if denominator != 1:
                return Divide(sub(numerator), sub(denominator))
            return Multiply(tuple(sub(a) for a in expr.args))
        if expr.is_Pow and not isinstance(expr, sympy.exp):
            return self.power(expr, sub)
        name = FUNCTION_NAMES.get(expr.func)
        if name is None:
            raise UnsupportedExpression(f"no code is known for {_short(expr)}")
        if name in {"max", "min"}:
            first, *others = (sub(a) for a in expr.args)
            result: Node = first
            for other in others:
                result = Call(name, (result, other))
            return result
        return Call(name, tuple(sub(a) for a in expr.args))

    def power(self, expr: Expr, sub: object) -> Node:
        lowered = sub(expr.base)  # type: ignore[operator]
        exponent = expr.exp
        if exponent.is_number and exponent < 0:
            positive = sub(expr.base ** (-exponent))  # type: ignore[operator]
            return Divide(Number("1.0"), positive)
        if exponent == S.Half:
            return Call("sqrt", (lowered,))
        if exponent.is_Integer:
            return Power(lowered, Number(f"{int(exponent)}.0"), int(exponent))
        if exponent.is_Rational and exponent.q == 2:
            whole = sub(expr.base ** (exponent - S.Half))  # type: ignore[operator]
            return Multiply((whole, Call("sqrt", (lowered,))))
        return Power(lowered, sub(exponent))  # type: ignore[operator]


def _has_negative_power(expr: Expr) -> bool:
    return any(
        a.is_Pow and not isinstance(a, sympy.exp) and a.exp.is_number and a.exp < 0 and not a.is_number
        for a in expr.args
    )


def _number(expr: Expr) -> Number:
    if expr.is_Integer and abs(expr) < 10**15:
        return Number(f"{int(expr)}.0")
    value = sympy.N(expr, 25)
    if not value.is_Float:
        raise UnsupportedExpression(f"{_short(expr)} is not a real number")
    return Number(repr(float(value)))


def _evaluate_expectations(expr: Expr) -> Expr:
    """Replace every expectation by its closed form where there is one."""
    nodes = expr.atoms(GaussianExpectation)
    return expr.xreplace({n: n.in_real_functions() for n in nodes}) if nodes else expr
