"""Text to sympy expression, through Python's `ast` and a whitelist: nothing is ever evaluated.

Limits keep hostile or mistaken input cheap: length, nesting, digits, polynomial degree.
"""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Callable

import sympy
from sympy import Expr, Integer, Rational, S

from hermite_analytics.errors import ParseError
from hermite_analytics.language import functions as own
from hermite_analytics.language.bounds import is_shown_positive
from hermite_analytics.language.table import CONSTANTS, FUNCTIONS

__all__ = ["MAX_DEGREE", "MAX_LENGTH", "MAX_NESTING", "MAX_VARIABLES", "parse", "target_names"]

MAX_LENGTH = 4000
MAX_NESTING = 60
MAX_DEGREE = 200
MAX_DIGITS = 60
MAX_EXPONENT = 300
MAX_VARIABLES = 64
MAX_CONSTANT_BITS = 4096

_NUMBER = re.compile(r"\d+\.?\d*(?:[eE][+-]?\d{1,3})?|\.\d+(?:[eE][+-]?\d{1,3})?")
_INDEXED = re.compile(r"z([1-9]\d{0,5})")
_HERMITE = re.compile(r"He(\d+)")

NameLookup = Callable[[str], Expr | None]


def target_names(name: str) -> Expr | None:
    """The variables of a target: z1, z2, ... (z alone means z1) and the label noise xi."""
    if name == "z":
        name = "z1"
    if name == "xi":
        return sympy.Symbol("xi", real=True)
    match = _INDEXED.fullmatch(name)
    if match and int(match[1]) <= MAX_VARIABLES:
        return sympy.Symbol(name, real=True)
    return None


def parse(text: str, names: NameLookup, *, accepted: str) -> Expr:
    """Parse `text` to a sympy expression.

    Parameters
    ----------
    text : str
        An expression of the language (functions of `language.table`, `+ - * / **`, decimals, names).
    names : callable
        Maps a variable's name to its symbol, or None if it is not accepted here.
    accepted : str
        How the accepted variables are called in messages, for example "z".

    Raises
    ------
    ParseError
        With the position of the fault.
    """
    if not isinstance(text, str):
        raise ParseError(f"an expression is given as text, not as {type(text).__name__}")
    if not text.strip():
        raise ParseError("the expression is empty; an example that is accepted is tanh(z)")
    if len(text) > MAX_LENGTH:
        raise ParseError(f"the expression has {len(text)} characters; at most {MAX_LENGTH} are accepted")
    _check_nesting(text)
    stripped = text.lstrip()
    offset = len(text) - len(stripped)
    flat = " ".join(stripped.splitlines()) if "\n" in stripped or "\r" in stripped else stripped
    try:
        tree = ast.parse(flat, mode="eval")
    except SyntaxError as error:
        raise _syntax_error(error, text, offset) from None
    except (ValueError, RecursionError, MemoryError):
        raise ParseError("the expression cannot be read (a null character, or too deeply nested)") from None
    converter = _Converter(text=text, flat=flat, offset=offset, names=names, accepted=accepted)
    return converter.convert(tree.body, 0)


def _check_nesting(text: str) -> None:
    opened: list[int] = []
    for position, character in enumerate(text):
        if character in "([{":
            opened.append(position)
            if len(opened) > MAX_NESTING:
                raise ParseError(f"more than {MAX_NESTING} nested parentheses", text, position)
        elif character in ")]}":
            if not opened:
                raise ParseError("a closing parenthesis has no opening one", text, position)
            opened.pop()
    if opened:
        raise ParseError("an opening parenthesis is never closed", text, opened[-1])


def _syntax_error(error: SyntaxError, text: str, offset: int) -> ParseError:
    position = offset + max((error.offset or 1) - 1, 0)
    hint = "this is not an expression of the form used here"
    if re.search(r"\d\s*[a-zA-Z(]", text) and "literal" in (error.msg or ""):
        hint = "a product needs its sign: write 2*z, not 2z"
    elif "=" in text:
        hint = "give the expression alone, without an equals sign"
    return ParseError(f"{hint}; operators are + - * / **", text, min(position, max(len(text) - 1, 0)))


class _Converter:
    """One walk over the syntax tree; every node type that is not listed is refused."""

    def __init__(self, *, text: str, flat: str, offset: int, names: NameLookup, accepted: str) -> None:
        self.text, self.flat, self.offset = text, flat, offset
        self.names, self.accepted = names, accepted

    def fail(self, message: str, node: ast.AST) -> ParseError:
        # ast counts UTF-8 bytes; the caret counts characters
        column = getattr(node, "col_offset", 0)
        characters = len(self.flat.encode()[:column].decode(errors="ignore"))
        return ParseError(message, self.text, self.offset + characters)

    def convert(self, node: ast.AST, depth: int) -> Expr:
        if depth > MAX_NESTING:
            raise self.fail(f"nested more than {MAX_NESTING} levels deep", node)
        match node:
            case ast.Constant():
                return self.number(node)
            case ast.Name():
                return self.name(node)
            case ast.UnaryOp(op=ast.USub()):
                return -self.convert(node.operand, depth + 1)
            case ast.UnaryOp(op=ast.UAdd()):
                return self.convert(node.operand, depth + 1)
            case ast.BinOp():
                return self.binary(node, depth)
            case ast.Call():
                return self.call(node, depth)
        what = {"Attribute": "attribute access", "Subscript": "indexing", "Compare": "a comparison"}
        name = what.get(type(node).__name__, f"this construct ({type(node).__name__})")
        raise self.fail(f"{name} is not part of the language; use numbers, names, calls and + - * / **", node)

    def number(self, node: ast.Constant) -> Expr:
        literal = ast.get_source_segment(self.flat, node) or ""
        if not isinstance(node.value, int | float) or not _NUMBER.fullmatch(literal):
            raise self.fail(f"{literal[:20] or node.value!r} is not a decimal number", node)
        if len(literal) > MAX_DIGITS:
            raise self.fail(
                f"a number has {len(literal)} characters; at most {MAX_DIGITS} are accepted", node
            )
        exponent = re.search(r"[eE]([+-]?\d+)", literal)
        if exponent and abs(int(exponent[1])) > MAX_EXPONENT:
            raise self.fail(f"powers of ten are accepted up to {MAX_EXPONENT} in size", node)
        return Rational(literal)  # exact: 0.1 is 1/10

    def name(self, node: ast.Name) -> Expr:
        symbol = self.names(node.id)
        if symbol is not None:
            return symbol
        if node.id in CONSTANTS:
            return CONSTANTS[node.id]
        if node.id in FUNCTIONS or _HERMITE.fullmatch(node.id):
            raise self.fail(f"{node.id} is a function and needs its argument, as in {node.id}(z)", node)
        raise self.fail(f"unknown name {node.id[:30]!r}; accepted here: {self.accepted}, pi, E", node)

    def binary(self, node: ast.BinOp, depth: int) -> Expr:
        # a long sum is a deep left spine: walk it in a loop, so that only real nesting counts
        spine: list[ast.BinOp] = []
        head: ast.AST = node
        while isinstance(head, ast.BinOp):
            spine.append(head)
            head = head.left
        value = self.convert(head, depth + 1)
        for link in reversed(spine):
            value = self.combine(link, value, self.convert(link.right, depth + 1))
        return value

    def combine(self, node: ast.BinOp, left: Expr, right: Expr) -> Expr:
        match node.op:
            case ast.Add():
                return left + right
            case ast.Sub():
                return left - right
            case ast.Mult():
                return self.checked(left * right, node)
            case ast.Div():
                return self.quotient(left, right, node.right)
            case ast.Pow():
                return self.checked(self.power(left, right, node), node)
            case ast.BitXor():
                raise self.fail("^ is not a power here; write ** instead", node.right)
        raise self.fail(f"operator {type(node.op).__name__} is not accepted; use + - * / **", node.right)

    def checked(self, value: Expr, node: ast.AST) -> Expr:
        if polynomial_degree(value) > MAX_DEGREE:
            raise self.fail(f"a polynomial of degree above {MAX_DEGREE} is not accepted", node)
        if value is S.ComplexInfinity or value is S.NaN:
            raise self.fail("the expression is not a finite number here", node)
        if value.is_extended_real is False:
            raise self.fail("the expression is not real here", node)
        return value

    def quotient(self, left: Expr, right: Expr, node: ast.AST) -> Expr:
        if right.is_zero:
            raise self.fail("division by zero", node)
        if not (_is_nonzero_constant(right) or is_shown_positive(right) or is_shown_positive(-right)):
            raise self.fail(
                "division is accepted where the denominator is a nonzero constant or is shown to be positive",
                node,
            )
        return self.checked(left / right, node)

    def power(self, base: Expr, exponent: Expr, node: ast.BinOp) -> Expr:
        if not exponent.is_number:
            if not (base.is_number and base.is_positive):
                raise self.fail("a variable exponent needs a positive constant as its base", node.right)
            return sympy.exp(exponent * sympy.log(base))
        if not exponent.is_Rational:
            if not is_shown_positive(base):
                raise self.fail("this exponent needs a base that is shown to be positive", node.right)
            return base**exponent
        if abs(exponent) > MAX_DEGREE:
            raise self.fail(f"exponents are accepted up to {MAX_DEGREE} in size", node.right)
        if (
            base.is_Rational
            and abs(exponent) * (base.p.bit_length() + base.q.bit_length()) > MAX_CONSTANT_BITS
        ):
            raise self.fail("this power of a number is too large", node.right)
        if exponent.is_Integer and exponent >= 0:
            if polynomial_degree(base) * int(exponent) > MAX_DEGREE:
                raise self.fail(f"a polynomial of degree above {MAX_DEGREE} is not accepted", node.right)
            return base**exponent
        if exponent.is_Integer:
            return self.quotient(S.One, base, node.left) ** (-exponent)
        if base.is_number and base.is_nonnegative and exponent > 0:
            return base**exponent
        if is_shown_positive(base):
            return base**exponent
        raise self.fail("a root is accepted where its argument is shown to be positive", node.left)

    def call(self, node: ast.Call, depth: int) -> Expr:
        if not isinstance(node.func, ast.Name):
            raise self.fail("only the functions of the language can be called", node)
        name = node.func.id
        if node.keywords or any(isinstance(a, ast.Starred) for a in node.args):
            raise self.fail(f"{name[:30]} takes plain arguments only", node)
        hermite = _HERMITE.fullmatch(name)
        if hermite:
            arguments = [_degree(hermite[1]), *(self.convert(a, depth + 1) for a in node.args)]
            return self.build("He", arguments, node)
        if name not in FUNCTIONS:
            close = difflib.get_close_matches(name[:30], FUNCTIONS, n=1)
            hint = f"did you mean {close[0]}?" if close else "accepted: " + ", ".join(_LISTED)
            raise self.fail(f"unknown function {name[:30]!r}; {hint}", node)
        return self.build(name, [self.convert(a, depth + 1) for a in node.args], node)

    def build(self, name: str, arguments: list[Expr], node: ast.Call) -> Expr:
        entry = FUNCTIONS[name]
        count = len(arguments)
        if count < entry.minimum or (entry.maximum is not None and count > entry.maximum):
            wanted = f"{entry.minimum}" if entry.minimum == entry.maximum else f"{entry.minimum} or more"
            raise self.fail(f"{name} takes {wanted} argument(s), {count} given", node)
        match name:
            case "He":
                self.check_hermite(arguments, node)
            case "Rational":
                if not all(a.is_Integer for a in arguments) or arguments[1] == 0:
                    raise self.fail("Rational(a, b) takes two integers, b not zero", node)
            case "Heaviside":
                if count == 2 and arguments[1] != 0:
                    raise self.fail("Heaviside(x, 0) is the step used here; its value at 0 is 0", node)
            case "leaky_relu":
                if not arguments[1].is_number:
                    raise self.fail("the slope of leaky_relu(x, slope) is a constant", node)
            case "log":
                if not is_shown_positive(arguments[0]):
                    raise self.fail("log is accepted where its argument is shown to be positive", node)
            case "sqrt":
                constant = arguments[0].is_number and arguments[0].is_nonnegative
                if not (constant or is_shown_positive(arguments[0])):
                    raise self.fail("sqrt is accepted where its argument is shown to be positive", node)
        return self.checked(entry.build(*arguments), node)

    def check_hermite(self, arguments: list[Expr], node: ast.Call) -> None:
        degree = arguments[0]
        if not degree.is_Integer or degree < 0:
            raise self.fail("the degree of He(k, x) is a non-negative integer", node)
        if degree > MAX_DEGREE:
            raise self.fail(f"He(k, x) is accepted up to degree {MAX_DEGREE}", node)
        if int(degree) * max(polynomial_degree(arguments[1]), 0) > MAX_DEGREE:
            raise self.fail(f"a polynomial of degree above {MAX_DEGREE} is not accepted", node)


_LISTED = [n for n in FUNCTIONS if n not in {"Abs", "Max", "Min", "Heaviside", "Rational"}]


def _degree(digits: str) -> Expr:
    return Integer(digits) if len(digits) <= 6 else Integer(10**6)


def _is_nonzero_constant(expr: Expr) -> bool:
    return bool(expr.is_number and expr.is_nonzero)


def polynomial_degree(expr: Expr) -> int:
    """An upper bound of the polynomial degree (functions other than He count as degree 0)."""
    if expr.is_Symbol:
        return 1
    if expr.is_Add:
        return max(polynomial_degree(a) for a in expr.args)
    if expr.is_Mul:
        return sum(polynomial_degree(a) for a in expr.args)
    if expr.is_Pow and expr.exp.is_Integer and expr.exp > 0:
        return int(expr.exp) * polynomial_degree(expr.base)
    if isinstance(expr, own.He):
        return int(expr.args[0]) * polynomial_degree(expr.args[1])
    return 0
