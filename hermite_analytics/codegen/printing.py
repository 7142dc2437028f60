"""Printing of expression nodes with the fewest parentheses; back ends give the names of functions."""

from __future__ import annotations

from hermite_analytics.codegen.ir import (
    Add,
    Call,
    Compare,
    Divide,
    Guard,
    HermiteSum,
    Multiply,
    Name,
    Node,
    Number,
    Power,
    Select,
)
from hermite_analytics.codegen.spellings import Spellings
from hermite_analytics.errors import UnsupportedExpression

__all__ = ["SAFE_SHARE", "ExpressionPrinter"]

SAFE_SHARE = 1e-3  # a difference smaller than this share of its terms has lost too many digits

_CASE, _SUM, _PRODUCT, _UNARY, _POWER, _ATOM = range(6)
_COMPLEMENTS = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}
_LARGEST_PRODUCT = 8  # x**8 is still printed as products


class ExpressionPrinter:
    """Nodes to Python expressions.

    Parameters
    ----------
    functions : Spellings
    backend : str
        Named in the error where a function is missing.
    """

    nan = "math.nan"

    def __init__(self, functions: Spellings, backend: str) -> None:
        self.functions = functions
        self.backend = backend

    def __call__(self, node: Node) -> str:
        return self._print(node, _CASE)

    def _print(self, node: Node, context: int) -> str:
        text, precedence = self._dispatch(node)
        return f"({text})" if precedence < context else text

    def _dispatch(self, node: Node) -> tuple[str, int]:
        # a table: one line or two for each kind of node
        match node:
            case Number(text):
                return self.number(node), (_UNARY if text.startswith("-") else _ATOM)
            case Name(text):
                return text, _ATOM
            case Add(terms):
                return self._sum(terms), _SUM
            case Multiply(factors):
                return self._product(factors)
            case Divide(numerator, denominator):
                top, bottom = self._print(numerator, _PRODUCT), self._print(denominator, _POWER)
                return f"{top} / {bottom}", _PRODUCT
            case Power(base, exponent, integer):
                return self._power(base, exponent, integer)
            case Call(function, arguments):
                return self.call(function, arguments), _ATOM
            case Compare(relation, left, right):
                return f"{self._print(left, _SUM)} {relation} {self._print(right, _SUM)}", _CASE
            case Select(condition, then, otherwise):
                complement = Compare(_COMPLEMENTS[condition.relation], condition.left, condition.right)
                printed = [self(n) for n in (condition, complement, then, otherwise)]
                return self.select(*printed), _CASE
            case HermiteSum(coefficients, argument):
                listed = ", ".join(self(c) for c in coefficients)
                return self.hermite_sum(f"({listed},)", self(argument)), _ATOM
            case Guard(value, check, scale, fallback):
                printed = [self._print(n, _PRODUCT) for n in (value, check, scale)]
                return self.guard(printed[0], printed[1], printed[2], fallback), _CASE
        raise UnsupportedExpression(f"{type(node).__name__} has no printing in the {self.backend} back end")

    def _sum(self, terms: tuple[Node, ...]) -> str:
        parts = [self._print(terms[0], _SUM)]
        for term in terms[1:]:
            text = self._print(term, _PRODUCT)
            parts.append(f" - {text[1:]}" if text.startswith("-") else f" + {text}")
        return "".join(parts)

    def _product(self, factors: tuple[Node, ...]) -> tuple[str, int]:
        if isinstance(factors[0], Number) and factors[0].text == "-1.0" and len(factors) > 1:
            rest = Multiply(factors[1:]) if len(factors) > 2 else factors[1]
            return f"-{self._print(rest, _PRODUCT)}", _PRODUCT
        return " * ".join(self._print(f, _PRODUCT) for f in factors), _PRODUCT

    def _power(self, base: Node, exponent: Node, integer: int | None) -> tuple[str, int]:
        if integer is not None and 2 <= integer <= _LARGEST_PRODUCT and isinstance(base, Name):
            return " * ".join([self._print(base, _PRODUCT)] * integer), _PRODUCT
        if integer is not None:
            return f"{self._print(base, _ATOM)} ** {integer}", _POWER
        return f"{self._print(base, _ATOM)} ** {self._print(exponent, _ATOM)}", _POWER

    def number(self, node: Number) -> str:
        """A constant."""
        return node.text

    def select(self, condition: str, complement: str, then: str, otherwise: str) -> str:
        """`then` where the condition holds, `otherwise` where its complement does, NaN where neither."""
        return self.choice(condition, then, self.choice(complement, otherwise, self.nan))

    @staticmethod
    def choice(condition: str, then: str, otherwise: str) -> str:
        """A choice; the parts are bracketed where they are choices themselves."""
        then, otherwise = (f"({t})" if " if " in t else t for t in (then, otherwise))
        return f"{then} if {condition} else {otherwise}"

    def hermite_sum(self, coefficients: str, argument: str) -> str:
        """A sum of Hermite polynomials."""
        return self.function("hermite_sum", f"{coefficients}, {argument}")

    def guard(self, value: str, check: str, scale: str, fallback: str) -> str:
        """`value` where it is safe, else the fallback."""
        return self.choice(f"{check} >= {SAFE_SHARE!r} * {scale}", value, fallback)

    def call(self, function: str, arguments: tuple[Node, ...]) -> str:
        """A function call; back ends override single functions where a call is not enough."""
        return self.function(function, ", ".join(self(a) for a in arguments))

    def function(self, name: str, arguments: str) -> str:
        """The call of a function on printed arguments.

        Raises
        ------
        UnsupportedExpression
            If the back end lacks it.
        """
        text = self.functions.call(name, arguments)
        if text is None:
            raise UnsupportedExpression(
                f"the function {name} is not available in the {self.backend} back end; "
                "compile for another one"
            )
        return text
