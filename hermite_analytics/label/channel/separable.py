"""E[y | z] as a sum of products of functions of one coordinate each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import sympy
from sympy import Expr, Symbol

from hermite_analytics.foundation.numpy_arrays import Array
from hermite_analytics.gaussian.distribution import expanded
from hermite_analytics.label.cases.line.functions import along, kinks_of
from hermite_analytics.label_noise import averaged

__all__ = ["Factor", "Term", "separated"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Factor:
    """A function of one coordinate, smooth off its edges."""

    value: Callable[[Array], Array]
    edges: Array


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """coefficient * product of factors; the key is the index of the coordinate."""

    coefficient: float
    factors: Mapping[int, Factor]


def separated(signal: Expr, coordinates: Sequence[Symbol]) -> tuple[Term, ...] | None:
    """The terms of E[y | z]; None if a function stands that does not split, or that xi is not averaged of.

    Examples
    --------
    >>> from sympy import sign, symbols
    >>> w1, w2 = symbols("w1 w2", real=True)
    >>> [(t.coefficient, sorted(t.factors)) for t in separated(w1**2 + 2 * sign(w1) * sign(w2), (w1, w2))]
    [(1.0, [0]), (2.0, [0, 1])]
    >>> len(separated(sympy.log(abs(w1) * abs(w2)), (w1, w2)))
    2
    """
    regression, rest = averaged(signal)
    if rest != 0:
        return None
    plain = expanded(
        regression.replace(_is_log_of_product, lambda e: sympy.Add(*map(sympy.log, e.args[0].args)))
    )
    known: dict[tuple[int, Expr], Factor] = {}
    found = []
    for term in sympy.Add.make_args(plain):
        coefficient: Expr = sympy.S.One
        factors: dict[int, Expr] = {}
        for part in sympy.Mul.make_args(term):
            used = part.free_symbols
            if not used:
                coefficient *= part
            elif len(used) == 1 and used <= set(coordinates):
                k = coordinates.index(*used)
                factors[k] = factors.get(k, sympy.S.One) * part
            else:
                return None
        for k, part in factors.items():
            if (k, part) not in known:
                known[k, part] = _factor(part, coordinates[k])
        found.append(
            Term(coefficient=float(coefficient), factors={k: known[k, p] for k, p in factors.items()})
        )
    return tuple(sorted(found, key=lambda t: len(t.factors)))


def _is_log_of_product(e: Expr) -> bool:
    return bool(
        isinstance(e, sympy.log) and e.args[0].is_Mul and all(a.is_nonnegative for a in e.args[0].args)
    )


def _factor(part: Expr, w: Symbol) -> Factor:
    function = along(part, w)
    return Factor(value=function.value, edges=kinks_of(function.kinks))
