"""What operations and functions accept: sizes of numbers, degrees, signs of arguments."""

from __future__ import annotations

import ast
from collections.abc import Callable

import mpmath
import sympy
from sympy import Expr, S

from hermite_analytics.errors import ParseError
from hermite_analytics.language import functions as own
from hermite_analytics.language.bounds import (
    is_shown_nonnegative,
    is_shown_positive,
    is_shown_positive_almost_everywhere,
)
from hermite_analytics.language.evaluation import reference_function
from hermite_analytics.language.functions import Domain, Growth, Record, functions_where
from hermite_analytics.language.quotients import known_logarithm, known_quotient
from hermite_analytics.language.stairs import floor_refusal
from hermite_analytics.language.table import FUNCTIONS

__all__ = ["MAX_DEGREE", "Rules", "polynomial_degree"]

MAX_DEGREE = 200
MAX_CONSTANT_BITS = 4096
MAX_CONSTANT = 1.001e300
MAX_ROOT = 1000
MAX_FORMS = 64  # arguments of one max or min


class Rules:
    """The operations of the language on expressions that are already read; refusals name the place.

    Parameters
    ----------
    text : str
        What the user wrote.
    offset : int
        Column of the text at which the syntax tree begins.
    is_constant : callable
        Whether a symbol is a parameter.
    floor_of : callable
        The floor of an argument that is accepted.
    """

    def __init__(
        self,
        *,
        text: str,
        offset: int,
        is_constant: Callable[[sympy.Symbol], bool],
        floor_of: Callable[[Expr], Expr],
    ) -> None:
        self.text, self.offset, self.is_constant, self.floor_of = text, offset, is_constant, floor_of

    def is_parametric(self, expr: Expr) -> bool:
        """Whether only parameters occur, at least one."""
        return bool(expr.free_symbols) and all(self.is_constant(s) for s in expr.free_symbols)

    def positive(self, expr: Expr) -> bool:
        return is_shown_positive(expr) or self.is_parametric(expr)

    def nonnegative(self, expr: Expr) -> bool:
        return is_shown_nonnegative(expr) or self.is_parametric(expr)

    def fail(self, message: str, node: ast.AST) -> ParseError:
        return ParseError(message, self.text, self.offset + getattr(node, "col_offset", 0))

    def checked(self, value: Expr, node: ast.AST) -> Expr:
        if polynomial_degree(value) > MAX_DEGREE:
            raise self.fail(f"a polynomial of degree above {MAX_DEGREE} is not accepted", node)
        if value is S.ComplexInfinity or value is S.NaN:
            raise self.fail("the expression is not a finite number here", node)
        if value.is_number:
            self.check_constant(value, node)
        elif value.is_extended_real is False:
            raise self.fail("the expression is not real here", node)
        coefficients = value.args if value.is_Add or value.is_Mul or value.is_Pow else ()
        for a in (*coefficients, value):
            number = a.as_coeff_Mul()[0]
            if _bits(number) > MAX_CONSTANT_BITS:
                raise self.fail("a number of this size is not accepted", node)
        return value

    def check_constant(self, value: Expr, node: ast.AST) -> None:
        """Refuse constants that no later evaluation could handle: too large, or not told from zero."""
        with mpmath.workdps(50):
            try:
                number = mpmath.mpmathify(reference_function(value, ())())
            except (ArithmeticError, ValueError):
                number = mpmath.inf
            if number == mpmath.inf:
                raise self.fail("this constant is too large or too small", node)
            if not isinstance(number, mpmath.mpf) or not mpmath.isfinite(number):
                raise self.fail("the expression is not real here", node)
            if abs(number) > MAX_CONSTANT or (value.is_zero is False and abs(number) * MAX_CONSTANT < 1):
                raise self.fail("numbers are accepted from 1e-300 to 1e300 in size", node)
            if abs(number) < mpmath.mpf(10) ** -40 and value.is_zero is None:
                raise self.fail("this constant cannot be told from zero; write it out", node)

    def quotient(self, left: Expr, right: Expr, node: ast.AST) -> Expr:
        if right.is_zero:
            raise self.fail("division by zero", node)
        found = known_quotient(left, right)
        if found is not None:
            return found
        if not (_is_nonzero_constant(right) or self.positive(right) or is_shown_positive(-right)):
            raise self.fail(
                "division is accepted where the denominator is a nonzero constant or is shown to be positive",
                node,
            )
        return left / right

    def power(self, base: Expr, exponent: Expr, node: ast.BinOp) -> Expr:
        if not exponent.is_number:
            return self.exponential(base, exponent, node)
        if exponent.is_Rational:
            self.check_power(base, exponent, node)
            return (self.whole_power if exponent.is_Integer else self.root)(base, exponent, node)
        if not self.positive(base):
            raise self.fail("this exponent needs a base that is shown to be positive", node.right)
        return base**exponent

    def exponential(self, base: Expr, exponent: Expr, node: ast.BinOp) -> Expr:
        if not (base.is_number and base.is_positive):
            raise self.fail("a variable exponent needs a positive constant as its base", node.right)
        scaled = exponent * sympy.log(base)
        self.check_exponent(scaled, node.right)
        return sympy.exp(scaled)

    def check_power(self, base: Expr, exponent: Expr, node: ast.BinOp) -> None:
        """Refuse rational exponents, and powers of numbers, of a size that nobody can compute with."""
        if abs(exponent) > MAX_DEGREE:
            raise self.fail(f"exponents are accepted up to {MAX_DEGREE} in size", node.right)
        if exponent.q > MAX_ROOT:
            raise self.fail(f"roots are accepted up to order {MAX_ROOT}", node.right)
        if base.is_Rational:
            bits = base.p.bit_length() + base.q.bit_length()
            if abs(exponent) * bits > MAX_CONSTANT_BITS:
                raise self.fail("this power of a number is too large", node.right)

    def whole_power(self, base: Expr, exponent: Expr, node: ast.BinOp) -> Expr:
        if exponent < 0:
            return self.quotient(S.One, base, node.left) ** (-exponent)
        if polynomial_degree(base) * int(exponent) > MAX_DEGREE:
            raise self.fail(f"a polynomial of degree above {MAX_DEGREE} is not accepted", node.right)
        return base**exponent

    def root(self, base: Expr, exponent: Expr, node: ast.BinOp) -> Expr:
        if self.positive(base) or (exponent > 0 and self.nonnegative(base)):
            return base**exponent
        sign = "nonnegative" if exponent > 0 else "positive"
        raise self.fail(f"a root is accepted where its argument is shown to be {sign}", node.left)

    def check_exponent(self, argument: Expr, node: ast.AST) -> None:
        """sympy turns exp(n log x) into x**n: the same limit as for powers."""
        for term in sympy.Add.make_args(sympy.expand_mul(argument)):
            if term.has(sympy.log) and abs(term.as_coeff_Mul()[0]) > MAX_DEGREE:
                raise self.fail(f"exponents are accepted up to {MAX_DEGREE} in size", node)

    def build(self, name: str, arguments: list[Expr], node: ast.Call) -> Expr:
        entry = FUNCTIONS[name]
        self.check_arity(name, entry, len(arguments), node)
        refusal = None if entry.refuses is None else entry.refuses(*arguments)
        if refusal is not None:
            raise self.fail(refusal, node)
        self.check_domain(name, entry, arguments[0], node)
        self.check_constants(name, entry, arguments[1:], node)
        match name:
            case "He":
                self.check_hermite(arguments, node)
            case "exp":
                self.check_exponent(arguments[0], node)
            case "log" if (known := known_logarithm(arguments[0])) is not None:
                return known
            case "max" | "Max" | "min" | "Min":
                self.check_forms(name, arguments, node)
            case "floor":
                return self.floor(arguments[0], node)
        build = entry.build or entry.function
        assert build is not None
        try:
            return build(*arguments)
        except (ArithmeticError, ValueError, TypeError):
            raise self.fail(f"{name} of these arguments cannot be formed", node) from None

    def floor(self, argument: Expr, node: ast.AST) -> Expr:
        refusal = floor_refusal(argument)
        if refusal is not None:
            raise self.fail(refusal, node)
        return self.floor_of(argument)

    def check_arity(self, name: str, entry: Record, count: int, node: ast.AST) -> None:
        least, most = entry.arity
        if count < least or (most is not None and count > most):
            wanted = f"{least}" if least == most else f"{least} or more"
            example = f": {name}(x, {', '.join(entry.constants)})" if entry.constants else ""
            example += f", as in {entry.example}" if entry.example else ""
            raise self.fail(f"{name} takes {wanted} argument(s){example}; {count} given", node)

    def check_forms(self, name: str, arguments: list[Expr], node: ast.AST) -> None:
        """Nested ones of the same kind become one function of all their arguments."""
        kind = sympy.Max if name.lower() == "max" else sympy.Min
        forms = sum(len(a.args) if isinstance(a, kind) else 1 for a in arguments)
        if forms > MAX_FORMS:
            raise self.fail(f"{name} is accepted of up to {MAX_FORMS} arguments", node)

    def check_domain(self, name: str, entry: Record, argument: Expr, node: ast.AST) -> None:
        match entry.domain:
            case Domain.POSITIVE:
                if not (self.positive(argument) or is_shown_positive_almost_everywhere(argument)):
                    raise self.fail(f"{name} is accepted where its argument is shown to be positive", node)
            case Domain.NONNEGATIVE:
                if not self.nonnegative(argument):
                    raise self.fail(f"{name} is accepted where its argument is shown to be nonnegative", node)

    def check_constants(self, name: str, entry: Record, arguments: list[Expr], node: ast.AST) -> None:
        for constant, argument in zip(entry.constants, arguments, strict=False):
            if not (argument.is_number or self.is_parametric(argument)):
                call = f"{name}(x, {', '.join(entry.constants)})"
                raise self.fail(f"the {constant} of {call} is a constant", node)

    def check_hermite(self, arguments: list[Expr], node: ast.Call) -> None:
        degree = arguments[0]
        if not degree.is_Integer or degree < 0:
            raise self.fail("the degree of He(k, x) is a non-negative integer", node)
        if degree > MAX_DEGREE:
            raise self.fail(f"He(k, x) is accepted up to degree {MAX_DEGREE}", node)
        if _bits(arguments[1]) * int(degree) > MAX_CONSTANT_BITS * 4:
            raise self.fail("a number of this size is not accepted", node)
        if int(degree) * max(polynomial_degree(arguments[1]), 0) > MAX_DEGREE:
            raise self.fail(f"a polynomial of degree above {MAX_DEGREE} is not accepted", node)


def _bits(expr: Expr) -> int:
    """Bits of a rational number; 0 for anything else, which stays as it is."""
    return max(expr.p.bit_length(), expr.q.bit_length()) if expr.is_Rational else 0


def _is_nonzero_constant(expr: Expr) -> bool:
    return bool(expr.is_number and expr.is_nonzero)


_LINEAR_GROWTH = functions_where(lambda r: r.growth is Growth.LINEAR)


def polynomial_degree(expr: Expr) -> int:
    """An upper bound of the degree; abs, relu, max, ... count like their arguments, others as 0."""
    if expr.is_Symbol:
        return 1
    if expr.is_Add or isinstance(expr, _LINEAR_GROWTH):
        return max(polynomial_degree(a) for a in expr.args)
    if expr.is_Mul:
        return sum(polynomial_degree(a) for a in expr.args)
    if expr.is_Pow and expr.exp.is_Integer and expr.exp > 0:
        return int(expr.exp) * polynomial_degree(expr.base)
    if isinstance(expr, own.He):
        return int(expr.args[0]) * polynomial_degree(expr.args[1])
    return 0
