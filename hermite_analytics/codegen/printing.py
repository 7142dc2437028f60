"""Printing of expression nodes with the fewest parentheses; back ends give the names of functions."""

from __future__ import annotations

from collections.abc import Mapping

from hermite_analytics.codegen.ir import Add, Call, Divide, Multiply, Name, Node, Number, Power
from hermite_analytics.errors import UnsupportedExpression

__all__ = ["ExpressionPrinter"]

_SUM, _PRODUCT, _UNARY, _POWER, _ATOM = range(5)
_LARGEST_PRODUCT = 8  # x**8 is still printed as products


class ExpressionPrinter:
    """Nodes to Python expressions.

    Parameters
    ----------
    functions : mapping
        Name of a function in the language -> its spelling in the printed code.
    backend : str
        Named in the error where a function is missing.
    """

    def __init__(self, functions: Mapping[str, str], backend: str) -> None:
        self.functions = functions
        self.backend = backend

    def __call__(self, node: Node) -> str:
        return self._print(node, _SUM)

    def _print(self, node: Node, context: int) -> str:
        text, precedence = self._dispatch(node)
        return f"({text})" if precedence < context else text

    def _dispatch(self, node: Node) -> tuple[str, int]:
        match node:
            case Number(text):
                return text, (_UNARY if text.startswith("-") else _ATOM)
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
        raise UnsupportedExpression(f"{type(node).__name__} has no printing in the {self.backend} back end")

    def _sum(self, terms: tuple[Node, ...]) -> str:
        parts = [self._print(terms[0], _SUM)]
        for term in terms[1:]:
            text = self._print(term, _PRODUCT)
            parts.append(f" - {text[1:]}" if text.startswith("-") else f" + {text}")
        return "".join(parts)

    def _product(self, factors: tuple[Node, ...]) -> tuple[str, int]:
        if factors[0] == Number("-1.0") and len(factors) > 1:
            rest = Multiply(factors[1:]) if len(factors) > 2 else factors[1]
            return f"-{self._print(rest, _PRODUCT)}", _PRODUCT
        return " * ".join(self._print(f, _PRODUCT) for f in factors), _PRODUCT

    def _power(self, base: Node, exponent: Node, integer: int | None) -> tuple[str, int]:
        if integer is not None and 2 <= integer <= _LARGEST_PRODUCT and isinstance(base, Name):
            return " * ".join([self._print(base, _PRODUCT)] * integer), _PRODUCT
        if integer is not None:
            return f"{self._print(base, _ATOM)} ** {integer}", _POWER
        return f"{self._print(base, _ATOM)} ** {self._print(exponent, _ATOM)}", _POWER

    def call(self, function: str, arguments: tuple[Node, ...]) -> str:
        """A function call; back ends override single functions where a call is not enough."""
        if function not in self.functions:
            raise UnsupportedExpression(
                f"the function {function} is not available in the {self.backend} back end"
            )
        return f"{self.functions[function]}({', '.join(self(a) for a in arguments)})"
