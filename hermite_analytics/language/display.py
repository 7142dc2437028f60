"""Text and LaTeX of results, with sqrt(2/pi) for what sympy keeps as sqrt(2)/sqrt(pi)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import sympy
from sympy import Expr, Integer, Pow, Rational, S, Symbol, pi
from sympy.printing.latex import LatexPrinter
from sympy.printing.str import StrPrinter

from hermite_analytics.errors import UnsupportedExpression

__all__ = ["Formula", "formula", "latex", "plain_text", "short_text", "text"]

_LONGEST = 100  # digits of an integer that is written out
_DIGITS_PER_BIT = 0.30103
_FLOAT_DIGITS = 17  # of a decimal that a float prints; those of products of such are not read by anybody
_LEAST_PLACES = 9  # of a decimal that is not written as a fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class Formula:
    """A formula as a cell of a table: what a terminal shows, and LaTeX between dollars."""

    text: str
    latex: str


def formula(expr: Expr) -> Formula:
    """Both forms of an expression."""
    return Formula(text=text(expr), latex=f"${latex(expr)}$")


def text(expr: Expr) -> str:
    """The expression as the language reads it; long round integers by their power of ten, (5*10**599).

    Raises
    ------
    UnsupportedExpression
        For other integers of more than 100 digits that Python does not write.

    Examples
    --------
    >>> text(3 * sympy.sqrt(2) / sympy.sqrt(pi)), text(sympy.sqrt(6) / (4 * sympy.sqrt(pi)))
    ('3*sqrt(2/pi)', 'sqrt(6/pi)/4')
    """
    return str(_Text().doprint(_with_decimals(_joined(expr, lambda n: f"sqrt({n}/pi)"), str)))


def short_text(expr: Expr) -> str | None:
    """The text, or None where an integer in it, or a decimal that floats led to, is too long to be written.

    Examples
    --------
    >>> short_text(sympy.exp(-(sympy.Integer(10) ** 600) / 2)), short_text(sympy.Integer(3) ** 20000)
    ('exp((-5*10**599))', None)
    >>> x = sympy.Rational("0.7071067811865476")
    >>> short_text(x), short_text(x**2)
    ('0.7071067811865476', None)
    """
    if any(_is_of_floats(n) and len(str(abs(n.p))) > _FLOAT_DIGITS for n in expr.atoms(Rational)):
        return None
    try:
        return text(expr)
    except UnsupportedExpression:
        return None


def plain_text(expr: Expr) -> str | None:
    """As sympy writes it, long round integers by their power of ten; None where an integer is too long.

    Examples
    --------
    >>> plain_text(sympy.Rational("0.7071067811865476") ** 2)
    '0.5000000000000001...'
    """
    try:
        return str(_Text().doprint(_with_decimals(expr, lambda x: _cut(x, "..."))))
    except UnsupportedExpression:
        return None


def latex(expr: Expr) -> str:
    r"""The expression in LaTeX.

    Examples
    --------
    >>> print(latex(sympy.sqrt(2) / sympy.sqrt(pi)))
    \sqrt{\frac{2}{\pi}}
    """
    joined = _joined(expr, lambda n: rf"\sqrt{{\frac{{{n}}}{{\pi}}}}")
    shown = _with_decimals(joined, lambda x: _cut(x, r"\ldots"))
    as_they_are = {s: s.name for s in shown.free_symbols if s.name[0].isdigit()}  # digits are no subscripts
    return str(_Latex({"symbol_names": as_they_are}).doprint(shown))


def _joined(expr: Expr, name: Callable[[Expr], str]) -> Expr:
    """Products of sqrt(n) and 1/sqrt(pi) as one symbol of the name that is to be printed."""

    def join(product: Expr) -> Expr:
        (root,) = (a for a in product.args if _is_root(a))
        rest = [a for a in product.args if a not in (root, _INVERSE_ROOT_PI)]
        return sympy.Mul(*rest, Symbol(name(root.base), positive=True))

    return expr.replace(_is_split, join)


def _round(number: int) -> tuple[int, int] | None:
    """(m, k) with number = m*10^k, for a long integer; None for one that is written out."""
    if abs(number).bit_length() * _DIGITS_PER_BIT <= _LONGEST:
        return None
    mantissa, power, step = number, 0, 2 ** (abs(number).bit_length().bit_length())
    while step:
        quotient, rest = divmod(mantissa, 10**step)
        if rest == 0:
            mantissa, power = quotient, power + step
        else:
            step //= 2
    return mantissa, power


def _written(number: int, times: str, power: str) -> str:
    """An integer, a long round one by its power of ten."""
    parts = _round(number)
    if parts is None or (parts[1] == 0 and _is_writable(number)):
        return str(number)
    mantissa, zeros = parts
    if not _is_writable(mantissa):
        digits = round(abs(number).bit_length() * _DIGITS_PER_BIT)
        raise UnsupportedExpression(
            f"the closed form holds an integer of about {digits} digits; it is not written"
        )
    factor = {1: "", -1: "-"}.get(mantissa, f"{mantissa}{times}")
    return f"({factor}{power.format(zeros)})"


def _is_writable(number: int) -> bool:
    try:
        str(number)
    except ValueError:  # Python's limit on the digits of an integer in a text
        return False
    return True


def _is_of_floats(number: Rational) -> bool:
    """Whether long decimals, as floats are read, went into a number."""
    return number.q % 5**_LEAST_PLACES == 0 and _round(number.q) is None


def _with_decimals(expr: Expr, form: Callable[[str], str]) -> Expr:
    """Fractions of many places as symbols of the decimals that are to be printed."""
    found = {n: _decimal(abs(n)) for n in expr.atoms(Rational) if _is_of_floats(n)}
    sign = {n: -1 if n < 0 else 1 for n in found}
    return expr.xreplace(
        {n: sign[n] * Symbol(form(x), positive=True) for n, x in found.items() if x is not None}
    )


def _decimal(number: Rational) -> str | None:
    """A positive fraction as its decimal; None for one that does not end."""
    places = max(sympy.multiplicity(2, number.q), sympy.multiplicity(5, number.q))
    scaled = number * 10**places
    if scaled.q != 1 or not _is_writable(scaled.p):
        return None
    digits = str(scaled.p).rjust(places + 1, "0")
    return f"{digits[:-places]}.{digits[-places:]}"


def _cut(decimal: str, dots: str) -> str:
    """No more digits than a float has."""
    most = len(decimal) - len(decimal.lstrip("0.")) + _FLOAT_DIGITS
    return decimal if len(decimal) <= most + 1 else decimal[:most] + dots


class _Text(StrPrinter):  # type: ignore[misc]
    """Long round integers by their power of ten."""

    def _print_Integer(self, expr: Integer) -> str:
        return _written(expr.p, "*", "10**{}")

    def _print_Rational(self, expr: Rational) -> str:
        return f"{_written(expr.p, '*', '10**{}')}/{_written(expr.q, '*', '10**{}')}"


class _Latex(LatexPrinter):  # type: ignore[misc]
    """Long round integers by their power of ten."""

    def _print_Integer(self, expr: Integer) -> str:
        return _written(expr.p, r" \cdot ", "10^{{{}}}")

    def _print_Rational(self, expr: Rational) -> str:
        if expr.q == 1 or (_round(expr.p) is None and _round(expr.q) is None):
            return str(super()._print_Rational(expr))
        sign = "-" if expr.p < 0 else ""
        above, below = (_written(abs(n), r" \cdot ", "10^{{{}}}") for n in (expr.p, expr.q))
        return rf"{sign}\frac{{{above}}}{{{below}}}"


_INVERSE_ROOT_PI = Pow(pi, -S.Half)


def _is_root(factor: Expr) -> bool:
    return bool(factor.is_Pow and factor.exp == S.Half and factor.base.is_Integer)


def _is_split(expr: Expr) -> bool:
    return bool(expr.is_Mul and _INVERSE_ROOT_PI in expr.args and sum(_is_root(a) for a in expr.args) == 1)
