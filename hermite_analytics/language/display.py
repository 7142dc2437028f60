"""Text and LaTeX of results, with sqrt(2/pi) for what sympy keeps as sqrt(2)/sqrt(pi)."""

from __future__ import annotations

from collections.abc import Callable

import sympy
from sympy import Expr, Pow, S, Symbol, pi

__all__ = ["latex", "text"]


def text(expr: Expr) -> str:
    """The expression as the language reads it.

    Examples
    --------
    >>> text(3 * sympy.sqrt(2) / sympy.sqrt(pi)), text(sympy.sqrt(6) / (4 * sympy.sqrt(pi)))
    ('3*sqrt(2/pi)', 'sqrt(6/pi)/4')
    """
    return str(_joined(expr, lambda n: f"sqrt({n}/pi)"))


def latex(expr: Expr) -> str:
    r"""The expression in LaTeX.

    Examples
    --------
    >>> print(latex(sympy.sqrt(2) / sympy.sqrt(pi)))
    \sqrt{\frac{2}{\pi}}
    """
    return str(sympy.latex(_joined(expr, lambda n: rf"\sqrt{{\frac{{{n}}}{{\pi}}}}")))


def _joined(expr: Expr, name: Callable[[Expr], str]) -> Expr:
    """Products of sqrt(n) and 1/sqrt(pi) as one symbol of the name that is to be printed."""

    def join(product: Expr) -> Expr:
        (root,) = (a for a in product.args if _is_root(a))
        rest = [a for a in product.args if a not in (root, _INVERSE_ROOT_PI)]
        return sympy.Mul(*rest, Symbol(name(root.base), positive=True))

    return expr.replace(_is_split, join)


_INVERSE_ROOT_PI = Pow(pi, -S.Half)


def _is_root(factor: Expr) -> bool:
    return bool(factor.is_Pow and factor.exp == S.Half and factor.base.is_Integer)


def _is_split(expr: Expr) -> bool:
    return bool(expr.is_Mul and _INVERSE_ROOT_PI in expr.args and sum(_is_root(a) for a in expr.args) == 1)
