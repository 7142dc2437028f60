"""Which names of a text are parameters, and what the text asks of them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

import sympy
from sympy import Expr

from hermite_analytics.language.comparisons import is_parameter_name

__all__ = ["Demand", "demands", "parameter_names"]

_WORD = re.compile(r"(?<![\w.])([A-Za-z]+)(?!\w)(?!\s*\()")
_OTHERWISE = ("x", "y", "e", "i", "j", "I")  # coordinates and constants of other notations
_GREEK = {
    *("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "mu", "nu"),
    *("rho", "sigma", "tau", "upsilon", "chi", "psi", "omega"),
}

Demand = tuple[Expr, str]
"""An expression of parameters, and what it has to be: "nonzero", "positive" or "nonnegative"."""


def parameter_names(text: str, named: Collection[str] = ()) -> tuple[str, ...]:
    """Single letters but x, y, e, i, j, I; names of Greek letters; and the names that are given.

    Examples
    --------
    >>> parameter_names("sin(a*z1) + beta*He3(z1) + E + 1e5*x + xi + slope*z2", named=["slope"])
    ('a', 'beta', 'slope')
    """
    found = dict.fromkeys(_WORD.findall(text))
    plain = [w for w in found if w in named or w in _GREEK or (len(w) == 1 and w not in _OTHERWISE)]
    return tuple(sorted((w for w in plain if is_parameter_name(w)), key=lambda w: (len(w) > 1, w)))


def demands(expression: Expr, parameters: Collection[sympy.Symbol]) -> Iterator[Demand]:
    """What has to hold for all divisions, roots and logarithms of parameters alone to be defined.

    Examples
    --------
    >>> a, b, z = sympy.symbols("a b z", real=True)
    >>> sorted(demands(sympy.sqrt(a) * z + 1 / (b - 1), (a, b)), key=str)
    [(a, 'nonnegative'), (b - 1, 'nonzero')]
    """
    for part in sympy.preorder_traversal(expression):
        if not part.free_symbols or not part.free_symbols <= set(parameters):
            continue
        if isinstance(part, sympy.log):
            yield part.args[0], "positive"
        elif part.is_Pow and not part.exp.is_Integer:
            yield part.base, "nonnegative" if part.exp.is_positive else "positive"
        elif part.is_Pow and part.exp.is_negative:
            yield part.base, "nonzero"
