"""Text to sympy expression, through Python's `ast` and a whitelist: nothing is ever evaluated.

Limits keep hostile or mistaken input cheap: length, nesting, digits, polynomial degree.
"""

from __future__ import annotations

import ast
import difflib
import itertools
import re
import unicodedata
from collections.abc import Callable

import mpmath
import sympy
from sympy import Expr, Integer, Rational, S

from hermite_analytics.codegen.python_backend.printer import reference_function
from hermite_analytics.errors import ParseError
from hermite_analytics.language import functions as own
from hermite_analytics.language.bounds import is_shown_positive
from hermite_analytics.language.table import CONSTANTS, FUNCTIONS

__all__ = [
    "MAX_DEGREE",
    "MAX_LENGTH",
    "MAX_NESTING",
    "MAX_VARIABLES",
    "expectation_names",
    "is_parameter",
    "parse",
    "target_names",
]

MAX_LENGTH = 4000
MAX_NESTING = 60
MAX_DEGREE = 200
MAX_DIGITS = 60
MAX_EXPONENT = 300
MAX_VARIABLES = 64
MAX_CONSTANT_BITS = 4096
MAX_CONSTANT = 1.001e300
MAX_ROOT = 1000
MAX_FORMS = 12  # arguments of one max or min

# quotes, colons and brackets pass: the syntax tree names the construct that they belong to
_CHARACTERS = re.compile(r"""[A-Za-z0-9_.,+\-*/^()=:'"\[\]{} \t\r\n]*""")
_LOOKALIKES = {
    "−": "-",
    "–": "-",
    "×": "*",
    "·": "*",
    "÷": "/",
    "²": "**2",
    "³": "**3",
    "π": "pi",
    "√": "sqrt",
}
_MISSING_PRODUCT = re.compile(
    r"(?<![A-Za-z0-9_.])((?:\d++\.?+\d*+|\.\d++)(?:[eE][+-]?\d++)?+)\s*+([A-Za-z]\w*|\()"
)
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


def expectation_names(name: str) -> Expr | None:
    """The variables z1, z2, ... and, for every other word of letters, a real parameter."""
    found = target_names(name) if name != "xi" else None
    if found is None and re.fullmatch(r"[A-Za-z]{1,20}", name):
        return sympy.Symbol(name, real=True)
    return found


def is_parameter(symbol: sympy.Symbol) -> bool:
    """Whether a symbol of `expectation_names` is a parameter, not a variable."""
    return _INDEXED.fullmatch(symbol.name) is None


def parse(
    text: str,
    names: NameLookup,
    *,
    accepted: str,
    is_constant: Callable[[sympy.Symbol], bool] = lambda symbol: False,
) -> Expr:
    """Parse `text` to a sympy expression.

    Parameters
    ----------
    text : str
        An expression of the language (functions of `language.table`, `+ - * / **`, decimals, names).
    names : callable
        Maps a variable's name to its symbol, or None if it is not accepted here.
    accepted : str
        How the accepted variables are called in messages, for example "z".
    is_constant : callable
        Whether a symbol is a parameter: expressions of parameters alone count as constants, whose signs the
        caller vouches for.

    Raises
    ------
    ParseError
        With the position of the fault.

    Examples
    --------
    >>> parse("0.5*He(2, z1) + abs(z2)", target_names, accepted="z1, z2, ..., xi")
    Abs(z2) + He(2, z1)/2
    >>> parse("z1 + log(z2)", target_names, accepted="z1, z2, ..., xi")
    Traceback (most recent call last):
        ...
    hermite_analytics.errors.ParseError: log is accepted where its argument is shown to be positive
      z1 + log(z2)
           ^
    """
    if not isinstance(text, str):
        raise ParseError(f"an expression is given as text, not as {type(text).__name__}")
    if not text.strip():
        raise ParseError("the expression is empty; an example that is accepted is tanh(z)")
    if len(text) > MAX_LENGTH:
        raise ParseError(f"the expression has {len(text)} characters; at most {MAX_LENGTH} are accepted")
    _check_characters(text)
    _check_nesting(text)
    _check_products(text)
    flat = re.sub(r"\s", " ", text)
    stripped = flat.lstrip()
    offset = len(text) - len(stripped)
    try:
        tree = ast.parse(stripped, mode="eval")
    except SyntaxError as error:
        raise _syntax_error(error, text, offset) from None
    except (ValueError, RecursionError, MemoryError):
        raise ParseError("the expression is too deeply nested to be read", text, 0) from None
    converter = _Converter(
        text=text, flat=stripped, offset=offset, names=names, accepted=accepted, is_constant=is_constant
    )
    try:
        return converter.convert(tree.body, 0)
    except ParseError:
        raise
    except (
        ArithmeticError,
        TypeError,
        ValueError,
        RecursionError,
    ):  # of sympy, on constants out of its reach
        raise ParseError("the expression cannot be evaluated exactly", text, 0) from None


def _check_characters(text: str) -> None:
    end = _CHARACTERS.match(text).end()  # type: ignore[union-attr]
    if end == len(text):
        return
    character = text[end]
    shown = repr(character) if character.isprintable() else f"U+{ord(character):04X}"
    plain = _LOOKALIKES.get(character) or unicodedata.normalize("NFKC", character)
    usable = plain != character and _CHARACTERS.fullmatch(plain)
    hint = f"write {plain}" if usable else "use letters, digits and + - * / ** ( ) ,"
    raise ParseError(f"the character {shown} is not part of the language; {hint}", text, end)


def _check_products(text: str) -> None:
    match = _MISSING_PRODUCT.search(text)
    if match:
        number, factor = match[1][:20], match[2][:20]
        raise ParseError(
            f"a product needs its sign: write {number}*{factor}, not {number}{factor}", text, match.start(2)
        )


def _check_nesting(text: str) -> None:
    opened: list[int] = []
    for position, character in enumerate(text):
        if character == "(":
            opened.append(position)
            if len(opened) > MAX_NESTING:
                raise ParseError(f"more than {MAX_NESTING} nested parentheses", text, position)
        elif character == ")":
            if not opened:
                raise ParseError("a closing parenthesis has no opening one", text, position)
            opened.pop()
    if opened:
        raise ParseError("an opening parenthesis is never closed", text, opened[-1])


def _syntax_error(error: SyntaxError, text: str, offset: int) -> ParseError:
    position = offset + max((error.offset or 1) - 1, 0)
    hint = "this is not an expression of the form used here"
    if "=" in text:
        hint, position = "give the expression alone, without an equals sign", text.index("=")
    return ParseError(f"{hint}; operators are + - * / **", text, min(position, max(len(text) - 1, 0)))


class _Converter:
    """One walk over the syntax tree; every node type that is not listed is refused."""

    def __init__(
        self,
        *,
        text: str,
        flat: str,
        offset: int,
        names: NameLookup,
        accepted: str,
        is_constant: Callable[[sympy.Symbol], bool],
    ) -> None:
        self.text, self.flat, self.offset = text, flat, offset
        self.names, self.accepted, self.is_constant = names, accepted, is_constant

    def is_parametric(self, expr: Expr) -> bool:
        """Whether only parameters occur, at least one."""
        return bool(expr.free_symbols) and all(self.is_constant(s) for s in expr.free_symbols)

    def positive(self, expr: Expr) -> bool:
        return is_shown_positive(expr) or self.is_parametric(expr)

    def fail(self, message: str, node: ast.AST) -> ParseError:
        return ParseError(message, self.text, self.offset + getattr(node, "col_offset", 0))

    def convert(self, node: ast.AST, depth: int) -> Expr:
        if depth > MAX_NESTING:
            raise self.fail(f"nested more than {MAX_NESTING} levels deep", node)
        return self.checked(self.expression(node, depth), node)

    def expression(self, node: ast.AST, depth: int) -> Expr:
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
            example = "z, 2" if node.id in FUNCTIONS and FUNCTIONS[node.id].minimum == 2 else "z"
            raise self.fail(f"{node.id} is a function: give its argument, as in {node.id}({example})", node)
        raise self.fail(f"unknown name {node.id[:30]!r}; accepted here: {self.accepted}, pi, E", node)

    def binary(self, node: ast.BinOp, depth: int) -> Expr:
        # a long sum is a deep left spine: walk it in a loop, so that only real nesting counts
        spine: list[ast.BinOp] = []
        head: ast.AST = node
        while isinstance(head, ast.BinOp):
            spine.append(head)
            head = head.left
        value = self.convert(head, depth + 1)
        # equal operators in a row make one sum or product: sympy sorts it once, not at every link
        for kind, run in itertools.groupby(reversed(spine), _operation):
            links = list(run)
            right = [self.convert(link.right, depth + 1) for link in links]
            if kind == "sum":
                signed = [-x if isinstance(k.op, ast.Sub) else x for k, x in zip(links, right, strict=True)]
                value = sympy.Add(value, *signed)
            elif kind == "product":
                value = sympy.Mul(value, *right)
            else:
                for link, x in zip(links, right, strict=True):
                    value = self.combine(link, value, x)
        return value

    def combine(self, node: ast.BinOp, left: Expr, right: Expr) -> Expr:
        match node.op:
            case ast.Div():
                return self.quotient(left, right, node.right)
            case ast.Pow():
                return self.power(left, right, node)
            case ast.BitXor():
                raise self.fail("^ is not a power here; write ** instead", node.right)
        raise self.fail(f"operator {type(node.op).__name__} is not accepted; use + - * / **", node.right)

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
        if not (_is_nonzero_constant(right) or self.positive(right) or is_shown_positive(-right)):
            raise self.fail(
                "division is accepted where the denominator is a nonzero constant or is shown to be positive",
                node,
            )
        return left / right

    def power(self, base: Expr, exponent: Expr, node: ast.BinOp) -> Expr:
        if not exponent.is_number:
            if not (base.is_number and base.is_positive):
                raise self.fail("a variable exponent needs a positive constant as its base", node.right)
            scaled = exponent * sympy.log(base)
            self.check_exponent(scaled, node.right)
            return sympy.exp(scaled)
        if not exponent.is_Rational:
            if not self.positive(base):
                raise self.fail("this exponent needs a base that is shown to be positive", node.right)
            return base**exponent
        if abs(exponent) > MAX_DEGREE:
            raise self.fail(f"exponents are accepted up to {MAX_DEGREE} in size", node.right)
        if exponent.q > MAX_ROOT:
            raise self.fail(f"roots are accepted up to order {MAX_ROOT}", node.right)
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
        if self.positive(base):
            return base**exponent
        raise self.fail("a root is accepted where its argument is shown to be positive", node.left)

    def check_exponent(self, argument: Expr, node: ast.AST) -> None:
        """sympy turns exp(n log x) into x**n: the same limit as for powers."""
        for term in sympy.Add.make_args(sympy.expand_mul(argument)):
            if term.has(sympy.log) and abs(term.as_coeff_Mul()[0]) > MAX_DEGREE:
                raise self.fail(f"exponents are accepted up to {MAX_DEGREE} in size", node)

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
            case "exp":
                self.check_exponent(arguments[0], node)
            case "max" | "Max" | "min" | "Min":
                kind = sympy.Max if name.lower() == "max" else sympy.Min
                forms = sum(len(a.args) if isinstance(a, kind) else 1 for a in arguments)
                if forms > MAX_FORMS:
                    raise self.fail(f"{name} is accepted of up to {MAX_FORMS} arguments", node)
            case "leaky_relu":
                if not (arguments[1].is_number or self.is_parametric(arguments[1])):
                    raise self.fail("the slope of leaky_relu(x, slope) is a constant", node)
            case "log":
                if not self.positive(arguments[0]):
                    raise self.fail("log is accepted where its argument is shown to be positive", node)
            case "sqrt":
                constant = arguments[0].is_number and arguments[0].is_nonnegative
                if not (constant or self.positive(arguments[0])):
                    raise self.fail("sqrt is accepted where its argument is shown to be positive", node)
        try:
            return entry.build(*arguments)
        except (ArithmeticError, ValueError, TypeError):
            raise self.fail(f"{name} of these arguments cannot be formed", node) from None

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


_LISTED = [n for n in FUNCTIONS if n not in {"Abs", "Max", "Min", "Heaviside", "Rational"}]


def _bits(expr: Expr) -> int:
    """Bits of a rational number; 0 for anything else, which stays as it is."""
    return max(expr.p.bit_length(), expr.q.bit_length()) if expr.is_Rational else 0


def _operation(node: ast.BinOp) -> str:
    if isinstance(node.op, ast.Add | ast.Sub):
        return "sum"
    return "product" if isinstance(node.op, ast.Mult) else "other"


def _degree(digits: str) -> Expr:
    return Integer(digits) if len(digits) <= 6 else Integer(10**6)


def _is_nonzero_constant(expr: Expr) -> bool:
    return bool(expr.is_number and expr.is_nonzero)


_LINEAR_GROWTH = (sympy.Abs, sympy.Max, sympy.Min, own.relu, own.leaky_relu, own.softplus, own.silu, own.gelu)


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
